"""Small kind files on top of the packed discovery documents, for tests of the language that they are written in."""

from __future__ import annotations

from pathlib import Path

import yaml

from holdfast.kinds.loader import load_kind
from holdfast.model.kinds import Kind

TOPIC = {"model": "pubsub/v1", "schema": {"resource": "Topic"}, "api": {"name": "projects/{project}/topics/{spec.resourceID}", "collection": "projects.topics"}}
SUBSCRIPTION = {"model": "pubsub/v1", "schema": {"resource": "Subscription"},
                "api": {"name": "projects/{project}/subscriptions/{spec.resourceID}", "collection": "projects.subscriptions"}}
REPOSITORY = {"model": "artifactregistry/v1", "schema": {"resource": "Repository"},
              "api": {"name": "projects/{project}/locations/{spec.location}/repositories/{spec.resourceID}", "collection": "projects.locations.repositories",
                      "operations": ["projects.locations.operations"]}}
SECRET = {"model": "secretmanager/v1", "schema": {"resource": "Secret"}, "api": {"name": "projects/{project}/secrets/{spec.resourceID}", "collection": "projects.secrets"}}
FIREWALL = {"model": "compute/v1", "schema": {"resource": "Firewall"},
            "api": {"name": "projects/{project}/global/firewalls/{spec.resourceID}", "collection": "firewalls", "operations": ["globalOperations"]}}
ADDRESS = {"model": "compute/v1", "schema": {"resource": "Address"},
           "api": {"name": "projects/{project}/{spec.location:scope}/addresses/{spec.resourceID}", "collection": "addresses", "collections": {"global": "globalAddresses"},
                   "operations": ["globalOperations", "regionOperations"]}}
ROBOT = {"model": "iam/v1", "schema": {"resource": "ServiceAccount", "keep": ["description", "displayName"], "fields": {"disabled": "disabled"}},
         "api": {"name": "projects/{project}/serviceAccounts/{spec.resourceID}", "collection": "projects.serviceAccounts", "actions": [
             {"fields": ["disabled"], "method": {"true": "disable", "false": "enable"}}]}}
INSTANCE = {"model": "spanner/v1", "schema": {"resource": "Instance", "keep": ["config", "nodeCount", "processingUnits"]},
            "api": {"name": "projects/{project}/instances/{spec.resourceID}", "collection": "projects.instances", "operations": ["projects.instances.operations"]}}


def kind_file(folder: Path, base: dict, schema: dict | None = None, api: dict | None = None, **parts) -> Path:
    """A kind file: the base, with more in its schema, its api, and beside them."""
    data = {"provider": "gcp", "model": base["model"], "group": "toy.cnrm.cloud.google.com", "kind": "Toy", "plural": "toys",
            "schema": {**base["schema"], **(schema or {})}, **parts, "api": {**base["api"], **(api or {})}}
    path = folder / "toy.yaml"
    path.write_text(yaml.safe_dump(data, sort_keys=False, width=1000), encoding="utf-8")
    return path


def small(folder: Path, base: dict, schema: dict | None = None, api: dict | None = None, **parts) -> Kind:
    return load_kind(kind_file(folder, base, schema, api, **parts))
