# A full disk and a folder without permission to write, for every file that ampc writes: no-room.py FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import resource
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../Oracle"))
import optimizers as data

folder = sys.argv[1]
FULL, DENIED = "File too large", "Permission denied"


def prepare():
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    with open(f"{folder}/model.mlir", "w") as out:
        out.write(data.model("#train.adam<lr = 0.1>"))
    x, y = data.make_data()
    data.write_npy(f"{folder}/x.npy", "f", (data.ROWS, data.FEATURES), x)
    data.write_npy(f"{folder}/y.npy", "i", (data.ROWS,), y)
    for path in ["out", "out/board"]:
        os.mkdir(f"{folder}/{path}")


def limit_files():
    """Limits files to 256 bytes, in place of a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (256, 256))


def become_somebody():
    """Root may write anywhere, so a root process becomes the user 65534 (nobody)."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)


def run(arguments, before):
    done = subprocess.run(arguments, preexec_fn=before, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode()


def expect(what, arguments, before, message):
    status, text = run(arguments, before)
    good = status == 1 and message.lower() in text.lower() and f"{folder}/out" in text
    print(f"{what}: {'told' if good else f'status {status}: {text}'}")
    return good


def cases(before, message):
    train = ["ampc", "train", "model.mlir", "--data", "x=x.npy", "--data", "y=y.npy", "--steps", "60"]
    yield expect("library", ["ampc", "compile", "model.mlir", "-o", f"{folder}/out"], before, message)
    yield expect("checkpoint", train + ["--out", f"{folder}/out/state.safetensors"], before, message)
    yield expect("log", train + ["--log", f"{folder}/out/log.csv"], before, message)
    yield expect("events", train + ["--tensorboard", f"{folder}/out/board"], before, message)
    yield expect("phases", ["ampc", "compile", "model.mlir", "-o", folder, "--dump-phases-to", f"{folder}/out/phases"], before, message)


prepare()
results = list(cases(limit_files, FULL))
left = [name for name in os.listdir(f"{folder}/out") if "tmp" in name or name.endswith(".safetensors")]
results.append(not left)
prepare()
good, _ = run(["ampc", "train", "model.mlir", "--data", "x=x.npy", "--data", "y=y.npy", "--steps", "3", "--out", "out/state.safetensors"], None)
with open(f"{folder}/out/state.safetensors", "rb") as file:
    old = file.read()
os.chmod(folder, 0o755)
for path in ["out", "out/board"]:
    os.chmod(f"{folder}/{path}", 0o555)
results += cases(become_somebody, DENIED)
with open(f"{folder}/out/state.safetensors", "rb") as file:
    results.append(file.read() == old)
for path in ["out", "out/board"]:
    os.chmod(f"{folder}/{path}", 0o755)
print(f"{len(results)} checks, {results.count(False)} failed, left over: {left}")
