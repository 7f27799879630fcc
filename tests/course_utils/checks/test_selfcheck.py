"""The checker's comparisons, the local `student` and `handin`, forbidden names, and what a check prints."""

from __future__ import annotations

import contextlib
import json
import math
import sys
from collections import OrderedDict
from types import ModuleType

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from course_utils.checks import selfcheck
from course_utils.checks.answers import answer_module, answer_source, free_names
from course_utils.checks.compare import plain
from course_utils.checks.forbidden import refusal
from course_utils.checks.selfcheck import (
    Checker,
    CheckFailed,
    Handin,
    HandinError,
    StudentError,
    check,
    explain,
    forbidden_names,
    student,
)
from course_utils.errors import CourseError


def run_cell(text: str, names: dict) -> None:
    """Run a cell's text as a notebook would: with a file name that does not exist on disk."""
    exec(compile(text, "<cell 3>", "exec"), names)


@pytest.fixture
def cell(monkeypatch):
    """A fresh notebook namespace; returns a function that runs one cell's text in it."""
    main = ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.setattr(selfcheck, "_statuses", {})
    names = vars(main)
    names["In"] = []

    def run(text: str) -> None:
        names["In"].append(text)
        run_cell(text, names)

    return run


def sentence(action) -> str:
    with pytest.raises(CheckFailed) as caught:
        action()
    return str(caught.value)


class Liar(float):
    """Equals everything and is close to everything."""

    def __eq__(self, other):
        return True

    __hash__ = float.__hash__


def test_close_accepts_what_is_right():
    c = Checker("x", seed=1)
    c.close(2 / 3, 0.6666667, "hint")
    c.close(torch.tensor(0.5), 0.5, "hint")
    c.close(np.float32(0.5), 0.5, "hint")
    c.close(torch.ones(2, 3), np.ones((2, 3)), "hint")
    c.close([1.0, (2.0, 3.0)], ([1.0, [2.0, 3.0]]), "hint")
    c.close(torch.tensor([-math.inf, math.nan]), torch.tensor([-math.inf, math.nan]), "hint")
    c.close(torch.ones(2, dtype=torch.bfloat16), torch.ones(2), "hint")
    c.close(OrderedDict(a=torch.ones(1)), {"a": torch.ones(1)}, "hint")
    c.close(torch.nn.Parameter(torch.ones(2)), torch.ones(2), "hint")


@pytest.mark.parametrize(
    ("got", "want", "words"),
    [
        (torch.ones(2, 3), torch.ones(3, 2), "shape (2, 3) instead of (3, 2)"),
        (torch.ones(2, dtype=torch.int64), torch.ones(2), "whole numbers"),
        (torch.tensor([math.nan]), torch.ones(1), "NaN"),
        (torch.tensor([math.inf]), torch.ones(1), "infinity"),
        (math.nan, 1.0, "NaN"),
        (None, 1.0, "`return`"),
        ("1", 1.0, "text"),
        (True, 1.0, "bool"),
        ([1.0], [1.0, 2.0], "1 entries instead of 2"),
        ([1.0, None], [1.0, 2.0], "entry 1 of the result"),
        ({"a": 1}, {"b": 1}, "other keys"),
        (torch.ones(1), 1.0, "single number"),
    ],
)
def test_close_names_the_kind_of_difference_before_the_hint(got, want, words):
    text = sentence(lambda: Checker("x").close(got, want, "the hint"))
    assert words in text
    assert text.endswith("the hint")


def test_a_wrong_value_gives_the_hint_alone_and_never_the_value():
    assert sentence(lambda: Checker("x").close(0.25, 0.75, "divide by n")) == "divide by n"
    assert sentence(lambda: Checker("x").equal([1, 2], [1, 3], "sort them")) == "sort them"
    assert sentence(lambda: Checker("x").equal(math.nan, 3, "sort them")) == "the result is NaN; sort them"


def test_equal_is_exact_and_tells_bools_from_numbers():
    c = Checker("x")
    c.equal(2**70, 2**70, "h")
    c.equal((1, "a", None, b"b"), [1, "a", None, b"b"], "h")
    c.equal(torch.Size([2]), (2,), "h")
    for got, want in [(1, True), (True, 1), (2**70, 2**70 + 1), (1.0000001, 1.0), (b"a", "a")]:
        sentence(lambda got=got, want=want: c.equal(got, want, "h"))
    sentence(lambda: c.equal(torch.tensor([2**53 + 1]), torch.tensor([2**53]), "h"))


def test_a_lying_subclass_is_not_compared():
    class Bag(list):
        def __len__(self):
            return 2

    class Lie(torch.Tensor):
        pass

    for lie, want in [
        (Liar(3), 1.0),
        ([Liar(3)], [1.0]),
        (Bag([1]), [1]),
        (torch.ones(1).as_subclass(Lie), torch.ones(1)),
    ]:
        assert "cannot compare" in sentence(lambda lie=lie, want=want: Checker("x").close(lie, want, "h"))


def test_that_wants_one_yes_or_no():
    c = Checker("x")
    c.that(True, "h")
    c.that(np.bool_(True), "h")
    c.that(torch.tensor(True), "h")
    assert sentence(lambda: c.that(False, "look again")) == "look again"
    for vague in ([1], "yes", Liar(1), torch.tensor([True])):
        with pytest.raises(TypeError):
            c.that(vague, "h")


def test_credit_and_fails():
    c = Checker("x")
    assert c.fraction == 1
    c.credit(0.5)
    assert c.fraction == 0.5
    for bad in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match="share"):
            c.credit(bad)
    assert sentence(lambda: c.fails("too late")) == "too late"


def test_the_same_seed_draws_the_same():
    def draws(seed):
        c = Checker("x", seed)
        return c.rng.random(), c.np_rng.random(), torch.rand(1, generator=c.torch_rng).item()

    assert draws(5) == draws(5)
    assert len({*draws(5), *draws(6)}) == 6
    assert Checker("a").seed != Checker("b").seed


def test_plain_copies_and_keeps_the_gradient_flag():
    source = torch.ones(2, 2, requires_grad=True)
    copy = plain(source.t())
    assert copy.requires_grad and copy.is_leaf and copy.is_contiguous()
    with torch.no_grad():
        copy += 1
    assert source.sum() == 4
    nested: list = []
    nested.append(nested)
    assert "nested" in sentence(lambda: plain(nested))
    assert type(plain(np.str_("Oslo"))) is str and type(plain(np.float32(0.5))) is float


def test_student_gives_values_and_handles(cell):
    cell("import torch\nclass Box:\n    def __init__(self, n):\n        self.n = n\n        self.items = [1, 2]\n"
         "    def add(self, k):\n        return self.n + k\n    def __len__(self):\n        return 7\n"
         "    def __getitem__(self, i):\n        return i * 2\nLIMIT = 3\ndef total(box):\n    return box.n\n"
         "def spoil(x):\n    x += 1\n    return x\n")  # fmt: skip
    box = student.Box(4)
    assert (box.n, box.items, box.add(2), len(box), box[5], student.LIMIT) == (4, [1, 2], 6, 7, 10, 3)
    assert student.total(box) == 4
    assert student.map(student.total, [(box,), (student.Box(9),)]) == [4, 9]
    given = torch.zeros(2)
    assert student.spoil(given).sum() == 2 and given.sum() == 0
    assert student.has("total") and not student.has("nothing")
    with pytest.raises(TypeError, match="function"):
        student.total(lambda: 1)
    with pytest.raises(AttributeError):
        box.n = 5


def test_random_generators_go_on_drawing(cell):
    cell("def draw(rng):\n    return rng.random()\n")
    c = Checker("x", seed=3)
    assert student.draw(c.rng) != student.draw(c.rng)


def test_student_errors_carry_kind_and_line(cell):
    cell("import json\ndef f(x):\n    y = x\n    return json.loads(y)\ndef g():\n    raise SystemExit(1)\n")
    with pytest.raises(StudentError) as caught:
        student.f("{")
    assert (caught.value.kind, caught.value.line) == ("JSONDecodeError", 4)
    with pytest.raises(StudentError, match="SystemExit"):
        student.g()
    with pytest.raises(StudentError) as missing:
        student.h(1)
    assert missing.value.undefined and missing.value.unsolved


A, B = torch.ones(3, 4), torch.ones(3, 5)
LAYER = torch.nn.TransformerEncoderLayer(4, 2, 4)
MISFITS = {
    "product": lambda: A @ B,
    "matrix and vector": lambda: A @ torch.ones(3),
    "dot": lambda: torch.dot(torch.ones(3), torch.ones(4)),
    "sum": lambda: A + B,
    "view": lambda: A.view(5, 2),
    "einsum": lambda: torch.einsum("nd,nd->n", A, B),
    "batch": lambda: torch.bmm(torch.ones(2, 3, 4), torch.ones(3, 4, 5)),
    "cat": lambda: torch.cat([A, B]),
    "expand": lambda: A.expand(3, 5),
    "norm": lambda: torch.nn.LayerNorm(5)(A),
    "cross-entropy": lambda: torch.nn.functional.cross_entropy(A, torch.ones(5, dtype=torch.long)),
    "attention": lambda: torch.nn.functional.scaled_dot_product_attention(A, B, B),
    "batch_first": lambda: torch.nn.Transformer(4, 2, 1, 1, 4)(torch.ones(2, 3, 4), torch.ones(3, 5, 4)),
    "mask": lambda: LAYER(torch.ones(2, 7, 4), torch.zeros(7, 7)),
    "padding": lambda: LAYER(torch.ones(2, 7, 4), src_key_padding_mask=torch.zeros(2, 7)),
    "numpy sum": lambda: A.numpy() + B.numpy(),
    "numpy product": lambda: A.numpy() @ B.numpy(),
    "numpy dot": lambda: A.numpy().dot(B.numpy()),
}  # fmt: skip


def raising(text):
    """An exception in a student's own words."""
    yield from ()
    raise ValueError(text)


OTHERS = {
    "no number": lambda: float("x"),
    "two values": lambda: bool(A),
    "gradient": lambda: A.sum().backward(),
    "own words": lambda: next(raising("the first two must match, the others must be equal")),
    "unpacking": lambda: dict([(1, 2, 3)]),
}


@pytest.mark.parametrize("name", [*MISFITS, *OTHERS])
def test_shapes_that_do_not_fit_are_called_so(name):
    """torch's and numpy's own words, as this installation says them: a new version may word them otherwise."""
    with pytest.raises((RuntimeError, ValueError, AssertionError)) as caught:
        (MISFITS | OTHERS)[name]()
    told = explain(StudentError(caught.type.__name__, str(caught.value), 2))
    assert ("two shapes do not fit" in told) == (name in MISFITS), told


def test_a_check_prints_one_line_and_never_raises(cell, capsys):
    cell("def right():\n    return 1\ndef wrong():\n    return 2\ndef crash():\n    return 1 / 0\n"
         "def todo():\n    raise NotImplementedError\ndef nothing():\n    pass\n")  # fmt: skip
    for name in ("right", "wrong", "crash", "todo", "nothing", "absent"):
        with check(name) as c:
            c.equal(getattr(student, name)(), 1, "count again")
    with check("odd") as c:
        student.nothing()["key"]
    with check("half") as c:
        c.credit(0.5)
    assert capsys.readouterr().out.splitlines() == [
        "✓ right",
        "✗ wrong: count again",
        "✗ crash: your code raised ZeroDivisionError in line 6 of the cell with crash: division by zero",
        "… todo is not written yet; if you have written it, run its cell",
        "✗ nothing: the result is None, where a number is expected; without a `return` a function gives None; count again",
        "… absent: absent is not defined in this notebook yet: write the answer and run its cell",
        "✗ odd: the check cannot use what your code returned (TypeError: 'NoneType' object is not subscriptable)",
        "✓ half: 50% of the points",
    ]
    assert selfcheck.results()["right"] and not selfcheck.results()["wrong"]
    assert selfcheck.statuses()["todo"] == "unsolved"


def test_a_check_leaves_the_notebooks_names_as_they_were(cell, capsys):
    """Passed, failed or interrupted; what the block binds for the first time may stay."""
    cell(
        "from course_utils.checks.selfcheck import check, student\nvocab, c = 'the wiki', 3.0\ndef f():\n    return 1\n"
    )
    for ending in ("c.equal(student.f(), 1, 'hint')", "c.fails('no')", "raise KeyboardInterrupt"):
        block = f"with check('f') as c:\n    vocab, fresh = 'a tiny world', 1\n    {ending}\n"
        with contextlib.suppress(KeyboardInterrupt):
            cell(block)
        cell("seen = vocab, c, fresh\n")
        assert vars(sys.modules["__main__"])["seen"] == ("the wiki", 3.0, 1)
    assert capsys.readouterr().out.splitlines() == ["✓ f", "✗ f: no"]


def test_a_check_raises_where_silence_would_be_points(cell, monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    with pytest.raises(CheckFailed, match="not equal"), check("x") as c:
        c.fails("not equal")
    with pytest.raises(CheckFailed, match="not defined"), check("x"):
        student.missing()
    with check("y") as c:
        c.that(True, "h")


def test_an_interrupt_is_not_swallowed(cell):
    with pytest.raises(KeyboardInterrupt), check("x"):
        raise KeyboardInterrupt


def test_a_forbidden_name_fails_a_right_answer(cell, capsys):
    cell("import torch.nn.functional as F\n")
    cell("def attend(q):\n    return F.softmax(q, 0)\n")
    for names in (("softmax",), ("torch.nn.functional.scaled_dot_product_attention",)):
        with check("attend", forbid=names):
            student.attend(torch.ones(2))
    assert capsys.readouterr().out.splitlines() == [f"✗ attend: {refusal(['softmax'])}", "✓ attend"]


@pytest.mark.parametrize(
    "text",
    [
        "F.sdpa(q)",
        "from torch import sdpa as s",
        "getattr(F, 'sdpa')(q)",
        "sdpa(q)",
        "import sdpa.x",
        "%time\nsdpa()",
        "def f(:\n sdpa",
    ],
)
def test_forbidden_names_are_found(text):
    assert forbidden_names(text, ["sdpa", "other"]) == ["sdpa"]


def test_forbidden_names_are_not_found_in_comments_or_longer_words():
    assert forbidden_names("# no sdpa here\nmy_sdpa_2 = 'the sdpa is slow'\n", ["sdpa"]) == []


def test_free_names_follow_scopes():
    text = "import np\ndef f(a):\n    b = a + K\n    def g():\n        return b + H(b)\n    return [g() for _ in a]\n"
    assert free_names(text) == {"K", "H"}


CELLS = [
    "import numpy as np\nfrom pathlib import Path\nSCALE = 2.0\nbig = np.arange(3)\n",
    "def helper(x):\n    return np.abs(x) * SCALE\n",
    "def answer(x):\n    return 0\n",
    "import functools\n@functools.cache\ndef answer(x):\n    return helper(x)\n\nclass Net(dict):\n    size = 3\n",
    "def bad():\n    return big\n",
    "this does not parse",
]


def test_a_saved_module_holds_the_latest_answer_and_all_it_needs():
    text = answer_module(["answer", "Net"], CELLS)
    names: dict = {}
    exec(text, names)
    assert names["answer"](-3) == 6
    assert "pathlib" not in text and "big" not in text and names["Net"].size == 3
    assert text.count("def answer") == 1


def test_a_saved_module_refuses_what_it_cannot_hold():
    with pytest.raises(CourseError, match="bad uses the notebook's variable big"):
        answer_module(["bad"], CELLS)
    with pytest.raises(CourseError, match="absent is not defined"):
        answer_module(["absent"], CELLS)


def test_answer_source_takes_the_latest_definition():
    assert "cache" in answer_source(["answer"], CELLS) and "return 0" not in answer_source(["answer"], CELLS)


def test_handin_reads_plain_files(tmp_path):
    save_file({"w": torch.arange(3.0)}, tmp_path / "net.safetensors")
    (tmp_path / "out.txt").write_bytes("Oslo\r\nRom\n\nÅrhus\n".encode())
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "history.json").write_text(json.dumps({"loss": [1.0]}))
    files = Handin(tmp_path)
    assert files.weights("net")["w"].tolist() == [0, 1, 2]
    assert files.lines("out.txt") == ["Oslo", "Rom", "", "Århus"]
    assert files.lines("empty.txt") == []
    assert files.json("history.json") == {"loss": [1.0]}


def test_handin_says_what_is_wrong_in_one_sentence(tmp_path):
    (tmp_path / "cut.safetensors").write_bytes((200).to_bytes(8, "little") + b"{}")
    (tmp_path / "latin.txt").write_bytes(b"\xe5\xe4")
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "big.txt").write_text("x" * 2000)
    (tmp_path / "link.txt").symlink_to(tmp_path / "big.txt")
    files = Handin(tmp_path, max_bytes=300_000)
    small = Handin(tmp_path, max_bytes=1000)
    cases = [
        (lambda: files.weights("cut"), "safetensors"),
        (lambda: files.weights("none"), "missing"),
        (lambda: files.lines("latin.txt"), "UTF-8"),
        (lambda: files.json("bad.json"), "JSON"),
        (lambda: files.json("deep.json"), "JSON"),
        (lambda: small.lines("big.txt"), "larger"),
        (lambda: files.lines("link.txt"), "link"),
        (lambda: files.lines("../x.txt"), "plain file"),
        (lambda: Handin().lines("x.txt"), "first cell"),
    ]
    for action, word in cases:
        with pytest.raises(HandinError, match=word):
            action()


@pytest.mark.parametrize(
    "text", ["nn.Transformer(8)", "torch.ops.aten._scaled_dot_product_attention_math(q)", "flex_attention(q)"]
)
def test_a_forbidden_name_stands_for_what_contains_it(text):
    assert forbidden_names(text, ["F.scaled_dot_product_attention"]) == ["F.scaled_dot_product_attention"]
    assert forbidden_names("scaled_dot_product_attention_by_hand(q)", ["scaled_dot_product_attention"]) == []
    assert forbidden_names("nn.MultiheadAttention(8, 1)", ["TransformerEncoderLayer"]) == []
