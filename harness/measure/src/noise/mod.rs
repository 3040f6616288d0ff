//! Disturbances of a round by the host. Only outside causes count, never the result itself: else one would
//! measure until one likes the figure.

pub mod canary;
pub mod clocks;
mod cpu_time;
pub mod repeats;

use std::time::Instant;

use dyno_record::Noise;
use dyno_record::rules::limits::FOREIGN_LIMIT;
use itertools::Itertools;

use crate::cgroup;
use crate::error::Result;
use crate::host;
use crate::os::{self, number_behind, text_of, tree};
pub use cpu_time::{CoreTime, TreeTime};

use canary::{Canary, drift};
use clocks::Clocks;

/// Share of a round's core time that the hypervisor may take.
pub const STEAL_LIMIT: f64 = 0.01;
/// Tolerated drift of the canary.
pub const CANARY_LIMIT: f64 = 0.03;
/// Unit of the kernel's core times.
const TICK_NS: f64 = tree::TICK_NS as f64;
/// Least number of ticks that prove anything.
pub const LEAST_TICKS: f64 = 2.0;
/// Shortest round whose canary is judged. In a shorter round, the canary takes a good part of the time.
pub const LEAST_SECONDS: f64 = 0.5;

/// Whether the system's own processes took so much that other processes would have disturbed the round.
pub fn is_self_disturbed(noise: &Noise) -> bool {
    noise.unwaited_share - noise.foreign_margin > FOREIGN_LIMIT.max(least_share(noise))
}

/// Share of the time below which ticks prove nothing.
fn least_share(noise: &Noise) -> f64 {
    LEAST_TICKS * TICK_NS / 1e9 / noise.seconds.max(f64::MIN_POSITIVE)
}

/// The same noise with the limits that it exceeds.
fn judged(mut noise: Noise, drift_counts: bool) -> Noise {
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let least = least_share(&noise);
    if noise.steal_share > STEAL_LIMIT.max(least) {
        noise.triggers.push(format!("steal {}", percent(noise.steal_share)));
    }
    if noise.foreign_share - noise.foreign_margin > FOREIGN_LIMIT.max(least) {
        noise.triggers.push(format!("other processes took {} of its cores", percent(noise.foreign_share)));
    }
    if noise.throttled > 0 {
        noise.triggers.push(format!("throttled {} times", noise.throttled));
    }
    if noise.clock_skew != 0.0 {
        noise.triggers.push(format!("the time was adjusted by {}", percent(noise.clock_skew)));
    }
    for (name, drift) in ["clock", "memory"].into_iter().zip(noise.canary_drift) {
        if drift_counts && drift > CANARY_LIMIT && noise.seconds >= LEAST_SECONDS {
            noise.triggers.push(format!("the {name} drifted by {}", percent(drift)));
        }
    }
    noise
}

/// Does `work` and watches the system's `cores` meanwhile. Beside its result, `work` tells the CPU time of the systems'
/// trees. A drift of the canary counts if the system was `alone`: systems that take turns meet it alike.
pub fn watched<T>(
    cores: &[usize],
    alone: bool,
    work: impl FnOnce() -> Result<(T, TreeTime)>,
) -> Result<(T, Noise)> {
    let (canary, canary_core) = (Canary::default(), cores[cores.len() - 1]);
    let before = canary.sample_three(canary_core)?;
    // With their hardware siblings, which must stay idle.
    let all = cores.iter().flat_map(|&core| host::siblings(core)).sorted_unstable().dedup().collect_vec();
    let (spent, throttled_before) = (CoreTime::now(&all), throttled(&all));
    let (begin, clocks, own_ns) = (Instant::now(), Clocks::now(), os::own_cpu_ns());
    let (done, tree) = work()?;
    let clock_skew = Clocks::now().skew_since(clocks);
    let seconds = begin.elapsed().as_secs_f64();
    let spent = CoreTime::now(&all).since(&spent);
    let bench_ns = os::own_cpu_ns() - own_ns;
    let wall_ns = seconds * 1e9 * cores.len() as f64; // of all the system's cores
    let busy_ns = spent.busy as f64 * TICK_NS;
    let beyond_ns = busy_ns - (tree.accounted_ns + bench_ns) as f64;
    let [foreign_ns, unwaited_ns] = tree.split(beyond_ns, all.len());
    let after = canary.sample_three(canary_core)?;
    let noise = Noise {
        seconds,
        bench_ns,
        steal_share: spent.steal as f64 * TICK_NS / wall_ns,
        foreign_share: foreign_ns / wall_ns,
        unwaited_share: unwaited_ns / wall_ns,
        foreign_margin: margin(busy_ns / wall_ns, wall_ns / TICK_NS),
        throttled: throttled(&all).saturating_sub(throttled_before),
        canary_drift: [0, 1].map(|part| drift(&before, &after, part).max(0.0)),
        clock_skew,
        triggers: Vec::new(),
    };
    Ok((done, judged(noise, alone)))
}

/// Error of a tick count. A tick samples the core at an instant, so that the count of a partly busy core is
/// binomial: three standard deviations.
fn margin(busy_share: f64, ticks: f64) -> f64 {
    let share = busy_share.clamp(0.0, 1.0);
    3.0 * (share * (1.0 - share) / ticks.max(1.0)).sqrt()
}

/// Number of times that the processor or the control group held the cores back.
fn throttled(cores: &[usize]) -> u64 {
    let counter = |core: &usize| {
        let path = format!("/sys/devices/system/cpu/cpu{core}/thermal_throttle/core_throttle_count");
        text_of(path).trim().parse::<u64>().unwrap_or(0)
    };
    // Any group above the process may have a quota. Of version 1, the topmost group is read.
    let groups = cgroup::own_and_above().into_iter().map(|folder| folder.join("cpu.stat"));
    let groups = groups.chain(["/sys/fs/cgroup/cpu/cpu.stat".into()]);
    let periods = groups.filter_map(|path| number_behind(&text_of(path), "nr_throttled "));
    cores.iter().map(counter).sum::<u64>() + periods.sum::<u64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiet() -> Noise {
        Noise { seconds: 10.0, ..Noise::default() }
    }

    #[test]
    fn each_trigger_has_its_limit() {
        assert!(!judged(quiet(), true).is_disturbed());
        let cases = [
            (Noise { steal_share: 0.009, foreign_share: 0.019, canary_drift: [0.029, 0.029], ..quiet() }, ""),
            (Noise { steal_share: 0.011, ..quiet() }, "steal 1.1 %"),
            (Noise { foreign_share: 0.021, ..quiet() }, "other processes took 2.1 % of its cores"),
            (Noise { foreign_share: 0.05, foreign_margin: 0.04, ..quiet() }, ""),
            (Noise { clock_skew: -0.1, ..quiet() }, "the time was adjusted by -10.0 %"),
            (Noise { throttled: 2, ..quiet() }, "throttled 2 times"),
            (Noise { canary_drift: [0.031, 0.0], ..quiet() }, "the clock drifted by 3.1 %"),
            (Noise { canary_drift: [0.0, 0.2], ..quiet() }, "the memory drifted by 20.0 %"),
            // 0.5 s are fifty ticks: one or two of them prove nothing.
            (Noise { seconds: 0.5, steal_share: 0.02, foreign_share: 0.039, ..quiet() }, ""),
            (
                Noise { seconds: 0.5, foreign_share: 0.05, ..quiet() },
                "other processes took 5.0 % of its cores",
            ),
            // Quick systems have short rounds, whose disturbances count as well.
            (
                Noise { seconds: 0.4, foreign_share: 0.2, ..quiet() },
                "other processes took 20.0 % of its cores",
            ),
            (Noise { seconds: 0.4, foreign_share: 0.049, canary_drift: [0.5, 0.5], ..quiet() }, ""),
            (Noise { seconds: 0.01, steal_share: 1.0, foreign_share: 1.0, ..quiet() }, ""),
        ];
        for (noise, expected) in cases {
            assert_eq!(judged(noise, true).triggers.join(", "), expected);
        }
    }

    #[test]
    fn a_system_that_disturbs_itself_is_no_noise() {
        let noise = judged(Noise { unwaited_share: 0.3, ..quiet() }, true);
        assert!(is_self_disturbed(&noise) && !noise.is_disturbed());
        assert!(!is_self_disturbed(&Noise { unwaited_share: 0.019, ..quiet() }));
        assert!(!is_self_disturbed(&Noise { unwaited_share: 0.05, foreign_margin: 0.04, ..quiet() }));
        assert!(!is_self_disturbed(&Noise { unwaited_share: 1.0, seconds: 0.01, ..quiet() }));
    }

    #[test]
    fn ticks_of_a_half_busy_core_are_off_by_more_than_those_of_a_busy_one() {
        assert!(margin(1.0, 100.0) < 1e-9);
        assert!((margin(0.5, 900.0) - 0.05).abs() < 1e-9);
    }
}
