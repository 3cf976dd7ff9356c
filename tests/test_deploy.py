"""What `deploy/` says is so: its commands, settings, paths and lock files are ours."""

import configparser
import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel
from typer.main import get_command

from sharpwave import Settings
from sharpwave.interfaces.cli.app import app
from sharpwave.interfaces.rest.middleware import OPEN
from sharpwave.interfaces.rest.server import STOP_S

DEPLOY = Path(__file__).resolve().parent.parent / "deploy"
ROOT = DEPLOY.parent
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
NOT_OURS = frozenset(
    {"POSTGRES_PASSWORD", "DATABASE_PASSWORD", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "HOME"}
    | {"PATH", "PYTHONUNBUFFERED"}
)


def manifests() -> list[dict[str, Any]]:
    files = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
    return [one for file in files for one in yaml.safe_load_all(file.read_text("utf-8"))]


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    return found


def unit(path: Path) -> dict[str, list[str]]:
    """The lines of the service, by name; a name may come several times."""
    found: dict[str, list[str]] = {}
    lines = path.read_text("utf-8").partition("[Service]")[2].partition("[Install]")[0]
    for line in lines.splitlines():
        name, given, value = line.partition("=")
        if given:
            found.setdefault(name, []).append(value)
    return found


def pods() -> list[dict[str, Any]]:
    return [one["spec"]["template"]["spec"] for one in manifests() if one["kind"] == "Deployment"]


def docker() -> str:
    return (DEPLOY / "Dockerfile").read_text("utf-8")


def commands() -> list[list[str]]:
    """Every command line of ours that is named anywhere."""
    told = [
        service["command"] for service in compose()["services"].values() if "command" in service
    ]
    told += [container["args"] for pod in pods() for container in pod["containers"]]
    told += [shlex.split(unit(path)["ExecStart"][0])[1:] for path in UNITS]
    told.append(json.loads(docker().rpartition("CMD ")[2]))
    told += [
        shlex.split(line)
        for line in re.findall(r"run --rm api (.*)", (DEPLOY / "compose.yaml").read_text("utf-8"))
    ]
    return told


def variables() -> dict[str, str]:
    """Every variable that is set anywhere, with its value."""
    found: dict[str, str] = {}
    for line in (DEPLOY / "sharpwave.env.example").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, value = line.partition("=")
            found[name] = value
    for service in compose()["services"].values():
        found |= service.get("environment", {})
    for pod in pods():
        for container in pod["containers"]:
            found |= {one["name"]: one["value"] for one in container["env"]}
    for one in manifests():
        found |= one.get("stringData", {})
    for path in UNITS:
        for line in unit(path)["Environment"]:
            found |= {word.partition("=")[0]: word.partition("=")[2] for word in shlex.split(line)}
    found |= dict(re.findall(r"^(?:ENV)? +([A-Z_]+)=(\S+)", docker(), re.MULTILINE))
    return found


def settings_with(name: str, value: str) -> None:
    """The settings as this variable makes them; an error if there is no such setting."""
    *groups, last = name.removeprefix("SHARPWAVE_").lower().split("__")
    model: type[BaseModel] = Settings
    for group in groups:
        model = type(model.model_fields[group].get_default(call_default_factory=True))
    given: object = json.loads(value) if value.startswith("[") else value
    model.__pydantic_validator__.validate_assignment(model.model_construct(), last, given)


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_exists_with_its_options(words: list[str]) -> None:
    command: Any = get_command(app)
    while words and hasattr(command, "get_command"):
        command = command.get_command(None, words[0])
        assert command is not None, words
        words = words[1:]
    command.make_context("x", words)  # an option or argument that is none is refused


@pytest.mark.parametrize(("name", "value"), sorted(variables().items()))
def test_every_variable_is_a_setting_of_ours(name: str, value: str) -> None:
    if name not in NOT_OURS:
        assert name.startswith("SHARPWAVE_")
        settings_with(name, value)


@pytest.mark.parametrize("name", ["SHARPWAVE_NONE", "SHARPWAVE_SERVER__NONE"])
def test_what_is_no_setting_is_noticed(name: str) -> None:
    with pytest.raises((KeyError, ValueError)):
        settings_with(name, "1")


def test_probes_ask_what_anybody_may_see_under_a_name_we_go_by() -> None:
    (api, worker) = pods()
    found = {
        name: probe["httpGet"] for name, probe in api["containers"][0].items() if "Probe" in name
    }
    assert {probe["path"] for probe in found.values()} == {"/health", "/ready"} <= OPEN
    for probe in found.values():
        assert probe["httpHeaders"] == [{"name": "Host", "value": "localhost"}]
        assert probe["port"] == api["containers"][0]["ports"][0]["name"]
    assert not any("Probe" in name for name in worker["containers"][0])
    assert "/health" in docker() and str(Settings().server.port) in docker()


def test_nothing_runs_as_root_or_may_become_it() -> None:
    assert re.findall(r"^USER (.*)", docker(), re.MULTILINE)[-1:] == ["10001:10001"]
    for pod in pods():
        assert pod["securityContext"]["runAsNonRoot"] and not pod["automountServiceAccountToken"]
        for container in (*pod["containers"], *pod.get("initContainers", ())):
            inside = container["securityContext"]
            assert inside["readOnlyRootFilesystem"] and not inside["allowPrivilegeEscalation"]
            assert inside.keys().isdisjoint({"runAsNonRoot", "runAsUser", "privileged"})
    ours = [one for one in compose()["services"].values() if one["image"] == "sharpwave"]
    assert len(ours) == 2
    for service in ours:
        assert service["read_only"] and service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service.keys().isdisjoint({"user", "privileged", "cap_add"})
    for path in UNITS:
        service = unit(path)
        assert service["DynamicUser"] == service["NoNewPrivileges"] == ["yes"]
        assert service["ProtectSystem"] == ["strict"] and service["CapabilityBoundingSet"] == [""]


def test_nights_are_left_to_the_workers() -> None:
    quiet = {"SHARPWAVE_SLEEP__ENABLED": "false"}
    services = compose()["services"]
    assert quiet.items() <= services["api"]["environment"].items()
    assert services["worker"]["deploy"]["replicas"] == 2
    (api, _) = pods()
    assert {"name": "SHARPWAVE_SLEEP__ENABLED", "value": "false"} in (api["containers"][0]["env"])


def test_there_is_time_to_stop_well() -> None:
    """More than a server gives its requests; a worker's step is short."""
    needed = STOP_S
    graces = [pod["terminationGracePeriodSeconds"] for pod in pods()]
    graces += [int(unit(path)["TimeoutStopSec"][0]) for path in UNITS]
    services = compose()["services"]
    graces += [int(services[name]["stop_grace_period"][:-1]) for name in ("api", "worker")]
    assert all(grace >= 2 * needed for grace in graces)


def test_budgets_and_services_mean_pods_that_there_are() -> None:
    labels = [
        one["spec"]["template"]["metadata"]["labels"]
        for one in manifests()
        if one["kind"] == "Deployment"
    ]
    for one in manifests():
        selector = one.get("spec", {}).get("selector", {})
        wanted = selector.get("matchLabels", selector)
        if wanted:
            assert wanted in labels, one["metadata"]["name"]
    kinds = [one["kind"] for one in manifests()]
    assert sorted(kinds) == (
        ["Deployment"] * 2 + ["PodDisruptionBudget"] * 2 + ["Secret", "Service"]
    )
    secrets = {one["metadata"]["name"] for one in manifests() if one["kind"] == "Secret"}
    for pod in pods():
        assert pod["containers"][0]["envFrom"][0]["secretRef"]["name"] in secrets


def test_images_are_of_this_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert {pod["containers"][0]["image"] for pod in pods()} == {f"sharpwave:{version}"}


def test_what_is_copied_into_the_image_exists_and_is_locked() -> None:
    seen = (DEPLOY / "Dockerfile.dockerignore").read_text("utf-8").splitlines()
    copied = [
        word
        for line in re.findall(r"^COPY (?!--from)(.*)", docker(), re.MULTILINE)
        for word in line.split()[:-1]
    ]
    for name in copied:
        assert (ROOT / name).exists() and f"!{name}" in seen, name
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for lock in (name for name in copied if name.endswith(".lock")):
        assert f"-o {lock}" in makefile, "it is written by `make lock`"
    locked = (ROOT / "requirements" / "deploy.lock").read_text("utf-8")
    developed = (ROOT / "requirements" / "dev.lock").read_text("utf-8")
    pins, tested = (
        set(re.findall(r"^([a-z0-9._-]+==\S+)", lock, re.MULTILINE)) for lock in (locked, developed)
    )
    assert {"psycopg", "uvicorn", "mcp"} <= {pin.split("==")[0] for pin in pins}
    assert pins <= tested, "as it was tested"


def test_units_are_readable_and_installed() -> None:
    for path in UNITS:
        parsed = configparser.ConfigParser(strict=False, interpolation=None)
        parsed.read_string(path.read_text("utf-8"))
        assert parsed["Install"]["WantedBy"] == "multi-user.target"
        assert parsed["Service"]["EnvironmentFile"] == "/etc/sharpwave.env"
