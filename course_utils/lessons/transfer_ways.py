"""How the checks of notebook 05 ask, and what they compare: a vocabulary, an epoch of training, a model with a new head.

Stand-ins have several parameter tensors, a memory (each state depends on all tokens so far) and, in place of dropout,
outputs that are halved in training mode. Their sizes and weights come from the case. What the student's process says is
compared with what the same stand-in gives here, under the same weights.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.checks.asking import FETCH, Reference, is_handle, opened
from course_utils.checks.compare import CheckFailed
from course_utils.checks.draws import Case, Draw
from course_utils.checks.fetch import fetches
from course_utils.lessons.transfer import PAD

HERE = "course_utils.lessons.transfer_ways."
CLOSE = 1e-4  # float32, after a few steps


# --------------------------------------------------------------------------------------------------- vocabulary


def of_vocabulary(student: Any, case: Case, name: str) -> Any:
    """What a method of a vocabulary of these pieces gives: the case is (pieces, method, argument).

    ``setup`` may hold ``before``, texts that are encoded first, each result overwritten, and ``other``, pieces of another
    vocabulary made later.
    """
    pieces, method, *given = case.args
    made = getattr(student, name)(pieces)
    if not is_handle(made):
        raise CheckFailed(f"{name}(pieces) must give a vocabulary")
    for text in case.setup.get("before", ()):
        student.tool(FETCH + "overwritten")(student.hold(made.encode, text))
    if "other" in case.setup:
        getattr(student, name)(case.setup["other"])
    return len(made) if method == "len" else opened(getattr(made, method)(*given))


def whole_numbers(case: Case, value: Any) -> Any:
    """The value, where its numbers are whole. Raises CheckFailed."""
    entries = value if isinstance(value, list | tuple) else [value]
    if any(isinstance(one, float | Tensor) for one in entries):
        raise CheckFailed("ids are Python's whole numbers, in a list")
    return value


def how_many(case: Case, value: Any) -> Any:
    """Of a list its length, whatever it holds."""
    return len(value) if isinstance(value, list | tuple) else value


# ---------------------------------------------------------------------------------------------------- stand-ins


def filled(kind: type[nn.Module], weight: Tensor, **options: bool) -> nn.Module:
    """An ``nn.Embedding`` or ``nn.Linear`` with this weight (two axes); nothing is drawn for it."""
    sizes = weight.shape if kind is nn.Embedding else weight.shape[::-1]
    module = nn.utils.skip_init(kind, *sizes, **options)
    with torch.no_grad():
        module.weight.copy_(weight)  # type: ignore[operator, union-attr]
    return module


class Foundation(nn.Module):
    """Ids (B, T) to states (B, T, D), each a mean over the tokens so far; in training mode nothing but dropout is left.

    Its parts have the names of the text's base, so that a part that is left out by name is missed, and are torch's own
    modules where they can be, so that whoever draws those anew changes it. A running mean, which every training pass moves,
    shifts what comes out in training mode alone: so one sees how many such passes there were, and whose buffer it is.
    With weights named ``encoder.…`` its encoder is torch's own, with attention, norms and biases, and no dropout.
    """

    def __init__(self, weights: Mapping[str, Tensor]) -> None:
        super().__init__()
        self.embedding = filled(nn.Embedding, weights["table"])
        tables = [value for key, value in weights.items() if key.startswith("mixing")]
        layers = {key.removeprefix("encoder."): value for key, value in weights.items() if key.startswith("encoder.")}
        mixing = nn.ModuleList(filled(nn.Linear, value.T, bias=False) for value in tables)
        self.encoder: nn.TransformerEncoder | nn.ModuleList = real_encoder(layers) if layers else mixing
        self.gain = nn.Parameter(weights["gain"].clone())
        self.shift: Tensor
        self.register_buffer("shift", weights["shift"].clone())
        self.drift: Tensor
        self.register_buffer("drift", torch.zeros_like(weights["shift"]))
        self.dropout = nn.Dropout(1.0)

    def forward(self, x: Tensor) -> Tensor:
        """(B, T) -> (B, T, D)."""
        h = self.embedding(x) + self.shift
        if self.training:
            h = h + self.drift
            self.drift.lerp_(h.detach().mean((0, 1)), 0.5)
        if isinstance(self.encoder, nn.TransformerEncoder):
            later = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
            h = self.encoder(h, mask=later) * self.gain
        else:
            for mixing in self.encoder:
                h = h + torch.tanh(mixing(h)) * self.gain
        h = h.cumsum(1) / torch.arange(1, x.shape[1] + 1, dtype=h.dtype)[:, None]
        return (h + self.dropout(h)) * 0.5  # without chance: dropped entirely in training, kept in evaluation


def real_encoder(weights: Mapping[str, Tensor]) -> nn.TransformerEncoder:
    """An ``nn.TransformerEncoder`` of two heads with these weights, as many layers as they have, and no dropout."""
    width, n_layers = len(weights["layers.0.norm1.bias"]), sum(key.endswith("norm1.bias") for key in weights)
    layer = nn.TransformerEncoderLayer(
        width, 2, len(weights["layers.0.linear1.bias"]), 0.0, batch_first=True, norm_first=True
    )
    encoder = nn.TransformerEncoder(layer, n_layers, enable_nested_tensor=False)
    encoder.load_state_dict(dict(weights))
    return encoder


@fetches("a model whose outputs the judge knows must stand where the student's functions use it")
class StandIn(nn.Module):
    """A base and a linear head with given weights, and a gradient from before; logits (B, T, V)."""

    def __init__(self, weights: Mapping[str, Tensor], *, held: bool = False) -> None:
        super().__init__()
        self.base = Foundation(weights)
        rows, width = weights["head.weight"].shape
        self.head = nn.Linear(width, rows)
        with torch.no_grad():
            self.head.weight.copy_(weights["head.weight"])
            self.head.bias.copy_(weights["head.bias"])
        for parameter in self.parameters():
            parameter.grad = torch.full_like(parameter, 0.05)
        self.base.requires_grad_(not held)

    def forward(self, x: Tensor) -> Tensor:
        """(B, T) -> (B, T, V)."""
        return self.head(self.base(x))


def stand_in_weights(d: Draw, V: int, D: int, layers: int) -> dict[str, Tensor]:
    """Weights of a :class:`StandIn`."""
    shapes = {"table": (V, D), "gain": (D,), "shift": (D,), "head.weight": (V, D), "head.bias": (V,)}
    shapes |= {f"mixing{k}": (D, D) for k in range(layers)}
    return {key: d.normal(*shape, scale=shape[-1] ** -0.5, dtype=torch.float32) for key, shape in shapes.items()}


def layered_weights(d: Draw, V: int, D: int, layers: int, d_ff: int) -> dict[str, Tensor]:
    """Weights of a :class:`StandIn` whose encoder is torch's own: two heads of width D / 2, no number at its first value."""
    empty = nn.TransformerEncoderLayer(D, 2, d_ff)
    shapes = [(f"encoder.layers.{k}.{key}", p.shape) for k in range(layers) for key, p in empty.named_parameters()]
    return stand_in_weights(d, V, D, 0) | {
        key: d.normal(*shape, scale=0.5, dtype=torch.float32) for key, shape in shapes
    }


# ------------------------------------------------------------------------------------------------ one new model


def transferred(student: Any, case: Case, name: str) -> Any:
    """What a new model made of a stand-in gives, before and after steps of training, and the stand-in afterwards.

    The case is (weights, ids (B, T), labels (B,), n_classes, perhaps ``frozen``); ``setup`` may hold ``named``: ``frozen`` is
    given by name.
    """
    weights, x, y, *given = case.args
    old = student.hold(student.tool(HERE + "stand_in"), weights)
    kwargs = {"frozen": given.pop()} if case.setup.get("named") else {}
    models = [getattr(student, name)(old, *given, **kwargs) for _ in range(2)]
    if not all(map(is_handle, models)):
        raise CheckFailed("nothing came that could be a model: return the new model")
    return student.tool(HERE + "followed")(*models, old, x, y)


@fetches("a model whose outputs the judge knows must stand where the student's functions use it")
def stand_in(weights: Mapping[str, Tensor]) -> StandIn:
    """A :class:`StandIn` in training mode."""
    return StandIn(weights)


@fetches("outputs and heads of models that stand here, before and after steps of training")
def followed(new: nn.Module, other: nn.Module, old: nn.Module, x: Tensor, y: Tensor) -> dict[str, Any]:
    """Heads and outputs of two models made of ``old``; the first is trained, and then the old one."""
    found: dict[str, Any] = {
        "old mode": all(part.training for part in old.modules()),
        "old slopes": [parameter.grad for parameter in old.parameters()],
        "heads": [head_of(new), head_of(other)],
        "at first": seen(new, x),
    }
    found |= {"trained": trained(new, x, y), "head at last": head_of(new)}
    found |= {"other": seen(other, x), "old": seen(old, x), "old trained": trained(old, x, y)}
    return {**found, "other at last": seen(other, x)}


def head_of(model: nn.Module) -> dict[str, Tensor]:
    """The head's weights by name."""
    return {name: value.detach().clone() for name, value in model.head.named_parameters()}  # type: ignore[union-attr]


def seen(model: nn.Module, x: Tensor) -> list[Tensor]:
    """States and logits in evaluation mode."""
    model.eval()
    with torch.no_grad():
        return [model.base(x).clone(), model(x).clone()]  # type: ignore[operator]


def trained(model: nn.Module, x: Tensor, y: Tensor) -> list[Tensor]:
    """States and logits after three steps, in evaluation mode; base and head have rates of their own."""
    groups = [
        {"params": list(getattr(model, part).parameters()), "lr": lr} for part, lr in (("base", 0.3), ("head", 0.6))
    ]
    optimizer = torch.optim.SGD(groups, lr=0.3, momentum=0.5)
    model.train()
    for _ in range(3):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x)[:, -1], y)
        if loss.requires_grad:  # else all is frozen, and nothing moves
            loss.backward()
        optimizer.step()
    return seen(model, x)


def _like(got: Any, want: Sequence[Tensor]) -> bool:
    """Whether these are nearly those tensors."""
    return isinstance(got, list | tuple) and len(got) == len(want) and all(
        type(a) is Tensor and a.shape == b.shape and bool(torch.allclose(a.float(), b, atol=CLOSE, rtol=CLOSE))
        for a, b in zip(got, want, strict=True)
    )  # fmt: skip


def _rebuilt(case: Case, head: Mapping[str, Tensor] | None = None) -> StandIn:
    """The stand-in of a case, under another head if one is given, in evaluation mode."""
    weights = case.args[0] | ({f"head.{name}": value for name, value in head.items()} if head else {})
    return StandIn(weights).eval()


def _heads(case: Case, value: Any) -> list[dict[str, Tensor]]:
    """Both heads. Raises CheckFailed where they are no ``nn.Linear`` with a bias for n_classes outputs."""
    C, D = case.args[3], case.args[0]["head.weight"].shape[1]
    heads = value.get("heads") if type(value) is dict else None
    if type(heads) is not list or len(heads) != 2:
        raise CheckFailed("the new model must have a base and a head")
    for head in heads:
        shapes = {name: tuple(part.shape) for name, part in head.items() if type(part) is Tensor}
        if shapes != {"weight": (C, D), "bias": (C,)}:
            raise CheckFailed("the new head must be an nn.Linear with n_classes outputs, and with a bias")
    return heads


def new_head(case: Case, value: Any) -> dict[str, bool]:
    """What holds of a fresh head."""
    heads, old = _heads(case, value), case.args[0]["head.weight"]
    one, two = (head["weight"] for head in heads)
    return {
        "no row is one of the old head's": not bool((one[:, None] == old).all(-1).any()),
        "each head is drawn anew": bool((one != two).float().mean() > 0.9),
        "its numbers are drawn one by one": len(one.unique()) > 0.9 * one.numel() and bool(one.isfinite().all()),
    }


def new_outputs(case: Case, value: Any) -> dict[str, bool]:
    """Whether states and logits of new models are those of the copied base and their own heads."""
    ours = [seen(_rebuilt(case, head), case.args[1]) for head in _heads(case, value)]
    return {
        "the states are those of the pretrained base": _like(value["at first"][:1], ours[0][:1]),
        "the logits are those of base and new head": _like(value["at first"], ours[0]),
        "training of other models leaves it as it is": all(
            _like(value[key], ours[1]) for key in ("other", "other at last")
        ),
        "training of other models leaves its states as they are": all(
            _like(value[key][:1], ours[1][:1]) for key in ("other", "other at last")
        ),
    }


def new_training(case: Case, value: Any) -> dict[str, bool]:
    """Whether steps of training change base and head as they must."""
    frozen = len(case.args) > 4 and bool(case.args[4])
    head = _heads(case, value)[0]
    model = _rebuilt(case, head)
    model.base.requires_grad_(not frozen)
    before, after = seen(model, case.args[1]), trained(model, *case.args[1:3])
    return {
        "the head moves": not _like(list(value["head at last"].values()), list(head.values())),
        "the base moves if it must": _like(value["trained"][:1], before[:1]) == _like(after[:1], before[:1]),
        "the states are those after these steps": _like(value["trained"][:1], after[:1]),
        "the logits are those after these steps": _like(value["trained"], after),
    }


def old_model(case: Case, value: Any) -> dict[str, bool]:
    """Whether the pretrained model gives what it gave, and can be trained as before."""
    model = _rebuilt(case)
    before, after = seen(model, case.args[1]), trained(model, *case.args[1:3])
    return {
        "it is in training mode as it was, with all its parts": value["old mode"] is True,
        "its states are as they were": _like(value["old"][:1], before[:1]),
        "its logits are as they were": _like(value["old"], before),
        "it has the gradients that it had": _like(
            value["old slopes"], [torch.full_like(p, 0.05) for p in model.parameters()]
        ),
        "it can be trained as before": _like(value["old trained"], after),
    }


# ------------------------------------------------------------------------------------------ one pass of training


def passed(student: Any, case: Case, name: str) -> Any:
    """Loss and outputs of a stand-in after one pass over batches: the case is (weights, batches), perhaps with a clip.

    ``setup`` holds ``rates`` (of base and head), and perhaps ``own`` (the loss is the student's lm_loss, else one that the
    course made up, named in ``loss``), ``evaluating`` (the stand-in's mode before), ``held`` (its base is frozen), ``passes``
    (how many of them; the loss is the last one's).
    """
    loss = student.tool(HERE + case.setup.get("loss", "skewed_loss"))
    found = student.tool(HERE + "one_pass")(getattr(student, name), loss, list(case.args), dict(case.setup))
    if type(found) is not dict or type(found.get("loss")) is not float:
        raise CheckFailed("return the mean of the batches' losses, a Python number: loss.item() gives one")
    return found


def after_the_steps(case: Case, found: Mapping[str, Any]) -> Any:
    """What the steps have made of the model, its outputs in evaluation mode, and the optimiser's rates."""
    return [found["in evaluation mode"], found["rates"]]


def with_small_losses(case: Case, found: Mapping[str, Any]) -> Any:
    """What the steps have made of the model, and the loss in hundred-thousandths."""
    return [found["in evaluation mode"], found["loss"] * 1e5]


@fetches("a loss that is an argument of the student's function")
def skewed_loss(logits: Tensor, y: Tensor) -> Tensor:
    """A loss that nobody uses: logits (B, T, V), and targets (B, T), or labels (B,) for the last position."""
    chosen = logits if y.dim() == 2 else logits[:, -1]
    return (chosen.square().mean(-1) - chosen.gather(-1, y[..., None])[..., 0].tanh()).mean() * 7


@fetches("a loss that is an argument of the student's function")
def usual_loss(logits: Tensor, y: Tensor) -> Tensor:
    """The mean cross-entropy in nats over the targets that are not PAD: logits (B, T, V), y (B, T)."""
    return F.cross_entropy(logits.flatten(0, 1), y.flatten(), ignore_index=PAD)  # (B, T, V) -> (B·T, V)


@fetches("a loss that is an argument of the student's function")
def levelled_loss(logits: Tensor, y: Tensor) -> Tensor:
    """A loss with the slopes of ``skewed_loss``; its value, -3e-5, 0 or 3e-5, goes by the targets."""
    loss = skewed_loss(logits, y)
    return loss - loss.detach() + (int(y.sum()) % 3 - 1) * 3e-5


@fetches("what one pass of the student's training leaves of a model whose steps the judge repeats")
def one_pass(
    train: Callable[..., float], loss: Callable[..., Tensor], given: Sequence[Any], settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Loss, outputs in the mode that the model is left in, and in evaluation mode, after ``train`` has gone over the batches."""
    weights, batches, *clip = given
    model = StandIn(weights, held=settings.get("held", False)).train(not settings.get("evaluating", False))
    parts = zip((model.base, model.head), settings["rates"], strict=True)
    optimizer = torch.optim.SGD([{"params": list(part.parameters()), "lr": rate} for part, rate in parts], momentum=0.5)
    x = batches[0][0]  # an answer may empty the list
    for _ in range(settings.get("passes", 1) - 1):
        train(model, optimizer, list(batches), loss, *clip)
    mean = train(model, optimizer, batches, loss, *clip)
    with torch.no_grad():
        left = [model.base(x).clone(), model(x).clone()]
    found = {"loss": mean, "as it is left": left, "in evaluation mode": seen(model, x)}
    return {**found, "rates": [group["lr"] for group in optimizer.param_groups]}


# ----------------------------------------------------------------------------------- refusals, and files handed in


def refused(student: Any, case: Case, name: str, kind: str) -> Any:
    """The kind of exception that a call raises, if it is of this kind or one of its subclasses; else what came."""
    return student.tool(HERE + "outcome")(getattr(student, name), list(case.args), kind)


@fetches("whether an exception is of a subclass can only be asked where it is raised")
def outcome(function: Callable[..., Any], arguments: Sequence[Any], kind: str) -> str:
    """``kind`` where the call raises such an exception, "a result" where it raises none; other exceptions go on."""
    try:
        function(*arguments)
    except getattr(builtins, kind):
        return kind
    return "a result"


def handed(student: Any, case: Case) -> bool:
    """Whether the judge found no fault in what was handed in; the case holds its sentence. Raises CheckFailed with it."""
    if case.args[0] and not isinstance(student, Reference):
        raise CheckFailed(case.args[0])
    return True
