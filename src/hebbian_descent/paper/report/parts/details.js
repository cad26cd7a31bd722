// A note at the cell that is pointed at, tapped or walked to: titles alone are out of reach of fingers and keys.
const note = document.getElementById("note");
let shownFor = null;
let byKeys = false;
addEventListener("keydown", () => (byKeys = true), true);
addEventListener("mousemove", (event) => (byKeys &&= !(event.movementX || event.movementY)), true);
addEventListener("pointerdown", () => (byKeys = false), true);

function show(cell) {
  shownFor = cell;
  const row = cell.parentElement;
  const head = cell.closest("table").tHead.rows[0].cells[cell.cellIndex];
  const about = document.createElement("strong");
  about.textContent = `${row.cells[0].textContent} ${row.cells[1].textContent}, ${head.textContent}`;
  note.replaceChildren(about, `\n${cell.dataset.note}`);
  note.hidden = false;
  const at = cell.getBoundingClientRect();
  const { width, height } = note.getBoundingClientRect();
  const room = document.documentElement.clientWidth - width - 8;
  note.style.left = `${Math.max(8, Math.min(at.left, room))}px`;
  note.style.top = `${at.bottom + height + 8 < innerHeight ? at.bottom + 4 : Math.max(8, at.top - height - 4)}px`;
}

function hide() {
  note.hidden = true;
  shownFor = null;
}

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

function walk(event) {
  const [down, right] = STEPS[event.key] ?? [0, 0];
  const cell = event.target.closest("td");
  const row = [...cell.closest("tbody").rows][cell.parentElement.sectionRowIndex + down];
  const next = row?.cells[cell.cellIndex + right];
  if ((down || right) && next?.dataset.note) {
    event.preventDefault();
    cell.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
}

for (const table of document.querySelectorAll("table.results")) {
  // Two columns stay in sight where a table is wider than the screen; the second one stops beside the first.
  const alongside = new ResizeObserver(([first]) =>
    table.style.setProperty("--first-column", `${first.target.offsetWidth - 1}px`));
  alongside.observe(table.tHead.rows[0].cells[0]);
  const cells = [...table.querySelectorAll("td[title]")];
  cells.forEach((cell, place) => {
    cell.dataset.note = cell.title;
    cell.removeAttribute("title");
    cell.tabIndex = place === 0 ? 0 : -1; // one stop of the tab key a table, arrows from there
  });
  const noted = (event) => event.target.closest("td[data-note]");
  // What scrolls under a resting pointer while keys are used was not pointed at.
  table.addEventListener("mouseover", (event) => byKeys || (noted(event) ? show(noted(event)) : hide()));
  table.addEventListener("mouseleave", hide);
  table.addEventListener("click", (event) => noted(event) && show(noted(event)));
  table.addEventListener("focusin", (event) => noted(event) && show(noted(event)));
  table.addEventListener("focusout", hide);
  table.addEventListener("keydown", (event) => noted(event) && walk(event));
}
addEventListener("keydown", (event) => event.key === "Escape" && hide());
// Walking to a cell may scroll the page: the note goes along.
const follow = () => shownFor && (document.activeElement === shownFor ? show(shownFor) : hide());
addEventListener("scroll", follow, { passive: true, capture: true });

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

// On a phone the contents start closed, on paper everything is open.
if (matchMedia("(max-width: 60rem)").matches) document.querySelector("nav details").open = false;
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details:not([open])")];
  closed.forEach((details) => (details.open = true));
});
addEventListener("afterprint", () => closed.forEach((details) => (details.open = false)));
addEventListener("hashchange", () => {
  const first = document.querySelector(location.hash || "#content")?.querySelector("details");
  if (first && /^#(tab|text)-/.test(location.hash)) first.open = true;
});
