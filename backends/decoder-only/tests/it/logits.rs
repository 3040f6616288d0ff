//! Logits: llama.cpp's, those of the plain network, and the engine's.

use dyno_decoder_only::{Network, Row};
use dyno_formats::Gguf;
use dyno_kernels::{Isa, Kernels};

use crate::goldens::{Golden, MODELS, open, replaced};
use crate::reference;

/// Greatest distances by rounding. Where weights are quantised, both programs round activations to 8 bits,
/// which shows in networks as narrow as these. Else llama.cpp rounds values to 16 bits, and the engine keys and
/// values alone.
fn rounding(model: &str, ours: bool) -> f32 {
    match (model, ours) {
        ("smollm" | "qwen3" | "fives", _) => 0.06,
        (_, true) => 3e-3,
        (_, false) => 0.01,
    }
}

/// Root of the mean square of the difference, as a part of the values' own deviation.
fn distance(a: &[f32], b: &[f32]) -> f32 {
    let mean = b.iter().sum::<f32>() / b.len() as f32;
    let (apart, own) = a
        .iter()
        .zip(b)
        .fold((0.0, 0.0), |(apart, own), (a, b)| (apart + (a - b) * (a - b), own + (b - mean) * (b - mean)));
    (apart / own).sqrt()
}

/// The engine's logits after each of `ids`, which go through the network in parts of so many.
fn logits(network: &Network, threads: usize, ids: &[u32], parts: usize) -> Vec<Vec<f32>> {
    let mut worker = network.worker(threads).unwrap();
    let rows: Vec<Row> =
        ids.iter().enumerate().map(|(position, id)| Row { id: *id, slot: 0, position }).collect();
    let (mut all, mut logits) = (Vec::new(), Vec::new());
    for part in rows.chunks(parts) {
        network.forward(&mut worker, part, &(0..part.len()).collect::<Vec<_>>(), &mut logits);
        all.extend(logits.chunks(network.words()).map(<[f32]>::to_vec));
    }
    all
}

#[test]
fn the_plain_network_is_llama_cpps_but_for_its_rounding() {
    for model in MODELS {
        let golden = Golden::of(model);
        let found = reference::logits(&open(model), &golden.ids);
        for (count, expected) in &golden.logits {
            let distance = distance(&found[count - 1], expected);
            assert!(distance < rounding(model, false), "{model} after {count}: {distance}");
        }
    }
}

#[test]
fn the_engine_is_the_plain_network_but_for_the_rounding_of_activations() {
    for model in MODELS {
        let golden = Golden::of(model);
        let expected = reference::logits(&open(model), &golden.ids);
        let network = Network::new(open(model), Kernels::best()).unwrap();
        let found = logits(&network, 1, &golden.ids, 16);
        for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let distance = distance(found, expected);
            assert!(distance < rounding(model, true), "{model}, position {at}: {distance}");
        }
    }
}

#[test]
fn logits_are_the_same_bits_in_any_parts_on_any_threads_and_instruction_sets() {
    for model in ["smollm", "qwen3", "gemma3"] {
        let ids = &Golden::of(model).ids[..20];
        let network = |isa| Network::new(open(model), Kernels::forced(isa).unwrap()).unwrap();
        let expected = logits(&network(Isa::Scalar), 1, ids, 20);
        for isa in Isa::present() {
            for (threads, parts) in [(1, 20), (2, 7), (1, 1)] {
                let found = logits(&network(isa), threads, ids, parts);
                assert!(found == expected, "{model} on {isa}, {threads} threads, parts of {parts}");
            }
        }
    }
}

#[test]
fn lines_in_one_batch_don_t_see_each_other() {
    let network = Network::new(open("gemma3"), Kernels::best()).unwrap();
    let ids = Golden::of("gemma3").ids;
    let alone = logits(&network, 1, &ids[10..20], 10);
    let mut worker = network.worker(1).unwrap();
    worker.begin(1);
    let line = |slot, ids: &[u32]| -> Vec<Row> {
        ids.iter().enumerate().map(|(position, id)| Row { id: *id, slot, position }).collect()
    };
    let rows = [line(1, &ids[..7]), line(0, &ids[10..20])].concat();
    let mut together = Vec::new();
    network.forward(&mut worker, &rows, &(7..17).collect::<Vec<_>>(), &mut together);
    assert_eq!(together, alone.concat());
}

#[test]
fn a_scaling_of_positions_without_a_type_is_linear() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("without.gguf");
    std::fs::write(&path, replaced("gemma3", "rope.scaling.type", "rope.scaling.kind")).unwrap();
    let without = Gguf::open(&path).unwrap().network().unwrap();
    assert_eq!(without, open("gemma3").network().unwrap());
    let none = replaced("gemma3", "rope.scaling.factor", "rope.scaling.fictor");
    std::fs::write(&path, none).unwrap();
    assert_ne!(without, Gguf::open(&path).unwrap().network().unwrap(), "the factor matters");
}
