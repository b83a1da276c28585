// Tables sorted by a click; tables and pictures fitted to the screen. No library, and it all works from disk.
(() => {
  "use strict";

  // The number a cell starts with ("81.9 ± 0.1" gives 81.9, "1,433" gives 1433), NaN for text.
  const number = (text) => parseFloat(text.trim().replace(/,/g, "").replace("−", "-"));

  // Change the text of every cell below an element.
  function rewrite(element, change) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) walker.currentNode.data = change(walker.currentNode.data);
  }

  // Numbers stand to the right, also in the tables of notebooks. "± 0.1" and "[0.1, 0.2]" stay on one line.
  function alignNumbers(table) {
    [...table.querySelectorAll("tbody td")].forEach((cell) => {
      if (/^[+−-]?[\d.,]+(\s*[±%[≈≠].*)?$/s.test(cell.textContent.trim())) cell.classList.add("number");
      rewrite(cell, (text) => text.replace(/± /g, "±\u00a0").replace(/ ([≈≠])/g, "\u00a0$1").replace(/(\[\S+,) /g, "$1\u00a0"));
    });
  }

  // pandas writes the name of the index into a row of its own below the names of the columns: one row says it all.
  function joinHeadings(table) {
    const [first, second] = table.tHead.rows;
    if (!second || first.cells.length !== second.cells.length) return;
    const pairs = [...first.cells].map((cell, index) => [cell, second.cells[index]]);
    if (pairs.some(([upper, lower]) => upper.textContent.trim() && lower.textContent.trim())) return;
    pairs.forEach(([upper, lower]) => lower.textContent.trim() && upper.replaceChildren(...lower.childNodes));
    second.remove();
  }

  // Headings may take several rows; the last one names the columns.
  const headings = (table) => table.tHead.rows[table.tHead.rows.length - 1].cells;

  function sortBy(table, column, direction) {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const text = (row) => row.cells[column].textContent.trim();
    const numeric = rows.some((row) => !Number.isNaN(number(text(row))));
    const compare = (a, b) => {
      if (!numeric) return direction * text(a).localeCompare(text(b));
      const [x, y] = [number(text(a)), number(text(b))];
      if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y); // empty cells last, either way
      return direction * (x - y);
    };
    body.append(...rows.sort(compare));
    [...headings(table)].forEach((cell, index) => {
      if (index === column) cell.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
      else cell.removeAttribute("aria-sort");
    });
  }

  function makeSortable(table) {
    const body = table.tBodies[0];
    if (!body || !body.rows.length || headings(table).length !== body.rows[0].cells.length) return;
    table.classList.add("sortable");
    [...headings(table)].forEach((cell, column) => {
      if (!cell.textContent.trim()) return; // a column without a name
      const button = document.createElement("button");
      button.type = "button";
      button.append(...cell.childNodes);
      cell.append(button);
      button.addEventListener("click", () => {
        const before = cell.getAttribute("aria-sort");
        const first = Number.isNaN(number(body.rows[0].cells[column].textContent)) ? 1 : -1; // best number first, names from A
        sortBy(table, column, before ? (before === "ascending" ? -1 : 1) : first);
      });
    });
  }

  // Every table and every picture gets a frame that scrolls, so that on a phone neither shrinks until nobody can read it.
  // On a desktop a table that is too wide may break its cells before it scrolls.
  function putInFrame(table) {
    const frame = document.createElement("div");
    const scroll = document.createElement("div");
    frame.className = "table-frame";
    scroll.className = "table-scroll";
    table.replaceWith(frame);
    frame.append(scroll);
    scroll.append(table);
    const shade = () => {
      frame.classList.toggle("more", scroll.scrollLeft + scroll.clientWidth < scroll.scrollWidth - 1);
      frame.classList.toggle("scrolled", scroll.scrollLeft > 1);
    };
    const tooWide = () => scroll.scrollWidth > scroll.clientWidth + 1;
    const fit = () => {
      table.classList.remove("tight");
      if (tooWide() && window.innerWidth > 768) table.classList.add("tight");
      if (tooWide() && window.innerWidth > 768) rewrite(table, (text) => text.replace(/(\[\S+,)\u00a0/g, "$1 "));
      frame.classList.toggle("wide", tooWide());
      if (tooWide()) {
        scroll.tabIndex = 0; // so that the arrow keys scroll it
        scroll.setAttribute("role", "region");
        scroll.setAttribute("aria-label", `${table.tHead ? "Table" : "Content"} that scrolls sideways`);
      } else ["tabindex", "role", "aria-label"].forEach((name) => scroll.removeAttribute(name));
      shade();
    };
    scroll.addEventListener("scroll", shade, { passive: true });
    return [frame, fit];
  }

  document.addEventListener("DOMContentLoaded", () => {
    const every = [...document.querySelectorAll(".bd-article table")].filter((table) => !table.closest(".no-frame"));
    const pictures = [...document.querySelectorAll(".bd-article :is(figure, .cell_output) img")];
    const tables = every.filter((table) => table.tHead && table.matches(".sortable, .cell_output table"));
    tables.forEach(joinHeadings);
    tables.forEach(alignNumbers);
    tables.forEach(makeSortable);
    const frames = new Map([...every, ...pictures].map((table) => [table, putInFrame(table)]));
    tables.forEach((table, index) => table.classList.contains("has-file") || window.offerCsv(table, frames.get(table)[0], index));
    // Whenever the column gets another width: a turned phone, a folded sidebar, at first too.
    const fitAll = () => frames.forEach(([, fit]) => fit());
    const article = document.querySelector(".bd-article");
    if (article) new ResizeObserver(fitAll).observe(article);
    window.addEventListener("load", fitAll);
  });
})();
