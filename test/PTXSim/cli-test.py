#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of ampc-ptxsim: listing, running with .npy and safetensors, reports, errors.

usage: cli-test.py AMPC-PTXSIM PTX-DIR"""
import json, os, re, struct, subprocess, sys, tempfile

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
    r = run('run', basic, f'{d}/job.launch', '--predict', 'h200')
    times = {name: float(time) for name, time in re.findall(r'^  (\w+) +(\S+) us$', r.stdout, re.M)}
    bound = max(('tensor', 'memory', 'issue', 'shared'), key=lambda name: times[name])
    expect(abs(times['predicted'] - times['launch'] - times[bound]) < 0.002 and times['launch'] > 1, f'--predict: {r.stdout}')
    # Three tensors of 13 sectors.
    expect(abs(times['memory'] - 39 * 32 / 4200e3) < 0.001 and 'instruction mix' not in r.stdout, f'--predict: {r.stdout}')
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
    for option, text in (('--threads', '0'), ('--async', 'never'), ('--predict', 'a100'), ('--budget', 'x'), ('--tensor', '')):
        r = run('run', basic, f'{d}/job.launch', option, text)
        expect(r.returncode == 2 and f'for {option}, but got' in r.stderr, f'{option} {text}: {r.stderr}')
    open(f'{d}/short.safetensors', 'wb').write(struct.pack('<Q', len(header)) + header.replace(b'[%d]' % n, b'[%d]' % (n - 1)) + bytes(4 * n + 1))
    r = run('run', basic, '--set', f'arg in {d}/short.safetensors:bias')
    expect(r.returncode == 2 and 'which do not fit the shape' in r.stderr, f'bytes beside the shape: {r.stderr}')
    r = run('--bogus', basic)
    expect(r.returncode == 2 and 'unknown option --bogus' in r.stderr, 'unknown options')
    r = run('/nonexistent.ptx')
    expect(r.returncode == 2 and 'cannot read' in r.stderr, 'missing files')
    open(f'{d}/unknown.ptx', 'w').write('.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n  frobnicate.b32 1;\n}\n')
    r = run(f'{d}/unknown.ptx')
    expect(r.returncode == 2 and 'unknown.ptx:6:3: frobnicate.b32: unknown instruction' in r.stderr, 'unknown instructions are named at load time')
    open(f'{d}/binary.ptx', 'wb').write(b'\x7fELF\x02\x01\x01\x00')
    r = run(f'{d}/binary.ptx')
    expect(r.returncode == 2 and 'binary.ptx:1:1: expected PTX, but got a binary file' in r.stderr, f'binary files: {r.stderr}')
    open(f'{d}/narrow.ptx', 'w').write('.version 8.0\n.target sm_80\n.address_size 32\n')
    r = run(f'{d}/narrow.ptx')
    expect('expected .address_size 64, but got 32' in r.stderr, f'32-bit addresses: {r.stderr}')

    # A kernel with only a map parameter: the buffer behind the map is no argument.
    head = '.version 8.0\n.target sm_90\n.address_size 64\n'
    open(f'{d}/map.ptx', 'w').write(head + '''.visible .entry k(.param .align 64 .b8 m[128])
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<4>;
  .shared .align 128 .b8 s[128];
  mov.u32 %r1, %tid.x; mov.u32 %r2, s; shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, %r2; st.shared.u32 [%r3], 0f40400000;
  fence.proxy.async; bar.sync 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra E;
  mov.u64 %rd1, m; cvta.param.u64 %rd1, %rd1; mov.u32 %r1, 0;
  cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1, {%r1}], [%r2];
  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
E: ret;
}
''')
    job = ['--set', f'buffer out {d}/m.npy f32 32', '--set', 'arg map f32 none @0 32 box 32', '--set', 'block 32']
    r = run('run', f'{d}/map.ptx', *job, '--race')
    expect(r.returncode == 0 and list(read_npy(f'{d}/m.npy')) == [3.0] * 32, f'a buffer behind a map: {r.stderr}')
    r = run('run', f'{d}/map.ptx', '--set', 'arg map f32 none @1 32 box 32')
    expect(r.returncode == 2 and 'maps @1, which is no buffer' in r.stderr, f'maps of nothing: {r.stderr}')
    r = run('run', f'{d}/map.ptx', '--set', 'buffer f32 1')
    expect(r.returncode == 2 and "expected in, out, inout or zero, but got 'f32'" in r.stderr, f'buffers are memory: {r.stderr}')
    r = run('run', basic, '--set', f'arg out {d}/x.safetensors:t f32 1')
    expect(r.returncode == 2 and 'expected an output NAME.npy' in r.stderr, f'outputs as safetensors: {r.stderr}')

    # Copies pending at exit, and findings of a line.
    open(f'{d}/exit.ptx', 'w').write(head + '''.visible .entry k(.param .u64 a)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  .shared .align 16 .b8 s[16];
  ld.param.u64 %rd1, [a]; mov.u32 %r1, s;
  cp.async.ca.shared.global [%r1], [%rd1], 4;
  ret;
}
''')
    job = ('run', f'{d}/exit.ptx', '--set', 'arg zero f32 4', '--set', 'block 1')
    r = run(*job)
    expect(r.returncode == 2 and 'pending cp.async copies' in r.stderr, f'strict exits: {r.stderr}')
    expect(run(*job, '--lenient-exits').returncode == 0, '--lenient-exits')
    open(f'{d}/race.ptx', 'w').write(head + '''.visible .entry k(.param .u64 a)
{
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [a];
  st.global.u32 [%rd1], 7;
  st.global.u32 [%rd1+4], 7;
  ret;
}
''')
    job = ('run', f'{d}/race.ptx', '--set', 'arg zero f32 4', '--set', 'block 64', '--race')
    r = run(*job)
    expect(r.returncode == 1 and r.stderr.count('write-write race') == 2, f'two races: {r.stderr}')
    r = run(*job, '--suppress', '8')
    expect(r.returncode == 1 and r.stderr.count('write-write race') == 1 and '1 findings suppressed' in r.stderr, f'one suppressed: {r.stderr}')
    r = run(*job, '--suppress', '8', '--suppress', '9')
    expect(r.returncode == 0 and 'race' not in r.stderr, f'both suppressed: {r.stderr}')

    # printf, of lanes 1 and 2
    text = ''.join(f'{c}, ' for c in b'lane %d: %.2f %s %lld%%\n\0')[:-2]
    open(f'{d}/print.ptx', 'w').write(head + f'''.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[{len(text.split(','))}] = {{{text}}};
.global .align 1 .b8 word[3] = {{104, 105, 0}};
.visible .entry k()
{{
  .local .align 8 .b8 args[32];
  .reg .b32 %r<4>; .reg .b64 %rd<9>; .reg .f64 %fd<2>; .reg .pred %p<3>;
  mov.u32 %r1, %tid.x; sub.u32 %r2, %r1, 1; setp.gt.u32 %p1, %r2, 1; @%p1 bra E;
  mov.u64 %rd1, args; cvta.local.u64 %rd2, %rd1;
  st.local.u32 [%rd1], %r1; mov.f64 %fd1, 0d3FF8000000000000; st.local.f64 [%rd1+8], %fd1;
  mov.u64 %rd3, word; cvta.global.u64 %rd3, %rd3; st.local.u64 [%rd1+16], %rd3;
  mov.u64 %rd4, -5000000000; st.local.u64 [%rd1+24], %rd4;
  mov.u64 %rd5, text; cvta.global.u64 %rd5, %rd5;
  {{ .param .b64 p0; st.param.b64 [p0], %rd5; .param .b64 p1; st.param.b64 [p1], %rd2; .param .b32 q;
    call.uni (q), vprintf, (p0, p1); ld.param.b32 %r3, [q]; }}
E: ret;
}}
''')
    r = run('run', f'{d}/print.ptx', '--set', 'block 32')
    expect(r.returncode == 0 and r.stdout == 'lane 1: 1.50 hi -5000000000%\nlane 2: 1.50 hi -5000000000%\n', f'printf: {r.stdout}{r.stderr}')
    r = run(wgmma)
    expect('b8[128]' in r.stdout, 'tensor map parameters')
print('all checks passed' if not failures else f'{failures} checks failed')
sys.exit(failures != 0)
