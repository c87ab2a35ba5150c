# Terms of docs/glossary.md in the code, and docs/renamed.md. With a root as argument, that tree is checked; --write writes the page.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables beside this script, cells separated by tabs:

terms.tsv    term, identifier, file, old words ("word in scope", separated by commas, or -)
renamed.tsv  kind (file, folder, pass, type, function, member), old, new, scope (files and folders, separated by commas, or *)

A term of the glossary has one row, with the identifier and file of the glossary; the identifier is in the code of that file, not in a
comment alone; no old word is in the code of its scope. Of a renamed name the old one is gone and the new one is there; a renamed pass
has an alias.
"""
import collections
import pathlib
import re
import sys

here = pathlib.Path(__file__).parent
args = [a for a in sys.argv[1:] if a != "--write"]
root = pathlib.Path(args[0]) if args else here.parents[2]
tables = root / "tables" if args else here
suffixes = {".cpp", ".h", ".c", ".hpp", ".inc", ".def", ".cu", ".cuh", ".td"}
folders = ("bench", "examples", "include", "lib", "mlir-dialects", "test", "tools")
aliases = "lib/Pipelines/RenamedPasses.cpp"
no_code = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"', re.S)
no_code_td = re.compile(r"//[^\n]*|description\s*=\s*\[\{.*?\}\]", re.S)  # strings of TableGen are names and code
Names = collections.namedtuple("Names", "words text")
faults = 0


def fault(text):
    global faults
    faults += 1
    print(text)


def rows_of(name, count):
    for line in (tables / name).read_text().splitlines():
        cells = line.split("\t")
        if len(cells) == count:
            yield cells
        else:
            fault(f"{name}: expected {count} cells, but got: {line}")


def code():
    """Code of every file, without comments, strings and descriptions."""
    found = {}
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                pattern = no_code_td if path.suffix == ".td" else no_code
                text = pattern.sub(" ", path.read_text(errors="replace"))
                found[path.relative_to(root).as_posix()] = Names(set(re.findall(r"\w+", text)), text)
    return found


def holds(names, word):
    """Whether code holds a word, or words with a separator such as Outer::Inner."""
    if word.isidentifier():
        return word in names.words
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", names.text) is not None


def files_in(scope, files):
    """Names of the files of a scope such as `lib/Kernel,tools/ampc/Train.cpp`, or of all files."""
    wanted = scope.split(",")
    return [f for f in files if scope == "*" or any(f == w or f.startswith(w + "/") for w in wanted)]


def check_gone(old, scope, files, who):
    for name in files_in(scope, files):
        if holds(files[name], old):
            fault(f"{name}: expected no {old}, an old word of {who}")


def glossary():
    """(term, identifier, file) of every row."""
    for line in (root / "docs/glossary.md").read_text().splitlines():
        match = re.fullmatch(r"\| ([^|]+?) \|.*\| `([^`]+)` in `([^`]+)` \|", line)
        if match:
            yield match.groups()


def check_terms(files):
    terms = {term: (word, path, old) for term, word, path, old in rows_of("terms.tsv", 4)}
    for term, word, path in glossary():
        if term not in terms:
            fault(f"terms.tsv: expected a row for the term {term}")
        elif terms[term][:2] != (word, path):
            fault(f"docs/glossary.md: {term}: expected {terms[term][0]} in {terms[term][1]}, but got {word} in {path}")
    known = {term for term, _, _ in glossary()}
    for term, (word, path, old) in terms.items():
        if term not in known:
            fault(f"docs/glossary.md: expected a row for the term {term}")
        if path not in files or not holds(files[path], word):
            fault(f"{path}: expected {word} in the code, for the term {term}")
        for part in old.split(", ") if old != "-" else ():
            word, scope = part.split(" in ")
            check_gone(word, scope, files, term)


def kebab(name):
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"-\1", name).lower()


def check_renamed(files):
    for kind, old, new, scope in rows_of("renamed.tsv", 4):
        if kind in ("file", "folder"):
            if (root / old).exists():
                fault(f"{old}: expected no {kind}, since {new} is its name")
            if not (root / new).exists():
                fault(f"{new}: expected a {kind}, the new name of {old}")
            continue
        check_gone(old, scope, files, new)
        if not any(holds(files[name], new) for name in files_in(scope, files)):
            fault(f"renamed.tsv: expected {new} in the code of {scope}, the new name of {old}")
        if kind == "pass" and f'"{kebab(old)}", "{kebab(new)}"' not in (root / aliases).read_text():
            fault(f"{aliases}: expected an alias {kebab(old)} of {kebab(new)}")


def room_of(kind, old, new, scope, files):
    """Folder of two parts that has the new name, such as lib/Kernel."""
    if kind in ("file", "folder"):
        path = new
    elif scope != "*":
        path = scope.split(",")[0] + "/"
    else:
        path = next((f for f in sorted(files, key=lambda f: (not f.endswith((".h", ".td")), f)) if holds(files[f], new)), "?/?/")
    return "/".join(path.split("/")[: 3 if path.startswith("lib/Codegen/") else 2])


def page(files):
    rooms = collections.defaultdict(list)
    for kind, old, new, scope in rows_of("renamed.tsv", 4):
        rooms[room_of(kind, old, new, scope, files)].append((kind, old, new, scope))
    lines = ["# Renamed", "", "Old and new names of files, passes, types, functions and members, by folder. Older notes and patches use the old names. "
             "The [glossary](glossary.md) defines the terms. A name without a scope is renamed in the whole tree.", "",
             "Old names of passes are aliases with a warning until the next release. Options of commands and names of the C interface have not changed.", "",
             "Written by `test/Structure/Inputs/terms.py --write` from `renamed.tsv`."]
    for room in sorted(rooms):
        lines += ["", f"## {room}", "", "| kind | old | new | scope |", "|---|---|---|---|"]
        for kind, old, new, scope in rooms[room]:
            if kind == "pass":
                old, new = kebab(old), kebab(new)
            lines.append(f"| {kind} | `{old}` | `{new}` | {'' if scope == '*' else ', '.join(f'`{s}`' for s in scope.split(','))} |")
    return "\n".join(lines) + "\n"


files = code()
renamed = root / "docs/renamed.md"
if "--write" in sys.argv:
    renamed.write_text(page(files))
check_terms(files)
check_renamed(files)
if not renamed.is_file() or renamed.read_text() != page(files):
    fault("docs/renamed.md: expected the page that terms.py --write makes of renamed.tsv")
if faults:
    sys.exit(f"{faults} names are not as they should be")
