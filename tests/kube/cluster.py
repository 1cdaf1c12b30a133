"""A real kube-apiserver and etcd on loopback, for one test module; stopped, restarted, paused and killed on demand."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

TOKEN = "admin-token"  # noqa: S105
USERS = f'{TOKEN},admin,1,"system:masters"\nviewer-token,viewer,2\nholdfast-token,holdfast,3\n'


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


class Cluster:
    """`url` and `ca` are what a kubeconfig has; `kubectl` runs the real one."""

    def __init__(self, assets: Path) -> None:
        self.assets, self.folder = assets, Path(tempfile.mkdtemp(prefix="holdfast-kube-"))
        self.etcd_port, self.peer_port, self.port = free_port(), free_port(), free_port()
        self.url, self.ca = f"https://127.0.0.1:{self.port}", self.folder / "certs" / "apiserver.crt"
        self._etcd: subprocess.Popen | None = None
        self._api: subprocess.Popen | None = None
        self._prepare()

    def _prepare(self) -> None:
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        (self.folder / "sa.key").write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        (self.folder / "sa.pub").write_bytes(key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
        (self.folder / "tokens.csv").write_text(USERS)

    def start(self) -> Cluster:
        self._etcd = self._run("etcd", "--data-dir", str(self.folder / "etcd"), "--unsafe-no-fsync", "--log-level", "error",
                               "--listen-client-urls", f"http://127.0.0.1:{self.etcd_port}", "--advertise-client-urls", f"http://127.0.0.1:{self.etcd_port}",
                               "--listen-peer-urls", f"http://127.0.0.1:{self.peer_port}", "--initial-advertise-peer-urls", f"http://127.0.0.1:{self.peer_port}",
                               "--initial-cluster", f"default=http://127.0.0.1:{self.peer_port}")
        self.start_api()
        return self

    def start_api(self) -> None:
        self._api = self._run(
            "kube-apiserver", "--etcd-servers", f"http://127.0.0.1:{self.etcd_port}", "--secure-port", str(self.port), "--bind-address", "127.0.0.1",
            "--cert-dir", str(self.folder / "certs"), "--token-auth-file", str(self.folder / "tokens.csv"), "--authorization-mode", "RBAC",
            "--service-account-key-file", str(self.folder / "sa.pub"), "--service-account-signing-key-file", str(self.folder / "sa.key"),
            "--service-account-issuer", "https://kubernetes.default.svc", "--service-cluster-ip-range", "10.0.0.0/24", "--allow-privileged=true",
            "--disable-admission-plugins", "ServiceAccount", "--event-ttl", "2h", "--watch-cache=true", "-v", "0")
        self._wait()

    def _run(self, name: str, *words: str) -> subprocess.Popen:
        log = (self.folder / f"{name}.log").open("ab")
        return subprocess.Popen([self.assets / name, *words], stdout=log, stderr=log, env={**os.environ, "ETCD_UNSUPPORTED_ARCH": ""})

    def _wait(self) -> None:
        context, until = ssl._create_unverified_context(), time.monotonic() + 60
        request = urllib.request.Request(f"{self.url}/readyz", headers={"Authorization": f"Bearer {TOKEN}"})
        while time.monotonic() < until:
            try:
                with urllib.request.urlopen(request, context=context, timeout=2) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError(f"kube-apiserver is not ready: {(self.folder / 'kube-apiserver.log').read_text()[-2000:]}")

    def kubeconfig(self, token: str = TOKEN) -> Path:
        path = self.folder / f"{token}.yaml"
        path.write_text(f"""apiVersion: v1
kind: Config
current-context: test
contexts: [{{name: test, context: {{cluster: test, user: test, namespace: default}}}}]
clusters: [{{name: test, cluster: {{server: "{self.url}", certificate-authority: "{self.ca}"}}}}]
users: [{{name: test, user: {{token: {token}}}}}]
""")
        return path

    def kubectl(self, *words: str, token: str = TOKEN, stdin: str = "", check: bool = True) -> str:
        done = subprocess.run([self.assets / "kubectl", "--kubeconfig", self.kubeconfig(token), *words], input=stdin, capture_output=True, text=True, timeout=60)
        if check and done.returncode:
            raise RuntimeError(f"kubectl {' '.join(words)}: {done.stderr}")
        return done.stdout + done.stderr

    def stop_api(self) -> None:
        self._end(self._api)

    def pause_etcd(self) -> None:
        assert self._etcd is not None
        self._etcd.send_signal(signal.SIGSTOP)

    def resume_etcd(self) -> None:
        assert self._etcd is not None
        self._etcd.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        self._end(self._api)
        self._end(self._etcd)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _end(self, process: subprocess.Popen | None) -> None:
        if process is not None and process.poll() is None:
            process.kill()
            process.wait()
