# Trains on several ranks and sends a signal to one of them: send-signal.py SIGNAL RANK LOG COMMAND... The signal is sent once LOG has 20
# steps. Prints the signal and the exit status.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import pathlib
import signal
import subprocess
import sys
import time

name, rank, log, *command = sys.argv[1:]
log = pathlib.Path(log)
log.unlink(missing_ok=True)
process = subprocess.Popen(command)
deadline = time.monotonic() + 120
while not log.exists() or log.read_bytes().count(b"\n") < 20:
    if process.poll() is not None or time.monotonic() > deadline:
        sys.exit("the training has not begun")
    time.sleep(0.02)
os.kill(int(pathlib.Path(f"pid{rank}").read_text()), getattr(signal, name))
try:
    print(f"status {process.wait(timeout=120)} after {name} to rank {rank}")
except subprocess.TimeoutExpired:
    process.kill()
    sys.exit("the training does not end")
