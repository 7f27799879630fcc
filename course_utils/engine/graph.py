"""A training step replayed as CUDA graphs, one for each width of a batch."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from course_utils.errors import CourseError

Step = Callable[[Tensor, Tensor], Tensor]  # a batch x, y (B, T) -> its loss ()
WARM_UP = 2  # ordinary steps of a shape before it is captured, in which libraries and optimisers allocate buffers
BUCKET = 32  # captured widths are multiples of it: one graph per width, and fewer than 32 columns of padding


class Captured:
    """A training step replayed as one CUDA graph per width of the batch: one launch instead of about a thousand.

    A graph repeats the same kernels on the same memory. So a batch is padded to `rows` rows and to the next multiple of
    BUCKET columns (up to `widest`, where the batch is no wider) and copied to where the graph reads; padding carries no
    loss. The step must not ask the device for a number. On a CPU the same code runs the step itself in place of the graph,
    for tests without a GPU.
    """

    def __init__(self, step: Step, device: torch.device, rows: int, widest: int, pad: int) -> None:
        self.step, self.device, self.rows, self.widest, self.pad = step, device, rows, widest, pad
        self.places: dict[int, list[Tensor]] = {}
        self.seen: dict[int, int] = {}
        self.replays: dict[int, Callable[[], Tensor]] = {}

    def __call__(self, x: Tensor, y: Tensor) -> Tensor:
        """One step on x, y (b, t), b <= rows; the loss ()."""
        width = max(min(math.ceil(x.shape[1] / BUCKET) * BUCKET, self.widest), x.shape[1])
        if width not in self.places:
            self.places[width] = [torch.empty(self.rows, width, dtype=x.dtype, device=self.device) for _ in "xy"]
        for place, given in zip(self.places[width], (x, y), strict=True):
            place.fill_(self.pad)
            place[: given.shape[0], : given.shape[1]] = given  # (b, t) -> (rows, width)
        self.seen[width] = self.seen.get(width, 0) + 1
        if self.seen[width] <= WARM_UP:
            return self._aside(width)
        if width not in self.replays:
            self.replays[width] = self._record(width)
        return self.replays[width]().clone()  # the next replay writes over it

    def _aside(self, width: int) -> Tensor:
        """An ordinary step, on a GPU in a separate stream, which a later capture requires."""
        if self.device.type != "cuda":
            return self.step(*self.places[width])
        stream = torch.cuda.Stream(self.device)
        stream.wait_stream(torch.cuda.current_stream(self.device))
        with torch.cuda.stream(stream):
            value = self.step(*self.places[width])
        torch.cuda.current_stream(self.device).wait_stream(stream)
        return value

    def _record(self, width: int) -> Callable[[], Tensor]:
        """A function that replays the step at this width. Recording runs nothing, so no step is made twice."""
        if self.device.type != "cuda":
            return lambda: self.step(*self.places[width])
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph):
                value = self.step(*self.places[width])
        except RuntimeError as error:
            raise CourseError(f"The step cannot be captured as a CUDA graph ({error}); unset COURSE_GRAPH.") from None

        def replay() -> Tensor:
            graph.replay()
            return value

        return replay
