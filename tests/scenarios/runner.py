"""Scenarios: a script in YAML, and a golden text of what happened after every step: calls, conditions, cookie, annotations, events.

Steps (one key each; `say` is for the reader):
  apply: manifest(s)            as a user, server-side apply        replace: manifest      as a user without server-side apply (the whole object)
  reconcile: name | settle: name       delete: name
  annotate: {name: {key: value or null}}
  verify_queue, verify_bucket: what the cloud itself must say
  change_key: description    of the only KMS key, by somebody else
  aws: [service, Operation, {params}]      somebody else's hand in the cloud
  gcp: {edit: name, changes: {path: value}} | {put: name, body: {}} | {remove: name}      the same on Google Cloud
  gcp: {verify: name, has: {path: value}, lacks: [path]} | {verify: name, gone: true} | {sent: operation, query: {}, has: {}, lacks: []}    and what the last such call said
  slow_gcp: seconds      how long operations on Google Cloud run from now on          restart: true      a new process on the same store
  misbehave: {operation, ...}   misbehave_gcp: {operation, ...}            see FakeAws.misbehave           behave: true
  upgrade: true        a later release: the kinds as they are shipped, where the script's `kinds` changed them ({Kind: {field: {immutable: true}}})
  advance: seconds        lose_status: name        give_status: {name, status, finalizers}      as another controller left it
  woken: {by: name, wakes: [names]}      whom the operator wakes when that object changes
  expect: {refused, mutations, calls, retry_in, name: {ready, reason, says: [...], never_says: [...], events: [...], has: {path/in/object: value}, gone}}
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import yaml

from holdfast.app import rules_of
from holdfast.kinds.catalog import Catalog, shipped
from holdfast.model.errors import HoldfastError
from holdfast.model.kinds import Kind
from holdfast.model.objects import StoredObject
from holdfast.providers.aws.client import AwsClient
from holdfast.providers.fake import FakeTransport
from holdfast.providers.wire import Gate, is_mutating
from holdfast.runtime.reconcile import reconcile
from tests.invariants import check_status
from tests.world import VENDOR, World

HERE = Path(__file__).parent


class ChangedKinds(Catalog):
    """The shipped kinds, with some fields' rules changed: a release in which a kind was not yet as it is."""

    def __init__(self, changes: dict) -> None:
        super().__init__()
        self._changes = changes

    def _load(self, path: Path) -> Kind:
        is_new, kind = path not in self._loaded, super()._load(path)
        if is_new and kind.name in self._changes:
            rules = {f: replace(kind.rule(f), **raw) for f, raw in self._changes[kind.name].items()}
            self._loaded[path] = replace(kind, rules={**kind.rules, **rules})
        return self._loaded[path]


class Scenario:
    def __init__(self, path: Path, *, restarts: bool) -> None:
        self.script = yaml.safe_load(path.read_text())
        self.restarts = restarts
        changed = self.script.get("kinds")
        self.world = World(catalog=ChangedKinds(changed) if changed else None, **(self.script.get("settings") or {}))
        self.keys: dict[str, object] = {}
        self.lines: list[str] = []
        self._hashes: dict[str, str] = {}
        self._hand = AwsClient(FakeTransport(self.world.cloud), Gate(), VENDOR)
        self._mark = 0
        self._before: dict[str, list[str]] = {}

    async def run(self) -> str:
        self.lines = [f"# {self.script['title']}", ""]
        for i, step in enumerate(self.script["steps"], 1):
            if self.restarts:
                self.world.restart(**(self.script.get("settings") or {}))
            await self.step(i, dict(step))
        return "\n".join(self.lines) + "\n"

    async def step(self, number: int, step: dict) -> None:
        say, expect = step.pop("say", ""), step.pop("expect", None)
        (verb, given), = step.items()
        self._mark, self._gcp_mark = len(self.world.cloud.log), len(self.world.gcp.log)
        problem = ""
        try:
            await getattr(self, f"do_{verb}")(given)
        except HoldfastError as error:
            problem = str(error)
        ours = [] if verb in ("aws", "change_key", "verify_queue", "verify_bucket") else [
            c for c in (*self.world.cloud.log[self._mark:], *self.world.gcp.log[self._gcp_mark:]) if c != "GetCallerIdentity"]  # once per process
        self.lines.append(f"## {number}. {say or verb}")
        if problem:
            self.lines.append(f"refused: {problem}")
        self.lines.append(f"calls: {', '.join(ours) or 'none'}")
        for name in self.keys:
            await self._show(name)
        self.lines.append("")
        await self._expect(expect or {}, ours, problem, number)  # a refusal that nobody expects is a failure, too

    # ---- steps

    async def do_apply(self, given) -> None:
        for body in given if isinstance(given, list) else [given]:
            key = await self.world.apply(body, "user")
            self.keys.setdefault(body["metadata"]["name"] if body["kind"] != "AdoptedResource" else f"adopt/{body['metadata']['name']}", key)

    async def do_replace(self, body) -> None:
        """The object's spec becomes exactly this: a client without server-side apply."""
        obj = await self.world.store.get(self.keys[body["metadata"]["name"]])
        await self.world.store._write(lambda t: t._update(obj.key, obj.body, {**obj.body, "spec": body["spec"]}, {}))

    async def do_reconcile(self, name) -> None:
        self.last = await self.world.step(self._key(name))

    async def do_settle(self, name) -> None:
        await self.world.settle(self._key(name))
        for extra in self.script.get("also") or ():
            if extra not in self.keys:
                found = [o for o in await self.world.store.list() if o.key.name == extra and o.key.kind != "AdoptedResource"]
                if found:
                    self.keys[extra] = found[0].key
                    await self.world.settle(found[0].key)

    async def do_delete(self, name) -> None:
        await self.world.store.delete(self._key(name))

    async def do_annotate(self, given) -> None:
        for name, notes in given.items():
            obj = await self.world.store.get(self._key(name))
            await self.world.store.write_metadata(obj, obj.finalizers, notes)

    async def do_aws(self, given) -> None:
        service, operation, params = given
        await self._hand.call(service, "eu-west-1", operation, params)

    async def do_change_key(self, description) -> None:
        """KMS keys have ids that nobody can write down beforehand."""
        keys = (await self._hand.call("kms", "eu-west-1", "ListKeys", {}))["Keys"]
        await self._hand.call("kms", "eu-west-1", "UpdateKeyDescription", {"KeyId": keys[0]["KeyId"], "Description": description})

    async def do_verify_queue(self, given) -> None:
        """Look at the queue apart from Holdfast."""
        given = dict(given)
        url = f"http://127.0.0.1:9/123456789012/{given.pop('name')}"
        live = (await self._hand.call("sqs", "eu-west-1", "GetQueueAttributes", {"QueueUrl": url, "AttributeNames": ["All"]}))["Attributes"]
        assert {k: live.get(k) for k in given} == given, live

    async def do_verify_bucket(self, given) -> None:
        """Look at the bucket's lifecycle rules apart from Holdfast."""
        rules = (await self._hand.call("s3", "eu-west-1", "GetBucketLifecycleConfiguration", {"Bucket": "acme"}))["Rules"]
        for rule in rules:
            wanted = given[rule["ID"]]
            assert all(n in rule for n in wanted["has"]), rule
            assert not any(n in rule for n in wanted["lacks"]), rule

    async def do_misbehave(self, given) -> None:
        given = dict(given)
        for name in ("error", "suffix"):
            if name in given:
                given[name] = tuple(given[name])
        if "before_annotate" in given:
            notes = given.pop("before_annotate")
            given["before"] = lambda: self._annotate_now(notes)
        self.world.cloud.misbehave(**given)

    async def do_misbehave_gcp(self, given) -> None:
        self._misbehave_gcp(given)

    def _misbehave_gcp(self, given: dict) -> None:
        given = {k: tuple(v) if isinstance(v, list) else v for k, v in given.items()}
        if "before_edit" in given:
            edit = given.pop("before_edit")
            given["before"] = lambda: self.world.gcp.edit(edit["name"], edit["changes"])
        if "before_annotate" in given:
            notes = given.pop("before_annotate")
            given["before"] = lambda: self._annotate_now(notes)
        if "then" in given:  # another fault, after this call
            later = given.pop("then")
            given["before"] = lambda: self._misbehave_gcp(later)
        self.world.gcp.misbehave(**given)

    async def do_gcp(self, given) -> None:
        cloud = self.world.gcp
        if "edit" in given:
            cloud.edit(given["edit"], given["changes"])
        elif "put" in given:
            cloud.put(given["put"], given["body"])
        elif "remove" in given:
            cloud.remove(given["remove"])
        elif "sent" in given:
            call = next(c for c in reversed(cloud.calls) if c.operation == given["sent"])
            assert {k: call.query.get(k) for k in given.get("query") or {}} == (given.get("query") or {}), call
            self._check_body(call.body, given)
        elif given.get("gone"):
            assert cloud.get(given["verify"]) is None, "it is still there"
        else:
            live = cloud.get(given["verify"])
            assert live is not None, "it is not there"
            self._check_body(live, given)

    def _check_body(self, body, given) -> None:
        for path, value in {**(given.get("has") or {}), **dict.fromkeys(given.get("lacks") or ())}.items():
            found = body
            for part in path.split("."):
                found = found.get(part) if isinstance(found, dict) else None
            assert found == value, (path, found, body)

    async def do_slow_gcp(self, seconds) -> None:
        self.world.gcp.operation_seconds = float(seconds)

    async def do_restart(self, given) -> None:
        self.world.restart(**(self.script.get("settings") or {}))

    async def do_upgrade(self, given) -> None:
        self.world.catalog = None
        self.world.store._tables._rules = rules_of(shipped())
        self.world.restart(**(self.script.get("settings") or {}))

    async def do_behave(self, given) -> None:
        self.world.cloud.faults.clear()
        self.world.gcp.faults.clear()

    async def do_advance(self, seconds) -> None:
        self.world.clock.advance(seconds)

    async def do_lose_status(self, name) -> None:
        await self.world.store.write_status(await self.world.store.get(self._key(name)), {})

    async def do_woken(self, given) -> None:
        found = await self.world.store.referrers_of(self._key(given["by"]))
        assert sorted(k.name for k in found) == sorted(given["wakes"]), found

    async def do_give_status(self, given) -> None:
        obj = await self.world.store.get(self._key(given["name"]))
        obj = await self.world.store.write_metadata(obj, given.get("finalizers") or [], {})
        await self.world.store.write_status(obj, given["status"])

    def _annotate_now(self, given: dict) -> None:
        """In the middle of a reconcile, between its read and its write."""
        for name, notes in given.items():
            tables = self.world.store._tables
            obj = tables.get(self._key(name))
            tables.write_metadata(obj, obj.finalizers, notes)

    def _key(self, name):
        if name not in self.keys:
            raise AssertionError(f"the scenario has no object {name!r}")
        return self.keys[name]

    # ---- what is shown

    async def _show(self, name: str) -> None:
        obj = await self.world.store.get(self.keys[name])
        if obj is None:
            self.lines.append(f"{name}: gone")
            return
        check_status(obj)
        status, meta = obj.status, obj.metadata
        self.lines.append(f"{name}: generation {obj.generation}, finalizers {len(obj.finalizers)}")
        for c in status.get("conditions") or []:
            self.lines.append(f"  {c['type']}={c['status']} {c['reason']}{': ' + c['message'] if c['type'] == 'Ready' else ''}")
        for note, value in sorted((meta.get("annotations") or {}).items()):
            self.lines.append(f"  @{note}: {value}")
        if status.get("lastModifiedCookie"):
            self.lines.append(f"  cookie {'/'.join(self._name(h) for h in status['lastModifiedCookie'].split('/'))}")
        for field in ("appliedFields", "specOverrides", "adopted"):
            if field in status:
                self.lines.append(f"  {field} {json.dumps(status[field], sort_keys=True)}")
        events = await self.world.events(self.keys[name])
        for event in events[len(self._before.get(name, [])):]:
            self.lines.append(f"  event {event}")
        self._before[name] = events

    def _name(self, digest: str) -> str:
        return self._hashes.setdefault(digest, f"h{len(self._hashes) + 1}")

    # ---- what is asserted

    async def _expect(self, expect: dict, calls: list[str], problem: str, number: int) -> None:
        where = f"step {number} of {self.script['title']!r}"
        expect = dict(expect)
        if "refused" in expect:
            assert expect.pop("refused") in problem, f"{where}: {problem!r}"
        else:
            assert not problem, f"{where}: {problem}"
        if "mutations" in expect:
            found = [c for c in calls if is_mutating(c)]
            wanted = expect.pop("mutations")
            assert (found == wanted if isinstance(wanted, list) else len(found) == wanted), f"{where}: {found}"
        if "retry_in" in expect:  # at least, of the reconcile that the step was
            assert (self.last.retry_in or 0) >= expect["retry_in"], f"{where}: {self.last.retry_in}"
            expect.pop("retry_in")
        if "calls" in expect:
            assert len(calls) == expect["calls"], f"{where}: {calls}"
            expect.pop("calls")
        for name, wanted in expect.items():
            await self._expect_object(name, wanted, where)

    async def _expect_object(self, name: str, wanted: dict, where: str) -> None:
        obj = await self.world.store.get(self._key(name))
        if wanted.get("gone"):
            assert obj is None, f"{where}: {name} is still there"
            return
        assert isinstance(obj, StoredObject), f"{where}: {name} is gone"
        text = json.dumps(obj.body) + " ".join(await self.world.events(obj.key))
        ready = next((c for c in obj.status.get("conditions") or [] if c["type"] == "Ready"), {})
        for field in ("status", "reason"):
            if {"status": "ready"}.get(field, field) in wanted:
                value = wanted[{"status": "ready"}.get(field, field)]
                assert ready.get(field) == value, f"{where}: {name}: {ready}"
        for part in wanted.get("says") or ():
            assert part in ready.get("message", ""), f"{where}: {name}: {ready}"
        for part in wanted.get("events") or ():
            assert part in " ".join(await self.world.events(obj.key)), f"{where}: no event says {part!r}"
        for part in wanted.get("never_says") or ():
            assert part not in text, f"{where}: {name} leaks {part!r}"
        for path, value in (wanted.get("has") or {}).items():
            found = obj.body
            for key in path.split("/"):
                found = found.get(key.replace("~", "/")) if isinstance(found, dict) else None
            assert found == value, f"{where}: {name}.{path} is {found!r}"


async def rest(world: World, key) -> None:
    """Two further reconciles write nothing, anywhere."""
    writes, version = len(world.cloud.mutations) + len(world.gcp.mutations), await world.store.version()
    for _ in range(2):
        await reconcile(world.engine, key)
    assert len(world.cloud.mutations) + len(world.gcp.mutations) == writes
    assert await world.store.version() == version
