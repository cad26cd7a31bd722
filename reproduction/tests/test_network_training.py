"""Networks of the studies: stacks learn as PyTorch's own do one by one, searches end where they should."""

# ruff: noqa: E402

from itertools import pairwise, product
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("gymnasium")
pytest.importorskip("minatar")

from torch import nn

from hebbian_descent.network import ACTIVATIONS
from hebbian_descent.nn import Centering, HebbianLayer, get_torch_activation, update_offsets_
from hebbian_descent.thread_pools import one_thread
from reproduction.studies import STUDIES, perceptrons
from reproduction.studies import deep_autoencoder_training as deep
from reproduction.studies import perceptron_training as training
from reproduction.studies import value_network_learning as values
from reproduction.studies.deep_losses import OWN_CROSS_ENTROPY
from reproduction.studies.perceptrons import Network
from reproduction.studies.stacks import SHIFT, Steps
from reproduction.studies.value_network_fates import RECTIFIED, VARIANTS
from reproduction.studies.value_network_tasks import Replay, Transitions

OPTIMIZERS = {"SGD": torch.optim.SGD, "Adam": torch.optim.Adam}


@pytest.fixture(autouse=True)
def alone_on_a_thread():
    with one_thread():
        yield


def settings(name, **changes):
    study = STUDIES[name]
    return SimpleNamespace(**{**study.axes, **study.settings, **study.quick, **changes})


@pytest.fixture
def in_double():
    training._read.cache_clear()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)
    training._read.cache_clear()


class Elementwise(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.forward = function


def plain_network(network, n_inputs, seed):
    phi, modules, sizes = training.HIDDEN[network.hidden], [], [n_inputs, *[network.width] * network.depth]
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        for n, m in pairwise(sizes):
            if network.is_hebbian:
                modules.append(HebbianLayer(n, m, phi, shift=SHIFT * network.is_centered))
            else:
                modules += [nn.Linear(n, m), Elementwise(phi)]
        return nn.Sequential(*modules, nn.Linear(sizes[-1], 10))


def learned_alone(network, rate, seed, n_updates):
    """Train one network with PyTorch's layers and the package's `Centering`."""
    (x, labels), *_ = training.split_of(network.dataset, seed)
    model = plain_network(network, x.shape[1], seed)
    optimizer = OPTIMIZERS[network.optimizer](model.parameters(), lr=rate)
    if network.is_centered:
        Centering(model, optimizer)
    targets = training.encode(labels, network.output)
    for step, rows in enumerate(training.batches(len(x), n_updates, seed)):
        optimizer.zero_grad()
        training.loss_of(network)(model(x[rows]), targets[rows]).backward()
        optimizer.step()
        for layer in model:
            if isinstance(layer, HebbianLayer) and layer.shift:
                layer.shift = max(1 / (step + 1), SHIFT)
        update_offsets_(model)
    return model.eval()


HEBBIAN = [
    {"is_hebbian": True, "hidden": hidden, "depth": depth, "is_centered": is_centered}
    for hidden, depth in (("sigmoid", 3), ("rectifier", 4), ("step", 1))
    for is_centered in (False, True)
]
OTHERS = [
    {"is_centered": True},
    {"is_centered": False},
    {"hidden": "step", "depth": 1},
    {"output": "softsign", "loss": "cross entropy"},
]


@pytest.mark.parametrize(("optimizer", "rate"), [("SGD", 0.5), ("Adam", 0.01)])
@pytest.mark.parametrize("changes", [*HEBBIAN, *OTHERS], ids=str)
def test_a_stack_learns_as_its_networks_do_one_by_one(in_double, changes, optimizer, rate):
    how = {"hidden": "tanh", "depth": 2, "width": 7, "optimizer": optimizer, **changes}
    network, rates = Network("digits", **how), [rate, rate / 4]
    splits = [training.split_of("digits", seed) for seed in range(2)]
    stack = training.learned(network, rates, [split[0] for split in splits], 8)
    for run, (its_rate, seed) in enumerate(product(rates, range(2))):
        x = splits[seed][2][0][:20]
        expected = learned_alone(network, its_rate, seed, 8)(x)
        found = stack.copy(slice(run, run + 1))(x[None])[0]
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-9)


def test_the_cross_entropy_is_that_of_scaled_outputs_and_for_tanh_the_matching_loss(in_double):
    a, t = torch.randn(4, 10, requires_grad=True), torch.rand(4, 10) * 2 - 1
    for output in OWN_CROSS_ENTROPY:
        p = (1 + get_torch_activation(output)(a)) / 2
        expected = nn.BCELoss(reduction="none")(p, (1 + t) / 2).sum(dim=-1).mean()
        found = training.loss_of(Network("digits", output, "cross entropy"))(a, t)
        torch.testing.assert_close(found, expected)
    entropy = training.cross_entropy(torch.tanh(a), t).sum(dim=-1).mean()
    matching = training.loss_of(Network("digits", "scaled_tanh"))(a, t)
    torch.testing.assert_close(*(torch.autograd.grad(loss, a)[0] for loss in (entropy, matching)))


@pytest.mark.parametrize("output", ACTIVATIONS)
def test_the_error_of_the_matching_loss_is_the_difference_of_outputs_and_targets(in_double, output):
    a, t = torch.randn(4, 10, requires_grad=True), torch.rand(4, 10)
    (error,) = torch.autograd.grad(training.loss_of(Network("digits", output))(a, t), a)
    torch.testing.assert_close(error, (get_torch_activation(output)(a) - t).detach() / 4)


def test_networks_that_diverge_are_wrong_about_everything():
    before = torch.get_rng_state()
    found = training.train(Network("digits", output="linear"), [1e4, 0.1], 1, 51)
    assert found[0].tolist() == [[1, 1]]
    assert (found[1] < 1).all()
    assert torch.equal(torch.get_rng_state(), before), "a run leaves the global seed alone"


@pytest.mark.parametrize("best", [0.0001, 0.07, 3.0, 100.0])  # also beyond the grid
def test_a_search_ends_between_two_worse_rates_and_tries_none_twice(monkeypatch, best):
    tried = []

    def fake(network, rates, n_seeds, n_updates):
        tried.extend(rates)
        seeds = np.arange(n_seeds) / 10
        return np.array([np.stack([0 * seeds + abs(np.log(rate / best)), seeds], axis=1) for rate in rates])

    monkeypatch.setattr(perceptrons, "train", fake)
    network = Network("digits")
    found = perceptrons.search_of(network, 3, 1)
    step = found.best(*perceptrons.GRID)
    rate = perceptrons.rate_of(network, step)
    assert abs(np.log(rate / best)) <= np.log(2) / 2 + 1e-3
    assert found.tried[step][:, 1].tolist() == [0, 0.1, 0.2]
    assert min(tried) < rate < max(tried)
    assert len(tried) == len(set(tried))
    tried.clear()
    assert found.best(*perceptrons.GRID) == step
    assert not tried
    assert perceptrons.search_of(network, 3, 1).best(step + 1) == step
    assert len(tried) == 4, "the rates around the start and one more"


def test_rates_of_autoencoders_are_round():
    at = SimpleNamespace(optimizer="Adam", first_rates={"Adam": 0.01})
    assert [deep.rate_of(at, step) for step in range(-2, 3)] == [0.001, 0.003, 0.01, 0.03, 0.1]


@pytest.mark.parametrize("gradient", ["full", "decoder"])
def test_an_update_is_a_step_along_the_gradient_of_the_matching_loss(gradient):
    x = torch.rand(8, 32, generator=torch.Generator().manual_seed(0))
    at = SimpleNamespace(depth=2, gradient=gradient)
    one, other = (deep.create(at, x, 0) for _ in range(2))
    assert [tuple(layer.weight.shape) for layer in one.layers] == [(8, 32), (2, 8)]
    for _ in range(3):
        deep.update(one, torch.optim.SGD(one.parameters(), lr=0.5), x)
        optimizer = torch.optim.SGD(other.parameters(), lr=0.5)
        optimizer.zero_grad()
        other.loss(x).backward()
        optimizer.step()
        update_offsets_(other)
    for name, value in one.state_dict().items():
        torch.testing.assert_close(value, other.state_dict()[name], msg=name)


@pytest.mark.parametrize(
    ("errors", "converged"),
    [
        ([1.0, 1.0, 1.0], False),  # nothing to compare with yet
        ([1.0, 1.0, 1.0, 1.0], True),
        ([1.0, 1.0, 1.0, 0.89], False),  # fell by more than a tenth
        ([1.0, 0.5, 0.5, 0.5, 0.46], True),  # by less
        ([1.0, 0.5, 0.8, 0.8, 0.8], True),  # what rises again has not fallen
    ],
)
def test_training_ends_when_the_least_error_hardly_fell_in_the_last_epochs(errors, converged):
    assert deep.has_converged(errors, SimpleNamespace(patience=3, least_fall=0.1)) is converged


def test_training_measures_the_best_epoch_and_survives_a_rate_that_diverges():
    at = settings("deep_autoencoders", optimizer="SGD", depth=2, gradient="full", most_epochs=3)
    images = deep.draw_images(at, 0)
    limited, diverged = (deep.train(at, images, rate, 0) for rate in (1.0, float("inf")))
    assert (limited.epochs, limited.converged) == (3, False)
    assert limited.test < (images.test - 0.5).abs().mean()
    assert (diverged.epochs, diverged.converged) == (0, False)
    assert diverged.validation == deep.error_of(deep.create(at, images.learned, 0), images.validation)


def a_batch(n_runs, n_samples=7, seed=0):
    rng = np.random.default_rng(seed)
    states, following = rng.normal(size=(2, n_runs, n_samples, 4)).astype(np.float32)
    rewards = rng.random((n_runs, n_samples)).astype(np.float32)
    return Transitions(
        states, rng.integers(3, size=rewards.shape), rewards, following, rng.random(rewards.shape) < 0.3
    )


@pytest.mark.parametrize("variant", VARIANTS)
def test_value_networks_in_a_stack_learn_as_pytorch_does_one_by_one(variant):
    rates, seeds = [1e-2, 1e-3, 1e-2], [0, 0, 1]
    stack = values.ValueNetworks.start(variant, (4, 6, 5, 3), seeds)
    frozen, adam = stack.copy(), Steps("Adam", stack.preactivations.parameters(), rates)
    models, optimizers = [], []
    for run, rate in enumerate(rates):
        layers = []
        for W, b in zip(stack.preactivations.weights, stack.preactivations.biases, strict=True):
            layers += [nn.Linear(*W.shape[1:]), nn.ReLU()]
            layers[-2].weight.data, layers[-2].bias.data = (
                W[run].detach().T.clone(),
                b[run, 0].detach().clone(),
            )
        models.append(nn.Sequential(*layers[:-1]))
        optimizers.append(torch.optim.Adam(models[-1].parameters(), lr=rate))
    for step in range(10):
        batch = a_batch(3, seed=step)
        t = frozen.targets(batch, 0.9)
        assert torch.equal(t[batch.is_terminal], torch.from_numpy(batch.rewards[batch.is_terminal]))
        adam.take(stack.loss(batch, t))
        for run, (model, optimizer) in enumerate(zip(models, optimizers, strict=True)):
            a = model(torch.from_numpy(batch.states[run]))[range(7), batch.actions[run]]
            h = a if variant == "linear" else torch.relu(a)
            loss = h**2 / 2 - t[run] * a if variant == "matching" else (h - t[run]) ** 2 / 2
            optimizer.zero_grad()
            loss.mean().backward()
            optimizer.step()
    x = torch.from_numpy(batch.states)
    for run, model in enumerate(models):
        torch.testing.assert_close(stack.preactivations(x)[run], model(x[run]), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("variant", RECTIFIED)
def test_dead_units_get_no_gradient_from_the_squared_error_and_come_back_by_the_matching_loss(variant):
    networks, batch = values.ValueNetworks.start(variant, (4, 6, 5, 3), [0, 1], output_bias=-5.0), a_batch(2)
    states = torch.from_numpy(batch.states)
    assert networks.dead(states).all()
    adam = Steps("Adam", networks.preactivations.parameters(), [0.01, 0.01])
    for step in range(600):
        t = networks.copy().targets(batch, 0.9)
        gradients = torch.autograd.grad(networks.loss(batch, t), adam.parameters)
        if variant == "squared":
            assert not any(g.any() for g in gradients), "exactly zero, in every layer"
        elif step == 0:
            assert (gradients[-1] < 0).all(), "biases rise"
        adam.take(networks.loss(batch, t))
    assert networks.dead(states).all() == networks.dead(states).any() == (variant == "squared")


def test_a_ring_keeps_the_last_transitions_of_each_run():
    replay = Replay(3)
    for k in range(5):
        x = np.array([[k], [10 + k]], dtype=np.float32)
        replay.add(Transitions(x, np.array([k, k]), x[:, 0], x + 1, np.array([k % 2 == 0] * 2)))
    batch = replay.batch(np.tile([0.0, 0.4, 0.999999], (2, 1)))
    assert batch.states[..., 0].tolist() == [[3, 4, 2], [13, 14, 12]]
    assert batch.next_states[..., 0].tolist() == [[4, 5, 3], [14, 15, 13]]
    assert batch.is_terminal.tolist() == [[False, True, True]] * 2


def test_a_run_in_a_stack_is_the_run_alone():
    at = settings("value_networks", task="cartpole", variant="matching")
    runs = [(1e-3, 0), (4e-3, 5)]
    alone = list(values.learn(at, runs[1:]))
    assert [record for record in values.learn(at, runs) if record["draw"] == 5] == alone
    assert [values.exploration(step, at, 400) for step in (0, 40, 200)] == pytest.approx([1, 0.525, 0.05])
    assert values.looks_at(at, 400) == [100, 160, 220, 280, 340, 400]
