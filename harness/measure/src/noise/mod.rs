//! Whether the host disturbed a round. Only what comes from outside counts, never the result itself: else one
//! would measure until one likes the figure.

pub mod canary;

use std::fs;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::cgroup;
use crate::host;
use crate::os;
use canary::{Canary, Samples, drift};

/// Share of a round that the hypervisor may take from the chosen cores.
pub const STEAL_LIMIT: f64 = 0.01;
/// Share of a round that others may keep the chosen cores busy.
pub const FOREIGN_LIMIT: f64 = 0.02;
/// How far the canary may drift.
pub const CANARY_LIMIT: f64 = 0.03;
/// The kernel counts core time in ticks (USER_HZ, 100 a second on Linux): below two of them nothing can be told.
const TICK_NS: f64 = 10e6;
/// Least number of ticks that tell anything.
pub const LEAST_TICKS: f64 = 2.0;
/// Of a round shorter than this the canary is not judged: it is no longer a moment at its edge but a good part of it.
pub const LEAST_SECONDS: f64 = 0.5;

/// What the host did during one attempt at a round.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Noise {
    /// How long it was watched.
    pub seconds: f64,
    /// CPU time that the bench itself took meanwhile, its supervisors not among it.
    pub bench_ns: u64,
    /// Share of the system's cores' time that the hypervisor took.
    pub steal_share: f64,
    /// Share that others kept them busy, and how far the counting of ticks may be off.
    pub foreign_share: f64,
    /// See `foreign_share`.
    pub foreign_margin: f64,
    /// Times that the cores were throttled.
    pub throttled: u64,
    /// Drift of the canary: of the chain, and of the stream.
    pub canary_drift: [f64; 2],
    /// What of this was too much, in words; nothing: the host was quiet.
    pub triggers: Vec<String>,
}

impl Noise {
    /// Whether anything was too much.
    pub fn is_disturbed(&self) -> bool {
        !self.triggers.is_empty()
    }

    /// Fills in the triggers.
    fn judged(mut self) -> Self {
        let percent = |share: f64| format!("{:.1} %", share * 100.0);
        let least = LEAST_TICKS * TICK_NS / 1e9 / self.seconds.max(f64::MIN_POSITIVE);
        if self.steal_share > STEAL_LIMIT.max(least) {
            self.triggers.push(format!("steal {}", percent(self.steal_share)));
        }
        if self.foreign_share - self.foreign_margin > FOREIGN_LIMIT.max(least) {
            self.triggers.push(format!("others kept its cores busy {}", percent(self.foreign_share)));
        }
        if self.throttled > 0 {
            self.triggers.push(format!("throttled {} times", self.throttled));
        }
        for (name, drift) in ["clock", "memory"].into_iter().zip(self.canary_drift) {
            if drift > CANARY_LIMIT && self.seconds >= LEAST_SECONDS {
                self.triggers.push(format!("the {name} drifted by {}", percent(drift)));
            }
        }
        self
    }
}

/// A watch over the cores of a round.
pub struct Watch {
    /// The cores of the system, and their hardware siblings, which must stay idle.
    cores: Vec<usize>,
    /// How many of them are the system's.
    used: usize,
    canary: Canary,
    /// Where it sings.
    core: usize,
    sampled: Samples,
    begin: Instant,
    spent: CoreTime,
    throttled: u64,
    bench_ns: u64,
}

impl Watch {
    /// Sings the canary, then begins to count.
    pub fn begin(cores: &[usize]) -> std::io::Result<Self> {
        let canary = Canary::default();
        let core = cores[cores.len() - 1];
        let sampled = canary.sample_three(core)?;
        let used = cores.len();
        let mut cores: Vec<usize> = cores.iter().flat_map(|&core| host::siblings(core)).collect();
        cores.sort_unstable();
        cores.dedup();
        let (spent, throttled) = (CoreTime::now(&cores), throttled(&cores));
        Ok(Self {
            cores,
            used,
            canary,
            core,
            sampled,
            begin: Instant::now(),
            spent,
            throttled,
            bench_ns: os::own_cpu_ns(),
        })
    }

    /// Counts what happened since, of which the system's tree took `system_ns`; where nobody knows that, others'
    /// share can't be told either.
    pub fn end(self, system_ns: Option<u64>) -> std::io::Result<Noise> {
        let seconds = self.begin.elapsed().as_secs_f64();
        let spent = CoreTime::now(&self.cores).since(&self.spent);
        let bench_ns = os::own_cpu_ns() - self.bench_ns;
        let own_ns = system_ns.map_or(f64::MAX, |ns| (ns + bench_ns) as f64);
        let wall_ns = seconds * 1e9 * self.used as f64; // of all its cores
        let busy_ns = spent.busy as f64 * TICK_NS;
        let sampled = self.canary.sample_three(self.core)?;
        Ok(Noise {
            seconds,
            bench_ns,
            steal_share: spent.steal as f64 * TICK_NS / wall_ns,
            foreign_share: ((busy_ns - own_ns) / wall_ns).max(0.0),
            foreign_margin: margin(busy_ns / wall_ns, wall_ns / TICK_NS),
            throttled: throttled(&self.cores).saturating_sub(self.throttled),
            canary_drift: [0, 1].map(|part| drift(&self.sampled, &sampled, part).max(0.0)),
            triggers: Vec::new(),
        }
        .judged())
    }
}

/// Ticks sample who runs at an instant, so a core that is busy for a share of the time is counted with the
/// error of as many draws: three standard deviations of a binomial.
fn margin(busy_share: f64, ticks: f64) -> f64 {
    let share = busy_share.clamp(0.0, 1.0);
    3.0 * (share * (1.0 - share) / ticks.max(1.0)).sqrt()
}

/// Time of cores so far, or between two looks, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoreTime {
    /// Time in which the cores worked.
    pub busy: u64,
    /// Time that the hypervisor took.
    pub steal: u64,
    /// All time, idle time included.
    pub all: u64,
}

impl CoreTime {
    /// The time of `cores` so far. Read by hand, since sysinfo doesn't tell what the hypervisor takes.
    pub fn now(cores: &[usize]) -> Self {
        Self::of(&fs::read_to_string("/proc/stat").unwrap_or_default(), cores)
    }

    /// The time since an `earlier` look.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            busy: self.busy.saturating_sub(earlier.busy),
            steal: self.steal.saturating_sub(earlier.steal),
            all: self.all.saturating_sub(earlier.all),
        }
    }

    /// From `/proc/stat` (proc(5)): user nice system idle iowait irq softirq steal; guests are in user already.
    fn of(stat: &str, cores: &[usize]) -> Self {
        let mut sum = Self::default();
        for line in stat.lines() {
            let mut words = line.split_whitespace();
            let core = words.next().and_then(|word| word.strip_prefix("cpu")?.parse::<usize>().ok());
            if core.is_none_or(|core| !cores.contains(&core)) {
                continue;
            }
            let ticks: Vec<u64> = words.map(|word| word.parse().unwrap_or(0)).collect();
            let at = |i: usize| ticks.get(i).copied().unwrap_or(0);
            sum.busy += [0, 1, 2, 5, 6].map(at).iter().sum::<u64>();
            sum.steal += at(7);
            sum.all += (0..8).map(at).sum::<u64>();
        }
        sum
    }
}

/// Times that the processor or the control group held the cores back.
fn throttled(cores: &[usize]) -> u64 {
    let read = |path: String| fs::read_to_string(path).unwrap_or_default();
    let counter = |core: &usize| {
        let path = format!("/sys/devices/system/cpu/cpu{core}/thermal_throttle/core_throttle_count");
        read(path).trim().parse::<u64>().unwrap_or(0)
    };
    // Any group that it lies in may have a quota; of version 1 the topmost is looked at.
    let groups = cgroup::own_and_above().into_iter().map(|folder| folder.join("cpu.stat"));
    let groups = groups.chain(["/sys/fs/cgroup/cpu/cpu.stat".into()]);
    let group: String = groups.map(|path| read(path.display().to_string())).collect();
    let periods =
        group.lines().filter_map(|line| line.strip_prefix("nr_throttled ")?.trim().parse::<u64>().ok());
    cores.iter().map(counter).sum::<u64>() + periods.sum::<u64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiet() -> Noise {
        Noise { seconds: 10.0, ..Noise::default() }
    }

    #[test]
    fn only_the_chosen_cores_count() {
        let stat = "cpu  9 9 9 9 9 9 9 9\ncpu0 100 1 10 500 3 2 4 7 0 0\ncpu1 1 1 1 1 1 1 1 1 0 0\nintr 5\n";
        let ticks = CoreTime::of(stat, &[0]);
        assert_eq!((ticks.busy, ticks.steal), (117, 7));
        let both = CoreTime::of(stat, &[0, 1]);
        assert_eq!((both.busy, both.steal), (122, 8));
    }

    #[test]
    fn each_trigger_has_its_limit() {
        assert!(!quiet().judged().is_disturbed());
        let cases = [
            (Noise { steal_share: 0.009, foreign_share: 0.019, canary_drift: [0.029, 0.029], ..quiet() }, ""),
            (Noise { steal_share: 0.011, ..quiet() }, "steal 1.1 %"),
            (Noise { foreign_share: 0.021, ..quiet() }, "others kept its cores busy 2.1 %"),
            (Noise { foreign_share: 0.05, foreign_margin: 0.04, ..quiet() }, ""),
            (Noise { throttled: 2, ..quiet() }, "throttled 2 times"),
            (Noise { canary_drift: [0.031, 0.0], ..quiet() }, "the clock drifted by 3.1 %"),
            (Noise { canary_drift: [0.0, 0.2], ..quiet() }, "the memory drifted by 20.0 %"),
            // 0.5 s are fifty ticks: one or two of them say nothing.
            (Noise { seconds: 0.5, steal_share: 0.02, foreign_share: 0.039, ..quiet() }, ""),
            (Noise { seconds: 0.5, foreign_share: 0.05, ..quiet() }, "others kept its cores busy 5.0 %"),
            // The fast have short rounds: what disturbs them isn't forgiven.
            (Noise { seconds: 0.4, foreign_share: 0.2, ..quiet() }, "others kept its cores busy 20.0 %"),
            (Noise { seconds: 0.4, foreign_share: 0.049, canary_drift: [0.5, 0.5], ..quiet() }, ""),
            (Noise { seconds: 0.01, steal_share: 1.0, foreign_share: 1.0, ..quiet() }, ""),
        ];
        for (noise, expected) in cases {
            assert_eq!(noise.judged().triggers.join(", "), expected);
        }
    }

    #[test]
    fn ticks_of_a_half_busy_core_are_off_by_more_than_those_of_a_busy_one() {
        assert!(margin(1.0, 100.0) < 1e-9);
        assert!((margin(0.5, 900.0) - 0.05).abs() < 1e-9);
    }
}
