#!/bin/sh
# Model compression 2025: run.sh PAIR BATCH; lines on standard input, answers on standard output.
set -eu
if [ "${1-}" != @PAIR@ ]; then
    echo "run.sh: the model translates @PAIR@, not \"${1-}\"" >&2
    exit 2
fi
cd "$(dirname "$0")"
exec ./dyno translate --model model --track throughput-all --cores "$(nproc)" --batch-lines "${2:-16}" @OPTIONS@
