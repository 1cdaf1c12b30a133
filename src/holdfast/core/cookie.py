"""The cookie `<spec-hash>/<live-hash>`: of the last state that was found or made right.

Invariant (tests/properties): where the cookie of now equals the stored one, a full comparison would find nothing. It holds because the
second half hashes `project(comparison)`, all that `compare` can see, and the first everything else that `compare` depends on.
"""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.core.canonical import digest, sealed
from holdfast.core.compare import Comparison, project
from holdfast.model.json import Json, JsonMap
from holdfast.model.kinds import Kind

FORM = 1  # of what is hashed; a cookie of another form is simply unequal, and costs one comparison


def cookie(c: Comparison, overrides: Mapping[str, JsonMap], key: bytes) -> str:
    return f"{spec_hash(c, overrides, key)}/{digest(seal(c.kind, project(c), key))}"


def spec_hash(c: Comparison, overrides: Mapping[str, JsonMap], key: bytes) -> str:
    return digest({
        "form": FORM,
        "kind": c.kind.digest,
        "spec": seal(c.kind, c.desired, key),
        "removed": sorted(c.removed),
        "unmanaged": sorted(c.unmanaged),
        "unread": sorted(c.unread),
        "overrides": overrides,
    })


def spec_half(cookie_text: str) -> str:
    return cookie_text.partition("/")[0]


def seal(kind: Kind, spec: JsonMap, key: bytes) -> Json:
    """The spec with sensitive values replaced by their HMAC."""
    return _seal(kind, "", spec, key) if kind.sensitive_paths else spec


def _seal(kind: Kind, path: str, value: Json, key: bytes) -> Json:
    if path and path in kind.sensitive_paths:
        return sealed(value, key)
    if isinstance(value, Mapping):
        return {k: _seal(kind, f"{path}.{k}" if path else k, v, key) for k, v in value.items()}
    if isinstance(value, list):
        return [_seal(kind, f"{path}[]", v, key) for v in value]
    return value
