"""Starts the program quickly: one process that has everything imported, and forks a child for each command.

Each command is a process of its own, with its own arguments, environment, folder and streams, as a shell would start it; only the second
that Python needs for its imports is spared. Requests and answers are lines of JSON.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import traceback


def preload() -> None:
    for name in ("holdfast.app", "botocore.session", "botocore.client", "botocore.signers", "botocore.httpchecksum", "aiohttp", "yaml", "jsonschema_rs",
                 "jmespath", "encodings.idna", *(f"holdfast.cli.{c}" for c in importlib.import_module("holdfast.cli.main").COMMANDS)):
        importlib.import_module(name)
    importlib.import_module("holdfast.kinds.catalog").shipped().all()


def become(order: dict) -> None:
    """In the child: never returns."""
    signal.alarm(60)
    for fd, (path, flags) in enumerate(((order["stdin"], os.O_RDONLY), (order["out"], os.O_WRONLY | os.O_CREAT), (order["err"], os.O_WRONLY | os.O_CREAT))):
        opened = os.open(path, flags, 0o600)
        os.dup2(opened, fd)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")
    os.environ.clear()
    os.environ.update(order["env"])
    os.chdir(order["folder"])
    sys.argv = ["holdfast", *order["words"]]
    code = 70
    try:
        importlib.import_module("holdfast.cli.main").main()
    except SystemExit as done:
        code = done.code if isinstance(done.code, int) else 0
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def main() -> None:
    preload()
    print("ready", flush=True)
    for line in sys.stdin:
        child = os.fork()
        if not child:
            become(json.loads(line))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
