// A table as a CSV file of tidy numbers: one value in a column, one name for a column. "70.56 ± 0.22" becomes two columns.
(() => {
  "use strict";

  const NUMBER = "[+-]?[\\d,]*\\.?\\d+(?:e[+-]?\\d+)?";
  // A number, perhaps with an error or an interval behind it, perhaps with a mark or words behind that.
  const CELL = new RegExp(`^(<)?\\s*(${NUMBER})\\s*%?(?:\\s*±\\s*(${NUMBER}|-))?(?:\\s*\\[(${NUMBER}), (${NUMBER})\\])?\\s*([≈≠])?(?:\\s+(\\S.*))?$`);
  const MEANINGS = {
    mean: "hold the mean",
    sem: "its standard error",
    low: "the lower end of the interval",
    high: "its upper end",
    agrees: "whether the two means agree within two standard errors",
    note: "words that stand beside a number",
  };
  const plain = (text) => text.replace(/\u00a0/g, " ").replace(/−/g, "-").replace(/\s+/g, " ").trim();
  const unquoted = (text) => text.replace(/,/g, "");

  // The parts of one line of a cell, or null when it holds no number.
  function parts(text) {
    const found = CELL.exec(text);
    if (!found) return null;
    const [, below, value, error, low, high, mark, words] = found;
    const note = [below ? "less than" : "", (words || "").replace(/^\((.*)\)$/, "$1")].join(" ").trim();
    const agrees = mark ? (mark === "≈" ? "yes" : "no") : undefined;
    const named = error === undefined ? { "": unquoted(value) } : { mean: unquoted(value), sem: unquoted(error) };
    const all = { ...named, low: low && unquoted(low), high: high && unquoted(high), agrees, note: note || undefined };
    return Object.fromEntries(Object.entries(all).filter(([, held]) => held !== undefined));
  }

  // The cells of rows as they stand on the screen: one that spans several places is at each of them.
  function places(rows) {
    const grid = rows.map(() => []);
    rows.forEach((row, down) => {
      let across = 0;
      [...row.cells].forEach((cell) => {
        while (grid[down][across]) across += 1;
        for (let below = 0; below < cell.rowSpan && down + below < rows.length; below += 1)
          for (let beside = 0; beside < cell.colSpan; beside += 1) grid[down + below][across + beside] = cell;
      });
    });
    return grid;
  }

  // The name of every column: the headings above it joined, in small letters; one that occurs twice takes the name before it.
  function names(table) {
    const rows = places([...table.tHead.rows]).map((row) => row.map((cell) => plain(cell.textContent)));
    const joined = rows[rows.length - 1].map((_, column) => rows.map((row) => row[column] || "").filter(Boolean).join(" "));
    const short = joined.map((name) => name.replace(/\[95 %\]/, "").toLowerCase().replace(/Δ|δ/g, "difference").replace(/[^\w+]+/g, "_").replace(/^_|_$/g, "") || "name");
    const twice = (name) => short.filter((other) => other === name).length > 1;
    let before = "";
    return short.map((name) => {
      if (!twice(name)) return (before = name);
      return `${before}_${name}`;
    });
  }

  // The lines of a cell: a paragraph each; from the second on its first word says whose number it is.
  function lines(cell) {
    const paragraphs = [...cell.querySelectorAll("p")];
    const texts = (paragraphs.length ? paragraphs : [cell]).map((element) => plain(element.textContent));
    return texts.map((text, index) => (index ? /^(\S+) (.*)$/.exec(text).slice(1) : ["", text]));
  }

  // A table as {header, rows, kinds}: kinds are the parts that occur, to be explained beside the button.
  function tidy(table) {
    const heads = names(table);
    const body = [...table.tBodies].flatMap((part) => places([...part.rows]));
    const columns = [];
    const kinds = new Set();
    heads.forEach((head, index) => {
      const cells = body.map((row) => lines(row[index]));
      const owners = [...new Set(cells.flat().map(([owner]) => owner))];
      owners.forEach((owner) => {
        const texts = cells.map((cell) => (cell.find(([whose]) => whose === owner) || ["", ""])[1]);
        const found = texts.map(parts);
        const name = [head, owner].filter(Boolean).join("_");
        const shown = (text) => (/^[–-]?$/.test(text) ? "" : text);
        if (!found.some(Boolean) || head === heads[0] && found.some((part) => !part)) {
          columns.push([name, texts.map(shown)]);
          return;
        }
        const all = found.map((part, row) => part || (shown(texts[row]) ? { note: texts[row] } : {}));
        ["", ...Object.keys(MEANINGS)].forEach((kind) => {
          if (!all.some((part) => kind in part)) return;
          if (kind) kinds.add(kind);
          columns.push([[name, kind].filter(Boolean).join("_"), all.map((part) => part[kind] ?? "")]);
        });
      });
    });
    return { header: columns.map(([name]) => name), rows: body.map((_, row) => columns.map(([, values]) => values[row])), kinds };
  }

  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);

  window.saveCsv = (name, header, rows) => {
    const content = [header, ...rows].map((row) => row.map((value) => quoted(String(value))).join(",")).join("\n") + "\n";
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([content], { type: "text/csv" }));
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
  };

  window.offerCsv = (table, frame, index) => {
    const line = document.createElement("p");
    const button = document.createElement("button");
    line.className = "download-line";
    button.type = "button";
    button.className = "csv-button";
    button.textContent = "Download this table as CSV";
    button.addEventListener("click", () => {
      const { header, rows } = tidy(table);
      const page = location.pathname.split("/").pop().replace(/\.html$/, "") || "table";
      window.saveCsv(`${page}-${index + 1}.csv`, header, rows);
    });
    line.append(button);
    const { kinds } = tidy(table);
    const said = [...kinds].map((kind) => `_${kind} ${MEANINGS[kind]}`);
    if (said.length) line.append(`. In the file, columns that end in ${said.join(", ")}.`);
    frame.after(line);
  };
})();
