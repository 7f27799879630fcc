"""The commands, as a person types them: a whole small run, every bad input in one line, interruption and resumption."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from course_utils import cli
from course_utils.attention import ATTENTION
from course_utils.checkpoint import load_weights
from course_utils.data import read_predictions
from tests.paths import ROOT

ANSWERS = '''
import torch

class Padded:
    """Stands in for a student's data sets: the text, then padding."""
    def __init__(self, texts, vocab, block_size):
        self.texts, self.vocab, self.block_size = texts, vocab, block_size
    def __len__(self):
        return len(self.texts)
    def __getitem__(self, i):
        ids = self.vocab.encode(self.texts[i])
        ids += [0] * (self.block_size + 1 - len(ids))
        return torch.tensor(ids[:-1]), torch.tensor(ids[1:])

class CharCorruptionDataset(Padded):
    def __init__(self, documents, vocab, block_size, seed):
        super().__init__(documents, vocab, block_size)

class NameDataset(Padded):
    def __init__(self, questions, vocab, block_size):
        super().__init__([f"{q.text}\\u2047{q.answer}\\u2047" for q in questions], vocab, block_size)
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A student's folder with files small enough to learn by heart in seconds."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(cli.REFERENCE, "07", "no.such.module")  # as on a student's machine
    monkeypatch.setitem(cli.REFERENCE, "08", "no.such.module")
    monkeypatch.setenv("COURSE_PROFILE", "laptop")
    (tmp_path / "wiki.txt").write_text("Ada was born in Rome.\nBob was born in Oslo.\nWhere is Eve?\n")
    (tmp_path / "train.tsv").write_text("Where was Ada born?\tRome\nWhere was Bob born?\tOslo\n")
    (tmp_path / "inputs.tsv").write_text("Where was Eve born?\nWhere was Bob born?\n")
    saved = tmp_path / "work" / "07_knowledge"
    saved.mkdir(parents=True)
    (saved / "my_answers.py").write_text(ANSWERS)
    return tmp_path


def call(text: str) -> int:
    return cli.main([*text.split(), "--device", "cpu"])


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    """What was printed on stderr, which must be one line."""
    text = capsys.readouterr().err
    assert text.count("\n") == 1 and "Traceback" not in text, text
    return text


FINETUNE = "finetune vanilla wiki.txt --finetune_corpus_path train.tsv --writing_params_path w/f.st --quiet"
EVALUATE = "evaluate vanilla wiki.txt --reading_params_path w/f.st --outputs_path out.txt"
PRETRAIN = "pretrain vanilla wiki.txt --writing_params_path w/p.st --quiet"


def test_pretrain_finetune_evaluate(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(f"{PRETRAIN} --steps 5") == 0
    assert call(f"{FINETUNE} --reading_params_path w/p.st --eval_corpus_path train.tsv --steps 40") == 0
    assert "accuracy 1.000" in capsys.readouterr().out
    assert call(f"{EVALUATE} --eval_corpus_path train.tsv") == 0
    assert "Correct: 2 of 2 (100.0 %)" in capsys.readouterr().out
    assert read_predictions("out.txt", 2) == ["Rome", "Oslo"]
    assert call(f"{EVALUATE} --eval_corpus_path inputs.tsv") == 0
    assert "Wrote 2 predictions to out.txt" in capsys.readouterr().out
    assert read_predictions("out.txt", 2)[1] == "Oslo"
    assert sorted(p.name for p in Path("w").iterdir()) == ["f.st", "p.st"]  # no state left


def test_characters_that_the_wiki_lacks_are_told_once_and_training_goes_on(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Weights that know the questions' characters keep them; those of the wiki alone are asked without them."""
    (folder / "wiki.txt").write_text("Ada was born in Rome.\nBob was born in Oslo.\nWhere is Eve\n")
    taken, left = "train.tsv (taken into the vocabulary", "train.tsv (left out of the question)"
    assert call("describe namedata wiki.txt --finetune_corpus_path train.tsv") == 0
    out = capsys.readouterr().out
    assert out.count(taken) == 1 and "Where was Ada born?⁇Rome⁇" in out
    for more, told in ((" --finetune_corpus_path train.tsv", ""), ("", left)):
        assert call(f"{PRETRAIN} --steps 5{more}") == 0
        assert capsys.readouterr().out.count(taken) == bool(more)
        assert call(f"{FINETUNE} --reading_params_path w/p.st --eval_corpus_path train.tsv --steps 5") == 0
        out = capsys.readouterr().out
        assert ", accuracy " in out and out.count("'?' in 2 of 2 questions") == 2 * bool(told) and told in out
        assert call(f"{EVALUATE} --eval_corpus_path train.tsv") == 0
        out = capsys.readouterr().out
        assert "of 2 (" in out and out.count("'?' in 2 of 2 questions") == bool(told)
        assert ("the vocabulary of f.st lacks" in out) == bool(told)


def test_finetuning_starts_from_the_weights_that_are_read(folder: Path) -> None:
    assert call(f"{PRETRAIN} --steps 3") == 0
    assert call(f"{FINETUNE} --reading_params_path w/p.st --steps 1") == 0
    assert call(f"{FINETUNE.replace('w/f.st', 'w/scratch.st')} --steps 1") == 0
    p, f, s = (load_weights(f"w/{name}.st")[0]["blocks.0.mlp.0.weight"] for name in ("p", "f", "scratch"))
    assert (f - p).abs().max() < 0.01 < (s - p).abs().max()


def test_the_seed_decides(folder: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        assert call(f"{PRETRAIN.replace('p.st', name)} --steps 2 --seed {seed}") == 0
    a, b, c = (load_weights(f"w/{name}")[0]["head.weight"] for name in "abc")
    assert a.equal(b) and not a.equal(c)


def test_describe_shows_both_data_sets(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("describe charcorruption wiki.txt") == 0
    assert "x: Ada was born in Rome." in capsys.readouterr().out
    assert call("describe namedata wiki.txt --finetune_corpus_path train.tsv") == 0
    assert "Where was Ada born?⁇Rome⁇" in capsys.readouterr().out
    assert call("describe nonsense wiki.txt") == 2
    assert "namedata or charcorruption" in one_line(capsys)


VARIANT = """
from torch import nn
from course_utils.attention import register_attention
class NoMixing(nn.Linear):
    position = "none"
    def __init__(self, config):
        super().__init__(config.n_embd, config.n_embd)
register_attention("nomixing", NoMixing)
"""


def test_a_students_attention_is_found_by_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "ATTENTION", ATTENTION)
    saved = folder / "work" / "08_attention"
    saved.mkdir()
    (saved / "my_answers.py").write_text(VARIANT)
    try:
        assert call(f"{PRETRAIN.replace('vanilla', 'nomixing')} --steps 1") == 0
    finally:
        ATTENTION.pop("nomixing", None)
    config = load_weights("w/p.st")[1]["config"]
    assert (config.attention, config.position) == ("nomixing", "none")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (PRETRAIN.replace("wiki.txt", "none.txt"), "none.txt"),
        (PRETRAIN.replace("vanilla", "martian"), "no attention 'martian'"),
        ("pretrain vanilla wiki.txt", "pretrain needs --writing_params_path"),
        (f"{PRETRAIN} --profile toaster", "no profile 'toaster'"),
        (f"{PRETRAIN} --answers none.py", "no Python file none.py"),
        (PRETRAIN.replace("w/p.st", "wiki.txt/p.st"), "Cannot make the folder wiki.txt"),
        (PRETRAIN.replace("w/p.st", "work"), "Cannot write work"),
        (f"{PRETRAIN} --steps -3", "at least 1"),
        (FINETUNE.replace("train.tsv", "inputs.tsv"), "questions without answers"),
        (FINETUNE.replace("train.tsv", "wiki.txt"), "without answers"),
        (f"{FINETUNE} --reading_params_path none.st", "no weights file none.st"),
        (f"{FINETUNE} --reading_params_path wiki.txt", "not a whole safetensors file"),
        (f"{EVALUATE} --eval_corpus_path none.tsv", "none.tsv"),
        (EVALUATE, "evaluate needs --eval_corpus_path"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    folder: Path, capsys: pytest.CaptureFixture[str], command: str, words: str
) -> None:
    assert call(command) == 2
    assert words in one_line(capsys)
    assert not Path("w/p.st").exists() and not Path("w/f.st").exists() and not Path("out.txt").exists()


def test_a_device_that_is_not_there(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*PRETRAIN.split(), "--device", "cuda:77"]) == 2
    assert "does not exist" in one_line(capsys)


def test_a_mistyped_command_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(["train", "vanilla"])
    assert stop.value.code == 2
    assert "invalid choice" in one_line(capsys)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1\n", "CharCorruptionDataset is needed"),
        ("x = 1\ny = x / 0\n", "line 2: ZeroDivisionError"),
        ("def f(:\n", "line 1: SyntaxError"),
        (
            "class CharCorruptionDataset:\n    def __init__(self, *a):\n        raise NotImplementedError('span')\n",
            "span",
        ),
        ("class CharCorruptionDataset:\n    def __init__(self):\n        pass\n", "as notebook 07 describes"),
        (ANSWERS.replace("self.vocab.encode", "self.vocab.encod"), "line 11: AttributeError"),
    ],
)
def test_unfinished_answers_are_told(folder: Path, capsys: pytest.CaptureFixture[str], text: str, words: str) -> None:
    (folder / "work" / "07_knowledge" / "my_answers.py").write_text(text)
    assert call(f"{PRETRAIN} --steps 1") == 2
    assert words in one_line(capsys)


def test_weights_of_another_wiki_or_variant_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(f"{PRETRAIN} --steps 1") == 0
    (folder / "wiki.txt").write_text("Zoe was born in Rome.\nWhere?")
    capsys.readouterr()
    assert call(f"{FINETUNE} --reading_params_path w/p.st") == 2
    assert "another vocabulary" in one_line(capsys)


LONG = "pretrain vanilla wiki.txt --writing_params_path w/p.st --steps 60 --device cpu"


def start(patch: str = "pass") -> subprocess.Popen:
    """A pretraining in a process of its own, once it has made some of its 60 steps."""
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); {patch}; from course_utils.cli import main; sys.exit(main())"
    )
    command = [sys.executable, "-c", code, *LONG.split()]
    with Path("log.txt").open("w") as log:
        process = subprocess.Popen(
            command, stderr=log, env=os.environ | {"OMP_NUM_THREADS": str(torch.get_num_threads())}
        )
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if any(int(n) > 5 for n in re.findall(r"(\d+)/60", Path("log.txt").read_text())):
            return process
        time.sleep(0.05)
    raise AssertionError(Path("log.txt").read_text())


def uninterrupted() -> dict:
    assert call(f"{LONG.replace('w/p.st', 'w/whole.st')} --quiet") == 0
    return load_weights("w/whole.st")[0]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are POSIX")
@pytest.mark.parametrize(
    ("number", "patch", "code"),
    [
        (signal.SIGINT, "pass", 130),
        pytest.param(
            signal.SIGKILL,
            "import course_utils.engine.resume as r; r.KEEP_EVERY = 0.0",
            -signal.SIGKILL,
            marks=pytest.mark.slow,
        ),
    ],
)
def test_an_interrupted_command_goes_on_when_given_again(
    folder: Path, capsys: pytest.CaptureFixture[str], number: int, patch: str, code: int
) -> None:
    process = start(patch)
    process.send_signal(number)
    assert process.wait(60) == code
    if number == signal.SIGINT:
        assert "Training was stopped after step" in Path("log.txt").read_text().splitlines()[-1]
    assert Path("w/p.st.state").exists() and not Path("w/p.st").exists()
    assert call(f"{LONG} --quiet --seed 3") == 2  # another command must not take it up
    assert "another training" in one_line(capsys)
    assert call(f"{LONG} --quiet") == 0
    assert sorted(p.name for p in Path("w").iterdir()) == ["p.st"]
    assert all(
        t.equal(uninterrupted_t)
        for t, uninterrupted_t in zip(load_weights("w/p.st")[0].values(), uninterrupted().values(), strict=True)
    )
