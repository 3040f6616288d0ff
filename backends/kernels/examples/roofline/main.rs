//! The products' distance to the hardware's limit: every matrix shape of the papers' models, by rows, beside
//! limits that the same run measures.
//!
//! There are two limits: sums in registers (dot products or fused multiply-adds back to back), and reading of
//! memory, once at the size of each cache and once at the size of each weight. A product's line shows its
//! share of each limit. Limits and products take turns in slices well below a scheduler's, and the median
//! slice of each counts. So a disturbance hits both sides of a ratio.
//!
//! Activations are drawn from a normal distribution, because AVX2 multiplies rows faster whose greatest magnitude
//! stands out.
//!
//! Arguments choose instruction sets (default: the best), precisions (default: all) and shapes as KxN
//! (default: all), any number of each.

// The peaks are intrinsics of one instruction set.
#![allow(unsafe_code)]

mod levels;
mod peaks;

use dyno_kernels::{
    Activation, Best, Input, Isa, Kernels, Layout, MatMut, Output, Precision, Weights, WholeLines,
};
use levels::Levels;
use std::hint::black_box;
use std::io::{self, Write};
use std::time::Instant;

/// Rows and results begin at cache lines, as in the engines' program.
#[global_allocator]
static ALLOCATOR: WholeLines = WholeLines;

/// K, N and model of every weight in the models of the five papers.
const SHAPES: [(usize, usize, &str); 22] = [
    (256, 256, "tiny: attention, SSRU, gates"),
    (256, 768, "tiny: query, key and value at once"),
    (256, 1024, "tiny: feed-forward in"),
    (1024, 256, "tiny: feed-forward out"),
    (256, 1536, "student: feed-forward in"),
    (1536, 256, "student: feed-forward out"),
    (256, 2048, "AAN: feed-forward in"),
    (2048, 256, "AAN: feed-forward out"),
    (512, 512, "base: attention, S3 layers"),
    (512, 1024, "GRU: attention's state"),
    (512, 1536, "GRU: gates; base: query, key and value"),
    (1024, 512, "GRU: start state"),
    (1024, 1536, "GRU: gates of the context"),
    (512, 2048, "base: feed-forward in; LSTM: gates"),
    (2048, 512, "base: feed-forward out"),
    (768, 768, "BERT-base: attention"),
    (768, 3072, "BERT-base: feed-forward in"),
    (3072, 768, "BERT-base: feed-forward out"),
    (1024, 1024, "BERT-large: attention"),
    (1024, 4096, "BERT-large: feed-forward in"),
    (4096, 1024, "BERT-large: feed-forward out"),
    (256, 32000, "whole vocabulary, best word only"),
];
const ROWS: [usize; 6] = [1, 4, 8, 16, 64, 256];
/// Number of slices for each side of a ratio; odd, for the median.
const REPEATS: usize = 21;
/// Duration of a slice: long against the resolution of the clock, short against a scheduler's slice of some
/// milliseconds.
const SLICE_SECONDS: f64 = 0.000_2;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let choice = Choice::from_arguments(std::env::args().skip(1))?;
    match show(&choice, &mut io::stdout().lock()) {
        Err(error) if error.downcast_ref::<io::Error>().is_some_and(is_closed) => Ok(()),
        done => done,
    }
}

/// Whether the reader has closed the pipe.
fn is_closed(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

/// Instruction sets, precisions and shapes to show.
struct Choice {
    kernels: Vec<Kernels>,
    precisions: Vec<Precision>,
    shapes: Vec<(usize, usize, &'static str)>,
}

impl Choice {
    fn from_arguments(arguments: impl Iterator<Item = String>) -> Result<Self, Box<dyn std::error::Error>> {
        let all = [Precision::Int8, Precision::Int16, Precision::Bf16, Precision::F16, Precision::F32];
        let mut choice = Self { kernels: Vec::new(), precisions: Vec::new(), shapes: Vec::new() };
        for argument in arguments {
            if let Some(precision) = all.into_iter().find(|precision| precision.to_string() == argument) {
                choice.precisions.push(precision);
            } else if let Some((k, n)) =
                argument.split_once('x').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)))
            {
                choice.shapes.push((k, n, "as asked"));
            } else {
                choice.kernels.push(Kernels::forced(argument.parse::<Isa>()?)?);
            }
        }
        if choice.kernels.is_empty() {
            choice.kernels.push(Kernels::best());
        }
        if choice.precisions.is_empty() {
            choice.precisions.extend(all);
        }
        if choice.shapes.is_empty() {
            choice.shapes.extend(SHAPES);
        }
        Ok(choice)
    }
}

fn show(choice: &Choice, out: &mut impl Write) -> Result<(), Box<dyn std::error::Error>> {
    writeln!(out, "{}", levels::machine())?;
    for &kernels in &choice.kernels {
        let levels = Levels::measure(kernels.isa());
        writeln!(out, "\n{}: {levels}", kernels.isa())?;
        for &precision in &choice.precisions {
            table(kernels, precision, &levels, &choice.shapes, out)?;
        }
    }
    Ok(())
}

fn table(
    kernels: Kernels,
    precision: Precision,
    levels: &Levels,
    shapes: &[(usize, usize, &str)],
    out: &mut impl Write,
) -> Result<(), Box<dyn std::error::Error>> {
    let isa = kernels.isa();
    writeln!(
        out,
        "\n{isa} {precision}\n   K     N    M   GMAC/s  of peak    GB/s  of a stream  of its level"
    )?;
    for &(k, n, whose) in shapes {
        writeln!(out, "{k:>4} {n:>5}  {whose}")?;
        let weights = pack(kernels, precision, k, n)?;
        for m in ROWS {
            let Speed { mac, of_peak, bytes, of_stream } = Speed::measure(kernels, &weights, m)?;
            let (level, bandwidth) = levels.of(weights.bytes());
            let of_level = bytes / bandwidth * 100.0;
            writeln!(
                out,
                "{m:>15} {:>8.1} {of_peak:>7.0}% {:>7.1} {of_stream:>11.0}% {of_level:>8.0}% {level}",
                mac / 1e9,
                bytes / 1e9
            )?;
        }
    }
    Ok(())
}

fn pack(kernels: Kernels, precision: Precision, k: usize, n: usize) -> dyno_kernels::Result<Weights> {
    match precision {
        Precision::Int8 => kernels.pack_int8(&vec![1; k * n], k, n, Layout::Kn),
        Precision::Int16 => kernels.pack_int16(&vec![1; k * n], k, n, Layout::Kn, 2047),
        Precision::F16 => kernels.pack_f16(&vec![0x3C00; k * n], k, n, Layout::Kn), // ones
        Precision::Bf16 => kernels.pack_bf16(&vec![1.0; k * n], k, n, Layout::Kn),
        Precision::F32 => kernels.pack_f32(&vec![1.0; k * n], k, n, Layout::Kn),
    }
}

/// So many values of about a normal distribution: sums of twelve even ones.
fn normal(count: usize) -> Vec<f32> {
    let mut state = 1u64;
    let mut even = || {
        // The multiplier is L'Ecuyer's, for 64 bits.
        state = state.wrapping_mul(3_935_559_000_370_003_845).wrapping_add(1);
        (state >> 40) as f32 / (1u64 << 24) as f32
    };
    (0..count).map(|_| (0..12).map(|_| even()).sum::<f32>() - 6.0).collect()
}

/// Speed of a product.
struct Speed {
    /// Multiply-accumulates per second.
    mac: f64,
    /// Percentage of the limit in registers.
    of_peak: f64,
    /// Bytes of weights per second.
    bytes: f64,
    /// Percentage of the limit of reading.
    of_stream: f64,
}

impl Speed {
    fn measure(kernels: Kernels, weights: &Weights, m: usize) -> dyno_kernels::Result<Self> {
        let (k, n) = (weights.k(), weights.n());
        let x = normal(m * k);
        let mut rows = kernels.rows(weights.precision(), m, k);
        let a = if matches!(weights.precision(), Precision::F16 | Precision::F32) {
            Input::f32(&x, m, k)?
        } else {
            rows.quantise(&x, m)?;
            rows.view()
        };
        let mut y = vec![0.0; m * n];
        let mut best = vec![Best::NONE; m];
        let mut product = || {
            let to = match MatMut::new(&mut y, m, n) {
                Ok(y) if n < 10_000 => Output::F32(y),
                // No engine writes a whole vocabulary's logits.
                _ => Output::Best { best: &mut best, mask: None },
            };
            weights.multiply(a, 0..n, Activation::None, None, to).expect("shapes that fit each other");
        };
        let stream = vec![1.0f32; weights.bytes() / 4];
        let (work, bytes) = ((m * k * n) as f64, weights.bytes() as f64);
        let (mut calls, mut peaks, mut streams) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..REPEATS {
            peaks.push(peaks::compute(kernels.isa(), weights.precision()));
            calls.push(per_second(&mut product));
            streams.push(per_second(|| peaks::stream(kernels.isa(), black_box(&stream))));
        }
        let (calls, peak, streams) = (median(calls), median(peaks), median(streams));
        Ok(Self {
            mac: calls * work,
            of_peak: calls * work / peak * 100.0,
            bytes: calls * bytes,
            of_stream: calls / streams * 100.0,
        })
    }
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

/// Number of runs per second, with warm caches.
fn per_second(mut run: impl FnMut()) -> f64 {
    run();
    let (start, mut runs) = (Instant::now(), 0);
    while start.elapsed().as_secs_f64() < SLICE_SECONDS {
        run();
        runs += 1;
    }
    f64::from(runs) / start.elapsed().as_secs_f64()
}
