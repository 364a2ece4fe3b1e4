#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what BUILD holds into an empty folder, moves that elsewhere, and uses it: studies and published tables are found beside
# the program, not where it was built. Called as install_test.sh BUILD
set -Eeuo pipefail
trap 'echo "install: line $LINENO: \"$BASH_COMMAND\" ended with $?" >&2' ERR
build=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
  echo "install: $*" >&2
  exit 1
}
says() { grep -F -- "$1" >/dev/null || fail "$2 does not say '$1'"; }

cmake --install "$build" --prefix "$folder/first" >"$folder/install.log" || fail "cmake --install: $(tail -n 3 "$folder/install.log")"
mv "$folder/first" "$folder/moved"
relbias=$folder/moved/bin/relbias
cd "$folder"

"$relbias" --version | says "relbias $(sed -n 's/^version: //p' moved/share/doc/relbias/CITATION.cff) (" --version
"$relbias" list studies | says quickstart "list studies"
"$relbias" describe quickstart | says "$folder/moved/share/relbias/studies/quickstart.toml" "describe quickstart"
"$relbias" run quickstart --smoke --dry-run --out runs | says t5 "run quickstart --dry-run"
"$relbias" reproduce small-lm-128 --scaled --smoke --dry-run --out runs >dry.txt 2>&1 || fail "reproduce --dry-run: $(cat dry.txt)"

# Without them it says what is missing, and where it looked.
mv moved/share elsewhere
if "$relbias" list studies >list.txt 2>&1; then fail "lists studies without a share folder"; fi
says "$folder/moved/share/relbias/studies: missing" "list studies without share" <list.txt
echo "install: the program works where it is put"
