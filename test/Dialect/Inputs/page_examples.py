# Extracts the examples of a dialect's ops from the reference page, a file per example.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import re
import sys


def write_examples(page, dialect, folder, text_around):
    """`text_around`: from the name of an op and its example to a whole file."""
    page = pathlib.Path(page)
    text = "".join(file.read_text() for file in (sorted(page.glob("*.md")) if page.is_dir() else [page]))
    sections = re.split(rf"^### `{dialect}\.(\w+)`.*$", text, flags=re.M)[1:]
    missing = []
    for op, text in zip(sections[::2], sections[1::2]):
        found = re.search(r"^```mlir\n(.*?)^```$", text, re.M | re.S)
        if not found or f"{dialect}.{op}" not in found[1]:
            missing.append(op)
            continue
        (pathlib.Path(folder) / f"{op}.mlir").write_text(text_around(op, found[1]))
    if missing:
        sys.exit("no example, or one indented as plain text, for " + ", ".join(missing))
    print(len(sections) // 2, "examples")
