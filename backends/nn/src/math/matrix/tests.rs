use dyno_kernels::Kernels;

use super::*;
use crate::math::{Linear, Operands};
use crate::params::Params;
use crate::word_table::WordTable;

/// Inputs of all matrices.
const INPUTS: usize = 8;

/// A file with the matrix of each name and so many outputs, in panels or in rows.
fn file(matrices: &[(&str, usize)], in_panels: bool) -> dyno_formats::Weights {
    let (mut entries, mut data, mut scales) = (Vec::new(), Vec::new(), Vec::new());
    for (name, outputs) in matrices {
        let (start, size) = (data.len(), INPUTS * outputs);
        data.resize(start + size, 0);
        for at in 0..size {
            let order = if in_panels { ElementOrder::Panels } else { ElementOrder::RowMajor };
            let place = order.offset(at / outputs, at % outputs, INPUTS, *outputs);
            data[start + place] = (at * 37 + outputs) as u8 % 127;
        }
        let suffix = if in_panels { ".packed" } else { "" };
        entries.push(format!(
            r#""{name}{suffix}":{{"dtype":"I8","shape":[{INPUTS},{outputs}],"data_offsets":[{start},{}]}}"#,
            data.len()
        ));
        scales.push((name, *outputs));
    }
    for (name, outputs) in scales {
        let start = data.len();
        data.extend((0..outputs).flat_map(|at| (0.5 + at as f32).to_le_bytes()));
        entries.push(format!(
            r#""{name}.scale":{{"dtype":"F32","shape":[1,{outputs}],"data_offsets":[{start},{}]}}"#,
            data.len()
        ));
    }
    let order = if in_panels { r#""packed":"panels-64x4x16""# } else { "" };
    let header = format!(r#"{{"__metadata__":{{{order}}},{}}}"#, entries.join(","));
    let file = (header.len() as u64).to_le_bytes().into_iter().chain(header.bytes()).chain(data).collect();
    dyno_formats::Weights::from_bytes("test", file).unwrap()
}

#[test]
fn panels_side_by_side_are_the_same_matrix_as_rows_side_by_side() {
    let names = [("a", 64), ("b", 32), ("c", 16)];
    let outputs = |name: &str| names.iter().find(|(other, _)| *other == name).unwrap().1;
    let input: Vec<f32> = (0..3 * INPUTS).map(|i| (i as f32 * 0.7).sin()).collect();
    // The second pair doesn't follow in the file, and the last one doesn't fill a panel on the left.
    for (left, right, stay) in [("a", "b", true), ("a", "c", true), ("b", "c", false)] {
        let [packed, plain] = [true, false].map(|in_panels| {
            let weights = file(&names, in_panels);
            let params = Params::new(&weights, Kernels::best());
            let [left, right] =
                [left, right].map(|name| params.product(name, INPUTS, outputs(name)).unwrap());
            assert_eq!(matches!(left.values, Values::Panels(..)), in_panels);
            let both = left.beside(right);
            assert_eq!(matches!(both.values, Values::Panels(..)), in_panels && stay);
            let (widened, mut out) = (both.widened(), Vec::new());
            let linear = Linear::new(Kernels::best(), &both, &[]).unwrap();
            linear.apply(&input, &mut Operands::default(), &mut out);
            let Values::F32(values) = widened.values else { panic!("widened") };
            (values.into_owned(), out)
        });
        assert_eq!(packed, plain, "{left} {right}");
    }
}

/// Output weights [width, words] of untied models, of more words than are packed at a time.
#[test]
fn panels_become_a_table_of_words() {
    const WORDS: usize = 304;
    let bias: Vec<f32> = (0..WORDS).map(|word| word as f32).collect();
    let [packed, plain] = [true, false].map(|in_panels| {
        let weights = file(&[("w_W", WORDS)], in_panels);
        let matrix = Params::new(&weights, Kernels::best()).product("w_W", INPUTS, WORDS).unwrap();
        let table = WordTable::new(Kernels::best(), &matrix, &bias).unwrap();
        let mut rows = Vec::new();
        (0..WORDS as u32).for_each(|word| table.push(word, &mut rows));
        rows
    });
    assert_eq!(packed.len(), WORDS * INPUTS);
    assert_eq!(packed, plain);
}

/// Sixteen columns, so that no lane is empty.
#[test]
fn weights_in_half_precision_stay_so_with_the_results_of_f32() {
    let halves: Vec<u16> = (0..INPUTS as u16 * 16).map(|at| (at * 389) & 0xBBFF).collect();
    let header = format!(
        r#"{{"w_W":{{"dtype":"F16","shape":[{INPUTS},16],"data_offsets":[0,{}]}}}}"#,
        2 * halves.len()
    );
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.bytes().chain(halves.iter().flat_map(|half| half.to_le_bytes())));
    let weights = dyno_formats::Weights::from_bytes("test", bytes).unwrap();
    let half = Params::new(&weights, Kernels::best()).product("w_W", INPUTS, 16).unwrap();
    let input: Vec<f32> = (0..3 * INPUTS).map(|i| (i as f32 * 0.7).sin()).collect();
    let [(half, half_bytes), (single, bytes)] = [half.clone(), half.widened()].map(|matrix| {
        let (packed, form) = matrix.pack(Kernels::best(), &[]).unwrap();
        assert_eq!(form, Form::F32);
        let mut out = Vec::new();
        Linear::new(Kernels::best(), &matrix, &[]).unwrap().apply(&input, &mut Operands::default(), &mut out);
        (out, packed.bytes())
    });
    assert_eq!(half, single);
    assert_eq!(bytes - half_bytes, 2 * INPUTS * 16);
}

#[test]
fn a_packed_weight_of_128_is_refused_by_its_name() {
    let mut odd = vec![1u8; 4 * 16];
    odd[4 * 5 + 2] = 128;
    let header = r#"{"__metadata__":{"packed":"panels-64x4x16"},
        "w_W.packed":{"dtype":"I8","shape":[4,16],"data_offsets":[0,64]},
        "w_W.scale":{"dtype":"F32","shape":[1,16],"data_offsets":[64,128]}}"#;
    let ones = std::iter::repeat_n(1f32.to_le_bytes(), 16).flatten();
    let bytes = (header.len() as u64).to_le_bytes().into_iter().chain(header.bytes()).chain(odd).chain(ones);
    let weights = dyno_formats::Weights::from_bytes("test", bytes.collect()).unwrap();
    let refusal = Params::new(&weights, Kernels::best()).linear("w_W", None, 4, 16).unwrap_err().to_string();
    assert!(refusal.starts_with("test: `w_W`: column 5 holds the int8 weight -128"), "{refusal}");
}
