#!/usr/bin/env bash
# Installs the libraries that bench/ compares ampc with, outside the source tree; safe to run again.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: bench/setup-peers.sh [--import] [VENV]        default VENV: ${XDG_CACHE_HOME:-~/.cache}/ampc/venv
#
# --import: also the packages that bench/import and the tests of networks need (torchvision, transformers, onnx, onnxscript).
# Prints one line per peer, "peer NAME: VERSION" or "peer NAME: missing (why)", and ends with the
# Python to run bench/peers/torch_*.py with. Exit status 1 when a peer is missing.
set -uo pipefail

extras=(jax onnxruntime)
if [ "${1:-}" = --import ]; then
  extras+=(torchvision transformers onnx onnxscript)
  shift
fi
venv=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/ampc/venv}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
missing=0

report() { printf 'peer %s: %s\n' "$1" "$2"; }
reportMissing() {
  report "$1" "missing ($2)"
  missing=1
}

asRoot() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

aptHas() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'; }

aptInstall() {
  aptHas "$1" && return 0
  asRoot env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$1" \
    >"$log" 2>&1
}

setUpLibrary() { # peer name, Debian package
  if aptInstall "$2"; then
    report "$1" "$(dpkg-query -W -f='${Version}' "$2") (Debian $2)"
  else
    reportMissing "$1" "$(tail -n 1 "$log")"
  fi
}

torchVersion() { "$1" -c 'import torch; print(torch.__version__)' 2>"$log"; }

# Dependencies of `import torch` and of the C++ side of torch.compile. Triton and the CUDA bindings
# serve GPUs only and are left out; the CUDA libraries stay, because the wheel links to CUDA.
torchRequirements() {
  "$venv/bin/python" - <<'PY'
import importlib.metadata
from pip._vendor.packaging.requirements import Requirement

for line in importlib.metadata.requires("torch"):
    need = Requirement(line)
    if need.marker is not None and not need.marker.evaluate({"extra": ""}):
        continue
    if need.name.lower() in ("triton", "cuda-bindings"):
        continue
    extras = "[" + ",".join(sorted(need.extras)) + "]" if need.extras else ""
    print(f"{need.name}{extras}{need.specifier}")
PY
}

installTorch() {
  if [ ! -x "$venv/bin/python" ]; then
    mkdir -p "$(dirname "$venv")"
    python3 -m venv "$venv" >"$log" 2>&1 || return 1
  fi
  torchVersion "$venv/bin/python" >/dev/null && "$venv/bin/python" -c 'import numpy' 2>"$log" &&
    return 0
  "$venv/bin/pip" install --quiet --no-cache-dir --no-deps torch >"$log" 2>&1 || return 1
  torchRequirements >"$venv/torch-requirements.txt" 2>"$log" || return 1
  "$venv/bin/pip" install --quiet --no-cache-dir numpy -r "$venv/torch-requirements.txt" \
    >"$log" 2>&1
}

# The newest build on GNU's OpenMP, the runtime of gemm_peers; PyTorch contains a newer oneDNN.
setUpOneDnn() {
  if { [ -e "$venv/lib/libdnnl.so" ] && [ -e "$venv/include/oneapi/dnnl/dnnl.h" ]; } ||
    "$venv/bin/pip" install --quiet --no-cache-dir onednn-cpu-gomp onednn-devel-cpu-gomp >"$log" 2>&1; then
    report onednn "$("$venv/bin/pip" list 2>/dev/null | awk '$1 == "onednn-cpu-gomp" { print $2 }') ($venv)"
  else
    reportMissing onednn "$(tail -n 1 "$log")"
  fi
}

# --no-deps, because torchvision would install the parts of PyTorch that are left out above.
installExtra() {
  "$venv/bin/python" -c "import $1" 2>"$log" && return 0
  case $1 in
  torchvision) "$venv/bin/pip" install --quiet --no-cache-dir --no-deps torchvision >"$log" 2>&1 &&
    "$venv/bin/pip" install --quiet --no-cache-dir pillow >"$log" 2>&1 ;;
  *) "$venv/bin/pip" install --quiet --no-cache-dir "$1" >"$log" 2>&1 ;;
  esac
}

setUpExtra() {
  if installExtra "$1" && "$venv/bin/python" -c "import $1" 2>"$log"; then
    report "$1" "$("$venv/bin/pip" list 2>/dev/null | awk -v name="$1" '$1 == name { print $2 }')"
  else
    reportMissing "$1" "$(tail -n 1 "$log")"
  fi
}

setUpLibrary openblas libopenblas-dev

python=
if installTorch && version=$(torchVersion "$venv/bin/python"); then
  python=$venv/bin/python
  report pytorch "$version ($venv)"
else
  why=$(tail -n 1 "$log")
  if aptInstall python3-torch && version=$(torchVersion /usr/bin/python3); then
    python=/usr/bin/python3
    report pytorch "$version (Debian python3-torch, too old to be the bar; no newer one: $why)"
  else
    reportMissing pytorch "$why; python3-torch: $(tail -n 1 "$log")"
  fi
fi

[ ! -x "$venv/bin/python" ] || setUpOneDnn
for extra in "${extras[@]}"; do
  if [ "$python" = "$venv/bin/python" ]; then
    setUpExtra "$extra"
  else
    reportMissing "$extra" "no environment of PyTorch's own"
  fi
done

# torch.compile builds C++ against Python's own headers.
if [ -n "$python" ]; then
  include=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
  if [ ! -e "$include/Python.h" ] && ! aptInstall python3-dev; then
    reportMissing torch.compile "no Python.h in $include"
  fi
  command -v g++ >/dev/null || aptInstall g++ || reportMissing torch.compile "no g++"
fi

printf 'python: %s\n' "${python:-none}"
exit "$missing"
