//! Measures `cat` in lock-step, one line at a time on one core, and prints percentiles of its latency.
//!
//! ```sh
//! cargo run --release -p dyno-measure --example cat
//! ```

use dyno_measure::{Bench, Earlier, Error, Plan, Profile, Protocol, System, TestSet, Track, host, measure};
use dyno_stats::percentile;

fn main() -> Result<(), Error> {
    dyno_measure::enter(); // this program is also its own supervisor
    let scratch = std::env::temp_dir().join(format!("cat-{}", std::process::id()));
    let bench = Bench::new(&host::detect()?, None, Protocol::of(Profile::Quick), &scratch)?;
    let lines = (0..200).map(|number| format!("This is line {number} of two hundred."));
    let plan = Plan {
        systems: vec![System::of_command("cat", ["cat"])],
        test_sets: vec![TestSet::from_lines("lines", lines)],
        tracks: vec![Track::Latency],
    };
    let mut earlier = Earlier::default();
    for round in plan.rounds(&bench.protocol) {
        let measured = measure(&bench, &round, &earlier)?;
        let us: Vec<f64> = measured.record.latency_ns().iter().map(|&ns| ns as f64 / 1e3).collect();
        let [p50, p95] = [50.0, 95.0].map(|percent| percentile(&us, percent).unwrap_or(f64::NAN));
        let verdict = measured.record.verdict.name();
        println!("round {}: p50 {p50:.1} µs, p95 {p95:.1} µs, {verdict}", round.number);
        for reason in &measured.record.reasons {
            println!("  {}: {}; {}", reason.code.name(), reason.figure, reason.remedy);
        }
        earlier.add(&measured.record, &measured.answers);
    }
    std::fs::remove_dir_all(&scratch)?;
    Ok(())
}
