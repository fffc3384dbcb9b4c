"""Builds the wheel and the source archive (PEP 517) with the standard library alone."""

from __future__ import annotations

import base64
import hashlib
import io
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent
# The earliest time that a ZIP file can hold: the same sources give the same bytes.
TIME = (1980, 1, 1, 0, 0, 0)


def _project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def _metadata(project: dict[str, Any]) -> str:
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"Requires-Python: {project['requires-python']}",
        f"License: {project['license']['text']}",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + (ROOT / project["readme"]).read_text("utf-8")


def _sources() -> list[Path]:
    package = ROOT / "src" / "tidemark"
    if not (package / "generated" / "contract.py").exists():
        raise FileNotFoundError("the generated types are missing: run sh deploy/bootstrap.sh in the repository")
    found = [*package.rglob("*.py"), package / "py.typed"]
    return sorted(path for path in found if "__pycache__" not in path.parts)


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    return []


get_requires_for_build_sdist = get_requires_for_build_wheel


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    project = _project()
    stem = f"{project['name']}-{project['version']}"
    wheel = "Wheel-Version: 1.0\nGenerator: tidemark\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files = [(path.relative_to(ROOT / "src").as_posix(), path.read_bytes()) for path in _sources()]
    files.append((f"{stem}.dist-info/METADATA", _metadata(project).encode()))
    files.append((f"{stem}.dist-info/WHEEL", wheel.encode()))
    name = f"{stem}-py3-none-any.whl"
    record = f"{stem}.dist-info/RECORD"
    lines = []
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files:
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            lines.append(f"{path},sha256={digest},{len(content)}")
            archive.writestr(zipfile.ZipInfo(path, TIME), content, zipfile.ZIP_DEFLATED)
        archive.writestr(zipfile.ZipInfo(record, TIME), "\n".join([*lines, f"{record},,", ""]))
    return name


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    project = _project()
    stem = f"{project['name']}-{project['version']}"
    name = f"{stem}.tar.gz"
    own = [ROOT / file for file in ("pyproject.toml", "build_backend.py", "README.md")]
    with tarfile.open(Path(sdist_directory) / name, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in [*own, *_sources()]:
            archive.add(path, f"{stem}/{path.relative_to(ROOT).as_posix()}")
        info = _metadata(project).encode()
        entry = tarfile.TarInfo(f"{stem}/PKG-INFO")
        entry.size = len(info)
        archive.addfile(entry, io.BytesIO(info))
    return name
