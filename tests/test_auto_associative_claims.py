"""What the paper says about auto-associative learning, statement by statement."""

import numpy as np
import pytest

from hebbian_descent import AUTO_RULES, LOSSES, Autoencoder, train
from hebbian_descent.rules import get_error_term
from hebbian_descent.rules.base import AutoActivity


def make_network(hidden="sigmoid", visible="sigmoid", n_hidden=3, seed=0, centered=True):
    rng = np.random.default_rng(seed)
    n_inputs = 5
    network = Autoencoder.from_weights(
        rng.normal(size=(n_inputs, n_hidden)) / 2, hidden_activation=hidden, output_activation=visible
    )
    network.offset[:] = rng.random(n_inputs) if centered else 0
    network.hidden_offset[:] = rng.random(n_hidden) if centered else 0
    if centered:
        network.bias[:] = rng.normal(size=n_hidden) / 2
        network.decoder_bias[:] = rng.normal(size=n_inputs) / 2
    return network, rng.random((6, n_inputs))


def change_of(rule, network, x, error="difference", **parameters):
    activity = AutoActivity(network, x, network.forward(x), get_error_term(error))
    return AUTO_RULES[rule](**parameters).change(activity)


def test_hebbian_descent_is_contrastive_divergence_with_clamped_hidden_units():
    network, x = make_network()
    clamped = change_of("contrastive", network, x, steps=1, clamp_hidden=True)
    hd = change_of("hebbian_descent", network, x)
    np.testing.assert_allclose(clamped.weights, hd.weights, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(clamped.decoder_bias, hd.decoder_bias, rtol=1e-10, atol=1e-14)
    np.testing.assert_array_equal(clamped.bias, 0)


def test_true_cd1_infers_the_hidden_units_again_and_is_another_update():
    network, x = make_network()
    cd1 = change_of("contrastive", network, x, steps=1)
    hd = change_of("hebbian_descent", network, x)
    assert np.abs(cd1.weights - hd.weights).max() > 0.02
    np.testing.assert_allclose(cd1.decoder_bias, hd.decoder_bias, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("n_hidden", [1, 3])
def test_linear_hebbian_descent_is_ojas_subspace_rule(n_hidden):
    network, x = make_network("linear", "linear", n_hidden, centered=False)
    oja, hd = change_of("oja", network, x), change_of("hebbian_descent", network, x)
    np.testing.assert_allclose(oja.weights, hd.weights, rtol=1e-12)


def test_linear_hebbian_descent_is_sangers_rule_for_one_unit_and_not_for_two():
    for n_hidden, equal in ((1, True), (2, False)):
        network, x = make_network("linear", "linear", n_hidden, centered=False)
        gap = change_of("sanger", network, x).weights - change_of("hebbian_descent", network, x).weights
        assert (np.abs(gap).max() < 1e-12) == equal


def test_sangers_rule_sums_over_the_units_up_to_its_own():
    network, x = make_network("linear", "linear", 3, centered=False)
    W = network.weights
    expected = np.zeros_like(W)
    for row in x:
        h = row @ W
        for j in range(3):
            expected[:, j] -= h[j] * (row - sum(h[k] * W[:, k] for k in range(j + 1))) / len(x)
    np.testing.assert_allclose(change_of("sanger", network, x).weights, expected, rtol=1e-12)


def principal_axes(x, n):
    return np.linalg.svd(x - x.mean(axis=0), full_matrices=False)[2][:n].T


def stretched_data():
    rng = np.random.default_rng(7)
    return rng.normal(size=(400, 5)) * [3.0, 2.0, 1.0, 0.3, 0.2] @ np.linalg.qr(rng.normal(size=(5, 5)))[0]


def test_sanger_finds_the_principal_components_and_oja_their_subspace():
    x = stretched_data()
    axes = principal_axes(x, 2)
    found = {}
    for rule in ("oja", "sanger", "hebbian_descent"):
        network = Autoencoder.create(
            5,
            2,
            hidden_activation="linear",
            output_activation="linear",
            offset=x.mean(axis=0),
            hidden_offset=0.0,
            rng=np.random.default_rng(1),
        )
        train(network, x, rule=rule, learning_rate=0.02, batch_size=400, epochs=3000, hidden_shift=0.0)
        found[rule] = network.weights
        np.testing.assert_allclose(np.linalg.svd(network.weights)[1], 1, atol=1e-6)
        cosines = np.linalg.svd(axes.T @ network.weights)[1]
        np.testing.assert_allclose(cosines, 1, atol=1e-6)
    np.testing.assert_allclose(np.abs(axes.T @ found["sanger"]), np.eye(2), atol=1e-4)
    assert np.abs(np.abs(axes.T @ found["oja"]) - np.eye(2)).max() > 0.05
    np.testing.assert_allclose(found["oja"], found["hebbian_descent"], rtol=1e-6, atol=1e-8)


def test_oja_and_sanger_refuse_units_that_are_not_linear():
    network, x = make_network("sigmoid", "linear")
    for rule in ("oja", "sanger"):
        with pytest.raises(
            ValueError, match=rf"'{rule}' needs linear hidden and output units. Got linear, sigmoid"
        ):
            change_of(rule, network, x)


def test_second_derivatives_do_not_commute_so_there_is_no_objective():
    w, x = np.array([0.7, -0.4]), np.array([1.3, 0.8])

    def update(w):
        network = Autoencoder.from_weights(
            w[:, None], hidden_activation="linear", output_activation="linear", hidden_offset=0.0
        )
        return change_of("hebbian_descent", network, x[None]).weights[:, 0]

    def derivative(of, by, step=1e-6):
        nudge = np.eye(2)[by] * step
        return (update(w + nudge) - update(w - nudge))[of] / (2 * step)

    (w0, w1), (x0, x1) = w, x
    d_w0_by_w1 = 2 * w0**2 * x0 * x1 + 2 * w0 * w1 * x1**2 - x0 * x1
    d_w1_by_w0 = 2 * w1**2 * x0 * x1 + 2 * w0 * w1 * x0**2 - x0 * x1
    assert derivative(of=0, by=1) == pytest.approx(d_w0_by_w1, abs=1e-7)
    assert derivative(of=1, by=0) == pytest.approx(d_w1_by_w0, abs=1e-7)
    assert abs(d_w0_by_w1 - d_w1_by_w0) > 0.5


def test_update_of_the_proof_has_a_minus_where_the_last_lines_print_a_plus():
    w0, w1, x0, x1 = 0.7, -0.4, 1.3, 0.8
    h = w0 * x0 + w1 * x1
    expanded = w0**2 * w1 * x0**2 + 2 * w0 * w1**2 * x0 * x1 + w1**3 * x1**2 - w0 * x0 * x1
    update = (w1 * h - x1) * h
    assert update == pytest.approx(expanded - w1 * x1**2)
    assert abs(update - (expanded + w1 * x1**2)) > 0.1


@pytest.mark.parametrize("hidden", ["linear", "sigmoid", "explin"])
@pytest.mark.parametrize("visible", ["linear", "sigmoid"])
def test_gradient_descent_is_the_gradient_of_the_reconstruction_loss(hidden, visible):
    network, x = make_network(hidden, visible)
    loss, step = LOSSES["squared_error"](), 1e-6
    change = change_of("gradient_descent", network, x)
    pairs = zip((network.weights, network.bias, network.decoder_bias), change, strict=True)
    for parameter, direction in pairs:
        for index in np.ndindex(parameter.shape):
            start = parameter[index]
            parameter[index] = start + step
            above = loss(x, network.reconstruct(x)).mean()
            parameter[index] = start - step
            below = loss(x, network.reconstruct(x)).mean()
            parameter[index] = start
            assert (above - below) / (2 * step) == pytest.approx(direction[index], rel=1e-5, abs=1e-8)


def test_gradient_descent_is_the_sum_of_its_encoder_and_its_decoder_part():
    network, x = make_network()
    both, encoder, decoder = (
        change_of("gradient_descent", network, x, part=part) for part in ("both", "encoder", "decoder")
    )
    np.testing.assert_allclose(both.weights, encoder.weights + decoder.weights, rtol=1e-13)
    np.testing.assert_allclose(both.bias, encoder.bias, rtol=1e-13)
    np.testing.assert_allclose(both.decoder_bias, decoder.decoder_bias, rtol=1e-13)
    assert encoder.decoder_bias is None
    assert decoder.bias is None


def test_hebbian_descent_is_the_decoder_part_of_the_gradient_on_the_matching_loss():
    network, x = make_network("explin", "sigmoid")
    hd = change_of("hebbian_descent", network, x)
    error = LOSSES["cross_entropy"]().error
    decoder = change_of("gradient_descent", network, x, error=error, part="decoder")
    encoder = change_of("gradient_descent", network, x, error=error, part="encoder")
    np.testing.assert_allclose(decoder.weights, hd.weights, rtol=1e-10)
    np.testing.assert_allclose(decoder.decoder_bias, hd.decoder_bias, rtol=1e-10)
    assert np.abs(encoder.weights - hd.weights).max() > 0.02  # the conclusion of the paper says encoder


def test_target_activity_draws_the_hidden_units_to_that_level():
    rng = np.random.default_rng(2)
    x = rng.random((200, 6))
    network = Autoencoder.create(6, 4, offset=x.mean(axis=0), rng=rng)
    rule = AUTO_RULES["hebbian_descent"](target_activity=0.1)
    train(network, x, rule=rule, learning_rate=0.2, batch_size=20, epochs=100, shuffle=True)
    np.testing.assert_allclose(network.encode(x).mean(axis=0), 0.1, atol=0.02)


def test_hebbian_descent_converges_in_the_reconstruction_error():
    x = stretched_data() / 10
    errors = {}
    for rule in ("hebbian_descent", "gradient_descent"):
        network = Autoencoder.create(5, 3, offset=x.mean(axis=0), rng=np.random.default_rng(3))
        train(network, x, rule=rule, learning_rate=0.5, batch_size=20, epochs=200, shuffle=True)
        errors[rule] = np.abs(network.reconstruct(x) - x).mean()
    baseline = np.abs(x - x.mean(axis=0)).mean()
    assert errors["hebbian_descent"] < 0.35 * baseline
    assert errors["gradient_descent"] < 0.35 * baseline


def test_unknown_parts_are_refused():
    with pytest.raises(
        ValueError, match=r"one of both, decoder, encoder. Got 'encodr'. Did you mean 'encoder'"
    ):
        AUTO_RULES["gradient_descent"](part="encodr")
