"""What only the store in a file promises: several processes, permissions, forms of the file, group commit."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.app import open_store
from holdfast.model.errors import InputError, StoreError
from holdfast.model.objects import key_of
from holdfast.stores.embedded import default_path

SRC = Path(__file__).parents[2] / "src"


def queue(name: str, **spec) -> dict:
    return {"apiVersion": "sqs.services.k8s.aws/v1alpha1", "kind": "Queue", "metadata": {"name": name}, "spec": {"queueName": name, **spec}}


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "state.db"


@pytest.fixture
def store(path):
    opened = open_store(path)
    yield opened
    opened.close()


def refused(path: Path) -> StoreError:
    with pytest.raises(StoreError) as caught:
        open_store(path)
    return caught.value


# ---- the file -------------------------------------------------------------------------------------------------------------


async def test_objects_events_and_identity_outlive_the_process(path):
    first = open_store(path)
    made = await first.apply(queue("orders"), "user")
    name, key, version = first.name, first.key, await first.version()
    first.close()
    second = open_store(path)
    assert (await second.get(made.key)).body == made.body
    assert (second.name, second.key, await second.version()) == (name, key, version)
    second.close()


async def test_the_file_and_what_lies_beside_it_are_private(path):
    before = os.umask(0)
    try:
        store = open_store(path)
        await store.apply(queue("orders"), "user")
        modes = {p.name: p.stat().st_mode & 0o777 for p in path.parent.iterdir()}
        store.close()
    finally:
        os.umask(before)
    assert path.name in modes
    assert set(modes.values()) == {0o600}, modes


async def test_a_file_that_was_open_to_others_is_closed_to_them(path):
    path.touch(mode=0o644)
    open_store(path).close()
    assert path.stat().st_mode & 0o777 == 0o600


async def test_the_folder_is_made_and_private(tmp_path):
    open_store(tmp_path / "new" / "state.db").close()
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


def test_the_default_is_in_the_users_data_directory(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_path() == tmp_path / "holdfast" / "state.db"


# ---- what cannot be opened ------------------------------------------------------------------------------------------------


def set_form(path: Path, form: str) -> None:
    db = sqlite3.connect(path, timeout=0)
    db.execute("UPDATE meta SET value=? WHERE name='form'", (form,))
    db.commit()
    db.close()


async def test_a_file_of_a_newer_form_is_refused(path):
    open_store(path).close()
    set_form(path, "99")
    error = refused(path)
    assert error.code == "HF604"
    assert "99" in error.message


async def test_a_refused_file_is_left_as_it_was_and_unlocked(path):
    store = open_store(path)
    made = await store.apply(queue("orders"), "user")
    store.close()
    set_form(path, "99")
    error = refused(path)
    set_form(path, "1")
    again = open_store(path)
    assert (await again.get(made.key)).body == made.body
    again.close()
    assert error.code == "HF604"


async def test_the_refusal_names_the_file(path):
    open_store(path).close()
    set_form(path, "99")
    assert str(path) in str(refused(path))


def test_what_is_no_database_is_refused_and_left_as_it_was(path):
    path.write_bytes(b"these are my notes, please keep them\n" * 100)
    assert refused(path).code == "HF604"
    assert path.read_bytes().startswith(b"these are my notes")


def test_a_path_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").touch()
    for path in (tmp_path, tmp_path / "file" / "state.db", Path("/proc/holdfast/state.db")):
        error = refused(path)
        assert error.code == "HF604"
        assert str(path) in str(error)


async def test_a_file_that_breaks_under_a_running_store_is_an_error_with_a_code(path, store):
    await store.apply(queue("orders"), "user")
    db = sqlite3.connect(path)
    db.execute("DROP TABLE objects")
    db.commit()
    db.close()
    with pytest.raises(StoreError) as caught:
        async with asyncio.timeout(5):
            await store.apply(queue("second"), "user")
    assert caught.value.code == "HF604"
    with pytest.raises(StoreError) as caught:
        await store.get(key_of(queue("orders")))
    assert caught.value.code == "HF604"


# ---- group commit ---------------------------------------------------------------------------------------------------------


async def test_one_refused_write_in_a_group_does_not_harm_the_others(store):
    bodies = [queue(f"q{n}") for n in range(40)]
    bodies[17] = queue("q17", visibilityTimeuot="1")
    done = await asyncio.gather(*(store.apply(b, "user") for b in bodies), return_exceptions=True)
    assert [n for n, d in enumerate(done) if isinstance(d, InputError)] == [17]
    assert {o.key.name for o in await store.list()} == {f"q{n}" for n in range(40)} - {"q17"}
    assert len({o.resource_version for o in await store.list()}) == 39


async def test_a_write_that_fails_in_an_unforeseen_way_harms_nobody_else(store):
    """Its own caller hears of it; the writer goes on."""

    def explode(tables):
        tables.apply(queue("half"), "user")
        raise RuntimeError("unforeseen")

    async with asyncio.timeout(5):
        done = await asyncio.gather(store.apply(queue("before"), "user"), store._write(explode), store.apply(queue("after"), "user"),
                                    return_exceptions=True)
        assert isinstance(done[1], RuntimeError)
        await store.apply(queue("later"), "user")
    assert {o.key.name for o in await store.list()} == {"before", "after", "later"}


async def test_a_caller_that_gives_up_does_not_stop_the_writer(store):
    task = asyncio.ensure_future(store.apply(queue("given-up"), "user"))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    async with asyncio.timeout(5):
        await store.apply(queue("orders"), "user")
    assert await store.get(key_of(queue("orders"))) is not None


async def test_closing_first_writes_what_waits(path):
    store = open_store(path)
    tasks = [asyncio.ensure_future(store.apply(queue(f"q{n}"), "user")) for n in range(20)]
    await asyncio.sleep(0)
    store.close()
    await asyncio.gather(*tasks)
    again = open_store(path)
    assert len(await again.list()) == 20
    again.close()


# ---- several processes ----------------------------------------------------------------------------------------------------

WRITER = """
import asyncio, sys
from pathlib import Path
from holdfast.app import open_store
from holdfast.model.errors import ConflictError
from holdfast.model.objects import ObjectKey

path, me, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
SHARED = ObjectKey("sqs.services.k8s.aws", "Queue", "default", "shared")

def queue(name):
    return {"apiVersion": "sqs.services.k8s.aws/v1alpha1", "kind": "Queue", "metadata": {"name": name}, "spec": {"queueName": name}}

async def add_one(store):
    while True:
        seen = await store.get(SHARED)
        try:
            return await store.write_status(seen, {"count": seen.status.get("count", 0) + 1})
        except ConflictError:
            continue

async def main():
    store = open_store(path)
    await store.list()
    print("ready", flush=True)
    sys.stdin.readline()
    for n in range(count):
        await store.apply(queue(f"{me}-{n}"), me)
        await add_one(store)
    store.close()

asyncio.run(main())
"""


def start_writer(path: Path, me: str, count: int) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", WRITER, str(path), me, str(count)], env={**os.environ, "PYTHONPATH": str(SRC)},
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


async def test_two_processes_on_one_file_lose_nothing(path, store):
    count = 25
    since = await store.version()
    await store.apply(queue("shared"), "user")
    workers = [start_writer(path, me, count) for me in ("left", "right")]
    try:
        for worker in workers:
            assert worker.stdout.readline() == "ready\n", worker.stderr.read()
        for worker in workers:
            worker.stdin.write("go\n")
            worker.stdin.flush()
        for worker in workers:
            _, errors = await asyncio.to_thread(worker.communicate, None, 60)
            assert worker.returncode == 0, errors
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
    names = {o.key.name for o in await store.list()}
    assert names == {"shared", *(f"{me}-{n}" for me in ("left", "right") for n in range(count))}
    assert (await store.get(key_of(queue("shared")))).status == {"count": 2 * count}
    seen = []
    async with asyncio.timeout(10):
        async for change in store.watch(since):
            seen.append(change.version)
            if change.version == await store.version():
                break
    assert len(seen) == 1 + 4 * count
    assert seen == sorted(set(seen))


async def test_what_another_process_writes_is_seen_at_once_and_watched(path, store):
    since = await store.version()
    other = open_store(path)
    made = await other.apply(queue("orders"), "user")
    assert (await store.get(made.key)).body == made.body
    async with asyncio.timeout(5):
        async for change in store.watch(since):
            assert change.key == made.key
            break
    other.close()


async def test_two_that_open_a_new_file_at_once_are_one_installation(path):
    first, second = await asyncio.gather(asyncio.to_thread(open_store, path), asyncio.to_thread(open_store, path))
    assert (first.name, first.key) == (second.name, second.key)
    first.close()
    second.close()
