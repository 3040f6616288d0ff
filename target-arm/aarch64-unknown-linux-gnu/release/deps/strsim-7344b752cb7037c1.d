/work/edit/target-arm/aarch64-unknown-linux-gnu/release/deps/strsim-7344b752cb7037c1.d: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/strsim-0.11.1/src/lib.rs

/work/edit/target-arm/aarch64-unknown-linux-gnu/release/deps/libstrsim-7344b752cb7037c1.rlib: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/strsim-0.11.1/src/lib.rs

/work/edit/target-arm/aarch64-unknown-linux-gnu/release/deps/libstrsim-7344b752cb7037c1.rmeta: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/strsim-0.11.1/src/lib.rs

/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/strsim-0.11.1/src/lib.rs:
