# Whether two builds of the compiler write the same machine code and constants.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: same-code.py BUILD OTHER [--kernels] [--random=N] [--precision=P]... [MODEL...]

Compiles every example (or the models named) and N random models at each precision (f32, bf16, f16 and f64 unless given) with both
compilers, and compares what they say, headers, manifests and all sections of the objects. What follows from the content hash, which
covers names, is left out. With --kernels names of ops may differ too: only headers and the objects of the tiers are compared. Each build writes the random models itself: their text may differ.
"""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

source = pathlib.Path(__file__).resolve().parents[1]


def sections(archive, kernels):
    """Contents and relocations of all sections but those of names, by name; hexadecimal digits without addresses."""
    dump = subprocess.run(["llvm-objdump-22", "--reloc", "--full-contents", str(archive)],
                          stdout=subprocess.PIPE, check=True, text=True, errors="replace").stdout
    if kernels:
        members = re.split(r"^(?=\S+\(\S+\):)", dump, flags=re.M)
        dump = "".join(member for member in members if re.match(r"\S+\(same_\w+\.o\):", member))
    parts = []
    for part in re.split(r"^(?=Contents of section|RELOCATION RECORDS FOR)", dump, flags=re.M)[1:]:
        title, _, rest = part.partition("\n")
        if re.search(r"section \.(str|sym|shstr)tab", title):
            continue
        if title.startswith("Contents"):
            rest = "".join("".join(words.split()) for words in re.findall(r"^ [0-9a-f]+ ((?:[0-9a-f]+ ){1,4})", rest, re.M))
        parts.append((title, rest))
    return parts


class Output:
    """Files and messages of a compiler, without the hashes that cover names."""

    def __init__(self, build, model, precision, folder, more, kernels):
        run = subprocess.run([str(build / "bin/ampc"), "compile", str(model), f"--precision={precision}", "--name=same", "-o", folder, *more],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.code = run.returncode
        # Messages without position and quoted line, and the memory table.
        self.said = re.findall(r": ((?:error|warning|remark|note): .*)", run.stdout) + re.findall(r"^ +[a-z ,]+ \d+$", run.stdout, re.M)
        if self.code:
            return
        out = pathlib.Path(folder)
        manifest = (out / "same.json").read_text()
        self.hashes = []
        for key in ("content_hash", "plan_hash"):
            value = re.search(rf'"{key}": "([0-9a-f]+)"', manifest)[1]
            self.hashes += [value, bytes.fromhex(value.zfill(16))[::-1].hex()]
        self.manifest, self.header = "" if kernels else self.plain(manifest), self.plain((out / "same.h").read_text())
        self.sections = [(title, self.plain(text)) for title, text in sections(out / "libsame.a", kernels)]

    def plain(self, text):
        for value in self.hashes:
            text = text.replace(value, "HASH")
        return text


def random_model(build, seed, folder):
    path = pathlib.Path(folder) / f"random-{seed}.mlir"
    path.parent.mkdir(exist_ok=True)
    with open(path, "w") as file:
        subprocess.run([str(build / "bin/ampc-fuzz"), f"--seed={seed}", "--print"], stdout=file, check=True)
    return path


def difference(builds, models, precision, more, kernels):
    """A description of the difference, or nothing."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        a, b = Output(builds[0], models[0], precision, one, more, kernels), Output(builds[1], models[1], precision, other, more, kernels)
    if (a.code, a.said) != (b.code, b.said):
        return f"the compilers say {a.said} and {b.said}"
    if a.code:
        return ""
    for name in () if kernels else ("header", "manifest"):
        if getattr(a, name) != getattr(b, name):
            return f"the {name}"
    if len(a.sections) != len(b.sections):
        return "the number of sections"
    return next((title for (title, text), (_, also) in zip(a.sections, b.sections) if text != also), "")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("builds", nargs=2, type=pathlib.Path)
    options.add_argument("--kernels", action="store_true")
    options.add_argument("--random", type=int, default=0)
    options.add_argument("--precision", action="append")
    options.add_argument("--option", action="append", default=[], help="of every compilation, such as --option=--policy=narrow")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("models", nargs="*", type=pathlib.Path)
    arguments = options.parse_intermixed_args()
    builds = [build.resolve() for build in arguments.builds]
    models = [(model, model) for model in arguments.models or sorted((source / "examples").glob("*/*.mlir"))]
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1, arguments.random + 1):
            models.append(tuple(random_model(build, seed, f"{folder}/{i}") for i, build in enumerate(builds)))
        tasks = [(model, precision) for model in models for precision in arguments.precision or ["f32", "bf16", "f16", "f64"]]
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            wrong = 0
            for ((model, _), precision), what in zip(tasks, pool.map(lambda task: difference(builds, *task, arguments.option, arguments.kernels), tasks)):
                wrong += bool(what)
                if what:
                    print(f"{model.name} in {precision}: {what}", flush=True)
    print(f"{len(tasks)} compilations of {len(models)} models, {wrong} differ")
    sys.exit(bool(wrong))


main()
