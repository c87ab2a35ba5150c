# Links of pages: the file is there, and so is the heading behind #; tables end with an empty line. With a root as argument, the pages of that tree.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[3])
folders = ("docs", "bench", "examples", "lib", "mlir-dialects", "python", "tools")


def without_code(text):
    return re.sub(r"```.*?```", "", text, flags=re.S)


def anchors_of(page):
    """Anchors as GitHub and mkdocs make them: lower case, no punctuation, hyphens for blanks; a repeated heading gets -1, -2, ..."""
    found = {}
    for heading in re.findall(r"^#+ (.*)", without_code(page.read_text()), re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        count = found[anchor] = found.get(anchor, -1) + 1
        yield f"{anchor}-{count}" if count else anchor
    yield from re.findall(r'<a (?:id|name)="([^"]+)"', page.read_text())


pages = sorted(root.glob("*.md")) + sorted(p for folder in folders for p in (root / folder).rglob("*.md"))
links = faults = 0
for page in pages:
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", without_code(page.read_text()))):
        if re.match(r"[a-z]+:", target):
            continue
        links += 1
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        if not file.exists():
            fault = f"expected a file or folder {path}"
        elif anchor and file.suffix == ".md" and anchor not in anchors_of(file):
            fault = f"expected a heading #{anchor} in {path or page.name}"
        else:
            continue
        faults += 1
        print(f"{page.relative_to(root).as_posix()}: {fault}")
    # Text right behind a table is a row of the table.
    for row in re.findall(r"^\|[^\n]*\n(?![|\n]|<!--| )(.+)", without_code(page.read_text()), re.M):
        faults += 1
        print(f"{page.relative_to(root).as_posix()}: expected an empty line between a table and: {row[:40]}")
if faults:
    sys.exit(f"{faults} of {links} links and tables are wrong")
if not links:
    sys.exit("expected pages with links")
