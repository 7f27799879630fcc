"""Ways to make a page act for a student. Each calls ``canary('name')`` or asks for an address at canary.test."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

HOST = "https://canary.test"


@dataclass(frozen=True)
class Payload:
    """One way.

    Attributes:
        name: of the canary that sings.
        text: Markdown or HTML of a written answer; empty for one that needs an output or metadata.
        outputs: of a code cell.
        bare: whether it acts in a page that lets everything pass; some only fool a sanitiser, or a reader of formulas.
    """

    name: str
    text: str = ""
    outputs: tuple[dict[str, Any], ...] = ()
    bare: bool = True


def _b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


# {c} calls the canary, {e} is a picture that calls it, {u} is an address of its own, {b} a page that calls it, in base64
HTML = {
    "script": "<script>{c}</script>",
    "script-case": "<ScRiPt\n>{c}</sCrIpT >",
    "script-src": '<script src="{u}.js"></script>',
    "script-data": '<script src="data:text/javascript,{c}"></script>',
    "script-module": '<script type="module">{c}</script>',
    "script-import": '<script type="module">import "{u}.js"</script>',
    "img-onerror": '<img src="x" onerror="{c}">',
    "img-slashes": '<img/src="x"/onerror="{c}">',
    "img-open": '<p><img src="x" onerror="{c}" title="',
    "img-remote": '<img src="{u}.png">',
    "img-srcset": '<img srcset="{u}.png 1x">',
    "img-protocol-relative": '<img src="//canary.test/img-protocol-relative.png">',
    "picture-source": '<picture><source srcset="{u}.png"><img src=""></picture>',
    "svg-onload": '<svg onload="{c}"></svg>',
    "svg-script": "<svg><script>{c}</script></svg>",
    "svg-image": '<svg><image href="{u}.png" width="9" height="9"/></svg>',
    "svg-animate": '<svg><a><animate attributeName="href" values="javascript:{c}"/><text y="9">go</text></a></svg>',
    "svg-onbegin": '<svg><animate onbegin="{c}" attributeName="x" dur="1s"/></svg>',
    "svg-foreign": '<svg><foreignObject><img src="x" onerror="{c}"></foreignObject></svg>',
    "svg-feimage": '<svg width="9" height="9"><filter id="f"><feImage href="{u}.png"/></filter>'
    '<rect width="9" height="9" filter="url(#f)"/></svg>',
    "iframe-srcdoc": '<iframe srcdoc="<script>{c}</script>"></iframe>',
    "iframe-javascript": '<iframe src="javascript:parent.{c}"></iframe>',
    "iframe-data": '<iframe src="data:text/html;base64,{b}"></iframe>',
    "iframe-remote": '<iframe src="{u}.html"></iframe>',
    "object-data": '<object data="data:text/html;base64,{b}"></object>',
    "embed-data": '<embed src="data:text/html;base64,{b}">',
    "embed-remote": '<embed src="{u}.html" type="text/html">',
    "details": '<details open ontoggle="{c}"><summary>s</summary>t</details>',
    "autofocus": '<input autofocus onfocus="{c}">',
    "focus-any": '<xss tabindex="1" onfocus="{c}">x</xss>',
    "video": '<video><source onerror="{c}"></video>',
    "video-poster": '<video poster="{u}.png"></video>',
    "audio": '<audio src="x" onerror="{c}"></audio>',
    "body": '<body onpageshow="{c}">',
    "animation": '<style>@keyframes k {{ to {{ left: 0 }} }}</style><b style="animation: k 1ms" onanimationstart="{c}">b</b>',
    "mouse": '<div onmouseover="{c}">over</div>',
    "click": '<b onclick="{c}">click</b>',
    "link": '<a href="javascript:{c}">go</a>',
    "link-entity": '<a href="&#106;avascript&colon;{c}">go</a>',
    "link-tab": '<a href="java\tscript:{c}">go</a>',
    "link-ping": '<a href="#x" ping="{u}">go</a>',
    "form": '<form action="javascript:{c}"><button>go</button></form>',
    "form-remote": '<form action="{u}" target="_blank"><button>go</button></form>',
    "formaction": '<form><button formaction="javascript:{c}">go</button></form>',
    "input-image": '<input type="image" src="{u}.png">',
    "meta-refresh": '<meta http-equiv="refresh" content="0;url={u}.html">',
    "base": '<base href="https://canary.test/base/"><img src="x.png">',
    "link-style": '<link rel="stylesheet" href="{u}.css">',
    "link-prefetch": '<link rel="preload" as="image" href="{u}.png">',
    "style-import": '<style>@import "{u}.css";</style>',
    "style-attribute": '<div style="background: url({u}.png)">x</div>',
    "style-font": '<style>@font-face {{ font-family: f; src: url({u}.woff) }}</style><b style="font-family: f">x</b>',
    "table-background": '<table background="{u}.png"><tr><td>x</td></tr></table>',
    "shadow-root": '<div><template shadowrootmode="open"><img src="x" onerror="{c}"></template></div>',
    "popover": '<button popovertarget="pp">go</button><div popover id="pp" onbeforetoggle="{c}">x</div>',
    "comment": "<!--><script>{c}</script>-->",
    "cdata": "<![CDATA[><script>{c}</script>]]>",
    "processing": "<?xml ><script>{c}</script>?>",
    "textarea": "<textarea></textarea><script>{c}</script>",
    "title": "<title></title>{e}",
    "noscript": '<noscript><p title="</noscript><script>{c}</script>"></p></noscript>',
    "mutation-math": '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror={c}&gt;">',
    "mutation-svg": '<svg></p><style><a id="</style>{e}">',
    "mutation-form": "<form><math><mtext></form><form><mglyph><style></math>{e}",
}
SILENT = {"mutation-math", "mutation-form", "noscript"}  # act only behind a sanitiser that writes its HTML out wrongly

MARKDOWN = {
    "md-link": "[go](javascript:{c})",
    "md-link-entity": "[go](&#106;avascript&#58;{c})",
    "md-link-angle": "[go](<javascript:{c}>)",
    "md-link-case": "[go](JaVaScRiPt:{c})",
    "md-reference": "[go][r]\n\n[r]: javascript:{c}",
    "md-reference-newline": "[go][s]\n\n[s]:\n  javascript:{c}",
    "md-shortcut": "[t]\n\n[t]: javascript:{c} 'title'",
    "md-autolink": "<javascript:{c}>",
    "md-image": "![x]({u}.png)",
    "md-image-reference": "![x][q]\n\n[q]: {u}.png",
    "md-mermaid": "```mermaid\n</pre><script>{c}</script>\n```",
    "md-mermaid-tilde": "~~~ mermaid\n{e}\n~~~",
    "md-quote": "> {e}",
    "md-list": "- a\n\n  {e}",
    "md-table": "| a |\n|---|\n| {e} |",
    "md-lazy": "text\n    {e}",
    "md-fence-confusion": "~~~\n```\n~~~\n{e}\n```",
    "md-backtick-confusion": "`` ` {e} ``` x",
    "md-math-confusion": "\\$ {e} \\$",
    "md-title": '[go](https://example.org "x" onmouseover={c})',
    "md-math-html": "$</p>{e}$",
    "md-math-block": "$$\n{e}\n$$",
    "md-math-environment": "\\begin{{align}}<script>{c}</script>\\end{{align}}",
    "md-href": "$\\href{{javascript:{c}}}{{x}}$",
    "md-text": "$\\text{{<script>{c}</script>}}$",
    "md-unicode": "$\\unicode[{u}]{{x41}}$",
    "md-style": "$\\style{{background: url({u}.png)}}{{x}}$",
    "md-data": "[go](data:text/html;base64,{b})",
}
MD_SILENT = {
    "md-title",
    "md-href",
    "md-unicode",
    "md-style",
    "md-data",
}  # for readers of formulas and of links of their own


def _fill(name: str, text: str) -> str:
    call = f"canary('{name}')"
    return text.format(
        c=call, e=f'<img src=x onerror="{call}">', u=f"{HOST}/{name}", b=_b64(f"<script>{call}</script>")
    )


def _display(data: dict[str, Any], metadata: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"output_type": "display_data", "data": data, "metadata": metadata or {}}


def _outputs() -> list[Payload]:
    """Ways that need an output of a code cell."""
    made: dict[str, tuple[dict[str, Any], bool]] = {}
    script = {name: f"<script>canary('{name}')</script>" for name in (
        "out-html", "out-isolated", "out-svg", "out-markdown", "out-latex", "out-plain", "out-stream", "out-error", "out-png",
        "out-mermaid", "out-alt")}  # fmt: skip
    made["out-html"] = _display({"text/html": script["out-html"]}), True
    isolated = {"text/html": {"isolated": True}}
    made["out-isolated"] = _display({"text/html": script["out-isolated"]}, isolated), True
    made["out-svg"] = (
        _display({"image/svg+xml": f"<svg xmlns='http://www.w3.org/2000/svg'>{script['out-svg']}</svg>"}),
        False,
    )
    made["out-javascript"] = _display({"application/javascript": "canary('out-javascript')"}), True
    made["out-markdown"] = _display({"text/markdown": script["out-markdown"]}), True
    made["out-latex"] = _display({"text/latex": script["out-latex"]}), False
    made["out-mermaid"] = _display({"text/vnd.mermaid": f"</pre>{script['out-mermaid']}"}), False
    made["out-plain"] = _display({"text/plain": script["out-plain"]}), False
    png = f'iVBORw0KGgo=">{script["out-png"]}'
    made["out-png"] = _display({"image/png": png}), False
    alt = {"image/png": {"alt": f'">{script["out-alt"]}', "width": '1">' + script["out-alt"]}}
    made["out-alt"] = _display({"image/png": "iVBORw0KGgo="}, alt), False
    made["out-stream"] = (
        {"output_type": "stream", "name": "stdout", "text": script["out-stream"] + "\x1b[31mred"},
        False,
    )
    trace = [script["out-error"]]
    made["out-error"] = {"output_type": "error", "ename": trace[0], "evalue": trace[0], "traceback": trace}, False
    view = {"application/vnd.jupyter.widget-view+json": {"model_id": "</script><script>canary('out-widget')"}}
    made["out-widget"] = _display(view), False
    return [Payload(name, outputs=(output,), bare=bare) for name, (output, bare) in made.items()]


PAYLOADS = (
    *(Payload(name, _fill(name, text), bare=name not in SILENT) for name, text in HTML.items()),
    *(Payload(name, _fill(name, text), bare=name not in MD_SILENT) for name, text in MARKDOWN.items()),
    *_outputs(),
)


def in_outputs(one: Payload) -> list[dict[str, Any]]:
    """A payload as outputs of a code cell: its own, or its text in every type that a browser might draw."""
    if one.outputs:
        return list(one.outputs)
    kinds = ("text/html", "text/markdown", "text/latex", "image/svg+xml")
    return [_display({kind: one.text, "text/plain": one.text}) for kind in kinds]
