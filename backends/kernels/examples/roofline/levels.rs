//! The processor's caches: their sizes as the system reports them, and their speeds as measured.

use crate::{median, peaks, per_second};
use dyno_kernels::Isa;
use std::fmt;
use std::hint::black_box;

/// Name of the processor.
pub fn machine() -> String {
    let all = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = all.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.split(": ").nth(1).unwrap_or("unknown").to_owned()
    };
    let cpu = [field("model name"), field("cpu family"), field("model\t")];
    format!("{}, family {}, model {}; one core", cpu[0], cpu[1], cpu[2])
}

/// Bytes per second from each level, the nearest first.
pub struct Levels(Vec<Level>);

struct Level {
    name: String,
    size: usize,
    bandwidth: f64,
}

impl Levels {
    /// Measures each level by reading half its size, and memory by reading twice the largest cache.
    pub fn measure(isa: Isa) -> Self {
        let mut sizes = caches();
        sizes.push(("memory".to_owned(), sizes.last().map_or(64 << 20, |(_, size)| 4 * size)));
        let level = |(name, size): (String, usize)| {
            let data = vec![1.0f32; size / 2 / 4];
            let read = || per_second(|| peaks::stream(isa, black_box(&data)));
            let bandwidth = median((0..9).map(|_| read()).collect()) * size_of_val(&data[..]) as f64;
            Level { name, size, bandwidth }
        };
        Self(sizes.into_iter().map(level).collect())
    }

    /// The level that holds so many bytes, and its bytes per second.
    pub fn of(&self, bytes: usize) -> (&str, f64) {
        let level = self.0.iter().find(|level| bytes <= level.size).unwrap_or(&self.0[self.0.len() - 1]);
        (&level.name, level.bandwidth)
    }
}

impl fmt::Display for Levels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, Level { name, bandwidth, .. }) in self.0.iter().enumerate() {
            write!(f, "{}{name} {:.0} GB/s", if i > 0 { ", " } else { "" }, bandwidth / 1e9)?;
        }
        Ok(())
    }
}

/// Name and size in bytes of each data cache of the first processor.
fn caches() -> Vec<(String, usize)> {
    let read = |index: usize, name: &str| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}");
        std::fs::read_to_string(path).map(|text| text.trim().to_owned()).ok()
    };
    let cache = |index: usize| {
        let kibibytes = read(index, "size")?.strip_suffix('K')?.parse::<usize>().ok()?;
        (read(index, "type")? != "Instruction")
            .then(|| (format!("L{}", read(index, "level").unwrap_or_default()), kibibytes << 10))
    };
    (0..5).filter_map(cache).collect()
}
