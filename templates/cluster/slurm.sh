#!/usr/bin/env bash
{%- for kind in kinds %}{% if kind.price %}{% set_global is_priced = true %}{% endif %}{% endfor %}
# Measures the campaign {{ name }} with Slurm: an array of {{ shards }} shards for each kind of node, then the merge.
# Written by `dyno cluster slurm`; read it, change it, and run it where `sbatch` is.
#
# A job has its node alone. A job that is killed and requeued resumes its shard: records are synced round by round.
set -euo pipefail

out={{ runs }}
mkdir -p "$out"

# submit KIND [OPTION...]: the array of one kind of node; prints the id of its job
submit() {
    local kind=$1
    shift
    sbatch --parsable --job-name="dyno-{{ job }}-$kind" --array=1-{{ shards }} --exclusive --requeue --open-mode=append \
        --output="$out/$kind-%a.log" --export="ALL,KIND=$kind,OUT=$out" "$@" <<'JOB'
#!/usr/bin/env bash
# Exit code 1 says that a system is INVALID, which is a result too.
{{ program }} run {{ campaign }} --shard "$SLURM_ARRAY_TASK_ID/{{ shards }}" --out "$OUT/$KIND-$SLURM_ARRAY_TASK_ID"{% if profile %} --profile {{ profile }}{% endif %}{% if is_priced %} ${PRICE:+--price "$PRICE"}{% endif %} || [ $? = 1 ]
JOB
}

jobs=()
{% for kind in kinds -%}
jobs+=("$({% if kind.price %}PRICE={{ kind.price }} {% endif %}submit {{ kind.name }} --constraint={{ kind.name }})")
{% else -%}
jobs+=("$(submit node)")
{% endfor -%}
sbatch --parsable --job-name="dyno-{{ job }}-merge" --dependency="afterok:$(IFS=:; echo "${jobs[*]}")" \
    --output="$out/merge.log" --export="ALL,OUT=$out" <<'JOB'
#!/usr/bin/env bash
set -e
runs=()
for run in "$OUT"/*/run.json; do
    runs+=("$(dirname "$run")")
done
{{ program }} merge "${runs[@]}" --out "$OUT/merged"
JOB
