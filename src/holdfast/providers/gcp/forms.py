"""Fields that say one thing in several forms, and fields that say something by being there.

Config Connector has a name and a reference for the same API field (`securityPolicy`, `securityPolicyRef`), references to several kinds for
one (`instanceGroupRef`, `networkEndpointGroupRef`), and objects that switch something on (`logConfig` without its `enable`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from holdfast.model.json import Json, JsonMap, get_path, with_path


def one_form(schema: JsonMap, value: Json, said: Json, applied: Json = None) -> Json:
    """`value` with each thing in one form only: as the spec says it, else as it last did, else as a reference."""
    if isinstance(value, list):
        partners = said if isinstance(said, list) else []
        return [one_form(schema.get("items") or {}, v, partners[i] if i < len(partners) else None) for i, v in enumerate(value)]
    if not isinstance(value, Mapping) or "properties" not in schema or schema.get("x-ref"):
        return value
    spoken, before = (s if isinstance(s, Mapping) else {} for s in (said, applied))
    dropped = _other_forms(schema["properties"], value, [*spoken, *before])
    return {k: one_form(schema["properties"].get(k) or {}, v, spoken.get(k), before.get(k)) for k, v in value.items() if k not in dropped}


def last_applied(status: JsonMap) -> dict[str, Json]:
    """The fields that were last applied, as a tree; those inside lists are left out."""
    out: dict[str, Json] = {}
    for path in status.get("appliedFields") or ():
        out = with_path(out, path, {}) if "[" not in path else out
    return out


def _other_forms(properties: JsonMap, value: JsonMap, said: list[str]) -> set[str]:
    forms: dict[str, list[str]] = defaultdict(list)
    doubled = {node.get("x-wire", name) for name, node in properties.items() if node.get("x-alias")}
    for name in value:
        node = properties.get(name) or {}
        if node.get("x-ref") or "properties" not in node or node.get("x-wire", name) in doubled:
            forms[node.get("x-wire", name)].append(name)
    out: set[str] = set()
    for wire, names in forms.items():
        aliases = {n for n in names if (properties.get(n) or {}).get("x-alias")}
        if wire and len(names) > 1 and aliases:
            out |= set(names) - ({n for n in names if n in said} or set(names) - aliases)
        elif wire and len(names) > 1 and any((properties.get(n) or {}).get("x-ref") for n in names):
            kept = next((n for n in said if n in names), next(n for n in names if properties[n].get("x-ref")))
            out |= set(names) - {kept}
    return out


def leaving(schema: JsonMap, said: JsonMap, target: JsonMap, changed: frozenset[str]) -> frozenset[str]:
    """Fields with a meaning that must go as a whole: emptied, taken out of the spec, or meaning otherwise than one that the spec has."""
    means = {n: node["x-means"] for n, node in schema["properties"].items() if "x-means" in node}
    claimed = {path for n, meant in means.items() if said.get(n) for path in meant}
    rivals = {n for n, meant in means.items() if n in target and n not in said and not claimed.isdisjoint(meant)}
    return frozenset(rivals | {n for n in means if n in changed and (n not in said or not target.get(n))})


def switched_off(schema: JsonMap, gone: frozenset[str], after: JsonMap, spoken: JsonMap) -> dict[str, Json]:
    """`after`, where what the gone fields switched on is off, unless the spec says otherwise by another field."""
    out = dict(after)
    for name in gone:
        for path, value in schema["properties"][name]["x-means"].items():
            if value is True and get_path(spoken, path) is None:
                out = with_path(out, path, False)
    return out
