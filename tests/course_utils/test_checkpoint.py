"""Weights and states on disk: round trips, and every kind of damage told in a sentence."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import safetensors.torch
import torch

from course_utils.attention import ATTENTION, CausalSelfAttention
from course_utils.checkpoint import load_model, load_weights, save_weights, train_or_load
from course_utils.config import ModelConfig
from course_utils.engine.history import History
from course_utils.engine.state_file import load_state, remove_state, save_state
from course_utils.errors import CourseError
from course_utils.model import GPT
from course_utils.vocab import Vocabulary

VOCAB = Vocabulary.from_text("abcdefgh")
SMALL = ModelConfig(vocab_size=len(VOCAB), block_size=8, n_layer=2, n_head=2, n_embd=8)


def model(config: ModelConfig = SMALL, seed: int = 0) -> GPT:
    torch.manual_seed(seed)
    return GPT(config)


def test_weights_architecture_vocabulary_and_extra_come_back(tmp_path: Path) -> None:
    path, m = tmp_path / "new" / "w.safetensors", model()
    save_weights(path, m, VOCAB, extra={"seed": 3})
    state, meta = load_weights(path)
    assert meta == {"config": SMALL, "vocab": VOCAB, "extra": {"seed": 3}}
    assert all(torch.equal(t, state[n]) for n, t in m.state_dict().items())
    loaded, ids = load_model(path, VOCAB), torch.randint(0, 10, (3, 8))
    assert torch.equal(loaded(ids), m.eval()(ids)) and not loaded.training
    assert [p.name for p in path.parent.iterdir()] == ["w.safetensors"]  # nothing left aside


@pytest.mark.parametrize("kept", [0, 5, 100, -1])
def test_a_truncated_file_is_told(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "w.safetensors"
    save_weights(path, model(), VOCAB)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(CourseError, match=r"w\.safetensors is not a whole safetensors file"):
        load_model(path)


def test_a_missing_file_and_a_pickle_are_told_and_never_unpickled(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="There is no weights file"):
        load_model(tmp_path / "none")

    class Trap:
        def __reduce__(self) -> tuple:
            return (Path.touch, (tmp_path / "sprung",))

    torch.save({"token.weight": Trap()}, tmp_path / "w.pt")
    with pytest.raises(CourseError, match="not a whole safetensors"):
        load_model(tmp_path / "w.pt")
    assert not (tmp_path / "sprung").exists()


def test_another_vocabulary_is_told(tmp_path: Path) -> None:
    save_weights(tmp_path / "w", model(), VOCAB)
    with pytest.raises(CourseError, match=r"another vocabulary .10 characters, here 10; only one of them has 'h'"):
        load_model(tmp_path / "w", Vocabulary.from_text("abcdefgx"))


def write_with(path: Path, m: GPT, **changes: object) -> None:
    """A weights file whose metadata are not true."""
    meta = {"format": "course-gpt-1", "config": asdict(SMALL), "vocabulary": VOCAB.to_json(), "extra": {}} | changes
    text = {k: v if isinstance(v, str) else json.dumps(v) for k, v in meta.items() if v is not None}
    path.write_bytes(safetensors.torch.save(dict(m.state_dict()), text))


@pytest.mark.parametrize(
    "change",
    [{"n_layer": 10**9}, {"vocab_size": 10**9}, {"block_size": 10**9}, {"n_embd": 10**9}, {"position": "none"}],
)
def test_metadata_that_lie_about_the_size_cost_nothing(tmp_path: Path, change: dict) -> None:
    write_with(tmp_path / "w", model(), config=asdict(SMALL) | change)
    with pytest.raises(CourseError, match="do not belong to the architecture"):
        load_model(tmp_path / "w")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format": None}, "was not written by save_weights"),
        ({"config": "{"}, "metadata that cannot be read"),
        ({"config": [1]}, "metadata that cannot be read"),
        ({"config": asdict(SMALL) | {"n_head": 3}}, "metadata that cannot be read"),
        ({"config": asdict(SMALL) | {"n_layer": "2"}}, "metadata that cannot be read"),
        ({"config": asdict(SMALL) | {"attention": "martian"}}, "no attention 'martian'"),
        ({"vocabulary": "[]"}, "metadata that cannot be read"),
        ({"extra": None}, "metadata that cannot be read"),
    ],
)
def test_strange_metadata_are_told(tmp_path: Path, changes: dict, words: str) -> None:
    write_with(tmp_path / "w", model(), **changes)
    with pytest.raises(CourseError, match=words):
        load_model(tmp_path / "w")


def test_tensors_of_another_variant_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Gated(CausalSelfAttention):
        def __init__(self, config: ModelConfig) -> None:
            super().__init__(config)
            self.gate = torch.nn.Parameter(torch.zeros(1))

    monkeypatch.setitem(ATTENTION, "gated", Gated)
    save_weights(tmp_path / "w", model(), VOCAB, config=replace(SMALL, attention="gated"))
    with pytest.raises(CourseError, match=r"blocks\.0\.attention\.gate is absent in the file and \(1,\) in the model"):
        load_model(tmp_path / "w")


def test_an_unwritable_folder_is_told_and_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "w"
    save_weights(path, model(), VOCAB)
    before = path.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(CourseError, match="No space left"):
        save_weights(path, model(seed=1), VOCAB)
    assert path.read_bytes() == before and len(list(tmp_path.iterdir())) == 1


# --------------------------------------------------------------------------------------------------- train_or_load


def trained(m: GPT) -> History:
    """A training that can be recognised."""
    with torch.no_grad():
        m.head.weight.fill_(7.0)
    return History(loss=[2.0, 1.0], accuracy=[0.5], seconds=3.0)


def never(m: GPT) -> History:
    raise AssertionError("trained although it should not")


def test_trains_once_and_loads_afterwards(tmp_path: Path) -> None:
    first, history = train_or_load(tmp_path / "w", model, trained, VOCAB)
    again, loaded = train_or_load(tmp_path / "w", model, never, VOCAB)
    assert history == loaded == History(loss=[2.0, 1.0], accuracy=[0.5], seconds=3.0)
    assert torch.equal(again.head.weight, torch.full((10, 8), 7.0)) and torch.equal(first.norm.bias, again.norm.bias)


def test_what_does_not_fit_is_trained_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_weights(tmp_path / "w", model(replace(SMALL, n_embd=16)), VOCAB)
    m, _ = train_or_load(tmp_path / "w", model, trained, VOCAB)
    assert m.head.weight[0, 0] == 7.0
    assert "another architecture" in capsys.readouterr().out
    assert load_model(tmp_path / "w").config == SMALL


def test_grading_never_trains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_GRADING", "1")
    with pytest.raises(CourseError, match="w cannot be loaded, and grading does not train: not handed in"):
        train_or_load(tmp_path / "w", model, never, VOCAB)
    (tmp_path / "w").write_bytes(b"nonsense")
    with pytest.raises(CourseError, match="not a whole safetensors file"):
        train_or_load(tmp_path / "w", model, never, VOCAB)
    save_weights(tmp_path / "w", model(), VOCAB)
    assert train_or_load(tmp_path / "w", model, never, VOCAB)[0].config == SMALL


# ---------------------------------------------------------------------------------------------------------- states


def flip(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


def test_states_come_back_and_the_one_before_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "s"
    assert load_state(path) is None
    for step in range(3):
        save_state(path, {"step": step, "w": torch.full((3,), float(step))})
    state = load_state(path)
    assert state is not None and state["step"] == 2 and torch.equal(state["w"], torch.full((3,), 2.0))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["s", "s.previous"]
    (tmp_path / ".s.new.x7f").write_bytes(b"half")  # left by a kill in the middle of writing
    (tmp_path / "s2").write_bytes(b"of somebody else")
    remove_state(path)
    assert [p.name for p in tmp_path.iterdir()] == ["s2"]


@pytest.mark.parametrize("at", [0, 31, 32, 300, -1])
def test_one_flipped_bit_falls_back_to_the_state_before(tmp_path: Path, at: int) -> None:
    path = tmp_path / "s"
    save_state(path, {"step": 0})
    save_state(path, {"step": 1})
    flip(path, at)
    state = load_state(path)
    assert state is not None and state["step"] == 0
    save_state(path, {"step": 2})  # the damaged one must not push out the last whole one
    flip(path, at)
    state = load_state(path)
    assert state is not None and state["step"] == 0


@pytest.mark.parametrize("kept", [0, 10, 32, 200])
def test_a_truncated_state_falls_back_too(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "s"
    save_state(path, {"step": 0})
    save_state(path, {"step": 1})
    path.write_bytes(path.read_bytes()[:kept])
    state = load_state(path)
    assert state is not None and state["step"] == 0


def test_a_crash_between_any_two_file_operations_loses_at_most_one_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, original = tmp_path / "s", Path.replace
    for crash_at in range(3):
        save_state(path, {"step": 0})
        done = 0

        def replace_or_crash(self: Path, target: Path) -> Path:
            nonlocal done
            done += 1
            if done > crash_at:  # noqa: B023 (used within this turn alone)
                raise SystemError("power cut")
            return original(self, target)

        with monkeypatch.context() as m, pytest.raises(SystemError):
            m.setattr(Path, "replace", replace_or_crash)
            save_state(path, {"step": 1})
        state = load_state(path)
        assert state is not None and state["step"] == 0
        remove_state(path)


def test_two_damaged_states_are_told(tmp_path: Path) -> None:
    path = tmp_path / "s"
    for step in range(2):
        save_state(path, {"step": step})
    for p in tmp_path.iterdir():
        flip(p, 100)
    with pytest.raises(CourseError, match="damaged and so is the state before"):
        load_state(path)
