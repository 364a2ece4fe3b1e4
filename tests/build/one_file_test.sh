#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# An encoding, a relation (of three axes too), a metric, a schedule: one new file each, and no edit elsewhere. Puts the encoding that
# CONTRIBUTING.md has as its example and what stands in tests/build/additions into a copy, builds it, and finds each in the menus, in
# the tests that walk the catalogues, and in a run.
set -Eeuo pipefail
trap 'echo "one file: line $LINENO: \"$BASH_COMMAND\" ended with $?" >&2' ERR
source=$(realpath "$(dirname "$0")/../..")
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

fail() {
  echo "one file: $*" >&2
  exit 1
}
relbias() { build/release/relbias "$@"; }
says() { grep -- "$1" >/dev/null; } # reads all it is given: `grep -q` would end the program before it under pipefail

(cd "$source" && tar --exclude=./build --exclude=./.git -cf - .) | tar -xf - -C "$copy"
cd "$copy"
cp -r tests/build/additions/. .
sed -n '/^```cpp$/,/^```$/p' CONTRIBUTING.md | sed '1d;$d' >encodings/ripple.cpp
grep -q 'EncodingEntry encoding_ripple()' encodings/ripple.cpp || fail "CONTRIBUTING.md has no example"

# Only the tests that walk the catalogues are needed, and building all of them takes longer than all the rest.
find tests -name '*.cpp' ! -name every_encoding_test.cpp ! -name relation_cases.cpp ! -name meta_kernels.cpp ! -name metric_test.cpp \
  ! -path 'tests/benchmarks/*' ! -path 'tests/fuzz/*' -delete

cmake --preset release --log-level=NOTICE ${LIBTORCH:+-DLIBTORCH="$LIBTORCH"} >/dev/null
if ! cmake --build --preset release --parallel "$(nproc)" --target relbias relbias_tests >build.log; then
  tail -n 40 build.log
  fail "does not build"
fi

for name in ripple volume; do relbias list --matrix | says "$name" || fail "$name is not in list --matrix"; done
relbias describe ripple | says period || fail "describe ripple lacks its option"
relbias terms --encoding 'rope axes=axial' --relation 'volume side=2' --width 12 --heads 1 >/dev/null || fail "no terms of rope on volume"
relbias list metrics | says root-mean-squared-error || fail "the metric is not in its list"
relbias list schedules | says stairs || fail "the schedule is not in its list"

if ! build/release/relbias_tests --gtest_filter='*EveryEncoding*ripple*:*EveryEncoding*volume*:*EveryMetric*' >test.log; then
  tail -n 40 test.log
  fail "conformance tests fail"
fi
ran=$(sed -n 's/.*PASSED.* \([0-9]*\) tests.*/\1/p' test.log)
((ran >= 30)) || fail "$ran conformance tests ran, at least 30 expected"

cat >all.toml <<'STUDY'
question = "Do they run together?"
[data]
task = "graph-theory"
[model]
encoding = "ripple"
layers = 1
width = 16
heads = 2
[train]
size = 20
steps = 4
batch = 4
schedule = "stairs stairs=2"
[evaluate]
sizes = [20]
samples = 16
metrics = ["root-mean-squared-error"]
STUDY
relbias run all.toml --out out >run.log 2>&1 || { cat run.log; fail "a run with them fails"; }
relbias table out --metric root-mean-squared-error | says ripple || fail "the metric is not tabulated"
echo "one file: $ran conformance tests passed"
