"""A few hundred seeds of simulated life, each checked by the oracles of sim.py."""

from __future__ import annotations

import pytest

from tests.simulation.sim import simulate
from tests.simulation.virtual import run_virtual

SECONDS, SEEDS, BATCH = 240.0, 240, 20


@pytest.mark.parametrize("start", range(0, SEEDS, BATCH))
def test_seeds(start: int):
    for seed in range(start, start + BATCH):
        try:
            run_virtual(simulate, seed, SECONDS)
        except BaseException as error:
            error.add_note(f"replay with: .venv/bin/python -m tests.simulation.soak --seed {seed}")
            raise


def test_a_seed_replays_exactly():
    first, second = run_virtual(simulate, 7, SECONDS), run_virtual(simulate, 7, SECONDS)
    assert first == second
    assert len(first) > 20
