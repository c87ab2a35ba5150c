# Trains and evaluates models with a cache, and holds every run to the same run without one.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import pathlib
import subprocess
import sys

import numpy as np

MODEL = """train.model @m {
  train.param @w : f32[3, 4] = #train.uniform<low = -0.5, high = 0.5>
  train.param @b : f32[4] = #train.data<"b.safetensors", "b">
  train.func @scores(%x: f32[8, 3]) {
    %s = train.linear %x, %w, %b
    train.return %s
  }
  train.func @loss(%x: f32[8, 3], %y: i32[8]) {
    %s = train.call @scores(%x)
    %l = train.softmax_cross_entropy %s, %y ignore 0
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
  train.export @scores as "predict"
}
"""
CACHE = pathlib.Path("cache")
failures = []


def write_bias(value):
    """A safetensors file with the tensor b."""
    header = b'{"b":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}}'
    header += b" " * (-len(header) % 8)
    data = np.full(4, value, np.float32).tobytes()
    pathlib.Path("b.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + data)


def entries():
    return {file.name: file.stat() for file in CACHE.glob("*.model")} if CACHE.is_dir() else {}


def ampc(*words, cache="cache", **environment):
    return subprocess.run(["ampc", *words], capture_output=True, text=True, env={**os.environ, "AMPC_CACHE": cache, **environment})


def train(*words, **options):
    done = ampc("train", "m.mlir", "--data", "x=x.npy", "--data", "y=y.npy", "--steps=3", "--threads=1", "--out=out.safetensors", *words, **options)
    state = pathlib.Path("out.safetensors").read_bytes() if done.returncode == 0 else b""
    lines = [line for line in done.stderr.splitlines() if "steps" not in line]  # progress has times
    return done.returncode, lines, state


def evaluate(*words, **options):
    done = ampc("eval", "m.mlir", "--checkpoint=out.safetensors", "--data", "x=x.npy", "--data", "y=y.npy", *words, **options)
    return done.returncode, done.stderr, done.stdout


def check(what, good):
    if not good:
        failures.append(what)
        print("wrong:", what)


def how(run, *words, **options):
    """"hit", "new" or "none", by the inode of the entry, and the result."""
    before = entries()
    for name in before:
        os.utime(CACHE / name, (1, 1))
    result = run(*words, **options)
    after = entries()
    made = [name for name in after if name not in before or after[name].st_ino != before[name].st_ino]
    used = [name for name in after if name not in made and after[name].st_mtime > 2]
    return ("new" if made else "hit" if used else "none"), result


def twice(what, run, *words, **options):
    """Compiles at first, then not; the result is that without a cache."""
    kind, first = how(run, *words, **options)
    check(f"{what}: first is {kind}", kind == "new")
    kind, second = how(run, *words, **options)
    check(f"{what}: second is {kind}", kind == "hit")
    check(f"{what}: results differ", first == second and first[0] == 0)
    return second


pathlib.Path("m.mlir").write_text(MODEL)
rng = np.random.default_rng(1)
np.save("x.npy", rng.standard_normal((32, 3)).astype(np.float32))
np.save("y.npy", rng.integers(0, 4, 32).astype(np.int32))
write_bias(0.5)

plain = twice("train", train)
check("train differs from --no-cache", plain == train("--no-cache"))
kind, _ = how(train, "--no-cache")
check(f"--no-cache is {kind}", kind == "none")
kind, _ = how(train, cache="")
check(f"an empty AMPC_CACHE is {kind}", kind == "none")
kind, _ = how(train, "--seed=4", "--steps=2")
check(f"options of the run are {kind}", kind == "hit")
scores = twice("eval", evaluate)
check("eval lacks accuracy", "accuracy" in scores[2] and scores == evaluate("--no-cache"))

# Messages of a compilation are replayed by a hit in the cache.
said = twice("remarks", train, "--precision=bf16", "--explain-precision")
check("remarks are missing", any("remark" in line for line in said[1]))

# Everything that decides about code makes an entry of its own.
pathlib.Path("policy.txt").write_text("softmax_cross_entropy = full\n")
for words in [["--precision=bf16"], ["--precision=bf16", "--master-weights=false"], ["--precision=bf16", "--policy-file=policy.txt"], ["--freeze=b"], ["--target=reference"], ["--quiet"]]:
    kind, _ = how(train, *words)
    check(f"{words} is {kind}", kind == "new")
pathlib.Path("policy.txt").write_text("softmax_cross_entropy = narrow\n")
kind, _ = how(train, "--precision=bf16", "--policy-file=policy.txt")
check(f"a changed policy file is {kind}", kind == "new")
kind, one = how(train, AMPC_ISA="plain")
check(f"another tier is {kind}", kind == "new")
write_bias(-0.5)
kind, moved = how(train)
check(f"changed first values are {kind}", kind == "new")
check("changed first values are the old ones", moved == train("--no-cache") and moved[2] != plain[2])
pathlib.Path("m.mlir").write_text(MODEL.replace("lr = 0.1", "lr = 0.2"))
kind, _ = how(train)
check(f"a changed model is {kind}", kind == "new")
pathlib.Path("m.mlir").write_text(MODEL)
write_bias(0.5)

# Damage is a miss, without a word.
train()
for name in entries():
    file = CACHE / name
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
kind, again = how(train)
check(f"a damaged entry is {kind}", kind == "new")
check("a damaged entry changes the result", again == plain)

# Folders that cannot be used, files that cannot be written, and a model from standard input.
pathlib.Path("file").write_text("x")
for cache in ["file", "file/below", "/proc/none"]:
    check(f"AMPC_CACHE={cache}", train(cache=cache) == plain)
limited = subprocess.run("ulimit -f 1; ampc train m.mlir --data x=x.npy --data y=y.npy --steps=3 --quiet", shell=True, env={**os.environ, "AMPC_CACHE": "small"}, capture_output=True, text=True)
check(f"a full disk: {limited.stderr}", limited.returncode == 0 and not limited.stderr and not list(pathlib.Path("small").iterdir()))
os.mkdir("open")
os.chmod("open", 0o777)
check("a folder of all", train(cache="open") == plain and not os.listdir("open"))
piped = subprocess.run(["ampc", "train", "-", "--data", "x=x.npy", "--data", "y=y.npy", "--steps=1"], input=MODEL, env={**os.environ, "AMPC_CACHE": "piped"}, capture_output=True, text=True)
check("standard input", piped.returncode == 0 and not os.path.exists("piped"))

# Several processes at once.
together = [subprocess.Popen(["ampc", "eval", "m.mlir", "--checkpoint=out.safetensors", "--data", "x=x.npy", "--data", "y=y.npy"], env={**os.environ, "AMPC_CACHE": "shared"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(4)]
outputs = {process.communicate() for process in together}
check(f"processes at once: {outputs}", len(outputs) == 1 and len(os.listdir("shared")) == 1)

# The doctor counts and clears.
count = len(entries())
doctor = ampc("doctor").stdout
check("the doctor's count", f"{count} files" in doctor)
cleared = ampc("doctor", "--clear-cache").stdout
check(f"cleared: {cleared}", cleared.startswith(f"removed {count} files") and not entries())
sys.exit(bool(failures) or print("all good"))
