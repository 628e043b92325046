#!/usr/bin/env bash
# Joins the reports of all shares to FOLDER/report.json, and of verifications to FOLDER/report.xml too: `merge.sh FOLDER`.
# The exit status is that of the whole run: 0 all is right, 1 something is rejected, 2 something could not be judged.
set -euo pipefail
folder=${1:?name the shared folder}
shopt -s nullglob
reports=("$folder"/reports/*.json)
[ ${#reports[@]} -gt 0 ] || { echo "$folder/reports: has no report: no share has come to its end" >&2; exit 2; }
outputs=(--json "$folder/report.json")
grep -q '"command": "verify"' "${reports[0]}" && outputs+=(--junit "$folder/report.xml")
exec "${ASSAY:-assay}" merge "${outputs[@]}" "${reports[@]}"
