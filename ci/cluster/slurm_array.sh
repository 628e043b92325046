#!/usr/bin/env bash
# Runs a command of assay as a Slurm array of TASKS shares, and a job behind it that merges what they report:
#   slurm_array.sh TASKS FOLDER [SBATCH_OPTION...] -- COMMAND [ARGUMENT...]
#   slurm_array.sh 16 /shared/run --partition=cpu --cpus-per-task=8 -- verify --cases 2000
#   slurm_array.sh 16 /shared/run -- golden make --operation gemm_fp4 --cases 1000 --out /shared/run/set
# FOLDER is one that all nodes see, and new. $ASSAY is the program, else the one on the PATH. With --wait among the options
# it ends when all is merged, with the exit status of merge.sh.
set -euo pipefail
usage() { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[ $# -ge 4 ] || usage
tasks=$1 folder=$(realpath -m "$2")
here=$(dirname "$(realpath "$0")")
shift 2
options=() wait=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  [ "$1" = --wait ] && wait=(--wait) || options+=("$1")
  shift
done
[ $# -ge 2 ] || usage
shift
[ ! -e "$folder/reports" ] || { echo "$folder/reports: is there already; name another folder, or remove it" >&2; exit 2; }
mkdir -p "$folder/reports" "$folder/logs"
array=$(sbatch --parsable --job-name=assay --array="1-$tasks" --output="$folder/logs/%a.txt" "${options[@]}" \
  "$here/shard.sh" "$folder" "$@")
# After any end of theirs: what is missing merge.sh tells better than a job that stays pending.
sbatch --job-name=assay-merge --dependency="afterany:${array%%;*}" --output="$folder/logs/merge.txt" "${options[@]}" \
  "${wait[@]}" "$here/merge.sh" "$folder"
