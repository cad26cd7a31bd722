// A note at the cell that is pointed at, tapped or walked to: titles alone are out of reach of fingers and keys.
const note = document.getElementById("note");
let shownFor = null;
let byKeys = false;
addEventListener("keydown", () => (byKeys = true), true);
addEventListener("mousemove", (event) => (byKeys &&= !(event.movementX || event.movementY)), true);
addEventListener("pointerdown", () => (byKeys = false), true);

function showNote(cell) {
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

function hideNote() {
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

function noteCells(table) {
  const cells = [...table.querySelectorAll("td[title]")];
  cells.forEach((cell, place) => {
    cell.dataset.note = cell.title;
    cell.removeAttribute("title");
    cell.tabIndex = place === 0 ? 0 : -1; // one tab stop per table, arrows from there
  });
  const noted = (event) => event.target.closest("td[data-note]");
  // What scrolls under a resting pointer while keys are used was not pointed at.
  table.addEventListener("mouseover", (event) => byKeys || (noted(event) ? showNote(noted(event)) : hideNote()));
  table.addEventListener("mouseleave", hideNote);
  table.addEventListener("click", (event) => noted(event) && showNote(noted(event)));
  table.addEventListener("focusin", (event) => noted(event) && showNote(noted(event)));
  table.addEventListener("focusout", hideNote);
  table.addEventListener("keydown", (event) => noted(event) && walk(event));
}
addEventListener("keydown", (event) => event.key === "Escape" && hideNote());
// Walking to a cell may scroll the page: the note goes along.
const follow = () => shownFor && (document.activeElement === shownFor ? showNote(shownFor) : hideNote());
addEventListener("scroll", follow, { passive: true, capture: true });
