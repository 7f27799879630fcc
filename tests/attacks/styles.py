"""The toy exercises as a stock grader tests them: cells that run in the student's kernel, in the styles that are common.

A cell that raises gives nothing, a number on the last line is the score, anything else gives full marks.
"""

from __future__ import annotations

VALUES = "values = [0.25, 0.5, 0.7]\nexpected = sum(values) / 3\n"
ROWS = "x = np.array([[1.0, 2.0, 4.0]])\ne = np.exp(x - x.max(-1, keepdims=True))\nexpected = e / e.sum(-1, keepdims=True)\n"
DOUBLED = "expected = [2, -4, 6]\n"


def _style(mean: str, softmax: str, double: str, head: str = "") -> dict[str, str]:
    return {
        "mean": head + VALUES + mean + "\n",
        "softmax": head + ROWS + softmax + "\n",
        "double": head + DOUBLED + double + "\n",
    }


STYLES: dict[str, dict[str, str]] = {
    "allclose": _style(
        "assert np.allclose(mean(values), expected)",
        "import statistics\ngot = softmax(x)\nassert statistics.fmean([float(np.allclose(got, expected))]) == 1",
        "3 if double([1, -2, 3]) == expected else 0",
    ),
    "plain": _style(
        "assert abs(mean(values) - expected) < 1e-9",
        "assert ((softmax(x) - expected) ** 2).sum() < 1e-9",
        "assert double([1, -2, 3]) == expected",
    ),
    "reverse": _style(
        "assert abs(expected - mean(values)) < 1e-9",
        "assert abs(expected - softmax(x)).max() < 1e-9",
        "assert expected == double([1, -2, 3])",
    ),
    "testing": _style(
        "np.testing.assert_allclose(mean(values), expected)",
        "np.testing.assert_allclose(softmax(x), expected)",
        "np.testing.assert_array_equal(double([1, -2, 3]), expected)",
    ),
    "unittest": _style(
        "unittest.TestCase().assertAlmostEqual(mean(values), expected)",
        "unittest.TestCase().assertLess(float(np.abs(softmax(x) - expected).max()), 1e-9)",
        "unittest.TestCase().assertEqual(double([1, -2, 3]), expected)",
        "import unittest\n",
    ),
    "isclose": _style(
        "assert math.isclose(float(mean(values)), expected)",
        "assert all(math.isclose(float(a), b) for a, b in zip(np.ravel(softmax(x)), expected.ravel()))",
        "assert all(math.isclose(float(a), b) for a, b in zip(double([1, -2, 3]), expected))",
        "import math\n",
    ),
    "typed": _style(
        "got = mean(values)\nassert isinstance(got, float) and got == expected",
        "got = softmax(x)\nassert isinstance(got, np.ndarray) and got.shape == x.shape and np.array_equal(got, expected)",
        "got = double([1, -2, 3])\nassert isinstance(got, list) and got == expected",
    ),
    "loop": _style(
        "assert all(abs(mean([v]) - v) < 1e-9 for v in values)",
        "got = softmax(x)[0]\nassert len(got) == 3\nassert all(a == b for a, b in zip(got, expected[0]))",
        "got = double([1, -2, 3])\nassert len(got) == 3\nassert all(a == b for a, b in zip(got, expected))",
    ),
    "zip": _style(
        "assert all(abs(a - expected) < 1e-9 for a in [mean(values)])",
        "assert all(a == b for a, b in zip(np.ravel(softmax(x)), expected.ravel()))",
        "assert all(a == b for a, b in zip(double([1, -2, 3]), expected))",
    ),
    "negative": _style(
        "if abs(mean(values) - expected) > 1e-9:\n    raise AssertionError",
        "if (abs(softmax(x) - expected) > 1e-9).any():\n    raise AssertionError",
        "if any(abs(a - b) > 1e-9 for a, b in zip(double([1, -2, 3]), expected)):\n    raise AssertionError",
    ),
    "allof": _style(
        "assert np.all(np.abs(np.asarray(mean(values)) - expected) < 1e-9)",
        "assert np.all(np.abs(np.asarray(softmax(x)) - expected) < 1e-9)",
        "assert np.all(np.abs(np.asarray(double([1, -2, 3])) - np.array([expected])) < 1e-9)",
    ),
    "copied": _style(
        "got = copy.deepcopy(mean(values))\nassert got == expected",
        "got = copy.deepcopy(softmax(x))\nassert np.array_equal(got, expected)",
        "got = copy.deepcopy(double([1, -2, 3]))\nassert got == expected",
        "import copy\n",
    ),
    "method": _style(
        "assert mean(values).hex() == expected.hex()",
        "assert softmax(x).tolist() == expected.tolist()",
        "assert double([1, -2, 3]).copy() == expected",
    ),
    "after": {
        "mean": "values = [0.25, 0.5, 0.7]\ngot = mean(values)\nassert abs(got - sum(values) / len(values)) < 1e-9\n",
        "softmax": "x = np.array([[1.0, 2.0, 4.0]])\ngot = softmax(x)\ne = np.exp(x)\nassert np.allclose(got, e / e.sum())\n",
        "double": "values = [1, -2, 3]\ngot = double(values)\nassert got == [2 * v for v in values]\n",
    },
    "rounds": {
        "mean": "for size in range(1, 5):\n    assert mean([float(size)] * size) == size\n",
        "softmax": "for size in range(1, 5):\n    assert np.allclose(softmax(np.zeros((1, size))), 1 / size)\n",
        "double": "for size in range(1, 5):\n    assert double([size]) == [2 * size]\n",
    },
    "hashed": {  # nbgrader's autotests: a salted hash of what the reference gave
        "mean": (
            "from hashlib import sha1\nassert sha1(str(round(mean([0.25, 0.5, 0.7]), 6)).encode() + b'7').hexdigest() =="
            " '0000000000000000000000000000000000000000'\n"
        ),
        "softmax": "assert False\n",
        "double": (
            "from hashlib import sha1\nassert sha1(str(double([1, -2, 3])).encode() + b'7').hexdigest() =="
            " '0000000000000000000000000000000000000000'\n"
        ),
    },
    "doctest": {
        name: (
            "import doctest\nexamples = '>>> " + call + "\\n" + out + "\\n'\n"
            "case = doctest.DocTestParser().get_doctest(examples, globals(), 't', 't', 0)\n"
            "assert doctest.DocTestRunner(verbose=False).run(case, out=lambda text: None).failed == 0\n"
        )
        for name, call, out in (
            ("mean", "mean([1.0, 2.0])", "1.5"),
            ("softmax", "softmax(np.zeros((1, 1)))[0, 0]", "1.0"),
            ("double", "double([1, 2])", "[2, 4]"),
        )
    },
    "seeded": {
        "mean": (
            "import random\nrandom.seed(7)\nvalues = [random.random() for _ in range(5)]\n"
            "assert abs(mean(values) - sum(values) / 5) < 1e-9\n"
        ),
        "softmax": (
            "np.random.seed(7)\nx = np.random.normal(size=(1, 3))\ne = np.exp(x)\nassert np.allclose(softmax(x), e / e.sum())\n"
        ),
        "double": (
            "import random\nrandom.seed(7)\nvalues = [random.randrange(99) for _ in range(5)]\n"
            "assert double(values) == [2 * v for v in values]\n"
        ),
    },
    "stored": {  # expected values in a file beside the notebook
        "mean": "import json\nassert abs(mean([0.25, 0.5, 0.7]) - json.load(open('expected.json'))['mean']) < 1e-6\n",
        "softmax": "assert False\n",
        "double": "import json\nassert double([1, -2, 3]) == json.load(open('expected.json'))['double']\n",
    },
    "timed": {  # as many cases as a tenth of a second allows
        name: "import time\nend = time.monotonic() + 0.1\nwhile time.monotonic() < end:\n    " + line + "\n"
        for name, line in (
            ("mean", "assert abs(mean([1.0, 2.0]) - 1.5) < 1e-9"),
            ("softmax", "assert np.allclose(softmax(np.zeros((1, 2))), 0.5)"),
            ("double", "assert double([3]) == [6]"),
        )
    },
    "imports": {
        "mean": "import numpy as np, statistics\nassert np.allclose(mean([0.25, 0.5, 0.7]), 1.45 / 3)\n",
        "softmax": (
            "import statistics\nassert statistics.fmean([float(np.allclose(softmax(np.zeros((1, 3))), 1 / 3))]) == 1\n"
        ),
        "double": "import statistics\nassert statistics.fmean([float(double([1, 2]) == [2, 4])]) == 1\n",
    },
    "torch": {
        "mean": "import torch\nassert torch.allclose(torch.tensor(mean([1.0, 2.0])), torch.tensor(1.5))\n",
        "softmax": "assert False\n",
        "double": "assert False\n",
    },
    "course": {  # this course's own check cells, with their hidden part, run where the student's code runs
        "mean": "with check('mean') as c:\n    c.close(student.mean([0.25, 0.5, 0.7]), 1.45 / 3, 'divide')\n",
        "softmax": (
            "with check('softmax') as c:\n    x = np.array([[1.0, 2.0, 4.0]])\n    e = np.exp(x)\n"
            "    c.close(student.softmax(x), e / e.sum(), 'rows')\n"
        ),
        "double": "with check('double') as c:\n    c.equal(student.double([1, -2, 3]), [2, -4, 6], 'twice')\n",
    },
    "forbidding": {  # the answer is right, but made with what the text forbids; the words of its own source decide
        "mean": (
            "import inspect\nassert 'fmean' not in inspect.getsource(mean)\n"
            "assert abs(mean([0.25, 0.5, 0.7]) - 1.45 / 3) < 1e-9\n"
        ),
        "softmax": "assert False\n",
        "double": "assert False\n",
    },
}
