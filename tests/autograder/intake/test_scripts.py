"""Names in scripts whose vowels are signs on letters: the signs count, however they are encoded."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from autograder.intake.discover import survey
from autograder.intake.names import student_id, unfit
from tests.autograder.intake.spoofs import Case, export, played, roster

# Two people each, whose names differ in signs alone.
PAIRS = {
    "Devanagari": ("राम", "रीम"),
    "Bengali": ("রিমা", "রুমা"),
    "Tamil": ("கமலி", "கமலு"),
    "Thai": ("สุดา", "สีดา"),
    "Telugu": ("రాము", "రామి"),
    "Sinhala": ("කමල", "කමලා"),
    "Khmer": ("សុភា", "សោភា"),
    "Burmese": ("မောင်", "မိုင်"),
    "Thaana": ("އަލީ", "އިލީ"),
    "no composed form": ("m\u0308ia", "mia"),
}


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_signs_tell_people_apart_in_a_class_list(pair: tuple[str, str], tmp_path: Path) -> None:
    people = roster(tmp_path, f"id,name\nfirst,{pair[0]} Roe\nsecond,{pair[1]} Roe\n")
    folder = export(tmp_path, {f"{pair[0]} Roe/": "first", f"Roe, {pair[1]}/": "second"})
    whose, entries = played(Case(folder, {}, 2, "folders", people), tmp_path / "dest")
    assert whose == {"first": "first", "second": "second"} and entries == 2
    alone = roster(tmp_path, f"id,name\nfirst,{pair[0]} Roe\n")
    handins = survey(folder, "folders", alone)
    assert [one.student for one in handins.found] == ["first"] and "of nobody" in handins.refused[0].reason


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_signs_stay_in_ids(pair: tuple[str, str], tmp_path: Path) -> None:
    whose, _ = played(Case(export(tmp_path, {f"{one}/": one for one in pair}), {}, 2, "folders"), tmp_path / "dest")
    assert whose == {unicodedata.normalize("NFC", one): one for one in pair}
    for one in pair:
        assert student_id(student_id(one)) == student_id(one)


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        ("José", "Jose\u0301"),
        ("Nguye\u0302\u0303n", "Nguyễn"),
        ("क\u093cमर", "\u0958मर"),
        ("İlker", "ilker"),
        ("محمد", "مُحَمَّد"),
        ("O'Brien", "O’Brien"),
        ("Z\u034foe", "Zoe"),
    ],
)
def test_one_name_in_two_encodings_is_one_person(listed: str, said: str, tmp_path: Path) -> None:
    people = roster(tmp_path, f"id,name\nanna,{listed} Roe\nbob,Bob Roe\n")
    handins = survey(export(tmp_path, {f"{said} Roe/": "anna"}), "folders", people)
    assert [one.student for one in handins.found] == ["anna"]


def test_signs_alone_are_no_id() -> None:
    assert student_id("\u0301x \u0301\u0302y") == "x_y"
    assert student_id("\u0301\u0302").startswith("student_")
    assert student_id("a\ufe0fb\u200dc") == "a_b_c"


def test_thai_letters_that_everybody_writes_are_ordinary() -> None:
    assert [unfit(name) for name in ("สำราญ", "ຄຳ", "ໜູ")] == ["", "", ""]
    assert "only look like" in unfit("ａnna")
