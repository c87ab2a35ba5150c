# Uses `ampc train` as a person does, in a terminal and in a script: train-runs.py CASE FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import csv
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../Oracle"))
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../Data"))
import optimizers as data

case, folder = sys.argv[1:3]
os.makedirs(folder, exist_ok=True)


def path(name):
    return os.path.join(folder, name)


def write_model():
    """The classifier of the oracle tests with dropout, so that a resume needs the random counter, too."""
    text = data.model("#train.adamw<lr = 0.01>")
    shape = f"tensor<{data.BATCH}x{data.FEATURES}xf32>"
    text = text.replace("train.matmul %x,", "train.matmul %d,")
    text = text.replace("    %0 =", f"    %d = train.dropout %x rate 0.25 : {shape}\n    %0 =")
    with open(path("model.mlir"), "w") as out:
        out.write(text)
    x, y = data.make_data()
    data.write_npy(path("x.npy"), "f", (data.ROWS, data.FEATURES), x)
    data.write_npy(path("y.npy"), "i", (data.ROWS,), y)
    return x, y


def command(*options, y=None):
    return ["ampc", "train", path("model.mlir"), "--data", "x=" + path("x.npy"), "--data", "y=" + (y or path("y.npy")), *map(str, options)]


def run(*options, **more):
    done = subprocess.run(command(*options, **more), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr.decode()
    return done.stderr.decode()


def losses(name):
    with open(path(name)) as file:
        return [row["loss"] for row in csv.DictReader(file)]


def read(name):
    with open(path(name), "rb") as file:
        return file.read()


def in_terminal(arguments, until=None, keys=b"", columns=0):
    """Output and exit status of a program in a terminal; `keys` are typed when `until` is on the screen."""
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
        os.execvp(arguments[0], arguments)
    text, deadline = b"", time.monotonic() + 100
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 1)[0]:
            try:
                more = os.read(terminal, 65536)
            except OSError:  # the end of a terminal on Linux
                more = b""
            if not more:
                break
            text += more
        if until and re.search(until, text):
            os.write(terminal, keys)
            until = None
    os.close(terminal)
    return text.decode(), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def interrupt():
    """Ctrl-C after some steps: a complete checkpoint, from which training goes on as if nothing had been."""
    write_model()
    text, status = in_terminal(command("--steps", 10**9, "--out", path("stopped.safetensors"), "--log", path("stopped.csv")),
                               rb"step [0-9]{3,}/", b"\x03")
    assert status == 130, (status, text[-500:])
    assert "interrupted" in text and "saved " + path("stopped.safetensors") in text, text[-500:]
    return "interrupted " + check_stopped()


def run_until(signal, is_time, *options):
    """A run without an end that gets a signal at some time."""
    started = subprocess.Popen(command("--steps", 10**9, "--out", path("stopped.safetensors"), "--log", path("stopped.csv"), *options),
                               stderr=subprocess.PIPE)
    while not is_time():
        assert started.poll() is None
        time.sleep(0.01)
    started.send_signal(signal)
    text = started.communicate()[1].decode()
    return text, started.returncode


def has_steps(count):
    return os.path.exists(path("stopped.csv")) and len(losses("stopped.csv")) >= count


def terminate():
    """SIGTERM, which a batch system sends to a job at the end of the allotted time, acts like Ctrl-C."""
    write_model()
    text, status = run_until(signal.SIGTERM, lambda: has_steps(100))
    assert status == 128 + signal.SIGTERM, (status, text[-500:])
    assert "terminated" in text and "saved " + path("stopped.safetensors") in text, text[-500:]
    return "terminated " + check_stopped()


def save_every():
    """A run that SIGKILL ends leaves the last periodic checkpoint: with --save-every=7 the step of the state is a multiple of 7."""
    write_model()
    run("--steps", 3, "--out", path("first.safetensors"))
    text, status = run_until(signal.SIGKILL, lambda: has_steps(100), "--resume", path("first.safetensors"), "--save-every=7")
    assert status == -signal.SIGKILL and "saved" not in text, (status, text[-500:])
    content = read("stopped.safetensors")
    header = json.loads(content[8:8 + struct.unpack_from("<Q", content)[0]])
    done = int(header["__metadata__"]["runs.train_step"], 16)
    assert done >= 98 and done % 7 == 0, done
    run("--steps", done, "--out", path("straight.safetensors"))
    assert read("stopped.safetensors") == read("straight.safetensors")
    # Training outlives a save that fails.
    os.remove(path("stopped.safetensors"))
    os.mkdir(path("stopped.safetensors"))
    done = subprocess.run(command("--steps", 9, "--save-every=4", "--out", path("stopped.safetensors")), stderr=subprocess.PIPE)
    lines = done.stderr.decode().splitlines()
    assert done.returncode == 1 and sum("ampc: warning: " in line for line in lines) == 2 and "ampc: error: " in lines[-1], lines
    assert any(line.startswith("step 9/9") for line in lines), lines
    return "saved after every seventh step"


def check_stopped():
    """A stopped run leaves the checkpoint of a run of as many steps, and resumes with the bits of a run without a stop."""
    done = len(losses("stopped.csv"))
    assert 100 <= done < 10**9
    run("--steps", done, "--out", path("straight.safetensors"))
    assert read("stopped.safetensors") == read("straight.safetensors")
    run("--steps", done + 7, "--resume", path("stopped.safetensors"), "--log", path("stopped.csv"), "--out", path("resumed.safetensors"))
    run("--steps", done + 7, "--threads", 1, "--log", path("longer.csv"), "--out", path("longer.safetensors"))
    assert read("resumed.safetensors") == read("longer.safetensors")
    assert read("stopped.csv") == read("longer.csv")  # the log goes on, too
    return "after at least 100 steps, resumed, equal"


def skips():
    """Rows that overflow f16 make skipped steps; a resumed run reads the same batches as an uninterrupted run."""
    x, _ = write_model()
    for row in (3, 17):
        x[row * data.FEATURES] = 6e4  # dropout makes it 8e4
    data.write_npy(path("x.npy"), "f", (data.ROWS, data.FEATURES), x)
    options = ("--precision=f16", "--seed", 3)
    run(*options, "--steps", 40, "--threads", 1, "--log", path("straight.csv"), "--out", path("straight.safetensors"))
    run(*options, "--steps", 25, "--threads", 2, "--log", path("parts.csv"), "--out", path("part.safetensors"))
    with open(path("parts.csv")) as file:
        skipped = sum(int(row["skipped"]) for row in csv.DictReader(file))
    assert 2 <= skipped < 20, skipped
    run(*options, "--steps", 40, "--resume", path("part.safetensors"), "--log", path("parts.csv"), "--out", path("whole.safetensors"))
    assert read("parts.csv") == read("straight.csv")
    assert read("whole.safetensors") == read("straight.safetensors")
    # Files of older versions lack the number of runs: the number of updates is used.
    content = read("part.safetensors")
    size = struct.unpack_from("<Q", content)[0]
    header = json.loads(content[8:8 + size])
    runs = {key: int(value, 16) for key, value in header["__metadata__"].items() if key.startswith("runs.")}
    assert runs == {"runs.train_step": 25, "runs.grad": 0}, runs
    for key in (*runs, "version", "header_hash"):
        del header["__metadata__"][key]
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path("older.safetensors"), "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + content[8 + size:])
    run(*options, "--steps", 25 - skipped + 1, "--resume", path("older.safetensors"), "--out", path("newer.safetensors"))
    assert f'"runs.train_step":"{25 - skipped + 1:016x}"'.encode() in read("newer.safetensors")
    return "skipped steps use up data before and after a resume"


def progress():
    """A terminal gets a bar that is redrawn in place, a file gets plain lines."""
    write_model()
    note = "ampc: note: nothing of this training is kept without --out=FILE.safetensors"
    rate, left = r"loss [0-9.]+  [0-9.]+ steps/s", r"  ETA [0-9:]+"
    text, status = in_terminal(command("--steps", 30))
    assert status == 0 and re.search(r"\r\[#+\.+\] step 1/30  " + rate + left, text), text
    assert re.search(r"\r\[#+\] step 30/30  " + rate + r"  in [0-9:]+ *\r?\n$", text), text
    # In a narrow terminal the line fits: less important parts are left out.
    for columns in (79, 40, 24, 8):
        text, status = in_terminal(command("--epochs", 3, "--validate", "x=" + path("x.npy"), "--validate", "y=" + path("y.npy")), columns=columns)
        lines = re.findall(r"\r([^\r\n]*step [^\r\n]*|loss[^\r\n]*)", text)
        assert status == 0 and lines and all(len(line) < columns for line in lines), (columns, text)
        assert ("val_loss" in lines[-1]) == (columns == 79) and ("step 12/12" in lines[-1]) == (columns >= 24), (columns, lines)
        assert re.search("loss [0-9]", lines[-1]), (columns, lines)
    plain = run("--steps", 30)
    assert "\r" not in plain and "[" not in plain, plain
    lines = plain.splitlines()
    assert lines.pop(0) == note and note not in run("--steps", 3, "--out", path("kept.safetensors"))
    assert len(lines) >= 2 and all(re.fullmatch(r"step \d+/30  " + rate + "(" + left + "|  in [0-9:]+)", line) for line in lines), plain
    assert lines[0].startswith("step 1/30 ") and lines[-1].startswith("step 30/30 ")
    return "a bar and plain lines"


def order():
    """The loss of step i is the number of the row in the batch of that step."""
    rows = 11
    with open(path("model.mlir"), "w") as out:
        out.write("""train.model @rows {
  train.param @w : tensor<1xf32> = #train.zeros
  train.func @loss(%x: tensor<1x1xf32>, %y: tensor<1xi32>) -> tensor<f32> {
    %w = train.read @w : tensor<1xf32>
    %0 = train.add %x, %w : tensor<1x1xf32>, tensor<1xf32>
    %1 = train.reduce_sum %0 over [0, 1] : tensor<1x1xf32>
    train.return %1 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.0>
}
""")
    data.write_npy(path("x.npy"), "f", (rows, 1), list(range(rows)))
    data.write_npy(path("y.npy"), "i", (rows,), [0] * rows)

    def seen(name, *options):
        run("--log", path(name + ".csv"), *options)
        return [int(loss) for loss in losses(name + ".csv")]

    plain = seen("plain", "--shuffle=false", "--steps", 2 * rows)
    assert plain == 2 * list(range(rows)), plain
    first = seen("first", "--seed", 5, "--steps", 2 * rows)
    epochs = first[:rows], first[rows:]
    assert all(sorted(epoch) == list(range(rows)) for epoch in epochs), first
    assert epochs[0] != epochs[1] and plain[:rows] not in epochs
    assert seen("again", "--seed", 5, "--steps", 2 * rows) == first
    assert seen("other", "--seed", 6, "--steps", 2 * rows) != first
    seen("half", "--seed", 5, "--steps", 4, "--out", path("half.safetensors"))
    rest = seen("rest", "--seed", 5, "--steps", 2 * rows, "--resume", path("half.safetensors"))
    assert rest == first[4:], (rest, first)
    return "every row once per epoch, in an order that the seed fixes"


def events(file):
    """Scalars of an event file (TFRecord with CRC-32C, protocol buffers), read by plain code."""
    from check_files import crc32c, fields, unmask
    content, at, scalars = read(file), 0, []
    while at < len(content):
        size, check = struct.unpack_from("<QI", content, at)
        body = content[at + 12:at + 12 + size]
        assert unmask(check) == crc32c(content[at:at + 8])
        assert unmask(struct.unpack_from("<I", content, at + 12 + size)[0]) == crc32c(body)
        event = dict(fields(body))
        if 5 in event:
            value = dict(fields(dict(fields(event[5]))[1]))
            scalars.append((value[1].decode(), event[2], value[2]))
        at += 16 + size
    return scalars


def logs():
    """The CSV file and the event file tell the same, and rows come from any file format."""
    x, y = write_model()
    run("--steps", 20, "--log", path("npy.csv"), "--tensorboard", path("board"))
    (name,) = os.listdir(path("board"))
    assert name.startswith("events.out.tfevents."), name
    tags = events(os.path.join("board", name))
    assert {tag for tag, _, _ in tags} == {"loss"}, tags  # no charts of what the step does not have
    found = [(step, value) for tag, step, value in tags]
    expected = [(i + 1, struct.unpack("f", struct.pack("f", float(loss)))[0]) for i, loss in enumerate(losses("npy.csv"))]
    assert found == expected and len(found) == 20, (found, expected)
    header = json.dumps({"junk": {"dtype": "U8", "shape": [3], "data_offsets": [0, 3]},
                         "classes": {"dtype": "I32", "shape": [len(y)], "data_offsets": [3, 3 + 4 * len(y)]}}).encode()
    with open(path("labels.safetensors"), "wb") as out:
        out.write(struct.pack("<Q", len(header)) + header + b"abc" + struct.pack(f"<{len(y)}i", *y))
    run("--steps", 20, "--log", path("tensor.csv"), y=path("labels.safetensors") + ":classes")
    assert read("tensor.csv") == read("npy.csv")
    return "20 losses in three files"


def board():
    """Every value of the CSV file that the step has is a chart of TensorBoard."""
    x, _ = write_model()
    x[3 * data.FEATURES] = 6e4  # overflows f16 by dropout
    data.write_npy(path("x.npy"), "f", (data.ROWS, data.FEATURES), x)
    with open(path("model.mlir")) as file:
        text = file.read()
    rule = "#train.adamw<lr = 0.01>"
    assert rule in text
    with open(path("model.mlir"), "w") as file:
        file.write(text.replace(rule, rule + " schedule #train.linear_warmup<warmup = 10> {clip_norm = 1.0}"))
    run("--precision=f16", "--steps", 40, "--log", path("log.csv"), "--tensorboard", path("board"))
    (name,) = os.listdir(path("board"))
    found = {}
    for tag, step, value in events(os.path.join("board", name)):
        found.setdefault(tag, []).append((step, value))
    expected, skipped, updates = {}, 0, {}
    with open(path("log.csv")) as file:
        for row in csv.DictReader(file):
            skipped += int(row.pop("skipped"))
            row["skipped_steps"] = skipped
            step = int(row.pop("step"))
            updates[step] = step - skipped
            if row["nonfinite"] == "0":
                del row["nonfinite"]
            for tag, value in row.items():
                expected.setdefault(tag, []).append((step, struct.unpack("f", struct.pack("f", float(value)))[0]))
    assert repr(found) == repr({tag: expected[tag] for tag in found}) and found.keys() == expected.keys(), (found, expected)
    assert 0 < skipped < 40 and any(value > 0 for _, value in found["grad_norm"])
    for step, rate in found["learning_rate"]:  # a skipped step shows the rate of the skipped update
        assert any(abs(rate - 0.01 * min(1, number / 10)) < 1e-9 for number in (updates[step], updates[step] + 1)), (step, rate)
    return "six charts"


def numbers():
    """Further results of a loss function appear in the progress line, the CSV file and the charts: of the batch of each step, of two steps
    in turn, and after a resume."""
    with open(path("model.mlir"), "w") as out:
        out.write("""train.model @beside(batch = 2) {
  train.param @w : f32[1, 1] = #train.fill<0.5>
  train.param @v : f32[1, 1] = #train.fill<0.25>
  train.func @loss(%x: f32[batch, 1], %y: f32[batch, 1]) {
    %p = train.matmul %x, %w
    %fit = train.mse %p, %y
    %square = train.mul %w, %w
    %penalty = train.reduce_sum %square over [0, 1]
    %total = train.add %fit, %penalty
    train.return %total, %penalty as "penalty", %fit as "fit"
  }
  train.func @other(%x: f32[batch, 1], %y: f32[batch, 1]) {
    %p = train.matmul %x, %v
    %far = train.l1 %p, %y
    %half = train.constant dense<0.5> : tensor<f32>
    %total = train.mul %far, %half
    train.return %total, %far as "fit"
  }
  train.step @first minimize @loss over [@w] with #train.sgd<lr = 0.125>
  train.step @second minimize @other over [@v] with #train.sgd<lr = 0.125>
}
""")
    x, y = [1.0, 2.0, -3.0, 0.5, 1.5, -1.0], [2.0, -1.0, 0.25, 4.0, 0.5, 1.0]
    for name, values in (("x", x), ("y", y)):
        data.write_npy(path(name + ".npy"), "f", (6, 1), values)

    def rows(name, *options):
        shown = run("--shuffle=false", "--log", path(name + ".csv"), "--tensorboard", path(name), *options)
        with open(path(name + ".csv")) as file:
            found = list(csv.DictReader(file))
        charts = {}
        for file in sorted(os.listdir(path(name))):
            for tag, step, value in events(os.path.join(name, file)):
                charts.setdefault(tag, {})[step] = value
        return shown, found, charts

    def check(charts, tag, found, column):
        wanted = {int(row["step"]): struct.unpack("f", struct.pack("f", float(row[column])))[0] for row in found if row[column]}
        assert charts[tag] == wanted, (tag, charts[tag], wanted)

    shown, found, charts = rows("one", "--step", "first", "--steps", 6)
    w = 0.5
    assert list(found[0])[-2:] == ["penalty", "fit"] and set(charts) == {"loss", "penalty", "fit"}, (found[0], charts)
    for i, row in enumerate(found):
        batch = [(x[j % 6], y[j % 6]) for j in (2 * i, 2 * i + 1)]
        wanted = {"fit": sum((w * a - b)**2 for a, b in batch) / 2, "penalty": w * w}
        wanted["loss"] = wanted["fit"] + wanted["penalty"]
        for name in wanted:
            assert abs(float(row[name]) - wanted[name]) <= 1e-5 * wanted[name], (row, wanted)
        w -= 0.125 * (sum(a * (w * a - b) for a, b in batch) + 2 * w)
    for name in wanted:
        check(charts, name, found, name)
    last = found[-1]
    line = f"step 6/6  loss {float(last['loss']):.5g}  penalty {float(last['penalty']):.5g}  fit {float(last['fit']):.5g}"
    assert line in shown, (line, shown)
    # Two steps alternate, with separate columns and charts.
    both = "--step", "first,second:2", "--seed", 4
    shown, straight, charts = rows("two", *both, "--steps", 5)
    assert {"first.penalty", "first.fit", "second.fit"} <= set(straight[0]) and "fit" not in straight[0], straight[0]
    for step, name in ("first", "penalty"), ("first", "fit"), ("second", "fit"):
        check(charts, f"{step}/{name}", straight, f"{step}.{name}")
    for row in straight:
        assert abs(float(row["second.loss"]) - float(row["second.fit"]) / 2) < 1e-6 and abs(float(row["first.loss"]) - float(row["first.fit"]) - float(row["first.penalty"])) < 1e-5, row
    rows("parts", *both, "--steps", 3, "--out", path("part.safetensors"))
    _, resumed, again = rows("parts", *both, "--steps", 5, "--resume", path("part.safetensors"))
    assert (resumed, again) == (straight, charts), (resumed, straight)
    return "numbers beside the loss in three places"


print(globals()[case]())
