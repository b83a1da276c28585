// The results explorer: choose what to see, see runs, means and gains, download what is seen. Needs runs.js, vega.js and csv.js.
(() => {
  "use strict";
  const { names, codes, numbers, quantiles } = window.RUNS;
  const BASELINE = "GCN";
  const count = codes.page.length;
  const run = (index) => ({
    ...Object.fromEntries(Object.entries(codes).map(([name, own]) => [name, names[name][own[index]]])),
    ...Object.fromEntries(Object.entries(numbers).map(([name, own]) => [name, own[index]])),
  });
  const runs = Array.from({ length: count }, (_, index) => run(index));
  const form = document.querySelector("#explorer");
  const field = (name) => form.elements[name];
  const unique = (values) => [...new Set(values)];
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = (values) => Math.sqrt(values.reduce((sum, value) => sum + (value - mean(values)) ** 2, 0) / (values.length - 1));
  const round = (value) => (Number.isFinite(value) ? Number(value.toFixed(2)) : "");
  const label = (one) => (one.variant ? `${one.network}, ${one.variant}` : one.network);

  // The values that a choice offers are those that occur together with the choices before it.
  const ORDER = ["dataset", "hidden_layers", "protocol", "page"];
  const chosen = (upTo) => runs.filter((one) => ORDER.slice(0, upTo).every((name) => String(one[name]) === field(name).value));

  // Of the pages that have such runs, first the one that belongs to the tables of the paper.
  const IN_TABLES = /^(matched-)?[a-z]+-\d+$/;
  const better = (a, b) => IN_TABLES.test(b) - IN_TABLES.test(a) || a.localeCompare(b);

  function offer() {
    ORDER.forEach((name, place) => {
      const values = unique(chosen(place).map((one) => one[name]));
      values.sort(name === "page" ? better : (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b)));
      const select = field(name);
      const before = select.value;
      select.replaceChildren(...values.map((value) => new Option(value, value, false, String(value) === before)));
      if (!values.some((value) => String(value) === before)) select.selectedIndex = 0;
    });
    const box = form.querySelector(".networks");
    const off = new Set([...box.querySelectorAll("input:not(:checked)")].map((input) => input.value));
    const there = unique(chosen(ORDER.length).map((one) => one.network));
    box.replaceChildren(
      ...names.network.filter((name) => there.includes(name)).map((name) => {
        const line = document.createElement("label");
        const input = document.createElement("input");
        Object.assign(input, { type: "checkbox", value: name, checked: !off.has(name) });
        line.append(input, ` ${name}`);
        return line;
      }),
    );
  }

  const shown = () => {
    const on = new Set([...form.querySelectorAll(".networks input:checked")].map((input) => input.value));
    return chosen(ORDER.length).filter((one) => on.has(one.network));
  };

  // Gains over the plain network with the same split and seed; with several splits, one mean gain for each of them.
  function gains(own, every) {
    const key = (one) => `${one.variant}|${one.split}|${one.seed}`;
    const plain = new Map(every.filter((one) => one.network === BASELINE).map((one) => [key(one), one.test_accuracy]));
    const pairs = own.filter((one) => plain.get(key(one)) != null && one.test_accuracy != null);
    const differences = pairs.map((one) => [one.split, one.test_accuracy - plain.get(key(one))]);
    const splits = unique(differences.map(([split]) => split));
    if (splits.length < 2) return differences.map(([, gain]) => gain);
    return splits.map((split) => mean(differences.filter(([other]) => other === split).map(([, gain]) => gain)));
  }

  function summary(every, visible) {
    return unique(visible.map(label)).map((name) => {
      const own = visible.filter((one) => label(one) === name);
      const values = own.map((one) => one.test_accuracy).filter((value) => value != null);
      const gained = own[0].network === BASELINE ? [] : gains(own, every);
      const half = gained.length > 1 ? (quantiles[gained.length - 2] * deviation(gained)) / Math.sqrt(gained.length) : NaN;
      const gain = gained.length ? mean(gained) : NaN;
      return {
        network: name, runs: values.length, mean: round(mean(values)), sem: round(deviation(values) / Math.sqrt(values.length)),
        gain: round(gain), gain_low: round(gain - half), gain_high: round(gain + half),
      };
    });
  }

  const SUMMARY = ["network", "runs", "mean", "sem", "gain", "gain_low", "gain_high"];
  const HEADS = ["network", "runs", "mean accuracy, %", "standard error", "gain over GCN, points", "95 % interval, from", "to"];
  const RUN = [...ORDER, "network", "variant", "split", "seed", "test_accuracy", "validation_accuracy", "best_epoch", "epochs"];

  function fill(rows) {
    const body = form.querySelector("tbody");
    body.replaceChildren(
      ...rows.map((row) => {
        const line = document.createElement("tr");
        line.append(
          ...SUMMARY.map((name, place) => {
            const cell = document.createElement(place ? "td" : "th");
            if (place) cell.className = "number";
            else cell.scope = "row";
            const value = row[name];
            cell.textContent = value === "" ? "–" : place > 1 ? value.toFixed(2).replace("-", "−") : value;
            return cell;
          }),
        );
        return line;
      }),
    );
  }

  async function draw(visible, rows) {
    const order = rows.map((row) => row.network);
    const points = visible.filter((one) => one.test_accuracy != null).map((one) => ({ network: label(one), accuracy: one.test_accuracy, seed: one.seed }));
    const means = rows.map((row) => ({ network: row.network, accuracy: row.mean, low: row.mean - row.sem, high: row.mean + row.sem }));
    const y = { field: "network", type: "nominal", sort: order, title: null };
    const x = { type: "quantitative", title: "test accuracy, %", scale: { zero: false }, axis: { tickCount: 8 } };
    const grey = getComputedStyle(document.body).color;
    const spec = {
      width: "container", height: { step: 34 }, background: null, autosize: { type: "fit-x", contains: "padding" },
      config: { aria: false, view: { stroke: null }, axis: { labelColor: grey, titleColor: grey, labelFontSize: 12, titleFontSize: 12, labelLimit: 220, gridOpacity: 0.3, domainOpacity: 0.5 } },
      layer: [
        { data: { values: points }, mark: { type: "circle", opacity: 0.55, size: 38 }, encoding: { y, x: { ...x, field: "accuracy" }, color: { value: "#1f9e9e" }, tooltip: [{ field: "network" }, { field: "seed" }, { field: "accuracy" }] } },
        { data: { values: means }, mark: { type: "rule", strokeWidth: 2 }, encoding: { y, x: { ...x, field: "low" }, x2: { field: "high" }, color: { value: "#d55e00" } } },
        { data: { values: means }, mark: { type: "point", shape: "diamond", filled: true, opacity: 1, size: 90 }, encoding: { y, x: { ...x, field: "accuracy" }, color: { value: "#d55e00" }, tooltip: [{ field: "network" }, { field: "accuracy", title: "mean" }] } },
      ],
    };
    const chart = form.querySelector(".chart");
    chart.setAttribute("aria-label", `Test accuracy of ${visible.length} runs by network; the table below has the means.`);
    await window.vegaEmbed(chart, spec, { actions: false, renderer: "svg", mode: "vega-lite" });
    chart.querySelector("svg").setAttribute("aria-hidden", "true"); // the label above and the table say it all
  }

  async function show() {
    const visible = shown();
    const rows = summary(chosen(ORDER.length), visible);
    fill(rows);
    form.querySelector("output").textContent = `${visible.length} runs of ${rows.length} networks.`;
    if (rows.length) await draw(visible, rows);
    form.dataset.shown = String(visible.length);
  }

  const file = (what) => `${ORDER.map((name) => field(name).value).join("-")}-${what}.csv`;
  const save = (what, header, rows) => window.saveCsv(file(what), header, rows.map((row) => header.map((name) => row[name] ?? "")));
  form.querySelector("thead tr").append(...HEADS.map((text) => Object.assign(document.createElement("th"), { scope: "col", textContent: text })));
  form.querySelector("[name=save_runs]").addEventListener("click", () => save("runs", RUN, shown()));
  form.querySelector("[name=save_means]").addEventListener("click", () => save("means", SUMMARY, summary(chosen(ORDER.length), shown())));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", (event) => {
    if (event.target.tagName === "SELECT") offer();
    show();
  });
  offer();
  field("dataset").value = "cora";
  offer();
  show();
})();
