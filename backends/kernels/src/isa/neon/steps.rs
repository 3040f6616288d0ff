//! The steps of products on NEON.
//!
//! Bytes are multiplied into 16-bit lanes: a pair of products is at most 2·127·127 = 32,258, so that its 16-bit sum
//! is exact. Words are multiplied column by column.

crate::isa::operations::steps! { "neon", crate::isa::neon::lanes;
    int8: [int32x4_t; 4], int8x16_t,
        spread(a) { vreinterpretq_s8_s32(vdupq_n_s32(a)) },
        step(sum, a, b) {
            let b = lanes::load_bytes(b);
            std::array::from_fn(|q| {
                let low = vmull_s8(vget_low_s8(b[q]), vget_low_s8(a));
                vpadalq_s16(sum[q], vpaddq_s16(low, vmull_high_s8(b[q], a)))
            })
        },
        start(from) { lanes::load_i(from) }, to_f(sum) { lanes::to_f(sum) };
    int16: [int32x4_t; 4], int16x4_t,
        spread(a) { vreinterpret_s16_s32(vdup_n_s32(a)) },
        step(sum, a, b) {
            let b = lanes::load_bytes(b).map(|b| vreinterpretq_s16_s8(b));
            // The compiler separates first and second values once for all rows of a tile.
            let [low, high] = [0, 2].map(|q| {
                let (first, second) = (vuzp1q_s16(b[q], b[q + 1]), vuzp2q_s16(b[q], b[q + 1]));
                let low = vmlal_lane_s16::<0>(sum[q], vget_low_s16(first), a);
                let high = vmlal_high_lane_s16::<0>(sum[q + 1], first, a);
                [vmlal_lane_s16::<1>(low, vget_low_s16(second), a), vmlal_high_lane_s16::<1>(high, second, a)]
            });
            [low[0], low[1], high[0], high[1]]
        },
        start(from) { lanes::load_i(from) }, to_f(sum) { lanes::to_f(sum) };
    f32: [float32x4_t; 4], float32x4_t,
        spread(a) { vdupq_n_f32(f32::from_bits(a as u32)) },
        step(sum, a, b) {
            let b = lanes::load_block(b);
            std::array::from_fn(|q| vfmaq_f32(sum[q], b[q], a))
        },
        start(from) { lanes::load_i(from).map(|from| vreinterpretq_f32_s32(from)) }, to_f(sum) { sum },
        also {
            pub(crate) use crate::isa::neon::by_fours::{four_groups, no_groups, quarter};

            #[inline]
            #[target_feature(enable = "neon")]
            pub(crate) fn step_of<const AT: i32>(sum: float32x4_t, a: int8x16_t, b: int8x16_t) -> float32x4_t {
                vfmaq_laneq_f32::<AT>(sum, vreinterpretq_f32_s8(b), vreinterpretq_f32_s8(a))
            }
        };
}
