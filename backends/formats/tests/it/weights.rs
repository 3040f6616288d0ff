//! Every container gives the same tensors, and refuses what it should in one line.

use dyno_formats::{DType, ElementOrder, Precision, Scales, Weights};
use serde_json::Value;

use crate::goldens::{bytes, counts, expected, floats, path};

fn assert_holds(weights: &Weights, tensors: &Value) {
    for (name, tensor) in tensors.as_object().expect("a map") {
        let found = weights.get(name).unwrap();
        assert_eq!(found.shape(), counts(&tensor["shape"]), "{name}");
        assert_eq!(found.to_f32().unwrap().as_ref(), floats(&tensor["values"]), "{name}");
    }
}

#[test]
fn containers_of_floats_hold_the_same_tensors() {
    let expected = expected();
    for name in ["tiny.npz", "tiny.plain.npz", "tiny.piped.npz", "tiny.f32.bin", "tiny.safetensors"] {
        let weights = Weights::open(path(name)).unwrap_or_else(|error| panic!("{error}"));
        assert_holds(&weights, &expected["tensors"]);
        assert_eq!(weights.precision() == Precision::F32, name != "tiny.safetensors");
    }
}

#[test]
fn the_configuration_ends_at_its_first_nul() {
    for name in ["tiny.npz", "tiny.int8.bin", "foreign.int8.bin"] {
        let weights = Weights::open(path(name)).unwrap();
        let text = weights.model_yml().unwrap().expect("it has one");
        assert!(
            text.starts_with("dec-cell: ssru\n") && text.trim_end().ends_with("version: v1.12.42 tiny"),
            "{text:?}"
        );
        assert_eq!(weights.parameters(), 24 * 8 + 24 + 64 * 16 + 16 + 64 * 16 + 16);
    }
    assert_eq!(Weights::open(path("tiny.safetensors")).unwrap().model_yml().unwrap(), None);
}

#[test]
fn both_numberings_of_intgemm_types_are_dequantised() {
    let expected = expected();
    for (name, tensors) in expected["dequantised"].as_object().expect("a map") {
        let weights = Weights::open(path(name)).unwrap();
        assert_holds(&weights, tensors);
        assert_eq!(weights.precision(), Precision::Int8);
        let quantised = weights.get("encoder_l1_ffn_W1").unwrap();
        assert_eq!((quantised.dtype(), quantised.layout()), (DType::I8, ElementOrder::ColumnMajor));
        assert!(matches!(quantised.scales(), Some(Scales::Multiplier(_))));
    }
    let embeddings = Weights::open(path("foreign.int8.bin")).unwrap();
    assert_eq!(embeddings.get("Wemb").unwrap().layout(), ElementOrder::RowMajor);
}

#[test]
fn int16_items_are_the_nearest_fixed_point() {
    let expected = expected();
    for name in ["tiny.int16.bin", "foreign.int16.bin"] {
        let weights = Weights::open(path(name)).unwrap();
        let values = weights.get("encoder_l1_ffn_W1").unwrap().to_f32().unwrap();
        for (value, original) in
            values.iter().zip(floats(&expected["tensors"]["encoder_l1_ffn_W1"]["values"]))
        {
            assert_eq!(*value, (original * 1024.0).round_ties_even() / 1024.0);
        }
    }
}

#[test]
fn every_type_and_rank_is_read() {
    let expected = expected();
    for name in ["types.npz", "tiny.safetensors"] {
        let weights = Weights::open(path(name)).unwrap();
        let half = weights.get("half").unwrap();
        assert_eq!(half.f16().unwrap(), [0x3E00, 0xC080, 0x7BFF, 1]);
        assert_eq!(half.to_f32().unwrap().as_ref(), floats(&expected["typed"]["half"]["values"]));
        assert_eq!(weights.get("byte").unwrap().i8().unwrap(), [-4, -3, -2, -1, 0, 1, 2, 3]);
        assert_eq!(weights.get("byte").unwrap().shape(), [2, 2, 2]);
        assert_eq!(weights.get("word").unwrap().i16().unwrap(), [-32768, 32767]);
        assert_eq!(weights.get("octet").unwrap().u8().unwrap(), [0, 1, 2, 3, 4]);
        assert_eq!((weights.get("long").unwrap().shape(), weights.get("long").unwrap().len()), (&[][..], 1));
    }
    assert!(Weights::open(path("types.npz")).unwrap().get("none").unwrap().is_empty());
}

#[test]
fn scales_belong_to_their_integers_and_to_nothing_else() {
    let weights = Weights::open(path("scaled.safetensors")).unwrap();
    assert_eq!(weights.names().collect::<Vec<_>>(), ["W", "Wemb", "norm.scale"]);
    assert_eq!(weights.get("W").unwrap().scales(), Some(&Scales::Columns(vec![0.5, 0.25, 2.0])));
    assert_eq!(weights.get("W").unwrap().to_f32().unwrap()[..4], [-3.0, -1.25, -8.0, -1.5]);
    assert_eq!(weights.get("Wemb").unwrap().to_f32().unwrap()[..4], [0.0, 1.0, 4.0, 6.0]);
}

#[test]
fn wrong_names_types_and_shapes_are_told_in_one_line() {
    let weights = Weights::from_bytes("m.npz", bytes("tiny.npz")).unwrap();
    let told = |error: dyno_formats::Error| error.to_string();
    assert_eq!(told(weights.get("Wmeb").unwrap_err()), "m.npz: `Wmeb`: this tensor is missing from the file");
    let embeddings = weights.get("Wemb").unwrap();
    assert_eq!(told(embeddings.i8().unwrap_err()), "m.npz: `Wemb`: holds F32; I8 was expected");
    assert_eq!(
        told(embeddings.expect(8, 24).unwrap_err()),
        "m.npz: `Wemb`: has shape [24, 8]; [8, 24] was expected"
    );
}

#[test]
fn what_is_not_supported_is_refused_with_the_reason() {
    for (name, reason) in [
        ("deflated.npz", "`Wemb.npy`: a compressed array is not supported: write it again with numpy.savez"),
        ("fortran.npz", "`Wemb`: Fortran order is not supported: save numpy.ascontiguousarray of it"),
        (
            "tiled.bin",
            "`decoder_l1_rnn_W`: an intgemm item in one instruction set's own order is not supported",
        ),
        (
            "packed.bin",
            "`decoder_l1_rnn_W`: an item packed by FBGEMM is not supported: convert from the model's npz",
        ),
        ("vocab.yml", "neither npz, nor Marian's bin, nor safetensors"),
    ] {
        let refusal = Weights::open(path(name)).unwrap_err().to_string();
        assert!(refusal.contains(name) && refusal.contains(reason), "{refusal}");
    }
    let mut encrypted = bytes("tiny.f32.bin");
    encrypted[0] = 2;
    let refusal = Weights::from_bytes("m.bin", encrypted).unwrap_err().to_string();
    assert!(refusal.starts_with("m.bin: an encrypted header is not supported"), "{refusal}");
}

#[test]
fn a_flipped_bit_in_an_archive_is_noticed() {
    let mut damaged = bytes("tiny.npz");
    let middle = damaged.len() / 2;
    damaged[middle] ^= 4;
    let refusal = Weights::from_bytes("m.npz", damaged).unwrap_err().to_string();
    assert!(refusal.ends_with("fails its checksum: the file is damaged"), "{refusal}");
}

#[test]
fn a_quantised_item_may_not_hold_what_kernels_cannot() {
    let mut odd = bytes("scaled.safetensors");
    let at = odd.windows(12).position(|window| window == [250, 251, 252, 253, 254, 255, 0, 1, 2, 3, 4, 5]);
    odd[at.expect("the integers of W")] = 128;
    let refusal = dyno_formats::safetensors::check(&odd).unwrap_err().to_string();
    assert_eq!(refusal, "`W`: holds −128 (element 0); quantised weights keep to −127 and up");
}

#[test]
fn every_prefix_of_a_file_is_cut_short() {
    for name in ["tiny.plain.npz", "tiny.int8.bin", "scaled.safetensors"] {
        let whole = bytes(name);
        for length in 0..whole.len() {
            let refusal =
                Weights::from_bytes(name, whole[..length].to_vec()).expect_err("a part isn't the whole");
            assert_eq!(refusal.to_string().lines().count(), 1);
        }
    }
}

#[test]
fn weights_are_shared_between_workers() {
    fn shared<T: Send + Sync>() {}
    shared::<Weights>();
    shared::<dyno_formats::Shortlist>();
    shared::<dyno_formats::ModelDir>();
}

#[test]
fn an_empty_matrix_may_not_claim_rows() {
    let header = format!(r#"{{"W":{{"dtype":"I8","shape":[{},0],"data_offsets":[0,0]}},"#, 1u64 << 60)
        + r#""W.scale":{"dtype":"F32","shape":[1,0],"data_offsets":[0,0]}}"#;
    let file = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes()].concat();
    let refusal = Weights::from_bytes("m", file).unwrap_err().to_string();
    assert_eq!(refusal, "m: `W`: is quantised, but its shape [1152921504606846976, 0] is empty");
}

#[test]
fn a_header_whose_length_spells_zip_is_no_archive() {
    let length = u64::from(u16::from_le_bytes(*b"PK"));
    let header = r#"{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}"#;
    let padded = format!("{header:<width$}", width = length as usize);
    let file = [&length.to_le_bytes()[..], padded.as_bytes(), &[3, 4]].concat();
    assert_eq!(Weights::from_bytes("m", file).unwrap().get("a").unwrap().u8().unwrap(), [3, 4]);
}
