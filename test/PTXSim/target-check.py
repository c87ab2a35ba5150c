#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds Inputs/targets.txt against ptxas: every instruction is accepted for its first target and
version, and refused for all before.

usage: target-check.py PTXAS TARGETS.txt"""
import re, subprocess, sys, tempfile

ptxas, path = sys.argv[1:3]
TARGETS = ['sm_75', 'sm_80', 'sm_86', 'sm_89', 'sm_90', 'sm_100', 'sm_120'] # targets that this ptxas supports
FIRST = {'sm_75': 6.3, 'sm_80': 7.0, 'sm_86': 7.1, 'sm_89': 7.8, 'sm_90': 7.8, 'sm_90a': 8.0, 'sm_100': 8.6, 'sm_100a': 8.6}
VERSIONS = [6.3, 6.4, 6.5, 7.0, 7.1, 7.2, 7.3, 7.4, 7.5, 7.6, 7.7, 7.8, 8.0, 8.1, 8.2, 8.3, 8.4, 8.5, 8.6, 8.7, 8.8, 9.0]
REGISTERS = '''.reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .b16 %h<8>; .reg .f32 %f<8>; .reg .f64 %fd<8>;
.reg .pred %p<4>; .shared .align 16 .b8 s[1024];'''

def accepts(target, version, instruction):
    q = '.reg .b128 %q<4>;' if '%q' in instruction else ''
    text = f'.version {version}\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 a)\n{{\n{REGISTERS}{q}\n{instruction}\nret;\n}}\n'
    with tempfile.NamedTemporaryFile('w', suffix='.ptx') as f:
        f.write(text)
        f.flush()
        r = subprocess.run([ptxas, '-arch', target, f.name, '-o', '/dev/null'], capture_output=True, text=True)
        return r.returncode == 0, r.stdout + r.stderr

bad = rows = 0
def expect(want, target, version, instruction):
    global bad
    got, text = accepts(target, version, instruction)
    if got != want:
        bad += 1
        print(f'ptxas {"accepts" if got else "refuses"} for {target}, {version}: {instruction}', '' if got else text.strip().split('\n')[0])

for line in open(path):
    if line[0] == '#':
        continue
    target, version, instruction = line.strip().split(' ', 2)
    version = float(version)
    rows += 1
    plain = target.rstrip('a')
    if plain not in TARGETS: # ptxas 13 has forgotten sm_50 to sm_70
        target = plain = 'sm_75'
        version = max(version, FIRST[target])
        expect(True, target, version, instruction)
    else:
        expect(True, target, version, instruction)
        before = TARGETS.index(plain) - (target == plain)
        if before >= 0:
            expect(False, TARGETS[before], 9.0, instruction)
        if target == 'sm_90a' and 'setmaxnreg' not in instruction:
            expect(False, 'sm_100a', 9.0, instruction)
    older = VERSIONS[VERSIONS.index(version) - 1] if version > VERSIONS[0] else 0
    first = FIRST[plain] if target == plain else FIRST[target]
    if older >= first:
        expect(False, target, older, instruction)
print(f'{rows} instructions, {bad} disagreements')
sys.exit(bad != 0)
