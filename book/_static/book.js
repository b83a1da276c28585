// Small things that need no library: sortable tables, tables as CSV, a slider over pictures, pictures enlarged. All work from disk.
(() => {
  "use strict";

  // Search results show an excerpt of each page, which a browser may not fetch from disk.
  if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") {
    DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
  }

  // The number a cell starts with ("81.9 ± 0.1" gives 81.9, "1,433" gives 1433), NaN for text.
  const number = (text) => parseFloat(text.trim().replace(/,/g, "").replace("−", "-"));

  // Numbers stand to the right, also in the tables of notebooks.
  function alignNumbers(table) {
    [...table.querySelectorAll("tbody td")].forEach((cell) => {
      if (/^[+−-]?[\d.,]+(\s*[±%[≈≠].*)?$/.test(cell.textContent.trim())) cell.classList.add("number");
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

  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);

  function offerCsv(table, index) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "csv-button";
    button.textContent = "Download this table as CSV";
    button.addEventListener("click", () => {
      const lines = [...table.rows].map((row) => [...row.cells].map((cell) => quoted(cell.textContent.trim())).join(","));
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" }));
      link.download = `${location.pathname.split("/").pop().replace(/\.html$/, "") || "table"}-${index + 1}.csv`;
      link.click();
      URL.revokeObjectURL(link.href);
    });
    (table.closest(".pst-scrollable-table-container") || table).after(button);
  }

  function makeSlider(box, index) {
    const figures = [...box.querySelectorAll("figure")];
    const labels = box.dataset.labels.split("|");
    const control = document.createElement("div");
    control.className = "slider-control";
    control.innerHTML = `<label for="slider-${index}"></label><input id="slider-${index}" type="range" min="0" step="1"><output></output>`;
    const [label, input, output] = control.children;
    label.textContent = box.dataset.name;
    input.max = figures.length - 1;
    input.value = 0;
    const show = () => {
      figures.forEach((figure, step) => figure.classList.toggle("shown", step === Number(input.value)));
      output.textContent = labels[input.value];
      input.setAttribute("aria-valuetext", `${box.dataset.name} ${labels[input.value]}`);
    };
    input.addEventListener("input", show);
    box.prepend(control);
    box.classList.add("ready");
    show();
  }

  function makeZoomable(images) {
    const dialog = document.createElement("dialog");
    dialog.className = "zoom";
    dialog.addEventListener("click", () => dialog.close());
    document.body.append(dialog);
    images.forEach((image) => {
      image.addEventListener("click", () => {
        const copy = image.cloneNode();
        copy.removeAttribute("style");
        copy.removeAttribute("width");
        dialog.replaceChildren(copy);
        dialog.showModal();
      });
    });
  }

  document.addEventListener("DOMContentLoaded", () => {
    const tables = [...document.querySelectorAll(".bd-article table.sortable, .bd-article .cell_output table")].filter((table) => table.tHead);
    tables.forEach(joinHeadings);
    tables.forEach(alignNumbers);
    tables.forEach(makeSortable);
    tables.forEach((table, index) => table.classList.contains("has-file") || offerCsv(table, index));
    document.querySelectorAll(".bd-article div.slider").forEach(makeSlider);
    makeZoomable(document.querySelectorAll(".bd-article figure img, .bd-article .cell_output img"));
  });
})();
