# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # A sample notebook
#
# It exists for the tests of the compiler, the judge and the release.
#
# <!-- exercise-map -->

# %%
# <first-cell>

from course_utils.notebook import session as notebook
from course_utils.checks.selfcheck import check, handin, student

course = notebook.start("97_sample")

# %% [markdown]
# ## How often the most frequent answer is right

# %% answer="baseline"
from collections import Counter


def baseline(answers):
    """Share of the most frequent answer. `answers`: list of str, not empty."""
    ### BEGIN SOLUTION
    most_frequent = Counter(answers).most_common(1)[0]
    return most_frequent[1] / len(answers)
    ### END SOLUTION


# %% check="baseline" points=2 minutes=5 difficulty=1
with check("baseline") as c:
    c.close(student.baseline(["Oslo", "Rome", "Oslo"]), 2 / 3, "divide by the number of answers")
    ### BEGIN HIDDEN TESTS
    for _ in range(8):
        towns = [c.rng.choice("ABCD") for _ in range(c.rng.randint(1, 30))]
        share = max(towns.count(town) for town in towns) / len(towns)
        c.close(student.baseline(towns), share, "count every answer, not the first ones only")
    ### END HIDDEN TESTS

# %% answer="scaler"
import torch


class Scaler:
    """Multiplies by a factor that it is given: `Scaler(2.0)(x)` is `2 * x`."""

    ### BEGIN SOLUTION
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return self.factor * x

    ### END SOLUTION


# %% check="scaler" points=1.5 minutes=10 difficulty=2 timeout=20
import torch

with check("scaler", forbid=("einsum",)) as c:
    c.close(student.Scaler(2.0)(torch.ones(3)), torch.full((3,), 2.0), "multiply each element by the factor")
    ### BEGIN HIDDEN TESTS
    for _ in range(8):
        x, factor = torch.randn(4, 5, generator=c.torch_rng), c.rng.uniform(-3, 3)
        c.close(student.Scaler(factor)(x), factor * x, "the factor may be negative, and any shape may come")
    ### END HIDDEN TESTS

# %% [markdown]
# ## Hand in a file

# %% answer="lines"
def shout(words):
    """The words in capital letters, one per line of the text that comes back."""
    ### BEGIN SOLUTION
    return "".join(word.upper() + "\n" for word in words)
    ### END SOLUTION


# %%
if student.has("shout"):
    try:
        (course.work / "shout.txt").write_text(student.shout(["oslo", "rome"]), encoding="utf-8")
    except Exception as error:
        print("not yet:", error)

# %% check="lines" points=1 minutes=3 difficulty=1
with check("lines") as c:
    c.equal(handin.lines("shout.txt"), ["OSLO", "ROME"], "write one word per line, in capital letters")
    ### BEGIN HIDDEN TESTS
    answers = [row.split("\t")[1] for row in private.lines("birth_test.tsv")]
    c.that(len(answers) > 0, "the hidden answers are not there")
    c.equal(student.shout(answers), "".join(a.upper() + "\n" for a in answers), "each word gets a line of its own")
    ### END HIDDEN TESTS

# %% [markdown] written="why" points=2 minutes=5 difficulty=3
# **Your answer · why**
#
# ### BEGIN SOLUTION
# The most frequent answer needs no knowledge of the person at all. One point for the argument, one for an example.
# ### END SOLUTION

# %%
notebook.save_answers("my_answers.py", ["baseline", "Scaler"])
notebook.hand_in("97_sample", files=["shout.txt"])
