"""``{pages-by-part}``: every part of the book with links to its pages, in the order of ``_toc.yml``."""

from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective
from sphinx.util.matching import patmatch

from mtgcn.book.transforms import natural_key


class PagesByPart(SphinxDirective):
    """A definition list: the name of a part, then its pages. Pages below another page are left to that page."""

    def run(self) -> list[nodes.Node]:
        """Return the list."""
        self.env.note_reread()  # pages come and go
        site_map = self.config.external_site_map
        listed = nodes.definition_list()
        for tree in site_map.root.subtrees:
            names = [name for item in tree.items for name in found(str(item), self.env.found_docs)]
            if names:
                listed += nodes.definition_list_item(
                    "",
                    nodes.term("", tree.caption or "Pages"),
                    nodes.definition("", nodes.paragraph("", "", *_links(names, self.env.docname))),
                )
        return [listed]


def found(item: str, documents: set[str]) -> list[str]:
    """Return the documents that a file name or a pattern of ``_toc.yml`` stands for, cora-2 before cora-16."""
    return sorted((name for name in documents if patmatch(name, item)), key=natural_key)


def _links(names: list[str], docname: str) -> list[nodes.Node]:
    """Return links with the titles of their pages, a separator between two."""
    parts: list[nodes.Node] = []
    for name in names:
        link: Any = addnodes.pending_xref(
            "", refdomain="std", reftype="doc", reftarget=f"/{name}", refdoc=docname, refexplicit=False, refwarn=True
        )
        link += nodes.inline("", name, classes=["doc"])
        parts += [nodes.Text(" · ")] if parts else []
        parts.append(link)
    return parts
