"""Writes the wheel of ampc from an installed tree: wheel.py --tree DIR --version VERSION --out DIR.

The tree is that of `cmake --install build --strip --component static --prefix DIR`. The wheel has it as ampc/tree, beside the
modules ampc and ampc_export. Equal trees give equal wheels: names are sorted, and times fixed.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import base64
import hashlib
import os
import pathlib
import stat
import zipfile

HERE = pathlib.Path(__file__).parent
TAG = "py3-none-manylinux_2_35_x86_64"

METADATA = """Metadata-Version: 2.1
Name: ampc
Version: {version}
Summary: Compiles a model into the program that trains it
License: Apache-2.0 WITH LLVM-exception
Classifier: Programming Language :: Python :: 3
Classifier: Operating System :: POSIX :: Linux
Requires-Python: >=3.10
Requires-Dist: numpy
Provides-Extra: torch
Requires-Dist: torch; extra == "torch"
Provides-Extra: jax
Requires-Dist: jax; extra == "jax"
Description-Content-Type: text/markdown

{readme}"""


def content(tree, version):
    """Pairs of a name in the wheel and a file or bytes."""
    for package in "ampc", "ampc_export":
        for path in sorted((HERE / package).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield str(path.relative_to(HERE)), path
    for path in sorted(tree.rglob("*")):
        if path.is_file():
            yield f"ampc/tree/{path.relative_to(tree)}", path
    info = f"ampc-{version}.dist-info"
    yield f"{info}/METADATA", METADATA.format(version=version, readme=(HERE.parent / "README.md").read_text()).encode()
    yield f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: ampc\nRoot-Is-Purelib: false\nTag: {TAG}\n".encode()
    yield f"{info}/entry_points.txt", b"[console_scripts]\nampc = ampc.__main__:main\n"
    yield f"{info}/licenses/LICENSE", HERE.parent / "LICENSE"


def add(wheel, name, data, executable):
    """Adds a file; pip makes one executable only if its mode says that it is a regular file."""
    entry = zipfile.ZipInfo(name, date_time=(2020, 1, 1, 0, 0, 0))
    entry.external_attr = (stat.S_IFREG | (0o755 if executable else 0o644)) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    wheel.writestr(entry, data, compresslevel=9)


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tree", type=pathlib.Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / f"ampc-{arguments.version}-{TAG}.whl"
    record = f"ampc-{arguments.version}.dist-info/RECORD"
    lines = []
    with zipfile.ZipFile(path, "w") as wheel:
        for name, source in content(arguments.tree, arguments.version):
            data = source if isinstance(source, bytes) else source.read_bytes()
            add(wheel, name, data, isinstance(source, pathlib.Path) and os.access(source, os.X_OK))
            lines.append(record_line(name, data))
        add(wheel, record, "".join(lines) + f"{record},,\n", False)
    print(path)


if __name__ == "__main__":
    main()
