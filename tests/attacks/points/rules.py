"""Cheats on what a check cannot see in a result: forbidden functions, and arguments that are changed.

Each is a right answer to everything else that the check asks, so that only the rule stands between it and the point. The
control keeps the rule as graders usually do: the forbidden names are words of the answer cell, and an argument is copied in
the student's own process.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch

from autograder.intake.rebuild import read_notebook, rebuild
from autograder.judge.execute import execute
from autograder.records import Check
from tests.attacks import layers, toy
from tests.attacks.grading import TORCH
from tests.attacks.record import Attack, Trace, Wall

FORBID = ("scaled_dot_product_attention", "MultiheadAttention")
CHECKS = {
    "product": f"""
import torch
with check("product", forbid={FORBID!r}) as c:
    for _ in range(3):
        q, k, v = (torch.randn(1, 1, 4, 8, generator=c.torch_rng) for _ in range(3))
        want = (q @ k.transpose(-1, -2) / 8**0.5).softmax(-1) @ v
        c.close(student.product(q, k, v), want, "softmax of the scores, times the values", atol=1e-4)
""",
    "twice": """
import torch
with check("twice") as c:
    x = torch.randn(3, 4, generator=c.torch_rng)
    kept = student.keep(x)
    student.twice(kept)
    c.equal(student.fetch(kept), x, "leave the argument as it is")
    c.close(student.twice(x), x * 2, "return twice the argument")
""",
}
HONEST = {
    "product": "def product(q, k, v):\n    return (q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5).softmax(-1) @ v",
    "twice": "def twice(x):\n    return x * 2",
}
ATEN = "return torch.ops.aten.{}[0]"
ONE_HEAD = """
class Heads:
    def __call__(self, q, k, v):
        eye = torch.eye(8)
        with torch.no_grad():
            for name, p in self.attention.named_parameters():
                p.copy_(torch.zeros_like(p) if "bias" in name else torch.cat([eye] * (len(p) // 8)))
            return self.attention(q[0], k[0], v[0])[0][None]
heads = Heads()
"""
SEARCH = "next(f for n, f in sorted(vars(torch.nn.functional).items()) if n[:3] == 'sca' and n[-9:] == 'attention')"
FOUND = f"tools = [{SEARCH}]"
ENDED = "try:\n        torch._C._autograd.{}()\n    except RuntimeError:\n        pass\n    return tools[0](q, k, v)"
THREADS = """
import queue, threading
def elsewhere(function):
    done = []
    thread = threading.Thread(target=lambda: done.append(function()))
    thread.start()
    thread.join()
    return done[0]
asked, answers = queue.Queue(), queue.Queue()
def work():
    while True:
        answers.put(asked.get()())
threading.Thread(target=work, daemon=True).start()
def before(function):
    asked.put(function)
    return answers.get()
"""
FORBIDDEN = {
    "a kernel below torch.ops": ("", ATEN.format("_scaled_dot_product_flash_attention_for_cpu(q, k, v)")),
    "the plain form below torch.ops": ("", ATEN.format("_scaled_dot_product_attention_math(q, k, v)")),
    "a search for the name's ends": ("", f"return {SEARCH}(q, k, v)"),
    "the function taken out of a pickle": (
        "import pickle\nstored = b'ctorch.nn.functional\\nscaled_dot' + b'_product_' + b'attention\\n.'",
        "return pickle.loads(stored)(q, k, v)",
    ),
    "TorchScript from a text": (
        "text = 'def f(q, k, v):\\n  return torch._C._nn.' + ''.join(map(chr, [115, 99])) "
        "+ 'aled_dot_product_attention(q, k, v)\\n'",
        "return torch.jit.CompilationUnit(text).f(q, k, v)",
    ),
    "the attention of an encoder layer": (
        ONE_HEAD + "heads.attention = torch.nn.TransformerEncoderLayer(8, 1, 8, batch_first=True).eval().self_attn",
        "return heads(q, k, v)",
    ),
    "the attention of a whole Transformer": (
        ONE_HEAD
        + "whole = torch.nn.Transformer(8, 1, 1, 1, 8, batch_first=True).eval()\n"
        "heads.attention = whole.encoder.layers[0].self_attn",
        "return heads(q, k, v)",
    ),
    "the attention of a decoder layer": (
        ONE_HEAD + "heads.attention = torch.nn.TransformerDecoderLayer(8, 1, 8, batch_first=True).eval().self_attn",
        "return heads(q, k, v)",
    ),
    "flexible attention": (
        "from torch.nn.attention import flex_" + "attention as flexible",
        "return flexible.flex_attention(q, k, v)",
    ),
    "an alias in a list, from another cell": (
        "tools = [torch.nn.functional.scaled_dot_product_attention]",
        "return tools[0](q, k, v)",
    ),
    "a computed name below torch.ops, in a thread": (
        "import threading\n"
        "def name():\n    return bytes(c - 1 for c in b'`tdbmfe`epu`qspevdu`gmbti`buufoujpo`gps`dqv').decode()\n"
        "def helper(q, k, v):\n    out = []\n    run = lambda: out.append(getattr(torch.ops.aten, name())(q, k, v)[0])\n"
        "    thread = threading.Thread(target=run)\n    thread.start()\n    thread.join()\n    return out[0]",
        "return helper(q, k, v)",
    ),
    "a thread of its own": (FOUND + THREADS, "return elsewhere(lambda: tools[0](q, k, v))"),
    "a thread that was there before": (FOUND + THREADS, "return before(lambda: tools[0](q, k, v))"),
    "the function by a computed name, kept in a list": (
        FOUND,
        "return tools[0](q, k, v)",
    ),
    "a record that cannot be begun": (
        FOUND + "\ntorch.autograd.ProfilerConfig = None",
        "return tools[0](q, k, v)",
    ),
    "a record that is ended before its time": (FOUND, ENDED.format("_disable_profiler_legacy")),
    "a record of all threads that is ended before its time": (FOUND + THREADS, ENDED.format("_disable_profiler")),
    "an alias as a default value": (
        "def helper(q, k, v, f=torch.nn.functional.scaled_dot_product_attention):\n    return f(q, k, v)",
        "return helper(q, k, v)",
    ),
}  # fmt: skip

KEEP = "kept = {}\n"
CHANGED = {
    "copies that give what stood there before": (
        KEEP + "import copy\ncopy.deepcopy = copy.copy = lambda x, *_: [kept['x']] if type(x) is list else kept.get('x', x)",
        "kept['x'] = x.clone()\n    y = x.clone() * 2\n    x *= 2\n    return y",
    ),
    "a detach that gives what stood there before": (
        KEEP + "true = torch.Tensor.detach\ntorch.Tensor.detach = lambda t: true(kept['x'] if t is kept.get('t') else t)",
        "y = x * 2\n    kept.update(x=x.clone(), t=x)\n    x *= 2\n    return y",
    ),
    "a cpu that gives what stood there before": (
        KEEP + "true = torch.Tensor.cpu\ntorch.Tensor.cpu = lambda t: true(kept['x'] if t.data_ptr() == kept.get('p') else t)",
        "y = x * 2\n    kept.update(x=x.clone(), p=x.data_ptr())\n    x *= 2\n    return y",
    ),
    "a contiguous that gives what stood there before": (
        KEEP + "true = torch.Tensor.contiguous\n"
        "torch.Tensor.contiguous = lambda t, **_: true(kept['x'] if t.data_ptr() == kept.get('p') else t)",
        "y = x * 2\n    kept.update(x=x.clone(), p=x.data_ptr())\n    x *= 2\n    return y",
    ),
    "numbers that are handed out from before": (
        KEEP + "true = torch.Tensor.numpy\n"
        "torch.Tensor.numpy = lambda t, **_: true(kept['x'] if t.data_ptr() == kept.get('p') else t)",
        "y = x * 2\n    kept.update(x=x.clone(), p=x.data_ptr())\n    x *= 2\n    return y",
    ),
}  # fmt: skip


def answered(exercise: str, before: str, body: str) -> tuple[str, str]:
    """The extra cell and the answer cell of a cheat."""
    names = "q, k, v" if exercise == "product" else "x"
    return f"import torch\n{before}", f"def {exercise}({names}):\n    {body}"


def book(exercise: str, before: str, answer: str) -> dict[str, Any]:
    """A notebook of one exercise."""
    cells = [toy.code_cell("00-001", "import torch"), toy.code_cell("extra-1", before)]
    cells += [
        toy.code_cell(f"answer-{exercise}", answer),
        toy.code_cell(f"check-{exercise}", f"with check({exercise!r}) as c:\n    pass"),
    ]
    return toy.marked({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})  # fmt: skip


def strike(folder: Path, wall: Wall, exercise: str, before: str, body: str) -> Trace:
    """Points from our judge."""
    cell, answer = answered(exercise, before, body)
    empty = book(exercise, "", f"def {exercise}(*args):\n    raise NotImplementedError")
    empty["cells"] = [one for one in empty["cells"] if one["id"] != "extra-1"]
    made, notes = rebuild(empty, read_notebook(json.dumps(book(exercise, cell, answer)).encode(), "x.ipynb"), "x.ipynb")
    job = toy.job(folder, made, {exercise: Check(exercise, CHECKS[exercise], "", 1.0, 60.0)}, seed=None)
    with layers.standing(wall):
        result = execute(job, TORCH, cell_seconds=60.0)
    return Trace(result.points, len(result.verdicts), 1, bool(notes or result.notes))


def in_a_fork(earns: Callable[[], bool]) -> float:
    """Whether this is true, asked in a process of its own: what is patched in torch stays there."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if earns() else 1)
        finally:
            os._exit(1)
    return float(os.waitpid(child, 0)[1] == 0)


def control(folder: Path, exercise: str, before: str, body: str) -> float:
    """The point of a grader that keeps the rule by a search for words, or by a copy made in the student's process."""
    cell, answer = answered(exercise, before, body)
    if set(FORBID) & set(re.findall(r"\w+", answer)):
        return 0.0

    def earns() -> bool:
        names: dict[str, Any] = {}
        exec(cell, names)
        exec(answer, names)
        if exercise == "product":
            q, k, v = (torch.randn(1, 1, 4, 8) for _ in range(3))
            return torch.allclose(names["product"](q, k, v), (q @ k.mT / 8**0.5).softmax(-1) @ v, atol=1e-4)
        import copy

        x = torch.arange(12.0).reshape(3, 4)
        sent, got = x.tolist(), names["twice"](x)
        looks = (copy.deepcopy([x])[0].tolist(), x.detach().cpu().contiguous().numpy().tolist())
        after = sent if sent in looks else None
        return bool(after == sent and got.tolist() == [[2 * n for n in row] for row in sent])

    return in_a_fork(earns)


ATTACKS = [
    Attack(name, family, "points", partial(strike, exercise=exercise, before=before, body=body),
           partial(control, exercise=exercise, before=before, body=body), slow=True, layers=("filter",))
    for family, exercise, cheats in (("forbidden calls", "product", FORBIDDEN), ("changed arguments", "twice", CHANGED))
    for name, (before, body) in cheats.items()
]  # fmt: skip
