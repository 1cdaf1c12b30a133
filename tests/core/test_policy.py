"""IAM policies and other values that mean the same although they are written differently, and those that do not."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest

from holdfast.core.canonical import canonical
from holdfast.core.policy import SEMANTICS, arn_or_name, case_insensitive, iam_policy, json_document, number_text

ACCOUNT = "123456789012"
ROOT = f"arn:aws:iam::{ACCOUNT}:root"
READ = {"Sid": "Read", "Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::b/*"}
DENY = {"Sid": "Deny", "Effect": "Deny", "Action": "s3:*", "Resource": "*"}


def doc(*statements: dict, **more) -> dict:
    return {"Version": "2012-10-17", "Statement": list(statements), **more}


def with_(**changes) -> dict:
    return doc({**READ, **changes})


def when(**operators) -> dict:
    return with_(Condition=operators)


def form(value) -> bytes:
    return canonical(iam_policy(value if isinstance(value, str) else json.dumps(value)))


SAME = [
    pytest.param(doc(READ, DENY), doc(DENY, READ), id="statements in another order"),
    pytest.param({"Version": "2012-10-17", "Statement": READ}, doc(READ), id="one statement without its list"),
    pytest.param(with_(Action="s3:GetObject"), with_(Action=["s3:GetObject"]), id="an action as text and as a list of one"),
    pytest.param(with_(Action=["s3:GetObject", "s3:PutObject"]), with_(Action=["s3:PutObject", "s3:GetObject"]), id="actions in another order"),
    pytest.param(with_(Action=["s3:GetObject", "S3:getobject"]), with_(Action="s3:GetObject"), id="an action given twice"),
    pytest.param(with_(Action="s3:GetObject"), with_(Action="S3:GETOBJECT"), id="actions in another case"),
    pytest.param(with_(Resource=["arn:aws:s3:::b", "arn:aws:s3:::c"]), with_(Resource=["arn:aws:s3:::c", "arn:aws:s3:::b"]),
                 id="resources in another order"),
    pytest.param(with_(Principal="*"), with_(Principal={"AWS": "*"}), id="everybody, as text and as an AWS principal"),
    pytest.param(with_(Principal="*"), with_(Principal={"AWS": ["*"]}), id="everybody, as text and in a list"),
    pytest.param(with_(NotPrincipal="*"), with_(NotPrincipal={"AWS": "*"}), id="nobody, as text and as an AWS principal"),
    pytest.param(with_(Principal={"AWS": ACCOUNT}), with_(Principal={"AWS": ROOT}), id="an account by number and by its root"),
    pytest.param(with_(Principal={"AWS": [ACCOUNT, ROOT]}), with_(Principal={"AWS": ROOT}), id="an account named both ways at once"),
    pytest.param(with_(Principal={"AWS": ACCOUNT}), with_(Principal={"AWS": f"arn:aws-us-gov:iam::{ACCOUNT}:root"}),
                 id="an account of another partition"),
    pytest.param(with_(Principal={"AWS": ["a", "b"], "Service": "x"}), with_(Principal={"Service": ["x"], "AWS": ["b", "a"]}),
                 id="principals in another order"),
    pytest.param(doc(READ), quote(json.dumps(doc(READ))), id="URL-encoded, as IAM gives it back"),
    pytest.param(doc(READ), quote(json.dumps(doc(READ)), safe=""), id="URL-encoded with slashes too"),
    pytest.param(json.dumps(doc(READ)), json.dumps(doc(READ), indent=4), id="white space"),
    pytest.param(doc(READ), json.dumps(doc(READ)).replace("/", "\\/").replace("Allow", "\\u0041llow"), id="escapes inside the text"),
    pytest.param(with_(Sid=""), doc({k: v for k, v in READ.items() if k != "Sid"}), id="an empty Sid and none"),
    pytest.param(doc(READ, Id=""), doc(READ), id="an empty Id and none"),
    pytest.param({"Statement": [READ]}, {"Version": "2008-10-17", "Statement": [READ]}, id="no version is the first version"),
    pytest.param(when(StringEquals={"aws:username": "a"}), when(StringEquals={"aws:username": ["a"]}), id="a condition's value without its list"),
    pytest.param(when(StringLike={"s3:prefix": ["b", "a"]}), when(StringLike={"s3:prefix": ["a", "b"]}), id="a condition's values in another order"),
    pytest.param(when(StringEquals={"aws:SourceArn": "a"}), when(StringEquals={"AWS:SourceARN": "a"}), id="a condition's key in another case"),
    pytest.param(when(Bool={"aws:SecureTransport": True}), when(Bool={"aws:SecureTransport": "true"}), id="a boolean and its text"),
    pytest.param(when(Bool={"aws:SecureTransport": [False]}), when(Bool={"aws:SecureTransport": "false"}), id="false and its text"),
    pytest.param(when(NumericLessThan={"s3:max-keys": 10}), when(NumericLessThan={"s3:max-keys": "10"}), id="a number and its text"),
    pytest.param({**doc(READ, DENY)}, {"Statement": [dict(reversed(DENY.items())), dict(reversed(READ.items()))], "Version": "2012-10-17"},
                 id="keys in another order"),
]
DIFFERENT = [
    pytest.param(with_(Effect="Allow"), with_(Effect="Deny"), id="another effect"),
    pytest.param(with_(Resource="arn:aws:s3:::b/*"), with_(Resource="arn:aws:s3:::B/*"), id="a resource in another case"),
    pytest.param(with_(), doc({**{k: v for k, v in READ.items() if k != "Action"}, "NotAction": READ["Action"]}), id="NotAction for Action"),
    pytest.param(with_(), doc({**{k: v for k, v in READ.items() if k != "Resource"}, "NotResource": READ["Resource"]}),
                 id="NotResource for Resource"),
    pytest.param(with_(Principal="*"), with_(NotPrincipal="*"), id="NotPrincipal for Principal"),
    pytest.param(doc(READ), {"Version": "2008-10-17", "Statement": [READ]}, id="another version"),
    pytest.param(doc(READ), {"Statement": [READ]}, id="the second version against none"),
    pytest.param(with_(Sid="Read"), with_(Sid="read"), id="a Sid in another case"),
    pytest.param(doc(READ), doc(READ, DENY), id="one statement more"),
    pytest.param(doc(READ), doc(), id="no statement"),
    pytest.param(with_(Action="s3:Get*"), with_(Action="s3:GetObject"), id="a wildcard against one that it covers"),
    pytest.param(with_(Principal={"AWS": ACCOUNT}), with_(Principal={"AWS": "210987654321"}), id="another account"),
    pytest.param(with_(Principal={"AWS": ROOT}), with_(Principal={"AWS": f"arn:aws:iam::{ACCOUNT}:user/root"}), id="the root against a user of that name"),
    pytest.param(with_(Principal={"AWS": "x"}), with_(Principal={"Service": "x"}), id="another sort of principal"),
    pytest.param(with_(Principal={"AWS": "arn:aws:iam::1:role/a"}), with_(Principal={"AWS": "arn:aws:iam::1:role/A"}), id="a principal in another case"),
    pytest.param(with_(Principal="*"), with_(Principal={"Service": "*"}), id="everybody against every service"),
    pytest.param(when(StringEquals={"aws:username": "a"}), when(StringEquals={"aws:username": "A"}), id="a condition's value in another case"),
    pytest.param(when(StringEquals={"aws:username": "a"}), when(StringLike={"aws:username": "a"}), id="another operator"),
    pytest.param(when(StringEquals={"aws:username": "a"}), with_(), id="no condition"),
    pytest.param(when(StringEquals={"aws:username": ["a", "b"]}), when(StringEquals={"aws:username": "a"}), id="one of two values"),
    pytest.param(when(StringEquals={"aws:x": "a", "AWS:X": "b"}), when(StringEquals={"aws:x": "b"}), id="a key given in two cases against one of them"),
    pytest.param(doc(READ, Id="a"), doc(READ, Id="b"), id="another Id"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_policies_that_mean_the_same_are_equal(one, other):
    assert form(one) == form(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_policies_that_differ_in_meaning_are_not_equal(one, other):
    assert form(one) != form(other)


@pytest.mark.parametrize("one", [pytest.param(p.values[0], id=p.id) for p in SAME])
def test_the_form_of_a_form_is_itself(one):
    made = iam_policy(one if isinstance(one, str) else json.dumps(one))
    assert iam_policy(made) == made


@pytest.mark.parametrize("value", [
    pytest.param("not JSON", id="text that is no JSON"), pytest.param("%7Bbroken", id="an encoding that breaks off"),
    pytest.param("", id="nothing"), pytest.param("%%%", id="percent signs"), pytest.param('{"Version": "2012-10-17"', id="JSON that breaks off"),
])
def test_what_cannot_be_read_is_returned_as_it_is(value):
    assert iam_policy(value) == value
    assert json_document(value) == value


@pytest.mark.parametrize("document", [
    pytest.param({"Statement": "x"}, id="a statement that is text"),
    pytest.param({"Statement": [None, 1, ["x"]]}, id="statements of all sorts"),
    pytest.param(doc({"Action": [["s3:GetObject"]]}), id="a list inside the actions"),
    pytest.param(doc({"Resource": [{"Fn::Sub": "x"}]}), id="an object among the resources"),
    pytest.param(doc({"Principal": {"AWS": [{"Ref": "x"}]}}), id="an object among the principals"),
    pytest.param(doc({"Principal": ["*"]}), id="principals as a list"),
    pytest.param(doc({"Action": None, "Resource": 5, "Principal": None, "Condition": "x"}), id="scalars where lists belong"),
    pytest.param(doc({"Condition": {"Bool": ["x"], "StringEquals": {"a": {"b": 1}}}}), id="a condition of the wrong shape"),
    pytest.param({"Statement": [{"Sid": None, "Action": [1, "a", True]}], "Version": None}, id="numbers among the actions"),
])
def test_a_policy_of_the_wrong_shape_never_stops_the_comparison(document):
    """The service, not the comparison, is the judge of validity; and it equals itself."""
    assert form(document) == form(json.dumps(document, indent=2))


@pytest.mark.parametrize(("one", "other"), [
    pytest.param('{"a": 1, "b": 2}', '{"b":2,"a":1}', id="white space and key order"),
    pytest.param('{"a": 1}', "%7B%22a%22%3A%201%7D", id="URL-encoded"),
    pytest.param('{"a": 1.0}', '{"a": 1}', id="an integral float"),
])
def test_json_documents_that_mean_the_same_are_equal(one, other):
    assert canonical(json_document(one)) == canonical(json_document(other))


@pytest.mark.parametrize("text", [pytest.param('"5"', id="text in quotes"), pytest.param('"\\"a\\""', id="quotes within quotes")])
def test_reading_a_json_document_twice_changes_nothing(text):
    """What is compared may have been read before."""
    assert json_document(json_document(text)) == json_document(text)


@pytest.mark.parametrize(("value", "name"), [
    pytest.param("arn:aws:kms:eu-west-1:1:key/abc", "abc", id="a key's ARN is its id"),
    pytest.param("abc", "abc", id="an id stays"),
    pytest.param("arn:aws:kms:eu-west-1:1:alias/app", "alias/app", id="an alias's ARN is the alias with its prefix, as the API takes it"),
    pytest.param("alias/app", "alias/app", id="an alias stays"),
    pytest.param("arn:aws:sns:eu-west-1:1:topic", "topic", id="an ARN without a slash"),
    pytest.param("", "", id="nothing stays nothing"),
    pytest.param(None, None, id="null stays null"),
])
def test_an_arn_and_its_bare_name_are_equal(value, name):
    assert arn_or_name(value) == name


def test_an_alias_is_not_the_key_of_the_same_name():
    """`alias/a` and `key/a` are two things."""
    assert arn_or_name("arn:aws:kms:eu-west-1:1:alias/a") != arn_or_name("arn:aws:kms:eu-west-1:1:key/a")


@pytest.mark.parametrize(("value", "text"), [
    pytest.param("030", "30", id="leading zeros"), pytest.param(" 30 ", "30", id="white space"), pytest.param(30, "30", id="a number"),
    pytest.param("-0", "0", id="minus zero"), pytest.param("-07", "-7", id="a negative number"), pytest.param("", "", id="nothing"),
    pytest.param("3.5", "3.5", id="no integer"), pytest.param("true", "true", id="a word"), pytest.param(True, True, id="a boolean"),
    pytest.param("--5", "--5", id="two signs"), pytest.param("5-", "5-", id="a sign behind"), pytest.param("²", "²", id="a superscript"),
    pytest.param("1" * 5000, "1" * 5000, id="more digits than Python reads"), pytest.param("-", "-", id="a lone sign"),
])
def test_numbers_as_text(value, text):
    assert number_text(value) == text


def test_case_does_not_matter_to_text_and_other_values_stay():
    assert [case_insensitive(v) for v in ("TRUE", "true", True, 5, None)] == ["true", "true", True, 5, None]


@pytest.mark.parametrize("name", [pytest.param(n, id=n) for n in SEMANTICS])
def test_no_semantic_ever_raises(name):
    for value in ("", "x", "{}", "[]", "null", "NaN", "%", "-", "arn:", "arn:aws", "\u0000", 0, -1, 1.5, True, [], {}, {"a": None}, "9" * 5000):
        SEMANTICS[name](value)
