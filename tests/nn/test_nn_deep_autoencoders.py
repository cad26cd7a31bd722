"""The study of deep auto-encoders: what an update is, when training ends, how the learning rate is found."""

import pytest
from nn_cases import torch

from hebbian_descent.nn import update_offsets_
from reproduction.studies import STUDIES
from reproduction.studies import deep_autoencoder_training as training
from reproduction.studies.deep_autoencoders import verdict_of

SETTINGS = {"patience": 3, "least_fall": 0.1}
QUICK = STUDIES["deep_autoencoders"].settings_of(quick=True)


def network(gradient="full", depth=2):
    return training.Network("SGD", depth, gradient)


@pytest.fixture
def patterns():
    return torch.rand(8, 32, generator=torch.Generator().manual_seed(0))


def test_both_gradients_start_from_the_same_weights_with_a_quarter_of_the_units_each(patterns):
    state = torch.random.get_rng_state()
    full, decoder = (network(gradient).create(patterns, 5) for gradient in ("full", "decoder"))
    assert [tuple(layer.weight.shape) for layer in full.layers] == [(8, 32), (2, 8)]
    for one, other in zip(full.layers, decoder.layers, strict=True):
        assert torch.equal(one.weight, other.weight)
    assert torch.equal(torch.random.get_rng_state(), state)


@pytest.mark.parametrize("gradient", ["full", "decoder"])
def test_an_update_is_a_step_along_the_gradient_of_the_matching_loss(patterns, gradient):
    one, other = (network(gradient).create(patterns, 0) for _ in range(2))
    for _ in range(3):
        training.update(one, torch.optim.SGD(one.parameters(), lr=0.5), patterns)
        optimizer = torch.optim.SGD(other.parameters(), lr=0.5)
        optimizer.zero_grad()
        other.loss(patterns).backward()
        optimizer.step()
        update_offsets_(other)
    for name, value in one.state_dict().items():
        torch.testing.assert_close(value, other.state_dict()[name], msg=name)


def test_the_decoder_part_is_the_gradient_with_the_code_given(patterns):
    decoder, full = (network(gradient).create(patterns, 0) for gradient in ("decoder", "full"))
    decoder.loss(patterns).backward()
    code = full.encode(patterns).detach()
    cross_entropy = torch.nn.functional.binary_cross_entropy(full.decode(code), patterns, reduction="sum")
    (cross_entropy / len(patterns)).backward()
    for found, expected in zip(decoder.layers, full.layers, strict=True):
        torch.testing.assert_close(found.weight.grad, expected.weight.grad)
        torch.testing.assert_close(found.decoder_bias.grad, expected.decoder_bias.grad)
        assert found.bias.grad is None


@pytest.mark.parametrize(
    ("errors", "converged"),
    [
        ([1.0], False),
        ([1.0, 1.0, 1.0], False),  # nothing to compare with yet
        ([1.0, 1.0, 1.0, 1.0], True),
        ([1.0, 1.0, 1.0, 0.89], False),  # fell by more than a tenth
        ([1.0, 0.5, 0.5, 0.5], False),
        ([1.0, 0.5, 0.5, 0.5, 0.46], True),  # by less
        ([1.0, 0.5, 0.8, 0.8, 0.8], True),  # what rises again has not fallen
    ],
)
def test_training_ends_when_the_least_error_hardly_fell_in_the_last_epochs(errors, converged):
    assert training.has_converged(errors, SETTINGS) is converged


def a_run(validation):
    return training.Run(validation, 0.0, 0, True)


@pytest.mark.parametrize(
    ("best", "start", "tried"),
    [
        (0.1, 0.1, {0.03, 0.1, 0.3}),
        (0.3, 0.03, {0.01, 0.03, 0.1, 0.3, 1.0}),
        (1.0, 0.3, {0.1, 0.3, 1.0}),  # the list ends
        (0.01, 0.03, {0.01, 0.03, 0.1}),
    ],
)
def test_the_search_walks_until_both_neighbours_of_the_best_were_tried(best, start, tried):
    rates = [0.01, 0.03, 0.1, 0.3, 1.0]
    found = training.search(lambda rate: a_run(abs(rates.index(rate) - rates.index(best))), rates, start)
    assert set(found) == tried
    assert training.best_rate(found) == best


def test_training_measures_the_best_epoch_and_says_whether_it_converged():
    images = training.draw_images(QUICK, 0)
    limited = training.train(network(), images, 1.0, 0, {**QUICK, "most_epochs": 3})
    assert (limited.epochs, limited.converged) == (3, False)
    assert limited.test < (images.test - 0.5).abs().mean()
    still = training.train(network(), images, 0.0, 0, {**QUICK, "patience": 2})
    assert (still.epochs, still.converged) == (2, True)
    assert limited == training.train(network(), images, 1.0, 0, {**QUICK, "most_epochs": 3})


def test_a_learning_rate_that_diverges_ends_with_what_was_best_before():
    images = training.draw_images(QUICK, 0)
    diverged = training.train(network(), images, float("inf"), 0, QUICK)
    start = network().create(images.learned, 0)
    assert (diverged.epochs, diverged.converged) == (0, False)
    assert diverged.validation == training.error_of(start, images.validation)


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        ((6, 6, 0), "holds"),
        ((6, 3, 3), "holds with limits"),
        ((6, 2, 4), "does not hold"),
        ((6, 1, 1), "undecided"),
    ],
)
def test_the_verdict_counts_networks_that_are_certain(counts, verdict):
    assert verdict_of(*counts) == verdict
