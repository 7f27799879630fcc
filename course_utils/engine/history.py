"""What a training went through, and how it says that it was stopped."""

from __future__ import annotations

from dataclasses import dataclass, field

from course_utils.errors import CourseError


class Interrupted(CourseError):
    """A training that was stopped before its end."""


@dataclass
class History:
    """What a training went through: loss per step in nats per token, result of `evaluate` per epoch, seconds."""

    loss: list[float] = field(default_factory=list)
    accuracy: list[float] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def steps(self) -> int:
        """How many steps were made."""
        return len(self.loss)
