// Long tables are text until somebody opens, prints or searches them, so that the page is there at once.
// A table that fits has its headings stick to the top of the window, a wider one to the top of its box.
const fitting = new ResizeObserver((entries) => {
  // All widths are read before anything changes, or every change would have the page laid out again.
  const boxes = entries.map(({ target: box }) => {
    const table = box.firstElementChild;
    return [box, table.offsetWidth <= box.offsetWidth, table.tHead.rows[0].cells[0].offsetWidth];
  });
  for (const [box, fits, firstColumn] of boxes) {
    box.classList.toggle("fits", fits);
    box.tabIndex = fits ? -1 : 0; // nothing to scroll, no tab stop
    box.style.setProperty("--first-column", `${firstColumn - 1}px`); // where the second column stops
  }
});

function prepare(part) {
  part.querySelectorAll("table.sortable").forEach(makeSortable);
  part.querySelectorAll("table.results").forEach(noteCells);
  part.querySelectorAll(".box").forEach((box) => fitting.observe(box));
  part.querySelectorAll("figure").forEach(makeZoomable);
}

function makeNow(part) {
  for (const text of part.querySelectorAll("noscript.later")) {
    const made = document.createRange().createContextualFragment(text.textContent);
    prepare(made);
    text.replaceWith(made);
  }
}

prepare(document);
// The event of an opened element does not bubble, but can be caught on its way there.
document.addEventListener("toggle", ({ target }) => target.open && makeNow(target), true);
// The browser's search opens what it finds, if it is there.
addEventListener("keydown", (event) => {
  if (event.key === "F3" || ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "f")) makeNow(document);
});

function openAll(elements) {
  makeNow(document);
  elements.forEach((details) => (details.open = true));
}

const everyTable = document.getElementById("all-tables");
if (everyTable) {
  everyTable.hidden = false;
  everyTable.addEventListener("click", () => openAll(document.querySelectorAll("#tables details")));
}

// On paper everything is open.
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details:not([open])")];
  openAll(closed);
});
addEventListener("afterprint", () => closed.forEach((details) => (details.open = false)));

// An address that names a table or a claim opens it.
function openNamed() {
  const hash = location.hash.slice(1); // the ids of the page need no escapes
  const named = document.getElementById(hash);
  const details = named?.matches("article, li") ? named.querySelector("details") : null;
  if (details) details.open = true;
}
addEventListener("hashchange", openNamed);
openNamed();
