"use strict";
// Headings become buttons: ascending, descending, and the order of the paper again.
function makeSortable(table) {
  const body = table.tBodies[0];
  const original = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];

  const keyOf = (row, place) => {
    const cell = row.cells[place];
    const text = (cell.dataset.value ?? cell.textContent).trim().replace("−", "-");
    return text === "" || text === "–" ? null : Number.isNaN(Number(text)) ? text : Number(text);
  };
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en");

  const sort = (place, direction) => {
    const keyed = original.map((row) => [keyOf(row, place), row]);
    const known = keyed.filter(([key]) => key !== null);
    if (direction !== "none") known.sort(([a], [b]) => (direction === "ascending" ? compare(a, b) : compare(b, a)));
    const missing = keyed.filter(([key]) => key === null);
    const rows = direction === "none" ? original : [...known, ...missing].map(([, row]) => row);
    body.append(...rows);
    heads.forEach((head, i) => head.setAttribute("aria-sort", i === place ? direction : "none"));
  };

  heads.forEach((head, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const next = { none: "ascending", ascending: "descending", descending: "none" };
      sort(place, next[head.getAttribute("aria-sort")]);
    });
  });
}
