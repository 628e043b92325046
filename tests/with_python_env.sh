#!/usr/bin/env bash
# Runs a Python script with the packages that ci/python-env has put into a build tree: `with_python_env.sh BUILD_TREE
# SCRIPT [ARGUMENT...]`. Status 77 says that they are not there.
set -euo pipefail
python=$1/python-env/bin/python
[ -e "$1/python-env/made_of" ] || { echo "skipped: there is no $1/python-env; ci/python-env makes it"; exit 77; }
shift
exec "$python" -B -W error "$@"
