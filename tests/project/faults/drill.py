"""The drill as a program: ``python -m project.faults.drill`` with ``tests`` on the path; ``make drill`` calls it."""

import argparse
import importlib
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import pandas as pd
from project.faults.hostile import good_state, hostile
from project.faults.rounds import faults

from mtgcn import files

RESULTS = Path(__file__).parents[3] / "book" / "results"
# What the commands import when they need it: a fork should not have to.
HEAVY = ("distributed", "optuna", "papermill", "mtgcn.pipeline.execute", "mtgcn.pipeline.search")


def main() -> None:
    """Run the long form, print its tables and store them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--short", action="store_true", help="a few faults of each kind")
    parser.add_argument("--output", type=Path, default=RESULTS)
    given = parser.parse_args()
    for name in HEAVY:
        importlib.import_module(name)
    good_state()
    tell = partial(print, flush=True)
    befallen = _stored(faults(not given.short, given.seed, tell), given.output / "drill-faults.csv")
    tried = _stored(hostile(given.inputs, given.seed, tell), given.output / "drill.csv")
    lost = int((befallen["injected"] - befallen["survived"]).sum())
    if lost or tried["failed"].any():
        raise SystemExit(f"{lost} faults not survived, {tried['failed'].sum()} inputs failed")


def _stored(rows: Iterable[dict[str, object]], path: Path) -> pd.DataFrame:
    table = pd.DataFrame(rows)
    print(table.to_string(index=False), f"{table.sum(numeric_only=True).to_dict()}", sep="\n", flush=True)
    files.write_text(path, table.to_csv(index=False))
    return table


if __name__ == "__main__":
    main()
