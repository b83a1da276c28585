"""What the page on which results are explored needs: every run there is, and Vega-Lite in one file."""

import json
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pandas as pd
from scipy import stats

from mtgcn.analysis.comparison import in_order
from mtgcn.errors import MtgcnError
from mtgcn.files import write_text

NEEDED = {"dataset", "network", "hidden_layers", "seed", "test_accuracy"}
NUMBERS = ["test_accuracy", "validation_accuracy", "best_epoch", "epochs"]
# What can tell the runs of one page apart, beside network, depth, split and seed.
APART = ("variant", "reading", "labels", "remedy", "settings", "tuned_for")
CODED = ["page", "dataset", "protocol", "network", "variant"]
PACKAGE = "vl-convert-python"
PROTOCOL = "text"  # of tables from before there were two


def write(folder: Path, results: Path) -> None:
    """Write ``vega.js`` and ``runs.js`` into ``folder``/explorer, from the tables of runs in ``results``."""
    vega, mark = folder / "explorer" / "vega.js", f"// Vega-Lite from {PACKAGE} {_installed()}\n"
    if not vega.exists() or not vega.read_text(encoding="utf-8").startswith(mark):
        vl_convert = import_module("vl_convert")  # its types ask for a snippet that nobody needs
        write_text(vega, f"{mark}(() => {{{vl_convert.javascript_bundle()}}})();\n")
    content = json.dumps(packed(runs_in(results)), separators=(",", ":"), allow_nan=False)
    write_text(folder / "explorer" / "runs.js", f"window.RUNS = {content};\n")


def _installed() -> str:
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        raise MtgcnError(
            f"Vega-Lite, which draws results, is not installed: pip install {PACKAGE} brings it."
        ) from None


def runs_in(results: Path) -> pd.DataFrame:
    """Return the runs of all tables in ``results``: ``page, dataset, hidden_layers, protocol, network, variant, …``.

    ``variant`` joins what else tells the runs of one page apart, such as a reading of the paper; it is empty for most.
    """
    tables = []
    for path in sorted(results.glob("*.csv")):
        table = pd.read_csv(path)
        if not set(table) >= NEEDED:
            continue
        table = table.assign(page=path.stem, variant=_variant(table))
        table["protocol"] = table.get("protocol", PROTOCOL)
        table["split"] = table.get("split", 0)
        tables.append(table.reindex(columns=[*CODED, "hidden_layers", "split", "seed", *NUMBERS]))
    empty = pd.DataFrame(columns=[*CODED, "hidden_layers", "split", "seed", *NUMBERS])
    return pd.concat(tables, ignore_index=True) if tables else empty


def _variant(table: pd.DataFrame) -> pd.Series:
    """Return what the columns of `APART` say of each run, where they differ within the page."""
    texts = [name.replace("_", " ") + " " + table[name].astype(str) for name in APART if name in table]
    texts = [column for column in texts if len(set(column)) > 1]
    return pd.Series([", ".join(parts) for parts in zip(*texts, strict=True)] if texts else "", table.index)


def packed(runs: pd.DataFrame) -> dict[str, Any]:
    """Return ``runs`` by columns, texts as numbers of a list, and the t quantiles that intervals of 95 % need."""
    names = {name: list(dict.fromkeys(runs[name])) for name in CODED}
    names["network"] = in_order(names["network"])
    codes = {name: runs[name].map(names[name].index).tolist() for name in CODED}
    numbers = {name: _numbers(runs[name]) for name in ("hidden_layers", "split", "seed", *NUMBERS)}
    sizes = runs.groupby(["page", "network", "variant", "hidden_layers"]).size()
    freedom = range(1, int(sizes.max()) if len(sizes) else 1)  # of 2, 3, … runs
    quantiles = [round(float(stats.t.ppf(0.975, degrees)), 4) for degrees in freedom]
    return {"names": names, "codes": codes, "numbers": numbers, "quantiles": quantiles}


def _numbers(column: pd.Series) -> list[float | None]:
    """Return numbers with two digits, whole ones without a point, None where there is none."""
    rounded = column.astype(float).round(2)
    return [None if pd.isna(value) else int(value) if value == int(value) else value for value in rounded]
