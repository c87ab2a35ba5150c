# Compiles every header separately, in the language and with the flags of neighbouring sources.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Headers that include MLIR use the build's precompiled headers, so that all headers take less than a minute on two cores; `--alone`
# disables precompiled headers. A passed header is compiled again only after a change of some included text.
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

folders = ["lib", "include", "mlir-dialects", "tools", "test", "examples"]


def commands_by_folder(build, source):
    """Folder of a source -> compiler and flags, without input and output."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["directory"], entry["file"])
        if not path.is_relative_to(source) or path.is_relative_to(build):
            continue
        words = shlex.split(entry["command"])
        start = next(i for i, word in enumerate(words) if re.search(r"(clang|gcc|g\+\+|c\+\+|cc)(-\d+)?$", word))
        found.setdefault(path.parent.relative_to(source), words[start:])
    return found


def without_files(words, keeps_precompiled):
    kept, i = [], 1
    while i < len(words):
        if words[i] in ("-o", "-c", "-MF", "-MT"):
            i += 2
        elif words[i] == "-MD":
            i += 1
        elif not keeps_precompiled and words[i] == "-Xclang" and words[i + 1] in ("-include-pch", "-include"):
            i += 4
        else:
            kept.append(words[i])
            i += 1
    return [words[0]] + kept


def nearest(folder, commands):
    """Flags of the folder, of the mirrored folder in lib, or of a folder above or below."""
    parts = folder.parts
    if parts[:2] == ("include", "ampc"):
        folder = pathlib.Path("lib", *parts[2:])
    for candidate in [folder, *folder.parents]:
        below = sorted(known for known in commands if candidate == known or candidate in known.parents)
        if below and candidate.parts:
            return commands[below[0]]
    return commands[min(commands)]


def mpi_flags():
    """Flags for <mpi.h>; None without MPI."""
    compiler = shutil.which("mpicc.openmpi")
    return shlex.split(subprocess.run([compiler, "--showme:compile"], capture_output=True, text=True).stdout) if compiler else None


class Checker:
    def __init__(self, build, source, alone, folder):
        self.build, self.source, self.alone, self.folder = build, source, alone, folder
        self.commands = commands_by_folder(build, source)
        self.passed = build / "test/Structure/headers"
        self.passed.mkdir(parents=True, exist_ok=True)

    def closure(self, header, seen):
        """The files of this project that a header includes, and the header."""
        if header not in seen and header.is_file():
            seen[header] = text = header.read_text()
            for name in re.findall(r'^#include "([^"]+)"', text, re.M):
                for root in (self.source, self.source / "include", self.build, self.build / "include"):
                    self.closure(root / name, seen)
        return seen

    def errors(self, header):
        texts = self.closure(header, {})
        uses_mlir = any(re.search(r'^#include "(mlir|llvm)/', text, re.M) for text in texts.values())
        command = without_files(nearest(self.folder or header.relative_to(self.source).parent, self.commands), uses_mlir and not self.alone)
        if any("#include <mpi.h>" in text for text in texts.values()):
            if (flags := mpi_flags()) is None:
                print(f"{header} is not checked: there is no MPI")
                return ""
            command += flags
        command += ["-fsyntax-only", "-fno-color-diagnostics", "-x"]
        is_c = bool(re.search(r"(clang|gcc|cc)(-\d+)?$", command[0]))
        key = hashlib.sha256(repr((str(header), command, sorted(texts.values()))).encode()).hexdigest()
        if (self.passed / key).exists():
            return ""
        run = subprocess.run(command + ["c" if is_c else "c++", str(header)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if run.returncode == 0:
            (self.passed / key).touch()
        return run.stdout if run.returncode else ""


def main():
    options = argparse.ArgumentParser()
    options.add_argument("build", type=pathlib.Path)
    options.add_argument("--alone", action="store_true")
    options.add_argument("--as", dest="folder", type=pathlib.Path, help="of the sources whose flags count, in place of the header's own")
    options.add_argument("headers", nargs="*", type=pathlib.Path)
    arguments = options.parse_intermixed_args()
    source = pathlib.Path(__file__).resolve().parents[3]
    checker = Checker(arguments.build.resolve(), source, arguments.alone, arguments.folder)
    headers = [header.resolve() for header in arguments.headers] or sorted(
        header for folder in folders for header in (source / folder).rglob("*.h") if "other-project" not in header.parts)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        results = list(zip(headers, pool.map(checker.errors, headers)))
    wrong = [(header, text) for header, text in results if text]
    for header, text in wrong:
        print(f"{header}: expected a header that compiles by itself, but got\n{text}")
    print(f"{len(headers)} headers, {len(wrong)} do not stand alone")
    sys.exit(bool(wrong))


main()
