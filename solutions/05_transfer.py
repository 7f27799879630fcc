# %% [markdown] builds="a language model finetuned to sentiment; accuracy against epoch"
# # 05 · Transfer learning: from a language model to sentiment
#
# Forty book reviews carry a label, *in favour* or *against*. Six thousand more have none. Forty reviews do not show all the words. Nor do they show what *far from* or *not … but* does to a word. In this notebook you train a Transformer to **write** reviews, for which no label is needed. Then you exchange its last layer and teach it to **judge** them. The measured question is how much of what it knows survives the exchange.
#
# **Afterwards you can**
# - turn texts into ids, and ids into inputs, targets and padding on which no loss is taken;
# - build a causal language model from `nn.TransformerEncoder`, check by experiment that it cannot see the future, and write its training loop;
# - let it write, greedily and by sampling;
# - reuse its base under a new head, read a verdict at the last real token, and find mistakes that accuracy hardly reveals;
# - compare two ways of training with several seeds and say honestly what the comparison shows.
#
# <!-- costs -->
#
# The model has 0.1 million parameters, and everything stays on the CPU. Your own time: about four hours.
#
# **What to know before.** Causal masks and the Transformer block (notebook 02), cross-entropy, what an optimiser does. Nothing that you wrote in other notebooks is used here.
#
# <!-- exercise-map -->
#
# A random generator among the arguments is an exception: a draw changes it, so the next call with it gives another
# result. With the generator in the same state, a call gives the same result.
#

# %%
# <first-cell>

# %%
import copy
import math
import time
from pathlib import Path  # noqa: F401 (for a folder of your own)

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils import plots
from course_utils.checks.selfcheck import check  # noqa: F401 (check cells call it)
from course_utils.lessons.figures import alt_text
from course_utils.lessons.transfer import (
    EOS,
    LONGEST,
    PAD,
    SIZES,
    SOS,
    SPECIAL,
    UNK,
    bag_of_words,
    batches,
    corpus_entropy,
    kept,
    kept_curves,
    labelled_batches,
    load_reviews,
    position_table,
    save,
    scheduled,
    well_formed,
    word_vectors_alone,
)
from course_utils.lessons.transfer_probes import Judge
from course_utils.metrics import mean_interval, wilson_interval
from course_utils.notebook.costs import announce
from course_utils.notebook.session import being_graded, hand_in, required, start, waits_for

course = start("05_transfer")
announce(course)
began = time.monotonic()
torch.set_num_threads(1)  # the model is so small that a second thread only gets in the way

# %% [markdown]
# ## 1 · The reviews
#
# One folder holds everything. `train.review.spm` has one review per line, cut into pieces, and `train.label` has their labels (1 in favour, 0 against). For `dev` there are two such files. `unlabelled.review.spm` has no labels, and those of `test.review.spm` only the grader has. `dict.txt` lists the pieces.
# The sign `▁` marks the beginning of a word; punctuation has none. The reviews are about books of the course's fictional world. The words that praise and condemn are invented, so that nobody, and no ready-made model, knows them beforehand.
#
# **The next cell holds the one parameter, `REVIEWS`.** Put another folder of the same format there, and the whole notebook runs on it (section 12 says what came out on real reviews).
#

# %%
REVIEWS = course.data / "reviews"  # or Path("folder") of a real data set with the same files
data = load_reviews(REVIEWS)
entropy = corpus_entropy(REVIEWS)  # known because the texts were generated; None for real ones
print(
    f"{len(data.train)} labelled, {len(data.dev)} dev, {len(data.unlabelled)} to pretrain on, "
    f"{len(data.test)} test reviews; {len(data.pieces)} pieces"
)
for text, label in zip(data.train[:3], data.train_labels, strict=False):
    print(label, text)

# %% [markdown]
# Look at the third kind of information in these lines, besides label and grammar: **praise stands beside praise**. Where a review says something like `tavik , bremol and soltan`, all three are on one side. Whoever reads thousands of unlabelled reviews can find out which words belong together
# without being told which side is which; a few labels then suffice to name the sides.
#
# But words of one side are not enough: **their order counts**. Four of ten phrases hold words of the other side and turn them round. A review on the side of `tavik` may say `far from garun`, `anything but garun or velin`, `not garun but tavik`, `less garun than bremol`. This, too, can be found out without labels, since the sentences of a review agree, except for one sentence in 15 % of the reviews.
#
# Two baselines serve for comparison. Always answering the more frequent label, and a *bag of words*: count in the labelled reviews how often each piece occurs on each side, and add up the evidence (naive Bayes, no network). The bag of words knows every word of the forty reviews, no other word, and no order.
#

# %%
words_labelled = {piece for text in data.train for piece in text.split()}
words_dev = [piece for text in data.dev for piece in text.split()]
majority = max(sum(data.dev_labels), len(data.dev_labels) - sum(data.dev_labels)) / len(data.dev_labels)
bag = bag_of_words(data)
print(f"always the same answer: {majority:.0%} of dev, bag of words: {bag:.0%}")
print(
    f"{len(set(words_dev) - words_labelled)} of {len(set(words_dev))} different pieces "
    "of the dev reviews occur in no labelled one"
)

# %% [markdown]
# ## 2 · Pieces and numbers
#
# A model computes with numbers, so every piece gets one. Four numbers are taken already:
#
# | id | name | meaning |
# |---|---|---|
# | 0 | `<pad>` (`PAD`) | fills up short rows of a batch |
# | 1 | `<sos>` (`SOS`) | start of a text |
# | 2 | `<eos>` (`EOS`) | end of a text |
# | 3 | `<unk>` (`UNK`) | any piece that the vocabulary lacks |
#
# *A small example* with the pieces `["▁good", "▁book", "."]`, which get 4, 5 and 6: `▁good ▁cat .` becomes `[4, 3, 6]`, and back `▁good <unk> .`.
#
# ### Exercise `vocabulary`
#
# `encode` adds no PAD, SOS or EOS by itself. `decode` leaves PAD, SOS and EOS out, and writes `<unk>` for UNK, so that one sees where something was lost.
# A text may have blanks at its ends too; tabs and line ends do not occur in it.
#
# <details><summary>Hint 1 · nudge</summary>You need a way from piece to number, and one from number to piece. Which Python types look up fast in each direction?</details>
# <details><summary>Hint 2 · idea</summary>A list <code>[*SPECIAL, *pieces]</code> gives the piece of each number; a dictionary made from it gives the number of each piece. A text is split at blanks.</details>
# <details><summary>Hint 3 · nearly there</summary><code>self.ids.get(piece, UNK)</code> never fails. The trap is to drop unknown pieces: then texts become shorter, and a "not" may end up beside another word.</details>


# %% answer="vocabulary"
class Pieces:
    """Pieces and their ids: 0 to 3 are the special ones, then ``pieces`` in their order from 4 on.

    All pieces differ, and no piece, known or not, is named like a special id. Nobody changes the list afterwards.
    """

    def __init__(self, pieces: list[str]) -> None:
        ### BEGIN SOLUTION
        self.names = [*SPECIAL, *pieces]
        self.ids = {name: number for number, name in enumerate(self.names)}
        ### END SOLUTION

    def __len__(self) -> int:
        """How many ids there are, the special ones included."""
        ### BEGIN SOLUTION
        return len(self.names)
        ### END SOLUTION

    def encode(self, text: str) -> list[int]:
        """The ids of the pieces of ``text``, which are separated by one or more blanks; UNK for unknown ones. An empty text has none."""
        ### BEGIN SOLUTION
        return [self.ids.get(piece, UNK) for piece in text.split()]
        ### END SOLUTION

    def decode(self, ids: list[int]) -> str:
        """The pieces, separated by blanks, without PAD, SOS and EOS."""
        ### BEGIN SOLUTION
        return " ".join(self.names[i] for i in ids if i not in (PAD, SOS, EOS))
        ### END SOLUTION


# %% check="vocabulary" points=1 minutes=15 difficulty=1
from course_utils.checks.promises import Ask, Case, Draw, promise, promises, repeatable, same, unchanged
from course_utils.lessons.transfer import EOS, PAD, SOS, UNK
from solutions.reference.transfer import Pieces

LESSON = "course_utils.lessons.transfer_ways."


LETTERS = ["a", "b", "é", "e\u0301", "\ufb01", "4", "9", ".", ","]  # é in one sign and in two, and a ligature: different pieces


def words(d: Draw, known=(2, 8), long=(3, 9)):
    """Pieces of a vocabulary, strange ones that resemble them, a text of both as ids, and as text."""
    n, length = d.sizes(known=known, long=long)
    stems = dict.fromkeys("".join(d.rng.choices(LETTERS, k=d.whole(12, 20) if k % 9 == 4 else d.whole(1, 4))) + str(k % 7) * d.whole(0, 1) for k in range(8 * n + 40))
    forms = [form for stem in stems for form in ("▁" + stem, stem, "▁" + stem.upper())]
    forms = list(dict.fromkeys(d.rng.sample(forms, len(forms))))
    pieces = forms[:n]
    resembling = [form for piece in pieces for form in (piece.upper(), piece.lower(), piece.lstrip("▁"), "▁" + piece, piece + "x", piece[:-1])]
    strange = [form for form in [*resembling, *forms[n : 2 * n + 2]] if form.strip("▁") and form not in pieces]
    ids = [UNK if d.rng.random() < 0.3 else d.whole(4, n + 3) for _ in range(length)]
    return pieces, ids, " ".join(d.rng.choice(strange) if i == UNK else pieces[i - 4] for i in ids)


def text(d: Draw, **sizes):
    pieces, _, written = words(d, **sizes)
    return pieces, "encode", written


def numbers(d: Draw, special=(PAD, SOS, EOS), **sizes):
    pieces, ids, _ = words(d, **sizes)
    for extra in special:
        ids.insert(d.whole(0, len(ids)), extra)
    return pieces, "decode", [*ids, *special[:1] * d.whole(0, 2)]


def oddities(d: Draw):
    """Pieces that look like ids or like special ones, in one text with unknown ones that look like pieces; or no piece at all."""
    letter, other = d.rng.sample("bcdfghklm", 2)
    pieces = [f"{letter}<eos>", "▁<pad>" + other, str(d.whole(6, 9)), "e\u0301" + letter, "é" + letter, f"<unk>{letter}", "<s>" + other]
    pieces = d.rng.sample(pieces, len(pieces))
    strange = ["0", str(d.whole(1, 3)), str(d.whole(4, 5)), "-1", "12", "e" + letter, "<eos>" + other, letter]
    text = " ".join(d.rng.sample([*pieces, *strange], len(pieces) + len(strange)))
    ids = [*range(4, 4 + len(pieces)), PAD, UNK, EOS, SOS]
    return d.each((pieces, "encode", text), (pieces, "decode", d.rng.sample(ids, len(ids))), ([], "encode", text), ([], "len"), ([], "decode", [UNK, SOS, UNK]))


def after(d: Draw):
    """The same texts before, and another vocabulary behind."""
    pieces, ids, written = words(d)
    args = d.each((pieces, "encode", written), (pieces, "decode", ids), (pieces, "len"))
    return Case(args, setup={"before": [words(d)[2], written], "other": words(d)[0]})


promises(
    reference={"Pieces": Pieces},
    ask=Ask(LESSON + "of_vocabulary", ("Pieces",)),
    agree=same(view=LESSON + "whole_numbers"),
    always=(unchanged, repeatable),
    kept=[
        promise("each piece of a text becomes its id, 4, 5, … in the order of pieces; an unknown one becomes UNK in its place; nothing is added",
                ("0 to 3 are the special ones, then ``pieces`` in their order from 4 on", "The ids of the pieces of ``text``", "UNK for unknown ones", "`encode` adds no PAD, SOS or EOS by itself"), text),
        promise("ids become pieces with one blank between them, without PAD, SOS and EOS wherever they stand, and `<unk>` for UNK",
                ("The pieces, separated by blanks, without PAD, SOS and EOS", "`decode` leaves PAD, SOS and EOS out, and writes `<unk>` for UNK"), numbers),
        promise("len() counts the four special ids and all pieces", "How many ids there are, the special ones included", lambda d: (words(d, known=d.each((2, 8), (1, 1), (60, 90)))[0], "len")),
        promise("an empty text has no ids, and several blanks, or some at the ends, add none", ("An empty text has none", "separated by one or more blanks"),
                [(["▁a", "b"], "encode", ""), (["▁a", "b"], "encode", "b  ▁a"), (["▁a", "b"], "encode", " ▁a b "), (["▁a", "b"], "encode", "b    ▁a   b"), (["▁a", "b"], "decode", []), (["▁a", "b"], "decode", [1, 2])], visible=6),
        promise("a text of one piece alone, or of one unknown piece twice, is written and read as any other", ("writes `<unk>` for UNK", "UNK for unknown ones"),
                [(["▁a", "b"], "decode", [UNK]), (["▁a", "b"], "decode", [5]), (["▁a", "b"], "decode", [SOS, UNK, EOS]), (["▁a", "b"], "encode", "c"), (["▁a", "b"], "encode", "b"), (["▁a", "b"], "decode", [UNK, UNK])], visible=6, trouble=False),
        promise("one piece, hundreds of pieces, a long text", "in their order from 4 on", lambda d: (lambda how, sizes: how(d, **sizes))(*d.each(*((how, sizes) for sizes in ({"known": (1, 1)}, {"known": (300, 500)}, {"long": (200, 300) if d.small else (3000, 4000)}) for how in (text, numbers))))),
        promise("a piece is a piece whatever its letters are: digits, a special id's name inside it, an accent as a sign of its own",
                ("UNK for unknown ones", "separated by blanks, without PAD, SOS and EOS"), oddities, trouble=False),
        promise("what was encoded before changes nothing, and neither does another vocabulary", "0 to 3 are the special ones",
                cases=after, visible=3, trouble=False),
    ],
    prose=("All pieces differ, and no piece, known or not, is named like a special id.", "Nobody changes the list afterwards."),
)

# %%
vocab, encoded = None, {}
with waits_for("vocabulary"):
    vocab = Pieces(data.pieces)
    parts = {"train": data.train, "dev": data.dev, "unlabelled": data.unlabelled, "test": data.test}
    encoded = {name: [vocab.encode(text)[:LONGEST] for text in texts] for name, texts in parts.items()}
    lengths = torch.tensor([len(ids) for ids in encoded["unlabelled"]]).float()
    lost = sum(i == UNK for ids in encoded["dev"] for i in ids) / sum(map(len, encoded["dev"]))
    print(
        f"{len(vocab)} ids; a review has {lengths.mean():.0f} pieces on average (at most the first "
        f"{LONGEST} are read); {lost:.1%} of the dev pieces are unknown"
    )
    print(encoded["train"][0][:12], "->", vocab.decode(encoded["train"][0][:12]))

# %% [markdown]
# ## 3 · What a language model is asked
#
# At every position the model has read the tokens so far and must say the next one. One review gives one such task for each of its tokens, and one more: when to stop.
#
# $$ x = (\texttt{<sos>}, w_1, w_2, w_3), \qquad y = (w_1, w_2, w_3, \texttt{<eos>}), \qquad
# \mathcal{L} = -\frac{1}{|\{(i,t): y_{it} \ne \texttt{PAD}\}|} \sum_{(i,t):\, y_{it} \ne \texttt{PAD}} \ln p(y_{it} \mid x_{i,1}, \dots, x_{i,t}) . $$
#
# Here $w_1, w_2, w_3$ are the pieces of one review, and $p$ is the probability that the model gives. A batch holds $B$ reviews as the rows $i$ of $x$ and $y$, both of shape `(B, T)`; $t$ counts the places of a row. Texts differ in length, so short rows are filled up with PAD on the right.
# Where the target is PAD there is nothing to predict, and nothing may count: the sum runs over the other places alone and is divided by their number.
#
# ### Exercise `lm_batch`
#
# <details><summary>Hint 1 · nudge</summary>Write the two rows for a sentence of three pieces one above the other. In each column, the lower entry is what should follow the upper one.</details>
# <details><summary>Hint 2 · idea</summary>x is <code>[SOS, *sentence]</code>, y is <code>[*sentence, EOS]</code>: equally long. The longest sentence decides the width.</details>
# <details><summary>Hint 3 · nearly there</summary>Width = longest + 1; append <code>[PAD] * (width - len(sentence) - 1)</code> to both. The trap is shifting one padded tensor: made from x, y has no EOS at all; and if EOS was put in before padding, it also stands in x, in every short row.</details>


# %% answer="lm_batch"
def lm_batch(sentences: list[list[int]]) -> tuple[Tensor, Tensor]:
    """Inputs and targets of a language model.

    Args:
        sentences: B >= 1 lists of ids without PAD, SOS and EOS, of different lengths; a list may be empty.

    Returns:
        x: int64 (B, T), rows ``SOS w1 w2 w3 PAD …``; y: int64 (B, T), rows ``w1 w2 w3 EOS PAD …``; T is the longest length plus 1.
    """
    ### BEGIN SOLUTION
    width = max(len(s) for s in sentences) + 1
    fill = [[PAD] * (width - 1 - len(s)) for s in sentences]
    x = torch.tensor([[SOS, *s, *f] for s, f in zip(sentences, fill, strict=True)])
    y = torch.tensor([[*s, EOS, *f] for s, f in zip(sentences, fill, strict=True)])
    return x, y
    ### END SOLUTION


# %% check="lm_batch" points=1.5 minutes=20 difficulty=1
from course_utils.checks.promises import Draw, promise, promises, repeatable, same, unchanged
from solutions.reference.transfer import lm_batch


def lists(d: Draw, B=(2, 5), longest=(3, 9), shortest=1, low=3):
    """Sentences of different lengths, in any order; ids may come several times."""
    (B, longest), top = d.sizes(B=B, longest=longest), 40 if d.small else d.each(40, 10**5)
    lengths = [longest, *(d.whole(shortest, longest) for _ in range(B - 1))]
    return ([d.ids(lengths[place], low=low, high=top).tolist() for place in d.sample(B, B)],)


promises(
    reference={"lm_batch": lm_batch},
    agree=same(types=True),
    returns=("x", "y"),
    always=(unchanged, repeatable),
    kept=[
        promise("x is SOS and the sentence, y the sentence and EOS, each filled up with PAD on the right, row by row in the order given",
                quote=("Inputs and targets of a language model", "of different lengths", "x: int64 (B, T), rows ``SOS w1 w2 w3 PAD …``",
                       "y: int64 (B, T), rows ``w1 w2 w3 EOS PAD …``", "T is the longest length plus 1"), cases=lists),
        promise("one sentence alone, or equally long ones, need no padding", "B >= 1 lists of ids",
                cases=lambda d: lists(d, **d.each({"B": (1, 1)}, {"longest": (4, 4), "shortest": 4}, {"B": (1, 1), "longest": (1, 1)}))),
        promise("an empty sentence is SOS, and EOS below it", "a list may be empty",
                cases=[([[6, 5], [], [9]],), ([[]],), ([[], []],), ([[], [7]],)], visible=4),
        promise("long sentences, many of them, and UNK among their ids", "of different lengths",
                cases=lambda d: lists(d, **d.each({"low": 3, "longest": (20, 60)}, {"B": (30, 40)}, {"longest": (200, 300), "B": (2, 3)}))),
        promise("an id that comes several times stays", "ids without PAD, SOS and EOS", cases=[([[7, 7, 7], [8, 8]],), ([[5, 6, 5, 6, 5]],)]),
    ],
)

# %%
with waits_for("vocabulary and lm_batch"):
    if vocab is None:
        raise NotImplementedError
    for row, targets in zip(*lm_batch([encoded["train"][0][:6], encoded["train"][1][:3]]), strict=True):
        print("x:", *(vocab.names[i] if hasattr(vocab, "names") else i for i in row.tolist()))
        print("y:", *(vocab.names[i] if hasattr(vocab, "names") else i for i in targets.tolist()), "\n")

# %% [markdown]
# ## 4 · A causal Transformer
#
# The model has two parts, because one of them will be exchanged:
#
# $$ \underbrace{\;x \;\longrightarrow\; \sqrt{D}\,E[x] + P \;\longrightarrow\; \texttt{nn.TransformerEncoder} \text{ with causal mask} \;\longrightarrow\; h\;}_{\texttt{base}}
# \;\longrightarrow\; \underbrace{\;h\,W^{\top} + b\;}_{\texttt{head}} $$
#
# | symbol | meaning | shape |
# |---|---|---|
# | $x$ | ids; `B` rows of `T` places | `(B, T)` |
# | $E$ | embedding table for $V$ ids (`n_tokens`), $D$ numbers each (`d_model`), drawn with standard deviation $1/\sqrt D$ | `(V, D)` |
# | $P$ | positions: `position_table(T, D)`, entries ±1, fixed, not trained | `(T, D)` |
# | $h$ | states | `(B, T, D)` |
# | $W, b$ | the head, with $C$ outputs (`n_classes`): $C = V$ for language modelling, $C = 2$ for two classes; $W^{\top}$ is $W$ transposed | `(C, D)`, `(C,)` |
#
# **Why $\sqrt D$?** A row of $P$ has the length $\sqrt D$, a row of $E$ about 1: without the factor, the word is an eighth as long as its place for $D = 64$ (right figure below). Why not leave the factor out and draw $E$ with standard deviation 1? At the start of training, the encoder's input would be drawn in the same way. But Adam moves every entry by about the learning rate, whatever its size, so short vectors change their direction sooner. Tried once, with standard deviation 1 (PyTorch's default) and the factor $\sqrt D$: the pretraining ended at 1.67 nats per token on dev, three right ones on the same corpus at 1.62. Both the length of the words and the speed with which they turn are then others. Which of the two did it is not known. (Section 6 says which losses to expect.)
#
# **Positions** here are fixed random signs, not the waves of notebook 03. Any table of distinct vectors tells places apart. (The mask alone tells something of the order, since an early state has read fewer tokens than a late one. $P$ tells the place directly.)
#
# **The mask.** $h_t$ may depend on $x_1, \dots, x_t$ alone. Without that the target would be visible among the inputs, one column to the right, and the loss would fall because the model copies. PyTorch's encoder wants a mask `(T, T)`, of dtype bool, that is `True` where looking is **forbidden**.
# **Padding** needs no mask of its own here: it stands on the right, where no real token looks, and what comes out at its places is never used.
#
# **Dropout.** In training mode the layers drop with the rate `dropout`; `nn.TransformerEncoderLayer` does it, if you hand the rate on. Before the sum $\sqrt{D}\,E[x] + P$ goes into the encoder, each of its entries may be dropped with this rate, too, as in Vaswani et al. (2017, section 5.4). This is optional: both ways pass the check. The numbers in the text come from models with it, where nothing else is said. Nothing else is dropped, and in evaluation nothing at all.
#

# %%
T_small = 5
forbidden = torch.ones(T_small, T_small, dtype=torch.bool).triu(1)
fig, (left, right) = plots.new_figure(8.6, 3.6, columns=2)
left.imshow(forbidden, cmap="Greys", vmin=0, vmax=1.6)
left.set(xlabel="position that is looked at", ylabel="position that looks", title="forbidden (dark)")
left.grid(False)
norms = {"with √D": 8.0, "without √D": 1.0}
for k, (name, factor) in enumerate(norms.items()):
    draws = factor * torch.randn(400, 64, generator=torch.Generator().manual_seed(k)) / 8
    right.bar(
        k,
        float(draws.norm(dim=1).mean()),
        0.6,
        color=plots.COLOURS[k],
        hatch=plots.HATCHES[k],
        edgecolor="black",
        label=name,
    )
right.bar(
    2, float(position_table(64, 64).norm(dim=1).mean()), 0.6, color="#BBBBBB", hatch="..", edgecolor="black"
)
right.set_xticks(range(3), ["embedding\nwith √D", "embedding\nwithout", "position"])
right.set(ylabel="mean length of the vector (D = 64)")
plots.show(fig, alt=alt_text("05_5_by_5"))

# %% [markdown]
# > **What is wrong here?** *"Words must be learned one after the other, so training cannot be spread over processors."* And: *"The mask lets all positions be trained at once."* The two cannot both be true. Measure one pass over a text of 64 tokens against 64 passes, each over the text so far.
#

# %%
layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True, norm_first=True).eval()
states, future = torch.randn(1, 64, 64), torch.ones(64, 64, dtype=torch.bool).triu(1)
with torch.no_grad():
    begin = time.perf_counter()
    at_once = layer(states, src_mask=future)
    once = time.perf_counter() - begin
    begin = time.perf_counter()
    in_turn = torch.stack(
        [layer(states[:, : t + 1], src_mask=future[: t + 1, : t + 1])[0, -1] for t in range(64)]
    )
    print(
        f"all positions at once: {1e3 * once:.1f} ms; one after the other: "
        f"{1e3 * (time.perf_counter() - begin):.1f} "
        f"ms; largest difference of the states {float((at_once[0] - in_turn).abs().max()):.0e}"
    )

# %% [markdown]
# <details><summary>What is wrong</summary>
# Training knows the whole text, so one pass gives the states of all positions, and the mask makes them equal to those of 64 separate passes. <b>Training is parallel; writing is sequential</b>, since a token must be chosen before the next one can depend on it.
# </details>
#
# ### Exercise `language_model`
#
# Write `Base` and `TextModel`. Names that are used later: `base.embedding` (an `nn.Embedding`), `base.encoder` (an `nn.TransformerEncoder` of `nn.TransformerEncoderLayer(d_model, n_heads, d_ff, dropout, batch_first=True, norm_first=True)`, without a norm of its own at the end; `enable_nested_tensor=False` spares you a warning), `model.base`, `model.head` (an `nn.Linear`).
# Mask and positions are not trained and are no parameters. No call remembers an earlier one: each uses the weights
# that stand there now.
#
# <details><summary>Hint 1 · nudge</summary>What differs between two positions that hold the same word, if you forget P? What could position 3 find at position 4, if you forget the mask?</details>
# <details><summary>Hint 2 · idea</summary><code>torch.ones(T, T).triu(1).bool()</code> is True above the diagonal. Give it to the encoder as <code>mask=</code>. The factor is the root of the model's width, <code>math.sqrt(d_model)</code>.</details>
# <details><summary>Hint 3 · nearly there</summary>In <code>__init__</code>: embedding, <code>nn.init.normal_(self.embedding.weight, std=d_model ** -0.5)</code>, encoder. In <code>forward</code>: h = embedding(x) · √D + position_table(T, D), then <code>self.encoder(h, mask=…)</code>, with an <code>nn.Dropout(dropout)</code> on h if your figures are to be compared with those in the text. Trap: the mask must fit the T of this batch, not a fixed one.</details>


# %% answer="language_model"
class Base(nn.Module):
    """Ids (B, T) -> states (B, T, d_model), each of which depends on the tokens up to its own position.

    Every size may be 1. T is at most 1,024. PAD stands only at the right end of a row, behind at least one token;
    what comes out there is free. In training mode the layers drop with the rate ``dropout`` (0 to 1), and the sum that
    goes into them may be dropped with it, too. Nothing else is dropped, and in evaluation mode nothing at all.
    """

    def __init__(self, n_tokens: int, d_model: int, n_heads: int, n_layers: int, d_ff: int, dropout: float) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.embedding = nn.Embedding(n_tokens, d_model)
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)
        block = nn.TransformerEncoderLayer(d_model, n_heads, d_ff, dropout, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(block, n_layers, enable_nested_tensor=False)
        self.dropout = nn.Dropout(dropout)
        ### END SOLUTION

    def forward(self, x: Tensor) -> Tensor:
        """(B, T) int64 -> (B, T, d_model)."""
        ### BEGIN SOLUTION
        T, D = x.shape[1], self.embedding.embedding_dim
        h = math.sqrt(D) * self.embedding(x) + position_table(T, D).to(x.device)  # (B, T, D) + (T, D)
        future = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        return self.encoder(self.dropout(h), mask=future)
        ### END SOLUTION


class TextModel(nn.Module):
    """A base and a linear head: ids (B, T) -> logits (B, T, n_classes). A language model has n_classes = n_tokens."""

    def __init__(
        self, n_tokens: int, n_classes: int, d_model: int, n_heads: int, n_layers: int, d_ff: int, dropout: float
    ) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.base = Base(n_tokens, d_model, n_heads, n_layers, d_ff, dropout)
        self.head = nn.Linear(d_model, n_classes)
        ### END SOLUTION

    def forward(self, x: Tensor) -> Tensor:
        """(B, T) int64 -> (B, T, n_classes)."""
        ### BEGIN SOLUTION
        return self.head(self.base(x))
        ### END SOLUTION


# %% check="language_model" points=2 minutes=40 difficulty=3
from dataclasses import replace

import torch

from course_utils.checks.promises import Ask, Case, Draw, all_gradients, close, law, layouts, module, promise, promises, repeatable, same, unchanged
from course_utils.lessons.module_ways import either_mode
from course_utils.lessons.transfer import PAD, position_table
from solutions.reference.transfer import Base, TextModel

FAR = (41, 70)
LESSON = "course_utils.lessons.text_model_ways."
MODEL, TRAINED, LOGITS = module("TextModel"), module("TextModel", training=True), close(1e-3, 1e-3, view=LESSON + "at_tokens")


def ranges(d: Draw, far, **given):
    """Sizes; all edges of their ranges come round in some promises alone, since they are many."""
    return d.sizes(far=far, **given) if far else tuple(d.whole(*pair) for pair in given.values())


def shape_of(d: Draw, low=2, heads=None, writes=False, deep=False, rates=(0.3, 0.0, 1.0, 0.7), far=None):
    """The arguments of TextModel: n_tokens, n_classes, d_model, n_heads, n_layers, d_ff, dropout."""
    V, C, H, width, d_ff = ranges(d, far, V=(2, 9), C=(1, 6), H=(low, 3), width=(low, 4), d_ff=(low, 7))
    H, (L,) = heads or H, ranges(d, far and (7, 10), L=(3, 5) if deep else (low, 3))
    return V, V if writes else C, H * (width + 2 * (low == 1)), H, L, d_ff, d.each(*rates)  # a layer norm of one number forgets it


def weights_of(d: Draw, sizes):
    """Weights by name; those of each layer are drawn for a model of one layer, which is made faster."""
    V, C, D, H, L, d_ff, p = sizes
    one = TextModel(V, C, D, H, 1, d_ff, p)
    more = [{name.replace("layers.0.", f"layers.{k}."): w for name, w in d.weights(one.base.encoder).items()} for k in range(1, L)]
    return {**d.weights(one), **{f"base.encoder.{name}": w for layer in more for name, w in layer.items()}}


def texts(d: Draw, padded=False, B=(1, 4), T=(1, 7), base=False, far=None, **how):
    """Ids, of which the special ones but PAD are tokens like others, in rows that may end in PAD; sizes and weights."""
    (B, T), sizes = ranges(d, far, B=B, T=T), shape_of(d, far=far, **how)
    x = d.ids(B, T, low=1, high=sizes[0] - 1)
    for row in range(B if padded else 0):
        x[row, d.whole(1, T):] = PAD
    weights = weights_of(d, sizes)
    if base:
        sizes, weights = (sizes[0], *sizes[2:]), {name.removeprefix("base."): w for name, w in weights.items() if name.startswith("base.")}
    return Case((x,), setup={"sizes": sizes, "weights": weights})


def several(d: Draw):
    """Texts of several lengths for one model, while there is another one of another width."""
    case, other = texts(d, T=(3, 6)), texts(d)
    (x,), V = case.args, case.setup["sizes"][0]
    more = [d.ids(B, T, low=1, high=V - 1) for B, T in ((2, x.shape[1] + 3), (1, 1), (3, 2))]
    return Case((x, *d.rng.sample(more, 3)), setup={**case.setup, "other": {**other.setup, "sizes": (V, *other.setup["sizes"][1:]),
                "weights": weights_of(d, (V, *other.setup["sizes"][1:]))}})


def strained(d: Draw):
    """Scores of attention that differ by hundreds and thousands, an input to the layers that is nearly 0, or a long one."""
    kind, x = d.each("scores", "small", "long"), torch.tensor([d.sample(9, d.whole(6, 9))]) + 1
    _, C, _, _, L, d_ff, p = shape_of(d)
    large = kind == "scores"
    sizes = (10, C, 3, 1, 1, d_ff, p) if large else (10, C, 4, 2, L, d_ff, p)
    weights = weights_of(d, sizes)
    for name, value in weights.items():
        if large and ("q_proj.weight" in name or "k_proj.weight" in name):
            value *= 60
    if kind == "long":
        weights["base.embedding.weight"] *= 40
    if kind == "small":
        n = x.shape[1]
        weights["base.embedding.weight"][x[0]] = (d.normal(n, 4, scale=0.01, dtype=torch.float32) - position_table(n, 4)) / 2
    return Case((x,), setup={"sizes": sizes, "weights": weights})


def slopes(d: Draw, **how):
    """Which outputs are added up, with which weight: some at one place and before, none of PAD."""
    case = texts(d, padded=True, T=(3, 7), **how)
    (x,), C = case.args, case.setup["sizes"][1]
    last = d.whole(0, x.shape[1] - 2)
    at = d.normal(*x.shape, C, dtype=torch.float32) + 0.005  # rounded to two decimals, and never 0
    at[:, last + 1:] = 0.0
    return Case((x,), setup={**case.setup, "at": torch.where((x != PAD)[..., None], at, 0.0)})


def dropping(d: Draw, rate, layers, rows, T=2, level=None, C=3):
    """One row of ids whose input to the encoder is exactly 0, or ``level`` (4,) everywhere; then the layers add 0, too."""
    sizes = (T + 1, C, 4, 2, layers, 3, rate)
    weights = weights_of(d, sizes)
    weights["base.embedding.weight"] = torch.cat([torch.ones(1, 4), ((0.0 if level is None else level) - position_table(T, 4)) / 2])
    for name, value in weights.items() if level is not None else ():
        if "out_proj" in name or "linear2" in name or name == "head.bias":
            value.zero_()
    weights["head.weight"] = weights["head.weight"] if level is None else torch.eye(4)
    return Case((torch.arange(1, T + 1)[None], d.seeded()), setup={"sizes": sizes, "weights": weights, "rows": rows, "level": level})


def all_dropped(d: Draw):
    """The same with rate 1, for several rows of a text."""
    case = dropping(d, 1.0, d.whole(1, 3), 1, T=d.whole(1, 5))
    return Case((case.args[0].repeat(d.whole(1, 3), 1),), setup=case.setup)


def fresh(d: Draw):
    return Case((d.whole(0, 10**6),), setup={"sizes": (d.whole(500, 600), 2, d.each(4, 64, 16), 2, 1, 3, 0.1)})


promises(
    reference={"TextModel": TextModel, "Base": Base},
    ask=MODEL,
    agree=LOGITS,
    always=(unchanged, repeatable, layouts, replace(all_gradients, agree=close(3e-3, 3e-3))),
    kept=[
        promise("the parameters have the names and shapes that embedding, encoder layers and head give them, all are trained, and there are no others",
                ("`base.embedding` (an `nn.Embedding`)", "`base.encoder` (an `nn.TransformerEncoder`", "without a norm of its own at the end", "`model.head` (an `nn.Linear`)", "Mask and positions are not trained and are no parameters"),
                lambda d: Case(setup={"sizes": shape_of(d, writes=d.each(False, True))}), fresh=4, ask=Ask(LESSON + "parameters_of", ("TextModel",)), agree=same(), trouble=False),
        promise("in evaluation the logits are those of √D · E[x] + P, causal pre-norm layers and the head", ("A base and a linear head: ids (B, T) -> logits (B, T, n_classes)", "(B, T) int64 -> (B, T, n_classes)", "h\\,W^{\\top} + b", "that is `True` where looking is **forbidden**"),
                lambda d: texts(d, T=(2, 7), far=FAR), visible=3),
        promise("the base gives the states", ("Ids (B, T) -> states (B, T, d_model)", "(B, T) int64 -> (B, T, d_model)"), lambda d: texts(d, base=True), fresh=4, ask=module("Base"), trouble=("repeatable",)),
        promise("one token, one row, one class, one head or one layer are enough", "Every size may be 1", lambda d: texts(d, low=1, **d.each({"T": (1, 1)}, {"B": (1, 1)}, {"heads": 1}, {})), fresh=4, trouble=False),
        promise("several heads and layers, and as many classes as tokens", "A language model has n_classes = n_tokens", lambda d: texts(d, T=(3, 7), heads=d.each(3, 2), deep=True, writes=True), fresh=4, trouble=False),
        promise("neither scores that differ by hundreds nor an input near 0 or far from it change anything of that", ("that is `True` where looking is **forbidden**", "`nn.TransformerEncoderLayer(d_model, n_heads, d_ff, dropout, batch_first=True, norm_first=True)`"), strained, visible=3, fresh=6, trouble=False),
        promise("PAD on the right changes nothing at the tokens before it", ("**Padding** needs no mask of its own here: it stands on the right", "PAD stands only at the right end of a row, behind at least one token", "what comes out there is free"),
                lambda d: texts(d, padded=True, B=(2, 4), T=(3, 7)), fresh=6, trouble=False),
        promise("the ids are left as they are, PAD among them", "PAD stands only at the right end of a row", lambda d: texts(d, padded=True, B=(2, 4), T=(3, 7)), ask=Ask("arguments_after", (MODEL,)), agree=same(), fresh=3, trouble=False),
        promise("texts of up to 1,024 tokens", "T is at most 1,024", lambda d: texts(d, B=(1, 1), T=(d.each(1024, 300, 600, 130),) * 2, heads=1), visible=1, fresh=4, trouble=False),
        promise("one model reads texts of any length one after the other, with and without gradients", "the mask must fit the T of this batch", several, ask=Ask(LESSON + "in_turn", ("TextModel",)), fresh=4, trouble=False),
        promise("each call uses the weights that stand there now: nothing made from them is kept", "No call remembers an earlier one: each uses the weights that stand there now", lambda d: either_mode(d, texts(d, B=(1, 2), T=(2, 5), rates=(0.0,))),
                ask=Ask("course_utils.lessons.module_ways.while_weights_change", ("TextModel",)), agree=close(1e-3, 1e-3), visible=1, fresh=2, trouble=False, far=False),
        promise("a copy of a model computes with its own parameters, whatever becomes of the first one's", "The model has two parts, because one of them will be exchanged",
                lambda d: texts(d, T=(2, 5)), ask=Ask(LESSON + "of_copy", ("TextModel",)), visible=1, fresh=3, trouble=False),
        promise("what is learned at a place reaches the weights through its own token and those before it, and no later one", ("$h_t$ may depend on $x_1, \\dots, x_t$ alone", "each of which depends on the tokens up to its own position"),
                slopes, ask=Ask(LESSON + "slopes_at", ("TextModel",)), agree=close(3e-3, 3e-3), fresh=6, trouble=False),
        promise("the rate is the argument dropout: with 0, training and evaluation give the same", "the layers drop with the rate `dropout`", lambda d: texts(d, padded=d.each(False, True), rates=(0.0,)), fresh=4, ask=TRAINED, trouble=False),
        promise("with dropout 1 nothing of the layers is left in training", "the layers drop with the rate `dropout`", all_dropped, fresh=5, ask=TRAINED, agree=LOGITS, trouble=False),
        law("in training the layers drop with the rate dropout, and nothing behind them is dropped", ("In training mode the layers drop with the rate ``dropout``", "Nothing else is dropped"),
            lambda d: dropping(d, d.each(0.3, 0.5, 0.2), d.each(1, 2), 8_000), ask=Ask(LESSON + "in_training", ("TextModel",)), view=LESSON + "row_by_row", finds=0.2,
            features=[f"logit {c} at place {t}" for t in (1, 2) for c in (1, 2, 3)]),
        promise("in training the layers' input is left as it is, or each of its entries is dropped with the rate dropout on its own", "the sum that goes into them may be dropped with it, too",
                lambda d: dropping(d, d.each(0.4, 1.0, 0.2, 0.8), 1, 1000, T=6, level=torch.tensor([1.5, -0.75, 2.25, -3.0]), C=4), ask=Ask(LESSON + "input_in_training", ("TextModel",)), agree=same(), want=True, fresh=4, trouble=False),
        promise("a fresh embedding has the standard deviation 1/√D", "drawn with standard deviation $1/\\sqrt D$", fresh, ask=Ask(LESSON + "fresh_embeddings", ("TextModel",)), agree=same(), want=True, fresh=3, trouble=False),
    ],
)

# %% [markdown]
# A test worth keeping: **change a later token, and no earlier output may change.** It needs neither labels nor training, only ten lines of code. It finds a mistake that makes a language model look too good.
#
# ## 5 · The training loop
#
# For every batch: forward, loss, backward, clip, step. And before the backward pass, set the gradients to zero, because `backward` **adds** to what is there.
#
# Clipping bounds the length of the whole gradient $g$, all parameters taken together, by a number $c$ (the argument `clip`): if $\lVert g \rVert > c$, then $g \leftarrow c\, g / \lVert g \rVert$. The direction stays.
#
# Dropout belongs to training. So the loop begins with `model.train()` and ends with `model.eval()`, whatever the model was before, so that no later measurement happens with dropout on by accident.
#
# ### Exercise `train_epoch`
#
# Two functions: the loss of section 3 (PAD targets do not count), and one pass over the batches. The loop gets its loss as an argument, so that it will serve for classification too.
# There is at least one batch. Each batch for `lm_loss` has at least one target that is not PAD.
#
# <details><summary>Hint 1 · nudge</summary>Which of the five steps changes the weights, and what must be finished before it?</details>
# <details><summary>Hint 2 · idea</summary><code>F.cross_entropy</code> wants logits (N, V) and targets (N,), and has an argument for targets that are to be ignored. <code>nn.utils.clip_grad_norm_</code> clips in place.</details>
# <details><summary>Hint 3 · nearly there</summary>model.train(); for x, y: zero_grad, loss = loss_fn(model(x), y), backward, clip, step, add <code>loss.item()</code>; model.eval(); return sum / number of batches. Trap: clipping after the step, when it is too late.</details>


# %% answer="train_epoch"
def lm_loss(logits: Tensor, y: Tensor) -> Tensor:
    """Mean cross-entropy in nats over the targets that are not PAD. logits: (B, T, V), y: (B, T) -> a scalar."""
    ### BEGIN SOLUTION
    return F.cross_entropy(logits.flatten(0, 1), y.flatten(), ignore_index=PAD)  # (B, T, V) -> (B·T, V)
    ### END SOLUTION


def train_epoch(model: nn.Module, optimizer, batches: list, loss_fn, clip: float = 1.0) -> float:
    """One pass over the batches, each a pair (x, y), with one step of the optimiser per batch.

    Args:
        loss_fn: ``loss_fn(model(x), y)`` is a scalar.
        optimizer: holds all parameters of the model.
        clip: largest norm of the whole gradient.

    Returns:
        The mean of the batches' losses. The model is left in evaluation mode.
    """
    ### BEGIN SOLUTION
    model.train()
    losses = []
    for x, y in batches:
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    return sum(losses) / len(losses)
    ### END SOLUTION


# %% check="train_epoch" points=2 minutes=30 difficulty=2
import torch

from course_utils.checks.promises import Ask, Case, Draw, call, close, gradients, layouts, promise, promises, repeatable, unchanged
from course_utils.lessons.transfer import PAD
from course_utils.lessons.transfer_ways import stand_in_weights
from solutions.reference.transfer import lm_loss, train_epoch

LESSON = "course_utils.lessons.transfer_ways."


def logits_and_targets(d: Draw, B=(1, 4), T=(2, 6), V=(4, 9), size=2.0, padded=True):
    """Logits, and targets that are PAD behind the end of each row."""
    B, T, V = d.sizes(B=B, T=T, V=V)
    y = d.ids(B, T, low=1, high=V - 1)
    for row in range(B if padded else 0):
        y[row, d.whole(0 if row else 1, T):] = PAD
    return d.normal(B, T, V, scale=size, dtype=d.each(torch.float32, torch.float64)), y


def epoch(d: Draw, *clip, V=(4, 8), D=(3, 7), layers=(1, 3), steps=(2, 4), B=(1, 4), T=(2, 6), labels=False, **setup):
    """A stand-in, and batches of unequal sizes: of texts whose targets end in PAD, or of texts with one label each."""
    V, D, layers, steps = d.sizes(V=V, D=D, layers=layers, steps=steps, far=None)  # rounding grows with the steps
    batches = []
    for _ in range(steps):
        b, t = d.whole(*B), d.whole(*T)
        x, y = d.ids(b, t, low=1, high=V - 1), d.ids(b, t, low=1, high=V - 1)
        x[-1, t - 1:], y[-1, t - 1:] = PAD, PAD
        batches.append((x, d.ids(b, low=0, high=V - 1) if labels else y))
    return Case((stand_in_weights(d, V, D, layers), batches, *clip), setup={"rates": [0.4, 0.9], "evaluating": d.each(True, False), **setup})


STEPS = close(1e-5, 1e-5, view=LESSON + "after_the_steps")  # loss and mode have promises of their own
promises(
    reference={"train_epoch": train_epoch, "lm_loss": lm_loss},
    ask=Ask(LESSON + "passed", ("train_epoch",)),
    agree=close(1e-5, 1e-5),
    always=(unchanged, repeatable, layouts, gradients(0)),
    shares={"lm_loss": 0.4, "train_epoch": 0.6},
    kept=[
        promise("lm_loss is the mean over all targets that are not PAD, in nats", ("Mean cross-entropy in nats over the targets that are not PAD", "logits: (B, T, V), y: (B, T) -> a scalar"),
                logits_and_targets, ask=call("lm_loss")),
        promise("the same for one row or position, without padding, for many rows, a large vocabulary, logits far from 0", "the loss of section 3 (PAD targets do not count)", ask=call("lm_loss"),
                cases=lambda d: logits_and_targets(d, **d.each({"B": (1, 1)}, {"T": (1, 1)}, {"padded": False}, {"size": 3000.0, "B": (3, 5), "T": (4, 8)}, {"B": (30, 40), "T": (50, 64)}, {"V": (500, 600)})), visible=0),
        promise("one pass is one step per batch, in their order, each from its own gradient, clipped as a whole", ("One pass over the batches, each a pair (x, y), with one step of the optimiser per batch", "clip: largest norm of the whole gradient", "``loss_fn(model(x), y)`` is a scalar", "For every batch: forward, loss, backward, clip, step"),
                lambda d: epoch(d, d.each(0.3, 1.7, 0.05)), fresh=5, agree=STEPS),
        promise("what is longer than clip is cut to its length, what is shorter stays", "The direction stays", lambda d: epoch(d, d.each(0.02, 50.0)), fresh=4, agree=STEPS, steady=True),
        promise("clip is 1 unless it is given", "clip: largest norm of the whole gradient", epoch, fresh=4, agree=STEPS),
        promise("the mean counts every batch once, and is measured while training", "The mean of the batches' losses", lambda d: epoch(d, 0.5, B=(1, 6), rates=d.each([0.0, 0.0], [0.4, 0.9]), steps=(3, 5)), fresh=5),
        promise("a loss of 0, or near 0, counts as it is, and its batch gets a step like any other", ("with one step of the optimiser per batch", "The mean of the batches' losses"),
                lambda d: epoch(d, 0.8, steps=(4, 6), layers=(1, 2), loss="levelled_loss"), visible=1, fresh=5, agree=close(1e-5, 1e-5, view=LESSON + "with_small_losses"), trouble=False),
        promise("a second pass with the same optimiser goes on where the first one ended", "with one step of the optimiser per batch",
                lambda d: epoch(d, 0.6, steps=(1, 3), layers=(1, 2), passes=2), visible=1, fresh=4, agree=STEPS, trouble=False),
        promise("the model trains in training mode and is left in evaluation mode, whatever it was in before", ("The model is left in evaluation mode", "begins with `model.train()` and ends with `model.eval()`"),
                lambda d: epoch(d, 1.0, steps=(1, 3)), fresh=4),
        promise("it works with lm_loss, with labels, with a frozen base, with one batch or many", "so that it will serve for classification too",
                lambda d: epoch(d, 0.7, **d.each({"loss": "usual_loss"}, {"labels": True}, {"held": True, "labels": True}, {"steps": (1, 1)}, {"steps": (25, 30)}, {"D": (40, 50), "V": (80, 90)})), visible=0, fresh=6),
    ],
    prose=("optimizer: holds all parameters of the model.",),
)

# %% [markdown]
# ## 6 · Pretraining
#
# Everything is ready. Pretraining makes sixteen passes over the unlabelled reviews (twelve if you bring your own texts and there are at most 3,000) with AdamW. The learning rate rises for 100 steps to about 3e-3; then it goes down linearly. The weights are kept in `work/05_transfer/pretrained.safetensors`, so that these minutes are spent only once.
#
# What should the loss become? For generated texts one can **know** it. The generator's own surprise is its entropy per token, and no honest model gets more than a little below that. A model that falls far below it on texts it was not trained on has seen its targets.
#

# %%
PRETRAIN_EPOCHS = 16 if len(data.unlabelled) > 3000 else 12


PRETRAIN_SEED = 0  # another number draws other first weights and another dropout


def new_model(n_classes: int) -> TextModel:
    """A fresh model of this notebook's size."""
    return TextModel(len(vocab), n_classes, *SIZES)


def first_model() -> TextModel:
    """The language model before its first step."""
    torch.manual_seed(PRETRAIN_SEED)
    return new_model(len(vocab))


def pretrain(model: TextModel) -> list[float]:
    """Language modelling on the unlabelled texts; the mean loss of every epoch in nats per token."""
    steps = PRETRAIN_EPOCHS * math.ceil(len(encoded["unlabelled"]) / 32)
    optimizer = scheduled(torch.optim.AdamW(model.parameters(), lr=3e-3), steps)
    losses = []
    for epoch in range(PRETRAIN_EPOCHS):
        losses.append(
            train_epoch(model, optimizer, batches(encoded["unlabelled"], lm_batch, 32, epoch), lm_loss)
        )
        print(f"epoch {epoch + 1}: {losses[-1]:.3f} nats per token", flush=True)
    return losses


pretrained, pretrain_losses = None, []
if vocab is None:
    print("(pretrained: this cell needs the vocabulary of section 2.)")
else:
    pretrained, pretrain_losses = kept(
        course.work / "pretrained.safetensors",
        data,
        first_model,
        pretrain,
        "lm_batch, language_model and train_epoch",
    )

# %%
with waits_for("lm_batch, language_model and train_epoch"):
    required(pretrained)
    with torch.no_grad():
        rows = [
            (lm_loss(pretrained(x), y).item(), int((y != PAD).sum()))
            for x, y in batches(encoded["dev"], lm_batch, 100, 0)
        ]
        # every token counts the same
        dev_loss = sum(loss * n for loss, n in rows) / sum(n for _, n in rows)
    print(f"on dev reviews, which it never read: {dev_loss:.3f} nats per token")
    epochs = list(range(1, len(pretrain_losses) + 1))
    series = {"training (dropout on)": (epochs, pretrain_losses)}
    if entropy is not None:
        series |= {
            "the generator's own surprise": (epochs, [entropy] * len(epochs)),
            # 0.09 is exact: computed word by word from the generator
            "the same, sides of words unknown": (epochs, [entropy + 0.09] * len(epochs)),
        }
    fig = plots.line(series, "epoch", "loss (nats per token)")
    plots.show(
        fig,
        alt=alt_text(
            "05_pretraining_loss_epoch",
            first=pretrain_losses[0],
            last=pretrain_losses[-1],
            dev_loss=dev_loss,
            lines=alt_text("05_level_lines", entropy=entropy) if entropy is not None else "",
        ),
    )

# %% [markdown]
# The upper of the two level lines belongs to reader A, the best one who knows the grammar and how frequent each word is, but not the two sides. A pays 0.09 nats per token more than reader B, who knows them (exact, eight corpora of this kind). The reason: where B chooses among the adjectives of one side, A chooses among those of both. That costs about $\ln 2 = 0.69$ nats for each new adjective of a review after the first (whose side both readers must guess), and nothing for one that comes again. A model whose loss on **dev** sinks below this line has learned something of what is said of the book, and a classifier can use it.
#
# The training curve is measured with dropout on, and after sixteen passes the model begins to know its texts by heart. So judge by the dev loss. In fifteen pretrainings on nine corpora, with dropout on the sum, the dev loss ended 0.012 to 0.038 nats above the lower line. Two without this dropout ended 0.03 and 0.04 nats above it. So a loss 0.03 or 0.04 nats above the lower line is no sign that your dropout is wrong.
#
# ## 7 · Writing
#
# To write, give `<sos>` and perhaps a beginning, take the logits at the last position, choose a token, append it, and ask again, until `<eos>` comes or the length is used up. Choosing means either the most likely token (**greedy**) or a draw from
#
# $$ p_k = \frac{e^{z_k/\tau}}{\sum_j e^{z_j/\tau}}, $$
#
# where $z$ (shape `(V,)`) are the logits and $\tau > 0$ is the temperature: $\tau \to 0$ is greedy, $\tau = 1$ the model's own distribution, larger values make the distribution more even. *Example:* logits $(2, 0)$ give $p_1 = 0.88$ at $\tau = 1$, $0.73$ at $\tau = 2$.
#
# ### Exercise `generate`
#
# A PAD or SOS that the model chooses is a token like any other: it is kept, and writing goes on. A prompt may be empty,
# and may hold any ids, special ones too; they do not end the writing. `max_new` may be 0. No two tokens share the
# largest logit.
#
# <details><summary>Hint 1 · nudge</summary>The model gives logits for every position. At which one does it speak about the token that is not there yet?</details>
# <details><summary>Hint 2 · idea</summary>Keep a list of ids that begins with SOS and the prompt. In each round make a tensor (1, n) of it, take <code>logits[0, -1]</code>, choose. <code>torch.multinomial(p, 1, generator=…)</code> draws.</details>
# <details><summary>Hint 3 · nearly there</summary>Switch dropout off (<code>model.eval()</code>) and gradients too (<code>torch.no_grad()</code>). Stop before EOS is appended. Divide the logits by the temperature; do not multiply. Trap: giving the model only the last token, which makes it forget the rest.</details>


# %% answer="generate"
def generate(
    model: nn.Module,
    prompt: list[int],
    max_new: int,
    temperature: float = 0.0,
    generator: torch.Generator | None = None,
) -> list[int]:
    """Continue ``prompt`` (ids without the SOS in front of them).

    Args:
        model: (1, n) ids -> (1, n, V) logits. While it writes, dropout is off; afterwards it is in evaluation mode,
            or in the mode in which it came.
        max_new: at most so many new tokens, none if it is 0; those of the prompt do not count.
        temperature: 0 takes the most likely token each time; above, tokens are drawn.
        generator: for the draws; if None, torch draws with its own.

    Returns:
        The new ids alone, without SOS, prompt and EOS. The list ``prompt`` stays as it was.
    """
    ### BEGIN SOLUTION
    model.eval()
    ids = [SOS, *prompt]
    with torch.no_grad():
        for _ in range(max_new):
            logits = model(torch.tensor([ids]))[0, -1]  # (1, n, V) -> (V,)
            if temperature == 0:
                chosen = int(logits.argmax())
            else:
                chosen = int(torch.multinomial((logits / temperature).softmax(-1), 1, generator=generator))
            if chosen == EOS:
                break
            ids.append(chosen)
    return ids[1 + len(prompt) :]
    ### END SOLUTION


# %% check="generate" points=1.5 minutes=25 difficulty=2
import torch

from course_utils.checks.counts import alike, by_law, draws
from course_utils.checks.promises import Ask, Draw, Made, promise, promises, repeatable, same, unchanged
from course_utils.lessons.transfer import EOS, PAD, SOS, UNK
from solutions.reference.transfer import generate

LESSON = "course_utils.lessons.transfer_ways."
WRITING = "course_utils.lessons.writing_ways."


def writer(d: Draw, V, ends, size=1.0):
    """A writer that minds all tokens so far, and is contrary in training mode; ``ends`` is its pull towards EOS."""
    table, bias = (size * d.normal(V, V, scale=scale, dtype=torch.float32) for scale in (1.0, 4.0))
    table[:, EOS], bias[:, EOS] = ends, ends
    return Made("course_utils.lessons.transfer_probes.Writer", (table, bias))


def text(d: Draw, *how, V=(6, 12), prompt=(1, 5), most=(3, 9), ends=None, low=3, ids=()):
    """A writer, a prompt and a number of new tokens; ``ids`` stand scattered in the prompt."""
    V, length, most = d.sizes(V=V, prompt=prompt, most=most)
    begun = [d.whole(low, V - 1) for _ in range(length)] + list(ids)
    return writer(d, V, d.each(-9.0, 1.0, 2.5) if ends is None else ends), d.rng.sample(begun, len(begun)) if ids else begun, most, *how


def endless(d: Draw):
    """A writer to whom EOS is neither the likeliest nor the least likely token, in either mode."""
    made, *rest = text(d, ends=0.0, most=(1, 9), prompt=(1, 6))
    made.args[1][:, 3:5] = torch.tensor([30.0, -30.0])
    return made, *rest


def many(d: Draw):
    """Many ids of nearly equal shares: to draw from some of them alone is wrong, however many these are."""
    return writer(d, 40 if d.small else d.each(40, 120), 0.0), [d.each(3, 4)] * d.whole(0, 2), 1, d.uniform(20.0, 30.0), d.seeded()


def tailed(d: Draw, temperature, share, most):
    """Three ids with large shares and 26 that have a small share together, whatever stands before; EOS never comes."""
    order = [k for k in d.sample(30, 30) if k != EOS]
    weights = [0.2 + d.uniform(0.0, 1.0) for _ in order[3:]]
    shares = torch.zeros(30, dtype=torch.float64)
    shares[order[3:]] = share * torch.tensor(weights, dtype=torch.float64) / sum(weights)
    shares[order[:3]] = (1 - share) * torch.tensor([0.55, 0.3, 0.15], dtype=torch.float64)
    shares[EOS] = 1e-30
    table = (temperature * shares.log()).float().repeat(30, 1)
    return Made("course_utils.lessons.transfer_probes.Writer", (table, torch.zeros(30, 30))), [], most, temperature, d.seeded()


def ordinary(d: Draw):
    """A writer whose logits lie far apart, and to whom no special id is ever the likeliest."""
    made, *rest = text(d, 1e-9, V=(8, 12), ends=-30.0)
    for part in made.args:
        part.mul_(100.0)
        part[:, [PAD, SOS, UNK]] = -9000.0
        part[:, EOS] = -9500.0  # alone at one end, so that whoever leaves dropout on always ends at once
    return made, *rest


def drawn(d: Draw, temperature):
    """Five ids, whose shares differ widely, also at temperatures near 0, a prompt of some of them, one generator for all calls."""
    size = temperature / 1.6 if temperature < 0.1 else 1.0
    return writer(d, 5, size * d.uniform(-0.5, 1.0), 0.4 * size), [d.each(3, 4)] * d.whole(0, 2), 2, temperature, d.seeded()


law = {"ask": draws("generate", WRITING + "two_tokens", 500, one_generator=True), "agree": by_law(), "visible": 1, "trouble": False}
rare = {**law, "ask": draws("generate", WRITING + "likelihood", 500, one_generator=True)}
pooled = {**law, "ask": draws("generate", WRITING + "tail", 200, one_generator=True)}

promises(
    reference={"generate": generate},
    agree=same(view=LESSON + "whole_numbers"),
    always=(unchanged, repeatable),
    random=("generate",),
    kept=[
        promise("where the model never ends, max_new ids come back: those of the prompt and SOS do not count and are not among them", ("at most so many new tokens", "those of the prompt do not count"), endless, agree=same(view=LESSON + "how_many"), trouble=False),
        promise("at temperature 0 the new token is the most likely one at the last position; dropout is off", ("0 takes the most likely token each time", "While it writes, dropout is off"), lambda d: text(d, prompt=(1, 1), most=(1, 2)), far=False),
        promise("at temperature 0 each new token is the most likely one after SOS, the whole prompt and all that is written, however many these are",
                ("Continue ``prompt`` (ids without the SOS in front of them)", "0 takes the most likely token each time", "While it writes, dropout is off", "(1, n) ids -> (1, n, V) logits", "The new ids alone, without SOS, prompt and EOS"), lambda d: text(d, **d.each({}, {"prompt": (33, 40) if d.small else d.each((110, 140), (33, 40)), "most": (9, 12), "ends": -30.0}, {"prompt": (9, 12), "most": (9, 12), "ends": -30.0}, {"most": (33, 40), "ends": -30.0})), visible=4),
        promise("at temperature 0 nothing is drawn, with a generator neither", "0 takes the most likely token each time", lambda d: text(d, 0.0, d.seeded(), ends=d.each(-30.0, 1.0)), visible=1, fresh=3, trouble=False),
        promise("it stops before EOS, and after max_new tokens, those of the prompt not counted", ("at most so many new tokens", "those of the prompt do not count"), lambda d: text(d, ends=d.each(-30.0, 3.0, 4.0, 2.0), most=(1, 12))),
        promise("an empty prompt, no new token at all, a prompt of any ids, a long prompt, many tokens, a large vocabulary", "Continue ``prompt``",
                lambda d: text(d, **d.each({"prompt": (0, 0)}, {"most": (0, 0)}, {"low": 0}, {"ids": (PAD, EOS, SOS, UNK), "ends": -30.0}, {"prompt": (60, 80)}, {"most": (60, 80), "ends": -30.0}, {"V": (300, 400), "ends": -30.0})), visible=0),
        promise("max_new may be 0: then no token comes, greedy or drawn", "none if it is 0", lambda d: text(d, *d.each((), (1.0, d.seeded())), most=(0, 0), ends=-30.0), fresh=3, trouble=False, far=False),
        promise("the new ids are Python's whole numbers, greedy or drawn", "The new ids alone", lambda d: text(d, *d.each((), (1.0, d.seeded())), ends=-30.0), ask=Ask(WRITING + "plain_ids", ("generate",)), agree=same(), fresh=2, trouble=False, far=False),
        promise("close to temperature 0 draws are the most likely tokens too", "above, tokens are drawn", lambda d: text(d, 1e-9, d.seeded(), ends=d.each(-30.0, 3.0)), trouble=False),
        promise("without a generator tokens are drawn all the same", "if None, torch draws with its own", ordinary, visible=1, fresh=2, trouble=False),
        promise("with equal generators the draws are alike", "generator: for the draws", lambda d: text(d, d.each(2.0, 0.7), d.seeded(), ends=-9.0, most=(5, 9)), ask=alike("generate"), agree=same(), fresh=3, trouble=False),
        promise("each token is drawn from softmax(logits / τ) at the last position, one after the other, with one generator", "above, tokens are drawn", lambda d: drawn(d, d.each(2.5 if d.small else d.rng.choice([2.5, 0.6, 0.4]), d.uniform(0.01, 0.09))), fresh=2, **law),
        promise("at τ = 1 the draws follow the model's own distribution", "the model's own distribution", lambda d: drawn(d, 1.0), fresh=1, **law),
        promise("at a high temperature the draws are more even", "larger values make the distribution more even", lambda d: drawn(d, d.each(5.0, 20.0)), fresh=1, **law),
        promise("each of many tokens may be drawn, the unlikely ones too", "a draw from", many, fresh=2, **rare),
        promise("tokens with small shares are drawn too, as often as softmax(logits / τ) says: none is left out, at τ = 1", "a draw from", lambda d: tailed(d, 1.0, 0.009, 30), fresh=1, **pooled),
        promise("tokens with small shares are drawn too, as often as softmax(logits / τ) says: none is left out, at other temperatures", "a draw from", lambda d: tailed(d, d.each(3.0, 0.4), 0.04, 10), fresh=2, **pooled),
        promise("one model writes in each call with the weights that stand there now", "Continue ``prompt``", text, ask=Ask(WRITING + "other_weights", ("generate",)), agree=same(), visible=1, fresh=2, trouble=False, far=False),
        promise("a model that was in training mode is in one mode afterwards, with all its parts", "afterwards it is in evaluation mode, or in the mode in which it came", text, ask=Ask(WRITING + "one_mode", ("generate",)), agree=same(), fresh=2, trouble=False, far=False),
        promise("a model that was in evaluation mode is in evaluation mode afterwards", "afterwards it is in evaluation mode, or in the mode in which it came", text, ask=Ask(WRITING + "mode_after", ("generate",)), agree=same(), trouble=False),
    ],
    prose=("The list ``prompt`` stays as it was.",),
)

# %%
with waits_for("lm_batch, language_model, train_epoch and generate"):
    required(pretrained)
    rng = torch.Generator().manual_seed(3)
    beginning = encoded["dev"][0][:8]
    print("beginning:", vocab.decode(beginning))
    print("greedy:   ", vocab.decode(generate(pretrained, beginning, 40)))
    for _ in range(2):
        print(
            "sampled:  ",
            vocab.decode(generate(pretrained, beginning, 40, temperature=1.0, generator=rng)),
        )

# %% [markdown]
# **Does it stumble over its own words?** In training the model only ever continued real texts; here it continues its own, errors included (*exposure bias*). Must errors then pile up? Measure before believing: the share of well-formed sentences among the 1st, 2nd, 3rd, … that it writes, with 95 % intervals.
#

# %%
exposure = []
with waits_for("lm_batch, language_model, train_epoch and generate"):
    required(pretrained)
    if entropy is not None and not being_graded():
        rng = torch.Generator().manual_seed(4)
        written = [vocab.decode(generate(pretrained, [], LONGEST, 1.0, rng)) for _ in range(60)]
        exposure = well_formed(written)
        fig, (ax,) = plots.new_figure(6.4, 3.4)
        share = [good / n for good, n in exposure]
        bounds = [wilson_interval(good, n) for good, n in exposure]
        ax.errorbar(
            range(1, len(share) + 1),
            [100 * s for s in share],
            [
                [100 * (s - low) for s, (low, _) in zip(share, bounds, strict=True)],
                [100 * (high - s) for s, (_, high) in zip(share, bounds, strict=True)],
            ],
            marker="o",
            capsize=4,
            color="black",
        )
        ax.set(
            xlabel="number of the sentence in the written review",
            ylabel="well-formed sentences (%)",
            ylim=(0, 103),
        )
        plots.show(
            fig,
            alt=alt_text(
                "05_share_well_formed",
                told=", ".join((f"{k}. {100 * s:.0f} %" for k, s in enumerate(share, 1))),
            ),
        )

# %% [markdown]
# Look at the intervals before you read a trend into the dots. With so simple a grammar the model may recover at every full stop (not tested). Differences that lie well within the intervals are no evidence for a growth of errors. With longer dependencies the effect can be real, and the same kind of figure would show it.
#
# ## 8 · A new head
#
# The base turns a text into states that tell what comes next; the head reads next tokens out of them. For *in favour* or *against* we keep the base and put a fresh head of two outputs on it:
#
# $$ \text{logits} = h\,W'^{\top} + b', \qquad W' : (2, D) \text{ drawn anew}, \quad h \text{ from the copied base} . $$
#
# At the size counted in notebook 04 ($V = 50{,}001$, $D = 200$, 4 layers, feed-forward width 200) the exchange takes the model from 21,018,401 trained numbers to **10,968,602**: almost half of them were the old head, one row of $D$ numbers and a bias for every piece of the vocabulary.
#
# ### Exercise `transfer`
#
# Return a **new** model; `pretrained` stays as it is, since twenty runs of the comparison (two conditions, ten seeds) will start from it. Everything in the new model is trained, unless `frozen` is true: then the base keeps its weights, and the head alone learns.
# All models here have 32-bit numbers. The new head has a bias, like the old one. The new model may be
# in either mode, and it may still hold gradients of the old model.
#
# <details><summary>Hint 1 · nudge</summary>Assigning a module to a second name copies nothing. What would the second experiment start from?</details>
# <details><summary>Hint 2 · idea</summary><code>copy.deepcopy(model)</code> copies everything; then exchange <code>.head</code>. Its width is <code>pretrained.head.in_features</code>.</details>
# <details><summary>Hint 3 · nearly there</summary>deepcopy; <code>model.head = nn.Linear(…, n_classes)</code>; <code>requires_grad_(not frozen)</code> for the base. Trap: to freeze the base for everybody; accuracy hardly shows it.</details>


# %% answer="transfer"
def transfer(pretrained: nn.Module, n_classes: int, frozen: bool = False) -> nn.Module:
    """A new model with a copy of the base of ``pretrained`` and a fresh head.

    Args:
        pretrained: has ``.base``, and ``.head``, an ``nn.Linear``; all its weights are trained, and it is not changed.
            It need not be possible to pickle it.
        n_classes: outputs of the new head.
        frozen: the base's weights are not trained.
    """
    ### BEGIN SOLUTION
    model = copy.deepcopy(pretrained)
    model.head = nn.Linear(pretrained.head.in_features, n_classes)
    model.base.requires_grad_(not frozen)
    return model
    ### END SOLUTION


# %% check="transfer" points=1.5 minutes=20 difficulty=2
from course_utils.checks.promises import Ask, Case, Draw, layouts, promise, promises, same, unchanged
from course_utils.lessons.transfer_ways import layered_weights, stand_in_weights
from solutions.reference.transfer import transfer

LESSON = "course_utils.lessons.transfer_ways."


def old(d: Draw, *frozen, V=(4, 9), D=(3, 8), layers=(1, 3), B=(1, 3), T=(1, 5), classes="other", **setup):
    """A pretrained stand-in of any size and depth, a batch to train on, a number of classes below, at or above V, or 1."""
    V, D, layers, B, T = d.sizes(V=V, D=D, layers=layers, B=B, T=T)
    C = {"other": d.each(2, 3, V + 3, V, V - 1), "two": 2, "many": 120, "one": 1}[classes]
    return Case((stand_in_weights(d, V, D, layers), d.ids(B, T, low=0, high=V - 1), d.ids(B, low=0, high=min(C, V) - 1), C, *frozen), setup=setup)


def layered(d: Draw, *frozen):
    """A pretrained stand-in whose base is a Transformer's encoder of two layers or more: attention, norms and biases."""
    D, C, V = 2 * d.whole(2, 4), d.whole(2, 3), d.whole(5, 7)
    weights = layered_weights(d, V, D, 2 if d.small else d.each(2, 3, 2), d.whole(3, 6))
    return Case((weights, d.ids(3, 4, low=0, high=V - 1), d.ids(3, low=0, high=C - 1), C, *frozen))


def all_ways(d: Draw):
    """Every way to say whether the base is frozen."""
    return old(d, *d.each((True,), (), (False,)), V=(5, 9), layers=(2, 3))


promises(
    reference={"transfer": transfer},
    ask=Ask(LESSON + "transferred", ("transfer",)),
    always=(unchanged, layouts),
    prose=("It need not be possible to pickle it.",),
    kept=[
        promise("the head is fresh: an nn.Linear with a bias and n_classes outputs, drawn anew in every call, with no row of the old one", ("and a fresh head", "n_classes: outputs of the new head", "drawn anew"),
                lambda d: old(d, classes=d.each("other", "one", "other", "other", "other")), agree=same(view=LESSON + "new_head"), fresh=5),
        promise("the new model has a copy of the base: its states, and its logits through the new head, also after another copy was trained", "A new model with a copy of the base of ``pretrained``",
                all_ways, agree=same(view=LESSON + "new_outputs"), fresh=5, trouble=False),
        promise("everything in the new model is trained, whether frozen=False is said or not", "Everything in the new model is trained, unless `frozen` is true",
                lambda d: old(d, *d.each((), (False,)), layers=(2, 3)), agree=same(view=LESSON + "new_training"), fresh=5, trouble=False),
        promise("with frozen=True, by place or by name, the base keeps its weights and the head learns", ("frozen: the base's weights are not trained", "then the base keeps its weights, and the head alone learns"),
                lambda d: old(d, True, named=d.each(False, True)), agree=same(view=LESSON + "new_training"), fresh=5, trouble=False),
        promise("the pretrained model stays as it is, whatever becomes of the new one, and can be trained as before", ("pretrained: has ``.base``, and ``.head``, an ``nn.Linear``", "all its weights are trained, and it is not changed", "`pretrained` stays as it is"),
                all_ways, agree=same(view=LESSON + "old_model"), fresh=5, trouble=False),
        promise("the copy of the base has every weight and bias of all encoder layers", "A new model with a copy of the base of ``pretrained``",
                lambda d: layered(d, *d.each((), (True,), (False,))), agree=same(view=LESSON + "new_outputs"), visible=1, fresh=3, trouble=False),
        promise("with frozen=True every weight and bias of all encoder layers keeps its value, attention and norms too; else all are trained", ("then the base keeps its weights, and the head alone learns", "Everything in the new model is trained, unless `frozen` is true"),
                lambda d: layered(d, d.each(True, False, True)), agree=same(view=LESSON + "new_training"), visible=1, fresh=5, trouble=False),
        promise("a wide and deep base, a large vocabulary, many classes, one token", "Return a **new** model", lambda d: old(d, **d.each({"V": (300, 400), "D": (48, 64)}, {"layers": (5, 7)}, {"classes": "many", "B": (6, 9)}, {"T": (1, 1), "B": (1, 1)}, {"D": (1, 1), "classes": "two"})),
                agree=same(view=LESSON + "new_training"), visible=0, fresh=5, trouble=False),
    ],
)

# %% [markdown]
# ## 9 · One verdict per review
#
# The model gives logits at **every** position, and we need one pair of logits per review. With a causal mask there is one position that has read everything: the last one. But rows are filled up with PAD. The state at a PAD position has also read padding, and how much depends on which other reviews happen to be in the batch. So take the last position that holds a real token.
#
# *Example:* the rows `<sos> w1 w2 <pad> <pad>` and `<sos> w1 w2 w3 w4` of $x$; the positions, counted from 0, are 2 and 4.
#
# ### Exercise `last_token`
#
# <details><summary>Hint 1 · nudge</summary>How many entries of a row are real, and which position is the last of them if one counts from 0?</details>
# <details><summary>Hint 2 · idea</summary><code>(x != PAD).sum(1)</code> counts the real tokens of every row. Then pick, for each row, one position.</details>
# <details><summary>Hint 3 · nearly there</summary><code>logits[torch.arange(B), last]</code> takes position <code>last[i]</code> of row i and gives (B, C). The trap is <code>logits[:, -1]</code>.</details>


# %% answer="last_token"
def last_token(logits: Tensor, x: Tensor) -> Tensor:
    """The logits at the last token of each row that is not PAD.

    Args:
        logits: (B, T, C), finite numbers.
        x: ids (B, T); PAD stands only at the right end, and every row has at least one other token.

    Returns:
        (B, C), of the type of ``logits``.
    """
    ### BEGIN SOLUTION
    last = (x != PAD).sum(1) - 1  # (B, T) -> (B,)
    return logits[torch.arange(len(x), device=x.device), last]  # (B, T, C) -> (B, C)
    ### END SOLUTION


# %% check="last_token" points=1 minutes=15 difficulty=1
import torch

from course_utils.checks.promises import Draw, close, gradients, layouts, promise, promises, repeatable, same, unchanged
from course_utils.lessons.transfer import PAD
from solutions.reference.transfer import last_token


def rows(d: Draw, B=(2, 5), T=(3, 9), C=(1, 4), most=None, special=False, dtype=torch.float32):
    """Logits, and rows of all lengths, up to ``most``."""
    B, T, C = d.sizes(B=B, T=T, C=C, far=(33, 40) if d.small else (260, 300))  # more than a byte can count
    x = d.ids(B, T, low=1 if special else 4, high=3 if special else 20)
    for row in range(B):
        x[row, d.whole(1, most or T):] = PAD
    return d.normal(B, T, C, dtype=dtype), x


def long_rows(d: Draw):
    """Rows of an odd number of tokens, thousands of them: 16-bit floats cannot count those."""
    T = d.whole(2900, 3100)
    x = d.ids(2, T, low=4, high=20)
    for row in range(2):
        x[row, 2 * d.whole(1030, 1440) + 1:] = PAD
    return d.normal(2, T, d.whole(1, 2), dtype=torch.float32), x


promises(
    reference={"last_token": last_token},
    agree=close(1e-6, 1e-6, types=True),
    returns=("the logits",),
    always=(unchanged, repeatable, layouts, gradients(0, types=("float64", "bfloat16"))),
    kept=[
        promise("row by row the logits at the last token that is not PAD", ("The logits at the last token of each row that is not PAD", "logits: (B, T, C)", "(B, C)"),
                cases=lambda d: rows(d, C=(2, 4))),
        promise("SOS, EOS and UNK are tokens like others", "x: ids (B, T); PAD stands only at the right end", cases=lambda d: rows(d, C=(2, 4), special=True)),
        promise("rows without any padding", "PAD stands only at the right end", cases=lambda d: ((1.0 if d.small else d.each(100.0, 1.0)) * d.normal(3, 4, 2, dtype=torch.float32), d.ids(3, 4, low=4, high=20))),
        promise("padding at the end of all rows, however wide, changes nothing", "how much depends on which other reviews happen to be in the batch",
                cases=lambda d: rows(d, T=(8, 14), most=4)),
        promise("one row, one column, or one class", "every row has at least one other token",
                cases=lambda d: rows(d, **d.each({"B": (1, 1)}, {"T": (1, 1)}, {"C": (1, 1)}, {"B": (1, 1), "T": (1, 1), "C": (1, 1)}))),
        promise("64-bit and 16-bit logits stay what they are", "of the type of ``logits``", trouble=False, agree=same(types=True),
                cases=lambda d: (lambda logits, x: (logits.to(d.each(torch.float64, torch.bfloat16, torch.float16)), x))(*rows(d, dtype=torch.float64))),
        promise("long rows are read at their last token too", "x: ids (B, T); PAD stands only at the right end", long_rows, visible=0, fresh=3, trouble=False),
    ],
)

# %% [markdown]
# ## 10 · What did pretraining buy?
#
# Three conditions, same forty labels, same steps:
#
# | condition | base | head |
# |---|---|---|
# | `from scratch` | fresh | fresh |
# | `pretrained` | copied, trained further | fresh |
# | `frozen base` | copied, left as it is | fresh |
#
# One run says little: with nothing but the seed changed, the finetuned model had 87.0 to 98.2 % on dev (eight seeds). So every condition is run with **ten seeds**, and runs with the same seed are paired. From the curves $a^{\text{pre}}_{s,m}$ and $a^{\text{scr}}_{s,m}$ (seed $s$, epoch $m = 1 \dots n$) come two numbers per seed,
#
# $$ d_s = a^{\text{pre}}_{s,1} - a^{\text{scr}}_{s,1}, \qquad A_s = \frac1n \sum_{m=1}^{n} \left( a^{\text{pre}}_{s,m} - a^{\text{scr}}_{s,m} \right), $$
#
# the gain after one epoch and the gain in area under the curve, each with mean and 95 % interval over the seeds (`mean_interval(values)` returns `(mean, low, high)`). All ten seeds begin with **one** pretraining on one corpus. So the interval tells how far finetuning differs from seed to seed. How far another pretraining would differ, it does not tell.
#
# ### Exercise `accuracy_curves`
#
# `accuracy` measures, `gain` compares. The cells after these two functions train all conditions. The finished classifier of the pretrained condition with seed 0 is kept for the hand-in, together with the language model and with the classifier's answers on the test reviews; the grader asks these weights, and 83 % of the hidden reviews must be right. Your table of runs is for you and for the written question: its numbers change no points. With fewer than three seeds `gain` raises `ValueError`: one run gives no interval at all, and two runs as a rule give a very wide one.
# Both conditions have the same number of seeds, and all curves the same number of epochs. `accuracy` gets at least one
# batch, and no two classes of a row share the largest logit.
#
# <details><summary>Hint 1 · nudge</summary>Is an accuracy over all reviews the same as the mean of the batches' accuracies, when the last batch is smaller? And what would dropout do to a measurement?</details>
# <details><summary>Hint 2 · idea</summary>Count right answers and count rows, divide at the end. In <code>gain</code>, take the difference seed by seed first, and only then the interval.</details>
# <details><summary>Hint 3 · nearly there</summary><code>model.eval()</code>, <code>torch.no_grad()</code>, <code>model(x).argmax(-1) == y</code>. Firsts: <code>[p[0] - s[0] for s, p in zip(scratch, pretrained)]</code>; areas: the same with the mean of each curve. Trap: to treat the two conditions as unrelated.</details>


# %% answer="accuracy_curves"
def accuracy(model: nn.Module, batches: list) -> float:
    """Share (0..1) of rows for which the largest logit is at the label; dropout is off.

    Args:
        model: x -> logits (B, C). Afterwards it is in evaluation mode, or in the mode in which it came.
        batches: pairs (x, labels (B,)), perhaps of different sizes.
    """
    ### BEGIN SOLUTION
    model.eval()
    right = total = 0
    with torch.no_grad():
        for x, labels in batches:
            right += int((model(x).argmax(-1) == labels).sum())
            total += len(labels)
    return right / total
    ### END SOLUTION


def gain(scratch: list[list[float]], pretrained: list[list[float]]) -> tuple[tuple, tuple]:
    """What pretraining gains; entry s of both lists is one seed's curve, one accuracy per epoch.

    Returns:
        ``(mean, low, high)`` of the gain at epoch 1, and of the gain in area (mean over the epochs).

    Raises:
        ValueError: fewer than three seeds.
    """
    ### BEGIN SOLUTION
    if min(len(scratch), len(pretrained)) < 3:
        raise ValueError("an interval needs at least three seeds")
    pairs = list(zip(scratch, pretrained, strict=True))
    first = mean_interval([p[0] - s[0] for s, p in pairs])
    area = mean_interval([sum(p) / len(p) - sum(s) / len(s) for s, p in pairs])
    return first, area
    ### END SOLUTION


# %% [markdown]
# Try both functions before the long runs. *By hand:* in a batch of four rows three answers are right, in a batch of one row none; that is 3 of 5, and not the mean of 0.75 and 0. And three seeds with gains of 0.2, 0.3 and 0.4 at epoch 1, then 0.1 each, have the mean gains 0.3 and (0.3 + 0.1)/2 = 0.2.
#

# %%
with waits_for("accuracy_curves"):
    rows = [
        (torch.tensor([[3, 0], [0, 3], [2, 1], [1, 2]]), torch.tensor([0, 1, 0, 0])),
        (torch.tensor([[5, 4]]), torch.tensor([1])),
    ]
    print(f"accuracy: {accuracy(Judge(torch.eye(2)), rows):.2f} (by hand 0.60)")
    for (mean, low, high), name, hand in zip(
        gain([[0.5, 0.8]] * 3, [[0.7, 0.9], [0.8, 0.9], [0.9, 0.9]]),
        ("at epoch 1", "in area"),
        (0.3, 0.2),
        strict=True,
    ):
        print(f"gain {name}: {mean:.2f}, interval {low:.2f} to {high:.2f} (mean by hand {hand:.2f})")

# %% [markdown]
# The runs: Adam with 1e-3 for the base and 3e-3 for the head, two reviews per step, eight epochs.
# The saved files stay as they are when you fix something in the notebook. After a change of `transfer`, `last_token` or `accuracy`, delete `history.json` in `work/05_transfer`. After a change in sections 2 to 5, delete `pretrained.safetensors` too. Then run the notebook from the changed cell on.
#

# %%
CONDITIONS = ("from scratch", "pretrained", "frozen base")
SEEDS, EPOCHS = 10, 8
KEPT = 0  # the seed whose classifiers are saved; the one of `pretrained` is handed in
SIZE = max(2, len(data.train) // 20)  # reviews per step


class Classifier(nn.Module):
    """A model and the choice of its last real token: ids (B, T) -> logits (B, 2)."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: Tensor) -> Tensor:
        """(B, T) -> (B, 2)."""
        return last_token(self.model(x), x)


def run_condition(condition: str, seed: int) -> list[float]:
    """Train one condition; its accuracy on dev after every epoch."""
    torch.manual_seed(seed)
    fresh = condition == "from scratch"
    model = new_model(2) if fresh else transfer(pretrained, 2, frozen=condition == "frozen base")
    optimizer = torch.optim.Adam(
        [{"params": model.base.parameters(), "lr": 1e-3}, {"params": model.head.parameters(), "lr": 3e-3}]
    )
    classifier, curve = Classifier(model), []
    # similar lengths need little padding: half the time
    order = sorted(range(len(data.dev)), key=lambda i: len(encoded["dev"][i]))
    dev = labelled_batches(
        [encoded["dev"][i] for i in order], [data.dev_labels[i] for i in order], lm_batch, 100, None
    )
    for epoch in range(EPOCHS):
        train = labelled_batches(encoded["train"], data.train_labels, lm_batch, SIZE, 1000 * seed + epoch)
        train_epoch(classifier, optimizer, train, F.cross_entropy)
        curve.append(accuracy(classifier, dev))
    if seed == KEPT:
        name = "finetuned" if condition == "pretrained" else condition.replace(" ", "_")
        save(course.work / f"{name}.safetensors", model, data)
    return curve


curves = None
if pretrained is None:
    print("(The runs need the pretrained model of section 6.)")
else:
    curves = kept_curves(
        course.work / "history.json",
        data,
        CONDITIONS,
        SEEDS,
        run_condition,
        "train_epoch, transfer, last_token and accuracy_curves",
    )

# %%
finetuned = None
with waits_for("language_model, last_token and the exercises above"):
    if curves is not None and (course.work / "finetuned.safetensors").is_file():
        finetuned, _ = kept(
            course.work / "finetuned.safetensors",
            data,
            lambda: new_model(2),
            lambda model: [],
            "the exercises above",
        )
    if finetuned is not None and data.test and not being_graded():
        answers = []
        with torch.no_grad():
            for x, _ in labelled_batches(encoded["test"], [0] * len(encoded["test"]), lm_batch, 100, None):
                answers += last_token(finetuned(x), x).argmax(-1).tolist()
        (course.work / "test_predictions.txt").write_text(
            "".join(f"{a}\n" for a in answers), encoding="utf-8"
        )
        print(f"{len(answers)} test reviews judged, {sum(answers)} in favour")

# %% check="accuracy_curves" points=1.5 minutes=35 difficulty=2 timeout=120
import torch

from course_utils.checks.promises import Ask, Case, Draw, Made, call, close, promise, promises, repeatable, same, unchanged
from solutions.reference.transfer import accuracy, gain, handed_in

LESSON = "course_utils.lessons.transfer_ways."
WRITING = "course_utils.lessons.writing_ways."


def leaders_tie(logits):
    """(N, C) -> (N,): whether the two largest logits differ by no more than rounding could, for any size of the logits."""
    first, second = logits.topk(2).values.unbind(-1)  # (N, 2) -> (N,), (N,)
    return first - second <= 1e-4 * torch.maximum(first.abs(), second.abs())


def rows(d: Draw, T=(2, 6), C=(2, 5), steps=(2, 5), most=9, right=0.7):
    """A classifier that is upside down in training mode, and batches of different sizes of which it gets a part right."""
    T, C, steps = d.sizes(T=T, C=C, steps=steps)
    matrix, batches = d.normal(T, C, dtype=torch.float32), []
    for _ in range(steps):
        x = d.ids(d.whole(1, most), T, low=-9, high=9)
        while (tied := leaders_tie(x.float() @ matrix)).any():  # of equal logits none is the largest
            x[tied] = d.ids(int(tied.sum()), T, low=-9, high=9)
        best = (x.float() @ matrix).argmax(-1)
        batches.append((x, torch.where(torch.rand(len(x), generator=d.torch) < right, best, d.ids(len(x), low=0, high=C - 1))))
    return Made("course_utils.lessons.transfer_probes.Judge", (matrix,)), batches


def curves(d: Draw, seeds=(3, 7), epochs=(2, 9), lift=0.2):
    """Curves of two conditions that go up and down together with the seed; in grading with all their digits."""
    n, length = d.sizes(seeds=seeds, epochs=epochs)
    digits = 3 if d.small else 12
    levels = [d.uniform(0.1, 0.4) for _ in range(n)]
    return tuple([[round(level + extra + d.rng.uniform(0, 0.2), digits) for _ in range(length)] for level in levels] for extra in (0.1, 0.1 + lift))


def apart(d: Draw):
    """Curves of seeds that gain or lose nearly everything."""
    scratch, better = curves(d, seeds=(3, 4))
    ends = [d.each(1.0, 0.9)] + [d.rng.choice([0.0, 1.0]) for _ in scratch[1:]]
    return [[round(abs(end - score / 10), 3) for score in row] for end, row in zip(ends, scratch, strict=True)], [
        [round(abs(1 - end - score / 10), 3) for score in row] for end, row in zip(ends, better, strict=True)]


def without_gain(d: Draw):
    """Curves of two conditions of which one or two seeds gain nothing at all, or nothing at epoch 1, or gain alike."""
    scratch, better = curves(d, seeds=(4, 7))
    end = d.each(1, None, "alike")
    if end == "alike":
        scratch[1], better[1] = list(scratch[0]), list(better[0])
        return scratch, better
    for seed in d.sample(len(scratch), d.whole(1, 2)):
        better[seed][:end] = scratch[seed][:end]
    return scratch, better


promises(
    reference={"accuracy": accuracy, "gain": gain},
    ask=call("gain"),
    agree=close(1e-7, 1e-7),
    always=(unchanged, repeatable),
    kept=[
        promise("accuracy counts right rows over all batches, of whatever sizes, as a share from 0 to 1", ("Share (0..1) of rows for which the largest logit is at the label", "x -> logits (B, C)", "pairs (x, labels (B,)), perhaps of different sizes"), rows, ask=call("accuracy")),
        promise("dropout is off while it measures, also in large batches, one batch alone, or of one row, where all is right or nothing", "dropout is off", ask=call("accuracy"),
                cases=lambda d: rows(d, **d.each({"right": 1.0}, {"steps": (1, 1)}, {"most": 1}, {"right": 0.0}, {"most": 300, "T": (40, 60), "C": (20, 30)}, {"steps": (30, 40) if d.small else (150, 200)})), visible=3),
        promise("accuracy is a Python number, and no tensor", "Share (0..1) of rows for which the largest logit is at the label", rows, ask=Ask(WRITING + "plain_number", ("accuracy",)), agree=same(), visible=1, fresh=1, trouble=False, far=False),
        promise("a model that was in training mode is in one mode afterwards, with all its parts", "Afterwards it is in evaluation mode, or in the mode in which it came", rows, ask=Ask(WRITING + "one_mode", ("accuracy",)), agree=same(), fresh=2, trouble=False, far=False),
        promise("a model that was in evaluation mode is in evaluation mode afterwards", "Afterwards it is in evaluation mode, or in the mode in which it came", rows, ask=Ask(WRITING + "mode_after", ("accuracy",)), agree=same(), trouble=False),
        promise("one model is measured anew in each call, with the weights that stand there now", "Share (0..1) of rows for which the largest logit is at the label", rows, ask=Ask(WRITING + "other_weights", ("accuracy",)), visible=1, fresh=2, trouble=False, far=False),
        promise("gain at epoch 1 and in area: mean_interval of the differences, seed by seed, of the first accuracies and of the curves' means",
                ("What pretraining gains", "entry s of both lists is one seed's curve, one accuracy per epoch", "``(mean, low, high)`` of the gain at epoch 1, and of the gain in area (mean over the epochs)"), curves),
        promise("a loss is a negative gain; three seeds are enough, one epoch, many seeds, long curves", "each with mean and 95 % interval over the seeds",
                lambda d: curves(d, **d.each({"lift": -0.2}, {"seeds": (3, 3)}, {"epochs": (1, 1)}, {"seeds": (30, 50), "epochs": (30, 50)}, {"lift": 0.0})), visible=3),
        promise("an interval is what mean_interval says, also where it reaches beyond 1", "each with mean and 95 % interval over the seeds", lambda d: apart(d), trouble=False),
        promise("a seed without any gain, or with the curves of another one, counts as the others do", "From the curves", without_gain, visible=3),
        promise("fewer than three seeds raise ValueError", "ValueError: fewer than three seeds", lambda d: curves(d, seeds=d.each((1, 1), (2, 2))), ask=Ask(LESSON + "refused", ("gain", "ValueError")), agree=same(), trouble=False),
        promise("the language model and the classifier that are handed in know unseen reviews, and the answers are the classifier's", "The finished classifier of the pretrained condition with seed 0 is kept for the hand-in",
                lambda d: Case((handed_in(lambda: (handin, private)),)), ask=Ask(LESSON + "handed", ()), agree=same(), visible=0, fresh=1, trouble=False, far=False),
    ],
)

# %% [markdown]
# **The figure worth keeping.** Mean over ten seeds of finetuning and its 95 % band, three conditions, and the bag of words as the line to beat. (All runs share one pretraining.)
#

# %%
with waits_for("accuracy_curves and the exercises before it"):
    required(curves)
    for name, (mean, low, high) in zip(
        ("gain at epoch 1", "gain in area"),
        gain(curves["from scratch"], curves["pretrained"]),
        strict=True,
    ):
        print(
            f"{name}: {100 * mean:+.0f} points, 95 % interval over the seeds of finetuning, one "
            f"pretraining: {100 * low:+.0f} to {100 * high:+.0f}"
        )
    fig = plots.accuracy_curves(curves, baseline=bag, baseline_label="bag of words")
    last = ", ".join(
        f"{name} {100 * sum(run[-1] for run in runs) / len(runs):.0f} %" for name, runs in curves.items()
    )
    plots.show(
        fig, alt=alt_text("05_accuracy_dev_reviews", seeds=SEEDS, epochs=EPOCHS, ends=last, bag=100 * bag)
    )

# %% [markdown]
# The frozen base need not lie between the two others. Over five corpora, generated with other seeds, it ended at 96 to 98 % (means over ten seeds), the finetuned model at 95 to 98 %, from scratch at 52 to 57 %; in three of the five the frozen base was ahead of the finetuned model. These are few corpora with one pretraining each. In seven pretrainings on three others single frozen bases ended at 78 to 96 %, finetuned models at 82 to 99 %. Your results can lie outside all these ranges without a mistake of yours.
#
# **If your finetuned model is low although every check passes.** This is rare: with dropout on the sum one of 35 finetuned models had 82 % on dev, without it one of six had 69 %. You know its accuracy on dev, and the grader asks for 83 % of the hidden reviews, which were made in the same way. With 400 reviews the two can differ by some points, so aim at 88 % or more on dev. Two things may be changed, and both are allowed: the grader looks at the weights, not at the seed. (1) If other seeds of your ten are higher, set `KEPT` to one of them and delete `history.json`. (2) If most of them are low, set `PRETRAIN_SEED` in section 6 to another number, delete `pretrained.safetensors` and `history.json`, and run the notebook from section 6. Choose by dev alone, and say in `read_curves` that you chose: the best of several is higher on dev than it will be on new reviews. A low frozen base needs no repair. Nothing is asked of it.
#
# > **What accuracy does not see.** Each of these mistakes was made on purpose, with one corpus, one pretraining and eight seeds of finetuning; in brackets, single runs of seven pretrainings on three other corpora. On dev the right program had 87 to 98 % (82 to 99 %).
# >
# > - Dropout on while measuring: 83 to 98 % (80 to 98 %).
# > - Verdict at the padded position, in training and evaluation alike: 97 to 98 % (80 to 99 %).
# > - Base frozen by accident, with ten times the rate for the head: 92 to 95 % (76 to 96 %).
# > - No causal mask in pretraining: 52 to 61 %. Here the loss on dev shows it, too: it fell to 0.000 nats, far below the entropy.
# >
# > The first two do not look like mistakes, and the third need not. Direct tests find all four: ask for the same answer twice; add padding, which must change nothing; look at `requires_grad`; change a later token; compare the loss with the entropy.
#
# ## 11 · What exactly was transferred?
#
# The base consists of word vectors and of two layers that mix them. Was only *which words are alike* transferred, or also *what their order means*? Take the vectors alone: the mean of a review's word vectors, and a logistic regression on the forty labels. The mean forgets the order. The same with vectors that were never trained, and the bag of words, are the controls.
#
# **A rule, before you look.** One who knew the side of every word and added them up would judge four of five reviews rightly. A small network that is given the counts alone, of both sides and of *not*, *far* and the like, gets 91 to 94 % (five corpora, 6,000 labels each). So only above that is order likely to be used; a better reader of counts is possible. The direct test is to shuffle the words of every review: a reader of counts loses nothing by it. (A fall alone does not show that order was used: shuffled text is unlike all that the model has read.)
#

# %%
with waits_for("the exercises above"):
    required(curves, pretrained)
    torch.manual_seed(0)
    untrained = new_model(2)
    shares = {
        "bag of words": bag,
        "vectors, untrained": word_vectors_alone(untrained.base.embedding.weight, encoded, data),
        "vectors, pretrained": word_vectors_alone(pretrained.base.embedding.weight, encoded, data),
        **{f"model, {name}": sum(run[-1] for run in runs) / len(runs) for name, runs in curves.items()},
    }
    if finetuned is not None:
        rng = torch.Generator().manual_seed(0)
        mixed = [[row[i] for i in torch.randperm(len(row), generator=rng).tolist()] for row in encoded["dev"]]
        shuffled = labelled_batches(mixed, data.dev_labels, lm_batch, 100, None)
        shares[f"pretrained, seed {KEPT}"] = curves["pretrained"][KEPT][-1]
        shares["  its words shuffled"] = accuracy(Classifier(finetuned), shuffled)
    for name, share in shares.items():
        print(f"{name:21} {100 * share:.0f} % on dev")

# %% [markdown]
# In five corpora the pretrained vectors alone reached 70 to 78 %, vectors never trained 55 to 67 %, the bag of words 65 to 70 %. So the sides of the words are a part of what was transferred. What the whole models reached on dev, from the lowest to the highest:
#
# | corpora, pretrainings | finetuned | the same, words shuffled | frozen base |
# |---|---|---|---|
# | five corpora, one pretraining each; means over ten seeds | 95 to 98 % | not measured | 96 to 98 % |
# | a sixth corpus, one pretraining; eight single runs | 87 to 98 % | 61 to 67 % | not measured |
# | three more, seven pretrainings; single runs | 82 to 99 % | 56 to 69 % | 78 to 96 % |
# | the sixth, without dropout on the sum; single runs | 69 to 98 % | 54 to 65 % | 86 to 89 % |
# | one of the three, one pretraining without it; single runs | 86 to 97 % | 60 to 64 % | 88 to 90 % |
#
# The order, which only the layers read, is probably another part: in each of the five corpora the finetuned model is above the counts alone. In these five a frozen base is above them as well, and its layers saw no label. Forty labels with a fresh base end at 52 to 57 %. It is not so in every pretraining: in five of the seven others all three frozen bases stayed below 93 %, no more than the counts alone, while most finetuned models were above 94 %. Judge your own numbers by the rule above.
#
# **Does it turn words round?** Put each adjective into two sentences, *my verdict : … .* and *my verdict : not … .* The adjectives are the words behind *than* in the unlabelled reviews. Each dot is one; filled dots occur in the forty labelled reviews, hollow ones were never seen with a label. The right plot asks the frozen base: no label touched its layers. Over the hollow dots two numbers are printed. The **correlation** of the two verdicts is near −1 if the words are turned round, near +1 if *not* changes nothing. The correlation does not tell how strongly the words are turned. The **slope** of the straight line through the dots (least squares) tells it: −1 on the dotted line, 0 if the verdict on *not …* is the same for every word.
#
# A correlation of 0 is not what a network without knowledge gives: its two verdicts rest on the same word vector. The control are networks that read no review (three corpora, six seeds each): bases never trained, under a head that learned from the forty labels, +0.39 to +0.95; the same under a random head, +0.43 to +0.92; classifiers from scratch, +0.03 to +0.96. Compare with these, and with the left plot. In six of the seven pretrainings the frozen bases had −0.99 to −0.85, with slopes of −2.98 to −0.13. In one they had +0.85 to +0.93, with slopes of +0.03 to +0.05. Where the slope is near 0, the verdict on *not …* hardly depends on the word, whatever the correlation is.
#

# %%
with waits_for("the exercises above"):
    required(finetuned)
    judges = {}
    for title in ("from scratch", "frozen base") if entropy is not None else ():
        path = course.work / f"{title.replace(' ', '_')}.safetensors"
        judges[title], _ = kept(
            path, data, lambda: new_model(2), lambda model: [], "the exercises above"
        )
    if judges and all(judges.values()):
        behind = [part for text in data.unlabelled for part in text.split("▁than ")[1:]]
        adjectives = sorted({part.split()[0] for part in behind})
        known = torch.tensor([piece in words_labelled for piece in adjectives])
        fig, axes = plots.new_figure(9.4, 4.2, columns=2)
        turned = {}  # correlation and slope of the two verdicts over the words without a label
        for ax, (title, model) in zip(axes, judges.items(), strict=True):
            verdicts = []
            for before in ("", "▁not "):
                x, _ = lm_batch([vocab.encode(f"▁my ▁verdict : {before}{piece} .") for piece in adjectives])
                with torch.no_grad():
                    verdicts.append(last_token(model.eval()(x), x).diff(dim=1)[:, 0])
            pair = torch.stack(verdicts)[:, ~known]
            spread = torch.cov(pair)
            turned[title] = (float(torch.corrcoef(pair)[0, 1]), float(spread[0, 1] / spread[0, 0]))
            for dots, face, name in (
                (known, "black", "in labelled reviews"),
                (~known, "none", "never labelled"),
            ):
                ax.plot(
                    verdicts[0][dots],
                    verdicts[1][dots],
                    linestyle="",
                    marker="o",
                    markersize=5,
                    markerfacecolor=face,
                    color="black",
                    label=name,
                )
            ax.set(
                xlabel="verdict on “… : word .” (difference of logits)",
                ylabel="verdict on “… : not word .” (difference of logits)",
                title=title,
            )
            ax.set_aspect("equal", adjustable="datalim")  # a slope of -1 looks like one
            ax.axline(pair.mean(1).tolist(), slope=-1, color="black", linewidth=1, linestyle=":")
        axes[0].legend(fontsize=8)
        scratch, frozen = turned["from scratch"], turned["frozen base"]
        plots.show(
            fig,
            alt=alt_text(
                "05_scatter_plots_one",
                scratch=scratch[0],
                scratch_slope=scratch[1],
                frozen=frozen[0],
                frozen_slope=frozen[1],
            ),
        )
        told = ", ".join(f"{title} {r:+.2f} and {slope:+.2f}" for title, (r, slope) in turned.items())
        print(
            f"correlation and slope of the two verdicts over the {int((~known).sum())} words without a "
            f"label: {told}"
        )

# %% [markdown]
# Both axes are the logit for *in favour* minus the one for *against*, numbers without a unit. Look at the hollow dots in the right plot. No label ever touched these words; in the unlabelled reviews they stood beside words that a label did touch. The correlation counts, not on which side of 0 a dot lies: these sentences are no reviews, and they can shift all verdicts alike. One finetuned model need not show what its base knows: in the same seven pretrainings the correlation was −1.00 to +0.99 for the finetuned ones.
#
# ## 12 · Real reviews
#
# With `REVIEWS` set to a folder of real reviews the notebook runs unchanged. One such run, on 1,600 labelled book reviews in French (no unlabelled ones; ten seeds; the data are not part of this course):
#
# | from scratch | pretrained | frozen base | counting words |
# |---|---|---|---|
# | 69.7 % (68.9 to 70.4) | 68.9 % (67.9 to 69.8) | 55.5 % (54.6 to 56.4) | 80.9 % |
#
# The intervals are 95 % ones over seeds. There was **no measurable gain** from pretraining, and counting words was better. A smaller model that reads 2,600 such reviews 24 times and then learns from 400 labels gained 3.9 points over scratch (2.1 to 5.8; eight seeds, paired, `docs/measurements.md` in the course's repository). With 1,600 labels it lost 1.7 (0.7 to 2.7). The mean of its word vectors did as well at 400, and counting words was better throughout. What *your* run reached is printed here.
#

# %%
with waits_for("accuracy_curves and the exercises before it"):
    required(curves)
    ends = {condition: mean_interval([run[-1] for run in runs]) for condition, runs in curves.items()}
    print(
        f"This run: {len(data.train)} labelled, {len(data.unlabelled)} unlabelled and {len(data.dev)} "
        f"dev reviews, {len(data.pieces)} pieces, at most {LONGEST} of each review;"
    )
    print(
        f"{len(pretrain_losses)} epochs of pretraining, {len(curves['pretrained'])} seeds, "
        f"{len(curves['pretrained'][0])} epochs of finetuning; {(time.monotonic() - began) / 60:.1f} "
        "minutes since the notebook began."
    )
    for condition, (mean, low, high) in ends.items():
        print(
            f"{condition:13} {100 * mean:.1f} % on dev after the last epoch, 95 % interval over seeds of "
            f"finetuning {100 * low:.1f} to {100 * high:.1f}"
        )
    print(f"bag of words  {100 * bag:.1f} %")

# %% [markdown]
# Three possible reasons: 1,600 texts are few to learn a language from; only the first 63 pieces of a review are read; a width of 64 is narrow. None of them was tested here. The literature below uses more unlabelled text, longer inputs and larger models.
#
# ## Written questions
#
# In your own words, a few sentences each; they are marked by hand.
#
# **mask_and_positions.** What would the language model learn without the causal mask, and how would you notice it without looking at the code? What would a single layer lose without positions? Give two sentences with the same words that show it.
#

# %% [markdown] written="mask_and_positions" points=0.5 minutes=8 difficulty=1
# **Your answer · mask_and_positions**
#
# ### BEGIN SOLUTION
# Without the mask position t sees position t+1 of the input, which is its target, so the model learns to copy; training loss falls below the entropy of the text, and what it writes is bad, since at the end of a text there is nothing to copy from. One notices by changing a later token (earlier outputs move) or by a loss below the entropy.
# The mask also lets all positions be trained in one pass. Without positions, one layer treats the past as a set: at their last word "the book is good, the film is not" and "the film is good, the book is not" have the same state. (A second layer with the causal mask can tell them apart, since states at earlier words have read different words.)
#
# Rubric: (1) copying of the visible target; (2) a sign that can be observed: loss below entropy, perturbation, bad generation; (3) order is lost to one layer without positions, with a valid pair of sentences. Full half point for all three, a quarter for two.
# ### END SOLUTION

# %% [markdown]
# **new_head.** Why is the head replaced and the base kept? Compare language modelling and classification: what is the target, how many targets does a review give, where do labels come from?
#

# %% [markdown] written="new_head" points=0.5 minutes=8 difficulty=1
# **Your answer · new_head**
#
# ### BEGIN SOLUTION
# The head translates states into the V next tokens; for two classes it has the wrong outputs, and none of its rows stands for a side. The base computes states that hold what the text says so far (which words belong together), which both tasks can use, and it was trained on far more data. Language modelling: the target is the next token, one at each
# position, about 39 per review, the labels are the text itself. Classification: one target per review, given by a person.
#
# Rubric: (1) the head belongs to the task (outputs V against 2), the base to the language; (2) targets per review: one per position against one; (3) labels free of charge against labels by people. Full half point for all three, a quarter for two.
# ### END SOLUTION

# %% [markdown]
# **read_curves.** Interpret your figure: what does the pretrained condition gain at the first epoch and at the end, how sure are you, and what does the frozen base add to the explanation? Name one thing that the figure does not show.
#

# %% [markdown] written="read_curves" points=0.5 minutes=10 difficulty=2
# **Your answer · read_curves**
#
# ### BEGIN SOLUTION
# The pretrained condition is above scratch at epoch 1 by an amount whose 95 % interval over ten paired seeds lies above 0, and it ends above 90 % where scratch stays below 70 % (it depends on the term's corpus), so it is a gain in the level, not only in speed. The frozen base is far above scratch too: much of what is needed stands in the pretrained weights already; its distance to the pretrained condition varies with the seed. Not shown: whether the same holds for other pretrainings (there was one), for more labels, for real texts, or which words make the difference.
#
# Rubric: (1) states gain at epoch 1 and at the end with an interval or band; (2) says that runs are several seeds or paired, and does not claim more than the bands allow; (3) uses the frozen base as evidence that the base itself carries the knowledge; (4) one sensible limit (one pretraining, one corpus, 40 labels, dev only). Full half point for three, a quarter for two.
# ### END SOLUTION

# %% [markdown]
# **causal_limit.** In *masked* language modelling some 15 % of the tokens are hidden, and the model reads both sides of each gap to say what stood there (notebook 06). Name one limit of the causal objective compared with it, with an example sentence, and one thing that the causal model can do and the masked one cannot do as directly.
#

# %% [markdown] written="causal_limit" points=0.5 minutes=8 difficulty=2
# **Your answer · causal_limit**
#
# ### BEGIN SOLUTION
# A causal state sees only the left side: in "the bank of the river" the state at "bank" is fixed before "river" comes, and only later positions know better. A masked model reads both sides of a gap. In return, the causal model gives a probability to every text, is trained on every position instead of 15 % of them, and writes by itself. (That causal training
# could not run in parallel is a mistake: section 4.)
#
# Rubric: (1) context from one side only, with an example in which the later words matter; (2) an advantage of the causal one: generation, probability of a whole text, or a loss on every token; (3) does not claim that causal training is sequential. Full half point for all three, a quarter for two.
# ### END SOLUTION

# %% [markdown]
# **To take away.** Here, text without labels taught a model which words belong together and, in most pretrainings, what their order means; forty labels then sufficed to name the sides. A head belongs to a task, a base to a language. Exchange the one, keep the other, and check directly that it was copied, is trained and is read at the right place: accuracy hardly shows these mistakes. One run shows little; paired seeds, an interval and a simple baseline show more.
#
# **Further reading.** Dai and Le, *Semi-supervised Sequence Learning* (2015). Howard and Ruder, *Universal Language Model Fine-tuning for Text Classification* (2018). Radford et al., *Improving Language Understanding by Generative Pre-Training* (2018). Devlin et al., *BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding* (2019).
# Eddine, Tixier and Vazirgiannis, *BARThez: a Skilled Pretrained French Sequence-to-Sequence Model* (2021). Bengio et al., *Scheduled Sampling for Sequence Prediction with Recurrent Neural Networks* (2015). Mosbach, Andriushchenko and Klakow, *On the Stability of Fine-tuning BERT* (2021).
#

# %%
FILES = ("pretrained.safetensors", "finetuned.safetensors", "history.json", "test_predictions.txt")
hand_in("05_transfer", files=FILES)
