"""The built book in Chromium: a window that keeps every trouble, and what to look for on a page."""

import shutil
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# Elements with TeX in them, and those that MathJax has drawn.
UNDRAWN = "[...document.querySelectorAll('.bd-article .math')].filter(e => !e.querySelector('mjx-container')).length"
STILL = "*, *::before, *::after { transition: none !important; animation: none !important; }"


class Site:
    """The book at one address in one browser window, and everything that goes wrong there."""

    def __init__(self, browser: Any, address: str, width: int = 1280, scheme: str = "light") -> None:
        self.address, self.scheme, self.troubles = address, scheme, []
        self.context = browser.new_context(
            viewport={"width": width, "height": 900},
            accept_downloads=True,
            color_scheme=scheme,
            reduced_motion="reduce",
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(300_000)  # a busy machine is slow, not wrong
        self.page.on("console", lambda m: m.type == "error" and self.troubles.append(f"console: {m.text}"))
        self.page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        self.page.on("requestfailed", self._failed)
        self.page.on("response", lambda r: r.status >= 400 and self.troubles.append(f"{r.status}: {r.url}"))
        self.page.on("request", self._leaving)

    def _leaving(self, request: Any) -> None:
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.troubles.append(f"left the machine: {request.url}")

    def _failed(self, request: Any) -> None:
        # Chromium aborts a page load that turns out to be a download, and what it waits for when a page is left. A
        # file that is not there fails with another word.
        if request.failure != "net::ERR_ABORTED":
            self.troubles.append(f"failed: {request.url}")

    def open(self, name: str) -> Any:
        """Open a page and wait until its equations are drawn."""
        self.page.goto(f"{self.address}/{name}", wait_until="load")
        self.page.wait_for_function(f"{UNDRAWN} === 0")
        return self.page

    def open_still(self, name: str) -> Any:
        """Open a page and wait until nothing on it moves any more: colours, sizes, equations and pictures are final."""
        page = self.open(name)
        page.wait_for_function(f"document.documentElement.dataset.theme === '{self.scheme}'")
        page.add_style_tag(content=STILL)  # what is on its way to a colour is there at once
        page.wait_for_function("document.getAnimations().every(one => one.playState !== 'running')")
        page.wait_for_function("[...document.images].every(image => image.complete)")
        self.settle()
        return page

    def settle(self) -> None:
        """Wait until what a change of the page or of its size brings about is drawn."""
        self.page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
