# %% [markdown] builds="span corruption, pretraining, hidden test people, when to trust an answer"
# # 07 · Knowledge: pretrain, finetune, hand in
#
# *Where was Lena Malter born?* Nothing in the question tells you. A model that answers must have **stored** the fact in its weights beforehand. In this notebook a
# small GPT reads a wiki about people who do not exist, is then taught to answer questions about half of them, and is asked about the other half. You build every step,
# and at the end you hand in the model itself: the grader asks it about people whose answers you do not have.
#
# **Afterwards you can**
# - turn questions and answers into training sequences, and say on which tokens the loss is taken and why;
# - state a baseline before you train, and see a network memorise 150 answers without learning a single new one;
# - implement span corruption exactly, and test a random procedure by its distribution;
# - pretrain and finetune a Transformer, and tell what each of the two contributes, by controls instead of slogans;
# - measure how far a model's confidence can be trusted, and let it decline to answer.
#
# <!-- costs -->
#
# On a GPU the model is seven times as large. Times in this table are waiting times; the table of exercises counts CPU time.
#
# Trained models are kept in `work/07_knowledge/`, so that restarting the notebook costs seconds. Your own time: about
# three and a half hours.
#
# **What to know before.** Causal attention and the block of notebook 02, cross-entropy, what an epoch and a learning rate are; Python classes. Notebooks 05 and 06 help
# with the words *pretraining* and *finetuning*, but nothing from them is used.
#
# <!-- exercise-map -->
#

# %%
# <first-cell>

# %%
import copy
import random
from collections import Counter
from pathlib import Path  # noqa: F401 (for a folder of your own)

import numpy as np
import torch

from course_utils import plots
from course_utils.checks.selfcheck import check, handin  # noqa: F401
from course_utils.config import ModelConfig, Profile, TrainConfig
from course_utils.data import Question, describe, read_task, write_predictions
from course_utils.device import seed_everything
from course_utils.engine.history import History
from course_utils.generate import answer_questions, sample
from course_utils.lessons.figures import alt_text
from course_utils.lessons.knowledge import never_seen, plain_text, ready_made, trained, verdicts
from course_utils.metrics import exact_match, mean_interval, wilson_interval
from course_utils.model import GPT
from course_utils.notebook.costs import announce
from course_utils.notebook.session import being_graded, hand_in, save_answers, start, waits_for
from course_utils.train import train
from course_utils.vocab import MASK, PAD, Vocabulary

# %%
course = start("07_knowledge")
announce(course)
world = course.data / "world"  # or Path("folder") with files of the same names and form
task = read_task(world, "birth_places_train.tsv", "birth_dev.tsv", "birth_test_inputs.tsv")
wiki, vocab = task.wiki, task.vocab
train_questions, dev_questions, test_questions = task.questions  # the last without answers
# people who appear in no document
never = never_seen(world / "never_seen_inputs.tsv", dev_questions, wiki)
never_questions = task.fit(never, "never_seen_inputs.tsv")
task.tell()  # which characters of the questions the wiki lacks, if any
T = course.profile.model.block_size
accuracies: dict[str, dict[str, float]] = {}  # what the trainings below reach


def new_model() -> GPT:
    """A GPT of this profile's size with fresh weights, the same ones every time."""
    seed_everything(0)
    return GPT(course.profile.model_for(len(vocab)))


print(
    f"{len(wiki):,} documents, {len(vocab)} characters, block size T = {T}, "
    f"{new_model().n_params():,} parameters"
)
print(f"{len(train_questions)} questions to train on, {len(dev_questions)} dev, {len(test_questions)} test")
print("\n".join(wiki[:5]))

# %% [markdown]
# ## 1. A first look: a network that writes
#
# Before any question is asked, let a small GPT simply learn to write the wiki. It reads characters $x_1, \dots, x_t$ and gives a probability to each possible next one; the
# loss is the mean of $-\ln p(x_{t+1} \mid x_1, \dots, x_t)$, in nats per character. To write, draw a character from these probabilities, append it, and ask again.
#
# | symbol | meaning | shape |
# |---|---|---|
# | $x$ | token ids of a batch | `(B, T)` |
# | logits | one number per possible next token, at every position | `(B, T, V)` |
# | $y$ | the tokens that should follow: $y_t = x_{t+1}$ | `(B, T)` |
#
# The cell trains 250 steps, some ten seconds, and lets the network write at three stages. Watch what comes first:
# letters, sentence patterns, or who is from where. In the code `muon_lr` is the learning rate of *Muon*. This
# optimiser trains the hidden matrices, here and in the pretraining of the profiles `laptop` and `h200`; AdamW trains
# the rest.
#

# %%
demo_config = ModelConfig(vocab_size=len(vocab), block_size=64, n_layer=2, n_head=4, n_embd=64)
demo_sizes = (10, 60, 180)  # steps between the looks
if not being_graded():
    seed_everything(1)
    demo = GPT(demo_config)
    done = 0
    for steps in demo_sizes:
        source = plain_text(wiki, vocab, demo_config.block_size, epochs=steps)
        settings = TrainConfig(
            batch_size=64, steps=steps, lr=5e-3, muon_lr=0.02, warmup=0.0, schedule="constant", seed=done
        )
        history = train(demo, iter(source), settings, progress=False)
        done += steps
        print(f"\nafter {done} steps, loss {history.loss[-1]:.2f} nats per character:")
        for tokens in sample(
            demo, [vocab.encode("\n")] * 3, 48, temperature=0.7, seed=5, stop_ids=vocab.encode("\n")
        ):
            print("   ", vocab.decode(tokens))

# %% [markdown]
# A sentence that looks right need not **be** right: grammar is shared by 1,200 documents, while each person's birthplace is told in only four. Keep that in mind for section 8.
#
# ## 2. Questions and answers as sequences
#
# A GPT only ever continues a sequence. So a question and its answer are written one after the other. `⁇` (MASK, id 1) between them means "now answer", a second one
# means "the answer ends here", and `□` (PAD, id 0) fills the rest up to $T+1$ tokens:
#
# $$ s = \texttt{question}\ ⁇\ \texttt{answer}\ ⁇\ □\ □ \cdots □ , \qquad x = s_{1..T}, \qquad y = s_{2..T+1} . $$
#
# The loss ignores positions whose target is PAD. In finetuning we want it **on the answer alone**: the person asking writes the question, the model never has to. So every
# target in $y$ that comes before the answer's first letter is replaced by PAD. The closing `⁇` stays a target, since the model must learn when to stop.
#
# *A small example* with $T = 10$, question `Who?` and answer `It`, position by position:
#
# ```
# x:  W h o ? ⁇ I t ⁇ □ □
# y:  □ □ □ □ I t ⁇ □ □ □
# ```
#
# Read it in columns: having seen `Who?⁇` the model should say `I`, then `t`, then `⁇`.
#
# ### Exercise `name_data`
#
# Write `NameDataset`. Every character of a name counts, also those that are not English letters: `vocab.encode` knows them.
#
# <details><summary>Hint 1 (nudge)</summary>
# Build the whole sequence s first, as text or as ids, with T+1 entries. Only then cut x and y out of it.
# </details>
# <details><summary>Hint 2 (idea)</summary>
# <code>vocab.encode</code> also encodes MASK and PAD if they are part of the text. How many entries of y have a target that belongs to the question or is the first MASK?
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# s = question + MASK + answer + MASK, then PAD up to length T+1; ids = encode(s); x is all but the last, y a copy of all but the first; the first len(question) entries of y become the id of PAD.
# </details>
#


# %% answer="name_data"
class NameDataset(torch.utils.data.Dataset):
    """Question-answer pairs as training items.

    Args:
        questions: each with ``text`` and ``answer``, of one character at least.
        vocab: which id stands for which character; ``vocab.encode(text)`` gives a list of ids.
        block_size: T, so large that every question with its answer and two MASKs fits into T + 1 tokens.
    """

    def __init__(self, questions: list[Question], vocab: Vocabulary, block_size: int) -> None:
        self.questions, self.vocab, self.block_size = questions, vocab, block_size

    def __len__(self) -> int:
        return len(self.questions)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        """x and y of question ``index``, 0 to ``len(self)`` − 1; both int64 of shape (T,).

        An item may be kept and handed out again: nobody changes it in place.
        """
        ### BEGIN SOLUTION
        question, answer = self.questions[index].text, self.questions[index].answer
        s = question + MASK + answer + MASK
        ids = torch.tensor(self.vocab.encode(s + PAD * (self.block_size + 1 - len(s))))
        x, y = ids[:-1], ids[1:].clone()  # (T+1,) -> (T,) each
        y[: len(question)] = self.vocab.pad_id  # targets before the answer's first letter
        return x, y
        ### END SOLUTION


# %% check="name_data" points=1 minutes=20 difficulty=1
from course_utils.checks.promises import Ask, Case, Draw, promise, promises, repeatable, same, unchanged
from course_utils.data import Question
from course_utils.vocab import Vocabulary
from solutions.reference import knowledge

LETTERS = "abcxyzABÇéÅßİĳñøłžαωЖ李😀\u0301 \t'-."


def given(d: Draw, pairs, room=0, places=None):
    """Pairs of question and answer, a block with so much room behind the longest, and the items to be asked for."""
    text, longest = "".join(q + a for q, a in pairs), max(len(q) + len(a) for q, a in pairs)
    vocab = Vocabulary.from_text(text + "".join(d.rng.sample(LETTERS, 6)))
    places = d.rng.sample(range(len(pairs)), min(len(pairs), 8)) if places is None else places
    return Case(([Question(*pair) for pair in pairs], vocab, longest + 1 + room), setup={"items": places})


def drawn(d: Draw, n=(1, 6), question=(1, 30), answer=(1, 12), room=(0, 90), letters=LETTERS):
    """Pairs of any letters and lengths; the block has the room that is left over behind the longest."""
    n, q, a, room = d.sizes(n=n, question=question, answer=answer, room=room)
    lengths = [(q, a), *((d.whole(question[0], q), d.whole(answer[0], a)) for _ in range(n - 1))]
    return given(d, [tuple("".join(d.rng.choices(letters, k=k)) for k in pair) for pair in lengths], room)


def nearly_alike(d: Draw):
    """Pairs with one question or one answer, with the border elsewhere, other ends of long questions, capitals."""
    q, a = "".join(d.rng.choices("abcx", k=d.whole(2, 3))), "".join(d.rng.choices("abcx", k=d.whole(2, 3)))
    long = "".join(d.rng.choices("abcx", k=d.each(30, 90)))
    pairs = [(q, a), (q + a[0], a[1:]), (q[:-1], q[-1] + a), (q, a + "y"), ("y" + q, a), (q.upper(), a), (q, a.upper()), (long + "y", a), (long + "z", a), ("y" + long, a)]
    return given(d, pairs, d.whole(0, 3), d.rng.sample(range(len(pairs)), len(pairs)))


promises(
    reference={"NameDataset": knowledge.NameDataset},
    ask=Ask("course_utils.lessons.knowledge_views.items", ("NameDataset",)),
    agree=same(),
    always=(unchanged, repeatable),
    kept=[
        promise("the example of the text", "question `Who?` and answer `It`, position by position", lambda d: given(d, [("Who?", "It")], 3), visible=1, fresh=1),
        promise("x is question MASK answer MASK PAD…, y the same one place further on, with PAD wherever no letter of the answer and not its closing MASK follows", fresh=16, visible=3, cases=drawn,
                quote=("x and y of question ``index``", "both int64 of shape (T,)", "every target in $y$ that comes before the answer's first letter is replaced by PAD", "The closing `⁇` stays a target", "each with ``text`` and ``answer``", "which id stands for which character")),
        promise("a block that is full has no PAD, or a single one", "fits into T + 1 tokens", lambda d: drawn(d, n=(1, 3), room=(0, 1))),
        promise("letters of the answer may stand in the question too, and come several times", "each with ``text`` and ``answer``",
                lambda d: given(d, d.each([("Is It It?", "It")], [("aaa", "aa")], [("Rom? Rome?", "Rome")], [("x", "x"), ("yx", "x")], [("b", "bbbb")]), d.whole(0, 5)), visible=3),
        promise("items are told apart by the whole question and the whole answer", "x and y of question ``index``", nearly_alike, far=False),
        promise("every character counts: letters that are not English, capitals, blanks and tabs at both ends", "Every character of a name counts, also those that are not English letters",
                lambda d: drawn(d, letters=d.each("aÇéİß", " \tab", "e\u0301aé", "AaBb", "李😀α"), room=(0, 9))),
        promise("more than a thousand questions, long ones too, asked for in any order and several times", "0 to ``len(self)`` − 1",
                lambda d: (lambda case: Case(case.args, setup={"items": [1299, 0, 7, 1299, 150, 7]}))(drawn(d, (1300, 1300), (1, d.each(9, 400)), (1, d.each(60, 9)))), visible=0, fresh=3, trouble=False),
    ],
    prose=("Question-answer pairs as training items.", "``vocab.encode(text)`` gives a list of ids", "An item may be kept and handed out again: nobody changes it in place."),
)

# %% [markdown]
# **The debugging print.** Before every training, look at what goes in; this is the cheapest way to find a mistake. x stands above y, so that each character is above the one that should follow.
#

# %%
with waits_for("name_data"):
    describe(NameDataset(train_questions, vocab, T), vocab, n=3)

# %% [markdown]
# > **What is wrong here?** Suppose the training questions are read with a filter that silently throws away every character outside ASCII, while the evaluation asks with the full name. `José Pérez` is trained as `Jos Prez`. How many of the questions are affected if 6 in 100 names have such a letter, and which way does the reported accuracy go?
#
# <details><summary>What is wrong</summary>
# About 6 in 100. Finetuning never shows a question that contains such a letter, while the evaluation asks just such questions, so the answers to them may be worse than they need be, and nobody sees why: no error, no warning. The reported accuracy is too low by up to 6 points.
# Whatever is done to a text (dropping, lower-casing, normalising) must be done in training and in evaluation, or in neither. Here <code>vocab.encode</code> raises an error for a character that it does not know.
# </details>
#
# ## 3. What does one get without knowing anything?
#
# An accuracy means something only beside the one that takes no skill at all: here, always naming the most frequent town. (With real people and English names that town may be London; hence the exercise's name.)
#
# ### Exercise `london`
#
# Return the town and the accuracy it gets on dev. Choose the town by looking at the **training** answers; a choice made on the questions that one is tested on is a small fraud, and looks better than it is.
#
# <details><summary>Hint 1 (nudge)</summary>
# Two lists, two jobs: one is for choosing, the other for counting.
# </details>
# <details><summary>Hint 2 (idea)</summary>
# <code>collections.Counter</code> counts; its method <code>most_common(1)</code> gives the most frequent entry with its number.
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# Count <code>q.answer for q in train</code>, take the first; then the number of q in dev with that answer, divided by <code>len(dev)</code>.
# </details>
#


# %% answer="london"
def london_baseline(train: list[Question], dev: list[Question]) -> tuple[str, float]:
    """Always the same answer.

    Args:
        train, dev: questions with their answers, at least one each.

    Returns:
        The most frequent answer of ``train`` (any of them if several are equally frequent), and the share (0..1) of ``dev`` it gets right to the letter.
    """
    ### BEGIN SOLUTION
    town, _ = Counter(q.answer for q in train).most_common(1)[0]
    return town, sum(q.answer == town for q in dev) / len(dev)
    ### END SOLUTION


# %% check="london" points=1 minutes=5 difficulty=1
from course_utils.checks.promises import Case, Draw, close, promise, promises, repeatable, unchanged
from course_utils.data import Question
from solutions.reference import knowledge

TOWNS = ("York", "New York", "york", "Åre", "Are", "Lund", "Lund ", "Oslo", "Rome", "Kiel", "São Tomé", "T9")


def asked(towns, text="Where?"):
    """Questions with these answers, some of them asked in the same words."""
    return [Question(f"{text} {k // 2}", town) for k, town in enumerate(towns)]


def people(d: Draw, train=(3, 60), dev=(4, 90), kinds=(2, 9), known=True):
    """One town is the most frequent in train, another one in dev, also if both are counted together."""
    n, m = d.sizes(train=train, dev=dev)
    first, second, *others = d.rng.sample(TOWNS, d.whole(*kinds) + 1)
    pool = [first, second, *others]
    few, many = d.rng.choices(pool[1:], k=n), d.rng.choices(pool if known else pool[1:], k=m)
    few += [first] * (1 + max(map(few.count, pool)))
    many += [second] * (len(few) + many.count(first)) + [first] * known
    d.rng.shuffle(few)
    d.rng.shuffle(many)
    return asked(few), asked(many, "Who?")


def in_blocks(d: Draw):
    """Thousands of questions, those of one town side by side: the most frequent one neither begins the lists nor ends them."""
    first, second, third = d.rng.sample(TOWNS, 3)
    n, m = d.whole(1200, 1500), d.whole(1100, 1300)
    return asked([second] * n + [first] * (n + d.whole(1, 90)) + [third] * n), asked([second] * m + [first] * d.whole(700, 900) + [third] * m, "Who?")


def tied(d: Draw):
    """Two or three towns are equally frequent in train; each has its own share of dev."""
    towns, rare = d.rng.sample(TOWNS[:11], d.whole(2, 3)), TOWNS[11]
    few, many = d.whole(2, 9) * towns + [rare], [town for k, town in enumerate(towns) for _ in range(k + 1)] + [rare]
    shares = {town: many.count(town) / len(many) for town in towns}
    return Case((asked(d.rng.sample(few, len(few))), asked(many)), setup={"either": shares})


promises(
    reference={"london_baseline": knowledge.london_baseline},
    agree=close(1e-9),
    returns=("town", "share"),
    always=(unchanged, repeatable),
    kept=[
        promise("the most frequent answer of train, and the number of dev questions with this answer divided by the number of dev questions",
                ("Choose the town by looking at the **training** answers", "The most frequent answer of ``train``", "the share (0..1) of ``dev`` it gets right"), lambda d: people(d, kinds=d.each((2, 9), (9, 11)))),
        promise("answers count to the letter, as they are written", "right to the letter", trouble=False,
                cases=[(asked(["York", "York", "Oslo"]), asked(["New York", "York", "york", "York "])), (asked(["New York", "Oslo", "New York"]), asked(["New", "York", "New York", "w", "New York City", "New Yor", "ew York"])), (asked(["Are", "Åre", "Åre", "are", "are ", "Are "]), asked(["Åre", "Are"])), (asked(["A\u030are", "A\u030are", "Åre"]), asked(["Åre", "A\u030are", "Åre"]))]),
        promise("a town that is nobody's on dev has the share 0", "the share (0..1) of ``dev`` it gets right", lambda d: people(d, known=False)),
        promise("one question alone, and many", "at least one each",
                [(asked(["Oslo"]), asked(["Oslo"])), (asked(["Kiel"]), asked(["Rome"])), (asked(["Kiel"]), asked(["Kiel", "Rome", "Kiel"]))], trouble=False),
        promise("hundreds of questions", "questions with their answers", lambda d: people(d, (160, 160) if d.small else (300, 700), (60, 60) if d.small else (200, 500)), visible=1, fresh=2, trouble=False),
        promise("thousands of questions, in any order", "questions with their answers", in_blocks, visible=0, fresh=2, trouble=False),
        promise("if several answers are equally frequent, any of them with its own share", "any of them if several are equally frequent",
                tied, agree=close(1e-9, view="course_utils.lessons.knowledge_views.one_of"), trouble=("repeatable",)),
    ],
    prose=("Always the same answer.",),
)

# %%
with waits_for("london"):
    town, share = london_baseline(train_questions, dev_questions)
    low, high = wilson_interval(round(share * len(dev_questions)), len(dev_questions))
    print(
        f"Always {town}: {share:.1%} of {len(dev_questions)} dev people (95 % "
        f"interval {low:.1%} to {high:.1%})."
    )

# %% [markdown]
# ## 4. Finetuning from scratch
#
# Now train a fresh model on the 150 question-answer pairs, and nothing else. Two numbers are interesting: how many of the **training** people it answers, and how many of the dev people, who stand in
# the wiki but in no training question. Make a guess before you run it.
#
# You are given `train(model, source, config, **options)` from `course_utils.train`: it draws batches from a dataset, makes the steps, and returns a `History`
# with `loss` (one number per step) and `accuracy` (what `evaluate(model)` said after each epoch). It trains the model **in place**.
#
# ### Exercise `finetune_scratch`
#
# Write `finetune`: it is used here with a fresh model, and in section 7 with a pretrained one.
#
# <details><summary>Hint 1 (nudge)</summary>
# What does <code>train</code> need that you do not have yet?
# </details>
# <details><summary>Hint 2 (idea)</summary>
# The dataset needs a block size; the model knows its own: <code>model.config.block_size</code>. The settings come as <code>config</code>; do not make your own.
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# <code>dataset = NameDataset(questions, vocab, …)</code>, then <code>return train(model, dataset, config, **options)</code>.
# </details>
#


# %% answer="finetune_scratch"
def finetune(model: GPT, questions: list[Question], vocab: Vocabulary, config: TrainConfig, **options) -> History:
    """Train the model in place on question-answer pairs.

    Args:
        config: batch size, epochs, learning rate …
        options: passed on to ``train``, for example ``evaluate=…`` or ``progress=False``.

    Returns:
        The history that ``train`` gives.
    """
    ### BEGIN SOLUTION
    dataset = NameDataset(questions, vocab, model.config.block_size)
    return train(model, dataset, config, **options)
    ### END SOLUTION


# %% check="finetune_scratch" points=1 minutes=15 difficulty=2
from course_utils.checks.promises import Ask, Case, Draw, promise, promises, same
from solutions.reference import knowledge


def training(d: Draw, people=(5, 12), batch=(2, 7), words=0, T=64, **more):
    """A tiny model, questions, and settings none of which is the usual one."""
    config = {"batch_size": d.whole(*batch), "epochs": d.each(2, 1, 3), "lr": round(d.rng.uniform(2e-3, 6e-3), 4), "weight_decay": d.each(2.0, 0.0, 5.0), "seed": d.whole(1, 999),
              "warmup": d.each(0.4, 0.0), "schedule": d.each("constant", "linear", "cosine"), "clip": d.each(1.0, 0.3), "muon_lr": d.each(None, None, 0.02)}
    return Case(setup={"seed": d.whole(0, 10**6), "people": d.whole(*people), "words": words, "T": T, "config": config, **more})


promises(
    reference={"finetune": knowledge.finetune},
    ask=Ask("course_utils.lessons.knowledge_trainings.on_questions", ("finetune",)),
    agree=same(),
    always=(),
    kept=[
        promise("the model itself is trained on all questions with their answers, with config as it is and all options, and the history is returned", cases=training, visible=2, fresh=4, want=True, trouble=False,
                quote=("Train the model in place on question-answer pairs", "batch size, epochs, learning rate", "passed on to ``train``", "The history that ``train`` gives")),
        promise("blocks and questions may be longer than the notebook's, or hardly fit", "The dataset needs a block size; the model knows its own", lambda d: (lambda words, T: training(d, words=words, T=T))(*d.each((12, 160), (5, 100))), visible=1, fresh=2, want=True, trouble=False),
        promise("more questions than the notebook has are all trained on", "Train the model in place on question-answer pairs", lambda d: training(d, (170, 230), (60, 80)), visible=1, fresh=1, want=True, trouble=False),
        promise("a question that comes twice is trained on twice in an epoch", "Train the model in place on question-answer pairs", lambda d: training(d, (4, 6), (3, 8), twice=d.whole(1, 3)), visible=1, fresh=1, want=True, trouble=False),
        promise("one batch may hold all questions, and one question may be all there are", "batch size, epochs, learning rate", lambda d: training(d, *d.each(((4, 6), (30, 40)), ((1, 1), (1, 3)))), visible=1, fresh=2, want=True, trouble=False),
        promise("a second call with the same model, whose weights are others by then, trains it from these", "Train the model in place on question-answer pairs", lambda d: training(d, (4, 6), (4, 6)),
                ask=Ask("course_utils.lessons.knowledge_trainings.on_questions", ("finetune", True)), visible=1, fresh=1, want=True, trouble=False),
    ],
)

# %% [markdown]
# The training cell trains for `course.profile.scratch.epochs` epochs (60 on a laptop) and measures the accuracy on dev after each. Results are kept in `work/07_knowledge/`; to train anew, put `again=True` into the call (and into the later calls that start from this model).
#


# %%
def accuracy_on(model: GPT, questions: list[Question]) -> float:
    """Share of the questions that the model answers to the letter."""
    answers, _ = answer_questions(model, vocab, questions)
    return exact_match(answers, [q.answer for q in questions])


def dev_accuracy(model: GPT) -> float:
    """What is asked after every epoch."""
    return accuracy_on(model, dev_questions)


scratch, scratch_history = trained(
    course, "scratch", vocab, new_model,
    lambda model: finetune(model, train_questions, vocab, course.profile.scratch, evaluate=dev_accuracy),
    needs="name_data and finetune_scratch",
)  # fmt: skip
if scratch is not None:
    accuracies["scratch"] = {"train": accuracy_on(scratch, train_questions), "dev": dev_accuracy(scratch)}
    print(
        f"training people {accuracies['scratch']['train']:.0%}, dev people {accuracies['scratch']['dev']:.0%}"
    )
    print(verdicts(dev_questions, *answer_questions(scratch, vocab, dev_questions)))

# %% [markdown]
# It knows all 150 training answers by heart, and does no better than chance on everybody else. That is not a failure of training: **the birthplace of a dev person is not a function of anything in the question**.
# No architecture and no learning rate can find it there. It stands in the wiki.
#
# ## 5. Span corruption
#
# How should the model read the wiki? One way, used for T5, is to cut a piece out of a text and ask for it. Ours cuts a single piece and puts it behind the rest, so that a decoder alone can write it; this form is known as *fill in the middle* (Bavarian et al., 2022). Take a document, keep its beginning, and cut
# that in three, `prefix`, `content`, `suffix`. Then write
#
# $$ s = \texttt{prefix}\ ⁇\ \texttt{suffix}\ ⁇\ \texttt{content}\ □ \cdots □ . $$
#
# *A small example:* `Otto Bernik is from Tolan.` may become `Otto Bern⁇m Tolan.⁇ik is fro□□□…`. The part after the first `⁇` looks like our finetuning format, and that is the point: before a `⁇` comes what is known,
# after it what is asked for.
#
# **The contract.** Your class must keep all nine points; here $L$ is the kept length, not a number of layers, and $T$
# the block size.
#
# 1. PAD has id 0 and MASK id 1, as in the vocabulary.
# 2. Item $i$ comes from document $i$, with a **new draw at every call**, independent of all others.
# 3. Draw a length uniformly from $4, \dots, \lfloor 7T/8 \rfloor$, both ends possible, whatever the document's length, and keep that many characters from its beginning, or all of it if it is shorter.
# 4. The content's length is random with mean $L/4$ (within $\pm 0.02\,L$, and half a character more for rounding; for $L < 4$ it is free, and may be 0). For $L \ge 4$ it is never 0. For $L \ge 8$ it varies well: for every such $L$, at least 5 % of the draws are
#    below $\frac{3}{16}L + \frac12$ and at least 5 % above $\frac{5}{16}L - \frac12$ (the halves, again, are for rounding).
# 5. Given $L$ and the content's length, its start is uniform over **all** places where it fits.
# 6. `prefix MASK suffix MASK content PAD…`, $T+1$ tokens, nothing cut off.
# 7. $x = s_{1..T}$, $y = s_{2..T+1}$, int64. Here the loss is on **everything**: nothing is hidden behind PAD.
# 8. Documents of 0 to 5 characters occur and do not crash.
# 9. All draws come from `self.rng`, which `reseed` sets anew, so that runs can be repeated and background workers draw differently.
#
# A mistake in these points need not show in the accuracy at the end. A random procedure is tested by its
# distribution: the check below draws some eleven thousand items (the grader's some sixty thousand), recovers from
# each item what was kept and what was cut out, and compares with exact bounds, length by length. It wrongly accuses
# a right answer less often than once in 100,000 times.
#
# ### Exercise `span_corruption`
#
# <details><summary>Hint 1 (nudge)</summary>
# Four steps: keep, choose a length, choose a start, write s. Which of the numbers depend on the text that is really there, and which only on T?
# </details>
# <details><summary>Hint 2 (idea)</summary>
# <code>self.rng.randint(a, b)</code> includes both ends. For the content: a uniform draw from 1 to m has mean (m+1)/2; which m makes that a quarter of L? After a content of length n, there are L − n + 1 possible starts.
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# kept = the first randint(4, 7·T // 8) characters; n = randint(1, max(1, len(kept) // 2 − 1)), but not more than len(kept); start = randint(0, len(kept) − n). Slice kept at start and start + n, join the pieces with MASK, pad to T+1, encode, cut.
# </details>
#


# %% answer="span_corruption"
class CharCorruptionDataset(torch.utils.data.Dataset):
    """Documents with one random span cut out and put behind the text.

    Args:
        documents: texts of any length, also empty ones.
        vocab: which id stands for which character.
        block_size: T, at least 8.
        seed: of ``self.rng``, the only source of randomness.
    """

    def __init__(self, documents: list[str], vocab: Vocabulary, block_size: int, seed: int = 0) -> None:
        self.documents, self.vocab, self.block_size = documents, vocab, block_size
        self.rng = random.Random(seed)

    def reseed(self, seed: int) -> None:
        """Start the draws anew; called once per epoch and worker."""
        self.rng.seed(seed)

    def __len__(self) -> int:
        return len(self.documents)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        """x and y of a fresh corruption of document ``index``, both int64 of shape (T,)."""
        ### BEGIN SOLUTION
        kept = self.documents[index][: self.rng.randint(4, 7 * self.block_size // 8)]
        n = min(len(kept), self.rng.randint(1, max(1, len(kept) // 2 - 1)))  # mean L/4; the text really there counts
        start = self.rng.randint(0, len(kept) - n)
        s = kept[:start] + MASK + kept[start + n :] + MASK + kept[start : start + n]
        ids = torch.tensor(self.vocab.encode(s + PAD * (self.block_size + 1 - len(s))))
        return ids[:-1], ids[1:]  # (T+1,) -> (T,) each
        ### END SOLUTION


# %% check="span_corruption" points=3 minutes=45 difficulty=3 timeout=180
from course_utils.checks.promises import Ask, Case, Draw, promise, promises, same, unchanged
from course_utils.vocab import Vocabulary
from solutions.reference import knowledge

HERE = "course_utils.lessons.span_laws."
ODD = ("aab", "abab ", " \ta", "x", "aAÉé😀\n", "e\u0301a\ufb01")  # letters that come several times, blanks and line ends at both ends, é in two signs


def drawn(d: Draw, lengths, T, times, letters="", places=None):
    """Documents of these lengths, of different letters or of these few, and how often each is asked for in turn."""
    signs = [chr(0x4E00 + k) for k in d.sample(8000, max(max(lengths), 9))]
    documents = ["".join(d.rng.choices(letters, k=n) if letters else d.rng.sample(signs, n)) for n in lengths]
    vocab, places = Vocabulary.from_text("".join(documents) + "".join(signs[:9])), range(len(lengths)) if places is None else places
    return Case((documents, vocab, T, d.whole(0, 2**31)), setup={"items": [*places], "times": times, "lengths": list(lengths), "seed": d.whole(0, 2**31)})


def every(d: Draw):
    """Documents of all lengths in blocks of all sizes, the smallest and larger ones too."""
    T = d.each(64, 8, 9, 16, 17, 200, d.whole(20, 120))
    lengths = [*range(10), 7 * T // 8 - 1, 7 * T // 8, 7 * T // 8 + 1, T, d.whole(T, 4 * T), d.whole(10, 60)]
    return drawn(d, d.rng.sample(lengths, len(lengths)), T, 6, d.each("", *ODD))


def short(d: Draw, T, kinds=3):
    """Documents shorter than many drawn lengths."""
    return drawn(d, [d.whole(5, 9), *(d.whole(6, 7 * T // 8 - 1) for _ in range(kinds - 1))], T, 250)


def law(name, times=1):
    return {"ask": Ask(HERE + "lawful", ("CharCorruptionDataset", name)), "trouble": False, "visible": 1, "fresh": times, "far": False, "want": True}


promises(
    reference={"CharCorruptionDataset": knowledge.CharCorruptionDataset},
    ask=Ask(HERE + "lawful", ("CharCorruptionDataset", "form")),
    agree=same(),
    always=(unchanged,),
    kept=[
        promise("prefix MASK suffix MASK content PAD… of document i, nothing lost and nothing cut off, y one place further on, whatever the document's length and letters", cases=every, visible=3, far=False, want=True,
                quote=("x and y of a fresh corruption of document ``index``", "both int64 of shape (T,)", "Documents with one random span cut out and put behind the text", "texts of any length, also empty ones", "which id stands for which character",
                       "`prefix MASK suffix MASK content PAD…`, $T+1$ tokens, nothing cut off", "nothing is hidden behind PAD", "Documents of 0 to 5 characters occur and do not crash", "For $L \\ge 4$ it is never 0", "block_size: T, at least 8")),
        promise("all draws come from self.rng, which seed and reseed set", ("of ``self.rng``, the only source of randomness", "Start the draws anew", "All draws come from `self.rng`"), visible=1, fresh=2, trouble=False, far=False,
                cases=lambda d: drawn(d, [90] * 12, 64, 1), ask=Ask("course_utils.lessons.span_states.own_generator", ("CharCorruptionDataset",)), want=True),
        promise("of long documents, every length from 4 to 7 T // 8 is kept equally often", "Draw a length uniformly from $4, \\dots, \\lfloor 7T/8 \\rfloor$, both ends possible", **law("kept", 3),
                cases=lambda d: (lambda T: drawn(d, [7 * T // 8, T + 9, 3 * T], T, 500 if T < 300 else 150))(d.each(48, d.whole(9, 16), d.whole(150, 200), d.whole(400, 600)))),
        promise("the shortest and the longest length are kept as often as all others", "both ends possible", **law("kept", 2),
                cases=lambda d: (lambda T: drawn(d, [7 * T // 8, T + 9, 3 * T], T, 100 * (7 * T // 8 - 3)))(d.each(d.whole(9, 24), d.whole(30, 60)))),
        promise("a shorter document is kept as a whole whenever the length drawn is larger", "whatever the document's length, and keep that many characters from its beginning, or all of it if it is shorter", **law("kept", 3),
                cases=lambda d: short(d, d.each(40, d.whole(12, 30), d.whole(60, 130)), 4)),
        promise("the content's length has the mean L/4 and varies well, for every kept length L", ("random with mean $L/4$", "for every such $L$, at least 5 % of the draws"), **law("content"),
                cases=lambda d: (lambda lengths: drawn(d, lengths, d.whole(100, 130), 1, places=[k for k in range(len(lengths)) for _ in range(450)]))([5, 8, 10, 13, 24] if d.small else [4, 6, 8, 9, *d.rng.sample(range(10, 41), 9)])),
        promise("the same holds in long blocks", "for every such $L$", **law("content", 2), cases=lambda d: (lambda T: drawn(d, [T, 2 * T], T, 600 if d.small else 1000))(d.each(100, 1000))),
        promise("the mean is L/4, and not more than 0.02 L beside it, in long texts", "within $\\pm 0.02\\,L$", visible=0, fresh=1, trouble=False, far=False, want=True, ask=Ask("course_utils.lessons.span_means.long_contents", ("CharCorruptionDataset",)),
                cases=lambda d: (lambda T: drawn(d, [T, T + 9], T, 3_000))(d.whole(300, 360))),
        promise("the mean is L/4 for texts of eight characters too, where half a character more is all that rounding allows", "random with mean $L/4$", cases=lambda d: drawn(d, [8], d.whole(90, 120), 8000), **{**law("content"), "visible": 0}),
        promise("given L and the content's length, every start where it fits is equally likely, in documents of few letters too", "its start is uniform over **all** places where it fits", **law("start", 3),
                cases=lambda d: drawn(d, *d.each(([5, 6, 8, 11, 15, 30], 40, 250), ([2, 4, 6, 7, 9, 60], 30, 250), ([90, 200], 100, 3000), ([600, 900], 512, 1000)), letters=d.each("aab", "", "x"))),
        promise("every call makes a new draw, independent of all others", ("a **new draw at every call**, independent of all others",), **law("fresh", 2), cases=lambda d: drawn(d, [150, 150], d.each(48, 24), 1000, places=d.each([0], [0, 1]))),
    ],
    prose=("called once per epoch and worker",),
)

# %%
with waits_for("span_corruption"):
    describe(CharCorruptionDataset(wiki, vocab, T), vocab, n=3)

# %% [markdown]
# What a distribution looks like: 4,000 draws from one text of 60 different characters with $T = 64$. The kept length should be flat up to $\lfloor 7 \cdot 64/8 \rfloor = 56$; the content should scatter widely around the line $L/4$.
#

# %%
with waits_for("span_corruption"):
    text = "".join(chr(0x4E00 + i) for i in range(60))
    look = CharCorruptionDataset([text], Vocabulary.from_text(text), 64, seed=3)
    # (4000, T); T is long enough to read lengths from x alone
    rows = torch.stack([look[0][0] for _ in range(4000)])
    ends = (rows != 0).sum(1)  # prefix, suffix, content and two MASKs
    second = (rows == 1).float().cumsum(1).eq(2).float().argmax(1)  # where the second MASK stands
    kept, content = ends - 2, ends - second - 1
    fig, axes = plots.new_figure(9.0, 3.8, columns=2)
    axes[0].hist(kept.numpy(), bins=np.arange(3.5, 57.5), color=plots.COLOURS[0])
    axes[0].set(xlabel="kept length L (characters)", ylabel="draws")
    axes[1].scatter(
        kept + 0.6 * torch.rand(4000) - 0.3,
        content + 0.6 * torch.rand(4000) - 0.3,
        s=3,
        color=plots.COLOURS[0],
    )
    axes[1].plot([4, 56], [1, 14], color="black", linestyle="--", label="L/4")
    axes[1].set(xlabel="kept length L (characters)", ylabel="content (characters)")
    axes[1].legend()
    plots.show(fig, alt=alt_text("07_histogram_4_000"))

# %% [markdown]
# ## 6. Pretraining
#
# The loop is the same, the dataset another: every epoch sees every document, corrupted anew. The block is much
# longer than any document here, and that is deliberate: the kept length is drawn up to $\lfloor 7T/8 \rfloor$, so
# with a long block most documents stay whole and their last word, often the town, is learned too. The long block
# costs no time, since `train` trims every batch to its longest row. But on a laptop about 215 of the 256 position
# vectors are never used, 6 % of the weights.
#
# ### Exercise `pretrain`
#
# Write `pretrain`: train the model in place on corrupted documents, and return the history. The grader loads your
# `pretrained.safetensors` too, and tests what these weights know of the wiki before any finetuning.
#
# <details><summary>Hint 1 (nudge)</summary>
# Compare with <code>finetune</code>. What changes?
# </details>
# <details><summary>Hint 2 (idea)</summary>
# Only the dataset. Keep passing the options on: the training cell below uses them.
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# A <code>CharCorruptionDataset</code> over the documents with the model's block size, given to <code>train</code> with config and options.
# </details>
#


# %% answer="pretrain"
def pretrain(model: GPT, documents: list[str], vocab: Vocabulary, config: TrainConfig, **options) -> History:
    """Train the model in place on corrupted documents, in blocks of its own size, every epoch corrupted anew.

    Equal weights and arguments give an equal training, however often it is called.

    Args:
        config: batch size, number of steps or epochs, learning rate …
        options: passed on to ``train``.

    Returns:
        The history that ``train`` gives.
    """
    ### BEGIN SOLUTION
    dataset = CharCorruptionDataset(documents, vocab, model.config.block_size)
    return train(model, dataset, config, **options)
    ### END SOLUTION


# %% [markdown]
# The training cell (a bar shows how far it is). If you interrupt it, run it again and it goes on where it was. At the end the cell lets the model continue `Otto` three times. A `⁇` in the middle of a word is no mistake: the model writes texts as it has read them, prefix ⁇ suffix ⁇ content.
#

# %%
pretrained, pretraining = trained(
    course, "pretrained", vocab, new_model,
    lambda model: pretrain(
        model, wiki, vocab, course.profile.pretrain, resume=course.work / "pretrained.state"
    ),
    needs="span_corruption and pretrain",
)  # fmt: skip
if pretrained is not None:
    start_of_text = "Otto"
    for tokens in sample(pretrained, [vocab.encode(start_of_text)] * 3, 40, temperature=0.5, seed=2):
        print(start_of_text + vocab.decode(tokens))

# %% check="pretrain" points=1 minutes=15 difficulty=2 timeout=120
from course_utils.checks.handed import handed_in
from course_utils.checks.promises import Ask, Case, Draw, promise, promises, same
from solutions.reference import knowledge, knowledge_files


def training(d: Draw, people=(6, 12), batch=(2, 7), epochs=(2, 3), mixed=True, T=64, twice=0):
    """A tiny model, documents, some short, some longer than a block, the first perhaps twice, and settings none of which is the usual one."""
    config = {"batch_size": d.whole(*batch), "epochs": d.whole(*epochs), "lr": round(d.rng.uniform(2e-3, 6e-3), 4), "weight_decay": d.each(2.0, 0.0, 5.0), "seed": d.whole(1, 999),
              "warmup": d.each(0.4, 0.0), "schedule": d.each("constant", "linear", "cosine"), "clip": d.each(1.0, 0.3), "muon_lr": d.each(None, None, 0.02)}
    return Case(setup={"seed": d.whole(0, 10**6), "people": d.whole(*people), "words": 0, "mixed": mixed, "T": T, "twice": twice, "config": config})


def in_steps(d: Draw):
    """So many steps that the last epoch is not whole."""
    case = training(d, people=(8, 12), batch=(2, 3))
    case.setup["config"] |= {"epochs": None, "steps": d.whole(9, 13)}
    return case


promises(
    reference={"pretrain": knowledge.pretrain},
    ask=Ask("course_utils.lessons.knowledge_trainings.on_documents", ("pretrain",)),
    agree=same(),
    always=(),
    kept=[
        promise("the model itself is trained on all documents, with config as it is and all options, and the history is returned", cases=lambda d: training(d, twice=d.each(0, 1)), visible=2, fresh=3, want=True, trouble=False,
                quote=("Train the model in place on corrupted documents, in blocks of its own size", "batch size, number of steps or epochs, learning rate", "passed on to ``train``", "The history that ``train`` gives")),
        promise("a number of steps may end in the middle of an epoch", "batch size, number of steps or epochs, learning rate", in_steps, visible=1, fresh=2, want=True, trouble=False),
        promise("every epoch corrupts the documents anew, whatever the block size, and one batch may hold them all", "every epoch corrupted anew",
                lambda d: training(d, epochs=(3, 4), T=d.each(64, 16, 160), **d.each({"mixed": False}, {"batch": (30, 40)})), visible=1, fresh=3, want=True, trouble=False),
        promise("two trainings with equal arguments from equal weights are equal", "Equal weights and arguments give an equal training", lambda d: training(d, (5, 7), (3, 5), (2, 2)),
                ask=Ask("course_utils.lessons.knowledge_trainings.twice_on_documents", ("pretrain",)), visible=1, fresh=1, want=True, trouble=False),
        promise("a second call with the same model, whose weights are others by then, trains it from these", "however often it is called", lambda d: training(d, (5, 7), (3, 5), (2, 2)),
                ask=Ask("course_utils.lessons.knowledge_trainings.on_documents", ("pretrain", True)), visible=1, fresh=1, want=True, trouble=False),
        promise("none of a dozen epochs brings back the corruptions of an earlier one", "every epoch corrupted anew", lambda d: training(d, batch=(30, 40), epochs=(12, 14)), visible=0, fresh=1, want=True, trouble=False),
        handed_in("the pretrained model that is handed in knows where people of the wiki were born, and expects a MASK in running text", quote="The grader loads your `pretrained.safetensors`",
                  files=("pretrained.safetensors",), faults=lambda d: knowledge_files.pretrained_faults(handin, private, d.rng)),
    ],
)

# %%
if pretraining.loss:
    window = 25
    smooth = np.convolve(pretraining.loss, np.ones(window) / window, mode="valid")
    fig = plots.line(
        {
            "pretraining loss, mean of 25 steps": (
                list(range(window, len(pretraining.loss) + 1)),
                smooth.tolist(),
            )
        },
        "step",
        "loss (nats per token)",
    )
    plots.show(fig, alt=alt_text("07_pretraining_loss_step", last=smooth[-1]))

# %% [markdown]
# The curve is one smooth fall. It is a mean over all characters, so it does not show what is learned when: the pattern of the sentences, the surnames, or **who is from where**.
#
# ## 7. Finetuning what was pretrained
#
# The pretrained model has read all birthplaces and was never asked *Where was … born?* Finetuning shows it the form of a question on the 150 training people; whether it then answers for the others, whose
# answers it only knows from the wiki, is the whole experiment.
#
# Two things go wrong easily. **Starting from fresh weights** by mistake: everything runs, and dev stays at chance.
# **Finetuning at too high a rate**: 150 pairs can overwrite what 1,200 documents stored. In five worlds, with the
# laptop profile, 60 epochs at 1e-3 left 49 to 78 % of the test people right, 60 epochs at 1e-4 96 to 98 %. The
# profile has settings for each case: `profile.scratch` (on a laptop 60 epochs at 1e-3, on a GPU 75 at 6e-4) and
# `profile.finetune` (10 epochs, on a laptop at 1e-4, on a GPU at 6e-4).
#
# ### Exercise `finetune`
#
# Write `finetune_pretrained` (it may call your `finetune` of section 4). It returns a finetuned **copy** and the
# history; the pretrained model itself stays as it was (weights, and which of them are trained; its mode may change),
# since you hand in both. The copy may be in either mode. The grader asks your `finetuned.safetensors` about people
# whose answers you do not have, and compares with your `test_predictions.txt`.
#
# <details><summary>Hint 1 (nudge)</summary>
# You have a function that finetunes a model in place.
# </details>
# <details><summary>Hint 2 (idea)</summary>
# <code>copy.deepcopy</code> copies a model with its weights. Which of the profile's settings belongs to this case?
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# model = a deep copy; history = finetune(model, questions, vocab, profile.finetune, **options); return both.
# </details>
#


# %% answer="finetune"
def finetune_pretrained(
    pretrained: GPT, questions: list[Question], vocab: Vocabulary, profile: Profile, **options
) -> tuple[GPT, History]:
    """A finetuned copy of the pretrained model, and the history of its training.

    Args:
        profile: holds the settings; choose those for finetuning after pretraining.
        options: passed on to ``finetune``.
    """
    ### BEGIN SOLUTION
    model = copy.deepcopy(pretrained)
    history = finetune(model, questions, vocab, profile.finetune, **options)
    return model, history
    ### END SOLUTION


# %%
def train_finetuned(model: GPT) -> History:
    """Fill the model with the weights of a finetuned copy of the pretrained one."""
    better, history = finetune_pretrained(
        pretrained, train_questions, vocab, course.profile, evaluate=dev_accuracy
    )
    model.load_state_dict(better.state_dict())
    return history


finetuned, finetune_history = None, History()
if pretrained is None and not being_graded():
    print("(finetuned: this cell needs the pretrained model of section 6.)")
else:
    finetuned, finetune_history = trained(
        course, "finetuned", vocab, new_model, train_finetuned, needs="finetune"
    )
if finetuned is not None:
    accuracies["finetuned"] = {
        "train": accuracy_on(finetuned, train_questions),
        "dev": dev_accuracy(finetuned),
    }
    print(
        f"training people {accuracies['finetuned']['train']:.0%}, dev people "
        f"{accuracies['finetuned']['dev']:.0%}"
    )
    if accuracies["finetuned"]["dev"] < 0.8:
        print(
            "Fewer than 80 %, and it needs as many on test: was the pretraining "
            "complete, and are its weights the start?"
        )
    print(verdicts(dev_questions, *answer_questions(finetuned, vocab, dev_questions)))
    test_answers, test_confidences = answer_questions(finetuned, vocab, test_questions)
    write_predictions(course.work / "test_predictions.txt", test_answers)

# %% [markdown]
# Dev people are for choosing and looking; the points of the next check depend on the **test** people, whose answers
# only the grader has. It loads your `finetuned.safetensors`, asks the questions itself, and compares with your
# `test_predictions.txt` too. The bar is 80 %. On the 20 worlds on which the bar was set, right solutions with the
# laptop profile reached 94 to 100 %; on four others, 93 to 98 %. With more than 90 % of the 50 dev people right you
# will most likely pass. (Other data need another bar.)
#

# %% check="finetune" points=3 minutes=30 difficulty=2 timeout=120
from course_utils.checks.handed import handed_in
from course_utils.checks.promises import Ask, Case, Draw, promise, promises, same
from solutions.reference import knowledge, knowledge_files


def tuning(d: Draw, people=(5, 12), batch=(2, 7), words=0, T=64, frozen=()):
    """A tiny model, questions, and settings for finetuning none of which is the usual one."""
    config = {"batch_size": d.whole(*batch), "epochs": d.each(2, 1, 3), "lr": round(d.rng.uniform(2e-3, 6e-3), 4), "weight_decay": d.each(2.0, 0.0, 5.0), "seed": d.whole(1, 999),
              "warmup": d.each(0.4, 0.0), "schedule": d.each("constant", "linear", "cosine"), "clip": d.each(1.0, 0.3), "muon_lr": d.each(None, None, 0.02)}
    return Case(setup={"seed": d.whole(0, 10**6), "people": d.whole(*people), "words": words, "T": T, "frozen": frozen, "config": config})


promises(
    reference={"finetune_pretrained": knowledge.finetune_pretrained},
    ask=Ask("course_utils.lessons.knowledge_trainings.on_profile", ("finetune_pretrained",)),
    agree=same(),
    always=(),
    kept=[
        promise("a copy is finetuned on all questions with profile.finetune and all options, the copy and its history are returned, and the pretrained model stays as it was", cases=tuning, visible=2, fresh=4, want=True, trouble=False,
                quote=("A finetuned copy of the pretrained model, and the history of its training", "holds the settings", "choose those for finetuning after pretraining", "passed on to ``finetune``", "the pretrained model itself stays as it was")),
        promise("blocks and questions may be longer than the notebook's, or hardly fit, and one batch may hold all questions", "A finetuned copy of the pretrained model",
                lambda d: tuning(d, **d.each({"words": 12, "T": 160}, {"words": 5, "T": 100}, {"people": (4, 6), "batch": (30, 40)})), visible=1, fresh=3, want=True, trouble=False),
        promise("hundreds of questions are all trained on", "A finetuned copy of the pretrained model", lambda d: tuning(d, people=(320, 400), batch=(40, 80)), visible=0, fresh=1, want=True, trouble=False),
        promise("which of the pretrained weights are trained stays as it was, also where some are not", "which of them are trained; its mode may change", lambda d: tuning(d, people=(4, 6), frozen=d.each((0,), (2, 5))), visible=0, fresh=2, want=True, trouble=False),
        promise("a second call with the same model finetunes another copy, from the pretrained weights as well", "returns a finetuned **copy** and the history", lambda d: tuning(d, people=(4, 6), batch=(4, 6)), ask=Ask("course_utils.lessons.knowledge_trainings.on_profile", ("finetune_pretrained", 2)), visible=1, fresh=2, want=True, trouble=False),
        promise("a second call with the same model, whose weights are others by then, begins with these", "A finetuned copy of the pretrained model", lambda d: tuning(d, people=(4, 6), batch=(4, 6)), ask=Ask("course_utils.lessons.knowledge_trainings.on_profile", ("finetune_pretrained", 2, True)), visible=1, fresh=1, want=True, trouble=False),
        handed_in("the finetuned model that is handed in answers for people it was not trained on, and the predictions are its own", quote="The grader asks your `finetuned.safetensors` about people whose answers you do not have",
                  files=("finetuned.safetensors", "test_predictions.txt"), faults=lambda d: knowledge_files.finetuned_faults(handin, private)),
    ],
)

# %% [markdown]
# The plot that this notebook is about: accuracy on dev people after each epoch of finetuning, from scratch and after
# pretraining. One run proves little, so where the course came with results over several seeds, their mean and 95 %
# band are drawn beside your own run. These results are of the laptop profile: on a GPU your run is a larger model
# with other settings. Only the first ten epochs are shown; the model from scratch trains longer (60 on a laptop, 75
# on a GPU).
#

# %%
results = ready_made(course.data / "measured", "why_controls.json")
own = {"your run, from scratch": scratch_history.accuracy, "your run, pretrained": finetune_history.accuracy}
epochs = min([len(curve) for curve in own.values() if curve], default=10)
curves = {label: [curve[:epochs]] for label, curve in own.items() if curve}
if results is not None:
    epochs = min([epochs, *(len(curve) for runs in results["curves"].values() for curve in runs)])
    curves = {
        label: [curve[:epochs] for curve in runs] for label, runs in (curves | results["curves"]).items()
    }
if curves:
    # chosen on training people, as in section 3
    favourite = Counter(q.answer for q in train_questions).most_common(1)[0][0]
    top = sum(q.answer == favourite for q in dev_questions) / len(dev_questions)
    fig = plots.accuracy_curves(curves, baseline=top, baseline_label="most frequent town")
    last = ", ".join(
        f"{label} {100 * sum(run[-1] for run in runs) / len(runs):.0f} %" for label, runs in curves.items()
    )
    plots.show(fig, alt=alt_text("07_accuracy_dev_people", epochs=epochs, last=last))

# %% [markdown]
# **`why_pretraining`** Explain briefly (three sentences) why the pretrained model gets far above 10 % on people without a training question while the one from scratch does not. Say what each of the two trainings contributes.
#

# %% [markdown] written="why_pretraining" points=1 minutes=10 difficulty=1
# **Your answer · why_pretraining**
#
# ### BEGIN SOLUTION
# The answer cannot be computed from the question; it must be stored. Pretraining on the wiki stores, among other things, which town follows which name, because predicting the text well needs it, and it does so for dev and test people too,
# whose documents are in the wiki. Finetuning on 150 other people teaches the form, that a question about birth followed by ⁇ asks for that stored town; from scratch it can only memorise its own 150 answers.
#
# Rubric: (1) says that the facts about dev people come from the pretraining corpus and from nowhere else; (2) separates what pretraining contributes (facts) from what finetuning contributes (access, the format of question and answer);
# (3) says that the model from scratch memorises its training pairs, or that nothing in the question determines the answer. Full point for all three, half for two. "Better representations" or "understands language" alone gives nothing.
# ### END SOLUTION
#

# %% [markdown]
# ## 8. Why does it work? Ask controls
#
# > **What is wrong here?** Suppose somebody explains the effect by size: the wiki has 2,937 documents and the finetuning set 2,000 pairs, so pretraining saw 68 % more text, and had more to learn from. Two things are wrong: the number, and the reason. Compute the first; for the second, name an experiment that would tell.
#
# <details><summary>What is wrong</summary>
# The number: 2,937 / 2,000 = 1.47, so the wiki is 47 % larger; 68 % is 2,000 / 2,937, the share that the smaller one is of the larger. The reason: size alone does nothing. Pretrain on a wiki of equal size about <b>other</b> people, and the effect is gone (see
# the control below). What matters is that these facts stand in these documents.
# </details>
#
# Here are four explanations that one hears, and a **control** for each: an experiment that changes one thing and
# keeps the rest. All runs have the laptop profile, unless the table says otherwise. (The model without pretraining is
# finetuned for 60 epochs at 1e-3, not 10 at 1e-4, so that it learns its 150 answers. A small difference from it may
# come from that.)
#
# | somebody says | control |
# |---|---|
# | "the pretrained weights are simply a better start" | pretrain on a wiki about **other people in the same towns**: same language, same patterns. (Another world's wiki changes people *and* towns, two things at once.) |
# | "span corruption, the masking, is what does it" | pretrain on the same documents with **nothing masked**, plain next-character prediction, without line ends |
# | the same | the same **with line ends**. This arm and a second one with span corruption are "finetuned longer": 20 epochs at 3e-4, until they know their training questions |
# | "more documents about each person are what helps" | 1, 2, 4, 8 documents per person, each in a sentence of its own, with equally many training steps |
# | "it must have seen each fact in many phrasings" | four documents per person in 1, 2 or 4 different sentences |
#
# Each control needs several seeds. The course ran them beforehand, on up to eight worlds; the results are in
# `data/measured/why_controls.json`. Your part is to
# read them honestly. Runs with equal seed share the world that is asked about and the initial weights (except the model with another world's wiki, which began from that world's seed), so they are **paired**: compare seed by seed, then average the differences. With $n$ differences of mean $\bar d$ and standard deviation $\hat\sigma$ (with $n-1$ in the denominator), the 95 % interval is
#
# $$ \bar d \pm t_{n-1,\,0.975}\, \frac{\hat\sigma}{\sqrt n} . $$
#
# `mean_interval(values)` from `course_utils.metrics` gives `(mean, low, high)` with Student's $t$: here $t_{n-1,\,0.975}$ is the 97.5 % quantile of that distribution with $n-1$ degrees of freedom (4.30 for three runs). *A small example:* differences of +8, +27 and +19 points are all positive, their mean is 18, and yet the interval is −6 to +42: three runs do not show it.
#
# ### Exercise `why`
#
# Write the two functions that the next cell uses.
#
# <details><summary>Hint 1 (nudge)</summary>
# For a pair only the difference matters. In which order do you subtract so that "helps" is positive?
# </details>
# <details><summary>Hint 2 (idea)</summary>
# An effect is shown if the whole interval lies on one side of 0. For the curve: collect, for each value of the key, the accuracies of all its runs.
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# mean, low, high = mean_interval of [t − c for t, c in zip(treated, control)]; "helps" if low > 0, "hurts" if high < 0, else "not shown". Curve: for v in sorted(set of run[key]): (v, *mean_interval(accuracies with run[key] == v)).
# </details>
#


# %% answer="why"
def effect(treated: list[float], control: list[float]) -> tuple[float, float, float, str]:
    """What a treatment changes, from runs paired by seed: ``treated[i]`` and ``control[i]`` share a seed, two pairs at least.

    Returns:
        ``(mean, low, high, verdict)``: mean of treated - control, its 95 % interval, and ``"helps"`` if the whole interval is above 0, ``"hurts"`` if it is below, else ``"not shown"``.
    """
    ### BEGIN SOLUTION
    mean, low, high = mean_interval([t - c for t, c in zip(treated, control, strict=True)])
    return mean, low, high, "helps" if low > 0 else "hurts" if high < 0 else "not shown"
    ### END SOLUTION


def exposure_curve(runs: list[dict[str, float]], key: str) -> list[tuple[float, float, float, float]]:
    """Accuracy against ``key``, a dictionary key of the runs such as ``"documents"``, whose values are numbers; each run also has ``"accuracy"``.

    Args:
        runs: in any order, two runs at least for each value of ``key``.

    Returns:
        ``(value, mean, low, high)`` for every value of ``key`` that occurs, smallest first; mean and 95 % interval over the runs with that value.
    """
    ### BEGIN SOLUTION
    values = sorted({run[key] for run in runs})
    return [(v, *mean_interval([run["accuracy"] for run in runs if run[key] == v])) for v in values]
    ### END SOLUTION


# %% check="why" points=1 minutes=20 difficulty=2
from course_utils.checks.promises import Draw, call, close, promise, promises, repeatable, unchanged
from solutions.reference import knowledge


def conditions(d: Draw, n=(2, 12), spread=0.06):
    """Accuracies of n paired runs; a seed's level is common to both conditions, so that pairing matters."""
    n, shift = d.sizes(n=n)[0], d.each(0.05, 0.3, -0.3, -0.05, 0.0)
    base = [d.uniform(0.2, 0.7) for _ in range(n)]
    return [round(b + shift + d.rng.gauss(0, spread), 2 if d.small else 12) for b in base], base


def runs(d: Draw, kinds=(2, 6), each=(2, 5), values=range(-99, 199)):
    """Runs in any order, with keys of other values too."""
    kinds, most = d.sizes(kinds=kinds, each=each)
    found = [(value, seed) for value in d.rng.sample(list(values), min(kinds, len(values))) for seed in range(d.whole(each[0], most))]
    d.rng.shuffle(found)
    return [{"seed": s, "documents": v, "phrasings": d.whole(1, 4), "accuracy": d.uniform(0.0, 1.0)} for v, s in found], "documents"


def elsewhere(d: Draw):
    """Runs whose keys stand in any order, under names of their own."""
    found, _ = runs(d)
    names = {"seed": "world", "phrasings": "steps", "documents": d.each("people", "towns", "lr"), "accuracy": "accuracy"}
    order = d.rng.sample(list(names), 4)
    return [{names[key]: run[key] for key in order} for run in found], names["documents"]


def tiny(d: Draw, n=(2, 12)):
    """Differences of a millionth, with an interval that is as narrow or wider: what decides is the sign alone."""
    n = d.sizes(n=n)[0]
    control = [d.whole(1, 7) / 8 for _ in range(n)]
    step, sign = 2.0**-20, d.each(-1, 1)
    spread = d.each(0.01, 0.3, 2.0)
    return [c + step * (sign + d.rng.gauss(0, spread)) for c in control], control


curve = {"ask": call("exposure_curve"), "returns": ()}
promises(
    reference={"effect": knowledge.effect, "exposure_curve": knowledge.exposure_curve},
    agree=close(1e-6, 1e-6),
    returns=("mean", "low", "high", "verdict"),
    always=(unchanged, repeatable),
    shares={"effect": 0.5, "exposure_curve": 0.5},
    kept=[
        promise("mean and 95 % interval are those of the differences treated - control, seed by seed, with Student's t", cases=conditions, fresh=24, visible=3, trouble=False,
                agree=close(1e-6, 1e-6, view="course_utils.lessons.knowledge_views.without_verdict"), returns=("mean", "low", "high"),
                quote=("from runs paired by seed: ``treated[i]`` and ``control[i]`` share a seed", "mean of treated - control, its 95 % interval", "compare seed by seed")),
        promise("the verdict follows from the whole interval: helps above 0, hurts below 0, else not shown", '``"helps"`` if the whole interval is above 0, ``"hurts"`` if it is below, else ``"not shown"``', trouble=False,
                cases=[([0.98, 0.97, 0.99], [0.9, 0.7, 0.8]), ([0.9, 0.91, 0.92], [0.5, 0.52, 0.51]), ([0.1, 0.12, 0.11], [0.5, 0.52, 0.51]),
                       ([0.5, 0.25, 0.25], [0.5, 0.25, 0.25]), ([0.5, 0.75], [0.25, 0.5]), ([0.25, 0.5, 0.25], [0.5, 0.75, 0.5]),
                       ([0.6, 0.7, 0.8, 0.7], [0.5] * 4), ([0.3, 0.4, 0.2, 0.3], [0.5] * 4)]),
        promise("the same verdict in any runs: no other interval, and no share of the mean decides", '``"helps"`` if the whole interval is above 0, ``"hurts"`` if it is below, else ``"not shown"``', conditions, fresh=24, visible=3),
        promise("there is no smallest effect: an interval a millionth above or below 0 is above or below it", '``"helps"`` if the whole interval is above 0, ``"hurts"`` if it is below, else ``"not shown"``', tiny, agree=close(1e-9, 1e-6), trouble=False),
        promise("two pairs are enough, and hundreds are possible", "two pairs at least", lambda d: conditions(d, *d.each(((2, 2), 0.3), ((30, 60),), ((120, 400), 0.01)))),
        promise("one row (value, mean, low, high) per value of the key, smallest first, over all runs with that value, in whatever order they come", cases=runs, **curve,
                quote=("Accuracy against ``key``, a dictionary key of the runs such as ``\"documents\"``", "each run also has ``\"accuracy\"``", "``(value, mean, low, high)`` for every value of ``key`` that occurs, smallest first", "mean and 95 % interval over the runs with that value")),
        promise("any key will do", "``key``, a dictionary key of the runs", lambda d: (runs(d)[0] * 3, d.each("phrasings", "seed")), **curve),
        promise("a run may have any other keys, before and behind the one that is asked for", "``key``, a dictionary key of the runs", elsewhere, **curve),
        promise("values may be fractions, and a single one gives one row", "values are numbers", lambda d: (lambda parts: runs(d, *d.each(((2, 6),), ((1, 1), (2, 6))), values=[k / parts for k in range(-99, 199)]))(d.each(4, 2**14)), **curve),
        promise("runs that are equally accurate have an interval without width", "two runs at least for each value", [([{"n": n, "accuracy": 0.25} for n in (10, 9, 10, 9, 9)], "n")], **curve),
        promise("an accuracy of 0 counts as any other does", "mean and 95 % interval over the runs with that value", **curve,
                cases=[([{"n": n, "accuracy": a} for n, a in ((9, 0.0), (1, 0.0), (9, 0.5), (1, 0.0), (9, 0.0), (9, 1.0))], "n")]),
        promise("many values, and many runs", "two runs at least for each value", lambda d: runs(d, *d.each(((30, 60), (2, 3)), ((1, 2), (40, 90)))), visible=0, **curve),
    ],
    prose=("What a treatment changes",),
)

# %%
def over_worlds(runs: dict[str, float]) -> tuple[float, float, float, str]:
    """Mean and 95 % interval of the accuracies by world; of people (Wilson's) if all worlds are alike."""
    mean, low, high = mean_interval(list(runs.values()))
    if low == high:  # each world has 100 test people
        people = 100 * len(runs)
        return mean, *wilson_interval(round(mean * people), people), ", over people"
    return mean, max(low, 0), min(high, 1), ""


if results is not None:
    with waits_for("why"):
        by_condition = results["controls"]
        print("Accuracy on test people: mean and 95 % interval over the worlds that were trained:")
        for name, runs in by_condition.items():
            mean, low, high, of = over_worlds(runs)
            print(f"  {name:<44}{len(runs)} worlds {mean:6.1%}   ({low:.1%} to {high:.1%}{of})")
        pairs = [
            (
                "own wiki, span corruption",
                "same towns, other people",
                "What do documents about these people add, read in the same way",
            ),
            (
                "same towns, other people",
                "no pretraining",
                "What does a wiki about other people in the same towns change",
            ),
            (
                "own wiki, nothing masked",
                "same towns, other people",
                "Own wiki without masking, against masking without the own wiki",
            ),
            (
                "own wiki, span corruption",
                "own wiki, nothing masked",
                "What does span corruption add to that, after ten epochs of finetuning",
            ),
            (
                "own wiki, span corruption, finetuned longer",
                "own wiki, plain text, finetuned longer",
                "Span corruption against plain text with line ends, both finetuned longer",
            ),
        ]
        for treated, control, question in pairs:
            if treated not in by_condition or control not in by_condition:
                continue
            worlds = sorted(set(by_condition[treated]) & set(by_condition[control]))  # that have both
            mean, low, high, verdict = effect(
                [by_condition[treated][w] for w in worlds], [by_condition[control][w] for w in worlds]
            )
            print(
                f"{question}? {100 * mean:+.1f} points "
                f"({100 * low:+.1f} to {100 * high:+.1f}; {len(worlds)} worlds): {verdict}"
            )

# %%
if results is not None:
    with waits_for("why"):
        fig, axes = plots.new_figure(9.0, 3.8, columns=2)
        panels = {
            "documents": "documents about each person",
            "phrasings": "different phrasings, of 4 documents",
        }
        said = []
        for ax, (key, label) in zip(axes, panels.items(), strict=True):
            rows = exposure_curve(results["exposure"][key], key)
            xs, means, lows, highs = (list(column) for column in zip(*rows, strict=True))
            spread = [
                [100 * (m - max(l, 0)) for m, l in zip(means, lows, strict=True)],
                [100 * (min(h, 1) - m) for m, h in zip(means, highs, strict=True)],
            ]
            ax.errorbar(xs, [100 * m for m in means], spread, marker="o", capsize=4, color=plots.COLOURS[0])
            ax.set(xlabel=label, ylabel="accuracy on test people (%)", ylim=(0, 105), xticks=xs)
            said.append(
                f"{label}: "
                + ", ".join(f"{x:g} gives {100 * m:.0f} %" for x, m in zip(xs, means, strict=True))
            )
        plots.show(fig, alt=alt_text("07_panels_mean_accuracy", told=". ".join(said)))

# %% [markdown]
# Read the two panels together. The number of training steps is the same everywhere, so each person was read about equally often in every run. One document gave 37 to 43 %, four documents that repeat one sentence 35 to 42 %; two phrasings gave 80 to 87 % in two documents and 74 to 92 % in four (three seeds each). So these runs show what different wording does; they do not vary how often a fact is read.
#
# > **What is wrong here?** *"The model answers because span corruption taught it to fill in what is missing: the masking is what does it."* Look at the line "nothing masked" above before you read on.
#
# <details><summary>What is wrong</summary>
# Take the masking away altogether, so that the model has read the same documents by plain next-character prediction
# and has never seen a ⁇ before finetuning: of 100 test people it then answered 22 to 65 in eight worlds (mean 50).
# Masking on a wiki about other people with <i>the same towns</i> gave 1 to 8 of 100; naming one town always gives
# about 5. In each of these worlds the own wiki without masking was ahead by 18 points or more; with random signs,
# such differences would all point this way in 1 of 256 cases.
# So masking alone is not what does it; these documents are needed.
# With both it was 93 to 98 (four worlds), and 94 to 100 in twenty others. Is the rest the work of the masking? That
# comparison changed more than the masking: it took the line ends away, and it ended before the model knew its
# training questions. Here both are varied: the share of test people answered right, then of training people ("with
# line ends": one before and behind every document; source: <code>benchmarks/results/plain_reading.json</code> in your
# instructor's repository).
# <table>
# <tr><th>reading</th><th>worlds</th><th>10 epochs at 1e-4</th><th>20 epochs at 3e-4</th></tr>
# <tr><td>plain, no line ends</td><td>1</td><td>42 %, 73 %</td><td>75 %, 100 %</td></tr>
# <tr><td>plain, with line ends</td><td>5</td><td>63 to 83 %, 71 to 100 %</td><td>82 to 94 %, 100 %</td></tr>
# <tr><td>span corruption</td><td>5</td><td>93 to 99 %, 100 %</td><td>96 to 98 %, 100 %</td></tr>
# </table>
# Paired by world, span corruption is ahead of plain reading with line ends by 26.4 points (95 % interval +17.6 to
# +35.2) after the 10 epochs and by 8.2 (+2.6 to +13.8) after the 20. So five worlds point to a gain. But the fifth
# was added after four had not shown one (−0.3 to +16.3), so the last interval is less sure than 95 %.
# So most of the first gap was due to line ends and to too little finetuning: plain reading stores these facts too, and a model that has read plainly needs more finetuning before it gives them as answers. An effect that an interval shows is the effect of everything that differs between the two arms.
# These intervals are about other worlds. About other people in one world: Fisher's exact test (two-sided), own wiki
# without masking against the same towns, p &lt; 0.0003 in each of the eight.
# </details>
#
# ## 9. Can you trust the answer?
#
# Your model answers *every* question in the same firm tone, also about people who appear in no document at all. But it offers more than its words: it also gives their probabilities. For an answer of $m$ tokens (the closing `⁇` included),
#
# $$ \text{confidence} = \frac{1}{m} \sum_{i=1}^{m} \ln p(a_i \mid \text{question}, a_1, \dots, a_{i-1}) \le 0 . $$
#
# Three groups are of interest: dev people answered right, dev people answered wrong (a well pretrained model may have one or none of them), and people nobody has written about. If you have no finetuned model yet, the next cells use the results of a run that came with the course.
#

# %%
trust = None
if finetuned is not None:
    dev_answers, dev_confidences = answer_questions(finetuned, vocab, dev_questions)
    never_answers, never_confidences = answer_questions(finetuned, vocab, never_questions)
    dev_correct = [a == q.answer for a, q in zip(dev_answers, dev_questions, strict=True)]
    trust = {"confidences": dev_confidences, "correct": dev_correct, "never": never_confidences}
    print("People in no document:")
    print(verdicts(never_questions, never_answers, never_confidences, n=50))
elif results is not None:
    trust = next(iter(results["trust"].values()))  # of the first world
if trust is not None:
    groups = {
        "right": [v for v, ok in zip(trust["confidences"], trust["correct"], strict=True) if ok],
        "wrong": [v for v, ok in zip(trust["confidences"], trust["correct"], strict=True) if not ok],
        "in no document": list(trust["never"]),
    }
    fig, (ax,) = plots.new_figure(height=3.2)
    for row, (values, look) in enumerate(zip(groups.values(), plots.styles(3), strict=True)):
        doubts = [max(-v, 1e-4) for v in values]
        heights = [-row + 0.06 * (k % 11 - 5) for k in range(len(doubts))]  # so that dots hide no others
        look |= {"linestyle": "", "markeredgecolor": "black", "markersize": 5}
        ax.plot(doubts, heights, **look)
    ax.set(xscale="log", xlabel="doubt = minus confidence (nats per token, logarithmic scale)")
    ax.set_yticks([0, -1, -2], [f"{name} ({len(values)})" for name, values in groups.items()])
    middles = ", ".join(
        f"{name} {-sorted(values)[len(values) // 2]:.3f}" for name, values in groups.items() if values
    )
    plots.show(fig, alt=alt_text("07_histogram_model_s", middles=middles))
    for name in ("wrong", "in no document"):
        pairs = [(a > b) + (a == b) / 2 for a in groups["right"] for b in groups[name]]
        if pairs:
            print(
                f"A right answer is surer than one of the group '{name}' in {sum(pairs) / len(pairs):.0%} "
                f"of all pairs with {len(groups[name])} such people (50 % would be chance)."
            )

# %% [markdown]
# > **What is wrong here?** *"Nobody can see from an answer whether it was remembered or invented."*
#
# <details><summary>What is wrong</summary>
# True of the <b>text</b>, and that is the danger. Not true of the <b>model</b>: its probabilities tell retrieved from invented answers better than chance, as the comparison of pairs above says (in three models that came with the course, in 87 %, 91 % and 96 % of the pairs; mean 92 %, 95 % interval 86 to 96 % by a bootstrap that draws these three models and their people anew), if the builders of a system do not throw the number away.
# But not reliably: among people nobody has written about there are some for whom the model is as sure as for those it knows. How far the number carries must be measured: that is the next exercise.
# </details>
#
# **Abstaining.** Answer only where the confidence is at least a threshold $\tau$. Then two things trade against each other (write $\kappa_i$ for the confidences of $n$ questions):
#
# $$ \text{coverage}(\tau) = \frac{|\{i : \kappa_i \ge \tau\}|}{n}, \qquad \text{risk}(\tau) = \frac{|\{i : \kappa_i \ge \tau,\ \text{answer } i \text{ wrong}\}|}{|\{i : \kappa_i \ge \tau\}|} . $$
#
# *A small example.* Confidences −0.1, −0.3, −0.3, −2.0 with right, right, wrong, wrong: at $\tau=-0.1$ coverage is ¼ and risk 0; at $-0.3$, ¾ and ⅓; at $-2$, 1 and ½. There are three thresholds, not four: equal confidences are answered together.
#
# ### Exercise `trust`
#
# Write `risk_coverage`, which gives one row for every possible threshold, and `choose_threshold`, which picks the one that answers most while keeping the risk small.
# There is at least one question.
#
# <details><summary>Hint 1 (nudge)</summary>
# Which questions are answered first, when the threshold comes down from above?
# </details>
# <details><summary>Hint 2 (idea)</summary>
# One row per distinct confidence, from the highest down. The risk is a share of the <i>answered</i> questions. It may go down again when the threshold falls, so the first violation is not the end.
# </details>
# <details><summary>Hint 3 (nearly there)</summary>
# for t in sorted(set(confidences), reverse=True): answered = [ok for k, ok in zip(confidences, correct) if k >= t]; coverage = len(answered) / n; risk = number of False / len(answered). The chosen threshold is the smallest t whose risk is small enough, or math.inf.
# </details>
#


# %% answer="trust"
def risk_coverage(confidences: list[float], correct: list[bool]) -> list[tuple[float, float, float]]:
    """The trade between answering much and answering right.

    Args:
        confidences, correct: in any order, one number per question and whether its answer is right; numbers may be equal.

    Returns:
        ``(threshold, coverage, risk)`` for every distinct confidence as threshold, from the highest to the lowest, none of them rounded.
    """
    ### BEGIN SOLUTION
    rows = []
    for t in sorted(set(confidences), reverse=True):
        answered = [ok for k, ok in zip(confidences, correct, strict=True) if k >= t]
        rows.append((t, len(answered) / len(confidences), answered.count(False) / len(answered)))
    return rows
    ### END SOLUTION


def choose_threshold(confidences: list[float], correct: list[bool], most_risk: float) -> float:
    """The threshold, one of the confidences, that answers most questions at a risk of at most ``most_risk``.

    ``float("inf")`` if there is none.
    """
    ### BEGIN SOLUTION
    good = [t for t, _, risk in risk_coverage(confidences, correct) if risk <= most_risk]
    return min(good, default=float("inf"))
    ### END SOLUTION


# %% check="trust" points=2 minutes=25 difficulty=2
from course_utils.checks.promises import Draw, call, close, promise, promises, repeatable, unchanged
from solutions.reference import knowledge


def answers(d: Draw, n=(1, 40), values=None):
    """Confidences, some of them equal, in any order, and whether the answers are right; a surer one need not be right."""
    n = d.sizes(n=n)[0]
    pool = values or [-round(d.rng.expovariate(1.0), d.each(1, 6, 2)) for _ in range(d.whole(1, n))]
    return d.rng.choices(pool, k=n), [d.rng.random() < d.each(0.7, 0.5, 0.9) for _ in range(n)]


def bounded(d: Draw, *most, **options):
    """The same, with a bound on the risk."""
    return *answers(d, **options), d.each(*most or (0.125, 0.0, 1.0, d.rng.uniform(0.0, 0.6), 0.25, d.rng.random()))


def just_above(d: Draw):
    """Right answers, then as many wrong ones as take the risk just above the bound, in any order."""
    right, wrong, most = d.each((130, 1, 0.0), (74, 25, 0.25), (89, 10, 0.1), (59, 20, 0.25), (d.whole(800, 990), 1, 0.001), (d.whole(300, 600), 2, 0.003))
    order = d.sample(right + wrong, right + wrong)
    return [-0.01 * (k + 1) for k in order], [k < right for k in order], most


chosen = {"ask": call("choose_threshold"), "returns": ("the threshold",)}
promises(
    reference={"risk_coverage": knowledge.risk_coverage, "choose_threshold": knowledge.choose_threshold},
    agree=close(1e-12, 1e-12),
    always=(unchanged, repeatable),
    shares={"risk_coverage": 0.5, "choose_threshold": 0.5},
    kept=[
        promise("the example of the text: three thresholds, for equal confidences are answered together", "There are three thresholds, not four", [([-0.3, -2.0, -0.1, -0.3], [True, False, True, False])]),
        promise("one row (threshold, coverage, risk) per distinct confidence, from the highest to the lowest, as in the formulas above, whatever the order of the questions", cases=answers, visible=3,
                quote=("The trade between answering much and answering right", "``(threshold, coverage, risk)`` for every distinct confidence as threshold, from the highest to the lowest", "in any order")),
        promise("all confidences equal, all different, or hardly different; 0 too; all answers right, or all wrong", ("numbers may be equal", "none of them rounded"),
                [([-0.5] * 4, [True, False, True, True]), ([0.0, -1.0, -0.0], [False] * 3), ([-1.0, -1.0 - 1e-9, -1.0 + 1e-9], [True, False, False]), ([-1.0, -1.0 - 1e-13, -1.0 + 1e-10], [True, False, True]), ([-3.0, -1.5, -2.5], [True] * 3), ([-1.0], [False])]),
        promise("hundreds of questions", "one number per question", lambda d: answers(d, (200, 900)), visible=0, fresh=4, trouble=False),
        promise("of all thresholds whose risk is at most the bound, the lowest", ("one of the confidences, that answers most questions at a risk of at most ``most_risk``", "which picks the one that answers most while keeping the risk small"), bounded, visible=4, fresh=24, **chosen),
        promise("a risk that equals the bound is small enough, also behind a threshold with a larger one", "at most ``most_risk``", trouble=False, **chosen,
                cases=[([-1.0, -2.0, -3.0, -4.0], [True, False, True, True], 0.25), ([-1.0, -2.0], [False, True], 0.5), ([-2.0, -1.0, -3.0, -4.0], [False, True, False, True], 0.5), ([-1.0, -1.0, -5.0], [True, True, False], 0.0),
                       ([-0.1, -0.2, -0.4, -0.8, -1.6], [True, True, False, True, True], 0.25), ([-1.0, -2.0, -3.0, -4.0], [False, True, True, False], 0.5), ([-1.0, -2.0, -3.0, -4.0], [False, True, True, False], 0.25)]),
        promise("a confidence of 0 is a threshold like any other, also alone", "at most ``most_risk``", trouble=False, **chosen,
                cases=[([0.0], [True], 0.0), ([-1.0, 0.0], [False, True], 0.25), ([0.0, 0.0, -2.0], [True, False, False], 0.5)]),
        promise("no threshold is good enough: infinity, so that nothing is answered", "``float(\"inf\")`` if there is none", trouble=False, **chosen,
                cases=[([-1.0, -2.0], [False, True], 0.2), ([-0.5], [False], 0.0), ([-0.5, -0.5, -0.1], [True, False, False], 0.25)]),
        promise("a bound of 1 lets everything be answered", "at most ``most_risk``", lambda d: bounded(d, 1.0), **chosen),
        promise("a risk just above the bound is too large: there is no margin, for a bound of 0 neither", "at most ``most_risk``", just_above, visible=4, trouble=False, **chosen),
        promise("a bound written with some digits is taken as it is: a third is more than 0.333333", "at most ``most_risk``", trouble=False, **chosen,
                cases=[([-1.0, -2.0, -3.0], [True, True, False], 0.333333), ([-3.0, -1.0, -2.0], [False, True, True], 0.3333333333), ([-1.0, -2.0, -3.0], [True, False, False], 0.6666666666), ([-2.0, -1.0, -3.0], [True, True, False], 0.3333334)]),
        promise("hundreds of questions, and a bound on the way", "at most ``most_risk``", lambda d: bounded(d, n=(200, 600)), visible=0, fresh=4, trouble=False, **chosen),
    ],
)

# %% [markdown]
# Now use it as a builder would: choose the threshold on dev people, so that at most 1 % of their answers are wrong, and then let the system meet everybody, also people in no document, for whom **every** answer is wrong, as nobody can know it.
#

# %%
if trust is not None:
    with waits_for("trust"):
        known, unknown = list(trust["confidences"]), list(trust["never"])
        outcome = list(trust["correct"]) + [False] * len(unknown)
        curves = {
            "dev people": risk_coverage(known, outcome[: len(known)]),
            "dev people and people in no document": risk_coverage(known + unknown, outcome),
        }
        series = {
            name: ([100 * row[1] for row in rows], [100 * row[2] for row in rows])
            for name, rows in curves.items()
        }
        fig = plots.line(series, "coverage (% of questions answered)", "risk (% of answers that are wrong)")
        tau = choose_threshold(known, outcome[: len(known)], 0.01)
        kept = [ok for k, ok in zip(known, outcome, strict=False) if k >= tau]
        fooled = sum(k >= tau for k in unknown)
        risk = (kept.count(False) + fooled) / max(len(kept) + fooled, 1)
        print(f"Answering everything: {outcome.count(False) / len(outcome):.0%} of the answers are wrong.")
        most = wilson_interval(kept.count(False), len(kept))[1] if kept else 1.0
        print(
            f"Threshold {tau:.3f}, chosen on dev: {len(kept)} of {len(known)} dev people "
            f"answered, {kept.count(False)} of these wrong."
        )
        print(
            f"For others like them the risk may be as high as {most:.1%} "
            "(upper end of the 95 % interval): these are few people."
        )
        print(
            f"And {fooled} of {len(unknown)} people in no document are answered too. "
            f"Over everybody the risk is {risk:.0%}."
        )
        plots.show(
            fig,
            alt=alt_text(
                "07_risk_coverage_dev",
                dev=series["dev people"][1][-1],
                everybody=100 * outcome.count(False) / len(outcome),
            ),
        )

# %% [markdown]
# A threshold keeps the risk small only for people like those it was chosen on. These people are in the wiki; about
# people who are not, the threshold says nothing. The printed bound on the risk may be too low, because the threshold
# was chosen on the same answers. Compute the bound on other dev people.
#
# ### Two questions about use
#
# **`made_up`** Compare the answers about dev people with those about people in no document: as texts, remembered and invented answers look alike. Give two **distinct** reasons why this is dangerous in a system that people use, each with its own example.
#

# %% [markdown] written="made_up" points=1 minutes=15 difficulty=2
# **Your answer · made_up**
#
# ### BEGIN SOLUTION
# First, users cannot check what they read, and act on it: a patient asks an assistant for the highest safe dose of a drug and is given an invented one in the same confident words as a right one. Second, errors are hidden where trust was earned: after a hundred right answers
# people stop checking, so the invented ones pass into reports, law briefs or articles and from there into the next training corpus, where they look like facts; a lawyer who cites an invented precedent is an example. (Also possible: nobody can be held to account, since no source is given;
# harm to the persons about whom something is made up.)
#
# Rubric: (1) a first reason that follows from retrieved and made-up answers looking alike, not merely from errors occurring; (2) a second reason that is distinct, not the first with another example; (3) a concrete example for each. Full point for all three, half if only one reason has an example or both reasons are the same.
# "Low confidence" or "poor predictions" without an example gives nothing.
# ### END SOLUTION
#

# %% [markdown]
# Before the second question, two looks at names. The notebook began with Lena Malter, who stands in no document. And what happens if one letter of a known surname changes: the second, the third, or the last?

# %%
if finetuned is not None:
    (town,), (doubt,) = answer_questions(finetuned, vocab, [Question("Where was Lena Malter born?")])
    print(f"Where was Lena Malter born? {town!r}, confidence {doubt:.2f}")
    draw = random.Random(0)
    before, _ = answer_questions(finetuned, vocab, dev_questions)
    for place, which in ((1, "second"), (2, "third"), (-1, "last")):
        changed = []
        for q in dev_questions:
            start, _, surname = q.text.removesuffix(" born?").rpartition(" ")
            letters = list(surname)
            # a surname may be shorter than that
            k = place if abs(place) < len(letters) else -1
            letters[k] = draw.choice([letter for letter in "aeiklmnorstu" if letter != letters[k]])
            changed.append(Question(f"{start} {''.join(letters)} born?"))
        after, _ = answer_questions(finetuned, vocab, changed)
        for q, other, a, b in list(zip(dev_questions, changed, before, after, strict=True))[:3]:
            print(f"{q.text} {a}   {other.text} {b}")
        same = sum(a == b for a, b in zip(before, after, strict=True))
        print(f"The {which} letter of the surname changed, the same town: {same} of {len(before)}")
    pairs = [a == b for i, a in enumerate(before) for b in before[:i]]
    print(f"Two of these people have the same town in {sum(pairs) / len(pairs):.0%} of all pairs.")
else:
    print("(This cell runs once you have solved finetune and its model is trained.)")

# %% [markdown]
# **`unseen_name`** For a name that was in no document, the model answers all the same. Describe what it does instead of remembering. (Look at your model's answers: which towns does it name, and what did one changed letter do?) Then give one reason to worry that follows from just this way of guessing and is not among your two reasons in `made_up`.
#

# %% [markdown] written="unseen_name" points=1 minutes=10 difficulty=2
# **Your answer · unseen_name**
#
# ### BEGIN SOLUTION
# It has learned that a town must follow, so it gives one, and it mostly takes it from people whose names share letters with the unseen one. In three models of other worlds, 58 to 82 % of the answers about people in no document were the town of somebody with the same first name (32 to 34 % if the same answers are given to the other people), and 18 to 38 % that of somebody with one of the nearest surnames (10 to 16 %).
# One changed last letter left the town of a known person as it was in 93 to 98 % of the cases. The most frequent town was hardly more frequent among the answers, 6 to 10 %. Names of random letters got no town at all in 9 to 24 % of the cases. So it guesses from the name. In real data names carry origin, gender and class,
# and such a guess reproduces stereotypes: people are assigned a place of birth by how their name sounds, for instance in a form that is filled in automatically for a migrant family's child born here. Unlike a blank field, the guess leaves no trace that it was one.
#
# Rubric: (1) a plausible strategy (similarity of names; frequent answers, if the student's own model shows it), best with a look at the model's own answers; (2) a reason to worry that follows from this strategy, such as bias by names, not merely "it may be wrong"; (3) distinct from the two reasons of made_up. Full point for all three, half for (1) or (2) alone and for both without (3).
# ### END SOLUTION
#

# %% [markdown]
# ## The figure worth keeping
#
# One bar for each way of preparing the model, one dot for each world. Dots of equal accuracy stand side by side. The
# bars over several seeds are accuracies on test people with the laptop profile. The bars of your own run (on a GPU a
# larger model) are accuracies on dev people. None of these people was asked about in training.
#

# %%
bars, spans = {}, {}
if results is not None:
    for condition, runs in results["controls"].items():
        mean, low, high, _ = over_worlds(runs)
        # on several lines, so that labels do not touch
        label = condition.replace(", ", ",\n").replace("ed ", "ed\n").replace("d's ", "d's\n")
        bars[label], spans[label] = 100 * mean, (100 * low, 100 * high)
for name, reached in accuracies.items():
    bars[f"your run:\n{name}"] = 100 * reached["dev"]
if bars:
    fig = plots.bars(bars, "accuracy (%)", spans)
    fig.set_size_inches(12.5, 4.2)
    for place, runs in enumerate(results["controls"].values() if results is not None else ()):
        plots.dots(fig.axes[0], place + 0.2, [100 * share for share in runs.values()])
    told = ", ".join(f"{' '.join(name.split())} {value:.0f} %" for name, value in bars.items())
    plots.show(fig, alt=alt_text("07_bars_accuracy_people", told=told))

# %% [markdown]
# ## On real people
#
# With `world` at the beginning set to another folder, the notebook runs on that. The task comes from an assignment of Stanford's CS224N, whose texts and questions about real people are not part of this course. On its 2,937 biographies, 2,000 training people and 500 dev people:
#
# <!-- real-data -->
#
# "Always London" names the most frequent birth place; a share is that of answers that are right to the letter. A
# model that names different places without knowing them can be right less often than one that always names London, so
# the first row's 2 % is no sign that it remembers a birth place. Your instructor has the program
# `benchmarks.original`.
#
# ## What to take away
#
# 1. A fact that is not in the question must be in the weights: finetuning taught the form of an answer, pretraining
#    had put the content there, and a wiki about other people was about as useless as none: 1 to 8 % right against 2
#    to 3 % (laptop profile).
# 2. A random procedure is right if its distribution is right; accuracy at the end need not show a mistake, a test of its properties does.
# 3. A language model uses the same words for what it knows and what it invents, but not the same confidence; measure what that number is worth, on the people who will be asked about, and let the model decline.
#
# **Further reading.** Radford, Narasimhan, Salimans, Sutskever: *Improving Language Understanding by Generative Pre-Training* (2018). Raffel and others: *Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer* (2020). Petroni and others: *Language Models as Knowledge Bases?* (2019).
# Roberts, Raffel, Shazeer: *How Much Knowledge Can You Pack Into the Parameters of a Language Model?* (2020). El-Yaniv, Wiener: *On the Foundations of Noise-free Selective Classification* (2010). Allen-Zhu, Li: *Physics of Language Models, Part 3.1: Knowledge Storage and Extraction* (2023).
# Kadavath and others: *Language Models (Mostly) Know What They Know* (2022). Bavarian and others: *Efficient Training of Language Models to Fill in the Middle* (2022).
#
# ## Hand in
#
# The next cell saves your two dataset classes as a module, so that the same work can be done from a shell (`python -m course_utils.cli pretrain vanilla …`, see `--help`). The last cell packs one zip: this notebook, both sets of weights and the predictions.
#

# %%
try:
    save_answers("my_answers.py", ["NameDataset", "CharCorruptionDataset"])
except Exception as error:
    print(f"(not saved: {error})")

# %%
if not being_graded():
    try:
        hand_in(
            "07_knowledge", files=["pretrained.safetensors", "finetuned.safetensors", "test_predictions.txt"]
        )
    except Exception as error:
        print(f"(nothing packed yet: {error})")
