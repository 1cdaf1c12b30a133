"""AWS as the engine sees it: where things are, who reads and who writes."""

from __future__ import annotations

from holdfast.model.directives import Directives
from holdfast.model.errors import CloudError, InputError, RefusedError
from holdfast.model.facts import Place
from holdfast.model.json import Json, JsonMap
from holdfast.model.kinds import Kind
from holdfast.providers.aws.client import NO_REGION, AwsClient
from holdfast.providers.aws.expressions import unrender
from holdfast.providers.aws.reader import AwsReader
from holdfast.providers.aws.writer import AwsWriter
from holdfast.runtime.ports import Identified, Reader, Writer

_PARTITIONS = (("cn-", "aws-cn"), ("us-gov-", "aws-us-gov"), ("us-iso-", "aws-iso"), ("us-isob-", "aws-iso-b"), ("eusc-", "aws-eusc"))


class AwsCloud:
    def __init__(self, client: AwsClient) -> None:
        self._client, self._account = client, ""

    async def locate(self, kind: Kind, directives: Directives, spec: JsonMap, known: Place) -> Place:
        del spec
        region = directives.region
        wanted = region or known.region or self._client.region()
        if not wanted:
            raise CloudError("HF501", NO_REGION, sent=False)
        if known.region and region and known.region != region:
            raise RefusedError("HF511", f"the resource of this {kind.name} is in {known.region}, and the annotation says {region}")
        account = await self._whoami(known.region or wanted)
        if known.account and known.account != account:
            raise RefusedError("HF511", f"the resource of this {kind.name} is in account {known.account}, and the credentials are of {account}")
        if directives.account and directives.account != account:
            raise RefusedError("HF511", f"the namespace is of account {directives.account}, and the credentials are of {account}")
        partition = next((p for prefix, p in _PARTITIONS if wanted.startswith(prefix)), "aws")
        return Place(account, known.region or wanted, partition, f"in {known.region or wanted} of account {account}")

    async def _whoami(self, region: str) -> str:
        if not self._account:
            answer = await self._client.call("sts", region, "GetCallerIdentity", {})
            self._account = str(answer["Account"])
        return self._account

    def reader(self) -> Reader:
        return AwsReader(self._client)

    def writer(self) -> Writer:
        return AwsWriter(self._client)

    def identify(self, kind: Kind, place: Place, sort: str, value: str) -> Identified:
        template = kind.identifiers.get(sort)
        if template is None:
            raise InputError("HF304", f"{kind.name} is not found by {sort}; it takes: {', '.join(kind.identifiers)}")
        found = {template: value} if "{" not in template else unrender(template, value.removesuffix(":*"))
        if found is None:
            raise InputError("HF304", f"{value!r} is not an identifier of this sort; it looks like {template}")
        for name in ("account", "region"):
            if found.get(name) and found[name] != getattr(place, name):
                raise RefusedError("HF511", f"{value} is in {name} {found[name]}, and {getattr(place, name)} is in use")
        spec: dict[str, Json] = {}
        status: dict[str, Json] = {}
        for name, text in found.items():
            side, _, field = name.partition(".")
            if side in ("spec", "status"):
                (spec if side == "spec" else status)[field] = text
        return Identified(spec, status)
