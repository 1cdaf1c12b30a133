"""What a service answers when it refuses: one exception, and the three shapes that Google's services give it.

`esf` has code, message and status; `old` has a list of errors with domain and reason instead of the status; `both` has everything.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import orjson

from holdfast.model.json import Json
from holdfast.providers.wire import WireResponse

# status word: (HTTP status, the old shape's reason, google.rpc code)
STATUSES: dict[str, tuple[int, str, int]] = {
    "CANCELLED": (499, "cancelled", 1),
    "UNKNOWN": (500, "backendError", 2),
    "INVALID_ARGUMENT": (400, "invalid", 3),
    "DEADLINE_EXCEEDED": (504, "backendError", 4),
    "NOT_FOUND": (404, "notFound", 5),
    "ALREADY_EXISTS": (409, "alreadyExists", 6),
    "PERMISSION_DENIED": (403, "forbidden", 7),
    "RESOURCE_EXHAUSTED": (429, "rateLimitExceeded", 8),
    "FAILED_PRECONDITION": (400, "failedPrecondition", 9),
    "ABORTED": (409, "aborted", 10),
    "OUT_OF_RANGE": (400, "outOfRange", 11),
    "UNIMPLEMENTED": (501, "notImplemented", 12),
    "INTERNAL": (500, "internalError", 13),
    "UNAVAILABLE": (503, "backendError", 14),
    "UNAUTHENTICATED": (401, "authError", 16),
}
_BY_HTTP = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 409: "ABORTED", 412: "FAILED_PRECONDITION",
            429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 501: "UNIMPLEMENTED", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED"}


@dataclass(eq=False)
class Refused(Exception):  # noqa: N818  (it is an answer, not a failure of the fake)
    """The service says no."""

    message: str
    status: str = "INVALID_ARGUMENT"
    http: int = 0
    reason: str = ""
    details: list[Json] = field(default_factory=list)
    location: str = ""
    retry_after: str = ""

    def __post_init__(self) -> None:
        http, reason, _ = STATUSES.get(self.status, (500, self.status, 2))
        self.http = self.http or http
        self.reason = self.reason or reason


def from_fault(status: int, code: str, retry_after: str) -> Refused:
    """A made-up refusal; `code` is a status word, or a reason of the old shape."""
    word = code if code in STATUSES else _BY_HTTP.get(status, "UNKNOWN")
    reason = "" if code in STATUSES else code
    return Refused("made to fail", word, status, reason, retry_after=retry_after or ("1" if status == 429 else ""))


def response(refused: Refused, shape: str) -> WireResponse:
    """The refusal as the service's front end writes it."""
    error: dict[str, Json] = {"code": refused.http, "message": refused.message}
    if shape != "esf":
        entry = {"message": refused.message, "domain": "global", "reason": refused.reason}
        if refused.location:
            entry |= {"location": refused.location, "locationType": "header" if refused.location == "If-Match" else "parameter"}
        error["errors"] = [entry]
    if shape != "old":
        error["status"] = refused.status
    if refused.details:
        error["details"] = refused.details
    extra = {"retry-after": refused.retry_after} if refused.retry_after else {}
    return answer(refused.http, {"error": error}, extra)


def answer(status: int, body: Json, extra: dict[str, str] | None = None) -> WireResponse:
    """An answer as JSON; None is an answer without a body."""
    headers = {"content-type": "application/json; charset=UTF-8", "server": "ESF", "vary": "Origin", **(extra or {})}
    return WireResponse(status, headers, b"" if body is None else orjson.dumps(body))


def no_such_page(path: str) -> WireResponse:
    """Google's front end for a path that no service has: HTML, not a JSON error."""
    text = ("<!DOCTYPE html>\n<html lang=en>\n  <title>Error 404 (Not Found)!!1</title>\n  <p><b>404.</b> <ins>That’s an error.</ins>\n"
            f"  <p>The requested URL <code>{path}</code> was not found on this server.  <ins>That’s all we know.</ins>\n")
    return WireResponse(404, {"content-type": "text/html; charset=UTF-8"}, text.encode())


def rpc_code(code: int | str) -> int:
    """The number of a google.rpc code that is given as a number or as a word."""
    return code if isinstance(code, int) else STATUSES.get(code, (0, "", 2))[2]
