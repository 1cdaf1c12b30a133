"""Google's errors: both shapes, every word that is known, and what operations end in."""

from __future__ import annotations

import json

import pytest

from holdfast.model.errors import Retry
from holdfast.providers.gcp.errors import NOT_FOUND, RPC, TABLE, from_operation, translate

# (HTTP status, our code, what is done): the words of both shapes
ROWS = {
    (401, "HF501", Retry.SLOWLY): ["UNAUTHENTICATED", "authError", "unauthorized"],
    (403, "HF502", Retry.SLOWLY): ["PERMISSION_DENIED", "forbidden", "insufficientPermissions", "accessNotConfigured", "SERVICE_DISABLED"],
    (403, "HF503", Retry.SOON): ["RESOURCE_EXHAUSTED", "rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "RESOURCE_OPERATION_RATE_EXCEEDED", "RATE_LIMIT_EXCEEDED"],
    (500, "HF504", Retry.SOON): ["INTERNAL", "UNKNOWN", "UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED", "backendError", "internalError", "INTERNAL_ERROR", "TIMEOUT", "SERVER_ERROR"],
    (409, "HF514", Retry.SOON): ["ABORTED", "conditionNotMet", "CONDITION_NOT_MET"],
    (409, "HF505", Retry.SOON): ["ALREADY_EXISTS", "alreadyExists", "duplicate", "conflict", "RESOURCE_ALREADY_EXISTS"],
    (400, "HF505", Retry.SOON): ["resourceNotReady", "RESOURCE_NOT_READY", "operationInProgress", "instanceNotReady"],
    (400, "HF505", Retry.SLOWLY): ["resourceInUseByAnotherResource", "RESOURCE_IN_USE_BY_ANOTHER_RESOURCE", "resourceInUse", "QUOTA_EXCEEDED", "ZONE_RESOURCE_POOL_EXHAUSTED", "containerNotEmpty"],
    (404, "HF505", Retry.SLOWLY): ["NOT_FOUND", "notFound", "RESOURCE_NOT_FOUND"],
    (400, "HF505", Retry.NEVER): ["INVALID_ARGUMENT", "FAILED_PRECONDITION", "OUT_OF_RANGE", "UNIMPLEMENTED", "invalid", "badRequest", "required", "invalidParameter"],
}
WORDS = [pytest.param(word, *row, id=word) for row, words in ROWS.items() for word in words]


def told(status: int, error, headers: dict | None = None):
    body = error if isinstance(error, bytes) else json.dumps({"error": error}).encode()
    return translate("x.things.get", status, body, headers or {})


def test_every_word_has_a_row_here():
    assert {word for words in ROWS.values() for word in words} >= set(TABLE)


@pytest.mark.parametrize(("word", "status", "code", "retry"), WORDS)
def test_the_newer_shape(word, status, code, retry):
    error = told(status, {"code": status, "status": word, "message": "why"})
    assert (error.code, error.retry) == (code, retry)
    assert error.message == f"x.things.get: {word}: why"
    assert error.sent


@pytest.mark.parametrize(("word", "status", "code", "retry"), WORDS)
def test_the_older_shape(word, status, code, retry):
    error = told(status, {"code": status, "message": "why", "errors": [{"reason": word, "message": "why", "domain": "global"}]})
    assert (error.code, error.retry) == (code, retry)
    assert word in error.message


@pytest.mark.parametrize(("error", "code"), [
    pytest.param({"status": "PERMISSION_DENIED", "details": [{"@type": "t", "reason": "RATE_LIMIT_EXCEEDED"}]}, "HF503", id="a detail says more than the status"),
    pytest.param({"status": "PERMISSION_DENIED", "details": [{"reason": "SOMETHING_NEW"}, "text", {}]}, "HF502", id="a detail that is not known says nothing"),
    pytest.param({"status": "PERMISSION_DENIED", "errors": [{"reason": "rateLimitExceeded"}]}, "HF502", id="a status says more than a reason"),
    pytest.param({"errors": ["text", {"reason": "forbidden"}]}, "HF502", id="a reason among other things"),
])
def test_the_most_telling_word_counts(error, code):
    assert told(403, {"code": 403, "message": "m", **error}).code == code


@pytest.mark.parametrize(("status", "code", "retry"), [
    pytest.param(400, "HF505", Retry.NEVER, id="400"), pytest.param(401, "HF501", Retry.SLOWLY, id="401"), pytest.param(403, "HF502", Retry.SLOWLY, id="403"),
    pytest.param(409, "HF505", Retry.SOON, id="409"), pytest.param(412, "HF514", Retry.SOON, id="412"),
    pytest.param(429, "HF503", Retry.SOON, id="429"), pytest.param(500, "HF504", Retry.SOON, id="500"), pytest.param(503, "HF504", Retry.SOON, id="503"),
])
def test_a_word_that_is_not_known_counts_by_its_status(status, code, retry):
    for error in ({"code": status, "status": "BRAND_NEW"}, {"code": status}):
        assert (told(status, error).code, told(status, error).retry) == (code, retry)


@pytest.mark.parametrize(("status", "word", "code"), [
    pytest.param(429, "INVALID_ARGUMENT", "HF503", id="too many calls, whatever the word"), pytest.param(412, "FAILED_PRECONDITION", "HF514", id="a stale etag, in the words of a refusal"),
    pytest.param(409, "invalid", "HF505", id="a conflict, in the words of a refusal"),
])
def test_a_status_that_outweighs_the_word(status, word, code):
    error = told(status, {"code": status, "status": word, "message": "m"})
    assert (error.code, error.retry) == (code, Retry.SOON)


@pytest.mark.parametrize("message", ["There is a pending operation on it", "Operation is already in progress", "The instance is currently being created", "The resource is not ready", "Please try again later"])
def test_not_now_in_the_words_of_no_is_tried_again(message):
    assert told(400, {"code": 400, "status": "FAILED_PRECONDITION", "message": message}).retry is Retry.SOON
    assert told(400, {"code": 400, "status": "FAILED_PRECONDITION", "message": "the name is wrong"}).retry is Retry.NEVER


@pytest.mark.parametrize(("status", "body", "is_absent"), [
    pytest.param(404, {"code": 404, "status": "NOT_FOUND"}, True, id="the newer shape"), pytest.param(404, {"code": 404, "errors": [{"reason": "notFound"}]}, True, id="the older shape"),
    pytest.param(404, {"code": 404, "message": "gone"}, True, id="an error of the API without a word"), pytest.param(404, {"message": "no route matched"}, False, id="a proxy's error"),
    pytest.param(404, {}, False, id="an empty error"), pytest.param(404, {"code": 404, "status": "PERMISSION_DENIED"}, False, id="another word"),
    pytest.param(404, {"code": 404, "status": "NOT_FOUND", "message": "Method not found."}, False, id="the method"),
    pytest.param(404, {"code": 404, "status": "NOT_FOUND", "message": "Requested project not found or user does not have access to it (project=p)."}, False, id="the project"),
    pytest.param(404, {"code": 404, "status": "NOT_FOUND", "details": [{"reason": "SERVICE_DISABLED"}]}, False, id="the API"),
    pytest.param(404, {"code": 404, "status": "NOT_FOUND", "details": [{"resourceType": "cloudresourcemanager.googleapis.com/Project"}]}, False, id="the project, in details"),
    pytest.param(400, {"code": 400, "status": "NOT_FOUND"}, False, id="a word without the number"), pytest.param(410, {"code": 410, "status": "NOT_FOUND"}, False, id="gone is not absent"),
    pytest.param(404, {"code": 403, "status": "PERMISSION_DENIED"}, False, id="another code inside"),
    pytest.param(403, {"code": 403, "status": "PERMISSION_DENIED", "message": "or it may not exist"}, False, id="no permission"), pytest.param(404, b"<html>404", False, id="a page"),
    pytest.param(404, b"", False, id="nothing"), pytest.param(404, b'{"message": "no Route matched"}', False, id="a proxy's JSON"), pytest.param(404, b"\xff\xfe", False, id="no text"),
    pytest.param(404, b'{"error": "not_found"}', False, id="an error that is a word"), pytest.param(404, b"[]", False, id="a list"),
])
def test_only_the_apis_own_word_is_absence(status, body, is_absent):
    assert (told(status, body).service_code == NOT_FOUND) is is_absent


@pytest.mark.parametrize(("status", "code", "retry"), [
    pytest.param(302, "HF513", Retry.SLOWLY, id="a redirect"), pytest.param(404, "HF513", Retry.SLOWLY, id="no such page"), pytest.param(429, "HF503", Retry.SOON, id="too many calls"),
    pytest.param(502, "HF504", Retry.SOON, id="a gateway"),
])
def test_an_answer_that_is_not_the_apis(status, code, retry):
    error = told(status, b"<html>")
    assert (error.code, error.retry) == (code, retry)
    assert f"HTTP {status}" in error.message


@pytest.mark.parametrize(("header", "seconds"), [
    pytest.param("7", 7.0, id="seconds"), pytest.param("0.5", 0.5, id="half a second"), pytest.param("", 0.0, id="nothing"), pytest.param("Wed, 21 Oct 2026 07:28:00 GMT", 0.0, id="a date"),
    pytest.param("-1", 0.0, id="less than nothing"),
])
def test_retry_after(header, seconds):
    for body in ({"code": 429, "status": "RESOURCE_EXHAUSTED"}, b"<html>"):
        assert told(429, body, {"retry-after": header}).retry_after == seconds


# ---- operations -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("number", "code", "retry"), [
    pytest.param(3, "HF505", Retry.NEVER, id="INVALID_ARGUMENT"), pytest.param(5, "HF505", Retry.SLOWLY, id="NOT_FOUND"), pytest.param(6, "HF505", Retry.SOON, id="ALREADY_EXISTS"),
    pytest.param(7, "HF502", Retry.SLOWLY, id="PERMISSION_DENIED"), pytest.param(8, "HF503", Retry.SOON, id="RESOURCE_EXHAUSTED"), pytest.param(9, "HF505", Retry.NEVER, id="FAILED_PRECONDITION"),
    pytest.param(10, "HF514", Retry.SOON, id="ABORTED"), pytest.param(13, "HF504", Retry.SOON, id="INTERNAL"), pytest.param(14, "HF504", Retry.SOON, id="UNAVAILABLE"),
    pytest.param(16, "HF501", Retry.SLOWLY, id="UNAUTHENTICATED"), pytest.param(99, "HF505", Retry.NEVER, id="a number that is not known"),
])
def test_a_long_running_operation_that_failed(number, code, retry):
    error = from_operation("Thing: operations/1", {"code": number, "message": "why"})
    assert (error.code, error.retry, error.ended_operation) == (code, retry, True)
    assert error.message.startswith("Thing: operations/1: ")
    assert error.message.endswith(": why")
    assert error.service_code == (RPC[number] if number < len(RPC) else str(number))


@pytest.mark.parametrize(("errors", "code", "retry"), [
    pytest.param([{"code": "RESOURCE_IN_USE_BY_ANOTHER_RESOURCE", "message": "why"}], "HF505", Retry.SLOWLY, id="one"),
    pytest.param([{"code": "RESOURCE_NOT_READY", "message": "why"}, {"code": "INVALID_ARGUMENT"}], "HF505", Retry.SOON, id="the first of two"),
    pytest.param([{"code": "BRAND_NEW", "message": "why"}], "HF505", Retry.NEVER, id="a word that is not known"), pytest.param([], "HF505", Retry.NEVER, id="none"),
])
def test_an_operation_of_compute_or_sql_that_failed(errors, code, retry):
    error = from_operation("Thing: operations/1", {"errors": errors})
    assert (error.code, error.retry, error.ended_operation) == (code, retry, True)
    assert not errors or "why" in error.message


def test_the_numbers_of_google_rpc():
    assert [RPC[n] for n in (0, 1, 2, 4, 5, 11, 12, 15, 16)] == ["OK", "CANCELLED", "UNKNOWN", "DEADLINE_EXCEEDED", "NOT_FOUND", "OUT_OF_RANGE", "UNIMPLEMENTED", "DATA_LOSS", "UNAUTHENTICATED"]
