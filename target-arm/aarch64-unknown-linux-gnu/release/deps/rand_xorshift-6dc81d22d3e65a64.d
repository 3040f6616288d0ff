/work/edit/target-arm/aarch64-unknown-linux-gnu/release/deps/rand_xorshift-6dc81d22d3e65a64.d: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/rand_xorshift-0.5.0/src/lib.rs

/work/edit/target-arm/aarch64-unknown-linux-gnu/release/deps/librand_xorshift-6dc81d22d3e65a64.rlib: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/rand_xorshift-0.5.0/src/lib.rs

/work/edit/target-arm/aarch64-unknown-linux-gnu/release/deps/librand_xorshift-6dc81d22d3e65a64.rmeta: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/rand_xorshift-0.5.0/src/lib.rs

/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/rand_xorshift-0.5.0/src/lib.rs:
