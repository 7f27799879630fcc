"""A headless Chromium that writes down whatever a page does that it should not."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

LOCAL = ("", "127.0.0.1", "localhost")
PATIENCE = 180_000  # milliseconds: a busy machine must decide nothing
# Everything a person could do with the mouse and the keyboard, to all that stands in the page. Links and buttons that belong to
# nbgrader are left alone: they lead away.
TOUCH = """() => {
  const theirs = document.querySelector('#notebook, main, .jp-Notebook') || document;
  for (const one of theirs.querySelectorAll('*')) {
    for (const kind of ['mouseover', 'mouseenter', 'pointerover', 'focus', 'keydown', 'animationend'])
      one.dispatchEvent(new Event(kind, {bubbles: true}));
    try { if (one.focus) one.focus(); } catch (error) {}
    const link = one.closest('a');
    const honest = link && /^(https|http|file):/.test(link.href || '') && !link.ping;
    const nbgrader = one.closest('.scoring-buttons, .navbar, .panel-heading');
    if (honest || nbgrader) continue;
    try { one.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true})); } catch (error) {}
  }
}"""


def chromium() -> str:
    """Path of the system's browser; empty if there is none."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), "")


@dataclass
class Seen:
    """What pages did: canaries that sang, addresses elsewhere that were asked for, dialogs, popups, errors of scripts."""

    canaries: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    other: list[str] = field(default_factory=list)
    blocked: list[str] = field(default_factory=list)

    @property
    def names(self) -> set[str]:
        """Payloads that acted."""
        asked = {
            urlsplit(url).path.strip("/").split("/")[0].split(".")[0] for url in self.asked if "//canary.test" in url
        }
        return self.canaries | asked

    @property
    def count(self) -> int:
        """How many things happened that must not."""
        return len(self.canaries) + len(self.asked) + len(self.other)


class Watch:
    """One browser context; ``visit`` opens pages in it and returns what they did."""

    def __init__(self, context: Any) -> None:
        self.context, self.seen = context, Seen()
        context.set_default_timeout(PATIENCE)
        context.expose_binding("canary", lambda _, name="?": self.seen.canaries.add(str(name)))
        context.route(lambda url: urlsplit(url).hostname not in (None, *LOCAL), self._elsewhere)
        context.on("page", self._watch)
        self.page = context.new_page()

    def _elsewhere(self, route: Any) -> None:
        url = route.request.url
        self.seen.asked.add(url)
        name = urlsplit(url).path.strip("/").split(".")[0]
        kind = "text/javascript" if url.endswith(".js") else "text/html"
        route.fulfill(body=f"canary(`{name}`)" if url.endswith(".js") else "", content_type=kind,
                      headers={"Access-Control-Allow-Origin": "*"})  # fmt: skip

    def _watch(self, page: Any) -> None:
        if getattr(self, "page", None) is not None:
            self.seen.other.append(f"popup {page.url}")
        page.on("dialog", self._dialog)
        page.on("console", self._console)

    def _dialog(self, dialog: Any) -> None:
        if dialog.type == "beforeunload":  # JupyterLab asks whether to leave a notebook
            dialog.accept()
            return
        self.seen.other.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def _console(self, message: Any) -> None:
        if re.search("Content Security Policy|Content-Security-Policy|violates", message.text):
            self.seen.blocked.append(message.text)

    def runs(self, name: str, page: str) -> bool:
        """Whether a payload acts in a page, which is served from a local address; waits for it for ten seconds at most."""
        address = f"http://localhost:9/{name}.html"
        self.page.route(address, lambda route: route.fulfill(body=page, content_type="text/html"))
        self.visit(address, wait=0.02)
        for _ in range(200):
            if name in self.seen.names:
                return True
            self.page.wait_for_timeout(50)
        return False

    def visit(self, url: str, wait: float = 0.15) -> Seen:
        """Open a page, touch everything in it, and tell what it did. Times in seconds."""
        self.seen = Seen()
        try:
            # Jupyter gives a file only to a page of its own
            self.page.goto(url, wait_until="load", referer=url)
            self.page.wait_for_timeout(1000 * wait)
            self.page.evaluate(TOUCH)
            self.page.wait_for_timeout(1000 * wait)
        except Exception as error:  # a payload of a control that leads away ends the evaluation
            if "navigat" not in str(error) and "destroyed" not in str(error):
                raise
            self.page.wait_for_timeout(1000 * wait)
        if not self.page.url.startswith(url.split("?")[0].split("#")[0][:20]):
            self.seen.other.append(f"went to {self.page.url}")
        return self.seen


def settled(page: Any) -> None:
    """Wait until nbgrader has filled the fields: their values come after the page, by requests of its scripts."""
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(500)


@contextmanager
def watching(**options: Any) -> Iterator[Watch]:
    """A fresh browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as tool:
        # containers run as root, where Chromium's own sandbox refuses; the pages are our own tests
        browser = tool.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        try:
            yield Watch(browser.new_context(viewport={"width": 1280, "height": 900}, **options))
        finally:
            browser.close()
