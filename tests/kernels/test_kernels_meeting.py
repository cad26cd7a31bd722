"""Threads that meet go on together, however many there are, and never wait for one that will not come."""

import threading

import numpy as np
import pytest

from hebbian_descent.kernels.meeting import Meeting, wait_for_all

N_ROUNDS = 300


@pytest.mark.parametrize("n_threads", [1, 2, 3, 8])
def test_nobody_is_a_round_ahead(n_threads):
    meeting, rounds = Meeting.of(n_threads), np.zeros(n_threads, dtype=int)
    behind, all_went_on = [], []

    def take_part(number):
        for current in range(1, N_ROUNDS + 1):
            rounds[number] = current
            all_went_on.append(wait_for_all(meeting))
            behind.extend(rounds[rounds < current])

    threads = [threading.Thread(target=take_part, args=[number]) for number in range(n_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads)
    assert behind == []
    assert len(all_went_on) == n_threads * N_ROUNDS
    assert all(all_went_on)


def test_who_waits_is_let_go_when_the_meeting_is_broken_off():
    meeting, answers = Meeting.of(3), []
    threads = [threading.Thread(target=lambda: answers.append(wait_for_all(meeting))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=0.05)
    assert answers == []
    meeting.break_off()
    for thread in threads:
        thread.join(timeout=60)
    assert answers == [False, False]
    assert wait_for_all(meeting) is False
