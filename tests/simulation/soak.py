"""`make soak SEEDS=n` (each seed on both clouds), or `python -m tests.simulation.soak --cloud gcp --seed N` to replay one and see its log."""

from __future__ import annotations

import sys
import time
import traceback

import tests.conftest  # noqa: F401  (credentials that reach nothing)
from tests.simulation.test_simulation import CLOUDS, SECONDS
from tests.simulation.virtual import run_virtual


def main() -> int:
    if "--seed" in sys.argv:
        seeds, show = [int(sys.argv[sys.argv.index("--seed") + 1])], True
    else:
        seeds, show = range(int(sys.argv[1]) if len(sys.argv) > 1 else 2000), False
    clouds = [sys.argv[sys.argv.index("--cloud") + 1]] if "--cloud" in sys.argv else list(CLOUDS)
    runs = [(cloud, seed) for seed in seeds for cloud in clouds]
    failed, began = [], time.monotonic()
    for cloud, seed in runs:
        try:
            log = run_virtual(CLOUDS[cloud], seed, SECONDS)
            if show:
                print("\n".join(log))
        except Exception:
            failed.append(seed)
            traceback.print_exc()
            print(f"seed {seed} failed; replay with: python -m tests.simulation.soak --cloud {cloud} --seed {seed}")
    print(f"{len(runs) - len(failed)} passed, {len(failed)} failed")
    print(f"{time.monotonic() - began:.0f} s for {len(runs) * SECONDS / 3600:.1f} h of weather")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
