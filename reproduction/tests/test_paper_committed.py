"""What is committed is what the code makes of the committed evidence: no document may drift from it."""

import shutil
from collections import Counter
from pathlib import Path

import pytest

from reproduction.claims import CLAIMS
from reproduction.claims.autoencoder_runs import NETWORKS
from reproduction.claims.base import kept_claims
from reproduction.document import document
from reproduction.kept_evidence import DRAWS, KEPT_FILES, SUMMARY
from reproduction.old_evidence import summary_file
from reproduction.results import Results
from reproduction.run_context import RunContext
from reproduction.tables import TABLES

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "reproduction" / "data"
LONG = {3, 14, 18, 19}  # claims that train networks for minutes: `hebbian-descent claims --again`


@pytest.fixture(scope="module")
def results():
    return Results(KEPT, kept_only=True)


@pytest.fixture(scope="module")
def context(tmp_path_factory):
    """Return a run that has the evidence and nothing else."""
    folder = tmp_path_factory.mktemp("kept") / "run"
    return RunContext(shutil.copytree(KEPT, folder, ignore=lambda *_: ["store", "measured", "figures"]))


def test_all_of_it_is_there_and_small():
    assert all((KEPT / name).is_file() for name in KEPT_FILES)
    assert (KEPT / DRAWS).stat().st_size < 4e6


def test_the_summary_has_the_verdicts_of_this_code(results):
    assert summary_file(results) == (KEPT / SUMMARY).read_bytes()


def test_the_document_is_made_of_the_evidence():
    committed = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")
    # `hebbian-descent evidence` writes it again.
    assert document(KEPT, ROOT / "docs" / "figures") == committed


def test_the_front_page_has_the_counts_of_the_evidence(results):
    words = Counter(verdict.word for label in TABLES for verdict in results.verdicts(label))
    counts = f"of {words.total():,} numbers, {words['agrees']:,} agree, {words['differs']} differ and "
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert counts + f"{words['undecided']} are undecided" in readme


def test_every_printed_result_is_in_the_evidence_with_its_origin(results):
    for label in TABLES:
        assert all(verdict.n for verdict in results.verdicts(label)), label
        origin = results.origin(label)
        assert origin.date, label
        assert origin.commit, label
        assert origin.seeds, label
        if label in results.kept.rows:
            assert origin.versions, label
            assert origin.processor, label


def test_claims_have_the_words_of_this_code():
    kept = {claim.number: claim for claim in kept_claims(KEPT)}
    assert set(kept) == {claim.number for claim in CLAIMS}
    for claim in CLAIMS:
        found = kept[claim.number]
        for word in ("statement", "section", "check", "rule", "evidence", "correction"):
            assert getattr(found, word) == getattr(claim, word), (claim.number, word)


@pytest.mark.parametrize("number", sorted({claim.number for claim in CLAIMS} - LONG))
def test_claims_have_the_verdict_of_this_code(number, context):
    (claim,) = (claim for claim in CLAIMS if claim.number == number)
    (kept,) = (found for found in kept_claims(KEPT) if found.number == number)
    judged = claim.judge(context)
    assert judged.verdict == kept.verdict
    if set(claim.evidence) <= set(TABLES):  # The others compute, with last digits of their processor.
        assert judged.findings == kept.findings


def test_the_claim_on_hidden_units_names_every_network_that_is_trained():
    (claim,) = (claim for claim in kept_claims(KEPT) if claim.number == 19)
    for dataset in ("digits", "adult"):
        assert all(f"{dataset} {hidden}/{output} " in claim.findings for hidden, output in NETWORKS)
