# %% [markdown] builds="sinusoids, relative biases, rotary embedding"
# # 03 · Where am I? Positions
#
# *The man chased the dog. The dog chased the man.* The same words, but in the second sentence the man runs away.
# Attention without a mask, as you built it in notebook 01, cannot tell these two sentences apart: it sees a bag of
# words, without order. Here you show that, and then repair it in four ways: positions added to the words, positions
# put beside them, a bias for every distance, and a rotation.
#
# **Afterwards you can**
# - test by numbers whether a layer knows the order of its input;
# - build sinusoidal positions, and say what their dot products tell about distance;
# - take a score apart into its terms, and say compared with what cross terms are small;
# - add a learned relative bias to attention, and count what it costs;
# - write rotary positions (RoPE) that work for every length, number type and device, the core of a module of notebook 08;
# - say what a masked word must keep so that a model can fill the gap.
#
# <!-- costs -->
#
# Nothing is trained here, and all tensors are small, so a GPU changes nothing. Plan nearly three hours of your own time.
#
# **What to know before.** Attention with queries, keys and values (notebook 01), heads as a tensor axis (notebook 02), sine and cosine, 2 × 2 rotation matrices, variance. You need no solved exercise of an earlier notebook.
#
# <!-- exercise-map -->
#

# %%
# <first-cell>

# %%
import math

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils import plots
from course_utils.checks.selfcheck import check  # noqa: F401 (check cells call it)
from course_utils.lessons.attention import slider
from course_utils.lessons.figures import alt_text
from course_utils.notebook.costs import announce
from course_utils.notebook.session import hand_in, save_answers, start, waits_for

course = start("03_positions")
announce(course)

# %% [markdown]
# ## Letters used throughout
#
# | letter | meaning | letter | meaning |
# |---|---|---|---|
# | $n$ | words of a text | $X$, $P$ | words and position vectors, one row per place |
# | $d$ | width of a word; in sections 5 and 6 that of one head | $e$ | width of a head in sections 1 and 7; in exponentials Euler's number |
# | $i$, $j$, $t$ | places | $p_t$ | position vector of place $t$ |
# | $m$ | number of a hand of the clock | $\omega_m$ | its speed |
# | $T$, $L$ | places that a table has; places of a text, $L \le T$ | $B$, $H$ | texts of a batch; heads |
# | $q$, $k$, $v$ | query, key and value | $k$ alone | an offset in section 2, the clip in `bias_count`, else a key |
#
# ## 1. A bag of words
#
# One head of self-attention, as in the earlier notebooks, given here so that you can start at once. $X$ of shape `(n, d)` holds one word per row:
#
# $$ Q = XW_q,\quad K = XW_k,\quad V = XW_v,\qquad Y = \operatorname{softmax}\!\big(QK^\top/\sqrt e\,\big)\,V, $$
#
# with $W_q, W_k, W_v$ of shape `(d, e)` and the output $Y$ of shape `(n, e)`.
#


# %%
def attend(X: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor) -> Tensor:
    """One head of self-attention without any mask: X (n, d) and weights (d, e) -> (n, e)."""
    q, k, v = X @ W_q, X @ W_k, X @ W_v
    return F.scaled_dot_product_attention(q[None], k[None], v[None])[0]  # (1, n, e) -> (n, e)


rng = torch.Generator().manual_seed(3)
word = {w: torch.randn(8, generator=rng) for w in ("the", "man", "chased", "dog")}
weights = [torch.randn(8, 8, generator=rng) for _ in range(3)]
for text in ("the man chased the dog", "the dog chased the man"):
    Y = attend(torch.stack([word[w] for w in text.split()]), *weights)
    place = text.split().index("man")
    print(f"{text}: output at 'man' begins", [round(x, 4) for x in Y[place, :4].tolist()])

# %% [markdown]
# In one sentence the man runs after somebody, in the other he runs away, and his output vector is the same.
#
# Write $\sigma$ for an order of the words, as a list: $X[\sigma]$ has word $\sigma_i$ at place $i$ (in code: `X[order]`). Attention **without positions** fulfils
#
# $$ \operatorname{attend}(X[\sigma]) \;=\; \operatorname{attend}(X)[\sigma] \qquad\text{for every } \sigma, $$
#
# it is *permutation-equivariant*: if the words are shuffled, the outputs are shuffled in the same way, and nothing
# else changes. The reason: each output is a sum over all words, and a sum has no order.
#
# Now let $P$ of shape `(n, d)` hold one **position vector** per place, and feed $X + P$. Place 0 always gets row 0 of $P$, whichever word stands there.
#
# ### Exercise `order_blind`
#
# Measure how far attention is from being order-blind: the largest absolute difference between *shuffle the words, then attend* and *attend, then shuffle*. With $P = 0$ it should vanish up to rounding; with other positions it should not, unless the rows of $P$ that change places are equal.
#
# <details><summary>Hint 1 (nudge)</summary>
# A position belongs to a place, a word belongs to a sentence. Which of the two moves when you shuffle words?
# </details>
# <details><summary>Hint 2 (idea)</summary>
# Two paths. Path one: index X by <code>order</code>, add P as it stands, attend. Path two: add P to the original X, attend, and index the result by <code>order</code>. Then compare.
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# Traps: (X + P)[order] lets the positions travel with the words; indexing one path by the inverse order compares different words; a difference without <code>abs()</code> can hide behind its sign; the mean hides what the maximum shows.
# </details>
#


# %% answer="order_blind"
def order_gap(X: Tensor, P: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor, order: Tensor) -> float:
    """How much the order of the words matters to ``attend``.

    Args:
        X: words (n, d), 32-bit or 64-bit. P: positions (n, d), row i for place i.
        W_q, W_k, W_v: weights (d, e).
        order: whole numbers (n,), a permutation, perhaps the one that moves nothing;
            word order[i] moves to place i.

    Returns:
        The largest absolute difference between shuffling the words before, and shuffling the outputs after.
    """
    ### BEGIN SOLUTION
    shuffled_first = attend(X[order] + P, W_q, W_k, W_v)
    shuffled_last = attend(X + P, W_q, W_k, W_v)[order]
    return (shuffled_first - shuffled_last).abs().max().item()
    ### END SOLUTION


# %% check="order_blind" points=1 minutes=12 difficulty=1
import torch

from course_utils.checks.promises import Draw, close, layouts, promise, promises, repeatable, unchanged
from solutions.reference import positions


def shuffled(d: Draw, n=(3, 12), top=1.0, order=None, size=1.0):
    """Words, positions ``top`` times as large, weights, and an order (drawn: one that is not its own inverse)."""
    n, width, e = d.sizes(n=n, d=(1, 9), e=(1, 9))
    own = list(range(n))
    order = own if order == "as it is" else d.sample(n, n)
    while n > 2 and own != order and [order[place] for place in order] == own:
        order = d.sample(n, n)
    return d.normal(n, width), top * d.normal(n, width), *(size * d.normal(width, e) for _ in range(3)), torch.tensor(order)


def repeated(d: Draw):
    """Words some of which come twice; the order moves all of them."""
    X, *rest, order = shuffled(d, n=(4, 9))
    X[1], X[-1] = X[0], X[-2]
    return X, *rest, order


def largest_where_the_word_stays(d: Draw):
    """Two words change places, and the largest difference is at a place that keeps its word."""
    while True:
        X, P, *weights, _ = shuffled(d, n=(4, 5))
        order = torch.tensor([1, 0, *range(2, len(X))])
        gap = positions.attend(X[order] + P, *weights) - positions.attend(X + P, *weights)[order]
        if (size := gap.abs().amax(-1))[2:].max() > 1.5 * size[:2].max():
            return X, P, *weights, order


promises(
    reference={"order_gap": positions.order_gap},
    agree=close(1e-9),
    returns=("the gap",),
    always=(unchanged, repeatable, layouts),
    kept=[
        promise("the gap is the largest absolute difference between attend(shuffled words, plus P) and the shuffled attend(words plus P)",
                quote=("How much the order of the words matters", "the largest absolute difference between *shuffle the words, then attend* and *attend, then shuffle*",
                       "The largest absolute difference between shuffling the words before, and shuffling the outputs after", "X: words (n, d)", "weights (d, e)"),
                cases=shuffled, visible=6),
        promise("without positions the gap vanishes", "With $P = 0$ it should vanish", cases=lambda d: shuffled(d, top=0.0)),
        promise("small positions make a small gap, which is told exactly", "with other positions it should not", cases=lambda d: shuffled(d, top=d.each(1e-4, 1e-6))),
        promise("the gap of tiny positions is told to 12 decimals: 64-bit numbers are computed with in 64 bits, and no small gap counts as none", "with other positions it should not",
                cases=lambda d: shuffled(d, top=d.each(1e-8, 1e-10)), agree=close(1e-12, 1e-4), trouble=False, far=False),
        promise("row i of P belongs to place i, whichever word stands there", "row i for place i", cases=lambda d: shuffled(d, top=3.0, size=(1.0 if d.small else d.each(1.0, 100.0)))),
        promise("word order[i] moves to place i, also where two words change places", "word order[i] moves to place i",
                cases=lambda d: (*shuffled(d, n=(4, 4))[:5], torch.tensor(d.each([1, 0, 2, 3], [2, 3, 0, 1])))),
        promise("every place counts, also one that keeps its word: attention mixes the others into it", "The largest absolute difference",
                cases=largest_where_the_word_stays),
        promise("a word may come several times", "X: words (n, d)", cases=repeated, visible=0, fresh=4, trouble=False, far=False),
        promise("where all words are one word nothing is left to shuffle but the outputs", "word order[i] moves to place i", visible=0, fresh=3, trouble=False, far=False,
                cases=lambda d: (lambda X, *rest: (X[:1].expand_as(X).clone(), *rest))(*shuffled(d))),
        promise("texts of hundreds of words are looked at in full", "X: words (n, d)", visible=0, fresh=2, trouble=False, far=False, cases=lambda d: shuffled(d, n=d.each((140, 300), (300, 600)))),
        promise("an order that moves no word leaves no gap, nor does a single word", "a permutation, perhaps the one that moves nothing",
                cases=lambda d: shuffled(d, n=d.each((2, 6), (1, 1)), order="as it is")),
        promise("32-bit numbers will do", "32-bit or 64-bit", trouble=False,
                cases=lambda d: tuple(x.float() if x.is_floating_point() else x for x in shuffled(d))),
    ],
)

# %%
with waits_for("order_blind"):
    draw = lambda *shape: torch.randn(*shape, dtype=torch.float64, generator=rng)  # noqa: E731
    X, P, W = draw(12, 8), draw(12, 8), [draw(8, 8) / 8**0.5 for _ in range(3)]
    for name, size in {
        "no positions": 0.0,
        "tiny positions": 0.01,
        "positions as large as the words": 1.0,
    }.items():
        gaps = [order_gap(X, size * P, *W, torch.randperm(12, generator=rng)) for _ in range(20)]
        print(f"{name:>32}: largest gap over 20 orders {max(gaps):.1e}")

# %% [markdown]
# ### What is wrong here?
#
# *"Self-attention is order-blind. So a GPT without position vectors could not know the order of its input either."*
#
# A GPT uses a causal mask: word $i$ sees the words $0 \dots i$. The next cell gives the first word a mark in its value and lets every word look at all it may see with equal weights.
#

# %%
marked = torch.eye(8)[:, :1]  # (8, 8) -> (8, 1), values: only the first word carries the mark
equal = torch.zeros(8, 1)  # equal queries and keys: equal weights
for name, causal in {"no mask": False, "causal mask": True}.items():
    Y = F.scaled_dot_product_attention(equal[None], equal[None], marked[None], is_causal=causal)[0, :, 0]
    print(f"{name:>11}:", [round(y, 3) for y in Y.tolist()])

# %% [markdown]
# <details><summary>What is wrong</summary>
# With the mask, word t sees t + 1 words and receives 1/(t + 1): its place can be read off, if the first word can be
# told from the others. The proof above needs a sum over <b>all</b> words; a causal mask breaks it. GPTs without
# position vectors can be trained; GPTs with explicit positions were a little better (Haviv and others, 2022). A
# bidirectional encoder has no mask that tells it the places.
# </details>
#
# ### Written question `why_order`
#
# Describe a task, with a pair of inputs made of exactly the same words, in which the order of the words decides the right output. What would a bidirectional Transformer without positions, followed by the mean over all outputs, answer to your two inputs, and why? (Choose another example than man and dog.)
#

# %% [markdown] written="why_order" points=0.5 minutes=8 difficulty=1
# **Your answer · why_order**
#
# ### BEGIN SOLUTION
# Sentiment: "the food was good, not bad" against "the food was bad, not good". Both contain the same words; the first praises, the second complains. (Translation, parsing who did what to whom, arithmetic such as 7 − 3 against 3 − 7 serve as well.)
# Without positions every layer is permutation-equivariant: word-wise layers treat each row alike, and attention sums over all rows. So the two inputs give the same output vectors in another order, the mean over them is the same, and so is the answer: at least one of the two must be wrong.
#
# Rubric: (1) two inputs made of the same words (a true reordering) with different right outputs, and the task named; (2) says that the model gives the same answer to both; (3) gives the reason: outputs are merely permuted (sum over a set), the mean removes even that.
# ### END SOLUTION
#

# %% [markdown]
# ## 2. Clocks: sinusoidal positions
#
# A clock tells the time with hands that turn at different speeds. Give place $t$ a vector $p_t \in \mathbb{R}^d$ ($d$ even) of $d/2$ hands; hand $m = 0, \dots, d/2-1$ turns with speed $\omega_m$ and is drawn by its two coordinates:
#
# $$ \omega_m = \text{base}^{-2m/d}, \qquad p_{t,\,2m} = \sin(\omega_m t), \qquad p_{t,\,2m+1} = \cos(\omega_m t), \qquad \text{base} = 10{,}000 \text{ as a rule.} $$
#
# This is **our layout**: sine in the even columns, cosine in the odd ones, side by side. (Others put all sines first.)
#
# *A small example.* $d = 4$, base 100: the speeds are $100^0 = 1$ and $100^{-1/2} = 0.1$. So $p_0 = (0, 1, 0, 1)$ and $p_3 = (\sin 3, \cos 3, \sin 0.3, \cos 0.3)$.
#
# Two facts make these vectors good positions:
#
# 1. $p_i \cdot p_j = \sum_m \cos\big(\omega_m (i-j)\big)$. The dot product depends on the **offset** $i-j$ alone.
# 2. Going $k$ places further turns hand $m$ by $\omega_m k$, wherever it stood. So there is **one** matrix $R_k$ with $p_{i+k} = R_k\,p_i$ for all $i$: a linear layer can learn "look $k$ places back".
#
# ### Exercise `sinusoid`
#
# Write the positions, and a matrix $R_k$, of shape `(d, d)`, for any whole number $k$, negative ones too. Any matrix
# with the property is accepted. It acts from the left on column vectors. Number types are free: the check compares in
# 64 bits.
#
# <details><summary>Hint 1 (nudge)</summary>
# The d/2 speeds first, then a table of angles (T, d/2) with one row per place. For R_k: what do the angle-addition formulas say about sin(a + b) and cos(a + b)?
# </details>
# <details><summary>Hint 2 (idea)</summary>
# The exponent's numerator 2m runs over 0, 2, 4, …: that is already the even column number, so do not double it again. R_k consists of 2 × 2 blocks along the diagonal, one per hand.
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# Fill columns 0::2 with the sines and 1::2 with the cosines. With the angle b = ω_m k the block is [[cos b, sin b], [−sin b, cos b]], because our vector is (sin, cos) and not (cos, sin). Traps: an inverted sign of the exponent, places counted from 1, the transposed block (it walks backwards).
# </details>
#


# %% answer="sinusoid"
def sinusoid(T: int, d: int, base: float = 10000.0) -> Tensor:
    """Sinusoidal positions (T, d), d even: sine in the even columns, cosine in the odd ones, places from 0.

    T >= 1 and base > 1 may be any. 32-bit numbers are fine enough.
    """
    ### BEGIN SOLUTION
    speed = base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)  # (d/2,)
    angle = torch.arange(T, dtype=torch.float64)[:, None] * speed  # (T, 1) * (d/2,) -> (T, d/2)
    p = torch.empty(T, d)
    p[:, 0::2], p[:, 1::2] = angle.sin(), angle.cos()
    return p
    ### END SOLUTION


def shift_matrix(k: int, d: int, base: float = 10000.0) -> Tensor:
    """A matrix R (d, d) with R @ sinusoid(T, d, base)[i] = sinusoid(T, d, base)[i + k] for all i.

    k may be negative, and k = 0 moves nothing. 32-bit numbers are fine enough.
    """
    ### BEGIN SOLUTION
    R = torch.zeros(d, d)
    for m in range(d // 2):
        turn = k * base ** (-2 * m / d)
        block = [[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]]
        R[2 * m : 2 * m + 2, 2 * m : 2 * m + 2] = torch.tensor(block)
    return R
    ### END SOLUTION


# %% check="sinusoid" points=2 minutes=25 difficulty=2
from course_utils.checks.promises import Ask, Case, Draw, call, close, promise, promises, repeatable
from solutions.reference import positions


def table(d: Draw, T=(1, 400), half=(1, 24)):
    """Places, an even width and a base."""
    T, half = d.sizes(T=T, half=half)
    return T, 2 * half, d.each(50.0, 20.0, 700.0, 1e4, 5e5, 1e8)


def long_table(d: Draw):
    """Thousands of places, and which of them are looked at."""
    T = d.whole(*d.each((6000, 9000), (2100, 4000)))
    return Case((T, 2 * d.whole(1, 2), d.each(50.0, 1e4, 1.5)), setup={"rows": [0, 2049, T - 1, *(d.whole(1, T - 1) for _ in range(9))]})


def shift(d: Draw, low: int, high: int, half=(1, 16), base=()):
    """A shift, an even width and a base, with positions that the matrix must move."""
    k, half = d.whole(low, high), d.sizes(half=half)[0]
    base = base or (d.each(50.0, 20.0, 700.0, 1e4, 5e5, 1e8),)
    start = min(max(0, -k), 399)
    rows = [start, start + 1, *(d.whole(40, 60 if d.small else 400) for _ in range(2 if d.small else 20))]
    return Case((k, 2 * half, *base), setup={"places": positions.sinusoid(401, 2 * half, *base)[rows]})


moved = {"ask": call("shift_matrix"), "returns": (), "agree": close(3e-4, view="course_utils.lessons.positions.moved")}
promises(
    reference={"sinusoid": positions.sinusoid, "shift_matrix": positions.shift_matrix},
    agree=close(4e-4),
    returns=("the positions",),
    always=(repeatable,),
    shares={"sinusoid": 0.5, "shift_matrix": 0.5},
    kept=[
        promise("the example of the text: d = 4, base 100", "$d = 4$, base 100", cases=[(4, 4, 100.0)], trouble=False),
        promise("p_t has sin(ω_m t) in column 2m and cos(ω_m t) in column 2m + 1, places from 0, ω_m = base^(−2m/d), for any T, even d and base", cases=table, visible=3,
                quote=("p_{t,\\,2m} = \\sin(\\omega_m t)", "Sinusoidal positions (T, d), d even: sine in the even columns, cosine in the odd ones, places from 0", "T >= 1 and base > 1 may be any", "32-bit numbers are fine enough")),
        promise("a single place, and a single hand", "T >= 1 and base > 1 may be any", cases=lambda d: table(d, *d.each(((1, 1), (2, 9)), ((5, 40), (1, 1))))),
        promise("far places turn by right angles too", "T >= 1 and base > 1 may be any", cases=lambda d: table(d, T=(120, 400), half=(2, 24)), visible=1),
        promise("a base just above 1", "T >= 1 and base > 1 may be any", cases=lambda d: (*table(d, half=(2, 24))[:2], d.each(1.7, 1.02, 1.3))),
        promise("the numbers of near places have the digits of 32 bits: 16 bits are too few", "32-bit numbers are fine enough", cases=lambda d: table(d, T=(3, 9), half=(2, 24)),
                visible=1, fresh=3, agree=close(2e-5, view="course_utils.lessons.positions.tenfold"), far=False, trouble=False),
        promise("thousands of places have rows of their own", "T >= 1 and base > 1 may be any", cases=long_table, fresh=4, trouble=False, returns=(),
                ask=Ask("course_utils.lessons.positions.rows_of", ("sinusoid",)), agree=close(0.01)),
        promise("without the argument, base is 10,000", "\\text{base} = 10{,}000", cases=lambda d: table(d)[:2]),
        promise("R_k moves every place i to i + k, in the layout of the positions", cases=lambda d: shift(d, 1, 25), **moved,
                quote=("a matrix $R_k$, of shape `(d, d)`", "It acts from the left on column vectors", "A matrix R (d, d) with R @ sinusoid(T, d, base)[i] = sinusoid(T, d, base)[i + k] for all i")),
        promise("for negative k the matrix walks back", ("for any whole number $k$, negative ones too", "k may be negative"), cases=lambda d: shift(d, -25, -1), **moved),
        promise("k = 0 leaves every place where it is", "k = 0 moves nothing", cases=lambda d: shift(d, 0, 0), **moved),
        promise("many places further, and one hand alone", "for any whole number $k$", cases=lambda d: shift(d, *d.each((60, 90), (-39, -30), (2, 9)), half=d.each((1, 1), (2, 5))), **moved),
        promise("a matrix for a base just above 1", "T >= 1 and base > 1 may be any", cases=lambda d: shift(d, 2, 25, base=(d.each(1.7, 1.02, 1.3),)), trouble=False, **moved),
        promise("thousands of places further, or back", "for any whole number $k$", cases=lambda d: shift(d, *d.each((1001, 4000), (-4000, -1001))), trouble=False,
                **{**moved, "agree": close(0.01, view="course_utils.lessons.positions.moved")}),
        promise("without the argument, the matrix belongs to base 10,000", "\\text{base} = 10{,}000",
                cases=lambda d: (lambda c: Case(c.args[:2], setup=c.setup))(shift(d, 2, 25, base=(1e4,))), **moved),
    ],
)

# %%
with waits_for("sinusoid"):
    fig, (left, right) = plots.new_figure(9.4, 3.9, columns=2)
    p = sinusoid(64, 32)
    picture = left.imshow(p @ p.T, cmap="Greys_r")
    left.set(xlabel="place j", ylabel="place i", title="$p_i \\cdot p_j$, d = 32: bands along the diagonal")
    left.grid(False)
    fig.colorbar(picture, ax=left, label="dot product (no unit)", shrink=0.85)
    for (d, base), look in zip([(32, 10000.0), (128, 10000.0), (32, 50.0)], plots.styles(3), strict=True):
        p = sinusoid(101, d, base)
        right.plot(
            range(101), (p @ p[0] / (d / 2)).tolist(), label=f"d = {d}, base {base:,.0f}", markevery=9, **look
        )
    right.set(
        xlabel="offset i − j (places)", ylabel="$p_i \\cdot p_j$ / (d/2)", title="dot product against offset"
    )
    right.legend(fontsize=8)
    plots.show(fig, alt=alt_text("03_64_by_64"))

# %% [markdown]
# ### What is wrong here?
#
# *"The nearer two places, the larger the dot product of their positions: so a model can sort places by distance."*
#

# %%
with waits_for("sinusoid"):
    p = sinusoid(60, 32)
    products = (p @ p[0]).tolist()
    rises = [k for k in range(1, 59) if products[k + 1] > products[k]]
    print("offsets k after which the product rises again:", rises[:12], "…")
    print(
        f"product at offset {rises[0]}: {products[rises[0]]:.3f}, at offset "
        f"{rises[0] + 2}: {products[rises[0] + 2]:.3f}"
    )

# %% [markdown]
# <details><summary>What is wrong</summary>
# Positions very close to each other are indeed more alike, but the product falls in waves: of two places, the nearer one may well have the smaller product. What is true is weaker and enough: the product depends on the offset alone,
# and from several such products (several heads, each with some of the hands) a model can work out the distance.
# </details>
#
# ## 3. Add or put side by side?
#
# A word $x_i \in \mathbb{R}^d$ and a position $p_i \in \mathbb{R}^d$ can be joined in two ways: **added**, $z_i = x_i + p_i \in \mathbb{R}^d$, or **concatenated**, $z_i = [x_i;\, p_i] \in \mathbb{R}^{2d}$.
# Suppose for simplicity that queries and keys are the $z$ themselves. What is in a score $z_i \cdot z_j$? A dot product multiplies out like a product of sums; over concatenated vectors it is the sum over both parts.
#
# *A small example.* $x_i = (1, 0)$, $p_i = (0, 2)$, $x_j = (3, 1)$, $p_j = (1, 1)$. Added: $(1, 2)\cdot(4, 2) = 8$. Side by side: $(1, 0, 0, 2)\cdot(3, 1, 1, 1) = 5$. Where do the 3 more come from?
#
# ### Exercise `add_or_concat`
#
# Return the terms of both scores for all pairs $(i, j)$ at once. For the sum, in this order: word–word, word–position (word of $i$, position of $j$), position–word, position–position. For the concatenated form: its terms in the same order, without those that do not occur.
#
# <details><summary>Hint 1 (nudge)</summary>
# Multiply out (x_i + p_i)·(x_j + p_j) on paper. How many products are there? How many of them meet when the two parts stand side by side?
# </details>
# <details><summary>Hint 2 (idea)</summary>
# One term for all pairs is one matrix product, for example words times words transposed. Entry [i, j] belongs to query i and key j.
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# Four products of shape (n, n), stacked. The two cross terms are each other's transposes: the word belongs to the row in one, to the column in the other. Concatenation keeps the first and the last term only.
# </details>
#


# %% answer="add_or_concat"
def score_terms(X: Tensor, P: Tensor) -> tuple[Tensor, Tensor]:
    """Terms of all scores between n places, for added and for concatenated positions.

    Args:
        X: words (n, d), 32-bit or 64-bit, n, d >= 1. P: positions (n, d),
            of the same type, which the results have too.

    Returns:
        added: (4, n, n), entry [t, i, j] is term t of (x_i + p_i)·(x_j + p_j).
        joined: (2, n, n), entry [t, i, j] is term t of [x_i; p_i]·[x_j; p_j].
    """
    ### BEGIN SOLUTION
    words, places = X @ X.T, P @ P.T  # (n, d) @ (d, n) -> (n, n)
    mixed = X @ P.T
    return torch.stack([words, mixed, mixed.T, places]), torch.stack([words, places])
    ### END SOLUTION


# %% check="add_or_concat" points=1 minutes=12 difficulty=1
from course_utils.checks.promises import Ask, Draw, call, close, layouts, promise, promises, repeatable, same, unchanged
from solutions.reference import positions


def rows(d: Draw, n=(1, 9), width=(1, 12)):
    """Words and positions."""
    n, width = d.sizes(n=n, d=width)
    return d.normal(n, width), d.normal(n, width)


promises(
    reference={"score_terms": positions.score_terms},
    agree=close(1e-9),
    returns=("added", "joined"),
    always=(unchanged, repeatable, layouts),
    kept=[
        promise("added holds word–word, word of i with position of j, position of i with word of j, position–position, for any n and d; joined the first and the last",
                quote=("in this order: word–word, word–position (word of $i$, position of $j$), position–word, position–position",
                       "without those that do not occur", "Terms of all scores between n places", "X: words (n, d)", "P: positions (n, d)",
                       "entry [t, i, j] is term t of (x_i + p_i)·(x_j + p_j)", "joined: (2, n, n), entry [t, i, j] is term t of [x_i; p_i]·[x_j; p_j]."),
                cases=lambda d: rows(d, n=(2, 9))),
        promise("as many places as columns", "for all pairs $(i, j)$ at once", cases=lambda d: rows(d, n=(4, 4), width=(4, 4))),
        *(promise(f"{bits}-bit numbers give {bits}-bit results", "of the same type, which the results have too", ask=Ask("kinds", (call("score_terms"), f"float{bits}")), agree=same(), returns=(),
                  cases=rows, visible=1, fresh=2, trouble=False) for bits in (32, 64)),
        promise("a single place has terms too", "n, d >= 1", cases=lambda d: rows(d, n=(1, 1))),
        promise("a single column will do", "n, d >= 1", cases=lambda d: rows(d, n=(2, 5), width=(1, 1))),
        promise("words may be equal to their positions", "Terms of all scores between n places", visible=0, fresh=3, trouble=False, far=False, cases=lambda d: (lambda X, P: (X, X.clone()))(*rows(d, n=(2, 9)))),
        promise("a hundred places and more have their terms", "for all pairs $(i, j)$ at once", visible=0, fresh=2, trouble=False, far=False, cases=lambda d: rows(d, n=(130, 300), width=(1, 5))),
        promise("large numbers: nothing is divided", "of all scores", cases=lambda d: tuple(300 * x for x in rows(d))),
        promise("32-bit numbers will do", "32-bit or 64-bit", cases=lambda d: tuple(x.float() for x in rows(d)), trouble=False),
    ],
)

# %%
with waits_for("add_or_concat"):
    added, joined = score_terms(torch.tensor([[1.0, 0], [3, 1]]), torch.tensor([[0.0, 2], [1, 1]]))
    print("the example above, added:       ", added[:, 0, 1].tolist(), "sum", added[:, 0, 1].sum().item())
    print("the example above, concatenated:", joined[:, 0, 1].tolist(), "sum", joined[:, 0, 1].sum().item())

# %% [markdown]
# Concatenation compares words with words and places with places, but every layer becomes wider. Addition keeps the
# width and brings two cross terms, which compare a word with a place. This holds because queries and keys are the $z$
# themselves here. After projections, $W_q z_i$ and $W_k z_j$, the concatenated form has both cross terms as well:
# addition is then the special case in which word and position share the columns of each matrix. Before training, a
# cross term is noise. How much noise?
#
# ## 4. How large are the cross terms?
#
# Let $x$ and $p$ be independent random directions in $\mathbb{R}^d$. A tempting sentence: *in high dimension random vectors are orthogonal, so the cross terms vanish.* It needs a closer look, because two ways of measuring disagree:
#
# - **raw** vectors, whose $d$ coordinates are independent with mean 0 and variance 1;
# - **unit** vectors, the same ones divided by their norm.
#
# If the variance of $x \cdot p$ behaves like $C\,d^{\,s}$, its logarithm is a straight line in $\log d$ with slope $s$. That slope is what you measure. (Prediction: for raw vectors $x\cdot p$ is a sum of $d$ independent products, each of variance 1. For unit vectors both norms, about $\sqrt d$, are divided out. Which slopes follow?)
#
# ### Exercise `cross_terms`
#
# Simulate both variances, and fit the slope by least squares in log–log coordinates. Draw from `rng` itself: it is the one argument that changes, and a second call with it gives other numbers. The check measures some million pairs, so draw all vectors of a width at once; a loop over the pairs takes too long.
#
# <details><summary>Hint 1 (nudge)</summary>
# For one d: draw <code>draws</code> pairs of vectors, get one number x · p for each pair, take the variance of these numbers.
# </details>
# <details><summary>Hint 2 (idea)</summary>
# Unit vectors: divide each vector, not the whole table, by its own norm, before the product. The slope: a straight line through the points (log d, log variance).
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# <code>torch.randn(draws, d, generator=rng)</code> twice, <code>(x * p).sum(1)</code>, <code>var()</code>; for unit vectors <code>x / x.norm(dim=1, keepdim=True)</code>. The slope is Σ(u−ū)(w−w̄) / Σ(u−ū)² with u = log d, w = log variance. Traps: the standard deviation halves the slope; without logarithms it means nothing.
# </details>
#


# %% answer="cross_terms"
def cross_variances(dims: list[int], draws: int, rng: torch.Generator) -> tuple[Tensor, Tensor]:
    """Measured variance of x·p for independent random vectors.

    Args:
        dims: widths d >= 1 to try. draws: pairs of vectors for each of them,
            fresh ones for every d, at least 2.
        rng: where all random numbers come from.

    Returns:
        unit: (len(dims),), both vectors scaled to norm 1.
        raw: (len(dims),), coordinates standard normal. Dividing by draws or by draws - 1 is as good,
            and so is to use the known mean 0 of x·p in place of the measured one.
    """
    ### BEGIN SOLUTION
    unit, raw = [], []
    for d in dims:
        x, p = torch.randn(2, draws, d, generator=rng)
        raw.append((x * p).sum(1).var())  # (draws, d) -> (draws,) -> ()
        unit.append(((x * p).sum(1) / (x.norm(dim=1) * p.norm(dim=1))).var())
    return torch.stack(unit), torch.stack(raw)
    ### END SOLUTION


def log_slope(dims: list[int], values: Tensor) -> float:
    """Least-squares slope of log(values) (n,) against log(dims), n = len(dims).
    At least two different widths, in any order; a width may come several times.
    """
    ### BEGIN SOLUTION
    u = torch.tensor(dims, dtype=torch.float64).log()
    w = values.double().log()
    u, w = u - u.mean(), w - w.mean()
    return ((u * w).sum() / (u * u).sum()).item()
    ### END SOLUTION


# %% check="cross_terms" points=1 minutes=18 difficulty=2
import torch

from course_utils.checks.asking import Ask
from course_utils.checks.promises import Agree, Case, Draw, close, layouts, promise, promises, repeatable, same, unchanged
from solutions.reference import positions


def line(d: Draw, n=(2, 9)):
    """Different widths in any order, and values above 0 over many orders of magnitude."""
    n = d.sizes(n=n)[0]
    values, dims = [d.log_uniform(1e-6, 1e6) for _ in range(n)], [1, 1]
    while max(dims) < 1.2 * min(dims):  # nearer ones cannot be told apart by logarithms of 32 bits
        dims = d.rng.sample(range(1, 60 if d.small else 2000), n)
    return dims, torch.tensor(values, dtype=torch.float64)


def again(dims: list[int], values):
    """The same points with others at the first and the last width."""
    return [*dims, dims[0], dims[-1]], torch.cat([values, 3 * values[:1], values[-1:] / 5])


def measured(d: Draw, dims: list[int], draws: int, runs: int, deviations=6, spreads=True):
    """Many measurements, and bounds on their means, spreads and correlation: 6 standard deviations of chance, or more."""
    count = torch.tensor(dims, dtype=torch.float64)
    mean = torch.stack([1 / count, count])
    fourth = torch.stack([3 / count / (count + 2), 3 * count**2 + 6 * count])  # E (x·p)^4, unit and raw
    spread = ((fourth - mean**2 * (draws - 3) / (draws - 1)) / draws).sqrt()
    room = deviations * spread / runs**0.5
    low, high = ((0.75, 1.25) if runs >= 400 and spreads else (0.0, 1e9))
    bounds = [*zip((mean * (draws - 1) / draws - room).flatten().tolist(), (mean + room).flatten().tolist(), strict=True),  # dividing by draws, or draws - 1, is as good
              *((low * s, high * s + 1e-9) for s in spread.flatten().tolist())]  # fmt: skip
    bounds += [(-0.3, 0.3)] if runs >= 400 else []
    return Case((dims, draws), setup={"seed": d.whole(0, 10**9), "runs": runs, "bounds": bounds})


def few(d: Draw):
    """Small widths: two different ones, one twice, and one so small that the distribution of the coordinates shows."""
    low, k = d.whole(5, 7), d.whole(5, 9)
    return d.each([low, low + d.whole(1, 4)], [k, k], [2, k])


def ones(d: Draw):
    """The width 1 twice: a coordinate's own distribution shows in the spread of raw, numbers used for both widths in how they go together."""
    case = measured(d, [1, 1], 200, 1600, spreads=False)
    raw = (8 / 200 + 2 / 200**2) ** 0.5  # E (x·p)^4 = 9; a product of other numbers of variance 1 has less
    bounds = [*case.setup["bounds"][:6], *2 * [(0.87 * raw, 1.13 * raw)], (-0.14, 0.14)]
    return Case(case.args, setup={**case.setup, "bounds": bounds})


HERE = "course_utils.lessons.positions."
law = {"ask": Ask(HERE + "measured", ("cross_variances",)), "returns": (),
       "agree": Agree(view="course_utils.checks.allowed.between"), "trouble": False}  # fmt: skip
promises(
    reference={"log_slope": positions.log_slope, "cross_variances": positions.cross_variances},
    agree=close(1e-4, 1e-4),  # logarithms of 32 bits will do
    returns=("the slope",),
    always=(unchanged, repeatable, layouts),
    shares={"cross_variances": 0.5, "log_slope": 0.5},
    kept=[
        promise("unit comes first, of vectors each divided by its own norm (variance 1/d), then raw, of normal ones (variance d), for any widths in any order", **law, visible=3, fresh=5,
                quote=("Measured variance of x·p for independent random vectors", "widths d >= 1 to try", "unit: (len(dims),), both vectors scaled to norm 1", "raw: (len(dims),), coordinates standard normal"),
                cases=lambda d: measured(d, d.each([4, 32, 128], [2, 3], [90, 5, 60], [16], [7, 1, 40, 11], *([] if d.small else [[1500, 3]])), 1993, 3)),
        promise("each variance is measured on as many independent pairs as draws says, both vectors of normal numbers, fresh ones for every width", **law, visible=3, fresh=3,
                quote=("pairs of vectors for each of them, fresh ones for every d", "Dividing by draws or by draws - 1 is as good"), cases=lambda d: measured(d, few(d), 97, 500)),
        promise("x and p are both normal, and no number serves for two widths", **law, visible=1, fresh=1, quote=("raw: (len(dims),), coordinates standard normal", "fresh ones for every d"), cases=ones),
        promise("thousands of pairs are all drawn", "pairs of vectors for each of them", **law, visible=0, fresh=1, cases=lambda d: measured(d, [2, 3], 4000, 400)),
        promise("two pairs are enough, or three, and each is a pair of its own", "fresh ones for every d, at least 2", **law, visible=1, fresh=1,
                cases=lambda d: measured(d, [d.whole(5, 9), d.whole(10, 14)], d.each(2, 3), 500, spreads=False)),
        promise("all random numbers come from rng: the same generator gives the same result", "where all random numbers come from", visible=1, fresh=2, returns=(), trouble=False,
                ask=Ask("course_utils.lessons.positions.same_again", ("cross_variances",)), agree=close(1e-9),
                cases=lambda d: Case((d.each([5, 9], [3, 8, 40]), 300), setup={"seed": d.whole(0, 10**9)})),
        promise("two runs on one generator differ", "where all random numbers come from", visible=1, fresh=2, returns=(), trouble=False,
                ask=Ask("course_utils.lessons.positions.goes_on", ("cross_variances",)), agree=close(1e-9), cases=lambda d: Case(([5, 9], 300), setup={"seed": d.whole(0, 10**9)})),
        promise("three hundred runs on one generator all draw other numbers", "a second call with it gives other numbers", visible=0, fresh=1, returns=(), trouble=False,
                ask=Ask(HERE + "in_a_row", ("cross_variances",)), agree=same(view=HERE + "each_anew"), cases=lambda d: Case(([4], 16), setup={"seed": d.whole(0, 10**9), "runs": 300})),
        promise("at width 1 unit products are 1 or −1: each variance is of as many of them as draws says", ("pairs of vectors for each of them", "both vectors scaled to norm 1"), visible=0, fresh=5,
                returns=(), trouble=False, ask=Ask(HERE + "in_a_row", ("cross_variances",)), agree=same(view=HERE + "of_so_many_signs"),
                cases=lambda d: Case(([1, d.whole(2, 9)], d.each(3, 2, 5, 4, 7)), setup={"seed": d.whole(0, 10**9), "runs": 60})),
        promise("the slope of three points that lie on no line", "Least-squares slope of log(values) (n,) against log(dims)",
                cases=[([10, 100, 1000], torch.tensor([5.0, 50.0, 50.0])), ([1, 10, 100, 1000], torch.tensor([1.0, 1.0, 10.0, 10.0]))]),
        promise("the slope is that of least squares with an intercept through (log d, log value), for any points", cases=line,
                quote=("fit the slope by least squares in log–log coordinates", "At least two different widths, in any order")),
        promise("a width may come several times, and each of its points counts", "a width may come several times", cases=lambda d: again(*line(d))),
        promise("two points are enough", "At least two different widths, in any order", cases=lambda d: line(d, n=(2, 2))),
        promise("a power of d has its exponent as slope", "with slope $s$",
                cases=lambda d: (lambda dims, _: (dims, 7 * torch.tensor(dims, dtype=torch.float64) ** d.uniform(-2, 2)))(*line(d))),
    ],
)

# %%
with waits_for("cross_terms"):
    dims = [4, 8, 16, 32, 64, 128, 256, 512]
    rng = torch.Generator().manual_seed(4)
    unit, raw = cross_variances(dims, 4000, rng)
    fig, (left, right) = plots.new_figure(9.4, 3.9, columns=2)
    for d, (hatch, shade) in {4: ("", "#BBBBBB"), 32: ("//", "#56B4E9"), 512: ("..", "#D55E00")}.items():
        x, y = torch.nn.functional.normalize(torch.randn(2, 4000, d, generator=rng), dim=2)
        left.hist(
            (x * y).sum(1).tolist(),
            41,
            range=(-1, 1),
            density=True,
            hatch=hatch,
            color=shade,
            alpha=0.6,
            label=f"d = {d}",
        )
    left.set(
        xlabel="cross term x · p, unit vectors (no unit)", ylabel="density", title="they gather around 0"
    )
    left.set_xticks([-1, -0.5, 0, 0.5, 1])
    left.legend(fontsize=8)
    for (name, values), look in zip({"raw": raw, "unit": unit}.items(), plots.styles(2), strict=True):
        right.loglog(dims, values.tolist(), label=f"{name}: slope {log_slope(dims, values):+.2f}", **look)
    right.set(xlabel="width d", ylabel="variance of x · p", title="two opposite slopes")
    right.legend(fontsize=8)
    plots.show(fig, alt=alt_text("03_histograms_cross_term"))

# %% [markdown]
# So cross terms do not vanish: with raw coordinates they **grow**, with variance $d$. They are small *compared with* the product of a vector with itself: $x\cdot x$ is about $d$, a typical cross term only $\sqrt d$. They are not small compared with the product of two *different* words, which varies as much. Dividing the norms out leaves this ratio: a typical size of $1/\sqrt d$, that is, a variance of $1/d$.
# And all this holds for random vectors: training may align words and places in any way.
#
# ## 5. A bias for every distance
#
# If the offset is what matters, say it directly. Give every head $h$ a table of $2T-1$ learned numbers
# $\pi^{(h)}_{o}$, one per offset $o = i-j \in \{-(T-1), \dots, T-1\}$, and add them to the scores **before** the
# softmax. In one head:
#
# $$ s_{ij} = \frac{q_i \cdot k_j}{\sqrt d} + \pi_{i-j}, \qquad \alpha_{ij} = \frac{e^{s_{ij}}}{\sum_{l} e^{s_{il}}}, \qquad y_i = \sum_j \alpha_{ij}\, v_j . $$
#
# | symbol | what | shape |
# |---|---|---|
# | $q, k, v$ | queries, keys, values of $B$ texts and $H$ heads; $d$ is from here on the width of **one head** | `(B, H, L, d)`, $L \le T$ |
# | table | entry `[h, o + T − 1]` is $\pi^{(h)}_o$ | `(H, 2T−1)` |
# | bias matrix | entry `[h, i, j]` is $\pi^{(h)}_{i-j}$ | `(H, L, L)` |
#
# *A small example.* $T = 3$, one head, table $(50, 60, 70, 80, 90)$ for the offsets $-2, -1, 0, 1, 2$. The bias matrix for $L = 3$ has 70 on the diagonal; entry $[1, 0]$ has the offset $+1$, so 80 stands just **below** the diagonal and 60 just above it.
#
# No position enters the words, so nothing is added to the values, and there are no cross terms. The bias generalises
# concatenation: if concatenated positions add $q^{pos}_i \cdot k^{pos}_j$ to a score, and this depends on $i-j$
# alone, then $\pi_{i-j} = q^{pos}_i\cdot k^{pos}_j$ (divided by the same $\sqrt d$) gives the same attention weights,
# without making anything wider.
#
# The table is *learned*. The next function is given and shows whether gradients reach the table. It calls
# `relative_attention`, which you write below.
#


# %%
def table_gradient(q: Tensor, k: Tensor, v: Tensor, table: Tensor) -> Tensor:
    """Gradient of half the sum of squared outputs with respect to the table, shape (H, 2T-1)."""
    table = table.clone().requires_grad_()
    loss = relative_attention(q, k, v, table).square().sum() / 2
    return torch.autograd.grad(loss, table)[0]


# %% [markdown]
# ### Exercise `relative_bias`
#
# Write the matrix and the attention. `F.scaled_dot_product_attention` is allowed (it accepts a tensor of numbers as `attn_mask` and adds it to the scaled scores). The table is trained, so gradients must reach it.
#
# <details><summary>Hint 1 (nudge)</summary>
# A matrix of offsets first: places down minus places across. Where in the table is offset 0?
# </details>
# <details><summary>Hint 2 (idea)</summary>
# Offset o stands in column o + T − 1, and T follows from the table's width 2T − 1, not from L. The table can be indexed by a whole matrix of column numbers at once.
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# With columns of shape (L, L), <code>table[:, columns]</code> has the shape (H, L, L). Traps: j − i in place of i − j (mirrors the table); L − 1 for T − 1; dividing the bias by √d along with the product; adding it after the softmax.
# </details>
#


# %% answer="relative_bias"
def bias_matrix(table: Tensor, L: int) -> Tensor:
    """table (H, 2T-1), entry [h, o + T - 1] for offset o = i - j  ->  (H, L, L), entry [h, i, j],
    for any L <= T."""
    ### BEGIN SOLUTION
    T = (table.shape[1] + 1) // 2
    offsets = torch.arange(L)[:, None] - torch.arange(L)  # (L, 1) - (L,) -> (L, L), entry i - j
    return table[:, offsets + T - 1]  # (H, 2T-1) -> (H, L, L)
    ### END SOLUTION


def relative_attention(q: Tensor, k: Tensor, v: Tensor, table: Tensor) -> Tensor:
    """Attention with a bias for each offset: q, k, v (B, H, L, d), table (H, 2T-1) -> (B, H, L, d). No mask.

    All are of one type, 32-bit or 64-bit, and so is the result.
    The numbers of the table may have any size up to 50,
    or be -10,000 to switch an offset off; at every place some offset stays on.
    Gradients reach q, k, v and the table.
    """
    ### BEGIN SOLUTION
    scores = q @ k.mT / math.sqrt(q.shape[-1])  # (B, H, L, d) @ (B, H, d, L) -> (B, H, L, L)
    scores = scores + bias_matrix(table, q.shape[2])  # (B, H, L, L) + (H, L, L)
    return scores.softmax(-1) @ v
    ### END SOLUTION


# %% check="relative_bias" points=2 minutes=25 difficulty=2
import torch

from course_utils.checks.promises import Draw, call, close, layouts, promise, promises, repeatable, same, unchanged
from course_utils.checks.asking import Ask
from solutions.reference import positions


def texts(d: Draw, L=(2, 9), more=(0, 6), d_head=(1, 8), bias=1.0, H=(1, 4)):
    """Queries, keys, values (B, H, L, d) and a table for texts of up to T places."""
    B, H, L, width, more = d.sizes(B=(1, 3), H=H, L=L, d=d_head, more=more)
    return *(d.normal(B, H, L, width) for _ in range(3)), d.normal(H, 2 * (L + more) - 1, scale=bias)


def apart(d: Draw):
    """32-bit texts of two heads or more, in which every other table has numbers near 47, and the rest near -47."""
    q, k, v, table = (x.float() for x in texts(d, H=(2, 4)))
    return q, k, v, table + 47 * (-1.0) ** torch.arange(len(table))[:, None]


def switched_off(d: Draw):
    """A table that switches off the future, or all but the neighbourhood, where other numbers are about 0 or -47."""
    q, k, v, table = texts(d)
    table = table - d.each(0.0, 47.0)
    offsets = torch.arange(table.shape[1]) - table.shape[1] // 2
    return q, k, v, table.masked_fill(d.each(offsets < 0, offsets.abs() > 1), -1e4)


def loud(d: Draw):
    """32-bit texts whose products q·k / √d reach 60, perhaps with offsets switched off."""
    q, k, v, table = (x.float() for x in texts(d, L=(3, 9)))
    largest = float((q @ k.mT).abs().max()) / q.shape[-1] ** 0.5
    offsets = torch.arange(table.shape[1]) - table.shape[1] // 2
    return (60 / largest) * q, k, v, table.masked_fill(offsets.abs() > d.each(1, 99, 0), -1e4)


def tables(d: Draw, L=(1, 9), more=(0, 6)):
    """A table and a length."""
    H, L, more = d.sizes(H=(1, 5), L=L, more=more)
    return d.normal(H, 2 * (L + more) - 1), L


matrix = {"ask": call("bias_matrix"), "returns": ("the bias matrix",)}
promises(
    reference={"relative_attention": positions.relative_attention, "bias_matrix": positions.bias_matrix},
    agree=close(1e-9),
    returns=("the output",),
    always=(unchanged, repeatable, layouts),
    shares={"bias_matrix": 0.5, "relative_attention": 0.5},
    kept=[
        promise("the example of the text: T = 3, table (50, 60, 70, 80, 90)", "$T = 3$, one head, table", cases=[(torch.tensor([[50.0, 60, 70, 80, 90]]), 3)], trouble=False, **matrix),
        promise("entry [h, i, j] of the bias matrix is table[h, (i − j) + T − 1], for any T, H and L ≤ T; T follows from the table, not from L", cases=tables, visible=3, **matrix,
                quote=("table (H, 2T-1), entry [h, o + T - 1] for offset o = i - j -> (H, L, L), entry [h, i, j], for any L <= T", "entry `[h, o + T − 1]` is $\\pi^{(h)}_o$")),
        promise("a text of T places uses the whole table, a text of one place its middle", "for any L <= T", cases=lambda d: tables(d, **d.each({"more": (0, 0)}, {"L": (1, 1)})), **matrix),
        promise("the table is read anew in each call: after a step of training the same tensor holds other numbers", "The table is trained", lambda d: texts(d, L=(3, 6)), visible=1, fresh=2, trouble=False, far=False,
                ask=Ask("course_utils.lessons.positions.after_steps", ("relative_attention",)), agree=same(), returns=()),
        promise("the bias is added to q · k / √d before the softmax over the keys, and the weights mix the values v_j", cases=texts,
                quote=("add them to the scores **before** the softmax", "Attention with a bias for each offset: q, k, v (B, H, L, d), table (H, 2T-1) -> (B, H, L, d)", "No mask", "\\frac{q_i \\cdot k_j}{\\sqrt d}")),
        promise("large biases and few of them decide as small ones do", "numbers of the table may have any size up to 50", cases=lambda d: texts(d, bias=12.0)),
        promise("products q·k / √d of 60 are taken as they are, also where offsets are switched off", "\\frac{q_i \\cdot k_j}{\\sqrt d}", cases=loud, agree=close(1e-3, 1e-3), visible=0, fresh=6, trouble=False, far=False),
        *(promise(f"{bits}-bit numbers give {bits}-bit results", "All are of one type, 32-bit or 64-bit, and so is the result", ask=Ask("kinds", (call("relative_attention"), f"float{bits}")), agree=same(), returns=(),
                  cases=texts, visible=1, fresh=2, trouble=False) for bits in (32, 64)),
        promise("heads whose biases lie near 50 and near −50 each have their own softmax, also in 32 bits", "numbers of the table may have any size up to 50", cases=apart, trouble=False, steady=True),
        promise("a bias of −10,000 switches an offset off", ("-10,000 to switch an offset off", "at every place some offset stays on"), cases=switched_off),
        promise("a single place gets its own value", "for any L <= T", cases=lambda d: texts(d, L=(1, 1))),
        promise("gradients reach the table, zero at offsets that do not occur, and q, k and v", ("so gradients must reach it", "Gradients reach q, k, v and the table"),
                ask=Ask("slopes", ("relative_attention", [3, 0, 1, 2])), returns=(), agree=close(1e-7), cases=lambda d: texts(d, more=d.each((1, 5), (0, 0)))),
        promise("gradients reach a table of zeros, one of numbers near 50 or near −50, and one with zeros in it", ("so gradients must reach it", "numbers of the table may have any size up to 50"), visible=0, fresh=4, trouble=False, far=False,
                ask=Ask("slopes", ("relative_attention", [3, 0, 1, 2])), returns=(), agree=close(1e-7), cases=lambda d: (lambda q, k, v, table: (q, k, v, d.each(0 * table, 0.3 * table - 49, 0.3 * table + 49, table.masked_fill(torch.arange(table.shape[1]) % 4 == 1, 0.0))))(*texts(d, L=(3, 9)))),
        promise("a text of hundreds of places has the biases of its distances", "for any L <= T", visible=0, fresh=2, trouble=False, far=False, cases=lambda d: tables(d, L=d.each((140, 300), (300, 600))), **matrix),
        promise("gradients reach the table and v from a text of one place, too", "Gradients reach q, k, v and the table", visible=0, fresh=2, trouble=False, far=False,
                ask=Ask("slopes", ("relative_attention", [3, 0, 1, 2])), returns=(), agree=close(1e-7), cases=lambda d: texts(d, L=(1, 1))),
        promise("gradients go through the bias matrix", "so gradients must reach it", ask=Ask("slopes", ("bias_matrix", [0])), returns=(), cases=tables),
        promise("gradients of 32-bit numbers that are results themselves reach the table, and q, k and v", "Gradients reach q, k, v and the table", visible=1, fresh=4, trouble=False,
                ask=Ask("slopes", ("relative_attention", [3, 0, 1, 2], "float32", True)), returns=(), agree=close(1e-7), cases=lambda d: texts(d, more=d.each((1, 5), (0, 0)))),
        promise("gradients of 32-bit numbers go through the bias matrix of a table that is a result itself", "so gradients must reach it", visible=1, fresh=4, trouble=False,
                ask=Ask("slopes", ("bias_matrix", [0], "float32", True)), returns=(), cases=tables),
        promise("32-bit numbers will do", "32-bit or 64-bit", cases=lambda d: tuple(x.float() for x in texts(d)), trouble=False),
    ],
)

# %%
with waits_for("relative_bias"):
    T = 24
    far = torch.arange(1 - T, T).float()  # offsets i - j
    tables = {
        "near places: −|o|/3": -far.abs() / 3,
        "the word before: 4 at o = 1": 4.0 * (far == 1),
        "only the past: −30 for o < 0": -30.0 * (far < 0),
    }
    fig, axes = plots.new_figure(9.4, 3.4, columns=3)
    for ax, (name, table) in zip(axes, tables.items(), strict=True):
        zero = torch.zeros(1, 1, T, T)
        # values = identity
        weights = relative_attention(zero, zero, torch.eye(T)[None, None], table[None])[0, 0]
        picture = ax.imshow(weights, cmap="Greys", vmin=0, vmax=0.5)
        ax.set(xlabel="key place j", ylabel="query place i", title=name)
        ax.title.set_fontsize(9)
        ax.grid(False)
    fig.colorbar(picture, ax=axes, label="weight (share of 1)", shrink=0.8, extend="max")
    plots.show(fig, alt=alt_text("03_attention_weights_24"))

# %% [markdown]
# Three kinds of heads, written by hand: neighbourhood, previous word, causal mask. (In the middle picture each word
# gives 70 %, $e^4/(e^4+23)$, to the word before it, and the rest evenly to all others; the first word averages over
# all.)
#
# ### What is wrong here?
#
# *"The attention weight is* $\alpha_{ij} = e^{q_i k_j} e^{\pi_{ij}}$*, and the output is*
# $a_{i} = \sum_{j} \alpha_{ij}\, v_i$*: so* $e^{\pi}$ *rescales the weights."* There are two serious mistakes here,
# besides the missing $\sqrt d$. The next cell computes what is written.
#

# %%
rng = torch.Generator().manual_seed(5)
q, k, v = torch.randn(3, 4, 6, generator=rng)
pi = torch.randn(4, 4, generator=rng)
as_written = (q @ k.T + pi).exp()
output = as_written.sum(1, keepdim=True) * v  # the sum over j, with v_i as written
print("sums of the weights over j:           ", [round(x, 1) for x in as_written.sum(1).tolist()])
print(
    "cosine between output i and its own v_i:", [round(x, 6) for x in F.cosine_similarity(output, v).tolist()]
)

# %% [markdown]
# <details><summary>What is wrong</summary>
# (1) The normaliser is missing: the weights of a row can have any sum. (2) With v_i, which does not depend on the
# summation index, every output points exactly along the word's own value: no word receives anything of another word's
# value. It must be v_j, and each row divided by its sum. What is true: e^π is a factor on each unnormalised weight.
# </details>
#
# ### Exercise `bias_count`
#
# How many numbers do such tables cost? Count the learned biases of a whole model: a table per head and per layer, **one number for each offset that can occur** in texts of up to $T$ places.
#
# - Without a mask all offsets from $-(T-1)$ to $T-1$ occur; with a **causal** mask only $i - j \ge 0$.
# - With **clipping** to $k$, all offsets beyond $k$ share the number of $k$, and all below $-k$ that of $-k$. If no
#   offset is beyond $k$, clipping changes nothing.
#
# *A small example.* $T = 3$: the offsets are −2, −1, 0, 1, 2, five numbers per head; causal 0, 1, 2, three; clipped to 1: −1, 0, 1, three.
#
# <details><summary>Hint 1 (nudge)</summary>
# How many different values does i − j take when i and j run over 0 … T − 1? Try T = 1 and T = 2 with a pencil.
# </details>
# <details><summary>Hint 2 (idea)</summary>
# Count positive, negative and zero offsets apart. The farthest offset is T − 1, or k if that is smaller.
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# With the farthest offset f: 2f + 1 in both directions, f + 1 if causal; times heads, times layers. Traps: forgetting offset 0; T² (one per pair, not per offset); T without a mask (one direction only); 2k + 1 where T is too short for k.
# </details>
#


# %% answer="bias_count"
def bias_count(T: int, heads: int, layers: int, causal: bool = False, clip: int | None = None) -> int:
    """How many relative biases a model learns.

    Args:
        T: longest text. heads: per layer. layers: how many (each at least 1).
        causal: whether a query sees itself and the past alone.
        clip: offsets beyond it share one number per direction;
            0 is a number like any other, None means no clipping.
    """
    ### BEGIN SOLUTION
    farthest = T - 1 if clip is None else min(clip, T - 1)
    per_head = farthest + 1 if causal else 2 * farthest + 1
    return per_head * heads * layers
    ### END SOLUTION


# %% check="bias_count" points=1.5 minutes=12 difficulty=1
from course_utils.checks.promises import Case, Draw, promise, promises, repeatable, same
from solutions.reference import positions


def model(d: Draw, T=(3, 600)):
    """Longest text, heads and layers: all different, all equal, or one of them at an end."""
    return d.sizes(T=T, heads=(1, 16), layers=(1, 24))


def clipped(d: Draw, causal=False):
    """A clip below the farthest offset, T − 1."""
    T, heads, layers = model(d)
    return T, heads, layers, causal, d.each(1, T - 2, d.whole(1, T - 2))


def generous(d: Draw):
    """A clip that no offset goes beyond."""
    T, heads, layers = model(d)
    return T, heads, layers, d.each(False, True), d.each(T - 1, T, 2 * T - 1, T + 700)


promises(
    reference={"bias_count": positions.bias_count},
    agree=same(),
    returns=("the count",),
    always=(repeatable,),
    kept=[
        promise("the example of the text: T = 3 gives five numbers per head, causal three, clipped to 1 three", quote="*A small example.* $T = 3$",
                cases=[(3, 1, 1), (3, 1, 1, True), (3, 1, 1, False, 1)]),
        promise("one number for each offset −(T−1) … T−1, in each head and layer", quote=("**one number for each offset that can occur**",
                "How many relative biases a model learns", "T: longest text", "heads: per layer", "layers: how many"), cases=model),
        promise("models of billions of biases are counted exactly", quote="How many relative biases a model learns",
                cases=lambda d: (d.whole(1500, 2000), d.whole(1300, 1900), d.whole(1300, 1900), d.each(False, True), d.each(None, d.whole(1050, 1400), 10**6)), visible=2, fresh=4, trouble=False),
        promise("a text of more than a thousand places, with no clip named", quote="None means no clipping", cases=lambda d: model(d, T=(1100, 1300)), visible=1, fresh=2, far=False, trouble=False),
        promise("causal: one number for each offset 0 … T−1", quote="whether a query sees itself and the past alone", cases=lambda d: (*model(d), True)),
        promise("clipped to k < T − 1: one number for each offset −k … k", quote=("all offsets beyond $k$ share the number of $k$", "offsets beyond it share one number per direction"), cases=clipped),
        promise("causal and clipped: one number for each offset 0 … k", quote="all offsets beyond $k$ share the number of $k$", cases=lambda d: clipped(d, causal=True)),
        promise("clipped to 0, all offsets share one number", quote="0 is a number like any other", cases=lambda d: (*model(d), d.each(False, True), 0)),
        promise("if no offset goes beyond k, clipping changes nothing", quote="If no offset is beyond $k$, clipping changes nothing", cases=generous, visible=4),
        promise("T = 1 has one offset, 0", quote="texts of up to $T$ places", cases=lambda d: (*model(d, T=(1, 1)), d.each(False, True), d.each(None, 0, 1, 5))),
        promise("two places are enough", quote="texts of up to $T$ places", cases=lambda d: (*model(d, T=(2, 2)), d.each(False, True), d.each(None, 1, 0, 2))),
        promise("causal and clip can be given by name, alone or together; clip None clips nothing", quote="None means no clipping",
                cases=lambda d: Case(model(d), d.each({"clip": 2}, {"causal": True}, {"clip": 1, "causal": True}, {"causal": True, "clip": None}, {"causal": False})), visible=3),
    ],
)

# %%
with waits_for("bias_count"):
    for T in (128, 1024, 8192):
        row = (bias_count(T, 8, 4), bias_count(T, 8, 4, causal=True), bias_count(T, 8, 4, clip=64), 256 * T)
        print(
            f"T = {T:5d}: all offsets {row[0]:7,}   causal {row[1]:7,}   clipped to 64 {row[2]:6,}   "
            f"learned position vectors of width 256 {row[3]:9,}"
        )

# %% [markdown]
# ## 6. Turning: rotary positions
#
# The clocks of section 2 were **added** to the words. Rotary positions (RoPE) **turn the queries and keys
# themselves**. Split a head's width $d$ into $d/2$ pairs of coordinates. At place $t$, pair $m$ is turned by the
# angle
#
# $$ \theta_{t,m} = t\,\omega_m,\qquad \omega_m = \text{base}^{-2m/d}, \qquad
# \begin{pmatrix} a' \\ b' \end{pmatrix} = \begin{pmatrix} \cos\theta & -\sin\theta \\ \sin\theta & \cos\theta \end{pmatrix} \begin{pmatrix} a \\ b \end{pmatrix}. $$
#
# Write $R_t$ for the whole turn at place $t$, a matrix of shape `(d, d)` (the transpose of section 2's, whose vectors are (sin, cos)). Turns add up, so
#
# $$ (R_i q)\cdot(R_j k) = q^\top R_i^\top R_j\, k = q^\top R_{j-i}\,k : $$
#
# each vector was turned by its **own** place, and yet the places enter the score only through their **offset**. Norms stay, nothing is learned, values are not touched, and place 0 stays as it is.
#
# *A small example.* One pair, speed 1, $q = k = (1, 0)$. At places 5 and 3 they become $(\cos 5, \sin 5)$ and $(\cos 3, \sin 3)$, with dot product $\cos 2$; at places 105 and 103 too.
#
# Two things are free, and **both ways of each pass**: which coordinates form a pair, $(2m, 2m+1)$ side by side or
# $(m, m+d/2)$ from two halves; and whether everything turns to the left, as above, or to the right (the offset then
# enters the score with the other sign). Mixing two ways does not pass, neither in one call nor from call to call: the
# same way holds for every number type, every size, in training and out of it, and however x lies in memory. Put each
# coordinate back where it came from. If pairs from the two halves are put back side by side, coordinates change
# places even where the angle is 0. If angles are laid out one way and coordinates the other, the two members of a
# pair turn by different angles, and lengths change.
#
# ### Exercise `rope`
#
# Two functions, so that a model can compute its angles once and use them in every layer. The check also demands:
#
# - any length $L \le T$ (angles for $T$ places are given, $x$ has $L$);
# - any number type: the result has the type of x (float32, float64, bfloat16 and float16 come, with angles in float32 or float64). Angles stay at least float32, because in bfloat16 angles near 300 are off by up to 1;
# - any device: angles are made on the `device` asked for, and nothing is moved to a fixed one. (Your laptop may lack a GPU; the check uses PyTorch's device `meta`, which knows shapes but no numbers, to find out.)
# - training: gradients flow back to x.
#
# <details><summary>Hint 1 (nudge)</summary>
# The angles are a table of place times speed, as in section 2, one column per pair. Which axis of x, of shape (B, H, L, d), is the place?
# </details>
# <details><summary>Hint 2 (idea)</summary>
# Take the first L rows of the angles; cosine and sine then have the shape (L, d/2) and broadcast over B and H. Get the first coordinates a of all pairs, and the second ones b, compute both new ones, put them back where they came from.
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# a = x[..., 0::2], b = x[..., 1::2]; stack the new pair on a new last axis, and flatten the last two. Take cos and sin in float32 first, then convert <b>them</b> to x's type. Traps: base^(+2m/d), places from 1, a (d/2, T) table, turning along the heads, <code>.cuda()</code>.
# </details>
#


# %% answer="rope"
def rotary_angles(
    length: int, d: int, base: float = 10000.0, device: torch.device | str | None = None
) -> Tensor:
    """Angles of rotary positions, (length, d/2), float32 or finer, on ``device``:
    entry [t, m] is t * base^(-2m/d)."""
    ### BEGIN SOLUTION
    speed = base ** (-torch.arange(0, d, 2, device=device, dtype=torch.float32) / d)  # (d/2,)
    places = torch.arange(length, device=device, dtype=torch.float32)
    return torch.outer(places, speed)  # (length,) and (d/2,) -> (length, d/2)
    ### END SOLUTION


def apply_rotary(x: Tensor, angles: Tensor) -> Tensor:
    """Turn the pairs of queries or keys by the angles of their places.

    Args:
        x: (B, H, L, d), d even, float32, float64, bfloat16 or float16; row l stands at place l.
        angles: (T, d/2) with T >= L; entry [t, m] for pair m at place t.

    Returns:
        (B, H, L, d), type and device of x.
    """
    ### BEGIN SOLUTION
    angles = angles[: x.shape[2]]  # (T, d/2) -> (L, d/2)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]  # (B, H, L, d) -> (B, H, L, d/2) each
    turned = torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1)  # (B, H, L, d/2, 2)
    return turned.flatten(-2)  # (B, H, L, d/2, 2) -> (B, H, L, d)
    ### END SOLUTION


# %% check="rope" points=2.5 minutes=30 difficulty=3
from dataclasses import replace

import torch

from course_utils.checks.asking import Ask, Reference
from course_utils.checks.promises import Case, Draw, call, close, layouts, promise, promises, repeatable, same, unchanged
from course_utils.lessons.positions import way_shown
from solutions.reference import rope

LESSON = "course_utils.lessons.positions."


def ways(*rows):
    """The four right answers to calls (x, angles): pairs side by side or from two halves, to the left or to the right.

    The last part of each says what it makes of the call by which ``both_turned`` learns which way is taken.
    """
    def turned(x, angles, sign, halves):
        mix = torch.arange(x.shape[-1]).view(2, -1).T.flatten() if halves else torch.arange(x.shape[-1])
        return rope.apply_rotary(x.double()[..., mix], sign * angles.double())[..., mix.argsort()]

    return [[turned(x, angles, sign, halves) for x, angles in (*rows, way_shown())] for halves in (False, True) for sign in (1, -1)]


def table(d: Draw, length: int, half: int, kind: str):
    """Angles: drawn, those of the text, or all 0."""
    own = rope.rotary_angles(length, 2 * half, d.each(10000.0, 30.0))
    return {"drawn": d.normal(length, half, scale=1.5, dtype=torch.float32), "own": own, "zero": 0 * own}[kind]


def pair(d: Draw, L=(2, 9), more=(1, 5), kind="drawn", types=(torch.float32,), angles=torch.float32, sizes=(1, 4), half=(1, 6)):
    """Queries and keys of different lengths for one table of angles; what turns them must turn both in one way."""
    B, H, L, half, more = d.sizes(B=sizes, H=sizes, L=L, half=half, more=more)
    turns, type_ = table(d, L + more, half, kind).to(angles), d.each(*types)
    q, k = (torch.rand(B, H, n, 2 * half, generator=d.torch).mul(2).sub(1).to(type_) for n in (L, max(1, L - 1)))
    return Case((q, k, turns), setup={"allowed": ways((q, turns), (k, turns))})


def made(*args, **kwargs):
    """A table of angles to be made, which must be right to 0.0003."""
    return Case(args, kwargs, setup={"allowed": [[rope.rotary_angles(*args, **kwargs).double()]]})


def long_text(d: Draw):
    """Thousands of places, and which of them are looked at."""
    length = d.whole(4100, 6000)
    return Case((length, d.each(4, 2)), setup={"rows": [0, 2049, 4097, length - 1, *(d.whole(1, length - 1) for _ in range(6))]})


def sloped(d: Draw, **how):
    """A call whose gradient with respect to x is asked for, with those of the four right answers, each with its way shown."""
    q, _, angles = pair(d, **how).args
    found = [Ask("slopes", ("f", [0]))(Reference({"f": lambda x, _, n=n: ways((x, angles))[n][0]}), Case((q, angles))) for n in range(4)]
    shown = [one[-1] for one in ways()]
    return Case((q, angles), setup={"allowed": [[*(x.double() for x in one), way] for one, way in zip(found, shown, strict=True)]})


near, every = close(3e-4, view="course_utils.checks.allowed.nearest"), (torch.float32, torch.float64, torch.bfloat16, torch.float16)
angles = {"ask": call("rotary_angles"), "trouble": False}
promises(
    reference={"apply_rotary": rope.apply_rotary, "rotary_angles": rope.rotary_angles},
    ask=Ask(LESSON + "both_turned"),
    agree=near,
    always=(unchanged, repeatable, replace(layouts, ways=layouts.ways[:2])),  # complex views need an even offset, for which nobody is to blame
    forbid=("cuda", "cuda:0"),
    shares={"rotary_angles": 0.4, "apply_rotary": 0.6},
    kept=[
        promise("entry [t, m] of the angles is t · base^(−2m/d), one row per place from 0, one column per pair, for any length, d and base", visible=3, ask=call("rotary_angles"),
                quote=("Angles of rotary positions, (length, d/2)", "entry [t, m] is t * base^(-2m/d)"),
                cases=lambda d: made(d.whole(*(8, 11) if d.small else (2, 300)), 2 * d.each(3, 1, 4, 12, 32, *([] if d.small else [100])), d.each(37.3, 50.0, 900.0, 2.6, 5e5, 1e8, 20.0))),
        promise("without the argument, base is 10,000; base and device can be given by name", "\\text{base}^{-2m/d}", **angles,
                cases=lambda d: made(d.whole(4, 9), 8, **d.each({}, {"base": 70.0}, {"device": "cpu"}, {"base": 70.0, "device": torch.device("cpu")} if not d.small else {"device": None}))),
        promise("angles of far places are right to 0.0003, also at place 2,000", "Angles stay at least float32", visible=1, fresh=3, **angles, cases=lambda d: made(90 if d.small else 2001, d.each(4, 8, 32))),
        promise("thousands of places have angles of their own, right to 0.01", "Angles of rotary positions, (length, d/2)", visible=1, fresh=3, trouble=False,
                ask=Ask(LESSON + "rows_of", ("rotary_angles",)), agree=close(0.01), cases=long_text),
        promise("angles are float32 or finer", ("float32 or finer", "Angles stay at least float32"), part="rotary_angles", ask=Ask(LESSON + "fineness"), agree=same(), cases=[(5, 6), (300, 4, 50.0)]),
        promise("row l of x is turned by angles[l] of this call, pair m by column m, all heads and texts alike; the table may have more rows", part="apply_rotary", cases=pair, visible=3,
                quote=("any length $L \\le T$", "Turn the pairs of queries or keys by the angles of their places", "x: (B, H, L, d), d even", "row l stands at place l",
                       "angles: (T, d/2) with T >= L", "entry [t, m] for pair m at place t", "(B, H, L, d), type and device of x", "whether everything turns to the left, as above, or to the right")),
        promise("a table with as many rows as x", "angles: (T, d/2) with T >= L", part="apply_rotary", cases=lambda d: pair(d, more=(0, 0))),
        promise("one place, one text, one head", "any length $L \\le T$", part="apply_rotary", cases=lambda d: pair(d, L=d.each((1, 1), (2, 9)), sizes=(1, 1))),
        promise("the angles of the text turn as drawn ones do; place 0 stays", "place 0 stays as it is", part="apply_rotary", cases=lambda d: pair(d, kind="own")),
        promise("place 0 stays as it is, to the last digit of 64-bit numbers", "place 0 stays as it is", part="apply_rotary", ask=Ask(LESSON + "rows_turned"), agree=close(1e-14, view="course_utils.checks.allowed.nearest"), trouble=False,
                cases=lambda d: (lambda c: Case(c.args, setup={"allowed": [list(c.args[:2])]}))(pair(d, L=(1, 1), kind="own", types=(torch.float64,), angles=d.each(torch.float32, torch.float64)))),
        promise("where the angle is 0 nothing changes", "coordinates change places even where the angle is 0", part="apply_rotary", cases=lambda d: pair(d, kind="zero")),
        promise("x may be float32, float64, bfloat16 or float16, the angles float32 or float64", ("float32, float64, bfloat16 and float16 come, with angles in float32 or float64",
                "float32, float64, bfloat16 or float16"), part="apply_rotary", visible=4, cases=lambda d: pair(d, types=every, angles=d.each(torch.float32, torch.float64)), trouble=False),
        promise("far places are right in half precision too: take cos and sin first, then convert them", "in bfloat16 angles near 300 are off by up to 1", part="apply_rotary", visible=1, trouble=False,
                cases=lambda d: pair(d, L=(150, 150) if d.small else d.each((200, 280), (1030, 1100), (2100, 4200)), kind="own", types=(torch.bfloat16, torch.float16), sizes=(1, 1), half=(4, 6))),
        promise("the result has the type of x", "the result has the type of x", part="apply_rotary", ask=Ask(LESSON + "kind"), agree=same(), visible=4,
                cases=lambda d: pair(d, types=every, angles=d.each(torch.float32, torch.float64)).args),
        promise("x that asks for gradients is turned in the same way as others", "in training and out of it", part="apply_rotary", ask=Ask(LESSON + "turned_in_training"), cases=pair, trouble=False),
        promise("where no gradients are kept, x is turned in the same way, and stays as it is", "in training and out of it", part="apply_rotary", ask=Ask(LESSON + "turned_out_of_training"), cases=pair, trouble=False),
        promise("gradients flow back to x", "gradients flow back to x", part="apply_rotary", ask=Ask(LESSON + "slopes_and_way", (False,)), cases=sloped),
        promise("gradients flow back to x in every number type, also where x is a result itself", "gradients flow back to x", part="apply_rotary", visible=4, trouble=False,
                ask=Ask(LESSON + "slopes_and_way", (True,)), cases=lambda d: sloped(d, types=every)),
        promise("in inference mode x is turned in the same way, too", "in training and out of it", part="apply_rotary", ask=Ask(LESSON + "turned_out_of_training", ("in_inference",)), cases=pair, visible=0, fresh=2, trouble=False),
        promise("angles are made on the device asked for", ("angles are made on the `device` asked for", "on ``device``"), part="rotary_angles",
                ask=Ask(LESSON + "on_meta", ("angles",)), agree=same(), cases=[(7, 6, 50.0, "meta"), (3, 2, 10000.0, "meta")]),
        promise("apply_rotary stays on the device of x and angles", "type and device of x", part="apply_rotary",
                ask=Ask(LESSON + "on_meta", ("turned",)), agree=same(), cases=[(7, 6, 50.0, "meta"), (3, 2, 10000.0, "meta")]),
    ],
)

# %%
with waits_for("rope"):
    angles = rotary_angles(4096, 64)

    def score_at(i, offsets, width=64):
        """Scores of equal words: query of ones at place i, keys at places i - o, over the width."""
        turned = apply_rotary(torch.ones(1, 1, 4096, width), angles)[0, 0]
        return (turned[i] @ turned[[i - o for o in offsets]].T / width).tolist()

    offsets = list(range(0, 257))
    fig, (ax,) = plots.new_figure(7.6, 3.8)
    for i, look in zip((300, 1500, 4000), plots.styles(3), strict=True):
        ax.plot(
            offsets, score_at(i, offsets), label=f"query at place {i:,}", markevery=(i // 300, 16), **look
        )
    ax.set(
        xlabel="offset i − j (places)",
        ylabel="score / d for equal words",
        title="RoPE: three places, one curve",
    )
    ax.legend(fontsize=8)
    plots.show(fig, alt=alt_text("03_rotary_score_equal"))

# %% [markdown]
# Why does the score fall in waves? It is the mean of the cosines of all the pairs' angles, since query and key are
# equal here (all ones; other vectors weight the pairs differently). The clocks show, for five of the pairs and three
# offsets, by what angle query and key have been turned apart. Fast pairs (low numbers) tell neighbours apart; slow
# ones hardly move: they carry long distances.
#

# %%
with waits_for("rope"):
    clock_angles = rotary_angles(257, 64)

    def clock(ax, offset: int) -> None:
        """Draw how far query and key have been turned from each other: a clock with five hands."""
        for pair, look in zip((0, 4, 8, 12, 20), plots.styles(5), strict=True):
            turn = clock_angles[offset, pair].item()
            ax.plot([0, math.sin(turn)], [0, math.cos(turn)], label=f"pair {pair}", **look)
        ax.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), xlabel="sin of the turn", title=f"offset i − j = {offset}")
        ax.set_ylabel("cos of the turn")
        ax.set_aspect("equal")

    fig, axes = plots.new_figure(9.4, 3.1, columns=3)
    for ax, offset in zip(axes, (1, 12, 100), strict=True):
        clock(ax, offset)
    axes[-1].legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    plots.show(fig, alt=alt_text("03_clocks_hands_rotary"))

# %% [markdown]
# Now choose the offset yourself (in JupyterLab, VS Code or Colab; on a page that does not run, look at the three
# clocks above). On the right, the dot shows the score at the chosen offset.
#

# %%
with waits_for("rope"):
    apply_rotary(torch.ones(1, 1, 2, 4), rotary_angles(2, 4))  # not before they run
    curve = score_at(300, offsets)

    def hands(offset: float) -> None:
        """The clock at this offset, and where the score stands."""
        fig, (left, right) = plots.new_figure(8.6, 3.3, columns=2)
        o = round(offset)
        clock(left, o)
        left.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
        right.plot(offsets, curve, color="black")
        right.plot([o], [curve[o]], marker="o", markersize=9, color=plots.COLOURS[1])
        right.set(
            xlabel="offset i − j (places)", ylabel="score / d for equal words", title=f"score {curve[o]:.2f}"
        )
        plots.show(fig, alt=alt_text("03_clock_hands_five", o=o, curve=curve[o]))

    slider(hands, 0.0, 256.0, 12.0, "offset", step=1.0)

# %% [markdown]
# Your two functions are all a GPT needs: turn queries and keys after the split into heads, drop the position vectors, leave the rest. In notebook 08 you put the same few lines into an attention module; there they must stand in the answer cell itself. The next cell keeps yours in `work/03_positions/rope.py`, to copy from.
#

# %%
with waits_for("rope"):
    apply_rotary(torch.ones(1, 1, 2, 4), rotary_angles(2, 4))  # not before they run
    save_answers("rope.py", ["rotary_angles", "apply_rotary"])

# %% [markdown]
# ### Written question `longer_texts`
#
# A model was trained on texts of up to 512 places. Now somebody feeds it 2,000. For each of these four methods, say
# whether the outputs can be **computed** at all at place 1,500, and what is new to the model there: (a) learned
# position vectors, one per place; (b) sinusoidal positions, added; (c) relative biases clipped to 64; (d) RoPE.
#

# %% [markdown] written="longer_texts" points=0.5 minutes=10 difficulty=2
# **Your answer · longer_texts**
#
# ### BEGIN SOLUTION
# (a) No: the table has 512 rows, there is no vector for place 1,500 (and had one been made, it would be untrained). (b) Yes, the formula gives a vector for any place, but slow hands reach angles never met in training, and offsets above 511 are new. (c) Yes, and every bias used was trained: all offsets beyond 64 share one number; new is only the number of keys that compete in the softmax.
# (d) Yes, for any place; absolute places do not matter, but offsets above 511 turn slow pairs by angles never seen. To be able to compute is not to compute well: quality beyond the training length must be measured.
#
# Rubric: (1) learned vectors cannot be computed beyond 512, the other three can; (2) clipped biases meet no untrained number (beyond 64 they share one); (3) for sinusoids or RoPE: angles or offsets beyond those of training are new; (4) separates "can be computed" from "works well".
# ### END SOLUTION
#

# %% [markdown]
# ## 7. What a masked word must keep
#
# Some models learn by filling gaps: a word is replaced by a special vector, the **mask**, and the model must say what stood there. Suppose two places $i$ and $j$ of one text are hidden. There are two ways to build their input rows from the mask vector $\mu \in \mathbb{R}^d$:
#
# - **all replaced**: the row is $\mu$ itself; word *and* position are gone. 
# - **word replaced**: the row is $\mu + p_i$; only the word is gone.
#
# Every other row $l$ is $x_l + p_l$ in both. Attention is bidirectional, as is usual for filling gaps.
#
# ### Exercise `masked_positions`
#
# Return the outputs of `attend` at the hidden places for both ways, and look at the rows.
#
# <details><summary>Hint 1 (nudge)</summary>
# Building a row takes two steps, adding its position and replacing its word. Does their order matter?
# </details>
# <details><summary>Hint 2 (idea)</summary>
# All replaced: build X + P, then overwrite the hidden rows by the mask. Word replaced: overwrite the hidden rows of X, then add P. Work on copies, so that the given X stays as it is.
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# <code>rows = (X + P).clone(); rows[hidden] = mask</code> for the first. Attend over <b>all</b> n rows, then pick the hidden ones from the output. Traps: attending over the hidden rows alone; taking the positions from the visible words too.
# </details>
#


# %% answer="masked_positions"
def masked_outputs(
    X: Tensor, P: Tensor, mask: Tensor, hidden: list[int], W_q: Tensor, W_k: Tensor, W_v: Tensor
) -> tuple[Tensor, Tensor]:
    """Outputs at hidden places when the mask replaces word and position, and when it replaces the word alone.

    Args:
        X: words (n, d), 32-bit or 64-bit. P: positions (n, d). mask: the mask vector (d,).
            All are of one type, as the results are.
        hidden: different places to hide, at least one, perhaps all of them, in any order.
        W_q, W_k, W_v: weights (d, e) for ``attend``.

    Returns:
        all_replaced, word_replaced: (len(hidden), e) each, rows in the order of ``hidden``.
    """
    ### BEGIN SOLUTION
    no_place, words = X + P, X.clone()
    no_place[hidden] = mask
    words[hidden] = mask
    outputs = [attend(rows, W_q, W_k, W_v)[hidden] for rows in (no_place, words + P)]
    return outputs[0], outputs[1]
    ### END SOLUTION


# %% check="masked_positions" points=1 minutes=15 difficulty=2
from course_utils.checks.promises import Draw, close, layouts, promise, promises, repeatable, unchanged
from solutions.reference import positions


def gaps(d: Draw, n=(3, 12), hidden=None):
    """Words, positions, a mask vector, hidden places in any order (``hidden`` of them), and weights."""
    n, width, e = d.sizes(n=n, d=(1, 8), e=(1, 8))
    places = d.sample(n, hidden(n) if hidden else d.whole(2, n - 1))
    sizes = [(1.0 if d.small else d.each(1.0, 100.0)) for _ in range(4)]  # of the positions and of each weight
    weights = (size * d.normal(width, e, scale=0.7) for size in sizes[1:])
    return d.normal(n, width), sizes[0] * d.normal(n, width), d.normal(width), places, *weights


def repeated(d: Draw):
    """Words one of which comes at a hidden and at two visible places, and may be the mask."""
    X, P, mask, hidden, *W = gaps(d, n=(5, 9), hidden=lambda n: 2)
    seen = [place for place in range(len(X)) if place not in hidden][:2]
    X[seen] = X[hidden[0]].clone()
    return X, P, d.each(X[hidden[0]].clone(), mask), hidden, *W


def zeros(d: Draw):
    """One visible word of zeros, or with the sum 0, or a position of zeros."""
    X, P, mask, hidden, *W = gaps(d, n=(4, 9), hidden=lambda n: d.whole(1, 2))
    seen = next(place for place in range(len(X)) if place not in hidden)
    what = d.each("word", "position", "sum")
    (P if what == "position" else X)[seen] = X[seen] - X[seen].mean() if what == "sum" else 0.0
    return X, P, mask, hidden, *W


def descending(d: Draw):
    """Hidden places from the last to the first."""
    X, P, mask, hidden, *W = gaps(d, n=(4, 9))
    return X, P, mask, sorted(hidden, reverse=True), *W


promises(
    reference={"masked_outputs": positions.masked_outputs},
    agree=close(1e-9),
    returns=("all_replaced", "word_replaced"),
    always=(unchanged, repeatable, layouts),
    kept=[
        promise("all replaced: hidden rows are the mask itself; word replaced: mask plus position; all other rows word plus position, and attention runs over all n", cases=gaps,
                quote=("the row is $\\mu$ itself", "the row is $\\mu + p_i$", "Every other row $l$ is $x_l + p_l$ in both", "the outputs of `attend` at the hidden places for both ways",
                       "Outputs at hidden places when the mask replaces word and position, and when it replaces the word alone", "X: words (n, d)", "P: positions (n, d)", "mask: the mask vector (d,)",
                       "W_q, W_k, W_v: weights (d, e) for ``attend``", "all_replaced, word_replaced: (len(hidden), e) each")),
        promise("rows come in the order of hidden", "rows in the order of ``hidden``", cases=descending),
        promise("one gap is enough", "hidden: different places to hide, at least one", cases=lambda d: gaps(d, hidden=lambda n: 1)),
        promise("all words may be hidden, also a single one", "perhaps all of them", cases=lambda d: gaps(d, n=d.each((2, 6), (1, 1)), hidden=lambda n: n)),
        promise("a word may come several times, hidden here and visible there, and be the mask", "X: words (n, d)", cases=repeated, visible=0, fresh=4, trouble=False, far=False),
        promise("a visible word of zeros, or with the sum 0, and a place whose position is zeros are nothing special", "Every other row $l$ is $x_l + p_l$ in both", cases=zeros, visible=0, fresh=6, trouble=False, far=False),
        promise("a mask of zeros and a mask like a word are masks too", "the mask vector $\\mu \\in \\mathbb{R}^d$",
                cases=lambda d: (lambda X, P, mask, hidden, *W: (X, P, d.each(0 * mask, X[hidden[0]].clone()), hidden, *W))(*gaps(d))),
        promise("32-bit numbers will do", ("32-bit or 64-bit", "All are of one type, as the results are"), cases=lambda d: tuple(x if isinstance(x, list) else x.float() for x in gaps(d)), trouble=False, far=False),
    ],
)

# %%
with waits_for("masked_positions"):
    rng = torch.Generator().manual_seed(6)
    X, P, mask = (
        torch.randn(8, 16, generator=rng),
        torch.randn(8, 16, generator=rng),
        torch.randn(16, generator=rng),
    )
    W = [torch.randn(16, 16, generator=rng) / 4 for _ in range(3)]
    both = dict(zip(("all replaced", "word replaced"), masked_outputs(X, P, mask, [2, 5], *W), strict=True))
    fig, axes = plots.new_figure(9.0, 3.3, columns=2)
    for ax, (name, Y) in zip(axes, both.items(), strict=True):
        for place, values, look in zip((2, 5), Y.tolist(), plots.styles(2), strict=True):
            ax.plot(range(16), values, label=f"gap at place {place}", **look)
        ax.set(
            xlabel="coordinate of the output",
            ylabel="value (no unit)",
            title=f"{name}: largest difference {(Y[0] - Y[1]).abs().max():.2f}",
        )
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=8)
    plots.show(fig, alt=alt_text("03_outputs_attention_hidden"))

# %% [markdown]
# If the mask also replaced the position, all gaps would get the same output, in every layer, and the model would have
# to guess the same word for each of them. The position tells the gaps apart, so it stays. (In a causal model gaps
# with a visible word before them would differ anyway, for the reason of section 1; gaps at the start of the text
# would not.)
#
# ## The figure worth keeping
#
# The same two words, at more and more distance, and the score attention gives them: with sinusoids added before the
# projections, and with rotary positions. Each line is one absolute place of the query. (Fact 1 of section 2 holds for
# the positions themselves. After $W_q$ and $W_k$ their product depends on both places. So do the cross terms of words
# and places, which move the curves more.)
#

# %%
with waits_for("sinusoid", "rope"):
    rng = torch.Generator().manual_seed(7)
    x, y = torch.randn(2, 64, generator=rng)
    W_q, W_k = torch.randn(2, 64, 64, generator=rng) / 8
    p, reach = sinusoid(1000, 64), list(range(0, 97))
    q, k = (x + p) @ W_q, (y + p) @ W_k  # (1000, 64) each: the two words at every place
    turned = [
        apply_rotary((z @ M).expand(1, 1, 1000, 64), rotary_angles(1000, 64))[0, 0]
        for z, M in ((x, W_q), (y, W_k))
    ]
    fig, axes = plots.new_figure(9.4, 4.1, columns=2)
    for ax, (name, (Q, K)) in zip(
        axes, {"added sinusoids": (q, k), "rotary positions": turned}.items(), strict=True
    ):
        for i, look in zip((100, 400, 900), plots.styles(3), strict=True):
            scores = Q[i] @ K[[i - o for o in reach]].T / 8
            ax.plot(reach, scores.tolist(), label=f"query at place {i}", markevery=(i // 100, 12), **look)
        ax.set(xlabel="offset i − j (places)", ylabel="score (no unit)", title=name)
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=8)
    plots.show(fig, alt=alt_text("03_score_fixed_words"))

# %% [markdown]
# ## What to take away
#
# 1. Attention without positions ignores order: if the words are shuffled, the outputs are shuffled in the same way.
#    Positions or a causal mask break this symmetry.
# 2. Added positions bring four terms into every score, two of which compare words with places; relative biases and rotations put the offset $i-j$ into the score and nothing else, a bias by $2T-1$ learned numbers per head, a rotation by none.
# 3. Where positions are added to the words and attention is bidirectional, a mask must hide what a word is but not where it stands; otherwise all gaps of a text look the same.
#
# **Further reading.** Vaswani and others: *Attention Is All You Need* (2017), section 3.5. Shaw, Uszkoreit, Vaswani: *Self-Attention with Relative Position Representations* (2018). Raffel and others: *Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer* (2020), for scalar biases per head (there one number per group of offsets, the same in all layers).
# Su and others: *RoFormer: Enhanced Transformer with Rotary Position Embedding* (2021). Press, Smith, Lewis: *Train Short, Test Long* (2022). Haviv and others: *Transformer Language Models without Positional Encodings Still Learn Positional Information* (2022).
#

# %%
hand_in("03_positions", files=[])
