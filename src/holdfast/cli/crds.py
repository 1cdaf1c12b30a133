"""`holdfast crds`."""

from __future__ import annotations

import click

from holdfast.model.kinds import Kind


@click.command("crds")
@click.option("--kinds", default="", help="Only these: s3,sqs,iam/Role. Default: all.")
@click.option("--list", "only_list", is_flag=True, help="Only the names of the kinds.")
def command(kinds: str, only_list: bool) -> int:
    """Print the CRDs, and the policies that guard immutable fields, as YAML for kubectl."""
    import yaml

    from holdfast.kinds.catalog import shipped
    from holdfast.kinds.crd import adopted_crd, crd_of, policy_of
    from holdfast.model.errors import InputError

    wanted = [w.strip().lower() for w in kinds.split(",") if w.strip()]
    for word in wanted:
        if not any(_fits(k, word) for k in shipped().all()):
            raise InputError("HF103", f"no kind fits {word!r}; see `holdfast crds --list`")
    chosen = [k for k in shipped().all() if not wanted or any(_fits(k, w) for w in wanted)]
    if only_list:
        for kind in chosen:
            note = f"  (cannot be adopted: {kind.cannot_adopt})" if kind.cannot_adopt else ""
            click.echo(f"{kind.name:<30} {kind.plural}.{kind.group}{note}")
        return 0
    documents = [crd_of(k) for k in chosen] + [adopted_crd(g) for g in sorted({k.group for k in chosen})]
    documents += [p for k in chosen for p in policy_of(k)]
    click.echo(yaml.safe_dump_all(documents, sort_keys=False, width=140), nl=False)
    return 0


def _fits(kind: Kind, word: str) -> bool:
    service = kind.group.partition(".")[0]
    return word in (service, f"{service}/{kind.name}".lower())
