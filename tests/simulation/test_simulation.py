"""A few hundred seeds of simulated life, each checked by the oracles of sim.py."""

from __future__ import annotations

import pytest

from tests.simulation.google import simulate_google
from tests.simulation.sim import simulate
from tests.simulation.virtual import run_virtual

SECONDS, SEEDS, BATCH = 240.0, 240, 20
CLOUDS = {"aws": simulate, "gcp": simulate_google}


@pytest.mark.parametrize("cloud", CLOUDS)
@pytest.mark.parametrize("start", range(0, SEEDS, BATCH))
def test_seeds(start: int, cloud: str):
    for seed in range(start, start + BATCH):
        try:
            run_virtual(CLOUDS[cloud], seed, SECONDS)
        except BaseException as error:
            error.add_note(f"replay with: .venv/bin/python -m tests.simulation.soak --cloud {cloud} --seed {seed}")
            raise


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_seed_replays_exactly(cloud: str):
    first, second = run_virtual(CLOUDS[cloud], 7, SECONDS), run_virtual(CLOUDS[cloud], 7, SECONDS)
    assert first == second
    assert len(first) > 20
