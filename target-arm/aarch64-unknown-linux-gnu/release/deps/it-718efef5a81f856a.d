/work/edit/target-arm/aarch64-unknown-linux-gnu/release/deps/it-718efef5a81f856a.d: backends/kernels/tests/it/main.rs backends/kernels/tests/it/allocator.rs backends/kernels/tests/it/attention.rs backends/kernels/tests/it/candidates.rs backends/kernels/tests/it/cells.rs backends/kernels/tests/it/crew.rs backends/kernels/tests/it/heads.rs backends/kernels/tests/it/isa.rs backends/kernels/tests/it/oracle.rs backends/kernels/tests/it/outputs.rs backends/kernels/tests/it/panels.rs backends/kernels/tests/it/products.rs backends/kernels/tests/it/properties.rs backends/kernels/tests/it/scaled.rs backends/kernels/tests/it/tuning.rs backends/kernels/tests/it/vector.rs

/work/edit/target-arm/aarch64-unknown-linux-gnu/release/deps/it-718efef5a81f856a: backends/kernels/tests/it/main.rs backends/kernels/tests/it/allocator.rs backends/kernels/tests/it/attention.rs backends/kernels/tests/it/candidates.rs backends/kernels/tests/it/cells.rs backends/kernels/tests/it/crew.rs backends/kernels/tests/it/heads.rs backends/kernels/tests/it/isa.rs backends/kernels/tests/it/oracle.rs backends/kernels/tests/it/outputs.rs backends/kernels/tests/it/panels.rs backends/kernels/tests/it/products.rs backends/kernels/tests/it/properties.rs backends/kernels/tests/it/scaled.rs backends/kernels/tests/it/tuning.rs backends/kernels/tests/it/vector.rs

backends/kernels/tests/it/main.rs:
backends/kernels/tests/it/allocator.rs:
backends/kernels/tests/it/attention.rs:
backends/kernels/tests/it/candidates.rs:
backends/kernels/tests/it/cells.rs:
backends/kernels/tests/it/crew.rs:
backends/kernels/tests/it/heads.rs:
backends/kernels/tests/it/isa.rs:
backends/kernels/tests/it/oracle.rs:
backends/kernels/tests/it/outputs.rs:
backends/kernels/tests/it/panels.rs:
backends/kernels/tests/it/products.rs:
backends/kernels/tests/it/properties.rs:
backends/kernels/tests/it/scaled.rs:
backends/kernels/tests/it/tuning.rs:
backends/kernels/tests/it/vector.rs:
