"""Packs what our kinds use of Google's discovery documents: `python tools/discovery.py FOLDER`, where FOLDER holds `pubsub.v1.json` and the like.

Which APIs and collections are needed is read from the kinds' YAML. The pack is deterministic: the same documents give the same bytes.
"""

import io
import json
import re
import sys
import zipfile
from pathlib import Path

import yaml

from holdfast.kinds.loader import HERE
from holdfast.kinds.pack import PACK

WORDS = {"output": r"^\s*(\[?output[ -]only|output only)", "immutable": r"^(required\. |optional\. |input only\. |identifier\. )*immutable\b",
         "required": r"^(immutable\. |identifier\. )*required\b", "input": r"^(required\. |optional\. |immutable\. )*input only", "identifier": r"^(required\. )?identifier\b",
         "optional": r"^(immutable\. |input only\. )*optional\b"}
KEPT = ("type", "format", "enum", "$ref", "default")


def wanted() -> dict[str, set[str]]:
    """API → collections, from every kind file."""
    out: dict[str, set[str]] = {}
    for path in sorted(HERE.glob("gcp/*/*.yaml")):
        kind = yaml.safe_load(path.read_text(encoding="utf-8"))
        api = kind["api"]
        found = out.setdefault(kind["model"], set())
        found |= {api["collection"], *(api.get("collections") or {}).values(), *(api.get("operations") or [])}
    return out


def pack(folder: Path, needed: dict[str, set[str]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for api, collections in sorted(needed.items()):
            source = json.loads((folder / f"{api.replace('/', '.')}.json").read_text(encoding="utf-8"))
            info = zipfile.ZipInfo(f"{api.replace('/', '.')}.json", (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(info, json.dumps(cut(source, collections), separators=(",", ":"), sort_keys=True))
    return buffer.getvalue()


def cut(source: dict, collections: set[str]) -> dict:
    methods = {m["id"]: method(source, m) for c in sorted(collections) for m in collection(source, c).values()}
    schemas: dict[str, dict] = {}
    for m in methods.values():
        for name in (m.get("request"), m.get("response")):
            reach(source, name, schemas)
    return {"host": source["rootUrl"].split("/")[2], "revision": source.get("revision", ""), "methods": methods, "schemas": schemas}


def collection(source: dict, path: str) -> dict:
    node = source
    for part in path.split("."):
        if part not in node.get("resources", {}):
            sys.exit(f"{source['name']}/{source['version']} has no collection {path!r}")
        node = node["resources"][part]
    return node.get("methods", {})


def method(source: dict, raw: dict) -> dict:
    params = {name: {"in": p["location"], **({"required": True} if p.get("required") else {}), **({"repeated": True} if p.get("repeated") else {}),
                     **{k: p[k] for k in ("type", "format", "pattern") if k in p}} for name, p in (raw.get("parameters") or {}).items()}
    out = {"http": raw["httpMethod"], "path": source.get("servicePath", "") + raw["path"], "params": params}
    for side in ("request", "response"):
        if "$ref" in (raw.get(side) or {}):
            out[side] = raw[side]["$ref"]
    return out


def reach(source: dict, name: str | None, out: dict) -> None:
    if name is None or name in out:
        return
    out[name] = {}
    out[name] = node(source, source["schemas"][name], out)


def node(source: dict, raw: dict, out: dict) -> dict:
    made = {k: raw[k] for k in KEPT if k in raw}
    reach(source, raw.get("$ref"), out)
    text = re.sub(r"\s+", " ", raw.get("description", "")).strip().lower()
    found = {word for word, pattern in WORDS.items() if re.search(pattern, text)}
    if raw.get("readOnly"):
        found.add("output")
    if raw.get("annotations", {}).get("required"):
        found.add("required")
    if raw.get("deprecated"):
        found.add("deprecated")
    if found:
        made["behaviours"] = sorted(found)
    for key in ("items", "additionalProperties"):
        if isinstance(raw.get(key), dict):
            made[key] = node(source, raw[key], out)
    if "properties" in raw:
        made["properties"] = {k: node(source, v, out) for k, v in raw["properties"].items()}
    return made


def changes(old: bytes, new: bytes) -> list[str]:
    """What concerns people in a newer pack: behaviours first, then fields that came or went."""
    before, after = unpacked(old), unpacked(new)
    out = [f"{api}: {'new' if api not in before else 'gone'}" for api in sorted({*before} ^ {*after})]
    for api in sorted({*before} & {*after}):
        for name in sorted({*before[api]["schemas"]} & {*after[api]["schemas"]}):
            was, now = (d[api]["schemas"][name].get("properties") or {} for d in (before, after))
            out += [f"{api} {name}.{f}: {was[f].get('behaviours', [])} -> {now[f].get('behaviours', [])}" for f in sorted({*was} & {*now})
                    if was[f].get("behaviours") != now[f].get("behaviours")]
            out += [f"{api} {name}.{f}: {'new' if f in now else 'gone'}" for f in sorted({*was} ^ {*now})]
    return out


def unpacked(data: bytes) -> dict[str, dict]:
    with zipfile.ZipFile(io.BytesIO(data)) as source:
        return {n.removesuffix(".json").replace(".", "/", 1): json.loads(source.read(n)) for n in source.namelist()}


def main(folder: str) -> int:
    made = pack(Path(folder), wanted())
    if not PACK.exists() or PACK.read_bytes() != made:
        for line in changes(PACK.read_bytes(), made) if PACK.exists() else ():
            print(f"  {line}")
        PACK.write_bytes(made)
        print(f"wrote {PACK.name}: {len(made) // 1024} KB, {len(wanted())} APIs")
    else:
        print(f"{PACK.name} is what these documents give")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
