"""The results explorer in Chromium, cut off from the network: what it shows is what pandas and scipy find."""

import csv
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from scipy import stats
from support.site import CHROMIUM, Site

from mtgcn.book import explorer
from mtgcn.errors import MtgcnError

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")]
PAGE = "book/explorer.html"


def saved(page: Any, button: str) -> list[dict[str, str]]:
    with page.expect_download() as started:
        page.locator(f"button[name={button}]").click()
    return list(csv.DictReader(Path(started.value.path()).read_text(encoding="utf-8").splitlines()))


def opened(site: Site) -> Any:
    page = site.open(PAGE)
    page.wait_for_selector("#explorer .chart svg")
    return page


def test_means_and_gains_are_those_of_the_runs_and_can_be_downloaded(site: Site, html: Path) -> None:
    page = opened(site)
    stem = page.locator("select[name=page]").input_value()
    table = pd.read_csv(html.parents[1] / "book" / "results" / f"{stem}.csv")
    wide = table.pivot_table("test_accuracy", "seed", "network")
    for row in saved(page, "save_means"):
        network = row["network"]
        assert float(row["mean"]) == pytest.approx(wide[network].mean(), abs=0.006)
        assert float(row["sem"]) == pytest.approx(wide[network].sem(), abs=0.006)
        if network != "GCN":
            gain = stats.ttest_1samp(wide[network] - wide["GCN"], 0)
            interval = gain.confidence_interval(0.95)
            assert float(row["gain_low"]) == pytest.approx(interval.low, abs=0.006)
            assert float(row["gain_high"]) == pytest.approx(interval.high, abs=0.006)
    runs = saved(page, "save_runs")
    assert len(runs) == len(table)
    assert {row["protocol"] for row in runs} <= {"text", "matched"}
    assert sorted(float(row["test_accuracy"]) for row in runs) == pytest.approx(
        sorted(table["test_accuracy"]), abs=0.006
    )


def test_the_keyboard_chooses_and_unticked_networks_go(disk: Site) -> None:
    page = opened(disk)
    before = len(saved(page, "save_runs"))
    box = page.locator("#explorer .networks input").last
    box.focus()
    page.keyboard.press("Space")
    page.wait_for_function(f"Number(document.querySelector('#explorer').dataset.shown) < {before}")
    assert box.evaluate("input => input.value") not in {row["network"] for row in saved(page, "save_runs")}
    select = page.locator("select[name=dataset]")
    values = select.locator("option").all_inner_texts()
    other = values[values.index(select.input_value()) - 1]
    select.focus()
    page.keyboard.press("ArrowUp")
    page.wait_for_function(f"document.querySelector('#explorer').elements.dataset.value === '{other}'")
    page.keyboard.press("Tab")
    assert {row["dataset"] for row in saved(page, "save_runs")} == {other}


def test_the_page_with_all_it_loads_of_its_own_is_below_two_megabytes(html: Path) -> None:
    files = [html / PAGE, *(html / "explorer").iterdir()]
    assert {path.name for path in files} >= {"vega.js", "runs.js", "explorer.js"}
    assert sum(path.stat().st_size for path in files) < 2_000_000


def test_without_vega_lite_one_sentence_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer, "PACKAGE", "no-such-package")
    with pytest.raises(MtgcnError, match="is not installed: pip install no-such-package"):
        explorer.write(tmp_path, tmp_path)


def test_what_tells_runs_of_a_page_apart_is_their_variant(tmp_path: Path) -> None:
    rows = {"dataset": "cora", "network": "GCN", "hidden_layers": 1, "seed": [0, 0], "test_accuracy": [80.0, None]}
    pd.DataFrame(rows | {"reading": ["a", "b"], "remedy": "none"}).to_csv(tmp_path / "one.csv", index=False)
    pd.DataFrame(rows | {"protocol": "matched"}).to_csv(tmp_path / "two.csv", index=False)
    pd.DataFrame({"what": [1]}).to_csv(tmp_path / "bench.csv", index=False)
    runs = explorer.runs_in(tmp_path)
    assert runs["variant"].tolist() == ["reading a", "reading b", "", ""]
    assert runs["protocol"].tolist() == ["text", "text", "matched", "matched"]
    packed = explorer.packed(runs)
    assert packed["numbers"]["test_accuracy"] == [80, None, 80, None]
    assert explorer.packed(explorer.runs_in(tmp_path / "nothing"))["quantiles"] == []
