"""A product that is subtracted in place is the product that NumPy computes."""

import threading
import time

import numpy as np
import pytest

from hebbian_descent.kernels.products import subtract_product


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "n_inputs", "n_columns"), [(1, 1, 1), (7, 5, 3), (100, 30, 70), (3, 1, 9)])
@pytest.mark.parametrize("keep", [1.0, 0.9, 0.0, -1.0])
def test_weights_change_by_the_product(dtype, n, n_inputs, n_columns, keep):
    rng = np.random.default_rng(0)
    W, pre, post = (
        rng.normal(size=s).astype(dtype) for s in ((n_inputs, n_columns), (n, n_inputs), (n, n_columns))
    )
    expected = keep * W.astype(np.float64) - pre.T.astype(np.float64) @ post
    subtract_product(W, pre, post, keep)
    tolerance = 1e-4 if dtype == np.float32 else 1e-12
    np.testing.assert_allclose(W, expected, rtol=tolerance, atol=tolerance)


def test_what_does_not_fit_is_refused():
    W, pre, post = np.ones((2, 3)), np.ones((4, 2)), np.ones((4, 3))
    with pytest.raises(ValueError, match="shapes must fit"):
        subtract_product(W, pre, post[:3])
    with pytest.raises(ValueError, match="contiguous and of one dtype"):
        subtract_product(W, pre.astype(np.float32), post)
    with pytest.raises(ValueError, match="contiguous and of one dtype"):
        subtract_product(W, np.asfortranarray(pre), post)


def test_other_threads_go_on_meanwhile():
    rng = np.random.default_rng(0)
    W, pre, post = rng.random((1500, 1500)), rng.random((1500, 1500)), rng.random((1500, 1500))
    beats, is_done = [], threading.Event()

    def beat():
        while not is_done.is_set():
            beats.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=beat)
    thread.start()
    start = time.perf_counter()
    subtract_product(W, pre, post)
    end = time.perf_counter()
    is_done.set()
    thread.join()
    assert sum(start < moment < end for moment in beats) >= 3
