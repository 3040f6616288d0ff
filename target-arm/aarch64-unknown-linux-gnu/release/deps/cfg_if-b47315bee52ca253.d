/work/edit/target-arm/aarch64-unknown-linux-gnu/release/deps/cfg_if-b47315bee52ca253.d: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/cfg-if-1.0.5/src/lib.rs

/work/edit/target-arm/aarch64-unknown-linux-gnu/release/deps/libcfg_if-b47315bee52ca253.rlib: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/cfg-if-1.0.5/src/lib.rs

/work/edit/target-arm/aarch64-unknown-linux-gnu/release/deps/libcfg_if-b47315bee52ca253.rmeta: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/cfg-if-1.0.5/src/lib.rs

/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/cfg-if-1.0.5/src/lib.rs:
