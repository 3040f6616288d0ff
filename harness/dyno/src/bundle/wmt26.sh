#!/bin/sh
# Model compression 2026: run.sh --lang-pair PAIR --batch-size LINES --input FILE --output FILE
set -eu
pair='' batch=16 input='' output=''
while [ $# -gt 1 ]; do
    case "$1" in
        --lang-pair) pair=$2 ;;
        --batch-size) batch=$2 ;;
        --input) input=$2 ;;
        --output) output=$2 ;;
        *) echo "run.sh: no option $1" >&2; exit 2 ;;
    esac
    shift 2
done
if [ "$pair" != @PAIR@ ]; then
    echo "run.sh: the model translates @PAIR@, not \"$pair\"" >&2
    exit 2
fi
here=$(dirname "$0")
exec "$here/dyno" translate --model "$here/model" --track throughput-all --cores "$(nproc)" --batch-lines "$batch" \
    @OPTIONS@ <"$input" >"$output"
