"""Objects as the stores keep them: an identity, and the document with apiVersion, kind, metadata, spec and status."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.model.json import Json, JsonMap


@dataclass(frozen=True, slots=True, order=True)
class ObjectKey:
    """What names an object: group and kind (no version), namespace, name."""

    group: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object as read from a store. Never mutated: writes go through the store and yield a new one."""

    body: JsonMap

    @property
    def key(self) -> ObjectKey:
        return key_of(self.body)

    @property
    def metadata(self) -> JsonMap:
        return self.body.get("metadata") or {}

    @property
    def spec(self) -> dict[str, Json]:
        return dict(self.body.get("spec") or {})

    @property
    def status(self) -> dict[str, Json]:
        return dict(self.body.get("status") or {})

    @property
    def annotations(self) -> dict[str, str]:
        return dict(self.metadata.get("annotations") or {})

    @property
    def finalizers(self) -> list[str]:
        return list(self.metadata.get("finalizers") or [])

    @property
    def generation(self) -> int:
        return int(self.metadata.get("generation") or 1)

    @property
    def resource_version(self) -> str:
        return str(self.metadata.get("resourceVersion") or "")

    @property
    def uid(self) -> str:
        return str(self.metadata.get("uid") or "")

    @property
    def is_deleting(self) -> bool:
        return bool(self.metadata.get("deletionTimestamp"))

    @property
    def api_version(self) -> str:
        return str(self.body.get("apiVersion") or "")


Objects = list[StoredObject]
Keys = list[ObjectKey]


def condition(status: JsonMap, type_: str = "Ready") -> dict[str, Json]:
    """One condition of a status, or an empty one."""
    return next((dict(c) for c in status.get("conditions") or () if c.get("type") == type_), {})


def group_of(api_version: str) -> str:
    """`s3.services.k8s.aws/v1alpha1` → the group; core objects have none."""
    return api_version.rpartition("/")[0]


def key_of(body: JsonMap) -> ObjectKey:
    meta = body.get("metadata") or {}
    return ObjectKey(group_of(str(body.get("apiVersion") or "")), str(body.get("kind") or ""),
                     str(meta.get("namespace") or "default"), str(meta.get("name") or ""))
