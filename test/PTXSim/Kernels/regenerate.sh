#!/bin/sh
# Compiles the CUDA sources to the checked-in PTX with nvcc and clang. Usage: regenerate.sh OUTDIR
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -e
here=$(dirname "$0")
out=${1:-$here/ptx}
cuda=${CUDA_HOME:-/usr/local/cuda}
clang=${CLANG:-clang++}
mkdir -p "$out"
for source in basic gemm_mma attention gemm_wgmma cluster; do
  arch=sm_80
  case $source in gemm_wgmma | cluster) arch=sm_90a ;; esac
  "$cuda/bin/nvcc" -ptx -std=c++17 -arch=$arch -o "$out/$source.nvcc.ptx" "$here/$source.cu"
  [ -n "$NVCC_ONLY" ] || "$clang" -x cuda --cuda-path="$cuda" --cuda-gpu-arch=$arch \
    --cuda-device-only -S -O2 -std=c++17 -Wno-unknown-cuda-version -o "$out/$source.clang.ptx" \
    "$here/$source.cu"
done
