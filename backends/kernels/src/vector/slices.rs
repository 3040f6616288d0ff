//! Functions of slices: norms, softmax, quantisation.
//!
//! Every sum runs in sixteen lanes, lane i taking the elements i, i+16, …, and is folded at the end in one
//! order. The last block of a slice is filled with zeros, or masked where zeros would count.

/// Writes the functions for one instruction set; `functions!` must stand beside it.
macro_rules! slices {
    ([$(#[$feature:meta])*]) => {
        use crate::lanes::LANES;
        use crate::tile::Best;
        use crate::vector::TOGETHER;

        /// Mask of the lanes that a block of `n` values fills.
        $(#[$feature])*
        #[inline]
        fn filled(n: usize) -> lanes::M {
            lanes::from_bits(first(n))
        }

        /// A bit for each of the first `n` lanes.
        #[inline]
        fn first(n: usize) -> u16 {
            u16::MAX.unbounded_shr((LANES - n.min(LANES)) as u32)
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
        #[inline]
        fn exponentials(x: &mut [f32]) -> f32 {
            let most = lanes::splat(max_of(x));
            let mut sum = lanes::splat(0.0);
            for x in x.chunks_mut(LANES) {
                let e = exp(lanes::sub(lanes::load(x), most));
                lanes::store(x, e);
                sum = lanes::add(sum, lanes::select(filled(x.len()), e, lanes::splat(0.0)));
            }
            lanes::reduce_add(sum)
        }

        /// e^x for x up to 0, within 3e-6 of the result: far below its rounding to a word. e^x is 2^n·2^r with
        /// |r| ≤ ½, and the polynomial for 2^r is fitted to the least relative error.
        $(#[$feature])*
        #[inline]
        fn exp_near(x: lanes::F) -> lanes::F {
            use lanes::{fma, max, mul, round, scale, splat, sub};
            // 2^-100 is nothing beside 1.
            let y = max(splat(-100.0), mul(x, splat(std::f32::consts::LOG2_E)));
            let n = round(y);
            let r = sub(y, n);
            let mut p = splat(0.009_570_1);
            for c in [0.055_917_86, 0.240_247_44, 0.693_121_84, 1.0] {
                p = fma(p, r, splat(c));
            }
            scale(p, n)
        }

        /// Replaces each value by e^(x - the greatest value), and gives the sum of the results; within 3e-6.
        $(#[$feature])*
        fn exponentials_near(x: &mut [f32]) -> f32 {
            let most = lanes::splat(max_of(x));
            let mut sum = lanes::splat(0.0);
            let (blocks, last) = x.as_chunks_mut::<LANES>();
            for x in blocks {
                let e = exp_near(lanes::sub(lanes::load(x), most));
                lanes::store(x, e);
                sum = lanes::add(sum, e);
            }
            if !last.is_empty() {
                let e = exp_near(lanes::sub(lanes::load(last), most));
                lanes::store(last, e);
                sum = lanes::add(sum, lanes::select(filled(last.len()), e, lanes::splat(0.0)));
            }
            lanes::reduce_add(sum)
        }

        /// Writes the softmax of `x` as words, in units of 1/32,767: together the words are about 32,767, so that the
        /// sum of their products with other words fits into 32 bits. A lane carries the error of its rounding to
        /// its next word: so many small weights keep their sum. `x` is left with the exponentials.
        $(#[$feature])*
        pub(crate) fn shares_int16(x: &mut [f32], out: &mut [u8]) {
            let unit = lanes::splat(crate::precision::MOST_WORD / exponentials_near(x));
            let out = out.as_chunks_mut().0;
            // Several chains, which don't wait for each other.
            let mut carried = [lanes::splat(0.0); TOGETHER];
            let (blocks, rest) = x.as_chunks::<{ LANES * TOGETHER }>();
            let (to_blocks, to_rest) = out.as_chunks_mut::<{ LANES * TOGETHER }>();
            for (block, to) in blocks.iter().zip(to_blocks) {
                let vectors = block.as_chunks::<LANES>().0.iter().zip(to.as_chunks_mut::<LANES>().0);
                for (carried, (x, to)) in carried.iter_mut().zip(vectors) {
                    *carried = share(lanes::load(x), unit, *carried, to);
                }
            }
            for (carried, (x, to)) in carried.iter_mut().zip(rest.chunks(LANES).zip(to_rest.chunks_mut(LANES))) {
                share(lanes::load(x), unit, *carried, to);
            }
        }

        /// Writes x·unit + carried as words; gives the errors of rounding.
        $(#[$feature])*
        #[inline]
        fn share(x: F, unit: F, carried: F, to: &mut [[u8; 2]]) -> F {
            let share = lanes::fma(x, unit, carried);
            let whole = lanes::round(share);
            lanes::store_words(to, lanes::to_i(lanes::max(whole, lanes::splat(0.0)))); // 0 for NaN, too
            lanes::sub(share, whole)
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

        $(#[$feature])*
        pub(crate) fn log_softmax(x: &mut [f32]) {
            let most = max_of(x);
            let mut sum = lanes::splat(0.0);
            for x in x.chunks(LANES) {
                let e = exp(lanes::sub(lanes::load(x), lanes::splat(most)));
                sum = lanes::add(sum, lanes::select(filled(x.len()), e, lanes::splat(0.0)));
            }
            let log = crate::vector::ln(lanes::reduce_add(sum));
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
            for (x, out) in x.chunks(LANES).zip(out.as_chunks_mut().0.chunks_mut(LANES)) {
                lanes::store_words(out, to_word(lanes::mul(lanes::load(x), lanes::splat(multiplier))));
            }
        }

        /// Fills groups of two values; an odd last value gets 0 beside it, since 0 times what lay there might be no
        /// number.
        $(#[$feature])*
        pub(crate) fn round_bf16(x: &[f32], out: &mut [u8]) {
            // A plain loop: the compiler vectorises it.
            let (out, rest) = out.as_chunks_mut().0.split_at_mut(x.len());
            out.iter_mut().zip(x).for_each(|(out, x)| *out = crate::precision::to_bf16(*x).to_le_bytes());
            rest.fill([0; 2]);
        }

        /// out += row·scale, for a row that holds a packed weight's column.
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
                crate::Precision::F16 => {
                    let values = row.as_chunks().0.iter().map(|q| crate::precision::from_f16(u16::from_le_bytes(*q)));
                    out.iter_mut().zip(values).for_each(|(out, q)| *out = q.mul_add(scale, *out));
                }
                crate::Precision::Bf16 => {
                    let values = row.as_chunks().0.iter().map(|q| crate::precision::from_bf16(u16::from_le_bytes(*q)));
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
