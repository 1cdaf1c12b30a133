"""AWS's error codes → what they mean for us. One commented table; what it does not list is judged by HTTP status."""

from __future__ import annotations

from holdfast.model.errors import CloudError, Retry

# code → (our code, what to do)
TABLE: dict[str, tuple[str, Retry]] = {
    # slow down: shared with everything in the same account, region and service
    **dict.fromkeys(("Throttling", "ThrottlingException", "ThrottledException", "RequestThrottled", "RequestThrottledException",
                     "RequestLimitExceeded", "TooManyRequestsException", "ProvisionedThroughputExceededException", "SlowDown",
                     "BandwidthLimitExceeded", "PriorRequestNotComplete", "EC2ThrottledException", "LimitExceededException"),
                    ("HF503", Retry.SOON)),
    # credentials and permissions: an operator's matter, looked at again now and then
    **dict.fromkeys(("AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "AuthorizationError", "AuthorizationErrorException",
                     "KMSAccessDeniedException", "KMS.AccessDeniedException", "Forbidden", "403"), ("HF502", Retry.SLOWLY)),
    **dict.fromkeys(("ExpiredToken", "ExpiredTokenException", "InvalidClientTokenId", "UnrecognizedClientException", "AuthFailure",
                     "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidSignatureException", "RequestExpired", "IncompleteSignature",
                     "RequestTimeTooSkewed", "400", "MissingAuthenticationToken", "InvalidToken", "TokenRefreshRequired"),
                    ("HF501", Retry.SLOWLY)),
    # passing states: something is still in use, being made or being deleted
    **dict.fromkeys(("DependencyViolation", "DeleteConflict", "ResourceInUseException", "ConcurrentModification",
                     "ConcurrentModificationException", "OperationAborted", "OperationAbortedException", "ConflictException", "InvalidStateException",
                     "QueueDeletedRecently", "AWS.SimpleQueueService.QueueDeletedRecently", "ConcurrentAccess",
                     "KMSInvalidStateException", "ContinuousBackupsUnavailableException", "OperationNotPageable", "IncorrectState", "BucketNotEmpty", "RepositoryNotEmptyException"),
                    ("HF504", Retry.SOON)),
    # what another object of ours was made into a moment ago may not be known everywhere yet
    **dict.fromkeys(("InvalidVpcID.NotFound", "InvalidSubnetID.NotFound", "InvalidGroup.NotFound", "InvalidRouteTableID.NotFound", "NoSuchEntity"),
                    ("HF504", Retry.SOON)),
    # the service had trouble
    **dict.fromkeys(("InternalError", "InternalFailure", "InternalServerError", "InternalServiceException", "ServiceUnavailable",
                     "ServiceUnavailableException", "InternalException", "RequestTimeout", "RequestTimeoutException", "500", "502", "503", "504"),
                    ("HF504", Retry.SOON)),
    # the wrong place to ask
    **dict.fromkeys(("PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException", "301"), ("HF511", Retry.NEVER)),
}


def translate(operation: str, status: int, code: str, message: str, retry_after: float = 0.0) -> CloudError:
    ours, retry = TABLE.get(code) or _by_status(status)
    if status == 429:
        ours, retry = "HF503", Retry.SOON
    text = f"{operation}: {code}: {message}" if message else f"{operation}: {code}"
    return CloudError(ours, text, service_code=code, retry=retry, retry_after=retry_after)


def _by_status(status: int) -> tuple[str, Retry]:
    if status >= 500:
        return "HF504", Retry.SOON
    if status in (401, 403):
        return "HF502", Retry.SLOWLY
    return "HF505", Retry.NEVER
