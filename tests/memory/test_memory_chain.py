"""A chain does what its projections do, one after another, and learns all of them or none."""

import numpy as np
import pytest

from hebbian_descent import RULES, Layer, Rule, load, patterns
from hebbian_descent.memory import (
    Area,
    AssociativeMemory,
    Chain,
    HopfieldMemory,
    WillshawMemory,
    random_projection,
)
from hebbian_descent.storage.models import ModelFileError, write_model

X = patterns.sparse(12, 20, activity=0.3, seed=0)
STATES = patterns.sparse(12, 30, activity=0.2, seed=1)
SIX = 6


def new_chain(**recurrent):
    return Chain(
        [Area("EC", 20), Area("DG", 80, winners=8), Area("CA3", 30, winners=SIX), Area("output", 20)],
        [
            random_projection(20, 80, connections=10, seed=0),
            AssociativeMemory(80, 30),
            AssociativeMemory(30, 20),
        ],
        recurrent=recurrent,
    )


def most_excited(row, k):
    """Return 1 for the k largest of a list and 0 for the others, by sorting."""
    order = sorted(range(len(row)), key=lambda unit: -row[unit])
    return [1.0 if unit in order[:k] else 0.0 for unit in range(len(row))]


def by_hand(x, layer, into, out):
    codes = np.array([most_excited(row @ layer.weights, 8) for row in x])
    states = np.array([most_excited(into.recall(code), SIX) for code in codes])
    return codes, states, np.array([out.recall(state) for state in states])


def test_storing_and_recalling_is_what_the_projections_do_by_hand():
    chain = new_chain()
    layer, into, out = chain.projections[0], AssociativeMemory(80, 30), AssociativeMemory(30, 20)
    codes = np.array([most_excited(row @ layer.weights, 8) for row in X])
    into.store(codes, STATES)
    out.store(STATES, X)
    chain.store(X, X, given={"CA3": STATES})
    codes, states, output = by_hand(X, layer, into, out)
    found = chain.activities(X)
    assert list(found) == ["EC", "DG", "CA3", "output"]
    np.testing.assert_array_equal(found["DG"], codes)
    np.testing.assert_array_equal(found["CA3"], states)
    np.testing.assert_allclose(chain.recall(X), output, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(chain.recall(X[3]), output[3], rtol=1e-12, atol=1e-12)
    assert chain.n_stored == 12


def test_pairs_one_by_one_or_all_at_once_are_the_same():
    together, apart = new_chain(), new_chain()
    together.store(X, X, given={"CA3": STATES})
    for x, state in zip(X, STATES, strict=True):
        apart.store(x, x, given={"CA3": state})
    np.testing.assert_array_equal(together.recall(X), apart.recall(X))


def test_a_sequence_is_replayed_through_the_recurrent_area():
    recurrent = AssociativeMemory(30, 30)
    for _ in range(5):
        recurrent.store_sequence(STATES)
    chain = new_chain(CA3=recurrent)
    for _ in range(3):
        chain.store(X, X, given={"CA3": STATES})
    replayed = chain.replay(X[0], 11)
    state = chain.activities(X[:1])["CA3"][0]
    for step in range(11):
        state = np.array(most_excited(recurrent.recall(state), SIX))
        np.testing.assert_allclose(replayed[step], chain.projections[2].recall(state), rtol=1e-12, atol=1e-12)
    assert (np.abs(replayed - X[1:]).mean(axis=1) < 0.2).all()
    assert chain.replay(X[:3], 4, between="threshold").shape == (3, 4, 20)


def test_without_a_recurrent_area_the_end_is_fed_back():
    chain = new_chain()
    chain.store(X[:-1], X[1:], given={"CA3": STATES[:-1]})
    once = chain.recall(X[0])
    np.testing.assert_allclose(chain.replay(X[0], 2), [once, chain.recall(once)], rtol=1e-12, atol=1e-12)


def test_fixed_and_recurrent_projections_stay_as_they_are():
    recurrent = AssociativeMemory(30, 30)
    chain = new_chain(CA3=recurrent)
    fixed, loop = chain.projections[0].weights.copy(), recurrent.network.weights.copy()
    chain.store(X, X, given={"CA3": STATES})
    np.testing.assert_array_equal(chain.projections[0].weights, fixed)
    np.testing.assert_array_equal(chain.recurrent["CA3"].network.weights, loop)


@pytest.mark.parametrize("plastic", [
    lambda: AssociativeMemory(80, 20, rule="hebb"),
    lambda: AssociativeMemory(80, 20, activation="step"),
    lambda: WillshawMemory(80, 20, n_winners=6),
])  # fmt: skip
def test_any_memory_of_pairs_is_a_plastic_projection(plastic):
    chain = Chain(
        [Area("a", 20), Area("b", 80, winners=8), Area("c", 20)],
        [random_projection(20, 80, seed=0), plastic()],
    )
    chain.store(X[:4], X[:4])
    nearest = ((chain.recall(X[:4])[:, np.newaxis] - X[:4]) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(nearest, range(4))
    assert chain.n_bytes == chain.projections[1].n_bytes + 8 * (20 * 80 + 80 + 20)


def test_an_exception_leaves_all_projections_as_they_were():
    chain = new_chain()
    chain.store(X[:5], X[:5], given={"CA3": STATES[:5]})
    before = chain.recall(X)
    graded = Chain(chain.areas, [*chain.projections[:2], WillshawMemory(30, 20)])
    graded.store(X[:2], X[:2], given={"CA3": STATES[:2]})
    known = graded.recall(X)
    with pytest.raises(ValueError, match="must be"):  # by the last projection, after the first
        graded.store(X[5:], 0.5 * X[5:], given={"CA3": STATES[5:]})
    assert graded.n_stored == 2
    np.testing.assert_array_equal(graded.recall(X), known)
    np.testing.assert_array_equal(chain.recall(X), before)


def test_a_copy_learns_alone():
    chain = new_chain()
    chain.store(X[:5], X[:5], given={"CA3": STATES[:5]})
    before, copied = chain.recall(X), chain.copy()
    copied.store(X[5:], X[5:], given={"CA3": STATES[5:]})
    np.testing.assert_array_equal(chain.recall(X), before)
    assert (chain.n_stored, copied.n_stored) == (5, 12)


def test_a_chain_comes_back_from_its_file_and_learns_on(tmp_path):
    chain = new_chain(CA3=AssociativeMemory(30, 30, rule="hebb"), DG=random_projection(80, 80, seed=1))
    chain.store(X[:5], X[:5], given={"CA3": STATES[:5]})
    chain.save(tmp_path / "chain.safetensors")
    found = load(tmp_path / "chain.safetensors")
    assert (repr(found), found.areas, list(found.recurrent)) == (repr(chain), chain.areas, ["CA3", "DG"])
    for one in (chain, found):
        one.store(X[5:], X[5:], given={"CA3": STATES[5:]})
    np.testing.assert_array_equal(chain.recall(X), found.recall(X))
    np.testing.assert_array_equal(chain.replay(X[0], 3), found.replay(X[0], 3))
    own = Chain(AREAS, [AssociativeMemory(4, 3, rule=Rule("mine", RULES["hebb"].factors))])
    with pytest.raises(ModelFileError, match="a custom 'mine'"):
        own.save(tmp_path / "chain.safetensors")


@pytest.mark.parametrize(("change", "sentence"), [
    (lambda p, a: p.pop("areas"), "The parameters must be"),
    (lambda p, a: p.update(n_stored=-1), "a number of patterns stored"),
    (lambda p, a: p.update(areas="EC"), "must have lists of areas"),
    (lambda p, a: p["areas"].append(["more", 3]), "must have a name, units and winners"),
    (lambda p, a: p["areas"].append(["more", 3, None]), "lead from area to area.*Got 5 areas, 4 projections"),
    (lambda p, a: p["areas"].__setitem__(1, ["DG", 79, 8]), "must have 20 inputs and 79 outputs"),
    (lambda p, a: p["areas"].__setitem__(1, ["DG", "many", 8]), "number of units of 'DG'"),
    (lambda p, a: p.update(recurrent=["nowhere"]), "one of EC, DG, CA3, output. Got 'nowhere'"),
    (lambda p, a: p.update(recurrent=[["CA3"]]), "cannot be made"),
    (lambda p, a: p["projections"][0].update(kind="HebbianDescentClassifier"), "a Layer or a memory"),
    (lambda p, a: p["projections"][0].update(kind=["Layer"]), "a Layer or a memory"),
    (lambda p, a: p["projections"].__setitem__(0, 3), "description of a projection must be"),
    (lambda p, a: a.update(p9_weights=np.ones(3)), "1 other arrays"),
    (lambda p, a: a.pop("p0_weights"), "The arrays must be"),
])  # fmt: skip
def test_a_file_that_does_not_fit_together_is_refused(change, sentence, tmp_path):
    chain = new_chain(CA3=AssociativeMemory(30, 30))
    parameters, arrays = chain._contents()
    change(parameters, arrays)
    write_model(tmp_path / "file", "Chain", parameters, arrays)
    with pytest.raises(ModelFileError, match=sentence):
        load(tmp_path / "file")


def test_forgetting_is_measured_as_in_any_memory():
    chain = new_chain()
    chain.store(X, X, given={"CA3": STATES})
    curve = chain.forgetting_curve(X, X)
    assert curve.age[0] == 1
    np.testing.assert_allclose(curve.value[::-1], np.abs(chain.recall(X) - X).mean(axis=1), rtol=1e-12)


def test_each_unit_of_a_random_projection_has_its_connections():
    weights = random_projection(50, 400, connections=7, seed=3).weights
    np.testing.assert_array_equal((weights != 0).sum(axis=0), 7)
    assert abs(weights[weights != 0].var() * 7 - 1) < 0.1
    np.testing.assert_array_equal(weights, random_projection(50, 400, connections=7, seed=3).weights)


AREAS = [Area("a", 4), Area("b", 3)]


@pytest.mark.parametrize(("make", "sentence"), [
    (lambda: Area("a", 4, winners=5), "'a' can have at most 4 winners, one per unit. Got 5"),
    (lambda: Area("a", 0), "number of units of 'a'"),
    (lambda: Chain(AREAS[:1], []), r"two or more areas, with different names. Got \['a'\]"),
    (lambda: Chain([AREAS[0], AREAS[0]], [AssociativeMemory(4, 4)]), "different names"),
    (lambda: Chain(AREAS, []), "has 1 projections. Got 0"),
    (lambda: Chain(AREAS, [AssociativeMemory(4, 4)]), "must have 4 inputs and 3 outputs. Got 4 and 4"),
    (lambda: Chain(AREAS, [np.eye(4)]), "must be a Layer or a memory. Got"),
    (lambda: Chain([AREAS[0], Area("b", 4)], [HopfieldMemory(4)]), "must store pairs. Got HopfieldMemory"),
    (lambda: Chain(AREAS, [AssociativeMemory(4, 3)], recurrent={"c": None}), "one of a, b. Got 'c'"),
    (lambda: random_projection(4, 3, connections=5, seed=0), "as there are, 4. Got 5"),
    (lambda: new_chain().store(X, X), "'DG' to 'CA3' learns the activity of 'CA3'. Got none: pass given"),
    (lambda: new_chain().store(X), "Got no targets"),
    (lambda: new_chain().store(X, X, given={"CA3": STATES[:2]}), "'CA3' must have one row per pattern, 12"),
    (lambda: new_chain().store(X, X, given={"CA1": STATES}), "one of EC, DG, CA3, output. Got 'CA1'"),
])  # fmt: skip
def test_bad_input_is_one_sentence(make, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((ValueError, TypeError), match=sentence):
        make()


def test_a_layer_is_fixed_with_any_activation():
    rng = np.random.default_rng(0)
    chain = Chain(AREAS, [Layer.create(4, 3, activation="sigmoid", rng=rng)])
    chain.store(np.eye(4), np.ones((4, 3)))
    np.testing.assert_allclose(chain.recall(np.eye(4)), chain.projections[0].output(np.eye(4)))
