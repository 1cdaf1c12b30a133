"""The annotations that change how an object is treated, parsed. Parsing (core.directives) refuses what it does not know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Directives:
    verify_only: bool = False
    read_only: bool = False
    paused: bool = False
    retain: bool = False  # deletion lets the resource be
    adoption_policy: str = ""  # "", adopt, adopt-or-create
    adoption_fields: Mapping[str, str] = field(default_factory=dict)
    adopted: bool = False
    region: str = ""
    account: str = ""  # the account that the namespace says its resources are in
    unmanaged: tuple[str, ...] = ()  # field paths
    interval: float | None = None  # seconds between two looks where nothing changes; 0: none

    @property
    def never_writes(self) -> bool:
        return self.verify_only or self.read_only
