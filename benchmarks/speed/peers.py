"""The optional peers: Hugging Face transformers with its Trainer, Lightning, and a checkout of minGPT or nanoGPT.

They have the same sizes, documents, batches and device as the course's; each is used as its documentation shows. The
course needs none of them; `pip install -c constraints.txt -e ".[bench]"` installs the first two.
"""

from __future__ import annotations

import importlib.util
import logging
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.speed.handout import PAD, Size, batches
from course_utils.errors import CourseError

Feed = Iterator[tuple[Tensor, Tensor]]


class Missing(CourseError):
    """The error for a peer that is not installed: it is skipped, and the sentence is printed."""


def need(*names: str) -> None:
    """Raise Missing unless all modules can be imported."""
    absent = [name for name in names if importlib.util.find_spec(name) is None]
    if absent:
        raise Missing(f'{" and ".join(absent)} not installed: pip install -c constraints.txt -e ".[bench]".')


# -------------------------------------------------------------------------------------------------- Hugging Face


def hf_gpt2(size: Size) -> nn.Module:
    """GPT-2 of the handout's size, dropout in the same places, fused attention, an output layer of its own."""
    need("transformers", "accelerate")
    from transformers import GPT2Config, GPT2LMHeadModel
    from transformers import logging as hf_logging

    hf_logging.set_verbosity_error()
    hf_logging.disable_progress_bar()
    rates = dict.fromkeys(("resid_pdrop", "embd_pdrop", "attn_pdrop"), size.dropout)
    config = GPT2Config(
        vocab_size=size.vocab_size,
        n_positions=size.block_size,
        n_embd=size.n_embd,
        n_layer=size.n_layer,
        n_head=size.n_head,
        tie_word_embeddings=False,
        activation_function="gelu",
        bos_token_id=PAD,
        eos_token_id=PAD,
        pad_token_id=PAD,
        attn_implementation="sdpa",
        **rates,
    )
    return GPT2LMHeadModel(config)


def hf_twin(model: Any, size: Size) -> nn.Module:
    """GPT-2 with the weights of the course's model; its matrices are transposed, and query, key and value are one."""
    other = hf_gpt2(size)
    state = {
        "transformer.wte.weight": model.token.weight,
        "transformer.wpe.weight": model.position.weight,
        "transformer.ln_f.weight": model.norm.weight,
        "transformer.ln_f.bias": model.norm.bias,
        "lm_head.weight": model.head.weight,
    }
    for i, block in enumerate(model.blocks):
        a, name = block.attention, f"transformer.h.{i}."
        linear = {"attn.c_proj": a.proj, "mlp.c_fc": block.mlp[0], "mlp.c_proj": block.mlp[2]}
        joined = [a.query, a.key, a.value]
        state[name + "attn.c_attn.weight"] = torch.cat([f.weight.T for f in joined], dim=1)  # 3 of (D, D) -> (D, 3D)
        state[name + "attn.c_attn.bias"] = torch.cat([f.bias for f in joined])  # 3 of (D,) -> (3D,)
        state |= {f"{name}{k}.weight": f.weight.T for k, f in linear.items()}
        state |= {f"{name}{k}.bias": f.bias for k, f in linear.items()}
        for k, norm in (("ln_1", block.norm1), ("ln_2", block.norm2)):
            state |= {f"{name}{k}.weight": norm.weight, f"{name}{k}.bias": norm.bias}
    other.load_state_dict(state)
    return other.to(model.token.weight.device).eval()


def hf_trainer(
    model: nn.Module, dataset: Any, batch_size: int, steps: int, lr: float, device: torch.device
) -> list[float]:
    """Make `steps` steps of Trainer on the per-item dataset; return the loss of each."""
    from transformers import Trainer, TrainingArguments

    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            output_dir=folder,
            max_steps=steps,
            per_device_train_batch_size=batch_size,
            learning_rate=lr,
            lr_scheduler_type="constant",
            adam_beta1=0.9,
            adam_beta2=0.95,
            weight_decay=0.1,
            max_grad_norm=1.0,
            logging_steps=1,
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
            use_cpu=device.type == "cpu",
            bf16=device.type == "cuda",
            dataloader_drop_last=True,
        )
        trainer = Trainer(model=model, args=arguments, train_dataset=dataset, data_collator=_collate)
        trainer.remove_callback(_printer())
        trainer.train()
        return [float(row["loss"]) for row in trainer.state.log_history if "loss" in row]


def _printer() -> type:
    from transformers.trainer_callback import PrinterCallback

    return PrinterCallback


def _collate(items: Sequence[tuple[Tensor, Tensor]]) -> dict[str, Tensor]:
    """Items (T,) as arguments of GPT2LMHeadModel: input ids, and labels with -100 where there is no target.

    The model itself shifts the labels, so labels[:, t] is the target y[:, t-1].
    """
    x, y = (torch.stack(column) for column in zip(*items, strict=True))  # B of (T,) -> (B, T)
    labels = torch.cat([x[:, :1], y[:, :-1]], dim=1)  # (B, T)
    return {"input_ids": x, "labels": labels.masked_fill(labels == PAD, -100)}


@torch.no_grad()
def hf_generate(model: Any, prompts: Sequence[list[int]], new: int, stop: int, batch: int = 256) -> list[list[int]]:
    """Batched greedy `generate` with its key-value cache; prompts are padded on the left, as its documentation says."""
    model.eval()
    device = next(model.parameters()).device
    answers: list[list[int]] = []
    for start in range(0, len(prompts), batch):
        rows = prompts[start : start + batch]
        width = max(map(len, rows))
        ids = torch.tensor([[PAD] * (width - len(r)) + r for r in rows], device=device)  # (B, t)
        seen = torch.tensor([[0] * (width - len(r)) + [1] * len(r) for r in rows], device=device)  # (B, t)
        out = model.generate(ids, attention_mask=seen, max_new_tokens=new, do_sample=False, eos_token_id=stop)
        answers += [_before(row, stop) for row in out[:, width:].tolist()]
    return answers


def _before(ids: list[int], stop: int) -> list[int]:
    """The tokens before the first stop or padding."""
    return ids[: next((i for i, c in enumerate(ids) if c in (stop, PAD)), len(ids))]


# ------------------------------------------------------------------------------------------------------ Lightning


def lightning_fit(model: nn.Module, dataset: Any, batch_size: int, steps: int, lr: float, device: torch.device) -> None:
    """Make `steps` steps of Lightning's Trainer with the handout's model and fused attention."""
    need("lightning")
    import lightning

    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    logging.getLogger("lightning.fabric").setLevel(logging.ERROR)
    trainer = lightning.Trainer(
        max_steps=steps,
        accelerator="gpu" if device.type == "cuda" else "cpu",
        devices=1,
        precision="bf16-mixed" if device.type == "cuda" else "32-true",
        gradient_clip_val=1.0,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    loader = torch.utils.data.DataLoader(dataset, batch_size=batch_size, drop_last=True)
    trainer.fit(_lightning_module(lightning, model, lr), loader)


def _lightning_module(lightning: ModuleType, model: nn.Module, lr: float) -> Any:
    """The model with the two methods that Lightning requires."""

    class Wrapped(lightning.LightningModule):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def training_step(self, batch: tuple[Tensor, Tensor], index: int) -> Tensor:
            x, y = batch
            flat = self.model(x).flatten(0, 1)  # (B, T, V) -> (B*T, V)
            return F.cross_entropy(flat, y.flatten(), ignore_index=PAD)  # (B, T) -> (B*T,)

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.AdamW(self.parameters(), lr=lr, betas=(0.9, 0.95), weight_decay=0.1)

    return Wrapped()


# --------------------------------------------------------------------------------------------- minGPT, nanoGPT


def checkout_model(path: Path, size: Size) -> Any:
    """A module from a checkout whose call (x, y) gives the loss: minGPT (mingpt/model.py) or nanoGPT (model.py).

    Raises:
        CourseError: the folder holds neither.
    """
    files = [path / "mingpt" / "model.py", path / "model.py"]
    file = next((f for f in files if f.is_file()), None)
    if file is None:
        raise CourseError(f"{path} is no checkout of minGPT or nanoGPT: it has neither mingpt/model.py nor model.py.")
    module = _load(file)
    same = {"vocab_size": size.vocab_size, "block_size": size.block_size, "n_layer": size.n_layer}
    same |= {"n_head": size.n_head, "n_embd": size.n_embd}
    if hasattr(module, "GPTConfig"):
        return module.GPT(module.GPTConfig(**same, dropout=size.dropout, bias=True))
    config = module.GPT.get_default_config()
    rates = dict.fromkeys(("embd_pdrop", "resid_pdrop", "attn_pdrop"), size.dropout)
    for name, value in {**same, **rates, "model_type": None}.items():
        setattr(config, name, value)
    return module.GPT(config)


def _load(file: Path) -> ModuleType:
    """Load a file as a module while its package folder is on the import path."""
    sys.path.insert(0, str(file.parent.parent if file.parent.name == "mingpt" else file.parent))
    try:
        spec = importlib.util.spec_from_file_location("peer_checkout", file)
        if spec is None or spec.loader is None:
            raise CourseError(f"{file} cannot be imported.")
        module = importlib.util.module_from_spec(spec)
        sys.modules["peer_checkout"] = module
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.pop(0)


def checkout_steps(model: Any, dataset: Any, batch_size: int, steps: int, lr: float) -> None:
    """Train as those repositories do: forward with targets, backward, clip, step. Their ignored target is -1."""
    device = next(model.parameters()).device
    optimiser = torch.optim.AdamW(model.parameters(), lr=lr, betas=(0.9, 0.95), weight_decay=0.1)
    model.train()
    for x, y in islice(batches(dataset, batch_size), steps):
        _, value = model(x.to(device), y.masked_fill(y == PAD, -1).to(device))
        model.zero_grad(set_to_none=True)
        value.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
