#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of ampc-ptxsim: listing, running with .npy and safetensors, reports, errors.

usage: cli-test.py AMPC-PTXSIM PTX-DIR"""
import json, os, struct, subprocess, sys, tempfile

tool, ptx = sys.argv[1:3]
failures = 0

def expect(condition, what):
    global failures
    if not condition:
        failures += 1
        print('FAILED:', what)

def run(*args):
    return subprocess.run([tool, *args], capture_output=True, text=True, timeout=120)

def npy(path, values):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    header += ' ' * (63 - (10 + len(header)) % 64) + '\n'
    with open(path, 'wb') as f:
        f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode() + struct.pack(f'<{len(values)}f', *values))

def read_npy(path):
    data = open(path, 'rb').read()
    return struct.unpack(f'<{(len(data) - 10 - struct.unpack("<H", data[8:10])[0]) // 4}f', data[10 + struct.unpack('<H', data[8:10])[0]:])

with tempfile.TemporaryDirectory() as d:
    basic, wgmma = f'{ptx}/basic.nvcc.ptx', f'{ptx}/gemm_wgmma.nvcc.ptx'
    r = run(basic)
    expect(r.returncode == 0 and 'kernel softmax' in r.stdout and 'softmax_param_3' in r.stdout, 'listing of kernels and parameters')
    n = 100
    a, b = [i * 0.25 for i in range(n)], [float(n - i) for i in range(n)]
    npy(f'{d}/a.npy', a)
    header = json.dumps({'bias': {'dtype': 'F32', 'shape': [n], 'data_offsets': [0, 4 * n]}}).encode()
    open(f'{d}/b.safetensors', 'wb').write(struct.pack('<Q', len(header)) + header + struct.pack(f'<{n}f', *b))
    open(f'{d}/job.launch', 'w').write(f'kernel vecadd\ngrid 1\nblock 64\narg in {d}/a.npy\narg in {d}/b.safetensors:bias  # a comment\n'
                                       f'arg out {d}/c.npy f32 {n}\narg i32 {n}\n')
    r = run('run', basic, f'{d}/job.launch', '--race', '--stats')
    expect(r.returncode == 0, 'run: ' + r.stderr)
    expect(list(read_npy(f'{d}/c.npy')) == [x + y for x, y in zip(a, b)], 'result in the .npy file')
    for text in ('instruction mix', 'sectors per request', 'H200: arithmetic intensity', 'RTX 4090', 'Left out'):
        expect(text in r.stdout, f'--stats prints "{text}"')
    r = run('run', basic, f'{d}/job.launch', '--trace', '0')
    expect(r.returncode == 0 and 'warp 0 exec ffffffff add.f32' in r.stderr, '--trace prints instructions')
    open(f'{d}/bad.launch', 'w').write(open(f'{d}/job.launch').read().replace(f'i32 {n}', f'i32 {n + 1}'))
    r = run('run', basic, f'{d}/bad.launch')
    expect(r.returncode == 2 and 'out of bounds' in r.stderr and 'b.safetensors:bias' in r.stderr, 'out of bounds names the file')
    open(f'{d}/typo.launch', 'w').write('kernel vecadd\ngird 1\n')
    r = run('run', basic, f'{d}/typo.launch')
    expect(r.returncode == 2 and "typo.launch:2: expected kernel, grid" in r.stderr, 'errors in launch files name the line')
    r = run('run', basic)
    expect(r.returncode == 2 and "expected a line 'kernel NAME'" in r.stderr and 'softmax' in r.stderr, 'a kernel must be named')
    for line, message in (('grid 4294967297', 'expected a grid size'), ('arg i8 128', 'expected a value of type i8'), ('arg i8 -129', 'type i8'),
                          ('arg u32 -1', 'expected a value of type u32'), ('arg i32 1x', 'type i32'), ('shared 1e9', 'expected a number of bytes'),
                          ('arg map f16 128B @0 abc box 3', "expected a size, but got 'abc'"), ('arg f33 1', 'expected an element type'),
                          ('arg zero f32 4294967296 4294967296 2', 'expected an array of at most 2^40 elements')):
        r = run('run', basic, '--set', line)
        expect(r.returncode == 2 and message in r.stderr, f'--set "{line}": {r.stderr}')
    r = run('run', basic, f'{d}/job.launch', '--trace', '7')
    expect(r.returncode == 2 and 'expected a warp of the block for --trace, but got 7 of 2' in r.stderr, 'warps out of range')
    for option, text in (('--threads', '0'), ('--async', 'never'), ('--budget', 'x'), ('--tensor', '')):
        r = run('run', basic, f'{d}/job.launch', option, text)
        expect(r.returncode == 2 and f'for {option}, but got' in r.stderr, f'{option} {text}: {r.stderr}')
    open(f'{d}/short.safetensors', 'wb').write(struct.pack('<Q', len(header)) + header.replace(b'[%d]' % n, b'[%d]' % (n - 1)) + bytes(4 * n + 1))
    r = run('run', basic, '--set', f'arg in {d}/short.safetensors:bias')
    expect(r.returncode == 2 and 'which does not fit its shape' in r.stderr, f'bytes beside the shape: {r.stderr}')
    r = run('--bogus', basic)
    expect(r.returncode == 2 and 'unknown option --bogus' in r.stderr, 'unknown options')
    r = run('/nonexistent.ptx')
    expect(r.returncode == 2 and 'cannot read' in r.stderr, 'missing files')
    open(f'{d}/unknown.ptx', 'w').write('.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n  frobnicate.b32 1;\n}\n')
    r = run(f'{d}/unknown.ptx')
    expect(r.returncode == 2 and 'unknown.ptx:6:3: frobnicate.b32: unknown instruction' in r.stderr, 'unknown instructions are named at load time')
    r = run(wgmma)
    expect('b8[128]' in r.stdout, 'tensor map parameters')
print('all checks passed' if not failures else f'{failures} checks failed')
sys.exit(failures != 0)
