#!/bin/sh
# Efficiency task: /run.sh CPU-1|CPU-ALL latency|throughput; lines on standard input, answers on standard output.
set -eu
case "${1-} ${2-}" in
    "CPU-1 latency") track=latency cores=1 ;;
    "CPU-1 throughput") track=throughput-1 cores=1 ;;
    "CPU-ALL latency") track=latency-all cores=$(nproc) ;;
    "CPU-ALL throughput") track=throughput-all cores=$(nproc) ;;
    *) echo "run.sh: no task \"${1-} ${2-}\": give CPU-1 or CPU-ALL, and latency or throughput" >&2; exit 2 ;;
esac
cd "$(dirname "$0")"
exec ./dyno translate --model model --track "$track" --cores "$cores" @OPTIONS@
