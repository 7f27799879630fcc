"""Points in parts: each function's promises, and the rules for all that is asked, cost its own part alone."""

from __future__ import annotations

import pytest

from course_utils.checks.agree import close
from course_utils.checks.asking import call
from course_utils.checks.casefile import Entry, from_json, to_json
from course_utils.checks.promised import answers_of, run
from course_utils.checks.promises import promise, promises
from course_utils.checks.selfcheck import Student
from course_utils.checks.trouble import unchanged
from course_utils.checks.verdict import lost_parts, share
from course_utils.errors import CourseError
from tests.course_utils.checks.test_promises import scaled, vectors


def test_parts_give_a_share_and_never_without_their_promises():
    declared = promises(
        reference={"scaled": scaled},
        shares={"product": 0.75, "factor": 0.25},
        kept=[
            promise("the product", "q", vectors, part="product", agree=close(view="tests.views.first")),
            promise("the factor", "q", vectors, part="factor", agree=close(view="tests.views.second")),
        ],
    )
    assert declared.shares == {"product": 0.75, "factor": 0.25}
    with pytest.raises(CourseError, match="parts"):
        promises(reference={"f": scaled}, kept=[promise("a", "q", vectors, part="one")])


def twofold(x, k):
    return 2 * k * x


def in_parts():
    """Two functions, each with half of the points; the rule for all that is asked has trials of both."""
    return promises(
        reference={"scaled": scaled, "twofold": twofold},
        shares={"scaled": 0.5, "twofold": 0.5},
        always=(unchanged,),
        kept=[promise("one", "q", vectors), promise("two", "q", vectors, ask=call("twofold"))],
    )


def test_a_promise_belongs_to_the_part_with_the_name_of_the_function_that_it_asks():
    assert [one.part for one in in_parts().listed()] == ["scaled", "twofold", ""]
    assert {trial.part for trial in in_parts().trials(2, 1)} == {"scaled", "twofold"}
    with pytest.raises(CourseError, match="On which part"):
        promises(reference={"f": scaled, "g": twofold}, shares={"f": 1}, kept=[
            promise("a", "q", vectors), promise("b", "q", vectors, ask=call("g"))
        ])  # fmt: skip


def todo(x, k):
    raise NotImplementedError


WRONG = {
    "another value": lambda right: lambda x, k: 0,
    "changes an argument": lambda right: lambda x, k: (right(x, k), x.zero_())[0],
    "an exception": lambda right: lambda x, k: 1 / 0,
    "not written": lambda right: todo,
}


@pytest.mark.parametrize("wrong", [*WRONG, "no name"])
@pytest.mark.parametrize("name", ["scaled", "twofold"])
def test_one_wrong_function_costs_its_own_part_alone(wrong, name):
    declared = in_parts()
    trials = tuple(one for number in range(3) for one in declared.trials(number, 1, small=True))
    made = from_json(to_json(Entry("", tuple(declared.listed()), trials, (), shares=declared.shares)))
    names = {"scaled": scaled, "twofold": twofold}
    right = names.pop(name)
    names |= {name: WRONG[wrong](right)} if wrong in WRONG else {}
    answers = answers_of(made, Student(lambda: names))
    assert share(made, answers) == 0.5 and name in lost_parts(made, answers)
    assert run("parts", made, Student(lambda: names))[0] == "partial"
    assert run("parts", made, Student(lambda: names | {"scaled": todo, "twofold": todo}))[0] == "unsolved"
