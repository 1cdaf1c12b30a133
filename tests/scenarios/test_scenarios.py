"""Every scenario, once as it stands and once with a process restart between every two steps; both must give the golden text."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.scenarios.runner import HERE, Scenario

SCRIPTS = sorted(HERE.glob("*.yaml"))


@pytest.mark.parametrize("restarts", [False, True], ids=["straight", "restarted"])
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: p.stem)
async def test_scenario(path: Path, restarts: bool):
    text = await Scenario(path, restarts=restarts).run()
    golden = HERE / "golden" / f"{path.stem}.md"
    if os.environ.get("HOLDFAST_GOLDEN") == "update":
        golden.write_text(text)
    assert text == golden.read_text(), "run with HOLDFAST_GOLDEN=update and review the diff"
