"""Names lead nowhere else: to notebooks in their folder, to results of that very name."""

import json
from pathlib import Path

import pytest
from support import tiny_project as tiny

from mtgcn.errors import MtgcnError
from mtgcn.pipeline import pages, states
from mtgcn.pipeline.search import Search
from mtgcn.pipeline.store import Store


@pytest.mark.parametrize(
    "outside", ["../elsewhere/x", "sub/x", "/{root}/elsewhere/x", "../notebooks/count", "", ".", "a\0b"]
)
def test_a_notebook_is_one_of_the_folder(tmp_path: Path, outside: str) -> None:
    name = outside.format(root=tmp_path)
    project = tiny.make(tmp_path, a="notebook: " + json.dumps(name) + "\n")
    for folder in (tmp_path / "elsewhere", project.notebooks / "sub"):
        folder.mkdir()
        (folder / "x.py").write_text(tiny.HEADER + tiny.COUNT)
    with pytest.raises(MtgcnError, match=r"a\.yaml:1: .*there is no notebook"):
        pages.plan(project, [])


@pytest.mark.parametrize("stem", [".", "..", ". ", "-x", "a b", "a.", "a\nb", "a.draft", "é" * 51, "x" * 240])
def test_a_name_that_results_cannot_have(tmp_path: Path, stem: str) -> None:
    project = tiny.make(tmp_path)
    path = project.root / "params" / f"{stem}.yaml"
    path.write_text("notebook: count\n")
    with pytest.raises(MtgcnError, match="results go by the name of the file"):
        pages.plan(project, [path])
    with pytest.raises(MtgcnError, match="results go by the name of the file"):
        Search.of(path, project.root)


@pytest.mark.parametrize("stem", ["cora-1", "pubmed-1.5", "AE+FR", "größe", "2_b"])
def test_names_that_results_can_have(tmp_path: Path, stem: str) -> None:
    project = tiny.make(tmp_path, **{stem: "notebook: count\n"})
    assert [page.name for page in pages.plan(project, [])] == [stem]


def stored_page(files: dict[str, str]) -> str:
    return json.dumps({"metadata": {"mtgcn": {"files": files}}})


def test_what_a_record_names_outside_is_not_removed(tmp_path: Path) -> None:
    store = Store.book(tmp_path / "book")
    precious = [tmp_path / "precious", store.root / "index.md", store.results / "other.csv", store.results / "x2" / "y"]
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "z").write_text("precious")
    with store.locked():
        store.put_page("x", stored_page({"a.txt": ""}), {"a.txt": b"old"})
        (store.results / "x" / "link").symlink_to(tmp_path / "elsewhere")
        for path in precious:
            path.parent.mkdir(exist_ok=True)
            path.write_text("precious")
        names = ["../../../precious", str(precious[0]), "../../index.md", "../other.csv", "../x2/y", "link/z"]
        store.notebook("x").write_text(stored_page(dict.fromkeys(["a.txt", *names], "")))
        store.put_page("x", stored_page({}), {})
    assert [path.read_text() for path in precious] == ["precious"] * 4
    assert (tmp_path / "elsewhere" / "z").read_text() == "precious"
    assert not (store.results / "x" / "a.txt").exists()


@pytest.mark.parametrize("kept", ["../other.csv", "../../index.md", "/tmp/mtgcn-precious"])
def test_what_is_kept_outside_is_not_written(tmp_path: Path, kept: str) -> None:
    store = Store.book(tmp_path / "book")
    with store.locked(), pytest.raises(MtgcnError, match="is not among the results of x"):
        store.put_page("x", stored_page({}), {kept: b"wrong"})
    assert tiny.tree(tmp_path) == {}


@pytest.mark.parametrize(
    "plan", ["", "[]", "{}", '{"targets": {"0": "../../x"}, "gone": []}', '{"targets": {}, "gone": ["/etc/x"]}', "\0"]
)
def test_a_plan_that_this_program_did_not_write(tmp_path: Path, plan: str) -> None:
    store = Store.book(tmp_path / "book")
    left = store.root / ".pending" / "x"
    left.mkdir(parents=True)
    (left / "targets.json").write_text(plan)
    (left / "0").write_text("wrong")
    with pytest.raises(MtgcnError, match=r"targets\.json is not what mtgcn writes there"), store.locked():
        pass
    assert not (tmp_path.parent / "x").exists()
    assert states.states([]) == {}
