"""What the cloud has: resources by full name (`pubsub.googleapis.com/projects/p/topics/t`), each with what it was before its last write."""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass, field
from urllib.parse import unquote

from holdfast.model.json import Json
from holdfast.providers.gcp.fake.spec import Resource
from holdfast.providers.gcp.fake.values import Values, project_number

_MADE = re.compile(r"<[a-z0-9]+>")


@dataclass(frozen=True, slots=True)
class Entry:
    """One resource. `project` is its project's id, for those whose path does not have it."""

    resource: Resource
    path: str
    project: str
    body: dict[str, Json]

    @property
    def name(self) -> str:
        return f"{self.resource.service.host}/{self.path}"


@dataclass(slots=True)
class Store:
    """Entries by name. A write keeps what was there before it, so that a read can be stale."""

    entries: dict[str, Entry] = field(default_factory=dict)
    before: dict[str, Entry | None] = field(default_factory=dict)
    projects: dict[str, str] = field(default_factory=dict)  # number -> id

    def put(self, entry: Entry) -> None:
        self.before[entry.name] = self.entries.get(entry.name)
        self.entries[entry.name] = entry

    def drop(self, name: str) -> None:
        self.before[name] = self.entries.pop(name, None)

    def restore(self, name: str, entry: Entry | None) -> None:
        if entry is None:
            self.drop(name)
        else:
            self.put(entry)

    def see(self, name: str, *, stale: bool) -> Entry | None:
        if stale and name in self.before:
            return self.before[name]
        return self.entries.get(name)

    def of(self, collection: str) -> list[Entry]:
        return sorted((e for e in self.entries.values() if e.resource.collection == collection), key=lambda e: e.path)

    def canonical(self, path: str) -> str:
        """The path with its project's id in place of its number."""
        steps = path.split("/")
        if steps[0] == "projects" and len(steps) > 1:
            if not steps[1].isdigit():
                self.projects[project_number(steps[1])] = steps[1]
            steps[1] = self.projects.get(steps[1], steps[1])
        return "/".join(steps)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a resource is: what templates and words can say about it."""

    resource: Resource
    path: str
    project: str
    values: Values

    @property
    def words(self) -> dict[str, str]:
        steps = self.path.split("/")
        last = unquote(steps[-1])
        service = self.resource.service
        named = dict(zip(steps[::2], steps[1::2], strict=False))
        number = project_number(self.project)
        location = named.get("locations") or named.get("regions") or ""
        shown = self.path.replace(f"projects/{self.project}/", f"projects/{number}/", 1) if service.project == "number" else self.path
        return {"path": self.path, "name": shown, "id": last, "project": self.project, "number": number, "location": location, "region": location,
                "host": service.host, "noun": self.resource.noun or self.resource.schema, "parent": steps[-3] if len(steps) > 3 else ""}

    def fill(self, template: Json) -> Json:
        """A template's value: `<now>` and the like are made up, `{id}` and the like are filled in."""
        if isinstance(template, dict):
            return {k: self.fill(v) for k, v in template.items()}
        if isinstance(template, list):
            return [self.fill(v) for v in template]
        if not isinstance(template, str):
            return template
        if _MADE.fullmatch(template):
            return self.values.made(template, self.resource.service.times)
        text = template.format_map(self.words) if "{" in template else template
        return _MADE.sub(lambda m: str(self.values.made(m.group(), self.resource.service.times)), text)


def place_of(entry: Entry, values: Values) -> Place:
    return Place(entry.resource, entry.path, entry.project, values)


def copied(body: dict[str, Json]) -> dict[str, Json]:
    return copy.deepcopy(body)
