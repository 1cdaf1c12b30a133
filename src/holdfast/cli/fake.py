"""`holdfast fake`."""

from __future__ import annotations

import time
from collections.abc import Callable

import click


@click.command("fake")
@click.argument("cloud", type=click.Choice(["aws", "gcp"]))
@click.option("--port", default=0, help="0 takes a free one.")
@click.option("--demo", is_flag=True, help="With the demo's production in it.")
def command(cloud: str, port: int, demo: bool) -> int:
    """Start a fake CLOUD on loopback and print how to use it; stop with Ctrl-C."""
    words, stop = {"aws": _aws, "gcp": _gcp}[cloud](port, demo)
    click.echo(f"export {words}")
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        stop()
    return 0


def _aws(port: int, demo: bool) -> tuple[str, Callable[[], None]]:
    from holdfast.cli.production import build
    from holdfast.providers.aws.fake import FakeAws
    from holdfast.providers.fake import serve

    url, stop = serve(FakeAws(), port)
    if demo:
        build(url)
    return f"AWS_ENDPOINT_URL={url} AWS_ACCESS_KEY_ID=fake AWS_SECRET_ACCESS_KEY=fake AWS_REGION=eu-west-1", stop


def _gcp(port: int, demo: bool) -> tuple[str, Callable[[], None]]:
    from holdfast.cli.production import build_gcp
    from holdfast.providers.fake import serve
    from holdfast.providers.gcp.fake import FakeGcp

    cloud = FakeGcp()
    url, stop = serve(cloud, port)
    if demo:
        build_gcp(cloud)
    return f"HOLDFAST_GCP_ENDPOINT={url}", stop
