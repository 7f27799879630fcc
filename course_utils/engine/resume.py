"""The state of a training: its losses so far, and what is needed to resume after an interruption."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from course_utils.config import TrainConfig
from course_utils.device import random_state, restore_random_state
from course_utils.engine.engine import Engine
from course_utils.engine.history import History, Interrupted
from course_utils.engine.state_file import load_state, remove_state, save_state
from course_utils.errors import CourseError

KEEP_EVERY = 30.0  # seconds between two states on disk; a power failure loses at most these


class TrainingState:
    """Everything that changes during training, so that it can be saved and resumed.

    Args:
        total: steps of the whole training.
        tag: any text that identifies what the state belongs to.
        path: file of the state; None saves none.
    """

    def __init__(
        self,
        model: nn.Module,
        optimizers: Sequence[torch.optim.Optimizer],
        config: TrainConfig,
        total: int,
        engine: Engine,
        tag: str,
        path: str | Path | None,
    ) -> None:
        self.model, self.optimizers, self.config, self.engine = model, optimizers, config, engine
        self.total, self.tag, self.path = total, tag, path
        self.losses: list[Tensor] = []
        self.history = History()
        self.random: dict[str, Any] | None = None  # of the saved state, until the next step
        self.since = self.kept = time.monotonic()

    def load(self) -> int:
        """Load the state in the file, if there is one; return the number of steps made before it was saved.

        Raises:
            CourseError: the file holds the state of another training.
        """
        state = load_state(self.path, self.engine.device) if self.path is not None else None
        if state is None:
            return 0
        if state["fingerprint"] != self.fingerprint():
            raise CourseError(f"{self.path} is the state of another training; delete it, or keep this one elsewhere.")
        self.model.load_state_dict(state["model"])
        for optimizer, saved in zip(self.optimizers, state["optimizers"], strict=True):
            # keep the new groups: rates are set at every step, and are tensors on some machines only
            optimizer.load_state_dict(saved | {"param_groups": optimizer.state_dict()["param_groups"]})
        if state["scaler"] and self.engine.scaler.is_enabled():  # it may come from a device with another format
            self.engine.scaler.load_state_dict(state["scaler"])
        self.history, self.random = History(**state["history"]), state["random"][self.engine.processes.rank]
        return self.history.steps

    def restore_random(self) -> None:
        """Restore the random state before the first step after an interruption, so that the draws continue."""
        if self.random is not None:
            restore_random_state(self.random)
            self.random = None

    def record(self, loss: Tensor) -> None:
        """Append the loss () of a step; it is read later, since reading a number now makes the CPU wait for the GPU."""
        self.losses.append(loss)

    def evaluate(self, evaluate: Callable[[nn.Module], float] | None, epoch: int) -> None:
        """Call `evaluate` once per epoch, in evaluation mode; skip epochs evaluated before an interruption."""
        if evaluate is None or len(self.history.accuracy) > epoch:
            return
        self.model.eval()
        self.history.accuracy.append(float(evaluate(self.model)))
        self.model.train()

    def keep(self, *, stop: bool) -> None:
        """Write the state to its file every KEEP_EVERY seconds, and when the training is to stop.

        Raises:
            Interrupted: ``stop`` is true, here or in another process of this training.
        """
        now, processes = time.monotonic(), self.engine.processes
        stop = processes.any(stop)
        if self.path is not None and (stop or processes.any(now - self.kept > KEEP_EVERY)):
            self._read_losses()
            self.kept, state = now, self.state()
            if processes.rank == 0:
                save_state(self.path, state)
        if stop:
            self._read_losses()
            again = "call it again to go on" if self.path is not None else "no state was kept (resume=None)"
            raise Interrupted(f"Training was stopped after step {self.history.steps} of {self.total}; {again}.")

    def finish(self) -> History:
        """Return the history; the model is left in evaluation mode and the state file removed."""
        self._read_losses()
        self.model.eval()
        self.history.seconds += time.monotonic() - self.since
        if self.path is not None and self.engine.processes.rank == 0:
            remove_state(self.path)
        return self.history

    def fingerprint(self) -> str:
        """A text that must be equal for a saved state to fit this training."""
        shapes = {name: tuple(p.shape) for name, p in self.model.named_parameters()}
        return repr((asdict(self.config), self.total, shapes, self.tag, self.engine.processes.size))

    def state(self) -> dict[str, Any]:
        """Everything the next step depends on, except the data, which is drawn again from its seed."""
        seconds = self.history.seconds + time.monotonic() - self.since
        return {
            "fingerprint": self.fingerprint(),
            "model": self.model.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in self.optimizers],
            "scaler": self.engine.scaler.state_dict(),
            "random": self.engine.processes.gather(self.random or random_state()),
            "history": asdict(self.history) | {"seconds": seconds},
        }

    def _read_losses(self) -> None:
        """Move the losses of the last steps into the history. Raises CourseError when the training has diverged."""
        self.history.loss += torch.stack(self.losses).tolist() if self.losses else []
        self.losses = []
        if self.history.loss and not math.isfinite(self.history.loss[-1]):
            raise CourseError(
                f"The loss is {self.history.loss[-1]} at step {self.history.steps}; lower the learning rate."
            )
