/work/edit/target-arm/aarch64-unknown-linux-gnu/release/deps/memmap2-04d3534b0e41136f.d: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/memmap2-0.9.12/src/lib.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/memmap2-0.9.12/src/unix.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/memmap2-0.9.12/src/advice.rs

/work/edit/target-arm/aarch64-unknown-linux-gnu/release/deps/libmemmap2-04d3534b0e41136f.rlib: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/memmap2-0.9.12/src/lib.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/memmap2-0.9.12/src/unix.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/memmap2-0.9.12/src/advice.rs

/work/edit/target-arm/aarch64-unknown-linux-gnu/release/deps/libmemmap2-04d3534b0e41136f.rmeta: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/memmap2-0.9.12/src/lib.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/memmap2-0.9.12/src/unix.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/memmap2-0.9.12/src/advice.rs

/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/memmap2-0.9.12/src/lib.rs:
/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/memmap2-0.9.12/src/unix.rs:
/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/memmap2-0.9.12/src/advice.rs:
