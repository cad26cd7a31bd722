"""The page on losses and centering shows the runs that are kept."""

import importlib
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = ("common", "study_page", "losses_and_centering")


@pytest.fixture(scope="module")
def study():
    """The modules of the page by name, as a script imports them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "examples" / "nn")
        for name in MODULES:
            patch.delitem(sys.modules, name, raising=False)
        yield {name: importlib.import_module(name) for name in MODULES}
        for name in MODULES:
            sys.modules.pop(name, None)


def test_the_page_shows_what_is_kept(study):
    page = (ROOT / "docs" / "nn" / "README.md").read_text(encoding="utf-8")
    kept = study["losses_and_centering"].saved_search()
    for name, make in study["losses_and_centering"].TABLES.items():
        assert study["study_page"].with_table(page, name, make(kept)) == page, name


def test_no_grid_of_what_is_kept_ends_at_its_best_rate(study):
    module = study["losses_and_centering"]
    kept = module.saved_search()
    cells = {network: study["study_page"].found(kept, network) for network in module.all_networks()}
    assert sum(cell is not None for cell in cells.values()) > 100
    for network, cell in cells.items():
        if cell is not None:
            rates = list(kept.rates(network))
            assert rates[0] < cell[0] < rates[-1], str(network)


def test_what_is_kept_is_small_and_whole(study):
    file = study["losses_and_centering"].KEPT
    assert file.stat().st_size < 400_000
    assert all(len(each) <= 5 for runs in json.loads(file.read_text()).values() for each in runs.values())


def test_a_search_adds_to_the_file_that_it_began_with(study, tmp_path):
    module, file = study["losses_and_centering"], tmp_path / "kept.json"
    module.save(file, {"a network": {"0.1": [[0.25, 0.5]]}})
    assert module.saved_search(file).kept == {"a network": {"0.1": [[0.25, 0.5]]}}
    assert module.saved_search(tmp_path / "none.json").kept == {}
