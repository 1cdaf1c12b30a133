"""Everything that a reconcile is handed, in one value."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field

from holdfast.model.errors import InputError
from holdfast.model.kinds import Kind
from holdfast.model.objects import ObjectKey
from holdfast.runtime.ports import Clock, Cloud, Kinds, Store
from holdfast.runtime.settings import Settings


@dataclass(frozen=True)
class Engine:
    kinds: Kinds
    store: Store
    clouds: Mapping[str, Cloud]
    clock: Clock
    settings: Settings = field(default_factory=Settings)

    def kind_of(self, key: ObjectKey) -> Kind:
        kind = self.kinds.find(key.group, key.kind)
        if kind is None:
            raise InputError("HF103", f"no kind {key.kind!r} in group {key.group!r} is installed")
        return kind

    def cloud_of(self, kind: Kind) -> Cloud:
        return self.clouds[kind.provider]


LOG = logging.getLogger("holdfast")


def log_step(step: str, key: ObjectKey, **details: object) -> None:
    """One line per step, as key=value pairs; never a value of a spec."""
    if LOG.isEnabledFor(logging.INFO):
        LOG.info("%s object=%s%s", step, f"{key.kind}/{key.namespace}/{key.name}", "".join(f" {k}={v}" for k, v in details.items()))
