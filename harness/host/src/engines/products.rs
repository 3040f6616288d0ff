//! Speed of single matrix products on this host.
//!
//! Two users: the papers' figures of products, and the forecast for drawn networks. Speeds of whole engines
//! belong to `dyno-measure`.

use std::hint::black_box;

use dyno_formats::Precision;
use dyno_kernels::{Activation, Input, Kernels, Layout, MatMut, Output, Precision as Values, Weights};
use dyno_measure::os::{allowed_cores, own_cpu_ns, pin_thread};

use crate::error::{Error, Result};
use crate::facts::Product;

/// Number of turns of each product; odd, so that one turn is the median.
const TURNS: usize = 9;

/// Time of a turn: long against the clock's resolution, short against disturbances of a core.
const TURN_SECONDS: f64 = 0.002;

/// Speeds of `products` on `core`, turn by turn, in 10⁹ multiply-accumulates per second. Each turn runs all
/// products, so that a disturbed core disturbs them alike.
pub fn product_speeds(products: &[Product], core: usize) -> Result<Vec<Vec<f64>>> {
    let mut runners = products.iter().map(runner).collect::<Result<Vec<_>>>()?;
    let mut speeds = vec![Vec::new(); products.len()];
    let allowed = allowed_cores().map_err(Error::Core)?;
    pin_thread(&[core]).map_err(Error::Core)?;
    for _ in 0..TURNS {
        for ((product, run), speeds) in products.iter().zip(&mut runners).zip(&mut speeds) {
            speeds.push(giga_macs(product) * per_second(run));
        }
    }
    pin_thread(&allowed).map_err(Error::Core)?;
    Ok(speeds)
}

/// Number of calls of `run` in a second of this process's own CPU time, which other processes on the core
/// don't affect. Reading the clock costs as much as a small product, so the number of calls doubles until
/// they last long enough.
fn per_second(run: &mut dyn FnMut()) -> f64 {
    run(); // brings the operands into the cache
    let mut runs = 1;
    loop {
        let begin = own_cpu_ns();
        (0..runs).for_each(|_| run());
        let seconds = (own_cpu_ns() - begin) as f64 / 1e9;
        if seconds >= TURN_SECONDS {
            return f64::from(runs) / seconds;
        }
        runs *= 2;
    }
}

/// Number of multiply-accumulates of a product, in 10⁹.
fn giga_macs(product: &Product) -> f64 {
    (product.rows * product.k * product.n) as f64 / 1e9
}

/// The product as a function. The values of the operands don't affect its time. Weights in half precision are widened
/// when they are packed.
fn runner(product: &Product) -> Result<Box<dyn FnMut()>> {
    let Product { precision, rows, k, n } = *product;
    let (kernels, x, mut y) = (Kernels::best(), vec![0.5; rows * k], vec![0.0; rows * n]);
    let (weights, values) = match precision {
        Precision::F32 | Precision::F16 => {
            let weights = kernels.pack_f32(&vec![1.0; k * n], k, n, Layout::Kn)?;
            return Ok(Box::new(move || {
                multiply(&weights, Input::f32(&x, rows, k).expect("the shape fits"), &mut y);
            }));
        }
        Precision::Int16 => (kernels.pack_int16(&vec![1; k * n], k, n, Layout::Kn, 128)?, Values::Int16),
        Precision::Int8 => (kernels.pack_int8(&vec![1; k * n], k, n, Layout::Kn)?, Values::Int8),
    };
    let (weights, mut a) = (weights.with_scales(&[0.5])?, kernels.rows(values, rows, k));
    a.quantise_fixed(&x, rows, 2.0)?;
    Ok(Box::new(move || multiply(&weights, a.view(), &mut y)))
}

fn multiply(weights: &Weights, a: Input<'_>, y: &mut [f32]) {
    let rows = y.len() / weights.n();
    let to = Output::F32(MatMut::new(y, rows, weights.n()).expect("the shape fits"));
    weights.multiply(a, 0..weights.n(), Activation::None, None, to).expect("the shapes fit");
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
        let speeds = product_speeds(&products, allowed_cores().unwrap()[0]).unwrap();
        assert_eq!(speeds.iter().map(Vec::len).collect::<Vec<_>>(), [TURNS; 3]);
        assert!(speeds.iter().flatten().all(|speed| speed.is_finite() && *speed > 0.0), "{speeds:?}");
        assert!((giga_macs(&products[2]) * 1e9 - 17.0 * 32.0 * 8.0).abs() < 1e-6);
    }
}
