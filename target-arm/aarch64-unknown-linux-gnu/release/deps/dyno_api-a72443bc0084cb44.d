/work/edit/target-arm/aarch64-unknown-linux-gnu/release/deps/dyno_api-a72443bc0084cb44.d: backends/api/src/lib.rs backends/api/src/breakdown.rs backends/api/src/error.rs backends/api/src/files.rs backends/api/src/isa.rs backends/api/src/look_alikes.rs backends/api/src/printable.rs backends/api/src/prompt.rs backends/api/src/settings.rs

/work/edit/target-arm/aarch64-unknown-linux-gnu/release/deps/libdyno_api-a72443bc0084cb44.rlib: backends/api/src/lib.rs backends/api/src/breakdown.rs backends/api/src/error.rs backends/api/src/files.rs backends/api/src/isa.rs backends/api/src/look_alikes.rs backends/api/src/printable.rs backends/api/src/prompt.rs backends/api/src/settings.rs

/work/edit/target-arm/aarch64-unknown-linux-gnu/release/deps/libdyno_api-a72443bc0084cb44.rmeta: backends/api/src/lib.rs backends/api/src/breakdown.rs backends/api/src/error.rs backends/api/src/files.rs backends/api/src/isa.rs backends/api/src/look_alikes.rs backends/api/src/printable.rs backends/api/src/prompt.rs backends/api/src/settings.rs

backends/api/src/lib.rs:
backends/api/src/breakdown.rs:
backends/api/src/error.rs:
backends/api/src/files.rs:
backends/api/src/isa.rs:
backends/api/src/look_alikes.rs:
backends/api/src/printable.rs:
backends/api/src/prompt.rs:
backends/api/src/settings.rs:
