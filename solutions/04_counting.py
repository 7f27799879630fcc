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

# %% [markdown] builds="exact counts, and two published totals that are wrong, explained"
# # 04 · Counting parameters, bytes and FLOPs
#
# Will it fit, and how long will it take? Both questions can be answered before a model exists, with a pencil. Here you count three things: the numbers that are trained, the bytes that training needs, and the operations of a training
# step. Each formula is checked against a machine that does its own counting.
#
# **Afterwards you can** predict the exact size of a Transformer and of its variants, find the error in a published count, say how much memory a batch takes, and estimate the time of a training run from one short measurement.
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
from course_utils.checks.selfcheck import check, handin, student  # noqa: F401 (the names that checks are given)
from course_utils.lessons.counting import (
    action_flops,
    block_action,
    counted_flops,
    cpu_seconds,
    encoder_parts,
    explicit_attention,
    matmul_rate,
    numel,
    product_share,
    product_weights,
    random_ids,
    saved_bytes,
    small_gpt,
    step_action,
    step_memory,
)
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
    print(f"{name:>18}: {numel(part):3}   " + ", ".join(f"{n} {tuple(p.shape)}" for n, p in part.named_parameters()))

# %% [markdown]
# The model counted here has the shape of notebook 05's (which runs a smaller one, with $2D$ inside the feed-forward network): an embedding, $L$ layers of `nn.TransformerEncoderLayer` and a linear head with $C$ outputs. Each layer is an attention, a feed-forward network of **two** linear maps ($D \to D \to D$: here the width inside is $D$ as well), and two layer norms. Positions are computed, not
# learned. As a language model it has $C = V$ outputs; as a classifier of reviews $C = 2$. The part without the head is called the *base*.
#
# A model need not fit into memory to be counted: on PyTorch's device `meta`, tensors have shapes and no numbers.

# %%
full = encoder_parts(V=50_001, D=200, L=4, H=2, C=50_001, device="meta")
for name, part in full.items():
    print(f"{name:>10}: {numel(part):>11,}")
huge = encoder_parts(V=50_257, D=12_288, L=1, H=96, C=50_257, device="meta")
print(
    f"one layer of width 12,288: {numel(huge['encoder']):,} numbers, {4 * numel(huge['encoder']) / 1e9:.1f} GB if it were real"
)

# %% [markdown]
# ### Exercise · count_encoder
#
# Give the base and the head as two numbers. (Not by building a model: a formula works for sizes that take minutes to build.)
#
# <details><summary>Hint 1 · nudge</summary>How many linear maps from D to D does one layer hold, counting the attention's and the feed-forward network's? How many layer norms?</details>
# <details><summary>Hint 2 · idea</summary>Six linear maps and two norms per layer; then L layers, the embedding, and the head apart.</details>
# <details><summary>Hint 3 · nearly there</summary>A layer has 6(D² + D) + 2·2D numbers. The head is a linear map from D to C with a bias; the traps are forgetting the biases and letting H into the formula.</details>


# %% answer="count_encoder"
def count_encoder(V: int, D: int, L: int, H: int, C: int) -> tuple[int, int]:
    """Trained numbers of the base (embedding and L encoder layers, feed-forward width D) and of the head with C outputs.

    Returns (base, head), two whole numbers.
    """
    ### BEGIN SOLUTION
    layer = 6 * D**2 + 10 * D
    return V * D + L * layer, C * D + C
    ### END SOLUTION


# %% check="count_encoder" points=1.5 minutes=10 difficulty=1
from course_utils.lessons.counting import encoder_parts, numel

with check("count_encoder") as c:

    def pair(got):
        c.that(isinstance(got, tuple) and len(got) == 2, "return two numbers: the base and the head")
        return got

    base, head = pair(student.count_encoder(50_001, 200, 4, 2, 50_001))
    lost = {
        160_800: "a linear map from D to D is missing in every layer: attention has four of them, the feed-forward network two",
        321_600: "two linear maps are missing in every layer: attention has four, the feed-forward network two",
        4_800: "the biases of the linear maps are missing",
        3_200: "4D numbers are missing in each layer: either the layer norms are missing (two, each with a gain and a bias), or the biases of attention's four maps",
        1_600: "2D numbers are missing in each layer: there are two layer norms, each with a gain and a bias, and two biases in the feed-forward network",
        800: "D numbers are missing in each layer: one bias of a linear map",
        -400: "there is no layer norm after the last layer in this model",
        -200: "an embedding has no bias",
        726_000: "L multiplies the whole layer",
        10_000_200: "the embedding is missing in the base",
        -962_400: "the feed-forward network's inner width is D here, not 4D",
        -482_400: "heads do not change the count: H maps of width D/H hold as many numbers as one of width D",
    }
    c.that((base, head) != (10_050_201, 10_968_200), "first the base, then the head")
    c.that(10_968_200 - base not in lost, lost.get(10_968_200 - base, "the base is wrong"))
    c.that(head != 10_000_200, "the head's bias is missing")
    c.close(head, 10_050_201, "the head is a linear map from D to C: a matrix and a bias", atol=0.5, rtol=0)
    hint = "the base is not what numel says; print the parts of a small layer with named_parameters"
    c.close(base, 10_968_200, hint, atol=0.5, rtol=0)
    base, head = pair(student.count_encoder(50_001, 200, 4, 2, 2))
    c.close(base + head, 10_968_602, "the classifier differs from the language model in C alone", atol=0.5, rtol=0)
    ### BEGIN HIDDEN TESTS
    for _ in range(10):
        H, d = c.rng.randint(1, 4), c.rng.randint(2, 9)
        V, D, L, C = c.rng.randint(5, 90), H * d, c.rng.randint(2, 4), c.rng.randint(2, 60)
        parts = encoder_parts(V, D, L, H, C)
        base, head = pair(student.count_encoder(V, D, L, H, C))
        right = numel(parts["embedding"]) + numel(parts["encoder"])
        c.that(base != right - 3 * L * (1 - H) * (D * D + D) or H == 1, "heads do not change the count")
        c.close(base, right, "the base is not what numel says for other sizes", atol=0.5, rtol=0)
        c.that(head != C * D, "the head's bias is missing")
        c.close(head, numel(parts["head"]), "the head is a linear map from D to C, with a bias", atol=0.5, rtol=0)
    ### END HIDDEN TESTS

# %% [markdown]
# ## 2 · What is wrong here?
#
# A solution sheet that has been on the web for some time counts this very model ($V=50{,}001$, $D=200$, $L=4$, $H=2$) and finds **20,613,801** for the language model and **10,564,002** for the classifier. Its author ran the code, too, got 21,018,401 and 10,968,602, and could not tell
# where the difference of 404,600 comes from. The sheet's reasoning, step by step:
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
# Here are eight objections that somebody might raise. Some of them name real errors in the sheet; the others either are no errors at all or name errors that the sheet does not make.
#
# | letter | remark |
# |---|---|
# | A | the biases of queries, keys and values are forgotten |
# | B | $H$ heads need $H$ times as many numbers for queries, keys and values |
# | C | from step 5 to step 7 a bracket has slipped: $L$ multiplies the first term alone |
# | D | one number per column is forgotten in every layer norm |
# | E | the feed-forward network has a second linear map |
# | F | the head ought to share the embedding's matrix |
# | G | the bias of the map that brings the heads together is forgotten |
# | H | the head's bias is forgotten |
#
# ### Exercise · find_the_slip
#
# Write two functions. `published_total` follows the sheet, errors and all. `slips` names the errors: a dictionary from the letter of each *true* remark to one whole number: how many trained numbers this error **alone** would lose, that is, the right count minus the count of somebody who makes this one error and no other. Remarks that are not true do not occur in it.
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
    """The sheet's true errors: letter -> how many numbers this error alone loses against the right count."""
    ### BEGIN SOLUTION
    return {"C": (L - 1) * (3 * D**2 + 7 * D), "E": L * (D**2 + D), "G": L * D}
    ### END SOLUTION


# %% check="find_the_slip" points=2 minutes=20 difficulty=2
from course_utils.lessons.counting import encoder_parts, numel

with check("find_the_slip") as c:
    for C, printed in ((50_001, 20_613_801), (2, 10_564_002)):
        total = student.published_total(50_001, 200, 4, C)
        c.that(
            total not in (21_018_401, 10_968_602),
            "this is the right count; published_total follows the sheet, with its errors",
        )
        c.that(total != printed + 243_000, "this is step 5; the sheet's numbers come from step 7")
        c.close(
            total, printed, "published_total must give the sheet's number: take step 7 as it stands", atol=0.5, rtol=0
        )
    losses = student.slips(20, 6, 1, 9)
    c.that(
        isinstance(losses, dict) and all(k in tuple("ABCDEFGH") for k in losses),
        "slips returns a dictionary from letters (A to H) to whole numbers",
    )
    ### BEGIN HIDDEN TESTS
    for _ in range(10):
        V, D, L, C = c.rng.randint(5, 900), c.rng.randint(2, 300), c.rng.randint(2, 12), c.rng.randint(2, 900)
        total, losses = student.published_total(V, D, L, C), student.slips(V, D, L, C)
        layer, kept = 6 * D * D + 10 * D, 3 * (D * D + D)
        c.close(
            total,
            V * D + L * kept + 2 * D * D + 5 * D + C * D + C,
            "published_total must follow step 7 for every size",
            atol=0.5,
            rtol=0,
        )
        spared = {
            "A": "A is no error of the sheet: look at the + d in step 2",
            "B": "B is no error: each of the H heads has a width of D/H only",
            "D": "D is no error of the sheet: 2D is gain and bias",
            "F": "F is no error: sharing is possible, but this model does not do it",
            "H": "H is no error of the sheet: look at the + C in step 6",
        }
        for letter, hint in spared.items():
            c.that(letter not in losses, hint)
        c.that("C" in losses, "an error is missing: compare the brackets of steps 5 and 7")
        c.that("E" in losses, "an error is missing: count the matrices of the feed-forward network")
        c.that("G" in losses, "an error is missing: look for a bias that step 2 has not")
        c.that(
            losses["C"] != (L - 1) * (2 * D * D + 5 * D),
            "C alone: the other parts are not forgotten then, so the bracket loses more than in the sheet",
        )
        c.that(
            losses["C"] != L * (layer - kept), "C: one copy of the remaining terms is still counted, so L − 1 are lost"
        )
        c.close(
            losses["C"],
            (L - 1) * (layer - kept),
            "C: all but one copy of what stands beside 3(D² + D) is lost",
            atol=0.5,
            rtol=0,
        )
        c.that(losses["E"] != D * D + D or L == 1, "E: the part is missing in each of the L layers")
        c.that(losses["E"] != L * D * D, "E: the second map has a bias too")
        c.close(losses["E"], L * (D * D + D), "E: a linear map from D to D in every layer", atol=0.5, rtol=0)
        c.close(losses["G"], L * D, "G: a bias of D numbers in every layer", atol=0.5, rtol=0)
    ### END HIDDEN TESTS

    losses = student.slips(20, 6, 1, 9)
    c.close(
        sum(losses.values()),
        numel(encoder_parts(20, 6, 1, 2, 9)) - student.published_total(20, 6, 1, 9),
        "with one layer (L = 1) a slipped bracket loses nothing, and the other losses must add up to the sheet's shortfall",
        atol=0.5,
        rtol=0,
    )
    doubled = student.slips(20, 6, 2, 9)
    c.that(
        all(doubled.get(letter) == 2 * loss for letter, loss in losses.items() if loss),
        "a part that is missing in each of the L layers is lost L times",
    )
    losses = student.slips(50_001, 200, 4, 50_001)
    c.that(all(loss != 0 for loss in losses.values()), "what loses nothing is no error: leave its letter out")
    whole = sum(losses.values())
    c.that(whole != 161_600, "an error is missing: compare the brackets of steps 5 and 7")
    c.that(
        whole != 404_600,
        "each error alone, in an otherwise right count: then the bracket loses more than it does in the sheet, where parts are forgotten",
    )
    c.close(
        whole,
        525_800,
        "with L = 4 the losses have another sum: each is the right count minus a count with this one error",
        atol=0.5,
        rtol=0,
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
    plots.show(
        fig,
        alt="Right count minus the sheet's count, divided by the width squared, against the number of layers from 1 to 8 for widths 16, 32 and 64. Straight lines: about one D squared is missing with one layer, and three more with each further layer; the small biases shift the lines for small widths.",
    )

# %% [markdown]
# With one layer about one $D^2$ is missing: a forgotten matrix, in the layer. Each further layer loses about three: one is that matrix again, two are lost by the bracket. So the picture tells the two large errors apart; the forgotten bias is too small to be seen.
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
# | `"synthesizer_shared"` | a well-known code base does not follow this equation: there all heads of a layer share one $B: (d, T-1)$ and one $b_2: (T-1)$, while $A_i$ and $b_{1,i}$ are still per head |
# | `"perceiver"` | the model has $m$ learned start vectors of width $D$, once; the first block reads into them and the last one writes back, and every block has the same parts as in `"vanilla"` |
#
# Before you count: which of these depend on $H$, if $D$ stays the same? Note your guess on paper; the plot below the exercise shows the answer for four of them.

# %%
print("vanilla at full size:", f"{small_gpt(V=256, D=256, L=4, H=8, T=128).n_params():,}")
for name, p in small_gpt(V=7, D=4, L=1, H=2, T=5).named_parameters():
    print(f"{name:>28} {tuple(p.shape)}")

# %% [markdown]
# ### Exercise · count_gpt
#
# At $V=256$, $D=256$, $L=4$, $H=8$, $T=128$ the counts must be
#
# | vanilla | rope | relative | synthesizer | synthesizer_shared | perceiver, $m=32$ |
# |---|---|---|---|---|---|
# | 3,323,392 | 3,290,624 | 3,294,720 | 3,195,392 | 3,076,988 | 3,331,584 |
#
# <details><summary>Hint 1 · nudge</summary>Write the vanilla count first, with the attention as a term of its own. Each variant then changes one term.</details>
# <details><summary>Hint 2 · idea</summary>A block: attention 4(D² + D), feed-forward 8D² + 5D, norms 4D. Outside: tokens VD, positions TD, last norm 2D, head DV.</details>
# <details><summary>Hint 3 · nearly there</summary>The matrices A_i of all heads side by side are one D × D matrix, their biases D numbers. All B_i together hold H·d·T = D·T numbers, all b_2 H·T. The traps are the head's bias (there is none) and the shared width T − 1.</details>


# %% answer="count_gpt"
def count_gpt(V: int, D: int, L: int, H: int, T: int, variant: str = "vanilla", m: int = 0) -> int:
    """Trained numbers of the GPT or one of its variants, named as in the table; m is the perceiver's number of start vectors."""
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
from course_utils.lessons.counting import small_gpt

with check("count_gpt") as c:
    known = {
        "vanilla": 3_323_392,
        "rope": 3_290_624,
        "relative": 3_294_720,
        "synthesizer": 3_195_392,
        "synthesizer_shared": 3_076_988,
        "perceiver": 3_331_584,
    }
    anywhere = {
        256: "the head has no bias in this model",
        -512: "the last layer norm is missing",
        -256: "the last layer norm has a gain and a bias",
        -1_575_936: "the feed-forward network is four times as wide inside as outside",
        -5_120: "the biases of the feed-forward network are missing: 4D and D numbers",
        -2_048: "a block has two layer norms, each with a gain and a bias",
        -65_536: "the head is missing: it does not share the token table",
    }
    here = {
        "vanilla": {-32_768: "the table of positions is missing"},
        "rope": {32_768: "the table of positions is gone in this variant"},
        "relative": {
            32_768: "the table of positions is gone in this variant",
            -3_072: "every layer has biases of its own",
            -3_584: "every head has biases of its own",
            -4_096: "the biases are missing, H times T in each layer",
            4_064: "a causal model meets T distances, 0 to T − 1",
        },
        "synthesizer": {
            -32_768: "the table of positions stays in this variant",
            263_168: "keys are gone too, A_i takes the place of queries and keys",
            -263_168: "only queries and keys are gone: values and the output map stay",
            -118_272: "each head has a B_i and a b_2 of its own",
            -3_584: "each head has a b_2 of its own",
            -4_096: "b_2 belongs to the count, T numbers per head",
            -1_024: "b_1 belongs to the count, d numbers per head",
        },
        "synthesizer_shared": {
            -32_768: "the table of positions stays in this variant",
            132: "the shared B and b_2 have the width T − 1",
            3_556: "all heads of a layer share one b_2",
            117_348: "all heads of a layer share one B and one b_2",
            -230_272: "only B and b_2 are shared: every head has an A_i and a b_1 of its own",
        },
        "perceiver": {
            -32_768: "the table of positions stays in this variant",
            -8_192: "the start vectors are missing",
            8_192: "the start vectors stand once: the last block writes back without vectors of its own",
            24_576: "the start vectors stand once, not in each layer",
        },
    }
    for variant, count in known.items():
        got = student.count_gpt(256, 256, 4, 8, 128, variant, 32)
        excess = here[variant] | anywhere
        c.that(got - count not in excess, f"{variant}: {excess.get(got - count, 'wrong')}")
    ### BEGIN HIDDEN TESTS
    from solutions.reference.counting import VARIANTS, gpt_numel

    for _ in range(8):
        H, d = c.rng.randint(2, 5), c.rng.randint(2, 8)
        V, D, L, T, m = c.rng.randint(10, 70), H * d, c.rng.randint(2, 4), c.rng.randint(3, 40), c.rng.randint(3, 9)
        plain = gpt_numel(V, D, L, H, T)
        for variant in VARIANTS:
            right = gpt_numel(V, D, L, H, T, variant, m)
            got = student.count_gpt(V, D, L, H, T, variant, m)
            shared = variant == "synthesizer_shared"
            excess = {
                "the head has no bias in this model": V,
                "the last layer norm is missing": -2 * D,
                "the head is missing: it does not share the token table": -V * D,
                "the feed-forward network is four times as wide inside, and has two maps with biases": -6 * L * D * D
                - 3 * L * D,
                f"{variant}: the table of positions is gone": T * D if variant in ("rope", "relative") else 0,
                "relative: every layer has biases of its own": -(L - 1) * H * T if variant == "relative" else 0,
                "relative: every head has biases of its own": -L * (H - 1) * T if variant == "relative" else 0,
                "relative: a causal model meets T distances, 0 to T − 1": L * H * (T - 1)
                if variant == "relative"
                else 0,
                "synthesizer: each head has a B_i and a b_2 of its own": -L * (H - 1) * (d + 1) * T
                if variant == "synthesizer"
                else 0,
                "synthesizer: each head has a b_2 of its own": -L * (H - 1) * T if variant == "synthesizer" else 0,
                "synthesizer: b_1 belongs to the count": -L * D if variant.startswith("synth") else 0,
                "synthesizer: b_2 belongs to the count": -L * (T - 1 if shared else H * T)
                if variant.startswith("synth")
                else 0,
                "synthesizer: keys are gone too, A_i takes the place of queries and keys": L * (D * D + D)
                if variant.startswith("synth")
                else 0,
                "synthesizer_shared: the shared B has the width T − 1": L * (d + 1) if shared else 0,
                "synthesizer_shared: all heads share one B and one b_2": L * (H - 1) * (d + 1) * (T - 1)
                if shared
                else 0,
                "perceiver: the start vectors stand once, not in each layer": (L - 1) * m * D
                if variant == "perceiver"
                else 0,
                "perceiver: the start vectors are missing": -m * D if variant == "perceiver" else 0,
            }
            if got != right:
                for hint, extra in excess.items():
                    c.that(extra == 0 or got != right + extra, hint)
                c.that(variant == "vanilla" or got != plain, f"{variant}: this is the vanilla count")
            c.close(got, right, f"{variant}: the count is not what numel says", atol=0.5, rtol=0)
    ### END HIDDEN TESTS

    c.close(
        student.count_gpt(11, 6, 2, 3, 5),
        small_gpt(11, 6, 2, 3, 5).n_params(),
        "the vanilla count holds for one size only; compare part by part with a small model",
        atol=0.5,
        rtol=0,
    )
    for variant, count in known.items():
        hint = f"{variant}: compare with the shapes printed above and with the table of variants"
        c.close(student.count_gpt(256, 256, 4, 8, 128, variant, 32), count, hint, atol=0.5, rtol=0)

# %% [markdown]
# When do heads change the count? Only where something has the *width* of a head without there being $H$ of them side by side, or where there are $H$ of something that does not shrink with $d$.

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
    ax.set(xlabel="attention heads H (width D = 256 stays the same)", ylabel="trained numbers relative to one head")
    ax.legend()
    plots.show(
        fig,
        alt="Trained numbers against the number of heads from 1 to 64, relative to one head. Vanilla is a level line. The relative bias and the synthesizer rise slightly and lie on top of each other, by about one percent at 64 heads; the synthesizer with a shared B falls by about four percent, most of it up to 8 heads.",
    )

# %% [markdown]
# The two rising curves lie on top of each other: each further head adds one row of $T$ numbers per layer to both: the biases of the distances in the one, $b_{2,i}$ in the other. The falling one shares what it has, and what it shares becomes narrower with $d$.
#
# ## 4 · Bytes
#
# A number in float32 takes 4 bytes. Training keeps two kinds of numbers.
#
# **The state**, whose size does not depend on the batch: parameters, for each of them AdamW's two moments (running means of the gradient and of its square), and, from the backward pass until the update, a gradient.
#
# **The activations**: what the forward pass has to keep because the backward pass will ask for it. The derivative of $y = xW$ with respect to $W$ needs $x$, so a linear map keeps its *input*. The rules:
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
print("kept by a linear map 100 -> 300 and a ReLU for 32 tokens:", kept, "(the (100, 300) one is the matrix itself)")

# %% [markdown]
# Now one whole training step of a small GPT, with PyTorch's profiler writing down every allocation and release. On the left the explicit attention, on the right PyTorch's fused kernel, which throws the weights away and computes them again in the backward pass.

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
plots.show(
    fig,
    alt="Memory in use during one training step, for explicit and for fused attention. Both climb by the same amount for each of the four layers during the forward pass, reach the peak at the loss and fall again layer by layer during the backward pass. The peak is about 45 megabytes with explicit attention and about 36 with the fused kernel.",
)
for name, in_use in curves.items():
    print(f"{name:>18}: peak {max(in_use) / 1e6:.1f} MB; the state takes {16 * model.n_params() / 1e6:.1f} MB")

# %% [markdown]
# Up by the same amount for every layer, and down again from the last layer to the first: that is backpropagation in a picture. (It does not come down quite to zero: the gradients, which the curve includes, pile up until the optimiser has used them.) And the state is small beside the activations once the batch is of a decent size.
#
# ### Exercise · training_bytes
#
# Give the bytes of the state and of the activations for section 3's GPT (vanilla, with $N$ trained numbers), in float32, with explicit attention. Small items (means of the layer norms, masks) may be left out: the check allows 15 % on the activations. The peak may hold two more copies of the $V$ numbers per token
# (gradients of the loss); an answer with or without them is accepted.
#
# <details><summary>Hint 1 · nudge</summary>Go through a block line by line and write down what each operation keeps, in units of D per token. The feed-forward network has 4D columns inside.</details>
# <details><summary>Hint 2 · idea</summary>Norm 1: D. Queries, keys, values: D for their common input and 3D as factors. Weights: HT. Output map: D. Norm 2: D. Feed-forward: D, 4D before the GELU and 4D after it.</details>
# <details><summary>Hint 3 · nearly there</summary>Per token and layer 16D + HT numbers; after the layers D for the last norm, D for the head, V for the loss. Multiply by the B·T tokens and by 4 bytes. The traps are HT (each token keeps a row of weights for every head) and B.</details>


# %% answer="training_bytes"
def training_bytes(N: int, B: int, T: int, V: int, D: int, L: int, H: int) -> tuple[int, int]:
    """Bytes needed to train a GPT with N parameters by AdamW in float32 on B sequences of T tokens, explicit attention.

    Returns (state, activations): state = parameters, gradients and both moments.
    """
    ### BEGIN SOLUTION
    state = 4 * 4 * N
    activations = 4 * B * T * (L * (16 * D + H * T) + 2 * D + V)
    return state, activations
    ### END SOLUTION


# %% check="training_bytes" points=2 minutes=25 difficulty=3
from course_utils.lessons.counting import explicit_attention, random_ids, saved_bytes, small_gpt

with check("training_bytes") as c:

    def ask(*sizes):
        got = student.training_bytes(*sizes)
        c.that(isinstance(got, tuple) and len(got) == 2, "return two numbers: the state and the activations")
        return got

    def measure(B, T, V, D, L, H):
        model = small_gpt(V, D, L, H, T)
        with explicit_attention():
            return model.n_params(), saved_bytes(model, random_ids(model, B))

    def compare(sizes):
        N, measured = measure(*sizes)
        state, activations = ask(N, *sizes)
        c.close(state, 16 * N, "the state is parameters, gradients and two moments, 4 bytes each", atol=0.5, rtol=0)
        B, T, V = sizes[:3]
        most = 1.15 * (measured + 8 * B * T * V)
        c.that(not 0.85 * measured < 4 * activations < most, "these are numbers: in float32 each takes 4 bytes")
        c.that(
            activations > 0.85 * measured,
            "the activations are less than the saved tensors take: go through a block with the table, something that is kept is missing",
        )
        c.that(
            activations < most,
            "the activations are more than the saved tensors take: sums, scores and outputs that nobody asks for again are not kept",
        )

    one, two, long, deep, words = (
        ask(100, B, T, V, 64, L, 4)
        for B, T, V, L in ((8, 32, 51, 3), (16, 32, 51, 3), (8, 64, 51, 3), (8, 32, 51, 6), (8, 32, 5051, 3))
    )
    split = ask(100, 8, 256, 51, 64, 3, 8)[1] - ask(100, 8, 256, 51, 64, 3, 4)[1]
    c.close(two[0], one[0], "the state does not depend on the batch", atol=0.5, rtol=0)
    c.close(two[1], 2 * one[1], "twice the batch keeps twice as many activations", atol=0.5, rtol=0)
    c.that(deep[1] > 1.8 * one[1], "each of the L layers keeps its activations")
    c.that(
        long[1] > 2.01 * one[1],
        "with sequences twice as long the activations more than double: every token keeps a row of T weights for each head",
    )
    c.that(split > 0, "with twice as many heads more is kept: every head keeps weights of its own")
    c.that(
        words[1] - one[1] > 0.8 * 8 * 32 * 5_000,
        "a larger vocabulary keeps more: the loss keeps log-probabilities, V numbers per token",
    )

    ### BEGIN HIDDEN TESTS
    def kept(B, T, V, D, L, H, columns=16, rows=1, bytes_each=4):
        """The closed form; a test of the course holds it to the profiler's peak."""
        return bytes_each * B * T * (L * (columns * D + rows * H * T) + 2 * D + V)

    def draw(kind):
        """Sizes at which weights, vocabulary or width dominate, and both are seen among others."""
        r = c.rng.randint
        H = r(2, 8)
        return {
            "long": (r(32, 64), r(600, 1500), r(40, 90), H * r(6, 12), r(5, 12), H),
            "words": (r(32, 64), r(32, 64), r(20_000, 60_000), H * r(8, 16), r(2, 4), H),
            "wide": (r(32, 64), r(32, 64), r(40, 90), H * r(60, 100), r(5, 12), H),
        }[kind]

    for number in range(12):
        kind = ("long", "words", "wide")[number % 3]
        B, T, V, D, L, H = sizes = draw(kind)
        N = c.rng.randint(10_000, 10_000_000)
        state, activations = ask(N, *sizes)
        for count, hint in {
            4: "the state is more than the parameters: gradients and two moments stay in memory too",
            8: "AdamW keeps two moments for every parameter",
            12: "of parameters, gradients and two moments one is missing in the state",
            10: "gradients and moments are float32 here, 4 bytes each",
        }.items():
            c.that(state != count * N, hint)
        c.close(state, 16 * N, "the state is 4 numbers per parameter, 4 bytes each", atol=0.5, rtol=0)
        right = kept(*sizes)
        if not 0.85 * right < activations < 1.15 * (right + 8 * B * T * V):
            for wrong, hint in (
                (right // 4, "a float32 number takes 4 bytes"),
                (right // 2, "numbers are float32 here, 4 bytes each"),
                (
                    kept(*sizes, rows=0),
                    "the weights of the attention are missing: H rows of T numbers per token and layer",
                ),
                (kept(B, T, V, D, L, 1), "every head keeps weights of its own"),
                (kept(*sizes, rows=2), "scores are not kept, only the weights that the softmax makes of them"),
                (kept(*sizes, columns=10), "the feed-forward network is 4D wide inside: before and after the GELU"),
                (kept(*sizes, columns=12), "the feed-forward network is 4D wide inside, before the GELU and after it"),
                (kept(B, T, 0, D, L, H), "the loss keeps log-probabilities, V numbers per token"),
            ):
                c.that(abs(activations - wrong) > 0.005 * wrong, hint)
            c.fails("the activations are off by more than 15 %: go through a block with the table, in units of D")
    for _ in range(3):
        H = c.rng.randint(1, 4)
        compare((32, c.rng.randint(16, 64), c.rng.randint(30, 60), H * c.rng.randint(8, 16), c.rng.randint(1, 3), H))
    ### END HIDDEN TESTS

    compare((32, 32, 51, 64, 3, 4))
    compare((4, 128, 51, 32, 1, 8))

# %% [markdown]
# Formula against measurement, on models that fit here:

# %%
with waits_for("training_bytes"):
    lines = [f"{'B':>4}{'T':>5}{'V':>6}{'D':>5}{'L':>3}{'H':>3}{'saved tensors':>16}{'your formula':>15}{'ratio':>7}"]
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
            f"{B:>4}{T:>5}{V:>6}{D:>5}{L:>3}{H:>3}{measured / 1e6:>13.2f} MB{predicted / 1e6:>12.2f} MB{predicted / measured:>7.3f}"
        )
    print("\n".join(lines))

# %% [markdown]
# ## 5 · Operations, and seconds
#
# Count a multiplication with an addition as **two** operations (FLOPs), so a matrix with $n$ weights costs $2n$ per token in the forward pass. The backward pass has two products for each one of the forward pass (one for the gradient of the input, one for that of the matrix), which makes $6$ per weight
# in all. Attention has two products more, queries with keys and weights with values. Each of these two costs, per token and head and in each of the $L$ layers, $T \cdot d$ multiplications (with an addition each); the backward pass costs twice as much as the forward pass here too. The half that the causal mask hides is computed all the same, and counted.
#
# Which weights? Let the machine count: a GPT with a tiny and one with a huge vocabulary.

# %%
for V in (50, 5_000):
    model = small_gpt(V=V, D=32, L=2, H=2, T=16)
    flops = counted_flops(model, random_ids(model, 4)) / (4 * 16)
    print(
        f"V = {V:5,}: counted {flops:11,.0f} FLOPs per token; all numbers {model.n_params():8,}, those in linear maps {product_weights(model):8,}"
    )

# %% [markdown]
# Looking up a row of a table costs nothing, so the tables of tokens and positions do not count (with large vocabularies, that is half of the numbers). In this section $N$ is therefore not the number of all trained numbers but that of the weights in matrix products, biases not among them: `product_weights(model)`.
#
# From operations to seconds one needs a rate. The obvious one is the rate of a single large matrix product, which comes closest to the peak that data sheets print. Let us see what a block reaches.

# %%
rate = matmul_rate()
widths = [16, 32, 64, 128, 256]
reached, shares = [], []
for D in widths:
    tokens, T = 1024, 32
    action = block_action(D, 2, tokens // T, T)
    reached.append(action_flops(action) / cpu_seconds([action])[0])
    shares.append(product_share(action))
fig, axes = plots.new_figure(9.6, 3.8, columns=2)
axes[0].plot(widths, np.array(reached) / 1e9, label="one block, forward and backward", **plots.styles(1)[0])
axes[0].axhline(rate / 1e9, color="black", linestyle=":", label="one large matrix product")
axes[0].set(xlabel="width D (columns)", ylabel="rate (10⁹ FLOP per CPU second)", ylim=(0, 1.4e-9 * rate))
axes[0].set_xscale("log", base=2)
axes[0].set_xticks(widths, [str(D) for D in widths])
axes[0].legend(loc="upper left")
axes[1].bar([str(D) for D in widths], 100 * np.array(shares), color="#BBBBBB", edgecolor="black")
axes[1].set(xlabel="width D (columns)", ylabel="time in matrix products (%)", ylim=(0, 100))
plots.show(
    fig,
    alt="Left: operations per second of one block against its width, compared with one large matrix product; narrow blocks reach only a fraction, wide ones come close. Right: share of the block's time that is spent in matrix products; it grows with the width.",
)
for D, r, share in zip(widths, reached, shares, strict=True):
    print(
        f"D = {D:3}: {r / 1e9:6.1f} GFLOP/s, the large product is {rate / r:4.1f} times as fast; in products {share:.0%} of the time"
    )

# %% [markdown]
# Two reasons, both in the figure. In a narrow block much of the time goes into what the FLOP count leaves out: norms, softmax, GELU, additions and the start of each operation. That work grows with $D$ at most (the softmax's with $HT$, and a start costs always the same), whereas the products with the weights grow with $D^2$. And the products themselves are slower when they are small, because each
# number fetched from memory is used fewer times. On the machine used for this text, the raw rate was too optimistic by a factor of five or more at small widths, and by more than ten for a whole step of a tiny model (below); your lines above say by how much on yours.
#
# So measure the thing itself: **one** block, once, at the width, batch and length you want. The other blocks are its copies. The head is not a block, but it too is estimated at the rate that the block has reached: its time is to the block's time as its operations are to the block's.
#
# ### Exercise · flops
#
# `flops_per_token` counts forward and backward pass, and must give what the machine has counted above. `step_seconds` estimates the time of a whole training step. It is told how long the forward and backward pass of one block took on a batch, *and* the rate of one large product on the same machine; use whichever helps.
#
# <details><summary>Hint 1 · nudge</summary>Forward and backward pass together are three times the forward pass. A block has 12D² weights in products.</details>
# <details><summary>Hint 2 · idea</summary>Attention, forward: 2·T·d for the scores and as much for the weighted sum, for each of H heads: 4TD per token and layer. For the time: L blocks, and the head in proportion to its operations.</details>
# <details><summary>Hint 3 · nearly there</summary>6N + 12·L·D·T. A block costs 6·12D² + 12DT per token, the head 6VD; so the head takes VD / (12D² + 2DT) blocks' time. The trap is the rate of the large product, for the blocks and for the head.</details>


# %% answer="flops"
def flops_per_token(N: int, L: int, D: int, T: int) -> int:
    """FLOPs per token of forward and backward pass; N weights stand in matrix products, L layers of width D see T tokens."""
    ### BEGIN SOLUTION
    return 6 * N + 12 * L * D * T
    ### END SOLUTION


def step_seconds(block_seconds: float, product_rate: float, B: int, T: int, V: int, D: int, L: int) -> float:
    """Estimated seconds of one training step of a GPT with L blocks and V symbols on B sequences of T tokens.

    block_seconds: measured time of forward and backward pass of one block of width D on B sequences of T tokens.
    product_rate: measured FLOP per second of one large matrix product.
    """
    ### BEGIN SOLUTION
    block = flops_per_token(12 * D**2, 1, D, T)
    whole = flops_per_token(12 * L * D**2 + V * D, L, D, T)
    return block_seconds * whole / block
    ### END SOLUTION


# %% check="flops" points=1.5 minutes=20 difficulty=2
with check("flops") as c:
    ### BEGIN HIDDEN TESTS
    def shortfalls(N, L, D, T):
        products, weights = 6 * N, 12 * L * D * T
        return {
            "this is the forward pass alone; the backward pass costs twice as much again": (products + weights) / 3,
            "the backward pass costs two products for each one of the forward pass": (products + weights) * 2 / 3,
            "a multiplication with an addition counts as two operations": (products + weights) / 2,
            "the attention's two products with T keys are missing": products,
            "attention has a backward pass too, which costs twice as much again": products + weights / 3,
            "attention has two products, scores and weighted sum, and a causal mask saves neither": products
            + weights / 2,
            "a causal mask saves nothing here: hidden scores are computed all the same": products + 6 * L * D * (T + 1),
            "each of the L layers has an attention": products + weights / L,
            "per token, not per sequence: every token meets T keys once": products + weights * T,
        }

    for _ in range(10):
        N, L = c.rng.randint(10_000, 10**8), c.rng.randint(2, 40)
        D, T = c.rng.randint(16, 4096), c.rng.randint(8, 4096)
        got = student.flops_per_token(N, L, D, T)
        for hint, wrong in shortfalls(N, L, D, T).items():
            c.that(abs(got - wrong) > 0.5, hint)
        c.close(got, 6 * N + 12 * L * D * T, "per token: 6 for each weight, and the attention", atol=0.5, rtol=1e-9)

    # Measured once on one CPU core: (B, T, V, D, L), seconds of a block, of a whole step; FLOP per second of a product.
    recorded = (
        ((8, 32, 51, 16, 6), 0.00117, 0.00775),
        ((16, 64, 51, 32, 4), 0.00310, 0.01510),
        ((32, 32, 51, 64, 6), 0.00646, 0.04195),
        ((16, 64, 5000, 64, 2), 0.00752, 0.05580),
        ((16, 32, 5000, 32, 3), 0.00186, 0.01852),
        ((8, 64, 256, 128, 4), 0.01013, 0.04614),
        ((16, 128, 51, 128, 2), 0.04128, 0.08828),
        ((8, 64, 256, 256, 2), 0.03424, 0.07478),
    )
    for sizes, block, step in recorded:
        B, T, V, D, L = sizes
        got = student.step_seconds(block, 9.27e10, B, T, V, D, L)
        raw = B * T * (6 * (12 * L * D * D + V * D) + 12 * L * D * T) / 9.27e10
        if not step / 2 < got < 2 * step:
            c.that(abs(got - raw) > 0.02 * raw, "the rate of a large product is too optimistic for a block")
            c.that(
                abs(got - L * block) > 0.02 * got,
                "the head is missing: with many symbols it costs more than all blocks together",
            )
            c.that(abs(got - block) > 0.02 * got, "one block is not the model: multiply by L")
            c.that(abs(got - 3 * L * block) > 0.1 * got, "block_seconds has the backward pass in it already")
            c.that(abs(got - B * L * block) > 0.1 * got, "block_seconds is for the whole batch already")
            c.that(got > step / 2, "the estimate is too short: less than half of a step that was timed")
            c.fails("the estimate is too long: twice a step that was timed; the head counts once, as its operations do")
    for number in range(10):
        B, T, L, D = c.rng.randint(8, 64), c.rng.randint(32, 256), c.rng.randint(2, 12), c.rng.randint(32, 512)
        V, block, fast = (51, 256, 30_000)[number % 3], c.rng.uniform(1e-4, 0.5), c.rng.uniform(1e9, 1e12)
        if V > 1000:  # the head dominates, so that a mistake in it is seen
            L, D = c.rng.randint(2, 4), c.rng.randint(32, 96)
        got = student.step_seconds(block, fast, B, T, V, D, L)
        want = block * (L + V * D / (12 * D * D + 2 * D * T))
        if not 0.6 * want < got < 1.7 * want:
            mixed = L * block + B * T * 6 * V * D / fast
            c.that(
                abs(got - mixed) > 1e-6 * mixed,
                "the head too is estimated at the block's rate, not the large product's",
            )
        c.that(got > 0.6 * want, "the estimate is too short: L blocks, and the head in proportion to its operations")
        c.that(got < 1.7 * want, "the estimate is too long: L blocks, and the head in proportion to its operations")
    ### END HIDDEN TESTS

    mistakes = {
        56_448: "this is the forward pass alone; the backward pass costs twice as much again",
        112_896: "the backward pass costs two products for each one of the forward pass",
        84_672: "a multiplication with an addition counts as two operations",
        157_056: "the attention's two products with T keys are missing",
        161_152: "attention has a backward pass too, which costs twice as much again",
        163_200: "half of the attention is missing: two products, in each of L layers, and a causal mask saves nothing",
        163_584: "a causal mask saves nothing here: hidden scores are computed all the same",
        353_664: "per token, not per sequence: every token meets T keys once",
    }
    got = student.flops_per_token(26_176, 2, 32, 16)
    c.that(got not in mistakes, mistakes.get(got, "another number of operations"))
    hint = "PyTorch counts another number for V = 50, D = 32, L = 2, T = 16 (the first line above the figure)"
    c.close(got, 169_344, hint, atol=0.5, rtol=0)
    few, many = (student.step_seconds(0.01, 5e10, 16, 64, 51, 64, layers) for layers in (2, 4))
    c.that(1.8 < many / few < 2.1, "twice as many layers take about twice as long, when the vocabulary is small")
    few, many = (student.step_seconds(seconds, 5e10, 16, 64, 51, 64, 4) for seconds in (0.01, 0.03))
    c.that(
        abs(many / few - 3) < 0.1,
        "if the block takes three times as long, so does the step: the raw rate of a large product says nothing about a block",
    )
    few, many = (student.step_seconds(0.01, 5e10, B, 64, 51, 64, 4) for B in (16, 32))
    c.that(abs(many / few - 1) < 0.1, "block_seconds is for the whole batch already, it need not be multiplied by B")
    small, large = (student.step_seconds(0.01, 5e10, 16, 64, V, 64, 4) for V in (51, 5_000))
    c.that(large / small > 1.5, "the head is missing: with many symbols it costs more than the blocks")
    slow, fast = (student.step_seconds(0.01, rate, 16, 64, 5_000, 64, 4) for rate in (5e9, 5e11))
    c.that(slow / fast < 1.5, "the head too is estimated at the block's rate, not the large product's")

# %% [markdown]
# Your estimate against the clock, on this machine, in CPU seconds; 1.00x would be exact. Optimiser, embeddings and loss are left out of the estimate, and small products run at a rate of their own, so a few tens of percent either way are normal, most of all with $V = 5{,}000$. Compare with what the raw rate says of the narrow models.

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
            f"{f'V {V}, D {D}, L {L}, T {T}, B {B}':>34}{1000 * step:>11.1f} ms{estimate / step:>14.2f}x{raw / step:>11.2f}x"
        )
    print("\n".join(lines))

# %% [markdown]
# And what does the main event of this course cost? Notebook 07's model at full size ($V=256$, $D=256$, $L=4$, $T=128$) is pretrained for 650 passes over 23 batches of 128 sequences:

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
# **raw_rate.** A colleague estimates the time of a training run as FLOPs divided by the peak rate of the data sheet. For which models is that nearly right, for which is it far off, and why? Use two numbers from your own run of section 5, and say what you would measure instead.

# %% [markdown] written="raw_rate" points=1 minutes=10 difficulty=2
# **Your answer · raw_rate**
#
# ### BEGIN SOLUTION
# It is nearly right for wide models with large batches: at D = 256 a block reaches close to the rate of one large product, and about nine tenths of its time are matrix products. It is far off for narrow ones: at D = 16 the large product is several times as fast, and half of the time or more goes into norms, softmax,
# GELU, additions and the start of each operation, none of which the FLOP count contains; that work grows with D at most, the products with D². Small products are slow in themselves, since every number that is fetched is used fewer times. I would time one block at the real width, batch and length, multiply by L, and add the head in
# proportion to its FLOPs.
#
# Rubric: (1) wide against narrow (or large against small products), the right way round; (2) names at least one cause: operations that are not matrix products, start-up of operations, little reuse of fetched numbers; (3) two measured numbers; (4) measure one block (or a step) at the real sizes. A quarter of the points each.
# ### END SOLUTION

# %% [markdown]
# ## The figure worth keeping
#
# Where are the parameters? The same base, once as a language model, once as a classifier. In the language model nearly all of the numbers are in two tables of words, the embedding and the head; the classifier keeps only the first. The four layers, which do the "thinking", are a small part of the base; and the new head of a classifier, all that has to be trained from scratch, is nothing beside what is kept.

# %%
parts = ("embedding", "encoder", "head")
models = {"language model\n(C = 50,001)": 50_001, "classifier\n(C = 2)": 2}
fig, (ax,) = plots.new_figure(8.6, 3.4)
left = np.zeros(len(models))
for part, colour, hatch in zip(parts, ("#FFFFFF", "#777777", "#CCCCCC"), ("", "", "//"), strict=True):
    counts = np.array([numel(encoder_parts(50_001, 200, 4, 2, C, device="meta")[part]) for C in models.values()])
    label = {"embedding": "embedding", "encoder": "4 layers", "head": "output head"}[part]
    ax.barh(list(models), counts / 1e6, left=left / 1e6, color=colour, hatch=hatch, edgecolor="black", label=label)
    for row, count in enumerate(counts):
        if count > 500_000:
            ax.text((left[row] + count / 2) / 1e6, row + 0.42, f"{count:,}", ha="center", va="bottom")
    left += counts
for row, total in enumerate(left):
    ax.text(total / 1e6 + 0.2, row, f"{int(total):,}", va="center", fontweight="bold")
ax.set(xlabel="trained numbers (millions)", xlim=(0, 25), ylim=(-0.6, 2.1))
ax.legend(loc="upper center", ncol=3)
plots.show(
    fig,
    alt="Stacked bars of trained numbers with V = 50,001, D = 200 and four layers. Language model: embedding 10,000,200, layers 968,000, head 10,050,201, together 21,018,401. Classifier: the same embedding and layers, a head of 402 that is too small to be seen, together 10,968,602.",
)

# %% [markdown]
# **To take away.** A model's size is a sum of a few kinds of parts, and the surest way to find an error in it is to vary one size and compare with `numel`. Once the batch is of a decent size, the memory of training is mostly activations; these take the same amount for every layer and grow with the batch; the state is sixteen bytes per parameter, whatever the batch. Operations are six per weight and
# token, plus attention's share, and they turn into seconds by timing one block rather than by believing a data sheet.
#
# **Further reading.** Vaswani et al., *Attention Is All You Need* (2017). Kaplan et al., *Scaling Laws for Neural Language Models* (2020), section 2.1. Hoffmann et al., *Training Compute-Optimal Large Language Models* (2022), appendix F. Chowdhery et al., *PaLM* (2022), appendix B. Korthikanti et al., *Reducing Activation Recomputation in
# Large Transformer Models* (2022). Williams, Waterman and Patterson, *Roofline: An Insightful Visual Performance Model for Multicore Architectures* (2009). Tay et al., *Synthesizer: Rethinking Self-Attention in Transformer Models* (2020).

# %%
torch.set_num_threads(threads_before)
hand_in("04_counting", files=[])
