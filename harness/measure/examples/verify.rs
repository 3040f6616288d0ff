//! Asks a program all probes, and prints what each of them found.
//!
//! ```sh
//! cargo run --release -p dyno-measure --example verify -- ./translate.sh
//! ```

use std::ops::ControlFlow;

use dyno_measure::{Bench, Error, Examinee, Probe, Profile, Protocol, System, TestSet, Track, examine, host};

fn main() -> Result<(), Error> {
    dyno_measure::enter(); // this program is also its own supervisor
    let command: Vec<String> = std::env::args().skip(1).collect();
    if command.is_empty() {
        eprintln!("name the program that answers each line, such as `cat`");
        std::process::exit(2);
    }
    let scratch = std::env::temp_dir().join(format!("verify-{}", std::process::id()));
    let bench = Bench::new(&host::detect()?, None, Protocol::of(Profile::Quick), &scratch)?;
    let system = System::of_command("it", command);
    let set = TestSet::from_lines("lines", (0..200).map(line));
    let mut examinee = Examinee::new(&bench, &system, vec![Track::Latency, Track::Throughput1], &set);
    examine(&mut examinee, &Probe::ALL, &mut |found| {
        println!("{:<12} {:<8} {}", found.probe.name(), found.verdict.name(), found.figure);
        for finding in &found.findings {
            println!("  {}: {}; {}", finding.track.name(), finding.reason.figure, finding.reason.remedy);
        }
        ControlFlow::Continue(())
    })?;
    std::fs::remove_dir_all(&scratch)?;
    Ok(())
}

/// One of many lines with other words in them: for probes that exchange words between lines.
fn line(number: usize) -> String {
    let (colours, animals) = (["red", "green", "brown", "white", "grey"], ["dog", "cat", "horse", "goat"]);
    format!("A {} {} looks at {number} others.", colours[number % 5], animals[number % 4])
}
