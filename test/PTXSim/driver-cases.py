#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the cases of ptxsim-driver-cases, each in the necessary environment, and checks the output and the written files.

usage: driver-cases.py PTXSIM-DRIVER-CASES FOLDER-OF-LIBCUDA"""
import json, os, re, subprocess, sys, tempfile

program, folder = sys.argv[1:3]
failures = 0

def expect(condition, what):
    global failures
    if not condition:
        failures += 1
        print('FAILED:', what)

def run(case, fails=False, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith('PTXSIM_') or k == 'PTXSIM_EXECUTOR'}
    environment.update({'PTXSIM_' + k: v for k, v in variables.items()}, LD_LIBRARY_PATH=folder)
    r = subprocess.run([program, case], env=environment, capture_output=True, text=True, timeout=120)
    expect((r.returncode != 0) == fails, f'{case} with {variables}: {r.returncode}\n{r.stdout}{r.stderr}')
    return r

for case in ('limits', 'text', 'sticky', 'memory', 'marks', 'contexts', 'capture', 'capture-errors', 'graphs', 'entry-points'):
    run(case)
run('memory-limit', MEMORY='1000000')
run('no-marks', DEFINEDNESS='0')
run('devices', DEVICES='2')

# attributes 75, 76: capability; 16: multiprocessors; 8, 97, 81: shared memory; 39, 106: threads and blocks; 120: clusters
chips = {
    '7.5': {75: 7, 76: 5, 16: 40, 8: 49152, 97: 65536, 81: 65536, 38: 4 << 20, 39: 1024, 106: 16, 111: 0, 120: 0, 95: 0},
    '8.0': {75: 8, 76: 0, 16: 108, 8: 49152, 97: 166912, 81: 167936, 38: 40 << 20, 39: 2048, 106: 32, 111: 1024, 120: 0, 95: 0},
    '8.6': {75: 8, 76: 6, 16: 82, 8: 49152, 97: 101376, 81: 102400, 38: 6 << 20, 39: 1536, 106: 16, 111: 1024, 120: 0, 95: 0},
    '8.9': {75: 8, 76: 9, 16: 128, 8: 49152, 97: 101376, 81: 102400, 38: 72 << 20, 39: 1536, 106: 24, 111: 1024, 120: 0, 95: 0},
    '9.0': {75: 9, 76: 0, 16: 132, 8: 49152, 97: 232448, 81: 233472, 38: 50 << 20, 39: 2048, 106: 32, 111: 1024, 120: 1, 95: 0},
    '10.0': {75: 10, 76: 0, 16: 148, 8: 49152, 97: 232448, 81: 233472, 38: 126 << 20, 39: 2048, 106: 32, 111: 1024, 120: 1, 95: 0},
    '12.0': {75: 12, 76: 0, 16: 170, 8: 49152, 97: 101376, 81: 102400, 38: 96 << 20, 39: 1536, 106: 24, 111: 1024, 120: 1, 95: 0},
}
for chip, want in chips.items():
    out = run('chip', CAPABILITY=chip).stdout
    got = {int(k): int(v) for k, v in re.findall(r'attribute (\d+) (-?\d+)', out)}
    expect(got == want, f'attributes of {chip}: {got}, expected {want}')
    major = float(chip)
    expect(f'sm_80 {0 if major >= 8 else 218}\n' in out, f'{chip} and PTX for sm_80: {out}')
    expect(f'sm_90a {0 if major == 9 else 218}\n' in out, f'{chip} and PTX for sm_90a: {out}')
    expect(f'cluster {0 if major >= 9 else 801}\n' in out, f'{chip} and clusters: {out}')
out = run('chip', CAPABILITY='9.0', SM_COUNT='7').stdout
expect('attribute 16 7\n' in out, f'PTXSIM_SM_COUNT: {out}')

lines = run('leaks', LEAKS='1').stderr
released, at_exit = lines.split('still alive at exit', 1) if 'still alive at exit' in lines else (lines, '')
for text in ('1234 bytes of device memory at 0x', 'a stream\n', 'an event\n', 'the module of kernel'):
    expect(f'still alive when the primary context was released: {text}' in released, f'"{text}" in {lines}')
expect(released.count('still alive when') == 4, f'nothing else: {lines}')
expect(': a graph\n' in at_exit and 'the primary context of device 0, retained 1 times' in at_exit, f'at exit: {lines}')
expect(run('leaks').stderr == '', 'no report of leaks unless it is asked for')

with tempfile.TemporaryDirectory() as d:
    run('report', REPORT=f'{d}/r.json')
    report = json.load(open(f'{d}/r.json'))
    kernels = {k['kernel']: k for k in report['kernels']}
    expect(set(kernels) == {'add', 'wide'}, f'kernels: {list(kernels)}')
    add, wide = kernels['add'], kernels['wide']
    # 2 parameters, load, sum, store and return, by a warp of a single thread, three times
    expect(add['launches'] == 3 and add['warpInstructions'] == 18 and add['threadInstructions'] == 18, f'add: {add}')
    expect(add['globalLoadSectors'] == 3 and add['globalStoreRequests'] == 3, f'sectors: {add}')
    expect(add['globalSectorsRead'] == 3 and add['globalSectorsWritten'] == 3, f'sectors, each once: {add}')
    expect(add['instructionMix']['add.u32'] == 3 and add['registers'] > 0, f'mix: {add}')
    expect(wide['configurations'] == [{'grid': [2, 1, 1], 'block': [64, 1, 1], 'cluster': [1, 1, 1], 'dynamicShared': 256, 'launches': 1}],
           f'configurations: {wide}')
    expect(wide['sharedRequests'] == 4 and wide['sharedWaves'] == 4, f'shared memory: {wide}')
    expect(report['copies']['hostToDevice'] == {'copies': 1, 'bytes': 4} and report['copies']['deviceToHost']['bytes'] == 4, 'copies')
    run('report', REPORT=f'{d}/s.json', SAMPLE='1', fails=True)  # a word is not 4: one of three launches ran
    expect(json.load(open(f'{d}/s.json'))['kernels'] == report['kernels'], 'counters of launches that are not run')
    r = run('report', fails=False, REPORT=f'{d}/none/r.json')
    expect('cannot write' in r.stderr, f'a report that cannot be written: {r.stderr}')

for variables, message in (({'RACES': '1'}, 'PTXSIM_RACES'), ({'CAPABILITY': '3.5'}, 'expected one of 7.5, 8.0'), ({'SM_COUNT': '0'}, 'PTXSIM_SM_COUNT'),
                           ({'MEMORY': '1G'}, 'expected a number'), ({'ASYNC': 'never'}, 'lazy, eager, random'), ({'THREADS': '-1'}, 'PTXSIM_THREADS'),
                           ({'SUPPRESS': '3;4'}, 'line numbers such as 12,40'), ({'SAMPLE': '1'}, 'a path in PTXSIM_REPORT')):
    r = run('limits', fails=True, **variables)
    expect(message in r.stderr, f'{variables}: {r.stderr}')

print('all checks passed' if not failures else f'{failures} checks failed')
sys.exit(failures != 0)
