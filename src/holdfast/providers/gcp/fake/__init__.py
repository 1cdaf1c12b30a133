"""The fake Google Cloud: for tests, the simulation and the demo."""

from holdfast.providers.gcp.fake.cloud import Call, FakeGcp
from holdfast.providers.gcp.fake.request import GcpFault
from holdfast.providers.gcp.fake.values import project_number

__all__ = ["Call", "FakeGcp", "GcpFault", "project_number"]
