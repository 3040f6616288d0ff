//! GGUF files that a small writer makes: read as written, and damaged in every way.

use dyno_formats::quantise::f16_to_f32;
use dyno_formats::{BlockFormat, Gguf, GgufValue, Quanta, QuantaForm};

/// Code of Q8_0 in files.
const Q8_0: u32 = 8;

/// A file with values of several kinds and a tensor [2, 32] of Q8_0.
fn small() -> Vec<u8> {
    with_tensor(32, 2, Q8_0)
}

/// As [`small`], where the tensor's description claims another shape or format.
fn with_tensor(columns: u64, rows: u64, format: u32) -> Vec<u8> {
    let mut file = b"GGUF\x03\0\0\0".to_vec();
    let text = |file: &mut Vec<u8>, text: &str| {
        file.extend((text.len() as u64).to_le_bytes());
        file.extend(text.as_bytes());
    };
    file.extend(1u64.to_le_bytes());
    file.extend(4u64.to_le_bytes());
    for (key, kind, value) in [
        ("general.architecture", 8u32, {
            let mut value = Vec::new();
            text(&mut value, "llama");
            value
        }),
        ("llama.block_count", 4, 2u32.to_le_bytes().to_vec()),
        ("negative", 5, (-2i32).to_le_bytes().to_vec()),
        ("tokens", 9, {
            let mut value = 8u32.to_le_bytes().to_vec();
            value.extend(2u64.to_le_bytes());
            text(&mut value, "a");
            text(&mut value, "bé");
            value
        }),
    ] {
        text(&mut file, key);
        file.extend(kind.to_le_bytes());
        file.extend(value);
    }
    text(&mut file, "blk.0.weight");
    file.extend(2u32.to_le_bytes());
    file.extend(columns.to_le_bytes());
    file.extend(rows.to_le_bytes());
    file.extend(format.to_le_bytes());
    file.extend(0u64.to_le_bytes());
    file.resize(file.len().next_multiple_of(32), 0);
    for row in 0..2u8 {
        file.extend(0x3800u16.to_le_bytes()); // 0.5
        file.extend((0..32u8).map(|at| at.wrapping_sub(16 * row)));
    }
    file
}

/// Bytes of the file at `path` that this process holds in memory (`/proc/self/smaps`, proc(5)).
fn resident(path: &std::path::Path) -> u64 {
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let mut lines = maps.lines().skip_while(|line| !line.ends_with(path.to_str().unwrap()));
    let rss = lines.find_map(|line| line.strip_prefix("Rss:")).expect("the file is mapped");
    rss.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() << 10
}

#[test]
fn a_released_tensor_takes_no_memory_and_is_read_again() {
    const F32: u32 = 0;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.gguf");
    let mut bytes = with_tensor(1024, 256, F32);
    bytes.resize(bytes.len() + (1 << 20), 7);
    std::fs::write(&path, &bytes).unwrap();
    let file = Gguf::open(&path).unwrap();
    let read = || file.tensor("blk.0.weight").unwrap().bytes.to_vec();
    let before = read();
    assert!(resident(&path) >= 1 << 20);
    file.release("blk.0.weight");
    assert!(resident(&path) < 1 << 18, "{} bytes are left", resident(&path));
    assert!(read() == before);
}

#[test]
fn a_file_is_read_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.gguf");
    std::fs::write(&path, small()).unwrap();
    let file = Gguf::open(&path).unwrap();
    assert_eq!(file.need("general.architecture", "text", GgufValue::text).unwrap(), "llama");
    assert_eq!(file.need("llama.block_count", "whole number", GgufValue::whole).unwrap(), 2);
    assert_eq!(file.value("negative").unwrap(), Some(GgufValue::Negative(-2)));
    let tokens = file.need("tokens", "array", GgufValue::array).unwrap();
    let tokens: Vec<_> = tokens.values().map(Result::unwrap).collect();
    assert_eq!(tokens, ["a", "bé"].map(GgufValue::Text));
    let tensor = file.expect("blk.0.weight", 2, 32).unwrap();
    let mut row = [0.0; 32];
    tensor.read_row(1, &mut row);
    assert_eq!((row[0], row[16], row[31]), (-8.0, 0.0, 7.5));
    assert_eq!(tensor.to_f32()[32..], row);
    for (fault, said) in [
        (file.expect("blk.0.weight", 32, 2).unwrap_err(), "has the shape [2, 32]"),
        (file.expect("output", 2, 32).unwrap_err(), "is missing"),
        (file.need("negative", "whole number", GgufValue::whole).unwrap_err(), "is no whole number"),
    ] {
        assert!(fault.to_string().contains(said), "{fault}");
    }
}

#[test]
fn what_a_network_lacks_or_asks_too_much_is_told_by_its_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.gguf");
    for (from, to, said) in [
        ("llama", "llama", "`llama.embedding_length`: is missing"),
        (
            "llama",
            "gpt-2",
            "`gpt-2` is not supported: take a model of llama, smollm3, qwen2, qwen3 or gemma3",
        ),
        ("llama.block_count", "llama.logit_scale", "`llama.logit_scale`: this key is not supported"),
    ] {
        let mut file = small();
        for at in 0..file.len() - from.len() {
            if file[at..].starts_with(from.as_bytes()) {
                file[at..at + from.len()].copy_from_slice(to.as_bytes());
            }
        }
        std::fs::write(&path, file).unwrap();
        let fault = Gguf::open(&path).unwrap().network().unwrap_err().to_string();
        assert!(fault.contains(said) && !fault.contains('\n'), "{fault}");
    }
}

#[test]
fn every_truncation_is_refused_in_one_line() {
    let whole = small();
    Gguf::check(&whole).unwrap();
    for length in 0..whole.len() {
        let fault = Gguf::check(&whole[..length]).unwrap_err().to_string();
        assert!(!fault.contains('\n'), "{length}: {fault}");
    }
}

#[test]
fn no_changed_byte_makes_the_reader_panic_or_take_more_memory_than_entries_need() {
    let whole = small();
    for at in 0..whole.len() {
        for value in [0, 1, 0x7f, 0x80, 0xff, whole[at] ^ 1, whole[at] ^ 0x10] {
            let mut damaged = whole.clone();
            damaged[at] = value;
            let mut checked = Ok(());
            let taken = allocation_counter::measure(|| checked = Gguf::check(&damaged)).bytes_total;
            assert!(taken < 16 * whole.len() as u64, "byte {at} = {value}: {taken} bytes");
            if let Err(fault) = checked {
                assert!(!fault.to_string().contains('\n'), "byte {at} = {value}: {fault}");
            }
        }
    }
}

#[test]
fn a_broken_text_within_an_array_is_told() {
    let mut damaged = small();
    let at = damaged.windows(3).position(|part| part == "bé".as_bytes()).unwrap();
    damaged[at + 1] = 0xff;
    let fault = Gguf::check(&damaged).unwrap_err().to_string();
    assert!(fault.contains("isn't UTF-8"), "{fault}");
}

#[test]
fn impossible_tensors_are_refused_with_the_fault() {
    let f32s = 0;
    for (columns, rows, format, said) in [
        (1 << 62, 1, f32s, "is larger than any file"),
        (1 << 61, 1 << 10, f32s, "is larger than any file"),
        (1 << 40, 1, f32s, "cut short"),
        (0, 2, Q8_0, "no whole blocks of 32"),
        (33, 2, Q8_0, "no whole blocks of 32"),
        (32, 0, Q8_0, "no whole blocks of 32"),
        (32, 2, 99, "type 99 of ggml is not supported"),
    ] {
        let fault = Gguf::check(&with_tensor(columns, rows, format)).unwrap_err().to_string();
        assert!(fault.contains(said) && fault.contains("blk.0.weight"), "{fault}");
    }
}

/// Blocks and their values by the package `gguf`, by `ci/gguf-goldens.py`.
const GOLDENS: &str = include_str!("gguf/blocks.tsv");

#[test]
fn blocks_have_the_values_of_the_package_gguf() {
    let formats = [
        ("F16", BlockFormat::F16),
        ("BF16", BlockFormat::Bf16),
        ("Q8_0", BlockFormat::Q8_0),
        ("Q4_0", BlockFormat::Q4_0),
        ("Q4_1", BlockFormat::Q4_1),
        ("Q4_K", BlockFormat::Q4K),
        ("Q5_K", BlockFormat::Q5K),
        ("Q6_K", BlockFormat::Q6K),
        ("Q5_0", BlockFormat::Q5_0),
        ("Q5_1", BlockFormat::Q5_1),
    ];
    let hex = |text: &str| -> Vec<u8> {
        let pair = |at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap();
        (0..text.len() / 2).map(pair).collect()
    };
    let mut seen = 0;
    for line in GOLDENS.lines() {
        let [name, block, values] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let format = formats.iter().find(|(known, _)| *known == name).unwrap().1;
        let expected: Vec<f32> =
            hex(values).as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        let mut found = vec![0.0; expected.len()];
        format.read(&hex(block), &mut found);
        assert_eq!(found, expected, "{name}");
        if let Some(form) = format.quanta() {
            let near = of_quanta(format, &hex(block), form);
            let most = expected.iter().fold(0.0f32, |most, value| most.max(value.abs()));
            let far = |(near, value): &(f32, &f32)| (near - **value).abs() > most / 2000.0;
            assert_eq!(near.into_iter().zip(&expected).find(far), None, "{name}");
        }
        seen += 1;
    }
    assert_eq!(seen, 2 * formats.len());
}

/// Values of a block by its quanta.
fn of_quanta(format: BlockFormat, block: &[u8], form: QuantaForm) -> Vec<f32> {
    let (mut quanta, mut scales, mut minima) = (vec![1], vec![1], vec![1]);
    format.read_quanta(block, Quanta { quanta: &mut quanta, scales: &mut scales, minima: &mut minima });
    let (scales, minima) = (scales.into_iter().map(f16_to_f32), minima.into_iter().map(f16_to_f32));
    let (scales, minima): (Vec<_>, Vec<_>) = (scales.collect(), minima.collect());
    assert_eq!(minima.len(), if form.minima { format.values() / 32 } else { 0 });
    let value = |(at, quantum): (usize, &u8)| {
        scales[at * form.scales / 32] * (f32::from(*quantum) - f32::from(form.zero))
            + minima.get(at / 32).unwrap_or(&0.0)
    };
    quanta.iter().enumerate().map(value).collect()
}
