//! Our products beside those of rten-gemm, `gemm` and oneDNN: the same shapes in one process, turn by turn,
//! so that a disturbance hits all of them alike. The median of nine turns counts.
//!
//! Each library packs its weights beforehand, except `gemm`, which can't. Rows have the form that the library
//! multiplies. Our products end in f32 with scales and bias, and so do oneDNN's. A second int8 product of
//! oneDNN ends in 32-bit sums; it is shown and not compared, because the caller would have work left.
//! rten-gemm's int8 products end in such sums only. All products run on the thread that `run` pins.
//!
//! `kernels-peers [FOLDER]`: with oneDNN's library in that folder, or without oneDNN.
//! `kernels-peers FOLDER --list`: the products that standard input lists, for the papers' page (`listed`).

mod gemmlowp;
mod library;
mod listed;
mod onednn;
mod ours;
mod rten;

use dyno_kernels_by_library::Library;
use library::Layout;
use onednn::OneDnn;
use std::path::Path;
use std::time::Instant;

/// K, N of the papers' models: see the roofline example of dyno-kernels.
const SHAPES: [(usize, usize); 15] = [
    (256, 256),
    (256, 768),
    (256, 1024),
    (1024, 256),
    (256, 1536),
    (1536, 256),
    (256, 2048),
    (2048, 256),
    (512, 512),
    (512, 1536),
    (512, 2048),
    (2048, 512),
    (768, 768),
    (768, 3072),
    (3072, 768),
];
const ROWS: [usize; 6] = [1, 4, 8, 16, 64, 256];
/// Odd, so that one is the median.
const TURNS: usize = 9;
/// Duration of a turn, long against the resolution of the clock.
const TURN_SECONDS: f64 = 0.000_3;
/// Share of the best other speed, below which a shape is listed at the end.
const BEHIND: f64 = 0.97;

/// Name of the contestant that leaves scales and bias to the caller; it isn't compared.
const BARE_SUMS: &str = "onednn-sums";

/// A contestant: its name, and a product to time.
type Contestant<'a> = (&'static str, Box<dyn FnMut() + 'a>);

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = arguments.first().map(Path::new);
    let onednn = folder.map(OneDnn::load).transpose()?;
    if let (Some(folder), [_, list]) = (folder, &arguments[..])
        && list == "--list"
    {
        return listed::race(onednn.ok_or("oneDNN is needed")?, folder);
    }
    let mut behind = Vec::new();
    for precision in ["int8", "f32"] {
        println!("{precision}: GMAC/s, median of {TURNS}\n   K     N    M");
        for (k, n) in SHAPES {
            for m in ROWS {
                let contestants = match precision {
                    "int8" => int8(onednn.as_ref(), m, k, n)?,
                    _ => f32(onednn.as_ref(), m, k, n)?,
                };
                let speeds = race(contestants, (m * k * n) as f64 / 1e9);
                let (_, ours) = speeds[0];
                let others = speeds[1..].iter().filter(|(name, _)| *name != BARE_SUMS);
                let best = others.map(|(_, speed)| *speed).fold(0.0, f64::max);
                let all: Vec<String> =
                    speeds.iter().map(|(name, speed)| format!("{name} {speed:.1}")).collect();
                println!("{k:>4} {n:>5} {m:>4}  {}  ratio {:.2}", all.join("  "), ours / best);
                if ours < BEHIND * best {
                    behind.push(format!("{precision} {k}x{n}, {m} rows: {:.2}", ours / best));
                }
            }
        }
    }
    println!("below {BEHIND} of the best other: {}", if behind.is_empty() { "none" } else { "" });
    behind.iter().for_each(|line| println!("  {line}"));
    Ok(())
}

fn int8(onednn: Option<&OneDnn>, m: usize, k: usize, n: usize) -> Result<Vec<Contestant<'_>>> {
    let mut all: Vec<Contestant<'_>> = vec![("ours", ours::int8(m, k, n)?), ("rten", rten::int8(m, k, n))];
    if let Some(onednn) = onednn {
        all.push(("onednn", onednn.product(onednn::Kind::Int8, m, k, n)?));
        all.push((BARE_SUMS, onednn.product(onednn::Kind::Sums, m, k, n)?));
    }
    Ok(all)
}

fn f32(onednn: Option<&OneDnn>, m: usize, k: usize, n: usize) -> Result<Vec<Contestant<'_>>> {
    let gemm = library::f32(&Library::Gemm, Layout::Normal, m, k, n);
    let mut all: Vec<Contestant<'_>> =
        vec![("ours", ours::f32(m, k, n)?), ("rten", rten::f32(m, k, n)), ("gemm", gemm)];
    if let Some(onednn) = onednn {
        all.push(("onednn", onednn.product(onednn::Kind::F32, m, k, n)?));
    }
    Ok(all)
}

/// The median speed of each, in units of `work` a second.
fn race(mut contestants: Vec<Contestant<'_>>, work: f64) -> Vec<(&'static str, f64)> {
    let mut speeds = vec![Vec::new(); contestants.len()];
    for _ in 0..TURNS {
        for ((_, product), speeds) in contestants.iter_mut().zip(&mut speeds) {
            speeds.push(work * per_second(product));
        }
    }
    let median = |mut speeds: Vec<f64>| {
        speeds.sort_by(f64::total_cmp);
        speeds[TURNS / 2]
    };
    contestants.iter().zip(speeds).map(|((name, _), speeds)| (*name, median(speeds))).collect()
}

fn per_second(product: &mut dyn FnMut()) -> f64 {
    product();
    let (start, mut runs) = (Instant::now(), 0);
    while start.elapsed().as_secs_f64() < TURN_SECONDS {
        product();
        runs += 1;
    }
    f64::from(runs) / start.elapsed().as_secs_f64()
}
