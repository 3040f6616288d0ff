//! Functions of slices: norms, softmax, recurrent cells, attention, quantisation.
//!
//! Every sum runs in sixteen lanes, lane i taking elements i, i+16, …, and is folded at the end in one order. The last
//! block of a slice is filled with zeros, or masked where zero would matter.

/// Writes the functions for one instruction set; `functions!` must stand beside it.
macro_rules! slices {
    ([$(#[$feature:meta])*]) => {
        use crate::lanes::LANES;

        /// The lanes that a block of `n` values fills.
        $(#[$feature])*
        #[inline]
        fn filled(n: usize) -> lanes::M {
            lanes::from_bits(u16::MAX >> (LANES - n.min(LANES)))
        }

        $(#[$feature])*
        pub(crate) fn activate_all(kind: Activation, x: &mut [f32]) {
            for x in x.chunks_mut(LANES) {
                let y = activate(kind, lanes::load(x));
                lanes::store(x, y);
            }
        }

        $(#[$feature])*
        pub(crate) fn exp_all(x: &mut [f32]) {
            for x in x.chunks_mut(LANES) {
                let y = exp(lanes::load(x));
                lanes::store(x, y);
            }
        }

        $(#[$feature])*
        pub(crate) fn look_up_all(x: &mut [f32], values: &[f32], slopes: &[f32], middle: f32) {
            for x in x.chunks_mut(LANES) {
                let y = look_up(lanes::load(x), values, slopes, middle);
                lanes::store(x, y);
            }
        }

        $(#[$feature])*
        pub(crate) fn abs_max(x: &[f32]) -> f32 {
            let mut most = lanes::splat(0.0);
            for x in x.chunks(LANES) {
                most = lanes::max(lanes::abs(lanes::load(x)), most);
            }
            lanes::reduce_max(most)
        }

        $(#[$feature])*
        fn max_of(x: &[f32]) -> f32 {
            let mut most = lanes::splat(f32::NEG_INFINITY);
            for x in x.chunks(LANES) {
                most = lanes::select(filled(x.len()), lanes::max(lanes::load(x), most), most);
            }
            lanes::reduce_max(most)
        }

        $(#[$feature])*
        pub(crate) fn softmax(x: &mut [f32]) {
            let most = lanes::splat(max_of(x));
            let mut sum = lanes::splat(0.0);
            for x in x.chunks_mut(LANES) {
                let e = exp(lanes::sub(lanes::load(x), most));
                lanes::store(x, e);
                sum = lanes::add(sum, lanes::select(filled(x.len()), e, lanes::splat(0.0)));
            }
            let scale = lanes::splat(1.0 / lanes::reduce_add(sum));
            for x in x.chunks_mut(LANES) {
                let y = lanes::mul(lanes::load(x), scale);
                lanes::store(x, y);
            }
        }

        $(#[$feature])*
        pub(crate) fn layer_norm(x: &mut [f32], scale: &[f32], bias: &[f32], epsilon: f32) {
            let n = x.len() as f32;
            let mut sum = lanes::splat(0.0);
            for x in x.chunks(LANES) {
                sum = lanes::add(sum, lanes::load(x));
            }
            let mean = lanes::splat(lanes::reduce_add(sum) / n);
            let mut squares = lanes::splat(0.0);
            for x in x.chunks(LANES) {
                let d = lanes::select(filled(x.len()), lanes::sub(lanes::load(x), mean), lanes::splat(0.0));
                squares = lanes::fma(d, d, squares);
            }
            let narrow = lanes::splat(1.0 / (lanes::reduce_add(squares) / n + epsilon).sqrt());
            for ((x, scale), bias) in x.chunks_mut(LANES).zip(scale.chunks(LANES)).zip(bias.chunks(LANES)) {
                let d = lanes::mul(lanes::sub(lanes::load(x), mean), narrow);
                lanes::store(x, lanes::fma(d, lanes::load(scale), lanes::load(bias)));
            }
        }

        $(#[$feature])*
        pub(crate) fn rms_norm(x: &mut [f32], scale: &[f32], epsilon: f32) {
            let mut squares = lanes::splat(0.0);
            for x in x.chunks(LANES) {
                let x = lanes::load(x);
                squares = lanes::fma(x, x, squares);
            }
            let mean = lanes::reduce_add(squares) / x.len() as f32;
            let narrow = lanes::splat(1.0 / (mean + epsilon).sqrt());
            for (x, scale) in x.chunks_mut(LANES).zip(scale.chunks(LANES)) {
                let y = lanes::mul(lanes::mul(lanes::load(x), narrow), lanes::load(scale));
                lanes::store(x, y);
            }
        }

        $(#[$feature])*
        pub(crate) fn gru(xw: &[f32], su: &[f32], b: &[f32], bias_inside: bool, s: &mut [f32]) {
            let size = s.len();
            for (block, s) in s.chunks_mut(LANES).enumerate() {
                let at = |gate: usize| gate * size + block * LANES..gate * size + block * LANES + s.len();
                let gate = |g: usize| [lanes::load(&xw[at(g)]), lanes::load(&su[at(g)]), lanes::load(&b[at(g)])];
                let [x, u, c] = gate(0);
                let r = sigmoid(lanes::add(lanes::add(x, u), c));
                let [x, u, c] = gate(1);
                let z = sigmoid(lanes::add(lanes::add(x, u), c));
                let [x, u, c] = gate(2);
                let h = if bias_inside {
                    tanh(lanes::fma(lanes::add(u, c), r, x))
                } else {
                    tanh(lanes::add(lanes::fma(u, r, x), c))
                };
                let old = lanes::load(s);
                lanes::store(s, lanes::fma(z, lanes::sub(old, h), h));
            }
        }

        $(#[$feature])*
        pub(crate) fn lstm(xw: &[f32], su: &[f32], b: &[f32], c: &mut [f32], h: &mut [f32]) {
            let size = c.len();
            for (block, (c, h)) in c.chunks_mut(LANES).zip(h.chunks_mut(LANES)).enumerate() {
                let at = |gate: usize| gate * size + block * LANES..gate * size + block * LANES + c.len();
                let sum = |g: usize| {
                    lanes::add(lanes::add(lanes::load(&xw[at(g)]), lanes::load(&su[at(g)])), lanes::load(&b[at(g)]))
                };
                let (forget, input, cell, output) = (sigmoid(sum(0)), sigmoid(sum(1)), tanh(sum(2)), sigmoid(sum(3)));
                let new = lanes::fma(forget, lanes::load(c), lanes::mul(input, cell));
                lanes::store(c, new);
                lanes::store(h, lanes::mul(output, tanh(new)));
            }
        }

        $(#[$feature])*
        pub(crate) fn ssru(x: &[f32], forget: &[f32], c: &mut [f32], h: &mut [f32]) {
            let inputs = x.chunks(LANES).zip(forget.chunks(LANES));
            for ((x, forget), (c, h)) in inputs.zip(c.chunks_mut(LANES).zip(h.chunks_mut(LANES))) {
                let x = lanes::load(x);
                let new = lanes::fma(sigmoid(lanes::load(forget)), lanes::sub(lanes::load(c), x), x);
                lanes::store(c, new);
                lanes::store(h, lanes::max(lanes::splat(0.0), new));
            }
        }

        $(#[$feature])*
        fn dot(a: &[f32], b: &[f32]) -> f32 {
            let mut sum = lanes::splat(0.0);
            for (a, b) in a.chunks(LANES).zip(b.chunks(LANES)) {
                sum = lanes::fma(lanes::load(a), lanes::load(b), sum);
            }
            lanes::reduce_add(sum)
        }

        $(#[$feature])*
        pub(crate) fn attend(
            q: &[f32], keys: &[f32], values: &[f32], head: std::ops::Range<usize>, weights: &mut [f32], out: &mut [f32],
        ) {
            let width = out.len();
            let scale = 1.0 / (head.len() as f32).sqrt();
            for (weight, key) in weights.iter_mut().zip(keys.chunks(width)) {
                *weight = dot(&q[head.clone()], &key[head.clone()]) * scale;
            }
            softmax(weights);
            for from in head.clone().step_by(LANES) {
                let part = from..(from + LANES).min(head.end);
                let mut sum = lanes::splat(0.0);
                for (weight, value) in weights.iter().zip(values.chunks(width)) {
                    sum = lanes::fma(lanes::splat(*weight), lanes::load(&value[part.clone()]), sum);
                }
                lanes::store(&mut out[part], sum);
            }
        }

        $(#[$feature])*
        pub(crate) fn quantise_int8(x: &[f32], multiplier: f32, flip: u8, out: &mut [u8]) {
            for (x, out) in x.chunks(LANES).zip(out.chunks_mut(LANES)) {
                let bytes = to_byte(lanes::mul(lanes::load(x), lanes::splat(multiplier)));
                lanes::store_bytes(out, bytes, flip);
            }
        }

        $(#[$feature])*
        pub(crate) fn quantise_int16(x: &[f32], multiplier: f32, out: &mut [u8]) {
            let (low, high) = (lanes::splat(-32767.0), lanes::splat(32767.0));
            for (x, out) in x.chunks(LANES).zip(out.chunks_mut(2 * LANES)) {
                let y = lanes::mul(lanes::load(x), lanes::splat(multiplier));
                let mut whole = [0.0; LANES];
                lanes::store(&mut whole, lanes::round(lanes::min(lanes::max(y, low), high)));
                for (out, whole) in out.as_chunks_mut().0.iter_mut().zip(whole) {
                    *out = (whole as i16).to_le_bytes();
                }
            }
        }
    };
}
pub(crate) use slices;
