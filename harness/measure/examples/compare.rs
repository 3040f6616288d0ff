//! Measures two programs side by side over whole files, and prints how much faster the second one is.
//!
//! ```sh
//! cargo run --release -p dyno-measure --example compare -- 'sed s/a/b/' 'tr a b'
//! ```

use dyno_measure::{
    Bench, Earlier, Error, Plan, Profile, Protocol, System, TestSet, Track, host, measure_together,
};
use dyno_stats::median;

fn main() -> Result<(), Error> {
    dyno_measure::enter(); // this program is also its own supervisor
    let commands: Vec<String> = std::env::args().skip(1).collect();
    let [first, second] = &commands[..] else {
        eprintln!("name two shell commands that answer each line");
        std::process::exit(2);
    };
    let scratch = std::env::temp_dir().join(format!("compare-{}", std::process::id()));
    let bench = Bench::new(&host::detect()?, None, Protocol::of(Profile::Quick), &scratch)?;
    // Names tell systems apart, commands may be equal.
    let shell = |place: &str, command: &str| {
        System::of_command(&format!("{place}, {command}"), ["sh", "-c", command])
    };
    let plan = Plan {
        systems: vec![shell("first", first), shell("second", second)],
        test_sets: vec![TestSet::from_lines(
            "lines",
            (0..2000).map(|number| format!("a line, and {number}")),
        )],
        tracks: vec![Track::Throughput1],
    };
    let (mut earlier, mut ratios) = (Earlier::default(), Vec::new());
    for rounds in plan.groups(&bench.protocol) {
        let measured = measure_together(&bench, &rounds, &earlier)?;
        let speeds: Vec<f64> = measured.iter().filter_map(|one| one.record.words_per_second()).collect();
        for one in &measured {
            let (name, verdict) = (&one.record.system, one.record.verdict.name());
            println!("{name}: {:.0} words/s, {verdict}", one.record.words_per_second().unwrap_or(f64::NAN));
            earlier.add(&one.record, &one.answers);
        }
        if let [first, second] = speeds[..] {
            ratios.push(second / first);
        }
    }
    println!("{second} is {:.2} times as fast as {first}", median(&ratios).unwrap_or(f64::NAN));
    std::fs::remove_dir_all(&scratch)?;
    Ok(())
}
