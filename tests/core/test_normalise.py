"""Both sides made comparable."""

from __future__ import annotations

import pytest

from holdfast.core.normalise import normalise, own_tags, tag_map
from tests.core.sample import BUCKET, FLAG, QUEUE, ROLE, TEXT, WHOLE, an_object, free_map, listed, toy

KIND = toy(
    {"list": listed(TEXT), "set": listed(TEXT), "pairs": listed(an_object(key=TEXT, when=TEXT, number=WHOLE)), "whole": WHOLE, "flag": FLAG,
     "inner": an_object(a=TEXT, b=an_object(c=TEXT), seen=TEXT), "free": free_map(), "made": TEXT, "names": listed(TEXT)},
    {"set": {"unordered": True}, "pairs": {"unordered": True}, "pairs[].when": {"volatile": True}, "inner.seen": {"volatile": True},
     "made": {"read_only": True}, "names": {"semantic": "case-insensitive", "unordered": True}})


@pytest.mark.parametrize(("given", "made"), [
    pytest.param({"a": 1}, {"a": 1}, id="a field that the kind does not know is kept"),
    pytest.param({"whole": 3.0, "flag": True}, {"whole": 3, "flag": True}, id="an integral float is an integer, a boolean stays"),
    pytest.param({"list": ["b", "a"]}, {"list": ["b", "a"]}, id="an ordered list keeps its order"),
    pytest.param({"set": ["b", "a", "b"]}, {"set": ["a", "b", "b"]}, id="an unordered list is sorted and keeps its duplicates"),
    pytest.param({"pairs": [{"key": "b", "when": "now"}, {"when": "then", "key": "a"}]}, {"pairs": [{"key": "a"}, {"key": "b"}]},
                 id="volatile parts of items are dropped before the list is sorted"),
    pytest.param({"pairs": [{"number": 10.0}, {"number": 9}]}, {"pairs": [{"number": 10}, {"number": 9}]},
                 id="items are sorted by their canonical bytes"),
    pytest.param({"inner": {"seen": "x", "a": None, "b": {"c": None}}}, {"inner": {"b": {}}}, id="nulls are dropped at any depth"),
    pytest.param({"list": [None, "a", None]}, {"list": ["a"]}, id="nulls in lists are dropped"),
    pytest.param({"made": "x"}, {}, id="a read-only field is dropped"),
    pytest.param({"names": ["B", "a"]}, {"names": ["a", "b"]}, id="a semantic reaches each item of a list, before sorting"),
    pytest.param({"free": {"x.y": "1", "z": None}}, {"free": {"x.y": "1"}}, id="a free-form map keeps its keys, dots and all"),
    pytest.param({"list": [], "inner": {}, "made": None, "free": {"a": ""}}, {"list": [], "inner": {}, "free": {"a": ""}},
                 id="the user's empties are a demand and stay"),
])
def test_what_the_user_gave(given, made):
    assert normalise(KIND, given, live=False) == made


@pytest.mark.parametrize(("given", "made"), [
    pytest.param({"list": [], "inner": {}, "whole": 0, "flag": False}, {"whole": 0, "flag": False}, id="the cloud's empties say nothing, zero and false do"),
    pytest.param({"inner": {"a": "", "b": {"c": ""}}}, {}, id="an object of empties is empty"),
    pytest.param({"pairs": [{"when": "now"}, {"key": "a"}]}, {"pairs": [{"key": "a"}, {}]}, id="an item is an item, though nothing of it is compared"),
    pytest.param({"list": ["", "a"]}, {"list": ["", "a"]}, id="empty text in a list is an item"),
    pytest.param({"free": {"a": "", "b": "1"}}, {"free": {"a": "", "b": "1"}}, id="a key of a free-form map is there though its value is empty"),
])
def test_what_the_cloud_gave(given, made):
    assert normalise(KIND, given, live=True) == made


@pytest.mark.parametrize(("value", "tags"), [
    pytest.param({"a": 1, "b": ""}, {"a": "1", "b": ""}, id="a map, its values as text"),
    pytest.param([{"key": "a", "value": "1"}], {"a": "1"}, id="pairs in lower case"),
    pytest.param([{"Key": "a", "Value": "1"}], {"a": "1"}, id="pairs in AWS's case"),
    pytest.param([{"tagKey": "a", "tagValue": "1"}], {"a": "1"}, id="pairs as KMS has them"),
    pytest.param([{"key": "a"}], {"a": ""}, id="a key without a value"),
    pytest.param([{"key": "", "value": "x"}], {"": "x"}, id="an empty key is a key"),
    pytest.param([{"value": "1"}], {}, id="a value without a key is none"),
    pytest.param(None, {}, id="nothing"),
])
def test_tags_are_a_map_whatever_their_shape(value, tags):
    assert tag_map(value) == tags


def test_the_clouds_tags_and_marks_are_not_ours():
    given = {"aws:cloudformation:stack": "x", "services.k8s.aws/holdfast": "m", "services.k8s.aws/namespace": "n", "awsome": "yes",
             "app.kubernetes.io/managed-by": "x", "app.kubernetes.io/name": "kept"}
    assert own_tags(QUEUE, given) == {"awsome": "yes", "app.kubernetes.io/name": "kept"}


def test_nested_tags_become_a_map_too():
    given = {"tagging": {"tagSet": [{"key": "b", "value": "2"}, {"key": "a", "value": "1"}, {"key": "aws:x", "value": "y"}]}}
    assert normalise(BUCKET, given, live=True) == {"tagging": {"tagSet": {"a": "1", "b": "2"}}}


def test_a_queue_in_two_spellings_is_one():
    one = {"queueName": "q", "fifoQueue": "True", "delaySeconds": "010", "kmsMasterKeyID": "k",
           "redrivePolicy": '{"maxReceiveCount": 3, "deadLetterTargetArn": "d"}', "tags": {"a": "1"}}
    other = {"redrivePolicy": '{"deadLetterTargetArn":"d","maxReceiveCount":3.0}', "fifoQueue": "true", "kmsMasterKeyID": "k",
             "delaySeconds": " 10", "queueName": "q", "tags": {"a": "1", "aws:x": "y"}}
    assert normalise(QUEUE, one, live=False) == normalise(QUEUE, other, live=False)


def test_inline_policies_are_policies():
    """The values of the map are documents, and IAM gives them back URL-encoded."""
    one = {"inlinePolicies": {"p": '{"Version": "2012-10-17", "Statement": []}'}}
    other = {"inlinePolicies": {"p": "%7B%22Statement%22%3A%5B%5D%2C%22Version%22%3A%222012-10-17%22%7D"}}
    assert normalise(ROLE, one, live=False) == normalise(ROLE, other, live=False)


def test_the_input_is_left_as_it_was():
    given = {"set": ["b", "a"], "inner": {"seen": "x"}}
    normalise(KIND, given, live=True)
    assert given == {"set": ["b", "a"], "inner": {"seen": "x"}}
