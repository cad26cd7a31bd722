"""Several threads that do one piece of work together, and end together."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from hebbian_descent.kernels.meeting import Meeting

Result = TypeVar("Result")


def in_lockstep(function: Callable[[int, Meeting], Result], n_threads: int) -> list[Result]:
    """Call function(number, meeting) in so many threads at once, one of them this one; return all results.

    What one of them raises is raised here. The others do not wait for it in vain: their meeting is broken
    off, so that they have to return as soon as `meet` says so.
    """
    meeting = Meeting.of(n_threads)

    def take_part(number: int) -> Result:
        try:
            return function(number, meeting)
        except BaseException:
            meeting.break_off()
            raise

    with ThreadPoolExecutor(max(1, n_threads - 1)) as pool:
        try:
            others = [pool.submit(take_part, number) for number in range(1, n_threads)]
        except BaseException:  # no more threads are to be had
            meeting.break_off()
            raise
        return [take_part(0), *(other.result() for other in others)]
