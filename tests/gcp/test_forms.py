"""One thing in several forms, and what says something by being there."""

from __future__ import annotations

import pytest

from holdfast.providers.gcp.forms import leaving, one_form, switched_off

TEXT = {"type": "string"}
REF = {"type": "object", "properties": {"external": TEXT}, "x-ref": True}


def an_object(**properties) -> dict:
    return {"type": "object", "properties": properties}


POLICY = an_object(policy=TEXT, policyRef={**REF, "x-wire": "policy"}, other=TEXT)
ACCESS = an_object(uniform={"type": "boolean", "x-wire": "on"}, former={"type": "boolean", "x-wire": "on", "x-alias": True})
EITHER = an_object(items={"type": "array", "items": an_object(policy=TEXT, policyRef={**REF, "x-wire": "policy"})}, deep=POLICY)
BY_NAME, BY_REF = {"policy": "p"}, {"policyRef": {"external": "p"}}


@pytest.mark.parametrize(("schema", "shown", "said", "kept"), [
    pytest.param(POLICY, {**BY_NAME, **BY_REF, "other": "x"}, {}, {**BY_REF, "other": "x"}, id="a reference, where the spec says neither"),
    pytest.param(POLICY, {**BY_NAME, **BY_REF}, {"policy": "q"}, BY_NAME, id="the name, where the spec says it"),
    pytest.param(POLICY, {**BY_NAME, **BY_REF}, {"policyRef": {"external": "q"}}, BY_REF, id="the reference, where the spec says it"),
    pytest.param(POLICY, BY_NAME, {}, BY_NAME, id="what stands alone stays"),
    pytest.param(ACCESS, {"uniform": True, "former": True}, {}, {"uniform": True}, id="the newer name, where the spec says neither"),
    pytest.param(ACCESS, {"uniform": True, "former": True}, {"former": False}, {"former": True}, id="the former name, where the spec says it"),
    pytest.param(ACCESS, {"uniform": True, "former": True}, {"uniform": True, "former": True}, {"uniform": True, "former": True}, id="both, where the spec says both"),
    pytest.param(EITHER, {"deep": {**BY_NAME, **BY_REF}}, {"deep": BY_NAME}, {"deep": BY_NAME}, id="inside an object"),
    pytest.param(EITHER, {"items": [{**BY_NAME, **BY_REF}, {**BY_NAME, **BY_REF}]}, {"items": [BY_NAME]}, {"items": [BY_NAME, BY_REF]}, id="in each item as its partner says it"),
])
def test_one_form_only(schema, shown, said, kept):
    assert one_form(schema, shown, said) == kept


@pytest.mark.parametrize(("applied", "kept"), [pytest.param({"policy": {}}, BY_NAME, id="the name"), pytest.param({"policyRef": {}}, BY_REF, id="the reference")])
def test_a_spec_that_has_just_lost_it_counts_as_it_last_was(applied, kept):
    """Otherwise what was taken out would not be found, and not be unset."""
    assert one_form(POLICY, {**BY_NAME, **BY_REF}, {}, applied) == kept


HEALTH = an_object(http={**an_object(port=TEXT), "x-means": {"type": "HTTP"}}, tcp={**an_object(port=TEXT), "x-means": {"type": "TCP"}}, name=TEXT)
LOGGED = an_object(logConfig={**an_object(m=TEXT), "x-means": {"logConfig.enable": True}}, enableLogging={"type": "boolean", "x-wire": "logConfig.enable"})


@pytest.mark.parametrize(("schema", "said", "target", "changed", "gone"), [
    pytest.param(HEALTH, {"tcp": {"port": "1"}}, {"tcp": {"port": "1"}, "http": {"port": "2"}}, {"tcp"}, {"http"}, id="what means otherwise than what the spec has"),
    pytest.param(HEALTH, {"tcp": {"port": "1"}}, {"tcp": {"port": "1"}}, {"tcp"}, set(), id="what the spec has stays"),
    pytest.param(HEALTH, {"name": "x"}, {"name": "x", "http": {"port": "2"}}, {"name"}, set(), id="what the spec does not speak of stays"),
    pytest.param(LOGGED, {}, {}, {"logConfig"}, {"logConfig"}, id="what the spec has lost"),
    pytest.param(LOGGED, {"logConfig": {}}, {"logConfig": {}}, {"logConfig"}, {"logConfig"}, id="what the spec has emptied"),
    pytest.param(LOGGED, {"logConfig": {"m": "x"}}, {"logConfig": {"m": "x"}}, {"logConfig"}, set(), id="what the spec switches on"),
])
def test_what_must_go_as_a_whole(schema, said, target, changed, gone):
    assert leaving(schema, said, target, frozenset(changed)) == gone


@pytest.mark.parametrize(("schema", "gone", "spoken", "after"), [
    pytest.param(LOGGED, {"logConfig"}, {}, {"a": 1, "logConfig": {"enable": False}}, id="what it switched on is off"),
    pytest.param(LOGGED, {"logConfig"}, {"logConfig": {"enable": True}}, {"a": 1}, id="unless the spec says otherwise"),
    pytest.param(HEALTH, {"http"}, {}, {"a": 1}, id="a word has no off"), pytest.param(LOGGED, set(), {}, {"a": 1}, id="nothing goes"),
])
def test_what_is_switched_off(schema, gone, spoken, after):
    assert switched_off(schema, frozenset(gone), {"a": 1}, spoken) == after
