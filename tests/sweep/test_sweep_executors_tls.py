"""A scheduler with TLS serves clients that have a certificate, and no others."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dask_processes import WORKER, prepared, running, running_scheduler
from rules_elsewhere import HARMLESS, harmless

from hebbian_descent import Factors, Rule
from hebbian_descent.rules import Activity
from hebbian_descent.sweep import sweep
from hebbian_descent.sweep.executors import Dask, get_executor

dask, distributed = pytest.importorskip("dask"), pytest.importorskip("distributed")
pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl to make certificates")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with certificates of two authorities, each of which has signed itself alone."""
    folder = tmp_path_factory.mktemp("certificates")
    for name in ("ours", "other"):
        options = ("-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test")
        files = ("-out", folder / f"{name}.pem", "-keyout", folder / f"{name}.key")
        subprocess.run(["openssl", "req", "-x509", *options, *files], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def scheduler(folder: Path) -> Iterator[str]:
    """A scheduler with one worker, both with the first certificate."""
    certificate, key = folder / "ours.pem", folder / "ours.key"
    tls = ("--tls-ca-file", certificate, "--tls-cert", certificate, "--tls-key", key)
    with (
        running_scheduler(folder, "--protocol", "tls", *tls) as (address, _),
        running(WORKER, address, "--no-dashboard", "--no-nanny", "--nthreads", "1", *tls, folder=folder),
        distributed.Client(address, security=security(folder), set_as_default=False) as client,
    ):
        client.wait_for_workers(1)
        yield address


def security(folder: Path, authority: str = "ours", own: str = "ours") -> Any:
    files = {"cert": str(folder / f"{own}.pem"), "key": str(folder / f"{own}.key")}
    roles = ("client", "scheduler", "worker")
    return distributed.Security(
        tls_ca_file=str(folder / f"{authority}.pem"),
        require_encryption=True,
        **{f"tls_{role}_{kind}": file for role in roles for kind, file in files.items()},
    )


def test_a_security_object_is_passed_through(scheduler: str, folder: Path) -> None:
    def run(**where: Any) -> bytes:
        result = sweep(
            np.eye(3),
            np.ones((3, 1)),
            rules="hebb",
            activations="linear",
            learning_rates=0.1,
            trials=1,
            engine="reference",
            **where,
        )
        return result.values["mae"].tobytes()

    assert scheduler.startswith("tls://")
    assert run(scheduler=scheduler, security=security(folder)) == run()


def test_the_configuration_of_dask_serves_as_well(scheduler: str, folder: Path) -> None:
    files = {"ca-file": "ours.pem", "client.cert": "ours.pem", "client.key": "ours.key"}
    with dask.config.set(
        {f"distributed.comm.tls.{name}": str(folder / file) for name, file in files.items()}
    ):
        result = prepared(HARMLESS).run(executor=Dask(scheduler))
    assert result.values["mae"].tobytes() == prepared(HARMLESS).run().values["mae"].tobytes()


@pytest.mark.parametrize(
    ("scheme", "files", "reason"),
    [
        ("tls", None, r"this client has no certificates, pass security=distributed\.Security"),
        ("tls", ("other", "other"), "both sides need certificates of the same authority"),
        ("tls", ("ours", "other"), "both sides need certificates of the same authority"),
        ("tls", ("ours", "missing"), "the certificates of this client cannot be read, .*No such file"),
        ("tcp", None, "the address must begin with tls://"),
        ("tcp", ("ours", "ours"), "encryption required"),
    ],
)
def test_a_client_without_the_certificate_gets_one_sentence(
    scheme: str,
    files: tuple[str, str] | None,
    reason: str,
    scheduler: str,
    folder: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    address = scheduler.replace("tls", scheme)
    client = Dask(address, security=None if files is None else security(folder, *files))
    with pytest.raises(
        ConnectionError, match=f"The scheduler must be .* Got '{address}': .*{reason}"
    ) as caught:
        prepared(HARMLESS).run(executor=client)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_a_local_cluster_takes_it_too(folder: Path) -> None:
    def over_tls(activity: Activity) -> Factors:
        assert distributed.get_worker().scheduler.address.startswith("tls://127.0.0.1:")
        return harmless(activity)

    result = prepared(Rule("over_tls", over_tls)).run(executor=Dask("local", security=security(folder)))
    assert result.values["mae"].tobytes() == prepared(HARMLESS).run().values["mae"].tobytes()


def test_the_security_must_be_that_of_dask_and_come_with_a_scheduler() -> None:
    with pytest.raises(TypeError, match=r"must be a distributed\.Security, or None\. Got True"):
        Dask("tls://host:8786", security=True)
    with pytest.raises(ValueError, match="must come with its scheduler"):
        get_executor(security=distributed.Security())
