"""Files of the course, and datasets turned into tensors with and without background processes."""

import gc
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from course_utils import data
from course_utils.data import Question, read_predictions, read_questions, read_wiki, write_predictions
from course_utils.engine import epochs
from course_utils.engine.epochs import materialise
from course_utils.errors import CourseError
from course_utils.vocab import MASK, PAD, Vocabulary
from tests.paths import ROOT


def file(tmp_path, content, name="file.txt"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# ---------------------------------------------------------------------------------------------------------- files


@pytest.mark.parametrize(
    ("content", "documents"),
    [
        ("a b\nc\n", ["a b", "c"]),
        ("a b\nc", ["a b", "c"]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("a\n\nb\n", ["a", "", "b"]),
        ("a\u2028b\x0cc\n", ["a\u2028b\x0cc"]),
        (b"\xef\xbb\xbfa\nb\n", ["a", "b"]),
        ("Zoë\n", ["Zoë"]),
    ],
)
def test_a_corpus_has_one_document_per_line(tmp_path, content, documents):
    assert read_wiki(file(tmp_path, content)) == documents


@pytest.mark.parametrize("read", [read_wiki, read_questions, lambda path: read_predictions(path, 2)])
def test_missing_empty_and_foreign_files_get_one_sentence(tmp_path, read):
    for path, words in [
        (tmp_path / "none.txt", "Cannot read .*none.txt: No such file"),
        (tmp_path, "Cannot read .*: Is a directory"),
        (file(tmp_path, "", "empty.txt"), "empty.txt is empty"),
        (file(tmp_path, "\n\n", "blank.txt"), "blank.txt is empty"),
        (file(tmp_path, b"fine\nalso\nnot \xff\n", "latin.txt"), "latin.txt, line 3 is not UTF-8"),
    ]:
        with pytest.raises(CourseError, match=words) as caught:
            read(path)
        assert "\n" not in str(caught.value)


def test_questions_come_with_answers_or_without(tmp_path):
    with_answers = file(tmp_path, "Where was A born?\tOslo\nWhere was B born?\tSão Paulo\n")
    assert read_questions(with_answers) == [
        Question("Where was A born?", "Oslo"),
        Question("Where was B born?", "São Paulo"),
    ]
    assert read_questions(file(tmp_path, "Where was A born?\r\n")) == [Question("Where was A born?", None)]


@pytest.mark.parametrize("second", ["", "a\tb\tc", "a\t", "\tb", " \tb", "no answer here"], ids=lambda text: repr(text))
def test_a_malformed_question_is_named_by_its_line(tmp_path, second):
    with pytest.raises(CourseError, match=r"birth\.tsv, line 2"):
        read_questions(file(tmp_path, f"q\ta\n{second}\nq\ta\n", "birth.tsv"))


def test_an_answer_among_questions_without_is_named(tmp_path):
    with pytest.raises(CourseError, match="line 3 has an answer, unlike line 1"):
        read_questions(file(tmp_path, "q\nq\nq\ta\n"))


def test_predictions_come_back_as_they_were_written(tmp_path):
    path, predictions = tmp_path / "p.txt", ["Oslo", "", " two words", "Zoë\u2028", ""]
    write_predictions(path, predictions)
    assert read_predictions(path, 5) == predictions
    assert [p.name for p in tmp_path.iterdir()] == ["p.txt"], "nothing is left aside"


def test_a_line_end_within_a_prediction_does_not_shift_the_others(tmp_path):
    write_predictions(tmp_path / "p.txt", ["a\nb", "c\r\nd", "e"])
    assert read_predictions(tmp_path / "p.txt", 3) == ["a b", "c  d", "e"]


@pytest.mark.parametrize("expected", [2, 4])
def test_the_wrong_number_of_predictions_is_one_clear_sentence(tmp_path, expected):
    path = file(tmp_path, "a\nb\nc\n")
    with pytest.raises(CourseError, match=f"has 3 lines, but there are {expected} questions"):
        read_predictions(path, expected)


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = file(tmp_path, "old\n")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CourseError, match=r"Cannot write .*No space left"):
        write_predictions(path, ["new"])
    assert path.read_text() == "old\n"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(CourseError, match=r"Cannot write .*nowhere"):
        write_predictions(tmp_path / "nowhere" / "p.txt", ["a"])


def test_written_files_have_the_usual_permissions(tmp_path):
    write_predictions(tmp_path / "p.txt", ["a"])
    (tmp_path / "plain").write_text("a")
    assert (tmp_path / "p.txt").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_real_files_have_the_known_sizes():
    folder = os.environ.get("REAL_DATA")
    if not folder:
        pytest.skip("REAL_DATA names no folder with cs224n/")
    real = Path(folder) / "cs224n"
    assert len(read_wiki(real / "wiki.txt")) == 2937
    train, dev = read_questions(real / "birth_places_train.tsv"), read_questions(real / "birth_dev.tsv")
    assert (len(train), len(dev)) == (2000, 500)
    assert sum(q.answer == "London" for q in dev) == 25
    test = read_questions(real / "birth_test_inputs.tsv")
    assert len(test) == 437 and all(q.answer is None for q in test)


# --------------------------------------------------------------------------------------------- datasets to tensors


class Drawn:
    """Random items; which generator it uses is told by ``kind``."""

    def __init__(self, kind="python", n=6, t=5):
        makers = {"python": random.Random, "torch": torch.Generator, "numpy": np.random.default_rng}
        self.n, self.t, self.kind = n, t, kind
        if kind in makers:
            self.rng = makers[kind]()

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        draw = {
            "python": lambda: [self.rng.randrange(10**9) for _ in range(self.t)],
            "torch": lambda: torch.randint(10**9, (self.t,), generator=self.rng).tolist(),
            "numpy": lambda: self.rng.integers(10**9, size=self.t).tolist(),
            "global": lambda: [random.randrange(10**9), int(torch.randint(10**9, ())), np.random.randint(10**9)],
        }
        numbers = torch.tensor(draw[self.kind](), dtype=torch.long)
        return numbers, numbers + i


class Reseeded(Drawn):
    """A dataset with a generator of a kind of its own."""

    def __init__(self):
        super().__init__("none")
        self.state = 1

    def reseed(self, seed):
        self.state = seed % 10_007

    def __getitem__(self, i):
        self.state = self.state * 7919 % 10_007
        return torch.tensor([self.state]), torch.tensor([i])


OTHERS = [pytest.param(lambda k=k: Drawn(k), marks=pytest.mark.slow) for k in ("python", "torch")]


@pytest.mark.parametrize("make", [Reseeded, lambda: Drawn("numpy"), *OTHERS])
def test_epochs_differ_and_do_not_depend_on_workers(make):
    alone = list(materialise(make(), 4, workers=0, seed=5))
    assert len(alone) == 4
    assert len({x.numpy().tobytes() for x, _ in alone}) == 4, "every epoch is drawn anew"
    for workers in (1, 2, 9):
        for (x, y), (x_alone, y_alone) in zip(materialise(make(), 4, workers, seed=5), alone, strict=True):
            assert torch.equal(x, x_alone) and torch.equal(y, y_alone)
    (other, _), *_ = materialise(make(), 1, seed=6)
    assert not torch.equal(other, alone[0][0])


def test_shape_type_and_order_are_those_of_the_items():
    for workers in (0, 2):
        ((x, y),) = materialise(Drawn(n=7, t=3), 1, workers)
        assert x.shape == y.shape == (7, 3)
        assert x.dtype == y.dtype == torch.int64
        assert (y - x)[:, 0].tolist() == list(range(7))
        x[0, 0] = 1  # writable


def test_global_generators_are_reproducible_and_distinct_in_workers():
    torch.manual_seed(1)
    first = [x for x, _ in materialise(Drawn("global"), 3, workers=2, seed=3)]
    torch.manual_seed(2)
    random.seed(2)
    again = [x for x, _ in materialise(Drawn("global"), 3, workers=2, seed=3)]
    assert all(map(torch.equal, first, again))
    for column in range(3):
        assert len({tuple(x[:, column].tolist()) for x in first}) == 3


def test_epochs_are_made_ahead_by_other_processes():
    class Where(Drawn):
        def __getitem__(self, i):
            return torch.tensor([os.getpid()]), torch.tensor([os.getpid()])

    pairs = materialise(Where(), 3, workers=2)
    pids = [int(x[0, 0]) for x, _ in pairs]
    assert len({*pids, os.getpid()}) == 4
    assert [int(x[0, 0]) for x, _ in materialise(Where(), 2)] == [os.getpid()] * 2


@pytest.mark.parametrize("workers", [1, 3])
def test_workers_are_busy_while_the_consumer_is(workers):
    pairs = materialise(Drawn(n=2000, t=50), 9, workers)
    next(pairs)
    assert len(multiprocessing.active_children()) == workers


def test_workers_end_when_their_parent_is_killed(tmp_path):
    code = """
        import multiprocessing, time, torch
        from course_utils.engine.epochs import materialise
        zeros = torch.zeros(20_000, dtype=torch.long)
        pairs = materialise([(zeros, zeros)] * 2, 9, workers=3)
        next(pairs)
        print(*(p.pid for p in multiprocessing.active_children()), flush=True)
        time.sleep(60)
    """
    script = file(tmp_path, textwrap.dedent(code), "script.py")
    parent = subprocess.Popen([sys.executable, script], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    pids = [int(pid) for pid in parent.stdout.readline().split()]
    parent.kill()
    _, complaints = parent.communicate(timeout=120)  # ends when the last process that holds the pipes is gone
    assert len(pids) == 3 and not complaints
    patience = time.monotonic() + 10
    while any(map(_runs, pids)) and time.monotonic() < patience:
        time.sleep(0.02)
    assert not any(map(_runs, pids))


def _runs(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_stopping_early_leaves_no_process():
    pairs = materialise(Drawn(n=2000, t=50), 50, workers=3)
    next(pairs)
    assert multiprocessing.active_children()
    del pairs
    gc.collect()
    assert not multiprocessing.active_children()


def test_a_dataset_of_a_script_works_with_workers_while_threads_run(tmp_path):
    """As in a notebook: the class stands in __main__, cannot be pickled, and torch has threads already."""
    code = """
        import torch
        from course_utils.engine.epochs import materialise
        torch.set_num_threads(2)
        torch.randn(600, 600) @ torch.randn(600, 600)
        class Mine:
            secret = staticmethod(lambda i: torch.randn(300, 300).matmul(torch.randn(300, 300)).sum().mul(0).long() + i)
            def __len__(self): return 4
            def __getitem__(self, i): return self.secret(i)[None], self.secret(i)[None]
        print([x[:, 0].tolist() for x, _ in materialise(Mine(), 2, workers=2)])
    """
    script = file(tmp_path, textwrap.dedent(code), "script.py")
    done = subprocess.run(
        [sys.executable, "-W", "error", script], cwd=ROOT, capture_output=True, text=True, timeout=180, check=False
    )
    assert done.stdout == "[[0, 1, 2, 3], [0, 1, 2, 3]]\n", done.stderr


class Stubborn(Exception):
    """Does not survive pickling."""

    def __init__(self, a, b):
        super().__init__(a)

    def __reduce__(self):  # said openly: Dask's tblib, where a test loads it, mends exceptions that do not say
        return Stubborn, self.args


@pytest.mark.parametrize("workers", [0, 1])
def test_an_exception_of_the_dataset_arrives_as_it_is(workers):
    class Unsolved(Drawn):
        def __getitem__(self, i):
            raise NotImplementedError("Write this.")

    with pytest.raises(NotImplementedError, match=r"Write this\.") as caught:
        next(materialise(Unsolved(), 1, workers))
    if workers:
        assert "in __getitem__" in "".join(caught.value.__notes__), "the line is shown"


def test_an_exception_that_cannot_travel_arrives_in_words():
    class Bad(Drawn):
        def __getitem__(self, i):
            raise Stubborn("too", "bad")

    with pytest.raises(CourseError, match="Stubborn: too"):
        next(materialise(Bad(), 1, workers=1))


def test_a_killed_worker_is_reported():
    class Deadly(Drawn):
        def __getitem__(self, i):
            os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(CourseError, match=r"epoch 0 died \(exit code -9"):
        next(materialise(Deadly(), 1, workers=1))


def test_where_no_process_can_be_started_the_work_is_done_here(monkeypatch):
    expected = [x for x, _ in materialise(Drawn(), 3, seed=1)]

    def refuse(self):
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(multiprocessing.get_context("fork").Process, "start", refuse)
    assert all(map(torch.equal, (x for x, _ in materialise(Drawn(), 3, workers=2, seed=1)), expected))


def test_where_there_is_no_fork_the_work_is_done_here(monkeypatch):
    monkeypatch.setattr(epochs.sys, "platform", "win32")
    monkeypatch.setattr(epochs, "_Job", None)  # would fail if used
    assert len(list(materialise(Drawn(), 2, workers=2))) == 2


LONG = torch.zeros(3, dtype=torch.long)


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([], "is empty"),
        ([LONG], r"Item 0 .* not a pair .* but an int64 tensor of shape \(3,\)"),
        ([(LONG, LONG, LONG)], "not a pair .* but a tuple of 3"),
        ([(LONG, LONG), (LONG, LONG.int())], "Item 1 .*: y is an int32 tensor"),
        ([(LONG.float(), LONG)], "x is a float32 tensor"),
        ([(LONG[None], LONG)], r"x is an int64 tensor of shape \(1, 3\)"),
        ([([1, 2], LONG)], "x is a list of 2"),
        ([(LONG, LONG[:2])], r"shapes \(3,\) and \(2,\)"),
        ([(LONG, LONG), (LONG[:2], LONG[:2])], r"Item 1 .*\(3,\) like item 0 .*pad to the block size"),
    ],
)
@pytest.mark.parametrize("workers", [0, 1])
def test_items_of_another_kind_are_explained(items, message, workers):
    with pytest.raises(CourseError, match=message):
        next(materialise(items, 1, workers))


def test_a_generator_that_cannot_be_reseeded_is_refused():
    dataset = Drawn()
    dataset.rng = object()
    with pytest.raises(CourseError, match="rng is an object"):
        next(materialise(dataset))


def test_negative_numbers_are_refused():
    with pytest.raises(CourseError, match="negative"):
        materialise(Drawn(), -1)


def test_epoch_seeds_do_not_repeat_between_neighbouring_seeds():
    seeds = {epochs.epoch_seed(seed, epoch) for seed in range(100) for epoch in range(100)}
    assert len(seeds) == 10_000


def test_describe_prints_text_with_its_padding_shortened(capsys):
    vocab = Vocabulary.from_text("abc\n")
    x = torch.tensor(vocab.encode(f"ab{MASK}{PAD}c\n{PAD}{PAD}{PAD}"))
    data.describe([(x, x.flip(0))] * 5, vocab, n=2)
    out = capsys.readouterr().out
    assert "5 items, 6 characters; the first 2" in out
    assert out.count(f"x: ab{MASK}{PAD}c↵ {PAD}×3") == 2
    assert f"y: {PAD}{PAD}{PAD}↵c{PAD}{MASK}ba\n" in out
    data.describe([(x, x)], vocab, n=9)
    assert "the first 1" in capsys.readouterr().out
