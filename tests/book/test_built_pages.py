"""The book without a browser: it builds, its links hold, what it generates is right, and its examples run."""

import fnmatch
import re
import subprocess
from pathlib import Path

import pandas as pd
import pytest
import typer
from bs4 import BeautifulSoup
from ruamel.yaml import YAML
from support.built_book import CONFIG, REPOSITORY, ROOT, pages, resolve

from mtgcn.book import html_tables, mathjax, reference, transforms
from mtgcn.errors import MtgcnError
from mtgcn.experiments import running
from mtgcn.experiments.parameters import Parameters
from mtgcn.model.remedies import REMEDIES
from mtgcn.model.tasks import TASKS


@pytest.fixture(scope="session")
def soups(html: Path) -> dict[str, BeautifulSoup]:
    """Every page of the site by its path."""
    return {
        path.relative_to(html).as_posix(): BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        for path in html.rglob("*.html")
        if "_static" not in path.parts
    }


def test_no_broken_link_or_anchor(html: Path, soups: dict[str, BeautifulSoup]) -> None:
    anchors = {name: {tag["id"] for tag in soup.select("[id]")} for name, soup in soups.items()}
    broken = []
    for name, soup in soups.items():
        for tag in soup.select("a[href], img[src], script[src], link[href]"):
            link = str(tag.get("href") or tag.get("src"))
            if re.match(r"(https?:|mailto:|data:|#$)", link):
                continue
            target, anchor = resolve(name, link.split("?")[0])
            target = f"{target}/index.html" if (html / target).is_dir() else target
            missing = anchor and target in anchors and anchor not in anchors[target]
            if not (html / target).exists() or missing:
                broken.append(f"{name}: {link}")
    assert not broken


def test_nothing_is_loaded_from_elsewhere(soups: dict[str, BeautifulSoup]) -> None:
    loaded = [
        str(tag.get("src") or tag.get("href"))
        for soup in soups.values()
        for tag in soup.select("script[src], img[src], iframe[src], link[href]:not([rel=canonical])")
    ]
    assert loaded
    assert not [address for address in loaded if re.match(r"(https?:)?//", address)]


def test_every_picture_is_described(soups: dict[str, BeautifulSoup]) -> None:
    pictures = [(name, tag) for name, soup in soups.items() for tag in soup.select("article img")]
    assert len(pictures) > 8
    assert not [(name, tag["src"]) for name, tag in pictures if len(tag.get("alt", "")) < 10]


def test_every_run_is_in_the_contents_and_every_parameter_file_has_a_place(
    html: Path, soups: dict[str, BeautifulSoup]
) -> None:
    shown = pages(html)
    runs = sorted((html.parents[1] / "book" / "runs").glob("*.ipynb"))
    assert runs
    assert not [path.stem for path in runs if f"book/runs/{path.stem}.html" not in shown]
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    places = [re.escape(place).replace(r"\*", ".*") for place in re.findall(r"book/runs/(\S+)", toc)]
    files = [path.stem for path in (ROOT / "params").glob("*.yaml")]
    assert not [name for name in files if not any(re.fullmatch(place, name) for place in places)]


def test_notebook_pages_open_in_colab_and_offer_their_files(html: Path, soups: dict[str, BeautifulSoup]) -> None:
    for path in (html.parents[1] / "book" / "runs").glob("*.ipynb"):
        soup = soups[f"book/runs/{path.stem}.html"]
        bar = soup.select_one(".notebook-bar")
        assert bar is not None
        expected = f"{REPOSITORY.replace('https://github.com', '/github')}/blob/main/book/runs/{path.name}"
        assert bar.select_one("a.colab")["href"] == "https://colab.research.google.com" + expected
        files = {str(link["href"]).rsplit("/", 1)[1] for link in bar.select("a.download")}
        assert path.name in files
        table = html.parents[1] / "book" / "results" / f"{path.stem}.csv"
        assert (table.name in files) == table.exists()


def test_the_address_of_the_repository_is_the_one_of_the_configuration() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    names = listed.stdout.splitlines() if listed.returncode == 0 else []
    texts = [name for name in names if Path(name).suffix in {".md", ".py", ".ipynb", ".cff", ".toml", ".yml", ".yaml"}]
    if not texts:
        pytest.skip("not a git checkout")
    slug = REPOSITORY.removeprefix("https://github.com/")
    wrong = []
    for name in texts:
        content = (ROOT / name).read_text(encoding="utf-8") if (ROOT / name).exists() else ""
        addresses = re.findall(r"github(?:\.com)?/([\w.-]+/mtgcn)\b", content)
        wrong += [f"{name}: {address}" for address in addresses if address != slug]
    assert not wrong
    assert CONFIG["repository"]["path_to_book"] == ""


@pytest.mark.parametrize("chapter", ["add_task", "add_layer", "own_graph", "rerun"])
def test_the_examples_of_a_chapter_run(chapter: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mtgcn.model import layers, tasks

    monkeypatch.chdir(tmp_path)
    before = dict(tasks.TASKS), dict(layers.LAYERS)
    text = (ROOT / "book" / f"{chapter}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert blocks
    try:
        exec(compile("\n".join(blocks), f"book/{chapter}.md", "exec"), {"__name__": "example"})
    finally:
        for now, then in zip((tasks.TASKS, layers.LAYERS), before, strict=True):
            now.clear()
            now.update(then)


@pytest.mark.network
def test_the_example_of_the_readme_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    run = running.run
    small = {"dataset": "toy", "runs": 2, "epochs": 5}
    monkeypatch.setattr(running, "run", lambda parameters: run(parameters.model_copy(update=small), progress=False))
    (block,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(block, "README.md", "exec"), {})
    assert "AE" in capsys.readouterr().out


def test_the_references_name_every_parameter_command_and_option(soups: dict[str, BeautifulSoup]) -> None:
    article = soups["book/reference/parameters.html"].select_one("article").get_text().replace("’", "'")
    for model in (Parameters, *REMEDIES.values(), *(task.Parameters for task in TASKS.values())):
        for name, field in model.model_fields.items():
            assert name in article
            assert not field.description or field.description.split("|")[0][:30] in article
    app = typer.Typer()

    @app.command()
    def paint(wall: str, colour: str = typer.Option("red", help="What the wall becomes.")) -> None:
        """Paint a wall."""

    text = reference.commands(app)
    assert "## mtgcn paint\n\nPaint a wall." in text
    assert "mtgcn paint wall [options]" in text
    assert "`--colour`\n:   What the wall becomes. Default: `red`." in text
    commands = soups["book/reference/command_line.html"].select_one("article").get_text()
    assert "mtgcn data" in commands
    assert "--fetch" in commands


def test_the_contents_stand_in_the_order_written(html: Path) -> None:
    toc = YAML(typ="safe").load(ROOT / "_toc.yml")
    book = html.parents[1] / "book"
    there = [f"book/runs/{path.stem}" for path in (book / "runs").glob("*.ipynb")]
    there += [f"book/{path.stem}" for path in book.glob("*.md")]

    def by_number(name: str) -> str:
        return re.sub(r"\d+", lambda digits: digits[0].zfill(9), name)

    def walk(entries: list[dict]) -> list[str]:
        names = []
        for entry in entries:
            names += sorted(fnmatch.filter(there, entry["glob"]), key=by_number) if "glob" in entry else [entry["file"]]
            names += walk(entry.get("sections", []))
        return names

    written = [name for part in toc["parts"] for name in walk(part["chapters"])]
    assert len(written) > 15
    assert pages(html) == [f"{name}.html" for name in [toc["root"], *written]]


def test_runs_stand_in_the_order_of_their_numbers() -> None:
    names = ["cora-16", "cora-2", "cora-1", "cora-1-all", "citeseer-5"]
    assert sorted(names, key=transforms.natural_key) == ["citeseer-5", "cora-1", "cora-1-all", "cora-2", "cora-16"]


def test_docstrings_may_be_prose() -> None:
    lines = ["Return (runs, |rows|) of `x`, see ``a|b``."]
    transforms.plain_docstring(None, "", "", None, None, lines)  # type: ignore[arg-type]
    assert lines == [r"Return (runs, \|rows\|) of ``x``, see ``a|b``."]


class TestMathJax:
    def test_what_is_installed_is_what_the_pages_load(self, html: Path, soups: dict[str, BeautifulSoup]) -> None:
        (script,) = soups["book/paper.html"].select("script[src*=mathjax]")
        loaded, _ = resolve("book/paper.html", str(script["src"]))
        assert (html / loaded).read_bytes() == mathjax.installed().read_bytes()

    def test_a_damaged_copy_is_replaced(self, tmp_path: Path) -> None:
        target = tmp_path / "mathjax" / mathjax.NAME
        target.parent.mkdir()
        target.write_bytes(b"damaged")
        assert mathjax.ensure(tmp_path) == target
        assert target.read_bytes() == mathjax.installed().read_bytes()

    @pytest.mark.parametrize(("name", "value"), [("PACKAGE", "no-such-package"), ("NAME", "no-such-file.js")])
    def test_without_it_one_sentence_says_what_to_install_and_nothing_is_left(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
    ) -> None:
        monkeypatch.setattr(mathjax, name, value)
        with pytest.raises(MtgcnError, match=r"MathJax.*is not installed: pip install \S+ brings"):
            mathjax.ensure(tmp_path)
        assert not list(tmp_path.rglob("*.js"))


def test_minutes_are_counted_where_they_were_spent(tmp_path):
    rows = pd.DataFrame({"seed": [0, 1], "test_accuracy": [80.0, 81.0]})
    rows.assign(seconds=[30.0, 60.0]).to_csv(tmp_path / "cora-1.csv", index=False)
    rows.assign(seconds=[90.0, 90.0]).to_csv(tmp_path / "cora-2.csv", index=False)
    rows.assign(seconds=[6.0, 6.0]).to_csv(tmp_path / "a-study.csv", index=False)
    rows.to_csv(tmp_path / "tables.csv", index=False)  # gathers them
    assert html_tables.training_minutes(tmp_path).to_dict("records") == [
        {"page": "cora-1", "runs": 2, "minutes": 1.5},
        {"page": "cora-2", "runs": 2, "minutes": 3.0},
        {"page": "Tables 1 to 3", "runs": 4, "minutes": 4.5},
        {"page": "a-study", "runs": 2, "minutes": 0.2},
        {"page": "everything", "runs": 6, "minutes": 4.7},
    ]
    assert html_tables.training_minutes(tmp_path / "nothing").empty


def test_a_shared_page_has_a_description_and_a_picture(html: Path, soups: dict[str, BeautifulSoup]) -> None:
    for name in ["book/index.html", "book/paper.html", "book/runs/tables.html"]:
        tags = {tag.get("property") or tag.get("name"): tag["content"] for tag in soups[name].select("meta[content]")}
        assert 60 <= len(tags["description"]) <= 200
        assert tags["og:description"] == tags["description"]
        assert tags["og:title"] in soups[name].select_one("article h1").get_text()
        assert tags["og:url"] == CONFIG["html"]["baseurl"] + name
        picture = tags["og:image"].removeprefix(CONFIG["html"]["baseurl"])
        assert (html / picture).read_bytes().startswith(b"\x89PNG")
