//! Functions of sixteen lanes: exponential, logistic function, hyperbolic tangent, activations, conversion to
//! bytes.
//!
//! The exponential reduces x = n·ln 2 + r, with ln 2 in two parts, so that n·ln 2 is more exact than f32. It
//! takes the polynomial of the Cephes library (expf, |r| ≤ ½·ln 2) and scales by 2ⁿ. The scaling rounds once,
//! so that subnormal results are right as well. The error is below 2 units in the last place where the result
//! is normal. Below 0.625 the tangent is an odd polynomial (Cephes' tanhf), because 1 - 2/(e²ˣ + 1) would
//! cancel there.

/// Writes the functions for one instruction set; its `lanes` must stand beside it.
macro_rules! functions {
    ([$(#[$feature:meta])*]) => {
        use crate::tile::Activation;
        use lanes::{F, I};

        $(#[$feature])*
        #[inline]
        pub(crate) fn exp(x: F) -> F {
            use lanes::{add, fma, max, min, mul, round, scale, splat};
            // Beyond these limits every result is 0 or ∞. NaN passes, because `max` and `min` give their
            // second operand.
            let x = min(splat(89.0), max(splat(-104.5), x));
            let n = round(mul(x, splat(std::f32::consts::LOG2_E)));
            let r = fma(n, splat(-0.693_359_4), x);
            let r = fma(n, splat(2.121_944_4e-4), r);
            let mut p = splat(1.987_569_1e-4);
            for c in [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5] {
                p = fma(p, r, splat(c));
            }
            scale(add(fma(p, mul(r, r), r), splat(1.0)), n)
        }

        $(#[$feature])*
        #[inline]
        pub(crate) fn sigmoid(x: F) -> F {
            use lanes::{add, div, splat, sub};
            div(splat(1.0), add(splat(1.0), exp(sub(splat(0.0), x))))
        }

        $(#[$feature])*
        #[inline]
        fn swish(x: F) -> F {
            lanes::mul(x, sigmoid(x))
        }

        /// [`swish`] for results that are quantised, off by at most 4.2e-4, or by 4.2e-4·|x| beyond ±1. σ is ½ and an
        /// odd polynomial, fitted to the least error of x·σ(x) up to ±8, where σ is 1 within the error.
        $(#[$feature])*
        #[inline]
        fn swish_near(x: F) -> F {
            use lanes::{fma, max, min, mul, splat};
            let near = min(splat(8.0), max(splat(-8.0), x));
            let z = mul(near, near);
            let mut p = splat(2.415_982e-14);
            for c in [-7.250_542e-12, 9.225_974e-10, -6.511_47e-8, 2.810_350_7e-6, -7.779_179e-5] {
                p = fma(p, z, splat(c));
            }
            for c in [1.437_533_6e-3, -1.918_186_5e-2, 0.248_594_5] {
                p = fma(p, z, splat(c));
            }
            mul(x, fma(near, p, splat(0.5)))
        }

        $(#[$feature])*
        #[inline]
        pub(crate) fn tanh(x: F) -> F {
            use lanes::{abs, add, div, fma, gt, mul, select, splat, sub};
            let size = abs(x);
            let z = mul(x, x);
            let mut p = splat(-5.704_988_7e-3);
            for c in [2.063_908_8e-2, -5.373_971_5e-2, 1.333_144_2e-1, -3.333_328e-1] {
                p = fma(p, z, splat(c));
            }
            let near = fma(mul(p, z), x, x);
            let far = sub(splat(1.0), div(splat(2.0), add(exp(add(size, size)), splat(1.0))));
            let far = select(gt(splat(0.0), x), sub(splat(0.0), far), far);
            select(gt(splat(0.625), size), near, far)
        }

        /// [`tanh`] within 1e-3, in a third of its time: an odd polynomial, fitted to the least error up to ±4, where
        /// the tangent is 1 within the error.
        $(#[$feature])*
        #[inline]
        pub(crate) fn tanh_near(x: F) -> F {
            use lanes::{fma, max, min, mul, splat};
            let near = min(splat(4.0), max(splat(-4.0), x));
            let z = mul(near, near);
            let mut p = splat(6.705_25e-9);
            for c in [-5.012_228_6e-7, 1.587_249_3e-5, -2.784_848_4e-4, 2.983_652_3e-3, -2.046_650_9e-2] {
                p = fma(p, z, splat(c));
            }
            for c in [9.358_493e-2, -0.309_095_2, 0.995_411_7] {
                p = fma(p, z, splat(c));
            }
            mul(near, p)
        }

        /// x·Φ(x) = x·(1 + erf(x/√2))/2, the error function by Abramowitz and Stegun, 7.1.26: within 1.5e-7.
        $(#[$feature])*
        #[inline]
        pub(crate) fn gelu(x: F) -> F {
            use lanes::{abs, div, fma, gt, mul, select, splat, sub};
            let size = mul(abs(x), splat(std::f32::consts::FRAC_1_SQRT_2));
            let t = div(splat(1.0), fma(size, splat(0.327_591_1), splat(1.0)));
            let mut p = splat(1.061_405_4);
            for a in [-1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6] {
                p = fma(p, t, splat(a));
            }
            // Twice the tail beyond |x|.
            let tail = mul(mul(p, t), exp(mul(sub(splat(0.0), size), size)));
            let half = mul(tail, splat(0.5));
            mul(x, select(gt(splat(0.0), x), half, sub(splat(1.0), half)))
        }

        /// [`gelu`] for results that are quantised, off by at most 3e-5, or by 3e-5·|x| beyond ±1. Φ is ½ and an odd
        /// polynomial, fitted to the least error of x·Φ(x) up to ±4.2, where Φ is 1 within the error.
        $(#[$feature])*
        #[inline]
        pub(crate) fn gelu_near(x: F) -> F {
            use lanes::{fma, max, min, mul, splat};
            let near = min(splat(4.2), max(splat(-4.2), x));
            let z = mul(near, near);
            let mut p = splat(4.923_835e-11);
            for c in [-4.795_674e-9, 2.072_480_2e-7, -5.289_571e-6, 8.983_601e-5, -1.086_459_4e-3] {
                p = fma(p, z, splat(c));
            }
            for c in [9.740_941e-3, -6.622_208e-2, 0.398_834_6] {
                p = fma(p, z, splat(c));
            }
            mul(x, fma(near, p, splat(0.5)))
        }

        /// The approximation of [`gelu`] by tanh (Hendrycks & Gimpel 2016), as x·σ(2·√(2/π)·(x + 0.044715·x³)).
        $(#[$feature])*
        #[inline]
        pub(crate) fn gelu_tanh(x: F) -> F {
            use lanes::{add, mul, splat};
            const TWICE_ROOT: f32 = 1.595_769_2; // 2·√(2/π)
            let cube = mul(mul(x, x), splat(0.044_715 * TWICE_ROOT));
            mul(x, sigmoid(mul(x, add(cube, splat(TWICE_ROOT)))))
        }

        $(#[$feature])*
        #[inline]
        pub(crate) fn activate(kind: Activation, x: F) -> F {
            match kind {
                Activation::None => x,
                Activation::Relu => lanes::max(lanes::splat(0.0), x),
                Activation::Swish => swish(x),
                Activation::SwishNear => swish_near(x),
                Activation::Sigmoid => sigmoid(x),
                Activation::Tanh => tanh(x),
                Activation::Gelu => gelu(x),
                Activation::GeluNear => gelu_near(x),
                Activation::GeluTanh => gelu_tanh(x),
            }
        }

        /// An activation of several vectors, such as a tile's sums: the vectors don't wait for each other.
        $(#[$feature])*
        #[inline(never)] // one copy serves all tiles
        pub(crate) fn activate_each(kind: Activation, x: &mut [F]) {
            // Each activation has its own loop, so that its constants stay in registers.
            match kind {
                Activation::None => {}
                Activation::Relu => x.iter_mut().for_each(|x| *x = lanes::max(lanes::splat(0.0), *x)),
                Activation::Swish => x.iter_mut().for_each(|x| *x = swish(*x)),
                Activation::SwishNear => x.iter_mut().for_each(|x| *x = swish_near(*x)),
                Activation::Sigmoid => x.iter_mut().for_each(|x| *x = sigmoid(*x)),
                Activation::Tanh => x.iter_mut().for_each(|x| *x = tanh(*x)),
                Activation::Gelu => x.iter_mut().for_each(|x| *x = gelu(*x)),
                Activation::GeluNear => x.iter_mut().for_each(|x| *x = gelu_near(*x)),
                Activation::GeluTanh => x.iter_mut().for_each(|x| *x = gelu_tanh(*x)),
            }
        }

        /// Nearest whole numbers, saturated to -127..=127.
        $(#[$feature])*
        #[inline]
        pub(crate) fn to_byte(x: F) -> I {
            use lanes::{max, min, splat, to_i};
            to_i(min(max(x, splat(-127.0)), splat(127.0)))
        }

        /// Nearest whole numbers, saturated to -32,767..=32,767.
        $(#[$feature])*
        #[inline]
        pub(crate) fn to_word(x: F) -> I {
            use lanes::{max, min, splat, to_i};
            to_i(min(max(x, splat(-32767.0)), splat(32767.0)))
        }

        /// Looks a function up in tables of values and slopes for |x|, in steps of 1/`STEPS`; the function is
        /// odd around (0, `middle`).
        $(#[$feature])*
        #[inline]
        pub(crate) fn look_up(x: F, values: &[f32], slopes: &[f32], middle: f32) -> F {
            use lanes::{abs, fma, gather, gt, min, mul, select, splat, sub, to_f, to_i};
            let last = splat((values.len() - 1) as f32);
            let at = min(mul(abs(x), splat(crate::vector::STEPS)), last);
            let nearest = to_i(at);
            let above = fma(sub(at, to_f(nearest)), gather(slopes, nearest), gather(values, nearest));
            select(gt(splat(0.0), x), sub(splat(middle + middle), above), above)
        }
    };
}
pub(crate) use functions;
