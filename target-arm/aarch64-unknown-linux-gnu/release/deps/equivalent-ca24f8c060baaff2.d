/work/edit/target-arm/aarch64-unknown-linux-gnu/release/deps/equivalent-ca24f8c060baaff2.d: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/equivalent-1.0.3/src/lib.rs

/work/edit/target-arm/aarch64-unknown-linux-gnu/release/deps/libequivalent-ca24f8c060baaff2.rlib: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/equivalent-1.0.3/src/lib.rs

/work/edit/target-arm/aarch64-unknown-linux-gnu/release/deps/libequivalent-ca24f8c060baaff2.rmeta: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/equivalent-1.0.3/src/lib.rs

/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/equivalent-1.0.3/src/lib.rs:
