"""The verdicts of the present code are those of `verdicts.json`, which was written before it was moved."""

import json

import pytest

from tests.golden import verdicts

PARTS = ("verdict_counts", "printed", "paired", "studies")


@pytest.fixture(scope="module")
def present():
    return json.loads(json.dumps(verdicts.present()))


@pytest.fixture(scope="module")
def golden():
    return json.loads(verdicts.FILE.read_text(encoding="utf-8"))


def without_answers(part):
    """Sentences may be written anew: only their numbers are compared."""
    return {name: {**each, "answer": ""} if "answer" in each else each for name, each in part.items()}


@pytest.mark.parametrize("part", PARTS)
def test_verdicts_are_the_golden_ones(part, present, golden):
    assert without_answers(present[part]) == without_answers(golden[part])


def test_answers_of_studies_have_all_golden_numbers(present, golden):
    for name, study in golden["studies"].items():
        assert not verdicts.missing_numbers(study["answer"], present["studies"][name]["answer"]), name


def test_claims_have_the_golden_verdicts_and_all_numbers_of_their_findings(golden):
    for number, statement, verdict, findings in verdicts.judged_claims():
        claim = golden["claims"][str(number)]
        assert (statement, verdict) == (claim["statement"], claim["verdict"])
        missing = verdicts.numbers_in(claim["findings"]) - verdicts.numbers_in(findings)
        assert not missing, (number, findings)


def test_each_of_them_is_there(golden):
    n_of = {part: sum(map(count, golden[part].values())) for part in ("printed", "paired")}
    counts = golden["verdict_counts"]
    assert sum(counts["printed results"].values()) == 2596
    assert sum(counts["printed deviations and learning rates"].values()) == n_of["printed"] - 2596
    assert n_of["paired"] == 1972
    assert (len(golden["claims"]), len(golden["studies"])) == (45, 9)


def count(tree):
    return sum(map(count, tree.values())) if isinstance(tree, dict) else 1
