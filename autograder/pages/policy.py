"""Content policies: what a browser may load and run on each kind of page. Everything else is forbidden."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from autograder.pages.marking import SCRIPT as MARKING

NEVER = "base-uri 'none'; form-action 'none'; object-src 'none'"
# a submitted file: no script, an origin of its own, nothing from elsewhere
FILE = f"sandbox; default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; {NEVER}"
# what a text draws stays in its own box, formulas that pretend to have no height included
INSIDE = ".jp-RenderedHTMLCommon, .rendered_html { overflow-x: auto; contain: paint; }"
SCRIPT = re.compile(r"<script(?P<about>[^>]*)>(?P<text>.*?)</script\s*>", re.S | re.I)
HANDLER = re.compile(r"\son\w+=\"([^\"{]*)\"", re.I)
VALUE = r'[^"\\<>\r\n]*'  # what a template may put between two quotation marks of a script


def hashed(text: str) -> str:
    """The source expression that allows exactly this script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def page_policy(styles: Iterable[str] = (), scripts: Iterable[str] = ()) -> str:
    """Policy of a report or feedback page: its own style sheets and scripts, pictures inside the page, nothing else.

    Style attributes are allowed for the widths of bars; sanitised student text has none.
    """
    sheets, code = (" ".join(map(hashed, texts)) or "'none'" for texts in (styles, scripts))
    style = f"style-src-elem {sheets}; style-src-attr 'unsafe-inline'"
    return f"default-src 'none'; script-src {code}; {style}; img-src data:; {NEVER}"


def static_page(page: str) -> str:
    """A page made by nbconvert, without its scripts and with a policy that allows none."""
    page = SCRIPT.sub("", page)
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; {NEVER}"
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}"><style>{INSIDE}</style>'
    return re.sub(r"<head[^>]*>", lambda found: found.group() + head, page, count=1)


def inline_scripts(page: str) -> list[str]:
    """Texts of the inline scripts of a page that a browser would run."""
    found = SCRIPT.finditer(page)
    return [m["text"] for m in found if "src=" not in m["about"] and not re.search("json|x-mathjax", m["about"])]


@functools.cache
def _templates() -> tuple[tuple[re.Pattern[str], ...], tuple[str, ...]]:
    """Patterns of nbgrader's own inline scripts, with placeholders for values, and its own event handlers."""
    from nbgrader.server_extensions.formgrader.handlers import template_path

    texts = [
        p.read_text(encoding="utf-8") for p in sorted(Path(template_path).rglob("*")) if p.suffix in (".tpl", ".j2")
    ]
    scripts = {script for text in texts for script in inline_scripts(text)}
    patterns = [re.sub(r"\\{\\{.*?\\}\\}", lambda _: VALUE, re.escape(script)) for script in sorted(scripts)]
    handlers = {handler for text in texts for handler in HANDLER.findall(text)}
    return tuple(re.compile(pattern) for pattern in patterns), tuple(sorted(handlers))


def formgrader_policy(page: str, place: str) -> str:
    """Policy of a page of the formgrader: nbgrader's script files, and the inline scripts of its templates.

    The first inline script that fits a template is allowed, since the page's head comes before any text of a student, and
    the course's own script beside rubrics.

    Args:
        page: the HTML that is sent.
        place: address of the formgrader, e.g. ``http://localhost:8888/formgrader``.
    """
    patterns, handlers = _templates()
    scripts = inline_scripts(page)
    own = [next((text for text in scripts if pattern.fullmatch(text)), None) for pattern in patterns]
    allowed = " ".join(hashed(text) for text in (*filter(None, own), *handlers, MARKING))
    return (
        f"default-src 'none'; script-src {place}/static/ 'unsafe-hashes' {allowed}; connect-src 'self'; "
        f"style-src {place}/static/ 'unsafe-inline'; font-src {place}/static/; img-src {place}/static/ data:; "
        f"frame-ancestors 'self'; {NEVER}"
    )


def lab_policy(page: str, origin: str) -> str:
    """Policy of JupyterLab's own pages: everything from this server, nothing from elsewhere.

    JupyterLab compiles the schemas of its settings, so it needs ``eval``. Scripts are loaded from its own folders only, so
    student files cannot be scripts.

    Args:
        origin: address of the server with its base, e.g. ``http://localhost:8888/``.
    """
    code = " ".join(hashed(text) for text in inline_scripts(page))
    folders = " ".join(f"{origin}{part}/" for part in ("static", "lab/extensions", "lab/static", "custom"))
    return (
        f"default-src 'self'; script-src {folders} {code} 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
        f"img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; "
        f"frame-src 'self' blob:; frame-ancestors 'self'; base-uri 'none'; form-action 'self'; object-src 'none'"
    )
