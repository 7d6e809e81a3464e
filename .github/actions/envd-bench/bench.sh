#!/usr/bin/env bash
# Runs base beside head and leaves results/ and comment.md in $FOLDER. What was asked for comes in
# variables, see action.yml. Failed thresholds and limits end up in the output `status`, so that the
# figures are uploaded and shown all the same; whatever else goes wrong ends the step.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bench=${ENVD_BENCH:-$here/../../../bin/run.js}

agents=(--agent base=unguarded --agent head=guarded)
if [ -n "${BASE:-}${HEAD:-}" ]; then
  if [ -z "${BASE:-}" ] || [ -z "${HEAD:-}" ]; then
    echo "envd-bench: give both binaries, base and head, or none of them" >&2
    exit 2
  fi
  agents=(--agent "base=\"$BASE\" ${AGENT_ARGS:-}" --agent "head=\"$HEAD\" ${AGENT_ARGS:-}")
fi

# The lines of $1 that are not blank, each behind the flag $2, into the array `flags`.
flags=()
flags_of() {
  flags=()
  local line
  while IFS= read -r line; do
    [ -z "${line//[[:space:]]/}" ] || flags+=("$2" "$line")
  done <<<"$1"
}

mkdir -p "$FOLDER/results"
status=0
flags_of "${THRESHOLDS:-}" --threshold
"$bench" run "${agents[@]}" --interval "$INTERVAL" --outage "$OUTAGE" --fault "$FAULT" \
  --poller "$POLLER" --repeat "$REPEAT" --sequential --out "$FOLDER/results" \
  ${flags[@]+"${flags[@]}"} || status=$?
[ "$status" -le 1 ] || exit "$status"

flags_of "${MAX_REGRESSION:-}" --max-regression
compared=0
ENVD_BENCH=$bench "$here/comment.sh" "$FOLDER/results" ${flags[@]+"${flags[@]}"} \
  >"$FOLDER/comment.md" || compared=$?
[ "$compared" -le 1 ] || exit "$compared"
[ "$compared" -eq 0 ] || status=1

if [ -n "${GITHUB_OUTPUT:-}" ]; then
  printf 'folder=%s\nstatus=%s\n' "$FOLDER" "$status" >>"$GITHUB_OUTPUT"
fi
