# Lets system calls of saves, loads, compilations, trainings and exports fail, and kills them: faults.py FOLDER CASE=RUNS...
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""FOLDER has the programs inject and faults, and faults.mlir. Each case first runs without faults, which says what calls it makes; then each
call fails in every way that its manual knows, once and from there on, and the process is killed before it and in the middle of it. RUNS is
how many of these are run, chosen by a fixed seed (0: all), and as many again with two faults at random places, so that the way back from
one meets the other.

Held: a file at the path is the old one or the new one, whole; status 0 means the new one, any other has words; a signal, a hang or LLVM's
words are faults; nothing lies beside the files that a kill or a failing unlink does not explain, and that the next run does not remove."""
import errno
import os
import random
import shutil
import subprocess
import sys

folder = os.path.abspath(sys.argv[1])
place, temporary = f"{folder}/out", f"{folder}/tmp"
LIMIT = 20
ERRORS = {
    "open": "EACCES EMFILE ENFILE ENOENT ENOSPC EINTR EIO EROFS ENOMEM ELOOP EOPNOTSUPP", "read": "EIO EINTR short half",
    "write": "EIO ENOSPC EDQUOT EINTR EFBIG short half", "sendfile": "EIO ENOSPC EINTR EINVAL", "fsync": "EIO ENOSPC EINTR EDQUOT",
    "flock": "EINTR EWOULDBLOCK ENOLCK", "fcntl": "EMFILE EINVAL", "link": "EEXIST ENOENT EPERM EXDEV EMLINK ENOSPC EIO EACCES",
    "rename": "EACCES EIO ENOSPC EPERM EROFS EBUSY EXDEV EDQUOT", "fchmod": "EPERM EIO EROFS", "fchown": "EPERM EIO EROFS",
    "ftruncate": "EIO EPERM EINTR", "lseek": "EINVAL ESPIPE", "mmap": "ENOMEM EACCES EAGAIN", "close": "EIO EINTR",
    "unlink": "EACCES EIO EBUSY EROFS ENOENT", "mkdir": "EACCES ENOSPC EROFS", "stat": "EACCES EIO ENOENT ENOMEM ELOOP",
    "readlink": "EACCES EIO EINVAL ENOENT", "access": "EACCES ENOENT", "getcwd": "ENOENT ERANGE", "dup": "EMFILE EBUSY",
    "clone": "EAGAIN ENOMEM", "sched_getaffinity": "EINVAL", "nanosleep": "EINTR"}
KINDS = {"openat": "open", "pread64": "read", "pwrite64": "write", "writev": "write", "fdatasync": "fsync", "linkat": "link", "renameat": "rename",
         "renameat2": "rename", "unlinkat": "unlink", "lstat": "stat", "fstat": "stat", "newfstatat": "stat", "statx": "stat", "clone3": "clone",
         "vfork": "clone"}


def ways_of(call):
    kind = KINDS.get(call, call)
    named = [str(getattr(errno, way)) if way[0] == "E" else way for way in ERRORS[kind].split()]
    return named, ["kill"] + (["middle"] if kind == "write" else [])


def read(path):
    with open(path, "rb") as file:
        return file.read()


def contents():
    return {name: read(f"{place}/{name}") for name in os.listdir(place)}


class Case:
    """`command` writes into `place`, where `old` wrote before; `later`: commands whose files are intermediate states of the same path."""

    def __init__(self, name, command, mark, old=None, later=()):
        self.name, self.command, self.mark = name, command, mark
        self.old, self.new = self.made(old), self.made(command)
        self.allowed = {file: {self.old.get(file), data} for file, data in self.new.items()}
        for each in later:
            for file, data in self.made(each).items():
                self.allowed[file].add(data)
        self.begin()
        self.calls = [line.split()[0] for line in self.run([])[2]]
        assert len(self.calls) >= 5, self.calls

    def made(self, command):
        shutil.rmtree(place, ignore_errors=True)
        os.mkdir(place)
        if command:
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return contents()

    def begin(self):
        for path in (place, temporary):
            shutil.rmtree(path, ignore_errors=True)
            os.mkdir(path)
        for name, data in self.old.items():
            with open(f"{place}/{name}", "wb") as out:
                out.write(data)

    def run(self, faults):
        command = [f"{folder}/inject", f"{folder}/log", self.mark, *faults, "--", *self.command]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=LIMIT, env={**os.environ, "TMPDIR": temporary})
        with open(f"{folder}/log") as log:
            return done.returncode, done.stderr.decode(errors="replace"), log.read().splitlines()

    def judge(self, faults, code, text, hit):
        """What does not hold, or None."""
        killed = code == 137
        found = contents()
        for name, allowed in self.allowed.items():
            if found.get(name) not in allowed:
                return f"{name} is neither old nor new"
            if code == 0 and found.get(name) != self.new[name]:
                return f"status 0, but {name} is not the new one"
        # The C library itself ends a process for which it has no memory.
        text = text.split("Fatal glibc error: failed to register TLS destructor: out of memory")[0] or "out of memory" if code == 1 else text
        if code >= 125 and not killed or code == 5 or any(words in text for words in ("LLVM ERROR", "has crashed", "terminate called", "internal error")):
            return f"status {code}: {text}"
        if code and not killed and not text and "write" not in hit:
            return f"status {code} without a word"
        beside = set(found) - set(self.allowed)
        if beside or (os.listdir(temporary) and not killed):
            if not killed and not any(KINDS.get(call, call) in ("unlink", "stat", "open", "flock") for call in hit):
                return f"left {beside or os.listdir(temporary)}"
            code, text, _ = self.run([])
            if code or contents() != self.new:
                return f"left {beside}, and the next run left {set(contents()) - set(self.new)}: {text}"
        return None

    def sweep(self, runs):
        chance = random.Random(len(self.name) + runs)
        singles = []
        for number, call in enumerate(self.calls, 1):
            errors, kills = ways_of(call)
            # Signals end: no call is interrupted for ever.
            singles += [f"{number}:{way}" for way in errors + kills] + [f"{number}+:{way}" for way in errors if way != str(errno.EINTR)]
        chosen = chance.sample(singles, min(runs, len(singles))) if runs else singles
        trials = [[one] for one in chosen] + [chance.sample(singles, 2) for _ in chosen]
        failures = kills = 0
        faults = []
        for trial in trials:
            self.begin()
            try:
                code, text, log = self.run(trial)
            except subprocess.TimeoutExpired:
                faults.append(f"{self.name} {trial}: did not end")
                continue
            hit = [line.split()[0] for line in log if line.endswith(" hit")]
            problem = self.judge(trial, code, text, hit)
            if problem:
                names = [self.calls[int(each.split(":")[0].rstrip("+")) - 1] for each in trial]
                faults.append(f"{self.name} {trial} {names}: {problem}")
            kills += code == 137
            failures += len(hit) > (code == 137)
        print(f"{self.name}: {len(self.calls)} calls, {len(trials)} runs, {failures} failures, {kills} kills, {len(faults)} faults")
        for fault in faults:
            print("  " + fault[:600])
        return failures, kills, len(faults)


def write_model(name, width):
    with open(f"{folder}/faults.mlir") as file:
        text = file.read()
    os.makedirs(f"{folder}/{name}", exist_ok=True)
    with open(f"{folder}/{name}/faults.mlir", "w") as out:
        out.write(text.replace("WIDTH", str(width)))
    return f"{folder}/{name}/faults.mlir"


def write_inputs():
    model = write_model("new", 6)
    with open(f"{folder}/x.csv", "w") as out:
        out.writelines(",".join(str((row * 7 + column) % 5) for column in range(6)) + "\n" for row in range(24))
    subprocess.run([f"{folder}/faults", "save", f"{folder}/good.safetensors", "3"], check=True)
    shutil.copy(f"{folder}/good.safetensors", f"{folder}/read.safetensors")
    return model, write_model("old", 7)


def case(name):
    model, other = write_inputs()
    data = ["--data", f"x={folder}/x.csv"]
    checkpoint = ["--checkpoint", f"{folder}/good.safetensors"]

    def save(seed):
        return [f"{folder}/faults", "save", f"{place}/state", str(seed)]

    def train(steps):
        return ["ampc", "train", model, *data, "--threads=1", "--steps", str(steps), "--save-every=2", "--out", f"{place}/state"]

    def compiled(source, *more):
        return ["ampc", "compile", source, "-o", place, *more]

    def exported(source):
        return ["ampc", "export", source, *checkpoint, "--external-data", "-o", f"{place}/m.onnx"]

    seeded = ["ampc", "predict", model, *data, *checkpoint, "--threads=1", "--out", f"{place}/y.npy"]
    cases = {
        "save": lambda: Case(name, save(2), "out/", save(1)),
        "first-save": lambda: Case(name, save(2), "out/"),
        "load": lambda: Case(name, [f"{folder}/faults", "load", f"{folder}/read.safetensors", f"{folder}/good.safetensors"], "read."),
        "compile": lambda: Case(name, compiled(model), "faults.mlir", compiled(other)),
        "bindings": lambda: Case(name, compiled(model, "--bindings=python,cpp,fortran"), "faults.mlir", compiled(other, "--bindings=python,cpp,fortran")),
        "train": lambda: Case(name, train(6), "faults.mlir", train(1), [train(2), train(4)]),
        "export": lambda: Case(name, exported(model), "faults.mlir"),
        "predict": lambda: Case(name, seeded, "faults.mlir"),
        "report": lambda: Case(name, ["ampc", "report", model, "-o", f"{place}/p.html", "--json", f"{place}/p.json"], "faults.mlir")}
    return cases[name]()


total = [0, 0, 0]
for word in sys.argv[2:]:
    name, runs = word.split("=")
    total = [a + b for a, b in zip(total, case(name).sweep(int(runs)))]
print(f"{total[0]} failures, {total[1]} kills, {total[2]} faults")
