"""The history of a training, and the exception for a training that was stopped."""

from __future__ import annotations

from dataclasses import dataclass, field

from course_utils.errors import CourseError


class Interrupted(CourseError):
    """A training that was stopped before its end."""


@dataclass
class History:
    """Loss per step in nats (natural logarithm) per token, result of `evaluate` per epoch, and seconds of a training."""

    loss: list[float] = field(default_factory=list)
    accuracy: list[float] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def steps(self) -> int:
        """Number of steps made."""
        return len(self.loss)
