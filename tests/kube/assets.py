"""kube-apiserver, etcd and kubectl for the tests: KUBEBUILDER_ASSETS where it is set, else built once from Go modules pinned in tools/kube.

The binaries are kept outside the tree, by the checksum of what they are built from. `python -m tests.kube.assets` builds them and says so.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

MODULE = Path(__file__).resolve().parents[2] / "tools" / "kube"
VERSION = "v1.34.4"
NAMES = ("etcd", "kube-apiserver", "kubectl")
_STAMP = f"-X k8s.io/component-base/version.gitVersion={VERSION} -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=34"
_PACKAGES = {"etcd": "go.etcd.io/etcd/server/v3", "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver", "kubectl": "k8s.io/kubernetes/cmd/kubectl"}


def cache() -> Path:
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    made_of = hashlib.sha256((MODULE / "go.mod").read_bytes() + (MODULE / "go.sum").read_bytes()).hexdigest()[:12]
    return root / "holdfast" / f"kube-{VERSION}-{made_of}"


def find() -> Path | None:
    """The folder that has all three, or None."""
    given = os.environ.get("KUBEBUILDER_ASSETS")
    folders = [Path(given)] if given else [cache()]
    return next((f for f in folders if all((f / n).exists() for n in NAMES)), None)


def build(say=print) -> Path | None:
    """Build what is not there yet. None where there is no Go: the rest of the tests runs without."""
    found = find()
    if found is not None:
        return found
    if os.environ.get("KUBEBUILDER_ASSETS"):
        say(f"KUBEBUILDER_ASSETS does not hold {', '.join(NAMES)}")
        return None
    if shutil.which("go") is None:
        say("Go was not found, so kube-apiserver cannot be built: the tests on a real API server are left out. Install Go, or set KUBEBUILDER_ASSETS.")
        return None
    folder, began = cache(), time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    for name, package in _PACKAGES.items():
        if (folder / name).exists():
            continue
        say(f"building {name} ({package}); once, a few minutes …")
        part = folder / f"{name}.part"
        flags = f"-s -w {_STAMP}" if name != "etcd" else "-s -w"
        subprocess.run(["go", "build", "-trimpath", "-mod=readonly", "-ldflags", flags, "-o", part, package], cwd=MODULE, check=True,
                       env={**os.environ, "CGO_ENABLED": "0", "GOFLAGS": ""})
        part.rename(folder / name)
    say(f"kube-apiserver, etcd and kubectl are in {folder} ({time.monotonic() - began:.0f} s)")
    return folder


if __name__ == "__main__":
    build()
    sys.exit(0)
