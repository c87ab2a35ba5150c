#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seeds one defect at a time into the kernels of the suite and checks that the interpreter finds it.

Every barrier, wait, fence, arrive, guard and swizzle is removed or weakened. A mutant is found when
the default mode or the race mode reports an error, a race or a wrong result. Mutants in EQUIVALENT
change nothing under any schedule; each carries the argument, and they are at most 5 % of the
mutants of either compiler.

usage: inject-faults.py KERNEL-CHECK PTX-DIR [--compiler nvcc|clang|both] [--kernel NAME] [-v]
"""
import argparse, concurrent.futures, os, re, subprocess, sys, tempfile

KERNELS = {'reduce_sum': 'basic', 'reduce_last_block': 'basic', 'scan_block': 'basic', 'softmax': 'basic',
           'layer_norm': 'basic', 'transpose': 'basic', 'histogram': 'basic', 'gemm_f16': 'gemm_mma',
           'gemm_bf16': 'gemm_mma', 'gemm_tf32': 'gemm_mma', 'gemm_f64': 'gemm_mma', 'attention': 'attention',
           'gemm_wgmma': 'gemm_wgmma', 'cluster_multicast': 'cluster'}

# (compiler, kernel, kind of mutant, ordinal of that kind in the kernel): why no schedule can tell.
SAME_VALUE = ('after the butterfly all lanes of the warp hold the same sum or maximum, bit for bit, since both operations '
              'commute and every lane combines the same tree; the inverted branch lets the other 31 lanes store that value '
              'to the same word')
LAST_USE = 'the barrier behind the last reduction: nothing touches the scratch memory afterwards'
SYMMETRIC = ('lanes 0-15 copy A and lanes 16-31 copy B by (lane & 15); inverted, the halves of the warp swap roles and '
             'the same bytes are copied')
IN_ORDER = ('PTX ISA, wgmma.fence: not needed between wgmma of the same shape on the same accumulators when no '
            'thread touches these registers in between; only the first fence of this kernel orders anything')
EQUIVALENT = {
    # Both compilers keep the source's order of these branches and barriers.
    **{(compiler, kernel, 'branch inverted', n): SAME_VALUE for compiler in ('nvcc', 'clang')
       for kernel, n in (('reduce_sum', 2), ('softmax', 2), ('softmax', 10), ('layer_norm', 2), ('layer_norm', 10))},
    **{(compiler, kernel, 'barrier removed', 3): LAST_USE for compiler in ('nvcc', 'clang')
       for kernel in ('softmax', 'layer_norm')},
    **{('nvcc', 'gemm_f64', 'branch inverted', n): SYMMETRIC for n in (0, 4, 6, 8, 10, 14)},
    ('nvcc', 'gemm_wgmma', 'wgmma fence removed', 1): IN_ORDER,
    ('nvcc', 'gemm_wgmma', 'wgmma fence removed', 2): IN_ORDER,
    ('nvcc', 'gemm_wgmma', 'mbarrier arrive removed', 2):
        'the arrival behind the last step, peeled off the loop: no producer waits for that stage again',
}

def entry_range(text, kernel):
    start = re.search(r'\.entry\s+' + kernel + r'\b', text).start()
    depth, i = 0, text.index('{', start)
    begin = i
    while True:
        depth += {'{': 1, '}': -1}.get(text[i], 0)
        i += 1
        if depth == 0:
            return begin, i

def increment(match):
    return match.group(1) + str(int(match.group(2)) + 1) + ';'

def swizzle(match):
    value = int(match.group(0))
    return str((value & ~(3 << 62)) | (2 << 62)) if value >= 0 else str((value % 2**64 & ~(3 << 62)) | (2 << 62))

# kind, pattern of the statement, replacement (text or function of the match)
RULES = [
    ('barrier removed', r'(bar|barrier)\.(cta\.)?sync(\.aligned)?\s+[^;]*;', ''),
    ('warp barrier removed', r'bar\.warp\.sync\s+[^;]*;', ''),
    ('cluster barrier removed', r'barrier\.cluster\.arrive[^;]*;\s*barrier\.cluster\.wait[^;]*;', ''),
    ('copy wait removed', r'cp\.async\.wait_(group|all)[^;]*;', ''),
    ('copy wait weakened', r'(cp\.async\.wait_group\s+)(\d+);', increment),
    ('copy commit removed', r'cp\.async\.commit_group;', ''),
    ('copy removed', r'cp\.async\.c[ag]\.[^;]*;', ''),
    ('memory fence removed', r'(membar\.\w+|fence\.(sc|acq_rel)[^;]*);', ''),
    ('proxy fence removed', r'fence\.proxy\.async[^;]*;', ''),
    ('wgmma fence removed', r'wgmma\.fence[^;]*;', ''),
    ('wgmma commit removed', r'wgmma\.commit_group[^;]*;', ''),
    ('wgmma wait removed', r'wgmma\.wait_group[^;]*;', ''),
    ('wgmma wait weakened', r'(wgmma\.wait_group\.sync\.aligned\s+)(\d+);', increment),
    ('mbarrier wait removed', r'mbarrier\.try_wait\.parity[^ ]* (\w+), [^;]*;', r'setp.eq.u32 \1, 0, 0;'),
    ('mbarrier parity flipped', r'(mbarrier\.try_wait\.parity[^;]*\], )([^;]*);',
     lambda m: '{ .reg .b32 flip; xor.b32 flip, ' + m.group(2) + ', 1; ' + m.group(1) + 'flip; }'),
    ('mbarrier arrive removed', r'(@%p\d+ )?mbarrier\.arrive\.(?!expect)[^;]*;', ''),
    ('mbarrier expect removed', r'mbarrier\.arrive\.expect_tx[^;]*;', ''),
    ('mbarrier init count raised', r'(mbarrier\.init[^;]*\], )([^;]*);',
     lambda m: '{ .reg .b32 more; add.s32 more, ' + m.group(2) + ', 1; ' + m.group(1) + 'more; }'),
    ('mbarrier init removed', r'mbarrier\.init[^;]*;', ''),
    ('TMA copy removed', r'cp\.async\.bulk\.tensor[^;]*;', ''),
    ('bulk commit removed', r'cp\.async\.bulk\.commit_group;', ''),
    ('bulk wait removed', r'cp\.async\.bulk\.wait_group[^;]*;', ''),
    ('swizzle changed', r'\b-?46116\d{14}\b', swizzle),
    ('ldmatrix transposed', r'(ldmatrix[^;]*\.x\d)\.shared', r'\1.trans.shared'),
    ('ldmatrix not transposed', r'(ldmatrix[^;]*\.x\d)\.trans', r'\1'),
    ('guard removed', r'@!?%p\d+(\s+(?!bra|ret)[a-z])', r'\1'),
    ('guard inverted', r'@(%p\d+\s+(?!bra|ret)[a-z])', r'@!\1'),
    ('branch inverted', r'@(%p\d+\s+bra)', r'@!\1'),
]

def mutants(text, kernel, executed):
    begin, end = entry_range(text, kernel)
    body = text[begin:end]
    for kind, pattern, replacement in RULES:
        for n, match in enumerate(re.finditer(pattern, body)):
            new = replacement(match) if callable(replacement) else match.expand(replacement)
            line = text.count('\n', 0, begin + match.start()) + 1
            if line not in executed:  # not reached by the suite's inputs
                continue
            yield kind, n, line, text[:begin] + body[:match.start()] + new + body[match.end():] + text[end:]

def run(check, kernel, path, *modes):
    try:
        r = subprocess.run([check, kernel, path, *modes], capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return 'time-out', ''
    verdict = {0: 'silent', 1: 'wrong', 2: 'error', 3: 'race'}.get(r.returncode, 'crash')
    return verdict, r.stdout.split('\n')[0]

def judge(check, folder, compiler, kernel, kind, n, line, text):
    path = os.path.join(folder, f'{compiler}-{kernel}-{kind.replace(" ", "-")}-{n}.ptx')
    with open(path, 'w') as f:
        f.write(text)
    default = run(check, kernel, path)
    race = run(check, kernel, path, 'race') if default[0] == 'silent' else ('-', '')
    if race[0] == 'silent': # a barrier between warps, redundant by a wgmma of all four warps
        race = run(check, kernel, path, 'race', 'warp')
    os.remove(path)
    return compiler, kernel, kind, n, line, default, race

def main():
    p = argparse.ArgumentParser()
    p.add_argument('check'); p.add_argument('ptx')
    p.add_argument('--compiler', default='both'); p.add_argument('--kernel')
    p.add_argument('-j', type=int, default=2); p.add_argument('-v', action='store_true')
    a = p.parse_args()
    compilers = ['nvcc', 'clang'] if a.compiler == 'both' else [a.compiler]
    totals = {compiler: [0, 0, 0] for compiler in compilers}  # tried, found, equivalent
    broken = 0
    by_kind = {}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(a.j) as pool:
        jobs = []
        for compiler in compilers:
            for kernel, file in KERNELS.items():
                if a.kernel and kernel != a.kernel:
                    continue
                text = open(f'{a.ptx}/{file}.{compiler}.ptx').read()
                path = f'{a.ptx}/{file}.{compiler}.ptx'
                lines = subprocess.run([a.check, kernel, path, 'lines'], capture_output=True, text=True, check=True).stdout
                for kind, n, line, mutated in mutants(text, kernel, set(map(int, lines.split()))):
                    jobs.append(pool.submit(judge, a.check, folder, compiler, kernel, kind, n, line, mutated))
        for job in jobs:
            compiler, kernel, kind, n, line, default, race = job.result()
            caught = default[0] != 'silent' or race[0] != 'silent'
            # A defect must be reported, without a crash or hang of the interpreter.
            bad = default[0] in ('crash', 'time-out') or race[0] in ('crash', 'time-out')
            same = (compiler, kernel, kind, n) in EQUIVALENT
            total = totals[compiler]
            total[0] += 1
            total[1] += caught and not bad
            total[2] += same and not caught
            row = by_kind.setdefault(kind, [0, 0]); row[0] += 1; row[1] += caught
            if bad or (not caught and not same) or (caught and same):
                broken += 1
                print(f'{"BROKEN" if bad else "NOT EQUIVALENT" if caught else "MISSED"}: {compiler} {kernel}: {kind} #{n} (line {line}) '
                      f'default={default[0]} race={race[0]} {default[1][:100]}')
            elif a.v:
                print(f'{compiler} {kernel}: {kind} #{n} (line {line}) default={default[0]} race={race[0]} {(race[1] or default[1])[:110]}')
    for kind, (n, c) in by_kind.items():
        print(f'{kind:28s} tried {n:4d} found {c:4d}')
    for compiler, (tried, found, equivalent) in totals.items():
        print(f'{compiler}: tried {tried}, found {found}, equivalent {equivalent} '
              f'({100.0 * equivalent / max(tried, 1):.1f} %)')
        if tried == 0 or (equivalent > 0.05 * tried and not a.kernel):
            broken += 1
    sys.exit(1 if broken else 0)

if __name__ == '__main__':
    main()
