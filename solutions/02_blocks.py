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

# %% [markdown] builds="masks, heads, encoder and decoder against `torch.nn`; a translator of numbers; costs"
# # 02 · The blocks of a Transformer
#
# Attention for one query was notebook 01. Here you build everything around it: batches, heads, masks, encoder and decoder, residual blocks. You assemble them into a translator that reads
# digits and writes English and German number words, and you find out what each part costs.
#
# **Afterwards you can** write multi-head attention that agrees with PyTorch's up to rounding, choose and test a mask, say where queries, keys and values come from in every layer, train an encoder–decoder
# with teacher forcing, and predict the operations and the reach of a layer before you run it.
#
# <!-- costs -->
#
# The models are tiny, so everything stays on the CPU. **Before you start** you should know matrix products, softmax, and how a `torch.nn.Module` holds its weights.
#
# <!-- exercise-map -->

# %%
# <first-cell>

# %%
import math
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils import plots
from course_utils.checks.selfcheck import check, ready  # noqa: F401 (check cells call it)
from course_utils.corpora.numbers import (
    DE,
    EN,
    EOS,
    PAD,
    TAGS,
    WORDS,
    decode_words,
    encode_numbers,
    encode_words,
    number_tensors,
    split_numbers,
)
from course_utils.lessons.blocks import attention_flops
from course_utils.lessons.figures import alt_text
from course_utils.lessons.masks import ENTROPY, try_mask
from course_utils.lessons.translator import Translator, kept_translator
from course_utils.notebook.costs import announce
from course_utils.notebook.session import hand_in, start, waits_for

course = start("02_blocks")
announce(course)
torch.set_num_threads(1)  # the models are small: one thread is enough

# %% [markdown]
# ## Letters used throughout
#
# | letter | meaning | letter | meaning |
# |---|---|---|---|
# | $B$ | sequences in a batch | $D$ | width of the model |
# | $L$, $L_q$, $L_k$ | number of positions; of queries; of keys | $H$ | heads |
# | $M$, $N$ | length of source and of target (`Ls`, `Lt` in the code) | $d = D/H$ | width of one head |
# | $T$ | columns of the target tensor (section 6), time steps (section 12) | $V$ | words in the vocabulary; in sections 1 and 4 the values |
#
# $d_v$ is the width of a value, in practice $d$. In section 9, $h$ and $n$ are the numbers of heads and of layers.
#
# A **mask** here is a tensor of booleans, `True` where a query *may* look. (PyTorch's `scaled_dot_product_attention`
# uses the same meaning, `nn.MultiheadAttention` the opposite one; do not mix them up.)
#
# Each exercise accepts any construction with the right behaviour. If you have not solved one, later ones may use
# PyTorch's own layer in its place, unless their text forbids it. What an exercise does not allow may not stand in its
# answer cell at all, not even as a name of your own or in a comparison.

# %% [markdown]
# ## 1 · Scaled dot-product attention
#
# A dot product compares one query with every key. The softmax turns these scores into weights $A$. Each row of the
# result $C$ is a weighted mean of the values. For all queries of all heads of a batch at once:
#
# $$ A = \operatorname{softmax}_{\text{keys}}\!\left(\frac{Q K^{\top}}{\sqrt d}\right), \qquad C = A\,V, \qquad
# Q:(B,H,L_q,d),\quad K:(B,H,L_k,d),\quad V:(B,H,L_k,d_v),\quad A:(B,H,L_q,L_k),\quad C:(B,H,L_q,d_v). $$
#
# The transpose swaps the last two axes only. Where the mask is `False`, the score becomes $-\infty$ before the softmax, so its weight is exactly 0 and the other weights still sum to 1.
#
# A small example: two scores 1 and 0, with a third key that is masked.

# %%
example = torch.tensor([1.0, 0.0, float("-inf")])
print("weights:", example.softmax(-1), "sum:", example.softmax(-1).sum())

# %% [markdown]
# **What is wrong here?** "Transpose the keys", written as `k.T`, reverses all axes. Look at the shapes, and at how
# the weights of one query add up when the softmax runs over another axis. Only one of the two transposes fits, and
# over only one axis do one query's weights sum to 1.

# %%
k = torch.randn(2, 5, 3)  # (B, L, d)
print(
    "all axes reversed:",
    tuple(k.permute(2, 1, 0).shape),
    "  last two swapped:",
    tuple(k.transpose(-2, -1).shape),
)
scores = k @ k.transpose(-2, -1)  # (B, L, d) @ (B, d, L) -> (B, L, L)
for axis in (0, 1, 2):
    print(f"softmax over axis {axis}: one query's weights sum to", scores.softmax(axis).sum(-1)[0, 0].item())

# %% [markdown]
# ### Exercise · scaled_dot_product
#
# Write the batched version with an optional mask. No row is fully masked yet; that case comes in section 3. Every
# size may be 1. The inputs are 32-bit or 64-bit numbers, all of one type, and the results have that type too. Even
# scores of ±10,000 must not overflow. Gradients flow to queries, keys and values. A mask "broadcasts" if torch's
# rules stretch it: each of its axes has the full size or 1, and axes at the front may be missing. Write the products
# yourself: PyTorch's ready-made attention (`F.scaled_dot_product_attention`, `F.multi_head_attention_forward`,
# `nn.MultiheadAttention`, and layers that contain it) is not allowed in this one.
#
# <details><summary>Hint 1 · nudge</summary>Which axis of the scores runs over the keys? That is where the softmax acts, and where the weights sum to 1.</details>
# <details><summary>Hint 2 · idea</summary>Swap the last two axes of <code>k</code>, multiply, divide by the square root of the width of the <em>last</em> axis of <code>q</code>, set masked scores to minus infinity, then take the softmax.</details>
# <details><summary>Hint 3 · nearly there</summary><code>scores.masked_fill(~mask, float("-inf"))</code> keeps the shape and broadcasts the mask; the trap is to multiply by the mask after the softmax.</details>


# %% answer="scaled_dot_product"
def scaled_dot_product(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention for all heads of a batch.

    q: (B, H, Lq, d), k: (B, H, Lk, d), v: (B, H, Lk, dv);
    mask: booleans that broadcast to (B, H, Lq, Lk), True = may look, or None.
    Returns the result (B, H, Lq, dv) and the weights (B, H, Lq, Lk).
    """
    ### BEGIN SOLUTION
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])  # (B, H, Lq, d) @ (B, H, d, Lk) -> (B, H, Lq, Lk)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    return weights @ v, weights
    ### END SOLUTION


# %% check="scaled_dot_product" points=1 minutes=15 difficulty=1
import torch

from course_utils.checks.promises import Ask, Draw, close, gradients, layouts, promise, promises, repeatable, typed, unchanged
from solutions.reference import blocks


def inputs(d: Draw, scale=2.0, masked=True, H=(2, 4), Lq=(2, 5), Lk=(3, 6), width=(2, 5), dtype=torch.float64):
    """Queries, keys, values and a mask of any form that broadcasts."""
    B, H, Lq, Lk, width, dv = d.sizes(B=(1, 2), H=H, Lq=Lq, Lk=Lk, d=width, dv=(1, 6))
    q, k, v = (d.normal(B, H, *size, dtype=dtype) for size in ((Lq, width), (Lk, width), (Lk, dv)))
    return (scale * q, k, v, d.mask(B, H, Lq, Lk)) if masked else (scale * q, k, v)


def whole_mask(d: Draw, **how):
    """A mask of its own for each batch row, head and query."""
    q, k, v = inputs(d, masked=False, **how)
    mask = d.ids(*q.shape[:3], k.shape[2], low=0, high=2) == 0
    mask[..., 0] |= ~mask.any(-1)
    return q, k, v, mask


def shorter(d: Draw):
    """A mask that is the same for all rows of the batch, heads, queries."""
    q, k, v, mask = whole_mask(d)
    return q, k, v, d.each(mask[0], mask[0, 0], mask[:, :1, :1], mask[:, :1])


def unmasked(d: Draw):
    """No mask, and values of any size."""
    n = 0 if d.small else d.each(0, d.whole(17, 20))  # a text that asks itself, too
    q, k, v = inputs(d, masked=False, **({"Lq": (n, n), "Lk": (n, n)} if n else {}))
    return q, k, (1.0 if d.small else d.each(1.0, 100.0)) * v, None


def nearly_open(d: Draw):
    """A mask that hides one or two of many keys."""
    q, k, v = inputs(d, masked=False, Lk=(25, 40))
    mask = torch.ones(*q.shape[:3], k.shape[2], dtype=torch.bool)
    for column in d.sample(k.shape[2], 2):
        mask[..., d.whole(0, q.shape[2] - 1), column] = False
    return q, k, v, mask


def long(d: Draw):
    """Texts of hundreds and thousands of tokens, with a mask and without."""
    few, many = d.whole(1, 4), d.whole(*d.each((1030, 1300), (270, 520), (520, 1020), (2060, 2600), (4110, 4500)))
    Lq, Lk = d.each((few, many), (many, few), (few, many), (270, 300))
    how = {"H": (1, 2), "Lq": (Lq, Lq), "Lk": (Lk, Lk), "width": (1, 3)}
    return d.each(whole_mask, lambda d, **how: (*inputs(d, masked=False, **how), None))(d, **how)


def all_low(d: Draw):
    """Scores that all lie near -10,000, or all near 10,000, and differ by a few."""
    q, k, v = inputs(d, masked=False, scale=1.0, width=(4, 8))
    along = torch.ones(q.shape[-1], dtype=q.dtype) / q.shape[-1] ** 0.5
    return 1e4 * q.shape[-1] ** 0.5 * along.expand(q.shape), d.each(-1.0, 1.0) * along + 2e-4 * k, v


def alike(d: Draw):
    """As many batch rows as heads, queries and keys: nothing but the place of an axis says what it stands for."""
    n = d.whole(2, 4)
    q, v = (d.normal(n, n, n, d.whole(2, 5)) for _ in range(2))
    mask = d.ids(n, n, n, low=0, high=1) == 0
    mask |= ~mask.any(-1, keepdim=True)
    return q, d.normal(*q.shape), v, d.each(mask[0], mask, mask[0, 0])


promises(
    reference={"scaled_dot_product": blocks.scaled_dot_product},
    agree=close(1e-9, 1e-9),
    returns=("the result", "the weights"),
    always=(unchanged, repeatable, layouts, typed, gradients(0, 1, 2)),
    forbid=("scaled_dot_product_attention", "MultiheadAttention"),
    kept=[
        promise("without a mask, the weights are softmax(QKᵀ/√d) over the keys, the result is the weights times the values",
                quote=("Scaled dot-product attention for all heads of a batch", "q: (B, H, Lq, d), k: (B, H, Lk, d), v: (B, H, Lk, dv)",
                       "Returns the result (B, H, Lq, dv) and the weights (B, H, Lq, Lk)"), cases=lambda d: inputs(d, masked=False)),
        promise("each query sees the keys where its own mask is True, and no others", "True = may look", cases=whole_mask),
        promise("the mask comes in any form that broadcasts to (B, H, Lq, Lk)", "booleans that broadcast to (B, H, Lq, Lk)", cases=inputs, visible=1),
        promise("a mask may have no axis for the batch, or axes of size 1", "and axes at the front may be missing", cases=shorter, visible=4),
        promise("the axes of a shorter mask are the last ones: (Lq, Lk) or (H, Lq, Lk), also where there are as many batch rows", "and axes at the front may be missing",
                cases=alike, visible=3, trouble=False),
        promise("None as the mask hides nothing", "or None", cases=unmasked),
        promise("a single head, query or key, or a width of 1 is enough", "Every size may be 1", trouble=("gradients",),
                cases=lambda d: inputs(d, H=(1, 2), Lq=(1, 2), Lk=(1, 2), width=(1, 2))),
        promise("scores of ±10,000 stay finite", "scores of ±10,000 must not overflow", cases=lambda d: whole_mask(d, scale=d.each(2e4, 5e3), width=(4, 8))),
        promise("scores near −10,000 differ by as much as others do", "scores of ±10,000 must not overflow", cases=all_low, agree=close(1e-7, 1e-7), trouble=False),
        promise("a mask that hides a single key hides it", "True = may look", cases=nearly_open, visible=1, trouble=False),
        promise("thousands of queries and keys are attended in full", ("q: (B, H, Lq, d), k: (B, H, Lk, d), v: (B, H, Lk, dv)", "True = may look, or None"), cases=long, visible=0, fresh=8, trouble=False, far=False),
        promise("a call without a mask knows nothing of the mask of the call before", "True = may look, or None", cases=whole_mask, visible=1, trouble=False,
                ask=Ask("course_utils.lessons.blocks.calls_in_turn", ("scaled_dot_product",)), returns=("the results with, without and with the mask",)),
        promise("32-bit numbers will do", "32-bit or 64-bit numbers", cases=lambda d: inputs(d, dtype=torch.float32), trouble=False),
    ],
)

# %% [markdown]
# ## 2 · Heads
#
# One softmax gives one weighted mean per position. To look at several places at once, the width $D$ is cut into $H$
# slices of $d=D/H$ columns, and every slice runs an attention of its own. No numbers change when we cut: head
# $h = 0, \dots, H-1$ has the columns $[h d, (h+1) d)$.
#
# After the cut the numbers lie in the order $(B, L, H, d)$, but batched matrix products need $(B, H, L, d)$. So
# splitting takes one reshape **and** one swap of axes.

# %%
x = torch.arange(12).view(1, 3, 4)  # (B=1, L=3, D=4): row = position, number = place in memory
print("x:\n", x[0])
print("head 0 of 2 must be these columns:\n", x[0, :, 0:2])
print("a reshape alone would give:\n", x.view(1, 2, 3, 2)[0, 0])

# %% [markdown]
# ### Exercise · heads
#
# Write `split_heads` and its inverse `merge_heads`, for inputs of any layout in memory and any number type. The numbers only move, gradients included. Every size may be 1; the width is a multiple of the number of heads.
#
# <details><summary>Hint 1 · nudge</summary>Compare the two printed blocks above: a reshape alone mixes positions into heads.</details>
# <details><summary>Hint 2 · idea</summary>First turn the last axis into two axes (H, d), then move H in front of L.</details>
# <details><summary>Hint 3 · nearly there</summary>Splitting: (B, L, D) → (B, L, H, d) → (B, H, L, d). For merging run the same steps backwards; the trap is to reshape before the axes are swapped back.</details>


# %% answer="heads"
def split_heads(x: Tensor, heads: int) -> Tensor:
    """(B, L, D) -> (B, H, L, D/H): head h sees the columns [h·d, (h+1)·d)."""
    ### BEGIN SOLUTION
    B, L, D = x.shape
    return x.view(B, L, heads, D // heads).transpose(1, 2)  # (B, L, D) -> (B, L, H, d) -> (B, H, L, d)
    ### END SOLUTION


def merge_heads(x: Tensor) -> Tensor:
    """(B, H, L, d) -> (B, L, H·d), the inverse of split_heads."""
    ### BEGIN SOLUTION
    B, H, L, d = x.shape
    return x.transpose(1, 2).reshape(B, L, H * d)  # (B, H, L, d) -> (B, L, H, d) -> (B, L, D)
    ### END SOLUTION


# %% check="heads" points=1 minutes=10 difficulty=1
import torch

from course_utils.checks.promises import Ask, Draw, call, gradients, layouts, promise, promises, repeatable, same, unchanged
from solutions.reference import blocks


def numbers(d: Draw, low=2):
    """(B, H, L, d), every number different, and its number type."""
    size = d.sizes(B=(1, 5), H=(low, 7), L=(low, 9), d=(low, 8))
    numbered = torch.arange(1, 1 + torch.tensor(size).prod()).view(size) + int(torch.randint(0, 90, (), generator=d.torch))
    kinds = [torch.float32, torch.int64, torch.float64, torch.bool, torch.bfloat16]
    kind = d.each(*kinds, *([] if d.small else [torch.complex64]))  # a file of visible cases holds no complex numbers
    if kind == torch.int64:
        return numbered + 2**60, size[1]  # beyond what a float can hold
    return (numbered % 251 if kind == torch.bfloat16 else numbered % 3 == 0 if kind == torch.bool else numbered).to(kind), size[1]


def infinite(d: Draw):
    """Numbers among which some are infinite: a sum of products would make NaN of them."""
    x, H = numbers(d, low=2)
    return x.double().masked_fill(torch.rand(x.shape, generator=d.torch) < 0.2, float("inf")), H


def joined(d: Draw, low=2):
    x, H = numbers(d, low)
    return x.reshape(x.shape[0], x.shape[2], -1), H


MERGE = call("merge_heads")
promises(
    reference={"split_heads": blocks.split_heads, "merge_heads": blocks.merge_heads},
    agree=same(types=True),
    always=(unchanged, repeatable, layouts, gradients(0, types=("float32", "bfloat16"))),
    shares={"split_heads": 0.5, "merge_heads": 0.5},
    kept=[
        promise("split_heads gives head h the columns [h·d, (h+1)·d), with the shape (B, H, L, d)",
                quote="(B, L, D) -> (B, H, L, D/H): head h sees the columns [h·d, (h+1)·d)", cases=joined),
        promise("merge_heads puts head h into the columns [h·d, (h+1)·d), with the shape (B, L, H·d)",
                quote="(B, H, L, d) -> (B, L, H·d), the inverse of split_heads", ask=MERGE, cases=lambda d: numbers(d)[:1]),
        promise("splitting works for one head, one position, or heads of width 1", "Every size may be 1", cases=lambda d: joined(d, low=1)),
        promise("merging works for one head, one position, or heads of width 1", "Every size may be 1", ask=MERGE, cases=lambda d: numbers(d, low=1)[:1]),
        promise("infinite numbers move as others do, in a split", "The numbers only move", trouble=False,
                cases=lambda d: (lambda x, H: (x.reshape(x.shape[0], x.shape[2], -1), H))(*infinite(d))),
        promise("infinite numbers move as others do, in a merge", "The numbers only move", ask=MERGE, trouble=False, cases=lambda d: infinite(d)[:1]),
        promise("gradients come back through the split", "gradients included", ask=Ask("slopes", ("split_heads", [0])), trouble=False,
                cases=lambda d: (d.normal(2, 3, 8), d.each(4, 2, 1, 8))),
        promise("gradients come back through the merge", "gradients included", ask=Ask("slopes", ("merge_heads", [0])), trouble=False, cases=lambda d: (d.normal(2, 3, 4, 2),)),
    ],
)

# %% [markdown]
# ## 3 · Masks
#
# Two questions decide whether query $i$ may look at key $j$.
#
# * **Causal**: a model that writes from left to right must not read what it has yet to write. Allowed: $j \le i$, one's own position included.
# * **Padding**: sequences of a batch are padded to a common length. No query may look at padding. Allowed: key $j$ is a real token.
#
# A decoder in general needs both: the logical *and* of the two. (With padding on the right, the causal mask alone
# hides it from real tokens; section 5 uses that.) With padding on the left, the first rows of the combined mask allow
# no key at all. Their softmax is $0/0$: NaN. The useful convention is that such a row has weights 0.
# `F.scaled_dot_product_attention` does this, `nn.MultiheadAttention` with its default `need_weights=True` returns
# NaN.
#
# Why use a mask, when one could feed the words one by one? With the mask, one pass gives the loss at *all* positions
# at once, so left-to-right training is parallel.
#
# **What is wrong here?** Suppose a text says of the decoder: the score of query $i$ and key $j$ is kept "if
# $i \le j$", else $-\infty$. Take a toy language in which the symbol two places back decides which three symbols may
# come next, with chances 0.6, 0.3 and 0.1. Its entropy is therefore known, and no *honest* prediction, made from the
# past alone, can have a smaller loss on average. We train a tiny model with the printed rule, and another with a mask
# whose diagonal is shifted by one. Both losses are very small. Then each model writes 200 short texts, and those that
# follow the rules of the language count as valid.


# %%
def printed_rule(n: int) -> Tensor:
    """The rule as printed: True if i <= j."""
    return torch.arange(n)[:, None] <= torch.arange(n)[None, :]


def shifted_rule(n: int) -> Tensor:
    """True if j <= i + 1."""
    return torch.arange(n)[None, :] <= torch.arange(n)[:, None] + 1


results = {"as printed": try_mask(printed_rule), "shifted by one": try_mask(shifted_rule)}
print(f"smallest honest loss: {ENTROPY:.2f} nats")
for name, (loss, valid) in results.items():
    print(f"{name:>15}: loss {loss:.2f} nats, valid texts {valid:.0%}")

# %% [markdown]
# A loss below the entropy is no success: the model has read the answer in the future. When it writes, there is no
# future, and at most 3 texts in 100 are valid (eight seeds). The printed rule is wrong twice: it shows the future,
# and it hides the past. Its last query sees itself alone. The shifted rule shows the past and the next key. Your own
# mask takes the same test below; an honest tiny model ended 0.03 to 0.06 nats above the entropy, with 88 to 92 % of
# its texts valid (eight seeds).
#
# ### Exercise · masks
#
# Four small functions; lengths are 1 or more. The padding id may be any id, and rows may hold it on the left, on the
# right, everywhere or nowhere. In `decoder_mask` a query that is itself padding keeps its row: only keys are hidden.
# `masked_softmax` takes 32-bit or 64-bit scores with two or more axes. It must give 0, not NaN, in a row that is
# masked entirely, and stay finite for scores of ±1,000. Gradients flow to the scores; in a row that is masked
# entirely they are not checked.
#
# <details><summary>Hint 1 · nudge</summary>Row = query, column = key. In row 0 of the causal mask exactly one entry is True.</details>
# <details><summary>Hint 2 · idea</summary>A lower triangle with its diagonal; a comparison with the padding id, given two more axes for heads and queries; a logical and. Scores that may not be used become minus infinity, not 0.</details>
# <details><summary>Hint 3 · nearly there</summary>exp(0) is 1, so a score of 0 (or of −1e-9) does not hide a key. For fully masked rows, replace the NaN by 0 after the softmax, e.g. with <code>torch.where</code> or <code>masked_fill(~mask, 0.0)</code>.</details>


# %% answer="masks"
def causal_mask(n: int) -> Tensor:
    """(n, n) booleans: entry [i, j] says whether query i may look at key j, itself included."""
    ### BEGIN SOLUTION
    return torch.ones(n, n, dtype=torch.bool).tril()
    ### END SOLUTION


def padding_mask(ids: Tensor, pad: int) -> Tensor:
    """ids: (B, L) -> booleans (B, 1, 1, L), True at keys that are real tokens."""
    ### BEGIN SOLUTION
    return (ids != pad)[:, None, None, :]  # (B, L) -> (B, 1, 1, L)
    ### END SOLUTION


def decoder_mask(ids: Tensor, pad: int) -> Tensor:
    """ids: (B, L) -> booleans (B, 1, L, L), causal and padding combined."""
    ### BEGIN SOLUTION
    return causal_mask(ids.shape[1]) & padding_mask(ids, pad)
    ### END SOLUTION


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis of scores (…, Lq, Lk) among the keys
    where mask (broadcastable) is True; 0 elsewhere."""
    ### BEGIN SOLUTION
    weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
    return weights.masked_fill(~mask, 0.0)  # a row without any key is NaN until here
    ### END SOLUTION


# %% check="masks" points=1.5 minutes=20 difficulty=2
import torch

from course_utils.checks.promises import Ask, Draw, call, close, layouts, promise, promises, repeatable, same, typed, unchanged
from solutions.reference import blocks

SOFTMAX, NEAR = call("masked_softmax"), close(1e-9, 1e-9)


def padded(d: Draw):
    """Rows of ids: filling on the left, on the right, nowhere, everywhere, anywhere."""
    (B, L), pad = d.sizes(B=(2, 6), L=(1, 9)), d.each(7, 0, 3, 9)
    ids = d.ids(B, L, low=0, high=9)
    for row in range(B):
        part = [slice(0, L // 2), slice(L - L // 2, L), slice(0, 0), slice(0, L)][(row + d.number) % 4]
        ids[row, part] = pad
    return ids, pad


def renamed(d: Draw):
    """The same with ids of many digits, or with filling that is below 0."""
    ids, pad = padded(d)
    more = d.each(50_000, None, 2**24, 2**40)
    return (ids.masked_fill(ids == pad, -100), -100) if more is None else (ids + more, pad + more)


def five_axes(d: Draw):
    """Scores and a mask with five axes; the mask is one text's padding."""
    A, B, H, Lq, Lk = d.sizes(far=None, A=(1, 3), B=(1, 3), H=(1, 3), Lq=(2, 4), Lk=(2, 5))
    mask = d.ids(A, B, 1, 1, Lk, low=0, high=1) == 0
    return 3 * d.normal(A, B, H, Lq, Lk), mask


def one_empty(d: Draw):
    """Texts of a batch, of which one or two are all padding."""
    B, H, Lq, Lk = d.sizes(B=(3, 5), H=(1, 3), Lq=(1, 4), Lk=(2, 6))
    mask = d.ids(B, 1, 1, Lk, low=0, high=1) == 0
    mask[..., -1] |= ~mask.any(-1)
    mask[d.sample(B, d.each(1, 2))] = False
    return 3 * d.normal(B, H, Lq, Lk), mask


def scored(d: Draw, far=0.0, closed=False, dtype=torch.float64):
    """Scores with two to four axes and a mask that broadcasts; ``closed`` hides every key from some queries."""
    B, H, Lq, Lk = d.sizes(B=(1, 3), H=(1, 3), Lq=(2, 5), Lk=(1, 6))
    size = d.each((B, H, Lq, Lk), (Lq, Lk), (B, Lq, Lk))
    mask = d.mask(*size)
    if closed:
        mask = mask & (torch.arange(Lq).roll(d.whole(0, 1)) > 0)[:, None]  # (…) and (Lq, 1) -> (…, Lq, Lk)
    return 3 * d.normal(*size, dtype=dtype) + far, mask


def fewer_axes(d: Draw):
    """Scores with four axes, and a mask that has none for the texts, or none for texts and heads."""
    B, H, Lq, Lk = d.sizes(B=(2, 4), H=(2, 4), Lq=(2, 5), Lk=(2, 6))
    return 3 * d.normal(B, H, Lq, Lk), d.mask(*d.each((H, Lq, Lk), (Lq, Lk), (H, 1, Lk), (1, Lk)))


promises(
    reference={name: getattr(blocks, name) for name in ("causal_mask", "padding_mask", "decoder_mask", "masked_softmax")},
    agree=same(),
    always=(unchanged, repeatable, layouts, typed),
    shares={"masks": 0.5, "masked_softmax": 0.5},
    kept=[
        promise("causal_mask: query i may look at the keys j ≤ i, and at no others", "entry [i, j] says whether query i may look at key j, itself included", part="masks",
                cases=lambda d: d.each(4, 1, 2, 7, 33, *([] if d.small else [150, 1030])), visible=5),
        promise("padding_mask is True at real tokens, with axes for heads and queries; the padding id may be any", part="masks", ask=call("padding_mask"),
                quote=("True at keys that are real tokens", "The padding id may be any id"), cases=padded),
        promise("decoder_mask: a key must be a real token and must not lie in the future; queries that are padding keep their row", part="masks", ask=call("decoder_mask"),
                quote=("causal and padding combined", "a query that is itself padding keeps its row"), cases=padded, visible=3),
        *(promise(f"{name}: the padding id may be below 0, or have many digits", "The padding id may be any id", part="masks", ask=call(name), cases=renamed, trouble=False, visible=4 if name == "padding_mask" else 1)
          for name in ("padding_mask", "decoder_mask")),
        promise("masked_softmax gives 0 where the mask is False, a softmax over the others", ask=SOFTMAX, agree=NEAR,
                quote="among the keys where mask (broadcastable) is True; 0 elsewhere", cases=scored, visible=3),
        promise("a row that is masked entirely has weights 0, and the other rows stay as they are", ask=SOFTMAX, agree=NEAR,
                quote="must give 0, not NaN, in a row that is masked entirely", cases=lambda d: scored(d, closed=True), visible=3),
        promise("where one text is all padding, the others keep their weights", ask=SOFTMAX, agree=NEAR, quote="must give 0, not NaN, in a row that is masked entirely", cases=one_empty, trouble=False),
        promise("scores may have five axes", ask=SOFTMAX, agree=NEAR, quote="scores with two or more axes", cases=five_axes, visible=1, trouble=False),
        promise("a hidden key does not matter, however large its score", ask=SOFTMAX, agree=NEAR, quote="among the keys where mask",
                cases=lambda d: (lambda s, m: (s.masked_fill(~m, 300.0), m))(*scored(d, closed=d.each(False, True))), trouble=False),
        promise("1,000 added to all scores, or taken from them, changes no weight", ask=SOFTMAX, agree=NEAR,
                quote="stay finite for scores of ±1,000", cases=lambda d: scored(d, far=d.each(1000.0, -1000.0), closed=d.each(False, True))),
        promise("a row of scores near 1,000 and one near −1,000 each have their own softmax, in which hidden keys weigh 0", ask=SOFTMAX, agree=NEAR, quote="stay finite for scores of ±1,000",
                trouble=False, cases=lambda d: (lambda s, m: (s + 990.0 * (1 - 2.0 * (torch.arange(s.shape[-2]) % 2))[:, None], m))(*scored(d))),
        promise("hidden scores of 1,000 beside scores of −1,000 that count change nothing", ask=SOFTMAX, agree=NEAR, quote="stay finite for scores of ±1,000", trouble=False,
                cases=lambda d: (lambda s, m: (torch.where(m, s - 990.0, 990.0), m))(*scored(d, closed=d.each(False, True)))),
        promise("32-bit scores will do", "32-bit or 64-bit", ask=SOFTMAX, agree=NEAR, cases=lambda d: scored(d, dtype=torch.float32), trouble=False),
        promise("the mask may have fewer axes than the scores", ask=SOFTMAX, agree=NEAR, quote="mask (broadcastable)", cases=fewer_axes, visible=0, fresh=4, trouble=False, far=False),
        promise("gradients come back to the scores", "Gradients flow to the scores", ask=Ask("slopes", ("masked_softmax", [0])), agree=NEAR,
                cases=scored, trouble=False, visible=1),
        promise("gradients come back to the scores of all other rows where one row is masked entirely", ("Gradients flow to the scores", "in a row that is masked entirely they are not checked"),
                lambda d: scored(d, closed=True), ask=Ask("slopes", ("masked_softmax", [0])), agree=close(1e-9, 1e-9, view="course_utils.lessons.blocks.open_rows"), trouble=False, visible=0, fresh=3),
        promise("gradients are finite where hidden scores lie 1,980 above those that count", ("Gradients flow to the scores", "stay finite for scores of ±1,000"), visible=0, fresh=3, trouble=False,
                ask=Ask("slopes", ("masked_softmax", [0])), agree=NEAR, cases=lambda d: (lambda s, m: (torch.where(m, s - 990.0, 990.0), m))(*scored(d))),
        promise("gradients come back to 32-bit scores that are results themselves", "Gradients flow to the scores", trouble=False, visible=1, fresh=4,
                ask=Ask("slopes", ("masked_softmax", [0], "float32", True)), agree=NEAR, cases=scored),
    ],
)

# %%
with waits_for("masks"):
    results["yours"] = try_mask(causal_mask)
    print(f"smallest honest loss: {ENTROPY:.2f} nats")
    for name, (loss, valid) in results.items():
        print(f"{name:>15}: loss {loss:.2f} nats, valid texts {valid:.0%}")

# %%
with waits_for("masks"):
    ids = torch.tensor([[9, 9, 1, 2, 3, 4]])  # 9 is the filling
    panels = {
        "causal": causal_mask(6),
        "padding (keys 0, 1)": padding_mask(ids, 9)[0, 0].expand(6, 6),
        "both": decoder_mask(ids, 9)[0, 0],
    }
    fig, axes = plots.new_figure(9, 3.3, columns=3)
    for ax, (title, mask) in zip(axes, panels.items(), strict=True):
        ax.imshow(mask, cmap="Greys", vmin=0, vmax=3)  # light enough for black signs
        for i, j in mask.nonzero().tolist():
            ax.text(j, i, "✓", ha="center", va="center")
        ax.set(title=title, xlabel="key position j", ylabel="query position i")
        ax.grid(False)
    plots.show(fig, alt=alt_text("02_6_by_6"))

# %% [markdown]
# ## 4 · Multi-head attention
#
# Four linear maps turn attention into a layer. $X$ (`x` in the code) gives the queries; $Y$ (`memory`) gives keys and values. In self-attention $Y = X$, in cross-attention it is another sequence:
#
# $$ Q = X W_Q^{\top} + b_Q,\quad K = Y W_K^{\top} + b_K,\quad V = Y W_V^{\top} + b_V, \qquad
# \text{out} = \operatorname{merge}\bigl(\operatorname{attention}(\operatorname{split} Q, \operatorname{split} K, \operatorname{split} V)\bigr)\, W_O^{\top} + b_O, $$
#
# all four $W$ of shape $(D, D)$. Without $W_O$ the slices of the heads would stay side by side, and the next layer would have to do the mixing.
#
# **What is wrong here?** Suppose somebody describes multi-head attention like this: compute
# softmax$(QK^\top/\sqrt D)V$ once for the whole width, then reshape the result from $(B, L, D)$ into
# $(B, H, L, D/H)$. Measure what splitting *after* the attention changes:

# %%
x = torch.randn(1, 5, 8)
update = (x @ x.mT / math.sqrt(8)).softmax(-1) @ x  # one softmax for all columns, (1, 5, 8)
cut = update.view(1, 5, 2, 4).transpose(1, 2)  # (1, 5, 8) -> (1, 5, 2, 4) -> (1, 2, 5, 4), "two heads"
print(
    "largest change by cutting and merging:",
    (cut.transpose(1, 2).reshape(1, 5, 8) - update).abs().max().item(),
)
parts = x.view(1, 5, 2, 4).transpose(1, 2)  # the cut first: (1, 5, 8) -> (1, 5, 2, 4) -> (1, 2, 5, 4)
own = (parts @ parts.mT / math.sqrt(4)).softmax(-1) @ parts  # two softmaxes, (1, 2, 5, 4)
print(
    "by cutting before the softmax:",
    round((own.transpose(1, 2).reshape(1, 5, 8) - update).abs().max().item(), 2),  # (1, 2, 5, 4) -> (1, 5, 8)
)

# %% [markdown]
# Cutting afterwards changes nothing: there is still one set of weights for all columns. The cut has to come before the softmax, so that every head has a softmax of its own.
#
# ### Exercise · multi_head_attention
#
# Write the module. Its four maps are called `q_proj`, `k_proj`, `v_proj`, `out_proj`, each an
# `nn.Linear(d_model, d_model)`: the check loads weights by these names. You may create them in any order. There is no
# dropout, and no call remembers an earlier one. Every size may be 1; `d_model` is a multiple of `heads`. The mask has
# two, three or four axes, and each row of it allows at least one key. `nn.MultiheadAttention` and
# `F.multi_head_attention_forward` are not allowed here; `F.scaled_dot_product_attention` is.
#
# <details><summary>Hint 1 · nudge</summary>In cross-attention two different inputs come in. Which of the four maps sees which?</details>
# <details><summary>Hint 2 · idea</summary>Project, split, attend with the mask, merge, project once more. Your functions of sections 1 and 2 do three of the five steps.</details>
# <details><summary>Hint 3 · nearly there</summary>Queries from <code>x</code>, keys and values from <code>memory</code>; the last step is <code>self.out_proj(...)</code>. The scale is that of one head, √(D/H), which your function takes from the last axis after splitting.</details>


# %% answer="multi_head_attention"
class MultiHeadAttention(nn.Module):
    """Multi-head attention (Vaswani et al. 2017, section 3.2.2) with linear maps q_proj, k_proj,
    v_proj, out_proj."""

    def __init__(self, d_model: int, heads: int) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.heads = heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        ### END SOLUTION

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor | None = None) -> Tensor:
        """x: (B, Lq, D) gives queries, memory: (B, Lk, D) keys and values; mask broadcasts to (B, H, Lq, Lk),
        or is None. Returns (B, Lq, D)."""
        ### BEGIN SOLUTION
        q = split_heads(self.q_proj(x), self.heads)  # (B, Lq, D) -> (B, H, Lq, d)
        k = split_heads(self.k_proj(memory), self.heads)  # (B, Lk, D) -> (B, H, Lk, d)
        v = split_heads(self.v_proj(memory), self.heads)
        out, _ = scaled_dot_product(q, k, v, mask)
        return self.out_proj(merge_heads(out))  # (B, H, Lq, d) -> (B, Lq, D)
        ### END SOLUTION


# %% check="multi_head_attention" points=1 minutes=15 difficulty=2
from dataclasses import replace

import torch

from course_utils.checks.promises import Ask, Case, Draw, all_gradients, close, layouts, module, promise, promises, repeatable, typed, unchanged
from course_utils.lessons.module_ways import beside, either_mode
from solutions.reference import blocks

IN_TURN, OF_ITSELF = (Ask(f"course_utils.lessons.blocks.{way}", ("MultiHeadAttention",)) for way in ("in_turn", "of_itself"))


def alike(d: Draw):
    """As many batch rows as heads, queries and keys: nothing but the place of an axis says what it stands for."""
    n, width = d.whole(2, 4), d.whole(2, 4)
    x, y = (2 * d.normal(n, n, n * width, dtype=torch.float32) for _ in range(2))
    mask = d.ids(n, n, n, low=0, high=1) == 0
    mask |= ~mask.any(-1, keepdim=True)
    return Case((x, y, d.each(mask[0], mask)), setup={"sizes": (n * width, n), "weights": d.weights(blocks.MultiHeadAttention(n * width, n))})


def inputs(d: Draw, cross=True, masked=True, forms=False, H=(2, 3), width=(2, 4), L=(2, 7), large=1.0):
    """What asks, what answers, a mask of four axes or of any form with two or more, and weights for all four maps."""
    B, H, width, Lq, Lk = d.sizes(far=(41, 70), B=(1, 3), H=H, d=width, Lq=L, Lk=(L[0] + (L[0] > 1), L[1] + 2))
    x = large * 2 * d.normal(B, Lq, H * width, dtype=torch.float32)
    y = large * 2 * d.normal(B, Lk, H * width, dtype=torch.float32) if cross else x
    mask = d.mask(B, H, Lq, y.shape[1]) if forms else (d.ids(B, H, Lq, y.shape[1], low=-1, high=1) > 0) | torch.eye(Lq, y.shape[1], dtype=torch.bool)
    mask[..., 0] |= ~mask.any(-1)
    setup = {"sizes": (H * width, H), "weights": d.weights(blocks.MultiHeadAttention(H * width, H))}
    return Case((x, y, mask if mask.dim() > 1 else mask[None]) if masked else (x, y), setup=setup)


def long(d: Draw):
    """A long text that asks a short one, or the other way round."""
    lengths = d.each((2, d.whole(1030, 1100)), (d.whole(1030, 1100), 2))
    x, y = (2 * d.normal(1, L, 2, dtype=torch.float32) for L in lengths)
    return Case((x, y), setup={"sizes": (2, 1), "weights": d.weights(blocks.MultiHeadAttention(2, 1))})


promises(
    reference={"MultiHeadAttention": blocks.MultiHeadAttention},
    ask=module("MultiHeadAttention"),
    agree=close(2e-4, 2e-4),
    always=(unchanged, repeatable, layouts, typed, replace(all_gradients, agree=close(2e-3, 2e-3))),
    forbid=("MultiheadAttention", "multi_head_attention_forward"),
    kept=[
        promise("self-attention without a mask: queries, keys, values by q_proj, k_proj, v_proj, an attention of its own in each head, then out_proj",
                quote="Multi-head attention (Vaswani et al. 2017, section 3.2.2) with linear maps q_proj, k_proj, v_proj, out_proj",
                cases=lambda d: inputs(d, cross=False, masked=False), visible=1),
        promise("cross-attention: queries from x, keys and values from memory", "x: (B, Lq, D) gives queries, memory: (B, Lk, D) keys and values",
                cases=lambda d: inputs(d, masked=False), visible=1),
        promise("the mask hides keys wherever it is False, in every form that broadcasts", "mask broadcasts to (B, H, Lq, Lk)", cases=lambda d: inputs(d, forms=True), visible=3),
        promise("self-attention with a mask", "mask broadcasts to (B, H, Lq, Lk)", cases=lambda d: inputs(d, cross=False), visible=1, trouble=False),
        promise("self-attention where x and memory are one tensor", "In self-attention $Y = X$", ask=OF_ITSELF, cases=lambda d: inputs(d, cross=False, masked=d.each(True, False)), visible=2, trouble=False),
        promise("texts of a thousand tokens are seen in full", "memory: (B, Lk, D) keys and values", cases=long, visible=0, fresh=2, trouble=False, far=False),
        promise("the axes of a shorter mask are the last ones: (Lq, Lk) or (H, Lq, Lk), also where there are as many batch rows", "The mask has two, three or four axes",
                cases=alike, visible=2, trouble=False),
        promise("a call without a mask does not remember the mask of the call before", "o call remembers an earlier one", ask=IN_TURN,
                cases=lambda d: inputs(d, cross=d.each(True, False)), visible=1, trouble=False),
        promise("scores of hundreds are taken as they are, and what is hidden gets no weight beside them", "no dropout", cases=lambda d: inputs(d, large=10.0), visible=0, fresh=3, trouble=False, far=False, steady=True),
        # scores of tens of thousands, of which 32 bits keep some hundredths: where two are near, weights differ by percents
        promise("scores of thousands are taken as they are too, but for what 32 bits lose", "no dropout", cases=lambda d: inputs(d, large=100.0), agree=close(20.0, 0.05), visible=0, fresh=2, trouble=False, far=False),
        promise("two modules with different numbers of heads live side by side", "o call remembers an earlier one", ask=Ask("course_utils.lessons.module_ways.beside_another", ("MultiHeadAttention",)),
                cases=lambda d: (lambda c: beside(c, c.args[0].shape[-1], 1 if c.setup["sizes"][1] > 1 else c.args[0].shape[-1]))(inputs(d, masked=False, H=(1, 3))), visible=0, fresh=2, trouble=False, far=False),
        promise("one head, one position or a head of width 1 is enough; the result is (B, Lq, D)", ("Every size may be 1", "Returns (B, Lq, D)"),
                cases=lambda d: inputs(d, H=(1, 2), width=(1, 2), L=(1, 2), large=(1.0 if d.small else d.each(1.0, 10.0))), visible=1, trouble=False, steady=True),
        promise("gradients come back through one position, one head or heads of width 1, too", "Every size may be 1", visible=0, fresh=4, trouble=("all gradients",),
                cases=lambda d: inputs(d, cross=d.each(True, False), masked=d.each(False, True), H=(1, 2), width=(1, 2), L=(1, 2))),
        promise("each call uses the weights that stand there now: nothing made from them is kept", "o call remembers an earlier one", ask=Ask("course_utils.lessons.module_ways.while_weights_change", ("MultiHeadAttention",)),
                cases=lambda d: either_mode(d, inputs(d, masked=False)), visible=0, fresh=4, trouble=False, far=False),
        promise("training and evaluation give the same", "no dropout", ask=module("MultiHeadAttention", training=True), cases=lambda d: inputs(d, **d.each({}, {"cross": False, "masked": False}, {"masked": False}, {"cross": False})), visible=1, trouble=False),
        promise("self-attention without a mask hides nothing in training either", ("no dropout", "In self-attention $Y = X$"), ask=Ask("course_utils.lessons.blocks.of_itself", ("MultiHeadAttention", True)),
                cases=lambda d: inputs(d, cross=False, masked=False, L=(2, 12)), visible=0, fresh=3, trouble=False),
    ],
)

# %% [markdown]
# ## 5 · Encoder and decoder
#
# An **encoder layer** has two steps, each wrapped in a residual connection and a layer norm (explained in section
# 11): self-attention over the source, then the same small feed-forward network at every position. A **decoder layer**
# has three: causal self-attention over the target, **cross-attention** from the target to the encoder's output, then
# the network.
#
# | step | queries from | keys and values from | mask |
# |---|---|---|---|
# | encoder self-attention | source | source | padding of the source |
# | decoder self-attention | target | target | causal (targets are padded on the right, so this hides the padding from all real words) |
# | cross-attention | target | source (the encoder's output, the *memory*) | padding of the source |
#
# With the norm after the addition (as in Vaswani et al., 2017, and PyTorch's default) the steps read
#
# $$ x \leftarrow \operatorname{norm}_1(x + \operatorname{attention}(x)), \qquad x \leftarrow \operatorname{norm}_2\bigl(x + W_2 \operatorname{ReLU}(W_1 x + b_1) + b_2\bigr). $$
#
# $W_1$ widens each position from $D$ to `d_ff` numbers, $W_2$ brings it back; $\operatorname{norm}$ is `nn.LayerNorm(D)`, and each step has one of its own. The decoder layer continues in the same way: step 2 with $\operatorname{norm}_2$, step 3 with $\operatorname{norm}_3$.
#
# ### Exercise · encoder_decoder
#
# Write both layers, without dropout; no call remembers an earlier one. Every size may be 1. Each row of the source
# mask has at least one real token, anywhere in the row; without a mask all are real. Weights are loaded by these
# names: `self_attn`, `cross_attn`, `linear1`, `linear2`, `norm1`, `norm2`, `norm3`. The attentions are your
# `MultiHeadAttention`, or `nn.MultiheadAttention(..., batch_first=True)` if yours is not ready. PyTorch's masks are
# `True` where one may *not* look, and a padding mask goes to `key_padding_mask` with shape `(B, Ls)`. The decoder
# makes its causal mask itself. PyTorch's ready-made encoder and decoder layers are not allowed.
#
# <details><summary>Hint 1 · nudge</summary>Count the norms: two in the encoder layer, three in the decoder layer, one per step.</details>
# <details><summary>Hint 2 · idea</summary>Every step is <code>x = norm(x + step(x))</code>. In cross-attention the step is <code>attention(y, memory)</code>: the target asks, the source answers.</details>
# <details><summary>Hint 3 · nearly there</summary>The decoder's first step takes a causal (Lt, Lt) mask, its second one <code>source_mask</code>. Leaving out the causal mask lets the translator read the answer during training, the trap of section 3.</details>


# %% answer="encoder_decoder"
class EncoderLayer(nn.Module):
    """Post-norm encoder layer: self_attn, norm1, then linear1, ReLU, linear2, norm2."""

    def __init__(self, d_model: int, heads: int, d_ff: int) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.self_attn = MultiHeadAttention(d_model, heads)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        ### END SOLUTION

    def forward(self, x: Tensor, source_mask: Tensor | None = None) -> Tensor:
        """x: (B, Ls, D); source_mask: (B, 1, 1, Ls), True at real tokens, or None. Returns (B, Ls, D)."""
        ### BEGIN SOLUTION
        x = self.norm1(x + self.self_attn(x, x, source_mask))
        return self.norm2(x + self.linear2(F.relu(self.linear1(x))))
        ### END SOLUTION


class DecoderLayer(nn.Module):
    """Post-norm decoder layer: causal self_attn, norm1, cross_attn, norm2, then linear1, ReLU,
    linear2, norm3."""

    def __init__(self, d_model: int, heads: int, d_ff: int) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.self_attn = MultiHeadAttention(d_model, heads)
        self.cross_attn = MultiHeadAttention(d_model, heads)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        ### END SOLUTION

    def forward(self, y: Tensor, memory: Tensor, source_mask: Tensor | None = None) -> Tensor:
        """y: (B, Lt, D) the target so far, Lt at most 64, memory: (B, Ls, D) from the encoder, source_mask as above.
        Returns (B, Lt, D)."""
        ### BEGIN SOLUTION
        y = self.norm1(y + self.self_attn(y, y, causal_mask(y.shape[1])))
        y = self.norm2(y + self.cross_attn(y, memory, source_mask))
        return self.norm3(y + self.linear2(F.relu(self.linear1(y))))
        ### END SOLUTION


# %% check="encoder_decoder" points=1 minutes=20 difficulty=2
from dataclasses import replace

import torch

from course_utils.checks.promises import Ask, Case, Draw, all_gradients, close, layouts, module, promise, promises, repeatable, typed, unchanged
from course_utils.lessons.blocks import loud
from course_utils.lessons.module_ways import beside, either_mode
from solutions.reference import blocks

ENCODER, DECODER = module("EncoderLayer"), module("DecoderLayer")


def inputs(d: Draw, maker, low=2, mask="some", quiet=False, Lt=()):
    """Target (for the decoder), source, a mask whose rows have real tokens anywhere, and weights; ``quiet``: all near 0 but the last norm."""
    B, H, width, d_ff, Ls, Lt = d.sizes(far=(33, 48), B=(1, 4), H=(low, 3), d=(low, 3), d_ff=(low, 7), Ls=(low, 7), Lt=Lt or (low, 7))
    width += 2 * (low == 1)  # a layer norm of one number forgets it
    x, y = (1.5 * d.normal(B, L, H * width, dtype=torch.float32) for L in (Ls, Lt))
    real = d.ids(B, 1, 1, Ls, low=0, high=1) > 0
    real[..., 0] |= ~real.any(-1)
    setup = {"sizes": (H * width, H, d_ff), "weights": d.weights(maker(H * width, H, d_ff))}
    sequences = (x,) if maker is blocks.EncoderLayer else (y, x)
    if quiet:
        last = max(name for name in setup["weights"] if name.startswith("norm"))[:5]
        setup["weights"] = {name: value * (1 if name.startswith(last) else 0.003) for name, value in setup["weights"].items()}
        sequences = tuple(0.003 * one for one in sequences)
    return Case((*sequences, *{"some": (real,), "none": (None,), "": ()}[mask]), setup=setup)


def with_zeros(case: Case):
    """The case with zeros at the last place of the source, or of the memory."""
    *before, last = case.args
    return replace(case, args=(*before, torch.cat([last[:, :-1], 0 * last[:, -1:]], 1)))


def other(case: Case):
    """The case, and the sizes of a second layer with another number of heads and a wider network."""
    D, H, d_ff = case.setup["sizes"]
    return beside(case, D, 1 if H > 1 else D, d_ff + 2)


def both(sentence, quote, **how):
    """The promise, for the encoder and for the decoder."""
    pairs = (("encoder", ENCODER, blocks.EncoderLayer), ("decoder", DECODER, blocks.DecoderLayer))
    asked, narrow = how.pop("asked", None), how == {"low": 1}
    return [promise(f"{name}: {sentence}", quote, cases=lambda d, maker=maker: inputs(d, maker, **how), visible=1, trouble=("all gradients",) if narrow else not how and not asked,
                    ask=asked(maker.__name__) if asked else ask) for name, ask, maker in pairs]


promises(
    reference={"EncoderLayer": blocks.EncoderLayer, "DecoderLayer": blocks.DecoderLayer},
    agree=close(5e-4, 5e-4),
    always=(unchanged, repeatable, layouts, typed, replace(all_gradients, agree=close(3e-3, 3e-3))),
    forbid=("TransformerEncoderLayer", "TransformerDecoderLayer"),
    shares={"EncoderLayer": 0.5, "DecoderLayer": 0.5},
    kept=[
        promise("encoder: norm(x + step(x)) twice, first self-attention, then linear1, ReLU, linear2", ask=ENCODER, visible=1,
                quote=("Post-norm encoder layer: self_attn, norm1, then linear1, ReLU, linear2, norm2", "x: (B, Ls, D)", "Returns (B, Ls, D)"),
                cases=lambda d: inputs(d, blocks.EncoderLayer, mask="")),
        promise("decoder: norm(y + step(y)) three times, first causal self-attention, then cross-attention to the memory, then linear1, ReLU, linear2", ask=DECODER,
                quote=("Post-norm decoder layer: causal self_attn, norm1, cross_attn, norm2, then linear1, ReLU, linear2, norm3",
                       "y: (B, Lt, D) the target so far, Lt at most 64, memory: (B, Ls, D) from the encoder", "Returns (B, Lt, D)"),
                cases=lambda d: inputs(d, blocks.DecoderLayer, mask=""), visible=2),
        *both("the source mask hides padding, wherever it stands", ("source_mask: (B, 1, 1, Ls), True at real tokens", "source_mask as above")),
        *both("None as the mask hides nothing", "or None", mask="none"),
        promise("decoder: a short target after a long one and a long one after a short one, in one layer", "o call remembers an earlier one", ask=Ask("course_utils.lessons.blocks.lengths_in_turn", ("DecoderLayer",)),
                cases=lambda d: inputs(d, blocks.DecoderLayer, mask="", Lt=(3, 64)), visible=1, fresh=3, trouble=False, far=False),
        promise("encoder: a place of the source may hold zeros and counts like any other", "without a mask all are", lambda d: with_zeros(inputs(d, blocks.EncoderLayer, mask="")), ask=ENCODER, visible=0, fresh=3, trouble=False, far=False),
        promise("decoder: a place of the memory may hold zeros and counts like any other", "without a mask all are", lambda d: with_zeros(inputs(d, blocks.DecoderLayer, mask="")), ask=DECODER, visible=0, fresh=3, trouble=False, far=False),
        *both("one position, one head, or narrow layers are enough", "Every size may be 1", low=1),
        *both("training and evaluation give the same", "without dropout", asked=lambda name: module(name, training=True)),
        *both("a norm adds its ε of 1e-5 to the variance, which shows in a row that hardly varies", "is `nn.LayerNorm(D)`", quiet=True),
        *(replace(one, visible=0, fresh=2, far=False, cases=lambda d, made=one.cases: either_mode(d, made(d))) for one in both("each call uses the weights that stand there now: nothing made from them is kept", "o call remembers an earlier one",
                                                          asked=lambda name: Ask("course_utils.lessons.module_ways.while_weights_change", (name,)))),
        *(replace(one, visible=0, fresh=2, trouble=False, far=False, cases=lambda d, made=one.cases: loud(made(d), d.each(30.0, 1000.0)))
          for one in both("the ReLU keeps all numbers above 0 as they are, also large ones", "then linear1, ReLU, linear2")),
        *(replace(one, visible=0, fresh=2, far=False, cases=lambda d, made=one.cases: other(made(d)))
          for one in both("two layers of different sizes live side by side", "o call remembers an earlier one", asked=lambda name: Ask("course_utils.lessons.module_ways.beside_another", (name,)))),
        *both("a call without a mask does not remember the mask of the call before", "o call remembers an earlier one",
              asked=lambda name: Ask("course_utils.lessons.blocks.in_turn", (name,))),
    ],
)

# %% [markdown]
# ## 6 · A translator
#
# You now have all parts of a model that reads `4217` digit by digit and writes `four thousand two hundred seventeen`,
# or, on request, `viertausendzweihundertsiebzehn`. German says the unit before the ten (`einundzwanzig`,
# one-and-twenty), so words and digits stand in different orders. In cross-attention each word can look at any digit.
# The first token of the decoder's input is the language tag.
#
# **Teacher forcing.** In training the decoder is given the *right* words so far, for all positions at once, and predicts the next one at each. So its input is the target moved one place to the right, with the tag in front:
#
# | position | 0 | 1 | 2 | 3 |
# |---|---|---|---|---|
# | decoder input | `<en>` | two | hundred | four |
# | target | two | hundred | four | `<eos>` |
#
# Examples of the data as the model gets them:

# %%
training_numbers, held_out_numbers = split_numbers()
for number in training_numbers[:3]:
    for language in TAGS:
        row = encode_words([number], language)[0]
        print(
            number,
            encode_numbers([number])[0].tolist(),
            f"<{language}>",
            row.tolist(),
            " ".join(WORDS[i] for i in row.tolist()),
        )
print(len(training_numbers), "numbers to train on,", len(held_out_numbers), "held out")

# %% [markdown]
# A model offers three calls. `model(source, words)` gives logits $(B, T, V)$ for all positions, where `words` $(B, T)$ is the decoder's input, the tag in front included; it equals `model.decode(words, model.encode(source), source)`, where `encode` gives the
# memory. `Translator` in `course_utils/lessons/translator.py` wraps your two layers, one of each, in embeddings with learned positions and a linear head, and builds the mask that hides the padding of the source. `PAD` and `EOS` are ids (0 and 1), imported above.
#
# ### Exercise · translate
#
# Three functions: the shift, the loss (mean cross-entropy over the tokens that are not PAD; EOS counts, since stopping has to be learned), and greedy translation, in which the model reads its own words.
#
# - Each row of `target` is a sentence that ends with EOS, then PAD up to $T$. In the mean every token of the batch that is not PAD has the same weight, in whatever row it stands.
# - The loss is a tensor of one number. Its gradient trains the model, and it is finite for logits up to ±10,000.
# - A greedy translation takes the most likely next word, given *all* words so far. A row's first EOS still belongs to the translation; after it stands PAD. A trailing column of PAD may be there or not.
# - `max_words` is 1 or more; a row without EOS has `max_words` words. The decoder reads at most `max_words` tokens at
#   a time, the tag included: a model may have positions for no more.
# - Every size may be 1, and vocabularies may be of any size. Rows of one batch may have different tags.
# - Change no argument in place, and leave the model as it was: its mode, its weights, its gradients, and which
#   weights are trained. Whether torch computes gradients stays as it was, too. A call knows nothing of the calls before it. `translate` gets a model in
#   evaluation mode, `translation_loss` one in either mode.
# - You may assume that a model never says PAD itself: in training no target asks for it. Where several words are
#   equally likely, any of them will do.
# - The cell after your functions trains a translator with them. You are done when at least 99 % of the held-out translations are exactly right; the hand-in is judged by that.
#
# <details><summary>Hint 1 · nudge</summary>If the decoder's input at a position contained the word that it is to predict there, what would it learn?</details>
# <details><summary>Hint 2 · idea</summary>The input is the tag, then all target ids but the last. The loss flattens batch and time and ignores PAD. For greedy translation start with the tag, append the argmax at the last position, repeat.</details>
# <details><summary>Hint 3 · nearly there</summary><code>F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD)</code>. After a row's first EOS, fill with PAD, since other rows of the batch may still be running. The source goes to the encoder only, the shifted target to the decoder.</details>


# %% answer="translate"
def shift_right(target: Tensor, tag: Tensor) -> Tensor:
    """Decoder input for teacher forcing. target: (B, T) ids, tag: (B,) ids -> (B, T):
    the tag, then target without its last column."""
    ### BEGIN SOLUTION
    return torch.cat([tag[:, None], target[:, :-1]], dim=1)  # (B, 1) and (B, T-1) -> (B, T)
    ### END SOLUTION


def translation_loss(model, source: Tensor, tag: Tensor, target: Tensor) -> Tensor:
    """Mean cross-entropy in nats over the tokens of target that are not PAD, a scalar.
    source: (B, Ls), tag: (B,), target: (B, T)."""
    ### BEGIN SOLUTION
    logits = model(source, shift_right(target, tag))  # (B, T, V)
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD)  # (B, T, V) -> (B·T, V)
    ### END SOLUTION


def translate(model, source: Tensor, tag: Tensor, max_words: int) -> Tensor:
    """Greedy translation: ids (B, n), n <= max_words, without the tag;
    each row up to its first EOS (included), then PAD."""
    ### BEGIN SOLUTION
    with torch.no_grad():
        memory = model.encode(source)
        words = tag[:, None]  # (B,) -> (B, 1)
        done = torch.zeros_like(tag, dtype=torch.bool)
        for _ in range(max_words):
            following = model.decode(words, memory, source)[:, -1].argmax(-1)
            following = following.masked_fill(done, PAD)
            words = torch.cat([words, following[:, None]], dim=1)  # (B, t) and (B, 1) -> (B, t+1)
            done = done | (following == EOS)
        return words[:, 1:]
    ### END SOLUTION


# %% [markdown]
# Training: 1,500 steps of 64 numbers. The cell first tries the visible cases of your three functions, in a second or two, and trains only if all are right. The weights go to `work/02_blocks/translator.safetensors`, which is part of what you hand in, together with a key of the code
# that made them: your layers, your loss and the functions that these use. If the file exists and the code has not changed since, it is loaded; otherwise the training runs anew.

# %%
translator = None
with waits_for("encoder_decoder", "translate"):
    if ready("translate"):
        translator = kept_translator(
            course.work / "translator.safetensors",
            lambda: Translator(EncoderLayer, DecoderLayer),
            translation_loss,
            training_numbers,
            made_by=("EncoderLayer", "DecoderLayer", "translation_loss"),
        )

# %%
if translator is not None:
    with waits_for("translate"):
        source, tag, target = number_tensors(held_out_numbers)
        said = translate(translator, source, tag, target.shape[1])
        for i in (0, 1, len(held_out_numbers), len(held_out_numbers) + 1):
            print(held_out_numbers[i % len(held_out_numbers)], "->", decode_words(said[i]))
        exact = [decode_words(a) == decode_words(b) for a, b in zip(said, target, strict=True)]
        print(f"exact on {len(exact)} held-out translations: {np.mean(exact):.2%}")
        if np.mean(exact) < 0.99:
            print("The grader asks for at least 99 %: a layer, the loss or translate is wrong.")

# %% check="translate" points=1.5 minutes=30 difficulty=3
import torch

from course_utils.checks.handed import handed_in
from course_utils.checks.promises import Ask, Case, Draw, Made, call, close, layouts, promise, promises, repeatable, same, unchanged
from course_utils.corpora.numbers import EOS, PAD
from course_utils.lessons.translator_probes import TranslatorProbe, probe_weights, sentences
from solutions.reference import blocks

PROBES = "course_utils.lessons.translator_probes."
LOSS, TRANSLATE = call("translation_loss"), call("translate")
ENDS = ("some rows end", "all rows end", "no row ends", "one row ends at once")


def targets(d: Draw, low=2):
    B, T, V = d.sizes(B=(low, 5), T=(low, 8), V=(8, 16))
    return sentences(d, B, T, V), d.ids(B, low=2, high=V - 1)


def lesson(d: Draw, low=2, dtype=torch.float64, largest=0.0, training=True):
    """A stand-in with positions for T tokens, and what it is to learn; sometimes digits and words have equal numbers and lengths."""
    B, V, Ls, T = d.sizes(B=(low, 5), V=(8, 16), Ls=(low, 6), T=(low, 8))
    S, Ls = (V, T) if d.each(False, True) else (d.whole(4, 12), Ls)
    weights = probe_weights(d, V, S, T, dtype)
    if largest:  # |state| < 1
        weights["head"] *= largest / (1.5 * weights["head"].abs().sum(0).max())
    return Made(PROBES + "TranslatorProbe", (weights, training)), d.ids(B, Ls, low=0, high=S - 1), d.ids(B, low=2, high=V - 1), sentences(d, B, T, V)


def ends(said, how):
    """Whether the rows of a translation (B, n) end in this way, as far as their number and length allow it."""
    early, ended, (B, n) = (said == PAD).any(1), (said == EOS).any(1), said.shape
    fits = {"some rows end": early.any() and (not ended.all() or B == 1), "all rows end": early.all(), "no row ends": not ended.any(),
            "one row ends at once": (said[:, 0] == EOS).any() and (not ended.all() or B == 1)}
    return n == 1 or bool(fits[how])


def talk(d: Draw, low=2, steps=(2, 9), rows=(2, 6), V=(8, 16)):
    """A stand-in whose rows end in one of these ways; it has positions for max_words tokens."""
    B, V, Ls, steps = d.sizes(B=rows, V=V, Ls=(low, 5), steps=steps)
    S, how = d.whole(4, 12), d.each(*ENDS)
    source, tag = d.ids(B, Ls, low=0, high=S - 1), d.ids(B, low=2, high=V - 1)
    for attempt in range(60):
        weights = probe_weights(d, V, S, steps)
        weights["bias"][EOS] = -99.0 if how == "no row ends" else -2.0 + attempt % 8
        if ends(blocks.translate(TranslatorProbe(weights), source, tag, steps), how):
            break
    return Made(PROBES + "TranslatorProbe", (weights, False)), source, tag, steps


def close_calls(d: Draw):
    """A stand-in in which each word has a neighbour that is more or less likely by 0.0001 in the logits."""
    model, *rest = talk(d)
    weights, training = model.args
    V = len(weights["bias"])
    pairs = slice(2, V - V % 2, 2), slice(3, V, 2)
    for name in ("head", "bias"):
        weights[name][..., pairs[1]] = weights[name][..., pairs[0]]
    weights["bias"][pairs[1]] += 1e-4 * (2.0 * d.ids((V - 2) // 2, low=0, high=1) - 1)
    return Made(PROBES + "TranslatorProbe", (weights, training)), *rest


promises(
    reference={"shift_right": blocks.shift_right, "translation_loss": blocks.translation_loss, "translate": blocks.translate},
    agree=same(),
    always=(unchanged, repeatable, layouts),
    kept=[
        promise("shift_right: the tag, then the target without its last column", cases=targets,
                quote=("Decoder input for teacher forcing", "target: (B, T) ids, tag: (B,) ids -> (B, T): the tag, then target without its last column")),
        promise("shift_right: one row and one column are enough", "Every size may be 1", lambda d: targets(d, 1), visible=1, trouble=False),
        promise("translation_loss: the mean cross-entropy of all tokens that are not PAD, where the encoder reads the source and the decoder the shifted target", ask=LOSS, agree=close(1e-6, 1e-5),
                quote=("Mean cross-entropy in nats over the tokens of target that are not PAD, a scalar", "source: (B, Ls), tag: (B,), target: (B, T)", "every token of the batch that is not PAD has the same weight", "EOS counts"),
                cases=lambda d: lesson(d, training=d.each(True, False)), visible=3),
        promise("translation_loss: one row, one digit and one token are enough", "Every size may be 1", lambda d: lesson(d, 1), ask=LOSS, agree=close(1e-6, 1e-5), visible=1, trouble=False),
        promise("translation_loss: large logits give a finite loss", "it is finite for logits up to ±10,000", lambda d: lesson(d, largest=9_900.0), ask=LOSS, agree=close(1e-6, 1e-5), visible=1, far=False),
        promise("translation_loss: its gradient reaches all weights that the logits depend on, and it leaves the model as it was", ask=Ask(PROBES + "learned", ("translation_loss",)), agree=close(1e-6, 1e-5),
                quote=("Its gradient trains the model", "The loss is a tensor of one number", "leave the model as it was: its mode, its weights, its gradients", "`translation_loss` one in either mode"),
                cases=lambda d: lesson(d, 2 if d.small else 1, dtype=d.each(torch.float64, torch.float32), training=d.each(False, True)), visible=1, trouble=False),
        promise("translate: the most likely next word, given the source and all words so far, from each row's tag on; up to the first EOS, then PAD", ask=TRANSLATE, agree=same(view="course_utils.lessons.blocks.spoken"),
                quote=("Greedy translation: ids (B, n), n <= max_words, without the tag", "each row up to its first EOS (included), then PAD", "the most likely next word, given *all* words so far", "Rows of one batch may have different tags"),
                cases=talk, visible=4),
        promise("translate: one row, one digit and one word are enough", "`max_words` is 1 or more", lambda d: talk(d, 1, d.each((2, 9), (1, 2)), d.each((1, 1), (1, 6))), ask=TRANSLATE, agree=same(view="course_utils.lessons.blocks.spoken"), visible=1, trouble=False),
        promise("translate: words with any id can be said, however many there are", "vocabularies may be of any size", lambda d: talk(d, V=(700, 1100), rows=(20, 40), steps=(4, 9)), ask=TRANSLATE, agree=same(view="course_utils.lessons.blocks.spoken"), visible=0, fresh=3, far=False, trouble=False),
        promise("translate: what was translated before does not matter", "A call knows nothing of the calls before it", ask=Ask(PROBES + "after_another", ("translate",)), agree=same(view="course_utils.lessons.blocks.spoken"),
                cases=lambda d: Case(given := talk(d), setup={"before": given[1].roll(1, 1).clamp(1, 3)}), visible=1, fresh=4, far=False, trouble=False),
        promise("translate: of two words that are nearly as likely, the likelier one is said", "the most likely next word, given *all* words so far", close_calls, ask=TRANSLATE, agree=same(view="course_utils.lessons.blocks.spoken"),
                visible=1, fresh=4, far=False, trouble=False),
        *(promise(f"{name}: a model that was trained since the call before is asked anew", "A call knows nothing of the calls before it", cases, ask=Ask(PROBES + "after_training", (name,)), agree=agree,
                  visible=1, fresh=3, far=False, trouble=False)
          for name, cases, agree in (("translate", talk, same(view="course_utils.lessons.blocks.spoken")), ("translation_loss", lesson, close(1e-6, 1e-5)))),
        promise("translate: the model is as it was, and gradients are computed as before", ("leave the model as it was: its mode, its weights, its gradients", "Whether torch computes gradients stays as it was, too"), talk, ask=Ask(PROBES + "left_alone", ("translate",)), agree=close(1e-12, 1e-12),
                visible=1, fresh=2, far=False, trouble=False),
        handed_in("the translator that is handed in gets 99 % of the held-out numbers exactly right", quote="You are done when at least 99 % of the held-out translations are exactly right; the hand-in is judged by that",
                  files=("translator.safetensors",), made_by=("EncoderLayer", "DecoderLayer", "translation_loss"), faults=lambda d: blocks.translator_faults(handin.weights("translator"))),
    ],
)

# %% [markdown]
# **Which digit does each word read?** Change one digit of the source and see how much the log-probability of each word changes. This works for any model, whatever its layers look like inside.
#
# In eight trainings every word that stands for a digit depended most on its own digit (25 numbers in two languages;
# before training 9 to 35 % of the words did). Does the model therefore know the *places*? A map like the one below
# does not show it. Translators trained with the digits of each number in random order cannot know them; they get 5 to
# 9 % of the numbers right, and their maps look the same, as long as all four digits are different. Where a digit
# occurs twice, as in 4745, only 73 to 81 % of their words depend most on their own digit (three seeds); in the eight
# trainings above all words do.


# %%
def reading_map(model, number: int, language: str) -> tuple[np.ndarray, list[str]]:
    """Mean |change of log-probability| (nats) of each word when each digit is replaced: (words, digits)."""
    digits = [int(d) for d in str(number)]
    target = encode_words([number], language)
    words = [WORDS[i] for i in target[0].tolist() if i not in (PAD, EOS)]
    given = torch.cat([torch.tensor([[TAGS[language]]]), target[:, :-1]], 1)  # (1, 1) and (1, T-1) -> (1, T)

    def log_p(value: int) -> Tensor:
        with torch.no_grad():
            return (
                model(encode_numbers([value]), given).log_softmax(-1)[0].gather(1, target.T)[: len(words), 0]
            )

    change = np.zeros((len(words), len(digits)))
    for place in range(len(digits)):
        others = [d for d in range(1, 10) if d != digits[place]]
        for other in others:
            altered = int("".join(map(str, [*digits[:place], other, *digits[place + 1 :]])))
            change[:, place] += (log_p(altered) - log_p(number)).abs().numpy() / len(others)
    return change, words


if translator is not None:
    most = []
    fig, axes = plots.new_figure(9, 4, columns=2)
    for ax, language, name in zip(axes, ("en", "de"), ("English", "German"), strict=True):
        change, words = reading_map(translator, 4735, language)
        most.append(
            ", ".join(
                f"{word} {'4735'[row.argmax()] if row.max() > 0.05 else 'none'}"
                for word, row in zip(words, change, strict=True)
            )
        )
        picture = ax.imshow(change, cmap="Greys", aspect="auto")
        ax.set_xticks(range(4), list("4735"))
        ax.set_yticks(range(len(words)), words)
        ax.set(title=name, xlabel="digit replaced", ylabel="word predicted")
        ax.grid(False)
        fig.colorbar(picture, ax=ax, label="mean change of log-probability (nats)")
    plots.show(fig, alt=alt_text("02_maps_number_4735", told="; ".join(most)))
else:
    print("(This cell runs once you have solved translate and its translator is trained.)")

# %% [markdown]
# ## 7 · What it costs
#
# Count one multiplication and one addition as **two** FLOPs, so a product $(a,b)(b,c)$ costs $2abc$. A multi-head
# attention with width $k$ from $N$ queries to $M$ keys consists of four projections and two more products: one makes
# the $N \times M$ scores, one takes the weighted sum. The number of heads does not matter: $H$ products of width
# $k/H$ cost as much as one of width $k$. (In sections 7, 8 and 12 and in the last figure $k$ stands for the width
# $D$.)
#
# **What is wrong here?** A count says: encoder self-attention costs $O(M^2 k)$, cross-attention $O(MNk)$, decoder
# self-attention $O(N^2k)$, and nothing else. Let PyTorch count, for a sentence of ordinary length and for longer
# texts:

# %%
for length, width in ((30, 512), (512, 512), (8192, 512)):
    counted = attention_flops(length, length, width)
    print(
        f"M = {length:5}, k = {width}: counted {counted:.3g} FLOPs, 4M²k is "
        f"{4 * length**2 * width / counted:.1%} of them"
    )

# %% [markdown]
# The quadratic term is the *leading* one when $M$ grows, but for sentences the projections, linear in $M$ and
# quadratic in $k$, are nearly everything. PyTorch's counter reports 0 for fused attention kernels on the CPU, so
# `attention_flops` makes the layer compute the products explicitly.
#
# ### Exercise · complexity
#
# Exact formulas for what the counter counts: matrix products only, no biases, no softmax. A causal mask saves
# nothing, since the forbidden scores are computed and then hidden. The batch is 1. M, N and k may be 1, and the
# numbers are exact up to 100,000 positions and a width of 5,000; a whole number as a float, such as 4224.0, is
# accepted too.
#
# <details><summary>Hint 1 · nudge</summary>Count six matrix products. Which of them see the M source positions, which the N target positions?</details>
# <details><summary>Hint 2 · idea</summary>A projection of n positions costs 2nk². Scores and weighted sum cost 2·(queries)·(keys)·k each.</details>
# <details><summary>Hint 3 · nearly there</summary>In cross-attention two projections (queries, output) see N positions and two (keys, values) see M. The trap is to leave the projections out altogether.</details>


# %% answer="complexity"
def encoder_self_flops(M: int, k: int) -> int:
    """FLOPs of multi-head self-attention over M source positions of width k."""
    ### BEGIN SOLUTION
    return 8 * M * k**2 + 4 * M**2 * k
    ### END SOLUTION


def cross_flops(M: int, N: int, k: int) -> int:
    """FLOPs of multi-head cross-attention from N target positions (queries) to M source positions."""
    ### BEGIN SOLUTION
    return 4 * N * k**2 + 4 * M * k**2 + 4 * M * N * k
    ### END SOLUTION


def decoder_self_flops(N: int, k: int) -> int:
    """FLOPs of causal multi-head self-attention over N target positions of width k."""
    ### BEGIN SOLUTION
    return 8 * N * k**2 + 4 * N**2 * k
    ### END SOLUTION


# %% check="complexity" points=1 minutes=15 difficulty=2
from course_utils.checks.promises import Draw, call, close, promise, promises, repeatable
from solutions.reference import blocks

CROSS, DECODER = call("cross_flops"), call("decoder_self_flops")


def sizes(d: Draw, count: int, high: int = 60):
    return d.sizes(far=(10**4, 10**5), **dict.fromkeys("MNk"[-count:], (2, high)))


promises(
    reference={name: getattr(blocks, name) for name in ("encoder_self_flops", "cross_flops", "decoder_self_flops")},
    agree=close(0.5, 1e-15),
    always=(repeatable,),
    shares={"encoder_self_flops": 0.3, "cross_flops": 0.4, "decoder_self_flops": 0.3},
    kept=[
        promise("encoder self-attention: PyTorch counts another number; there are four projections and two products, and a product (a, b)(b, c) costs 2abc",
                quote=("FLOPs of multi-head self-attention over M source positions of width k", "a product $(a,b)(b,c)$ costs $2abc$"), cases=lambda d: sizes(d, 2)),
        promise("cross-attention: PyTorch counts another number; there are four projections and two products, and a product (a, b)(b, c) costs 2abc",
                quote="FLOPs of multi-head cross-attention from N target positions (queries) to M source positions", ask=CROSS, cases=lambda d: sizes(d, 3)),
        promise("decoder self-attention: PyTorch counts another number; there are four projections and two products, and a product (a, b)(b, c) costs 2abc",
                quote="FLOPs of causal multi-head self-attention over N target positions of width k", ask=DECODER, cases=lambda d: sizes(d, 2)),
        promise("one position, one source word or a width of 1 is enough", "M, N and k may be 1", ask=CROSS,
                cases=[(1, 1, 1), (1, 7, 4), (7, 1, 4), (5, 3, 1), (1, 1, 6)]),
        promise("one source position or a width of 1 is enough", "M, N and k may be 1", cases=[(1, 1), (1, 6), (7, 1)]),
        promise("one target position or a width of 1 is enough", "M, N and k may be 1", ask=DECODER, cases=[(1, 1), (1, 6), (7, 1)]),
        promise("the source may be longer or shorter than the target, and both shorter or longer than the width", "Exact formulas", ask=CROSS,
                cases=lambda d: d.each((40, 3, 8), (3, 40, 8), (3, 5, 64), (50, 40, 4), (9, 9, 9))),
        promise("long texts and wide models: encoder", "exact up to 100,000", cases=lambda d: (d.whole(10**4, 10**5), d.whole(500, 5000))),
        promise("long texts and wide models: cross-attention", "exact up to 100,000", ask=CROSS,
                cases=lambda d: (*d.each((10**5, 99_999), (d.whole(10**4, 10**5), d.whole(10**4, 10**5)), (9, 10**5), (10**5, 7)), d.whole(500, 5000))),
        promise("long texts and wide models: decoder", "exact up to 100,000", ask=DECODER, cases=lambda d: (d.whole(10**4, 10**5), d.whole(500, 5000))),
    ],
)

# %% [markdown]
# Now the claim "quadratic" as a measurement. The slope of a straight line in a log-log plot is the exponent.

# %%
lengths = [2**n for n in range(4, 17)]
whole = np.array([attention_flops(n, n, 64) for n in lengths], dtype=float)
linear = np.array([8.0 * n * 64**2 for n in lengths])


def slope(y, part):
    return np.polyfit(np.log(np.array(lengths[part], dtype=float)), np.log(y[part]), 1)[0]


print(
    f"slope of the whole: {slope(whole, slice(0, 3)):.2f} at 16 to 64 positions, "
    f"{slope(whole, slice(-4, None)):.3f} at 8,192 to 65,536"
)
fig, (ax,) = plots.new_figure(6.8, 4.4)
for y, label, look in zip(
    (whole, whole - linear, linear),
    ("counted by PyTorch", "scores and weighted sum", "projections"),
    plots.styles(3),
    strict=True,
):
    ax.loglog(lengths, y, label=f"{label}, slope {slope(y, slice(-4, None)):.2f}", **look)
ax.axvline(128, color="black", linewidth=0.8)
ax.text(140, whole[0], "M = 2k: both equal")
ax.set(xlabel="sequence length M (positions)", ylabel="FLOPs of one attention layer (k = 64)")
ax.legend()
plots.show(fig, alt=alt_text("02_log_log_plot"))

# %% [markdown]
# ## 8 · Encode once, translate often
#
# Does the encoder depend on what the decoder does? In the table of section 5 the encoder's queries, keys and values
# all come from the source. So one more target language needs no further run of the encoder: its $O(M^2k + Mk^2)$
# operations are already done. One pass of the decoder's attention over $N$ words adds $O(N^2 k + MNk)$, and
# $O((M+N)k^2)$ for its projections. Writing word by word without a cache takes $N$ such passes.
#
# To see it, scramble the decoder's weights, then, as a control, the encoder's, and compare the memory.

# %%
with waits_for("encoder_decoder"):
    torch.manual_seed(1)
    model = Translator(EncoderLayer, DecoderLayer).eval()
    source = encode_numbers([1, 4217, 860])
    memory = model.encode(source)
    for part in ("decoder", "encoder"):
        with torch.no_grad():
            for weight in getattr(model, part).parameters():
                weight.normal_()
        change = (model.encode(source) - memory).abs().max().item()
        print(f"{part} scrambled: largest change of the memory {change:.3g}")

# %% [markdown]
# ### Exercise · encode_once
#
# - `translate_all` writes into one or more languages and runs the encoder **once**, whatever the number. Every language gets up to `max_words` words of its own, each word chosen given *all* words before it; a row's first EOS still belongs to the translation, and PAD follows. `max_words` is 1 or more. A trailing column of PAD may be there or not.
#   The model may be in either mode; it has no dropout, so its words are the same.
#   Leave the model as it was: its mode (training or evaluation), its weights, its gradients, and which weights are trained. Whether torch computes gradients stays as it was, too.
# - `extra_language_flops` counts the attention operations that one more language of $N$ words adds: one decoder layer run over $N$ positions with the memory given, both its attentions with all their
#   projections (those of the memory, too), nothing of the feed-forward network. It is as exact as the counts of section 7.
#
# <details><summary>Hint 1 · nudge</summary>What of your greedy loop depends on the language, and what only on the source?</details>
# <details><summary>Hint 2 · idea</summary>Call <code>model.encode</code> before the loop over the languages. For the count, add decoder self-attention and cross-attention of section 7.</details>
# <details><summary>Hint 3 · nearly there</summary>The trap: calling your <code>translate</code> for every tag gives the right words, but encodes again each time. The count has no M² in it.</details>


# %% answer="encode_once"
def translate_all(model, source: Tensor, tags: list[int], max_words: int) -> list[Tensor]:
    """Greedy translation of source (B, Ls) into every language of tags:
    one tensor of ids (B, n) per tag, as from translate."""
    ### BEGIN SOLUTION
    with torch.no_grad():
        memory, result = model.encode(source), []
        for tag in tags:
            words = torch.full((len(source), 1), tag)
            for _ in range(max_words):
                following = model.decode(words, memory, source)[:, -1].argmax(-1)
                over = (words == EOS).any(1)
                words = torch.cat([words, following.masked_fill(over, PAD)[:, None]], dim=1)  # (B, t) -> (B, t+1)
            result.append(words[:, 1:])
        return result
    ### END SOLUTION


def extra_language_flops(M: int, N: int, k: int) -> int:
    """FLOPs of the attentions of one decoder layer of width k over N target positions,
    memory of M positions given."""
    ### BEGIN SOLUTION
    return 8 * N * k**2 + 4 * N**2 * k + 4 * (M + N) * k**2 + 4 * M * N * k
    ### END SOLUTION


# %% check="encode_once" points=1 minutes=15 difficulty=2
import torch

from course_utils.checks.promises import Ask, Draw, Made, call, close, layouts, promise, promises, repeatable, same, unchanged
from course_utils.lessons.translator_probes import probe_weights
from solutions.reference import blocks

EXTRA, PROBE = call("extra_language_flops"), "course_utils.lessons.blocks.MindfulProbe"
PROBES = "course_utils.lessons.translator_probes."


def languages(d: Draw, count=(1, 4), low=2, steps=(2, 9), rows=(), V=(8, 16)):
    """A stand-in that minds all words so far and never says PAD itself, whose rows end at different times, and tags."""
    B, V, L, steps = d.sizes(B=rows or (low, 6), V=V, L=(low, 5), steps=steps)
    tables, bias = d.normal(2, V, V, scale=2.0), d.normal(5, V, V, scale=1.5)
    tables[0, :, 0], tables[1, :, 0], bias[..., 0], bias[..., 1] = -99.0, 0.0, 0.0, 0.0  # ids 0 and 1: PAD and EOS
    tables[0, :, 1] = torch.where(torch.arange(V) % 2 == 0, 4.0, -4.0)
    return Made(PROBE, (tables, bias)), d.ids(B, L, low=1, high=V - 1), [d.whole(2, V - 1) for _ in range(d.whole(*count))], steps


def stand_ins(d: Draw):
    """A module in either mode that has weights and gradients, and tags."""
    B, V, S, L, steps = d.sizes(B=(1, 4), V=(8, 9 if d.small else 16), S=(4, 5 if d.small else 12), L=(1, 5), steps=(2, 5))
    model = Made(PROBES + "TranslatorProbe", (probe_weights(d, V, S, steps), d.each(True, False)))
    return model, d.ids(B, L, low=0, high=S - 1), [d.whole(2, V - 1) for _ in range(d.whole(1, 3))], steps


def sizes(d: Draw, M=(2, 60), N=(2, 60), k=(2, 60)):
    return d.sizes(far=(10**4, 10**5), M=M, N=N, k=k)


promises(
    reference={"translate_all": blocks.translate_all, "extra_language_flops": blocks.extra_language_flops},
    agree=same(view="course_utils.lessons.blocks.spoken"),
    always=(unchanged, repeatable, layouts),
    shares={"translate_all": 0.7, "extra_language_flops": 0.3},
    kept=[
        promise("one language: the most likely next word, given all words so far; up to the first EOS, then PAD", cases=lambda d: languages(d, count=(1, 1)),
                quote=("Greedy translation of source (B, Ls)", "one tensor of ids (B, n) per tag, as from translate")),
        promise("several languages: the encoder runs once for all, and each language gets its own max_words words", cases=lambda d: languages(d, count=(2, 4)),
                quote="runs the encoder **once**", visible=3),
        promise("the encoder runs once, also where a whole pass of the model, model(source, words), would run it again", "whatever the number", trouble=False,
                cases=lambda d: languages(d, count=(1, 4)), ask=Ask(PROBES + "encodings", ("translate_all",)), agree=same(), returns=("runs of the encoder",), visible=1, fresh=2, far=False),
        promise("one result per tag, in the order of the tags, also for a tag that comes twice", "one tensor of ids (B, n) per tag", trouble=False,
                cases=lambda d: (lambda model, x, tags, steps: (model, x, d.each([7, 2], [5, 3, 5]), steps))(*languages(d, count=(1, 1)))),
        promise("one row, one digit, one word are enough", "`max_words` is 1 or more", cases=lambda d: languages(d, low=1, steps=(1, 2)), trouble=False),
        promise("many languages, rows and words are translated in full", "writes into one or more languages", cases=lambda d: languages(d, count=(7, 9), rows=(20, 40), V=(200, 250), steps=(4, 9)), visible=0, fresh=2, trouble=False, far=False),
        promise("a model that was trained since the call before is encoded anew", "runs the encoder **once**, whatever the number", cases=stand_ins, ask=Ask(PROBES + "after_training", ("translate_all",)), visible=2, fresh=3, trouble=False, far=False),
        promise("the model is as it was: its mode, its weights, its gradients, what is trained; and torch computes gradients as before", ask=Ask(PROBES + "left_alone", ("translate_all",)), agree=close(1e-12, 1e-12),
                quote=("Leave the model as it was: its mode (training or evaluation), its weights, its gradients, and which weights are trained", "Whether torch computes gradients stays as it was, too"),
                cases=stand_ins, visible=2, fresh=4, far=False, trouble=False),
        promise("one more language costs the decoder's self-attention and its cross-attention, all projections included, nothing of the encoder", ask=EXTRA, agree=close(0.5, 1e-15),
                quote="FLOPs of the attentions of one decoder layer of width k over N target positions, memory of M positions given", cases=sizes),
        promise("sizes may be 1, equal, or in any order", "as exact as the counts of section 7", ask=EXTRA, agree=close(0.5, 1e-15), trouble=False,
                cases=lambda d: sizes(d, *d.each(((1, 1), (1, 9), (1, 9)), ((2, 60), (2, 60), (1, 1)), ((9, 60), (1, 3), (2, 9)), ((10**4, 10**5), (2, 90), (500, 5000)), ((90_000, 10**5), (90_000, 10**5), (4500, 5000))))),
    ],
)

# %%
with waits_for("encode_once"):
    if translator is not None:
        for words in translate_all(translator, encode_numbers([4221]), [EN, DE], 8):
            print(decode_words(words[0]))
    for M, N in ((30, 30), (2000, 30)):
        first = attention_flops(M, M, 512) + extra_language_flops(M, N, 512)
        print(
            f"M = {M}, N = {N}: the second language costs {extra_language_flops(M, N, 512) / first:.0%} "
            "of the first (attention alone)"
        )

# %% [markdown]
# ## 9 · How far does it see?
#
# Replace the softmax by an argmax: each head copies exactly one position. Take the choice of that position as given (it too depends on the input, but we count only what is copied). How many input positions can one output depend on after $n$ layers with $h$ heads? Thanks to the residual connection a position keeps itself and adds one more per head, so a layer multiplies the number by
# at most $h+1$:
#
# $$ \text{receptive field} \le \min\bigl((h+1)^n,\; L\bigr). $$
#
# **What is wrong here?** Take $(h+1)^n$ without qualification. Put in a sequence of $L = 10$ tokens, $h = 2$ and $n = 3$: 27 of 10 tokens. And "can" is not "does": if all layers look back by the same distances, the fields overlap.


# %%
def reached(shifts: list[list[int]]) -> set[int]:
    """How far back an output looks, if in layer l head j copies from shifts[l][j] positions back."""
    field = {0}
    for layer in reversed(shifts):
        field = field | {back + step for back in field for step in layer}
    return field


print(
    "two heads that look back 1 and 2, in 1, 2, 3, 4 layers:",
    [len(reached([[1, 2]] * n)) for n in (1, 2, 3, 4)],
    "instead of",
    [3**n for n in (1, 2, 3, 4)],
)

# %% [markdown]
# ### Exercise · receptive_field
#
# `field_size`: the largest possible field in a sequence of `length` tokens. `head_shifts`: for each layer a list with
# one distance per head (whole numbers) such that, far from the borders, the field really has $(h+1)^n$ positions. Any
# such choice passes the check. The cell after it measures with 100 tokens; to agree there, the distances must be
# positive and add up to less than 100. The size is exact, from no layer at all up to 40 layers, with at least one
# head and one token.
#
# <details><summary>Hint 1 · nudge</summary>With one head: how can three layers reach 8 positions, each by a different sum of "look back or stay"?</details>
# <details><summary>Hint 2 · idea</summary>One head: distances 1, 2, 4. Writing a number in base 2 means choosing for each digit 0 or 1. What is the base for h heads?</details>
# <details><summary>Hint 3 · nearly there</summary>In layer ℓ = 0, 1, … the heads j = 1 … h look back j·(h+1)^ℓ. Traps: the distances 1 … h in every layer give only hn + 1; any distances, repeated in all layers, make sums coincide; no field is larger than the sequence.</details>


# %% answer="receptive_field"
def field_size(layers: int, heads: int, length: int) -> int:
    """Largest number of input positions that one output can depend on,
    with argmax attention and residual connections."""
    ### BEGIN SOLUTION
    return min((heads + 1) ** layers, length)
    ### END SOLUTION


def head_shifts(layers: int, heads: int) -> list[list[int]]:
    """shifts[l][j]: how many positions head j of layer l looks back,
    so that the field has (heads + 1)**layers positions."""
    ### BEGIN SOLUTION
    return [[j * (heads + 1) ** layer for j in range(1, heads + 1)] for layer in range(layers)]
    ### END SOLUTION


# %% check="receptive_field" points=1 minutes=15 difficulty=2
from course_utils.checks.promises import Draw, call, promise, promises, repeatable, same
from solutions.reference import blocks

SHIFTS, REACHED = call("head_shifts"), same(view="course_utils.lessons.blocks.field_of")
promises(
    reference={"field_size": blocks.field_size, "head_shifts": blocks.head_shifts},
    agree=same(),
    always=(repeatable,),
    shares={"field_size": 0.5, "head_shifts": 0.5},
    kept=[
        promise("each layer multiplies the field by at most h + 1, up to the length", "Largest number of input positions that one output can depend on",
                cases=lambda d: (d.each(3, 1, 2, 4, 5, 6), d.each(2, 3, 1, 4, 5), d.each(1000, 60, 10**6, 10**5))),
        promise("the field cannot be larger than the sequence", "$$ \\text{receptive field} \\le \\min\\bigl((h+1)^n,\\; L\\bigr). $$",
                cases=lambda d: (d.whole(3, 6), d.whole(1, 5), d.each(5, 1, 2, 8, 3))),
        promise("the size is exact, also where (h+1)ⁿ is just at the length", "The size is exact",
                cases=lambda d: (lambda n, h: (n, h, (h + 1) ** n + d.each(0, -1, 1)))(d.each(2, 4, 3, 5, 7), d.each(3, 1, 2, 4, 6))),
        promise("many heads and many layers: (h+1)ⁿ is counted to the last digit, whatever the length", "The size is exact", visible=0, fresh=9, trouble=False,
                cases=lambda d: (lambda n, h: (n, h, (h + 1) ** n + d.each(7, 5000, 0)))(*d.each((12, 1), (2, 8), (11, 2), (3, 12), (13, 1), (2, 40), (17, 1), (4, 9), (8, 3)))),
        promise("no layer at all is a layer count, too: the output is the input", "from no layer at all", cases=[(0, 2, 5), (0, 1, 1)]),
        promise("many layers see the whole sequence, however large (h+1)ⁿ is", "up to 40 layers", cases=lambda d: (d.each(40, 30, 25), d.whole(1, 5), 4096)),
        promise("up to 40 layers, and for many heads, there is room for (h+1)ⁿ different sums, and those of layers in a row differ", "so that the field has (heads + 1)**layers positions", ask=SHIFTS, agree=same(view="course_utils.lessons.blocks.room_of"),
                cases=lambda d: d.each((40, 1), (20, 7), (25, 3), (2, 30), (3, 17)), visible=2, trouble=False),
        promise("with the distances far from the borders the field really has (h+1)ⁿ positions: no two sums coincide", ask=SHIFTS, agree=REACHED,
                quote="shifts[l][j]: how many positions head j of layer l looks back, so that the field has (heads + 1)**layers positions",
                cases=lambda d: d.each((2, 2), (3, 1), (1, 3), (2, 3), (9, 1), (1, 1), (4, 2), (3, 4), (2, 12), (5, 2), (1, 40), (11, 1)), visible=5),
        promise("without layers there are no distances", "from no layer at all", ask=SHIFTS, agree=REACHED, cases=[(0, 1), (0, 3)], trouble=False),
    ],
)

# %% [markdown]
# Is the construction also true of a real attention? Below, each head's scores come from positions alone, such that
# the argmax falls where your shifts say. (For a head that looks $s$ places back: up to a constant per query,
# $-(i - s - j)^2 = 2(i - s)j - j^2$ is a dot product of a vector made from $i$ and one made from $j$, so queries and
# keys can produce it.) We then change every input in turn and count which changes reach the last output.


# %%
def measured_field(shifts: list[list[int]], length: int) -> int:
    """Number of inputs that change the last output of argmax attentions with residual connections."""
    position = torch.arange(length, dtype=torch.float64)
    rng = torch.Generator().manual_seed(0)

    def network(x: Tensor) -> Tensor:
        for layer in shifts:
            heads = []
            for step in layer:
                # (L, L): best where j = i - step
                scores = -((position[:, None] - step - position[None, :]) ** 2)
                heads.append(x[scores.argmax(-1)])
            x = x + sum((j + 2) ** 0.5 * head for j, head in enumerate(heads))
        return x[-1]

    x = torch.randn(length, generator=rng, dtype=torch.float64)
    bumps = [network(x + torch.eye(length, dtype=torch.float64)[i]) for i in range(length)]
    return sum(bool((bump - network(x)).abs() > 1e-9) for bump in bumps)


with waits_for("receptive_field"):
    for layers, heads in ((1, 2), (2, 2), (3, 2), (3, 1), (2, 4)):
        print(
            f"{layers} layers, {heads} heads: measured {measured_field(head_shifts(layers, heads), 100)}, "
            f"formula {field_size(layers, heads, 100)}"
        )

# %%
with waits_for("receptive_field"):
    shifts = head_shifts(3, 2)
    fig, (ax,) = plots.new_figure(9, 3.6)
    level = {0}
    for height in range(len(shifts), 0, -1):
        following = set()
        for back in level:
            for step, dash in zip((0, *shifts[height - 1]), ("-", "--", ":"), strict=True):
                ax.plot(
                    [-back, -back - step], [height, height - 1], linestyle=dash, color="black", linewidth=0.9
                )
                following.add(back + step)
        ax.plot([-back for back in level], [height] * len(level), "s", color="black", markersize=4)
        level = following
    ax.plot([-back for back in level], [0] * len(level), "o", color="black", markersize=4)
    ax.set_yticks(range(4), ["input", "layer 1", "layer 2", "layer 3"])
    ax.set(
        xlabel="position relative to the output (tokens)",
        title=f"two heads, three layers: {len(level)} positions",
    )
    plots.show(fig, alt=alt_text("02_tree_one_output"))

# %% [markdown]
# ## 10 · Why divide by √d
#
# Let the entries of a query and a key be independent with mean 0 and variance 1. Then $q\cdot k$ is a sum of $d$ independent terms of variance 1: its variance is $d$, its standard deviation $\sqrt d$. Divided by $\sqrt d$ the variance is 1 for every width.
#
# This matters because the softmax saturates. With $\alpha = \operatorname{softmax}(\text{scores})$ its Jacobian, the
# derivatives of all weights by all scores, is $J = \operatorname{diag}(\alpha) - \alpha\alpha^{\top}$; when $\alpha$
# approaches a one-hot vector, $J$ approaches 0 and hardly any gradient reaches the scores. We measure the size of $J$
# by $\lVert J\rVert_F = \sqrt{\sum_{ij} J_{ij}^2}$, and the spread of the weights by the entropy
# $-\sum_j \alpha_j \ln \alpha_j$ (nats).
#
# **What is wrong here?** Somebody keeps $\sqrt D$ when going to several heads. But each head's dot product has
# $d = D/H$ terms only. Divided by $\sqrt D$ its variance is $1/H$: with many heads the weights become nearly equal.
# Dividing is not "clipping" either: clipping makes all large scores equal.

# %%
rng = torch.Generator().manual_seed(0)
for heads in (1, 4, 16, 64):
    # D = 512 cut into heads
    q, key = (torch.randn(4000, heads, 512 // heads, generator=rng) for _ in range(2))
    products = (q * key).sum(-1)
    print(f"H = {heads:2}: variance of q·k/√D = {(products / 512**0.5).var():.3f},  1/H = {1 / heads:.3f}")
scores = torch.tensor([9.0, 6.0, 3.0])
print(
    "divided by 3:",
    (scores / 3).softmax(-1).tolist(),
    "  clipped at 3:",
    scores.clamp(-3, 3).softmax(-1).tolist(),
)

# %% [markdown]
# ### Exercise · scale
#
# - `score_variances` takes whole rows of width $D$, cuts them into heads as in section 2, and returns a tuple: the
#   variance of all $n\cdot H$ dot products (row by row, `q[i]` with `k[i]`), first without, then with the right
#   scaling. It is one variance of all products together, not a mean over heads; whether you divide by $nH$ or by
#   $nH-1$ does not matter, since there are hundreds of products. Heads may be one column wide, and a single head has
#   the whole width.
# - `saturation` returns a tuple, too: entropy and Jacobian norm, finite also where weights underflow to 0 or one is
#   nearly 1. It takes finite 32-bit or 64-bit numbers with one or more axes, and the last axis may have length 1.
#
# Neither function needs to give gradients.
#
# <details><summary>Hint 1 · nudge</summary>How many terms does the dot product of one head have?</details>
# <details><summary>Hint 2 · idea</summary>Multiply elementwise, give the last axis the shape (H, d), sum over d. The Jacobian is an n×n matrix; its squared norm can be summed entry by entry, or in closed form from Σα² and Σα³.</details>
# <details><summary>Hint 3 · nearly there</summary>‖J‖² = Σα² − 2Σα³ + (Σα²)². For large scores α contains exact zeros: 0·ln 0 is NaN in floating point, so use <code>log_softmax</code> and <code>torch.xlogy</code> or <code>torch.special.entr</code>. Rounding may leave a tiny negative number below the root: clamp it at 0. The trap is √D in place of √(D/H).</details>


# %% answer="scale"
def score_variances(q: Tensor, k: Tensor, heads: int) -> tuple[float, float]:
    """q, k: (n, D). Variance of each head's q·k over all rows and heads:
    (unscaled, divided by the right root)."""
    ### BEGIN SOLUTION
    n, D = q.shape
    products = (q * k).view(n, heads, D // heads).sum(-1)  # (n, D) -> (n, H, d) -> (n, H)
    return products.var().item(), (products / math.sqrt(D // heads)).var().item()
    ### END SOLUTION


def saturation(scores: Tensor) -> tuple[Tensor, Tensor]:
    """scores: (..., n). Entropy in nats and Frobenius norm of the Jacobian of softmax(scores),
    each of shape (...)."""
    ### BEGIN SOLUTION
    alpha = scores.softmax(-1)
    square, cube = (alpha**2).sum(-1), (alpha**3).sum(-1)
    return torch.special.entr(alpha).sum(-1), (square - 2 * cube + square**2).clamp(min=0).sqrt()
    ### END SOLUTION


# %% check="scale" points=1 minutes=20 difficulty=2
import torch

from course_utils.checks.promises import Case, Draw, call, close, layouts, promise, promises, repeatable, typed, unchanged
from solutions.reference import blocks

SATURATION, BOTH = call("saturation"), ("the entropy", "the norm of the Jacobian")


def rows(d: Draw, heads=(4, 8), width=(2, 20), dtype=torch.float64):
    """Rows whose heads differ in mean and spread, the columns of a head alike; more than 200 products."""
    n, H, width = d.sizes(n=(50, 1500), H=heads, d=width)
    n = n if H > 2 else 4 * n
    q, k = (d.normal(n, H, 1) + d.normal(n, H, width) + d.normal(1, H, 1) + d.each(1.0, 0.5, 0.0) for _ in range(2))
    return (*((d.each(1.0, 0.3, 4.0) * x).flatten(1).round(decimals=1).to(dtype) for x in (q, k)), H)


def far_off(d: Draw):
    """Rows in 32 bits whose products lie a thousand spreads from 0."""
    n, H, width = d.sizes(n=(60, 900), H=(4, 8), d=(1, 4))
    return (*((50 + 0.02 * d.normal(n, H * width)).round(decimals=3).to(torch.float32) for _ in range(2)), H)


def still(d: Draw):
    """Rows of numbers near 0, or of whole numbers that are the same in all rows and heads."""
    q, k, heads = rows(d)
    q, k = (x[: 201 // heads + 1] if d.small else x for x in (q, k))  # more than 200 products
    same = torch.full_like(q, float(d.whole(1, 3))), torch.full_like(k, float(d.whole(-2, 2)))
    return d.each((*((0.01 * one).round(decimals=3) for one in (q, k)), heads), (*same, heads))


def told(d: Draw):
    """Rows, and the two right pairs of variances: divided by the number of products, or by one less."""
    q, k, heads = rows(d)
    products = (q * k).unflatten(1, (heads, -1)).sum(-1)
    found = [products.var(correction=one) for one in (0, 1)]
    return Case((q, k, heads), setup={"allowed": [[one, two / (q.shape[1] // heads)] for one in found for two in found]})


def scores(d: Draw, scale, dtype=torch.float64, more=()):
    n, a, b = d.sizes(n=(3, 12), a=(2, 6), b=(1, 5))
    return (scale * d.normal(*d.each(*more, (a, n), (n,), (b, a, n), (b, 1, a, n)), dtype=dtype),)


promises(
    reference={"score_variances": blocks.score_variances, "saturation": blocks.saturation},
    agree=close(1e-9, 0.006),
    returns=("the variance without scaling", "the variance with scaling"),
    always=(unchanged, repeatable, layouts, typed),
    shares={"score_variances": 0.5, "saturation": 0.5},
    kept=[
        promise("the variance of each head's q·k, over all rows and heads together, without and with division by √(D/H)",
                quote=("Variance of each head's q·k over all rows and heads: (unscaled, divided by the right root)", "q, k: (n, D)."), cases=rows, visible=1),
        promise("the variance is exact but for the division by nH or nH − 1: products of 64-bit numbers keep their digits", "whether you divide by $nH$ or by $nH-1$ does not matter", cases=told,
                agree=close(1e-6, view="course_utils.checks.allowed.nearest"), visible=1, trouble=False, far=False),
        promise("small numbers have small variances, and equal products the variance 0", "Variance of each head's q·k over all rows and heads", agree=close(1e-13, 0.006), cases=still, visible=2, trouble=False, far=False),
        promise("products far from 0 have their variance, too, in 32 bits: no digits are lost in a difference of squares", "Variance of each head's q·k over all rows and heads", cases=far_off, visible=0, fresh=3,
                trouble=False, far=False),
        promise("a single head has the whole width", "and a single head has the whole width", cases=lambda d: rows(d, heads=(1, 1)), visible=1, trouble=False),
        promise("heads may be one column wide", "Heads may be one column wide", cases=lambda d: rows(d, width=(1, 1)), visible=1, trouble=False),
        promise("the entropy −Σ α ln α of the softmax, and the Frobenius norm of diag(α) − ααᵀ", ("Entropy in nats and Frobenius norm of the Jacobian of softmax(scores)", "scores: (..., n)."),
                ask=SATURATION, agree=close(1e-8, 1e-8), returns=BOTH, cases=lambda d: scores(d, d.each(1.5, 0.5, 2.0)), visible=4),
        promise("scores with five axes, or with rows of some hundred, have entropies and norms as well", "with one or more axes", ask=SATURATION, agree=close(1e-8, 1e-8), returns=BOTH,
                cases=lambda d: d.each((1.5 * d.normal(2, 1, 3, 2, 4),), (1.5 * d.normal(*((2, 3) if d.small else (2, 600))),)), visible=1, fresh=2, trouble=False, far=False),
        promise("axes of size 1 stay: one result for each row, also for a single one", "with one or more axes", ask=SATURATION, agree=close(1e-8, 1e-8), returns=BOTH, visible=0, fresh=5, trouble=False, far=False,
                cases=lambda d: (1.5 * d.normal(*d.each((1, 5), (1, 1, 5), (3, 1, 4), (1, 2, 3), (1, 1))),)),
        promise("both stay finite, and right, where weights underflow to 0", "finite also where weights underflow to 0", ask=SATURATION, agree=close(1e-6, 1e-5),
                returns=BOTH, cases=lambda d: scores(d, d.each(2000.0, 300.0)), visible=2),
        promise("both stay finite, and right, where one weight is nearly 1", "or one is nearly 1", ask=SATURATION, agree=close(1e-6, 1e-5), returns=BOTH, trouble=False,
                cases=lambda d: (torch.linspace(5, d.each(45, 60), 40 if d.small else 200, dtype=torch.float64)[:, None] * torch.tensor([1.0, 0, 0, -1]),)),
        promise("both stay finite, and right, where one weight is nearly 1, whatever the others are", "or one is nearly 1", ask=SATURATION, agree=close(1e-6, 1e-5), returns=BOTH, trouble=False, visible=1, fresh=2, far=False,
                cases=lambda d: (torch.cat([torch.tensor([[d.uniform(18, 36)] for _ in range(12)], dtype=torch.float64), 0.5 * d.normal(12, 3)], 1),)),
        promise("equal scores have the entropy ln n, and a single one has none", "the last axis may have length 1", ask=SATURATION, agree=close(1e-6, 1e-5), returns=BOTH,
                cases=lambda d: (torch.full((2, d.each(5, 1, 2, 40)), d.uniform(-5, 5), dtype=torch.float64),), trouble=False),
        promise("32-bit numbers will do", "32-bit or 64-bit numbers", ask=SATURATION, agree=close(5e-3, 5e-3), returns=BOTH,
                cases=lambda d: scores(d, d.each(2.0, 20.0), torch.float32), trouble=False),
    ],
)

# %%
with waits_for("scale"):
    rng, widths = torch.Generator().manual_seed(0), [4, 8, 16, 32, 64, 128, 256, 512]
    lines = {"without": ([], [], []), "with": ([], [], [])}
    for d in widths:
        q, keys = torch.randn(200, 1, d, generator=rng), torch.randn(200, 32, d, generator=rng)
        scores = (q * keys).sum(-1)  # (200, 32): 200 queries, 32 keys each
        both = score_variances(torch.randn(4000, d, generator=rng), torch.randn(4000, d, generator=rng), 1)
        for columns, factor, variance in zip(lines.values(), (1, d**-0.5), both, strict=True):
            entropy, gradient = saturation(scores * factor)
            for column, value in zip(
                columns, (variance, entropy.mean().item(), gradient.mean().item()), strict=True
            ):
                column.append(value)
    fig, axes = plots.new_figure(10, 3.4, columns=3)
    for ax, i, label in zip(
        axes,
        range(3),
        ("variance of the scores", "entropy of the weights (nats)", "norm of the softmax's Jacobian"),
        strict=True,
    ):
        for (name, columns), look in zip(lines.items(), plots.styles(2), strict=True):
            ax.plot(widths, columns[i], label=f"{name} 1/√d", **look)
        ax.set(xscale="log", xlabel="width d of a head (columns)", ylabel=label)
    axes[0].set_yscale("log")
    axes[1].axhline(math.log(32), color="black", linewidth=0.8)
    axes[1].text(
        widths[-1], math.log(32) - 0.05, "ln 32: all weights equal", ha="right", va="top", fontsize=8
    )
    axes[0].legend()
    plots.show(fig, alt=alt_text("02_plots_head_width"))

# %% [markdown]
# Without the factor the entropy falls with every doubling of the width. The Jacobian's norm does not fall at once: it
# is largest for weights that are neither all equal nor one-hot. So for small widths the unscaled scores give *larger*
# derivatives, and the two curves cross. At width 512 the unscaled norm is 28 to 41 % of the scaled one (eight seeds).
# Read off at which width the curves cross.
#
# ## 11 · The residual block
#
# Around each step stand three helpers: the **residual** (add the step's result to its input, so that gradients also
# pass around the step), the **layer norm**, and **dropout** on the step's result, in training only. Where the norm
# stands makes two families:
#
# $$ \text{post-norm (2017):}\; x \leftarrow \operatorname{norm}(x + \operatorname{drop}(\operatorname{step}(x))), \qquad
# \text{pre-norm:}\; x \leftarrow x + \operatorname{drop}(\operatorname{step}(\operatorname{norm}(x))). $$
#
# Through a residual the gradient reaches the input along a path on which it is multiplied by nothing. In pre-norm that path is a plain sum from bottom to top; in post-norm every norm stands on it.
#
# What does the residual change? A block differs from a bare stack in three things: residual, norm, and how its
# weights were drawn. So change one at a time, then some of them together. PyTorch draws small weights by default;
# *He* draws them so large that a layer keeps the size of its input (He et al., *Delving Deep into Rectifiers*, 2015).
# Two numbers for stacks of 24 untrained layers: how much of the gradient at the output reaches the input, and how
# much of the output still depends on *which* input came in (norm of the outputs minus their mean over the inputs,
# divided by the norm of the outputs).


# %%
STACKS = {  # residual, place of the norm, how the weights are drawn
    "none of the three": (False, "", "default"),
    "no biases": (False, "", "no biases"),
    "He weights": (False, "", "He"),
    "norm after": (False, "after", "default"),
    "norm before": (False, "before", "default"),
    "norm after, He weights": (False, "after", "He"),
    "norm before, He weights": (False, "before", "He"),
    "residual": (True, "", "default"),
    "residual, He weights": (True, "", "He"),
    "residual, norm after (post-norm)": (True, "after", "default"),
    "residual, norm before (pre-norm)": (True, "before", "default"),
    "post-norm, He weights": (True, "after", "He"),
    "pre-norm, He weights": (True, "before", "He"),
}


def deep_stack(x: Tensor, residual: bool, norm: str, weights: str, layers: int = 24) -> Tensor:
    """x: (n, 64) through random two-layer networks; (n, 64)."""
    biases = weights != "no biases"
    for _ in range(layers):
        step = nn.Sequential(nn.Linear(64, 64, bias=biases), nn.ReLU(), nn.Linear(64, 64, bias=biases))
        if weights == "He":
            for linear, size in ((step[0], 1), (step[2], 2)):  # a ReLU leaves half of the mean square
                nn.init.normal_(linear.weight, std=(size / 64) ** 0.5)
        h = step(F.layer_norm(x, (64,)) if norm == "before" else x)
        x = x + h if residual else h
        x = F.layer_norm(x, (64,)) if norm == "after" else x
    return x


def gradient_and_difference(stack: tuple[bool, str, str], seed: int) -> tuple[float, float]:
    """Gradient norm at the input over that at the output; share of the output (%) that differs."""
    torch.manual_seed(seed)
    x = torch.randn(32, 64, requires_grad=True)
    out = deep_stack(x, *stack)
    out.retain_grad()
    (out @ torch.randn(64)).mean().backward()  # a random readout
    share = (out - out.mean(0)).norm() / out.norm()
    return (x.grad.norm() / out.grad.norm()).item(), 100 * share.item()


found = {
    name: np.array([gradient_and_difference(stack, seed) for seed in range(8)])
    for name, stack in STACKS.items()
}
fig, axes = plots.new_figure(10, 4.2, columns=2)
for row, (name, values) in enumerate(reversed(found.items())):
    for ax, column in zip(axes, values.T, strict=True):
        ax.plot(
            column, [row] * 8, "o" if STACKS[name][0] else "s", color="black", markersize=4, fillstyle="none"
        )
    print(
        f"{name:33} gradient {np.median(values[:, 0]):8.1e}   differs "
        f"{np.median(values[:, 1]):5.1f} %  (medians)"
    )
axes[0].axvline(1, color="black", linewidth=0.8)
axes[0].set(xscale="log", xlabel="gradient norm at the input / at the output, 24 layers")
axes[1].set(xlabel="part of the output that depends on the input (%)", xlim=(-3, 103))
axes[0].set_yticks(range(len(found)), list(reversed(found)))
axes[1].set_yticks(range(len(found)), [])
plots.show(fig, alt=alt_text("02_kinds_of_stacks"))

# %% [markdown]
# With PyTorch's own weights and nothing else, almost no gradient arrives, and all inputs end in the same output. The
# sameness comes from the biases: without them 36 to 46 % of the output depends on the input, but the output itself is
# almost zero. But a residual is not the only way to keep the gradient: a norm alone, or larger weights alone, bring
# it back to between 0.02 and 1.2, both together to 0.3 to 2.7. They do less for the dependence on the input. Without
# a residual, 2 to 16 % of the output depends on the input with a norm, 18 to 37 % with He weights, 10 to 24 % with
# both. A residual with PyTorch's small weights leaves 76 to 87 %. With a residual the size of the weights still
# matters: with He weights and no norm the gradient grows by a factor of 1,900 to 5,600; with a norm it stays at 0.4
# to 5.8. (In stacks of attention without residuals the outputs of all *positions* become alike as well: Dong et al.,
# *Attention is not all you need*, 2021.)
#
# Where the norm stands matters little with PyTorch's weights. With He weights 57 to 73 % of the output depends on the input in pre-norm, 23 to 40 % in post-norm. Xiong et al. (2020) report where it shows, in training: with post-norm the gradients of the last layers are large at the start, so the learning rate has to be warmed up; pre-norm can do without.
#
# One more identity. Papers write one small matrix per head, $W^{(h)}$ of shape $(d, D)$; code has one big one. Stacked on top of each other, the small ones *are* the big one, and one product does the work of $H$.
#
# ### Exercise · residual_block
#
# - `Block` does both kinds of norm. Names: `self_attn`, `linear1`, `linear2`, `norm1`, `norm2`, as before, and
#   `self_attn` again yours or PyTorch's (whose mask is the opposite). Each row of the mask has at least one real
#   token. Dropout with rate `dropout`, at least 0 and below 1, acts on the result of each of the two steps before it
#   is added. Every entry is dropped or kept on its own, and kept ones are divided by 1 − rate. Dropout at more places
#   inside a step is allowed, as long as evaluation is exact. No call remembers an earlier one.
# - `one_big_matrix` joins per-head matrices such that `F.linear(x, big)` cut into heads gives `F.linear(x, small[h])` in head `h`, and gradients come back to the small ones, which hold 32-bit numbers.
#
# Every size may be 1. `nn.TransformerEncoderLayer` is not allowed.
#
# <details><summary>Hint 1 · nudge</summary>Follow the residual path from input to output. In pre-norm it meets additions only.</details>
# <details><summary>Hint 2 · idea</summary>An <code>nn.Dropout</code> module knows by itself whether it trains; <code>F.dropout</code> must be told.</details>
# <details><summary>Hint 3 · nearly there</summary>Pre-norm: <code>z = norm1(x); x = x + drop(self_attn(z, z, mask))</code>. The trap is <code>x = norm1(x)</code>, which puts the norm on the residual path as well. The small matrices are joined along the axis of outputs.</details>


# %% answer="residual_block"
class Block(nn.Module):
    """Encoder block with residuals and dropout: self_attn, linear1, ReLU, linear2, norm1, norm2;
    pre- or post-norm."""

    def __init__(self, d_model: int, heads: int, d_ff: int, dropout: float, pre_norm: bool) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.self_attn = MultiHeadAttention(d_model, heads)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)
        self.pre_norm = pre_norm
        ### END SOLUTION

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """x: (B, L, D), mask (B, 1, 1, L), True at real tokens, or None. Returns (B, L, D)."""

        ### BEGIN SOLUTION
        def feed(z: Tensor) -> Tensor:
            return self.linear2(F.relu(self.linear1(z)))

        if self.pre_norm:
            z = self.norm1(x)
            x = x + self.drop(self.self_attn(z, z, mask))
            return x + self.drop(feed(self.norm2(x)))
        x = self.norm1(x + self.drop(self.self_attn(x, x, mask)))
        return self.norm2(x + self.drop(feed(x)))
        ### END SOLUTION


def one_big_matrix(small: list[Tensor]) -> Tensor:
    """H matrices of shape (d, D) -> one of shape (H·d, D) that does the work of all heads at once."""
    ### BEGIN SOLUTION
    return torch.cat(small, dim=0)  # H times (d, D) -> (H·d, D)
    ### END SOLUTION


# %% check="residual_block" points=1 minutes=20 difficulty=3 timeout=120
from dataclasses import replace

import torch

from course_utils.checks.promises import Agree, Ask, Case, Draw, all_gradients, call, close, layouts, module, promise, promises, repeatable, same, unchanged
from course_utils.lessons.blocks import loud
from course_utils.lessons.module_ways import beside, either_mode
from solutions.reference import blocks

BIG, TRAINED = call("one_big_matrix"), module("Block", training=True)
LESSON = "course_utils.lessons.blocks."


def inputs(d: Draw, pre=None, masked=True, p=None, low=2, large=1.0):
    """Input, a mask whose rows have real tokens anywhere, sizes and weights."""
    B, H, width, d_ff, L = d.sizes(far=(33, 48), B=(1, 4), H=(low, 3), d=(low, 3), d_ff=(low, 7), L=(low, 7))
    width += 2 * (low == 1)  # a layer norm of one number forgets it
    pre = d.each(True, False) if pre is None else pre
    real = d.ids(B, 1, 1, L, low=0, high=1) > 0
    real[..., 0] |= ~real.any(-1)
    p = p or ((0.1, 0.6) if d.small else d.each((0.1, 0.6), (0.6, 0.97), (0.01, 0.05)))
    sizes = (H * width, H, d_ff, d.uniform(*p), pre)
    x = large * 2 * d.normal(B, L, H * width, dtype=torch.float32)
    return Case((x, real) if masked else (x,), setup={"sizes": sizes, "weights": d.weights(blocks.Block(*sizes))})


def other(case: Case):
    """The case, and the sizes of a second block with another number of heads and the other kind of norm."""
    D, H, d_ff, rate, pre = case.setup["sizes"]
    return beside(case, D, 1 if H > 1 else D, d_ff + 2, rate, not pre)


def quiet(d: Draw):
    """Inputs and weights near 0, so that the rows which a norm gets hardly vary: both, the first one, the second one."""
    pre, kept = d.each((False, "norm2"), (True, ""), (True, ("norm", "linear")))
    case = inputs(d, pre=pre, masked=False)
    weights = {name: value * (1 if name.startswith(kept) else 0.003) for name, value in case.setup["weights"].items()}
    return Case((0.003 * case.args[0],), setup={**case.setup, "weights": weights})


KINDS = (("pre-norm", True), ("post-norm", False))
dropout = {"ask": Ask(LESSON + "dropout_law", ("Block",)), "trouble": False, "returns": ("the list of different results at one place", "their shares", "shares of alike places")}


def told_apart(weights, steps, row, rate, pre):
    """Whether the 64 results that dropping can give are one result or clearly two each: rounding must not decide it."""
    kept = torch.cartesian_prod(*[torch.tensor([0.0, 1.0])] * 6) / (1 - rate)  # (64, 6)
    first, second = (kept * torch.cat([*steps.values()])).chunk(2, -1)  # (64, 6) -> (64, 3), (64, 3)
    x = row  # the steps give the same at every place: their weights are 0, their biases are not
    for name, step in zip(("norm1", "norm2"), (first, second), strict=True):
        x = x + step
        x = x if pre else torch.nn.functional.layer_norm(x, (3,), weights[f"{name}.weight"].float(), weights[f"{name}.bias"].float())
    gaps = (x @ torch.tensor([1.0, 0.43, 0.19])).sort().values.diff()  # (64, 3) -> (64,) -> (63,)
    return not ((gaps > 2e-5) & (gaps < 5e-4)).any()  # dropout_law parts them at 1e-4


def dropped(d: Draw, pre, rates=(0.3, 0.7, 0.4), **law):
    """One row, and weights that leave the last bias of each step alone; ``law`` is for the measurement. The rarest of the 64 patterns comes 58 times on average, in texts of one token 33 times."""
    sizes = (3, d.each(1, 3), d.each(2, 5, 1), d.each(*rates), pre)
    row, weights = torch.tensor([0.3, -1.2, 0.8]), d.weights(blocks.Block(*sizes))
    steps = {"self_attn.out_proj.bias": torch.tensor([1.0, -0.7, 0.4]), "linear2.bias": torch.tensor([0.5, 0.8, -1.1])}
    while not told_apart(weights, steps, row, sizes[3], pre):
        weights = d.weights(blocks.Block(*sizes))
    still = {name: torch.zeros_like(weights[name]) for name in ("self_attn.out_proj.weight", "linear2.weight")}
    return Case((row,), setup={"sizes": sizes, "weights": {**weights, **still, **steps}, **law})


def counted(d: Draw):
    """A pre-norm block of which one step alone gives something, its bias 1; bounds on the numbers of kept entries, 6.5 standard deviations."""
    wide = [((1, 2, 66, 3, 3), 0.25), ((1, 1, 66, 1, 3), 0.95), ((1, 2, 33, 1, 1), 0.04)]  # in grading alone
    (B, L, D, heads, d_ff), rate = d.each(((1, 1, 4, 4, 3), 0.5), ((2, 3, 4, 1, 1), 0.3), ((3, 1, 6, 2, 8), 0.5), *([] if d.small else wide))
    bias = d.each("linear2.bias", "self_attn.out_proj.bias")
    sizes, calls, entries = (D, heads, d_ff, rate, True), 200, B * L * D
    weights = {name: torch.ones_like(value) if name == bias else torch.zeros_like(value) for name, value in d.weights(blocks.Block(*sizes)).items()}
    share = 1 - sizes[3]
    variance = entries * share * (1 - share)
    rooms = 6.5 * (variance / calls) ** 0.5, 6.5 * variance * (2.1 / calls) ** 0.5
    bounds = [(entries * share - rooms[0], entries * share + rooms[0]), (variance - rooms[1], variance + rooms[1])]
    return Case((d.normal(B, L, D, dtype=torch.float32),), setup={"sizes": sizes, "weights": weights, "calls": calls, "bounds": bounds, "bias": bias})


def long(d: Draw):
    """A long text for a narrow block."""
    sizes = (4, 1, 3, 0.3, d.each(True, False))
    return Case((2 * d.normal(1, d.whole(1030, 1100), 4, dtype=torch.float32),), setup={"sizes": sizes, "weights": d.weights(blocks.Block(*sizes))})


def matrices(d: Draw, low=2, **sizes):
    H, width, D = d.sizes(**{"H": (low, 5), "rows": (low, 5), "D": (low, 9)} | sizes)
    large = (1.0 if d.small else d.each(1.0, 100.0))
    return ([large * d.normal(width, D, dtype=torch.float32) for _ in range(H)],)


promises(
    reference={"Block": blocks.Block, "one_big_matrix": blocks.one_big_matrix},
    ask=module("Block"),
    agree=close(5e-4, 5e-4),
    always=(unchanged, repeatable, layouts, replace(all_gradients, agree=close(3e-3, 3e-3))),
    forbid=("TransformerEncoderLayer",),
    shares={"Block": 0.8, "one_big_matrix": 0.2},
    kept=[
        promise("pre-norm in evaluation, without dropout: x + step(norm(x)), twice", quote=("Encoder block with residuals and dropout", "x: (B, L, D)", "Returns (B, L, D)"),
                cases=lambda d: inputs(d, pre=True, masked=False), visible=1),
        promise("post-norm in evaluation, without dropout: norm(x + step(x)), twice", ("linear2, norm1, norm2;", "pre- or post-norm."), cases=lambda d: inputs(d, pre=False, masked=False), visible=1),
        promise("the mask hides padding, wherever it stands", "mask (B, 1, 1, L), True at real tokens, or None", cases=inputs, visible=2),
        promise("one position, one head, or narrow layers are enough", "Every size may be 1", cases=lambda d: inputs(d, low=1, large=(1.0 if d.small else d.each(1.0, 100.0))), visible=1, trouble=False),
        promise("a norm adds its ε of 1e-5 to the variance, which shows in a row that hardly varies", "`norm1`, `norm2`, as before", cases=quiet, visible=3, trouble=False),
        promise("a call without a mask does not remember the mask of the call before", "o call remembers an earlier one", ask=Ask(LESSON + "in_turn", ("Block",)),
                cases=inputs, visible=1, trouble=False),
        promise("each call uses the weights that stand there now: nothing made from them is kept", "o call remembers an earlier one", ask=Ask("course_utils.lessons.module_ways.while_weights_change", ("Block",)), cases=lambda d: either_mode(d, inputs(d, masked=False, p=(0.0, 0.0))),
                visible=0, fresh=4, trouble=False, far=False),
        promise("the ReLU keeps all numbers above 0 as they are, also large ones", "self_attn, linear1, ReLU, linear2", cases=lambda d: loud(inputs(d), d.each(30.0, 1000.0)), visible=0, fresh=3, trouble=False, far=False),
        promise("two blocks of different sizes and kinds live side by side", "o call remembers an earlier one", ask=Ask("course_utils.lessons.module_ways.beside_another", ("Block",)),
                cases=lambda d: other(inputs(d, masked=False)), visible=0, fresh=3, trouble=False, far=False),
        promise("with dropout 0 training and evaluation agree", "at least 0", ask=TRAINED, cases=lambda d: inputs(d, p=(0.0, 0.0), low=d.each(2, 1)), visible=1, trouble=False),
        *(promise(f"{kind} in training: each entry of both steps' results is dropped on its own before the addition, kept ones are divided by 1 − rate",
                  "Every entry is dropped or kept on its own", **dropout, agree=close(0.016, 1e-4), cases=lambda d, pre=pre: dropped(d, pre), visible=1, fresh=2) for kind, pre in KINDS),
        promise("each entry is dropped by a chance of its own: how many are dropped differs from call to call", "Every entry is dropped or kept on its own", ask=Ask(LESSON + "kept_counts", ("Block",)),
                agree=Agree(view="course_utils.checks.allowed.between"), returns=(), cases=counted, visible=3, fresh=6, trouble=False),
        *(promise(f"{kind} in training: the entries of a text of one token are dropped on their own, too", ("Every size may be 1", "Every entry is dropped or kept on its own"),
                  **dropout, agree=close(0.024, 1e-4), cases=lambda d, pre=pre: dropped(d, pre, rates=(0.45,), length=1, places=2_000), visible=0, fresh=1) for kind, pre in KINDS),
        promise("in training, what is dropped passes no gradient on, and what is kept passes it on divided by 1 − rate", "kept ones are divided by 1 − rate", ask=Ask(LESSON + "kept_slopes", ("Block",)),
                agree=close(1e-4), returns=(), cases=counted, visible=1, fresh=4, trouble=False),
        promise("a block that was trained drops nothing in evaluation, and one that was evaluated drops in training", "as long as evaluation is exact", ask=Ask(LESSON + "modes_in_turn", ("Block",)), returns=(),
                cases=lambda d: inputs(d, masked=False, p=(0.4, 0.6)), visible=1, fresh=3, trouble=False, far=False),
        promise("texts of a thousand tokens go through in full", "x: (B, L, D)", cases=long, visible=0, fresh=2, trouble=False, far=False),
        promise("one_big_matrix: head h finds its matrix in the rows [h·d, (h+1)·d)", ask=BIG, agree=same(),
                quote="H matrices of shape (d, D) -> one of shape (H·d, D) that does the work of all heads at once", cases=matrices),
        promise("the big matrix has the number type of the small ones, 32-bit", "which hold 32-bit numbers", ask=Ask("kinds", (BIG, "float32")), agree=same(), cases=matrices, visible=1, trouble=False),
        promise("a single head, and matrices of one row or column, are joined too", "Every size may be 1", ask=BIG, agree=same(), cases=lambda d: matrices(d, 1), visible=1),
        promise("gradients come back from the big matrix to all small ones", "gradients come back to the small ones", ask=Ask(LESSON + "slopes_of_all", ("one_big_matrix",)),
                agree=close(1e-5, 1e-5), cases=matrices, visible=1, trouble=False),
        promise("gradients come back to a single matrix, and to matrices of one row or column", ("gradients come back to the small ones", "Every size may be 1"), ask=Ask(LESSON + "slopes_of_all", ("one_big_matrix",)),
                agree=close(1e-5, 1e-5), cases=lambda d: matrices(d, **d.each({"H": (1, 1)}, {"rows": (1, 1)}, {"D": (1, 1)}, {"H": (1, 1), "rows": (1, 1)}, {"H": (1, 1), "rows": (1, 1), "D": (1, 1)})), visible=3, fresh=5, trouble=False, far=False),
    ],
)

# %% [markdown]
# ## 12 · Recurrent networks against Transformers
#
# A recurrent network reads word by word: $h_t = f(h_{t-1}, x_t)$. Two consequences can be measured.
#
# * **Path length.** From the first word to the last state a signal passes $T-1$ steps in the recurrent network, one in self-attention. We compare the gradient of the last output with respect to each input of untrained networks: a plain recurrent network as PyTorch draws it, the same with a larger orthogonal matrix, and an LSTM, whose gates can be set to keep what they
#   hold (forget bias 3).
# * **Parallelism.** The recurrent network has to take its $T$ steps one after the other; attention is a few large
#   products, whatever $T$, but has $T^2$ work to do. On a CPU little runs side by side, so here you see both: what
#   many small steps cost for short texts, and what the $T^2$ costs for long ones. On a GPU, with thousands of cores,
#   steps in a row weigh more; that is not measured here.


# %%
def gradient_by_distance(layer, length: int, draws: int = 8) -> np.ndarray:
    """Mean norm of d(last output)/d(input t) against the distance length-1-t, relative to distance 1."""
    total = torch.zeros(length)
    for _ in range(draws):
        x = torch.randn(1, length, 64, requires_grad=True)
        layer(x)[0, -1].sum().backward()
        total += x.grad[0].norm(dim=1)
    return (total / total[-2]).flip(0).numpy()


def seconds_per_pass(layer, length: int) -> float:
    """Median processor time of a forward pass over one sequence, on one thread."""
    x, times, threads = torch.randn(1, length, 64), [], torch.get_num_threads()
    torch.set_num_threads(1)
    with torch.no_grad():
        for _ in range(15):
            begin = time.thread_time()
            layer(x)
            times.append(time.thread_time() - begin)
    torch.set_num_threads(threads)
    return float(np.median(times))


def untrained(kind: str):
    """A network (1, T, 64) -> (1, T, 64) with fresh weights."""
    if kind == "self-attention":
        attention = nn.MultiheadAttention(64, 4, batch_first=True)
        return lambda x: attention(x, x, x, need_weights=False)[0]
    net = (nn.LSTM if kind == "LSTM, forget bias 3" else nn.RNN)(64, 64, batch_first=True)
    if kind == "recurrent, orthogonal × 1.5":
        nn.init.orthogonal_(net.weight_hh_l0, gain=1.5)
    if kind == "LSTM, forget bias 3":
        nn.init.constant_(net.bias_hh_l0[64:128], 3.0)  # the second of the four gates
    return lambda x: net(x)[0]


torch.manual_seed(0)
kinds = ["recurrent", "recurrent, orthogonal × 1.5", "LSTM, forget bias 3", "self-attention"]
lengths = [16, 32, 64, 128, 256, 512, 1024, 2048]
fig, axes = plots.new_figure(10, 3.8, columns=2)
for kind, look in zip(kinds, plots.styles(4), strict=True):
    curves = np.array([gradient_by_distance(untrained(kind), 40) for _ in range(8)])
    middle = np.maximum(np.median(curves, axis=0), 1e-14)
    axes[0].semilogy(range(40), middle, label=kind, markevery=4, **look)
    axes[0].fill_between(
        range(40), np.maximum(curves.min(0), 1e-14), curves.max(0), color=look["color"], alpha=0.2
    )
    print(f"{kind:>28}: gradient at distance 39 is {np.median(curves[:, 39]):.1e} of that at distance 1")
    if kind in ("recurrent", "self-attention"):
        times = [1000 * seconds_per_pass(untrained(kind), n) for n in lengths]
        axes[1].loglog(lengths, times, label=kind, **look)
        print(
            f"{'ms by length':>28}: "
            + ", ".join(f"{n}: {t:.2f}" for n, t in zip(lengths, times, strict=True))
        )
axes[0].set(
    xlabel="distance to the input (positions)",
    ylabel="gradient norm relative to distance 1",
    ylim=(1e-14, 30),
)
axes[1].set(xlabel="sequence length T (positions)", ylabel="forward pass, one core (ms)")
axes[1].set_xscale("log", base=2)
axes[0].legend(fontsize=8)
plots.show(fig, alt=alt_text("02_gradient_last_output"))

# %% [markdown]
# How fast the curve falls depends on the weights: with a larger orthogonal matrix, or with gates set to keep what
# they hold, a recurrent network passes the gradient over 40 steps as well. LSTMs were the usual choice before
# Transformers (Vaswani et al., 2017, section 1). Two differences remain: attention without positions treats all
# distances alike, so its gradient cannot fall with distance (it is shared among all $T$ positions instead; the curve
# is relative to distance 1), and its positions are computed side by side.
#
# The table of what Transformers trade follows Vaswani et al. (2017), table 1, for a layer of width $k$ over $T$ positions (they write $d$ and $n$; their $k$ is the kernel width of a convolution):
#
# | | operations | steps in a row | longest path |
# |---|---|---|---|
# | recurrent | $O(T k^2)$ | $O(T)$ | $O(T)$ |
# | self-attention | $O(T^2 k)$ (plus $O(Tk^2)$ for the projections, which the table leaves out) | $O(1)$ | $O(1)$ |

# %% [markdown]
# ## Written questions
#
# Answer in your own words, in a few sentences each; they are marked by hand with the criteria your instructor has.
#
# **head_structures.** What is the advantage of several heads over one of the same total width? Name three structures in text that different heads have been found to follow, each with a short example sentence. (Clark et al., 2019, sections 3 and 4, studied what the heads of a trained model attend to, and Vaswani et al., 2017, show pictures on their last pages; your own examples are welcome.)

# %% [markdown] written="head_structures" points=0.5 minutes=8 difficulty=1
# **Your answer · head_structures**
#
# ### BEGIN SOLUTION
# One head has one softmax per position, so it can focus on one place, or blur several into one mean whose parts in general cannot be told apart afterwards. Several heads focus on different places at the same time and keep what they find in different columns, at the same cost.
# Structures that were found: the previous or next word; subject and verb ("The keys to the cabinet *are*"); a pronoun and whom it means ("Anna lost *her* ticket"); an adjective or an article and its noun ("*the* cabinet"); a verb and its object; `[SEP]` and full stops (often a resting place).
#
# Rubric: (1) says that one softmax yields one weighted mean, and that several heads look at several places separately; (2) three distinct structures; (3) an example for at least two of them. Two criteria of three are half of the points.
# ### END SOLUTION

# %% [markdown]
# **why_residuals.** Why do deep Transformers need residual connections? Use the gradient figure of section 11, and say what the residual contributes to the receptive field of section 9.

# %% [markdown] written="why_residuals" points=0.5 minutes=8 difficulty=2
# **Your answer · why_residuals**
#
# ### BEGIN SOLUTION
# The derivative of x + step(x) is the identity plus the step's derivative, so the gradient has a way to the input along which it is multiplied by nothing. In the figure it falls by 15 orders of magnitude over 24 layers without residual, norm and good weights, and stays between 0.8 and 2.2 with a residual and PyTorch's weights. Norm or good weights alone bring it back, too;
# but in the figure most of the output still depends on the input only with a residual. A layer has to learn only a change of x, and can start close to doing nothing. In the receptive field the residual is the "+1": a position keeps itself, hence (h+1)ⁿ and not hⁿ.
#
# Rubric: (1) identity term in the derivative (or "free path for the gradient"); (2) refers to the measured figure, and does not claim that only a residual keeps the gradient; (3) the residual keeps the position itself, (h+1)ⁿ instead of hⁿ. Two criteria of three are half of the points.
# ### END SOLUTION

# %% [markdown]
# **why_transformers.** Why have Transformers replaced recurrent networks for long texts, and what price do they pay?
# Support each claim with a number that you measured in this notebook where there is one, say which claim the notebook
# does not measure, and name a situation where you would still choose a recurrent network.

# %% [markdown] written="why_transformers" points=1 minutes=12 difficulty=2
# **Your answer · why_transformers**
#
# ### BEGIN SOLUTION
# Gains: any two positions are one step apart, so the gradient need not decay with distance (level curve in section 12; a plain recurrent network falls exponentially, unless its weights or gates are set with care); all positions of a sequence are trained at once, thanks to the causal mask, in a constant number of steps in a row where a recurrent network needs T; residual blocks can be
# stacked deep (section 11). Price: work and memory for the weights grow with T² (fitted slope 2 at large lengths in section 7; equal to the projections at T = 2k), and order has to be supplied through positions. A recurrent network still suits endless streams on small devices, or generation with constant memory per step.
#
# Rubric: (1) short paths, with the gradient figure; (2) parallel over positions (steps in a row 1 against T), with a measured time or the argument of the mask; (3) quadratic cost with the measured slope or crossing; (4) a sensible case for recurrence (streaming, constant memory per step). A quarter of the points each.
# ### END SOLUTION

# %% [markdown]
# ## The figure worth keeping
#
# What the parts of this notebook cost, in one picture: the share of a whole encoder layer's operations that goes into projections, scores and feed-forward network, against the length of the text.

# %%
width = 512
lengths = np.array([2**n for n in range(5, 16)])
scores = (
    np.array([attention_flops(int(n), int(n), width) for n in lengths], dtype=float)
    - 8.0 * lengths * width**2
)
parts = {
    "feed-forward network (4k wide)": 16.0 * lengths * width**2,
    "four projections": 8.0 * lengths * width**2,
    "scores and weighted sum": scores,
}
total = sum(parts.values())
fig, (ax,) = plots.new_figure(7.4, 4.2)
ax.stackplot(
    lengths,
    *(100 * part / total for part in parts.values()),
    labels=list(parts),
    colors=("#F0F0F0", "#BBBBBB", "#666666"),
    edgecolor="black",
)
ax.set_xscale("log", base=2)
ax.set(xlabel="length of the text (tokens)", ylabel="share of a layer's FLOPs (%), k = 512", ylim=(0, 100))
ax.legend(loc="lower left")
plots.show(fig, alt=alt_text("02_stacked_shares_encoder"))

# %% [markdown]
# **To take away.** A Transformer is one operation, attention, with parts around it that you can each test alone:
# heads, masks, residuals, norms. A mask that lets the future through shows itself in a loss that is too good to be
# true, so know the entropy of your data. Attention's quadratic term is what one pays for paths of length one, and it
# only dominates once the text is several times as long as the model is wide.
#
# **Further reading.** Vaswani et al., *Attention Is All You Need* (2017). Ba, Kiros and Hinton, *Layer Normalization* (2016). He et al., *Deep Residual Learning for Image Recognition* (2015). Xiong et al., *On Layer Normalization in the Transformer Architecture* (2020). Clark et al., *What Does BERT Look At?* (2019).
# Bahdanau, Cho and Bengio, *Neural Machine Translation by Jointly Learning to Align and Translate* (2015). Dao et al., *FlashAttention* (2022).

# %%
hand_in("02_blocks", files=["translator.safetensors"])
