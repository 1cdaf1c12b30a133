"""`holdfast demo`: the story that a user lives through, on fake clouds, with the mutating calls counted at every step."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.providers.aws.fake import FakeAws
    from holdfast.providers.gcp.fake import FakeGcp

QUEUE = """\
apiVersion: sqs.services.k8s.aws/v1alpha1
kind: Queue
metadata:
  name: orders{notes}
spec:
  queueName: orders
  visibilityTimeout: "{timeout}"
  messageRetentionPeriod: "{retention}"
  receiveMessageWaitTimeSeconds: "20"
  tags:
    team: {team}
"""
EMAILS = """\
apiVersion: sqs.services.k8s.aws/v1alpha1
kind: Queue
metadata:
  name: emails
  annotations:
    services.k8s.aws/force-acquire: "true"
spec:
  queueName: emails
  visibilityTimeout: "30"
"""
API = """\
apiVersion: apigatewayv2.services.k8s.aws/v1alpha1
kind: API
metadata:
  name: shop
spec:
  name: shop
  protocolType: HTTP
  description: The shop's front door
"""
ADOPTED = """\
apiVersion: s3.services.k8s.aws/v1alpha1
kind: AdoptedResource
metadata:
  name: invoices
spec:
  apiVersion: s3.services.k8s.aws/v1alpha1
  kind: Bucket
  identifier:
    arn: arn:aws:s3:::acme-invoices
"""
STRANGER = """\
apiVersion: s3.services.k8s.aws/v1alpha1
kind: Bucket
metadata:
  name: logs
spec:
  name: acme-logs
"""
TOPIC = """\
apiVersion: pubsub.cnrm.cloud.google.com/v1beta1
kind: PubSubTopic
metadata:
  name: order-events
  namespace: acme-shop        # the project
  labels:
    team: payments{notes}
spec:
  messageRetentionDuration: {retention}
"""
BUCKET = """\
apiVersion: storage.cnrm.cloud.google.com/v1beta1
kind: StorageBucket
metadata:
  name: acme-exports
  namespace: acme-shop{notes}
spec:
  location: {location}
  storageClass: {storage}
  versioning:
    enabled: true
  lifecycleRule:
  - action: {{type: Delete}}
    condition: {{age: {age}}}
"""
README = """\
# Where the demo left off

This folder has the manifests of the demo and its state file. To go on by hand, in two terminals:

    holdfast fake aws --demo --port 5001        # the same production again
    export AWS_ENDPOINT_URL=http://127.0.0.1:5001 AWS_ACCESS_KEY_ID=fake AWS_SECRET_ACCESS_KEY=fake AWS_REGION=eu-west-1
    holdfast verify manifests/                  # compares, writes nothing
    holdfast adopt bucket --arn arn:aws:s3:::acme-invoices --state mine.db
    holdfast get buckets --state mine.db -o yaml

    holdfast fake gcp --demo --port 5002        # the Google Cloud project
    export HOLDFAST_GCP_ENDPOINT=http://127.0.0.1:5002
    holdfast adopt pubsubtopic --name projects/acme-shop/topics/invoices -n acme-shop --state mine.db

`state.db` remembers the resources of the demo's own cloud, which is gone; use a state file of your own, as above.
"""
FORCE = '\n  annotations:\n    services.k8s.aws/force-acquire: "true"'
FORCE_GCP = '\n  annotations:\n    cnrm.cloud.google.com/force-acquire: "true"'
TYPO = '\n  annotations:\n    services.k8s.aws/force-aquire: "true"'


@dataclass
class Story:
    """Runs commands as a person would, and counts what reaches the cloud."""

    aws: FakeAws
    gcp: FakeGcp
    folder: Path
    wrong: list[str] = field(default_factory=list)
    counts: list[tuple[str, int]] = field(default_factory=list)

    @contextmanager
    def chapter(self, title: str, *, writes: Callable[[int], bool] = lambda n: n == 0) -> Iterator[None]:
        click.echo(f"\n{click.style(f'── {title}', bold=True)}")
        calls, before = self._calls()
        yield
        after, mutations = self._calls()
        done = mutations - before
        reads = after - calls - done
        good = writes(done)
        mark = click.style("✓", fg="green") if good else click.style("✗ not what was promised", fg="red")
        click.echo(f"   cloud calls: {reads} reading, {click.style(f'{done} mutating', bold=True)} {mark}")
        self.counts.append((title, done))
        if not good:
            self.wrong.append(title)

    def _calls(self) -> tuple[int, int]:
        return len(self.aws.log) + len(self.gcp.log), len(self.aws.mutations) + len(self.gcp.mutations)

    def write(self, name: str, text: str) -> None:
        path = self.folder / "manifests" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def holdfast(self, *words: str, expect: int) -> None:
        from holdfast.cli.main import cli, report
        from holdfast.model.errors import HoldfastError

        click.echo(click.style(f"   $ holdfast {' '.join(words)}", dim=True))
        here = Path.cwd()
        os.chdir(self.folder)
        try:
            code = cli.main([*words], standalone_mode=False) or 0
        except HoldfastError as error:
            report(error)
            code = 1
        finally:
            os.chdir(here)
        if code != expect:
            self.wrong.append(f"holdfast {' '.join(words)}: exit code {code}, not {expect}")


@click.command("demo")
@click.option("--folder", type=click.Path(path_type=Path, file_okay=False), default=Path("holdfast-demo"), show_default=True, help="What it leaves behind.")
def command(folder: Path) -> int:
    """The whole story on fake clouds, in under a minute: no account, no cluster, no questions."""
    try:
        from holdfast.providers.aws.fake import FakeAws
        from holdfast.providers.fake import serve
        from holdfast.providers.gcp.fake import FakeGcp
    except ImportError:
        from holdfast.model.errors import InputError

        raise InputError("HF606", "the demo needs the fake cloud: pip install 'holdfast[fake]'") from None
    from holdfast.cli.production import build, build_gcp

    _make_room(folder)
    aws, gcp = FakeAws(), FakeGcp()
    (url, stop), (gcp_url, stop_gcp) = serve(aws), serve(gcp)
    os.environ.update(AWS_ENDPOINT_URL=url, AWS_ACCESS_KEY_ID="fake", AWS_SECRET_ACCESS_KEY="fake", AWS_REGION="eu-west-1",  # noqa: S106
                      HOLDFAST_GCP_ENDPOINT=gcp_url,
                      HOLDFAST_STATE=str((folder / "state.db").resolve()))
    os.environ.pop("AWS_PROFILE", None)
    try:
        count = build(url)
        click.echo(f"A production made by hand: {count} resources of 10 kinds on a fake AWS at {url}, and {build_gcp(gcp)} on a fake Google Cloud at {gcp_url}")
        story = Story(aws, gcp, folder)
        tell(story)
        tell_google(story)
    finally:
        stop()
        stop_gcp()
    return _end(story)


def _make_room(folder: Path) -> None:
    """An earlier demo's folder is replaced; anything else is not ours to remove."""
    from holdfast.model.errors import InputError

    if folder.exists() and any(folder.iterdir()):
        notes = folder / "README.md"
        if not notes.exists() or not notes.read_text(encoding="utf-8").startswith(README.splitlines()[0]):
            raise InputError("HF606", f"{folder} exists and is not a demo's folder; name another with --folder")
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "README.md").write_text(README, encoding="utf-8")


def tell(s: Story) -> None:
    with s.chapter("Verify a manifest against the live queue: three fields are wrong"):
        s.write("orders.yaml", QUEUE.format(notes=FORCE, timeout="30", retention="86400", team="payment"))
        s.holdfast("diff", "manifests/orders.yaml", expect=2)
    with s.chapter("Correct them, and apply: verified only, and Ready"):
        s.write("orders.yaml", QUEUE.format(notes=FORCE, timeout="120", retention="345600", team="payments"))
        s.write("emails.yaml", EMAILS)
        s.holdfast("apply", "manifests/", expect=0)
    with s.chapter("Promote: take the annotation away. Managed from now on, and nothing is written"):
        s.holdfast("promote", "queue", "orders", expect=0)
        s.write("orders.yaml", QUEUE.format(notes="", timeout="120", retention="345600", team="payments"))
        s.holdfast("apply", "manifests/orders.yaml", expect=0)
    _somebody_changes("emails", "300")
    with s.chapter("Somebody changed `emails`, which is verified only: drift is reported, not touched"):
        s.holdfast("apply", "manifests/emails.yaml", expect=2)
    _somebody_changes("orders", "5")
    with s.chapter("Somebody changed `orders`, which is managed: drift is corrected", writes=lambda n: n > 0):
        s.holdfast("plan", "manifests/orders.yaml", expect=2)
        s.holdfast("apply", "manifests/orders.yaml", expect=0)
    s.aws.misbehave(operation=r"Post /v2/apis|CreateApi", times=None, suffix=("description", "-xyz"))
    with s.chapter("A server that changes what it is given: the override is recorded", writes=lambda n: n == 1):
        s.write("api.yaml", API)
        s.holdfast("apply", "manifests/api.yaml", expect=0)
    with s.chapter("… and causes no loop: a second apply writes nothing"):
        s.holdfast("apply", "manifests/api.yaml", expect=0)
        s.holdfast("verify", "manifests/api.yaml", expect=0)
    with s.chapter("An ARN becomes a full object; the only write is our tag set", writes=lambda n: n == 1):
        s.write("invoices.yaml", ADOPTED)
        s.holdfast("apply", "manifests/invoices.yaml", expect=0)
        s.holdfast("get", "bucket", "invoices", "-o", "yaml", expect=0)
    with s.chapter("A typo in a directive is refused: you think that you are safe, so you must be"):
        s.write("typo.yaml", QUEUE.format(notes=TYPO, timeout="1", retention="345600", team="payments"))
        s.holdfast("apply", "manifests/typo.yaml", expect=1)
        (s.folder / "manifests" / "typo.yaml").unlink()
    with s.chapter("Plain apply on somebody's existing bucket is refused"):
        s.write("logs.yaml", STRANGER)
        s.holdfast("apply", "manifests/logs.yaml", expect=1)


def tell_google(s: Story) -> None:
    with s.chapter("Google Cloud, the same words: a topic, verified; one value is wrong"):
        s.write("topic.yaml", TOPIC.format(notes=FORCE_GCP, retention="3600s"))
        s.holdfast("diff", "manifests/topic.yaml", expect=2)
    with s.chapter("Corrected, verified, promoted: still nothing is written"):
        s.write("topic.yaml", TOPIC.format(notes=FORCE_GCP, retention="86400s"))
        s.holdfast("apply", "manifests/topic.yaml", expect=0)
        s.holdfast("promote", "pubsubtopic", "order-events", "-n", "acme-shop", expect=0)
    with s.chapter("From now on updates flow", writes=lambda n: n == 1):
        s.write("topic.yaml", TOPIC.format(notes="", retention="172800s"))
        s.holdfast("apply", "manifests/topic.yaml", expect=0)
    with s.chapter("A bucket, imported safely: location and storage class are wrong, and would have cost dearly"):
        s.write("exports.yaml", BUCKET.format(notes=FORCE_GCP, location="US", storage="STANDARD", age="400"))
        s.holdfast("apply", "manifests/exports.yaml", expect=2)
        s.write("exports.yaml", BUCKET.format(notes=FORCE_GCP, location="EU", storage="NEARLINE", age="400"))
        s.holdfast("apply", "manifests/exports.yaml", expect=0)
        s.holdfast("promote", "storagebucket", "acme-exports", "-n", "acme-shop", expect=0)
    with s.chapter("… and then updated like any other", writes=lambda n: n == 1):
        s.write("exports.yaml", BUCKET.format(notes="", location="EU", storage="NEARLINE", age="800"))
        s.holdfast("plan", "manifests/exports.yaml", expect=2)
        s.holdfast("apply", "manifests/exports.yaml", expect=0)


def _somebody_changes(queue: str, timeout: str) -> None:
    import botocore.session

    url = os.environ["AWS_ENDPOINT_URL"]
    sqs = botocore.session.get_session().create_client("sqs", region_name="eu-west-1", endpoint_url=url)
    sqs.set_queue_attributes(QueueUrl=f"{url}/123456789012/{queue}", Attributes={"VisibilityTimeout": timeout})


def _end(s: Story) -> int:
    click.echo(f"\n{click.style('Mutating calls, by chapter', bold=True)}")
    for title, count in s.counts:
        click.echo(f"  {count:>2}  {title}")
    if s.wrong:
        click.echo(click.style("\nNot as promised:\n  " + "\n  ".join(s.wrong), fg="red"), err=True)
        return 1
    click.echo(f"\nManifests and state are in {s.folder}/; {s.folder}/README.md says how to go on.")
    return 0
