"""Desired against live, field by field; and what of live the comparison can see."""

from __future__ import annotations

import json

import pytest

from holdfast.core.compare import applied_paths, compare, describe_rest, project, removed_paths, strip_removed
from holdfast.core.normalise import normalise
from tests.core.sample import (
    BUCKET,
    FLAG,
    QUEUE,
    ROLE,
    TEXT,
    WHOLE,
    an_object,
    comparison,
    findings,
    free_map,
    listed,
    toy,
)

ITEM = an_object(id=TEXT, state=TEXT, more=an_object(x=TEXT, y=TEXT), flag=FLAG, secret=TEXT)
KIND = toy(
    {"text": TEXT, "flag": FLAG, "whole": WHOLE, "list": listed(ITEM), "set": listed(ITEM), "names": listed(TEXT), "free": free_map({"type": "object"}),
     "inner": an_object(a=TEXT, b=an_object(c=TEXT, d=TEXT)), "fixed": an_object(a=TEXT, b=listed(TEXT)), "hidden": TEXT, "tags": free_map(),
     "level": TEXT, "on": FLAG, "doc": TEXT},
    {"set": {"unordered": True}, "names": {"unordered": True}, "fixed": {"immutable": True}, "hidden": {"write_only": True},
     "level": {"default": "low"}, "on": {"default": False}, "tags": {"tags": True}, "doc": {"semantic": "json"},
     "list[].flag": {"default": False}, "set[].flag": {"default": False}, "list[].id": {"immutable": True}})


@pytest.mark.parametrize(("spec", "live", "found"), [
    pytest.param({"text": "a"}, {"text": "a", "whole": 1}, {"text": "match"}, id="what the spec does not mention is not compared"),
    pytest.param({"text": "a"}, {"text": "A"}, {"text": "mismatch"}, id="case matters unless the kind says otherwise"),
    pytest.param({"text": "a"}, {}, {"text": "mismatch"}, id="absent in live is a difference"),
    pytest.param({"text": ""}, {}, {"text": "match"}, id="a demanded emptiness equals absence"),
    pytest.param({"text": ""}, {"text": "a"}, {"text": "mismatch"}, id="a demanded emptiness is a demand"),
    pytest.param({"names": []}, {"names": ["a"]}, {"names": "mismatch"}, id="an empty list is a demand"),
    pytest.param({"names": []}, {"names": []}, {"names": "match"}, id="an empty list equals an empty list"),
    pytest.param({"inner": {}}, {"inner": {"a": "x"}}, {"inner": "mismatch"}, id="an empty object is a demand"),
    pytest.param({"inner": {}}, {}, {"inner": "match"}, id="an empty object equals absence"),
    pytest.param({"flag": False}, {}, {"flag": "mismatch"}, id="false is not absence without a default"),
    pytest.param({"flag": True}, {"flag": 1}, {"flag": "mismatch"}, id="true is not one"),
    pytest.param({"whole": 0}, {"whole": False}, {"whole": "mismatch"}, id="zero is not false"),
    pytest.param({"whole": 3}, {"whole": 3.0}, {"whole": "match"}, id="three is three"),
    pytest.param({"on": False}, {}, {"on": "match"}, id="what the cloud does not show has its default"),
    pytest.param({"on": True}, {}, {"on": "mismatch"}, id="another value than the default is a difference"),
    pytest.param({"level": ""}, {"level": "low"}, {"level": "match"}, id="a demanded emptiness equals the default"),
    pytest.param({"level": "low"}, {"level": "high"}, {"level": "mismatch"}, id="a default excuses nothing that the cloud shows"),
    pytest.param({"inner": {"a": "x", "b": {"c": "y"}}}, {"inner": {"a": "x", "b": {"c": "n", "d": "z"}}},
                 {"inner.a": "match", "inner.b.c": "mismatch"}, id="objects are compared leaf by leaf"),
    pytest.param({"inner": {"b": {"c": "y"}}}, {"inner": {"a": "x"}}, {"inner.b.c": "mismatch"}, id="a missing parent is a missing leaf"),
    pytest.param({"inner": {"a": "x"}}, {"inner": "x"}, {"inner.a": "mismatch"}, id="text where an object belongs differs"),
    pytest.param({"list": [{"id": "1"}, {"id": "2", "state": "on"}]}, {"list": [{"id": "1", "state": "off"}, {"id": "2", "state": "off"}]},
                 {"list[0].id": "match", "list[1].id": "match", "list[1].state": "mismatch"}, id="items of an ordered list are compared one by one"),
    pytest.param({"list": [{"id": "1"}]}, {"list": [{"id": "1"}, {"id": "2"}]}, {"list": "mismatch"}, id="lists of two lengths differ as a whole"),
    pytest.param({"list": [{"id": "1"}]}, {"list": [{"id": "2"}]}, {"list[0].id": "immutable"}, id="an immutable part of an item is immutable"),
    pytest.param({"list": [{"id": "1", "flag": False}]}, {"list": [{"id": "1"}]}, {"list[0].id": "match", "list[0].flag": "match"},
                 id="a default holds inside items"),
    pytest.param({"set": [{"id": "2"}, {"id": "1"}]}, {"set": [{"id": "1", "state": "on"}, {"id": "2", "state": "off"}]}, {"set": "match"},
                 id="an unordered list matches in any order, and live may say more"),
    pytest.param({"set": [{"id": "1"}, {"id": "1"}]}, {"set": [{"id": "1"}, {"id": "2"}]}, {"set": "mismatch"}, id="a live item answers for one item only"),
    pytest.param({"set": [{"id": "1"}]}, {"set": [{"id": "1"}, {"id": "2"}]}, {"set": "mismatch"}, id="an item too many is a difference"),
    pytest.param({"set": [{"id": "1", "flag": False}]}, {"set": [{"id": "1"}]}, {"set": "match"}, id="a default holds inside unordered items"),
    pytest.param({"set": [{"state": "on"}, {"id": "1", "state": "on"}]}, {"set": [{"id": "1", "state": "on"}, {"id": "2", "state": "on"}]},
                 {"set": "match"}, id="a vague item does not take the only live item that a precise one fits"),
    pytest.param({"set": [{"flag": True}, {"id": "1", "state": "on"}]},
                 {"set": [{"flag": True, "id": "1", "state": "on"}, {"flag": True, "id": "2"}]}, {"set": "match"},
                 id="nor when the vague one comes first"),
    pytest.param({"names": ["a", "b"]}, {"names": ["b", "a"]}, {"names": "match"}, id="a set of names in another order"),
    pytest.param({"names": ["a", "a"]}, {"names": ["a", "b"]}, {"names": "mismatch"}, id="a name twice is not two names"),
    pytest.param({"free": {"a": {"x": 1}}}, {"free": {"a": {"x": 1}, "b": {"y": 1}}}, {"free": "mismatch"}, id="a free-form map is compared as a whole"),
    pytest.param({"free": {"a": {"x": True}}}, {"free": {"a": {"x": 1}}}, {"free": "mismatch"}, id="true is not one, deep inside a map either"),
    pytest.param({"doc": '{"n": 1}'}, {"doc": '{"n": true}'}, {"doc": "mismatch"}, id="true is not one, inside a document either"),
    pytest.param({"doc": '{"n": 1}'}, {"doc": '{"n": 1, "m": null}'}, {"doc": "match"}, id="a null inside a document is no difference, as in the hash"),
    pytest.param({"doc": '{"n": [1, 2]}'}, {"doc": '{"n": [2, 1]}'}, {"doc": "mismatch"}, id="lists inside a document have an order"),
    pytest.param({"fixed": {"a": "x", "b": ["1"]}}, {"fixed": {"a": "y", "b": ["2"]}}, {"fixed.a": "immutable", "fixed.b[0]": "immutable"},
                 id="what stands in an immutable object is immutable"),
    pytest.param({"hidden": "x"}, {"hidden": "y"}, {"hidden": "unverifiable"}, id="a write-only field cannot be verified"),
    pytest.param({"tags": {"a": "1"}}, {"tags": {"a": "1", "theirs": "2"}}, {"tags.a": "match"}, id="a foreign tag is no difference"),
    pytest.param({"tags": {"a": "1", "b.c": "2"}}, {"tags": {"a": "2"}}, {"tags.a": "mismatch", "tags.b.c": "mismatch"}, id="tags are compared by key"),
    pytest.param({"tags": {}}, {"tags": {"theirs": "2"}}, {}, id="no tags is no demand that foreign tags go"),
    pytest.param({"tags": {"a": ""}}, {"tags": {"a": ""}}, {"tags.a": "match"}, id="a tag without a value is a tag"),
    pytest.param({"tags": {"a": ""}}, {"tags": {"b": "1"}}, {"tags.a": "mismatch"}, id="a tag without a value is not the absence of the tag"),
    pytest.param({"tags": {"a": ""}}, {}, {"tags.a": "mismatch"}, id="a tag without a value is not the absence of all tags"),
])
def test_verdicts(spec, live, found):
    assert findings(comparison(KIND, spec, live)) == found


@pytest.mark.parametrize(("live", "removed", "found"), [
    pytest.param({"text": "a"}, ("text",), {"text": "mismatch"}, id="a removed field must go"),
    pytest.param({}, ("text",), {}, id="a removed field that is gone is done"),
    pytest.param({"level": "low"}, ("level",), {}, id="a removed field that has its default is done"),
    pytest.param({"level": "high"}, ("level",), {"level": "mismatch"}, id="a removed field goes back to its default"),
    pytest.param({"fixed": {"a": "x"}}, ("fixed.a",), {"fixed.a": "immutable"}, id="a removed part of an immutable object cannot go"),
    pytest.param({"hidden": "x"}, ("hidden",), {}, id="what cannot be read back cannot be seen to be there"),
    pytest.param({"tags": {"a.b": "1", "a": "2"}}, ("tags.a.b",), {"tags.a.b": "mismatch"}, id="a removed tag with a dot in its name"),
    pytest.param({"tags": {"a": ""}}, ("tags.a",), {"tags.a": "mismatch"}, id="a removed tag without a value must go"),
    pytest.param({"on": False}, ("on",), {}, id="a removed flag that has its default is done"),
    pytest.param({"whole": 0}, ("whole",), {"whole": "mismatch"}, id="zero is there"),
])
def test_removals(live, removed, found):
    c = comparison(KIND, {}, live, removed=removed)
    assert findings(c) == found
    assert all(v.is_removal and v.desired is None for v in compare(c))


def test_fields_that_could_not_be_read_are_not_compared():
    c = comparison(KIND, {"text": "a", "inner": {"a": "x"}}, {}, removed=("level", "inner.b.c"), unread=frozenset({"inner", "level"}))
    assert findings(c) == {"text": "mismatch"}


@pytest.mark.parametrize(("spec", "applied", "unmanaged", "removed"), [
    pytest.param({"text": "a"}, ("text", "whole"), (), ("whole",), id="a path that the spec no longer has"),
    pytest.param({"text": "a"}, ("text", "whole"), ("whole",), (), id="a path that the user wants left alone"),
    pytest.param({}, ("inner.a", "inner.b.c"), ("inner",), (), id="a path below one that the user wants left alone"),
    pytest.param({}, ("inner.a", "inner.b.c"), ("inner.b",), ("inner.a",), id="only what is named is left alone"),
    pytest.param({}, ("innermost",), ("inner",), ("innermost",), id="a path that only begins alike is not left alone"),
    pytest.param({"inner": {"a": "x"}}, ("inner.a", "inner.b.c"), (), ("inner.b.c",), id="a leaf beside one that stays"),
    pytest.param({"inner": {}}, ("inner.a",), (), (), id="an empty object speaks for what was in it"),
    pytest.param({"inner": {"a": "x"}}, ("inner",), (), (), id="a parent that was empty and is now filled"),
    pytest.param({"tags": {"a": "1"}}, ("tags.a", "tags.b", "tags.a.b"), (), ("tags.b", "tags.a.b"), id="tags are owned by key, dots and all"),
    pytest.param({"tags": {}}, ("tags.a",), (), ("tags.a",), id="an empty map of tags speaks of none of them"),
    pytest.param({"list": [{"id": "2"}]}, ("list",), (), (), id="a list is one leaf"),
    pytest.param({"text": "a"}, (), (), (), id="what was never applied was never removed"),
    pytest.param({"text": None}, ("text",), (), ("text",), id="null is removal"),
])
def test_what_the_user_took_out(spec, applied, unmanaged, removed):
    assert removed_paths(KIND, normalise(KIND, spec, live=False), applied, unmanaged) == removed


def test_applied_paths_are_leaves_in_order():
    spec = {"tags": {"b": "1", "a.b": "2"}, "inner": {"b": {"d": "x", "c": "y"}, "a": ""}, "list": [{"id": "one"}], "doc": '{"a": {"b": 1}}', "free": {"k": {}},
            "fixed": {}}
    assert applied_paths(KIND, normalise(KIND, spec, live=False)) == (
        "doc", "fixed", "free", "inner.a", "inner.b.c", "inner.b.d", "list", "list[one].id", "tags.a.b", "tags.b")


def test_an_empty_spec_applies_nothing():
    assert applied_paths(KIND, {}) == ()


def test_the_rest_is_defaults_and_what_is_left_alone():
    c = comparison(KIND, {"text": "a", "inner": {"a": "x"}}, {"text": "a", "inner": {"a": "x", "b": {"c": "z"}}, "level": "low", "tags": {"t": "1"}},
                   unmanaged=("level",))
    rest = {v.path: (v.finding.value, v.live) for v in describe_rest(c, compare(c))}
    assert rest == {"inner.b.c": ("default", "z"), "level": ("unmanaged", "low"), "tags.t": ("default", "1")}


@pytest.mark.parametrize(("spec", "live", "removed", "seen"), [
    pytest.param({"text": "a"}, {"text": "b", "whole": 1}, (), {"text": "b"}, id="only what the spec speaks of"),
    pytest.param({"inner": {"a": "x"}}, {"inner": {"a": "y", "b": {"c": "z"}}}, (), {"inner": {"a": "y"}}, id="only the leaves that the spec gives"),
    pytest.param({"inner": {}}, {"inner": {"a": "y"}}, (), {"inner": {"a": "y"}}, id="all of what is demanded to be empty"),
    pytest.param({"tags": {"a": "1"}}, {"tags": {"a": "2", "b": "3"}}, (), {"tags": {"a": "2"}}, id="only our tags"),
    pytest.param({"set": [{"id": "1"}]}, {"set": [{"id": "1", "state": "x"}]}, (), {"set": [{"id": "1", "state": "x"}]}, id="lists as a whole"),
    pytest.param({"inner": {"a": "x"}}, {"inner": {"a": "y", "b": {"c": "z", "d": "w"}}}, ("inner.b.c",), {"inner": {"a": "y", "b": {"c": "z"}}},
                 id="what was removed is seen too"),
    pytest.param({}, {"tags": {"a.b": "1", "c": "2"}}, ("tags.a.b",), {"tags": {"a.b": "1"}}, id="a removed tag is seen, dots and all"),
    pytest.param({"text": "a"}, {}, ("whole",), {}, id="absence is seen as absence"),
])
def test_what_the_comparison_can_see_of_live(spec, live, removed, seen):
    assert project(comparison(KIND, spec, live, removed=removed)) == seen


def test_what_could_not_be_read_is_not_seen():
    c = comparison(KIND, {"text": "a", "inner": {"a": "x"}}, {"text": "b", "inner": {"a": "y"}}, unread=frozenset({"inner"}))
    assert project(c) == {"text": "b"}


def test_stripping_drops_a_path_or_puts_its_default_back():
    spec = {"level": "high", "text": "a", "inner": {"b": {"c": "x"}}, "tags": {"a.b": "1", "c": "2"}}
    assert strip_removed(KIND, spec, ("level", "inner.b.c", "tags.a.b")) == {"level": "low", "text": "a", "tags": {"c": "2"}}


def test_a_policy_that_only_looks_different_matches():
    policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "sqs:*", "Principal": "*", "Resource": "*"}]}
    live = {"Version": "2012-10-17", "Statement": {"Action": ["SQS:*"], "Effect": "Allow", "Resource": ["*"], "Principal": {"AWS": "*"}}}
    assert findings(comparison(QUEUE, {"policy": json.dumps(policy, indent=2)}, {"policy": json.dumps(live)})) == {"policy": "match"}


def test_a_bucket_under_its_default_encryption_matches_a_spec_that_says_so():
    spec = {"encryption": {"rules": [{"applyServerSideEncryptionByDefault": {"sseAlgorithm": "AES256"}, "bucketKeyEnabled": False}]}}
    assert set(findings(comparison(BUCKET, spec, {})).values()) == {"match"}


def test_a_default_that_the_cloud_spells_otherwise_is_still_the_default():
    """Normalised on both sides: the default of a field with a semantic, too."""
    assert findings(comparison(QUEUE, {}, {"visibilityTimeout": "030"}, removed=("visibilityTimeout",))) == {}
    assert findings(comparison(QUEUE, {"fifoQueue": "FALSE"}, {})) == {"fifoQueue": "match"}


def test_attached_policies_match_in_any_order():
    assert findings(comparison(ROLE, {"policies": ["arn:b", "arn:a"]}, {"policies": ["arn:a", "arn:b"]})) == {"policies": "match"}


def family(name: str):
    """The same kind in either family: only Google's answers leave out false and zero."""
    return toy({"flag": FLAG, "whole": WHOLE, "text": TEXT, "inner": an_object(on=FLAG), "set": listed(ITEM), "level": WHOLE}, {"set": {"unordered": True}, "level": {"default": 5}},
               family=name)


@pytest.mark.parametrize(("spec", "live", "found"), [
    pytest.param({"flag": False}, {}, {"flag": "match"}, id="false is absence"),
    pytest.param({"whole": 0}, {}, {"whole": "match"}, id="zero is absence"),
    pytest.param({"inner": {"on": False}}, {}, {"inner.on": "match"}, id="false inside an absent object is absence"),
    pytest.param({"set": [{"id": "1", "flag": False}]}, {"set": [{"id": "1"}]}, {"set": "match"}, id="false inside an item is absence"),
    pytest.param({"flag": True}, {}, {"flag": "mismatch"}, id="true is not absence"),
    pytest.param({"flag": False}, {"flag": True}, {"flag": "mismatch"}, id="false is a demand"),
    pytest.param({"whole": 0}, {"whole": 3}, {"whole": "mismatch"}, id="zero is a demand"),
    pytest.param({"whole": 0}, {"whole": False}, {"whole": "mismatch"}, id="zero is not false where it is shown"),
    pytest.param({"text": "0"}, {}, {"text": "mismatch"}, id="the text zero is text"),
    pytest.param({"level": 5}, {}, {"level": "match"}, id="a default still holds"),
])
def test_a_family_whose_answers_leave_out_zeros(spec, live, found):
    assert findings(comparison(family("gcp"), spec, live)) == found


@pytest.mark.parametrize("spec", [{"flag": False}, {"whole": 0}, {"inner": {"on": False}}], ids=str)
def test_a_family_whose_answers_show_zeros(spec):
    assert list(findings(comparison(family("aws"), spec, {})).values()) == ["mismatch"]


@pytest.mark.parametrize(("name", "live", "found"), [
    pytest.param("gcp", {"flag": False}, {}, id="Google: a removed flag that is false is gone"), pytest.param("gcp", {"whole": 0}, {}, id="Google: a removed number that is zero is gone"),
    pytest.param("gcp", {"flag": True}, {"flag": "mismatch"}, id="Google: a removed flag that is true must go"),
    pytest.param("aws", {"flag": False}, {"flag": "mismatch"}, id="AWS: a removed flag that is shown must go"),
])
def test_removals_where_zeros_are_left_out(name, live, found):
    assert findings(comparison(family(name), {}, live, removed=("flag", "whole"))) == found


def test_a_reference_by_number_and_by_id_matches_in_a_list_too():
    """The cloud answers with the project's number where the spec has its id."""
    kind = toy({"keyRef": an_object(external=TEXT), "rules": listed(an_object(keyRef=an_object(external=TEXT)))},
               {"keyRef.external": {"semantic": "resource-name"}, "rules[].keyRef.external": {"semantic": "resource-name"}, "rules": {"unordered": True}}, family="gcp")
    spec = {"keyRef": {"external": "projects/shop/keys/k"}, "rules": [{"keyRef": {"external": "projects/shop/keys/k"}}]}
    live = {"keyRef": {"external": "https://x.googleapis.com/v1/projects/12/keys/k"}, "rules": [{"keyRef": {"external": "//x.googleapis.com/projects/12/keys/k"}}]}
    other = {"keyRef": {"external": "projects/12/keys/other"}, "rules": [{"keyRef": {"external": "projects/12/keys/other"}}]}
    assert findings(comparison(kind, spec, live)) == {"keyRef.external": "match", "rules": "match"}
    assert findings(comparison(kind, spec, other)) == {"keyRef.external": "mismatch", "rules": "mismatch"}


WHOLE_KIND = toy({"switch": an_object(a=TEXT), "rules": listed(an_object(id=TEXT, on=FLAG, level=TEXT)), "text": TEXT},
                 {"switch": {"whole": True}, "rules": {"whole": True}, "rules[].level": {"default": "low"}}, family="gcp")


@pytest.mark.parametrize(("spec", "live", "found"), [
    pytest.param({"switch": {}}, {}, {"switch": "mismatch"}, id="an object that is not there, where its being there means something"),
    pytest.param({"switch": {}}, {"switch": {}}, {"switch": "match"}, id="an empty object that is there"),
    pytest.param({"switch": {"a": "x"}}, {}, {"switch": "mismatch"}, id="an object that is not there, as a whole"),
    pytest.param({"switch": {"a": "x"}}, {"switch": {"a": "y"}}, {"switch.a": "mismatch"}, id="what is there, part by part"),
    pytest.param({"rules": [{"id": "1"}]}, {"rules": [{"id": "1", "on": True}]}, {"rules": "mismatch"}, id="items say all there is to say"),
    pytest.param({"rules": [{"id": "1", "on": False}]}, {"rules": [{"id": "1", "level": "low"}]}, {"rules": "match"}, id="what says nothing, and defaults, aside"),
    pytest.param({"rules": []}, {}, {"rules": "match"}, id="no items"),
])
def test_what_counts_as_a_whole(spec, live, found):
    assert findings(comparison(WHOLE_KIND, spec, live)) == found


@pytest.mark.parametrize(("spec", "removed"), [
    pytest.param({}, ("switch",), id="all of it is one removal"), pytest.param({"switch": {}}, (), id="an emptied one is a demand of its own"), pytest.param({"switch": {"a": "x"}}, (), id="what stays"),
])
def test_what_counts_as_a_whole_goes_as_a_whole(spec, removed):
    assert removed_paths(WHOLE_KIND, normalise(WHOLE_KIND, spec, live=False), ("switch.a",), ()) == removed
