# Kills programs during saves and checks the remaining files: crash.py calls|together|train|moments FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""calls:    a program that links a model, ended at every system call of a save
together: several processes save to one path
train:    ampc train, ended at every system call of a save
moments:  ampc train, ended at 100 random moments

FOLDER holds crash.mlir, the program crash-save and the library crash-shim.so."""
import os
import random
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../Oracle"))
import optimizers as data

case, folder = sys.argv[1], os.path.abspath(sys.argv[2])
place = f"{folder}/out"
path = f"{place}/state.safetensors"
SHIM = {"LD_PRELOAD": f"{folder}/crash-shim.so", "CRASH_FOLDER": place}


def read(name=path):
    with open(name, "rb") as file:
        return file.read()


def begin(old):
    shutil.rmtree(place, ignore_errors=True)
    os.mkdir(place)
    if old is not None:
        with open(path, "wb") as out:
            out.write(old)


def save_command(seed, times=1):
    return [f"{folder}/crash-save", path, str(seed), str(times)]


def train_command(steps, *options):
    return ["ampc", "train", f"{folder}/crash.mlir", "--data", f"x={folder}/x.npy", "--steps", str(steps), *options]


def content_of(command):
    """Content of the file after an uninterrupted run."""
    begin(None)
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    assert os.listdir(place) == [os.path.basename(path)]
    return read()


def end_at_every_call(command, old, new, when, without):
    """(number of a save's calls, the ends at calls that leave a second file)"""
    left, number = [], 0
    while True:
        number += 1
        begin(old)
        environment = {**os.environ, **SHIM, "CRASH_AT": str(number), "CRASH_WHEN": when, "CRASH_WITHOUT": without}
        done = subprocess.run(command, env=environment, stderr=subprocess.PIPE)
        if done.returncode == 0:
            assert read() == new and os.listdir(place) == [os.path.basename(path)], os.listdir(place)
            break
        assert done.returncode == -signal.SIGKILL, done.stderr.decode()
        ended = done.stderr.decode().splitlines()[-1]
        found = read() if os.path.exists(path) else None
        assert found == old or found == new, ended
        if len(os.listdir(place)) > (found is not None):
            left.append(ended)
        # The next save removes leftovers.
        if left and left[-1] == ended:
            subprocess.run(command, check=True, stderr=subprocess.DEVNULL, env={**os.environ, **SHIM, "CRASH_WITHOUT": without})
            assert read() == new and os.listdir(place) == [os.path.basename(path)], os.listdir(place)
    return number - 1, left


def sweep(command, old, new, whens, withouts=("",)):
    for without in withouts:
        for was in (None, old):
            for when in whens:
                count, left = end_at_every_call(command, was, new, when, without)
                assert count > 10, count
                if without == "" and when == "before":
                    assert left == ["ended before rename"], left
                if without == "" and when == "after":
                    assert left == ["ended after linkat"], left
                print(f"{without or 'all'} {when}: {count} ends, {len(left)} left a file, which the next save removed")


def calls():
    old, new = content_of(save_command(1)), content_of(save_command(2))
    assert old != new and len(old) == len(new)
    sweep(save_command(2), old, new, ("before", "middle", "after"), ("", "unnamed", "links"))


def together():
    """Three writers of the same path never disturb each other, whichever way of saving each of the three takes."""
    contents = [content_of(save_command(seed)) for seed in (1, 2, 3)]
    for ways in (("", "", ""), ("unnamed", "unnamed", "unnamed"), ("", "unnamed", "links")):
        begin(contents[0])
        writers = [subprocess.Popen(save_command(seed, 150), env={**os.environ, **SHIM, "CRASH_WITHOUT": way}) for seed, way in zip((1, 2, 3), ways)]
        while any(writer.poll() is None for writer in writers):
            assert read() in contents
        assert all(writer.returncode == 0 for writer in writers)
        assert read() in contents and os.listdir(place) == [os.path.basename(path)], os.listdir(place)
    print("three writers at a time, in every way")


def write_data(size):
    rng = random.Random(5)
    data.write_npy(f"{folder}/x.npy", "f", (8, size), [rng.uniform(-1, 1) for _ in range(8 * size)])


def train():
    write_data(96)
    old, new = content_of(train_command(3, "--out", path)), content_of(train_command(5, "--out", path))
    sweep(train_command(5, "--out", path), old, new, ("before", "after"))


def moments(count=100):
    """The end of a run that saves all the time. The size makes a save take about as long as a step."""
    write_data(2048)
    rng = random.Random(7)
    command = train_command(10**6, "--out", path, "--save-every=1")
    begin(None)
    stale = 0
    for number in range(count):
        run = subprocess.Popen(command + (["--resume", path] if number else []), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        before = os.stat(path).st_ino if number else None
        while not os.path.exists(path) or os.stat(path).st_ino == before:
            assert run.poll() is None
            time.sleep(0.01)
        assert len(os.listdir(place)) <= 2  # what the last end has left is gone but for the file being moved
        time.sleep(rng.uniform(0, 0.3))
        run.kill()
        run.wait()
        stale += len(os.listdir(place)) > 1
        subprocess.run(train_command(0, "--resume", path), check=True, stderr=subprocess.DEVNULL)  # valid hash
    content_of_last = train_command(1, "--resume", path, "--out", path)
    subprocess.run(content_of_last, check=True, stderr=subprocess.DEVNULL)
    assert os.listdir(place) == [os.path.basename(path)]
    print(f"{count} ends, {stale} left a file, none is there now")


{"calls": calls, "together": together, "train": train, "moments": moments}[case]()
