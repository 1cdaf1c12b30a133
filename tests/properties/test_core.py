"""Properties of the core, for any spec of any of four kinds, any live state, any facts."""

from __future__ import annotations

import json

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from holdfast.core.canonical import canonical
from holdfast.core.compare import Comparison, applied_paths, compare, describe_rest, project
from holdfast.core.cookie import cookie
from holdfast.core.decide import decide
from holdfast.core.desired import target_spec
from holdfast.core.normalise import normalise
from holdfast.core.overrides import apply_overrides, learn_from_answer, still_wanted
from holdfast.core.validate import check_immutable, check_spec
from holdfast.model.directives import Directives
from holdfast.model.json import walk_leaves
from holdfast.model.plans import Adopt, Create, Delete, Look, Release, Report, Rest, Update
from holdfast.model.verdicts import Finding
from holdfast.stores.fields import ADOPTION, apply_fields, paths_of
from tests.core.sample import KEY
from tests.properties.worlds import BY_NAME, JSON, KINDS, any_facts, comparisons, lives, respelt, specs

often = settings(max_examples=120, deadline=None, derandomize=True, database=None, phases=(Phase.explicit, Phase.generate, Phase.shrink), suppress_health_check=list(HealthCheck),
                 report_multiple_bugs=False)
sometimes = settings(often, max_examples=60)
NEVER_WRITES = st.builds(
    Directives, verify_only=st.booleans(), read_only=st.booleans(), paused=st.booleans(), retain=st.booleans(), adopted=st.booleans(),
    adoption_policy=st.sampled_from(["", "adopt", "adopt-or-create"])).filter(lambda d: d.never_writes)


def verdicts_of(c: Comparison, known: dict) -> list[tuple[str, Finding]]:
    return [(v.path, v.finding) for v in apply_overrides(c.kind, compare(c), known, KEY)]


@often
@given(any_facts())
def test_decide_is_total(made):
    """Any facts give a plan, and none raises."""
    facts = made.value
    assert isinstance(decide(facts), (Rest, Look, Report, Create, Update, Adopt, Delete, Release))


@often
@given(any_facts(NEVER_WRITES))
def test_what_never_writes_never_writes(made):
    facts = made.value
    assert isinstance(decide(facts), (Rest, Report, Release, Look))


@often
@given(any_facts())
def test_a_plan_is_decided_on_what_was_seen(made):
    """Before looking, nothing that touches a resource; and nothing is corrected where no difference is."""
    facts = made.value
    plan = decide(facts)
    if facts.live is None:
        assert isinstance(plan, (Rest, Look, Report, Release))
    if isinstance(plan, Update):
        assert plan.verdicts or (facts.memory.intent is not None and facts.memory.intent.action == "create")
        assert all(v.finding is Finding.MISMATCH for v in plan.verdicts)
        assert plan.live is facts.live
    if isinstance(plan, Report) and plan.remember and plan.overrides is None and facts.memory.cookie != facts.cookie:
        assert not [v for v in facts.verdicts if v.is_difference]


@often
@given(comparisons())
def test_the_fast_path_never_hides_a_difference(made):
    """Equal cookies give equal verdicts, whatever was done to live in between."""
    (one, other), known = made.value
    if cookie(one, known, KEY) == cookie(other, known, KEY):
        assert verdicts_of(one, known) == verdicts_of(other, known)


@often
@given(comparisons())
def test_verdicts_depend_only_on_what_is_projected(made):
    """What `project` leaves out, the comparison cannot see."""
    (c, _), known = made.value
    seen = Comparison(c.kind, c.desired, {k: v for k, v in project(c).items() if not k.startswith("removed:")}, c.removed, c.unmanaged, c.unread)
    assert verdicts_of(seen, known) == verdicts_of(c, known)


@often
@given(st.data(), KINDS)
def test_a_spec_matches_itself(data, name):
    kind = BY_NAME[name]
    spec = data.draw(specs(kind))
    c = Comparison(kind, normalise(kind, spec, live=False), normalise(kind, spec, live=True))
    assert not [v for v in compare(c) if v.is_difference]


@often
@given(st.data(), KINDS)
def test_a_spec_matches_itself_in_other_words(data, name):
    kind = BY_NAME[name]
    spec = data.draw(specs(kind))
    live = data.draw(respelt(spec))
    c = Comparison(kind, normalise(kind, spec, live=False), normalise(kind, live, live=True))
    assert not [(v.path, v.desired, v.live) for v in compare(c) if v.is_difference]


@often
@given(st.data(), KINDS, st.booleans())
def test_normalising_twice_changes_nothing(data, name, live):
    kind = BY_NAME[name]
    once = normalise(kind, data.draw(specs(kind)), live=live)
    assert canonical(normalise(kind, once, live=live)) == canonical(once)


@often
@given(st.data(), JSON)
def test_the_canonical_form_does_not_depend_on_spelling(data, value):
    assert canonical(data.draw(respelt(value))) == canonical(value)


@often
@given(JSON)
def test_the_canonical_form_reads_back_as_itself(value):
    assert canonical(json.loads(canonical(value))) == canonical(value)


@sometimes
@given(st.data(), KINDS)
def test_every_field_of_live_has_a_verdict_and_none_has_two(data, name):
    kind = BY_NAME[name]
    spec = data.draw(specs(kind))
    c = Comparison(kind, normalise(kind, spec, live=False), normalise(kind, data.draw(lives(kind, spec)), live=True))
    paths = [v.path for v in (*compare(c), *describe_rest(c, compare(c)))]
    assert len(paths) == len(set(paths))
    assert {p.partition(".")[0].partition("[")[0] for p in paths} >= {k for k in c.live if k not in c.desired}


@sometimes
@given(st.data(), KINDS)
def test_an_update_to_the_target_leaves_no_difference_and_drops_nothing_else(data, name):
    kind = BY_NAME[name]
    spec = data.draw(specs(kind))
    live = data.draw(lives(kind, spec))
    target = target_spec(kind, live, spec, ())
    desired = normalise(kind, spec, live=False)
    after = normalise(kind, target, live=True)
    assert not [(v.path, v.desired, v.live) for v in compare(Comparison(kind, desired, after)) if v.is_difference]
    kept = {p: v for p, v in normalise(kind, live, live=True).items() if p not in desired}
    assert {p: after.get(p) for p in kept} == kept


@sometimes
@given(comparisons())
def test_what_is_learnt_from_an_answer_explains_it(made):
    """After a write whose answer differs, the next look at the same state finds nothing to do about what the answer carried."""
    (c, _), _ = made.value
    learnt = json.loads(json.dumps(learn_from_answer(c.kind, compare(c), KEY)))
    known = still_wanted(c.kind, c.desired, learnt, KEY)
    left = [v for v in apply_overrides(c.kind, compare(c), known, KEY) if v.is_difference]
    assert all(v.is_removal or v.live is None for v in left)


@sometimes
@given(st.data(), KINDS)
def test_a_spec_of_the_schema_has_no_type_errors_and_never_conflicts_with_itself(data, name):
    kind = BY_NAME[name]
    spec = data.draw(specs(kind))
    hidden = {f"spec.{r.path}" for r in kind.references if r.to_secret}  # filled with text, where the schema wants a reference
    assert not [str(e) for e in check_spec(kind, spec) if e.code in ("HF104", "HF105") and e.where.partition(".key")[0] not in hidden]
    assert check_immutable(kind, spec, data.draw(respelt(spec))) == []


@sometimes
@given(st.data(), KINDS)
def test_applied_paths_never_cover_one_another(data, name):
    kind = BY_NAME[name]
    paths = applied_paths(kind, normalise(kind, data.draw(specs(kind)), live=False))
    tags = f"{kind.tag_path}." if kind.tag_path else "\0"
    rest = [p for p in paths if not p.startswith(tags)]
    assert not [(a, b) for a in rest for b in rest if a != b and b.startswith(f"{a}.")]


_NAMES, _LEAVES = st.sampled_from(["a", "b", "c"]), st.one_of(st.integers(0, 3), st.just([1]), st.just([]), st.just({}))
_TREES = st.one_of(_LEAVES, st.dictionaries(_NAMES, st.one_of(_LEAVES, st.dictionaries(_NAMES, _LEAVES, max_size=2)), max_size=2))
MANIFESTS = st.dictionaries(_NAMES, _TREES, max_size=3).map(lambda spec: {"spec": spec})
MANAGERS = st.sampled_from(["user", "gitops", "holdfast-metadata", ADOPTION])


def at(data, path):
    for step in path:
        if not isinstance(data, dict) or step not in data:
            return "(gone)"
        data = data[step]
    return data


@often
@given(st.lists(st.tuples(MANAGERS, MANIFESTS), min_size=1, max_size=6))
def test_an_apply_never_drops_another_managers_field(steps):
    """What others own, and this manifest does not speak of, stays as it was."""
    body, managers = {"spec": {}}, {}
    for manager, given_ in steps:
        now = paths_of(given_)
        others = {tuple(p) for name, paths in managers.items() if name != manager for p in paths}
        untouched = {p for p in others if not any(n[: len(p)] == p or p[: len(n)] == n for n in now)}
        before = {p: at(body, p) for p in untouched}
        body, managers = apply_fields(body, given_, managers, manager)
        for path, value in before.items():
            is_object = isinstance(value, dict)  # an object that was owned as {} and that others fill or empty
            assert isinstance(at(body, path), dict) if is_object else at(body, path) == value, (manager, path)


@often
@given(st.lists(st.tuples(MANAGERS, MANIFESTS), min_size=1, max_size=6))
def test_after_an_apply_its_fields_are_there_and_are_its_own(steps):
    body, managers = {"spec": {}}, {}
    for manager, given_ in steps:
        body, managers = apply_fields(body, given_, managers, manager)
        assert {tuple(p) for p in managers[manager]} == paths_of(given_)
        for path, value in walk_leaves(given_):
            assert at(body, path) == value or (value == {} and isinstance(at(body, path), dict))


@often
@given(st.lists(st.tuples(MANAGERS, MANIFESTS), max_size=4), MANAGERS, MANIFESTS)
def test_applying_twice_changes_nothing(steps, manager, given_):
    body, managers = {"spec": {}}, {}
    for other, manifest in steps:
        body, managers = apply_fields(body, manifest, managers, other)
    once = apply_fields(body, given_, managers, manager)
    assert apply_fields(*once[:1], given_, once[1], manager) == once
