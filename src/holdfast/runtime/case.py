"""One object under reconcile: what is known of it, step by step. Gathering is the only I/O before a plan."""

from __future__ import annotations

from dataclasses import dataclass, replace

from holdfast import __version__
from holdfast.core.canonical import digest
from holdfast.core.compare import Comparison, as_written, compare, describe_rest, removed_paths
from holdfast.core.cookie import cookie, seal
from holdfast.core.desired import fill_references, with_labels, with_name
from holdfast.core.directives import namespace_directives, parse_directives
from holdfast.core.messages import value as shown
from holdfast.core.normalise import normalise
from holdfast.core.overrides import apply_overrides, still_wanted
from holdfast.core.sent import notice_edits
from holdfast.core.status import read_memory
from holdfast.core.validate import check_spec
from holdfast.model.directives import Directives
from holdfast.model.errors import CloudError, InputError, WaitError
from holdfast.model.facts import Absent, Facts, Live, Operation, Place
from holdfast.model.json import Json, JsonMap, walk_leaves
from holdfast.model.kinds import Kind, top_field
from holdfast.model.objects import ObjectKey, StoredObject
from holdfast.model.verdicts import Verdict
from holdfast.runtime.engine import Engine
from holdfast.runtime.ports import Answer, Cloud, Subject
from holdfast.runtime.references import UNKNOWN, resolve


@dataclass(frozen=True)
class Case:
    obj: StoredObject
    kind: Kind
    facts: Facts
    subject: Subject
    inputs: str = ""  # a hash of all that could change the outcome of a permanent error
    has_references: bool = False
    ended: Operation | None = None  # an operation that has, in this very reconcile
    namespace_version: str = ""  # a directive on the namespace counts as one on the object


async def open_case(engine: Engine, obj: StoredObject) -> Case:
    """What can be known without references and without the cloud. Raises InputError for a directive that is not one."""
    kind = engine.kind_of(obj.key)
    namespace = await engine.store.get(namespace_key(obj.key))
    notes = namespace_directives(namespace.metadata) if namespace else {}
    labels = obj.metadata.get("labels") or {}
    directives = parse_directives(kind, obj.annotations, notes, labels, retain_by_default=engine.settings.retain_by_default)
    if engine.settings.verify_all:
        directives = replace(directives, verify_only=True, paused=False)
    if not directives.account and kind.dialect.namespace_is_account:
        directives = replace(directives, account=obj.key.namespace)
    mark = mark_of(kind, engine.store.name, obj.key)
    facts = Facts(
        kind=kind, directives=directives, memory=read_memory(kind, obj.status, obj.annotations), generation=obj.generation,
        is_deleting=obj.is_deleting, has_finalizer=kind.finalizer in obj.finalizers, mark=mark,
        may_acquire=kind.dialect.may_acquire and not engine.settings.refuse_acquire, use_fast_path=not engine.settings.full_report,
        key=engine.store.key,
    )
    words = {"service": kind.group.partition(".")[0], "version": __version__, "namespace": obj.key.namespace, "mark": mark}
    marks = {tag: text.format(**words) for tag, text in kind.dialect.marks.items()}
    return Case(obj, kind, facts, Subject(kind, Place(), {}, obj.status, mark, marks), namespace_version=namespace.resource_version if namespace else "")


def namespace_key(key: ObjectKey) -> ObjectKey:
    return ObjectKey("", "Namespace", "default", key.namespace)


def mark_of(kind: Kind, installation: str, key: ObjectKey) -> str:
    """What our mark says: this installation, this object. A name too long for a tag is hashed; where tags take no such text, all of it is."""
    name = f"{key.group}/{key.kind}/{key.namespace}/{key.name}"
    if not kind.dialect.mark_length:
        return digest(f"{installation}/{name}")[:40]
    return f"{installation}/{name}" if len(name) <= kind.dialect.mark_length else f"{installation}/{digest(name)}"


def bare_case(engine: Engine, obj: StoredObject) -> Case:
    """A case whose directives could not be read: enough to say so in status, and for nothing else."""
    kind = engine.kind_of(obj.key)
    facts = Facts(kind, Directives(), read_memory(kind, obj.status, obj.annotations), obj.generation, obj.is_deleting,
                  kind.finalizer in obj.finalizers, "")
    return Case(obj, kind, facts, Subject(kind, Place(), {}, {}, ""))


async def prepare(engine: Engine, case: Case) -> Case:
    """Validated, references filled in, and whether a permanent error still stands."""
    kind, obj, directives = case.kind, case.obj, case.facts.directives
    errors = check_spec(kind, obj.spec, spec_may_be_absent=bool(directives.adoption_policy or directives.adopted))
    if errors and not obj.is_deleting:
        raise errors[0]
    resolved = await _resolve(engine, case)
    desired = with_name(kind, fill_references(kind, obj.spec, resolved), obj.key.name)
    desired = with_labels(kind, desired, obj.metadata.get("labels") or {})
    notes = {k: v for k, v in obj.annotations.items() if k != kind.dialect.annotation("spec-overrides")}
    inputs = digest({"desired": seal(kind, desired, engine.store.key), "annotations": notes, "deleting": obj.is_deleting, "generation": obj.generation,
                     "place": [directives.region, directives.account]})
    hold = case.facts.memory.hold
    is_held = not engine.settings.is_dry and hold is not None and hold.inputs == inputs and engine.clock.now() < hold.until
    subject = replace(case.subject, spec=desired)
    return replace(case, facts=replace(case.facts, is_held=is_held), subject=subject, inputs=inputs, has_references=bool(resolved))


async def _resolve(engine: Engine, case: Case) -> dict[str, Json]:
    """While deleting, a reference that is gone is no reason to stop: ids in status mostly do without."""
    obj = case.obj
    try:
        return await resolve(engine, case.kind, obj, need_ready=not (case.facts.directives.never_writes or obj.is_deleting))
    except WaitError:
        if obj.is_deleting:
            return {}
        raise


async def look(engine: Engine, case: Case) -> Case:
    """The resource read, and both sides compared."""
    kind, facts, cloud = case.kind, case.facts, engine.cloud_of(case.kind)
    place = await cloud.locate(kind, facts.directives, case.subject.spec, facts.memory.place)
    case = await _ask(engine, replace(case, subject=replace(case.subject, place=place)))
    if case.facts.is_running:
        return case
    facts = case.facts
    spec, status = _adoption_hints(cloud, case, place)
    for name, hint in spec.items():
        if case.subject.spec.get(name, hint) != hint:
            said = shown(kind, name, case.subject.spec[name])
            raise InputError("HF204", f"adoption-fields says {name} {shown(kind, name, hint)}, and the spec says {said}", f"spec.{name}")
    subject = replace(case.subject, place=place, spec={**spec, **case.subject.spec}, status={**status, **case.subject.status},
                      wanted=wanted_fields(engine, case), token=facts.memory.intent.token if facts.memory.intent else "")
    live = Absent() if waits_for_others(case) else await cloud.reader().observe(subject)
    held_by = await _holder(engine, case, live)
    return assess(replace(case, subject=subject), live, engine, held_by)


async def _ask(engine: Engine, case: Case) -> Case:
    """Whether an operation of ours has ended. No worker waits for it: while it runs, the object is looked at again later."""
    operation = case.facts.memory.operation
    if operation is None:
        return case
    try:
        answer = await engine.cloud_of(case.kind).reader().ask(case.subject, operation.name)
    except CloudError as error:
        if not error.ended_operation or not case.obj.is_deleting or operation.action == "delete":
            raise
        answer = Answer()  # what is being deleted need not have been made, or changed
    if answer is None:
        return replace(case, facts=replace(case.facts, is_running=True))
    is_finished = operation.action in ("create", "update") and operation.generation == case.obj.generation
    subject = replace(case.subject, status={**case.subject.status, **answer.status})
    memory = replace(case.facts.memory, operation=None)
    return replace(case, subject=subject, ended=operation, facts=replace(case.facts, memory=memory, is_finished=is_finished))


def waits_for_others(case: Case) -> bool:
    """In a plan: it refers to what is only planned, and holds nothing yet, so there is nothing to look for."""
    return not case.facts.memory.identity and any(v == UNKNOWN for _, v in walk_leaves(case.subject.spec))


def _adoption_hints(cloud: Cloud, case: Case, place: Place) -> tuple[dict[str, Json], dict[str, Json]]:
    """What adoption-fields say of the resource's identity."""
    spec: dict[str, Json] = {}
    status: dict[str, Json] = {}
    kind = case.kind
    for name, value in case.facts.directives.adoption_fields.items():
        if name in kind.spec_schema["properties"]:
            spec[name] = value
        elif name in kind.status_schema["properties"]:
            status[name] = value
        else:
            found = cloud.identify(kind, place, name, value)
            spec, status = {**spec, **found.spec}, {**status, **found.status}
    return spec, status


def wanted_fields(engine: Engine, case: Case) -> frozenset[str] | None:
    """Only the parts that matter are read: those of which the spec speaks or spoke, and tags where ownership is open."""
    f = case.facts
    adopting = bool(f.directives.adoption_policy or f.directives.adopted) and not f.memory.adopted
    if adopting or engine.settings.full_report:
        return None
    wanted = {*case.subject.spec, *(top_field(p) for p in f.memory.applied)}
    if not f.memory.identity or f.memory.intent is not None:
        wanted.add(case.kind.tag_field)
    return frozenset(wanted)


async def _holder(engine: Engine, case: Case, live: Live | Absent) -> str:
    if not isinstance(live, Live) or not live.identity:
        return ""
    others = [k for k in await engine.store.holder_of(live.identity) if k != case.obj.key and k.kind == case.obj.key.kind]
    mine = case.facts.memory.identity == live.identity
    return "" if mine or not others else str(others[0])


def assess(case: Case, live: Live | Absent, engine: Engine, held_by: str = "") -> Case:
    """Verdicts and cookie of the state as it is now."""
    kind, facts = case.kind, case.facts
    desired = normalise(kind, case.subject.spec, live=False)
    if not isinstance(live, Live):
        return replace(case, facts=replace(facts, live=live, desired=desired, is_settled=_is_settled(engine, facts), verdicts=(), place=case.subject.place))
    c = comparison(case, desired, live)
    trusted = case.obj.status or live.mark == facts.mark  # an annotation alone is anybody's word
    known = still_wanted(kind, desired, facts.memory.overrides if trusted else {}, facts.key)
    now = cookie(c, known, facts.key)
    is_fast = facts.use_fast_path and now == facts.memory.cookie and facts.memory.intent is None
    verdicts = () if is_fast else _verdicts(case, c, live, known, now)
    if engine.settings.full_report:
        verdicts = (*verdicts, *describe_rest(c, verdicts))
    return replace(case, facts=replace(
        facts, live=live, desired=desired, verdicts=verdicts, removed=c.removed, held_by=held_by, is_settled=_is_settled(engine, facts),
        cookie=now, memory=replace(facts.memory, overrides=known), is_current=_is_current(case, live)))


def _verdicts(case: Case, c: Comparison, live: Live, known: dict[str, JsonMap], now: str) -> tuple[Verdict, ...]:
    """The slow path: field by field, with known overrides and edits of write-only fields taken into account."""
    facts = case.facts
    verdicts = apply_overrides(case.kind, as_written(case.kind, compare(c), case.subject.spec, live.spec), known, facts.key)
    return verdicts if facts.directives.never_writes else notice_edits(verdicts, facts.memory, now, facts.key)


def _is_current(case: Case, live: Live) -> bool:
    return all(live.status.get(name) == case.obj.status.get(name) for name in case.kind.refresh)


def comparison(case: Case, desired: JsonMap, live: Live) -> Comparison:
    facts = case.facts
    unmanaged = facts.directives.unmanaged
    removed = () if facts.directives.never_writes else removed_paths(case.kind, desired, facts.memory.applied, unmanaged)
    spoken = {*desired, *(top_field(p) for p in removed)}
    return Comparison(case.kind, desired, normalise(case.kind, live.spec, live=True), removed, unmanaged, frozenset(spoken & set(live.failed)))


def _is_settled(engine: Engine, facts: Facts) -> bool:
    """Whether the settle time since our last write, or since a recorded intent, is over."""
    since = facts.memory.settling.since if facts.memory.settling else facts.memory.intent.tried if facts.memory.intent else ""
    return not since or engine.clock.age(since) >= facts.kind.settle_seconds


