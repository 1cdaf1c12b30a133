"""The embedded store's transactions, synchronous and free of threads: what a statement does, not when it runs.

`EmbeddedStore` runs these on a writer thread with group commit; the simulation runs them in memory, in line. Either way the behaviour is
this file's: conflicts, generation, finalizers, status apart from spec, admission.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources

import orjson

from holdfast.model.errors import ConflictError, InputError, StoreError
from holdfast.model.json import Json, JsonMap
from holdfast.model.objects import Keys, ObjectKey, Objects, StoredObject, key_of
from holdfast.runtime.ports import Change, Clock, EventNote
from holdfast.stores.fields import Managers, add_fields, apply_fields, given_by

FORM = 1  # of the tables
Admit = Callable[[JsonMap | None, JsonMap, Callable[[ObjectKey], StoredObject | None]], list[InputError]]
References = Callable[[JsonMap], list[ObjectKey]]
NOTE_BYTES = 1024
Changes = list[Change]
Rows = list[dict[str, Json]]
Words = list[str]
Numbers = list[int]
Bodies = list[JsonMap]
Dump = list[tuple[StoredObject, Managers]]


@dataclass(frozen=True, slots=True)
class Rules:
    """What the store asks of the layers below: admission, the references of an object, its resource's identity."""

    admit: Admit
    references: References
    identity: Callable[[JsonMap], str]
    canonical: Callable[[JsonMap], JsonMap]  # aliases resolved


class Tables:
    def __init__(self, connection: sqlite3.Connection, rules: Rules, clock: Clock) -> None:
        self._db, self._rules, self._clock = connection, rules, clock

    # ---- set-up

    def prepare(self) -> None:
        script = resources.files("holdfast.stores").joinpath("schema.sql").read_text(encoding="utf-8")
        for statement in script.split(";\n"):
            if statement.strip():
                self._db.execute(statement)
        self._db.execute("INSERT OR IGNORE INTO meta VALUES ('form', ?), ('installation', ?), ('key', ?)",
                         (str(FORM), self._clock.token().replace("-", "")[-8:], self._clock.token() + self._clock.token()))
        found = self.meta("form")
        if found != str(FORM):
            raise StoreError("HF604", f"the state file has form {found}, and this Holdfast knows form {FORM}")

    def meta(self, name: str) -> str:
        row = self._db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else ""

    # ---- reading

    def get(self, key: ObjectKey) -> StoredObject | None:
        row = self._db.execute("SELECT body FROM objects WHERE grp=? AND kind=? AND ns=? AND name=?", _row(key)).fetchone()
        return StoredObject(orjson.loads(row[0])) if row else None

    def list(self, group: str, kind: str, namespace: str) -> Objects:
        wanted = [(c, v) for c, v in (("grp", group), ("kind", kind), ("ns", namespace)) if v]
        where = " AND ".join(f"{c}=?" for c, _ in wanted) or "1"
        rows = self._db.execute(f"SELECT body FROM objects WHERE {where} ORDER BY grp, kind, ns, name", [v for _, v in wanted])  # noqa: S608
        return [StoredObject(orjson.loads(r[0])) for r in rows]

    def changes(self, since: int, most: int = 1000) -> Changes:
        rows = self._db.execute("SELECT version, grp, kind, ns, name, gone FROM changes WHERE version > ? ORDER BY version LIMIT ?", (since, most))
        return [Change(ObjectKey(*r[1:5]), r[0], bool(r[5])) for r in rows]

    def version(self) -> int:
        return int(self._db.execute("SELECT COALESCE(MAX(version), 0) FROM changes").fetchone()[0])

    def holders(self, identity: str) -> Keys:
        return [] if not identity else [ObjectKey(*r) for r in self._db.execute("SELECT grp, kind, ns, name FROM objects WHERE identity=? AND identity<>''", (identity,))]

    def referrers(self, key: ObjectKey) -> Keys:
        return [ObjectKey(*r) for r in self._db.execute(
            "SELECT DISTINCT grp, kind, ns, name FROM refs WHERE to_grp=? AND to_kind=? AND to_ns=? AND to_name=?", _row(key))]

    def events(self, key: ObjectKey) -> Rows:
        rows = self._db.execute("SELECT type, reason, note, first, last, count FROM events WHERE grp=? AND kind=? AND ns=? AND name=? ORDER BY id",
                                _row(key))
        return [dict(zip(("type", "reason", "note", "first", "last", "count"), r, strict=True)) for r in rows]

    # ---- writing

    def apply(self, body: JsonMap, manager: str) -> StoredObject:
        body = self._rules.canonical(body)
        key = key_of(body)
        old = self._row(key)
        before, managers = (old[0].body, old[1]) if old else (None, {})
        if before is None:
            return self._insert(body, manager)
        merged, managers = apply_fields(before, given_by(body), managers, manager)
        merged = {**merged, "apiVersion": body["apiVersion"], "kind": body["kind"]}
        if merged == before:
            self._save_managers(key, managers)
            return StoredObject(before)
        self._check(before, merged)
        return self._update(key, before, merged, managers)

    def apply_all(self, bodies: Bodies, manager: str) -> Objects:
        out = []
        for i, body in enumerate(bodies):
            try:
                out.append(self.apply(body, manager))
            except InputError as error:
                error.index = i
                raise
        return out

    def dump(self) -> Dump:
        rows = self._db.execute("SELECT body, managers FROM objects ORDER BY grp, kind, ns, name")
        return [(StoredObject(orjson.loads(r[0])), orjson.loads(r[1])) for r in rows]

    def ask(self, key: ObjectKey) -> int:
        cursor = self._db.execute("INSERT INTO asks (grp, kind, ns, name) VALUES (?,?,?,?)", _row(key))
        self._bump(key, gone=False)
        return int(cursor.lastrowid or 0)

    def asked(self, key: ObjectKey) -> Numbers:
        return [int(r[0]) for r in self._db.execute("SELECT id FROM asks WHERE grp=? AND kind=? AND ns=? AND name=?", _row(key))]

    def is_answered(self, number: int) -> bool:
        return self._db.execute("SELECT 1 FROM asks WHERE id=?", (number,)).fetchone() is None

    def answer(self, numbers: Numbers) -> None:
        self._db.executemany("DELETE FROM asks WHERE id=?", [(n,) for n in numbers])

    def create(self, body: JsonMap, manager: str) -> StoredObject:
        body = self._rules.canonical(body)
        if self._row(key_of(body)):
            raise StoreError("HF603", f"{key_of(body)} exists already")
        return self._insert(body, manager)

    def _insert(self, body: JsonMap, manager: str) -> StoredObject:
        key, given = key_of(body), given_by(body)
        meta = {**(body.get("metadata") or {}), "name": key.name, "namespace": key.namespace, "uid": self._clock.token(), "generation": 1,
                "creationTimestamp": self._clock.now()}
        rest = {k: v for k, v in body.items() if k != "status"}  # status is what was seen, never what somebody says
        made = {**rest, "metadata": {k: v for k, v in meta.items() if k not in ("resourceVersion", "deletionTimestamp", "managedFields")}}
        self._check(None, made)
        _, managers = apply_fields({}, given, {}, manager)
        return self._save(key, made, managers)

    def restore(self, obj: StoredObject, managers: Managers) -> None:
        """An object as it was elsewhere: same uid, generation, status and finalizers."""
        self._save(obj.key, obj.body, managers)

    def _update(self, key: ObjectKey, before: JsonMap, after: JsonMap, managers: Managers) -> StoredObject:
        meta = dict(after["metadata"])
        if before.get("spec") != after.get("spec"):
            meta["generation"] = int(meta.get("generation") or 1) + 1
        return self._save(key, {**after, "metadata": meta}, managers)

    def write_metadata(self, seen: StoredObject, finalizers: Words, annotations: Mapping[str, str | None]) -> StoredObject:
        body, managers = self._fresh(seen)
        meta = dict(body["metadata"])
        notes = {**(meta.get("annotations") or {}), **{k: v for k, v in annotations.items() if v is not None}}
        meta["annotations"] = {k: v for k, v in notes.items() if annotations.get(k, "") is not None}
        meta["finalizers"] = finalizers
        for name in ("annotations", "finalizers"):
            if not meta[name]:
                meta.pop(name)
        if meta.get("deletionTimestamp") and not finalizers:
            self._remove(seen.key)
            return StoredObject({**body, "metadata": meta})
        return self._save(seen.key, {**body, "metadata": meta}, managers)

    def write_status(self, seen: StoredObject, status: JsonMap) -> StoredObject:
        body, managers = self._fresh(seen)
        after = {**body, "status": dict(status)}
        held = self._rules.identity(after)
        others = [k for k in self.holders(held) if k != seen.key and k.kind == seen.key.kind]
        if others and held != self._rules.identity(body):
            raise ConflictError("HF305", f"{others[0]} already holds {held}")
        return self._save(seen.key, after, managers)

    def write_spec(self, seen: StoredObject, spec: JsonMap, manager: str) -> StoredObject:
        """Fields that the spec does not have yet, given by `manager`. Never shrinks it."""
        body, managers = self._fresh(seen)
        merged, managers = add_fields(body, {"spec": spec}, managers, manager)
        self._check(body, merged)
        return self._update(seen.key, body, merged, managers)

    def delete(self, key: ObjectKey) -> None:
        row = self._row(key)
        if row is None:
            raise StoreError("HF602", f"{key} is not stored")
        body, managers = row[0].body, row[1]
        if not row[0].finalizers:
            self._remove(key)
        elif not row[0].is_deleting:
            self._save(key, {**body, "metadata": {**body["metadata"], "deletionTimestamp": self._clock.now()}}, managers)

    def record(self, note: EventNote) -> None:
        """The same note again is counted, not repeated."""
        text = note.note.encode()[:NOTE_BYTES].decode(errors="ignore")
        now, where = self._clock.now(), (*_row(note.key), note.type, note.reason, text)
        last = self._db.execute("SELECT id, type, reason, note FROM events WHERE grp=? AND kind=? AND ns=? AND name=? ORDER BY id DESC LIMIT 1",
                                _row(note.key)).fetchone()
        if last and last[1:] == (note.type, note.reason, text):
            self._db.execute("UPDATE events SET last=?, count=count+1 WHERE id=?", (now, last[0]))
        else:
            self._db.execute("INSERT INTO events (grp, kind, ns, name, type, reason, note, first, last, count) VALUES (?,?,?,?,?,?,?,?,?,1)",
                             (*where, now, now))

    def take_lease(self, name: str, holder: str, now: float, seconds: float) -> bool:
        row = self._db.execute("SELECT holder, expires FROM leases WHERE name=?", (name,)).fetchone()
        if row and row[0] != holder and row[1] > now:
            return False
        self._db.execute("INSERT OR REPLACE INTO leases VALUES (?,?,?)", (name, holder, now + seconds))
        return True

    def drop_lease(self, name: str, holder: str) -> None:
        self._db.execute("DELETE FROM leases WHERE name=? AND holder=?", (name, holder))

    # ---- inside

    def _check(self, old: JsonMap | None, new: JsonMap) -> None:
        errors = self._rules.admit(old, new, self.get)
        if errors:
            first, more = errors[0], f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
            raise InputError(first.code, f"{first.message}{more}", f"{key_of(new)}: {first.where}" if first.where else str(key_of(new)))

    def _row(self, key: ObjectKey) -> tuple[StoredObject, Managers] | None:
        row = self._db.execute("SELECT body, managers FROM objects WHERE grp=? AND kind=? AND ns=? AND name=?", _row(key)).fetchone()
        return (StoredObject(orjson.loads(row[0])), orjson.loads(row[1])) if row else None

    def _fresh(self, seen: StoredObject) -> tuple[dict[str, Json], Managers]:
        row = self._row(seen.key)
        if row is None:
            raise ConflictError("HF602", f"{seen.key} is gone")
        if row[0].resource_version != seen.resource_version:
            raise ConflictError("HF601", f"{seen.key} changed since it was read")
        return dict(row[0].body), row[1]

    def _save(self, key: ObjectKey, body: JsonMap, managers: Managers) -> StoredObject:
        version = self._bump(key, gone=False)
        made = {**body, "metadata": {**body["metadata"], "resourceVersion": str(version)}}
        self._db.execute("INSERT OR REPLACE INTO objects VALUES (?,?,?,?,?,?,?,?)",
                         (*_row(key), version, self._rules.identity(made), orjson.dumps(made), orjson.dumps(managers)))
        self._db.execute("DELETE FROM refs WHERE grp=? AND kind=? AND ns=? AND name=?", _row(key))
        self._db.executemany("INSERT INTO refs VALUES (?,?,?,?,?,?,?,?)", [(*_row(key), *_row(t)) for t in self._rules.references(made)])
        return StoredObject(made)

    def _save_managers(self, key: ObjectKey, managers: Managers) -> None:
        self._db.execute("UPDATE objects SET managers=? WHERE grp=? AND kind=? AND ns=? AND name=?", (orjson.dumps(managers), *_row(key)))

    def _remove(self, key: ObjectKey) -> None:
        self._db.execute("DELETE FROM objects WHERE grp=? AND kind=? AND ns=? AND name=?", _row(key))
        self._db.execute("DELETE FROM refs WHERE grp=? AND kind=? AND ns=? AND name=?", _row(key))
        self._bump(key, gone=True)

    def _bump(self, key: ObjectKey, *, gone: bool) -> int:
        cursor = self._db.execute("INSERT INTO changes (grp, kind, ns, name, gone) VALUES (?,?,?,?,?)", (*_row(key), int(gone)))
        version = int(cursor.lastrowid or 0)
        if version % 1000 == 0:  # a watcher that fell so far behind relists
            self._db.execute("DELETE FROM changes WHERE version < ?", (version - 100_000,))
        return version


def _row(key: ObjectKey) -> tuple[str, str, str, str]:
    return (key.group, key.kind, key.namespace, key.name)
