"""Upstream's field facts, from a folder of TSV files (one per kind), packed into the form that our tests keep.

    python tools/upstream_facts.py FOLDER > tests/kinds/upstream.json
"""

import json
import sys
from pathlib import Path


def read(path: Path) -> dict:
    head, *rows = path.read_text().splitlines()
    words = head.lstrip("# ").split()
    fields = {}
    for row in rows:
        name, kind, *flags = row.split("\t")
        kept = sorted(f for f in (flags[0].split(",") if flags else []) if f in ("required", "immutable"))
        fields[name] = " ".join([kind, *kept])
    return {"apiVersion": words[0], "plural": words[2].removeprefix("plural="), "fields": fields}


def main() -> None:
    wanted = set(sys.argv[2:])
    out = {}
    for path in sorted(Path(sys.argv[1]).glob("*/*.tsv")):
        name = f"{path.parent.name}/{path.stem}"
        if not wanted or name in wanted:
            out[name] = read(path)
    json.dump(out, sys.stdout, indent=0, sort_keys=True)


main()
