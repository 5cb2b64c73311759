"use strict";
const value = (row, column) => {
  const text = row.cells[column].textContent.trim();
  const number = parseFloat(text.replace(/[,<]/g, ""));
  return { text, number: Number.isNaN(number) ? -Infinity : number };
};
const sort = (head) => {
  const column = head.cellIndex, isNumber = head.classList.contains("number");
  const first = isNumber ? "descending" : "ascending";
  const second = isNumber ? "ascending" : "descending";
  const order = head.getAttribute("aria-sort") === first ? second : first;
  const sign = order === "ascending" ? 1 : -1;
  for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", order);
  for (const body of head.closest("table").tBodies) {
    const rows = [...body.rows].filter((row) => !row.classList.contains("group"));
    rows.sort((one, other) => {
      const a = value(one, column), b = value(other, column);
      return sign * (isNumber ? a.number - b.number || 0 : a.text.localeCompare(b.text));
    });
    body.append(...rows);
  }
};
for (const head of document.querySelectorAll("thead th")) {
  head.classList.add("sortable");
  head.tabIndex = 0;
  head.addEventListener("click", () => sort(head));
  head.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); sort(head); }
  });
}
let opened = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not([open])")];
  for (const fold of opened) fold.open = true;
});
addEventListener("afterprint", () => { for (const fold of opened) fold.open = false; });
