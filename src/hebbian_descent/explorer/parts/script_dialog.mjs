// The window that shows the page's numbers as a script, to be copied.

/** Show a script, with a button that copies it where the browser allows, and otherwise selects it. */
export class ScriptDialog {
  constructor(dialog) {
    this.dialog = dialog;
    this.code = dialog.querySelector("code");
    this.status = dialog.querySelector("[role=status]");
    dialog.querySelector("#copy-script").addEventListener("click", () => this.copy());
    dialog.querySelector("#close-script").addEventListener("click", () => dialog.close());
  }

  show(text) {
    this.code.textContent = text;
    this.status.textContent = "";
    this.dialog.showModal();
  }

  async copy() {
    getSelection().selectAllChildren(this.code);
    try {
      await navigator.clipboard.writeText(this.code.textContent);
      this.status.textContent = "Copied";
    } catch {
      this.status.textContent = "Press Ctrl+C";
    }
  }
}
