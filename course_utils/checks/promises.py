"""A check as a list of promises: sentences of an exercise's text, each with a way to draw cases and an oracle.

The declaration stands in the check cell of a source and is read by the build and by the judge alone:

    promises(
        reference={"averaging": by_hand.averaging},        # the oracle, asked exactly as the student is asked
        agree=close(1e-8),                                 # how answers are compared
        returns=("query", "weight"),
        always=(unchanged, repeatable, layouts),           # the shared library of trouble
        kept=[
            promise("any orthonormal keys", quote="orthonormal keys (n, d)", cases=keys),
            promise("two keys are enough", quote="n >= 2", cases=lambda d: keys(d, n=2)),
        ],
    )

**One implementation for both sides.** Declaration and file give :class:`Trial` objects: a case, a way to ask, the oracle's
answer, a way to compare. ``Trial.run(student)`` is the same in the notebook, where trials come from the course's file of
visible cases (``data/promises/``, written by the build with answers of the oracle, never the oracle), and in the judge,
which reads the same file for what it says and draws fresh trials from the term's secret for what it decides. A verdict
depends on values that came from the student's side and on nothing else: to ask is plain data (``asking``), and to
compare (``agree``) happens where the trial stands.

**Hints are looked up.** The build runs every wrong answer on file on the visible cases and keeps a fingerprint of what
came (``fingerprint``). Whose answers equal a record gets its hint; everybody else sees the sentence of the broken promise.

**Trouble** (``trouble``) asks in another way and is judged like everything else, the oracle too. **Random
procedures** (``laws``) are asked for many draws, which are compared as samples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from course_utils.checks.agree import Agree, close, same
from course_utils.checks.asking import Ask, Reference, call, module
from course_utils.checks.compare import plain
from course_utils.checks.counts import bound, by_law, draws
from course_utils.checks.draws import (
    Case,
    Draw,
    Made,
    Named,
    Seeded,
    amount,
    as_case,
    derived,
    given,
    reseeded,
    with_tensors,
)
from course_utils.checks.laws import require_power, table
from course_utils.checks.neighbours import neighbours
from course_utils.checks.steady import unsteady
from course_utils.checks.student import StudentError
from course_utils.checks.trials import Answer, Kept, Trial
from course_utils.checks.trouble import (
    Trouble,
    all_gradients,
    detached,
    gradients,
    layouts,
    repeatable,
    typed,
    unchanged,
)
from course_utils.checks.whole import require_repeated, require_whole
from course_utils.errors import CourseError

__all__ = [
    "Agree", "Answer", "Ask", "Case", "Draw", "Kept", "Made", "Named", "Promise", "Promises", "Seeded", "Trial",
    "all_gradients", "call", "close", "detached", "gradients", "law", "layouts", "module", "promise", "promises",
    "repeatable", "same", "typed", "unchanged",
]  # fmt: skip

FRESH = 8  # cases of a promise in grading, unless its possibilities are more
VISIBLE = 2  # cases of a promise in the course's file
SOME = 4  # promises of the exercise with whose cases one trouble is made
TROUBLED = 3  # cases of each of them in grading: in a single one sizes may be such that nothing can go wrong
BALANCED = 2  # number of the fresh case whose normal tensors have the sum 0
EDGES = 3  # cases of a promise with one size far beyond all others
LARGEST = 1_000_000  # numbers, at most, in any case: a message to a sandbox has its limits
SHOWN = 1500  # numbers, at most, in a visible case with one size far beyond, and in its answer
AGAIN = 6  # how often a case is drawn again at most; after that the first draw is taken
TIMES = 3  # how many draws of the oracle stand against one of the student
ALARM = 1e-6  # bound on the chance that a law refuses what is right, in one trial
RARE = 1e-5  # bound on the chance that a whole check refuses what is right

Cases = Callable[[Draw], Any] | Sequence[Any]


@dataclass(frozen=True)
class Promise:
    """One promise; see :func:`promise`."""

    sentence: str
    quotes: tuple[str, ...]
    cases: Cases
    ask: Ask | None = None
    agree: Agree | None = None
    part: str = ""
    visible: int = VISIBLE
    fresh: int = FRESH
    returns: tuple[str, ...] | None = None
    trouble: bool | tuple[str, ...] = True
    finds: float = 0.0
    far: bool = True
    want: Any = None
    steady: bool = False


@dataclass(frozen=True)
class Promises:
    """The declaration of one check; see :func:`promises`."""

    kept: tuple[Promise, ...]
    reference: Reference
    ask: Ask
    agree: Agree
    returns: tuple[str, ...]
    always: tuple[Trouble, ...]
    forbid: tuple[str, ...]
    shares: Mapping[str, float]
    prose: tuple[str, ...]
    random: tuple[str, ...] = ()

    @property
    def alarm(self) -> float:
        """A bound on the chance that this check refuses what is right: of all its trials of random draws together."""
        chances = [(one.visible + one.fresh, one.agree or self.agree) for one in self.kept]
        counts = sum(trials for trials, agree in chances if agree.counts)
        return bound(counts) + sum(trials * agree.law for trials, agree in chances)

    def listed(self) -> list[Kept]:
        """All promises in order, those of the trouble last."""
        return [Kept(one.sentence, one.part, _note(one)) for one in self.kept] + [Kept(one.rule) for one in self.always]

    def trials(self, number: int, seed: int, *, small: bool = False) -> list[Trial]:
        """The trials of one promise, counted as in :meth:`listed`: those for people to look at, or fresh ones."""
        if number >= len(self.kept):
            return self._troubled(number, seed, small=small)
        one = self.kept[number]
        ask, agree = one.ask or self.ask, one.agree or self.agree
        names = self.returns if one.returns is None else one.returns
        cases = self.drawn(one, seed, one.visible if small else one.fresh, small=small)
        found = [self._trial(number, case, ask, agree, names, one.want) for case in cases]
        if small and one not in self._hosts(first=True):
            return found
        more = (self._trial(number, case, ask, agree, names) for case in self.edges(one, seed, small=small))
        return found + [one for one in more if not small or amount(one.case) + amount(one.want) <= SHOWN]

    def edges(self, one: Promise, seed: int, *, small: bool) -> list[Case]:
        """Cases in which one size is far beyond all others; in small ones all sizes in turn, also each at its lowest."""
        if not callable(one.cases) or self._by_chance(one) or not one.far or not (one.visible if small else one.fresh):
            return []
        own = derived(seed, f"{one.sentence}, far")
        first = Draw(own, 0, small=small)
        one.cases(first)
        order = [(number, end) for end in ((False, True) if small else (True,)) for number in range(first.open)]
        costly = given(as_case(one.cases(first))) > len(order) + 3  # numbers alone are cheap
        if not small and costly and one not in self._hosts(first=True):
            order = Random(own).sample(order, min(EDGES, len(order)))
        cases = (self._case(one, own, n, small=small, edge=edge) for n, edge in enumerate(order))
        return [case for case in cases if amount(case) <= LARGEST]

    def drawn(self, one: Promise, seed: int, count: int, *, small: bool) -> list[Case]:
        """Cases of a promise; more than ``count`` where each possibility of a draw is to come once (not in small ones)."""
        if not callable(one.cases):
            return [as_case(case) for case in one.cases]
        if small and not count:
            return []  # asked in grading alone
        own = derived(seed, one.sentence)
        first = Draw(own, 0, small=small)
        zero = as_case(one.cases(first))
        count = max(count, 1) if (usual := small or self._by_chance(one)) else max(count, min(first.most, 64))
        rest = [self._case(one, own, n, small=small, balanced=n == BALANCED and not usual) for n in range(1, count)]
        return [self._case(one, own, 0, small=small) if one.steady else zero, *rest]

    def _case(self, one: Promise, seed: int, number: int, *, small: bool, **how: Any) -> Case:
        """A case as it is drawn first, or for ``steady`` the first one whose answer does not hang on the last digits."""
        assert callable(one.cases)
        draws = range(AGAIN + 1 if one.steady and not small else 1)
        cases = (as_case(one.cases(Draw(seed, number, small=small, again=again, **how))) for again in draws)
        first = next(cases)
        if len(draws) == 1:
            return first
        ask, agree = one.ask or self.ask, one.agree or self.agree
        return next((case for case in (first, *cases) if not unsteady(self.reference, case, ask, agree)), first)

    def _by_chance(self, one: Promise) -> bool:
        """Whether samples are compared: then each further trial would be a chance of a false alarm."""
        agree = one.agree or self.agree
        return agree.law > 0 or agree.counts > 0

    def _troubled(self, number: int, seed: int, *, small: bool) -> list[Trial]:
        trouble = self.always[number - len(self.kept)]
        trials: list[Trial] = []
        named = [one for one in self.kept if type(one.trouble) is tuple and trouble.name in one.trouble]
        for host in [*self._hosts(first=small), *([] if small else named)]:
            ask, agree = host.ask or self.ask, trouble.agree or host.agree or self.agree
            names = () if trouble.agree else (self.returns if host.returns is None else host.returns)
            random, own = ask.name in self.random, derived(derived(seed, trouble.name), host.sentence)
            agree = same() if random else agree
            pairs = self._twins(host, own, small=small) if host.trouble is True else self._lonely(host, own)
            for case, twin in pairs:
                if trouble.after and not (small or random or self._by_chance(host)):  # first, while the case is new
                    usual, parts = host.agree or self.agree, self.returns if host.returns is None else host.returns
                    befores = [(), *((which,) for which in range(len([*neighbours(case)])))]
                    ways = [Ask(trouble.after, (ask, *before)) for before in befores]
                    trials += [self._trial(number, case, way, usual, parts, part=host.part) for way in ways]
                asks = trouble.asks(ask, twin, random=random)
                trials += [self._trial(number, case, way, agree, names, part=host.part) for way in asks]
        return trials

    def _lonely(self, host: Promise, seed: int) -> list[tuple[Case, None]]:
        """All fresh cases of a promise, each alone."""
        return [(case, None) for case in self.drawn(host, seed, host.fresh, small=False)]

    def _twins(self, one: Promise, seed: int, *, small: bool) -> list[tuple[Case, Case | None]]:
        """The first cases of a promise, one if people will look at it, each with another one.

        The other one has equal sizes and other numbers. Where no tensors are drawn it is the promise's
        next case.
        """
        count = 1 if small else TROUBLED
        if not callable(one.cases):
            cases = [as_case(case) for case in one.cases]
            return [(case, _other(case, nxt)) for case, nxt in zip(cases, [*cases[1:], None], strict=True)][:count]
        if small and not one.visible:
            return []
        pairs: list[tuple[Case, Case | None]] = []
        for n in range(count):
            ways: tuple[tuple[int, bool], ...] = ((n, False), (n, True), (n + 1, False))
            case, twin, following = (self._case(one, seed, number, small=small, twin=other) for number, other in ways)
            same = not with_tensors(twin.args) and twin.args == case.args
            pairs.append((case, _other(case, following) if same else twin))
        return pairs

    def _hosts(self, *, first: bool) -> list[Promise]:
        """The promises with whose cases trouble is made: of each thing that is asked the first one, or some."""
        found: dict[str, list[Promise]] = {}
        for one in self.kept:
            if one.trouble is True:
                found.setdefault(str(one.ask or self.ask), []).append(one)
        return [one for hosts in found.values() for one in hosts[: 1 if first else SOME]]

    def _trial(
        self, number: int, case: Case, ask: Ask, agree: Agree, names: tuple[str, ...], want: Any = None, part: str = ""
    ) -> Trial:
        if want is not None:
            return Trial(number, case, ask, agree, want, names, part)
        try:
            if agree.law:
                inner, calls = ask.options
                sample = Ask(ask.way, (inner, calls * TIMES))(self.reference, reseeded(case))
                want = table(agree.rows(case, sample))
                require_power(want["n"] // TIMES, want["n"], len(want["centre"]), ALARM, self.kept[number].finds)
                return Trial(number, case, ask, agree, want, names, part)
            want = ask(self.reference, case)
        except StudentError as error:
            raise CourseError(
                f"The reference fails on a case of {self.listed()[number].sentence!r}: {error}."
            ) from error
        return Trial(number, case, ask, agree, plain(want), names, part)


def promise(
    sentence: str,
    quote: str | Sequence[str],
    cases: Cases,
    *,
    ask: Ask | None = None,
    agree: Agree | None = None,
    part: str = "",
    visible: int = VISIBLE,
    fresh: int = FRESH,
    returns: Sequence[str] | None = None,
    trouble: bool | tuple[str, ...] = True,
    far: bool = True,
    want: Any = None,
    steady: bool = False,
) -> Promise:
    """One promise of an exercise.

    Args:
        sentence: what is promised, as the student reads it when it is broken.
        quote: words of the exercise's text that promise it, exactly; several for several places.
        cases: a function of a :class:`Draw` that returns a call's arguments as a tuple (or a :class:`Case`), or a list of them.
        ask, agree, returns: where they differ from the exercise's.
        part: of the points that hangs on it, where it is not named as the function that is asked.
        visible, fresh: numbers of cases in the notebook and in grading; ``visible=0`` draws none, as is right for what comes by
            chance, since no record of a mistake could be found again. In grading there is always one case at least, and more
            than ``fresh`` where an ``each`` has more options. Of a list all cases are taken, whatever these numbers are.
        trouble: whether trouble is made with its cases; names of the kinds that are made with all of them in grading, for
            sizes at which these kinds alone have something to find.
        far: whether there are cases with one size far beyond all others; not where many calls or a bound depend on it.
        want: the right answer, where it is the same in all cases; the oracle is then asked in the build alone.
        steady: whether a case in grading is drawn again, up to ``AGAIN`` times, where the oracle's answer hangs on the last
            digits of what it is given (``steady``). `right-answers` names the promises that need it.
    """
    quotes, own = (quote,) if isinstance(quote, str) else tuple(quote), None if returns is None else tuple(returns)
    return Promise(
        sentence, quotes, cases, ask, agree, part, visible, fresh, own, trouble, far=far, want=want, steady=steady
    )


def law(
    sentence: str,
    quote: str | Sequence[str],
    cases: Cases,
    *,
    ask: Ask,
    view: str = "",
    features: Sequence[str] = (),
    finds: float = 0.0,
    reader: str = "",
    calls: int = 1,
    one_generator: bool = True,
    by_call: bool = False,
    part: str = "",
    visible: int = 1,
    fresh: int = 2,
) -> Promise:
    """A promise about a random procedure: its draws follow the joint law of the oracle's.

    Args:
        view: full name of a function ``view(case, result)`` of course_utils: rows (k, F) of features, one row per independent
            draw, in the order of the draws; rare branches deserve features of their own (``laws``).
        features: their names, for sentences.
        finds: the deviation of a distribution function that must be found; too few draws for it are an error of the build.
        reader: for results in whole numbers, in place of a view: full name of what names what is counted (``counts``).
        calls: how many calls make a sample.
        one_generator: whether they share one generator as it stands; for a reader False gives each call a state of its own.
        by_call: for a reader, whether only calls are independent of each other, and not the numbers inside of one.
        visible, fresh: numbers of cases in the notebook and in grading.
    """
    if bool(view) == bool(reader) or bool(view) != (finds > 0):
        raise CourseError("A law needs a view and the deviation that it finds, or a reader.")
    counted = draws(ask.name, reader, calls, one_generator=one_generator, by_call=by_call)
    one = promise(
        sentence, quote, cases, ask=counted if reader else Ask("drawn", (ask, calls)),
        agree=by_law() if reader else Agree(view=view, law=ALARM), part=part,
        visible=visible, fresh=fresh, returns=None if reader else features, trouble=False,
    )  # fmt: skip
    return replace(one, finds=finds)


def promises(
    *,
    reference: Mapping[str, Any],
    kept: Sequence[Promise],
    ask: Ask | None = None,
    agree: Agree | None = None,
    returns: Sequence[str] = (),
    always: Sequence[Trouble] = (unchanged, repeatable, layouts),
    forbid: Sequence[str] = (),
    shares: Mapping[str, float] | None = None,
    prose: Sequence[str] = (),
    random: Sequence[str] = (),
) -> Promises:
    """Declare a check.

    Args:
        reference, kept: the oracle, by the names that the student's notebook has for the same things; the promises.
        ask: how the student is asked; None calls the function of the reference's first name.
        agree: how answers are compared; None: with :func:`close`'s tolerance.
        returns: names of the parts of a tuple that is returned, or of the result.
        always, forbid: trouble from the library; names that the answer must not use.
        shares: shares of the points by parts, with sum 1. A promise without a part belongs to that of its function's name.
        prose, random: sentences of the docstring that promise nothing; functions with random results (equal generators).

    Raises CourseError for equal sentences, parts that do not fit, a rule that makes no trouble, and too many trials by chance.
    """
    first = ask or call(next(iter(reference)))
    asked = [(one.ask or first).name for one in kept]
    kept = [
        replace(one, part=one.part or name * (name in (shares or {}))) for one, name in zip(kept, asked, strict=True)
    ]
    require_whole(kept, shares or {})
    require_repeated(kept, first, always)
    made = Promises(
        tuple(kept), Reference(reference), first, agree or close(), tuple(returns), tuple(always), tuple(forbid),
        dict(shares or {}), tuple(prose), tuple(random),
    )  # fmt: skip
    if made.alarm > RARE:
        raise CourseError(f"This check may refuse a right answer with probability {made.alarm:g}: have fewer trials.")
    return made


def _note(one: Promise) -> str:
    return f"finds every deviation of {one.finds:g}" if one.finds else ""


def _other(case: Case, following: Case | None) -> Case | None:
    """The following case, if a function may be called with the arguments of both in turn: none by name, no module."""
    if following is None or case.kwargs or following.kwargs or "sizes" in case.setup:
        return None
    return following if len(case.args) == len(following.args) else None
