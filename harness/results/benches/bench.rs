//! What the bench itself costs: a line in lock-step over pipes, a record's way to the disk and back, the
//! bootstrap.
//!
//! ```sh
//! cargo bench -p dyno-results
//! ```
//!
//! The cost of a line is the difference of `lines` 1001 and 1, over a thousand; that of the floor, two
//! processes that do nothing else, stands beside it. `cat` is the system: all above the floor is the kernel's
//! way to it and the bench's own.

use std::path::Path;

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use dyno_measure::process::lockstep::lockstep;
use dyno_measure::{Bench, Protocol, System, host};
use dyno_record::{Profile, Record, Track};
use dyno_stats::bootstrap::Sampled;

fn main() {
    dyno_measure::enter(); // this program is also its own supervisor
    divan::main();
}

/// A bench of this host.
fn bench() -> Bench {
    let scratch = std::env::temp_dir().join(format!("dyno-bench-{}", std::process::id()));
    let host = host::detect().expect("this host can be measured");
    Bench::new(&host, None, Protocol::of(Profile::Quick), &scratch).expect("a scratch folder")
}

/// A launch of `cat` with so many lines.
#[divan::bench(args = [1, 1001], sample_count = 20)]
fn lines(bencher: Bencher<'_, '_>, count: usize) {
    let (bench, cat) = (bench(), System::of_command("cat", ["cat"]));
    let lines: Vec<Vec<u8>> = (0..count).map(|line| format!("This is line {line} of some.").into()).collect();
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        let done = lockstep(&bench.subject(&cat, Track::Latency), &lines).expect("cat runs");
        assert_eq!(done.answers.len(), count);
    });
}

/// The floor's own 2000 exchanges.
#[divan::bench(sample_count = 20)]
fn floor(bencher: Bencher<'_, '_>) {
    let mut bench = bench();
    bencher.counter(ItemsCount::new(2000_usize)).bench_local(|| bench.measure_pipe_floor().expect("pipes"));
}

/// A published record of a whole round.
fn record() -> Vec<u8> {
    let run = "../../results/2026-11-25-amd-epyc-zen-5-2c-captions/records.jsonl";
    let text = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(run)).expect("a published run");
    text.split(|byte| *byte == b'\n').next().expect("a record").into()
}

#[divan::bench]
fn record_read(bencher: Bencher<'_, '_>) {
    let text = record();
    let read = || serde_json::from_slice::<Record>(black_box(&text)).expect("a record");
    bencher.counter(BytesCount::new(text.len())).bench(read);
}

#[divan::bench]
fn record_written(bencher: Bencher<'_, '_>) {
    let record: Record = serde_json::from_slice(&record()).expect("a record");
    bencher.bench(|| serde_json::to_vec(black_box(&record)).expect("JSON"));
}

/// A thousand resamples of a thousand lines' scores, for two texts, and their difference.
#[divan::bench(sample_count = 20)]
fn bootstrap() -> f64 {
    let scores =
        |first: usize| -> Vec<f64> { (first..first + 1000).map(|i| (i * 7919 % 1000) as f64).collect() };
    let [one, other] = [0, 3].map(|first| Sampled::mean(&scores(first)));
    one.minus(&other).low
}
