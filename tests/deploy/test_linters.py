"""The tools of their formats accept the files in deploy/: hadolint, Compose's schema, Caddy, Helm and Kubernetes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.deploy.dockerfile import ROOT

pytestmark = pytest.mark.slow

DEPLOY = ROOT / "deploy"
CHART = DEPLOY / "helm" / "loremark"
PROGRAMS = Path(sys.executable).parent
KUBERNETES = ("1.29", "1.33", "1.37")
KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
SQLITE = ("baseUrl=https://memory.example.com",)
POSTGRES = (*SQLITE, "databaseUrl=postgresql://loremark@db/loremark", "blobsUrl=s3://bucket/loremark")
KEYS = (f"encryptionKey={KEY}", "workerSecret=secret", "redisUrl=redis://cache:6379")
INGRESS = (
    "trustedProxies={10.42.7.0/24}",
    "ingress.enabled=true",
    "ingress.className=nginx",
    "ingress.tlsSecretName=tls",
)


def _run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    program, *rest = map(str, words)
    command = [str(PROGRAMS / program), *rest]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def _template(*values: str) -> subprocess.CompletedProcess[str]:
    return _run("helm", "template", "memory", CHART, *(word for value in values for word in ("--set", value)))


def test_hadolint_accepts_the_dockerfile() -> None:
    done = _run("hadolint", DEPLOY / "Dockerfile")
    assert (done.returncode, done.stdout) == (0, "")


def test_compose_file_has_the_format_of_compose() -> None:
    done = _run("check-jsonschema", "--builtin-schema", "vendor.compose-spec", DEPLOY / "compose" / "compose.yaml")
    assert done.returncode == 0, done.stdout


def test_caddy_accepts_its_file() -> None:
    done = _run("caddy", "validate", "--adapter", "caddyfile", "--config", DEPLOY / "compose" / "Caddyfile")
    assert done.returncode == 0, done.stderr


def test_helm_accepts_the_chart() -> None:
    done = _run("helm", "lint", "--strict", CHART, "--set", SQLITE[0])
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("version", KUBERNETES)
@pytest.mark.parametrize(
    ("values", "kinds"),
    [
        ((*SQLITE, *INGRESS), ["ConfigMap", "Ingress", "Secret", "Service", "StatefulSet"]),
        (
            (*POSTGRES, *KEYS, *INGRESS),
            ["ConfigMap", *["Deployment"] * 3, "Ingress", "PodDisruptionBudget", "Secret", "Service", "Service"],
        ),
        (
            (*SQLITE, "distributed=true", "existingSecret=loremark-secrets", "blobsUrl=s3://bucket/loremark"),
            ["ConfigMap", *["Deployment"] * 3, "PodDisruptionBudget", "Secret", "Service", "Service"],
        ),
    ],
    ids=["sqlite", "postgresql", "existing-secret"],
)
def test_kubernetes_accepts_what_the_chart_renders(
    values: tuple[str, ...], kinds: list[str], version: str, tmp_path: Path
) -> None:
    rendered = _template(*values)
    assert rendered.returncode == 0, rendered.stderr
    file = tmp_path / "rendered.yaml"
    file.write_text(rendered.stdout)
    assert sorted(each["kind"] for each in yaml.safe_load_all(rendered.stdout)) == kinds
    done = _run("kubernetes-validate", "--strict", "--kubernetes-version", version, file)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((), "baseUrl"),
        (POSTGRES, "encryptionKey is required with PostgreSQL"),
        ((*POSTGRES[:2], *KEYS), "blobsUrl is required with PostgreSQL"),
        ((*SQLITE, "settings.PORT=1"), "settings"),
        ((*SQLITE, "ingress.enabled=true"), "trustedProxies"),  # else all clients would share one rate limit
    ],
)
def test_chart_refuses_incomplete_values(values: tuple[str, ...], message: str) -> None:
    done = _template(*values)
    assert done.returncode != 0
    assert message in done.stderr
