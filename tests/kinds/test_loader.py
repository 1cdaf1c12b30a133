"""Kind files: what is wrong is said with file and line. And YAML as Kubernetes means it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from holdfast.core.validate import check_spec
from holdfast.kinds.catalog import Catalog, shipped
from holdfast.kinds.loader import HERE, build_schemas, load_kind, read_kind_file, schema_file
from holdfast.kinds.yamlfile import load_documents
from holdfast.model.errors import InputError

QUEUE = (HERE / "aws" / "sqs" / "Queue.yaml").read_text(encoding="utf-8")
FILES = sorted(HERE.glob("*/*/*.yaml"))


def line_of(text: str, needle: str) -> int:
    return next(i for i, line in enumerate(text.splitlines(), 1) if needle in line)


def written(folder: Path, text: str) -> Path:
    path = folder / "Queue.yaml"
    path.write_text(text, encoding="utf-8")
    return path


WRONG = [
    pytest.param("fields:\n", "feilds:\n", "feilds:", "HF701", "feilds", id="a misspelt key at the top"),
    pytest.param("  queueName: {immutable: true}", "  queueName:\n    imutable: true", "imutable", "HF701", "imutable", id="a misspelt key of a field's rules"),
    pytest.param("  queueName: {immutable: true}", "  queueName: {immutable: yes please}", "yes please", "HF701", "boolean", id="a rule of the wrong type"),
    pytest.param("  queueName: {immutable: true}", "  queuName: {immutable: true}", "queuName", "HF701", "did you mean 'queueName'", id="an unknown field, with the nearest"),
    pytest.param("{semantic: policy, ", "{semantic: polcy, ", "polcy", "HF701", "known: json, policy", id="an unknown semantic, with those that are known"),
    pytest.param("plural: queues\n", "plural: queues\nplural: qs\n", "plural: qs", "HF101", "given twice", id="a key given twice"),
    pytest.param("  tags: {tags: true}\n", "  tags: {tags: true}\n  tags: {}\n", "  tags: {}", "HF101", "given twice", id="a nested key given twice"),
    pytest.param("plural: queues\n", "plural: [queues\n", "", "HF101", "YAML", id="no YAML"),
    pytest.param("plural: queues\n", "", "provider", "HF701", "plural", id="a missing key"),
    pytest.param("group: sqs.services.k8s.aws", "group: sqs.example.com", "group:", "HF701", "sqs.example.com", id="a group of another family"),
    pytest.param("  create: CreateQueue\n", "  create: MakeQueue\n", "schema:", "HF701", "MakeQueue", id="an operation that the vendor does not have"),
    pytest.param("model: sqs\n", "model: sqss\n", "model:", "HF701", "sqss", id="a service that the vendor does not have"),
    pytest.param("    Policy: string\n", "    Policy: CreateQueue.Nothing\n", "schema:", "HF701", "Nothing", id="a member that the vendor does not have"),
    pytest.param("    Policy: string\n", "    Policy: sting\n", "schema:", "HF701", "sting", id="an added field of no known type"),
    pytest.param("  drop: [Attributes]\n", "  drop: [Attributes]\n  omit: [nothing]\n", "schema:", "HF701", "nothing", id="an omitted field that is not there"),
    pytest.param("  drop: [Attributes]\n", "  drop: [Atributes]\n", "schema:", "HF701", "Atributes", id="a dropped member that is not there"),
    pytest.param("  required: [queueName]\n", "  required: [name]\n", "schema:", "HF701", "name", id="a required field that is not there"),
    pytest.param("identity: [queueName]", "identity: [name]", "identity:", "HF701", "name", id="an identity that is no field"),
    pytest.param("identity: [queueName]\n", "identity: [queueName]\none_of: [[policy, polcy]]\n", "one_of:", "HF701", "polcy", id="a group with a field that is not there"),
    pytest.param("fills: kmsMasterKeyID", "fills: kmsMasterKey", "kmsMasterKeyRef:", "HF701", "kmsMasterKey", id="a reference that fills nothing"),
    pytest.param("  policyRef: {", "  inner.policyRef: {", "schema:", "HF701", "inner", id="a reference in an object that is not there"),
    pytest.param("kind: kms/Key", "kind: Key", "kmsMasterKeyRef:", "HF701", "Key", id="a reference to a kind without its service"),
]


@pytest.mark.parametrize(("old", "new", "at", "code", "word"), WRONG)
def test_what_is_wrong_is_said_with_file_and_line(tmp_path, old, new, at, code, word):
    assert old in QUEUE
    text = QUEUE.replace(old, new, 1)
    path = written(tmp_path, text)
    with pytest.raises(InputError) as caught:
        load_kind(path)
    assert caught.value.code == code
    assert word in caught.value.message
    if at:
        assert caught.value.where == f"{path}:{line_of(text, at)}"
    assert re.fullmatch(rf"{re.escape(str(path))}:\d+", caught.value.where)


def test_a_kind_file_holds_one_document(tmp_path):
    with pytest.raises(InputError, match="exactly one document"):
        load_kind(written(tmp_path, f"{QUEUE}---\n{QUEUE}"))


def test_an_empty_kind_file_is_refused(tmp_path):
    with pytest.raises(InputError) as caught:
        load_kind(written(tmp_path, "# nothing\n"))
    assert caught.value.code == "HF701"


def test_the_values_of_a_map_can_have_rules(tmp_path):
    """`tags{}` is any value of the map, as `list[]` is any item of a list."""
    role = (HERE / "aws" / "iam" / "Role.yaml").read_text(encoding="utf-8")
    path = written(tmp_path, role.replace("fields:\n", 'fields:\n  "inlinePolicies{}": {semantic: policy}\n', 1)) if "inlinePolicies{}" not in role else HERE / "aws/iam/Role.yaml"
    assert load_kind(path).rule("inlinePolicies{}").semantic == "policy"


@pytest.mark.parametrize("path", [pytest.param(p, id=f"{p.parent.name}/{p.stem}") for p in FILES])
def test_every_shipped_kind_loads_and_its_schemas_are_those_of_the_vendors_model(path):
    kind = load_kind(path)
    assert (kind.name, kind.source) == (path.stem, str(path))
    built = build_schemas(read_kind_file(path))
    assert (kind.spec_schema, kind.status_schema) == (built["spec"], built["status"]), f"{schema_file(path)} is stale: make generate"


@pytest.mark.parametrize("kind", [pytest.param(k, id=k.name) for k in shipped().all()])
def test_a_shipped_kind_speaks_only_of_fields_that_it_has(kind):
    spec = kind.spec_schema["properties"]
    assert all(p.partition(".")[0] in spec for p in kind.identity_fields)
    assert all(p.partition(".")[0] in spec for group in (*kind.one_of, *kind.exactly_one) for p in group)
    assert all(r.path.partition(".")[0].removesuffix("[]") in spec for r in kind.references)
    assert set(kind.spec_schema.get("required", ())) <= set(spec)


def test_a_digest_moves_with_what_is_compared_and_not_with_how_it_is_called(tmp_path):
    plain = load_kind(written(tmp_path, QUEUE)).digest
    assert load_kind(written(tmp_path, QUEUE.replace('default: "30"', 'default: "31"'))).digest != plain
    assert load_kind(written(tmp_path, QUEUE.replace("settle_seconds: 5", "settle_seconds: 7"))).digest == plain


def test_a_catalogue_of_another_folder_finds_its_kinds(tmp_path):
    (tmp_path / "aws" / "sqs").mkdir(parents=True)
    (tmp_path / "aws" / "sqs" / "Queue.yaml").write_text(QUEUE, encoding="utf-8")
    assert [k.name for k in Catalog(tmp_path).all()] == ["Queue"]
    assert Catalog(tmp_path).find("s3.services.k8s.aws", "Bucket") is None


@pytest.mark.parametrize(("word", "wanted"), [
    pytest.param("queue", ("sqs.services.k8s.aws", "Queue"), id="the kind"), pytest.param("Queues", ("sqs.services.k8s.aws", "Queue"), id="the plural, in any case"),
    pytest.param("queues.sqs.services.k8s.aws", ("sqs.services.k8s.aws", "Queue"), id="plural.group"), pytest.param("queues.sqs", ("sqs.services.k8s.aws", "Queue"), id="plural.service"),
    pytest.param("secret", ("secretsmanager.services.k8s.aws", "Secret"), id="a secret is never the core Secret"),
    pytest.param("policies", ("iam.services.k8s.aws", "Policy"), id="an odd plural"), pytest.param("adoptedresources", ("*", "AdoptedResource"), id="adopted resources"),
])
def test_kinds_by_the_words_that_kubectl_takes(word, wanted):
    assert shipped().by_word(word) == wanted


def test_an_unknown_word_is_refused_with_the_nearest():
    with pytest.raises(InputError, match="did you mean 'queue") as caught:
        shipped().by_word("qeues")
    assert caught.value.code == "HF103"


def data(text: str):
    return load_documents(text, "f.yaml")[0].data


@pytest.mark.parametrize(("text", "value"), [
    pytest.param("2020-01-01", "2020-01-01", id="a date"), pytest.param("2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z", id="a time"),
    pytest.param("2012-10-17", "2012-10-17", id="a policy's version"), pytest.param("12:30:00", "12:30:00", id="base 60"), pytest.param("1:30", "1:30", id="base 60, short"),
    pytest.param("190:20:30.15", "190:20:30.15", id="base 60 with a fraction"), pytest.param("-1:30", "-1:30", id="base 60 with a sign"),
    pytest.param("1:2:3:4:5:6", "1:2:3:4:5:6", id="an address"), pytest.param("arn:aws:s3:::b", "arn:aws:s3:::b", id="an ARN"),
    pytest.param("42", 42, id="a number"), pytest.param("1.5", 1.5, id="a fraction"), pytest.param("true", True, id="a boolean"), pytest.param('"42"', "42", id="text in quotes"),
    pytest.param("null", None, id="null"), pytest.param("", None, id="nothing"), pytest.param("09", "09", id="a number that is no octal"), pytest.param("=", "=", id="an equals sign"),
])
def test_yaml_traps(text, value):
    made = data(f"a: {text}")["a"]
    assert (made, type(made)) == (value, type(value))


@pytest.mark.parametrize(("text", "keys"), [
    pytest.param("2024: x", ["2024"], id="a number"), pytest.param("true: x", ["true"], id="a boolean"), pytest.param("on: x", ["true"], id="a boolean of YAML 1.1, as Kubernetes reads it"),
    pytest.param("1.5: x", ["1.5"], id="a fraction"), pytest.param("2020-01-01: x", ["2020-01-01"], id="a date"),
])
def test_keys_are_text_as_in_json(text, keys):
    assert list(data(text)) == keys


def test_a_tag_whose_key_looks_like_a_number_can_be_checked():
    """`tags: {2024: x}` is JSON's {"2024": "x"} to Kubernetes."""
    kind = shipped().need("sqs.services.k8s.aws", "Queue")
    assert check_spec(kind, data("queueName: q\ntags: {2024: x}")) == []


def test_lines_of_every_value():
    text = "a:\n  b:\n    - c: 1\n      d: 2\n    - e\nf: {g: 3}\n"
    (document,) = load_documents(text, "f.yaml")
    assert [document.where(p) for p in (("a",), ("a", "b", 0, "d"), ("a", "b", 1), ("f", "g"), ("f", "nothing", "here"), ())] == [
        "f.yaml:1", "f.yaml:4", "f.yaml:5", "f.yaml:6", "f.yaml:6", "f.yaml:1"]


def test_lines_in_a_later_document():
    first, second = load_documents("a: 1\n---\n\nb:\n  c: 2\n---\n", "f.yaml")
    assert (first.where(("a",)), second.where(("b", "c")), second.where()) == ("f.yaml:1", "f.yaml:5", "f.yaml:4")


@pytest.mark.parametrize(("text", "line"), [
    pytest.param("a: 1\nb: [1, 2\nc: 3\n", 3, id="a bracket that is not closed"), pytest.param("a: 1\na: 2\n", 2, id="a key given twice"),
    pytest.param("a:\n  b: 1\n  c: 2\n  b: 3\n", 4, id="a nested key given twice"), pytest.param("a: {b: 1, b: 2}\n", 1, id="a key given twice in one line"),
    pytest.param("a: 1\n\tb: 2\n", 2, id="a tab"), pytest.param("a: *nothing\n", 1, id="an alias of nothing"), pytest.param("a: 1\nb: !!python/object:os.system x\n", 2, id="a tag that would run code"),
    pytest.param("a: &x [*x]\n", 1, id="a list that holds itself"),
])
def test_what_cannot_be_read_is_said_with_its_line(text, line):
    with pytest.raises(InputError) as caught:
        load_documents(text, "f.yaml")
    assert (caught.value.code, caught.value.where) == ("HF101", f"f.yaml:{line}")


def test_anchors_and_merges_work():
    assert data("a: &x {b: 1}\nc: {<<: *x, d: 2}\n") == {"a": {"b": 1}, "c": {"b": 1, "d": 2}}
