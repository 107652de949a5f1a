"""Checks a wheel of the package: its tags, its files, its version, the libraries that it needs, and that a stable-ABI module is one.

usage: python_wheel.py [--record] WHEEL
    --record   the type stub of the wheel becomes the recorded one
"""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORDED_STUB = ROOT / "python" / "tests" / "recorded_core.pyi"
STABLE_SINCE = (3, 12)  # of Python's stable ABI, nanobind needs what came with 3.12


def fail(sentence: str) -> None:
    sys.exit(f"wheel: {sentence}")


def limited_api() -> set[str]:
    """Every name that the headers declare to a module of the limited API."""
    hexadecimal = f"0x{STABLE_SINCE[0]:02x}{STABLE_SINCE[1]:02x}0000"
    command = ["gcc", "-E", "-P", f"-DPy_LIMITED_API={hexadecimal}", f"-I{sysconfig.get_path('include')}", "-"]
    text = subprocess.run(command, input="#include <Python.h>\n", capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"\b_?Py\w+", text))


def symbols_of_python(module: Path) -> set[str]:
    """What the module takes from the interpreter."""
    command = ["nm", "--dynamic", "--undefined-only", str(module)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"\b_?Py\w+", text))


def check_stable(wheel: zipfile.ZipFile, module: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        used = symbols_of_python(Path(wheel.extract(module, folder)))
    beyond = sorted(used - limited_api())
    if len(used) < 50:
        fail(f"only {len(used)} symbols of Python were found in {module}: is it stripped of them?")
    if beyond:
        fail(f"{module} uses what is not in the limited API of Python 3.12: {', '.join(beyond)}")
    return f", {len(used)} symbols of Python, all of the limited API"


def check_libraries(wheel: zipfile.ZipFile, module: str) -> None:
    """Beside those of every C++ program only those of Highway and zstd, which docs/python.md names."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["readelf", "--dynamic", wheel.extract(module, folder)]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", text)
    others = [name for name in needed if not re.match(r"(libhwy|libzstd|libstdc\+\+|libm|libgcc_s|libc|libpthread|ld-linux.*)\.so", name)]
    if not needed or others:
        fail(f"{module} needs {', '.join(others) or 'no library at all: was readelf right?'}")


def check_stub(stub: str, record: bool) -> None:
    if record:
        RECORDED_STUB.write_text(stub)
    elif stub != RECORDED_STUB.read_text():
        with tempfile.NamedTemporaryFile("w", suffix=".pyi") as built:
            built.write(stub)
            built.flush()
            subprocess.run(["diff", "-u", str(RECORDED_STUB), built.name], check=False)
        fail("the type stub has changed. If that is meant: scripts/python_test.sh record")


def main() -> None:
    record = sys.argv[1] == "--record"
    path = Path(sys.argv[-1])
    name, version, python, abi, _platform = path.stem.split("-")
    here = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    stable = sys.version_info[:2] >= STABLE_SINCE
    if (name, python, abi) != ("sluice", *(("cp312", "abi3") if stable else (here, here))):
        fail(f"{path.name}: wrong tags for Python {sys.version_info[0]}.{sys.version_info[1]}")

    header = (ROOT / "include" / "sluice" / "version.hpp").read_text()
    wanted = re.search(r'SLUICE_VERSION "([^"]*)"', header)
    if wanted is None or version != wanted[1]:
        fail(f"{path.name}: the version in include/sluice/version.hpp is another one")

    with zipfile.ZipFile(path) as wheel:
        files = set(wheel.namelist())
        module = "sluice/_core.abi3.so" if stable else f"sluice/_core{sysconfig.get_config_var('EXT_SUFFIX')}"
        sources = {f"sluice/{source.relative_to(ROOT / 'python' / 'sluice')}" for source in (ROOT / "python" / "sluice").rglob("*.py")}
        missing = sorted(({module, "sluice/py.typed", "sluice/_core.pyi"} | sources) - files)
        if missing:
            fail(f"{path.name} lacks {', '.join(missing)}")
        others = sorted(file for file in files if not file.startswith(("sluice/", f"sluice-{version}.dist-info/")))
        others += sorted(file for file in files if file.endswith((".a", ".hpp", ".cmake", ".pyc")))
        if others:
            fail(f"{path.name} has files that do not belong to it: {', '.join(others)}")
        check_libraries(wheel, module)
        note = check_stable(wheel, module) if stable else ""
        check_stub(wheel.read("sluice/_core.pyi").decode(), record)
    print(f"   {path.name}: {path.stat().st_size / 1e6:.1f} MB{note}")


if __name__ == "__main__":
    main()
