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

# %% [markdown] builds="exact counts, and two totals that are wrong, explained"
# # 04 · Counting parameters, bytes and FLOPs
#
# Does a model fit into memory, and how long does its training take? Both questions can be answered before the model exists, with a pencil and, for the time, one short measurement. Here you count three things: the numbers that are trained, the bytes that training needs, and the operations of a training
# step. Each formula is checked against a machine that does its own counting.
#
# **Afterwards you can** predict the exact size of a Transformer and of its variants, and find the error in somebody's count. You can also say how much memory a batch takes, and estimate the time of a training run from one short measurement.
#
# <!-- costs -->
#
# Everything is measured on the CPU with one thread, even on a machine with a GPU. **Before you start** you should know what a linear layer, a layer norm and multi-head attention compute (notebook 02).
#
# <!-- exercise-map -->

# %%
# <first-cell>

# %%
import numpy as np
import torch
from torch import nn

from course_utils import plots
from course_utils.checks.selfcheck import check  # noqa: F401 (check cells call it)
from course_utils.lessons.counting import (
    action_flops,
    block_action,
    counted_flops,
    cpu_seconds,
    encoder_parts,
    explicit_attention,
    matmul_rate,
    numel,
    product_shares,
    product_weights,
    random_ids,
    saved_bytes,
    small_gpt,
    step_action,
    step_memory,
)
from course_utils.lessons.figures import alt_text
from course_utils.notebook.costs import announce
from course_utils.notebook.session import hand_in, start, waits_for

course = start("04_counting")
announce(course)
threads_before = torch.get_num_threads()
torch.set_num_threads(1)  # so that what we measure depends less on what else the machine does

# %% [markdown]
# ## Letters used throughout
#
# | letter | meaning | letter | meaning |
# |---|---|---|---|
# | $V$ | symbols in the vocabulary | $L$ | layers |
# | $D$ | width of the model | $H$ | attention heads, each of width $d = D/H$ |
# | $T$ | tokens in a sequence | $C$ | outputs of the output head (classes) |
# | $B$ | sequences in a batch | $N$ | trained numbers of the whole model |
#
# Two things are called *head*: the $H$ heads of an attention, and the output head, the linear map at the end of the model. $H$ is always about the former; "the head" is the latter. Counts are whole numbers: where you divide, use `//`, not `/`.

# %% [markdown]
# ## 1 · Parameters of an encoder
#
# Four kinds of parts hold trained numbers:
#
# | part | trained numbers |
# |---|---|
# | embedding of $V$ symbols in width $D$ | $VD$ |
# | linear map from $a$ to $b$ columns: matrix and bias | $ab + b$ |
# | layer norm over $D$ columns: gain and bias | $2D$ |
# | multi-head attention: queries, keys, values, output | four linear maps from $D$ to $D$ |
#
# Softmax, dropout, ReLU and residual connections hold none. A machine counts with `numel`:

# %%
for name, part in {
    "embedding 10 x 4": nn.Embedding(10, 4),
    "linear 4 -> 3": nn.Linear(4, 3),
    "layer norm over 4": nn.LayerNorm(4),
    "attention, 1 head": nn.MultiheadAttention(4, 1),
    "attention, 2 heads": nn.MultiheadAttention(4, 2),
}.items():
    print(
        f"{name:>18}: {numel(part):3}   "
        + ", ".join(f"{n} {tuple(p.shape)}" for n, p in part.named_parameters())
    )

# %% [markdown]
# The model counted here is built like that of notebook 05: an embedding, $L$ layers of `nn.TransformerEncoderLayer` and a linear head with $C$ outputs. (Notebook 05 runs a smaller model, with $2D$ inside the feed-forward network.) Each layer is an attention, a feed-forward network of **two** linear maps, and two layer norms. The feed-forward network is $D \to D \to D$: here the width inside is $D$ as well. Positions are computed, not
# learned. As a language model it has $C = V$ outputs; as a classifier of reviews $C = 2$. The part without the head is called the *base*.
#
# A model need not fit into memory to be counted: on PyTorch's device `meta`, tensors have shapes and no numbers.

# %%
full = encoder_parts(V=50_001, D=200, L=4, H=2, C=50_001, device="meta")
for name, part in full.items():
    print(f"{name:>10}: {numel(part):>11,}")
huge = encoder_parts(V=50_257, D=12_288, L=1, H=96, C=50_257, device="meta")
print(
    f"one layer of width 12,288: {numel(huge['encoder']):,} numbers, "
    f"{4 * numel(huge['encoder']) / 1e9:.1f} GB if it were real"
)

# %% [markdown]
# ### Exercise · count_encoder
#
# Return two counts: the trained numbers of the base, and those of the head. (Do not build the whole model: a formula works for sizes that take minutes to build.)
#
# <details><summary>Hint 1 · nudge</summary>How many linear maps from D to D does one layer hold, counting the attention's and the feed-forward network's? How many layer norms?</details>
# <details><summary>Hint 2 · idea</summary>Six linear maps and two norms per layer; then L layers, the embedding, and the head apart.</details>
# <details><summary>Hint 3 · nearly there</summary>A layer has 6(D² + D) + 2·2D numbers. The head is a linear map from D to C with a bias; the traps are forgetting the biases and letting H into the formula.</details>


# %% answer="count_encoder"
def count_encoder(V: int, D: int, L: int, H: int, C: int) -> tuple[int, int]:
    """Trained numbers of the base (embedding and L encoder layers, feed-forward width D) and
    of the head with C outputs.

    All sizes are at least 1, and H divides D. Returns (base, head), two whole numbers.
    """
    ### BEGIN SOLUTION
    layer = 6 * D**2 + 10 * D
    return V * D + L * layer, C * D + C
    ### END SOLUTION


# %% check="count_encoder" points=1.5 minutes=10 difficulty=1
from course_utils.checks.promises import Draw, promise, promises, repeatable, same
from solutions.reference import counting


def sizes(d: Draw, V=(1, 900), width=(1, 30), L=(1, 9), H=(1, 8), C=(1, 900)):
    """V, D, L, H, C with D = H times the width of a head."""
    V, width, L, H, C = d.sizes(V=V, width=width, L=L, H=H, C=C)
    return V, H * width, L, H, C


promises(
    reference={"count_encoder": counting.count_encoder},
    agree=same(),
    returns=("base", "head"),
    always=(repeatable,),
    kept=[
        promise("the language model and the classifier whose parts are printed above", cases=[(50_001, 200, 4, 2, 50_001), (50_001, 200, 4, 2, 2)],
                quote=("two whole numbers", "As a language model it has $C = V$ outputs; as a classifier of reviews $C = 2$")),
        promise("base and head are what numel says, for any sizes", cases=sizes,
                quote=("Trained numbers of the base (embedding and L encoder layers, feed-forward width D) and of the head with C outputs", "Returns (base, head)")),
        promise("heads do not change the count", "four linear maps from $D$ to $D$", cases=lambda d: (7, 24, d.whole(2, 4), d.each(1, 24, 2, 3, 4, 6, 8, 12), 5)),
        promise("many heads of width 1, and as many symbols as columns", "All sizes are at least 1, and H divides D", visible=0, fresh=4, trouble=False,
                cases=lambda d: d.each((5, 49, 2, 49, 3), (7, 98, 1, 98, 2), (8, 8, 2, 2, 3), (49, 49, 3, 7, 49))),
        promise("each size may be 1", "All sizes are at least 1, and H divides D",
                cases=[(1, 6, 2, 3, 4), (5, 1, 2, 1, 4), (5, 6, 1, 3, 4), (5, 6, 2, 1, 4), (5, 6, 2, 3, 1), (1, 1, 1, 1, 1)]),
        promise("sizes that take minutes to build are counted exactly", "a formula works for sizes that take minutes to build",
                cases=lambda d: (d.whole(50_000, 300_000), 96 * d.whole(64, 1600), d.whole(60, d.each(120, 2000)), 96, d.whole(2, 300_000)), fresh=4),
    ],
)

# %% [markdown]
# ## 2 · What is wrong here?
#
# Suppose a sheet counts this very model ($V=50{,}001$, $D=200$, $L=4$, $H=2$) and finds **20,613,801** for the language model and **10,564,002** for the classifier. The machine says 21,018,401 and 10,968,602. Where does the difference of 404,600 come from? The sheet's reasoning, step by step:
#
# | step | what the sheet counts |
# |---|---|
# | 1 | embedding: $VD$ |
# | 2 | attention: $H \cdot 3\,(D d + d)$ for queries, keys and values, and $D^2$ to bring the heads together |
# | 3 | add and norm: $2D$, twice in each layer |
# | 4 | feed-forward network: $D^2 + D$ |
# | 5 | all layers: $L\times\bigl(3(D^2+D) + D^2 + 2D + D^2 + D + 2D\bigr)$, because $Hd = D$ |
# | 6 | head: $DC + C$ |
# | 7 | total: $VD + L\times\bigl(3(D^2+D)\bigr) + D^2 + 2D + D^2 + D + 2D + DC + C$ |
#
# Here are eight remarks that somebody might make; their letters are names, and not the sizes $B$, $C$, $D$, $H$. Some remarks are *true*: they name real errors in the sheet. The others name something that is no error at all, or an error that the sheet does not make.
#
# | letter | remark |
# |---|---|
# | A | the biases of queries, keys and values are forgotten |
# | B | $H$ heads need $H$ times as many numbers for queries, keys and values |
# | C | from step 5 to step 7 a bracket has slipped: $L$ multiplies the first term, $3(D^2+D)$, alone |
# | D | one number per column is forgotten in every layer norm |
# | E | the feed-forward network has a second linear map |
# | F | the head ought to share the embedding's matrix |
# | G | the bias of the map that brings the heads together is forgotten |
# | H | the head's bias is forgotten |
#
# ### Exercise · find_the_slip
#
# Write two functions. `published_total` follows the sheet, errors and all. `slips` names the errors by a dictionary from the letter of each *true* remark to one whole number. This number says how many trained numbers this error **alone** would lose: the right count minus the count with this error only. Remarks that are not true do not occur in it.
#
# To test yourself: with one layer the losses add up to what the sheet has missed. With the sheet's four layers ($V=C=50{,}001$, $D=200$) they add up to 525,800, and not to 404,600. (Why more?)
#
# <details><summary>Hint 1 · nudge</summary>Compare steps 2 to 4 with the shapes that <code>named_parameters()</code> prints for one layer, and the brackets of step 5 with those of step 7.</details>
# <details><summary>Hint 2 · idea</summary>Three remarks are true. Two of them are about parts that are missing in each of the L layers; the third loses all but one copy of some of the terms.</details>
# <details><summary>Hint 3 · nearly there</summary>For the bracket, start from the <em>right</em> layer, 6D² + 10D: what remains beside 3(D² + D) is counted once instead of L times. The trap: the three losses add up to more than 404,600, because a forgotten part cannot be lost a second time by the bracket.</details>


# %% answer="find_the_slip"
def published_total(V: int, D: int, L: int, C: int) -> int:
    """The total as the sheet's step 7 computes it."""
    ### BEGIN SOLUTION
    return V * D + L * 3 * (D**2 + D) + D**2 + 2 * D + D**2 + D + 2 * D + D * C + C
    ### END SOLUTION


def slips(V: int, D: int, L: int, C: int) -> dict[str, int]:
    """The sheet's true errors: letter -> how many numbers this error alone loses against the right count.

    The letters are the same for all sizes from 1 up, even where one of them loses 0.
    """
    ### BEGIN SOLUTION
    return {"C": (L - 1) * (3 * D**2 + 7 * D), "E": L * (D**2 + D), "G": L * D}
    ### END SOLUTION


# %% check="find_the_slip" points=2 minutes=20 difficulty=2
from course_utils.checks.promises import Draw, call, promise, promises, repeatable, same
from solutions.reference import counting


def sizes(d: Draw, L=(1, 12)):
    """V, D, L, C: all different, all equal, each at its ends."""
    return d.sizes(far=(10**6, 10**7), V=(1, 900), D=(1, 300), L=L, C=(1, 900))


slips = {"ask": call("slips"), "returns": ("the dictionary",)}
promises(
    reference={"published_total": counting.published_total, "slips": counting.slips},
    agree=same(),
    returns=("the total",),
    always=(repeatable,),
    shares={"published_total": 0.4, "slips": 0.6},
    kept=[
        promise("published_total gives the sheet's two numbers", "**20,613,801** for the language model and **10,564,002** for the classifier",
                cases=[(50_001, 200, 4, 50_001), (50_001, 200, 4, 2)]),
        promise("published_total follows step 7 as it stands, for every size", ("`published_total` follows the sheet, errors and all", "The total as the sheet's step 7 computes it"),
                cases=sizes),
        promise("slips has the letters of the true remarks, each with what this error alone would lose, for every size", cases=lambda d: sizes(d, L=(2, 12)), **slips,
                quote=("a dictionary from the letter of each *true* remark to one whole number", "how many trained numbers this error **alone** would lose",
                       "Remarks that are not true do not occur in it", "The sheet's true errors: letter -> how many numbers this error alone loses against the right count")),
        promise("with the sheet's sizes the losses add up to 525,800", "they add up to 525,800", cases=[(50_001, 200, 4, 50_001)], **slips),
        promise("with one layer the losses add up to what the sheet has missed, and the letters are the same", **slips,
                quote=("with one layer the losses add up to what the sheet has missed", "The letters are the same for all sizes from 1 up, even where one of them loses 0"),
                cases=lambda d: sizes(d, L=(1, 1))),
    ],
)

# %% [markdown]
# How does one find such an error in one's own count? Vary one size at a time and look at the *difference* between formula and `numel`: an error in a layer grows with $L$, a forgotten bias grows with $D$, a forgotten matrix with $D^2$.

# %%
with waits_for("find_the_slip"):
    fig, (ax,) = plots.new_figure(6.6, 4.0)
    layers = list(range(1, 9))
    for width, look in zip((16, 32, 64), plots.styles(3), strict=True):
        gap = [numel(encoder_parts(50, width, n, 2, 2)) - published_total(50, width, n, 2) for n in layers]
        ax.plot(layers, np.array(gap) / width**2, label=f"D = {width}", **look)
    ax.set(xlabel="layers L", ylabel="missing numbers, in units of D²")
    ax.legend()
    plots.show(fig, alt=alt_text("04_right_count_minus"))

# %% [markdown]
# With one layer about one $D^2$ is missing: a forgotten matrix, in the layer. Each further layer loses about three: one is that matrix again, two are lost by the bracket. So the picture separates the two large errors. It cannot separate the forgotten bias from the other terms in $D$, which make the lines of small widths a little steeper.
#
# ## 3 · The GPT and its variants
#
# The model of notebook 07 is a stack of pre-norm blocks. It has a table of $V$ token vectors, a table of $T$ position vectors, $L$ blocks, a last layer norm and a head $D \to V$ **without** a bias. A block has two layer norms, the attention (four linear maps with biases) and a feed-forward
# network $D \to 4D \to D$ with biases.
#
# Five variants change one thing each; everything that is not mentioned stays as it is in `"vanilla"`, including the table of positions:
#
# | `variant` | what changes against `"vanilla"` |
# |---|---|
# | `"rope"` | queries and keys are rotated by fixed angles; there is no table of positions |
# | `"relative"` | no table of positions; instead each head of each layer has one learned bias per distance $0 \ldots T-1$ |
# | `"synthesizer"` | the linear maps of queries and keys are gone. Head $i$ computes its scores as $\operatorname{ReLU}(X A_i + b_{1,i})\,B_i + b_{2,i}$ with $A_i: (D, d)$, $b_{1,i}: (d)$, $B_i: (d, T)$, $b_{2,i}: (T)$, where $X: (T, D)$ are the vectors that attention reads; values and output map stay |
# | `"synthesizer_shared"` | like `"synthesizer"`, but by a shortcut that does not follow its equation: all heads of a layer share one $B: (d, T-1)$ and one $b_2: (T-1)$, while $A_i$ and $b_{1,i}$ are still per head |
# | `"perceiver"` | the model has $m$ learned start vectors of width $D$, once; the first block reads into them and the last one writes back, and every block has the same parts as in `"vanilla"` |
#
# Before you count: which of these counts depend on $H$, if $D$ stays the same? Note your guess on paper; the plot below the exercise shows the answer for four of them.

# %%
print("vanilla at full size:", f"{small_gpt(V=256, D=256, L=4, H=8, T=128).n_params():,}")
for name, p in small_gpt(V=7, D=4, L=1, H=2, T=5).named_parameters():
    print(f"{name:>28} {tuple(p.shape)}")

# %% [markdown]
# ### Exercise · count_gpt
#
# Return the count of trained numbers of the GPT or of one of its variants. At $V=256$, $D=256$, $L=4$, $H=8$, $T=128$ the counts must be
#
# | vanilla | rope | relative | synthesizer | synthesizer_shared | perceiver, $m=32$ |
# |---|---|---|---|---|---|
# | 3,323,392 | 3,290,624 | 3,294,720 | 3,195,392 | 3,076,988 | 3,331,584 |
#
# The count is exact for any sizes, also those of models far too large to be built, up to a count of $2^{53}$ (about $9 \cdot 10^{15}$).
# No variant but these six is asked for.
#
# <details><summary>Hint 1 · nudge</summary>Write the vanilla count first, with the attention as a term of its own. Each variant then changes one term.</details>
# <details><summary>Hint 2 · idea</summary>A block: attention 4(D² + D), feed-forward 8D² + 5D, norms 4D. Outside: tokens VD, positions TD, last norm 2D, head DV.</details>
# <details><summary>Hint 3 · nearly there</summary>The matrices A_i of all heads side by side are one D × D matrix, their biases D numbers. All B_i together hold H·d·T = D·T numbers, all b_2 H·T. The traps are the head's bias (there is none) and the shared width T − 1.</details>


# %% answer="count_gpt"
def count_gpt(V: int, D: int, L: int, H: int, T: int, variant: str = "vanilla", m: int = 0) -> int:
    """Trained numbers of the GPT or one of its variants, named as in the table.

    m is the perceiver's number of start vectors and means nothing to the others.
    All sizes are at least 1, and H divides D.
    """
    ### BEGIN SOLUTION
    d = D // H
    attention = {
        "relative": 4 * (D**2 + D) + H * T,
        "synthesizer": 3 * (D**2 + D) + D * T + H * T,
        "synthesizer_shared": 3 * (D**2 + D) + (d + 1) * (T - 1),
    }.get(variant, 4 * (D**2 + D))
    positions = 0 if variant in ("rope", "relative") else T * D
    latents = m * D if variant == "perceiver" else 0
    return 2 * V * D + positions + L * (attention + 8 * D**2 + 9 * D) + 2 * D + latents
    ### END SOLUTION


# %% check="count_gpt" points=2 minutes=20 difficulty=2
from course_utils.checks.promises import Case, Draw, promise, promises, repeatable, same
from solutions.reference.counting import VARIANTS, gpt_numel


def sizes(d: Draw, variant: str, m=(1, 9), H=(1, 5)):
    """V, D, L, H, T, the variant and m, with D = H times the width of a head."""
    V, width, L, H, T, m = d.sizes(V=(2, 70), width=(1, 8), L=(1, 4), H=H, T=(1, 40), m=m)
    return V, H * width, L, H, T, variant, m


def giant(d: Draw, variant: str):
    """Sizes of the largest models, and beyond."""
    H = d.each(96, 128, 50)
    return d.whole(200_000, 300_000), H * d.whole(500, 1000), d.whole(20, 40), H, d.whole(30_000, 200_000), variant, d.whole(500, 5000)


def largest(d: Draw, variant: str):
    """Sizes whose count is 0.5 to 0.9 times 2^53."""
    H, L = d.each(96, 127, 50), d.whole(20, 40)
    width = int((d.uniform(0.5, 0.9) * 2**53 / (12 * L)) ** 0.5) // H
    return d.whole(200_000, 300_000), H * width, L, H, d.whole(30_000, 200_000), variant, d.whole(500, 5000)


full, synthesizers = (256, 256, 4, 8, 128), ("synthesizer", "synthesizer_shared")
row = {name: f"`\"{name}\"`" for name in VARIANTS}
promises(
    reference={"count_gpt": gpt_numel},
    agree=same(),
    returns=("the count",),
    always=(repeatable,),
    kept=[
        promise("the table of counts at full size", "the counts must be", cases=[(*full, name, 32) for name in VARIANTS]),
        promise("vanilla is what numel says for every size, and is counted when no variant is named",
                quote=("Trained numbers of the GPT", "a stack of pre-norm blocks", "All sizes are at least 1, and H divides D"),
                cases=lambda d: sizes(d, "vanilla")[: d.each(5, 6)]),
        promise("rope: no table of positions, nothing else", (row["rope"], "or one of its variants, named as in the table"), cases=lambda d: sizes(d, "rope")),
        promise("relative: no table of positions, and one bias for each of T distances in each head of each layer", row["relative"], cases=lambda d: sizes(d, "relative")),
        promise("synthesizer: each head has A_i, b_1, B_i and b_2 of its own, in place of queries and keys", row["synthesizer"], cases=lambda d: sizes(d, "synthesizer")),
        promise("synthesizer_shared: each head has A_i and b_1; all heads of a layer share one B and one b_2, of width T − 1", row["synthesizer_shared"],
                cases=lambda d: sizes(d, "synthesizer_shared")),
        promise("perceiver: m start vectors once, whatever the number of layers", "has $m$ learned start vectors of width $D$, once", visible=4, trouble=False,
                cases=lambda d: (9, 12, d.each(2, 3, 1, 6), 3, 7, "perceiver", 5)),
        promise("perceiver: another m gives another count for the same sizes", "m is the perceiver's number of start vectors", visible=3, trouble=False,
                cases=[(9, 12, 2, 3, 7, "perceiver", m) for m in (8, 13, 5)]),
        promise("perceiver: m start vectors of width D, once", row["perceiver"], cases=lambda d: sizes(d, "perceiver")),
        promise("a single head, and heads of width 1, are counted by the same rules", "Head $i$ computes its scores", visible=4,
                cases=lambda d: (11, 12, 2, *d.each((1, 7, "synthesizer"), (12, 5, "synthesizer_shared"), (1, 6, "relative"), (12, 7, "synthesizer"), (1, 9, "synthesizer_shared")))),
        promise("many heads of width 1, a single symbol, and a single layer", "All sizes are at least 1, and H divides D", visible=0, fresh=6, trouble=False,
                cases=lambda d: (lambda V, H, L: (V, H, L, H, d.whole(2, 9), d.each(*VARIANTS), 4))(*d.each((11, 49, 2), (1, 12, 2), (9, 98, 1), (1, 49, 1), (5, 103, 2)))),
        promise("texts of a single token", "All sizes are at least 1", visible=6, trouble=False,
                cases=lambda d: (7, 6, 2, 3, 1, d.each(*reversed(VARIANTS)), 4)),
        promise("m is the perceiver's alone: to other variants it says nothing", "m is the perceiver's number of start vectors and means nothing to the others",
                cases=lambda d: sizes(d, d.each("vanilla", *synthesizers, "rope", "relative"), m=(50, 90))),
        promise("without the argument, m is 0", "m is the perceiver's number of start vectors", cases=lambda d: sizes(d, "perceiver")[:6], trouble=False),
        promise("texts of many hundreds of tokens, and many start vectors, count in full", "All sizes are at least 1, and H divides D", visible=2, trouble=False,
                cases=lambda d: (d.whole(50, 70), 16, 2, 4, d.whole(600, 900), d.each("relative", *(one for one in VARIANTS if one != "relative")), d.whole(200, 299))),
        promise("models far too large to be built are counted exactly, in every variant", "The count is exact for any sizes, also those of models far too large to be built", visible=6, trouble=False,
                cases=lambda d: giant(d, d.each(*VARIANTS))),
        promise("counts up to 2^53 are exact, in every variant", "up to a count of $2^{53}$", visible=6, trouble=False,
                cases=lambda d: largest(d, d.each(*VARIANTS))),
        promise("variant and m can be given by name", "named as in the table",
                cases=lambda d: Case((9, 12, 2, 3, 7), d.each({"variant": "perceiver", "m": 5}, {"variant": "relative"}, {"m": 4}, {"variant": "synthesizer"}))),
    ],
)

# %% [markdown]
# When do heads change the count? Only where there are $H$ of something that does not shrink with $d$, or one of something that has the *width* of a head.

# %%
with waits_for("count_gpt"):
    fig, (ax,) = plots.new_figure(6.8, 4.2)
    heads = [1, 2, 4, 8, 16, 32, 64]
    for variant, look in zip(
        ("vanilla", "relative", "synthesizer", "synthesizer_shared"), plots.styles(4), strict=True
    ):
        counts = np.array([count_gpt(256, 256, 4, n, 128, variant) for n in heads])
        ax.plot(heads, counts / counts[0], label=variant, **look)
    ax.set_xscale("log", base=2)
    ax.set_xticks(heads, [str(n) for n in heads])
    ax.set(
        xlabel="attention heads H (width D = 256 stays the same)",
        ylabel="trained numbers relative to one head",
    )
    ax.legend()
    plots.show(fig, alt=alt_text("04_trained_numbers_number"))

# %% [markdown]
# The two rising curves lie on top of each other, because each further head adds one row of $T$ numbers per layer to both. In one variant the row holds the biases of the distances, in the other $b_{2,i}$. In the variant of the falling curve all heads of a layer share one $B$, and this $B$ gets smaller with $d$.
#
# ## 4 · Bytes
#
# A number in float32 takes 4 bytes. Training keeps two kinds of numbers.
#
# **The state**, whose size does not depend on the batch, holds the parameters and AdamW's two moments for each of them (running means of the gradient and of its square). From the backward pass until the update it also holds a gradient for each parameter.
#
# **The activations** are what the forward pass has to keep because the backward pass will need it. The derivative of $y = xW$ with respect to $W$ needs $x$, so a linear map keeps its *input*. The rules:
#
# | operation | keeps, per token |
# |---|---|
# | linear map, layer norm, GELU | its input |
# | several maps with the same input (queries, keys, values) | that input, once |
# | scores (queries times keys) and weighted sum (weights times values) | both factors of each product |
# | softmax | its *output*, which is a factor of the weighted sum anyway: keep it once |
# | addition (residual connections, biases, positions), dropout switched off | nothing |
# | loss | the log-probabilities, $V$ numbers |
#
# Embeddings keep the token ids only. We count attention that is computed step by step (`explicit_attention`), so its weights are kept: for each of the $H$ heads a row of $T$ numbers per token. A linear map and a ReLU, watched (a ReLU keeps its output, which is enough for its derivative):

# %%
maps = nn.Linear(100, 300), nn.ReLU()
kept = []
with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(tuple(t.shape)) or t, lambda t: t):
    y = maps[1](maps[0](torch.randn(32, 100, requires_grad=True)))
print(
    "kept by a linear map 100 -> 300 and a ReLU for 32 tokens:",
    kept,
    "(the (100, 300) one is the matrix itself)",
)

# %% [markdown]
# The next cell runs one whole training step of a small GPT, while PyTorch's profiler writes down allocations and releases, of 100 kB and more. The left plot is for the explicit attention, the right one for PyTorch's fused kernel. The fused kernel discards the weights and computes them again in the backward pass.

# %%
B, sizes = 32, {"V": 51, "D": 64, "L": 4, "H": 4, "T": 64}
model = small_gpt(**sizes)
ids = random_ids(model, B)
with explicit_attention():
    curves = {"explicit attention": step_memory(model, ids)}
curves["fused attention"] = step_memory(model, ids)
fig, axes = plots.new_figure(9.6, 3.8, columns=2)
for ax, (name, in_use), look in zip(axes, curves.items(), plots.styles(2), strict=True):
    ax.step(np.linspace(0, 100, len(in_use)), np.array(in_use) / 1e6, where="post", color=look["color"])
    ax.set(
        xlabel="larger allocations and releases so far (%)",
        ylabel="memory besides parameters and moments (MB)",
        ylim=(0, 50),
        title=name,
    )
plots.show(fig, alt=alt_text("04_memory_use_during"))
for name, in_use in curves.items():
    print(
        f"{name:>18}: peak {max(in_use) / 1e6:.1f} MB; the state takes {16 * model.n_params() / 1e6:.1f} MB"
    )

# %% [markdown]
# The memory goes up by the same amount for every layer, and down again from the last layer to the first: that is backpropagation in a picture. (It does not come down quite to zero, though this cannot be seen on this scale: the curve includes the gradients, which are kept until the optimiser has used them.) The state is small beside the activations once the number of tokens in a batch, $BT$, is dozens of times $D$.
#
# ### Exercise · training_bytes
#
# Give the bytes of the state and of the activations for section 3's GPT (vanilla, with $N$ trained numbers), in float32, with explicit attention. Small items (means of the layer norms, masks) may be left out: the check allows 15 % on the activations; the state must be exact. The peak may hold two more copies of the $V$ numbers per token
# (gradients of the loss); an answer with or without them is accepted.
#
# <details><summary>Hint 1 · nudge</summary>Go through a block line by line and write down what each operation keeps, in units of D per token. The feed-forward network has 4D columns inside.</details>
# <details><summary>Hint 2 · idea</summary>Norm 1: D. Queries, keys, values: D for their common input and 3D as factors. Weights: HT. Output map: D. Norm 2: D. Feed-forward: D, 4D before the GELU and 4D after it.</details>
# <details><summary>Hint 3 · nearly there</summary>Per token and layer 16D + HT numbers; after the layers D for the last norm, D for the head, V for the loss. Multiply by the B·T tokens and by 4 bytes. The traps are HT (each token keeps a row of weights for every head) and B.</details>


# %% answer="training_bytes"
def training_bytes(N: int, B: int, T: int, V: int, D: int, L: int, H: int) -> tuple[int, int]:
    """Bytes needed to train a GPT with N parameters by AdamW in float32 on B sequences of T tokens,
    explicit attention.

    Returns (state, activations): state = parameters, gradients and both moments.
    """
    ### BEGIN SOLUTION
    state = 4 * 4 * N
    activations = 4 * B * T * (L * (16 * D + H * T) + 2 * D + V)
    return state, activations
    ### END SOLUTION


# %% check="training_bytes" points=2 minutes=25 difficulty=3
from course_utils.checks.promises import Agree, Case, Draw, promise, promises, repeatable
from solutions.reference import counting


def sizes(d: Draw, B, T, V, width, L, H, **far):
    """A case with N parameters, and the bounds of both numbers; D = H times the width of a head."""
    B, T, V, width, L, H = d.sizes(**far, B=B, T=T, V=V, width=width, L=L, H=H)
    return bounded(int(d.log_uniform(1e4, 1e11)), B, T, V, H * width, L, H)


def bounded(N, B, T, V, D, L, H):
    """The state must be exact; 15 % on the activations, with or without two more copies of the V numbers."""
    state, kept = counting.training_bytes(N, B, T, V, D, L, H)
    small = 8 * B * T * (2 * L + 1) + L * T * T  # means and deviations of the norms, masks: they may be counted
    return Case((N, B, T, V, D, L, H), setup={"bounds": [(state, state), (0.85 * kept, 1.15 * (kept + 8 * B * T * V + small))]})


def any_model(d: Draw):
    return sizes(d, (1, 99), (1, 99), (2, 99), (1, 9), (1, 9), (1, 9), far=(2000, 9000))


def in_one_size():
    """A model, and others after it that differ from it in one size alone."""
    sizes = (215_000, 8, 64, 51, 96, 4, 4)
    yield bounded(*sizes)
    for place, value in enumerate(sizes):
        yield bounded(*sizes[:place], 6 * value, *sizes[place + 1 :])


def state_alone(d: Draw):
    """A model of any size, whose activations may be anything."""
    case = any_model(d)
    return Case(case.args, setup={"bounds": [case.setup["bounds"][0], (0, 1e300)]})


some, few = (32, 64), (40, 90)
promises(
    reference={"training_bytes": counting.training_bytes},
    agree=Agree(view="course_utils.checks.allowed.between"),
    returns=("state", "activations"),
    always=(repeatable,),
    kept=[
        promise("state and activations of models that the notebook measures", ("Small items (means of the layer norms, masks) may be left out: the check allows 15 % on the activations",
                "on B sequences of T tokens, explicit attention", "Returns (state, activations)"),
                cases=[bounded(200_000, 32, 32, 51, 64, 3, 4), bounded(60_000, 4, 128, 51, 32, 1, 8), bounded(900_000, 32, 64, 51, 128, 4, 4)]),
        promise("the state is parameters, gradients and both moments, in float32, whatever the batch", "state = parameters, gradients and both moments",
                cases=state_alone),
        promise("the activations are those of the table, for models of any size", "The rules", cases=any_model),
        promise("long texts: every token keeps a row of T weights for each head of each layer", "for each of the $H$ heads a row of $T$ numbers per token",
                cases=lambda d: sizes(d, some, (600, 1500), few, (6, 12), (5, 12), (2, 8))),
        promise("short texts of many narrow heads: the weights count there, too", "for each of the $H$ heads a row of $T$ numbers per token",
                cases=lambda d: sizes(d, some, (7, 8), (2, 9), (1, 1), (6, 12), (12, 20), far=None)),
        promise("wide models: go through a block with the table, in units of D per token", "linear map, layer norm, GELU | its input",
                cases=lambda d: sizes(d, some, some, few, (200, 400), (9, 16), (2, 8))),
        promise("many symbols: the loss keeps V numbers per token, once for the model", "the log-probabilities, $V$ numbers",
                cases=lambda d: sizes(d, some, some, (20_000, 60_000), (8, 16), (4, 7), (2, 8))),
        promise("models that differ in one size alone are counted each by itself, one after the other", "Bytes needed to train a GPT with N parameters by AdamW in float32", cases=[*in_one_size()]),
        promise("a single text keeps what one text keeps; a single head and layer are counted by the same rules", "Bytes needed to train a GPT with N parameters by AdamW in float32",
                cases=lambda d: sizes(d, (1, 1), (300, 900), few, *d.each(((6, 12), (5, 12), (2, 8)), ((90, 400), (1, 1), (1, 1))))),
    ],
)

# %% [markdown]
# Formula against measurement, on models that fit here:

# %%
with waits_for("training_bytes"):
    lines = [
        f"{'B':>4}{'T':>5}{'V':>6}{'D':>5}{'L':>3}{'H':>3}"
        f"{'saved tensors':>16}{'your formula':>15}{'ratio':>7}"
    ]
    for B, T, V, D, L, H in (
        (32, 32, 51, 64, 3, 4),
        (32, 128, 51, 64, 2, 8),
        (64, 64, 300, 96, 1, 3),
        (32, 64, 51, 128, 4, 4),
    ):
        model = small_gpt(V, D, L, H, T)
        with explicit_attention():
            measured = saved_bytes(model, random_ids(model, B))
        predicted = training_bytes(model.n_params(), B, T, V, D, L, H)[1]
        lines.append(
            f"{B:>4}{T:>5}{V:>6}{D:>5}{L:>3}{H:>3}{measured / 1e6:>13.2f} MB{predicted / 1e6:>12.2f} "
            f"MB{predicted / measured:>7.3f}"
        )
    print("\n".join(lines))

# %% [markdown]
# ## 5 · Operations, and seconds
#
# Count a multiplication with an addition as **two** operations (FLOPs). Then a matrix with $n$ weights costs $2n$ per token in the forward pass. The backward pass has two products for each one of the forward pass: one for the gradient of the input, one for the gradient of the matrix. Together this makes $6$ per weight and token.
# Attention has two products more: queries with keys, and attention weights with values. Each of these two costs, per token and head and in each of the $L$ layers, $T \cdot d$ multiplications (with an addition each); the backward pass costs twice as much as the forward pass here too. The half that the causal mask hides is counted too: a plain product of matrices computes it all the same. (A fused kernel may skip much of it: with the causal mask, PyTorch's took 0.63 to 0.64 of the time without it at 2,048 tokens and 1.00 to 1.02 at 512 and fewer, in five rounds on the course's machine.)
#
# Which weights have to be counted? Let the machine count the FLOPs of two GPTs, one with a tiny and one with a huge vocabulary.

# %%
for V in (50, 5_000):
    model = small_gpt(V=V, D=32, L=2, H=2, T=16)
    flops = counted_flops(model, random_ids(model, 4)) / (4 * 16)
    print(
        f"V = {V:5,}: counted {flops:11,.0f} FLOPs per token; all numbers {model.n_params():8,}, "
        f"those in linear maps {product_weights(model):8,}"
    )

# %% [markdown]
# Looking up a row of a table costs nothing, so the tables of tokens and positions do not count (with the large vocabulary, that is nearly half of the numbers). In this section $N$ is therefore not the count of all trained numbers. It is the number of weights in matrix products, without biases: `product_weights(model)`.
#
# To turn operations into seconds one needs a rate, in FLOP per second. The obvious one is the rate of a single large matrix product, called the *raw rate* below. Let us see what a block reaches.

# %%
rate = matmul_rate()
widths = [16, 32, 64, 128, 256]
reached, shares = [], []
for D in widths:
    tokens, T = 1024, 32
    action = block_action(D, 2, tokens // T, T)
    reached.append(action_flops(action) / cpu_seconds([action])[0])
    shares.append(product_shares(action))
fig, axes = plots.new_figure(9.6, 3.8, columns=2)
axes[0].plot(widths, np.array(reached) / 1e9, label="one block, forward and backward", **plots.styles(1)[0])
axes[0].axhline(rate / 1e9, color="black", linestyle=":", label="one large matrix product")
axes[0].set(xlabel="width D (columns)", ylabel="rate (10⁹ FLOP per CPU second)", ylim=(0, 1.4e-9 * rate))
axes[0].set_xscale("log", base=2)
axes[0].set_xticks(widths, [str(D) for D in widths])
axes[0].legend(loc="upper left")
linear, attention = 100 * np.array(shares).T  # (5, 2) -> (2, 5)
names = [str(D) for D in widths]
axes[1].bar(names, linear, color="#BBBBBB", edgecolor="black", label="with weights")
axes[1].bar(
    names, attention, bottom=linear, color="white", edgecolor="black", hatch="//", label="fused attention"
)
axes[1].set(xlabel="width D (columns)", ylabel="time in matrix products (%)", ylim=(0, 119))
axes[1].legend(loc="upper left", ncols=2)
plots.show(fig, alt=alt_text("04_operations_per_second"))
for D, r, (weights, attention) in zip(widths, reached, shares, strict=True):
    print(
        f"D = {D:3}: {r / 1e9:6.1f} GFLOP/s, the large product is {rate / r:4.1f} times as fast; "
        f"of the time {weights:.0%} in products with weights, {attention:.0%} in attention"
    )

# %% [markdown]
# A block stays below the rate of the large product for two reasons. In a narrow block much of the time goes into what the FLOP count leaves out: norms, softmax, GELU, additions and the start of each operation. That work grows with $D$ at most (the softmax's with $HT$, and a start costs always the same), whereas the products with the weights grow with $D^2$. And the products themselves are slower when they are small: each
# number fetched from memory is used fewer times, and the start of a product counts for more (which of the two weighs more is not measured here). (In the right plot the fused attention has a bar of its own, which includes the softmax.) In five rounds on the course's machine, the raw rate was too optimistic by a factor of 6 to 9 at width 16, of 1.1 to 1.3 at width 256, and of 20 to 21 for a whole step of the smallest model below. (A whole step holds the optimiser, too.) The lines printed above say by how much on your machine.
#
# So measure the thing itself: **one** block, once, at the width, batch and length you want. The other blocks are its copies. The head is not a block, but it too is estimated at the rate that the block has reached: its time is to the block's time as its operations are to the block's. (With many symbols this is too much for the head, a large product. The optimiser and the loss are left out, which is too little.) A block's operations are those of its weights and of its attention.
#
# ### Exercise · flops
#
# `flops_per_token` counts forward and backward pass, and must give what the machine has counted above. `step_seconds` estimates the time of a whole training step. It is told how long the forward and backward pass of one block took on a batch, *and* the rate of one large product on the same machine; use whichever helps. An estimate within a quarter of what these proportions give will pass. A fast machine may need microseconds for a block.
#
# <details><summary>Hint 1 · nudge</summary>Forward and backward pass together are three times the forward pass. A block has 12D² weights in products.</details>
# <details><summary>Hint 2 · idea</summary>Attention, forward: 2·T·d for the scores and as much for the weighted sum, for each of H heads: 4TD per token and layer. For the time: L blocks, and the head in proportion to its operations.</details>
# <details><summary>Hint 3 · nearly there</summary>6N + 12·L·D·T. A block costs 6·12D² + 12DT per token, the head 6VD; so the head takes VD / (12D² + 2DT) blocks' time. The trap is the rate of the large product, for the blocks and for the head.</details>


# %% answer="flops"
def flops_per_token(N: int, L: int, D: int, T: int) -> int:
    """FLOPs per token of forward and backward pass;
    N weights stand in matrix products, L layers of width D see T tokens."""
    ### BEGIN SOLUTION
    return 6 * N + 12 * L * D * T
    ### END SOLUTION


def step_seconds(block_seconds: float, product_rate: float, B: int, T: int, V: int, D: int, L: int) -> float:
    """Estimated seconds of one training step of a GPT with L blocks and V symbols on B sequences of T tokens.

    block_seconds: measured time of forward and backward pass of one block
        of width D on B sequences of T tokens.
    product_rate: measured FLOP per second of one large matrix product.
    """
    ### BEGIN SOLUTION
    block = flops_per_token(12 * D**2, 1, D, T)
    whole = flops_per_token(12 * L * D**2 + V * D, L, D, T)
    return block_seconds * whole / block
    ### END SOLUTION


# %% check="flops" points=1.5 minutes=20 difficulty=2
from course_utils.checks.promises import Agree, Case, Draw, call, promise, promises, repeatable, same
from solutions.reference import counting


def sizes(d: Draw):
    """N, L, D, T."""
    return d.sizes(N=(1, 10**8), L=(1, 40), D=(1, 4096), T=(1, 4096))


def timed(d: Draw, V, D, L, T, B=(1, 64), seconds=(1e-4, 50)):
    """A measured block, the rate of a large product, sizes, and the bounds of the estimate: a quarter either way."""
    B, T, V, D, L = d.sizes(B=B, T=T, V=V, D=D, L=L)
    block, rate = d.log_uniform(*seconds), d.log_uniform(1e9, 1e12)
    want = counting.step_seconds(block, rate, B, T, V, D, L)
    return Case((block, rate, B, T, V, D, L), setup={"bounds": [(0.75 * want, 1.25 * want)]})


def balanced(d: Draw):
    """Symbols, columns and layers with which the head takes 0.6 to 1.5 times as long as all blocks together."""
    V = round(d.log_uniform(*d.each((1000, 4000), (4000, 15_000), (100, 1000), (15_000, 60_000), (60_000, 400_000))))
    L = d.each(1, 3, 2, 12, 40) if V > 4000 else d.each(1, 2, 3)
    D = max(1, round(V / (12 * L * d.uniform(0.7, 1.3))))
    return (V, V), (D, D), (L, L)


step = {"ask": call("step_seconds"), "returns": ("the seconds",),
        "agree": Agree(view="course_utils.checks.allowed.between")}  # fmt: skip
promises(
    reference={"flops_per_token": counting.flops_per_token, "step_seconds": counting.step_seconds},
    agree=same(),
    returns=("the FLOPs",),
    always=(repeatable,),
    shares={"flops_per_token": 0.5, "step_seconds": 0.5},
    kept=[
        promise("flops_per_token gives what PyTorch has counted above, 169,344 with the small vocabulary", "must give what the machine has counted above",
                cases=[(26_176, 2, 32, 16)]),
        promise("per token: forward and backward pass of the N weights, and of the attention in L layers", cases=sizes,
                quote=("FLOPs per token of forward and backward pass", "N weights stand in matrix products, L layers of width D see T tokens",
                       "per token and head and in each of the $L$ layers, $T \\cdot d$ multiplications")),
        promise("with few symbols a step takes the time of its L blocks", "The other blocks are its copies", **step,
                cases=lambda d: timed(d, (10, 60), (64, 512), (2, 12), (32, 256))),
        promise("times of microseconds are estimated as well as long ones: nothing is rounded", "A fast machine may need microseconds for a block", **step,
                cases=lambda d: timed(d, (10, 60), (64, 512), d.each((1, 1), (2, 3)), (32, 256), seconds=d.each((1.3e-6, 1.45e-6), (1e-6, 5e-6), (5e-6, 3e-5)))),
        promise("with many symbols the head counts, in proportion to its operations", "its time is to the block's time as its operations are to the block's", **step,
                cases=lambda d: timed(d, (20_000, 60_000), (16, 96), (1, 4), (8, 64))),
        promise("with long texts a block's operations are those of its attention too", "A block's operations are those of its weights and of its attention", **step,
                cases=lambda d: timed(d, (40_000, 60_000), (16, 48), (1, 3), (1000, 4000))),
        promise("with any number of symbols, layers and columns the head counts, few or many", "its time is to the block's time as its operations are to the block's", **step,
                cases=lambda d: timed(d, *balanced(d), (4, 32)), visible=4),
        promise("one block on one sequence is enough to go by", **step, cases=lambda d: timed(d, (50, 5000), (16, 128), (1, 1), (16, 128), B=(1, 1)),
                quote=("Estimated seconds of one training step of a GPT with L blocks and V symbols on B sequences of T tokens",
                       "measured time of forward and backward pass of one block of width D on B sequences of T tokens", "measured FLOP per second of one large matrix product")),
    ],
)

# %% [markdown]
# Your estimate against the clock, on this machine, in CPU seconds; 1.00x would be exact. Optimiser, embeddings and loss are left out of the estimate; on the course's machine it was 0.65 to 0.99 of the measured time. For the narrow models, compare your estimate with that of the raw rate in the last column.

# %%
with waits_for("flops"):
    lines = [f"{'sizes':>34}{'timed step':>14}{'your estimate':>15}{'raw rate':>12}"]
    for V, D, L, H, T, B in (
        (51, 32, 4, 2, 64, 16),
        (51, 128, 2, 4, 64, 8),
        (5000, 64, 2, 4, 64, 8),
        (51, 16, 6, 2, 32, 8),
    ):
        model = small_gpt(V, D, L, H, T)
        block, step = cpu_seconds([block_action(D, H, B, T), step_action(model, B)])
        estimate = step_seconds(block, rate, B, T, V, D, L)
        raw = B * T * flops_per_token(product_weights(model), L, D, T) / rate
        lines.append(
            f"{f'V {V}, D {D}, L {L}, T {T}, B {B}':>34}{1000 * step:>11.1f} "
            f"ms{estimate / step:>14.2f}x{raw / step:>11.2f}x"
        )
    print("\n".join(lines))

# %% [markdown]
# And what does a whole pretraining cost? An example: the model at full size ($V=256$, $D=256$, $L=4$, $T=128$), and 650 passes over 23 batches of 128 sequences. (Notebook 07 has fewer and shorter texts.)

# %%
with waits_for("flops"):
    weights = product_weights(small_gpt(V=256, D=256, L=4, H=8, T=128))
    per_step = 128 * 128 * flops_per_token(weights, 4, 256, 128)
    whole = 650 * 23 * per_step
    print(f"one step {per_step / 1e12:.2f} TFLOP, one pretraining {whole / 1e15:.1f} PFLOP")
    for name, speed in (
        ("one core here, at a block's rate", reached[-1]),
        ("at 10 TFLOP/s", 1e13),
        ("at 500 TFLOP/s", 5e14),
    ):
        print(f"{name:>33}: {whole / speed:10,.0f} s = {whole / speed / 60:7,.1f} min")

# %% [markdown]
# ## Written question
#
# **raw_rate.** A colleague estimates the time of a training run as FLOPs divided by the rate of one large product. For which models is that nearly right, for which is it far off, and why? Use two numbers from your own run of section 5, and say what you would measure instead.

# %% [markdown] written="raw_rate" points=1 minutes=10 difficulty=2
# **Your answer · raw_rate**
#
# ### BEGIN SOLUTION
# It is nearly right for wide models with large batches: at D = 256 a block reaches about four fifths of the rate of one large product, and about nine tenths of its time are matrix products. It is far off for narrow ones: at D = 16 the large product is several times as fast, and nearly half of the time goes into norms, softmax,
# GELU, additions and the start of each operation, none of which the FLOP count contains; that work grows with D at most, the products with D². Small products are slow in themselves. I would time one block at the real width, batch and length, multiply by L, and add the head in
# proportion to its FLOPs.
#
# Rubric: (1) wide against narrow (or large against small products), the right way round; (2) names at least one cause: operations that are not matrix products, start-up of operations, little reuse of fetched numbers; (3) two measured numbers; (4) measure one block (or a step) at the real sizes. A quarter of the points each.
# ### END SOLUTION

# %% [markdown]
# ## The figure worth keeping
#
# Where are the parameters? The bars are for the same base twice, once as a language model, once as a classifier. In the language model nearly all of the numbers are in two tables of words, the embedding and the head; the classifier keeps only the first. The four layers are a small part of the base. The new head of a classifier, all that has to be trained from scratch, is tiny beside what is kept.

# %%
parts = ("embedding", "encoder", "head")
models = {"language model\n(C = 50,001)": 50_001, "classifier\n(C = 2)": 2}
fig, (ax,) = plots.new_figure(8.6, 3.4)
left = np.zeros(len(models))
for part, colour, hatch in zip(parts, ("#FFFFFF", "#777777", "#CCCCCC"), ("", "", "//"), strict=True):
    counts = np.array(
        [numel(encoder_parts(50_001, 200, 4, 2, C, device="meta")[part]) for C in models.values()]
    )
    label = {"embedding": "embedding", "encoder": "4 layers", "head": "output head"}[part]
    ax.barh(
        list(models), counts / 1e6, left=left / 1e6, color=colour, hatch=hatch, edgecolor="black", label=label
    )
    for row, count in enumerate(counts):
        if count > 500_000:
            ax.text((left[row] + count / 2) / 1e6, row + 0.42, f"{count:,}", ha="center", va="bottom")
    left += counts
for row, total in enumerate(left):
    ax.text(total / 1e6 + 0.2, row, f"{int(total):,}", va="center", fontweight="bold")
ax.set(xlabel="trained numbers (millions)", xlim=(0, 25), ylim=(-0.6, 2.1))
ax.legend(loc="upper center", ncol=3)
plots.show(fig, alt=alt_text("04_stacked_bars_trained"))

# %% [markdown]
# **To take away.** A model's size is a sum of a few kinds of parts, and the surest way to find an error in it is to vary one size and compare with `numel`. Once a batch has several times $D$ tokens, the memory of training is mostly activations; these take the same amount for every layer and grow with the batch; the state is sixteen bytes per parameter, whatever the batch. Operations are six per weight and
# token, plus attention's share, and they turn into seconds by timing one block rather than by believing a data sheet.
#
# **Further reading.** Vaswani et al., *Attention Is All You Need* (2017). Kaplan et al., *Scaling Laws for Neural Language Models* (2020), section 2.1. Hoffmann et al., *Training Compute-Optimal Large Language Models* (2022), appendix F. Chowdhery et al., *PaLM* (2022), appendix B. Korthikanti et al., *Reducing Activation Recomputation in
# Large Transformer Models* (2022). Williams, Waterman and Patterson, *Roofline: An Insightful Visual Performance Model for Multicore Architectures* (2009). Tay et al., *Synthesizer: Rethinking Self-Attention in Transformer Models* (2020).

# %%
torch.set_num_threads(threads_before)
hand_in("04_counting", files=[])
