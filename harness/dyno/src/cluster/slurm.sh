#!/usr/bin/env bash
# Measures the campaign @NAME@ with Slurm: an array of @SHARDS@ shards for each kind of node, then the merge.
# Written by `dyno cluster slurm`; read it, change it, and run it where `sbatch` is.
#
# A job has its node alone. A job that is killed and requeued resumes its shard: records are synced round by round.
set -euo pipefail

out=@OUT@
mkdir -p "$out"

# submit KIND [OPTION...]: the array of one kind of node; prints the id of its job
submit() {
    local kind=$1
    shift
    sbatch --parsable --job-name="dyno-@JOB@-$kind" --array=1-@SHARDS@ --exclusive --requeue --open-mode=append \
        --output="$out/$kind-%a.log" --export="ALL,KIND=$kind,OUT=$out" "$@" <<'JOB'
#!/usr/bin/env bash
# Exit code 1 says that a system is INVALID, which is a result too.
@DYNO@ run @CAMPAIGN@ --shard "$SLURM_ARRAY_TASK_ID/@SHARDS@" --out "$OUT/$KIND-$SLURM_ARRAY_TASK_ID"@OPTIONS@ || [ $? = 1 ]
JOB
}

jobs=()
@SUBMISSIONS@
sbatch --parsable --job-name="dyno-@JOB@-merge" --dependency="afterok:$(IFS=:; echo "${jobs[*]}")" \
    --output="$out/merge.log" --export="ALL,OUT=$out" <<'JOB'
#!/usr/bin/env bash
set -e
runs=()
for run in "$OUT"/*/run.json; do
    runs+=("$(dirname "$run")")
done
@DYNO@ merge "${runs[@]}" --out "$OUT/merged"
JOB
