"""get and describe: every spelling of KIND, every form of output. They read the state file only, and never the cloud."""

from __future__ import annotations

import asyncio
import json

import pytest
import yaml

from holdfast.app import open_store
from holdfast.kinds.catalog import Catalog
from holdfast.kinds.loader import HERE
from holdfast.model.errors import InputError
from holdfast.runtime.ports import EventNote
from tests.cli.conftest import Desk, queue

SECRET = "correct-horse"
STATUS = {"observedGeneration": 1, "lastModifiedCookie": f"{'a' * 64}/{'b' * 64}", "appliedFields": ["queueName"],
          "ackResourceMetadata": {"arn": "arn:aws:sqs:eu-west-1:123456789012:orders"},
          "specOverrides": {"policy": {"userInput": "a", "serverOverride": "b"}},
          "verification": {"outcome": "Differs", "generation": 1, "lastTransitionTime": "2026-01-01T00:00:00Z", "differenceCount": 1,
                           "differences": [{"path": "spec.delaySeconds", "desired": "1", "live": "2"}]},
          "conditions": [{"type": "Ready", "status": "False", "reason": "DriftDetected", "message": "it moved", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}
OBJECTS = (
    queue(), queue("emails"), queue("orders").replace("  name: orders\n", "  name: orders\n  namespace: shop\n"),
    f"apiVersion: v1\nkind: Secret\nmetadata: {{name: db}}\nstringData: {{password: {SECRET}}}\n",
    "apiVersion: secretsmanager.services.k8s.aws/v1alpha1\nkind: Secret\nmetadata: {name: db}\nspec:\n  name: db\n  secretString: {name: db, key: password}\n",
    "apiVersion: apigateway.services.k8s.aws/v1alpha1\nkind: Api\nmetadata: {name: shop}\nspec: {name: shop, protocolType: HTTP}\n",
)


def stored(desk: Desk, *texts: str) -> None:
    """Put objects into the state file, without the cloud."""

    async def put() -> None:
        store = open_store(desk.state)
        for text in texts:
            obj = await store.apply(yaml.safe_load(text), "user")
            if str(obj.key) == "Queue default/orders" and len(texts) > 1:
                await store.write_status(obj, STATUS)
                for _ in range(2):
                    await store.record(EventNote(obj.key, "Warning", "DriftDetected", "it moved"))
        store.close()

    asyncio.run(put())


@pytest.fixture(scope="module")
def shelf(story: Desk) -> Desk:
    stored(story, *OBJECTS)
    return story


def names(done) -> list[str]:
    assert done.code == 0, done.text
    return done.out.split()


QUEUES = ["queue.sqs.services.k8s.aws/emails", "queue.sqs.services.k8s.aws/orders"]


@pytest.mark.parametrize("word", ["queue", "Queue", "queues", "queues.sqs.services.k8s.aws", "queue.sqs.services.k8s.aws"])
def test_a_kind_is_spelt_as_kubectl_takes_it(shelf: Desk, word: str):
    assert names(shelf.run("get", word, "-o", "name")) == QUEUES


def test_secret_is_the_one_of_secrets_manager_and_nothing_else_is_shown(shelf: Desk):
    for done in shelf.all(("get", "secret", "-o", "json"), ("get", "secrets", "db", "-o", "json"), ("get", "secret", "db", "-o", "yaml"),
                               ("describe", "secret", "db")):
        assert done.code == 0, done.text
        assert SECRET not in done.out
        assert "secretsmanager.services.k8s.aws" in done.out
        assert '"apiVersion": "v1",\n      "kind": "Secret"' not in done.out


@pytest.mark.parametrize("word", ["secret.v1", "secrets.", "configmap", "namespace"])
def test_core_kinds_are_not_shown(shelf: Desk, word: str):
    done = shelf.run("get", word)
    assert done.code == 1
    assert done.err.startswith("HF103 ")


def test_an_alias_is_found_under_the_kind_that_it_means(shelf: Desk):
    found = [names(d) for d in shelf.all(("get", "api", "-o", "name"), ("get", "apis.apigatewayv2.services.k8s.aws", "shop", "-o", "name"))]
    assert found == [["api.apigatewayv2.services.k8s.aws/shop"]] * 2


def test_one_object_as_json_is_the_object_and_several_are_a_list(shelf: Desk):
    one, several, none = shelf.all(("get", "queue", "orders", "-o", "json"), ("get", "queue", "-o", "json"), ("get", "topic", "-o", "json"))
    assert one.json["kind"] == "Queue"
    assert one.json["metadata"]["name"] == "orders"
    assert one.json["status"]["conditions"][0]["reason"] == "DriftDetected"
    assert several.json["kind"] == "List"
    assert [o["metadata"]["name"] for o in several.json["items"]] == ["emails", "orders"]
    assert none.code == 0
    assert none.json == {"apiVersion": "v1", "kind": "List", "items": []}


def test_yaml_says_the_same_as_json(shelf: Desk):
    one, same, several = shelf.all(("get", "queue", "orders", "-o", "yaml"), ("get", "queue", "orders", "-o", "json"), ("get", "queue", "-o", "yaml"))
    assert yaml.safe_load(one.out) == same.json
    assert [o["metadata"]["name"] for o in yaml.safe_load(several.out)["items"]] == ["emails", "orders"]


def test_the_table(shelf: Desk):
    here, one, everywhere = shelf.all(("get", "queues"), ("get", "queue", "orders"), ("get", "queues", "-A"))
    rows = [line.split() for line in here.out.splitlines()]
    assert rows[0] == ["NAME", "READY", "REASON", "AGE"]
    assert [r[0] for r in rows[1:]] == ["emails", "orders"]
    assert rows[2][1:3] == ["False", "DriftDetected"]
    assert len(one.out.splitlines()) == 2
    rows = [line.split() for line in everywhere.out.splitlines()]
    assert rows[0][:2] == ["NAMESPACE", "NAME"]
    assert [r[:2] for r in rows[1:]] == [["default", "emails"], ["default", "orders"], ["shop", "orders"]]


def test_namespaces(shelf: Desk):
    assert names(shelf.run("get", "queue", "-n", "shop", "-o", "name")) == ["queue.sqs.services.k8s.aws/orders"]


def test_a_name_across_all_namespaces_is_an_error_not_a_choice(shelf: Desk):
    """As kubectl says: a resource cannot be retrieved by name across all namespaces."""
    done = shelf.run("get", "queue", "orders", "-A", "-o", "json")
    assert (done.code, done.err[:5]) == (1, "HF606"), done.text


def test_colour_is_for_terminals_only(shelf: Desk):
    for done in shelf.all(("describe", "queue", "orders"), ("get", "queues")):
        assert "\x1b[" not in done.out


def test_describe_says_everything_that_is_known(shelf: Desk):
    done = shelf.run("describe", "queues.sqs.services.k8s.aws", "orders")
    assert done.code == 0
    for text in ("orders", "default", "arn:aws:sqs:eu-west-1:123456789012:orders", "Ready", "DriftDetected", "it moved", "spec.delaySeconds", "spec.policy",
                 f"{'a' * 64}/{'b' * 64}", "queueName", "(x2)"):
        assert text in done.out, text


def test_reading_never_asks_the_cloud_and_makes_no_state_file(desk: Desk):
    (done,) = desk.all(("get", "queues", "-o", "json"))
    assert done.json["items"] == []
    assert desk.files == set()
    assert desk.cloud.log == []


def test_a_word_that_fits_two_kinds_is_an_error_that_lists_them(tmp_path):
    """No two shipped kinds share a name today, so two are made to."""
    for service in ("sqs", "sns"):
        (tmp_path / "aws" / service).mkdir(parents=True)
    text = (HERE / "aws" / "sqs" / "Queue.yaml").read_text()
    (tmp_path / "aws" / "sqs" / "Queue.yaml").write_text(text)
    (tmp_path / "aws" / "sns" / "Queue.yaml").write_text(text.replace("group: sqs.", "group: sns."))
    catalog = Catalog(tmp_path)
    with pytest.raises(InputError) as caught:
        catalog.by_word("queue")
    assert caught.value.code == "HF111"
    assert "queues.sns.services.k8s.aws, queues.sqs.services.k8s.aws" in caught.value.message
    assert catalog.by_word("queues.sns.services.k8s.aws") == ("sns.services.k8s.aws", "Queue")


def test_a_short_name_is_taken(tmp_path):
    """No shipped kind has one today, so one is given."""
    (tmp_path / "aws" / "sqs").mkdir(parents=True)
    text = (HERE / "aws" / "sqs" / "Queue.yaml").read_text()
    (tmp_path / "aws" / "sqs" / "Queue.yaml").write_text(text.replace("plural: queues\n", "plural: queues\nshort_names: [qq]\n"))
    assert Catalog(tmp_path).by_word("qq") == ("sqs.services.k8s.aws", "Queue")


def test_two_adopted_resources_of_one_name_are_an_error_not_a_choice(desk: Desk):
    spec = "metadata: {name: same}\nspec: {apiVersion: %s/v1alpha1, kind: %s, identifier: {name: x}}\n"
    stored(desk, *(f"apiVersion: {group}/v1alpha1\nkind: AdoptedResource\n{spec % (group, kind)}"
                   for group, kind in (("sqs.services.k8s.aws", "Queue"), ("sns.services.k8s.aws", "Topic"))))
    listed, one, exact, gone = (desk.run(*words) for words in (
        ("get", "adoptedresources", "-o", "json"), ("describe", "adoptedresource", "same"),
        ("get", "adoptedresources.sns.services.k8s.aws", "same", "-o", "json"), ("delete", "adoptedresource", "same")))
    assert len(listed.json["items"]) == 2
    assert exact.json["spec"]["kind"] == "Topic"
    assert (one.code, one.err[:5]) == (1, "HF111"), one.text
    assert (gone.code, gone.err[:5]) == (1, "HF111"), gone.text
    assert len(json.loads(desk.run("get", "adoptedresources", "-o", "json").out)["items"]) == 2
