//! Sizes of the data caches that a core of this machine has or shares.

/// A data or unified cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cache {
    level: u8,
    kibibytes: usize,
}

/// Texts of all data caches, such as "L2 1024K".
pub(super) fn sizes() -> Vec<String> {
    caches().iter().map(|cache| format!("L{} {}K", cache.level, cache.kibibytes)).collect()
}

/// Bytes of a core's second-level cache; 1 MiB where it is unknown.
pub fn second_level_cache() -> usize {
    let second = caches().into_iter().find(|cache| cache.level == 2);
    second.map_or(1 << 10, |cache| cache.kibibytes) << 10
}

/// Bytes of the largest cache, the last before memory; 32 MiB where it is unknown.
pub fn last_level_cache() -> usize {
    caches().into_iter().map(|cache| cache.kibibytes).max().unwrap_or(32 << 10) << 10
}

#[cfg(target_arch = "x86_64")]
fn caches() -> Vec<Cache> {
    use raw_cpuid::{CacheType, CpuId};
    let parameters = CpuId::new().get_cache_parameters();
    let of_data = parameters
        .into_iter()
        .flatten()
        .filter(|cache| matches!(cache.cache_type(), CacheType::Data | CacheType::Unified));
    let size = |cache: raw_cpuid::CacheParameter| {
        let lines = cache.associativity() * cache.physical_line_partitions() * cache.sets();
        Cache { level: cache.level(), kibibytes: (lines * cache.coherency_line_size()) >> 10 }
    };
    of_data.map(size).collect()
}

/// CPUID is x86's; elsewhere the kernel shows the caches.
#[cfg(not(target_arch = "x86_64"))]
fn caches() -> Vec<Cache> {
    kernels()
}

/// The caches of core 0 as the kernel shows them.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn kernels() -> Vec<Cache> {
    let read = |i: usize, name: &str| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{i}/{name}");
        std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
    };
    let cache = |i: usize| {
        let kibibytes = read(i, "size")?.strip_suffix('K')?.parse().ok()?;
        let level = read(i, "level")?.parse().ok()?;
        (read(i, "type")? != "Instruction").then_some(Cache { level, kibibytes })
    };
    (0..8).filter_map(cache).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caches_are_those_that_the_kernel_shows() {
        let kernels = kernels();
        if kernels.is_empty() {
            println!("skipped: the kernel shows no caches here");
            return;
        }
        assert_eq!(caches(), kernels);
    }
}
