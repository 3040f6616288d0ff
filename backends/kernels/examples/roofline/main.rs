//! How near the hardware's limit the products are: every matrix shape of the papers' models, by rows, beside the peaks
//! that this very run measures.
//!
//! Three limits are measured first: sums in registers (the dot product or the fused multiply-add back to back) and reading
//! through memory at the size of each weight. A product's row then says what part of both it reached. Peaks and products
//! take turns in slices well below a scheduler's, and the fastest slice of each counts: whoever shares the core can only
//! slow a slice down, and would otherwise hit one side of a ratio and not the other.
//! Arguments: the instruction sets to show (default: the best).

// The peaks are intrinsics for one instruction set.
#![allow(unsafe_code)]

mod peaks;

use dyno_kernels::{Activation, Input, Isa, Kernels, Layout, MatMut, Output, Precision, Weights};
use std::hint::black_box;
use std::time::Instant;

/// K, N of every weight in the models of the five papers, and whose it is.
const SHAPES: [(usize, usize, &str); 14] = [
    (256, 256, "tiny: attention, SSRU"),
    (256, 1024, "tiny: feed-forward in"),
    (1024, 256, "tiny: feed-forward out"),
    (256, 1536, "student: feed-forward in"),
    (1536, 256, "student: feed-forward out"),
    (256, 2048, "AAN: feed-forward in"),
    (2048, 256, "AAN: feed-forward out"),
    (512, 512, "base: attention, S3 layers"),
    (512, 1536, "GRU: gates"),
    (512, 2048, "base: feed-forward in"),
    (2048, 512, "base: feed-forward out"),
    (768, 768, "BERT-base: attention"),
    (768, 3072, "BERT-base: feed-forward"),
    (256, 32000, "whole vocabulary"),
];
const ROWS: [usize; 6] = [1, 4, 8, 16, 64, 256];
/// Enough that each side runs undisturbed at least once on a busy machine.
const REPEATS: usize = 40;
/// Long against the clock's grain, short against a scheduler's slice of some milliseconds.
const SLICE_SECONDS: f64 = 0.000_2;

fn main() -> dyno_kernels::Result<()> {
    let mut isas = Vec::new();
    for name in std::env::args().skip(1) {
        isas.push(Kernels::forced(name.parse::<Isa>()?)?);
    }
    if isas.is_empty() {
        isas.push(Kernels::best());
    }
    println!("{}", peaks::machine());
    for kernels in isas {
        for precision in [Precision::Int8, Precision::Int16, Precision::F32] {
            table(kernels, precision)?;
        }
    }
    Ok(())
}

fn table(kernels: Kernels, precision: Precision) -> dyno_kernels::Result<()> {
    println!("\n{} {precision}\n   K     N    M   GMAC/s  of peak    GB/s  of stream", kernels.isa());
    for (k, n, whose) in SHAPES {
        println!("{k:>4} {n:>5}  {whose}");
        let weights = pack(kernels, precision, k, n)?;
        for m in ROWS {
            let (mac, of_peak, bytes, of_stream) = measure(kernels, &weights, m)?;
            println!("{m:>15} {:>8.1} {of_peak:>7.0}% {:>7.1} {of_stream:>9.0}%", mac / 1e9, bytes / 1e9);
        }
    }
    Ok(())
}

fn pack(kernels: Kernels, precision: Precision, k: usize, n: usize) -> dyno_kernels::Result<Weights> {
    match precision {
        Precision::Int8 => kernels.pack_int8(&vec![1; k * n], k, n, Layout::Kn),
        Precision::Int16 => kernels.pack_int16(&vec![1; k * n], k, n, Layout::Kn, 32767),
        Precision::F32 => kernels.pack_f32(&vec![1.0; k * n], k, n, Layout::Kn),
    }
}

/// MAC/s, percent of the peak, bytes of weights/s, percent of what streaming gives.
fn measure(kernels: Kernels, weights: &Weights, m: usize) -> dyno_kernels::Result<(f64, f64, f64, f64)> {
    let (k, n) = (weights.k(), weights.n());
    let x = vec![0.5; m * k];
    let mut rows = kernels.rows(weights.precision(), m, k);
    let a = if weights.precision() == Precision::F32 {
        Input::f32(&x, m, k)?
    } else {
        rows.quantise_fixed(&x, m, 2.0)?;
        rows.view()
    };
    let mut y = vec![0.0; m * n];
    let mut product = || {
        let out = MatMut::new(&mut y, m, n).expect("the shape it was made with");
        let done = weights.multiply(a, 0..n, Activation::None, None, Output::F32(out));
        done.expect("shapes that fit each other");
    };
    let stream = vec![1.0f32; weights.bytes() / 4];
    let (work, bytes) = ((m * k * n) as f64, weights.bytes() as f64);
    let (mut calls, mut peak, mut streams) = (0.0f64, 0.0f64, 0.0f64);
    for _ in 0..REPEATS {
        peak = peak.max(peaks::compute(kernels.isa(), weights.precision()));
        calls = calls.max(per_second(&mut product));
        streams = streams.max(per_second(|| peaks::stream(kernels.isa(), black_box(&stream))));
    }
    Ok((calls * work, calls * work / peak * 100.0, calls * bytes, calls / streams * 100.0))
}

/// How often it runs in a second, the caches warm.
fn per_second(mut run: impl FnMut()) -> f64 {
    run();
    let (start, mut runs) = (Instant::now(), 0);
    while start.elapsed().as_secs_f64() < SLICE_SECONDS {
        run();
        runs += 1;
    }
    f64::from(runs) / start.elapsed().as_secs_f64()
}
