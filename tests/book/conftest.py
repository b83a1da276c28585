"""One browser and one server for all tests of the built book in a process."""

import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.built_book import pages
from support.site import CHROMIUM, Site

from mtgcn.book import pdf


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, cut off: no name but this machine's resolves. A request that leaves fails, and is recorded besides."""
    playwright_api = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    rules = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
    with playwright_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=[*pdf.CHROMIUM_FLAGS, rules])
        yield started
        started.close()


@pytest.fixture(scope="session")
def server(html: Path) -> Iterator[str]:
    """The address of the book on a local server."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(html))) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


@pytest.fixture(params=["disk", "server"])
def site(request: pytest.FixtureRequest, browser: Any, html: Path) -> Iterator[Site]:
    """The book, once from disk and once from the server."""
    opened = Site(browser, html.as_uri() if request.param == "disk" else request.getfixturevalue("server"))
    yield opened
    opened.context.close()
    assert not opened.troubles


@pytest.fixture
def disk(browser: Any, html: Path) -> Iterator[Site]:
    """The book from disk."""
    opened = Site(browser, html.as_uri())
    yield opened
    opened.context.close()
    assert not opened.troubles


@pytest.fixture(scope="session")
def run_page(html: Path) -> str:
    """The first run page of the book."""
    return next(name for name in pages(html) if name.startswith("book/runs/cora-"))
