"""Generated specs, live states and facts: from a kind's own schema, with the traps that its semantics invite."""

from __future__ import annotations

import json
from collections.abc import Mapping

from hypothesis import strategies as st

from holdfast.core.compare import Comparison, applied_paths, compare, removed_paths
from holdfast.core.cookie import cookie
from holdfast.core.normalise import normalise
from holdfast.core.overrides import apply_overrides, entry, still_wanted, value_hash
from holdfast.model.directives import Directives
from holdfast.model.facts import Absent, Facts, Hold, Intent, Live, Memory, Settling
from holdfast.model.kinds import Kind
from tests.core.sample import ARN, BUCKET, KEY, MARK, QUEUE, ROLE, SECRET

BY_NAME = {k.name: k for k in (QUEUE, BUCKET, ROLE, SECRET)}
KINDS = st.sampled_from(sorted(BY_NAME))  # by name: a kind is long to print
WORDS = st.sampled_from(["", "a", "A", "b", "true", "True", "0", "é", "e\u0301", "a.b"])
KEYS = st.sampled_from(["a", "b", "a.b", "A", "", "aws:x", "services.k8s.aws/holdfast", "awsx"])
SCALARS = st.one_of(st.none(), st.booleans(), st.sampled_from([0, 1, 1.0, 2.5, -0.0, 2**63, 2**70]), WORDS)
_FLAT = st.one_of(SCALARS, st.lists(SCALARS, max_size=2), st.dictionaries(WORDS, SCALARS, max_size=2))
JSON = st.one_of(SCALARS, st.lists(_FLAT, max_size=2), st.dictionaries(WORDS, _FLAT, max_size=2))
_STATEMENTS = st.fixed_dictionaries({"Effect": st.sampled_from(["Allow", "Deny"])}, optional={
    "Sid": WORDS, "Action": st.one_of(WORDS, st.lists(WORDS, max_size=2)), "Resource": st.one_of(WORDS, st.lists(WORDS, max_size=2)),
    "Principal": st.one_of(st.just("*"), st.dictionaries(st.sampled_from(["AWS", "Service"]), st.one_of(WORDS, st.lists(WORDS, max_size=2)), max_size=2)),
    "Condition": st.dictionaries(WORDS, st.dictionaries(WORDS, st.one_of(WORDS, st.booleans(), st.lists(WORDS, max_size=2)), max_size=2), max_size=1)})
POLICIES = st.fixed_dictionaries({"Statement": st.one_of(_STATEMENTS, st.lists(_STATEMENTS, max_size=2))}, optional={"Version": WORDS, "Id": WORDS})
SEMANTIC = {
    "policy": st.one_of(POLICIES.map(json.dumps), WORDS), "json": st.one_of(st.dictionaries(WORDS, JSON, max_size=3).map(json.dumps), WORDS),
    "number": st.sampled_from(["0", "030", " 30", "30", "-5", "60", "x", ""]), "case-insensitive": st.sampled_from(["true", "True", "FALSE", "false", ""]),
    "arn-or-name": st.sampled_from(["k", "arn:aws:kms:eu-west-1:1:key/k", "alias/k", "arn:aws:kms:eu-west-1:1:alias/k", ""])}
_PLAIN = {"string": WORDS, "boolean": st.booleans(), "integer": st.sampled_from([0, 1, 2, 30, 30.0]), "number": st.sampled_from([0.0, 1.0, 1.5, 2])}


class Made:
    """A generated value and what to print of it: a kind alone fills pages."""

    def __init__(self, value, *shown) -> None:
        self.value, self.shown = value, shown

    def __repr__(self) -> str:
        return " | ".join(map(str, self.shown))


@st.composite
def values(draw, kind: Kind, schema: Mapping, path: str):
    """A value of a schema node, of the form that its semantic takes."""
    rule = kind.rule(path)
    if rule.tags and schema["type"] == "object":
        return draw(st.dictionaries(KEYS, WORDS, max_size=3))
    if schema["type"] == "array":
        if rule.tags:
            return [dict(zip(schema["items"]["properties"], pair, strict=True)) for pair in draw(st.dictionaries(KEYS, WORDS, max_size=3)).items()]
        return draw(st.lists(values(kind, schema["items"], f"{path}[]"), max_size=3))
    if rule.semantic in SEMANTIC:
        return draw(SEMANTIC[rule.semantic])
    if schema["type"] in _PLAIN:
        return draw(_PLAIN[schema["type"]])
    if "properties" in schema:
        return draw(objects(kind, schema, path))
    if isinstance(schema.get("additionalProperties"), Mapping):
        return draw(st.dictionaries(KEYS, values(kind, schema["additionalProperties"], f"{path}{{}}"), max_size=2))
    return draw(st.dictionaries(WORDS, JSON, max_size=2))


@st.composite
def objects(draw, kind: Kind, schema: Mapping, path: str = ""):
    """A few of the fields of an object; references are left out, as they are filled in before anything is compared."""
    filled = {r.path.rpartition(".")[2] for r in kind.references if not r.to_secret}
    names = [n for n in schema["properties"] if n not in filled]
    names += [n for n in names if kind.rule(f"{path}.{n}" if path else n).semantic] * 3  # where the traps are
    chosen = draw(st.lists(st.sampled_from(names), unique=True, max_size=4 if not path else 3)) if names else []
    return {n: draw(values(kind, schema["properties"][n], f"{path}.{n}" if path else n)) for n in chosen}


def specs(kind: Kind):
    return objects(kind, kind.spec_schema)


@st.composite
def respelt(draw, value, nulls=True):
    """The same in other words: keys in another order, nulls put in (a policy knows none), whole numbers as floats, documents written anew."""
    if isinstance(value, Mapping):
        items = draw(st.permutations([(k, draw(respelt(v, nulls))) for k, v in value.items()]))
        return {**dict(items), **({"null": None} if nulls and draw(st.booleans()) else {})}
    if isinstance(value, list):
        return [draw(respelt(v, nulls)) for v in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**50:
        return draw(st.sampled_from([value, float(value)]))
    if isinstance(value, str) and value[:1] == "{":
        return json.dumps(draw(respelt(json.loads(value), '"Statement"' not in value)), indent=draw(st.sampled_from([None, 2])))
    return value


@st.composite
def lives(draw, kind: Kind, spec: Mapping):
    """A live state near a spec: respelt, some fields gone, some other, some more."""
    out = dict(draw(respelt(spec)))
    out.pop("null", None)
    for name in draw(st.lists(st.sampled_from(sorted(out)), max_size=1)) if out else []:
        del out[name]
    properties = kind.spec_schema["properties"]
    for name in draw(st.lists(st.sampled_from(sorted({*spec, *out} & set(properties))), max_size=1)) if {*spec, *out} & set(properties) else []:
        out[name] = draw(values(kind, properties[name], name))
    if draw(st.booleans()):
        out = {**draw(specs(kind)), **out}
    return out


@st.composite
def comparisons(draw):
    """Two comparisons of one spec with two live states, and the overrides that are known."""
    kind = BY_NAME[draw(KINDS)]
    spec = draw(specs(kind))
    desired = normalise(kind, spec, live=False)
    unmanaged = tuple(draw(st.lists(st.sampled_from(sorted(kind.spec_schema["properties"])), unique=True, max_size=1)))
    before = normalise(kind, draw(specs(kind)), live=False)
    removed = removed_paths(kind, desired, applied_paths(kind, before), unmanaged)
    unread = frozenset(draw(st.lists(st.sampled_from(sorted(desired)), max_size=1))) if desired else frozenset()
    one = draw(lives(kind, {**before, **spec}))
    other = draw(st.one_of(respelt(one), respelt(one), lives(kind, one)))
    pair = tuple(Comparison(kind, desired, normalise(kind, live, live=True), removed, unmanaged, unread) for live in (one, other))
    learnt = {v.path: entry(kind, v, KEY) for v in compare(pair[0]) if v.is_difference and not v.is_removal} if draw(st.booleans()) else {}
    known = still_wanted(kind, desired, learnt, KEY)
    return Made((pair, known), kind.name, desired, one, other, removed, unmanaged, sorted(unread), known)


_TIMES = st.sampled_from(["", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"])
DIRECTIVES = st.builds(
    Directives, verify_only=st.booleans(), read_only=st.booleans(), paused=st.booleans(), retain=st.booleans(), adopted=st.booleans(),
    adoption_policy=st.sampled_from(["", "adopt", "adopt-or-create"]))


@st.composite
def any_facts(draw, directives=DIRECTIVES):
    """Facts as a reconcile would gather them, and some that it never would."""
    ((c, _), known) = draw(comparisons()).value
    now = cookie(c, known, KEY)
    verdicts = apply_overrides(c.kind, compare(c), known, KEY)
    hashes = {v.path: value_hash(v.live, KEY) for v in verdicts}
    place = draw(st.sampled_from([None, Absent(), "live"]))
    live = place if place != "live" else Live(
        c.live, identity=draw(st.sampled_from(["", ARN])), mark=draw(st.sampled_from(["", MARK, "somebody"])), created=draw(_TIMES), gone=draw(st.booleans()),
        pending=draw(st.sampled_from(["", "UPDATING"])), failed=dict.fromkeys(c.unread, "denied"))
    memory = Memory(
        cookie=draw(st.sampled_from(["", "garbage", now, f"{now.partition('/')[0]}/x"])), applied=c.removed, overrides=known, identity=draw(st.sampled_from(["", ARN, "arn:other"])),
        adopted=draw(st.booleans()), ready=draw(st.booleans()), ready_reason=draw(st.sampled_from(["", "UpToDate", "Paused"])), observed_generation=draw(st.integers(0, 2)),
        intent=draw(st.none() | st.builds(Intent, st.sampled_from(["create", "delete"]), st.just("t"), _TIMES)),
        settling=draw(st.none() | st.builds(Settling, st.integers(1, 2), st.integers(0, 4), _TIMES, st.sampled_from([{}, hashes]), st.sampled_from([{}, hashes]))),
        hold=draw(st.none() | st.builds(Hold, st.just("HF505"), st.just("x"), _TIMES)))
    facts = Facts(
        kind=c.kind, directives=draw(directives), memory=memory, generation=draw(st.integers(1, 2)), is_deleting=draw(st.booleans()), has_finalizer=draw(st.booleans()),
        mark=MARK, live=live, desired=c.desired, verdicts=verdicts if live is not None else (), cookie=now if live is not None else "", removed=c.removed,
        is_settled=draw(st.booleans()), may_acquire=draw(st.booleans()), use_fast_path=draw(st.booleans()), held_by=draw(st.sampled_from(["", "Queue a/b"])),
        is_held=draw(st.booleans()), key=KEY)
    return Made(facts, c.kind.name, c.desired, c.live, facts.directives, memory, f"looked: {live is not None}", f"deleting: {facts.is_deleting}")
