"""What folding costs: no text of a student makes the judge allocate or compute much, and none ends it with an exception."""

from __future__ import annotations

import ast
import base64
import bz2
import subprocess
import sys
import zlib

import pytest

from course_utils.checks.folding import ALL_EFFORT, Budget, Folder, Unknown
from course_utils.checks.forbidden import forbidden_names

PACKED = bz2.compress(bytes(10**9 // 10))
HEAVY = {
    "zfill": '"".zfill(4000000000)',
    "zfill of bytes": 'b"".zfill(4000000000)',
    "percent": '"%1999999999d" % 5',
    "percent with precision": '"%.1999999999f" % 5',
    "many widths": '"%9999999d%9999999d%9999999d%9999999d" % (1, 2, 3, 4)',
    "format": '"{:>2000000000}".format(1)',
    "format with a width as argument": '"{:{}}".format("x", 2000000000)',
    "format of other digits": '"{:>\\u0662000000000}".format(1)',
    "format many times": 'str("{0}" * 3000).format("x" * 9999)',
    "f-string": 'f"{1:2000000000}"',
    "f-string of many": "f\"{'x' * 9999}" + "{'x' * 9999}" * 900 + '"',
    "bz2": f"codecs.decode({PACKED!r}, 'bz2')",
    "zlib": f"codecs.decode(b64decode({base64.b64encode(zlib.compress(bytes(10**8)))!r}), 'zlib')",
    "tuple times": "(0,) * 10000 * 10000",
    "tuple in tuple": '"".join(("x" * 10000,) * 10000)',
    "bytes times": 'b"x" * 4000000000',
    "bytes of a number": "bytes(4000000000)",
    "map to bytes": "map(bytes, (9999,) * 10000)",
    "replace": '("a" * 10000).replace("a", "b" * 10000)',
    "replace nothing": '("a" * 10000).replace("", "b" * 10000)',
    "join": '("a" * 10000).join("b" * 10000)',
    "translate": '("\\0" * 10000).translate(("x" * 10000,))',
    "repr of nested tuples": "repr(" + "(" * 12 + '"x",' + ") * 10,".join([""] * 12) + ") * 10)",
    "ljust": '"".ljust(4000000000)',
    "rjust": '"".rjust(4000000000)',
    "center": '"".center(4000000000)',
    "expandtabs": '"\\t".expandtabs(4000000000)',
    "power": "10**10**9",
    "shift": "1 << 10**9",
    "loops": "[[1 for a in range(3000)] for b in range(3000)]",
    "loops of loops": "[[[[1 for a in range(99)] for b in range(99)] for c in range(99)] for d in range(99)]",
    "loop of texts": '["a" * 9999 for n in range(9999)]',
    "range": "range(10**22)",
    "range of a large literal": "range(10000000000000000000000)",
}
MEASURE = """
import ast, resource, sys, time
from course_utils.checks.folding import Folder, Unknown
tree = ast.parse(sys.stdin.read(), mode="eval").body
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.process_time()
try:
    Folder().value(tree)
    print("found")
except Unknown:
    print("unknown")
print(time.process_time() - start, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


@pytest.mark.parametrize("name", HEAVY)
def test_folding_needs_little_memory_and_time(name: str) -> None:
    found = subprocess.run(
        [sys.executable, "-c", "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (20, 20))\n" + MEASURE],
        input=HEAVY[name],
        capture_output=True,
        text=True,
        check=True,
    )
    result, seconds, mebibytes = found.stdout.split()
    assert result == "unknown" and float(seconds) < 2 and float(mebibytes) < 64


@pytest.mark.parametrize("name", HEAVY)
def test_a_heavy_expression_hides_no_name(name: str) -> None:
    answer = f"import codecs\nx = 1 if 0 else lambda: {HEAVY[name]}\ndef f(m):\n    return getattr(m, 'sd' + 'pa')"
    assert forbidden_names(answer, ["sdpa", "other"]) == ["sdpa"]


def test_many_heavy_expressions_hide_no_name() -> None:
    heavy = "\n".join(f"x{n} = [['a' * 9999 for a in range({n})] for b in range(3000)]" for n in range(60))
    spelled = ", ".join(str(ord(letter)) for letter in "scaled_dot_product_attention")
    answer = f"def f(m):\n    return getattr(m, ''.join(chr(n) for n in ({spelled})))"
    assert forbidden_names(answer + "\n" + heavy, ["scaled_dot_product_attention"]) == ["scaled_dot_product_attention"]
    budget = Budget(-1)
    with pytest.raises(Unknown):
        Folder(budget=budget).value(ast.parse("'a' * 2000", mode="eval").body)
    assert Folder(budget=budget).text(ast.parse("'sd' + 'pa'", mode="eval").body) == "sdpa"


def test_texts_that_make_much_code_are_read_in_a_bounded_time() -> None:
    many = "\n".join(f"x{n} = 'a{n}+' * 700 + '1'" for n in range(3000))
    script = "import resource, sys\nresource.setrlimit(resource.RLIMIT_CPU, (30, 30))\n"
    script += (
        "from course_utils.checks.forbidden import forbidden_names\nprint(forbidden_names(sys.stdin.read(), ['sdpa']))"
    )
    answer = many + "\nexec('x = F.sd' + 'pa')"
    found = subprocess.run([sys.executable, "-c", script], input=answer, capture_output=True, text=True, check=False)
    assert found.stdout == "['sdpa']\n"


def test_all_folders_of_an_answer_share_one_budget() -> None:
    budget, heavy = Budget(), ast.parse("['a' * 9999 for n in range(9999)]", mode="eval").body
    for _ in range(200):
        with pytest.raises(Unknown):
            Folder(budget=budget).value(heavy)
    assert budget.left > -ALL_EFFORT  # without the bound, 200 times the effort for one expression


@pytest.mark.parametrize(
    "text", ["range(10**22)", "range(10000000000000000000000)", "+".join("1" * 600), "~" * 600 + "1"]
)
def test_a_right_answer_with_such_text_is_judged(text: str) -> None:
    assert forbidden_names(f"def f():\n    return g\nx = {text}", ["sdpa"], [f"g = {text}"]) == []
    assert forbidden_names(f"def f():\n    return g\nx = {text}", ["sdpa"], [f"g = {text} + m.sdpa"]) == ["sdpa"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('codecs.decode("fqcn", "rot13")', "sdpa"),
        ('codecs.decode(b"73647061", "hex").decode()', "sdpa"),
        ('codecs.decode(b"c2RwYQ==", "base64").decode()', "sdpa"),
        ('codecs.decode(b"sdpa", "utf-8")', "sdpa"),
        ('codecs.decode(b"sdpa")', "sdpa"),
        ('b"+AHM-dpa".decode("utf-7")', "sdpa"),
        ('"{1}{0:>3}".format("pa", "sd")', "sd pa"),
        ('"{0[1]}{1!r:{2}}".format("xs", "d", 4)', "s'd' "),
        ('"%2s%%%r" % ("a", 1)', " a%1"),
        ('"a".zfill(3)', "00a"),
        ('"".join("sdpa" for n in range(2000))', "sdpa" * 2000),
        ('str("b" * 9999).replace("b", "")', ""),
        ('"sdpa".translate(tuple(range(200)))', "sdpa"),
        ('"".join(reversed(tuple("apds" * 2500)))', "sdpa" * 2500),
        ("str(tuple(range(1000)))", str(tuple(range(1000)))),
    ],
)
def test_what_is_small_is_folded(text: str, value: str) -> None:
    assert Folder().value(ast.parse(text, mode="eval").body) == value


def test_loops_leave_names_as_they_were() -> None:
    folder = Folder({"n": "sdpa"})
    assert folder.value(ast.parse("[n for n in (1, 2)]", mode="eval").body) == (1, 2)
    assert folder.known == {"n": "sdpa"}
