"""A transform of the instructor's Jupyter server, which gives every response the content policy of its kind of page."""

from __future__ import annotations

from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.web import OutputTransform

from autograder.pages.policy import FILE, formgrader_policy, lab_policy

OWN_PAGES = ("lab", "doc", "login", "logout", "tree")  # Jupyter's own pages, whose HTML has no text of a student


def policy_for(path: str, page: str, origin: str) -> str:
    """The content policy of a response.

    Args:
        path: below the server's base address, without a slash in front.
        page: the HTML that is sent; empty for anything else.
        origin: address of the server with its base, ends in a slash.
    """
    first, _, rest = path.partition("/")
    handed_in = first == "formgrader" and rest.startswith("submissions/") and len(rest.rstrip("/").split("/")) > 2
    if first in ("files", "nbconvert", "view") or handed_in:
        return FILE
    if first == "formgrader":
        return formgrader_policy(page, origin + "formgrader")
    return lab_policy(page if first in OWN_PAGES else "", origin)


class ContentPolicy(OutputTransform):
    """A transform that puts the policy into the headers of one response."""

    def __init__(self, request: HTTPServerRequest) -> None:
        from jupyter_server.serverapp import ServerApp

        base = ServerApp.instance().base_url if ServerApp.initialized() else "/"
        self.path = request.path.removeprefix(base).lstrip("/")
        self.origin = f"{request.protocol}://{request.host}{base}"

    def transform_first_chunk(
        self,
        status_code: int,
        headers: HTTPHeaders,
        chunk: bytes,
        finishing: bool,  # noqa: FBT001  # tornado calls it
    ) -> tuple[int, HTTPHeaders, bytes]:
        """The response with the course's policy in place of Jupyter's."""
        is_page = headers.get("Content-Type", "").startswith("text/html")
        page = chunk.decode("utf-8", "replace") if is_page and isinstance(chunk, bytes) else ""
        headers["Content-Security-Policy"] = policy_for(self.path, page, self.origin)
        headers["Referrer-Policy"] = "no-referrer"
        headers["X-Content-Type-Options"] = "nosniff"
        return status_code, headers, chunk
