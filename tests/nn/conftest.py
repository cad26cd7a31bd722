"""One thread for PyTorch: these models are too small to gain from more."""

import contextlib

with contextlib.suppress(ModuleNotFoundError):
    import torch

    torch.set_num_threads(1)
