"""What a kind is: schema, identity, field behaviours, and (opaque here) how its provider reads and writes it.

A Kind is data loaded from one YAML file. Nothing in it is code; providers interpret `api`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from holdfast.model.json import Json, JsonMap


@dataclass(frozen=True, slots=True)
class Reference:
    """`<field>Ref` (or `…Refs`): ACK's stands beside the field that it fills; Config Connector's is the field, and may give the value itself."""

    path: str  # of the reference itself, e.g. encryptionConfiguration.kmsKeyRef
    target: str  # of the field that it fills, beside it
    group: str
    kind: str
    value: str  # path in the referenced object, e.g. status.keyID; `a|b`: the first that is there; with `{}`: made of its identity's parts
    is_list: bool = False
    to_secret: bool = False  # the field is itself a reference to a key of a Secret
    is_external: bool = False  # `{external}` or `{name, namespace, kind}`; resolved, it stays where it is, as `{external}`
    others: tuple[tuple[str, str, str], ...] = ()  # further (group, kind, value) that its `kind` may name


@dataclass(frozen=True, slots=True)
class FieldRules:
    """How one field behaves. The path has `[]` for the items of a list."""

    path: str
    immutable: bool = False
    immutable_by_service: bool = False  # known to the service only: left to it
    read_only: bool = False
    write_only: bool = False
    sensitive: bool = False
    volatile: bool = False
    unordered: bool = False
    tags: bool = False
    whole: bool = False  # an object: that it is there means something, and it goes as a whole; a list: its items say all there is to say
    kept: bool = False  # taken out of a spec, it is left as it is: unsetting it would open something, or lower a protection
    semantic: str = ""
    default: Json = None


@dataclass(frozen=True, slots=True)
class Dialect:
    """The words of one family of kinds (ACK's, Config Connector's): annotations, conditions, finalizers, marks."""

    name: str
    prefix: str  # of annotations
    group_suffix: str
    default_version: str
    finalizers: tuple[str, ...]  # ours, then those of upstream that go with it
    unmanaged_directives: tuple[str, ...]
    release_word: str  # the deletion-policy that lets the resource be
    condition_prefix: str
    reasons: Mapping[str, str]  # our reasons for Ready → upstream's, where it has one word for several
    synced_condition: str
    identity_path: str  # in status: what names the held resource
    reference_value: str  # where a referenced object has what is meant, if its kind file says nothing
    may_acquire: bool  # what exists already is acquired without a directive
    account_annotation: str  # on the object or its namespace: which account or project is meant
    namespace_is_account: bool  # where nothing says it, the namespace's name does
    name_field: str  # of the spec: the resource's name, which is the object's where it is not given; "" where each kind has its own
    omits_zero: bool  # answers leave out false, 0 and empty values
    labels_are_tags: bool  # the object's own labels go to the cloud
    known_annotations: tuple[str, ...]
    namespace_annotations: tuple[str, ...]
    ignored_tag_prefixes: tuple[str, ...]
    mark_tag: str
    mark_length: int  # a longer mark is hashed
    marks: Mapping[str, str]  # tag → text with {service}, {version}, {namespace}, {mark}

    def annotation(self, name: str) -> str:
        return f"{self.prefix}/{name}"

    def condition(self, name: str) -> str:
        return f"{self.condition_prefix}{name}"


@dataclass(frozen=True, eq=False)
class Kind:
    """One sort of object. Compared by identity: the catalogue holds one of each."""

    provider: str
    service: str
    group: str
    version: str
    name: str
    plural: str
    dialect: Dialect
    spec_schema: JsonMap
    status_schema: JsonMap
    rules: Mapping[str, FieldRules]
    references: tuple[Reference, ...] = ()
    identity_fields: tuple[str, ...] = ()
    identifiers: Mapping[str, str] = field(default_factory=dict)  # arn | name | id → where it goes
    cannot_adopt: str = ""
    cannot_delete: str = ""  # why the service never lets one go: the object is released, the resource stays
    settle_seconds: float = 2.0
    marks_at_create: bool = True  # the create call itself carries the mark
    one_of: tuple[tuple[str, ...], ...] = ()  # groups of fields of which at most one is given
    exactly_one: tuple[tuple[str, ...], ...] = ()
    short_names: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()  # other group/kind pairs that mean this kind
    refresh: tuple[str, ...] = ()  # status fields whose change alone is worth a status write
    api: JsonMap = field(default_factory=dict)
    digest: str = ""
    source: str = ""

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}"

    @property
    def finalizer(self) -> str:
        return self.finalizers[0]

    @cached_property
    def finalizers(self) -> tuple[str, ...]:
        """Ours, and those of upstream that go when ours goes."""
        return tuple(f.format(group=self.group, kind=self.name) for f in self.dialect.finalizers)

    def rule(self, path: str) -> FieldRules:
        return self.rules.get(path) or FieldRules(path)

    @cached_property
    def sensitive_paths(self) -> frozenset[str]:
        return frozenset(p for p, r in self.rules.items() if r.sensitive)

    @cached_property
    def tag_path(self) -> str:
        return next((p for p, r in self.rules.items() if r.tags), "")

    @property
    def tag_field(self) -> str:
        """The top-level field that holds the tags, or "" where the kind takes none."""
        return top_field(self.tag_path)

    def is_sensitive(self, path: str) -> bool:
        """Whether a path, or what it stands in, is sensitive."""
        plain = plain_path(path)
        return any(plain == s or plain.startswith((f"{s}.", f"{s}[")) or s.startswith((f"{plain}.", f"{plain}[")) for s in self.sensitive_paths)


def top_field(path: str) -> str:
    """The top-level field that a path belongs to: `rules[3].id` → `rules`."""
    return path.split(".", 1)[0].split("[", 1)[0]


def plain_path(path: str) -> str:
    """`rules[3].id` → `rules[].id`, the form in which rules are keyed."""
    out, skipping = [], False
    for char in path:
        if char == "]":
            skipping = False
        if not skipping:
            out.append(char)
        if char == "[":
            skipping = True
    return "".join(out)


def schema_at(schema: JsonMap, path: str) -> JsonMap | None:
    """The schema node of a field path (`a.b[].c`, `map{}`), or None where the kind has no such field."""
    node: JsonMap | None = schema
    for part in path.replace("[]", ".[]").replace("{}", ".{}").split("."):
        if node is None:
            return None
        if part == "[]":
            node = node.get("items")
        elif part == "{}":
            node = node.get("additionalProperties")
        elif "properties" in node:
            node = node["properties"].get(part)
        else:
            node = node.get("additionalProperties")
    return node


def field_paths(schema: JsonMap, prefix: str = "") -> list[str]:
    """Every field path of a schema, parents included."""
    out: list[str] = []
    for name, node in (schema.get("properties") or {}).items():
        path = f"{prefix}.{name}" if prefix else name
        out.append(path)
        inner = node
        while inner.get("type") == "array":
            path, inner = f"{path}[]", inner.get("items") or {}
        out.extend(field_paths(inner, path))
    return out
