"""Google Cloud as the engine sees it: which project, who reads and who writes."""

from __future__ import annotations

from holdfast.core.templates import plain_name, read_name, value_of
from holdfast.model.directives import Directives
from holdfast.model.errors import InputError
from holdfast.model.facts import Place
from holdfast.model.json import Json, JsonMap
from holdfast.model.kinds import Kind
from holdfast.providers.gcp.client import GcpClient
from holdfast.providers.gcp.reader import GcpReader
from holdfast.providers.gcp.writer import GcpWriter
from holdfast.runtime.ports import Clock, Identified, Reader, Writer


class GcpCloud:
    def __init__(self, client: GcpClient, clock: Clock) -> None:
        self._client, self._clock = client, clock

    async def locate(self, kind: Kind, directives: Directives, spec: JsonMap, known: Place) -> Place:
        """projectRef, else the annotation of the object, of the namespace, the namespace's name; status is checked against the whole name."""
        del kind, known
        named = str(value_of({"spec": spec}, "spec.projectRef") or "")
        project = plain_name(named).removeprefix("projects/") or directives.account
        if project.isdigit():
            raise InputError("HF104", f"{project} is a project's number; give its id, by which resources are known", "project")
        return Place(project, words=f"in project {project}" if project else "")

    def reader(self) -> Reader:
        return GcpReader(self._client)

    def writer(self) -> Writer:
        return GcpWriter(self._client, self._clock)

    def identify(self, kind: Kind, place: Place, sort: str, value: str) -> Identified:
        """By the full resource name, as `projects/…` or with the service in front (`//pubsub.googleapis.com/projects/…`)."""
        del place
        template = kind.identifiers.get(sort)
        if template is None:
            raise InputError("HF304", f"{kind.name} is not found by {sort}; it takes: {', '.join(kind.identifiers)}")
        parts = read_name(template, value)
        if parts is None:
            raise InputError("HF304", f"{value!r} is not the name of a {kind.name}; it looks like {template.replace('spec.', '')}")
        project = parts.get("project", "")
        if project.isdigit():
            raise InputError("HF304", f"{value!r} has the project's number; give its id, by which resources are known")
        spec: dict[str, Json] = {n.removeprefix("spec."): self._given(kind, n.removeprefix("spec."), text) for n, text in parts.items() if n.startswith("spec.")}
        if "projectRef" in kind.spec_schema["properties"] and project:
            spec["projectRef"] = {"external": project}
        notes = {kind.dialect.annotation(kind.dialect.account_annotation): project} if project and "projectRef" not in spec else {}
        return Identified(spec, {kind.dialect.identity_path: plain_name(value)}, notes)

    def _given(self, kind: Kind, field: str, text: str) -> Json:
        return {"external": text} if kind.spec_schema["properties"][field].get("x-ref") else text
