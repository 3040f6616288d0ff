//! Functions of slices: norms, softmax, quantisation.
//!
//! Every sum runs in sixteen lanes, lane i taking the elements i, i+16, …, and is folded at the end in one
//! order. The last block of a slice is filled with zeros, or masked where zeros would count.

/// Writes the functions for one instruction set; `functions!` must stand beside it.
macro_rules! slices {
    ([$(#[$feature:meta])*]) => {
        use crate::lanes::LANES;
        use crate::product::Best;
        use crate::vector::TOGETHER;

        /// Mask of the lanes that a block of `n` values fills.
        $(#[$feature])*
        #[inline]
        fn filled(n: usize) -> lanes::M {
            lanes::from_bits(u16::MAX >> (LANES - n.min(LANES)))
        }

        $(#[$feature])*
        pub(crate) fn activate_all(kind: Activation, x: &mut [f32]) {
            let (blocks, rest) = x.as_chunks_mut::<{ LANES * TOGETHER }>();
            for block in blocks {
                let mut y = [lanes::splat(0.0); TOGETHER];
                y.iter_mut().zip(block.chunks(LANES)).for_each(|(y, x)| *y = lanes::load(x));
                activate_each(kind, &mut y);
                block.chunks_mut(LANES).zip(y).for_each(|(x, y)| lanes::store(x, y));
            }
            for x in rest.chunks_mut(LANES) {
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
            let mut most = [lanes::splat(0.0); TOGETHER]; // the greatest number is the same in any order
            let (blocks, rest) = x.as_chunks::<{ LANES * TOGETHER }>();
            for block in blocks {
                for (most, x) in most.iter_mut().zip(block.as_chunks::<LANES>().0) {
                    *most = lanes::max(lanes::abs(lanes::load(x)), *most);
                }
            }
            for x in rest.chunks(LANES) {
                most[0] = lanes::max(lanes::abs(lanes::load(x)), most[0]);
            }
            let [a, b, c, d] = most;
            lanes::reduce_max(lanes::max(lanes::max(a, b), lanes::max(c, d)))
        }

        $(#[$feature])*
        fn max_of(x: &[f32]) -> f32 {
            // Several chains, which don't wait for each other.
            let mut most = [lanes::splat(f32::NEG_INFINITY); TOGETHER];
            let (blocks, rest) = x.as_chunks::<{ LANES * TOGETHER }>();
            for block in blocks {
                for (most, x) in most.iter_mut().zip(block.as_chunks::<LANES>().0) {
                    *most = lanes::max(lanes::load(x), *most);
                }
            }
            for x in rest.chunks(LANES) {
                most[0] = lanes::select(filled(x.len()), lanes::max(lanes::load(x), most[0]), most[0]);
            }
            let [a, b, c, d] = most;
            lanes::reduce_max(lanes::max(lanes::max(a, b), lanes::max(c, d)))
        }

        $(#[$feature])*
        pub(crate) fn softmax(x: &mut [f32]) {
            let scale = lanes::splat(1.0 / exponentials(x));
            for x in x.chunks_mut(LANES) {
                let y = lanes::mul(lanes::load(x), scale);
                lanes::store(x, y);
            }
        }

        /// Replaces each value by its exponential less the greatest one's; gives their sum.
        $(#[$feature])*
        pub(crate) fn exponentials(x: &mut [f32]) -> f32 {
            let most = lanes::splat(max_of(x));
            let mut sum = lanes::splat(0.0);
            for x in x.chunks_mut(LANES) {
                let e = exp(lanes::sub(lanes::load(x), most));
                lanes::store(x, e);
                sum = lanes::add(sum, lanes::select(filled(x.len()), e, lanes::splat(0.0)));
            }
            lanes::reduce_add(sum)
        }

        /// 127·e^x for x up to 0, within 3e-6 of the result: far below its rounding to a byte. e^x is 2^n·2^r
        /// with |r| ≤ ½, and the polynomial for 127·2^r is fitted to the least relative error.
        $(#[$feature])*
        #[inline]
        fn part_of_127(x: lanes::F) -> lanes::F {
            use lanes::{fma, max, mul, round, scale, splat, sub};
            // 2^-100 is nothing beside 127.
            let y = max(splat(-100.0), mul(x, splat(std::f32::consts::LOG2_E)));
            let n = round(y);
            let r = sub(y, n);
            let mut p = splat(1.215_402_8);
            for c in [7.101_568, 30.511_425, 88.026_474, 127.0] {
                p = fma(p, r, splat(c));
            }
            scale(p, n)
        }

        /// Writes 127·e^(x - the greatest value) as bytes; gives the sum of the numbers before rounding.
        $(#[$feature])*
        pub(crate) fn exponentials_int8(x: &[f32], out: &mut [u8]) -> f32 {
            use lanes::{add, load, select, splat, store_bytes, sub, to_i};
            let most = splat(max_of(x));
            let ((x, last), (out, to)) = (x.as_chunks::<LANES>(), out.as_chunks_mut::<LANES>());
            let mut sum = splat(0.0);
            for (x, out) in x.iter().zip(out) {
                let e = part_of_127(sub(load(x), most));
                store_bytes(out, to_i(e), 0);
                sum = add(sum, e);
            }
            if !last.is_empty() {
                let e = part_of_127(sub(load(last), most));
                store_bytes(to, to_i(e), 0);
                sum = add(sum, select(filled(last.len()), e, splat(0.0)));
            }
            lanes::reduce_add(sum)
        }

        /// Enters the values among the greatest so far. Comparing whole vectors with the last of these skips
        /// nearly all values.
        $(#[$feature])*
        pub(crate) fn greatest(x: &[f32], best: &mut [Best]) {
            let Some(last) = best.len().checked_sub(1) else { return };
            for (block, x) in x.chunks(LANES).enumerate() {
                let y = lanes::select(filled(x.len()), lanes::load(x), lanes::splat(f32::NEG_INFINITY));
                if lanes::any(lanes::gt(y, lanes::splat(best[last].value))) {
                    for (lane, &value) in x.iter().enumerate() {
                        Best { value, column: block * LANES + lane }.enter(best);
                    }
                }
            }
        }

        /// The greatest value, and the logarithm of Σ e^(x - greatest).
        $(#[$feature])*
        pub(crate) fn log_sum(x: &[f32]) -> (f32, f32) {
            let most = max_of(x);
            let mut sum = lanes::splat(0.0);
            for x in x.chunks(LANES) {
                let e = exp(lanes::sub(lanes::load(x), lanes::splat(most)));
                sum = lanes::add(sum, lanes::select(filled(x.len()), e, lanes::splat(0.0)));
            }
            (most, crate::vector::ln(lanes::reduce_add(sum)))
        }

        $(#[$feature])*
        pub(crate) fn log_softmax(x: &mut [f32]) {
            let (most, log) = log_sum(x);
            for x in x.chunks_mut(LANES) {
                let y = lanes::sub(lanes::sub(lanes::load(x), lanes::splat(most)), lanes::splat(log));
                lanes::store(x, y);
            }
        }

        $(#[$feature])*
        pub(crate) fn add(x: &mut [f32], y: &[f32]) {
            for (x, y) in x.chunks_mut(LANES).zip(y.chunks(LANES)) {
                let sum = lanes::add(lanes::load(x), lanes::load(y));
                lanes::store(x, sum);
            }
        }

        /// Layer norm of each row of `x` [rows, D]. A row's sums are chains of dependent steps, so that four rows
        /// take turns.
        $(#[$feature])*
        pub(crate) fn layer_norm(x: &mut [f32], scale: &[f32], bias: &[f32], epsilon: f32) {
            let width = scale.len();
            let mut fours = x.chunks_exact_mut(TOGETHER * width);
            for four in &mut fours {
                norm_rows::<TOGETHER>(four, scale, bias, epsilon);
            }
            for row in fours.into_remainder().chunks_exact_mut(width) {
                norm_rows::<1>(row, scale, bias, epsilon);
            }
        }

        $(#[$feature])*
        #[inline]
        fn norm_rows<const ROWS: usize>(x: &mut [f32], scale: &[f32], bias: &[f32], epsilon: f32) {
            let (width, whole) = (scale.len(), scale.len() / LANES * LANES);
            let n = width as f32;
            let (mut sums, mut squares) = ([lanes::splat(0.0); ROWS], [lanes::splat(0.0); ROWS]);
            for from in (0..whole).step_by(LANES) {
                for row in 0..ROWS {
                    sums[row] = lanes::add(sums[row], lanes::load(&x[row * width + from..][..LANES]));
                }
            }
            let (rest, mut means) = (filled(width - whole), [lanes::splat(0.0); ROWS]);
            for row in 0..ROWS {
                if whole < width {
                    sums[row] = lanes::add(sums[row], lanes::load(&x[row * width + whole..][..width - whole]));
                }
                means[row] = lanes::splat(lanes::reduce_add(sums[row]) / n);
            }
            for from in (0..whole).step_by(LANES) {
                for row in 0..ROWS {
                    let d = lanes::sub(lanes::load(&x[row * width + from..][..LANES]), means[row]);
                    squares[row] = lanes::fma(d, d, squares[row]);
                }
            }
            let mut narrow = [lanes::splat(0.0); ROWS];
            for row in 0..ROWS {
                if whole < width {
                    let d = lanes::sub(lanes::load(&x[row * width + whole..][..width - whole]), means[row]);
                    let d = lanes::select(rest, d, lanes::splat(0.0));
                    squares[row] = lanes::fma(d, d, squares[row]);
                }
                narrow[row] = lanes::splat(1.0 / (lanes::reduce_add(squares[row]) / n + epsilon).sqrt());
            }
            for from in (0..width).step_by(LANES) {
                let to = width.min(from + LANES);
                let (scale, bias) = (lanes::load(&scale[from..to]), lanes::load(&bias[from..to]));
                for row in 0..ROWS {
                    let x = &mut x[row * width..][from..to];
                    let d = lanes::mul(lanes::sub(lanes::load(x), means[row]), narrow[row]);
                    lanes::store(x, lanes::fma(d, scale, bias));
                }
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
        pub(crate) fn quantise_int8(x: &[f32], multiplier: f32, flip: u8, out: &mut [u8]) {
            let ((x, last), (out, to)) = (x.as_chunks::<LANES>(), out.as_chunks_mut::<LANES>());
            for (x, out) in x.iter().zip(out) {
                let bytes = to_byte(lanes::mul(lanes::load(x), lanes::splat(multiplier)));
                lanes::store_bytes(out, bytes, flip);
            }
            if !last.is_empty() {
                let bytes = to_byte(lanes::mul(lanes::load(last), lanes::splat(multiplier)));
                lanes::store_bytes(to, bytes, flip);
            }
        }

        /// As `quantise_int8`, for whole vectors.
        $(#[$feature])*
        #[inline(never)] // one copy serves all tiles
        pub(crate) fn to_bytes(x: &[F], multiplier: f32, flip: u8, out: &mut [u8]) {
            for (x, out) in x.iter().zip(out.as_chunks_mut::<LANES>().0) {
                lanes::store_bytes(out, to_byte(lanes::mul(*x, lanes::splat(multiplier))), flip);
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

        /// out += row·scale, for a row that holds a packed weight's column in int8, int16 or f32.
        $(#[$feature])*
        pub(crate) fn add_row(row: &[u8], precision: crate::Precision, scale: f32, out: &mut [f32]) {
            // Plain loops: the compiler vectorises them.
            match precision {
                crate::Precision::Int8 => {
                    out.iter_mut().zip(row).for_each(|(out, q)| *out = f32::from(*q as i8).mul_add(scale, *out));
                }
                crate::Precision::Int16 => {
                    let values = row.as_chunks().0.iter().map(|q| f32::from(i16::from_le_bytes(*q)));
                    out.iter_mut().zip(values).for_each(|(out, q)| *out = q.mul_add(scale, *out));
                }
                crate::Precision::F32 => {
                    let values = row.as_chunks().0.iter().map(|q| f32::from_le_bytes(*q));
                    out.iter_mut().zip(values).for_each(|(out, q)| *out = q.mul_add(scale, *out));
                }
            }
        }
    };
}
pub(crate) use slices;
