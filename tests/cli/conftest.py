"""A fake AWS over real HTTP, and the program as a process of its own, as a person runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import botocore.session
import pytest

from holdfast.providers.aws.fake import FakeAws
from holdfast.providers.fake import serve

ROOT = Path(__file__).parents[2]
PROGRAM = (sys.executable, "-c", "from holdfast.cli.main import main; main()")
ACCOUNT = "123456789012"


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict:
        return json.loads(self.out)

    @property
    def text(self) -> str:
        return f"exit {self.code}\n{self.out}\n{self.err}"


class Nursery:
    """See nursery.py."""

    def __init__(self) -> None:
        self._process = subprocess.Popen([sys.executable, str(Path(__file__).with_name("nursery.py"))], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         text=True, env={**os.environ, "PYTHONPATH": str(ROOT / "src")})
        assert self._process.stdout.readline() == "ready\n"

    def run(self, words: tuple[str, ...], folder: Path, env: dict[str, str], stdin: str) -> Done:
        with tempfile.TemporaryDirectory() as name:
            streams = {k: str(Path(name, k)) for k in ("stdin", "out", "err")}
            Path(streams["stdin"]).write_text(stdin)
            self._process.stdin.write(json.dumps({**streams, "words": words, "folder": str(folder), "env": env}) + "\n")
            self._process.stdin.flush()
            code = int(self._process.stdout.readline())
            return Done(code, Path(streams["out"]).read_text(), Path(streams["err"]).read_text())

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait(timeout=10)
        self._process.stdout.close()


class Desk:
    """A folder with manifests and a state file, a cloud, and the program."""

    def __init__(self, folder: Path, cloud: FakeAws, url: str, nursery: Nursery) -> None:
        self.folder, self.cloud, self.url, self._nursery = folder, cloud, url, nursery
        self.state = folder / "state.db"
        self.env = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(ROOT / "src"), "AWS_ENDPOINT_URL": url,
                    "AWS_ACCESS_KEY_ID": "fake", "AWS_SECRET_ACCESS_KEY": "fake", "AWS_REGION": "eu-west-1",
                    "AWS_EC2_METADATA_DISABLED": "true", "HOLDFAST_STATE": str(self.state)}

    def write(self, name: str, *texts: str) -> str:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("---\n".join(texts))
        return name

    def run(self, *words: str, stdin: str = "", env: dict[str, str | None] | None = None) -> Done:
        merged = {k: v for k, v in {**self.env, **(env or {})}.items() if v is not None}
        done = self._nursery.run(words, self.folder, merged, stdin)
        assert "Traceback" not in done.err, done.err
        return done

    def run_alone(self, *words: str) -> Done:
        """The same from a cold start."""
        done = subprocess.run([*PROGRAM, *words], cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=60, check=False)
        return Done(done.returncode, done.stdout, done.stderr)

    def start(self, *words: str) -> subprocess.Popen:
        """In the background."""
        return subprocess.Popen([*PROGRAM, *words], cwd=self.folder, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def all(self, *commands: tuple[str, ...]) -> list[Done]:
        return [self.run(*c) for c in commands]

    def aws(self, service: str):
        """Somebody else's hand in the cloud."""
        return botocore.session.get_session().create_client(service, region_name="eu-west-1", endpoint_url=self.url, aws_access_key_id="hand",
                                                            aws_secret_access_key="hand")

    def set_queue(self, name: str, **attributes: str) -> None:
        self.aws("sqs").set_queue_attributes(QueueUrl=f"{self.url}/{ACCOUNT}/{name}", Attributes=attributes)

    def queue_attribute(self, name: str, attribute: str) -> str:
        found = self.aws("sqs").get_queue_attributes(QueueUrl=f"{self.url}/{ACCOUNT}/{name}", AttributeNames=["All"])
        return found["Attributes"][attribute]

    @property
    def files(self) -> set[str]:
        return {p.name for p in self.folder.iterdir()}


def queue(name: str = "orders", *, notes: str = "", **spec: str) -> str:
    lines = [f"apiVersion: sqs.services.k8s.aws/v1alpha1\nkind: Queue\nmetadata:\n  name: {name}"]
    if notes:
        lines.append(f"  annotations: {{{notes}}}")
    lines.append(f"spec:\n  queueName: {name}")
    lines += [f'  {k}: "{v}"' for k, v in spec.items()]
    return "\n".join(lines) + "\n"


FORCE = 'services.k8s.aws/force-acquire: "true"'


def until(check: Callable[[], object], what: str, seconds: float = 20) -> None:
    """Poll with a deadline."""
    deadline = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.05)


@pytest.fixture(scope="session")
def served():
    cloud = FakeAws()
    url, stop = serve(cloud)
    yield cloud, url
    stop()


@pytest.fixture(scope="session")
def nursery():
    made = Nursery()
    yield made
    made.close()


@pytest.fixture
def desk(served, nursery, tmp_path) -> Desk:
    cloud, url = served
    cloud.reset()
    return Desk(tmp_path, cloud, url, nursery)


@pytest.fixture(scope="module")
def story(served, nursery, tmp_path_factory) -> Desk:
    """For modules that run commands once and look at the results in many tests."""
    cloud, url = served
    cloud.reset()
    return Desk(tmp_path_factory.mktemp("story"), cloud, url, nursery)
