"""Directives of the book: tables from CSV files, and pages generated from the program."""

from pathlib import Path
from typing import ClassVar

import pandas as pd
from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from mtgcn.analysis import paper_tables
from mtgcn.analysis.table import Table
from mtgcn.book import contents, html_tables, reference, runs_index, verdict_strip


class ResultsTable(SphinxDirective):
    """``{results-table} results/x.csv``: a sortable table with the file to download under it.

    A file that is not there yet gives a note that says how it comes about (the directive's content).
    """

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"caption": directives.unchanged_required, "digits": directives.nonnegative_int}

    def run(self) -> list[nodes.Node]:
        """Return the table and its download link, or the note."""
        relative, absolute = self.env.relfn2path(self.arguments[0])
        self.env.note_dependency(absolute)
        if not Path(absolute).exists():
            return [_missing(self, relative)]
        data = pd.read_csv(absolute)
        table = html_tables.from_frame(data, self.options.get("digits", 2))
        table["classes"].append("has-file")
        return [html_tables.caption(self.options["caption"]), table, _download(self.arguments[0], self.env.docname)]


class PaperTable(SphinxDirective):
    """``{paper-table} 1``: a table as the paper prints it."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        number = int(self.arguments[0])
        return [html_tables.caption(f"Table {number} of the paper"), _table(paper_tables.printed(number))]


class Measured(SphinxDirective):
    """``{measured} results``: Table 1 as measured here beside the paper's, from the results in a folder.

    With ``:dataset: cora`` the columns are the depths at which that data set was run.
    """

    required_arguments = 1
    option_spec: ClassVar = {"dataset": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Return the table, or the note that there are no results yet."""
        relative, absolute = self.env.relfn2path(self.arguments[0])
        folder, dataset = Path(absolute), self.options.get("dataset")
        for path in folder.glob("*.csv"):
            self.env.note_dependency(str(path))
        self.env.note_reread()  # a new file is no dependency yet
        table = paper_tables.measured(paper_tables.runs_in(folder), dataset)
        if table.text.empty:
            return [_missing(self, f"{relative}/{dataset or 'cora'}-1.csv")]
        caption = f"Test accuracy on {dataset.capitalize()}" if dataset else "Test accuracy, one hidden layer"
        return [html_tables.caption(caption), _table(table)]


class Took(SphinxDirective):
    """``{took} results``: how long the training behind each page took, from the results in a folder."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the table, or the note that there are no results yet."""
        relative, absolute = self.env.relfn2path(self.arguments[0])
        self.env.note_reread()
        frame = html_tables.training_minutes(Path(absolute))
        if frame.empty:
            return [_missing(self, relative)]
        return [
            html_tables.caption("Minutes of training, on the machine that made this book"),
            html_tables.from_frame(frame, 1),
        ]


class RunsIndex(SphinxDirective):
    """``{runs-index} results``: every page that trained, with its runs, its time and its versions."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the table, or the note that there are no results yet."""
        relative, absolute = self.env.relfn2path(self.arguments[0])
        self.env.note_reread()
        trained = runs_index.pages(Path(absolute).parent)
        if not trained:
            return [_missing(self, relative)]
        return [runs_index.table(trained, self.env.docname)]


class When(SphinxDirective):
    """``{when} results/x.csv``: content that is shown once the file exists."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the parsed content, or nothing."""
        _, absolute = self.env.relfn2path(self.arguments[0])
        self.env.note_dependency(absolute)
        if not Path(absolute).exists():
            return []
        box = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, box)
        return box.children


class _Generated(SphinxDirective):
    """Markdown written by the program about itself."""

    def text(self) -> str:
        """Return the Markdown to show."""
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        """Return the parsed text."""
        box = nodes.section()
        box.document = self.state.document
        lines = StringList(self.text().splitlines(), source=self.env.docname)
        self.state.nested_parse(lines, 0, box, match_titles=True)
        return box.children


class ParametersReference(_Generated):
    """``{parameters-reference}``: every key of a parameter file, from the pydantic models."""

    def text(self) -> str:
        """Return the Markdown to show."""
        return reference.parameters()


class CommandLine(_Generated):
    """``{command-line}``: every command with its options, from the typer application."""

    def text(self) -> str:
        """Return the Markdown to show."""
        return reference.command_line()


def _table(table: Table) -> nodes.table:
    """Return ``table`` as docutils nodes; columns that stand below one head are lines of one cell, ours first."""
    shown = table.text.where(~table.bold, "**" + table.text + "**")
    lines: dict[str, list[pd.Series]] = {}
    for head, column in shown.items():
        upper, lower = head if isinstance(head, tuple) else (head, paper_tables.OUR.head)
        first = lower == paper_tables.OUR.head
        lines.setdefault(str(upper), []).append(column if first else f"{lower} " + column)
    cells = pd.DataFrame({head: ["\n".join(parts) for parts in zip(*own, strict=True)] for head, own in lines.items()})
    rows = [[str(name), *row] for name, row in zip(shown.index, cells.itertuples(index=False), strict=True)]
    return html_tables.build([str(table.text.columns.names[-1]), *cells], rows, [False, *(True for _ in cells)])


def _download(path: str, docname: str) -> nodes.paragraph:
    link = addnodes.download_reference(
        "", "", nodes.literal("", Path(path).name), reftarget=path, refdoc=docname, refexplicit=True
    )
    return nodes.paragraph("", "", nodes.Text("Download: "), link, classes=["download-line"])


def _missing(directive: SphinxDirective, relative: str) -> nodes.note:
    note = nodes.note(classes=["not-computed"])
    note += nodes.paragraph("", "", nodes.Text("Not computed yet: "), nodes.literal("", relative), nodes.Text("."))
    if directive.content:
        directive.state.nested_parse(directive.content, directive.content_offset, note)
    return note


ALL = {
    "results-table": ResultsTable,
    "paper-table": PaperTable,
    "measured": Measured,
    "took": Took,
    "runs-index": RunsIndex,
    "pages-by-part": contents.PagesByPart,
    "verdict-strip": verdict_strip.VerdictStrip,
    "when": When,
    "parameters-reference": ParametersReference,
    "command-line": CommandLine,
}
