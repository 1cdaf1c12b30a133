"""`holdfast fake`."""

from __future__ import annotations

import time

import click


@click.command("fake")
@click.argument("cloud", type=click.Choice(["aws"]))
@click.option("--port", default=0, help="0 takes a free one.")
@click.option("--demo", is_flag=True, help="With the demo's production in it.")
def command(cloud: str, port: int, demo: bool) -> int:
    """Start a fake CLOUD on loopback and print how to use it; stop with Ctrl-C."""
    from holdfast.cli.production import build
    from holdfast.providers.aws.fake import FakeAws
    from holdfast.providers.fake import serve

    del cloud
    url, stop = serve(FakeAws(), port)
    if demo:
        build(url)
    click.echo(f"export AWS_ENDPOINT_URL={url} AWS_ACCESS_KEY_ID=fake AWS_SECRET_ACCESS_KEY=fake AWS_REGION=eu-west-1")
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        stop()
    return 0
