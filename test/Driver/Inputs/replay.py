# Replays the text of every phase: the next phase and the archive are the same as without the detour, to the last location.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: replay.py FOLDER plan|steps|archives MODEL.mlir [option of ampc compile]...

plan:     one phase from each text, compared with the direct text of that phase. Equality of each single phase implies equality of all later phases.
steps:    the same beyond the plan, and the archive from the last text.
archives: the archive from each text.
Each mode runs a second time on texts without locations: only the locations of later texts may change."""
import filecmp
import os
import shutil
import subprocess
import sys


def compile(model, options, *more):
    subprocess.run(["ampc", "compile", model, *options, *more], check=True, stdout=subprocess.DEVNULL)


def is_equal(a, b, label):
    equal = filecmp.cmp(a, b, shallow=False)
    if not equal:
        print(f"{label}: {a} and {b} differ")
    return equal


def are_equal(a, b, label):
    return sorted(os.listdir(a)) == sorted(os.listdir(b)) and all([is_equal(f"{a}/{name}", f"{b}/{name}", label) for name in os.listdir(a)])


def without_locations(text, folder):
    """A copy of a text."""
    os.makedirs(folder, exist_ok=True)
    copy = f"{folder}/{os.path.basename(text)}"
    with open(copy, "w") as out:
        subprocess.run(["ampc-opt", text], check=True, stdout=out)
    return copy


def main():
    folder, mode, model, options = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    shutil.rmtree(folder, ignore_errors=True)
    end = ["--compile-to=plan"] if mode == "plan" else ["-o", f"{folder}/library"]
    compile(model, options, f"--dump-phases-to={folder}/direct", *end)
    texts = [f"{folder}/direct/{name}" for name in sorted(os.listdir(f"{folder}/direct"))]
    phases = [os.path.basename(text)[3:-5] for text in texts]
    ok = True
    if mode != "archives":
        for text, next, phase in zip(texts, texts[1:], phases[1:]):
            compile(text, options, f"--compile-to={phase}", f"--dump-phases-to={folder}/again")
            ok &= is_equal(next, f"{folder}/again/{os.path.basename(next)}", phase)
            compile(without_locations(text, f"{folder}/bare"), options, f"--compile-to={phase}", f"--dump-phases-to={folder}/nowhere")
            ok &= is_equal(without_locations(next, f"{folder}/bare"),
                           without_locations(f"{folder}/nowhere/{os.path.basename(next)}", f"{folder}/nowhere/bare"), f"{phase} without locations")
        texts, phases = ([], []) if mode == "plan" else (texts[-1:], phases[-1:])
    for text, phase in zip(texts, phases):
        compile(text, options, "-o", f"{folder}/{phase}")
        ok &= are_equal(f"{folder}/library", f"{folder}/{phase}", phase)
        compile(without_locations(text, f"{folder}/bare"), options, "-o", f"{folder}/{phase}-nowhere")
        ok &= are_equal(f"{folder}/library", f"{folder}/{phase}-nowhere", f"{phase} without locations")
    print(f"{len(os.listdir(folder + '/direct'))} phases of {os.path.basename(model)} {' '.join(options)}: {'equal' if ok else 'different'}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
