"""Credentials and region that can reach nothing but loopback, for every test."""

from __future__ import annotations

import os

import pytest

os.environ.update(AWS_ACCESS_KEY_ID="test", AWS_SECRET_ACCESS_KEY="test", AWS_REGION="eu-west-1", AWS_DEFAULT_REGION="eu-west-1",
                  AWS_ENDPOINT_URL="http://127.0.0.1:9", HOLDFAST_GCP_ENDPOINT="http://127.0.0.1:9", AWS_EC2_METADATA_DISABLED="true", MOTO_ALLOW_NONEXISTENT_REGION="true")
for name in ("GOOGLE_APPLICATION_CREDENTIALS", "AWS_PROFILE", "AWS_SESSION_TOKEN", "HOLDFAST_STATE"):
    os.environ.pop(name, None)


@pytest.fixture
def world():
    from tests.world import World

    return World()
