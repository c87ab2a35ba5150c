# Ends `ampc train` by signals, cut files and crashes, and reads the remaining files: endings.py CASE FOLDER [WHICH,...]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""signals: each signal that would end the process, one whose sender the process ignores, and readers that go away
files:   data that becomes shorter, a limit of file sizes
crash:   a crash of the tool itself
asked:   signals of users to a compilation
time:    saves by the clock"""
import json
import os
import signal
import struct
import subprocess
import sys
import time

case, folder = sys.argv[1], os.path.abspath(sys.argv[2])
os.makedirs(folder, exist_ok=True)
os.chdir(folder)
SIZE, ROWS = 64, 512
MODEL = f"""train.model @ends {{
  train.param @w : tensor<{SIZE}x1xf32> = #train.kaiming_uniform
  train.func @loss(%x: tensor<8x{SIZE}xf32>) -> tensor<f32> {{
    %w = train.read @w : tensor<{SIZE}x1xf32>
    %d = train.dropout %x rate 0.25 : tensor<8x{SIZE}xf32>
    %0 = train.matmul %d, %w : (tensor<8x{SIZE}xf32>, tensor<{SIZE}x1xf32>) -> tensor<8x1xf32>
    %1 = train.square %0 : tensor<8x1xf32>
    %2 = train.reduce_mean %1 over [0, 1] : tensor<8x1xf32>
    train.return %2 : tensor<f32>
  }}
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.01, momentum = 0.9>
}}
"""


def write_files():
    with open("ends.mlir", "w") as out:
        out.write(MODEL)
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({ROWS}, {SIZE}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open("x.npy", "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        out.write(struct.pack(f"<{ROWS * SIZE}f", *(i * 7 % 23 / 23 for i in range(ROWS * SIZE))))


def start(name, *options, **more):
    command = ["ampc", "train", "ends.mlir", "--data", "x=x.npy", "--threads", "1", "--steps", str(10**9), "--out", f"{name}.st", "--log", f"{name}.csv", *options]
    return subprocess.Popen(command, stderr=more.pop("stderr", subprocess.PIPE), **more)


def await_steps(name, run, steps=20):
    deadline = time.monotonic() + 60
    while not os.path.exists(f"{name}.csv") or os.path.getsize(f"{name}.csv") < 20 * steps:
        assert run.poll() is None and time.monotonic() < deadline, run.returncode
        time.sleep(0.01)


def steps_of(name):
    with open(f"{name}.st", "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
    return int(header["__metadata__"]["runs.train_step"], 16)


def expect_straight(name):
    """The state is that of a run of as many steps that nothing has ended."""
    steps = steps_of(name)
    assert steps >= 5, steps
    subprocess.run(["ampc", "train", "ends.mlir", "--data", "x=x.npy", "--threads", "1", "--steps", str(steps), "--out", "straight.st"], check=True, stderr=subprocess.DEVNULL)
    with open(f"{name}.st", "rb") as one, open("straight.st", "rb") as other:
        assert one.read() == other.read(), name


def number_of(name):
    """Number of a signal; Python has no name for SIGSTKFLT before version 3.11."""
    return 16 if name == "STKFLT" else getattr(signal, "SIG" + name)


def signals():
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup SIGHUP is ignored, and stays ignored in ampc
    kinds = sys.argv[3].split(",")
    for name in kinds:
        run = start(name)
        await_steps(name, run)
        run.send_signal(number_of(name))
        text = run.communicate(timeout=60)[1].decode()
        assert run.returncode == 128 + number_of(name), (name, run.returncode, text)
        assert f"saved {name}.st" in text, text
    expect_straight(kinds[-1])
    assert all(steps_of(name) >= 5 for name in kinds)
    # nohup ampc train: a signal that the caller ignores stays ignored.
    run = start("nohup", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    await_steps("nohup", run)
    run.send_signal(signal.SIGHUP)
    time.sleep(0.2)
    assert run.poll() is None
    run.terminate()
    run.communicate(timeout=60)
    assert run.returncode == 143
    # ampc train 2>&1 | head: the next line of progress finds no reader.
    run = start("pipe")
    await_steps("pipe", run)
    run.stderr.close()
    assert run.wait(timeout=60) == 128 + signal.SIGPIPE
    assert steps_of("pipe") >= 5
    return f"{len(kinds)} signals and a pipe, all saved"


def files():
    content = open("x.npy", "rb").read()
    for name in sys.argv[3].split(","):
        length = {"page": 100, "middle": len(content) // 2, "last": len(content) - 4}[name]
        with open("x.npy", "wb") as out:
            out.write(content)
        run = start(name)
        await_steps(name, run)
        os.truncate("x.npy", length)
        text = run.communicate(timeout=60)[1].decode()
        assert run.returncode == 1, (name, run.returncode, text)
        assert "x.npy: expected a file of constant length during the read, but the file became shorter" in text and f"saved {name}.st" in text, text
        assert "llvm" not in text.lower(), text
        with open("x.npy", "wb") as out:
            out.write(content)
        expect_straight(name)
    run = start("limit", preexec_fn=lambda: __import__("resource").setrlimit(__import__("resource").RLIMIT_FSIZE, (16384, 16384)))
    text = run.communicate(timeout=60)[1].decode()
    assert run.returncode == 1 and "limit.csv" in text and "saved limit.st" in text, (run.returncode, text)
    expect_straight("limit")
    return "data that became shorter and a limit of sizes, all saved"


def crash():
    os.makedirs("left", exist_ok=True)
    run = start("crash", env={**os.environ, "TMPDIR": "left", "LLVM_DISABLE_SYMBOLIZATION": "1"})
    await_steps("crash", run)
    run.send_signal(signal.SIGSEGV)
    text = run.communicate(timeout=60)[1].decode()
    assert run.returncode == -signal.SIGSEGV, (run.returncode, text)
    assert "ampc: error: ampc has crashed" in text and "docs/reliability.md" in text, text
    assert "llvm-project" not in text and "PLEASE submit" not in text, text
    left = f"left/ampc-crash-{run.pid}"
    assert f"are in {left}" in text, text
    command = open(f"{left}/command").read().splitlines()
    assert command[0].startswith("# ampc ") and command[1].startswith("ampc train ends.mlir --data x=x.npy "), command
    assert open(f"{left}/ends.mlir").read() == MODEL
    # Data may be private: their names and sizes alone, unless asked for.
    assert "AMPC_CRASH_DATA" in text and f"# not copied: x.npy, {os.path.getsize('x.npy')} bytes" in command, (text, command)
    assert sorted(os.listdir(left)) == ["command", "ends.mlir"], os.listdir(left)
    run = start("asked", env={**os.environ, "TMPDIR": "left", "LLVM_DISABLE_SYMBOLIZATION": "1", "AMPC_CRASH_DATA": "1"})
    await_steps("asked", run)
    run.send_signal(signal.SIGSEGV)
    run.communicate(timeout=60)
    assert open(f"left/ampc-crash-{run.pid}/x.npy", "rb").read() == open("x.npy", "rb").read()
    return "a crash left its command and files"


def asked():
    """A key and a limit of processor time end a compilation, before there is a state to save: not a crash of ampc."""
    for kind in (signal.SIGQUIT, signal.SIGXCPU):
        os.mkfifo(f"{kind.name}.mlir")  # a model that comes later
        run = subprocess.Popen(["ampc", "compile", f"{kind.name}.mlir"], stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": folder},
                               preexec_fn=lambda: signal.signal(signal.SIGQUIT, signal.SIG_DFL))
        writer = os.open(f"{kind.name}.mlir", os.O_WRONLY)
        run.send_signal(kind)
        text = run.communicate(timeout=60)[1].decode()
        os.close(writer)
        assert run.returncode == -kind and text == "", (kind, run.returncode, text)
    assert not [name for name in os.listdir(".") if name.startswith("ampc-crash")]
    return "no crash, no word, no folder"


def wait_for(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def clock():
    """A training that is killed has saved by the clock; the default's ten minutes pass in half a second here."""
    for name, options, environment in (("second", ["--save-every=1s"], {}), ("default", [], {"LD_PRELOAD": os.path.join(folder, "fast-clock.so")})):
        run = start(name, *options, env={**os.environ, **environment})
        wait_for(lambda: run.poll() is not None or os.path.exists(f"{name}.st"))
        assert run.poll() is None, run.communicate()
        run.kill()
        run.communicate()
        expect_straight(name)
    return "saved by the clock"


def preloaded():
    """The handler of a preloaded library stays: a profiler's signal ends nothing, and reaches the profiler."""
    run = start("profiled", stdout=subprocess.PIPE, env={**os.environ, "LD_PRELOAD": os.path.join(folder, "profiler.so")})
    await_steps("profiled", run)
    for _ in range(3):
        run.send_signal(signal.SIGPROF)
        time.sleep(0.1)
    assert run.poll() is None
    run.terminate()
    out = run.communicate(timeout=60)[0].decode()
    assert run.returncode == 143 and out == "sss", (run.returncode, out)
    return "the profiler saw its signals"


write_files()
print({"signals": signals, "files": files, "crash": crash, "asked": asked, "time": clock, "preloaded": preloaded}[case]())
