#!/usr/bin/env bash
# One share of a run, as a task of a Slurm array or a pod of an indexed Kubernetes job: `shard.sh FOLDER COMMAND
# [ARGUMENT...]`. Which share it is `assay` reads from what the scheduler sets (docs/clusters.md). The report goes to
# FOLDER/reports. A share is done when its report is written, whatever its verdicts: those are for merge.sh to say.
set -euo pipefail
folder=${1:?name the shared folder, then a command of assay}
shift
index=${SLURM_ARRAY_TASK_ID:-${JOB_COMPLETION_INDEX:?is not set, and neither is SLURM_ARRAY_TASK_ID: which share is this?}}
report=$folder/reports/$index.json
mkdir -p "$folder/reports"
rm -f "$report"
status=0
"${ASSAY:-assay}" "$@" --json "$report" || status=$?
[ -s "$report" ] || { echo "no report was written; assay ended with status $status" >&2; exit 2; }
