"""Numbered invariants of a status, an oracle that any test can run."""

from __future__ import annotations

from holdfast.model.objects import StoredObject


def check_status(obj: StoredObject) -> None:
    status = obj.status
    conditions = status.get("conditions") or []
    types = [c["type"] for c in conditions]
    # 1. a condition type stands once
    assert len(types) == len(set(types)), types
    # 2. once anything is said, Ready is said
    assert not conditions or "Ready" in types, types
    # 3. every condition has a reason and a time
    assert all(c.get("reason") and c.get("lastTransitionTime") for c in conditions), conditions
    by_type = {c["type"]: c["status"] for c in conditions}
    # 4. Ready and ACK.ResourceSynced never disagree
    if "ACK.ResourceSynced" in by_type:
        assert by_type["Ready"] == by_type["ACK.ResourceSynced"], by_type
    # 5. a terminal object is not Ready
    assert not (by_type.get("ACK.Terminal") == "True" and by_type.get("Ready") == "True"), by_type
    # 6. the cookie is two hashes
    cookie = status.get("lastModifiedCookie")
    assert cookie is None or [len(h) for h in cookie.split("/")] == [64, 64], cookie
    # 7. Ready means: nothing is under way
    if by_type.get("Ready") == "True" and obj.key.kind != "AdoptedResource":
        assert "intent" not in status, status
        assert "settling" not in status, status
        assert "operation" not in status, status
    # 8. an object being deleted is not Ready once its deletion was tried
    if obj.is_deleting and status.get("intent", {}).get("action") == "delete":
        assert by_type.get("Ready") != "True" or status.get("observedGeneration") != obj.generation
    # 9. events' and messages' length is bounded
    assert all(len(c.get("message", "")) <= 4200 for c in conditions)
