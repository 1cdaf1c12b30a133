"""The embedded store: one SQLite file. Writes go through one thread that commits them in groups; reads go straight to the file.

`InlineStore` is the same store in memory, without thread or file: for plan and verify, which store nothing, and for the simulation.
"""

from __future__ import annotations

import asyncio
import os
import queue
import sqlite3
import threading
import time
import weakref
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import TypeVar

from holdfast.model.errors import StoreError
from holdfast.model.json import Json, JsonMap
from holdfast.model.objects import Keys, ObjectKey, Objects, StoredObject
from holdfast.runtime.ports import Change, Clock, EventNote
from holdfast.stores.tables import Bodies, Dump, Numbers, Rows, Rules, Tables, Words

T = TypeVar("T")
Job = tuple[Callable[[Tables], Json], "asyncio.Future[Json]", asyncio.AbstractEventLoop]
Jobs = list[Job]
_POLL = 0.05  # seconds between looks for other processes' writes


class _Store:
    """What both stores share: the port's methods, in terms of `_read` and `_write`."""

    installation: str = ""
    _key: bytes = b""

    def _read(self, work: Callable[[Tables], T]) -> T:
        raise NotImplementedError

    async def _write(self, work: Callable[[Tables], T]) -> T:
        raise NotImplementedError

    @property
    def name(self) -> str:
        return self.installation

    @property
    def key(self) -> bytes:
        return self._key

    async def get(self, key: ObjectKey) -> StoredObject | None:
        return self._read(lambda t: t.get(key))

    async def list(self, group: str = "", kind: str = "", namespace: str = "") -> Objects:
        return self._read(lambda t: t.list(group, kind, namespace))

    async def holder_of(self, identity: str) -> Keys:
        return self._read(lambda t: t.holders(identity))

    async def referrers_of(self, key: ObjectKey) -> Keys:
        return self._read(lambda t: t.referrers(key))

    async def version(self) -> int:
        return self._read(lambda t: t.version())

    async def events(self, key: ObjectKey) -> Rows:
        return self._read(lambda t: t.events(key))

    async def watch(self, since: int) -> AsyncIterator[Change]:
        """Every change after `since`, for ever; in the order in which they were committed."""
        while True:
            found = self._read(lambda t: t.changes(since))  # noqa: B023
            for change in found:
                since = change.version
                yield change
            if not found:
                await self._wait()

    async def _wait(self) -> None:
        await asyncio.sleep(_POLL)

    async def apply(self, body: JsonMap, manager: str) -> StoredObject:
        return await self._write(lambda t: t.apply(body, manager))

    async def create(self, body: JsonMap, manager: str) -> StoredObject:
        return await self._write(lambda t: t.create(body, manager))

    async def write_metadata(self, seen: StoredObject, finalizers: Words, annotations: Mapping[str, str | None]) -> StoredObject:
        return await self._write(lambda t: t.write_metadata(seen, finalizers, annotations))

    async def write_status(self, seen: StoredObject, status: JsonMap) -> StoredObject:
        return await self._write(lambda t: t.write_status(seen, status))

    async def write_spec(self, seen: StoredObject, spec: JsonMap, manager: str) -> StoredObject:
        return await self._write(lambda t: t.write_spec(seen, spec, manager))

    async def apply_all(self, bodies: Bodies, manager: str) -> Objects:
        """All or none; the error's `index` names the body that was refused."""
        return await self._write(lambda t: t.apply_all(bodies, manager))

    async def dump(self) -> Dump:
        return self._read(lambda t: t.dump())

    async def ask(self, key: ObjectKey) -> int:
        """Ask whoever reconciles to look at an object; `is_answered` says when it has."""
        return await self._write(lambda t: t.ask(key))

    async def is_answered(self, number: int) -> bool:
        return self._read(lambda t: t.is_answered(number))

    async def asked(self, key: ObjectKey) -> Numbers:
        return self._read(lambda t: t.asked(key))

    async def answer(self, numbers: Numbers) -> None:
        if numbers:
            await self._write(lambda t: t.answer(numbers))

    async def delete(self, key: ObjectKey) -> None:
        await self._write(lambda t: t.delete(key))

    async def record(self, note: EventNote) -> None:
        await self._write(lambda t: t.record(note))

    async def take_lease(self, name: str, holder: str, seconds: float) -> bool:
        return await self._write(lambda t: t.take_lease(name, holder, time.time(), seconds))

    async def drop_lease(self, name: str, holder: str) -> None:
        await self._write(lambda t: t.drop_lease(name, holder))


class InlineStore(_Store):
    """In memory, on the caller's own thread; every write is its own transaction."""

    def __init__(self, rules: Rules, clock: Clock) -> None:
        self._db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        weakref.finalize(self, self._db.close)  # it goes with its last user
        self._tables = Tables(self._db, rules, clock)
        self._tables.prepare()
        self.installation, self._key = self._tables.meta("installation"), self._tables.meta("key").encode()
        self._moved = asyncio.Event()

    def _read(self, work: Callable[[Tables], T]) -> T:
        return work(self._tables)

    async def _write(self, work: Callable[[Tables], T]) -> T:
        await asyncio.sleep(0)
        self._db.execute("BEGIN")
        try:
            result = work(self._tables)
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")
        self._moved.set()
        return result

    async def _wait(self) -> None:
        await self._moved.wait()
        self._moved.clear()

    def borrow_identity(self, installation: str, key: bytes) -> None:
        """Act as another store's installation: for plans made on a copy of it."""
        self.installation, self._key = installation, key

    def load(self, objects: Dump) -> None:
        """Objects as they are, with status and who gave which field, unchecked."""
        for obj, managers in objects:
            self._tables.restore(obj, managers)

    def close(self) -> None:
        self._db.close()


class EmbeddedStore(_Store):
    """In a file. Safe with several processes at once: SQLite's locks order the writers, resourceVersions catch the stale."""

    def __init__(self, path: Path, rules: Rules, clock: Clock) -> None:
        self._path, self._rules, self._clock = path, rules, clock
        _make_private(path)
        self._reads = self._connect()
        self._reader = Tables(self._reads, rules, clock)
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        writes = self._connect()
        self._prepare(writes)
        self.installation, self._key = self._reader.meta("installation"), self._reader.meta("key").encode()
        self._thread = threading.Thread(target=self._work, args=(writes,), name="holdfast-store", daemon=True)
        self._thread.start()

    def _prepare(self, writes: sqlite3.Connection) -> None:
        try:
            writes.execute("BEGIN IMMEDIATE")
            Tables(writes, self._rules, self._clock).prepare()
            writes.execute("COMMIT")
        except (sqlite3.Error, StoreError) as error:
            writes.close()
            self._reads.close()
            text = error.message if isinstance(error, StoreError) else f"cannot open the state file: {error}"
            raise StoreError("HF604", text, str(self._path)) from None

    def _connect(self) -> sqlite3.Connection:
        db = None
        try:
            db = sqlite3.connect(self._path, isolation_level=None, timeout=30, check_same_thread=False)
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=FULL")
        except sqlite3.Error as error:
            if db is not None:
                db.close()
            raise StoreError("HF604", f"cannot open the state file: {error}", str(self._path)) from None
        return db

    def _read(self, work: Callable[[Tables], T]) -> T:
        try:
            return work(self._reader)
        except sqlite3.Error as error:
            raise StoreError("HF604", f"the state file cannot be read: {error}", str(self._path)) from None

    async def _write(self, work: Callable[[Tables], T]) -> T:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        self._jobs.put((work, done, loop))
        return await asyncio.shield(done)

    def _work(self, db: sqlite3.Connection) -> None:
        """The writer thread: everything that waits goes into one transaction, each job in a savepoint of its own."""
        tables = Tables(db, self._rules, self._clock)
        while (job := self._jobs.get()) is not None:
            jobs = [job]
            while not self._jobs.empty() and len(jobs) < 256:
                more = self._jobs.get()
                if more is None:
                    self._jobs.put(None)
                    break
                jobs.append(more)
            self._commit(db, tables, jobs)
        db.close()

    def _commit(self, db: sqlite3.Connection, tables: Tables, jobs: Jobs) -> None:
        results: list[tuple[asyncio.Future[Json], asyncio.AbstractEventLoop, Json, BaseException | None]] = []
        try:
            db.execute("BEGIN IMMEDIATE")
            for work, done, loop in jobs:
                results.append((done, loop, *_attempt(db, tables, work)))
            db.execute("COMMIT")
        except sqlite3.Error as error:
            failure = StoreError("HF604", f"the state file cannot be written: {error}", str(self._path))
            results = [(done, loop, None, failure) for _, done, loop in jobs]
            if db.in_transaction:
                db.execute("ROLLBACK")
        for done, loop, result, failure_ in results:
            if not loop.is_closed():
                loop.call_soon_threadsafe(_finish, done, result, failure_)

    def close(self) -> None:
        self._jobs.put(None)
        self._thread.join(timeout=10)
        self._reads.close()


def _attempt(db: sqlite3.Connection, tables: Tables, work: Callable[[Tables], Json]) -> tuple[Json, BaseException | None]:
    db.execute("SAVEPOINT job")
    try:
        result = work(tables)
    except sqlite3.Error:
        raise
    except Exception as error:  # noqa: BLE001  (the caller's, whatever it is: the writer must live on)
        db.execute("ROLLBACK TO job")
        db.execute("RELEASE job")
        return None, error
    db.execute("RELEASE job")
    return result, None


def _finish(done: asyncio.Future[Json], result: Json, failure: BaseException | None) -> None:
    if done.cancelled():
        return
    if failure is not None:
        done.set_exception(failure)
    else:
        done.set_result(result)


def _make_private(path: Path) -> None:
    """The file holds Secrets and the sealing key: readable by its owner only, from the first byte."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        path.chmod(0o600)
    except OSError as error:
        raise StoreError("HF604", f"cannot open the state file: {error.strerror}", str(path)) from None


def default_path() -> Path:
    home = os.environ.get("XDG_DATA_HOME")
    return (Path(home) if home else Path.home() / ".local" / "share") / "holdfast" / "state.db"
