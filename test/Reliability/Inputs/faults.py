# Injects failures of system calls, and kills, into saves, loads, compilations, trainings and exports: faults.py FOLDER CASE=RUNS...
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""FOLDER has the programs inject and faults, and faults.mlir. Each case first runs without faults, which says what calls it makes; then each
call fails in every way that its manual knows, once and from there on, and the process is killed before it and in the middle of it. RUNS is
the number of these faults that are tried, chosen by a fixed seed (0: all), and of pairs of faults at different calls, in which the way back
from one meets the other: 100, or 100+4000 with more pairs than single faults. No fault and no pair of a case is tried twice.

Held: a file at the path is the old one or the new one, whole; status 0 means the new one, any other has words; a signal, a hang or LLVM's
words are faults; nothing lies beside the files that a kill or a failing unlink does not explain, and that the next run does not remove."""
import errno
import os
import random
import re
import shutil
import stat
import struct
import subprocess
import sys

folder = os.path.abspath(sys.argv[1])
place, temporary = f"{folder}/out", f"{folder}/tmp"
LIMIT = 60
WRONG_WORDS = ("LLVM ERROR", "has crashed", "terminate called", "internal error", "glibc error")
ERRORS = {
    "open": "EACCES EMFILE ENFILE ENOENT ENOSPC EINTR EIO EROFS ENOMEM ELOOP EOPNOTSUPP EPERM EDQUOT ESTALE ETXTBSY EINVAL", "read": "EIO EINTR ESTALE short half end",
    "write": "EIO ENOSPC EDQUOT EINTR EFBIG EPERM ESTALE short half", "sendfile": "EIO ENOSPC EINTR EINVAL ENOMEM EDQUOT", "fsync": "EIO ENOSPC EINTR EDQUOT EROFS ESTALE",
    "flock": "EINTR EWOULDBLOCK ENOLCK EINVAL EBADF", "fcntl": "EMFILE EINVAL", "link": "EEXIST ENOENT EPERM EXDEV EMLINK ENOSPC EIO EACCES EDQUOT ENOMEM EROFS",
    "rename": "EACCES EIO ENOSPC EPERM EROFS EBUSY EXDEV EDQUOT ENOENT ENOMEM ESTALE", "fchmod": "EPERM EIO EROFS", "fchown": "EPERM EIO EROFS EINVAL EDQUOT",
    "ftruncate": "EIO EPERM EINTR EINVAL", "lseek": "EINVAL ESPIPE", "mmap": "ENOMEM EACCES EAGAIN ENODEV EPERM ENFILE", "close": "EIO EINTR ENOSPC EDQUOT",
    "unlink": "EACCES EIO EBUSY EROFS ENOENT EPERM", "mkdir": "EACCES ENOSPC EROFS EDQUOT", "stat": "EACCES EIO ENOENT ENOMEM ELOOP ESTALE",
    "readlink": "EACCES EIO EINVAL ENOENT", "access": "EACCES ENOENT", "getcwd": "ENOENT ERANGE", "dup": "EMFILE EBUSY",
    "clone": "EAGAIN ENOMEM", "sched_getaffinity": "EINVAL", "nanosleep": "EINTR", "getdents": "EIO ENOENT", "mprotect": "ENOMEM",
    "madvise": "EINVAL ENOMEM", "pipe2": "EMFILE ENFILE", "wait4": "EINTR ECHILD", "getrandom": "EINTR EAGAIN", "sysinfo": "EFAULT",
    "chmod": "EPERM EROFS EIO", "umask": ""}
KINDS = {"openat": "open", "pread64": "read", "pwrite64": "write", "writev": "write", "fdatasync": "fsync", "linkat": "link", "renameat": "rename",
         "renameat2": "rename", "unlinkat": "unlink", "lstat": "stat", "fstat": "stat", "newfstatat": "stat", "statx": "stat", "clone3": "clone",
         "vfork": "clone", "getdents64": "getdents", "faccessat2": "access"}


# Errors that are answers: a missing file, or a file that is no link. If injected falsely, no program can do its task.
ANSWERS = {"stat": ["ENOENT"], "readlink": ["EINVAL", "ENOENT"]}


def ways_of(call, lies):
    kind = KINDS.get(call, call)
    ways = [way for way in ERRORS[kind].split() if lies or way not in ANSWERS.get(kind, [])]
    named = [str(getattr(errno, way)) if way[0] == "E" else way for way in ways]
    return named, ["kill"] + (["middle"] if kind == "write" else [])


def read(path):
    with open(path, "rb") as file:
        return file.read()


def contents():
    return {name: read(f"{place}/{name}") for name in os.listdir(place)}


# Messages with which the C library ends a process without memory for the first thread-local variable, or without random numbers, followed
# by those of ampc's crash handler; the kind of failed call; the status.
C_LIBRARY = [(re.compile(r"(ampc: (error|warning): .*\n)*Fatal glibc error: failed to register TLS destructor: out of memory\n"
                         r"(ampc: error: ampc has crashed, .*\n)?(ampc: error: out of memory.*\n)?"), "mmap", 1),
             (re.compile(r"(?=(?:.*\n)*?Fatal glibc error: cannot get entropy for arc4random\n)"
                         r"(Fatal glibc error: cannot get entropy for arc4random\n|ampc: error: ampc has crashed, .*\n|Stack dump:\n|[0-9]+\..*\n|"
                         r" *#[0-9]+ .*\n|The command and copies of the source files .*\n)+"), "getrandom", 134)]


def is_impossible(faults, call):
    """Whether none of the faults is one that the call can have. Threads shift numbers: a call that was openat in the first run, which may
    fail with ENOSPC, is getrandom in another, which never does."""
    ways, kills = ways_of(call, lies=True)
    return not {fault.split(":")[1] for fault in faults} & {*ways, *kills}


def is_ended_by_c_library(faults, code, text, hit):
    return any(call in hit and ("+:" in "".join(faults) or is_impossible(faults, call)) and code == status and sentence.fullmatch(text)
               for sentence, call, status in C_LIBRARY)


class Case:
    """`command` writes into `place`, where `old` wrote before and `arrange` changed names and rights. `later`: commands whose files are
    intermediate states of the same path. `growing`: files of rows, of which a failing run may have the first ones. `holds`: a condition on
    the files of every run. `always`: faults of every run. `lies`: whether calls may say that there is nothing where there is something."""

    def __init__(self, name, command, mark, old=None, later=(), arrange=lambda: None, growing=(), holds=lambda: True, always=(), lies=True):
        self.name, self.command, self.mark, self.arrange = name, command, mark, arrange
        self.growing, self.holds, self.always, self.lies = growing, holds, list(always), lies
        self.old = {}
        self.old = self.made(old)
        self.new = self.made(command)
        self.allowed = {file: {self.old.get(file), data} for file, data in self.new.items()}
        for each in later:
            for file, data in self.made(each).items():
                self.allowed[file].add(data)
        self.begin()
        self.calls = [line.split()[0] for line in self.run([])[2]]
        assert len(self.calls) >= 5, self.calls

    def made(self, command):
        self.begin()
        if command:
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if not self.old:
            self.arrange()
        return contents()

    def begin(self):
        for path in (place, temporary):
            shutil.rmtree(path, ignore_errors=True)
            os.mkdir(path)
        for name, data in self.old.items():
            with open(f"{place}/{name}", "wb") as out:
                out.write(data)
        if self.old:
            self.arrange()

    def run(self, faults):
        command = [f"{folder}/inject", f"{folder}/log", self.mark, *self.always, *faults, "--", *self.command]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=LIMIT, env={**os.environ, "TMPDIR": temporary})
        with open(f"{folder}/log") as log:
            return done.returncode, done.stderr.decode(errors="replace"), log.read().splitlines()

    def may_be(self, name, found):
        return found in self.allowed[name] or (found is not None and name in self.growing and self.new[name].startswith(found))

    def judge(self, faults, code, text, hit):
        """The violated condition, or None."""
        killed = code == 137
        found = contents()
        for name in self.allowed:
            if not self.may_be(name, found.get(name)):
                return f"{name} is neither old nor new"
            if code == 0 and found.get(name) != self.new[name]:
                return f"status 0, but {name} is not the new one"
        if not self.holds():
            return "files have other rights or kinds"
        beside_crash = ()
        if is_ended_by_c_library(faults, code, text, hit):
            code, text = 1, "the sentence of the C library"
            beside_crash = "ampc-crash-"
        if code >= 125 and not killed or code == 5 or any(words in text for words in WRONG_WORDS):
            return f"status {code}: {text}"
        if code and not killed and not text and "write" not in hit:
            return f"status {code} without a word"
        # A run that fails early may leave an older run's files.
        beside = {name for name in set(found) - set(self.allowed) if code == 0 or found[name] != self.old.get(name)}
        temporaries = [name for name in os.listdir(temporary) if not name.startswith(beside_crash)]
        if beside or (temporaries and not killed):
            if not killed and not any(KINDS.get(call, call) in ("unlink", "stat", "open", "flock") for call in hit):
                return f"left {beside or temporaries}"
            code, text, _ = self.run([])
            if code or contents() != self.new:
                return f"left {beside}, and the next run left {set(contents()) - set(self.new)}: {text}"
        return None

    def ways(self):
        """Ways to fail and to be killed of each kind of call: {"openat": (["3:13", ...], ["3:kill", ...])}."""
        ways = {}
        for number, call in enumerate(self.calls, 1):
            errors, kills = ways_of(call, self.lies)
            failing, killing = ways.setdefault(call, ([], []))
            # Signals end: no call is interrupted for ever.
            failing += [f"{number}:{way}" for way in errors] + [f"{number}+:{way}" for way in errors if way != str(errno.EINTR)]
            killing += [f"{number}:{way}" for way in kills]
        return ways

    def trials(self, singles_wanted, pairs_wanted):
        """Samples have all kinds of calls alike, whichever are most frequent; every fourth pair ends with a kill."""
        chance = random.Random(len(self.name) + singles_wanted)
        ways = self.ways()
        kinds = sorted(ways)
        every = {each for failing, killing in ways.values() for each in failing + killing}

        def draw(kills):
            failing, killing = ways[chance.choice(kinds)]
            return chance.choice(killing if kills or not failing else failing)

        chosen = every if singles_wanted in (0, len(every)) else set()
        for _ in range(20 * singles_wanted):
            if len(chosen) < min(singles_wanted, len(every)):
                chosen.add(draw(chance.randrange(8) == 0))
        pairs = set()
        for number in range(20 * (pairs_wanted or len(chosen))):
            first, second = draw(False), draw(number % 4 == 0)
            if len(pairs) < (pairs_wanted or len(chosen)) and int(first.split(":")[0].rstrip("+")) < int(second.split(":")[0].rstrip("+")):
                pairs.add((first, second))
        return [[one] for one in sorted(chosen)] + [list(pair) for pair in sorted(pairs)]

    def sweep(self, singles_wanted, pairs_wanted):
        trials = self.trials(singles_wanted, pairs_wanted)
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
            failures += len(hit) > (code == 137) + len(self.always)
        print(f"{self.name}: {len(self.calls)} calls, {len(trials)} runs, {failures} failures, {kills} kills, {len(faults)} faults", flush=True)
        for fault in faults:
            print("  " + fault[:600], flush=True)
        return failures, kills, len(faults)


def write_model(name, width, text=""):
    with open(f"{folder}/faults.mlir") as file:
        model = file.read()
    os.makedirs(f"{folder}/{name}", exist_ok=True)
    with open(f"{folder}/{name}/faults.mlir", "w") as out:
        out.write(model.replace("WIDTH", str(width)).replace("<lr = 0.01>", "<lr = 0.01>" + text))
    return f"{folder}/{name}/faults.mlir"


def write_inputs():
    model = write_model("new", 6)
    with open(f"{folder}/x.csv", "w") as out:
        out.writelines(",".join(str((row * 7 + column) % 5) for column in range(6)) + "\n" for row in range(24))
    header = str({"descr": "<f4", "fortran_order": False, "shape": (24, 6)}).ljust(117).encode() + b"\n"
    with open(f"{folder}/x.npy", "wb") as out:
        out.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + struct.pack("<144f", *(k % 5 for k in range(144))))
    for name in ("good", "read"):
        subprocess.run([f"{folder}/faults", "save", f"{folder}/{name}.safetensors", "3"], check=True)
    export = ["ampc", "export", model, "--checkpoint", f"{folder}/good.safetensors", "-o", f"{folder}/good.onnx"]
    subprocess.run(export, check=True, stdout=subprocess.DEVNULL)
    return model, write_model("old", 7)


state = f"{place}/state"


def link():
    """`state` becomes a symbolic link; the file behind the link is another disk's in earnest."""
    if os.path.exists(f"{place}/target"):
        os.remove(state)
    else:
        os.rename(state, f"{place}/target")
    os.symlink("target", state)


def leave_stale():
    with open(f"{place}/.state.ampc-new", "wb") as out:
        out.write(b"the beginning of a checkpoint")


def is_private():
    """Whether no other user can read a file with content, under the final or under a hidden name."""
    infos = [os.lstat(f"{place}/{name}") for name in os.listdir(place)]
    return all(stat.S_IMODE(info.st_mode) == 0o600 for info in infos if info.st_size)


def host_cases(name):
    def save(seed):
        return [f"{folder}/faults", "save", state, str(seed)]

    def load(how):
        return Case(name, [f"{folder}/faults", how, f"{folder}/read.safetensors", f"{folder}/good.safetensors"], "read.")

    return {
        "save": lambda: Case(name, save(2), "out/", save(1)),
        "first-save": lambda: Case(name, save(2), "out/"),
        "named-save": lambda: Case(name, save(2), "out/", save(1), always=[f"unnamed:{errno.EOPNOTSUPP}"]),
        "linked-save": lambda: Case(name, save(2), "out/", save(1), arrange=link, holds=lambda: os.path.islink(state), lies=False),
        "private-save": lambda: Case(name, save(2), "out/", save(1), arrange=lambda: os.chmod(state, 0o600), holds=is_private, lies=False),
        "stale-save": lambda: Case(name, save(2), "out/", save(1), arrange=leave_stale),
        "load": lambda: load("load"),
        "weights": lambda: load("weights")}


def command_cases(name, model, other):
    data = ["--data", f"x={folder}/x.csv"]
    checkpoint = ["--checkpoint", f"{folder}/good.safetensors"]

    def train(steps, *more, source=model):
        return ["ampc", "train", source, *data, "--threads=1", "--steps", str(steps), "--out", state, *more]

    def compiled(source, *more):
        return ["ampc", "compile", source, "-o", place, *more]

    def bound(source):
        return compiled(source, "--bindings=python,cpp,fortran")

    def predict(rows, *more):
        return ["ampc", "predict", model, "--data", f"x={folder}/{rows}", *checkpoint, "--threads=1", "--out", f"{place}/y.npy", *more]

    def resumed(steps):
        return train(steps, f"--resume={folder}/good.safetensors")

    def logged(steps):
        return train(steps, f"--log={place}/log.csv")

    def split(steps):
        return train(steps, "--save-every=2", source=write_model("parts", 6, " {micro_batches = 2}"))

    def case(*arguments, **more):
        return lambda: Case(name, *arguments, **more)

    mark, each = "faults.mlir", "--save-every=2"
    validated = [each, "--validate", f"x={folder}/x.csv", "--validate-every=2", f"--best={place}/best"]
    return {
        "compile": case(compiled(model), mark, compiled(other)),
        "first-compile": case(compiled(model), mark),
        "bindings": case(bound(model), mark, bound(other)),
        "gpu": case(compiled(model, "--target=sm_90a,cpu", "--gpu-images=ptx"), mark, compiled(other, "--target=sm_90a,cpu", "--gpu-images=ptx")),
        "train": case(train(6, each), mark, train(1), [train(2, each), train(4, each)]),
        "log": case(logged(6), mark, later=[logged(steps) for steps in range(1, 6)], growing=["log.csv"]),
        "resume": case(resumed(6), mark, train(1)),
        "parts": case(split(6), mark, split(1), [split(2), split(4)]),
        "best": case(train(4, *validated), mark, later=[train(2, *validated)]),
        "export": case(["ampc", "export", model, *checkpoint, "--external-data", "-o", f"{place}/m.onnx"], mark),
        "import": case(["ampc", "import", f"{folder}/good.onnx", "--batch=8", "-o", f"{place}/m.mlir"], "good.onnx"),
        "predict": case(predict("x.csv"), mark),
        "predict-npy": case(predict("x.npy"), mark, predict("x.csv")),
        "profile": case(["ampc", "profile", model, *data, "--threads=1", "-o", f"{place}/p.json"], mark),
        "report": case(["ampc", "report", model, "-o", f"{place}/p.html", "--json", f"{place}/p.json"], mark)}


def main():
    model, other = write_inputs()
    total = [0, 0, 0]
    for word in sys.argv[2:]:
        name, runs = word.split("=")
        singles, _, pairs = runs.partition("+")
        case = {**host_cases(name), **command_cases(name, model, other)}[name]()
        total = [a + b for a, b in zip(total, case.sweep(int(singles), int(pairs or singles)))]
    print(f"{total[0]} failures, {total[1]} kills, {total[2]} faults")


main()
