#!/usr/bin/env bash
# comment.sh RESULTS [FLAG of compare]...: the comment on results that have the lanes base and head,
# on stdout. Ends as `envd-bench compare` does: 1 when a limit is exceeded.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bench=${ENVD_BENCH:-$here/../../../bin/run.js}
results=$1
shift

status=0
"$bench" compare "$results" --base-lane base --head-lane head --format markdown "$@" || status=$?
[ "$status" -le 1 ] || exit "$status"
echo
# The last of the repeats stands for all: a comment on each would be too long.
files=("$results"/*.json)
"$bench" report "${files[-1]}" --format markdown
exit "$status"
