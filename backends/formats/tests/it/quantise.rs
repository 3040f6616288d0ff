//! Rounding and scaling, against numpy and against what each promises.

use dyno_formats::quantise::{INT16_SUM_LIMIT, Role, f16_from_f32, f16_to_f32, int8, int16};
use proptest::prelude::*;

use crate::goldens::{expected, floats, ids};

#[test]
fn halves_are_numpys() {
    let halves = &expected()["quantised"]["halves"];
    for (value, bits) in floats(&halves["values"]).into_iter().zip(ids(&halves["bits"])) {
        assert_eq!(u32::from(f16_from_f32(value)), bits, "{value:e}");
    }
}

#[test]
fn every_half_survives_the_way_there_and_back() {
    for bits in 0..=u16::MAX {
        let value = f16_to_f32(bits);
        let back = f16_from_f32(value);
        assert!(back == bits || value.is_nan(), "{bits:#06x} became {back:#06x}");
    }
}

#[test]
fn int8_is_numpys_for_columns_and_rows() {
    let expected = expected();
    for (axis, role) in [("columns", Role::Weight), ("rows", Role::Embedding)] {
        let case = &expected["quantised"][axis];
        let (integers, scales) = int8(&floats(&case["weights"]["values"]), 12, 6, role);
        let wanted: Vec<i8> =
            case["integers"].as_array().unwrap().iter().map(|x| x.as_i64().unwrap() as i8).collect();
        assert_eq!(integers, wanted, "{axis}");
        assert_eq!(scales, floats(&case["scales"]), "{axis}");
    }
}

#[test]
fn roles_follow_marians_names() {
    for (name, shape, role) in [
        ("Wemb", &[4000, 128][..], Role::Embedding),
        ("encoder_Wemb", &[4000, 128], Role::Embedding),
        ("decoder_ff_logit_out_Wt", &[4000, 128], Role::Embedding),
        ("decoder_ff_logit_out_W", &[128, 4000], Role::Weight),
        ("decoder_l1_rnn_Wf", &[128, 128], Role::Weight),
        ("encoder_bi_r_l2_cell1_Ux", &[256, 256], Role::Weight),
        ("decoder_W_comb_att", &[256, 512], Role::Weight),
        ("decoder_U_att", &[512, 1], Role::Other),
        ("Wpos", &[512, 128], Role::Other),
        ("decoder_ff_logit_out_b", &[1, 4000], Role::Other),
        ("encoder_l1_ffn_ffn_ln_scale", &[1, 128], Role::Other),
        ("Wemb_QuantMultA", &[1], Role::Other),
    ] {
        assert_eq!(Role::of(name, shape), role, "{name}");
    }
}

#[test]
fn int16_takes_a_coarser_unit_only_where_the_sum_asks() {
    // Column 0 sums to 60 (fits 64), column 1 to 120 (needs half the unit).
    let weights: Vec<f32> = (0..240).map(|index| if index % 2 == 0 { 0.5 } else { 1.0 }).collect();
    let (integers, scales) = int16(&weights, 120, 2, Role::Weight);
    assert_eq!(scales, [1.0 / 1024.0, 1.0 / 512.0]);
    assert_eq!(integers[..2], [512, 512]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn int8_is_within_half_a_step(weights in prop::collection::vec(-1e3f32..1e3, 24), embedding: bool) {
        let role = if embedding { Role::Embedding } else { Role::Weight };
        let (integers, scales) = int8(&weights, 4, 6, role);
        for (index, weight) in weights.iter().enumerate() {
            let scale = scales[if embedding { index / 6 } else { index % 6 }];
            prop_assert!(integers[index] >= -127);
            prop_assert!((f32::from(integers[index]) * scale - weight).abs() <= scale * 0.5001);
        }
    }

    #[test]
    fn int16_never_wraps(weights in prop::collection::vec(-1e2f32..1e2, 60), embedding: bool) {
        let role = if embedding { Role::Embedding } else { Role::Weight };
        let (integers, scales) = int16(&weights, 10, 6, role);
        let group = |index: usize| if embedding { index / 6 } else { index % 6 };
        let mut sums = [0u64; 10];
        for (index, weight) in weights.iter().enumerate() {
            sums[group(index)] += u64::from(integers[index].unsigned_abs());
            prop_assert!((f32::from(integers[index]) * scales[group(index)] - weight).abs() <= scales[group(index)] * 0.5);
        }
        prop_assert!(sums.iter().all(|sum| *sum <= INT16_SUM_LIMIT));
    }

    #[test]
    fn halves_are_nearest(value in -7e4f32..7e4) {
        let half = f16_from_f32(value);
        let distance = |bits: u16| (f64::from(f16_to_f32(bits)) - f64::from(value)).abs();
        let finite = |bits: &u16| f16_to_f32(*bits).is_finite();
        for other in [half.wrapping_sub(1), half.wrapping_add(1)].iter().filter(|bits| finite(bits) && finite(&half)) {
            prop_assert!(distance(half) <= distance(*other));
        }
    }
}
