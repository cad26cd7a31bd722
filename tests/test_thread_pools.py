"""Libraries with their own threads are found, limited, and found again when others are loaded."""

import subprocess
import sys

from threadpoolctl import threadpool_info, threadpool_limits

from hebbian_descent.thread_pools import one_thread, thread_pools


def sizes():
    return [pool["num_threads"] for pool in threadpool_info()]


def test_the_pools_are_those_of_the_process_at_that_moment():
    assert thread_pools() == threadpool_info()
    with threadpool_limits(3):
        assert thread_pools() == threadpool_info()


def test_pools_have_one_thread_within_and_their_own_number_again_after():
    with threadpool_limits(2):
        before = sizes()
        with one_thread():
            assert set(sizes()) == {1}
        assert sizes() == before
        with one_thread("blas"):
            assert {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"} == {1}
        assert sizes() == before


LATER = """
import numpy, sys
from hebbian_descent.thread_pools import one_thread, thread_pools
from threadpoolctl import threadpool_info
first = len(thread_pools())
import sklearn.utils._openmp_helpers
assert len(threadpool_info()) > first
assert thread_pools() == threadpool_info()
with one_thread():
    assert {pool["num_threads"] for pool in threadpool_info()} == {1}
"""


def test_libraries_that_are_loaded_later_are_found_as_well():
    done = subprocess.run([sys.executable, "-c", LATER], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
