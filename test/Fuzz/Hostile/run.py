# Runs the libFuzzer targets of a build, and adds the outcomes to the test results.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: run.py BUILD --seconds=N [--seed=S] [--jobs=N] [--xml=FILE] [TARGET...]

BUILD is configured with AMPC_SANITIZE=fuzzer,address,undefined and has built fuzz-targets. New inputs of a target go
into BUILD/fuzz/TARGET, which later runs start from, beside Corpus/TARGET and the tests' own inputs; an input that fails
into BUILD/fuzz/TARGET-failed. Faults inside MLIR's parser are no findings, and counted separately.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

here = pathlib.Path(__file__).resolve().parent
tests = here.parents[1]
# Inputs of other tests: every op has a file in Numerics, every pass a file below its concern.
seeds = {
    "model": ["Numerics", "Train", "Precision", "LossScaling", "Dialect", "Driver/Inputs"],
    "plan": ["Fuzz/Hostile/Corpus/model", "Numerics", "Kernel", "Integration/Inputs"],
    "ptxsim-ptx": ["PTXSim/Kernels/ptx"],
}


def command(build, target, seconds, seed):
    folder, failed = build / "fuzz" / target, build / "fuzz" / f"{target}-failed"
    for made in (folder, failed):
        made.mkdir(parents=True, exist_ok=True)
    binary = build / "bin" / f"fuzz-{target}"
    inputs = [here / "Corpus" / target] + [tests / seed for seed in seeds.get(target, [])]
    # An input takes milliseconds; no input needs more memory than this.
    return [str(binary), f"-max_total_time={seconds}", f"-seed={seed}", "-max_len=8192", "-timeout=10", "-rss_limit_mb=2560",
            "-malloc_limit_mb=1024", "-print_final_stats=1", f"-artifact_prefix={failed}/", str(folder),
            *(str(path) for path in inputs if path.exists())]


def is_parser_fault(log):
    """Whether MLIR's parser comes before ampc's code, from the place of the fault outwards."""
    frames = re.findall(r"^ +#\d+ 0x[0-9a-f]+ (.*)", log, re.M)
    for frame in frames:
        if "libMLIR" in frame and re.search("Parser|parseAsmSourceFile", frame):
            return True
        if re.search(r"/(lib|mlir-dialects|include/ampc)/[\w/]+\.(cpp|h|td|inc):", frame):
            return False
    # A stack overflow shows a single library repeatedly.
    return bool(frames) and "stack-overflow" in log and all("libMLIR" in frame for frame in frames)


def is_slow(build, target, log, environment):
    """Whether a run that ended by timeout was slow because of the input. Timeouts count wall time, which a stalled or busy machine spends,
    too; so the input runs again, without others in its process."""
    written = re.search(r"Test unit written to (\S+/timeout-\w+)", log)
    if not written:
        return True
    again = subprocess.run([str(build / "bin" / f"fuzz-{target}"), "-timeout=10", written[1]], env=environment, cwd=build / "fuzz",
                           stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    if again.returncode == 0:
        os.remove(written[1])
    return again.returncode != 0


def fuzz(build, target, seconds, seed):
    """(number of executions, findings, faults in the parser): each finding and fault is the output of a run."""
    end, executions, findings, faults = time.monotonic() + seconds, 0, [], []
    environment = dict(os.environ)
    # LLVM is not instrumented: containers and allocators do not mark unused memory.
    environment["ASAN_OPTIONS"] = "allow_user_poisoning=0:detect_container_overflow=0:" + environment.get("ASAN_OPTIONS", "")
    symbolizer = shutil.which("llvm-symbolizer", path="/usr/lib/llvm-22/bin:" + os.environ["PATH"])
    if symbolizer:
        environment["ASAN_SYMBOLIZER_PATH"] = symbolizer
    while (left := int(end - time.monotonic())) > 0 and not findings:
        run = subprocess.run(command(build, target, left, seed), env=environment, cwd=build / "fuzz", stderr=subprocess.STDOUT,
                             stdout=subprocess.PIPE, text=True, errors="replace")
        executions += sum(map(int, re.findall(r"number_of_executed_units: (\d+)", run.stdout)))
        if run.returncode == 0:
            break
        if "SUMMARY: libFuzzer: timeout" in run.stdout and not is_slow(build, target, run.stdout, environment):
            continue
        (faults if target in ("model", "plan") and is_parser_fault(run.stdout) else findings).append(run.stdout)
    return executions, findings, faults


def main():
    options = argparse.ArgumentParser()
    options.add_argument("build", type=pathlib.Path)
    options.add_argument("--seconds", type=int, required=True)
    options.add_argument("--seed", type=int, default=0, help="of libFuzzer; 0 is one by chance")
    options.add_argument("--jobs", type=int, default=1, help="targets that run at a time")
    options.add_argument("--xml")
    options.add_argument("targets", nargs="*")
    arguments = options.parse_intermixed_args()
    build = arguments.build.resolve()
    built = sorted(path.name[len("fuzz-"):] for path in (build / "bin").glob("fuzz-*"))
    suite = xml.Element("testsuite", name="hostile files")

    def run(target):
        start = time.monotonic()
        return (target, *fuzz(build, target, arguments.seconds, arguments.seed), time.monotonic() - start)

    pool = concurrent.futures.ThreadPoolExecutor(arguments.jobs)
    for target, executions, findings, faults, seconds in pool.map(run, arguments.targets or built):
        case = xml.SubElement(suite, "testcase", name=target, classname="hostile files", time=f"{seconds:.1f}")
        apart = f", {len(faults)} faults inside MLIR's parser" if faults else ""
        print(f"{target}: {executions} inputs in {seconds:.0f} s, {len(findings)} findings{apart}", flush=True)
        if findings or not executions:
            xml.SubElement(case, "failure").text = "".join(findings)[-4000:] or "nothing was executed"
            print("\n".join(findings)[-6000:] or "nothing was executed")
    if arguments.xml:
        xml.ElementTree(suite).write(arguments.xml)
    if not built:
        sys.exit("expected fuzz targets in " + str(build / "bin"))
    sys.exit(suite.find("testcase/failure") is not None)


main()
