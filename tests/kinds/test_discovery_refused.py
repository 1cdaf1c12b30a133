"""What Google's kind files are refused for, with file and line; and the packed discovery documents themselves."""

from __future__ import annotations

import json
import re

import pytest

from holdfast.kinds.loader import load_kind
from holdfast.kinds.pack import PACK, apis, document
from holdfast.model.errors import InputError
from tests.kinds.small import FIREWALL, TOPIC, kind_file

KEY = "kms/KMSCryptoKey"

REFUSED = [
    pytest.param(TOPIC, {"schema": {"resource": "Topik"}}, "schema", "Topik", id="a schema that the API does not have"),
    pytest.param({**TOPIC, "model": "pubsub/v9"}, {}, "model", "pubsub/v9", id="an API that is not packed"),
    pytest.param(TOPIC, {"schema": {"keep": ["kmsKeyNam"]}}, "schema", "kmsKeyNam", id="keep: no such field"),
    pytest.param(TOPIC, {"schema": {"omit": ["kmsKeyNam"]}}, "schema", "kmsKeyNam", id="omit: no such field"),
    pytest.param(TOPIC, {"schema": {"omit": ["schemaSettings.nothing"]}}, "schema", "schemaSettings.nothing", id="omit: no such field in an object"),
    pytest.param(TOPIC, {"schema": {"omit": ["kmsKeyName.nothing"]}}, "schema", "kmsKeyName.nothing", id="omit: a field of text"),
    pytest.param(TOPIC, {"schema": {"fields": {"key": "kmsKeyNam"}}}, "schema", "kmsKeyNam", id="fields: no such field on the wire"),
    pytest.param(TOPIC, {"schema": {"fields": {"key": {"flag": True}}}}, "schema", "key", id="fields: no such field here"),
    pytest.param(TOPIC, {"schema": {"fields": {"group.*": "schemaSetings.*"}}}, "schema", "schemaSetings", id="fields: every field of nothing"),
    pytest.param(TOPIC, {"schema": {"fields": {"kmsKeyName": {"type": "sting"}}}}, "schema", "sting", id="fields: no such type"),
    pytest.param(TOPIC, {"schema": {"fields": {"kmsKeyName": {"keyed": "id"}}}}, "schema", "kmsKeyName", id="fields: keyed, and no map"),
    pytest.param(TOPIC, {"schema": {"fields": {"kmsKeyName": {"single": True}}}}, "schema", "kmsKeyName", id="fields: single, and no list"),
    pytest.param(TOPIC, {"schema": {"fields": {"kmsKeyName": {"colour": "red"}}}}, None, "fields", id="fields: an unknown word"),
    pytest.param(TOPIC, {"schema": {"add": {"x": "sting"}}}, "schema", "sting", id="add: no such type"),
    pytest.param(TOPIC, {"schema": {"required": ["nothing"]}}, "schema", "nothing", id="required: no such field"),
    pytest.param(TOPIC, {"schema": {"required": ["schemaSettings.nothing"]}}, "schema", "schemaSettings.nothing", id="required: no such field in an object"),
    pytest.param(FIREWALL, {"schema": {"labels": "spec"}}, "schema", "labels", id="labels: the API has none"),
    pytest.param(TOPIC, {"schema": {"labels": "meta:settings.labels"}}, "schema", "settings.labels", id="labels: none there"),
    pytest.param(TOPIC, {"schema": {"status": {"x": "nothing"}}}, "schema", "nothing", id="status: no such field"),
    pytest.param(TOPIC, {"schema": {"status": {"x": {"from": "state", "type": "sting"}}}}, "schema", "sting", id="status: no such type"),
    pytest.param(TOPIC, {"schema": {"observed": {"x": "state.deep"}}}, "schema", "state.deep", id="observed: a field of text"),
    pytest.param(TOPIC, {"schema": {"colour": "red"}}, None, "colour", id="an unknown word of the schema"),
    pytest.param(TOPIC, {"references": {"keyRef": {"fills": "kmsKeyNam", "kind": KEY}}}, "references", "kmsKeyNam", id="references: fills nothing"),
    pytest.param(TOPIC, {"references": {"keyRef": {"fills": "kmsKeyName", "kind": "KMSCryptoKey"}}}, None, "kind", id="references: a kind without its service"),
    pytest.param(TOPIC, {"references": {"keyRef": {"fills": "kmsKeyName"}}}, None, "kind", id="references: no kind"),
    pytest.param(TOPIC, {"fields": {"nothing": {"secret": True}}}, "fields", "nothing", id="fields: a secret that is no field"),
    pytest.param(TOPIC, {"fields": {"kmsKeyNam": {"immutable": True}}}, None, "did you mean 'kmsKeyName'", id="fields: no such field, with the nearest"),
    pytest.param(TOPIC, {"mutable": ["kmsKeyNam"]}, "mutable", "kmsKeyNam", id="mutable: no such field"),
    pytest.param(TOPIC, {"one_of": [["kmsKeyName", "kmsKeyNam"]]}, "one_of", "kmsKeyNam", id="one_of: no such field"),
    pytest.param(TOPIC, {"api": {"update": {"style": "patch"}}}, None, "style", id="api: an unknown style"),
    pytest.param(TOPIC, {"api": {"colour": "red"}}, None, "colour", id="api: an unknown word"),
]


@pytest.mark.parametrize(("base", "parts", "key", "word"), REFUSED)
def test_what_does_not_fit_is_said_with_file_and_line(tmp_path, base, parts, key, word):
    path = kind_file(tmp_path, base, **parts)
    with pytest.raises(InputError) as caught:
        load_kind(path)
    assert caught.value.code == "HF701"
    assert word in caught.value.message
    assert re.fullmatch(rf"{re.escape(str(path))}:\d+", caught.value.where)
    if key:
        lines = path.read_text().splitlines()
        assert lines[int(caught.value.where.rpartition(":")[2]) - 1].startswith(f"{key}:")


# ---- the pack -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("api", apis())
def test_a_packed_document_is_whole(api):
    """Every schema that a method or another schema names is there, and nothing but set words is left of the prose."""
    found = document(api)
    refs = set(re.findall(r'"\$ref": "(\w+)"', json.dumps(found["schemas"])))
    used = {m[part] for m in found["methods"].values() for part in ("request", "response") if m.get(part)}
    assert refs | used <= set(found["schemas"])
    assert found["host"].endswith(".googleapis.com")
    assert all(m["http"] in ("GET", "POST", "PUT", "PATCH", "DELETE") and m["path"] for m in found["methods"].values())
    words = {w for s in found["schemas"].values() for p in (s.get("properties") or {}).values() for w in p.get("behaviours") or ()}
    assert words <= {"output", "immutable", "required", "optional", "input", "identifier", "deprecated"}
    assert "description" not in {k for s in found["schemas"].values() for p in (s.get("properties") or {}).values() for k in p}


def test_the_pack_is_named_when_an_api_is_missing():
    with pytest.raises(InputError, match="make models"):
        document("nothing/v1")
    assert PACK.is_file()
