"""The generated positions of Connect Four against known counts, a naive player and the real data."""

import itertools

import numpy as np

from hebbian_descent import datasets
from hebbian_descent.datasets.sources.connect import connect_positions


def test_there_are_as_many_quiet_positions_as_uci_lists():
    assert connect_positions().shape == (67_557, 126)


def test_every_position_is_four_pieces_each_and_every_square_one_of_three():
    squares = connect_positions().reshape(-1, 42, 3)
    np.testing.assert_array_equal(squares.sum(axis=2), 1)
    np.testing.assert_array_equal(squares.sum(axis=1), [[4, 34, 4]] * len(squares))


def test_no_piece_hangs_in_the_air():
    blank = connect_positions().reshape(-1, 7, 6, 3)[:, :, :, 1].astype(int)
    assert (np.diff(blank, axis=2) >= 0).all()


def test_no_position_occurs_twice_even_in_the_mirror():
    boards = connect_positions().reshape(-1, 7, 18)
    seen = {board.tobytes() for board in boards}
    mirrored = {np.ascontiguousarray(board[::-1]).tobytes() for board in boards}
    symmetric = sum((board == board[::-1]).all() for board in boards)
    assert len(seen) == len(boards)
    assert len(seen & mirrored) == symmetric


def test_a_sample_is_quiet_by_a_naive_count_of_lines():
    rng = np.random.default_rng(0)
    for board in rng.choice(connect_positions(), 60, replace=False):
        assert is_quiet(board.reshape(7, 6, 3))


def test_a_row_of_three_with_a_free_end_is_not_quiet():
    board = np.zeros((7, 6, 3), dtype=int)
    board[:, :, 1] = 1
    for column in range(3):
        board[column, 0] = [1, 0, 0]
    assert not is_quiet(board)
    board[3, 0] = [0, 0, 1]
    assert is_quiet(board)


def is_quiet(board):
    """Try every next piece of both players, on a board of (column, row, x/blank/o)."""
    for player, column in itertools.product((0, 2), range(7)):
        free = [row for row in range(6) if board[column, row, 1]]
        if free:
            after = board[:, :, player].astype(bool).copy()
            after[column, free[0]] = True
            if has_four(after):
                return False
    return True


def has_four(pieces):
    for column, row, (dc, dr) in itertools.product(range(7), range(6), ((0, 1), (1, 0), (1, 1), (1, -1))):
        line = [(column + k * dc, row + k * dr) for k in range(4)]
        if all(0 <= c < 7 and 0 <= r < 6 and pieces[c, r] for c, r in line):
            return True
    return False


def test_the_positions_are_those_of_uci_in_the_same_mirror_image(real_data):
    connect = datasets.load("connect", folder=real_data, dtype=np.float32)
    real = np.vstack([connect.train.inputs, connect.valid.inputs, connect.test.inputs]).astype(np.uint8)
    assert {row.tobytes() for row in connect_positions()} == {row.tobytes() for row in real}
