"""The page on the columns of the results knows every column that a table of runs has."""

import re
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).parents[2]


def test_every_column_of_a_table_of_runs_is_explained() -> None:
    text = (ROOT / "book" / "reference" / "columns.md").read_text(encoding="utf-8")
    terms = re.findall(r"^(`.*`)\n: ", text, re.MULTILINE)
    explained = {name for term in terms for name in re.findall(r"`(\w+)`", term)}
    tables = [path for path in (ROOT / "book" / "results").glob("*.csv") if path.with_suffix(".json").exists()]
    columns = {name for path in tables for name in pd.read_csv(path, nrows=0)}
    assert columns
    assert columns - explained == set()
