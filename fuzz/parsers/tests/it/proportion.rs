//! Files that are made to take much memory: many tiny items, and claims of a great many.

use std::fmt::Display;

use dyno_formats::{bin, manifest, safetensors, shortlist, yaml};

type Check = fn(&[u8]) -> Result<(), String>;

/// A parser with its fault as text.
macro_rules! told {
    ($check:path) => {
        |bytes| $check(bytes).map_err(|fault: dyno_formats::Fault| text(&fault))
    };
}

fn text(fault: &dyn Display) -> String {
    fault.to_string()
}

/// Bytes that may be held at a time for each byte of the file. The most is needed for JSON and TOML of many
/// tiny items, each of which becomes a map's entry with a text of its own.
const BYTES_PER_BYTE: u64 = 256;

#[test]
fn dense_files_stay_in_proportion() {
    let framed = |header: String| [&(header.len() as u64).to_le_bytes()[..], header.as_bytes()].concat();
    let numbered = |count: usize, item: fn(usize) -> String| (0..count).map(item).collect::<String>();
    let metadata = numbered(20_000, |i| format!(r#""{i}":"","#));
    let tensors = numbered(5_000, |i| format!(r#""{i}":{{"dtype":"U8","shape":[0],"data_offsets":[0,0]}},"#));
    let shape =
        format!(r#"{{"a":{{"dtype":"U8","shape":[{}0],"data_offsets":[0,0]}}}}"#, "0,".repeat(100_000));
    let list = format!("format = 1\n[m]\na = [{}]", "1,".repeat(100_000));
    let files: [(&str, Check, Vec<u8>); 8] = [
        ("metadata", told!(safetensors::check), framed(format!(r#"{{"__metadata__":{{{metadata}"":""}}}}"#))),
        ("tensors", told!(safetensors::check), framed(format!("{{{}}}", tensors.trim_end_matches(',')))),
        ("shape", told!(safetensors::check), framed(shape)),
        ("yaml list", told!(yaml::check), format!("a: [{}]", "b,".repeat(100_000)).into_bytes()),
        ("yaml keys", told!(yaml::check), numbered(20_000, |i| format!("{i}:\n")).into_bytes()),
        ("toml list", told!(manifest::check), list.into_bytes()),
        ("pairs", told!(shortlist::text::check), "a b 1\n".repeat(20_000).into_bytes()),
        ("n-grams", told!(shortlist::map::check), numbered(20_000, |i| format!("a {i}\tb\n")).into_bytes()),
    ];
    for (name, check, file) in files {
        let held = allocation_counter::measure(|| check(&file).expect(name)).bytes_max;
        assert!(
            held <= BYTES_PER_BYTE * file.len() as u64,
            "{name}: {held} bytes for a file of {}",
            file.len()
        );
    }
}

/// A claim of a great many items, in a file too short for one.
#[test]
fn claims_cost_nothing() {
    let words = |numbers: &[u64]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    for count in [1 << 20, 1 << 40, 1 << 58, 1 << 61, u64::MAX] {
        let files: [(Check, Vec<u8>); 3] = [
            (told!(bin::check), words(&[1, count, 5, 0x404, 2, 64])),
            (told!(safetensors::check), words(&[count, 123])),
            (told!(shortlist::binary::check), words(&[0xF11A_48D5_0134_17F5, 0, 50, 50, count, count])),
        ];
        for (check, file) in files {
            let taken =
                allocation_counter::measure(|| drop(check(&file).expect_err("it claims more than it has")));
            assert!(taken.bytes_total < 1000, "{count}: {} bytes", taken.bytes_total);
        }
    }
}
