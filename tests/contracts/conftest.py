"""The stores under contract. A new store is one more entry of STORES: an async context manager that yields an empty one."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from holdfast.app import memory_store, open_store
from holdfast.kinds.catalog import Catalog
from holdfast.kinds.loader import HERE
from tests.world import TestClock

OpenStore = Callable[[Path, Catalog], AbstractAsyncContextManager]


@asynccontextmanager
async def in_memory(folder: Path, catalog: Catalog) -> AsyncIterator:
    store = memory_store(catalog, TestClock())
    try:
        yield store
    finally:
        store.close()


@asynccontextmanager
async def in_a_file(folder: Path, catalog: Catalog) -> AsyncIterator:
    store = open_store(folder / "state.db", catalog, TestClock())
    try:
        yield store
    finally:
        store.close()


STORES: dict[str, OpenStore] = {"memory": in_memory, "file": in_a_file}


@pytest.fixture(scope="session")
def catalog(tmp_path_factory) -> Catalog:
    """The shipped kinds, and one that cannot be adopted: a queue under another name."""
    folder = tmp_path_factory.mktemp("kinds") / "kinds"
    shutil.copytree(HERE / "aws", folder / "aws")
    text = (folder / "aws" / "sqs" / "Queue.yaml").read_text()
    text = text.replace("group: sqs.", "group: oddjobs.").replace("kind: Queue\nplural: queues", "kind: OddJob\nplural: oddjobs\ncannot_adopt: it runs once")
    (folder / "aws" / "oddjobs").mkdir()
    (folder / "aws" / "oddjobs" / "OddJob.yaml").write_text(text)
    return Catalog(folder)


@pytest.fixture(params=list(STORES))
async def store(request, tmp_path, catalog):
    async with STORES[request.param](tmp_path, catalog) as opened:
        yield opened
