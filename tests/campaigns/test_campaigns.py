"""Every campaign holds on a small scale, and the page says what was recorded."""

from pathlib import Path

import pytest

from campaigns import page
from campaigns.audit import watched
from campaigns.campaign import Campaign, Result, run
from campaigns.registry import CAMPAIGNS

RECORD = Path(page.__file__).parent / "results"


@pytest.mark.long
@pytest.mark.parametrize("name", CAMPAIGNS)
def test_the_promise_holds_in_small_form(name):
    campaign = CAMPAIGNS[name]
    result = run(campaign, range(campaign.in_tests))
    assert result.broken == []
    assert result.trials == result.outcomes.total() == campaign.in_tests


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_the_recorded_result_broke_nothing(name):
    result = Result.load(RECORD / f"{name}.json")
    assert result.trials > 0
    assert result.n_broken == 0


def test_the_page_holds_the_recorded_results():
    assert page.table(RECORD) in page.PAGE.read_text(encoding="utf-8")


def test_a_broken_promise_is_found():
    def trial(number, folder):
        assert number != 2, "two"
        return "held"

    result = run(Campaign("", "", trial, goal=4, in_tests=4), range(4))
    assert result.outcomes == {"held": 3}
    assert [broken["trial"] for broken in result.broken] == [2]


def test_what_data_must_never_bring_about_is_found(tmp_path):
    def trial(number, folder):
        with watched(folder):
            (folder if number == 0 else tmp_path).joinpath("file").write_text("")
        return "held"

    result = run(Campaign("", "", trial, goal=2, in_tests=2), range(2))
    assert [broken["trial"] for broken in result.broken] == [1]
    assert "ForbiddenError" in result.broken[0]["what"]


def test_a_trial_that_hangs_is_found():
    def trial(number, folder):
        try:
            while True:
                pass
        except Exception:
            return "swallowed"

    result = run(Campaign("", "", trial, goal=1, in_tests=1, seconds=0.1), range(1))
    assert result.n_broken == 1
    assert "HungError" in result.broken[0]["what"]
