# Allowed includes between the rooms of the sources: docs/architecture.md as a table. All other includes are errors.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import re
import sys

dialects = {"mlir-dialects/Train", "mlir-dialects/Amp", "mlir-dialects/Kernel", "lib/Support"}
runtime = {"lib/Runtime"}
# A room is a folder of lib with the headers in include/ampc, or a dialect. Headers in include/ampc are visible to other rooms, headers in
# lib only to their room. Programs (tools, tests, examples) may include everything.
rooms = {
    "lib/Support": set(),
    "lib/Runtime": set(),
    "lib/PTXSim": set(),
    "lib/Comm": runtime,
    "lib/Data": runtime,
    "mlir-dialects/Train": {"lib/Support"},
    "mlir-dialects/Amp": {"lib/Support", "mlir-dialects/Train"},
    "mlir-dialects/Kernel": {"lib/Support", "mlir-dialects/Train"},
    "lib/Train": dialects,
    "lib/Precision": dialects | {"lib/Train"},
    "lib/LossScaling": dialects | {"lib/Precision"},
    "lib/Conversion": dialects,
    "lib/Kernel": dialects,
    "lib/Codegen": dialects | runtime,  # tiers in the runtime's tables
    "lib/Import": dialects | {"lib/Data"},
    "lib/Export": dialects | {"lib/Data", "lib/Train"},  # where rows of the batch are
    "lib/Report": dialects,
    "lib/Package": dialects | runtime | {"lib/Data", "lib/Import"},
    "lib/Pipelines": dialects | {"lib/Train", "lib/Precision", "lib/LossScaling", "lib/Conversion", "lib/Kernel", "lib/Codegen",
                                 "lib/Import", "lib/Package"},
}
# Interfaces that a room implements and other rooms call; the interfaces depend on dialects only.
interfaces = {"ampc/Codegen/Target.h"}
# Known violations: (file, header). Unused entries are errors, too.
exceptions = {
    # Profiles and observers need to know whether leading digits may cancel.
    ("lib/Train/Observe/Observe.cpp", "ampc/Precision/Profile.h"),
    # Casts record reasons, whichever pass inserts the casts.
    ("lib/LossScaling/StepGuard.cpp", "lib/Precision/Casts.h"),
    # Pieces of the runtime in C that the compiler uses as well.
    ("lib/Data/Safetensors.cpp", "lib/Runtime/Json.h"),
    ("lib/Data/Safetensors.cpp", "lib/Runtime/Proof.h"),
    ("lib/Data/OutputFile.cpp", "lib/Runtime/Replace.h"),
    # The escaping of control characters is C without dependencies.
    ("lib/Runtime/Text.c", "ampc/Support/Shown.h"),
    ("lib/PTXSim/Driver/DriverDevices.cpp", "ampc/Support/Shown.h"),
}
# Public headers that only their own room and tests use so far.
unused = {"include/ampc/Package/Externals.def", "include/ampc/Comm/MPI.h", "include/ampc/Comm/Threads.h"}


def room_of(path):
    """`include/ampc/X/..`, `ampc/X/..` and `lib/X/..` are of the room lib/X; nothing for programs."""
    parts = pathlib.PurePath(path).parts
    if parts[0] == "include":
        parts = parts[1:]
    if parts[0] == "ampc":
        parts = ("lib", *parts[1:])
    return "/".join(parts[:2]) if len(parts) > 2 and parts[0] in ("lib", "mlir-dialects") else ""


def fault(path, header):
    source, target = room_of(path), room_of(header)
    if not source or not target or source == target or header in interfaces:
        return ""
    if source not in rooms:
        return f"expected {source} to be a room of the table in floors.py"
    if target not in rooms[source]:
        return f"expected an include that {source} may have, but got {header}"
    if header.startswith("lib/"):
        return f"expected a header in include/ampc, as {source} is another room, but got {header}"
    return ""


def private_headers(folder):
    """Headers in include/ampc that no other room, no program but tests, and no public header reads."""
    headers = [path for path in (folder / "include/ampc").rglob("*.*") if path.suffix in (".h", ".def")]
    read = set()
    for path in (file for top in ("lib", "include", "mlir-dialects", "tools", "examples") for file in (folder / top).rglob("*.*")):
        if path.suffix in (".h", ".c", ".cpp"):
            name = str(path.relative_to(folder))
            read |= {header for header in re.findall(r'#include ["<](ampc/[^">]+)[">]', path.read_text())
                     if name.startswith("include/") or room_of(name) != room_of(header)}
    return sorted(str(path.relative_to(folder)) for path in headers if str(path.relative_to(folder / "include")) not in read)


def main():
    source = pathlib.Path(__file__).resolve().parents[3]
    folder = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else source
    wrong, needed = 0, set()
    for path in sorted(file for top in ("lib", "include", "mlir-dialects") for file in (folder / top).rglob("*.*")):
        if path.suffix not in (".h", ".cpp", ".c", ".inc"):
            continue
        name = str(path.relative_to(folder))
        for number, line in enumerate(path.read_text().split("\n"), 1):
            found = re.match(r'#include "([^"]+)"', line)
            what = found and fault(name, found[1])
            if what and (name, found[1]) in exceptions:
                needed.add((name, found[1]))
            elif what:
                wrong += 1
                print(f"{name}:{number}: {what}")
            elif found and room_of(name) and not room_of(found[1]) and found[1].split("/")[0] in ("tools", "test"):
                wrong += 1
                print(f"{name}:{number}: expected no header of a program, but got {found[1]}")
    private = private_headers(folder)
    for name in private:
        if name not in unused:
            wrong += 1
            print(f"{name}: expected a header in lib, as no other room reads it")
    if folder == source:
        for name in sorted(unused - set(private)):
            wrong += 1
            print(f"{name}: expected a header that no other room reads, which floors.py lists as an exception")
        for name, header in sorted(exceptions - needed):
            wrong += 1
            print(f"{name}: expected an include of {header}, which floors.py lists as an exception")
    print(f"{wrong} includes or headers are in the wrong place")
    sys.exit(bool(wrong))


main()
