"""The notebook of a page on depth, executed on committed runs as it stands."""

import re
import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.drawn import check_two, of, recorded, starting

import mtgcn
from mtgcn.analysis import page, statistics
from mtgcn.analysis.figures import style
from mtgcn.experiments import problems, running
from mtgcn.pipeline import parameter_file

ROOT = Path(__file__).parents[2]
# What others have published for a network of a page: the paper's, or with a remedy that of the remedy without tasks.
OPEN = [
    ("depth-cora-shallow", "AE", [82.17, 81.10, 49.57]),
    ("depth-cora-tuned-5", "GCN", [16.47]),
    ("remedy-dropedge-cora", "GCN", [82.8, 82.0, 75.8, 75.7, 62.5, 49.5]),
    ("remedy-gcnii-cora-authors-tuned", "GCN", [85.5, 85.29]),
]


@pytest.mark.parametrize(("name", "network", "published"), OPEN)
def test_a_page_of_one_data_set_has_intervals_and_open_marks(
    name: str, network: str, published: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = recorded(monkeypatch)
    parameters = parameter_file.load(ROOT / "params" / f"{name}.yaml", ROOT / "notebooks").experiment
    outcome = running.read(name)
    assert parameters is not None
    assert outcome is not None
    monkeypatch.setattr(problems, "parameters_in", lambda _: parameters)
    monkeypatch.setattr(mtgcn, "load", lambda *_, **__: None)
    monkeypatch.setattr(mtgcn, "run", lambda *_, **__: outcome)
    monkeypatch.setattr(page, "data_facts", lambda _: None)
    runpy.run_path(str(ROOT / "notebooks" / "depth.py"))

    (ax,) = starting(figures, "Test accuracy on cora").axes
    drawn = {container.lines[0].get_color(): container for container in ax.containers}
    for one, own in outcome.table.groupby("network"):
        runs = own.groupby("hidden_layers")["test_accuracy"]
        line, _, (bars,) = drawn[style.of(str(one)).colour].lines
        assert line.get_ydata() == pytest.approx(runs.mean().to_numpy())
        ends = np.array(bars.get_segments())[:, :, 1]
        assert ends == pytest.approx(np.array([statistics.interval(values) for _, values in runs]))
    (marks,) = [line for line in of(network, ax) if line.get_markerfacecolor() == "none"]
    assert marks.get_ydata().tolist() == published
    check_two(starting(figures, "Two runs"), pd.concat([outcome.curves, outcome.kept["examples"]]))


def test_both_notebooks_judge_failures_by_the_same_rule() -> None:
    rules = []
    for name in ("depth", "depth_inside"):
        source = (ROOT / "notebooks" / f"{name}.py").read_text(encoding="utf-8")
        rules.append(re.findall(r'^judged\["[a-z -]+"\] = (.*(?:<|>=?) [-\de.+"\[\]a-z_ )]+)$', source, re.MULTILINE))
    assert rules[0] == rules[1]
    assert len(rules[0]) == 4
