"""Parameter files become pages and tables; what is up to date is left alone."""

from pathlib import Path

import nbformat
import pytest
from papermill.engines import NotebookExecutionManager
from support import tiny_project as tiny

from mtgcn.errors import MtgcnError
from mtgcn.pipeline import execute


def page(project: tiny.Project, name: str) -> nbformat.NotebookNode:
    return nbformat.read(project.book.notebook(name), as_version=4)


@pytest.mark.slow
def test_a_run_becomes_a_page_and_a_table(tmp_path: Path) -> None:
    project = tiny.make(tmp_path, two="notebook: count\ntitle: Two rows\nrows: 2\n")
    failures, shown = tiny.run(project)
    assert failures == {}
    assert "two: running, page, cell 2 of 4: Count" in shown
    assert "two: done, stored" in shown
    assert project.book.file("two", "results.csv").read_text() == "row,share\n0,0.3333333333\n1,0.3333333333\n"
    assert sorted(tiny.tree(project.book.root)) == [
        "results/two.csv",
        "results/two/extra/numbers.csv",
        "runs/two.ipynb",
    ]

    notebook = page(project, "two")
    assert notebook.cells[0].source.splitlines()[0] == "# Two rows"
    assert notebook.cells[2].source == "# From params/two.yaml\nrows = 2"
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert outputs == [{"output_type": "stream", "name": "stdout", "text": "to stdout\n"}]
    stored = project.book.notebook("two").read_text()
    for unwanted in ("start_time", "iopub", '"papermill"', str(tmp_path)):
        assert unwanted not in stored


@pytest.mark.slow
def test_a_rerun_gives_the_same_bytes(tmp_path: Path) -> None:
    project = tiny.make(
        tmp_path, figure="notebook: draw\n", two="notebook: count\n", all="notebook: gather\nresults: [two]\n"
    )
    tiny.run(project)
    first = tiny.tree(project.book.root)
    assert b"image/svg+xml" in first["runs/figure.ipynb"]
    tiny.run(project, force=True)
    assert tiny.tree(project.book.root) == first


@pytest.mark.slow
def test_what_is_up_to_date_starts_no_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tiny.make(tmp_path, two="notebook: count\nrows: 2\n", three="notebook: count\nrows: 3\n")
    assert tiny.status(project) == {"three": ["missing"], "two": ["missing"]}
    tiny.run(project)
    assert tiny.status(project) == {"three": [], "two": []}
    monkeypatch.setattr(execute._Engine, "execute_managed_notebook", None)
    failures, shown = tiny.run(project, tiny.no_training)
    assert failures == {}
    assert shown.count("up to date") == 2


@pytest.mark.slow
def test_every_change_makes_just_its_page_stale(tmp_path: Path) -> None:
    project = tiny.make(
        tmp_path,
        own="notebook: count\n",
        two="notebook: count\nrows: 2\n",
        all="notebook: gather\nresults: ['t*']\n",
    )
    tiny.run(project)
    fresh: dict[str, list[str]] = {"own": [], "two": [], "all": []}
    assert tiny.status(project) == fresh

    tiny.write(tmp_path, "two", "notebook: count\nrows: 4\n")
    expected = {"two": ["parameters of the page changed"], "all": ["reads two, which has to be run"]}
    assert tiny.status(project) == fresh | expected
    tiny.write(tmp_path, "two", "# a remark\nrows: 2\nnotebook: count\n")
    assert tiny.status(project) == fresh

    for key in ("title", "answer"):
        tiny.write(tmp_path, "two", f"notebook: count\n{key}: Another\nrows: 2\n")
        assert tiny.status(project)["two"] == [f"{key} changed"]
    tiny.write(tmp_path, "two", "notebook: count\nrows: 2\n")

    source = tmp_path / "notebooks" / "gather.py"
    source.write_text(source.read_text() + "\n# one more line\n")
    assert tiny.status(project) == fresh | {"all": ["notebook changed"]}


@pytest.mark.slow
def test_the_answer_stands_under_the_title_before_any_code(tmp_path: Path) -> None:
    project = tiny.make(tmp_path, two="notebook: count\ntitle: Two\nanswer: There are two.\nrows: 2\n")
    tiny.run(project)
    assert page(project, "two").cells[0].source.startswith("# Two\n\n**There are two.**\n")


@pytest.mark.slow
def test_results_that_are_not_the_pages_own_are_stale(tmp_path: Path) -> None:
    project = tiny.make(tmp_path, two="notebook: count\nrows: 2\n")
    tiny.run(project)
    table = project.book.file("two", "results.csv")
    right = table.read_text()
    table.write_text(right.replace("0.3333333333", "0.9"))
    assert tiny.status(project) == {"two": ["two.csv is not the one of the page"]}
    table.unlink()
    assert tiny.status(project) == {"two": ["two.csv is not the one of the page"]}
    tiny.run(project)
    assert table.read_text() == right
    project.book.notebook("two").write_text("{ half")
    assert tiny.status(project) == {"two": ["missing"]}


@pytest.mark.slow
def test_files_of_an_earlier_run_go_with_it(tmp_path: Path) -> None:
    project = tiny.make(tmp_path, one="notebook: count\n")
    tiny.run(project)
    assert project.book.file("one", "extra/numbers.csv").exists()
    source = tmp_path / "notebooks" / "count.py"
    source.write_text(source.read_text().replace('stored.keep(table.describe(), "extra/numbers.csv")', ""))
    tiny.run(project)
    assert sorted(tiny.tree(project.book.root)) == ["results/one.csv", "runs/one.ipynb"]


@pytest.mark.slow
def test_notebooks_that_gather_come_last_and_follow_what_they_read(tmp_path: Path) -> None:
    project = tiny.make(
        tmp_path,
        a_all="notebook: gather\nresults: [z_two, 'b_*']\n",
        b_gathered="notebook: gather\nresults: [z_two]\n",
        z_two="notebook: count\nrows: 2\n",
    )
    assert list(tiny.status(project)) == ["z_two", "b_gathered", "a_all"]
    assert tiny.run(project)[0] == {}
    assert project.book.file("a_all", "results.csv").read_text() == "results,size\nb_gathered,1\nz_two,2\n"

    tiny.write(tmp_path, "z_two", "notebook: count\nrows: 5\n")
    assert tiny.run(project)[0] == {}
    assert project.book.file("b_gathered", "results.csv").read_text() == "results,size\nz_two,5\n"
    assert set(tiny.status(project)) == {"z_two", "b_gathered", "a_all"}
    assert not any(tiny.status(project).values())


@pytest.mark.slow
def test_a_notebook_that_reads_everything_does_not_read_itself(tmp_path: Path) -> None:
    project = tiny.make(tmp_path, everything="notebook: gather\nresults: ['*']\n", two="notebook: count\nrows: 2\n")
    for _ in range(2):
        tiny.run(project, force=True)
        assert project.book.file("everything", "results.csv").read_text() == "results,size\ntwo,2\n"
    assert tiny.status(project) == {"two": [], "everything": []}
    project.book.file("two", "extra/numbers.csv").write_text("changed\n")
    assert "results of two changed" in tiny.status(project)["everything"]


@pytest.mark.slow
def test_tables_in_a_folder_can_be_read_and_make_their_reader_stale(tmp_path: Path) -> None:
    project = tiny.make(tmp_path, chosen="notebook: gather\nresults: ['search/*']\n", two="notebook: count\nrows: 2\n")
    assert tiny.run(project)[0].keys() == {"chosen"}  # the notebook needs a row at least
    table = project.book.results / "search" / "cora-1.csv"
    table.parent.mkdir()
    table.write_text("x\n1\n2\n")
    tiny.run(project)
    assert project.book.file("chosen", "results.csv").read_text() == "results,size\nsearch/cora-1,2\n"
    assert tiny.status(project) == {"chosen": [], "two": []}
    table.write_text("x\n1\n3\n")
    assert tiny.status(project) == {"chosen": ["results of search/cora-1 changed"], "two": []}
    table.with_name("cora-2.csv").write_text("x\n")
    assert "results of search/cora-2 are new" in tiny.status(project)["chosen"]


@pytest.mark.slow
def test_results_that_are_not_there(tmp_path: Path) -> None:
    project = tiny.make(
        tmp_path,
        lost="notebook: gather\nresults: [nowhere]\n",
        none="notebook: gather\nresults: ['nowhere*']\n",
    )
    reasons = tiny.status(project)
    assert reasons["none"] == ["missing"]
    failures, _ = tiny.run(project)
    assert "there are no results called 'nowhere'" in failures["lost"].error


def test_runs_that_read_each_other_are_refused(tmp_path: Path) -> None:
    one, other = "notebook: gather\nresults: [other]\n", "notebook: gather\nresults: [one]\n"
    with pytest.raises(MtgcnError, match="read each other's results"):
        tiny.status(tiny.make(tmp_path, one=one, other=other))


@pytest.mark.slow
def test_a_failing_cell_stops_its_run_only(tmp_path: Path) -> None:
    project = tiny.make(
        tmp_path,
        a_broken="notebook: broken\n",
        b_good="notebook: count\n",
        c_reads="notebook: gather\nresults: [a_broken]\n",
        d_reads="notebook: gather\nresults: ['a_*']\n",
    )
    failures, shown = tiny.run(project)
    assert set(failures) == {"a_broken", "c_reads", "d_reads"}
    assert failures["a_broken"].error == "ZeroDivisionError: division by zero"
    assert failures["a_broken"].source == "1 / divisor"
    assert "a_broken: failed, cell 4: ZeroDivisionError" in shown
    assert all("reads the results of a_broken" in failures[name].error for name in ("c_reads", "d_reads"))
    left = nbformat.read(project.failed / "a_broken.ipynb", as_version=4)
    assert any(output.get("ename") == "ZeroDivisionError" for cell in left.cells for output in cell.get("outputs", []))
    assert sorted({Path(name).name for name in tiny.tree(project.book.root)}) == [
        "b_good.csv",
        "b_good.ipynb",
        "numbers.csv",
    ]


@pytest.mark.slow
def test_a_failure_leaves_the_stored_run_as_it_was(tmp_path: Path) -> None:
    project = tiny.make(tmp_path, it="notebook: broken\ndivisor: 1\n")
    assert tiny.run(project)[0] == {}
    before = tiny.tree(project.book.root)
    tiny.write(tmp_path, "it", "notebook: broken\ndivisor: 0\n")
    assert "it" in tiny.run(project)[0]
    assert tiny.tree(project.book.root) == before
    assert tiny.status(project) == {"it": ["parameters of the page changed"]}


@pytest.mark.slow
def test_other_values_make_a_trial_and_leave_the_book(tmp_path: Path) -> None:
    project = tiny.make(tmp_path, two="notebook: count\nrows: 2\n", all="notebook: gather\nresults: [two]\n")
    tiny.run(project)
    before = tiny.tree(project.book.root)
    tiny.run(project, overrides={("rows",): 6})
    assert (tmp_path / "trials" / "two" / "two.csv").read_text().count("\n") == 7
    assert tiny.tree(project.book.root) == before
    assert [path.name for path in (tmp_path / "trials").iterdir()] == ["two"]
    _, shown = tiny.run(project, tiny.no_training, overrides={("rows",): 6})
    assert "up to date" in shown
    with pytest.raises(MtgcnError, match="--set rws: there is no such parameter; did you mean 'rows'"):
        tiny.run(project, overrides={("rws",): 6})


def test_two_writers_keep_apart(tmp_path: Path) -> None:
    project = tiny.make(tmp_path, two="notebook: count\nrows: 2\n")
    with project.book.locked(), pytest.raises(MtgcnError, match="another mtgcn run is writing"):
        tiny.run(project)


@pytest.mark.slow
def test_a_kernel_that_dies_is_told(tmp_path: Path) -> None:
    project = tiny.make(tmp_path, it="notebook: dying\n")
    source = "# %% [markdown]\n# # Dying\n\n# %%\nimport os\nos._exit(9)\n"
    (tmp_path / "notebooks" / "dying.py").write_text(tiny.HEADER + source)
    failures, _ = tiny.run(project)
    assert "the kernel died" in failures["it"].error


@pytest.mark.slow
def test_a_kernel_that_does_not_start_is_told_and_others_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As nbclient does when a kernel does not answer in time, which happens on a busy machine."""
    project = tiny.make(tmp_path, a="notebook: count\n", b="notebook: count\n")
    really = execute._Engine.execute_managed_notebook

    def slow(nb_man: NotebookExecutionManager, *args: object, **options: object) -> None:
        if not project.failed.exists():  # the first one only
            project.failed.mkdir(parents=True)
            raise RuntimeError("Kernel didn't respond in 120 seconds")
        really(nb_man, *args, **options)

    monkeypatch.setattr(execute._Engine, "execute_managed_notebook", slow)
    failures, _ = tiny.run(project)
    assert {name: failure.error for name, failure in failures.items()} == {
        "a": "RuntimeError: Kernel didn't respond in 120 seconds"
    }
    assert project.book.notebook("b").exists()


@pytest.mark.slow
def test_kept_files_may_have_any_name(tmp_path: Path) -> None:
    project = tiny.make(tmp_path, it="notebook: names\n")
    source = "# %% [markdown]\n# # Names\n\n# %%\nfrom mtgcn.experiments import stored\n"
    source += 'stored.keep("x\\n1\\n", "results.csv")\nstored.keep("a", "notes")\nstored.keep("b", "v1.0/b.txt")\n'
    (tmp_path / "notebooks" / "names.py").write_text(tiny.HEADER + source)
    assert tiny.run(project)[0] == {}
    assert {project.book.file("it", name).read_text() for name in ("notes", "v1.0/b.txt")} == {"a", "b"}
