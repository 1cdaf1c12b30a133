"""IAM policies and other values that mean the same although they are written differently, and those that do not."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest

from holdfast.core.canonical import canonical
from holdfast.core.policy import (
    PAIRWISE,
    SEMANTICS,
    arn_or_name,
    case_insensitive,
    duration,
    iam_policy,
    json_document,
    number_text,
    resource_name,
    same_resource,
    short_name,
    timestamp,
)

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


TOPIC = "projects/shop/topics/t"


@pytest.mark.parametrize(("value", "name"), [
    pytest.param(TOPIC, TOPIC, id="bare"), pytest.param(f"//pubsub.googleapis.com/{TOPIC}", TOPIC, id="with the service in front"),
    pytest.param(f"https://pubsub.googleapis.com/v1/{TOPIC}", TOPIC, id="a URL"), pytest.param("projects/Shop/topics/t", "projects/Shop/topics/t", id="case matters"),
    pytest.param("", "", id="nothing"), pytest.param(5, 5, id="a number"), pytest.param(None, None, id="null"),
])
def test_googles_names_however_they_are_written(value, name):
    assert resource_name(value) == name


@pytest.mark.parametrize(("one", "other", "same"), [
    pytest.param(TOPIC, TOPIC, True, id="equal"), pytest.param(TOPIC, "projects/123/topics/t", True, id="a project by id and by number"),
    pytest.param("projects/123/topics/t", "projects/456/topics/t", False, id="two numbers"), pytest.param(TOPIC, "projects/other/topics/t", False, id="two ids"),
    pytest.param(TOPIC, "projects/123/topics/u", False, id="another resource of the project"), pytest.param(TOPIC, "projects/123/schemas/t", False, id="another collection"),
    pytest.param(TOPIC, "projects/123/topics/t/x", False, id="something below it"), pytest.param(TOPIC, "t", False, id="a bare id"),
    pytest.param("folders/shop/sinks/t", "folders/123/sinks/t", False, id="no project"), pytest.param("projects/shop", "projects/123", False, id="two projects themselves"),
    pytest.param(None, None, True, id="nulls"), pytest.param(TOPIC, None, False, id="a name and null"), pytest.param({"a": 1}, {"a": 1}, True, id="objects"),
    pytest.param(["x"], "x", False, id="a list and its item"), pytest.param("", "", True, id="nothing twice"), pytest.param("", "projects/1/x", False, id="nothing and a name"),
])
def test_names_of_one_resource(one, other, same):
    assert same_resource(one, other) is same
    assert same_resource(other, one) is same


@pytest.mark.parametrize(("value", "name"), [
    pytest.param("projects/p/instanceConfigs/regional-europe-west1", "regional-europe-west1", id="a whole name"), pytest.param("gs://bucket", "bucket", id="a bucket's URL"),
    pytest.param("regional-europe-west1", "regional-europe-west1", id="short already"), pytest.param(None, None, id="null"), pytest.param(["a/b"], ["a/b"], id="a list"),
])
def test_short_names(value, name):
    assert short_name(value) == name


@pytest.mark.parametrize(("value", "form"), [
    pytest.param("3600s", "3600s", id="whole seconds"), pytest.param("3600.0s", "3600s", id="a zero behind the point"), pytest.param("3600.000s", "3600s", id="three zeros"),
    pytest.param("1.50s", "1.5s", id="half a second"), pytest.param("1.05s", "1.05s", id="a zero inside"), pytest.param("0s", "0s", id="no time"),
    pytest.param("03600s", "3600s", id="leading zeros"), pytest.param("1h", "1h", id="an hour is the service's to refuse"), pytest.param("-5s", "-5s", id="a negative time"),
    pytest.param("5", "5", id="no unit"), pytest.param(".5s", ".5s", id="no whole part"), pytest.param("5.s", "5.s", id="no fraction"), pytest.param("", "", id="nothing"),
    pytest.param(3600, 3600, id="a number"), pytest.param("３s", "３s", id="a digit of another script"), pytest.param("5s\n", "5s\n", id="a line's end"),
])
def test_durations(value, form):
    assert duration(value) == form


@pytest.mark.parametrize(("value", "form"), [
    pytest.param("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", id="a time"), pytest.param("2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00Z", id="a fraction of zeros"),
    pytest.param("2026-01-01T00:00:00.120000Z", "2026-01-01T00:00:00.12Z", id="zeros behind a fraction"), pytest.param("2026-01-01T00:00:00+00:00", "2026-01-01T00:00:00Z", id="UTC as an offset"),
    pytest.param("2026-01-01T01:00:00+01:00", "2026-01-01T01:00:00+01:00", id="another offset stays"), pytest.param("2026-01-01", "2026-01-01", id="a day"),
    pytest.param("soon", "soon", id="a word"), pytest.param(None, None, id="null"), pytest.param(1767225600, 1767225600, id="a number"),
])
def test_timestamps(value, form):
    assert timestamp(value) == form


ANYTHING = ("", "x", "{}", "[]", "null", "NaN", "%", "-", "arn:", "arn:aws", "\u0000", "//", "///", "https://", "s", ".s", "Z", "projects/", 0, -1, 1.5, True, None, [], {}, {"a": None},
            "9" * 5000, "9" * 5000 + "s", "0." + "9" * 5000 + "s")


@pytest.mark.parametrize("name", [pytest.param(n, id=n) for n in SEMANTICS])
def test_no_semantic_ever_raises(name):
    for value in ANYTHING:
        SEMANTICS[name](value)


@pytest.mark.parametrize("name", ["resource-name", "short-name", "duration", "timestamp", "case-insensitive"])
def test_the_form_of_a_value_is_its_own(name):
    """What is compared may have been read before."""
    for value in (*ANYTHING[:-2], TOPIC, f"https://x.googleapis.com/v1/{TOPIC}", "03600.50s", "2026-01-01T00:00:00.50+00:00"):
        assert SEMANTICS[name](SEMANTICS[name](value)) == SEMANTICS[name](value)


@pytest.mark.parametrize("name", [pytest.param(n, id=n) for n in PAIRWISE])
def test_no_comparison_of_two_ever_raises(name):
    for one in ANYTHING:
        assert PAIRWISE[name](one, one)
        for other in ANYTHING:
            assert name == "grows" or PAIRWISE[name](one, other) == PAIRWISE[name](other, one)


@pytest.mark.parametrize(("desired", "live", "same"), [
    pytest.param(10, 10, True, id="as asked"), pytest.param(10, 20, True, id="it grew"), pytest.param(20, 10, False, id="less than asked for"),
    pytest.param(10, None, False, id="nothing there"), pytest.param(True, 2, False, id="no number"), pytest.param("10", 20, False, id="text"),
])
def test_what_grows_may_have_grown(desired, live, same):
    assert PAIRWISE["grows"](desired, live) is same


@pytest.mark.parametrize(("one", "other", "same"), [
    pytest.param('[{"name":"a","type":"INT64"}]', '[{"name":"a","type":"integer","mode":"NULLABLE"}]', True, id="two names of a type, and the mode that is meant"),
    pytest.param('[{"name":"a","type":"STRING"},{"name":"b","type":"BOOL"}]', '[{"name":"b","type":"BOOLEAN"},{"name":"a","type":"STRING","description":""}]', True, id="order, an empty description"),
    pytest.param('[{"name":"a","type":"NUMERIC","precision":38}]', '[{"name":"a","type":"NUMERIC","precision":"38"}]', True, id="a number as text"),
    pytest.param('[{"name":"r","type":"STRUCT","fields":[{"name":"x","type":"FLOAT64"}]}]', '[{"name":"r","type":"RECORD","fields":[{"name":"x","type":"FLOAT"}]}]', True, id="inside a record"),
    pytest.param('[{"name":"a","type":"STRING"}]', '[{"name":"a","type":"BYTES"}]', False, id="another type"),
    pytest.param('[{"name":"a","type":"STRING"}]', '[{"name":"a","type":"STRING","mode":"REQUIRED"}]', False, id="another mode"),
    pytest.param('[{"name":"a","type":"STRING"}]', '[{"name":"a","type":"STRING"},{"name":"b","type":"STRING"}]', False, id="another column"),
])
def test_table_schemas(one, other, same):
    assert (SEMANTICS["table-schema"](one) == SEMANTICS["table-schema"](other)) is same


@pytest.mark.parametrize(("one", "other"), [("roles/bigquery.dataOwner", "OWNER"), ("roles/bigquery.dataEditor", "WRITER"), ("roles/bigquery.dataViewer", "READER")])
def test_a_datasets_roles_have_two_names(one, other):
    assert SEMANTICS["dataset-role"](one) == SEMANTICS["dataset-role"](other) == other
