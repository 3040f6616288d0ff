//! Matrix products alone, timed on this host: what the papers' figures of products show, and what tells how long a drawn
//! network will take.

use std::hint::black_box;

use anyhow::Result;
use dyno_kernels::{Activation, Input, Kernels, Layout, MatMut, Output, Precision as Values, Weights};
use serde::{Deserialize, Serialize};

use crate::os;

/// What the values of both operands are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 32-bit floating point.
    F32,
    /// 16-bit integers.
    Int16,
    /// 8-bit integers.
    Int8,
}

/// Activations [rows, k] by weights [k, n] that were packed before; the sums become f32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Product {
    /// Of both operands.
    pub precision: Precision,
    /// A row a hypothesis, or a word of the source.
    pub rows: usize,
    /// Inputs.
    pub k: usize,
    /// Outputs.
    pub n: usize,
}

/// Turns of each product. Odd, so that one is the median.
const TURNS: usize = 9;

/// A turn: long against the clock's grain, short against what disturbs a core.
const TURN_SECONDS: f64 = 0.002;

/// What each of `products` reaches on `core` in 10⁹ multiply-accumulates a second, turn by turn: all of them take a turn
/// before one takes the next, so that a disturbed core disturbs them alike.
pub fn race(products: &[Product], core: usize) -> Result<Vec<Vec<f64>>> {
    let mut runners = products.iter().map(|product| product.runner()).collect::<Result<Vec<_>>>()?;
    let mut speeds = vec![Vec::new(); products.len()];
    let allowed = os::allowed_cores()?;
    os::pin_thread(&[core])?;
    for _ in 0..TURNS {
        for ((product, run), speeds) in products.iter().zip(&mut runners).zip(&mut speeds) {
            speeds.push(product.giga_macs() * per_second(run));
        }
    }
    os::pin_thread(&allowed)?;
    Ok(speeds)
}

/// How often `run` can be called in a second of this process's own time, so that who shares the core doesn't count. The clock
/// costs as much as a small product, hence twice as many calls until they last long enough.
fn per_second(run: &mut dyn FnMut()) -> f64 {
    run(); // brings the operands near
    let mut runs = 1;
    loop {
        let begin = os::own_cpu_ns();
        (0..runs).for_each(|_| run());
        let seconds = (os::own_cpu_ns() - begin) as f64 / 1e9;
        if seconds >= TURN_SECONDS {
            return f64::from(runs) / seconds;
        }
        runs *= 2;
    }
}

impl Product {
    fn giga_macs(&self) -> f64 {
        (self.rows * self.k * self.n) as f64 / 1e9
    }

    /// Itself, to be called. What stands in the operands doesn't matter to its time.
    fn runner(&self) -> Result<Box<dyn FnMut()>> {
        let Self { precision, rows, k, n } = *self;
        let (kernels, x, mut y) = (Kernels::best(), vec![0.5; rows * k], vec![0.0; rows * n]);
        let (weights, values) = match precision {
            Precision::F32 => {
                let weights = kernels.pack_f32(&vec![1.0; k * n], k, n, Layout::Kn)?;
                return Ok(Box::new(move || {
                    multiply(&weights, Input::f32(&x, rows, k).expect("its shape"), &mut y);
                }));
            }
            Precision::Int16 => (kernels.pack_int16(&vec![1; k * n], k, n, Layout::Kn, 128)?, Values::Int16),
            Precision::Int8 => (kernels.pack_int8(&vec![1; k * n], k, n, Layout::Kn)?, Values::Int8),
        };
        let (weights, mut a) = (weights.with_scales(&[0.5])?, kernels.rows(values, rows, k));
        a.quantise_fixed(&x, rows, 2.0)?;
        Ok(Box::new(move || multiply(&weights, a.view(), &mut y)))
    }
}

fn multiply(weights: &Weights, a: Input<'_>, y: &mut [f32]) {
    let rows = y.len() / weights.n();
    let to = Output::F32(MatMut::new(y, rows, weights.n()).expect("its shape"));
    weights.multiply(a, 0..weights.n(), Activation::None, None, to).expect("shapes that fit");
    black_box(y);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_precision_and_shape_can_be_timed() {
        let product = |precision, rows, k, n| Product { precision, rows, k, n };
        let products = [
            product(Precision::F32, 1, 64, 48),
            product(Precision::Int16, 3, 64, 48),
            product(Precision::Int8, 17, 32, 8),
        ];
        let speeds = race(&products, os::allowed_cores().unwrap()[0]).unwrap();
        assert_eq!(speeds.iter().map(Vec::len).collect::<Vec<_>>(), [TURNS; 3]);
        assert!(speeds.iter().flatten().all(|speed| speed.is_finite() && *speed > 0.0), "{speeds:?}");
        assert!((products[2].giga_macs() * 1e9 - 17.0 * 32.0 * 8.0).abs() < 1e-6);
    }
}
