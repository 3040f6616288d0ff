//! dyno-kernels, to f32 with scales and bias.

use dyno_kernels::{Activation, Input, Kernels, Layout, MatMut, Output, Precision, Result, Weights};

pub fn int8(m: usize, k: usize, n: usize) -> Result<Box<dyn FnMut()>> {
    let kernels = Kernels::best();
    let weights = kernels.pack_int8(&vec![1; k * n], k, n, Layout::Kn)?.with_scales(&[0.5])?;
    let mut rows = kernels.rows(Precision::Int8, m, k);
    rows.quantise_fixed(&vec![0.5; m * k], m, 2.0)?;
    let mut y = vec![0.0; m * n];
    Ok(Box::new(move || multiply(&weights, rows.view(), &mut y, m)))
}

pub fn f32(m: usize, k: usize, n: usize) -> Result<Box<dyn FnMut()>> {
    let weights = Kernels::best().pack_f32(&vec![1.0; k * n], k, n, Layout::Kn)?;
    let (x, mut y) = (vec![0.5; m * k], vec![0.0; m * n]);
    Ok(Box::new(move || multiply(&weights, Input::f32(&x, m, k).expect("its shape"), &mut y, m)))
}

fn multiply(weights: &Weights, a: Input<'_>, y: &mut [f32], m: usize) {
    let out = Output::F32(MatMut::new(y, m, weights.n()).expect("its shape"));
    weights.multiply(a, 0..weights.n(), Activation::None, None, out).expect("shapes that fit");
    std::hint::black_box(y);
}
