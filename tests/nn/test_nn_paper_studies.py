"""Studies of the paper that need PyTorch run in their quick form and leave its global state alone."""

import pytest
from nn_cases import torch

from reproduction.studies import STUDIES
from tests.study_forms import assert_the_quick_form_runs_and_is_kept

NEEDY = [name for name, study in STUDIES.items() if "torch" in study.needs]


@pytest.mark.parametrize("name", NEEDY)
def test_the_quick_form_runs_and_is_kept(name, tmp_path, two_threads):
    before = torch.get_rng_state()
    assert_the_quick_form_runs_and_is_kept(STUDIES[name], tmp_path)
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.get_num_threads() == 2
