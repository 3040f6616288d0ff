/work/edit/target-arm/aarch64-unknown-linux-gnu/release/deps/dyno_kernels-a654489b467d2fa7.d: backends/kernels/src/lib.rs backends/kernels/src/attention/mod.rs backends/kernels/src/attention/heads.rs backends/kernels/src/attention/operand.rs backends/kernels/src/clock.rs backends/kernels/src/crew.rs backends/kernels/src/error.rs backends/kernels/src/isa_code.rs backends/kernels/src/kernels.rs backends/kernels/src/lanes/mod.rs backends/kernels/src/lanes/scalar.rs backends/kernels/src/lanes/neon.rs backends/kernels/src/look_up.rs backends/kernels/src/memory/mod.rs backends/kernels/src/memory/allocator.rs backends/kernels/src/memory/blocks.rs backends/kernels/src/memory/shared.rs backends/kernels/src/precision.rs backends/kernels/src/scaled/mod.rs backends/kernels/src/scaled/kernel.rs backends/kernels/src/scaled/rows.rs backends/kernels/src/scaled/steps.rs backends/kernels/src/scaled/weights.rs backends/kernels/src/tile/mod.rs backends/kernels/src/tile/arithmetic.rs backends/kernels/src/tile/arithmetic/arm.rs backends/kernels/src/tile/blocking.rs backends/kernels/src/tile/halves.rs backends/kernels/src/tile/job.rs backends/kernels/src/tile/matrix.rs backends/kernels/src/tile/nest.rs backends/kernels/src/tile/walk.rs backends/kernels/src/tuning.rs backends/kernels/src/vector/mod.rs backends/kernels/src/vector/attention.rs backends/kernels/src/vector/cells.rs backends/kernels/src/vector/functions.rs backends/kernels/src/vector/key_values.rs backends/kernels/src/vector/slices.rs backends/kernels/src/vector/transpositions.rs backends/kernels/src/vector_methods.rs backends/kernels/src/weights/mod.rs backends/kernels/src/weights/candidates.rs backends/kernels/src/weights/layout.rs backends/kernels/src/weights/pack.rs backends/kernels/src/weights/packed.rs backends/kernels/src/weights/rows.rs backends/kernels/src/weights/scaled.rs backends/kernels/src/weights/task.rs backends/kernels/src/weights/tuner.rs

/work/edit/target-arm/aarch64-unknown-linux-gnu/release/deps/libdyno_kernels-a654489b467d2fa7.rlib: backends/kernels/src/lib.rs backends/kernels/src/attention/mod.rs backends/kernels/src/attention/heads.rs backends/kernels/src/attention/operand.rs backends/kernels/src/clock.rs backends/kernels/src/crew.rs backends/kernels/src/error.rs backends/kernels/src/isa_code.rs backends/kernels/src/kernels.rs backends/kernels/src/lanes/mod.rs backends/kernels/src/lanes/scalar.rs backends/kernels/src/lanes/neon.rs backends/kernels/src/look_up.rs backends/kernels/src/memory/mod.rs backends/kernels/src/memory/allocator.rs backends/kernels/src/memory/blocks.rs backends/kernels/src/memory/shared.rs backends/kernels/src/precision.rs backends/kernels/src/scaled/mod.rs backends/kernels/src/scaled/kernel.rs backends/kernels/src/scaled/rows.rs backends/kernels/src/scaled/steps.rs backends/kernels/src/scaled/weights.rs backends/kernels/src/tile/mod.rs backends/kernels/src/tile/arithmetic.rs backends/kernels/src/tile/arithmetic/arm.rs backends/kernels/src/tile/blocking.rs backends/kernels/src/tile/halves.rs backends/kernels/src/tile/job.rs backends/kernels/src/tile/matrix.rs backends/kernels/src/tile/nest.rs backends/kernels/src/tile/walk.rs backends/kernels/src/tuning.rs backends/kernels/src/vector/mod.rs backends/kernels/src/vector/attention.rs backends/kernels/src/vector/cells.rs backends/kernels/src/vector/functions.rs backends/kernels/src/vector/key_values.rs backends/kernels/src/vector/slices.rs backends/kernels/src/vector/transpositions.rs backends/kernels/src/vector_methods.rs backends/kernels/src/weights/mod.rs backends/kernels/src/weights/candidates.rs backends/kernels/src/weights/layout.rs backends/kernels/src/weights/pack.rs backends/kernels/src/weights/packed.rs backends/kernels/src/weights/rows.rs backends/kernels/src/weights/scaled.rs backends/kernels/src/weights/task.rs backends/kernels/src/weights/tuner.rs

/work/edit/target-arm/aarch64-unknown-linux-gnu/release/deps/libdyno_kernels-a654489b467d2fa7.rmeta: backends/kernels/src/lib.rs backends/kernels/src/attention/mod.rs backends/kernels/src/attention/heads.rs backends/kernels/src/attention/operand.rs backends/kernels/src/clock.rs backends/kernels/src/crew.rs backends/kernels/src/error.rs backends/kernels/src/isa_code.rs backends/kernels/src/kernels.rs backends/kernels/src/lanes/mod.rs backends/kernels/src/lanes/scalar.rs backends/kernels/src/lanes/neon.rs backends/kernels/src/look_up.rs backends/kernels/src/memory/mod.rs backends/kernels/src/memory/allocator.rs backends/kernels/src/memory/blocks.rs backends/kernels/src/memory/shared.rs backends/kernels/src/precision.rs backends/kernels/src/scaled/mod.rs backends/kernels/src/scaled/kernel.rs backends/kernels/src/scaled/rows.rs backends/kernels/src/scaled/steps.rs backends/kernels/src/scaled/weights.rs backends/kernels/src/tile/mod.rs backends/kernels/src/tile/arithmetic.rs backends/kernels/src/tile/arithmetic/arm.rs backends/kernels/src/tile/blocking.rs backends/kernels/src/tile/halves.rs backends/kernels/src/tile/job.rs backends/kernels/src/tile/matrix.rs backends/kernels/src/tile/nest.rs backends/kernels/src/tile/walk.rs backends/kernels/src/tuning.rs backends/kernels/src/vector/mod.rs backends/kernels/src/vector/attention.rs backends/kernels/src/vector/cells.rs backends/kernels/src/vector/functions.rs backends/kernels/src/vector/key_values.rs backends/kernels/src/vector/slices.rs backends/kernels/src/vector/transpositions.rs backends/kernels/src/vector_methods.rs backends/kernels/src/weights/mod.rs backends/kernels/src/weights/candidates.rs backends/kernels/src/weights/layout.rs backends/kernels/src/weights/pack.rs backends/kernels/src/weights/packed.rs backends/kernels/src/weights/rows.rs backends/kernels/src/weights/scaled.rs backends/kernels/src/weights/task.rs backends/kernels/src/weights/tuner.rs

backends/kernels/src/lib.rs:
backends/kernels/src/attention/mod.rs:
backends/kernels/src/attention/heads.rs:
backends/kernels/src/attention/operand.rs:
backends/kernels/src/clock.rs:
backends/kernels/src/crew.rs:
backends/kernels/src/error.rs:
backends/kernels/src/isa_code.rs:
backends/kernels/src/kernels.rs:
backends/kernels/src/lanes/mod.rs:
backends/kernels/src/lanes/scalar.rs:
backends/kernels/src/lanes/neon.rs:
backends/kernels/src/look_up.rs:
backends/kernels/src/memory/mod.rs:
backends/kernels/src/memory/allocator.rs:
backends/kernels/src/memory/blocks.rs:
backends/kernels/src/memory/shared.rs:
backends/kernels/src/precision.rs:
backends/kernels/src/scaled/mod.rs:
backends/kernels/src/scaled/kernel.rs:
backends/kernels/src/scaled/rows.rs:
backends/kernels/src/scaled/steps.rs:
backends/kernels/src/scaled/weights.rs:
backends/kernels/src/tile/mod.rs:
backends/kernels/src/tile/arithmetic.rs:
backends/kernels/src/tile/arithmetic/arm.rs:
backends/kernels/src/tile/blocking.rs:
backends/kernels/src/tile/halves.rs:
backends/kernels/src/tile/job.rs:
backends/kernels/src/tile/matrix.rs:
backends/kernels/src/tile/nest.rs:
backends/kernels/src/tile/walk.rs:
backends/kernels/src/tuning.rs:
backends/kernels/src/vector/mod.rs:
backends/kernels/src/vector/attention.rs:
backends/kernels/src/vector/cells.rs:
backends/kernels/src/vector/functions.rs:
backends/kernels/src/vector/key_values.rs:
backends/kernels/src/vector/slices.rs:
backends/kernels/src/vector/transpositions.rs:
backends/kernels/src/vector_methods.rs:
backends/kernels/src/weights/mod.rs:
backends/kernels/src/weights/candidates.rs:
backends/kernels/src/weights/layout.rs:
backends/kernels/src/weights/pack.rs:
backends/kernels/src/weights/packed.rs:
backends/kernels/src/weights/rows.rs:
backends/kernels/src/weights/scaled.rs:
backends/kernels/src/weights/task.rs:
backends/kernels/src/weights/tuner.rs:
