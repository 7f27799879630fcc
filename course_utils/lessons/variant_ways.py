"""How the checks of notebook 08 ask a rotary attention, whose pairs of coordinates and whose direction are free.

Which coordinates form a pair, and which way they turn, is asked of the module first, with weights that show it. Then the
weights of queries and keys are put into that order, so that all right modules give the same output.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from course_utils.checks.asking import Ask, built
from course_utils.checks.compare import CheckFailed, require_finite
from course_utils.checks.draws import Case

SIZE = 2.0  # of the query and the key that show a pair
EQUAL = 1e-5  # of outputs in 64 bits
HIDDEN = 1e-8  # of the largest output in 64 bits, what rounding may change
SEEN = 0.05  # by how much a weight then differs from one half


def in_its_pairs(student: Any, case: Case, inner: Ask) -> Any:
    """What ``inner`` brings, with weights in the order of the student's pairs; gradients come in the usual order."""
    config = case.setup["sizes"][0]
    order, signs = _pairs(student, case, inner.name)
    weights = {name: _ordered(name, value, config, order, signs) for name, value in case.setup["weights"].items()}
    found = inner(student, replace(case, setup={**case.setup, "weights": weights}))
    if type(found) is not dict:
        return found
    back = order.argsort()

    def usual(slopes: Any) -> Any:
        """Gradients of weights by name in the usual order; anything else as it is."""
        if type(slopes) is not dict:
            return slopes
        return {name: _ordered(name, value, config, back, signs[back]) for name, value in slopes.items()}

    return {key: usual(value) for key, value in found.items()}


def at_two_lengths(student: Any, case: Case, name: str) -> list[Any]:
    """Outputs of one module for the first token alone, for all tokens, and for the first ones again."""
    made, x = built(student, case, name, training=False), case.args[0]
    return [made(x[:, :length]) for length in (1, x.shape[1], 2)]


def past_alone(student: Any, case: Case, name: str) -> bool:
    """Whether each position of a text is given what it is given where the text ends there. Raises CheckFailed."""
    made, x = built(student, case, name, training=False), case.args[0]  # x (B, T, D)
    results = [made(x[:, :length]) for length in range(1, x.shape[1] + 1)]
    if any(not isinstance(one, Tensor) or one.shape != x[:, : k + 1].shape for k, one in enumerate(results)):
        raise CheckFailed("the output must have the shape of the input, (B, T, D)")
    require_finite(*results)
    ends = torch.stack([one[:, -1] for one in results], 1)  # T of (B, D) -> (B, T, D)
    if (ends - results[-1]).abs().max() > HIDDEN * ends.abs().max():
        raise CheckFailed(
            "later positions have a weight that is not 0, here where the scores of the others are near -97: "
            'mask with float("-inf") before the softmax, and with no finite number'
        )
    return True


def dropped(student: Any, case: Case, name: str) -> bool:
    """Whether attention weights alone are dropped in training, or nothing. Raises CheckFailed for anything else.

    The case has one text (1, T, D), ``setup`` how often it is read, ``passes``, and ``plain``: each output is one average of
    values with softmax weights. A head is at least T wide.
    """
    config, x = case.setup["sizes"][0], case.args[0].repeat(case.setup["passes"], 1, 1)
    T, D = x.shape[1:]
    eye, zero = torch.eye(D, dtype=x.dtype), torch.zeros(D, dtype=x.dtype)
    level = torch.linspace(1, 2, D, dtype=x.dtype)

    def outputs(weight: Tensor, bias: Tensor) -> list[Tensor]:
        """In training and in evaluation, (B, T, H, d), of values with these weights; the output projection is the identity."""
        own = {"value.weight": weight, "value.bias": bias, "proj.weight": eye, "proj.bias": zero}
        asked = replace(case, setup={**case.setup, "weights": case.setup["weights"] | own})
        both = [built(student, asked, name, training=training)(x) for training in (True, False)]
        if any(not isinstance(one, Tensor) or one.shape != x.shape for one in both):
            raise CheckFailed("the output must have the shape of the input, (B, T, D)")
        require_finite(*both)
        return [one.detach().unflatten(-1, (config.n_head, -1)) for one in both]

    alike, usual = outputs(0 * eye, level), outputs(eye, zero)
    ratio = alike[0] / alike[1]
    if (ratio - ratio[..., :1]).abs().max() > EQUAL:
        raise CheckFailed(
            "numbers of a head's values or output are dropped one by one: drop attention weights, or nothing"
        )
    if (ratio - 1).abs().max() < EQUAL and (usual[0] - usual[1]).abs().max() > EQUAL:
        raise CheckFailed("in training something else than attention weights is dropped: their sums stay 1")
    if case.setup["plain"]:
        places = eye.new_zeros(T, config.n_head, D // config.n_head)
        places[range(T), :, range(T)] = 1  # the value of place s is its number, in every head
        got, want = outputs((torch.linalg.pinv(x[0]) @ places.flatten(1)).T, zero)
        whole = (got - want).abs().max() < EQUAL
        kept = (got * (1 - config.dropout) - want).abs() < EQUAL
        if not whole and not bool(((got.abs() < EQUAL) | kept).all()):
            raise CheckFailed(
                "in training each attention weight becomes 0 or is divided by 1 - p, or all stay as they are"
            )
    return True


def drops_anew(student: Any, case: Case, name: str) -> str:
    """What two calls in training do with one text: "nothing is dropped", "other weights are dropped", "the same ones are"."""
    plain, one, two = (built(student, case, name, training=training) for training in (False, True, True))
    want, first, second, third = plain(*case.args), one(*case.args), one(*case.args), two(*case.args)
    results = (want, first, second, third)
    if any(not isinstance(result, Tensor) or result.shape != case.args[0].shape for result in results):
        raise CheckFailed("the output must have the shape of the input, (B, T, D)")
    require_finite(*results)
    if all((result - want).abs().max() < EQUAL for result in results):
        return "nothing is dropped"
    if min(float((first - other).abs().max()) for other in (second, third)) < EQUAL:
        return "the same weights are dropped in each call"
    return "other weights are dropped in each call"


def fresh_or_none(case: Case, value: Any) -> bool:
    """Whether nothing is dropped, or other weights in each call."""
    return value != "the same weights are dropped in each call"


def kept_of_latents(student: Any, case: Case, name: str) -> list[float]:
    """Mean and variance in training, m times, of what a lone token gets of its value, where all weights are equal.

    The case has one text (1, 1, D), ``setup`` how often it is read, ``passes``.
    """
    weights = {key: torch.zeros_like(value) for key, value in case.setup["weights"].items()}
    weights["value.bias"] += 1
    weights["proj.weight"] += torch.eye(len(weights["proj.weight"]))
    asked = replace(case, setup={**case.setup, "weights": weights})
    x = case.args[0].repeat(case.setup["passes"], 1, 1)  # (1, 1, D) -> (passes, 1, D)
    found = built(student, asked, name, training=True)(x)
    if not isinstance(found, Tensor) or found.shape != x.shape:
        raise CheckFailed("the output must have the shape of the input, (B, T, D)")
    share = found[:, 0, 0].detach().double()
    return [float(share.mean()), float(share.var()) * weights["latents"].shape[1]]


def dropped_once_each(case: Case, value: Any) -> str:
    """Whether mean and variance are those of no dropout, of one, or of dropout in both softmaxes; 6.5 standard deviations."""
    (mean, variance), p, passes = value, case.setup["sizes"][0].dropout, case.setup["passes"]
    m = case.setup["weights"]["latents"].shape[1]
    for share in (1.0, 1 - p, (1 - p) ** 2):
        spread = (1 - share) / share
        near = abs(mean - 1) <= 6.5 * (spread / m / passes) ** 0.5 + EQUAL
        if near and abs(variance - spread) <= 6.5 * spread * (2.4 / passes) ** 0.5 + EQUAL:
            return "weights are dropped with the rate, and kept ones divided by 1 - p"
    return "weights are dropped with another rate, or kept ones are not divided by 1 - p"


def class_in_a_gpt(student: Any, case: Case, name: str) -> Any:
    """Whether the GPT of a case's configuration is made with the student's class, and its logits under the case's weights.

    Raises CheckFailed where the class brings positions of its own and yet has the GPT add learned ones.
    """
    found = student.tool("course_utils.lessons.variant_probes.logits_of")(getattr(student, name), *case.args)
    if type(found) is list and len(found) == 3 and case.args[0].position == "none" and found[2] != "none":
        raise CheckFailed('your class lost its line position = "none": the GPT would add learned positions')
    return found[:2] if type(found) is list else found


def _pairs(student: Any, case: Case, name: str) -> tuple[Tensor, Tensor]:
    """For each coordinate of a head which of neighbours' coordinates stands there, and with which sign."""
    d = _width(case.setup["sizes"][0])
    whole = torch.arange(d)
    for partner, order in ((1, whole), (d // 2, torch.cat([whole[0::2], whole[1::2]]))):
        score = _score(student, case, name, partner)
        if abs(score - 0.5) > SEEN:
            signs = torch.where(order % 2 == 1, 1.0 if score > 0.5 else -1.0, 1.0)
            return order, signs
    return whole, torch.ones(d)


def _score(student: Any, case: Case, name: str, partner: int) -> float:
    """What the second of two tokens gives to the first, where its query has coordinate 0 alone and the key its partner alone."""
    like = case.setup["weights"]
    D, dtype = like["query.weight"].shape[0], like["query.weight"].dtype
    weights = {key: torch.zeros_like(value) for key, value in like.items()}
    weights["query.weight"][0, 1] = weights["key.weight"][partner, 0] = SIZE
    weights["value.weight"][0, 0] = weights["proj.weight"][0, 0] = 1.0
    x = torch.eye(D, dtype=dtype)[None, :2]
    y = built(student, replace(case, setup={**case.setup, "weights": weights}), name, training=False)(x)
    if not isinstance(y, Tensor) or y.shape != x.shape:
        raise CheckFailed("the output must have the shape of the input, (B, T, D)")
    return float(y.detach()[0, 1, 0].nan_to_num(0.5))


def _width(config: Any) -> int:
    return int(config.n_embd // config.n_head)


def _ordered(name: str, value: Any, config: Any, order: Tensor, signs: Tensor) -> Any:
    """Weights or gradients of queries and keys with the coordinates of each head in this order; others as they are."""
    if name.partition(".")[0] not in ("query", "key") or not isinstance(value, Tensor):
        return value
    heads = value.unflatten(0, (config.n_head, _width(config)))  # (D, …) -> (H, d, …)
    shape = (1, -1, *[1] * (value.dim() - 1))
    return (heads[:, order] * signs.to(value.dtype).view(shape)).flatten(0, 1)  # (H, d, …) -> (D, …)
