"""What is known when a plan is made: frozen, complete, and gathered before any decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from holdfast.model.directives import Directives
from holdfast.model.json import JsonMap
from holdfast.model.kinds import Kind
from holdfast.model.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Place:
    """Where a resource is looked for."""

    account: str = ""  # or project
    region: str = ""
    partition: str = "aws"
    words: str = ""  # for messages: "in eu-west-1 of account 123456789012", "in project shop"


@dataclass(frozen=True, slots=True)
class Live:
    """A resource as the cloud returned it, in the shape of spec and status."""

    spec: JsonMap
    status: JsonMap = field(default_factory=dict)
    identity: str = ""  # ARN, or full resource name
    place: Place = field(default_factory=Place)
    mark: str = ""  # the object that its mark names, if any
    tags: Mapping[str, str] = field(default_factory=dict)  # with marks
    failed: Mapping[str, str] = field(default_factory=dict)  # field → why it could not be read
    created: str = ""
    pending: str = ""  # a state of the service that means: not settled yet
    gone: bool = False  # still shown, but as good as deleted
    leaving: bool = False  # being deleted, which may still fail
    raw: JsonMap = field(default_factory=dict)  # as the cloud gave it, for its provider only
    is_whole: bool = False  # one read gave all of it: nothing was left out because nobody asked for it


@dataclass(frozen=True, slots=True)
class Absent:
    """The cloud's definite "not found"."""


@dataclass(frozen=True, slots=True)
class Intent:
    """Written before a create or delete, so that a crash in between is known of."""

    action: str
    token: str
    time: str  # what we make cannot be older than this (minutes of clock skew allowed)
    tried: str  # when its outcome was last in doubt: absence must hold from then on


@dataclass(frozen=True, slots=True)
class Settling:
    """What an update was to change, until its effect is seen. Values are hashes."""

    generation: int
    attempts: int
    since: str
    before: Mapping[str, str]
    seen: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Operation:
    """A write that the cloud is still carrying out; asked after until it has ended."""

    name: str
    action: str  # create | update | adopt | delete
    generation: int  # of the object when it was sent
    before: Mapping[str, str]  # path → hash of what was there before
    sent: list[str]  # the top-level fields that were really sent


@dataclass(frozen=True, slots=True)
class Hold:
    """A permanent error: not tried again until `inputs` or the day changes."""

    code: str
    inputs: str
    until: str


@dataclass(frozen=True, slots=True)
class Memory:
    """What status remembers."""

    cookie: str = ""
    applied: tuple[str, ...] = ()
    has_applied: bool = False
    overrides: Mapping[str, JsonMap] = field(default_factory=dict)
    verified: str = ""  # what was looked at while it was only verified
    sent: Mapping[str, str] = field(default_factory=dict)  # write-only field → seal of the value last sent
    identity: str = ""
    place: Place = field(default_factory=Place)
    adopted: bool = False
    ready: bool = False
    ready_reason: str = ""
    observed_generation: int = 0
    intent: Intent | None = None
    settling: Settling | None = None
    hold: Hold | None = None
    operation: Operation | None = None
    conditions: tuple[JsonMap, ...] = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything decide() may look at."""

    kind: Kind
    directives: Directives
    memory: Memory
    generation: int
    is_deleting: bool
    has_finalizer: bool
    mark: str  # what our mark on the resource would say
    live: Live | Absent | None = None  # None: not looked yet
    desired: JsonMap = field(default_factory=dict)
    verdicts: tuple[Verdict, ...] = ()
    cookie: str = ""  # of desired and live as they are now
    removed: tuple[str, ...] = ()
    is_settled: bool = True  # the settle time since the last write or intent is over
    may_acquire: bool = False
    use_fast_path: bool = True
    held_by: str = ""  # another object that holds the same resource
    place: Place = field(default_factory=Place)  # where it was looked for
    is_current: bool = True  # status shows what the kind wants shown
    is_running: bool = False  # an operation of ours has not ended
    is_finished: bool = False  # one that was sent for this very spec has
    is_held: bool = False  # a permanent error stands, and nothing has changed since
    key: bytes = b""  # of the installation, for sealing
