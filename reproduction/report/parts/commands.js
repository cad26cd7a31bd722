// Commands break before an option, not within it, and are copied by a button.
for (const code of document.querySelectorAll(".command code")) {
  const [command, ...options] = code.textContent.split(/ (?=--)/);
  const whole = options.map((option) => Object.assign(document.createElement("span"), { textContent: option }));
  code.replaceChildren(command, ...whole.flatMap((option) => [" ", option]));
}

for (const button of document.querySelectorAll("button.copy")) {
  button.addEventListener("click", async () => {
    const code = button.previousElementSibling;
    getSelection().selectAllChildren(code); // so that it can be copied by hand if the browser refuses
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Press Ctrl+C";
    }
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
}
