"""Other libraries train, save, adapt and export a centered model as the plain one that it is."""

import copy

import pytest
from nn_cases import torch
from torch import nn

from hebbian_descent.nn import Centering, register_affine

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning:(lightning|accelerate|peft|transformers|onnx).*"),
]
X = 1 + torch.rand(4, 8, 6, generator=torch.Generator().manual_seed(0))  # 4 steps of 8 patterns


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 5), nn.Sigmoid(), nn.Linear(5, 3))


def learn(model, x=X):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    centering = Centering(model, optimizer, shift=0.1)
    for batch in x:
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        optimizer.step()
    return centering


@pytest.fixture(scope="module")
def expected():
    model = network()
    centering = learn(model)
    return model.state_dict(), centering.offsets


def test_lightning_passes_a_closure_and_wraps_the_optimizer(expected, tmp_path):
    lightning = pytest.importorskip("lightning")

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.model = network()

        def training_step(self, batch, index):
            return self.model(batch[0]).square().mean()

        def configure_optimizers(self):
            optimizer = torch.optim.Adam(self.model.parameters(), lr=0.01)
            self.centering = Centering(self.model, optimizer, shift=0.1)
            return optimizer

    module = Module()
    quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False}
    quiet |= {"enable_model_summary": False, "default_root_dir": tmp_path, "accelerator": "cpu"}
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(X.flatten(0, 1)), batch_size=8)
    lightning.Trainer(max_epochs=1, **quiet).fit(module, data)
    torch.testing.assert_close(dict(module.model.state_dict()), dict(expected[0]), rtol=0, atol=1e-6)
    torch.testing.assert_close(module.centering.offsets, expected[1], rtol=0, atol=1e-6)


def test_accelerate_wraps_the_optimizer(expected):
    accelerate = pytest.importorskip("accelerate")
    accelerator = accelerate.Accelerator(cpu=True)
    model = network()
    model, optimizer = accelerator.prepare(model, torch.optim.Adam(model.parameters(), lr=0.01))
    centering = Centering(model, optimizer, shift=0.1)
    for batch in X:
        optimizer.zero_grad()
        accelerator.backward(model(batch).square().mean())
        optimizer.step()
    torch.testing.assert_close(dict(model.state_dict()), dict(expected[0]), rtol=0, atol=1e-6)
    torch.testing.assert_close(centering.offsets, expected[1], rtol=0, atol=1e-6)


def gpt2():
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=11, n_positions=8, n_embd=8, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0
    )
    return transformers.GPT2LMHeadModel(config)


WORDS = torch.randint(11, (3, 6), generator=torch.Generator().manual_seed(1))


def test_hugging_face_models_are_saved_and_loaded_as_they_are(tmp_path):
    model = gpt2()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    centering = Centering(model, optimizer, layers=["transformer"])
    assert "transformer.h.1.mlp.c_proj" in centering.offsets
    keep = torch.ones_like(WORDS)
    keep[0, 4:] = 0
    for _ in range(3):
        optimizer.zero_grad()
        with centering.counting(keep):
            model(WORDS, attention_mask=keep, labels=WORDS).loss.backward()
        optimizer.step()
    model.eval().save_pretrained(tmp_path)
    again = type(model).from_pretrained(tmp_path).eval()
    torch.testing.assert_close(again(WORDS).logits, model(WORDS).logits, rtol=0, atol=0)


def test_hugging_face_layers_with_transposed_weights():
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    layer, linear = transformers.pytorch_utils.Conv1D(3, 6).double(), nn.Linear(6, 3).double()
    with torch.no_grad():
        linear.weight.copy_(layer.weight.T)
        linear.bias.copy_(layer.bias)
    for one in (layer, linear):
        learn(one, X.double())
    torch.testing.assert_close(layer.weight.T, linear.weight, rtol=0, atol=1e-12)
    torch.testing.assert_close(layer.bias, linear.bias, rtol=0, atol=1e-12)


def test_adapters_are_merged_without_a_trace():
    peft = pytest.importorskip("peft")
    model = network()
    learn(model)  # a model that was centered
    adapted = peft.get_peft_model(model, peft.LoraConfig(target_modules=["0", "2"], r=2, bias="lora_only"))
    for name, parameter in adapted.named_parameters():
        if "lora_B" in name:
            nn.init.normal_(parameter, std=0.1)  # with 1, some versions of PEFT start where learning diverges
    # Only the adapter and the bias learn: the whole layer is affine in its input.
    register_affine(
        peft.tuners.lora.Linear,
        inputs=lambda layer, x: x,
        units=lambda layer: layer.in_features,
        response=lambda layer, offset: (layer.base_layer.weight + layer.get_delta_weight("default")) @ offset,
        bias="base_layer.bias",
    )
    start, expected = X.mean((0, 1)), copy.deepcopy(adapted)
    optimizer = torch.optim.SGD([p for p in adapted.parameters() if p.requires_grad], lr=0.1)
    centering = Centering(adapted, optimizer, shift=0.1, offset_start=0.0)
    assert list(centering.offsets) == ["base_model.model.0.base_layer", "base_model.model.2.base_layer"]
    for batch in X:
        optimizer.zero_grad()
        adapted(batch).square().mean().backward()
        optimizer.step()
    assert (centering.offsets["base_model.model.0.base_layer"][0] > 0.1 * start).all()
    before = adapted.eval()(X)
    assert (before - expected.eval()(X)).abs().max() > 0.01
    merged = adapted.merge_and_unload()
    assert type(merged[0]) is nn.Linear
    torch.testing.assert_close(merged(X), before, rtol=0, atol=1e-5)


def test_onnx_programs_compute_the_same():
    pytest.importorskip("onnxscript")
    onnx_reference = pytest.importorskip("onnx.reference")
    model = network()
    learn(model)
    program = torch.onnx.export(model.eval(), (X[0],), dynamo=True, verbose=False)
    (found,) = onnx_reference.ReferenceEvaluator(program.model_proto).run(
        None, {program.model_proto.graph.input[0].name: X[0].numpy()}
    )
    torch.testing.assert_close(torch.from_numpy(found), model(X[0]), rtol=0, atol=1e-5)
