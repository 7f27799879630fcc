# %% [markdown] builds="the objectives of ELMo, GPT, BERT and T5; four tiny models, five probes, one table"
# # 06 · Four ways to pretrain
#
# Text without labels gives its own training tasks: cover something, and let the model say what was there. ELMo, GPT, BERT and T5 differ in **what is covered and which side may be read**. You write all four tasks and compare four tiny models trained on one corpus.
#
# **Afterwards you can**
# - write the training targets of ELMo, GPT, BERT and T5, and say what a position may look at;
# - show with one number that a model has seen its targets;
# - test a random procedure by its shares;
# - measure which of the four fills a blank, tags a word, continues a text, or fills a gap of unknown length;
# - choose a kind of model for a task, with the reason.
#
# <!-- costs -->
#
# The models have 0.1 to 0.2 million parameters; everything stays on the CPU. Your own time: about four and a half hours.
#
# **What to know before.** Causal masks and the Transformer block (notebook 02), cross-entropy and padding (notebook 05). Nothing that you wrote in other notebooks is used here.
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
import random
import time
from collections import Counter
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils import plots
from course_utils.checks.selfcheck import check, handin  # noqa: F401 (check cells call it)
from course_utils.corpora.stories import (
    CLS,
    LONGEST,
    MASK,
    NAMES,
    PAD,
    SENTINELS,
    SEP,
    SPECIAL,
    TASKS,
    TOKENS,
    VOCAB,
    answer_of,
    as_line,
    corpus,
    decode,
    encode,
    entropy_per_token,
    flat,
    sentences_of,
    true_nats,
    valid,
)
from course_utils.lessons.figures import alt_text
from course_utils.lessons.pretraining import Reader, padded, reverse_rows, sample_lines
from course_utils.metrics import wilson_interval
from course_utils.notebook.costs import announce
from course_utils.notebook.session import required, start, waits_for

course = start("06_pretraining")
announce(course)
torch.set_num_threads(1)  # on a busy machine a second one slows such small models

# %% [markdown]
# ## 1 · The corpus
#
# The documents come from a small grammar, so that their entropy is known. Each has four or five sentences: two facts about one person, then sentences that repeat a fact, name something that was seen (half of the time by an ambiguous word), or need words from both sides to be completed.
#
# | id | name | used for |
# |---|---|---|
# | 0 | `PAD` | fills up short rows of a batch, on the right |
# | 1 | `CLS` | start of a text; its state will stand for the whole text |
# | 2 | `SEP` | end of a text or of a sentence |
# | 3 | `MASK` | covers a word |
# | 4 to 11 | `SENTINELS` | `<0>`, `<1>`, …: each stands for a whole span that was taken out |
# | 12 and up | words | `TOKENS[i]` is the word with id i |
#
# A **line** is a whole document as a model reads it: `[CLS] words [SEP]`.
#
# Letters in the formulas of this notebook:
#
# | letter | meaning | letter | meaning |
# |---|---|---|---|
# | $x$, $x_t$ | ids of a text; the id at position $t$ | $p$, $q$ | probability of a text: the true one, the model's |
# | $B$, $T$ | texts in a batch; tokens of the longest | $V$ | ids in the vocabulary |
# | $H$ | width of one LSTM | $D$ | width of a state |
# | $f_t$, $b_t$, $h_t$ | ELMo's states: forward, backward, both | $N$ | predictions of which a mean is taken |
# | $c$, $\alpha$ | nats ahead of the truth; chance of a false alarm | $S$ | sentinels |
# | $n$, $m$, $k$ | T5: words of a text; removed ones; spans | $r$, $\mu$ | T5: share to remove; mean length of a span |
#

# %%
documents, held_out = corpus(0, 3000), corpus("held out", 500)
lines = [as_line(document) for document in documents]
entropy = entropy_per_token()
print(
    f"{len(documents)} documents and {len(held_out)} held out, {VOCAB} ids, lines of {min(map(len, lines))} "
    f"to {max(map(len, lines))} tokens, entropy {entropy:.3f} nats per token"
)
for document in documents[:3]:
    print("·", decode(flat(document)))

# %% [markdown]
# Four tasks from one line, `w₁ w₂ w₃ w₄ w₅ w₆`:
#
# | | reads | says | a position may look at |
# |---|---|---|---|
# | ELMo | the line, twice | the next word; the word before | the left side and itself; the right side and itself |
# | GPT | the line | the next word | the left side and itself |
# | BERT | `w₁ [MASK] w₃ w₄ w₅ w₆` | `w₂` | everything |
# | T5 | `w₁ <0> w₄ w₅ <1>` | `<0> w₂ w₃ <1> w₆ <2>` | reading: everything; writing: all that was read, and its own left side |
#
# ## 2 · ELMo: two readers, side by side
#
# One LSTM reads to the right and predicts the next token, another reads to the left and predicts the one before (Peters et al., 2018). Their states at position $t$ are $f_t$ and $b_t$, both of shape `(H,)`:
#
# $$ \mathcal L = -\frac1N \sum_{t} \ln p_{\rightarrow}(x_{t+1} \mid f_t) \;-\; \frac1N \sum_{t} \ln p_{\leftarrow}(x_{t-1} \mid b_t), \qquad h_t = [f_t; b_t] \in \mathbb R^{2H}. $$
#
# $f_t$ has read $x_1 \dots x_t$, $b_t$ has read $x_t \dots x_T$, and $N$ counts the predictions of one direction. The word vector used later is $h_t$: it knows both sides. **But no prediction was made from both sides.** (The original has two layers in each direction.)
#
# > **What is wrong here?** *"ELMo is one LSTM that reads both ways and learns to predict neighbours."* PyTorch has that, `nn.LSTM(…, bidirectional=True)`. Put a linear layer on its outputs `(B, T, 2H)`, predict the next token, and train for a few seconds.
#

# %%
torch.manual_seed(0)
both_ways = nn.ModuleDict(
    {
        "word": nn.Embedding(VOCAB, 48),
        "lstm": nn.LSTM(48, 48, batch_first=True, bidirectional=True),
        "head": nn.Linear(96, VOCAB),
    }
)
optimizer, draw, seen = torch.optim.Adam(both_ways.parameters(), lr=1e-2), random.Random(0), []
for _ in range(80):
    ids = padded(draw.sample(lines, 32))
    logits = both_ways["head"](both_ways["lstm"](both_ways["word"](ids))[0])  # (B, T, 96) -> (B, T, V)
    # (B, T-1, V) -> (B, V, T-1)
    loss = F.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], ignore_index=PAD)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    seen.append(loss.item())
print(
    f"next-token loss after {len(seen)} steps: {seen[-1]:.3f} nats per token; "
    f"the entropy of the text is {entropy:.3f}"
)

# %% [markdown]
# <details><summary>What is wrong</summary>
# At position t the right-to-left half has already read token t+1, which is the answer. Each prediction must be made from its own half alone.
# </details>
#
# **Padding** stands on the right, where the right-to-left reader would begin. The given `reverse_rows(x, lengths)` turns only the real part of each row around, and back when applied again; `x` is `(B, T)` or `(B, T, D)`, and `lengths` is `(ids != pad).sum(1)`, of shape `(B,)`.
#

# %%
example = torch.tensor([[7, 8, 9, 0, 0], [5, 6, 7, 8, 9]])
print(reverse_rows(example, torch.tensor([3, 5])))

# %% [markdown]
# ### Exercise `elmo`
#
# Write the model and its loss. States: the forward half first. You choose the width of the word vectors, whether both
# directions share them and the linear layer, the names of the layers, and what stands at padded positions. All layers
# keep their biases; the embedding shares no weights with a linear layer. (The check fills in weights of its own.)
#
# <details><summary>Hint 1 · nudge</summary>Change a token to the left of position t. Which of your three outputs at t may change?</details>
# <details><summary>Hint 2 · idea</summary>Two LSTMs with <code>batch_first=True</code>. The second reads <code>reverse_rows(ids, lengths)</code>; turn its outputs back, so that each stands at its own token. For the loss, cut off one end of logits and of ids: which one for which direction?</details>
# <details><summary>Hint 3 · nearly there</summary>Forward: <code>logits[:, :-1]</code> against <code>ids[:, 1:]</code>. Backward: <code>logits[:, 1:]</code> against <code>ids[:, :-1]</code>. Trap: the position just behind the end of a text is PAD, and its "previous token" is a real one; it must not count.</details>


# %% answer="elmo"
class Elmo(nn.Module):
    """Two one-directional LSTM language models of H = width units each.

    ``Elmo(vocab_size, width, pad)(ids)`` takes int64 (B, T), padded on the right with ``pad``, and gives

    - forward logits (B, T, V): at t about token t+1, from tokens up to t;
    - backward logits (B, T, V): at t about token t-1, from tokens t and later;
    - states (B, T, 2·width): the forward state and then the backward state.

    Each direction has one layer of its own, an ``nn.LSTM`` or ``nn.LSTMCell`` that begins with states 0,
    over vectors from an ``nn.Embedding``, and an ``nn.Linear`` makes its logits from its state.
    There is nothing else, no dropout. Gradients flow through all three results.
    More padding on the right changes nothing at the real tokens, of which every row has one or more.
    Rows and calls know nothing of each other.
    """

    def __init__(self, vocab_size: int, width: int, pad: int) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.pad = pad
        self.embedding = nn.Embedding(vocab_size, width)
        self.to_right = nn.LSTM(width, width, batch_first=True)
        self.to_left = nn.LSTM(width, width, batch_first=True)
        self.next_head, self.previous_head = nn.Linear(width, vocab_size), nn.Linear(width, vocab_size)
        ### END SOLUTION

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """(B, T) -> forward logits (B, T, V), backward logits (B, T, V), states (B, T, 2·width)."""
        ### BEGIN SOLUTION
        lengths = (ids != self.pad).sum(1)  # (B, T) -> (B,)
        f, _ = self.to_right(self.embedding(ids))
        b, _ = self.to_left(self.embedding(reverse_rows(ids, lengths)))
        b = reverse_rows(b, lengths)  # (B, T, H): each state back at its own token
        return self.next_head(f), self.previous_head(b), torch.cat([f, b], dim=-1)
        ### END SOLUTION


def elmo_loss(forward_logits: Tensor, backward_logits: Tensor, ids: Tensor, pad: int) -> Tensor:
    """The mean over all next-token predictions plus the mean over all previous-token predictions, in nats.

    Args:
        forward_logits, backward_logits: (B, T, V), as Elmo gives them, 32-bit or 64-bit, up to 1,000 in size.
        ids: (B, T). A prediction counts if it is made at a real token and is about a real token; at least one does.
    """
    ### BEGIN SOLUTION
    real = ids != pad
    pairs = real[:, 1:] & real[:, :-1]  # (B, T-1): both neighbours are real
    onwards = F.cross_entropy(forward_logits[:, :-1][pairs], ids[:, 1:][pairs])  # (B, T-1, V) -> (N, V)
    back = F.cross_entropy(backward_logits[:, 1:][pairs], ids[:, :-1][pairs])
    return onwards + back
    ### END SOLUTION


# %% check="elmo" points=1 minutes=30 difficulty=3
import torch

from course_utils.checks.promises import Ask, Case, Draw, call, close, gradients, layouts, promise, promises, repeatable, same, unchanged
from course_utils.lessons.elmo_ways import texts
from course_utils.lessons.module_ways import either_mode
from solutions.reference import pretraining

HERE = "course_utils.lessons.elmo_ways."
THREE = ("the forward logits", "the backward logits", "the states")


def read(d: Draw, B=(1, 4), T=(1, 7), V=(2, 9), W=(1, 6), **setup):
    """Texts for a model, its sizes, and the seed of its weights."""
    B, T, V, W = d.sizes(B=B, T=T, V=V, W=W)
    pad = d.each(0, V - 1, d.whole(0, V - 1))
    return Case((texts(d, B, T, V, pad),), setup={"sizes": (V, W, pad), "seed": d.whole(0, 10**9), **setup})


def padded_further(d: Draw):
    case, more = read(d), d.each(1, 4, 70)
    ids, pad = case.args[0], case.setup["sizes"][2]
    return Case((torch.cat([ids, torch.full((len(ids), more), pad)], 1),), setup=case.setup)


def after_others(d: Draw):
    case = read(d)
    V, _, pad = case.setup["sizes"]
    same_sizes = texts(d, *case.args[0].shape, V, pad)
    return Case(case.args, setup={**case.setup, "before": d.each([same_sizes], [texts(d, d.whole(1, 4), d.whole(1, 9), V, pad), same_sizes])})


def one_changed(d: Draw):
    B, T, V, W = d.sizes(B=(1, 4), T=(3, 9), V=(4, 9), W=(3, 6))
    pad = d.each(0, V - 1, d.whole(0, V - 1))
    ids, row = texts(d, B, T, V, pad, shortest=3), d.whole(0, B - 1)
    s = d.whole(1, int((ids[row] != pad).sum()) - 2)
    other = ids.clone()
    other[row, s] = d.rng.choice([i for i in range(V) if i not in (pad, int(ids[row, s]))])
    return Case((ids, other, row, s), setup={"sizes": (V, W, pad)})


def upstream(d: Draw):
    case = read(d)
    ids, (V, W, pad) = case.args[0], case.setup["sizes"]
    real = (ids != pad)[..., None]
    weights = (d.normal(*ids.shape, size, scale=1 / int(real.sum()), dtype=torch.float32) * real for size in (V, V, 2 * W))
    return Case((ids, *weights), setup=case.setup)


def logits(d: Draw, B=(1, 4), T=(3, 7), V=(2, 9), scale=3.0, dtype=torch.float64):
    B, T, V = d.sizes(B=B, T=T, V=V)
    pad = d.each(0, V - 1, d.whole(0, V - 1))
    ids = texts(d, B, T, V, pad)
    if not (ids[:, 1:] != pad).any():  # one prediction at least
        ids[0, :2] = int(pad == 0)
    return *(d.normal(B, T, V, scale=scale, dtype=dtype).clamp(-1000, 1000) for _ in range(2)), ids, pad


def of_model(way="answered", *options, **more):
    return {"ask": Ask(HERE + way, ("Elmo", *options)), "agree": close(1e-4, 1e-4, view=HERE + "at_tokens"), "returns": THREE, **more}


promises(
    reference={"elmo_loss": pretraining.elmo_loss, "Elmo": pretraining.Elmo},
    agree=close(1e-8),
    returns=("the loss",),
    always=(unchanged, repeatable, layouts, gradients(0, 1)),
    shares={"Elmo": 0.7, "elmo_loss": 0.3},
    kept=[
        promise("what is at t hears of its own token and of those on its own side, and of nothing else",
                ("at t about token t+1, from tokens up to t", "at t about token t-1, from tokens t and later", "the forward state and then the backward state"),
                one_changed, ask=Ask(HERE + "moves", ("Elmo",)), agree=same(), returns=("what moves",), trouble=False, visible=3),
        promise("logits and states are those of two LSTMs of one layer, one per direction, with these weights",
                ("Two one-directional LSTM language models of H = width units each", "takes int64 (B, T), padded on the right with ``pad``", "forward logits (B, T, V), backward logits (B, T, V), states (B, T, 2·width)",
                 "has one layer of its own", "makes its logits from its state"), read, **of_model(visible=4)),
        promise("long texts are read as a whole", ("tokens up to t", "tokens t and later"), lambda d: read(d, B=(1, 2), T=(67, 150), V=(2, 5), W=(1, 4)), **of_model(trouble=False, far=False)),
        promise("logits may be of any size", "makes its logits from its state", lambda d: read(d, V=(3, 9), loud=200.0), **of_model(trouble=False, far=False)),
        promise("training mode gives the same as evaluation: there is no dropout", "There is nothing else, no dropout", lambda d: read(d, training=True), **of_model(trouble=False)),
        promise("more padding changes nothing", "More padding on the right changes nothing at the real tokens", padded_further, **of_model(trouble=False)),
        promise("a text is read as it is read alone, whatever came before", "Rows and calls know nothing of each other", after_others, **of_model(trouble=False)),
        promise("in training mode, too, a text is read as it is read alone", "Rows and calls know nothing of each other", lambda d: either_mode(d, after_others(d)), **of_model(trouble=False, visible=0, fresh=4)),
        promise("gradients of each result reach the weights that it is made of, and no others", "Gradients flow through all three results", upstream,
                **of_model("slopes", agree=close(1e-4, 1e-4), trouble=False, returns=THREE)),
        promise("the mean over next tokens plus the mean over previous tokens", ("The mean over all next-token predictions plus the mean over all previous-token predictions, in nats", "(B, T, V), as Elmo gives them", "ids: (B, T)", "A prediction counts if it is made at a real token and is about a real token"), logits, visible=4),
        promise("one prediction is enough", "at least one does", lambda d: logits(d, T=(2, 2), B=(1, 3))),
        promise("32-bit logits are enough", "32-bit or 64-bit", lambda d: logits(d, dtype=torch.float32)),
        promise("logits up to 1,000 do not overflow", "up to 1,000 in size", lambda d: logits(d, scale=400.0)),
    ],
)  # fmt: skip

# %% [markdown]
# The same experiment as a picture: change token s, and see which states move.
#

# %%
with waits_for("elmo"):
    torch.manual_seed(1)
    tiny = Elmo(VOCAB, 16, PAD).eval()
    sentence = encode("anna saw the bank by the river .")
    base, size = torch.tensor([sentence]), len(sentence)
    panels = {
        "forward half of the state": slice(0, 16),
        "backward half": slice(16, 32),
        "whole state": slice(0, 32),
    }
    fig, axes = plots.new_figure(10.6, 3.9, columns=3)
    with torch.no_grad():
        # (T, T): row s has token s changed
        changed = torch.cat([base.index_fill(1, torch.tensor([s]), encode("ben")[0]) for s in range(size)])
        shift = (tiny(changed)[2] - tiny(base)[2]).abs()  # (T, T, 2H): token changed, position
    for ax, (name, part) in zip(axes, panels.items(), strict=True):
        ax.imshow(shift[..., part].amax(-1).T > 1e-6, cmap="Greys", vmin=0, vmax=1.6)
        ax.set(xlabel="token that is changed", ylabel="state that moves (dark)", title=name)
        ax.set_xticks(range(size), [TOKENS[i] for i in sentence], rotation=90)
        ax.set_yticks(range(size), [TOKENS[i] for i in sentence])
        ax.grid(False)
    plots.show(fig, alt=alt_text("06_8_by_8"))

# %% [markdown]
# In the last panel `bank` hears of the `river`, although no prediction was made from both sides.
#
# ## 3 · GPT, and how to catch a cheat
#
# GPT predicts the next token with a Transformer whose mask hides what comes later:
#
# $$ \mathcal L = -\frac1N \sum_{(i,t):\; x_{i,t+1} \ne \texttt{PAD}} \ln q(x_{i,t+1} \mid x_{i,1} \dots x_{i,t}), $$
#
# with $x$ the ids `(B, T)`, $i$ the row of the batch, $q$ the softmax of the logits `(B, T, V)` at position $t$, and $N$ the number of terms. Without the mask, the model copies. How would you *know*, without reading the code? By a bound that holds for every honest model:
#
# Let $p(x)$ be the true probability of a text and $q(x)$ the model's, each the product over its tokens. Probabilities sum to one, so
#
# $$ \mathbb E_{x \sim p}\!\left[\frac{q(x)}{p(x)}\right] = \sum_{x:\,p(x)>0} q(x) \le 1, \qquad\text{hence}\qquad P\big(\ln q - \ln p > c\big) \le e^{-c}. $$
#
# (The last step is Markov's inequality. For independent texts, add up the logarithms.) **An honest model beats the truth by more than $c$ nats in total with probability at most $e^{-c}$.** With $c = \ln(1/\alpha)$ the alarm is false with probability at most $\alpha$, whatever the model, however few texts. **The texts must be new to the model:** one that knows its training texts by heart beats $p$ on these without any cheating.
#
# *Example.* Three texts, true values 20, 23, 17 nats, the model's 18, 22, 12. It is ahead by $60 - 52 = 8$ nats. To an honest model this happens with probability at most $e^{-8} \approx 0.0003$: no alarm yet at $\alpha = 10^{-6}$, which takes $c = 13.8$.
#
# ### Exercise `leak`
#
# Write the loss, and the judge.
#
# <details><summary>Hint 1 · nudge</summary>What is the last position of a row asked? And the last real token of a short row?</details>
# <details><summary>Hint 2 · idea</summary>One slice of the logits and another of the ids line predictions and targets up; <code>ignore_index</code> leaves PAD out. For the judge: nats are minus logarithms, so which of the two sums is larger when the model is ahead?</details>
# <details><summary>Hint 3 · nearly there</summary><code>logits[:, :-1]</code> goes with <code>ids[:, 1:]</code>; flatten both. The judge: <code>sum(true_nats) - sum(model_nats)</code> against <code>math.log(1 / alarm)</code>. Trap: a mean over the texts hides how much evidence there is.</details>


# %% answer="leak"
def causal_loss(logits: Tensor, ids: Tensor, pad: int) -> Tensor:
    """Mean nats per predicted token; logits (B, T, V) at t are about ids[:, t+1]; ids int64 (B, T).

    A target that is ``pad`` is not predicted, wherever it stands. Logits of any size, of float32 or float64.
    """
    ### BEGIN SOLUTION
    targets = ids[:, 1:].reshape(-1)  # (B, T-1) -> (B·(T-1),)
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), targets, ignore_index=pad)  # (B, T-1, V) -> (B·(T-1), V)
    ### END SOLUTION


def cheats(model_nats: list[float], true_nats: list[float], alarm: float = 1e-6) -> bool:
    """Whether a model must have seen its targets. Neither list is changed.

    Args:
        model_nats: for every text -ln q(text), the sum of the model's nats over its tokens; any number of texts, from one.
        true_nats: for the same texts -ln p(text).
        alarm: largest probability with which an honest model may be called a cheat.
    """
    ### BEGIN SOLUTION
    ahead = sum(true_nats) - sum(model_nats)  # ln q - ln p over all texts
    return ahead > math.log(1 / alarm)
    ### END SOLUTION


# %% check="leak" points=1 minutes=25 difficulty=2
import math

import torch

from course_utils.checks.promises import Ask, Draw, call, close, gradients, layouts, promise, promises, repeatable, same, unchanged
from solutions.reference import pretraining


def rows(d: Draw, B=(1, 5), T=(2, 9), V=(3, 12), scale=3.0, dtype=torch.float64, scattered=False):
    """Logits, ids and the id of PAD: behind short rows or anywhere; at least one target, and 0 among the words."""
    B, T, V = d.sizes(B=B, T=T, V=V)
    pad = d.each(0, V - 1, d.whole(0, V - 1))
    ids = (d.ids(B, T, low=0, high=V - 2) + 1 + pad) % V  # every id but pad
    ends = torch.tensor([T, *(d.whole(1, T - 1) for _ in range(B - 1))])[:, None]
    ids[torch.arange(T) >= ends] = pad
    if scattered and T > 2:
        ids[:, 1:-1] = ids[:, 1:-1].where(torch.rand(B, T - 2, generator=d.torch) < 0.6, pad)
    if pad:
        ids[0, -1] = 0
    return d.normal(B, T, V, scale=scale, dtype=dtype), ids, pad


def texts(d: Draw, lead, alarm=None, n=(1, 6)):
    """Nats of texts whose model is ahead by ``lead`` times ln(1/alarm) in all, shared out unevenly."""
    n = d.whole(*n)
    true = [d.uniform(900, 950) for _ in range(n)]
    spread = (30.0, 30.0, 0.01)[d.number % 3]
    parts = [spread * d.rng.uniform(-1, 1) for _ in range(n)]
    total = lead * math.log(1e6 if alarm is None else 1 / alarm)
    model = [t - s - (total - sum(parts)) / n for t, s in zip(true, parts, strict=True)]
    return model, true, *([] if alarm is None else [alarm])


judged = {"ask": call("cheats"), "agree": same(), "returns": ("the verdict",), "trouble": False}
promises(
    reference={"causal_loss": pretraining.causal_loss, "cheats": pretraining.cheats},
    agree=close(1e-9),
    returns=("the loss",),
    always=(unchanged, repeatable, layouts, gradients(0)),
    shares={"causal_loss": 0.5, "cheats": 0.5},
    kept=[
        promise("the mean nats of all next tokens of the batch together, those that are PAD left out", ("Mean nats per predicted token", "logits (B, T, V) at t are about ids[:, t+1]", "ids int64 (B, T)", "A target that is ``pad`` is not predicted"), lambda d: rows(d, B=(2, 5), T=(4, 9)), visible=3),
        promise("PAD may stand anywhere, and is whatever pad says", "wherever it stands", lambda d: rows(d, scattered=True)),
        promise("large logits are no trouble", "Logits of any size", lambda d: rows(d, scale=d.each(300.0, 3000.0)), agree=close(1e-7)),
        promise("float32 works as well", "of float32 or float64", lambda d: rows(d, dtype=torch.float32)),
        promise("a model that is ahead by more than ln(1/alarm) nats in all is called a cheat, any other is not", ("Whether a model must have seen its targets", "the sum of the model's nats over its tokens", "for the same texts -ln p(text)", "largest probability with which an honest model may be called a cheat"),
                lambda d: texts(d, d.each(1.02, 0.98, 0.4, 2.5, -1.5, 0.02, 1.2, 1.00002, 0.99998), d.log_uniform(1e-9, 0.3)), **judged, visible=9),
        promise("the alarm is one in a million unless it is given", "alarm is false with probability at most", lambda d: texts(d, d.each(1.03, 0.97)), **{**judged, "trouble": ("repeatable",)}),
        promise("many texts and one text, a lead or a lag of thousands of nats", "any number of texts, from one", lambda d: texts(d, d.each(1.02, 0.98, 900.0, -900.0), 1e-3, n=d.each((100, 300), (1, 1))), **judged, visible=4),
        promise("thousands of texts, whose nats add up to millions (32 bits are too few for such sums), and a lead just above or below the bound", "any number of texts, from one", lambda d: texts(d, d.each(1.005, 0.995), 1e-3, n=(5000, 7000)), **judged, visible=0, fresh=8),
        promise("the alarm may be tiny, or large", "largest probability with which an honest model may be called a cheat",
                lambda d: texts(d, *d.each(*((lead, alarm) for alarm in (1e-12, 0.5, 1e-30, 0.8, 1e-100, 0.4, 1e-15, 0.7) for lead in (0.98, 1.02)))), **judged, visible=4),
        promise("cheats leaves the lists as they are", "Neither list is changed", lambda d: texts(d, 1.5, 1e-3), ask=Ask("arguments_after", (call("cheats"),)), agree=same(), returns=(), trouble=False),
    ],
)  # fmt: skip

# %% [markdown]
# The same small Transformer is trained twice with your loss, with and without its mask; afterwards both write. `Reader(VOCAB, LONGEST, causal=…)` gives logits `(B, T, V)`, `sample_lines(model, n, longest, seed)` lets it write n lines of at most `longest` tokens.
#

# %%
LEAK_STEPS = 300


def train_reader(model, loss_of, steps, seed=0, lr=3e-3):
    """AdamW with a warm-up and a linear end; ``loss_of(draw)``: the loss of a batch. All losses."""
    optimizer, draw, losses = torch.optim.AdamW(model.parameters(), lr=lr), random.Random(seed), []
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = lr * min((step + 1) / 30, max(0.02, 1 - step / steps))
        optimizer.zero_grad()
        loss = loss_of(draw)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


def line_nats(model, rows):
    """For every line the sum of -ln q over its tokens after the first, q as the model states it."""
    ids = padded(rows)
    with torch.no_grad():
        # (B, T-1, V) -> (B, T-1)
        terms = -model(ids)[:, :-1].log_softmax(-1).gather(2, ids[:, 1:, None])[..., 0]
    return (terms * (ids[:, 1:] != PAD)).sum(1).tolist()


leak_curves, written = {}, {}
with waits_for("leak"):
    fresh = [as_line(document) for document in held_out[:200]]
    tokens = sum(len(line) - 1 for line in fresh)
    truth = [true_nats(line) for line in fresh]
    known = {decode(sentence) for document in documents for sentence in document}
    for name, causal in (("with mask", True), ("without mask", False)):
        torch.manual_seed(0)
        gpt = Reader(VOCAB, LONGEST, causal=causal)

        def one_batch(draw, gpt=gpt):
            ids = padded(draw.sample(lines, 32))
            return causal_loss(gpt(ids), ids, PAD)

        begin = time.perf_counter()
        leak_curves[name] = train_reader(gpt, one_batch, LEAK_STEPS)
        nats = line_nats(gpt.eval(), fresh)
        texts = sample_lines(gpt, 100, LONGEST, seed=0)
        parts = [sentence for text in texts for sentence in sentences_of(text)]
        written[name] = (
            sum(part in known for part in parts) / max(len(parts), 1),
            sum(map(valid, texts)) / len(texts),
        )
        print(
            f"{name}: {time.perf_counter() - begin:.0f} s; held out {sum(nats) / tokens:.3f} nats per "
            f"token (truth {sum(truth) / tokens:.3f}); ahead of the truth by {sum(truth) - sum(nats):+.0f} "
            f"nats; a cheat: {cheats(nats, truth)}"
        )
        print("   writes:", decode(texts[0]))

# %%
with waits_for("leak"):
    if not written:
        raise NotImplementedError
    fig, (left, right) = plots.new_figure(9.6, 4.0, columns=2)
    for (name, losses), look in zip(leak_curves.items(), plots.styles(2), strict=True):
        means = [sum(losses[i : i + 10]) / 10 for i in range(0, len(losses), 10)]
        left.plot([10 * k + 5 for k in range(len(means))], means, label=name, markevery=3, **look)
    left.axhline(entropy, color="black", linewidth=1.2, linestyle=(0, (1, 2)), label="entropy of the corpus")
    left.set(xlabel="step", ylabel="training loss (nats per token)")
    left.legend(fontsize=8)
    for k, (sentences, _) in enumerate(written.values()):
        right.bar(k, 100 * sentences, 0.6, color=plots.COLOURS[k], hatch=plots.HATCHES[k], edgecolor="black")
        right.annotate(
            f"{100 * sentences:.0f} %", (k, 100 * sentences), (0, 3), textcoords="offset points", ha="center"
        )
    right.set_xticks(range(len(written)), list(written))
    right.set(ylabel="written sentences that occur in the corpus (%)", ylim=(0, 105))
    shares = {name: f"{100 * sentences:.0f} percent" for name, (sentences, _) in written.items()}
    plots.show(
        fig,
        alt=alt_text(
            "06_training_loss_step",
            entropy=entropy,
            masked=shares["with mask"],
            unmasked=shares["without mask"],
        ),
    )

# %% [markdown]
# On texts that a model was trained on, its loss can fall below their entropy; on new ones it cannot, except by
# chance. The loss of section 7's GPTs lay 0.006 to 0.011 nats per token *below* the true value on texts that they had
# read, and 0.008 to 0.011 *above* it on new ones (three seeds). In the figure, the model without a mask has the
# better loss and cannot write: in training the answer stood one place to the right, in writing nothing stands there.
# **Before you compare losses, ask what each model was allowed to see.**
#
# Reading both sides is useful, so the mask should go. But then *predict the next token* is no task any more. BERT has two others.
#
# ## 4 · BERT, first task: words behind masks
#
# Choose 15 % of the words, damage them in the input, and ask for the originals, at these places alone (Devlin et al., 2019). Of the chosen words
#
# - 80 % become `[MASK]`,
# - 10 % become a random word,
# - 10 % stay as they are, but are still asked for.
#
# Why not always `[MASK]`? Texts in later use contain no `[MASK]`. With the other two kinds the model can never be
# sure that the word it sees is right. Why only 15 %? With fewer, a pass teaches little; with more, little context is
# left. (This is the usual reasoning. Wettig et al., 2023, found 40 % as good or better for larger models.)
#
# *Example:* `[CLS] ben wants a cup . [SEP]`. Chosen: `wants` and `cup`. The input could be `[CLS] ben [MASK] a lamp . [SEP]`, the targets `-100 -100 wants -100 cup -100 -100`. `F.cross_entropy` leaves −100 out by default.
#
#
# ### Exercise `bert_mask`
#
# Every position that does not hold a special id is chosen, **independently of the others**, with probability `rate`; what happens to a chosen position is also drawn **independently for each**. Random words come evenly from all ids below `vocab_size` that are not special (the original word is one of them). All randomness comes from `generator`; the argument `ids` is not changed.
#
# <details><summary>Hint 1 · nudge</summary>Two draws per position: is it chosen, and if so, what happens to it? Which positions may take no part in the first draw?</details>
# <details><summary>Hint 2 · idea</summary><code>torch.rand(ids.shape, generator=generator)</code> twice; <code>torch.isin(ids, torch.tensor(special))</code> finds what is special. <code>torch.where</code> combines. A table of all ordinary ids, indexed by <code>torch.randint</code>, gives random words.</details>
# <details><summary>Hint 3 · nearly there</summary>chosen = (first draw &lt; rate) and not special; x = ids.clone(); MASK where chosen and second draw &lt; .8; a random word where chosen and .8 ≤ second draw &lt; .9; y = ids where chosen, else −100. Trap: to choose again for the 80 %, and then to ask only for those: 15 % of 80 % is 12 %.</details>


# %% answer="bert_mask"
def bert_mask(
    ids: Tensor, special: list[int], mask_id: int, vocab_size: int, generator: torch.Generator, rate: float = 0.15
) -> tuple[Tensor, Tensor]:
    """Damage a batch for masked language modelling.

    Args:
        ids: int64 (B, T), not changed.
        special: ids that are never chosen and never drawn, ``mask_id`` among them; any ids, in any order.
        vocab_size: V, so that ids are 0 … V-1.
        generator: source of all randomness, used as it stands.
        rate: probability with which a position is chosen, from 0 (none) to 1 (every word).

    Returns:
        x: int64 (B, T), the damaged ids; y: int64 (B, T), the original id where a position was chosen, else -100.
    """
    ### BEGIN SOLUTION
    chosen = (torch.rand(ids.shape, generator=generator) < rate) & ~torch.isin(ids, torch.tensor(special))
    lot = torch.rand(ids.shape, generator=generator)
    words = torch.tensor(sorted(set(range(vocab_size)) - set(special)))
    strange = words[torch.randint(len(words), ids.shape, generator=generator)]
    x = ids.clone()
    x[chosen & (lot < 0.8)] = mask_id
    x = torch.where(chosen & (lot >= 0.8) & (lot < 0.9), strange, x)
    return x, torch.where(chosen, ids, -100)
    ### END SOLUTION


# %% check="bert_mask" points=1 minutes=25 difficulty=2
import torch

from course_utils.checks.counts import alike
from course_utils.checks.promises import Draw, call, law, layouts, promise, promises, same, unchanged
from solutions.reference import pretraining

LESSON = "course_utils.lessons.pretraining_laws."


def batch(d: Draw, rate, B=None, T=None, W=None, kinds=9, S=5):
    """Rows of few kinds of words, S special ids scattered over 0 … V-1, some of them between and behind the words; any of them is MASK."""
    B, T, W = d.sizes(rows=(1, 6), length=(1, 12), words=(2, 9)) if B is None else (B, T, W)
    special = d.sample(W + S, S)
    ordinary = torch.tensor([i for i in range(W + S) if i not in special])[:kinds]
    ids = ordinary[d.ids(B, T, low=0, high=len(ordinary) - 1)]
    if T > 3:
        ids[:, 0], ids[:, -1], ids[0, -2] = special[1 % S], special[2 % S], special[0]
    return ids, special, special[d.each(2, 0, 4, 1, 3) % S], W + S, d.seeded(), *([] if rate is None else [rate])


def sample(calls, one_generator=False, reader="fates"):
    """So many calls, counted."""
    return {"ask": call("bert_mask"), "reader": LESSON + reader, "calls": calls, "one_generator": one_generator}


promises(
    reference={"bert_mask": pretraining.bert_mask},
    agree=same(view=LESSON + "damage_rules"),
    returns=("x", "y"),
    always=(unchanged, layouts),
    kept=[
        promise("what is not asked for stays as it is, y holds the originals, special ids are neither chosen nor drawn",
                ("x: int64 (B, T), the damaged ids", "y: int64 (B, T), the original id where a position was chosen, else -100", "ids that are never chosen and never drawn", "any ids, in any order", "V, so that ids are 0 … V-1", "int64 (B, T), not changed"),
                lambda d: batch(d, 1.0, 6, 12, 9) if d.each(True, False) else batch(d, d.each(0.9, 0.3, None, 0.0, 1.0)), fresh=16),
        promise("any number of ids may be special, MASK alone too", "``mask_id`` among them", lambda d: batch(d, 1.0, 6, 12, 9, S=d.each(1, 2, 7, 30)), visible=3),
        promise("rate 0 chooses nothing, and a batch of special ids alone stays as it is", "that does not hold a special id is chosen",
                lambda d: batch(d, 0.0) if d.each(True, False) else (torch.tensor([[3, 1], [1, 2]]), [0, 1, 2, 3], 3, 9, d.seeded(), 1.0), agree=same()),
        promise("all randomness comes from the generator", ("All randomness comes from `generator`", "source of all randomness, used as it stands"),
                lambda d: batch(d, 0.9, 30, 12, 8), ask=alike("bert_mask"), agree=same(), trouble=False),
        promise("at rate 1 every word that is not special is chosen, whatever its id and wherever it stands", "from 0 (none) to 1 (every word)",
                lambda d: batch(d, 1.0, *d.each((24, 25), (2, 3), (1, 12)), 9, S=d.each(5, 2, 1)), agree=same(view=LESSON + "targets"), trouble=False, far=False),
        law("which words are chosen: each one with probability rate, by itself, so that their number varies", ("**independently of the others**, with probability `rate`", "probability with which a position is chosen"),
            lambda d: batch(d, d.each(0.5, 0.2), d.whole(2, 3), 7, 5), **sample(400, reader="choices")),
        law("of the chosen, 80 % become MASK, 10 % a random word, 10 % stay: in small batches, each drawn by itself", ("80 % become `[MASK]`", "drawn **independently for each**"),
                lambda d: batch(d, 1.0, 2, 8, d.whole(40, 60), kinds=2), **sample(400, reader="outcomes")),
        law("of the chosen, 80 % become MASK, 10 % a random word, 10 % stay: in many rows", ("10 % become a random word", "10 % stay as they are"),
                lambda d: batch(d, 0.95, d.whole(380, 450), d.whole(22, 25), 50, kinds=1), **sample(8, reader="outcomes")),
        law("random words come evenly from all ids that are not special, each one drawn by itself", "Random words come evenly from all ids below `vocab_size` that are not special",
                lambda d: batch(d, 0.95, d.whole(280, 350), d.whole(22, 25), 5, kinds=1, S=d.each(5, 40)), **sample(8, reader="strange_words")),
        law("random words come evenly: each half and each tenth of a large vocabulary is as frequent as the others", "Random words come evenly from all ids below `vocab_size`",
                lambda d: batch(d, 1.0, 200, 220, d.each(1000, 300), kinds=60), **sample(4, reader="shares_of_words"), fresh=1),
        law("each word is chosen with probability rate, by itself, and random words come evenly: in small batches, from one generator as it stands", ("**independently of the others**, with probability `rate`", "probability with which a position is chosen, from 0 (none) to 1 (every word)"),
                lambda d: batch(d, d.each(0.5, 0.3), d.whole(2, 3), 7, 5), **sample(400, one_generator=True)),
        law("each word is chosen with probability rate, by itself: in long rows", "with probability `rate`", lambda d: batch(d, 0.3, 3, d.whole(300, 400), d.whole(30, 90), kinds=90), **sample(10)),
        law("random words come from all over a large vocabulary", "Random words come evenly from all ids below `vocab_size`", lambda d: batch(d, 1.0, 40, 60, d.each(1000, 300, 3000), kinds=60, S=d.each(5, 40)), **sample(4, reader="shares_of_words")),
        law("a small rate holds too", "probability with which a position is chosen, from 0 (none) to 1 (every word)", lambda d: batch(d, d.each(0.004, 0.02, 0.001), 64, 256, 30, kinds=30), **sample(3, reader="choices")),
        law("the same holds for one or two words of a vocabulary", "Random words come evenly", lambda d: batch(d, 1.0, 200, 12, d.each(1, 2), kinds=1), **sample(8)),
        law("the same holds for a batch of one row and three words, or one", "int64 (B, T), not changed", lambda d: batch(d, d.each(0.15, 0.6), 1, d.each(3, 1), 4), **sample(800)),
        law("rate is 0.15 unless it is given", "Choose 15 % of the words", lambda d: batch(d, None, d.whole(30, 40), 25, 6), **sample(10)),
    ],
    prose=("Damage a batch for masked language modelling.",),
)  # fmt: skip

# %%
with waits_for("bert_mask"):
    rows = padded([as_line(document) for document in held_out[:400]])
    x, y = bert_mask(rows, SPECIAL, MASK, VOCAB, torch.Generator().manual_seed(0))
    for k in range(2):
        print("reads:", decode(x[k].tolist()))
        print("asked:", " ".join(TOKENS[t] for t in y[k].tolist() if t != -100), "\n")
    chosen = y != -100
    counts = {
        "MASK": (x == MASK) & chosen,
        "random word": (x != rows) & (x != MASK) & chosen,
        "as it was": (x == rows) & chosen,
    }
    fig, (left, right) = plots.new_figure(10.2, 3.9, columns=2)
    kinds = torch.zeros(rows.shape)
    for value, where in zip((3.0, 2.0, 1.0), counts.values(), strict=True):
        kinds[where] = value
    left.imshow(kinds[:24, :40], cmap="Greys", vmin=0, vmax=3.3, aspect="auto")
    left.set(xlabel="position", ylabel="text", title="black: MASK, dark: random word, light: as it was")
    left.grid(False)
    total = int(chosen.sum())
    for k, where in enumerate(counts.values()):
        low, high = wilson_interval(int(where.sum()), total)
        right.bar(
            k,
            100 * int(where.sum()) / total,
            0.6,
            color=plots.COLOURS[k],
            hatch=plots.HATCHES[k],
            edgecolor="black",
        )
        right.errorbar(k, 50 * (low + high), 50 * (high - low), color="black", capsize=6)
    right.hlines(
        [80, 10, 10],
        [-0.4, 0.6, 1.6],
        [0.4, 1.4, 2.4],
        color="black",
        linestyle=(0, (2, 2)),
        label="asked for: 80, 10, 10",
    )
    right.set_xticks(range(3), list(counts))
    right.set(
        ylabel="share of the chosen words (%)",
        title=f"{total} chosen of {int((~torch.isin(rows, torch.tensor(SPECIAL))).sum())} words",
    )
    right.legend(fontsize=8)
    plots.show(fig, alt=alt_text("06_grid_24_texts"))

# %% [markdown]
# **How the check judges chance.** It draws from your function and from a right one equally often, and compares the counts by Fisher's exact test. A right function is refused by such a comparison in less than one of ten million cases.
#
# ## 5 · BERT, second task: does B follow A?
#
# To learn about whole sentences, BERT reads pairs, `[CLS] A [SEP] B [SEP]`. In half of them B is the sentence that
# followed A (label 1), in the others a random one (label 0). **Segment ids** tell the two apart: 0 up to and
# including the first `[SEP]`, then 1. The verdict is read by a linear layer from the state at `[CLS]`, of shape
# `(D,)`. (BERT has one more layer with a tanh in between. This, or a log-softmax at the end, is accepted too.)
#
# A "random" sentence may be the one that follows: then the same pair occurs with both labels. And if negatives also
# differ from positives in another way, the model can learn *that*.
#
# ### Exercise `next_sentence`
#
# `next_sentence_pairs` makes one pair for each two consecutive sentences of every document, in order; A is the first
# of the two. Each is, with probability ½, left as it is (label 1); else B becomes a random sentence of **another
# document** (label 0). The new B must not be, word for word, the sentence that follows A. Documents at two places are
# two documents, even where they hold the same sentences. Each pair is drawn independently of the others; where all
# documents are equally long and no sentence stands twice, every sentence of the other documents is equally likely.
# All randomness comes from `rng`.
#
# `PairClassifier` holds a `reader` and gives two logits per pair. The reader is a module with `reader.states(ids, segments)` → `(B, T, width)`.
#
# <details><summary>Hint 1 · nudge</summary>Write down [CLS] A [SEP] B [SEP] and count: how many zeros, how many ones do the segments have?</details>
# <details><summary>Hint 2 · idea</summary>Draw another document, draw a sentence of it; if it will not do, draw again. "Will not do" compares contents, not places: two different places can hold the same sentence.</details>
# <details><summary>Hint 3 · nearly there</summary>Segments: <code>[0] * (len(a) + 2) + [1] * (len(b) + 1)</code>. Classifier: in <code>__init__</code> keep the reader as an attribute, so that it is trained along, and a linear layer; in <code>forward</code> take <code>states[:, 0]</code>. Trap: the segments must reach the reader.</details>


# %% answer="next_sentence"
def next_sentence_pairs(
    documents: list[list[list[int]]], cls: int, sep: int, rng: random.Random
) -> list[tuple[list[int], list[int], int]]:
    """Pairs (ids, segments, label) for next-sentence prediction, one for every two neighbouring sentences.

    Args:
        documents: each a list of sentences, each a list of word ids. There are at least two documents, none is empty,
            and for every A another document has a sentence that differs from the one behind A.
        cls, sep: ids of [CLS] and [SEP].
    """
    ### BEGIN SOLUTION
    pairs = []
    for k, document in enumerate(documents):
        for a, follows in pairwise(document):
            label, b = rng.randrange(2), follows
            while label == 0 and b == follows:
                j = rng.randrange(len(documents) - 1)
                b = rng.choice(documents[j + (j >= k)])  # never document k itself
            pairs.append(([cls, *a, sep, *b, sep], [0] * (len(a) + 2) + [1] * (len(b) + 1), label))
    return pairs
    ### END SOLUTION


class PairClassifier(nn.Module):
    """A verdict on a pair: ``PairClassifier(reader, width)(ids, segments)`` takes (B, T) each and gives logits (B, 2).

    It reads the reader's state at position 0, where [CLS] stands, and no other.
    """

    def __init__(self, reader: nn.Module, width: int) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.reader = reader
        self.verdict = nn.Linear(width, 2)
        ### END SOLUTION

    def forward(self, ids: Tensor, segments: Tensor) -> Tensor:
        """ids and segments (B, T) -> (B, 2); column 1 speaks for "B follows A"."""
        ### BEGIN SOLUTION
        states = self.reader.states(ids, segments)  # (B, T, width)
        return self.verdict(states[:, 0])
        ### END SOLUTION


# %% check="next_sentence" points=1 minutes=25 difficulty=2 timeout=150
import torch

from course_utils.checks.counts import alike
from course_utils.checks.promises import Ask, Case, Draw, call, law, promise, promises, same, unchanged
from course_utils.lessons.sentence_ways import calm
from solutions.reference import pretraining

HERE = "course_utils.lessons.sentence_ways."


def written(d: Draw, sizes, cls_sep=None, pool=0, words=(0, 6), halves=False):
    """Documents of so many sentences each: all different, or (pool > 0) of so many kinds, also twice in one document.

    ``halves``: in each document as many sentences are short as are long, in any order.
    """
    kinds = [[10 + k, *(d.whole(10, 400) for _ in range(d.whole(*words)))] for k in range(pool or sum(sizes))]
    if halves:
        lengths = [length for n in sizes for length in d.rng.sample([1, 4] * (n // 2), n)]
        kinds = [[10 + k, *(d.whole(10, 400) for _ in range(length))] for k, length in reversed([*enumerate(lengths)])]
    if pool:
        documents = [d.rng.choices(kinds, k=n) for n in sizes] + 2 * [kinds[:2]]
    else:
        documents = [[kinds.pop() for _ in range(n)] for n in sizes]
    return documents, *(cls_sep or d.sample(10, 2)), d.seeded("python")


def shuffled(d: Draw, documents):
    """The documents in any order, each a list of its own."""
    return [[*document] for document in d.rng.sample(documents, len(documents))], *d.sample(10, 2), d.seeded("python")


def nearly(d: Draw):
    """One document has two sentences by turns; each other document has one sentence, nearly the second one."""
    f = [*d.rng.sample(range(20, 900), d.each(4, 20)), 112, 13]
    a, middle = [950, *f[:2]], len(f) // 2
    longer, shorter = [[*f, 951], [*f, 13], [f[0], *f], [951, *f]], [f[:-1], f[:1], f[1:], f[-1:]]
    changed = [[951, *f[1:]], [*f[:middle], 951, *f[middle + 1 :]], [*f[:-1], 951]]
    alike = [f[::-1], [*f[:-2], 13, 112], [f[0] + 1, f[1] - 1, *f[2:]], [*f[:-2], 11, 213]]  # in words, sum, figures
    return shuffled(d, [[f, a] * 3 + [f], *([b] for b in [*longer, *shorter, *changed, *alike, a, [951, 952]])])


def beside(d: Draw):
    """As before, but each other document has a sentence beside the near one that is unlike: who leaves out the near one has it."""
    (near, cls, sep, rng) = nearly(d)
    own = max(near, key=len)
    others = [one for one in near if one is not own]
    return [own, *([one, [960 + n]] * 4 for n, (one,) in enumerate(d.rng.sample(others, 4)))], cls, sep, rng


def twins(d: Draw):
    """Documents that hold the same sentences as another, or begin as it does."""
    one, two = ([[10 * k + i, *(d.whole(50, 400) for _ in range(d.whole(0, 2)))] for i in range(3)] for k in (2, 3))
    more = [] if d.small else [[one, one]]  # there who compares what documents hold may draw without end
    return shuffled(d, d.each([one, one, [one[0], *two]], [one, two, one, two], *more))


def rarely(d: Draw):
    """One document says a sentence again and again; so do all others but two, of one sentence each."""
    f, *more = ([10 + k, *(d.whole(10, 400) for _ in range(d.whole(0, 2)))] for k in range(3))
    return shuffled(d, [[f] * 6, *([f] for _ in range(60)), *([b] for b in more)])


def all_come(cases, calls=300):
    return {"cases": cases, "fresh": 3, "ask": Ask(HERE + "reach", (call("next_sentence_pairs"), calls)), "agree": same(), "want": True, "trouble": False, "far": False}


def lots(calls, one_generator=False):
    return {"ask": call("next_sentence_pairs"), "reader": HERE + "lots", "calls": calls, "one_generator": one_generator}


def over_a_reader(d: Draw, far=()):
    B, T, D = d.sizes(B=(1, 5), T=(2, 9), D=(4, 16))
    T = d.each(T, 36) if d.small else d.each(T, 24, 70, *far)
    tables = {name: calm(T) * torch.randn(*size, generator=d.torch) for name, size in (("word", (9, D)), ("segment", (2, D)), ("mixing", (T, T)))}
    return Case((tables, d.ids(B, T, low=0, high=8), d.ids(B, T, low=0, high=1)), setup={"seed": d.whole(0, 10**9)})


def verdicts(way):
    return {"ask": Ask(HERE + way, ("PairClassifier",)), "agree": same(), "want": True, "trouble": False, "far": False, "returns": ()}


promises(
    reference={"next_sentence_pairs": pretraining.next_sentence_pairs, "PairClassifier": pretraining.PairClassifier},
    agree=same(view=HERE + "pair_rules"),
    returns=("the pairs",),
    always=(unchanged,),
    random=("next_sentence_pairs",),
    shares={"next_sentence_pairs": 0.6, "PairClassifier": 0.4},
    kept=[
        promise("one pair [CLS] A [SEP] B [SEP] for every two neighbours of a document, in order, with its segments and its label",
                ("Pairs (ids, segments, label) for next-sentence prediction, one for every two neighbouring sentences", "0 up to and including the first `[SEP]`, then 1", "in order; A is the first of the two", "ids of [CLS] and [SEP]"),
                lambda d: written(d, [d.whole(3, 6) for _ in range(12)], cls_sep=d.each((1, 2), (7, 4), None)), visible=3),
        promise("documents may have many sentences, each pair of neighbours counts", "one for every two neighbouring sentences", lambda d: written(d, [d.whole(9, 12), 2, d.each(40, 25)], words=(0, 6) if d.small else d.each((0, 6), (280, 300))), trouble=False, fresh=2),
        promise("two documents, and documents of one or two sentences, are enough", "There are at least two documents", lambda d: written(d, d.each([2, 2], [1, 2, 1], [2, 3])), trouble=False, visible=3),
        promise("B of a negative is never, word for word, the sentence that follows A, even if it stands elsewhere too", "The new B must not be, word for word, the sentence that follows A",
                lambda d: written(d, [4] * 24, pool=d.each(3, 5, 6, 9)), trouble=False),
        promise("every sentence of every other document can become B, however long the documents are", ("each a list of sentences, each a list of word ids", "B becomes a random sentence of **another document** (label 0)"),
                lambda d: written(d, [1, d.whole(2, 3), d.whole(4, 6)]), ask=Ask("drawn", (call("next_sentence_pairs"), 200)), agree=same(view=HERE + "reached"), trouble=False, far=False, visible=1, fresh=3),
        promise("a sentence that differs from the one that follows A in anything can become B", ("The new B must not be, word for word, the sentence that follows A", "B becomes a random sentence of **another document** (label 0)"), **all_come(nearly)),
        promise("so can one that stands beside an unlike sentence in its document", "every sentence of the other documents is equally likely", **{**all_come(beside, 120), "visible": 1}),
        promise("documents at two places are two documents, even where they hold the same sentences", "Documents at two places are two documents, even where they hold the same sentences", **all_come(twins)),
        promise("all randomness comes from rng", "All randomness comes from `rng`", lambda d: written(d, [4] * 20), ask=alike("next_sentence_pairs"), agree=same(), trouble=False, far=False),
        law("each pair is left as it is with probability ½; every sentence of the other documents is as likely as any other, each drawn by itself: few documents", ("with probability ½, left as it is (label 1)", "every sentence of the other documents is equally likely"),
            lambda d: written(d, [d.each(4, 3, 4)] * d.whole(3, 4)), **lots(400)),
        law("short and long sentences are as likely to be B, whatever the length of the one that follows A", "every sentence of the other documents is equally likely", lambda d: written(d, [4] * 4, halves=True), **{**lots(400), "reader": HERE + "lengths_alike"}),
        law("half of the pairs have label 1, each by a coin of its own, also where many sentences are alike and a negative is often drawn anew", "Each is, with probability ½, left as it is (label 1)",
            lambda d: written(d, [5] * 6, pool=d.each(2, 3)), ask=call("next_sentence_pairs"), reader=HERE + "coins", calls=400, one_generator=False),
        law("half of the pairs have label 1 also where nearly every draw must be made anew: draw until a sentence will do", ("Each is, with probability ½, left as it is (label 1)", "for every A another document has a sentence that differs from the one behind A"),
            rarely, ask=call("next_sentence_pairs"), reader=HERE + "coins", calls=300, one_generator=False, fresh=1),
        law("the same holds for many documents and one generator as it stands", "Each pair is drawn independently of the others", lambda d: written(d, [4] * d.whole(14, 24)), **lots(60, one_generator=True)),
        law("the pairs of a long document are drawn independently, too", "Each pair is drawn independently of the others", lambda d: written(d, [d.each(12, 50)] * 4, words=(0, 1)), **{**lots(24), "visible": 0}),
        law("of a thousand documents, too, every other one is as likely to give B, and thousands of pairs are drawn independently", ("every sentence of the other documents is equally likely", "Each pair is drawn independently of the others"),
            lambda d: written(d, [5] * d.whole(950, 1050), words=(0, 0)), **{**lots(1), "reader": HERE + "eighths", "visible": 0, "fresh": 1}),
        promise("the verdict is two logits, read off the reader's state at position 0, which got the pair's ids and segments",
                ("takes (B, T) each and gives logits (B, 2)", "by a linear layer", "It reads the reader's state at position 0, where [CLS] stands, and no other", 'ids and segments (B, T) -> (B, 2)'), lambda d: over_a_reader(d, far=(300,)), **verdicts("reads")),
        promise("the reader that is given is trained along, and so is the classifier", "holds a `reader`", over_a_reader, **verdicts("trains")),
        promise("over a small reader it learns a task that needs the segments", "The reader is a module with `reader.states(ids, segments)`", lambda d: (d.whole(0, 1000),), visible=0, fresh=1, **verdicts("learns")),
    ],
    prose=('column 1 speaks for "B follows A"', "A verdict on a pair"),
)  # fmt: skip

# %% [markdown]
# Does it learn anything? A short training, and verdicts on held-out documents in four groups: B names A's person; B
# names another person; only B names someone; B names nobody. Two controls: What would always giving a group's more
# frequent answer score? And what would **form alone** score? This is a table without names: for each sort of A and of
# B, it gives the more frequent label of the training pairs. (Here the sort of a sentence is which of the words
# *owns*, *wants*, *still*, *saw*, *goes* it holds.)
#

# %%
accuracy_by_group = {}
with waits_for("next_sentence"):
    train_pairs = next_sentence_pairs(documents, CLS, SEP, random.Random(1))
    test_pairs = next_sentence_pairs(held_out, CLS, SEP, random.Random(2))
    print(decode(train_pairs[0][0]), "| label", train_pairs[0][2])
    torch.manual_seed(0)
    judge = PairClassifier(Reader(VOCAB, LONGEST, layers=1), 64)

    def pair_tensors(pairs):
        """Ids (B, T), segments (B, T), labels (B,)."""
        return (
            padded([p[0] for p in pairs]),
            padded([p[1] for p in pairs]),
            torch.tensor([p[2] for p in pairs]),
        )

    def pair_loss(draw):
        ids, segments, labels = pair_tensors(draw.sample(train_pairs, 64))
        return F.cross_entropy(judge(ids, segments), labels)

    begin = time.perf_counter()
    train_reader(judge, pair_loss, 450)
    with torch.no_grad():
        ids, segments, labels = pair_tensors(test_pairs)
        right = judge.eval()(ids, segments).argmax(-1) == labels
    people = set(encode(" ".join(NAMES)))
    first, second = (
        [{i for i, s in zip(row, seg, strict=True) if s == side} for row, seg, _ in test_pairs]
        for side in (0, 1)
    )
    groups = {
        "all pairs": [True] * len(second),
        "B names A's person": [bool(b & a & people) for a, b in zip(first, second, strict=True)],
        "B names another": [
            bool(a & people) and bool(b & people) and not b & a & people
            for a, b in zip(first, second, strict=True)
        ],
        "only B names someone": [
            not a & people and bool(b & people) for a, b in zip(first, second, strict=True)
        ],
        "B names nobody": [not b & people for b in second],
    }
    accuracy_by_group = {
        name: (int(right[torch.tensor(keep)].sum()), sum(keep)) for name, keep in groups.items()
    }
    # share of label 1
    positives = {name: labels[torch.tensor(keep)].float().mean().item() for name, keep in groups.items()}
    # what always the more frequent label scores
    majority = {name: max(share, 1 - share) for name, share in positives.items()}
    marks = encode("owns wants still saw goes")

    def form(row, seg):
        """Which of the marks stand in A (0) and in B (1)."""
        return tuple((i, side) for i, side in zip(row, seg, strict=True) if i in marks)

    votes = Counter()  # the more frequent label of each form, counted on the training pairs
    for row, seg, label in train_pairs:
        votes[form(row, seg)] += 2 * label - 1
    by_form = torch.tensor([(votes[form(row, seg)] > 0) == bool(label) for row, seg, label in test_pairs])
    form_alone = {name: by_form[torch.tensor(keep)].float().mean().item() for name, keep in groups.items()}
    print(f"{time.perf_counter() - begin:.0f} s; held out, right verdicts with their 95 % interval:")
    for name, (k, n) in accuracy_by_group.items():
        low, high = wilson_interval(k, n)
        verdicts = [
            "better" if low > bar else "worse" if high < bar else "no clear difference"
            for bar in (majority[name], form_alone[name])
        ]
        print(
            f"{name:>21}: {k / n:5.1%} of {n} pairs ({low:.1%} to {high:.1%}); "
            f"always {int(positives[name] >= 0.5)} scores {majority[name]:.1%}: {verdicts[0]}; "
            f"form alone {form_alone[name]:.1%}: {verdicts[1]}"
        )

# %%
with waits_for("next_sentence"):
    if not accuracy_by_group:
        raise NotImplementedError
    fig, (ax,) = plots.new_figure(9.0, 3.9)
    for k, (name, (good, n)) in enumerate(accuracy_by_group.items()):
        low, high = wilson_interval(good, n)
        ax.errorbar(
            k - 0.12,
            100 * good / n,
            [[100 * (good / n - low)], [100 * (high - good / n)]],
            color=plots.COLOURS[0],
            marker="o",
            markersize=8,
            capsize=6,
            label="the model, with its interval" if k == 0 else None,
        )
        for bar, dashes, told in (
            (majority[name], "-", "always the group's more frequent label"),
            (form_alone[name], (0, (2, 1)), "form alone, blind to names"),
        ):
            ax.hlines(
                100 * bar,
                k + 0.02,
                k + 0.38,
                color="black",
                linewidth=2.5,
                linestyle=dashes,
                label=told if k == 0 else None,
            )
            ax.annotate(
                f"{100 * bar:.0f}",
                (k + 0.2, 100 * bar),
                (0, 3),
                textcoords="offset points",
                ha="center",
                fontsize=9,
            )
    ax.set_xticks(
        range(len(accuracy_by_group)), [f"{name}\n({n} pairs)" for name, (_, n) in accuracy_by_group.items()]
    )
    ax.set(
        ylabel="right verdicts on held-out pairs (%)",
        ylim=(40, 109),
        xlim=(-0.5, len(accuracy_by_group) - 0.5),
    )
    ax.grid(False, axis="x")
    fig.legend(loc="outside lower center", ncols=3, fontsize=9, frameon=False)
    spoken = ", ".join(
        f"{name} {100 * good / n:.0f} against {100 * majority[name]:.0f} and "
        f"{100 * form_alone[name]:.0f} percent"
        for name, (good, n) in accuracy_by_group.items()
    )
    plots.show(fig, alt=alt_text("06_dots_95_percent", spoken=spoken))

# %% [markdown]
# Within a group the labels are not equally frequent: compare with the black lines, not with 50 %. A document names
# only one person, so where *B names another*, the label is 0, and one who compares the names is right every time.
# **Form** helps in the three other groups: facts stand only at the beginning, and no sort comes twice. Four trainings
# with other weights and other pairs, from the lowest to the highest:
#
# | | the model | form alone | the more frequent label |
# |---|---:|---:|---:|
# | all pairs | 78 to 82 % | 79 to 81 % | 50 to 52 % |
# | B names A's person | 95 to 97 % | 95 to 97 % | 85 to 89 % |
# | B names another | 70 to 76 % | 67 to 70 % | 100 % |
# | only B names someone | 81 to 82 % | 81 to 82 % | 51 to 54 % |
# | B names nobody | 66 to 74 % | 69 to 75 % | 52 to 58 % |
#
# So the model scores hardly more than form alone would; whether it uses form, these shares do not show. And a score
# *better* than that of the more frequent label does not show that names were compared. Where B names another, two of
# the four models were 5 to 6 points above form alone, two not at all, and comparing names would have given 30 points
# more. One number over all pairs hides this. In real text much of this task can be solved by topic (Lan et al.,
# 2020), and leaving it out did BERT no harm (Liu et al., 2019).
#
# ## 6 · T5: whole spans, and everything is text
#
# T5 takes **spans** out, puts one **sentinel** in each place, and lets a decoder write what is missing, each span after its sentinel (Raffel et al., 2020):
#
# | | |
# |---|---|
# | text | `anna saw the bank by the river .` |
# | source | `anna <0> by the <1> .` |
# | target | `<0> saw the bank <1> river <2>` |
#
# The sentinel says *which* gap; the decoder has to find out its length. One more sentinel ends the target. For a text of $n$ words, with `rate` $r$ and `mean_length` $\mu \ge 1$:
#
# $$ m = \min(\max(\mathrm{round}(r n), 1),\, n-1), \qquad k = \min\big(\max(\mathrm{round}(m/\mu), 1),\; n - m + 1,\; S - 1\big) $$
#
# where $m$ words are removed in $k$ spans, and $S$ is the number of sentinels. Spans are not empty and do not touch: at least one word stays between two of them. Texts of fewer than two words stay whole: source = text, target = the first sentinel.
#
# ### Exercise `t5_spans`
#
# Any random placement will do, as long as the length of each span varies (where there are two spans or more, and more
# removed words than spans) and every word, the first and the last included, has a fair chance to be removed. (In the
# check's several hundred draws every word is removed at least once, every such span has at least two lengths, and a
# single span begins at every place where it fits.) Where $r n$ or $m/\mu$ lies halfway between two whole numbers,
# either is right.
#
# `t5_restore` puts the text together again; a sentinel that the target lacks is replaced by nothing. The closing
# sentinel may be missing too. In a target no sentinel comes twice or out of order, and no word stands before the first
# or behind the closing one.
#
# <details><summary>Hint 1 · nudge</summary>The m words make k spans; the n − m others stand before, between and behind them. Which of these groups may be empty?</details>
# <details><summary>Hint 2 · idea</summary>Cut points drawn without repetition, <code>sorted(rng.sample(range(1, m), k - 1))</code>, make k non-empty lengths. The same works for the k + 1 gaps; only the two outer ones may be empty.</details>
# <details><summary>Hint 3 · nearly there</summary>For the gaps, cut n − m + 2 into k + 1 non-empty parts and take one off the first and one off the last. Then walk along the text: gap, sentinel, span, gap, … Trap in restoring: a span may have several words, so collect until the next sentinel.</details>


# %% answer="t5_spans"
def t5_spans(
    ids: list[int], sentinels: list[int], rng: random.Random, rate: float = 0.15, mean_length: float = 3.0
) -> tuple[list[int], list[int]]:
    """Take spans out of a text.

    Args:
        ids: n word ids; no sentinel among them.
        sentinels: S ids, at least two; the i-th span's place is taken by the i-th.
        rng: source of all randomness.

    Returns:
        source: the text with one sentinel for each span; target: sentinel, span, sentinel, span, …, closing sentinel.
    """
    ### BEGIN SOLUTION
    n = len(ids)
    if n < 2:
        return list(ids), [sentinels[0]]
    m = min(max(round(rate * n), 1), n - 1)
    k = min(max(round(m / mean_length), 1), n - m + 1, len(sentinels) - 1)
    cuts = [0, *sorted(rng.sample(range(1, m), min(k, m) - 1)), m]
    # a gap between two spans needs a word, an outer one does not: so choose among n - m + 1 places to put a span
    places = sorted(rng.sample(range(n - m + 1), len(cuts) - 1))
    source, target, end = [], [], 0
    for i, place in enumerate(places):
        begin, stop = place + cuts[i], place + cuts[i + 1]
        source += [*ids[end:begin], sentinels[i]]
        target += [sentinels[i], *ids[begin:stop]]
        end = stop
    return source + list(ids[end:]), [*target, sentinels[len(places)]]
    ### END SOLUTION


def t5_restore(source: list[int], target: list[int], sentinels: list[int]) -> list[int]:
    """The text from which source and target were made."""
    ### BEGIN SOLUTION
    spans, current = {}, None
    for token in target:
        if token in sentinels:
            current = token
            spans[current] = []
        elif current is not None:
            spans[current].append(token)
    text = []
    for token in source:
        text += spans.get(token, []) if token in sentinels else [token]
    return text
    ### END SOLUTION


# %% check="t5_spans" points=1 minutes=30 difficulty=3
from course_utils.checks.counts import alike
from course_utils.checks.promises import Ask, Draw, call, promise, promises, repeatable, same, unchanged
from course_utils.lessons.t5_ways import counts
from solutions.reference import pretraining

HERE = "course_utils.lessons.t5_ways."


def text(d: Draw, n, rate=0.15, mean=3.0, S=9, kinds=900):
    """A text of n words or a few more, so that rounding is clear; any ids and sentinels, in any order."""
    while n > 1 and counts(n, S, rate, mean) is None:
        n += 1
    words = d.sample(900, n) if kinds == 900 else [d.whole(0, kinds - 1) for _ in range(n)]
    first, mark = d.each((100, 0), (0, 1000), (5000, 40))
    return [first + word for word in words], [mark + k for k in d.sample(90, S)], d.seeded("python"), rate, mean


def calls(view, times, **more):
    return {"ask": Ask("drawn", (call("t5_spans"), times)), "agree": same(view=HERE + view), "trouble": False, "far": False, "returns": ()} | more


def torn(d: Draw, lacking=False, same_words=False, longest=4):
    """Source, target, sentinels that another program made, ids in any order; ``lacking``: the target has not all spans."""
    marks, k, top = [3 * mark + 1 for mark in d.sample(300, 6)], d.whole(1, 4), 2 if same_words else d.each(300, 20000)
    heaps = [[3 * d.rng.choice((0, *(d.whole(0, top) for _ in range(5)))) for _ in range(d.whole(1, longest))] for _ in range(2 * k)]
    source = [token for mark, stays in zip(marks, heaps[k:], strict=False) for token in (mark, *stays)]
    spans = [[mark, *heap] for mark, heap in zip(marks, heaps[:k], strict=False)]
    if lacking:
        del spans[d.whole(0, k - 1)]
    return ([0] if d.each(True, False) else []) + source, [*(token for span in spans for token in span), *([marks[k]] if d.each(True, False) else [])], marks


promises(
    reference={"t5_spans": pretraining.t5_spans, "t5_restore": pretraining.t5_restore},
    agree=same(view=HERE + "span_rules"),
    returns=("the parts",),
    always=(unchanged, repeatable),
    random=("t5_spans",),
    kept=[
        promise("the source has a sentinel for each span, the target has the spans behind their sentinels and one sentinel more",
                ("source: the text with one sentinel for each span", "target: sentinel, span, sentinel, span, …, closing sentinel", "the i-th span's place is taken by the i-th", "n word ids", "no sentinel among them"), lambda d: text(d, d.each(40, 17, 60)), far=False, visible=3),
        promise("m words are removed in k spans, as the formulas say", ("where $m$ words are removed in $k$ spans", "Spans are not empty and do not touch"),
                lambda d: text(d, *d.each((40, 0.15, 3.0), (15, 0.15, 3.0), (17, 0.15, 3.0), (27, 0.15, 3.0), (33, 0.15, 3.0), (20, 0.9, 2.0), (46, 0.15, 1.0), (25, 0.9, 4.0), (12, 0.05, 3.0), (30, 0.6, 1.0), (40, 0.3, 20.0), (200, 0.3, 14.0), (30, 0.2, 90.0), (d.whole(8, 60), d.uniform(0.1, 0.8), d.uniform(1.0, 5.0)), (d.whole(40, 300), d.uniform(0.1, 0.8), d.uniform(5.0, 40.0)))), **calls("each_by_rules", 12, visible=8, fresh=26)),
        promise("there are never more spans than S - 1", "S ids, at least two", lambda d: text(d, 40, 0.5, d.each(3.0, 2.0), S=d.each(2, 4, 3)), **calls("each_by_rules", 12, visible=3)),
        promise("texts of 2 to 4 words lose one or more, and keep one at least", "\\min(\\max(\\mathrm{round}(r n), 1),\\, n-1)", lambda d: text(d, d.each(2, 3, 4), d.each(0.15, 0.95)), **calls("each_by_rules", 12, visible=3)),
        promise("texts of fewer than two words stay whole", "Texts of fewer than two words stay whole: source = text, target = the first sentinel", lambda d: text(d, d.each(0, 1)), far=False),
        promise("words may come several times", "n word ids", lambda d: text(d, 38, d.each(0.15, 0.5), kinds=d.each(3, 1), S=6), **calls("each_by_rules", 6)),
        promise("rate is 0.15 and mean_length 3 unless they are given", "with `rate` $r$ and `mean_length` $\\mu \\ge 1$", lambda d: text(d, d.each(40, 60, 27))[:3], **calls("each_by_rules", 6)),
        promise("every word is removed at times, the first and the last included, and the length of each span varies",
                ("as long as the length of each span varies", "and every word, the first and the last included, has a fair chance to be removed"), lambda d: text(d, *d.each((20, 0.3, 1.5), (40, 0.15, 3.0), (20, 0.15, 1.5), (20, 0.25, 1.3))), **calls("fair", 500, fresh=4, visible=2)),
        promise("in long texts, too, every word is removed at times, and the length of each span varies", "every word, the first and the last included, has a fair chance to be removed", lambda d: text(d, d.whole(115, 130), 0.3, 4.0), **calls("fair", 200, fresh=1, visible=0)),
        promise("the few spans of a long text come from all over it", "every word, the first and the last included, has a fair chance to be removed", lambda d: text(d, d.whole(160, 240), 0.05, 10.0), **calls("all_over", 200, fresh=1, visible=0)),
        promise("a single span can stand anywhere, at both ends too", "and every word, the first and the last included, has a fair chance to be removed", lambda d: text(d, *d.each((9, 0.33, 3.0), (14, 0.2, 4.0), (5, 0.4, 4.0), (2, 0.15, 3.0), (3, 0.3, 3.0), (3, 0.7, 3.0), (4, 0.3, 1.0))), **calls("anywhere", 300, fresh=7, visible=3)),
        promise("all randomness comes from rng", "source of all randomness", lambda d: text(d, 40, 0.3), ask=alike("t5_spans"), agree=same(), trouble=False, far=False),
        promise("t5_restore gives back the text of t5_spans", "The text from which source and target were made", lambda d: text(d, d.each(40, 20, 2, 1, 0), d.each(0.15, 0.5)), ask=Ask(HERE + "restored", ("t5_restore",)), agree=same(), trouble=False, far=False, visible=3),
        promise("t5_restore gives back any text, whoever made source and target", "`t5_restore` puts the text together again", lambda d: torn(d, same_words=d.each(False, True), longest=4 if d.small else d.each(4, 4, 80)), ask=call("t5_restore"), agree=same(), returns=("the text",), visible=3),
        promise("a sentinel that the target lacks is replaced by nothing", "a sentinel that the target lacks is replaced by nothing", lambda d: torn(d, lacking=True), ask=call("t5_restore"), agree=same(), returns=("the text",), visible=4),
    ],
    prose=("Take spans out of a text",),
)  # fmt: skip

# %% [markdown]
# > **What is wrong here?** *"T5's encoder is given just what BERT is given."* Count it on our corpus: how long is what each model reads, at how many places is it asked, how much does it write?
#

# %%
with waits_for("bert_mask and t5_spans"):
    draw, rng = random.Random(0), torch.Generator().manual_seed(0)
    texts = [flat(document) for document in held_out]
    spans = [t5_spans(text, SENTINELS, draw) for text in texts]
    asked = [
        int((bert_mask(torch.tensor([text]), SPECIAL, MASK, VOCAB, rng)[1] != -100).sum()) for text in texts
    ]
    mean = {
        "the text": sum(map(len, texts)) / len(texts),
        "BERT reads": sum(map(len, texts)) / len(texts),
        "BERT is asked": sum(asked) / len(texts),
        "T5 reads": sum(len(source) for source, _ in spans) / len(spans),
        "T5 writes": sum(len(target) for _, target in spans) / len(spans),
    }
    example_source, example_target = spans[0]
    print(
        "text:  ", decode(texts[0]), "\nsource:", decode(example_source), "\ntarget:", decode(example_target)
    )
    print({name: round(value, 1) for name, value in mean.items()})
    fig = plots.bars(mean, "tokens per text, mean")
    plots.show(
        fig,
        alt=alt_text(
            "06_bars_mean_tokens", told=", ".join((f"{name} {value:.1f}" for name, value in mean.items()))
        ),
    )

# %% [markdown]
# <details><summary>What is wrong</summary>
# BERT's input keeps the length of the text: one MASK for one word. T5's is shorter: one sentinel for a whole span. BERT answers each place by itself. T5 writes one token after the other, and so decides how many.
# </details>
#

# %% [markdown]
# ## 7 · Four models, five probes
#
# Now the four are trained on one corpus with your objectives (BERT with its first task only). All are 64 wide; ELMo
# has an LSTM of 64 in each direction, so the linear heads of the probes read twice as many numbers from it; GPT and
# BERT have two Transformer layers, T5 two that read and one that writes. They train for 1,200 to 1,800 steps of 32
# texts.
#
# | probe | the question | what a right answer takes |
# |---|---|---|
# | `blank` | *the farmer ▢ ropes .* One word is missing | the verb is fixed by subject **and** object; either alone leaves three verbs |
# | `tag` | *anna saw the **bank** by the river .* Nature or town? Read linearly from the frozen state at `bank` | a state that has read what comes later |
# | `continue` | the two facts are given; write two more sentences, drawn word by word | grammar, memory of the facts and of what was written |
# | `gap` | *the snail goes ▢…▢ uphill .* One to four words are missing, nobody says how many | both sides, and an answer that knows its own length |
# | `classify` | nature or town, read linearly from the mean state of the sentence | any state that has seen the cue |
#
# GPT and ELMo write from the left; in a gap, their answer ends before the word that stands after the gap. In `blank`,
# ELMo adds the logarithms of its two predictions. BERT gets one MASK in `blank` and two in `gap`; in `continue` it
# fills masks from left to right. T5 gets a sentinel; in training its share of removed words is drawn anew for each
# text, from 4 to 30 %.
#
#

# %%
from course_utils.corpora.stories import AMBIGUOUS, KINDS, SENSES, VERBS, senses, tags
from course_utils.lessons.probe_models import (
    MODELS,
    Parts,
    Seq2Seq,
    new_model,
    read_out,
    states_of,
    text_loss,
    train_by,
    written,
)
from course_utils.lessons.probe_runs import (
    PROBES,
    answers,
    in_words,
    scores_of,
    table_figure,
    texts_for,
    train_on,
)
from course_utils.lessons.transfer import kept
from course_utils.notebook.session import hand_in

OWN_SEED = 6  # of your own run; another seed is another corpus, other weights and other questions
parts = Parts(Elmo, elmo_loss, causal_loss, bert_mask, t5_spans)
exercise_of = {"ELMo": "elmo", "GPT": "leak", "BERT": "bert_mask", "T5": "t5_spans"}
answers_of = {
    "ELMo": ("Elmo", "elmo_loss"),
    "GPT": ("causal_loss",),
    "BERT": ("bert_mask",),
    "T5": ("t5_spans",),
}
models = {}
for name in MODELS:
    path = course.work / f"{name.lower()}.safetensors"
    models[name], _ = kept(
        path,
        # weights that an earlier version of your answer trained are not used
        texts_for(path, OWN_SEED, answers_of[name]),
        lambda name=name: new_model(name, parts, OWN_SEED),
        lambda model, name=name: train_on(name, model, parts, OWN_SEED),
        exercise_of[name],
    )

# %% [markdown]
# ### Exercise `compare`
#
#
# - `exact_share` scores. An answer counts only if it is the right one **as a whole**: `bit by` is not `bit by bit`.
# - `summary` says how sure we are. A *run* is one seed: a dictionary `{"seed": 600, "scores": {"ELMo": {"blank": 0.5, …}, …}}`. For every model and probe it gives `mean_interval(values)`, that is `(mean, low, high)`, over the seeds. The same seed twice is still **one** run (the first counts).
# - `alone` decides. A model is alone at a probe if **in every seed** it is ahead of **every** other model by `margin` or more. Otherwise the answer is None.
#
# With fewer than three different seeds, `summary` and `alone` raise `ValueError`. Only the three functions are
# judged, on random scores; your own models and their table are not. `exact_share` gets two lists of equal length, at
# least 1, and `alone` at least two models.
#
# *A small example*, scores of `A` and `B` in three runs: (.9, .7), (.8, .6), (.7, .5). Means .8 and .6; the intervals overlap widely. Yet with a margin of 0.1, `A` is alone, since **within** every run it leads by .2.
#
# <details><summary>Hint 1 · nudge</summary>After averaging over the runs, you cannot see what happened within a run.</details>
# <details><summary>Hint 2 · idea</summary>A dictionary from seed to run removes repeated seeds; <code>setdefault</code> keeps the first. Both functions begin like this: hence the helper <code>different_seeds</code>.</details>
# <details><summary>Hint 3 · nearly there</summary>For <code>alone</code>: sort each run's models by score; is the first ahead of the second by the margin? Then its name, else None. All runs must give the same name. Compare with <code>margin - 1e-9</code>, since 0.3 − 0.2 is a little less than 0.1 for a computer.</details>


# %% answer="compare"
from course_utils.metrics import mean_interval


def exact_share(answers: list[list[int]], right: list[list[int]]) -> float:
    """Share (0..1) of answers that equal the right one at the same place of the list, in all words and in length."""
    ### BEGIN SOLUTION
    return sum(list(said) == list(true) for said, true in zip(answers, right, strict=True)) / len(right)
    ### END SOLUTION


def different_seeds(runs: list[dict]) -> list[dict]:
    """One run per seed, the first of each. Raises ValueError for fewer than three. (A helper; do without it if you like.)"""
    ### BEGIN SOLUTION
    by_seed = {}
    for run in runs:
        by_seed.setdefault(run["seed"], run)
    if len(by_seed) < 3:
        raise ValueError("three seeds at least: fewer show nothing about the next one")
    return list(by_seed.values())
    ### END SOLUTION


def summary(runs: list[dict]) -> dict:
    """``{model: {probe: (mean, low, high)}}`` over the different seeds, with ``mean_interval``.

    Args:
        runs: each ``{"seed": …, "scores": {model: {probe: share}}}``; all have the same models and probes.

    Raises:
        ValueError: fewer than three different seeds.
    """
    ### BEGIN SOLUTION
    chosen = different_seeds(runs)
    scores = chosen[0]["scores"]
    return {
        model: {probe: mean_interval([run["scores"][model][probe] for run in chosen]) for probe in scores[model]}
        for model in scores
    }
    ### END SOLUTION


def alone(runs: list[dict], probe: str, margin: float = 0.1) -> str | None:
    """The model that in every seed leads every other model by at least ``margin`` at this probe; None if there is none.

    Raises:
        ValueError: fewer than three different seeds.
    """
    ### BEGIN SOLUTION
    leaders = set()
    for run in different_seeds(runs):
        (first, name), (second, _) = sorted(((s[probe], model) for model, s in run["scores"].items()), reverse=True)[:2]
        leaders.add(name if first - second >= margin - 1e-9 else None)
    return leaders.pop() if len(leaders) == 1 else None
    ### END SOLUTION


# %% [markdown]
# Three runs with other seeds come with the course, your own is added. If an exercise above is still open, the three given runs are enough for this one.
#

# %%
import json

given = json.loads((course.data / "measured" / "probe_table.json").read_text(encoding="utf-8"))
runs = list(given["runs"])
with waits_for("compare"):
    if all(models.values()):
        said = {name: answers(name, model, OWN_SEED) for name, model in models.items()}
        own = {name: scores_of(found, exact_share) for name, found in said.items()}
        runs.append({"seed": OWN_SEED, "scores": own})
        verbs, blank = [encode(verb) for verb in VERBS], said["T5"]["blank"][0]
        print(
            "your run, seed",
            OWN_SEED,
            {name: {probe: round(s, 2) for probe, s in found.items()} for name, found in own.items()},
        )
        print(
            f"T5's answers to the blanks: {sum(words in verbs for words in blank) / len(blank):.0%} are "
            f"one verb, {own['T5']['blank']:.0%} the right one"
        )
    for probe, text in PROBES.items():
        shown = ", ".join(
            f"{name} {mean:.2f} ({low:.2f} to {high:.2f})"
            for name, (mean, low, high) in ((m, found[probe]) for m, found in summary(runs).items())
        )
        print(f"{text}: {shown}; alone: {alone(runs, probe) or 'nobody'}")

# %% check="compare" points=1 minutes=35 difficulty=2
from course_utils.checks.promises import Ask, Draw, call, close, promise, promises, repeatable, same, unchanged
from solutions.reference import probes


def heard(d: Draw, n=(6, 12), words=(1, 4), kinds="rrlcoespj"):
    """Answers that are right, too long, cut, partly other, empty, right elsewhere, permuted, or run together; and the right ones, all different."""
    count, right = d.sizes(n=n)[0], []
    while len(right) < count:
        word = [d.whole(1, 130) for _ in range(d.whole(*words))]
        right += [word] * (word not in right)
    ways = {"r": lambda k, t: t, "l": lambda k, t: [*t, 61], "c": lambda k, t: t[:-1], "o": lambda k, t: [*t[:-1], 62],
            "e": lambda k, t: [], "s": lambda k, t: right[k - 1], "p": lambda k, t: t[::-1], "j": lambda k, t: [int("".join(map(str, t[:2]))), *t[2:]]}  # fmt: skip
    return [list(ways[d.rng.choice(kinds)](k, t)) for k, t in enumerate(right)], right


def measured(d: Draw, seeds=(3, 7), models=(2, 4), tasks=(1, 3), again=0):
    """Runs that go up and down with their seed; ``again`` of the seeds come once more, with other scores."""
    k, m, t = d.sizes(far=None, seeds=seeds, models=models, tasks=tasks)
    names, found = [f"{d.rng.choice('KLMN')}{n}" for n in range(m)], []
    numbers = d.sample(1000, k)
    for seed in [*numbers, *(numbers[n] for n in range(min(again, k)))]:
        level = d.rng.uniform(0, 0.4)
        found.append({"seed": seed, "scores": {name: {f"p{n}": round(level + d.rng.uniform(0, 0.5), 3) for n in range(t)} for name in d.rng.sample(names, m)}})
    return found


def race(d: Draw, how, seeds=(3, 6), models=(2, 4), margin=None):
    """Runs with a model that leads at one probe in every one by more than the margin; ``how`` takes that away in one run or in all."""
    margin = round(d.rng.uniform(0.06, 0.3), 3) if margin is None else margin
    found = measured(d, seeds, models, again=1 if how == "again" else 0)
    names = sorted(found[0]["scores"])
    probe = d.rng.choice(sorted(found[0]["scores"][names[0]]))
    first, second = d.rng.sample(names, 2)
    for run in found:
        here = {name: round(d.rng.uniform(0.0, 0.3), 3) for name in names}
        here[first] = round(max(here.values()) + (0.5 * margin if how == "small" else margin) + d.rng.uniform(0.01, 0.02 if how == "small" else 0.2), 3)
        for name in names:
            run["scores"][name][probe] = 0.5 if how == "equal" else here[name]
    if how == "tight":  # a margin of nearly nothing, and a lead of hardly more
        margin = d.each(0.0, 0.0002)
        for run in found:
            scores = [score[probe] for name, score in run["scores"].items() if name != first]
            run["scores"][first][probe] = max(scores) + 0.0004
    lack = {"short": margin / 2, "nearly": margin - d.rng.choice([0.001, 0.004, 0.00003]), "other": -1.5 * margin, "again": margin / 2}.get(how)
    if lack is not None:  # of the last run, which is the repeated one where there is one
        found[-1]["scores"][second][probe] = found[-1]["scores"][first][probe] - lack
    rest = d.rng.sample(found[:-1], len(found) - 1)
    return ([*rest, found[-1]] if how == "again" else d.rng.sample(found, len(found))), probe, margin


def example(d: Draw):
    """The small example of the text; leads of exactly the margin and just below it; a third model that is close in one run. Models and runs in any order."""
    of_the_text, exact = [(0.9, 0.7), (0.8, 0.6), (0.7, 0.5)], [(0.7, 0.4), (0.9, 0.6), (0.4, 0.1)]
    below, third = [(0.9, 0.7), (0.8, 0.6001), (0.7, 0.504)], [(0.9, 0.7, 0.1), (0.9, 0.7, 0.2), (0.9, 0.7, 0.85)]
    rows, margin = d.each((of_the_text, 0.1), ([(0.3, 0.2)] * 3, 0.1), (of_the_text, 0.25), (exact, 0.3), (below, 0.2), (third, 0.1))
    found = [{"seed": 40 + k, "scores": dict(d.rng.sample(list(zip("ABC", row, strict=False)), len(row)))} for k, row in enumerate(d.rng.sample(rows, 3))]
    found = [{**run, "scores": {m: {"x": score} for m, score in run["scores"].items()}} for run in found]
    return (found, "x") if margin == 0.1 else (found, "x", margin)


few = {"trouble": False, "agree": same(), "quote": ("ValueError: fewer than three different seeds", "With fewer than three different seeds", "Raises ValueError for fewer than three")}
table = {"ask": call("summary"), "returns": ("the summary",)}
leader = {"ask": call("alone"), "agree": same(), "returns": ("the model that is alone",)}
REFUSED = "course_utils.lessons.transfer_ways.refused"

promises(
    reference={"exact_share": probes.exact_share, "summary": probes.summary, "alone": probes.alone},
    agree=close(1e-9),
    returns=("the share",),
    always=(unchanged, repeatable),
    shares={"exact_share": 0.2, "summary": 0.4, "alone": 0.4},
    kept=[
        promise("the share of answers that equal the right one at their own place as a whole, in all words, in order and in length", cases=heard, visible=3,
                quote=("Share (0..1) of answers that equal the right one at the same place of the list, in all words and in length", "An answer counts only if it is the right one **as a whole**")),
        promise("one question, all answers right, none right, empty answers, long ones, many", "An answer counts only if it is the right one **as a whole**",
                lambda d: heard(d, **d.each({"kinds": "re"}, {"n": (1, 1)}, {"kinds": "r"}, {"kinds": "e"}, {"words": (20, 30), "kinds": "rlco"}, {"n": (300, 400), "words": (3, 9)})), visible=2),
        promise("summary: for every model and probe mean_interval of its scores over the seeds", cases=lambda d: (measured(d),), visible=2, **table,
                quote=("``{model: {probe: (mean, low, high)}}`` over the different seeds, with ``mean_interval``", 'each ``{"seed": …, "scores": {model: {probe: share}}}``', "all have the same models and probes")),
        promise("summary: a seed that comes again counts once, with its first run", ("The same seed twice is still **one** run (the first counts)", "One run per seed, the first of each"), lambda d: (measured(d, again=d.whole(1, 3)),), **table),
        promise("summary: three seeds are enough, and many, one model, one probe, are no difference", "over the different seeds", **table,
                cases=lambda d: (measured(d, **d.each({"seeds": (3, 3)}, {"seeds": (30, 50)}, {"models": (1, 1)}, {"tasks": (1, 1)}, {"models": (9, 12), "tasks": (9, 12)})),)),
        promise("alone: who leads every other model by the margin in every run", cases=lambda d: race(d, "all"), visible=2, **leader,
                quote=("The model that in every seed leads every other model by at least ``margin`` at this probe", "if **in every seed** it is ahead of **every** other model by `margin` or more")),
        promise("alone: a margin may be nearly 0", "by `margin` or more", lambda d: race(d, "tight"), **leader),
        promise("alone: None where the lead fails in one run, by much or by little, where another leads in one, and where all score the same", ("None if there is none", "Otherwise the answer is None"),
                lambda d: race(d, d.each("short", "other", "nearly", "small", "equal")), visible=8, fresh=10, **leader),
        promise("alone: a seed that comes again counts once, with its first run", "The same seed twice is still **one** run (the first counts)", lambda d: race(d, "again"), **leader),
        promise("alone: the small example of the text; a lead of just the margin is enough, one just below it is not, and every other model counts in every run", ("Yet with a margin of 0.1, `A` is alone", "by `margin` or more"), example, visible=6, **leader),
        promise("alone: many seeds, and many models", "in every seed", lambda d: race(d, d.each("all", "nearly"), **d.each({"seeds": (30, 40)}, {"models": (9, 12)})), visible=0, fresh=4, **leader),
        promise("summary raises ValueError for fewer than three different seeds", cases=lambda d: (d.each(measured(d, (2, 2)), measured(d, (1, 1)), measured(d, (2, 2), again=2)),), ask=Ask(REFUSED, ("summary", "ValueError")), visible=3, **few),
        promise("alone raises ValueError for fewer than three different seeds", cases=lambda d: (d.each(measured(d, (2, 2)), measured(d, (1, 1)), measured(d, (2, 2), again=2)), "p0"), ask=Ask(REFUSED, ("alone", "ValueError")), visible=3, **few),
    ],
    prose=("(A helper;", "do without it if you like.)"),
)

# %%
with waits_for("compare"):
    leaders = {text: alone(runs, probe) for probe, text in PROBES.items()}
    print(
        "; ".join(f"{text}: {f'{name} alone' if name else 'nobody alone'}" for text, name in leaders.items())
    )
    fig = table_figure(runs)
    plots.show(fig, alt=alt_text("06_probe_table_means", seeds=len(runs), told=in_words(runs)))

# %% [markdown]
# **How to read it.** What follows held in each of the three given runs. Yours is a fourth and may differ, without a
# mistake of yours: the whiskers show how runs differ.
#
# - **`blank`: BERT** (100 % in each run). Every layer sees both sides, so the two cues can be combined. ELMo has both
#   sides too, but each half judges alone. Whoever sees one side only can at best name the usual verb, right in 5 of 9
#   sentences. (If GPT tries every word in the blank and takes the likeliest sentence, it fills 50 of 50; six seeds.)
#   T5's encoder sees what BERT sees; yet T5 was right in 28 to 53 % only. But only T5 is not told that exactly one
#   word is missing: compare with the share of its answers of one verb, printed above.
# - **`tag`: ELMo** (100 % each time). BERT (69 to 100 %) and T5's encoder (73 to 90 %) have read the cue as well, but a state that may hold it need not show it to a linear head: in ten trainings of BERT the head found the sense of 57 to 100 % (section 8, which also has the control). GPT's state at the word was finished before the cue came: 45 to 51 %.
# - **`continue`: GPT** (95 to 97 %). It was trained on exactly this. So was ELMo's forward half (40 to 43 %).
# - **`gap`: T5** (97 to 100 %). The decoder stops by itself. BERT, told the right number of masks, fills 73 to 97 % of these gaps as well (six seeds).
# - **`classify`: all four** (97 to 100 %). A comparison on sentence classification alone would have found four equal
#   models.
#
# The limits: one small grammar, made so that these differences show; three runs; unequal training times and sizes. The printed intervals may reach beyond 0 or 1: Student's formula does not know that these are shares.
#
# ## 8 · One word, two senses
#
# A table of word vectors has one row per word: *bank* is one point, whatever stands beside it. A state is made anew in every sentence. Neighbours are found by the cosine
#
# $$ \cos(u, v) = \frac{u \cdot v}{\lVert u \rVert\, \lVert v \rVert}, \qquad u, v : (D,), $$
#
# which compares directions and not lengths.
#
# ### Exercise `word_sense`
#
# `nearest` finds the rows of a table that are closest to a vector. `same_sense` takes N states with a sense each and gives, averaged over the states, the share of the k nearest **other** states that have the same sense: 1 where senses separate, about ½ where they are mixed. (Here k counts neighbours; in section 6 it counted spans.)
#
# <details><summary>Hint 1 · nudge</summary>Which state is the nearest to each state, if you exclude none?</details>
# <details><summary>Hint 2 · idea</summary>Divide every vector by its length; then all cosines are one matrix product, (N, D) times (D, N). <code>topk</code> finds the largest of each row.</details>
# <details><summary>Hint 3 · nearly there</summary><code>fill_diagonal_(-2)</code> before <code>topk</code> keeps every state out of its own neighbours. Then compare <code>senses[neighbours]</code> of shape (N, k) with <code>senses[:, None]</code>.</details>


# %% answer="word_sense"
def nearest(vector: Tensor, table: Tensor, k: int) -> list[int]:
    """The k rows of ``table`` (V, D) with the largest cosine to ``vector`` (D,), best first, as row numbers;
    both of float32 or both of float64, any k from 1 to V, no two cosines alike."""
    ### BEGIN SOLUTION
    return F.cosine_similarity(table, vector[None], dim=-1).topk(k).indices.tolist()  # (V,) -> k numbers
    ### END SOLUTION


def same_sense(states: Tensor, senses: Tensor, k: int) -> float:
    """Mean share (0..1) of the k nearest other states, by cosine, that have the same sense, as a number.

    Args:
        states: (N, D), N > k, of float32 or float64, no two cosines alike.
        senses: int64 (N,), any whole numbers.
    """
    ### BEGIN SOLUTION
    directions = F.normalize(states, dim=-1)
    cosines = directions @ directions.T  # (N, D) @ (D, N) -> (N, N)
    neighbours = cosines.fill_diagonal_(-2).topk(k, dim=-1).indices  # (N, N) -> (N, k)
    return (senses[neighbours] == senses[:, None]).float().mean().item()
    ### END SOLUTION


# %% check="word_sense" points=0.5 minutes=20 difficulty=2
import math

import torch

from course_utils.checks.promises import Draw, call, close, layouts, promise, promises, repeatable, same, unchanged
from solutions.reference import probes


def table(d: Draw, V=(2, 30), D=(2, 16), dtype=torch.float64, k=None):
    """A vector and rows of very different length; of two rows none has the same cosine."""
    V, D = d.sizes(V=V, D=D)
    rows = d.normal(V, D, dtype=dtype) * torch.exp(1.5 * d.normal(V, 1, dtype=dtype))
    return d.normal(D, dtype=dtype), rows + 0.001, d.whole(1, V) if k is None else k


def cloud(d: Draw, N=(3, 60), D=(2, 12), senses=2, pull=0.5, dtype=torch.float64, large=False, nearly_all=False, size=1.0, signed=False):
    """States of different lengths, pulled apart by their sense; ``large`` senses differ in their highest bits alone, or by 1, ``signed`` ones in their sign, too."""
    N, D = d.sizes(N=N, D=D)
    marks = torch.tensor(d.rng.sample([7, 263, 65543, 2**24 + 1, 2**24, 2**32 + 7, 2**32 + 8], senses) if large else d.sample(90, senses))
    marks = (marks[: (senses + 1) // 2, None] + 1) * torch.tensor([1, -1]) if signed else marks  # (half,) -> (half, 2)
    marks = marks.flatten()[:senses]
    kinds = d.ids(N, low=0, high=senses - 1)
    away = d.normal(senses, D, dtype=dtype)
    states = (d.normal(N, D, dtype=dtype) + pull * away[kinds]) * torch.exp(d.normal(N, 1, dtype=dtype))
    k = N - 2 if nearly_all else d.whole(1, min(N - 1, 6))
    return (1.0 if d.small else d.each(1.0, 100.0)) * size * states, marks[kinds], k


def tiny(d: Draw):
    """A vector, and rows of which every second one is so short that a constant of 1e-6 counts; one of 1e-8 changes no order."""
    while True:
        vector, rows, k = table(d, V=(9, 16), D=(2, 9))
        rows = rows / rows.norm(dim=1, keepdim=True)  # (V, D)
        if (rows @ (vector / vector.norm())).sort().values.diff().min() > 0.0012:
            break
    rows[::2] *= 1e-5
    return 0.01 * vector, rows, max(k, len(rows) - 1)


def almost(d: Draw):
    """A vector and rows, two of which have cosines with it that differ by some 1e-9."""
    vector, rows, _ = table(d, V=(4, 9), D=(3, 9))
    unit = vector / vector.norm()
    one, two = d.sample(len(rows), 2)
    away = torch.nn.functional.normalize(rows[one] - (rows[one] @ unit) * unit, dim=0)  # across the vector
    angle, length = d.uniform(0.3, 1.2), d.uniform(0.5, 4)
    for place, turn in ((one, angle), (two, angle + d.rng.choice([-1, 1]) * d.uniform(4e-9, 9e-9))):
        rows[place] = length * (math.cos(turn) * unit + math.sin(turn) * away)
    return vector, rows, len(rows)


def star(d: Draw):
    """Three states at 120 degrees: all cosines lie below 0."""
    spots = torch.tensor([[1.0, 0.0], [-0.5, 0.75**0.5], [-0.5, -(0.75**0.5)]], dtype=torch.float64)
    return spots * torch.tensor([[d.uniform(0.5, 4)] for _ in range(3)], dtype=torch.float64), torch.tensor(d.each([0, 1, 1], [4, 4, 2])), 2


def opposed(d: Draw):
    """Two or three states, two of which point in opposite directions: their cosine is just -1."""
    spots = torch.tensor([[1.0, 0.0], [-2.0, 0.0], [0.5, 4.0]][: d.each(2, 3)], dtype=torch.float64)
    return spots[:, d.sample(2, 2)], torch.tensor(d.sample(9, len(spots))), len(spots) - 1


def close_by(d: Draw):
    """One state and two others whose cosines with it differ by some 1e-9; on one of these two it depends whether its neighbour has its sense."""
    one, gap = d.uniform(0.7, 1.2), d.rng.choice([-1, 1]) * d.uniform(3e-9, 9e-9)
    spots = torch.tensor([[1.0, 0.0, 0.0], [math.cos(one), math.sin(one), 0.0], [math.cos(one + gap), 0.0, math.sin(one + gap)]], dtype=torch.float64)
    return spots * torch.tensor([[d.uniform(0.5, 4)] for _ in range(3)], dtype=torch.float64), torch.tensor([3, 3, 5]), 1


def itself(d: Draw):
    """A vector that stands in the table too, longer or shorter."""
    vector, rows, _ = table(d, V=(4, 12), D=(3, 9))
    rows[d.whole(0, len(rows) - 1)] = vector * d.each(1.0, 3.0, 0.25)
    return vector, rows, d.whole(1, 3)


near = {"ask": call("nearest"), "agree": same(view="course_utils.lessons.text_ways.row_numbers"), "returns": ("the row numbers",)}
promises(
    reference={"same_sense": probes.same_sense, "nearest": probes.nearest},
    agree=close(1e-6),
    returns=("the share",),
    always=(unchanged, repeatable, layouts),
    shares={"nearest": 0.5, "same_sense": 0.5},
    kept=[
        promise("the rows with the largest cosine, best first, as a list of numbers", ("The k rows of ``table`` (V, D) with the largest cosine to ``vector`` (D,), best first, as row numbers", "any k from 1 to V"), lambda d: table(d, V=(5, 30)), **near, visible=3),
        promise("two rows are enough, and all may be asked for", "any k from 1 to V", lambda d: table(d, V=(2, 4), k=2), **near),
        promise("the lengths of vector and rows do not count, however small they are", "with the largest cosine to ``vector``", tiny, **near, trouble=False, far=False),
        promise("64-bit cosines of rows are told apart where they differ by 1e-9", "both of float32 or both of float64, any k from 1 to V, no two cosines alike", almost, **near, visible=1, fresh=6, trouble=False, far=False),
        promise("a row that has the vector's own direction is the nearest of all", "with the largest cosine to ``vector``", itself, **near, trouble=False, far=False),
        promise("the mean share of the k nearest other states that have the same sense", ("Mean share (0..1) of the k nearest other states, by cosine, that have the same sense", "as a number"), lambda d: cloud(d, N=(12, 60)), visible=4),
        promise("few states: k may be all the others", "N > k", lambda d: cloud(d, N=(3, 7))),
        promise("the lengths of states do not count, however small they are", "by cosine", lambda d: cloud(d, N=(20, 40), D=(4, 9), size=1e-5), visible=1, fresh=4, trouble=False, far=False),
        promise("senses are any whole numbers, large ones too", "any whole numbers", lambda d: cloud(d, N=(12, 40), senses=d.each(7, 5), pull=0.0, large=True), trouble=False),
        promise("many neighbours may be asked for, and states may be short", "N > k", lambda d: cloud(d, **d.each({"N": (20, 30)}, {"N": (105, 110)}), nearly_all=True, size=d.each(0.01, 1.0)), visible=1, fresh=2, trouble=False, far=False),
        promise("senses are any whole numbers, of two or more kinds", "any whole numbers", lambda d: cloud(d, N=(12, 40), senses=d.each(3, 2, 5, 1), pull=d.each(0.0, 2.0), signed=True)),
        promise("a state is never its own neighbour, even where all others have cosines below 0", "**other** states", star),
        promise("a state is never its own neighbour, even where another one points the opposite way", "**other** states", opposed, trouble=False),
        promise("64-bit cosines are told apart where they differ by 1e-9", "of float32 or float64, no two cosines alike", close_by, visible=4, trouble=False),
        promise("float32 works as well", "float32 or float64", lambda d: cloud(d, N=(12, 40), D=(6, 12), dtype=torch.float32), agree=close(1e-4)),
    ],
    prose=("no two cosines alike",),
)  # fmt: skip

# %% [markdown]
# Six words of the sense sentences are clear (*shore, owl, heron*: nature; *shop, racket, digger*: town), three are ambiguous (*bank, bat, crane*). First the neighbours of *bank*, in BERT's table and among states of clear words. Then, for each model: do its **nearest** states share the sense, and can a **linear head** read it?
#

# %%
def sense_verdict(neighbours: float, head: float) -> str:
    """In words; a half is chance for both, and 65 % is far enough from it for 200 occurrences."""
    if head < 0.65:
        return "a linear head does not find the sense"
    return (
        "the senses lie apart"
        if neighbours >= 0.65
        else "a linear head finds the sense, but it does not decide who is near"
    )


seen, read, untrained = {}, {}, {}
with waits_for("word_sense"):
    bert = models["BERT"]
    if bert is not None:
        clear = tuple(word for kind in KINDS for word in SENSES[kind] if word not in AMBIGUOUS)
        occurrences, others = tags("neighbours", 200), tags("neighbours", 300, clear)

        def at_word(name, model, found):
            """States of the model at the words in question, (N, D)."""
            states = states_of(name, model, [tag.line for tag in found])  # (N, T, D)
            return states[range(len(found)), [tag.place for tag in found]]  # (N, D)

        rows = [
            encode(word)[0]
            for word in dict.fromkeys(word for kind in KINDS for word in SENSES[kind])
            if word != "bank"
        ]
        near = nearest(bert.word.weight[encode("bank")[0]].detach(), bert.word.weight[rows].detach(), 3)
        print("table:  bank ->", ", ".join(TOKENS[rows[i]] for i in near))
        here, there = at_word("BERT", bert, occurrences), at_word("BERT", bert, others)
        for label in range(len(KINDS)):
            k = next(
                i
                for i, tag in enumerate(occurrences)
                if tag.label == label and TOKENS[tag.line[tag.place]] == "bank"
            )
            found = [others[i] for i in nearest(here[k], there, 5)]
            print(
                f"states: {decode(occurrences[k].line[-9:-1])} -> "
                f"{', '.join(TOKENS[tag.line[tag.place]] for tag in found)}: "
                f"{sum(tag.label == label for tag in found)} of 5 belong to {KINDS[label]}"
            )
        labels, learned_from = torch.tensor([tag.label for tag in occurrences]), tags("a linear head", 300)

        def senses_in(name, model):
            """Share of the 5 nearest states with the same sense, and accuracy of a linear head."""
            at_ambiguous = at_word(name, model, occurrences)  # (N, D)
            head = read_out(
                at_word(name, model, learned_from), [tag.label for tag in learned_from], at_ambiguous
            )
            return same_sense(at_ambiguous, labels, 5), sum(
                a == b for a, b in zip(head, labels.tolist(), strict=True)
            ) / len(head)

        for name in MODELS:
            if models[name] is not None:
                seen[name], read[name] = senses_in(name, models[name])
                untrained[name] = senses_in(name, new_model(name, parts, OWN_SEED).eval())
                print(
                    f"{name:>4}: same sense among the 5 nearest {seen[name]:.0%}, read by a linear head "
                    f"{read[name]:.0%}: {sense_verdict(seen[name], read[name])} (before training "
                    f"{untrained[name][0]:.0%} and {untrained[name][1]:.0%})"
                )
        # (N, D): three different rows only
        table = bert.word.weight.detach()[[tag.line[tag.place] for tag in occurrences]]
        # so that ties are broken by lot
        jitter = 1e-4 * torch.randn(table.shape, generator=torch.Generator().manual_seed(0))
        seen["static table"] = same_sense(table + jitter, labels, 5)

# %%
with waits_for("word_sense"):
    required(seen or None)
    fig, (left, right) = plots.new_figure(9.4, 4.0, columns=2)
    centred = here - here.mean(0)
    # (N, D) @ (D, 2) -> (N, 2)
    flat_states = (centred @ torch.linalg.svd(centred, full_matrices=False).Vh[:2].T).tolist()
    for word, marker in zip(AMBIGUOUS, ("o", "s", "^"), strict=True):
        for label, (kind, face) in enumerate(zip(KINDS, ("black", "none"), strict=True)):
            dots = [
                xy
                for xy, tag in zip(flat_states, occurrences, strict=True)
                if tag.label == label and TOKENS[tag.line[tag.place]] == word
            ]
            left.plot(
                [x for x, _ in dots],
                [y for _, y in dots],
                linestyle="",
                marker=marker,
                markersize=5,
                color="black",
                markerfacecolor=face,
                label=f"{word}, {kind}",
            )
    left.set(xlabel="first principal component of BERT's states", ylabel="second principal component")
    fig.legend(
        *left.get_legend_handles_labels(),
        loc="outside lower center",
        ncols=6,
        fontsize=8,
        frameon=False,
        handletextpad=0.1,
    )
    order = ["static table", *[name for name in MODELS if name in seen]]
    right.axhline(50, color="black", linewidth=1, linestyle=":", zorder=0)
    # every model in its colour of the probe table, the word table in grey
    for k, name in enumerate(order):
        look = MODELS.index(name) if name in MODELS else 4
        right.bar(
            k,
            100 * seen[name],
            0.6,
            color=plots.COLOURS[look] if name in MODELS else "#BBBBBB",
            hatch=plots.HATCHES[look],
            edgecolor="white",
        )
        if name in read:
            last = name == order[-1]
            right.plot(
                [k - 0.3, k + 0.3],
                [100 * read[name]] * 2,
                color="black",
                linewidth=2.5,
                label="read by a linear head" if last else None,
            )
            right.plot(
                k,
                100 * untrained[name][0],
                "D",
                color="black",
                markerfacecolor="white",
                label="nearest, before training" if last else None,
            )
        right.annotate(
            f"{100 * seen[name]:.0f}",
            (k, 4),
            ha="center",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
        )
    right.set_xticks(range(len(order)), [name.replace(" ", "\n") for name in order])
    right.set(ylabel="of 5 nearest, same sense (%)", ylim=(0, 118))
    right.grid(False, axis="x")
    right.legend(loc="upper left", ncols=2, fontsize=8, frameon=False)
    plots.show(
        fig,
        alt=alt_text(
            "06_bert_s_states",
            told=", ".join(
                
                    f"{name} {100 * seen[name]:.0f} %"
                    + (
                        f" (head {100 * read[name]:.0f} %, before training "
                        f"{100 * untrained[name][0]:.0f} %)"
                        if name in read
                        else ""
                    )
                    for name in order
                
            ),
        ),
    )

# %% [markdown]
# GPT's state at the word cannot know what comes three words later; the other three have read the cue. What has **training** added? Ten trainings of ELMo and BERT, six of GPT and T5, and 24 models of each kind before their first step, from the lowest to the highest:
#
# | | of 5 nearest, same sense: trained | before training | read by a linear head: trained | before training |
# |---|---:|---:|---:|---:|
# | ELMo | 73 to 96 % | 73 to 96 % | 100 % | 100 % |
# | GPT | 46 to 50 % | 47 to 51 % | 52 to 56 % | 48 to 56 % |
# | BERT | 48 to 100 % | 46 to 54 % | 57 to 100 % | 70 to 88 % |
# | T5 | 49 to 58 % | 49 to 53 % | 72 to 90 % | 64 to 89 % |
#
# **ELMo**'s states show the sense, and training did not put it there: the states of an LSTM with random weights show
# it, too. In five of ten trainings the share of neighbours fell by 5 to 11 points, in one it rose by 21. **BERT**
# learned it in five of ten runs, 100 % in both columns or nearly so, although no sense was ever given. In the others
# the neighbours ended at 48 to 53 %, and the head changed by −20 to +4 points. At **T5**'s states the head reads 5 to
# 17 points more than before in four runs, and 5 and 17 points less in two. So training can also remove what an
# untrained state shows. **GPT**'s numbers are those of chance before and after: with 200 occurrences, chance alone
# gives 43 to 57 % in 95 of 100 cases. So a share at the probe `tag` tells first what a state is *allowed* to see;
# what was learned is its difference from the untrained model. A control that was never trained belongs beside every
# such probe.
#
# In the left figure of a run in which BERT did not learn the sense, filled and hollow signs lie mixed. Such a figure is no sign of a mistake in your code.
#
# Neighbours go by what is **largest** in a state; a linear head, which is trained itself, also finds what is **small** in it. Your run may lie outside these ranges.
#
# ## 9 · Two tasks, one model: text to text
#
# (The cells of this section need names from the cells above, among them the first cell of section 7. Run these first, even if exercises are still open: they then train nothing.)
#
# T5's second idea: if questions and answers are both texts, one model with one loss can do several tasks. A **prefix** says which:
#
# | source | target |
# |---|---|
# | `[CLS] kind anna saw the bank by the river . [SEP]` | `nature [SEP]` |
# | `[CLS] who anna saw the bank by the river . [SEP]` | `anna [SEP]` |
#
# The first is classification, its label written as a word; the second takes something out of the text. Without the prefix one source would have two targets.
#
# ### Exercise `text_to_text`
#
# `as_text` makes one pair (source, target) as in the table; `answer_of(task, sentence)` gives the answer as text.
# `mixture` makes the training set: **each sentence of the list once for each task of** `TASKS` (a sentence that
# stands in it twice counts twice), all pairs in an order shuffled with `rng`, so that every batch holds both tasks.
# The model that your mixture trains below is handed in: with its own prefix it must answer at least 90 % of new
# sentences for each task, and with the other task's prefix below 10 %.
#
# <details><summary>Hint 1 · nudge</summary>Two sources of the same sentence must differ in exactly one token. Which one, and where does it stand?</details>
# <details><summary>Hint 2 · idea</summary><code>encode</code> turns the task's name and the answer into ids; both are words of the vocabulary. From the SEP in the target the decoder learns to stop.</details>
# <details><summary>Hint 3 · nearly there</summary>Source: CLS, prefix, sentence, SEP. Target: answer, SEP. In <code>mixture</code> two loops and one <code>rng.shuffle</code>. Trap: all pairs of one task, then all of the other.</details>


# %% answer="text_to_text"
def as_text(task: str, sentence: list[int]) -> tuple[list[int], list[int]]:
    """Source ``[CLS] task sentence [SEP]`` and target ``answer [SEP]``, lists of ids.

    Args:
        task: one of TASKS; its name is the prefix.
        sentence: word ids of a sentence like ``anna saw the bank by the river .``
    """
    ### BEGIN SOLUTION
    source = [CLS, *encode(task), *sentence, SEP]
    return source, [*encode(answer_of(task, sentence)), SEP]
    ### END SOLUTION


def mixture(sentences: list[list[int]], rng: random.Random) -> list[tuple[list[int], list[int]]]:
    """Pairs (source, target): every sentence of the list once for every task of TASKS, in random order."""
    ### BEGIN SOLUTION
    pairs = [as_text(task, sentence) for sentence in sentences for task in TASKS]
    rng.shuffle(pairs)
    return pairs
    ### END SOLUTION


# %% [markdown]
# Your pretrained T5 (or a fresh one) is trained further on your mixture for a few seconds. Each task is then measured on new sentences, with its own prefix, with the other task's, and with none.
#

# %%
FINETUNING_STEPS = 300
FINETUNING_SENTENCES, NEW_SENTENCES = senses("finetuning", 500), senses("new ones", 300)


def finetune(model: Seq2Seq) -> list[float]:
    """Train on both tasks at once; the loss of every step."""
    if models["T5"] is not None:
        model.load_state_dict(models["T5"].state_dict())
    pairs = mixture(FINETUNING_SENTENCES, random.Random(OWN_SEED))
    return train_by(
        model, lambda batch: text_loss(model, batch), pairs, FINETUNING_STEPS, OWN_SEED, "two tasks"
    )


path = course.work / "text_to_text.safetensors"
two_tasks, _ = kept(
    path,
    texts_for(path, OWN_SEED, ("t5_spans", "as_text", "mixture")),
    lambda: Seq2Seq(VOCAB, LONGEST),
    finetune,
    "text_to_text",
)

# %%
right_by_prefix = {}
with waits_for("text_to_text"):
    required(two_tasks)
    for task in TASKS:
        wanted = [encode(answer_of(task, sentence)) for sentence in NEW_SENTENCES]
        sources = [as_text(task, sentence)[0] for sentence in NEW_SENTENCES]
        other = encode(TASKS[1 - TASKS.index(task)])
        prefixes = {
            "its own": sources,
            "the other's": [[CLS, *other, *s[2:]] for s in sources],
            "none": [[CLS, *s[2:]] for s in sources],
        }
        for prefix, given_sources in prefixes.items():
            said = written(two_tasks, given_sources, 2, (SEP,))
            right_by_prefix[task, prefix] = sum(a == b for a, b in zip(said, wanted, strict=True)) / len(
                wanted
            )
    fig, (ax,) = plots.new_figure(7.0, 3.6)
    for k, prefix in enumerate(("its own", "the other's", "none")):
        heights = [100 * right_by_prefix[task, prefix] for task in TASKS]
        # the edge shows a bar of 0, too
        bars = ax.bar(
            [i + 0.27 * (k - 1) for i in range(2)],
            heights,
            0.25,
            color=plots.COLOURS[k],
            hatch=plots.HATCHES[k],
            edgecolor="black",
            label=f"prefix: {prefix}",
        )
        ax.bar_label(bars, [f"{h:.0f} %" for h in heights], padding=2)
    ax.set_xticks(range(2), ["kind: nature or town?", "who saw it?"])
    ax.set(ylabel="right answers on new sentences (%)", ylim=(0, 112))
    ax.grid(False, axis="x")
    fig.legend(loc="outside lower center", ncols=3, frameon=False)
    plots.show(
        fig,
        alt=alt_text(
            "06_bars_right_answers",
            told="; ".join(
                (
                    f"{task} with {prefix} prefix {100 * share:.0f} %"
                    for (task, prefix), share in right_by_prefix.items()
                )
            ),
        ),
    )

# %% check="text_to_text" points=1 minutes=20 difficulty=2 timeout=90
from course_utils.checks.counts import alike, by_law, draws
from course_utils.checks.handed import handed_in
from course_utils.checks.promises import Draw, call, promise, promises, repeatable, same, unchanged
from course_utils.corpora.stories import TASKS, senses
from solutions.reference import probes

HERE = "course_utils.lessons.text_ways."


def listed(d: Draw, n, twice=False):
    """Different sentences; one of them twice."""
    found = [list(one) for one in dict.fromkeys(map(tuple, senses(d.whole(0, 10**9), 6 * n + 20)))][:n]
    return [*found, found[0]] if twice else found


def long_list(d: Draw):
    """Hundreds of sentences, equal ones side by side."""
    found = senses(d.whole(0, 10**9), d.whole(600, 700))
    kinds = sorted({*map(tuple, found)})
    d.rng.shuffle(kinds)
    return sorted(found, key=lambda one: kinds.index(tuple(one)))


def law(name, calls, one=False):
    return {"ask": draws("mixture", HERE + "orders", calls, by_call=True, one_generator=one), "agree": by_law(), "visible": 1, "fresh": 2, "trouble": False, "far": False}


promises(
    reference={"as_text": probes.as_text, "mixture": probes.mixture},
    ask=call("as_text"),
    agree=same(view=HERE + "two_lists"),
    returns=("source", "target"),
    always=(unchanged, repeatable),
    random=("mixture",),
    kept=[
        promise("the source is CLS, the task's name, the sentence, SEP; the target is the answer to this task as ids, and then SEP",
                ("Source ``[CLS] task sentence [SEP]`` and target ``answer [SEP]``, lists of ids", "one of TASKS", "its name is the prefix", "word ids of a sentence like"),
                lambda d: (d.each(*TASKS), listed(d, 1)[0]), visible=4, fresh=24),
        promise("every sentence of the list stands in the mixture once for every task, each time with its own target",
                ("Pairs (source, target): every sentence of the list once for every task of TASKS", "a sentence that stands in it twice counts twice"),
                lambda d: (listed(d, *d.sizes(n=(6, 9)), twice=d.each(False, True)), d.seeded("python")), ask=call("mixture"), agree=same(view=HERE + "sorted_pairs"), returns=("the pairs",), visible=3),
        promise("a list of one or two sentences is one, too", "every sentence of the list once for every task", lambda d: (listed(d, d.each(1, 2)), d.seeded("python")),
                ask=call("mixture"), agree=same(view=HERE + "sorted_pairs"), returns=("the pairs",), trouble=False),
        promise("the order comes from rng alone", "shuffled with `rng`", lambda d: (listed(d, 20), d.seeded("python")), ask=alike("mixture"), agree=same(), trouble=False, far=False),
        promise("of few pairs every order is as likely as any other", "in random order", lambda d: (listed(d, 2), d.seeded("python")), **law("few", 400)),
        promise("a second call with the same generator gives another order", "shuffled with `rng`", lambda d: (listed(d, 2), d.seeded("python")), **law("few", 200, one=True)),
        promise("of many pairs too: no blocks, no turns, no place of its own for a task or a sentence", "so that every batch holds both tasks", lambda d: (listed(d, d.whole(12, 30)), d.seeded("python")), **law("many", 150)),
        promise("a list of hundreds of sentences is shuffled as a whole", "all pairs in an order shuffled with `rng`", lambda d: (long_list(d), d.seeded("python")),
                ask=call("mixture"), agree=same(view=HERE + "well_mixed"), returns=(), trouble=False, far=False, visible=0, fresh=1),
        handed_in("the model that is handed in answers both tasks on new sentences, each by its prefix", "with its own prefix it must answer at least 90 % of new sentences for each task", files=("text_to_text.safetensors",),
                  made_by=("t5_spans", "as_text", "mixture"), faults=lambda d: probes.two_task_faults(handin.weights("text_to_text"), senses(d.whole(0, 10**9), 200))),
    ],
)

# %% [markdown]
# In eight trainings from fresh weights the prefix was read. With the right prefix every new sentence was answered
# rightly; with the other one every answer was right for the *other* question. Without a prefix it depends on the
# training: the answer was that of `kind` for 0 to 46 % of the sentences, that of `who` for 12 to 100 %. Yours begins
# from your pretrained T5, if you have one. In six trainings from two pretrained T5s the prefix was read as well;
# without one, every answer was that of `kind` in the three trainings from one of them, that of `who` in the three
# from the other. Eight models trained without prefixes, the control, answer one of the two, `kind` for 7 to 69 % of
# the sentences, and one cannot choose which. A third task would need new pairs, and no new head.
#
# ## 10 · Which one, when?
#
# Here one rule is asked for: **if nothing is to be written, take an encoder; if a new text is to be written about a text that is given as a whole, an encoder-decoder; if a text is to be carried on, a decoder.**
#
# ### Exercise `choose`
#
# Return `"encoder"`, `"decoder"` or `"encoder-decoder"` for each of these tasks; for any other, raise `ValueError`. The check in the notebook looks at the form only: here ✓ means that you chose, not that you chose well.
#
# | task | what is asked for |
# |---|---|
# | `"summarise"` | a short text about a long one |
# | `"sentiment"` | in favour or against |
# | `"retrieval"` | one vector per document, so that near questions find it |
# | `"translate"` | the same text in another language |
# | `"story"` | a beginning is given, go on |
# | `"tag words"` | for every word its part of speech |
#
# <details><summary>Hint 1 · nudge</summary>Is a text written? And is all of the input there before the writing begins?</details>
# <details><summary>Hint 2 · idea</summary>Nothing written: encoder. Written from a complete input: encoder-decoder. Carried on: decoder.</details>
# <details><summary>Hint 3 · nearly there</summary>Three of the six write nothing, one carries on. A dictionary and one <code>if</code> are enough.</details>


# %% answer="choose"
def choose(task: str) -> str:
    """The kind of model for a task of the table: "encoder", "decoder" or "encoder-decoder". Raises ValueError for others."""
    ### BEGIN SOLUTION
    kinds = {
        "encoder": ("sentiment", "retrieval", "tag words"),
        "encoder-decoder": ("summarise", "translate"),
        "decoder": ("story",),
    }
    for kind, tasks in kinds.items():
        if task in tasks:
            return kind
    raise ValueError(f"no rule for {task!r}")
    ### END SOLUTION


# %% check="choose" points=0.5 minutes=10 difficulty=1
from course_utils.checks.promises import Ask, Draw, promise, promises, repeatable, same
from solutions.reference import probes

HERE = "course_utils.lessons.text_ways."
KINDS = ("encoder", "decoder", "encoder-decoder")
refused = Ask("course_utils.lessons.transfer_ways.refused", ("choose", "ValueError"))


def name(d: Draw):
    """Something that is not in the table: a task of it written otherwise, or another word."""
    task = d.rng.choice(list(probes.CHOICES))
    nearly = task.title(), task.upper(), f"{task} ", f" {task}", f"{task}s", task[:-1], task[1:], f"{task}, {task}"
    place = d.whole(0, len(task) - 1)
    nearly += (task[:place] + d.rng.choice("jqxz") + task[place + 1:],)
    return d.each("paint", "", "Sentiment", "encoder", "tag", "story ", "tag  words", "tag_words", "tag-words", "tagwords", "tag words.", "summarize", *nearly, "".join(d.rng.choices("abcdefgh", k=d.whole(1, 9))))


def other_task(d: Draw):
    """A task that a table like this one might have, a noun for one of its tasks, or what it says of one."""
    return d.each("translation", "translating", "translator", "machine translation", "summarisation", "summarization", "summary", "summarising", "summaries",
                  "question answering", "questions", "answer", "sentiment analysis", "opinion", "classify", "classification", "tag word", "word tags", "tagging", "tagger", "pos",
                  "pos tagging", "part of speech", "parts of speech", "chat", "dialogue", "generate", "generation", "text generation", "write", "writing", "storytelling",
                  "continue", "continuation", "completion", "retrieve", "retrieving", "search", "embedding", "embed", "ranking", "paraphrase", "spelling", "code", "decoder",
                  "encoder-decoder", "a short text about a long one", "in favour or against", "the same text in another language", "a beginning is given, go on")


promises(
    reference={"choose": probes.choose},
    agree=same(),
    always=(repeatable,),
    kept=[
        promise("each task of the table gets one of the three kinds, spelled as in the text, and not all the same one", 'The kind of model for a task of the table: "encoder", "decoder" or "encoder-decoder"',
                [(list(probes.CHOICES), list(KINDS))], ask=Ask(HERE + "choices", ("choose",)), trouble=("repeatable",)),
        promise("for a task that the table lacks ValueError is raised", "Raises ValueError for others", lambda d: (name(d),), ask=refused, trouble=False, visible=22),
        promise("tasks that another table might have are refused, too", "for any other, raise `ValueError`", lambda d: (other_task(d),), ask=refused, trouble=False, visible=0),
        promise("each choice follows the rule", "one rule is asked for", lambda d: (lambda task: (task, {kind: probes.why_not(task, kind) for kind in KINDS if kind != probes.CHOICES[task]}))(d.each(*probes.CHOICES)),
                ask=Ask(HERE + "chosen", ("choose",)), visible=0, trouble=False),
    ],
)

# %% [markdown]
# ## Written questions
#
# **four_ways.** For each of ELMo, GPT, BERT and T5: one strength and one weakness, each with a reason, in notes. Use the probe table where it speaks. (All three questions are marked by hand.)
#

# %% [markdown] written="four_ways" points=0.5 minutes=15 difficulty=2
# **Your answer · four_ways**
#
# ### BEGIN SOLUTION
# ELMo: states know both sides, so it tags a word by a later cue; but the halves meet only at the end, so a blank that needs both sides together stays open, and LSTMs read one word after the other. GPT: trained on what it does when it writes, every token is a target, best at continuing; its states know the left side only (a coin in the tag probe). BERT: both sides in every layer, best at the
# blank, and it tags by a later cue too (though less surely than ELMo: 69 to 100 % against 100 %); it does not write, must be told how many words are missing, and learns from 15 % of the tokens only (and MASK never occurs in use). T5: reads from both sides and writes answers of any length, so one model serves many tasks by a prefix; two stacks to train, far below BERT at the blank though its training took longer, and writing costs a pass per token.
#
# Rubric: (1) a strength for at least three of the four that follows from what a position may see or from the objective; (2) a weakness for at least three, with a reason; (3) at least two statements agree with the probe table; (4) does not credit GPT's states with the right side, nor BERT with free writing. Full half point for three or four, a quarter for two.
# ### END SOLUTION

# %% [markdown]
# **who_is_right.** One student: "Text without labels is useless for learning a task; a network learns from a target,
# and there is none." Another: "It is the most useful text there is." Who is right? What has the first student
# overlooked, and what is true in that statement?
#

# %% [markdown] written="who_is_right" points=0.5 minutes=10 difficulty=2
# **Your answer · who_is_right**
#
# ### BEGIN SOLUTION
# The second one. The targets are made from the text itself: hide something (the next word, 15 % of the words, a span, the order of two sentences) and ask for it; that is self-supervision, and there is far more such text than labelled text. What is learned for it (which words belong together, agreement, senses, facts) serves other tasks: here a linear head reads the sense of "bank" from frozen states, though no sense was ever a target, and in the transfer
# notebook forty labels sufficed after pretraining. The grain of truth: unlabelled text does not say what the task is or how its answers are called; some labels, or a prompt, are needed for that, and text that has nothing to do with the task may not help.
#
# Rubric: (1) the second one is right, said clearly; (2) targets come from the text itself, with a concrete example; (3) why that helps another task: shared states, evidence from a measurement; (4) the limit: labels or instructions still name the task. Full half point for three or four, a quarter for two.
# ### END SOLUTION

# %% [markdown]
# **elmo_to_t5.** Describe the path from ELMo to T5 in four or five sentences: what did each model change, and which shortcoming of the one before did it answer? (For ELMo think of section 7, of what an LSTM costs, and of what was built on its states.)
#

# %% [markdown] written="elmo_to_t5" points=1 minutes=15 difficulty=3
# **Your answer · elmo_to_t5**
#
# ### BEGIN SOLUTION
# (1) ELMo (2018) replaced one fixed vector per word by states of two LSTM language models, one per direction, so that a word's vector depends on its sentence; a task model of its own was put on top of the frozen states. (2) GPT (2018) exchanged the LSTMs for a causal Transformer, trained in parallel over all positions, and finetuned the whole model instead of building a new one around it, at the price of the right side.
# (3) BERT (2019) wanted both sides in every layer, which next-word prediction forbids because words would see themselves, so it hides 15 % of the words and asks for these; next-sentence pairs were to add knowledge of whole sentences. (4) BERT reads but does not write, and needs another head for each task and a known number of masks. (5) T5 (2020) put a decoder beside the reading encoder, replaced single masks by
# spans behind sentinels, and made every task text to text, so that one model, one loss and a prefix serve them all.
#
# Rubric: (1) order and names right, with ELMo two directions joined at the end only; (2) GPT: causal Transformer, whole model finetuned, one direction; (3) BERT: masking because a model that sees both sides would see its target; (4) T5: encoder-decoder with spans and sentinels, tasks as text with a prefix. A quarter point for each; at most 0.75 for a list without any shortcoming that a step answers.
# ### END SOLUTION

# %% [markdown]
# ## The figure worth keeping
#
# The probe table: four models, one corpus, five questions.
#

# %%
with waits_for("compare"):
    leaders = {text: alone(runs, probe) for probe, text in PROBES.items()}
    fig = table_figure(runs)
    plots.show(
        fig,
        alt=alt_text(
            "06_probe_table_once",
            seeds=len(runs),
            told="; ".join(
                (f"{text}: {(f'{name} alone' if name else 'nobody alone')}" for text, name in leaders.items())
            ),
        ),
    )

# %% [markdown]
# **To take away.** A model learns to do what its exercise asks, and its states can hold only what it was allowed to
# look at. A model whose loss on new texts is clearly below their entropy has seen the answers, however good that loss
# looks. Which kind of pretraining is best is not a meaningful question until the task is named, and a probe that all
# models pass compares nothing.
#
# **Further reading.** Peters et al., *Deep Contextualized Word Representations* (2018). Radford et al., *Improving Language Understanding by Generative Pre-Training* (2018). Devlin et al., *BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding* (2019). Raffel et al., *Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer* (2020).
# Liu et al., *RoBERTa: A Robustly Optimized BERT Pretraining Approach* (2019), which drops next-sentence pairs. Lan et al., *ALBERT: A Lite BERT for Self-supervised Learning of Language Representations* (2020). Wettig et al., *Should You Mask 15% in Masked Language Modeling?* (2023). Hewitt and Liang, *Designing and Interpreting Probes with Control Tasks* (2019). Ethayarajh, *How Contextual are Contextualized Word Representations?* (2019).
#

# %%
FILES = ("text_to_text.safetensors",)
hand_in("06_pretraining", files=FILES)
