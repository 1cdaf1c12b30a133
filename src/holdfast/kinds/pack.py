"""Google's discovery documents, cut down to the APIs and collections that our kinds use, in one packed file.

`make models` writes it (`tools/discovery.py`) from the documents that google-api-python-client carries; that package is never installed
with us. A document keeps methods (verb, path, parameters, request and response) and the schemas that they reach, without the prose: what
the prose says in set words ("Output only", "Immutable", "Required") is kept as `behaviours`.
"""

from __future__ import annotations

import json
import zipfile
from functools import lru_cache
from pathlib import Path

from holdfast.model.errors import InputError
from holdfast.model.json import JsonMap

PACK = Path(__file__).parent / "gcp" / "discovery.zip"


@lru_cache(maxsize=64)
def document(api: str) -> JsonMap:
    """One API, as `pubsub/v1`: {host, revision, methods, schemas}. Raises InputError HF701 where the pack does not have it."""
    with zipfile.ZipFile(PACK) as pack:
        try:
            return dict(json.loads(pack.read(f"{api.replace('/', '.')}.json")))
        except KeyError:
            raise InputError("HF701", f"the packed discovery documents have no API {api!r}; `make models` adds it", "model") from None


def apis() -> list[str]:
    """Every API of the pack."""
    with zipfile.ZipFile(PACK) as pack:
        return sorted(name.removesuffix(".json").replace(".", "/", 1) for name in pack.namelist())
