"""What the engine asks of the world. Implementations live in providers/ and stores/; the docstrings are the contract."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from holdfast.model.directives import Directives
from holdfast.model.facts import Absent, Live, Place
from holdfast.model.json import Json, JsonMap
from holdfast.model.kinds import Dialect, Kind
from holdfast.model.objects import Keys, ObjectKey, Objects, StoredObject


@dataclass(frozen=True, slots=True)
class Subject:
    """Which resource is meant: what the object says of it, and what is known of it already."""

    kind: Kind
    place: Place
    spec: JsonMap  # desired, references filled in
    status: JsonMap  # ids that earlier reads and writes gave
    mark: str  # what our mark on it says
    marks: Mapping[str, str] = field(default_factory=dict)  # the tags that we put on it
    token: str = ""  # of the open intent
    wanted: frozenset[str] | None = None  # top-level fields of interest; None: all


@dataclass(frozen=True, slots=True)
class Answer:
    """What the cloud said to a write. `spec` has only the fields that the answer really carried."""

    spec: JsonMap = field(default_factory=dict)
    status: JsonMap = field(default_factory=dict)
    identity: str = ""
    written: frozenset[str] | None = None  # the top-level fields that were really sent; None: all that were asked for
    operation: str = ""  # the cloud has begun, and is to be asked by this name whether it has ended


@dataclass(frozen=True, slots=True)
class Identified:
    """What an identifier says: values of spec and status, and annotations that an object adopted by it needs."""

    spec: dict[str, Json] = field(default_factory=dict)
    status: dict[str, Json] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)


class Reader(Protocol):
    """Looks at resources. Has no way to change one, by construction."""

    async def observe(self, subject: Subject) -> Live | Absent:
        """The resource in the shape of spec and status. Absent only on the cloud's definite "not found"; any other failure raises
        CloudError, except that of a part, which is noted in `Live.failed`."""
        ...

    async def ask(self, subject: Subject, operation: str) -> Answer | None:
        """What an operation of ours ended in, None while it runs. Raises CloudError (`ended_operation`) where it failed."""
        ...


class Writer(Protocol):
    """Changes resources. Every method is one step of a plan; each may raise CloudError after having had an effect."""

    async def create(self, subject: Subject) -> Answer: ...

    async def update(self, subject: Subject, live: Live, target: JsonMap, changed: frozenset[str]) -> Answer:
        """Bring the top-level fields `changed` to what `target` has. Marks go along."""
        ...

    async def mark(self, subject: Subject, live: Live) -> Answer:
        """Put our marks on the resource, replacing older ones; a kind without tags is left as it is."""
        ...

    async def delete(self, subject: Subject, live: Live) -> Answer: ...


class Cloud(Protocol):
    """One provider. `writer` is handed only to code that executes a plan which writes."""

    async def locate(self, kind: Kind, directives: Directives, spec: JsonMap, known: Place) -> Place:
        """Where an object's resource is: what status names, else spec and directives, else the environment. Raises where they differ."""
        ...

    def reader(self) -> Reader: ...

    def writer(self) -> Writer: ...

    def identify(self, kind: Kind, place: Place, sort: str, value: str) -> Identified:
        """What an identifier (arn, name, id) gives. Raises InputError HF304."""
        ...


@dataclass(frozen=True, slots=True)
class Change:
    """One step of a watch."""

    key: ObjectKey
    version: int
    is_gone: bool = False


@dataclass(frozen=True, slots=True)
class EventNote:
    """Something a person wants to know; once per change."""

    key: ObjectKey
    type: str  # Normal | Warning
    reason: str
    note: str


class ObjectReader(Protocol):
    """Reads objects. What it returns is never older than our own last write."""

    async def get(self, key: ObjectKey) -> StoredObject | None: ...

    async def list(self, group: str = "", kind: str = "", namespace: str = "") -> Objects: ...

    def watch(self, since: int) -> AsyncIterator[Change]: ...

    async def holder_of(self, identity: str) -> Keys:
        """The objects whose status names this resource."""
        ...

    async def referrers_of(self, key: ObjectKey) -> Keys:
        """The objects whose spec refers to this one."""
        ...


class ObjectWriter(Protocol):
    """Writes objects; a stale resourceVersion raises ConflictError."""

    async def apply(self, body: JsonMap, manager: str) -> StoredObject:
        """Server-side apply: what the manager gave before and no longer gives goes, unless another manager has it too."""
        ...

    async def create(self, body: JsonMap, manager: str) -> StoredObject: ...

    async def write_metadata(self, seen: StoredObject, finalizers: list[str], annotations: Mapping[str, str | None]) -> StoredObject:
        """Set the finalizers and annotations that are ours (None removes one). An object being deleted without finalizers goes."""
        ...

    async def write_status(self, seen: StoredObject, status: JsonMap) -> StoredObject: ...

    async def delete(self, key: ObjectKey) -> None: ...


class SpecFiller(Protocol):
    """The one write to spec that we ever make: at adoption, fields that it does not have yet."""

    async def write_spec(self, seen: StoredObject, spec: JsonMap, manager: str) -> StoredObject: ...


class Store(ObjectReader, ObjectWriter, SpecFiller, Protocol):
    """All that a reconcile needs of a store."""

    @property
    def name(self) -> str:
        """Of the installation; stands in marks."""
        ...

    @property
    def key(self) -> bytes:
        """Of the installation, for sealing."""
        ...

    async def asked(self, key: ObjectKey) -> list[int]:
        """Requests of other processes to look at an object; a store where nobody can ask has none."""
        ...

    async def answer(self, numbers: list[int]) -> None:
        """These were looked at."""
        ...

    async def record(self, note: EventNote) -> None:
        """Keep what happened, for people."""
        ...


class Kinds(Protocol):
    """The kinds that are installed."""

    def find(self, group: str, kind: str) -> Kind | None: ...

    def is_adopted_resource(self, group: str, kind: str) -> bool: ...

    def dialect_of(self, group: str) -> Dialect:
        """The family that a group belongs to."""
        ...


class Clock(Protocol):
    """Time and chance, handed in, so that a simulation can own both."""

    def now(self) -> str:
        """UTC, RFC 3339, to the second."""
        ...

    def later(self, seconds: float) -> str:
        """`now`, that many seconds on."""
        ...

    def age(self, since: str) -> float:
        """Seconds since a time that `now` gave."""
        ...

    def fraction(self) -> float:
        """Random, in [0, 1)."""
        ...

    def token(self) -> str:
        """Random, unique."""
        ...
