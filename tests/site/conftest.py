"""The site that `make docs` built."""

from pathlib import Path

import pytest

SITE = Path(__file__).parent.parent.parent / "site"


@pytest.fixture(scope="session")
def site():
    if not (SITE / "index.html").exists():
        pytest.fail("There must be a site. `make docs` builds it.")
    return SITE
