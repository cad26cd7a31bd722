"""Where threads of compiled code wait for each other, many thousand times a second.

To sleep and be woken takes longer than the work between two meetings, so a thread that waits keeps looking,
and from some time on lets other threads have the processor between two looks. All that the threads share is
one counter: of n threads, the k-th to come may go on when n·⌈k/n⌉ have come.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba.core import types

from hebbian_descent.kernels.addresses import address_of_yield
from hebbian_descent.kernels.calling import call_by_reference
from hebbian_descent.kernels.compilation import emitted, inlined, kept_on_disk

LOOKS = 2_000
"""How often a thread looks before it lets others run: a few microseconds."""

BROKEN_OFF = 2**62


class Meeting(NamedTuple):
    """A meeting point for a number of threads."""

    came: npt.NDArray[np.int64]
    n_threads: int
    let_others_run: int

    @classmethod
    def of(cls, n_threads: int) -> Meeting:
        """Return a meeting point at which nobody has come yet."""
        return cls(np.zeros(1, dtype=np.int64), n_threads, address_of_yield())

    def break_off(self) -> None:
        """Let everybody who waits now or later go, and know that somebody will never come."""
        self.came[0] = BROKEN_OFF


@emitted
def _add_one(typing_context: Any, counter: Any) -> Any:
    """Add 1 to a counter that all threads see, and return what it was."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pointer = context.make_array(signature.args[0])(context, builder, values[0]).data
        return builder.atomic_rmw("add", pointer, context.get_constant(types.int64, 1), "acq_rel")

    return types.int64(counter), emit


@emitted
def _seen(typing_context: Any, counter: Any) -> Any:
    """Return what the counter is now, and with it see whatever others wrote before they counted."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pointer = context.make_array(signature.args[0])(context, builder, values[0]).data
        return builder.load_atomic(pointer, "acquire", align=8)

    return types.int64(counter), emit


@inlined
def meet(meeting: Any) -> bool:
    """Wait until all threads are here; return False, at once, if the meeting is broken off."""
    n = meeting.n_threads
    everybody = min((_add_one(meeting.came) // n + 1) * n, BROKEN_OFF)
    looks = 0
    came = _seen(meeting.came)
    while came < everybody:
        looks += 1
        if looks > LOOKS:
            call_by_reference(meeting.let_others_run, ())
        came = _seen(meeting.came)
    return bool(came < BROKEN_OFF)


@kept_on_disk
def wait_for_all(meeting: Any) -> bool:
    """Do the same for threads of Python."""
    return meet(meeting)
