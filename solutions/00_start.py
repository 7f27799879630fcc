# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] builds="device report, how a check looks, how to hand in, policy on assistants"
# # 00 · Start here
#
# In this course you build a Transformer and everything around it, piece by piece, and find out by experiment what each piece does. This notebook has no points. In ten minutes it shows that your machine works, what an exercise and its check look like, and how to hand in.
#
# **Afterwards you can** say which settings the course picks for your machine and how long each notebook will take on it, read the messages of a check, answer a written question so that it earns its points, and hand in.
#
# **What to know before the course.** Python with functions and classes, NumPy-like arrays, matrix products, derivatives, and what training a neural network means. You learn PyTorch on the way; a first look at tensors and modules helps.
#

# %%
# <first-cell>

# %%
from contextlib import suppress

from course_utils import plots
from course_utils.checks.selfcheck import check, handin, student  # noqa: F401 (for checks)
from course_utils.lessons.figures import alt_text
from course_utils.notebook.device_report import format_report, machine, plan
from course_utils.notebook.doctor import doctor
from course_utils.notebook.session import hand_in, start

course = start("00_start")

# %% [markdown]
# ## Your machine
#
# Three profiles suit three kinds of machines: `laptop` (no GPU), `colab` (a smaller GPU such as a T4), `h200` (a large one). They set sizes of models and lengths of trainings; the texts and exercises are the same. The environment variable `COURSE_PROFILE` overrules the choice. (A fourth, `handout`, has the sizes of `colab`; you do not need it.) The minutes below are how long **this** machine will compute when every exercise is solved and nothing has been trained yet. They are predicted from small pieces of work timed here (about ten seconds on a CPU) and from what each notebook took where the course was measured; other busy programs make them longer. How long *you* will take is in the map further down.
#

# %%
print(machine(course))
print()
costs = plan(course)
print(format_report(costs))
print()
print(doctor(course, costs))

# %%
fig = plots.bars(
    {name[:2]: round(cost.minutes, 1) for name, cost in costs.items()},
    "all trainings and cells (minutes, predicted)",
)
fig.axes[0].set_xlabel("notebook (number)")
bars = ", ".join(f"notebook {name[:2]} {cost.minutes:.1f}" for name, cost in costs.items())
plots.show(fig, alt=alt_text("00_bar_chart_predicted", bars=bars))

# %% [markdown]
# ## A map of the course
#
# <!-- course-map -->
#
# The ideas build on each other, but no notebook needs an earlier one to be solved: the code it needs comes with the course.
#
# ## How an exercise looks
#
# Text and a small example come first, then the exercise with three hints to unfold, each saying more than the one before. Next is the cell you write in, with a note where your code belongs. Until your code is there, calling your function or class raises `NotImplementedError`; the cells below still run and say what they are waiting for. Then comes its **check**.
#
# <details><summary>Hint 1 · nudge (click me)</summary>This is what a hint looks like. Try for ten minutes without; unfolding a hint costs no points.</details>
#
# A check says one of three things. To see all of them, here is a function that should give the mean of a list, in three states:
#


# %%
def mean_unsolved(values: list[float]) -> float:
    """The mean of the values."""
    raise NotImplementedError("write your answer in this cell")


def mean_wrong(values: list[float]) -> float:
    """The mean of the values, with a slip."""
    return sum(values) / 2


def mean_right(values: list[float]) -> float:
    """The mean of the values."""
    return sum(values) / len(values)


# %%
for version in ("mean_unsolved", "mean_wrong", "mean_right"):
    with suppress(Exception), check("practice") as c:  # two of the three fail, on purpose: no reason to stop
        mean = getattr(student, version)
        c.close(mean([2.0, 4.0]), 3.0, "divide the sum by the number of values")
        c.close(mean([1.0, 2.0, 6.0]), 3.0, "divide by the number of values, not by 2: this list has three")

# %% [markdown]
# *Not written yet*, then *wrong, and here is the likely mistake*, then *right*. Now break `mean_right` above, run both cells, and read what the check says; then mend it.
#
# **What is behind it.** The check that you see is a part of the one that gives the points. The grader runs your notebook in a box without network, draws **other inputs**, and judges what your functions return outside that box. So:
# - code that only knows the visible example earns nothing, and any solution that does what the text asks earns all points, whatever its style;
# - changing a check, a library or the clock inside your notebook changes no points;
# - names and arguments must stay as they are given; helpers of your own are welcome in the same cell or in new ones;
# - one exercise that fails or takes too long costs that exercise only. The exception: if a model that you hand in is trained with this exercise, the points for the model depend on it too (notebook 02's translator, for example, needs `encoder_decoder`).
#
# In your notebook, checks with random inputs use a fixed seed: the same inputs come every time.
#
# ## How a written answer is marked
#
# Written questions are marked by a person against three or four criteria, each of which the marker must be able to find in your text: *names the mechanism*, *gives an example*, *says what the measurement showed*. Three to six sentences suffice. Short and precise beats long; a claim that your own figures contradict earns nothing, and "I measured … and do not know why" is an honest beginning.
#
# ## Coding assistants
#
# Unless your instructor says otherwise, ask assistants about Python, PyTorch, error messages and the texts, as you would ask a fellow student; write the answer cells and the written answers yourself. The checks give feedback at once, so the shortest way to understanding is to make your own mistakes here, not to copy what is right. Say in one sentence what you used, as a comment in your last answer cell (text cells that you add are not handed on to the marker).
#
# ## How to hand in
#
# The last cell of each notebook prints the state of every exercise and packs **one zip**: the notebook as you last saved it, and the files it asks for, such as trained weights. Save first (Ctrl-S), run the cell, upload the zip. This notebook packs one too, so that you can practise; it does not count. You may hand in as often as you like before the deadline; unfinished notebooks count for what is right in them.
# On Colab, download the notebook and upload it into the session's folder before packing; the cell says so if it is needed.
#
# **If you are stuck with an error you cannot explain:** restart the kernel and run all cells from the top. Trained models are kept in `work/`, so that nothing long is trained again. The long pretraining of notebook 07, when interrupted, goes on where it was once its cell is run again; the shorter trainings begin anew.
#
# **To take away.** A check that fails says what came out wrong and often the likely mistake, and the one that gives the points draws other inputs than the one you see. A notebook runs on below an exercise that is still open, and an open exercise costs its own points, and those for a model that is trained with it. Save first, then run the last cell, then upload the zip.
#

# %%
try:
    hand_in("00_start", files=[])
except Exception as error:
    print(f"(nothing packed: {error})")
