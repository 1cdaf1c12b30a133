"""The canonical form: one sequence of bytes for all values that mean the same. docs/canonical-form.md is its specification.

Keys sorted by their UTF-8 bytes, nulls dropped, integral floats written as integers, no white space. Sorting of unordered lists and
other meaning-preserving steps happen before, in `normalise`.
"""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Mapping

import orjson

from holdfast.model.json import Json

_BIG = 1 << 63


def plain(value: Json) -> Json:
    """Nulls dropped, integral floats as integers, integers beyond 64 bits as strings (with a sign that no other value has)."""
    match value:
        case bool():
            return value
        case str():
            return value if _is_text(value) else f"\x00text:{value.encode('utf-8', 'surrogatepass').hex()}"
        case float():
            if not math.isfinite(value):
                return f"\x00float:{value}"
            return plain(int(value)) if value.is_integer() else value
        case int():
            return value if -_BIG <= value < 2 * _BIG else f"\x00int:{value}"
        case Mapping():
            return {str(k): plain(v) for k, v in value.items() if v is not None}
        case list() | tuple():
            return [plain(v) for v in value if v is not None]
        case _:
            return value


def _is_text(value: str) -> bool:
    """JSON may smuggle in half of a surrogate pair, which is no text."""
    return value.isascii() or not any("\ud800" <= c <= "\udfff" for c in value)


def canonical(value: Json) -> bytes:
    return orjson.dumps(plain(value), option=orjson.OPT_SORT_KEYS)


def digest(value: Json) -> str:
    return hashlib.sha256(canonical(value)).hexdigest()


def sealed(value: Json, key: bytes) -> str:
    """A sensitive value, fit to be stored or hashed: equal values seal equally, and a short one cannot be guessed."""
    return "hmac:" + hmac.new(key, canonical(value), hashlib.sha256).hexdigest()
