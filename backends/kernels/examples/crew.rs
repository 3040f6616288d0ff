//! The cost of a parallel region: what a crew of threads adds to work that it shares.
//!
//! ```sh
//! cargo run --release -p dyno-kernels --example crew        # crews of 1 thread up to all cores
//! ```
//! Each region gives every thread nothing to do, so that its whole time is cost. Dice & Kogan 2021 plot the
//! same figure for their thread pool. Threads that find no core of their own show here at once.

use std::time::Instant;

use dyno_kernels::Crew;

/// Regions of a measurement; their median counts.
const REGIONS: usize = 20_001;

fn main() -> std::io::Result<()> {
    let cores = std::thread::available_parallelism()?.get();
    println!("threads   median µs   95 % µs");
    for threads in 1..=cores {
        let mut crew = Crew::new(threads)?;
        let mut nanoseconds: Vec<u128> = (0..REGIONS).map(|_| region(&mut crew, threads)).collect();
        nanoseconds.sort_unstable();
        let at = |share: usize| nanoseconds[REGIONS * share / 100] as f64 / 1e3;
        println!("{threads:7} {:11.2} {:9.2}", at(50), at(95));
    }
    Ok(())
}

/// Time of one empty region.
fn region(crew: &mut Crew, threads: usize) -> u128 {
    let mut parts = vec![0u64; threads];
    let begin = Instant::now();
    crew.each(&mut parts, |part| *part += 1);
    let taken = begin.elapsed().as_nanos();
    std::hint::black_box(parts);
    taken
}
