//! The processor's name. Virtual machines often hide the model ("AMD EPYC"), but show the numbers that
//! identify its microarchitecture.

/// Name of this machine's processor, with its microarchitecture where that is known.
pub fn name() -> String {
    let (name, microarchitecture) = identify();
    match microarchitecture {
        Some(known) if !name.contains(known) => format!("{name} ({known})"),
        _ => name,
    }
}

#[cfg(target_arch = "x86_64")]
fn identify() -> (String, Option<&'static str>) {
    let cpuid = raw_cpuid::CpuId::new();
    let brand = cpuid.get_processor_brand_string().map(|brand| brand.as_str().trim().to_owned());
    let vendor = cpuid.get_vendor_info().map(|vendor| vendor.as_str().to_owned()).unwrap_or_default();
    let known = cpuid.get_feature_info().and_then(|info| {
        x86_microarchitecture(&vendor, info.family_id(), info.model_id(), info.stepping_id())
    });
    (brand.filter(|name| !name.is_empty()).unwrap_or_else(|| "unknown CPU".into()), known)
}

/// CPUID is x86's; on Arm the kernel shows the main ID register of a core (MIDR_EL1).
#[cfg(not(target_arch = "x86_64"))]
fn identify() -> (String, Option<&'static str>) {
    let path = "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1";
    let text = crate::os::text_of(path);
    let midr = u64::from_str_radix(text.trim().trim_start_matches("0x"), 16).ok();
    match midr.and_then(arm_microarchitecture) {
        Some(known) => (known.into(), Some(known)),
        None => (format!("unknown {} CPU", std::env::consts::ARCH), None),
    }
}

/// Microarchitectures by vendor, family, model and stepping. AMD's are from the Processor Programming
/// References of the families. Intel's are from the Software Developer's Manual, volume 4, table 2-1.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // the table is tested everywhere
fn x86_microarchitecture(vendor: &str, family: u8, model: u8, stepping: u8) -> Option<&'static str> {
    match (vendor, family, model) {
        ("AuthenticAMD", 0x17, 0x00..=0x2f) => Some("Zen"),
        ("AuthenticAMD", 0x17, _) => Some("Zen 2"),
        ("AuthenticAMD", 0x19, 0x10..=0x1f | 0x60..=0x7f | 0xa0..=0xaf) => Some("Zen 4"),
        ("AuthenticAMD", 0x19, _) => Some("Zen 3"),
        ("AuthenticAMD", 0x1a, _) => Some("Zen 5"),
        ("GenuineIntel", 6, 0x3c | 0x3f | 0x45 | 0x46) => Some("Haswell"),
        ("GenuineIntel", 6, 0x3d | 0x47 | 0x4f | 0x56) => Some("Broadwell"),
        ("GenuineIntel", 6, 0x4e | 0x5e) => Some("Skylake"),
        // Three servers share a model number; the stepping tells them apart.
        ("GenuineIntel", 6, 0x55) if stepping >= 10 => Some("Cooper Lake"),
        ("GenuineIntel", 6, 0x55) if stepping >= 5 => Some("Cascade Lake"),
        ("GenuineIntel", 6, 0x55) => Some("Skylake"),
        ("GenuineIntel", 6, 0x8e | 0x9e) => Some("Kaby Lake"),
        ("GenuineIntel", 6, 0xa5 | 0xa6) => Some("Comet Lake"),
        ("GenuineIntel", 6, 0x6a | 0x6c | 0x7d | 0x7e) => Some("Ice Lake"),
        ("GenuineIntel", 6, 0x8c | 0x8d) => Some("Tiger Lake"),
        ("GenuineIntel", 6, 0xa7) => Some("Rocket Lake"),
        ("GenuineIntel", 6, 0x97 | 0x9a) => Some("Alder Lake"),
        ("GenuineIntel", 6, 0xb7 | 0xba | 0xbf) => Some("Raptor Lake"),
        ("GenuineIntel", 6, 0xaa | 0xac) => Some("Meteor Lake"),
        ("GenuineIntel", 6, 0xbd) => Some("Lunar Lake"),
        ("GenuineIntel", 6, 0xb5 | 0xc5 | 0xc6) => Some("Arrow Lake"),
        ("GenuineIntel", 6, 0x8f) => Some("Sapphire Rapids"),
        ("GenuineIntel", 6, 0xcf) => Some("Emerald Rapids"),
        ("GenuineIntel", 6, 0xad | 0xae) => Some("Granite Rapids"),
        ("GenuineIntel", 6, 0xaf) => Some("Sierra Forest"),
        _ => None,
    }
}

/// Arm's cores by the main ID register: implementer in bits 24 to 31, part number in bits 4 to 15. The layout
/// is from the Arm Architecture Reference Manual (MIDR_EL1), the part numbers from the cores' Technical
/// Reference Manuals.
#[cfg_attr(target_arch = "x86_64", allow(dead_code))] // the table is tested everywhere
fn arm_microarchitecture(midr: u64) -> Option<&'static str> {
    match ((midr >> 24) & 0xff, (midr >> 4) & 0xfff) {
        (0x41, 0xd08) => Some("Cortex-A72"),
        (0x41, 0xd0b) => Some("Cortex-A76"),
        (0x41, 0xd0c) => Some("Neoverse N1"),
        (0x41, 0xd40) => Some("Neoverse V1"),
        (0x41, 0xd49) => Some("Neoverse N2"),
        (0x41, 0xd4f) => Some("Neoverse V2"),
        (0x41, 0xd84) => Some("Neoverse V3"),
        (0x41, 0xd8e) => Some("Neoverse N3"),
        (0xc0, 0xac3) => Some("Ampere-1"),
        (0xc0, 0xac4) => Some("Ampere-1A"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_tell_microarchitectures() {
        for (vendor, family, model, stepping, expected) in [
            ("AuthenticAMD", 0x17, 0x31, 0, Some("Zen 2")), // Rome
            ("AuthenticAMD", 0x19, 0x01, 1, Some("Zen 3")), // Milan
            ("AuthenticAMD", 0x19, 0x11, 1, Some("Zen 4")), // Genoa
            ("AuthenticAMD", 0x1a, 0x02, 1, Some("Zen 5")), // Turin
            ("GenuineIntel", 6, 0x55, 4, Some("Skylake")),
            ("GenuineIntel", 6, 0x55, 7, Some("Cascade Lake")),
            ("GenuineIntel", 6, 0x6a, 6, Some("Ice Lake")),
            ("GenuineIntel", 6, 0x8f, 8, Some("Sapphire Rapids")),
            ("GenuineIntel", 15, 0x04, 1, None),
            ("CentaurHauls", 6, 0x6a, 6, None),
        ] {
            assert_eq!(
                x86_microarchitecture(vendor, family, model, stepping),
                expected,
                "{vendor} {model:#x}"
            );
        }
        // Graviton 2 and 4, as Linux shows their registers.
        assert_eq!(arm_microarchitecture(0x413f_d0c1), Some("Neoverse N1"));
        assert_eq!(arm_microarchitecture(0x410f_d4f1), Some("Neoverse V2"));
        assert_eq!(arm_microarchitecture(0), None);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn the_name_is_the_kernels() {
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap();
        let line = cpuinfo.lines().find(|line| line.starts_with("model name")).unwrap();
        let kernels = line.split_once(':').unwrap().1.trim();
        assert!(name().starts_with(kernels), "{} is not {kernels}", name());
    }
}
