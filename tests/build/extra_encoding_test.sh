#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# An encoding is one new file: builds the example of CONTRIBUTING.md in a copy, finds it in the menu, in the matrix and in the tests.
set -Eeuo pipefail
trap 'echo "extra encoding: line $LINENO: \"$BASH_COMMAND\" ended with $?" >&2' ERR
source=$(realpath "$(dirname "$0")/../..")
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

fail() {
  echo "extra encoding: $*" >&2
  exit 1
}
says() { grep -- "$1" >/dev/null; } # reads all it is given: `grep -q` would end the program before it under pipefail

(cd "$source" && tar --exclude=./build --exclude=./.git -cf - .) | tar -xf - -C "$copy"
cd "$copy"
sed -n '/^```cpp$/,/^```$/p' CONTRIBUTING.md | sed '1d;$d' >encodings/ripple.cpp
grep -q 'EncodingEntry encoding_ripple()' encodings/ripple.cpp || fail "CONTRIBUTING.md has no example"

# Of the tests only those of every encoding are needed, and building all of them takes longer than all the rest.
find tests -name '*.cpp' ! -name every_encoding_test.cpp ! -name relation_cases.cpp ! -name meta_kernels.cpp \
  ! -path 'tests/benchmarks/*' -delete

cmake --preset release --log-level=NOTICE ${LIBTORCH:+-DLIBTORCH="$LIBTORCH"} >/dev/null
if ! cmake --build --preset release --parallel "$(nproc)" --target relbias relbias_tests >build.log; then
  tail -n 40 build.log
  fail "does not build"
fi

build/release/relbias list encodings | says ripple || fail "not in list encodings"
build/release/relbias list --matrix | says ripple || fail "not in list --matrix"
build/release/relbias describe ripple | says period || fail "describe ripple lacks its option"
if ! build/release/relbias_tests --gtest_filter='*EveryEncoding*ripple*' >test.log; then
  tail -n 40 test.log
  fail "conformance tests fail"
fi
ran=$(sed -n 's/.*PASSED.* \([0-9]*\) tests.*/\1/p' test.log)
((ran >= 10)) || fail "$ran conformance tests ran, at least 10 expected"
echo "extra encoding: $ran conformance tests passed"
