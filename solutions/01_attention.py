# %% [markdown] builds="softmax attention, copying, averaging, projection, why one head fails and two do not"
# # 01 · Attention by hand
#
# What comes later in this course (translation, language models, questions about places of birth) rests on one small
# operation. This operation compares a question with many labels, and mixes the values that belong to the labels. Here
# you program it yourself. Then you examine it with pencil, paper and random numbers.
#
# **Afterwards you can**
# - compute attention with one query, safely, and say what its weights mean;
# - design queries that copy one value or average two, and predict the exact weights;
# - recover one summand from a sum of vectors, and say when that is possible;
# - show by simulation why one head is fragile and two heads are less so;
# - design query, key and value matrices that do what inputs without projections cannot.
#
# <!-- costs -->
#
# About three hours of your own time. The numbers here are small and stay on the CPU, with or without a GPU.
#
# **What to know before.** Dot products, orthogonality, matrix times vector, the exponential function, mean and variance of a normal
# distribution. Of PyTorch: creating tensors, `@`, `sum`, indexing. In formulas vectors are columns, so $k^\top q$ is a
# dot product. Tensors store vectors as rows: `K` of shape `(n, d)` holds n keys with d numbers each. The *length* of a
# vector is its Euclidean norm.
#
# <!-- exercise-map -->
#
# A random generator among the arguments is an exception: a draw changes it, so the next call with it gives another
# result. With the generator in the same state, a call gives the same result.
#

# %%
# <first-cell>

# %%
import math

import torch

from course_utils import plots
from course_utils.checks.selfcheck import check  # noqa: F401 (check cells call it)
from course_utils.lessons.attention import jitter, orthonormal, plane, slider, weight_bars
from course_utils.lessons.figures import alt_text
from course_utils.notebook.costs import announce
from course_utils.notebook.session import hand_in, start, waits_for

course = start("01_attention")
announce(course)
torch.set_default_dtype(torch.float64)  # 16 digits: here we check formulas, speed comes in later notebooks

# %% [markdown]
# ## 1. One question, many labels
#
# A **query** $q \in \mathbb{R}^d$ is a question. There are $n$ items. Item $i$ has a **key** $k_i \in \mathbb{R}^d$, its
# label, and a **value** $v_i \in \mathbb{R}^p$, its content. Attention compares the query with every key
# and mixes the values:
#
# $$ s_i = k_i^\top q, \qquad \alpha_i = \frac{e^{s_i}}{\sum_{j=1}^n e^{s_j}}, \qquad c = \sum_{i=1}^n \alpha_i v_i . $$
#
# | symbol | name | shape |
# |---|---|---|
# | $q$ | query | `(d,)` |
# | $K$, rows $k_i$ | keys | `(n, d)` |
# | $V$, rows $v_i$ | values | `(n, p)` |
# | $s$ | scores, any real numbers | `(n,)` |
# | $\alpha$ | attention weights | `(n,)` |
# | $c$ | output | `(p,)` |
#
# Some letters are used again with another meaning. $\beta$ is the length of a query in section 2, a score in
# sections 4 to 7, and the length of the $u$'s in sections 8 and 9. $s$ is a sum of vectors in section 3 and an
# amount in section 8. In section 9, $K$ and $V$ are the matrices that make keys and values.
#
# The map from $s$ to $\alpha$ is the **softmax**. *A small example.* Three keys have the scores 0, ln 3 and ln 4. Their exponentials are 1, 3 and 4, with sum 8.
# So $\alpha = (1/8, 3/8, 4/8)$, and with the values 80, 0, 8 the output is $c = 10 + 0 + 4 = 14$.
#
# Two remarks. First, Transformers divide the scores by $\sqrt d$. In this notebook we do **not**, so that formulas stay
# short (notebook 02 is about that factor). Second, $e^{s}$ leaves the range of 64-bit floating-point numbers at
# $s \approx 709$ (of 32-bit ones at 88), although the weights themselves stay between 0 and 1. Adding the same number
# to all scores changes no weight: use that.
#
# ### Exercise `attention`
#
# Write attention for one query. `torch.softmax` is allowed; ready-made attention (`F.scaled_dot_product_attention`,
# `F.multi_head_attention_forward`, `nn.MultiheadAttention`) is not. The names of ready-made attention may not stand in
# the answer cell at all, not even as a function of your own or in a comparison.
#
# <details><summary>Hint 1 (nudge)</summary>
# All n scores are one matrix–vector product. What shape does it have, and over which axis should the weights sum to 1?
# </details>
# <details><summary>Hint 2 (idea)</summary>
# The scores have shape (n,): there is only one axis, the items, and the softmax runs over it. If you write the exponentials yourself, take the largest
# score away first: the largest exponent is then 0, and nothing can overflow.
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# Scores from K and q; weights from a softmax over axis 0; the output is the weights times V, a sum over rows. Return the output first, then the weights, not the scores.
# </details>
#


# %% answer="attention"
def attention(q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Attention of one query, without the factor 1/sqrt(d).

    Args:
        q: query (d,), 32-bit or 64-bit as K and V are.
        K: keys (n, d), one per row.
        V: values (n, p), one per row.

    Returns:
        c: output (p,).
        alpha: weights (n,), at least 0, with sum 1; finite even for scores of +-10,000.
    """
    ### BEGIN SOLUTION
    scores = K @ q  # (n, d) @ (d,) -> (n,)
    powers = torch.exp(scores - scores.max())  # the largest exponent is 0: nothing overflows
    alpha = powers / powers.sum()
    return alpha @ V, alpha  # (n,) @ (n, p) -> (p,)
    ### END SOLUTION


# %% check="attention" points=2 minutes=15 difficulty=1
import math

import torch

from course_utils.checks.promises import Draw, close, layouts, promise, promises, repeatable, unchanged
from solutions.reference import by_hand


def inputs(d: Draw, n=(2, 30), width=(1, 20), p=(1, 12), top=(0.3, 3.0)):
    """A query, keys and values, the query as long as ``top`` says."""
    n, width, p = d.sizes(n=n, d=width, p=p)
    return d.normal(width) * d.uniform(*top), d.normal(n, width), (1.0 if d.small else d.each(1.0, 100.0)) * d.normal(n, p)


def scored(d: Draw, low: float, high: float, n=(2, 9)):
    """Inputs whose scores lie between ``low`` and ``high``, both of them there."""
    n, width, p = d.sizes(n=n, d=(2, 6), p=(1, 5))
    scores = torch.tensor([low, high, *(d.uniform(low, high) for _ in range(n - 2))], dtype=torch.float64)
    q = d.normal(width)
    return q, scores[d.sample(n, n), None] * q / (q @ q), d.normal(n, p)  # (n, 1) * (d,) -> (n, d)


def tied(d: Draw):
    """Scores near ±10,000 that differ by little: what is cut off, not shifted, loses the difference."""
    top = d.each(1e4, -1e4)
    gaps = [0.0, math.log(3), *(d.uniform(0, 3) for _ in range(d.whole(0, 5)))]
    K = torch.tensor([[top - gap] for gap in gaps], dtype=torch.float64)
    return torch.ones(1, dtype=torch.float64), K, d.normal(len(gaps), 2)


small = (torch.tensor([1.0, 0, 0, 0], dtype=torch.float64),
         torch.tensor([[0.0, 0, 0, 0], [math.log(9), 0, 0, 0], [0, 0, 0, 0]], dtype=torch.float64),
         torch.tensor([[11.0, 0], [0, 11], [11, 11]], dtype=torch.float64))  # fmt: skip
promises(
    reference={"attention": by_hand.attention},
    agree=close(1e-9),
    returns=("c", "alpha"),
    always=(unchanged, repeatable, layouts),
    forbid=("scaled_dot_product_attention", "MultiheadAttention", "multi_head_attention_forward"),
    kept=[
        promise("the weights are 1/11, 9/11, 1/11 and the output (2, 10) in a small example",
                quote=("weights (n,), at least 0, with sum 1", "output (p,)"), cases=[small]),
        promise("alpha is the softmax of the n scores k_i · q, c the sum of α_i v_i, for any sizes",
                quote=("without the factor 1/sqrt(d)", "query (d,)", "keys (n, d), one per row", "values (n, p), one per row"), cases=inputs),
        promise("a single item gets the weight 1", "keys (n, d), one per row", cases=lambda d: inputs(d, n=(1, 1))),
        promise("equal scores share equally", "at least 0, with sum 1", cases=lambda d: inputs(d, top=(0.0, 0.0))),
        promise("scores of ±10,000 overflow nothing, and none is cut off: adding a number to all scores changes no weight",
                quote="finite even for scores of +-10,000", cases=lambda d: scored(d, *d.each((-1e4, 1e4), (-1e4, -9e3), (9e3, 1e4)))),
        promise("scores of moderate size, 100 to 700, are nothing special", "finite even for scores of +-10,000",
                cases=lambda d: scored(d, *d.each((100.0, 700.0), (-700.0, -100.0), (80.0, 95.0), (-800.0, -740.0)))),
        promise("huge scores that differ by little still share by their difference", "finite even for scores of +-10,000", cases=tied),
        promise("hundreds and thousands of items are attended in full", "keys (n, d), one per row", visible=0, fresh=3, trouble=False, far=False, cases=lambda d: inputs(d, n=d.each((250, 520), (520, 1100), (2060, 3000)))),
        promise("32-bit numbers will do", "32-bit", cases=lambda d: tuple(x.float() for x in inputs(d)), trouble=False),
    ],
)

# %% [markdown]
# ### What is wrong here?
#
# *"The weights are a categorical distribution because the search is fuzzy and gives every key some share."*
#
# Being fuzzy is not the point. The next cell prints shares that sum to 1 by a rule that is not a softmax: scores divided by their sum.
#

# %%
with waits_for("attention"):
    K, q = torch.tensor([[4.0], [2.0], [-4.0]]), torch.tensor([1.0])
    shares = (K @ q) / (K @ q).sum()
    print("scores divided by their sum:", shares.tolist(), "  sum", shares.sum().item())
    print("softmax of the scores:      ", [round(x, 3) for x in attention(q, K, K)[1].tolist()])

# %% [markdown]
# <details><summary>What is wrong</summary>
# The first rule gives item 3 the share −2: nobody can draw an item with probability −2, although the shares sum to 1. So a sum of 1 is not enough.
# What else is needed, and which part of the softmax gives it, is the question below.
# </details>
#
# ### Written question `why_categorical`
#
# Why may the weights $\alpha$ be read as a categorical probability distribution over the items? Which properties are needed, and which part of the formula gives each?
# What is $c$ in this reading?
#

# %% [markdown] written="why_categorical" points=0.5 minutes=5 difficulty=1
# **Your answer · why_categorical**
#
# ### BEGIN SOLUTION
# A categorical distribution over $n$ items is a list of $n$ numbers that are non-negative and sum to one. Each $\alpha_i$ is positive because exponentials are, and
# the sum is one because each is divided by the sum of all exponentials. Hence $\alpha_i$ can be read as the probability of drawing item $i$, and $c = \sum_i \alpha_i v_i$ is
# the expected value of a value vector drawn that way.
#
# Rubric: (1) names non-negativity and its cause, the exponential; (2) names sum one and its cause, the common denominator; (3) says what is distributed (the choice of an item) or that c is an expectation.
# No point for "fuzzy" or "soft" matching without these properties.
# ### END SOLUTION
#

# %% [markdown]
# ## 2. Copying one value
#
# When one weight is nearly 1, the output is nearly that item's value: $c \approx v_j$. We call this **copying**. (In a
# Transformer the items are the words of a text, and every word has a query. Consider what copying then does with the
# content of word $j$.) Let the keys be orthonormal ($k_i^\top k_j = 0$ for $i \ne j$, and $\|k_i\| = 1$). As the query,
# take a multiple of one key, $q = \beta k_j$. Item $j$ gets the score $\beta$, the other $n-1$ items get the score 0.
# A score of 0 is **not** a weight of 0: each of these items still adds $e^0 = 1$ to the denominator.
#
# *A small example.* With $n = 3$ and $\beta = \ln 8$ the exponentials are 8, 1, 1, so $\alpha_j = 0.8$: one fifth leaks away.
#
# ### Exercise `copying`
#
# How large must $\beta$ be? Return the multiple of $k_j$ with the **smallest norm** for which $\alpha_j \ge 1-\varepsilon$. Solve for $\beta$ on paper first.
#
# <details><summary>Hint 1 (nudge)</summary>
# Write α_j as a function of β and n. It grows with β, so the smallest β is the one that gives exactly 1 − ε.
# </details>
# <details><summary>Hint 2 (idea)</summary>
# Set the fraction with numerator e^β equal to 1 − ε and collect the terms with e^β on one side. The other n − 1 items each contribute 1 to the denominator: a β that ignores n is the usual trap.
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# e^β · ε = (1 − ε)(n − 1). Take the logarithm, and return that multiple of row j of K. Does β grow when ε shrinks, and when n grows?
# </details>
#


# %% answer="copying"
def copying(K: torch.Tensor, j: int, eps: float) -> torch.Tensor:
    """The query with which attention copies value j.

    Args:
        K: orthonormal keys (n, d), n >= 2.
        j: index of the item to copy, from 0.
        eps: largest total weight of the other items, 0 < eps < 1 - 1/n; it may be as small as 1e-12.

    Returns:
        query (d,): the smallest-norm multiple of key j whose weight alpha_j is at least 1 - eps.
    """
    ### BEGIN SOLUTION
    n = len(K)
    beta = math.log((1 - eps) * (n - 1) / eps)
    return beta * K[j]  # (d,)
    ### END SOLUTION


# %% check="copying" points=1.5 minutes=15 difficulty=1
import math

import torch

from course_utils.checks.promises import Draw, close, layouts, promise, promises, repeatable, unchanged
from course_utils.lessons.attention import orthonormal
from solutions.reference import by_hand


def keys(d: Draw, n=(2, 60), eps=(1e-6, 0.95)):
    """Orthonormal keys, one item, and what may leak, up to a share of its bound 1 - 1/n."""
    n, extra = d.sizes(n=n, extra=(0, 8))
    low, high = eps
    return orthonormal(n, n + extra, d.torch), d.whole(0, n - 1), d.log_uniform(min(low, high * (1 - 1 / n)), high * (1 - 1 / n))


promises(
    reference={"copying": by_hand.copying},
    agree=close(1e-7),
    returns=("the query",),
    always=(unchanged, repeatable, layouts),
    kept=[
        promise(
            "the query is the smallest multiple of key j that gives α_j ≥ 1 − ε: solve α_j = 1 − ε for β",
            quote=("The query with which attention copies value j", "the smallest-norm multiple of key j whose weight alpha_j is at least 1 - eps"),
            cases=keys,
        ),
        promise("keys along the axes, fewer than d", "orthonormal keys (n, d)",
                cases=[(torch.eye(5, dtype=torch.float64)[:3], 1, 0.2), (torch.eye(9, dtype=torch.float64), 1, 0.01)]),
        promise("two items are enough", "n >= 2", cases=lambda d: keys(d, n=(2, 2))),
        promise("j counts from 0", "from 0", cases=lambda d: (torch.eye(4, dtype=torch.float64), d.each(0, 3, 1), 0.1)),
        promise("a tiny ε needs a long query", "0 < eps", cases=lambda d: keys(d, eps=(1e-8, 1e-6))),
        promise("an ε down to 10⁻¹² needs a longer one still", "as small as 1e-12", agree=close(1e-3), trouble=False,
                cases=lambda d: keys(d, n=(20, 60), eps=d.each((1e-12, 1e-11), (1e-11, 1e-9)))),
        promise("the smallest ε, 10⁻¹², among many items", "as small as 1e-12", agree=close(1e-3), trouble=False,
                cases=lambda d: keys(d, n=d.each((30, 60), (2, 4)), eps=(1e-12, 1.0001e-12))),
        promise("an ε near its bound needs a short one, of length near 0", "eps < 1 - 1/n", cases=lambda d: keys(d, eps=(0.98, 0.9999))),
    ],
)

# %% [markdown]
# ### The picture: weight against β
#
# With more items a longer query is needed. Compared with $n = 2$, the curve moves right by
# $\ln(n-1)$ and keeps its shape.
#

# %%
with waits_for("attention"):
    betas = torch.linspace(0, 16, 65)
    curves = {}
    for n in (2, 10, 100, 1000):
        keys = torch.eye(n)
        curves[f"n = {n}"] = (
            betas.tolist(),
            [attention(beta * keys[0], keys, keys[:, :1])[1][0].item() for beta in betas],
        )
    fig = plots.line(
        curves, "length β of the query (score units)", "weight $α_j$ of the asked item (share of 1)"
    )
    plots.show(fig, alt=alt_text("01_s_shaped_curves"))

# %% [markdown]
# The next cell draws the ten weights for four lengths of a query that asks for item 4. Below these four drawings is
# another one, with a slider for β. (Where the notebook is not running there is no slider, only the four drawings.)
#


# %%
def asked(value: float) -> torch.Tensor:
    """Ten weights (10,) for the query value * k_4."""
    keys = torch.eye(10)
    return attention(value * keys[3], keys, keys)[1]


with waits_for("attention"):
    fig = weight_bars(
        {f"β = {value}: item 4 gets {asked(value)[3]:.2f}": asked(value) for value in (0, 2, 4, 8)}
    )
    plots.show(fig, alt=alt_text("01_bar_charts_ten"))


def draw_weights(value: float) -> None:
    """Bars of ten weights for the query value * k_4."""
    with waits_for("attention"):
        alpha = asked(value)
        fig = weight_bars({f"n = 10, β = {value:.1f}: weight of item 4 is {alpha[3]:.3f}": alpha})
        plots.show(fig, alt=alt_text("01_bars_ten_attention", beta=value, asked=alpha[3], others=alpha[0]))


slider(draw_weights, 0, 16, 2.0, "β")

# %% [markdown]
# ### What is wrong here?
#
# Four sentences about copying, all of them wrong. Say of each why, then let the cell measure.
#
# 1. *"The score of $j$ is large and the other scores are zero: then $\alpha_j \approx 1$."*
# 2. *"$e^0 \approx 0$, so items with score zero drop out."*
# 3. *"A zero dot product means that key and query are opposite."*
# 4. *"To copy, all other keys must have negative scores."*
#

# %%
with waits_for("attention"):
    n = 1000
    one_hot = torch.zeros(n, 1)
    one_hot[0] = 5.0  # item 0 has the score 5, the other 999 have the score 0
    print(f"1. scores 5, 0, 0, … with n = {n}: weight {attention(torch.ones(1), one_hot, one_hot)[1][0]:.3f}")
    print(f"2. exp(0) = {math.exp(0.0)}")
    pair = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])  # same direction, orthogonal, opposite
    print(f"3. scores of a same, an orthogonal and an opposite key: {(pair @ pair[0]).tolist()}")
    positive = torch.tensor([[30.0], [15.0], [12.0], [1.0]])
    print(
        "4. scores 30, 15, 12, 1, none negative: weight "
        f"{attention(torch.ones(1), positive, positive)[1][0]:.7f}"
    )

# %% [markdown]
# <details><summary>What is wrong</summary>
# <ol>
# <li>Not enough: the score 5 among 1,000 items earns 13 %. By how much it must exceed the others is the question below.</li>
# <li>e⁰ = 1. One such item is small beside e⁵ = 148, but 999 of them are not.</li>
# <li>Zero means orthogonal, unrelated. Of vectors with given lengths, opposite ones have the most negative product.</li>
# <li>Only differences of scores count. Adding 100 to all scores changes no weight, so no sign can be needed.</li>
# </ol>
# </details>
#
# ### Written question `when_peaked`
#
# Under which condition on the query and the keys does $\alpha$ put almost all its weight on one item $j$? State it for $n$ items, and say why "large score, others zero" is not yet the condition.
#

# %% [markdown] written="when_peaked" points=0.5 minutes=5 difficulty=2
# **Your answer · when_peaked**
#
# ### BEGIN SOLUTION
# $\alpha_j = 1/(1+\sum_{i\ne j} e^{s_i - s_j})$, so it is near one exactly when the sum is small: the score of $j$ must exceed **every** other score, by clearly more than $\ln(n-1)$
# if the others are equal. Only differences of scores count, not their sign or absolute size. "5 against zeros" is peaked for $n = 3$ (99 %) and not for $n = 1000$ (13 %).
#
# Rubric: (1) the condition is about differences $s_j - s_i$ to all other items, not about a large score alone; (2) it mentions that the gap must grow with $n$ (ln n or an example); (3) it connects scores to the dot product of q with the keys.
# ### END SOLUTION
#

# %% [markdown]
# ### Written question `what_copying_means`
#
# What does the output look like when nearly all weight lies on item $j$, and what does this allow a Transformer to do when its items are the words of a text? Also: somebody says that *a longer key $k_j$ makes the output longer, since $c$ inherits the key's norm*.
# Is that so? In the cell below the key grows from length 1 to length 16, while the three values keep the lengths 5, 1 and 2. At which value does the length of the output stop growing, and why at this value?
#

# %%
with waits_for("attention"):
    values = torch.tensor([[3.0, 4.0], [1.0, 0.0], [0.0, 2.0]])  # lengths 5, 1, 2
    for length in (1.0, 4.0, 16.0):
        keys = torch.eye(3)
        keys[0] *= length
        print(
            f"length of key 1: {length:4.0f}   length of the output: "
            f"{attention(2 * torch.eye(3)[0], keys, values)[0].norm():.4f}"
        )

# %% [markdown] written="what_copying_means" points=0.5 minutes=5 difficulty=1
# **Your answer · what_copying_means**
#
# ### BEGIN SOLUTION
# The output is nearly $v_j$: $c = \alpha_j v_j + \sum_{i \ne j}\alpha_i v_i$, and the second part has at most $(1-\alpha_j)$ times the longest other value. Attention can thus fetch
# the content of one chosen position unchanged, as looking up a dictionary entry, at any distance. The key's norm enters only through the weights: $c$ is a weighted mean of the values
# and never longer than the longest value; here it tends to 5, the length of $v_1$, however long the key gets.
#
# Rubric: (1) c is approximately v_j, the value and not the key; (2) says in words that information of one position is fetched or looked up; (3) rejects the inherited norm: the key acts on the weights alone, or c stays within the hull of the values.
# ### END SOLUTION
#

# %% [markdown]
# ## 3. Two values in one vector
#
# Attention returns one vector even when two items matter. Does adding two vectors lose information? Not always. Let $v_a$ lie in a subspace $A \subset \mathbb{R}^d$ and
# $v_b$ in a subspace $B$ with $A \perp B$. In this section $s = v_a + v_b$ is a sum of vectors, and no longer
# the scores. Given only this sum and a basis $a_1, \dots, a_m$ of $A$, a matrix $M$ can bring back $v_a$. (The code gets
# the basis as the columns of a matrix of shape $d \times m$. It calls this matrix `A`, like the subspace.)
#
# $$ M (v_a + v_b) = v_a \quad\text{for all } v_a \in A,\; v_b \perp A, \qquad M \in \mathbb{R}^{d \times d}. $$
#
# Later you will meet several attentions side by side (**heads**, section 7). If their outputs lie in orthogonal
# subspaces, each of them can be recovered from the sum of all.
#
# *A small example.* In $\mathbb{R}^2$ with $a_1 = (1, 0)$: $M = \begin{pmatrix}1&0\\0&0\end{pmatrix}$ keeps the first coordinate. And for $a_1 = (2, 0)$? The subspace is the same, so $M$ must be the same too.
#
# ### Exercise `projector`
#
# Return $M$ for a given $A$. The columns of $A$ are linearly independent, but they need **not** have length 1, nor be orthogonal to each other.
#
# <details><summary>Hint 1 (nudge)</summary>
# v_a = A w for some coordinates w of shape (m,). What does Aᵀ s equal, and which part of s has dropped out of it?
# </details>
# <details><summary>Hint 2 (idea)</summary>
# Aᵀ s = AᵀA w, because Aᵀ v_b = 0. If the columns were orthonormal, AᵀA would be I; here it has to be inverted to get w. And w is not yet v_a: coordinates have shape (m,), v_a has shape (d,).
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# w = (AᵀA)⁻¹ Aᵀ s, that is <code>torch.linalg.pinv(A) @ s</code>, and A turns coordinates back into a vector of ℝᵈ.
# </details>
#


# %% answer="projector"
def projector(A: torch.Tensor) -> torch.Tensor:
    """The matrix that recovers v_a from v_a + v_b,
    where v_a lies in the span of A's columns and v_b is orthogonal to it.

    Args:
        A: a basis as columns (d, m), m <= d, linearly independent;
            neither unit length nor orthogonal in general.

    Returns:
        M: (d, d) with M (v_a + v_b) = v_a, a vector of R^d.
    """
    ### BEGIN SOLUTION
    return A @ torch.linalg.pinv(A)  # (d, m) @ (m, d) -> (d, d)
    ### END SOLUTION


# %% check="projector" points=1.5 minutes=15 difficulty=2
import torch

from course_utils.checks.promises import Draw, close, layouts, promise, promises, repeatable, unchanged
from course_utils.lessons.attention import orthonormal
from solutions.reference import by_hand


def basis(d: Draw, size=(2, 14), m=(1, 14), lengths=(0.4, 3.4)):
    """A basis (d, m) of a random subspace; the columns' mixture has singular values between the two lengths."""
    size, m = d.sizes(d=size, m=m)
    m = min(m, size)
    stretch = torch.diag(torch.tensor([d.uniform(*lengths) for _ in range(m)], dtype=torch.float64))
    frame = orthonormal(m, size, d.torch)  # (m, d)
    return frame.T @ orthonormal(m, m, d.torch) @ stretch @ orthonormal(m, m, d.torch)


def narrow(d: Draw):
    """A basis whose columns nearly point the same way, some of them a thousand times shorter than others."""
    size = d.whole(4, 8)
    stretch = torch.diag(torch.logspace(0, -d.each(2, 3), 3, dtype=torch.float64))
    return orthonormal(3, size, d.torch).T @ stretch @ orthonormal(3, 3, d.torch)


promises(
    reference={"projector": by_hand.projector},
    agree=close(1e-6),
    returns=("M",),
    kept=[
        promise("M keeps the span of A's columns and removes what is orthogonal to it, in a small example", "(d, d) with M (v_a + v_b) = v_a",
                cases=[torch.tensor([[2.0, 1.0], [0.0, 1.0], [0.0, 0.0]], dtype=torch.float64)]),
        promise("M (v_a + v_b) = v_a for any basis: lengths and angles of the columns are divided out",
                quote=("The matrix that recovers v_a from v_a + v_b", "neither unit length nor orthogonal in general", "a vector of R^d"), visible=3,
                cases=lambda d: basis(d, **d.each({}, {"size": (6, 9), "m": (3, 4)}, {"size": (9, 14), "m": (6, 8)}))),
        promise("columns a million times shorter than others count in full, too", "neither unit length nor orthogonal in general", visible=1, trouble=False, far=False,
                cases=lambda d: basis(d, size=(6, 9), m=(4, 4)) * torch.logspace(0, -6, 4, dtype=torch.float64)),
        promise("M is right to nine decimals, where the columns are neither short nor nearly dependent", "(d, d) with M (v_a + v_b) = v_a", cases=basis, agree=close(1e-9), visible=1, trouble=False),
        promise("many columns of a large space", "a basis as columns (d, m)", cases=lambda d: basis(d, size=(60, 90), m=(20, 50)), visible=0, fresh=3, trouble=False),
        promise("one column is a basis too", "a basis as columns (d, m)", cases=lambda d: basis(d, m=(1, 1))),
        promise("m = d: nothing is orthogonal to A, and M is the identity", "m <= d", cases=lambda d: basis(d, m=(14, 14))),
        promise("columns of length 1 that are not orthogonal", "neither unit length nor orthogonal in general",
                cases=lambda d: torch.nn.functional.normalize(basis(d, size=(4, 9), m=(2, 3)), dim=0)),
        promise("columns orthogonal to each other, of any length", "neither unit length nor orthogonal in general",
                cases=lambda d: orthonormal(2, d.whole(3, 8), d.torch).T * torch.tensor([0.5, 3.0], dtype=torch.float64)),
        promise("columns of length 1, orthogonal to each other", "a basis as columns (d, m)",
                cases=lambda d: orthonormal(2, d.whole(3, 8), d.torch).T.contiguous()),
        promise("columns that are nearly dependent, or very short, still count in full", "linearly independent", cases=narrow),
        promise("long and short vectors alike", "neither unit length nor orthogonal in general",
                cases=lambda d: basis(d) * d.each(1e-3, 1e3), visible=1),
    ],
)

# %% [markdown]
# ### What is wrong here?
#
# *"The basis vectors have norm 1 and are orthogonal, hence* $M = \sum_i \dfrac{a_i a_i^\top}{a_i^\top a_i} = A^\top$*."*
#
# The first equality is right for an orthogonal basis. Test the second one: compare the shapes of its two sides, and
# what they return for a vector $v_a$.
#

# %%
basis = orthonormal(2, 5, torch.Generator().manual_seed(1)).T  # (5, 2), orthonormal columns
v_a = basis @ torch.tensor([3.0, -1.0])
by_sum = sum(torch.outer(a, a) / (a @ a) for a in basis.T)  # (5, 5), good for orthogonal columns only
print("v_a              ", [round(x, 3) for x in v_a.tolist()])
print("sum of outers v_a", [round(x, 3) for x in (by_sum @ v_a).tolist()])
print("Aᵀ v_a           ", [round(x, 3) for x in (basis.T @ v_a).tolist()])

# %% [markdown]
# <details><summary>What is wrong</summary>
# Aᵀ has shape (m, d): Aᵀ v_a = (3, −1) are the <b>coordinates</b> of v_a in the basis, a vector of ℝ², while the question asks for v_a itself, in ℝ⁵. A sum of outer products a aᵀ is a
# (d, d) matrix; for orthonormal columns it is A Aᵀ. To write Aᵀ for A Aᵀ is the small mistake. The large one is
# to confuse coordinates in ℝᵐ with vectors in ℝᵈ. A related mistake is to write <i>u uᵀ</i> for a dot product. For
# column vectors <i>uᵀu</i> is a number and <i>u uᵀ</i> a matrix; "μ μᵀ = 1" cannot be.
# </details>
#
# ## 4. Averaging two values
#
# Now let attention itself do the mixing. Keys are orthonormal again. With scores $\beta$ for two items $a \ne b$ and 0 for the other $n-2$, both weights are equal, and near ½ when $\beta$ is large.
#
# *A small example.* $n = 4$, $\beta = \ln 3$: exponentials 3, 3, 1, 1, so $\alpha_a = \alpha_b = 3/8$; one quarter of the weight goes to the other two.
#
# ### Exercise `averaging`
#
# Return the shortest query with $k_a^\top q = k_b^\top q = \beta$ and all other scores 0, together with the exact weight
# $\alpha_a$. Compute this number by a formula in $\beta$ and $n$ that is safe for $\beta$ up to 1,000.
#
# <details><summary>Hint 1 (nudge)</summary>
# Which combination of k_a and k_b has the dot product β with both? Test your guess with orthonormal keys.
# </details>
# <details><summary>Hint 2 (idea)</summary>
# With β times the mean, ½β(k_a + k_b), both scores are only β/2: the trap is to average the keys because one wants the average of the values. For the weight, count the denominator item by item.
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# Two items contribute e^β each, n − 2 items contribute 1 each. To keep e^1000 out of the computer, divide numerator and denominator by e^β.
# </details>
#


# %% answer="averaging"
def averaging(K: torch.Tensor, a: int, b: int, beta: float) -> tuple[torch.Tensor, float]:
    """The query that averages values a and b, and the weight that each of the two gets.

    Args:
        K: orthonormal keys (n, d), n >= 2.
        a, b: indices of two different items, from 0.
        beta: score of both items, 0 <= beta <= 1000.

    Returns:
        the shortest query (d,) with score beta for a and b, and score 0 for all others.
        weight: alpha_a = alpha_b exactly, a number computed by a formula in beta and n.
    """
    ### BEGIN SOLUTION
    n = len(K)
    weight = 1 / (2 + (n - 2) * math.exp(-beta))  # numerator and denominator divided by e^beta
    return beta * (K[a] + K[b]), weight
    ### END SOLUTION


# %% check="averaging" points=1 minutes=10 difficulty=1
import torch

from course_utils.checks.promises import Draw, close, layouts, promise, promises, repeatable, unchanged
from course_utils.lessons.attention import orthonormal
from solutions.reference import by_hand


def keys(d: Draw, n=(2, 40), beta=(0.5, 30.0)):
    """Orthonormal keys, two different items, and their score."""
    n, extra = d.sizes(n=n, extra=(0, 6))
    a, b = d.sample(n, 2)
    return orthonormal(n, n + extra, d.torch), a, b, d.uniform(*beta)


promises(
    reference={"averaging": by_hand.averaging},
    agree=close(1e-9),
    returns=("query", "weight"),
    always=(unchanged, repeatable, layouts),
    kept=[
        promise(
            "a and b get the score β, all others 0, and the weight is exact: e^β over the sum of all n exponentials",
            quote=(
                "The query that averages values a and b, and the weight that each of the two gets",
                "score beta for a and b, and score 0 for all others",
                "alpha_a = alpha_b exactly",
            ),
            cases=keys,
        ),
        promise("keys may be any orthonormal vectors, also along the axes", "orthonormal keys (n, d)",
                cases=[(torch.eye(8, dtype=torch.float64)[:5], 1, 3, 2.0)]),
        promise("two items are enough", "n >= 2", cases=lambda d: keys(d, n=(2, 2))),
        promise("a and b may come in any order, and 0 is an index", "indices of two different items, from 0",
                cases=lambda d: (*keys(d, n=(4, 9))[:1], *d.each((2, 0), (0, 1), (3, 1)), 1.5)),
        promise("β = 0 gives every item the same weight", "0 <= beta", cases=lambda d: keys(d, beta=(0.0, 0.0))),
        promise("β may be small or fractional", "0 <= beta", cases=lambda d: keys(d, beta=(0.01, 0.9))),
        promise("the weight is exact for hundreds of items, too, where β is so large that it is nearly one half", "alpha_a = alpha_b exactly", cases=lambda d: keys(d, n=(200, 260), beta=(20.5, 22.5)),
                visible=0, fresh=2, trouble=False, far=False),
        promise("a β up to 1,000 does not overflow", "beta <= 1000", cases=lambda d: keys(d, beta=d.each((720.0, 1000.0), (1000.0, 1000.0)))),
    ],
)

# %%
with waits_for("attention", "averaging"):
    curves = {}
    for n in (2, 10, 100, 1000):
        keys = torch.eye(n)
        queries = [averaging(keys, 0, 1, beta)[0] for beta in betas.tolist()]
        curves[f"n = {n}"] = (betas.tolist(), [attention(q, keys, keys[:, :1])[1][0].item() for q in queries])
    fig = plots.line(curves, "score β of both items", "weight $α_a = α_b$ (share of 1)")
    plots.show(fig, alt=alt_text("01_weight_each_asked"))
    gap = max(
        abs(averaging(torch.eye(10), 0, 1, beta)[1] - weight)
        for beta, weight in zip(*curves["n = 10"], strict=True)
    )
    print(f"largest difference between your formula and attention itself, n = 10: {gap:.1e}")

# %% [markdown]
# ## 5. When the keys are not quite known
#
# The keys of a real network need not be exactly orthonormal. Let the **means** $\mu_1, \dots, \mu_n$ be orthonormal and known, and let each actual key be drawn around its mean,
#
# $$ k_i \sim \mathcal{N}(\mu_i, \Sigma_i), \qquad \Sigma_i = \sigma^2 I \quad\text{with a small variance } \sigma^2 . $$
#
# In words: $k_i = \mu_i + \sigma z_i$, where the $d$ coordinates of $z_i$ are independent standard normal numbers, drawn afresh for every key. The **covariance matrix** $\Sigma$ says how a random vector spreads:
# in the direction of a unit vector $w$ its variance is $w^\top \Sigma\, w$. For $\sigma^2 I$ that is $\sigma^2$ in every direction.
#
# The query must be fixed **before** the keys are drawn, so it may use the means alone; attention then runs over the drawn keys.
#
# How far do the weights stray? We measure the error as the weight that sits in the wrong place,
# $\tfrac12\sum_i |\alpha_i - t_i|$. The target is $t_a = t_b = \tfrac12$, and $t_i = 0$ for all other items.
# The two scores differ by $\delta = (k_a - k_b)^\top q$. The query has the length $\sqrt2\,\beta$, and in its direction
# $k_a - k_b$ has the variance $2\sigma^2$. So $\delta$ is normal with mean 0 and standard deviation $2\beta\sigma$.
# Two items share the weight as $1/(1+e^{-\delta})$, whose slope at 0 is ¼. So a small $\delta$ moves $\delta/4$ of the
# weight from one item to the other. The mean of $|\delta|$ is its standard deviation times $\sqrt{2/\pi}$, so
# the mean error is about $\beta\sigma/\sqrt{2\pi}$: proportional to $\beta\sigma$ as long as $\beta\sigma$ is well below 1 (the error can never exceed 1). As σ shrinks the error falls **until it reaches the floor** $\dfrac{n-2}{2e^\beta+n-2}$, which remains even for exact keys. A large β lowers the floor and amplifies the noise.
#
# *A small example.* β = 20 and σ² = 10⁻⁴: $\beta\sigma = 0.2$ gives an error of about 0.08. With β = 5 and n = 10 the floor is already 0.026.
#
# ### Exercise `single_head`
#
# For many draws of the keys at once: average values a and b in each draw separately. One query serves all draws: the query of the last exercise, made from the means. Both results have one row per draw.
#
# <details><summary>Hint 1 (nudge)</summary>
# There is one query for all draws. Which of the two inputs, <code>mu</code> or <code>K</code>, existed when it was chosen?
# </details>
# <details><summary>Hint 2 (idea)</summary>
# The query of the last exercise with μ in place of k. Building it from the drawn keys is the trap: they are not known in advance. The scores of all draws have the shape (S, n), and each draw has its own softmax.
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# <code>K @ q</code> multiplies (S, n, d) by (d,) and gives (S, n). Softmax over the last axis, then the weights times V, (S, n) by (n, p). A loop over draws that calls your own attention is just as right.
# </details>
#


# %% answer="single_head"
def single_head(
    mu: torch.Tensor, K: torch.Tensor, V: torch.Tensor, a: int, b: int, beta: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Average values a and b with one query that knows only the means of the keys.

    Args:
        mu: orthonormal means (n, d).
        K: S independent draws of all keys (S, n, d).
        V: values (n, p).
        a, b: indices of the two items.
        beta: score that a and b would have if the keys equalled their means, any real number.

    Returns:
        c: outputs (S, p), one per draw.
        alpha: weights (S, n).
    """
    ### BEGIN SOLUTION
    query = beta * (mu[a] + mu[b])  # (d,), fixed before any key is drawn
    alpha = torch.softmax(K @ query, dim=-1)  # (S, n, d) @ (d,) -> (S, n)
    return alpha @ V, alpha  # (S, n) @ (n, p) -> (S, p)
    ### END SOLUTION


# %% check="single_head" points=1 minutes=15 difficulty=2
import math

import torch

from course_utils.checks.promises import Draw, close, layouts, promise, promises, repeatable, unchanged
from course_utils.lessons.attention import jitter, orthonormal
from solutions.reference import by_hand


def heads(d: Draw, S=(1, 20), n=(2, 12), p=(1, 6), beta=(0.5, 20.0), spread=(1e-3, 0.2)):
    """Means, noisy draws of the keys, values, two items and their score."""
    S, n, p = d.sizes(S=S, n=n, p=p)
    mu = orthonormal(n, n + d.whole(0, 5), d.torch)
    return mu, jitter(mu, d.uniform(*spread), S, d.torch), (1.0 if d.small else d.each(1.0, 100.0)) * d.normal(n, p), *d.sample(n, 2), d.uniform(*beta)


def uneven(d: Draw):
    """Draws of which the first has keys a thousand times as long, and scores of hundreds of thousands."""
    mu, K, *rest = heads(d, S=(2, 8), spread=(0.1, 0.5))
    return mu, torch.cat([1000 * K[:1], K[1:]]), *rest


def sharp(d: Draw):
    """A large score, and keys whose deviations make scores of size 1 with it."""
    beta = d.each(1e4, 2e6, -1e5)
    return heads(d, spread=(0.3 / beta**2, 1 / beta**2), beta=(beta, beta), n=(2, 5))


def example():
    """Two draws; in the second key a came out longer."""
    mu = torch.eye(3, dtype=torch.float64)
    K = torch.stack([mu, mu])
    K[1, 0, 0] = 1.5
    return mu, K, torch.tensor([[1.0, 0], [0, 1], [5, 5]], dtype=torch.float64), 0, 1, math.log(4)


promises(
    reference={"single_head": by_hand.single_head},
    agree=close(1e-7),
    returns=("c", "alpha"),
    kept=[
        promise("the weights are those of the query β(μ_a + μ_b) over the drawn keys, in a small example",
                quote=("one query that knows only the means of the keys", "weights (S, n)"), cases=[example()]),
        promise("every draw of the keys has weights and an output of its own, for any sizes",
                quote=("S independent draws of all keys (S, n, d)", "outputs (S, p), one per draw", "values (n, p)", "orthonormal means (n, d)"),
                cases=heads),
        promise("a single draw keeps its axis", "outputs (S, p), one per draw", cases=lambda d: heads(d, S=(1, 1))),
        promise("two items alone", "indices of the two items", cases=lambda d: heads(d, n=(2, 2))),
        promise("very long keys count in full, and in their own draw alone: each draw has a softmax of its own", "average values a and b in each draw separately", cases=uneven),
        promise("keys equal to their means give both items the score β", "score that a and b would have if the keys equalled their means",
                cases=lambda d: heads(d, spread=(0.0, 0.0))),
        promise("keys far from their means: attention looks at what was drawn", "S independent draws of all keys",
                cases=lambda d: heads(d, spread=(0.5, 2.0), beta=(0.5, 5.0))),
        promise("a score of 0 gives all items the same weight, a negative one turns attention away from a and b", "any real number",
                cases=lambda d: heads(d, spread=(0.01, 0.2), beta=d.each((0.0, 0.0), (-9.0, -0.5)))),
        promise("thousands of draws and hundreds of items are averaged in full, each draw alone", ("S independent draws of all keys", "outputs (S, p), one per draw"), visible=0, fresh=4, trouble=False, far=False,
                cases=lambda d: heads(d, **d.each({"S": (1030, 1300), "n": (2, 4)}, {"S": (2, 3), "n": (270, 300)}, {"S": (4100, 5000), "n": (2, 3)}, {"S": (530, 700), "n": (3, 6)}))),
        promise("a score of thousands or millions is taken as it is: keys that differ by its reciprocal share the weight", "any real number", agree=close(1e-5), cases=sharp, trouble=False),
        promise("a long query copies whichever of the two keys came out longer", "S independent draws of all keys",
                cases=lambda d: heads(d, spread=(1e-4, 0.05), beta=d.each((20.0, 60.0), (60.0, 300.0)))),
    ],
)

# %%
with waits_for("single_head"):
    rng = torch.Generator().manual_seed(5)
    n, deviations = 10, [10 ** (e / 2) for e in range(-10, 0)]
    mu, target = orthonormal(n, n, rng), torch.tensor([0.5, 0.5] + [0.0] * (n - 2))
    curves = {}
    for beta in (3.0, 5.0, 20.0):
        strays = [
            (single_head(mu, jitter(mu, s * s, 1500, rng), mu, 0, 1, beta)[1] - target)
            .abs()
            .sum(-1)
            .mean()
            .item()
            / 2
            for s in deviations
        ]
        curves[f"β = {beta:.0f}"] = (deviations, strays)
        print(
            f"β = {beta:4.0f}   error at the smallest σ {strays[0]:.1e}   floor (n−2)/(2e^β+n−2) = "
            f"{(n - 2) / (2 * math.exp(beta) + n - 2):.1e}"
        )
    fig = plots.line(
        curves,
        "standard deviation σ of the keys (length of a mean = 1)",
        "mean misplaced weight (share of 1)",
    )
    fig.axes[0].set(xscale="log", yscale="log")
    plots.show(fig, alt=alt_text("01_misplaced_weight_standard"))

# %% [markdown]
# ### What is wrong here?
#
# *"The covariance is nearly zero, so the keys are points close to the origin."*
#

# %%
mu = orthonormal(4, 4, torch.Generator().manual_seed(2))
drawn = jitter(mu, 1e-6, 500, torch.Generator().manual_seed(3))  # (500, 4, 4)
print(
    f"mean distance of the keys to the origin {drawn.norm(dim=-1).mean():.4f}, to their own "
    f"mean {(drawn - mu).norm(dim=-1).mean():.4f}"
)

# %% [markdown]
# <details><summary>What is wrong</summary>
# The covariance says how far a key lies from <b>its mean</b>. The means have length 1, so the keys sit near the unit sphere, each close to its μ. Were they at the origin, all scores would be 0 and all weights 1/n.
# </details>
#
# ## 6. One long or short key breaks the balance
#
# Now let one key stay (nearly) on the line of its mean but vary in **length**:
#
# $$ \Sigma_a = \sigma^2 I + \tfrac12 \mu_a \mu_a^\top, \qquad \Sigma_i = \sigma^2 I \;\; (i \ne a). $$
#
# The variance of $k_a$ is $\sigma^2 + \tfrac12$ in the direction of $\mu_a$ (put $w = \mu_a$ into $w^\top \Sigma_a w$). In
# every direction orthogonal to $\mu_a$ it is still $\sigma^2$. Besides its small noise the key gets a random multiple of
# $\mu_a$ itself. For $\sigma \to 0$ the small noise disappears, and $k_a \approx \gamma\,\mu_a$ with a random number
# $\gamma \sim \mathcal{N}(1, \text{variance } \tfrac12)$. The query $\beta(\mu_a+\mu_b)$ scores $\gamma\beta$ for a and β
# for b, and for large β only these two matter:
#
# $$ \alpha_a(\gamma) \approx \frac{e^{\gamma\beta}}{e^{\gamma\beta} + e^{\beta}} . $$
#
# *A small example.* β = 10: γ = 0.8 gives $e^{8}/(e^{8}+e^{10}) = 0.12$, γ = 1 gives ½, γ = 1.2 gives 0.88. A key 20 % longer takes most of the weight.
#
# The second argument of $\mathcal{N}$ is a **variance**: the standard deviation of γ is $\sqrt{1/2} \approx 0.71$. Mixing the two up can be noticed: the probability of γ < 0, a key that points backwards, is 0.0786 (a standard normal number is below $-\sqrt2$ that often), against 0.0228 if ½ were the standard deviation.
#
# ### Exercise `single_head_noise`
#
# Write two functions: one gives the weight as a function of γ, the other draws such keys.
#
# <details><summary>Hint 1 (nudge)</summary>
# Divide numerator and denominator of α_a by its numerator. Which famous function of β(γ − 1) appears? And which normal variable, times μ_a, has the covariance ½ μ_a μ_aᵀ?
# </details>
# <details><summary>Hint 2 (idea)</summary>
# The logistic function 1/(1 + e^(−x)); use a version that survives β = 1,000. If z is standard normal, then w · z · μ_a has covariance w² μ_a μ_aᵀ, so w is a square root. Each draw has its own z, and only item a gets one.
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# <code>torch.sigmoid</code>. For the keys: the means plus standard deviation times <code>torch.randn(trials, n, d, generator=rng)</code>; then add to item a the product of √½, a fresh normal number per trial, of shape (trials, 1), and μ_a.
# </details>
#


# %% answer="single_head_noise"
def weight_of_gamma(gamma: torch.Tensor, beta: float) -> torch.Tensor:
    """Weight of item a if its key is gamma * mu_a; items other than a and b are left out.

    Args:
        gamma: multiples of mu_a (S,), any real numbers, negative ones too.
        beta: score of b, up to 1000.

    Returns:
        alpha_a (S,).
    """
    ### BEGIN SOLUTION
    return torch.sigmoid(beta * (gamma - 1))
    ### END SOLUTION


def sample_keys(mu: torch.Tensor, a: int, variance: float, trials: int, rng: torch.Generator) -> torch.Tensor:
    """Draw all keys: item a with covariance variance * I + 0.5 * mu_a mu_a^T, the others with variance * I.

    Args:
        mu: orthonormal means (n, d).
        a: the item whose length varies.
        variance: sigma squared, any positive number.
        trials: number S of independent draws.
        rng: source of all random numbers.

    Returns:
        keys (S, n, d).
    """
    ### BEGIN SOLUTION
    noise = torch.randn(trials, *mu.shape, generator=rng, dtype=mu.dtype)  # (S, n, d)
    keys = mu + math.sqrt(variance) * noise
    length = math.sqrt(0.5) * torch.randn(trials, 1, generator=rng, dtype=mu.dtype)  # (S, 1)
    keys[:, a] += length * mu[a]  # (S, 1) * (d,) -> (S, d)
    return keys
    ### END SOLUTION


# %% check="single_head_noise" points=1.5 minutes=20 difficulty=2
import math

import torch

from course_utils.checks.promises import Agree, Ask, Case, Draw, call, close, law, layouts, promise, promises, repeatable, same, unchanged
from course_utils.lessons.attention import orthonormal
from solutions.reference import by_hand

WEIGHT, KEYS = call("weight_of_gamma"), call("sample_keys")
VIEWS = "course_utils.lessons.attention."
FEATURES = ("γ = μ_a · k_a", "the noise of k_a along another mean", "the noise of k_b along μ_b", "the noise of k_b along μ_a",
            "the first coordinate of k_b's noise", "the last coordinate of k_b's noise", "a coordinate of k_a's noise", "k_a's noise beside",
            "another key's noise")  # fmt: skip


def gammas(d: Draw, beta=(0.2, 8.0), count=(1, 40)):
    """Multiples of the mean, some of them negative, and a score."""
    return 1 + 1.5 * d.normal(d.sizes(S=count)[0]), d.uniform(*beta)


def means(d: Draw, trials, n=(2, 4), variance=(1e-6, 0.09)):
    """Means along no axis, an item, a variance, the number of draws, a generator."""
    n, extra = d.sizes(n=n, extra=(0, 2))
    return orthonormal(n, n + extra, d.torch), d.whole(0, n - 1), d.log_uniform(*variance), trials, d.seeded()


def moments(d: Draw):
    """Many draws, and bounds on what ``key_moments`` finds: 6.5 standard deviations of chance."""
    n, trials, variance = d.each((3, 30_000, (1e-6, 0.09)), (1, 150_000, (1e-6, 0.09)), (3, 30_000, (0.08, 0.3)), (2, 30_000, (0.3, 6.0)))
    bounds = [(1.0, 1.0), *[(-math.inf, 6.5)] * 6]
    return Case((orthonormal(n, n, d.torch), d.whole(0, n - 1), d.log_uniform(*variance), trials), setup={"seed": d.whole(0, 10**9), "bounds": bounds})


def many_items(d: Draw):
    """Draws of five to seven keys, a variance perhaps tiny, and bounds on what ``key_spreads`` finds: 6.5 standard deviations of chance."""
    n, extra = d.sizes(far=None, n=(5, 7), extra=(0, 2))
    variance = d.log_uniform(*d.each((1e-4, 0.3), (1e-11, 1e-9)))
    bounds = [(-math.inf, 6.5)] * 4 + [(-math.inf, 7.5)]
    return Case((orthonormal(n, n + extra, d.torch), d.whole(0, n - 1), variance, 10_000), setup={"seed": d.whole(0, 10**9), "bounds": bounds})


promises(
    reference={"weight_of_gamma": by_hand.gamma_weight, "sample_keys": by_hand.sample_keys},
    agree=close(1e-7),
    random=("sample_keys",),
    shares={"weight_of_gamma": 0.5, "sample_keys": 0.5},
    kept=[
        promise("a short key loses, a long one wins: the weight is e^{γβ} / (e^{γβ} + e^β)",
                quote=("Weight of item a if its key is gamma * mu_a", "items other than a and b are left out", "alpha_a (S,)"),
                ask=WEIGHT, cases=[(torch.tensor([0.5, 1.0, 1.5], dtype=torch.float64), 4.0)], returns=("alpha_a",)),
        promise("the weight for any γ, negative ones too", "any real numbers, negative ones too", ask=WEIGHT, cases=gammas, returns=("alpha_a",)),
        promise("a γ of a hundred and more counts in full, as a small β does", "any real numbers, negative ones too", ask=WEIGHT,
                cases=lambda d: (lambda gamma, beta: (100 * gamma, beta))(*gammas(d, beta=(0.005, 0.02), count=(4, 40))), returns=("alpha_a",)),
        promise("a β up to 1,000 overflows nothing", "score of b, up to 1000", ask=WEIGHT, cases=lambda d: gammas(d, beta=(800.0, 1000.0), count=(6, 20)),
                returns=("alpha_a",)),
        promise("sample_keys returns one row per draw, of shape (trials, n, d)", ("keys (S, n, d)", "number S of independent draws", "orthonormal means (n, d)"),
                ask=KEYS, cases=lambda d: means(d, d.each(3, 1, 6), n=(1, 4)), agree=same(view=VIEWS + "key_shape"), returns=()),
        law("all keys of one call have the law of the text: γ is normal with mean 1 and variance ½, the noise has the variance σ² "
            "in every direction, and all of them are independent of each other, also from draw to draw",
            quote=("item a with covariance variance * I + 0.5 * mu_a mu_a^T, the others with variance * I",
                   "the item whose length varies", "sigma squared", "number S of independent draws"),
            ask=KEYS, cases=lambda d: means(d, 6000), view=VIEWS + "key_features", features=FEATURES, finds=0.2),
        law("a large σ² adds to the variance ½ along μ_a as a small one does", ("item a with covariance variance * I + 0.5 * mu_a mu_a^T", "sigma squared, any positive number"),
            ask=KEYS, cases=lambda d: means(d, 6000, variance=(0.4, 6.0)), view=VIEWS + "key_features", features=FEATURES, finds=0.2, fresh=1),
        promise("each draw is normal to its tails, and independent of all others: near and far draws, pairs and triples of numbers, and their squares", quote=("item a with covariance variance * I + 0.5 * mu_a mu_a^T", "number S of independent draws"),
                ask=Ask(VIEWS + "key_moments", ("sample_keys",)), agree=Agree(view="course_utils.checks.allowed.between"), returns=(), trouble=False, far=False, visible=1, fresh=4, cases=moments),
        promise("of many items, whichever of them varies, each key has its mean and its spread, and no draw goes with another, however far apart", quote=("item a with covariance variance * I + 0.5 * mu_a mu_a^T, the others with variance * I", "number S of independent draws"),
                ask=Ask(VIEWS + "key_spreads", ("sample_keys",)), agree=Agree(view="course_utils.checks.allowed.between"), returns=(), trouble=False, far=False, visible=0, fresh=3, cases=many_items),
        law("calls that share a generator are independent: every random number comes from it", "source of all random numbers",
            ask=KEYS, cases=lambda d: means(d, d.each(1, 2)), view=VIEWS + "key_features", features=FEATURES, calls=1500, finds=0.4, fresh=1),
        law("the few draws of a short call are independent of each other, too", quote="number S of independent draws",
            ask=KEYS, cases=lambda d: means(d, d.each(3, 6)), view=VIEWS + "key_features", features=FEATURES, calls=600, finds=0.4, fresh=1),
    ],
)

# %%
with waits_for("single_head", "single_head_noise"):
    rng = torch.Generator().manual_seed(11)
    mu = orthonormal(5, 8, rng)
    noisy = sample_keys(mu, 0, 1e-6, 4000, rng)  # (4000, 5, 8)
    fig, axes = plots.new_figure(9.0, 3.2, columns=3)
    for ax, beta in zip(axes, (2.0, 5.0, 20.0), strict=True):
        weights = single_head(mu, noisy, mu, 0, 1, beta)[1][:, 0]
        ax.hist(
            weights.tolist(), bins=25, range=(0, 1), color=plots.COLOURS[0], edgecolor="black", linewidth=0.5
        )
        ax.set(
            xlabel="weight $α_a$ (share of 1)",
            ylabel="number of draws (of 4,000)",
            title=f"β = {beta:.0f}, variance {weights.var():.3f}",
            ylim=(0, 2100),
        )
    plots.show(fig, alt=alt_text("01_histograms_weight_item"))
    print("share of draws with γ < 0:", (noisy[:, 0] @ mu[0] < 0).double().mean().item(), "  expected 0.0786")
    for beta in (2.0, 5.0, 20.0, 100.0):
        print(
            f"β = {beta:4.0f}   variance of α_a from your formula "
            f"{weight_of_gamma(noisy[:, 0] @ mu[0], beta).var():.3f}   (limit ¼)"
        )

# %% [markdown]
# A variance of ¼ is the largest that a number between 0 and 1 can have; a fair coin with the values 0 and 1 has it. The approach to it is slow, because γ falls close to 1 often enough to matter: exactly 0.149 at β = 5, 0.244 at β = 100. (The cells draw at random, so the last digits that they print may differ.)
#
# ### What is wrong here?
#
# *"γ varies between 0.5 and 1.5. So* $c \approx v_b$ *when* $\gamma \to 0.5$*, and* $c \approx v_b$ *when* $\gamma \to 1.5$*."*
#

# %%
with waits_for("single_head", "single_head_noise"):
    mu = orthonormal(5, 8, torch.Generator().manual_seed(13))
    noisy = sample_keys(mu, 0, 1e-6, 4000, torch.Generator().manual_seed(14))
    gammas = noisy[:, 0] @ mu[0]
    print(
        f"γ outside [0.5, 1.5]: {((gammas - 1).abs() > 0.5).double().mean():.1%} of the draws; smallest "
        f"{gammas.min():.2f}, largest {gammas.max():.2f}"
    )
    for low, high in ((0.4, 0.6), (1.4, 1.6)):
        chosen = single_head(mu, noisy[(gammas > low) & (gammas < high)], mu, 0, 1, 20.0)[1].mean(0)
        print(f"γ in [{low}, {high}], β = 20: mean weight of a {chosen[0]:.3f}, of b {chosen[1]:.3f}")

# %% [markdown]
# <details><summary>What is wrong</summary>
# Two things. γ is normal with standard deviation 0.71, so nearly half of the draws (48 %) lie outside [0.5, 1.5]. And the ends differ: a short key a loses to b (c → v_b), a long one wins (c → v_a).
# </details>
#
# ## 7. Two heads
#
# Give attention two queries. Each of the two attentions is called a **head**. Here each head asks for **one** item, and
# the two outputs are averaged. (A Transformer puts the outputs side by side and multiplies them by a matrix, which can
# do this averaging and more: notebook 02.) Let $\alpha_i(q_h)$ be the weight that query $q_h$ gives to item $i$:
#
# $$ c = \tfrac12\,(c_1 + c_2), \qquad c_h = \sum_i \alpha_i(q_h)\, v_i . $$
#
# Head 1 compares a with items of score 0, so γ decides no duel any more: as long as $\gamma\beta$ exceeds $\ln(n-1)$ by a few units, the head copies $v_a$. Both heads see the same keys.
#
# *A small example.* β = 10, n = 3, γ = 0.5. One head gives item $a$ the weight $e^5/(e^5+e^{10}+1) = 0.007$. A head of its own gives it $e^5/(e^5+2) = 0.987$.
#
# ### Exercise `multi_head`
#
# Design the two queries, again from the means alone, and average the two outputs.
#
# <details><summary>Hint 1 (nudge)</summary>
# What should head 1 return, and what head 2? You know how to copy.
# </details>
# <details><summary>Hint 2 (idea)</summary>
# The trap is to average too early. Attention is not linear in the query: the mean of two queries is one query, ½β(μ_a + μ_b), and with it the duel is back.
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# One query along μ_a, one along μ_b, each of length β. Run attention twice over the same drawn keys, take half the sum of the outputs, and return the queries stacked as rows of shape (2, d).
# </details>
#


# %% answer="multi_head"
def multi_head(
    mu: torch.Tensor, K: torch.Tensor, V: torch.Tensor, a: int, b: int, beta: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Average values a and b with two heads whose queries know only the means of the keys.

    Args:
        mu: orthonormal means (n, d).
        K: S independent draws of all keys (S, n, d); both heads see the same ones.
        V: values (n, p).
        a, b: indices of the two items, which differ.
        beta: score that each head's own item gets
            if the keys equal their means (the length of the query in `copying`); 0 or more.

    Returns:
        c: outputs (S, p), the mean of the two heads' outputs.
        queries: (2, d), one row per head, in either order.
    """
    ### BEGIN SOLUTION
    queries = beta * torch.stack([mu[a], mu[b]])  # 2 times (d,) -> (2, d)
    alpha = torch.softmax(K @ queries.T, dim=1)  # (S, n, d) @ (d, 2) -> (S, n, 2), softmax over the items
    c = torch.einsum("snh,ne->se", alpha, V) / 2  # sum over items and heads
    return c, queries
    ### END SOLUTION


# %% check="multi_head" points=1.5 minutes=15 difficulty=2
import torch

from course_utils.checks.promises import Draw, close, layouts, promise, promises, repeatable, unchanged
from course_utils.lessons.attention import jitter, orthonormal
from solutions.reference import by_hand

VIEWS = "course_utils.lessons.attention."


def heads(d: Draw, S=(1, 20), n=(3, 10), p=(1, 6), beta=(20.0, 40.0), gamma=(0.4, 1.8), spread=1e-6):
    """Means, draws in which the length of key a varies, values, two items and their score."""
    S, n, p = d.sizes(S=S, n=n, p=p)
    mu, (a, b) = orthonormal(n, n + d.whole(0, 4), d.torch), d.sample(n, 2)
    K = jitter(mu, spread, S, d.torch)
    lengths = torch.tensor([d.uniform(*gamma) for _ in range(S)], dtype=torch.float64)
    K[:, a] += (lengths - 1)[:, None] * mu[a]
    return mu, K, d.normal(n, p), a, b, d.uniform(*beta)


def example():
    """Two draws; in the second key a came out short."""
    mu = torch.eye(4, dtype=torch.float64)[:3]
    K = torch.stack([mu, mu])
    K[1, 0, 0] = 0.5
    return mu, K, torch.tensor([[8.0, 0], [0, 8], [5, 5]], dtype=torch.float64), 0, 1, 24.0


def elsewhere(d: Draw):
    """The example's sizes, items and β with other means."""
    mu, (_, K, *rest) = orthonormal(3, 4, d.torch), example()
    return mu, mu * torch.ones_like(K), *rest


def uneven(d: Draw):
    """Draws of which the first has keys a thousand times as long, and scores of hundreds of thousands."""
    mu, K, *rest = near_random(d)
    return mu, torch.cat([1000 * K[:1], K[1:]]), *rest


def near_random(d: Draw):
    """Any keys, so that c shows which weights it was made of."""
    mu, K, V, *rest = heads(d, spread=0.3, beta=(0.5, 6.0), gamma=(-1.0, 2.0))
    return mu, K, (1.0 if d.small else d.each(1.0, 100.0)) * V, *rest


promises(
    reference={"multi_head": by_hand.multi_head},
    agree=close(1e-2),
    returns=("c", "queries"),
    kept=[
        promise("c is ½(v_a + v_b), also where key a came out short, in a small example", "the mean of the two heads' outputs",
                cases=[example()], agree=close(1e-2, view=VIEWS + "first"), returns=("c",)),
        promise("there are two queries, and each gives its own item the score β, whatever was drawn",
                quote=("two heads whose queries know only the means of the keys", "score that each head's own item gets if the keys equal their means",
                       "(2, d), one row per head"), cases=lambda d: heads(d, beta=(0.5, 30.0) if d.small else d.each((0.5, 30.0), (100.0, 2000.0))), agree=close(1e-6, view=VIEWS + "own_scores"),
                returns=("the score of the own item",)),
        promise("one head copies v_a, the other v_b", "Average values a and b with two heads", cases=heads,
                agree=close(1e-4, view=VIEWS + "heads_alone"), returns=("what the two heads return",)),
        promise("c is the mean of the outputs that these two queries give on the drawn keys, draw by draw",
                quote=("outputs (S, p), the mean of the two heads' outputs", "both heads see the same ones", "S independent draws of all keys (S, n, d)",
                       "orthonormal means (n, d)", "values (n, p)"), cases=near_random,
                agree=close(1e-6, view=VIEWS + "heads_apart"), returns=("the distance of c",)),
        promise("c stays near ½(v_a + v_b) while the length of key a varies", "Average values a and b with two heads",
                cases=lambda d: heads(d, gamma=(0.5, 1.8)), agree=close(1e-2, view=VIEWS + "first"), returns=("c",)),
        promise("a single draw keeps its axis", "outputs (S, p)", cases=lambda d: heads(d, S=(1, 1)), agree=close(1e-6, view=VIEWS + "heads_apart"),
                returns=("the distance of c",)),
        promise("very long keys count in full, and in their own draw alone: each draw has a softmax of its own", "outputs (S, p)", cases=uneven,
                agree=close(1e-6, view=VIEWS + "heads_apart"), returns=("the distance of c",)),
        promise("the same items and β with other means have other queries", "two heads whose queries know only the means of the keys", cases=elsewhere, visible=2, fresh=2, trouble=False, far=False,
                agree=close(1e-6, view=VIEWS + "own_scores"), returns=("the score of the own item",)),
        promise("two items alone", "indices of the two items", cases=lambda d: heads(d, n=(2, 2)), agree=close(1e-6, view=VIEWS + "heads_apart"),
                returns=("the distance of c",)),
        promise("a score of 0, or near 0, is taken as it is", "(the length of the query in `copying`); 0 or more", cases=lambda d: heads(d, beta=d.each((0.0, 0.0), (0.001, 0.1))),
                agree=close(1e-6, view=VIEWS + "own_scores"), returns=("the score of the own item",)),
    ],
)

# %%
with waits_for("single_head", "single_head_noise", "multi_head"):
    rng = torch.Generator().manual_seed(17)
    mu = orthonormal(5, 8, rng)
    noisy = sample_keys(mu, 0, 1e-6, 4000, rng)
    positive = noisy[:, 0] @ mu[0] > 0  # 92 % of the draws
    lengths, target = [0.0, 1, 2, 3, 4, 6, 8, 12, 16, 20, 30, 40, 60, 80], (mu[0] + mu[1]) / 2
    errors = {}
    for name, head in {"one head": single_head, "two heads": multi_head}.items():
        # (4000,) each
        off = [((head(mu, noisy, mu, 0, 1, beta)[0] - target) ** 2).sum(-1) for beta in lengths]
        errors[f"{name}, all draws"] = (lengths, [x.mean().sqrt().item() for x in off])
        errors[f"{name}, γ > 0 alone"] = (lengths, [x[positive].mean().sqrt().item() for x in off])
    label = "β, score of an item that a query asks for (no unit)"
    fig = plots.line(errors, label, "RMS distance of c from ½(v_a + v_b)")
    fig.axes[0].set_ylim(0, None)
    plots.show(fig, alt=alt_text("01_root_mean_square"))
    best = {name: min(zip(ys, xs, strict=True)) for name, (xs, ys) in errors.items()}
    for name, (error, beta) in best.items():
        print(f"{name}: smallest error {error:.3f}, at β = {beta:.0f}")

# %% [markdown]
# ### What is wrong here?
#
# *"With two heads the output will **always** be approximately the average."* And: *"Multi-head attention means that we stack more layers."*
#

# %%
with waits_for("single_head_noise", "multi_head"):
    mu = orthonormal(5, 8, torch.Generator().manual_seed(22))
    noisy = sample_keys(mu, 0, 1e-6, 4000, torch.Generator().manual_seed(23))
    gammas, target = noisy[:, 0] @ mu[0], (mu[0] + mu[1]) / 2
    off = (multi_head(mu, noisy, mu, 0, 1, 20.0)[0] - target).norm(dim=-1)  # (4000,)
    for low, high in ((-9, 0), (0, 0.1), (0.1, 0.3), (0.3, 9)):
        chosen = (gammas > low) & (gammas <= high)
        print(
            f"γ in ({low:4.1f}, {high:3.1f}]: {chosen.double().mean():6.1%} of the draws, mean distance "
            f"to ½(v_a + v_b) {off[chosen].mean():.3f}"
        )

# %% [markdown]
# <details><summary>What is wrong</summary>
# "Always" leaves out the short keys. Head 1 needs γβ a few units above ln(n − 1); for γ near 0 it spreads over all items, and the further γ falls below 0 (8 % of the draws), the more it leaves out a. That is why the curve of two heads levels off over
# all draws. Each at the best β of the figure, two heads come 2.2 to 2.3 times as near to the mean as one (root mean square distance, eight seeds). Two heads are not infallible. And heads are not layers. Heads work side by side on the same
# keys, and their outputs are joined. Layers follow one another, and each layer reads the output of the layer before.
# </details>
#
# ### Written question `why_two_heads`
#
# Explain why one head with the query $\beta(\mu_a+\mu_b)$ fails when the length of $k_a$ varies although it can average exact keys, and why two heads fail for far fewer lengths. What does a larger β do in each case?
#

# %% [markdown] written="why_two_heads" points=0.5 minutes=10 difficulty=2
# **Your answer · why_two_heads**
#
# ### BEGIN SOLUTION
# One head balances two scores against each other: $\alpha_a \approx \sigma(\beta(\gamma-1))$. Any difference in length is multiplied by β, so for large β the output jumps between $v_a$ (γ > 1) and $v_b$ (γ < 1);
# the weights become bimodal and their variance tends to ¼. With two heads each weight is decided against items of score 0: $\alpha_a(q_1) = e^{\gamma\beta}/(e^{\gamma\beta}+n-1)$ is near one for every γ well above $\ln(n-1)/\beta$, and the mean of
# the outputs is $\frac12(v_a+v_b)$. Beyond β = 2 a larger β makes the single head worse and the two heads better. Two heads fail for γ near or below 0, where head 1 no longer finds item a.
#
# Rubric: (1) one head: the difference of two large scores decides, and β amplifies it, so c jumps between v_a and v_b; (2) two heads: each copies one value by itself and the length only has to be large enough; (3) opposite effect of β.
# ### END SOLUTION
#

# %% [markdown]
# ## 8. Self-attention without projections
#
# In **self-attention** queries, keys and values all come from the same vectors $x_1, \dots, x_n$, the words of
# a sentence. The simplest form uses these vectors as they are: $q_i = k_i = v_i = x_i$. Take four orthogonal
# vectors $u_a, u_b, u_c, u_d$, all of length β, and imagine β as large. ($u_d$ is the fourth vector; the dimension is
# still called $d$.) The three words are
#
# $$ x_1 = u_d + u_b, \qquad x_2 = u_a + s\,u_d + t\,u_c, \qquad x_3 = u_c + u_b . $$
#
# With $s = t = 0$: what is $c_2$? And can any $s$, $t$ make word 2 fetch $u_b$ from its neighbours?
#
# *A small example.* β = 1 and $s=t=0$: the scores of word 2 with the three words are 0, 1, 0, so its weights are $(1, e, 1)/(2+e)$. Word 2 sees mostly itself. For β = 3 the middle score is 9.
#
# ### Exercise `no_projections`
#
# Compute all three outputs, and write $c_2$ in terms of the $u$'s: $c_2 = w_a u_a + w_b u_b + w_c u_c + w_d u_d$. The four coefficients $(w_a, w_b, w_c, w_d)$ are what the
# function returns as `shares`; they are not the attention weights, and they need not sum to 1.
#
# <details><summary>Hint 1 (nudge)</summary>
# Build X with the three words as rows. All scores are in one product of X with itself; which row belongs to word 2?
# </details>
# <details><summary>Hint 2 (idea)</summary>
# Row i of the scores holds the scores of query i, so each row gets its own softmax. The matrix is symmetric, the softmax of it is not: running over the wrong axis is the trap here. For the coefficients, what is u_aᵀ c_2 if the u's are orthogonal with length β?
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# X has shape (3, d), the scores X Xᵀ have shape (3, 3), softmax over the last axis, times X. The dot products of c_2 with the four rows of U are the coefficients times β², since u_aᵀu_a = β², not β.
# </details>
#


# %% answer="no_projections"
def no_projections(U: torch.Tensor, s: float, t: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Self-attention with q = k = v = x on the words u_d + u_b, u_a + s u_d + t u_c, u_c + u_b.

    Args:
        U: the vectors u_a, u_b, u_c, u_d as rows (4, d), orthogonal, all of one length (not 1 in general).
        s, t: how much of u_d and of u_c is added to word 2.

    Returns:
        C: outputs c_1, c_2, c_3 as rows (3, d).
        shares: (4,) the coefficients of u_a, u_b, u_c, u_d in c_2.
    """
    ### BEGIN SOLUTION
    ua, ub, uc, ud = U
    X = torch.stack([ud + ub, ua + s * ud + t * uc, uc + ub])  # (3, d)
    C = torch.softmax(X @ X.T, dim=-1) @ X  # (3, 3) @ (3, d) -> (3, d)
    shares = U @ C[1] / (ua @ ua)  # (4, d) @ (d,) -> (4,)
    return C, shares
    ### END SOLUTION


# %% check="no_projections" points=1 minutes=15 difficulty=2
import torch

from course_utils.checks.promises import Draw, close, layouts, promise, promises, repeatable, unchanged
from course_utils.lessons.attention import orthonormal
from solutions.reference import by_hand


def words(d: Draw, length=(0.3, 3.0), amount=(-3.0, 3.0)):
    """Orthogonal vectors of one length, and how much of two of them is added."""
    return d.uniform(*length) * orthonormal(4, d.sizes(d=(4, 12))[0], d.torch), d.uniform(*amount), d.uniform(*amount)


def nearly_tied(d: Draw):
    """Long vectors, and amounts with which word 1 scores nearly as high with word 2 as with itself."""
    beta = d.uniform(30.0, 100.0)
    return beta * orthonormal(4, d.sizes(d=(4, 12))[0], d.torch), 2 - d.uniform(0.3, 2.0) / beta**2, d.uniform(-1.0, 1.0)


eye = torch.eye(5, dtype=torch.float64)[:4]
promises(
    reference={"no_projections": by_hand.no_projections},
    agree=close(1e-6, 1e-6),
    returns=("C", "shares"),
    kept=[
        promise("with length 1 and s = t = 0 the weights of word 2 are (1, e, 1)/(2 + e)", "the coefficients of u_a, u_b, u_c, u_d in c_2", cases=[(eye, 0.0, 0.0)]),
        promise("with length 3 and s = 1 word 2 returns itself, u_a + u_d", "how much of u_d and of u_c is added to word 2", cases=[(3 * eye, 1.0, 0.0)]),
        promise("the outputs are those of self-attention over the three words, the shares the coefficients of c_2, for any U, s and t",
                quote=("Self-attention with q = k = v = x on the words u_d + u_b, u_a + s u_d + t u_c, u_c + u_b",
                       "orthogonal, all of one length (not 1 in general)", "outputs c_1, c_2, c_3 as rows (3, d)"), cases=words),
        promise("vectors along axes, whichever these are", "orthogonal, all of one length",
                cases=lambda d: (d.uniform(0.5, 2.0) * torch.eye(7, dtype=torch.float64)[d.each([3, 5, 4, 6], [6, 0, 2, 1], [2, 3, 4, 5])], d.uniform(-2, 2), d.uniform(-2, 2))),
        promise("s goes with u_d and t with u_c, both may be 0 or negative", "how much of u_d and of u_c is added to word 2",
                cases=lambda d: (*words(d, length=(0.5, 1.5))[:1], *d.each((0.7, -0.4), (-1.2, 0.0), (0.0, 2.0)))),
        promise("s and t may be large", "how much of u_d and of u_c is added to word 2", cases=lambda d: words(d, length=(0.1, 0.4), amount=(-15.0, 15.0))),
        promise("long vectors: scores of 10,000 overflow nothing", "all of one length", cases=lambda d: words(d, length=(30.0, 100.0))),
        promise("scores of 10,000 that differ by 1 share the weight as small ones do", "all of one length", cases=nearly_tied, agree=close(0.03, 0.03), visible=1, fresh=4, trouble=False, far=False),
    ],
)

# %%
with waits_for("no_projections"):
    frame = 4.0 * orthonormal(4, 6, torch.Generator().manual_seed(31))
    amounts = torch.linspace(-3, 3, 61).tolist()
    found = {
        name: torch.stack([no_projections(frame, *pair)[1] for pair in pairs])
        for name, pairs in {"u_d": [(x, 0.0) for x in amounts], "u_c": [(0.0, x) for x in amounts]}.items()
    }
    fig, axes = plots.new_figure(9.0, 3.4, columns=2)
    for ax, (name, shares) in zip(axes, found.items(), strict=True):
        for label, column, look in zip(
            ("u_a", "u_b", "u_c", "u_d"), shares.T.tolist(), plots.styles(4), strict=True
        ):
            if label in ("u_a", "u_b", name):  # the fourth would lie on the line of u_b
                ax.plot(amounts, column, label=f"${label}$", markevery=10, **look)
        ax.set(
            xlabel=f"amount of ${name}$ added to word 2 (multiples of ${name}$)",
            ylabel="coefficient in $c_2$",
        )
        ax.legend(fontsize=8)
    plots.show(fig, alt=alt_text("01_coefficients_u_u"))
    grid = torch.linspace(-3, 3, 25).tolist()
    best = max(no_projections(frame, s, t)[1][1].item() for s in grid for t in grid)
    print(f"largest share of u_b in c_2 over 625 pairs (s, t) with β = 4: {best:.1e}")

# %% [markdown]
# ### Written question `why_projections`
#
# What does $c_2$ approximate for $s = t = 0$? Explain why adding $u_d$ or $u_c$ to $x_2$ can never make $c_2 \approx u_b$. (Compare the score of word 2 with itself to its scores with the others; then look at what $x_1$ and $x_3$ contain besides $u_b$.)
#

# %% [markdown] written="why_projections" points=0.5 minutes=10 difficulty=2
# **Your answer · why_projections**
#
# ### BEGIN SOLUTION
# For $s=t=0$ the scores of word 2 are $0, \beta^2, 0$, so $c_2 \approx x_2 = u_a$. With an amount $s$ of $u_d$ the scores are $s\beta^2,\ (1+s^2)\beta^2,\ 0$; as $1+s^2 > s$ for every real $s$, word 2 always prefers itself, and for large β it returns $u_a + s u_d$; the same holds for $u_c$ and $t$.
# So its own weight is the largest of the three, and at least a third of $u_a$ stays. Even if it looked at a neighbour it would not help: values are the words themselves, and from $x_1$ or $x_3$ it would fetch $u_d$ or $u_c$ along with $u_b$. The same vector serves for "where to look" and for "what to bring"; projections separate the two.
#
# Rubric: (1) c_2 ≈ u_a, with the scores; (2) the self-score grows at least as fast as the score with the neighbour (norm argument 1 + s² > s, or equivalent); (3) u_b occurs only inside x_1 and x_3, which bring u_d or u_c along.
# ### END SOLUTION
#

# %% [markdown]
# ## 9. Three matrices make the difference
#
# Now give each word a different vector for each of its three roles, by matrices $Q, K, V \in \mathbb{R}^{d\times d}$ acting from the left on column vectors. (Mind the names: so far `K` and `V` were
# stacks of keys and values; from here on they are the matrices that make keys and values out of words.)
#
# $$ q_i = Q x_i, \qquad k_i = K x_i, \qquad v_i = V x_i, \qquad c_i = \sum_j \alpha_{ij} v_j, \qquad \alpha_{i\cdot} = \operatorname{softmax}_j\big(k_j^\top q_i\big). $$
#
# The words are $x_1 = u_d + u_b$, $x_2 = u_a$, $x_3 = u_c + u_b$, and the wish is
#
# $$ c_2 \approx u_b \qquad\text{and}\qquad c_1 \approx u_b - u_c . $$
#
# *A small tool.* The matrix $\dfrac{u\,w^\top}{\beta^2}$ sends $w$ to $u$ and everything orthogonal to $w$ to 0, because $w^\top w = \beta^2$. Sums of such pieces send several vectors where you want.
#
# ### Exercise `qkv_design`
#
# Write $Q$, $K$ and $V$ for given vectors $u_a, u_b, u_c, u_d$. Many designs work; any is accepted that fulfils the wish, to within 1 % of β (the norm of the difference), for every orthogonal set of vectors of one length β between 10 and 40. What $c_3$ is does not matter.
#
# <details><summary>Hint 1 (nudge)</summary>
# Three decisions, one after the other: at which word should 2 look, at which should 1 look, and what should these two words offer as values?
# </details>
# <details><summary>Hint 2 (idea)</summary>
# Say 2 looks at 1 and 1 looks at 3. Then V must turn x_1 into u_b and x_3 into u_b − u_c. Leave K the identity; what must Q x_2 resemble so that it finds x_1 and not x_3? u_b will not do, both have it. Traps: forgetting β² in u wᵀ, and mixing up who is asked (K) and who asks (Q).
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# Q sends u_a to u_d, and u_d to u_c. V keeps u_b, turns u_c into −u_c, and loses the rest. Each arrow w → u is one piece u wᵀ/β²; <code>torch.outer(u, w)</code> builds u wᵀ.
# </details>
#


# %% answer="qkv_design"
def qkv_design(U: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Matrices with which word 2 receives u_b and word 1 receives u_b - u_c.

    Args:
        U: the vectors u_a, u_b, u_c, u_d as rows (4, d), orthogonal, all of one length beta (10 to 40).

    Returns:
        Q, K, V: (d, d) each; they act from the left, q_i = Q x_i.
    """
    ### BEGIN SOLUTION
    ua, ub, uc, ud = U
    square = ub @ ub  # beta^2
    Q = (torch.outer(ud, ua) + torch.outer(uc, ud)) / square  # u_a -> u_d, u_d -> u_c
    K = torch.eye(U.shape[1], dtype=U.dtype)
    V = (torch.outer(ub, ub) - torch.outer(uc, uc)) / square  # u_b -> u_b, u_c -> -u_c, the rest -> 0
    return Q, K, V
    ### END SOLUTION


# %% check="qkv_design" points=1.5 minutes=20 difficulty=3
import torch

from course_utils.checks.promises import Draw, close, layouts, promise, promises, repeatable, unchanged
from course_utils.lessons.attention import orthonormal
from solutions.reference import by_hand


def vectors(d: Draw, length=(10.0, 40.0)):
    """Four orthogonal vectors of one length, in a space that is just large enough or larger."""
    return d.uniform(*length) * orthonormal(4, d.sizes(d=(4, 16))[0], d.torch)


promises(
    reference={"qkv_design": by_hand.qkv_design},
    agree=close(1e-9, view="course_utils.lessons.attention.off_the_wish"),
    returns=("what c_1 and c_2 miss beyond 1 % of β",),
    kept=[
        promise("word 2 receives u_b and word 1 receives u_b − u_c, to within 1 % of β",
                quote=("Matrices with which word 2 receives u_b and word 1 receives u_b - u_c", "to within 1 % of β"),
                cases=lambda d: vectors(d, length=(12.0, 12.0))),
        promise("for every length β from 10 to 40", "all of one length beta (10 to 40)", cases=vectors),
        promise("β = 10 is long enough", "all of one length beta (10 to 40)", cases=lambda d: vectors(d, length=(10.0, 10.0))),
        promise("β = 40 is not too long", "all of one length beta (10 to 40)", visible=1, fresh=3, trouble=False, cases=lambda d: vectors(d, length=d.each((40.0, 40.0), (39.0, 40.0)))),
        promise("d may be 4 or larger, and the u's may be any orthogonal vectors",
                quote=("the vectors u_a, u_b, u_c, u_d as rows (4, d), orthogonal", "(d, d) each", "they act from the left, q_i = Q x_i"), cases=vectors),
        promise("the u's may lie along any of the axes", "the vectors u_a, u_b, u_c, u_d as rows (4, d), orthogonal", visible=1, fresh=4, trouble=False, far=False,
                cases=lambda d: (d.uniform(10.0, 40.0) * torch.eye(7, dtype=torch.float64)[d.each([3, 5, 4, 6], [6, 0, 2, 1], [2, 3, 4, 5], [1, 6, 5, 0])],)),
    ],
)

# %%
with waits_for("attention", "qkv_design"):
    for length in (1.0, 2.0, 3.0, 5.0, 10.0):
        frame = length * orthonormal(4, 6, torch.Generator().manual_seed(37))
        Q, K, V = qkv_design(frame)
        words = torch.stack([frame[3] + frame[1], frame[0], frame[2] + frame[1]])  # (3, 6)
        pair = [attention(Q @ x, words @ K.T, words @ V.T)[0] for x in words[:2]]
        off = [
            (got - want).norm().item() / length
            for got, want in zip(pair, (frame[1] - frame[2], frame[1]), strict=True)
        ]
        print(
            f"β = {length:4.0f}   distance of c_1 to u_b − u_c: {off[0]:.1e} "
            f"β   of c_2 to u_b: {off[1]:.1e} β"
        )

# %% [markdown]
# ### What is wrong here?
#
# Three lines on this chapter, each with a mistake.
#
# 1. *"To avoid gradient explosion we **clip** the scores:* $w_{ij} = q_i^\top k_j / \sqrt d$*."*
# 2. *"The score is* $w_{23} = q_2^\top k_3 = W_q\,x_2^\top\, W_k\,x_3$*."*
# 3. *"The batch has shape (b, n, d), and its softmax runs over the second dimension."*
#

# %%
torch.manual_seed(43)  # the same numbers at every run
scores = torch.tensor([1.0, 8.0, 40.0])
print("1. divided by √16:", (scores / 4).tolist(), "   clipped at 5:", scores.clamp(max=5).tolist())
W_q, W_k, x = torch.randn(4, 4), torch.randn(4, 4), torch.randn(2, 4, 1)  # columns x[0], x[1] of shape (4, 1)
print(
    "2. shape of (W_q x)ᵀ (W_k x'):",
    tuple(((W_q @ x[0]).T @ (W_k @ x[1])).shape),
    "   of xᵀ alone:",
    tuple(x[0].T.shape),
    "so W_q xᵀ would multiply (4, 4) by (1, 4)",
)
batch = torch.randn(2, 3, 3)  # scores of 2 sentences: 3 queries by 3 keys each
print(
    "3. sums over the keys, softmax over dim 1:",
    [round(v, 2) for v in batch.softmax(1)[0].sum(-1).tolist()],
    "  over dim -1:",
    [round(v, 2) for v in batch.softmax(-1)[0].sum(-1).tolist()],
)

# %% [markdown]
# <details><summary>What is wrong</summary>
# <ol>
# <li>That is scaling: all differences shrink by one factor and the order stays. Clipping cuts what lies above a bound and makes 8 and 40 equal. And the reason given for $\sqrt d$ is not explosion: large scores saturate the softmax, and its gradients vanish.</li>
# <li>The transpose belongs around the product: (W_q x₂)ᵀ (W_k x₃) = x₂ᵀ W_qᵀ W_k x₃, a number. As written, the shapes do not even fit.</li>
# <li>The softmax is applied to the scores, of shape (b, queries, keys), and not to the batch of inputs. It runs over the <b>keys</b>, the last axis. Over axis 1 the weights of one query do not sum to 1.</li>
# </ol>
# </details>
#
# ## The figure worth keeping
#
# Each dot is the output for one draw of the keys. Its two coordinates are the shares of $v_a$ and of $v_b$ in this
# output. The aim was the cross in the middle.
#

# %%
with waits_for("single_head", "single_head_noise", "multi_head"):
    rng = torch.Generator().manual_seed(41)
    mu = orthonormal(5, 8, rng)
    noisy = sample_keys(mu, 0, 1e-6, 1500, rng)
    fig, axes = plots.new_figure(9.0, 4.4, columns=2)
    for ax, (name, head) in zip(
        axes, {"one head": single_head, "two heads": multi_head}.items(), strict=True
    ):
        shares = head(mu, noisy, torch.eye(5)[:, :2], 0, 1, 20.0)[0]  # (S, 2): of v_a and of v_b
        plane(ax, shares, f"{name}, β = 20")
        print(
            f"{name}: {((shares - 0.5).norm(dim=1) < 0.1).double().mean():.0%} of "
            "all draws lie within 0.1 of the cross"
        )
    plots.show(fig, alt=alt_text("01_scatter_plots_output"))

# %% [markdown]
# ## What to take away
#
# 1. Attention weights are a probability distribution over items, decided by **differences** of scores. With orthonormal keys a long enough query along one key copies that key's value; how long depends on the number of items.
# 2. In one head that balances two scores a small error of a key, times β, decides the shares. Two heads that copy one item each and average their **outputs** multiply it by β as well, but their softmax is saturated: they stay put
#    unless a key shrinks to nothing or turns round.
# 3. Projections let one vector say three things, what it asks, where it is found and what it brings, which a vector used as its own query, key and value cannot.
#
# **Further reading.** Bahdanau, Cho, Bengio: *Neural Machine Translation by Jointly Learning to Align and Translate* (2015). Luong, Pham, Manning: *Effective Approaches to Attention-based Neural Machine Translation* (2015).
# Vaswani and others: *Attention Is All You Need* (2017). Elhage and others: *A Mathematical Framework for Transformer Circuits* (2021). Michel, Levy, Neubig: *Are Sixteen Heads Really Better than One?* (2019).
#

# %%
hand_in("01_attention", files=[])
