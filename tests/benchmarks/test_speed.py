"""The benchmark measures what it says: same model, same data, same answers, fair averages, and a gate that can fail."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from benchmarks.experiments import sweep, time_to
from benchmarks.speed import __main__ as bench
from benchmarks.speed import contenders, handout, peers, report, scaling
from benchmarks.speed.contenders import Setting, agreement, answerers, corrupters, rungs, trainers, twin, widths
from benchmarks.speed.corpus import a5_size
from benchmarks.speed.handout import HandoutGPT, Size
from benchmarks.speed.measure import Timing, covered, interleave, model_flops_per_token, peak_memory, ratio
from benchmarks.speed.quality_gate import Curves, gate
from course_utils.config import TrainConfig
from course_utils.errors import CourseError
from course_utils.model import GPT

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def setting() -> Setting:
    """The real corpus' first 64 documents and a model of one small layer."""
    documents, _, dev, vocab = a5_size()
    size = Size(vocab_size=len(vocab), block_size=64, n_layer=1, n_head=2, n_embd=32)
    return Setting(documents[:64], dev[:12], vocab, CPU, TrainConfig(batch_size=16, steps=9, lr=3e-3), size)


def test_the_corpus_has_the_originals_size() -> None:
    documents, train, dev, vocab = a5_size()
    assert (len(documents), len(train), len(dev), len(vocab)) == (2937, 2000, 500, 256)
    lengths = sorted(map(len, documents))
    assert lengths[0] >= 38 and lengths[-1] <= 516 and 120 <= lengths[len(lengths) // 2] <= 142


def test_all_contenders_train_the_same_model(setting: Setting) -> None:
    full = replace(setting, size=Size(vocab_size=256))
    ours, theirs = GPT(full.model_config), HandoutGPT(full.size)
    count = sum(p.numel() for p in theirs.parameters())
    assert ours.n_params() == count == 3_323_392
    x = torch.randint(2, 100, (3, 20))
    assert torch.allclose(ours.eval()(x), twin(ours, full.size)(x), atol=1e-5)
    assert not torch.allclose(ours(x), theirs.eval()(x), atol=1e-5)


def test_answers_of_all_ways_agree_and_a_disagreement_would_be_seen(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert agreement(setting, 12) == 1.0
    true = contenders.twin

    def other(model: GPT, size: Size) -> HandoutGPT:
        changed = copy.deepcopy(model)
        with torch.no_grad():
            changed.blocks[0].mlp[0].weight.mul_(-1)
            changed.head.weight.copy_(changed.head.weight.roll(1, 0))
        return true(changed, size)

    monkeypatch.setattr(contenders, "twin", other)
    assert agreement(setting, 12) < 0.5


def test_every_rung_makes_the_steps_it_claims(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    step = torch.optim.AdamW.step
    monkeypatch.setattr(torch.optim.AdamW, "step", lambda self, *a: (made.append(1), step(self, *a))[1])
    for name, contender in (rungs(setting, 3) | contenders.ours(setting)).items():
        made.clear()
        contender.run()
        assert len(made) == contender.steps, name
    assert setting.steps_per_epoch == 4


def test_the_race_takes_turns_and_ratios_are_taken_within_a_round(setting: Setting) -> None:
    order: list[str] = []
    racers = {n: contenders.Contender(lambda n=n: order.append(n), 2, n) for n in (report.BASE, "b")}
    rows, skipped = report.race(racers, ["c: not installed"], 3, CPU)
    assert order == [report.BASE, "b"] * 4 and skipped == ["c: not installed"]
    assert rows["b"]["n"] == 3 and rows[report.BASE]["times_faster"]["median"] == 1.0
    slow, fast = Timing((8.0, 80.0, 8.0)), Timing((2.0, 20.0, 4.0))  # the second round met a busy machine
    assert ratio(slow, fast) == {"median": 4.0, "min": 2.0, "max": 4.0}
    with pytest.raises(ValueError, match="three rounds"):
        interleave({}, 2, CPU)


def test_corruption_at_once_is_far_faster(setting: Setting) -> None:
    """In this process's own seconds, so that a busy machine changes less; quiet and on the whole corpus it is far more."""
    wide = replace(setting, documents=setting.documents * 4, config=replace(setting.config, batch_size=128))
    each = {}
    for name, contender in corrupters(wide, 3, 30).items():
        contender.run()
        start = time.process_time()
        contender.run()
        each[name] = (time.process_time() - start) / contender.steps
    assert each["(a) handout"] > 5 * each["ours"]


def test_utilisation_counts_real_tokens_apart(setting: Setting) -> None:
    batch = widths(setting)
    assert batch["real_tokens"] / batch["tokens_full"] == pytest.approx(batch["real_share_full"])
    assert batch["real_share_full"] < batch["real_share_trimmed"] <= 1
    found = {
        "batch": batch,
        "ceiling_flops": {"fp32": 1e12},
        "step": {n: {"median_s": 0.1} for n in ("(a) handout", "ours")},
    }
    report.utilisation(found, setting)
    a, o = found["step"].values()
    assert a["tokens_per_s"] == 16 * 64 / 0.1 > o["tokens_per_s"] and a["real_tokens_per_s"] == o["real_tokens_per_s"]
    assert 0 < a["mfu_real"] < a["mfu"] < 1


def test_the_gate_passes_equal_learning_and_fails_worse() -> None:
    a = [[2.0, 1.0], [2.1, 1.1], [1.9, 0.9]]
    worse = [[x, y + 0.5] for x, y in a]
    assert Curves([1, 2], a, a).passed
    assert not Curves([1, 2], a, worse).passed and Curves([1, 2], worse, a).passed
    assert Curves([1, 2], a, worse).excess() == pytest.approx([0.0, 0.5])


@pytest.mark.slow
def test_the_gate_trains_both_and_sees_them_learn(setting: Setting) -> None:
    curves = gate(setting, steps=40, seeds=(0, 1, 2), progress=False)
    assert curves.steps == [10, 20, 30, 40]
    for curve in (*curves.handout, *curves.ours):
        assert len(curve) == 4 and curve[-1] < curve[0] - 0.2
    with pytest.raises(ValueError, match="three seeds"):
        gate(setting, steps=40, seeds=(0, 1))


def test_missing_peers_are_a_sentence(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers.importlib.util, "find_spec", lambda name: None)
    found, skipped = trainers(setting, 1)
    assert next(iter(found)) == report.BASE and not any("(b)" in name or "(c)" in name for name in found)
    assert len(skipped) == 2 and all("bench" in sentence for sentence in skipped)
    assert "(b)" in answerers(setting, 2)[1][0]


@pytest.mark.parametrize("name", ["(b) Hugging Face", "(c) Lightning"])
def test_installed_peers_train(setting: Setting, name: str) -> None:
    pytest.importorskip("transformers" if "Hugging" in name else "lightning")
    found = contenders.optional(setting, 2, None)[name]()
    found.run()
    assert found.steps == 2


def test_hugging_faces_loss_is_the_same_loss(setting: Setting) -> None:
    """Its labels are shifted inside: given the same logits, the loss over all targets but the last must agree."""
    pytest.importorskip("transformers")
    model = peers.hf_gpt2(setting.size).eval()
    items = [setting.items()[i] for i in range(5)]
    batch = peers._collate(items)
    with torch.no_grad():
        out = model(**batch)
    y = torch.stack([y for _, y in items])[:, :-1]  # 5 of (T,) -> (5, T-1)
    expected = torch.nn.functional.cross_entropy(out.logits[:, :-1].flatten(0, 1), y.flatten(), ignore_index=0)
    assert out.loss.item() == pytest.approx(expected.item(), rel=1e-5)
    same = abs(sum(p.numel() for p in model.parameters()) - GPT(setting.model_config).n_params())
    assert same == 0


def test_hugging_faces_twin_answers_the_same(setting: Setting) -> None:
    pytest.importorskip("transformers")
    model = contenders.taught(setting)
    x = torch.randint(2, 50, (3, 20))
    hf = peers.hf_twin(model, setting.size)
    with torch.no_grad():
        assert torch.allclose(hf(x).logits, model(x), atol=1e-4)
    expected = contenders.greedy(model, setting.prompts, 8, (1, 0))[0]
    assert peers.hf_generate(hf, setting.prompts, 8, 1) == expected


MINGPT = """
import torch
from torch import nn
class GPTConfig:
    def __init__(self, vocab_size, block_size, n_layer, n_head, n_embd, dropout, bias):
        self.vocab_size, self.n_embd = vocab_size, n_embd
class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.table = nn.Embedding(config.vocab_size, config.vocab_size)
    def forward(self, x, targets):
        logits = self.table(x)
        return logits, nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1)
"""


def test_a_checkout_is_found_and_trained(setting: Setting, tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="no checkout"):
        contenders.optional(setting, 2, tmp_path)["(d) checkout"]()
    (tmp_path / "model.py").write_text(MINGPT)
    contenders.optional(setting, 2, tmp_path)["(d) checkout"]().run()


@pytest.mark.slow  # trains every contender
def test_the_command_writes_its_results(setting: Setting, tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(bench, "setting_for", lambda device, questions: setting)
    options = ["--device", "cpu", "--steps", "1", "--one-by-one", "2", "--out", str(tmp_path)]
    assert bench.main([*options, "--only", "step", "evaluation", "corruption"]) == 0
    written = json.loads(next(tmp_path.glob("bench-cpu-*.json")).read_text())
    assert {"device", "torch", "date"} <= set(written["machine"])
    assert all(row["n"] == 3 and row["mfu"] > 0 for row in written["step"].values())
    assert written["evaluation"]["same_answers"] == 1.0
    assert next(tmp_path.glob("*-ladder.png")).stat().st_size > 5000
    assert "times faster" in capsys.readouterr().out
    assert bench.main(["--device", "cuda:77"]) == 2
    few = [*options, "--only", "step", "--contenders"]
    assert bench.main([*few, "ours, fp32"]) == 0
    written = json.loads(next(tmp_path.glob("bench-cpu-*.json")).read_text())
    assert list(written["step"]) == ["(a) handout", "ours, fp32"]
    assert bench.main([*few, "nobody"]) == 2


def test_a_failed_gate_is_an_exit_code(setting: Setting, tmp_path: Path, monkeypatch) -> None:
    a = [[1.0], [1.1], [1.2]]
    monkeypatch.setattr(bench, "setting_for", lambda device, questions: setting)
    monkeypatch.setattr(bench, "gate", lambda s: Curves([1], a, [[x[0] + 1] for x in a]))
    assert bench.main(["--device", "cpu", "--only", "gate", "--out", str(tmp_path)]) == 1


# ----------------------------------------------------------------------------------------------------------- sweep


def test_a_summary_gives_an_interval_where_there_is_one() -> None:
    row = {"variant": "vanilla", "test": 0.97, "pretrain_s": 100.0, "finetune_s": 2.0, "evaluate_s": 0.4}
    assert sweep.summary([row]) == "vanilla: 97.0%, one seed, 102 s each"
    assert " to " in sweep.summary([row, row | {"test": 0.99}])


def test_a_sweep_keeps_every_slot_busy_and_skips_what_is_finished(tmp_path: Path) -> None:
    jobs = sweep.jobs_for(["vanilla"], [0, 1, 2], tmp_path)
    ran: list[tuple[str, str]] = []

    def fake(job: sweep.Job, slot: str) -> list[str]:
        ran.append((job.name, slot))
        code = f"import pathlib; pathlib.Path({str(job.result)!r}).write_text('{{\"test\": 0.5}}')"
        return [sweep.sys.executable, "-c", code]

    found = sweep.run_all(jobs, ["cpu", "cpu"], fake, progress=False)
    assert [row["test"] for row in found] == [0.5] * 3 and len(ran) == 3
    assert len(sweep.run_all(jobs, ["cpu"], fake, progress=False)) == 3 and len(ran) == 3


def test_a_failed_run_is_told_and_the_others_are_finished(tmp_path: Path) -> None:
    jobs = sweep.jobs_for(["vanilla"], [0, 1], tmp_path)

    def fake(job: sweep.Job, slot: str) -> list[str]:
        good = f"import pathlib; pathlib.Path({str(job.result)!r}).write_text('{{\"test\": 0.5}}')"
        return [sweep.sys.executable, "-c", good if job.seed else "raise SystemExit('no memory')"]

    with pytest.raises(CourseError, match=r"vanilla-0.*no memory"):
        sweep.run_all(jobs, ["cpu"], fake, progress=False)
    assert jobs[1].result.is_file()


@pytest.mark.slow
def test_one_run_of_a_sweep_from_start_to_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Through the command, in processes of their own, with three steps of pretraining."""
    options = ["--seeds", "4", "--slots", "cpu", "--profile", "laptop", "--steps", "3", "--out", str(tmp_path)]
    assert sweep.main(options) == 0
    row = json.loads((tmp_path / "vanilla-4.json").read_text())
    assert 0 <= row["test"] < 0.5 and row["pretrain_s"] > 0 and row["device"] == "cpu"
    assert "one seed" in capsys.readouterr().out
    assert [p.name for p in tmp_path.iterdir()] == ["vanilla-4.json"]
    assert sweep.main([*options, "--variants", "martian"]) == 2
    assert "martian" in capsys.readouterr().err
    record = tmp_path / "all.json"
    assert sweep.main([*options, "--variants", "scratch", "--json", str(record)]) == 0
    kept = json.loads(record.read_text())
    (bare,) = kept["runs"]
    assert bare["pretrain_s"] == 0 and bare["train"] > 0.9 > 0.3 > bare["test"] and kept["machine"]["date"]
    assert kept["wall_s"] > bare["finetune_s"]


def test_flops_follow_the_counter_of_torch_for_a_linear_layer_and_attention() -> None:
    """Forward plus backward of one bias-free linear layer (6N per token) and of QK^T with its values (12 L d T)."""
    T, d = 16, 8
    weight, q, k, v = (torch.randn(n, d, requires_grad=True) for n in (d, T, T, T))
    x = torch.randn(T, d, requires_grad=True)
    with FlopCounterMode(display=False) as counter:
        ((x @ weight).sum() + ((q @ k.T) @ v).sum()).backward()
    assert counter.get_total_flops() == T * model_flops_per_token(d * d, 1, T, d)


def test_the_paper_on_scaling_is_what_its_numbers_give() -> None:
    """And its sizes are those of the papers: GPT-2 small has 124 million, GPT-3 6.7B about 6.7 billion parameters."""
    assert scaling.DOC.read_text(encoding="utf-8") == scaling.document()
    small, *_, large = scaling.MODELS
    assert small.n_params == pytest.approx(124.4e6, rel=0.01) and large.n_params == pytest.approx(6.7e9, rel=0.01)
    assert small.flops == pytest.approx(6 * small.tokens * small.n_params, rel=0.2)
    assert replace(large, n_layer=64).gpus() == 2 == replace(large, n_layer=64, block=1024).gpus()


def test_the_time_to_an_aim_is_read_off_the_ladder() -> None:
    assert time_to.reached([(30.0, 0.95), (10.0, 0.5), (20.0, 0.85)]) == pytest.approx(25.0)
    assert time_to.reached([(10.0, 0.92), (20.0, 0.99)]) == 10.0 and time_to.reached([(10.0, 0.1), (20.0, 0.5)]) is None
    ladder = {1: (0.5, 10.0), 2: (0.95, 20.0), 3: (0.97, 40.0)}
    runs = {f"{seed}/{n}": {"accuracy": a, "seconds": t + seed} for seed in (0, 1) for n, (a, t) in ladder.items()}
    runs |= {f"2/{n}": {"accuracy": 0.2, "seconds": 9.0 * n} for n in ladder}
    told = time_to.summary(runs)
    mean, low, high = told["seconds_to_aim"]
    assert mean == pytest.approx(10 + 0.4 / 0.45 * 10 + 0.5) and low < mean < high
    assert told["never"] == 1 and told["worlds"] == 3 and told["accuracy"][2]["min"] == 0.2
    unfinished = time_to.summary(runs | {"3/1": {"accuracy": 0.1, "seconds": 5.0}})
    assert unfinished["seconds_to_aim"] == told["seconds_to_aim"]


def test_the_peak_memory_of_a_child_is_its_own() -> None:
    """Not that of the process that started it, whose peak is made large first."""
    held = torch.ones(100 * 2**20)  # 400 MiB
    code = "import torch; from benchmarks.speed.measure import peak_memory; print(peak_memory(torch.device('cpu')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 50 < float(done.stdout) < peak_memory(CPU) - 200 and held.sum() > 0


def test_a_data_set_smaller_than_a_batch_is_refused(setting: Setting) -> None:
    """It would be waited for without end."""
    with pytest.raises(ValueError, match="no batch of 128"):
        next(handout.batches(setting.items(), 128))


def test_spans_that_overlap_count_once() -> None:
    assert covered([]) == 0
    assert covered([(0.0, 2.0), (1.0, 3.0), (1.5, 1.7), (5.0, 6.0)]) == 4.0


def test_the_share_of_a_busy_gpu_is_per_step_and_of_the_shorter_run(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    short = contenders.Contender(lambda: calls.append("short"), 2, "b")
    racers = {n: contenders.Contender(lambda: calls.append("long"), 40, n, part=short) for n in "b"}
    spans = {"one": 0.3, "two": 0.1}
    monkeypatch.setattr(report, "busy_seconds", lambda run, device: (run(), (0.4, spans))[1])
    rows: dict[str, Any] = {"b": {"median_s": 0.5}}
    report.gpu_busy(rows, racers, CPU)
    assert calls == ["short"] and rows["b"]["gpu_busy"] == pytest.approx(0.4)
    assert rows["b"]["kernels_s"] == pytest.approx({"one": 0.15, "two": 0.05})
