//! dyno-kernels, to f32 with scales and bias.

use dyno_kernels::{Activation, Input, Kernels, Layout, MatMut, Output, Precision, Result, Weights};

pub fn int8(m: usize, k: usize, n: usize) -> Result<Box<dyn FnMut()>> {
    let kernels = Kernels::best();
    let weights = kernels.pack_int8(&vec![1; k * n], k, n, Layout::Kn)?.with_scales(&[0.5])?;
    let mut rows = kernels.rows(Precision::Int8, m, k);
    rows.quantise_fixed(&vec![0.5; m * k], m, 2.0)?;
    let mut y = Aligned::new(m * n);
    Ok(Box::new(move || multiply(&weights, rows.view(), y.values(), m)))
}

pub fn int16(m: usize, k: usize, n: usize) -> Result<Box<dyn FnMut()>> {
    let kernels = Kernels::best();
    let weights = kernels.pack_int16(&vec![1; k * n], k, n, Layout::Kn, 128)?.with_scales(&[0.5])?;
    let mut rows = kernels.rows(Precision::Int16, m, k);
    rows.quantise_fixed(&vec![0.5; m * k], m, 2.0)?;
    let mut y = Aligned::new(m * n);
    Ok(Box::new(move || multiply(&weights, rows.view(), y.values(), m)))
}

pub fn f32(m: usize, k: usize, n: usize) -> Result<Box<dyn FnMut()>> {
    let weights = Kernels::best().pack_f32(&vec![1.0; k * n], k, n, Layout::Kn)?;
    let (x, mut y) = (vec![0.5; m * k], Aligned::new(m * n));
    Ok(Box::new(move || multiply(&weights, Input::f32(&x, m, k).expect("its shape"), y.values(), m)))
}

/// Values that begin where a cache line does, as oneDNN's own memories do: a vector that crosses lines costs
/// two.
struct Aligned {
    all: Vec<f32>,
    from: usize,
    len: usize,
}

impl Aligned {
    fn new(len: usize) -> Self {
        const LINE: usize = 64;
        let all = vec![0.0; len + LINE / size_of::<f32>()];
        let from = all.as_ptr().align_offset(LINE);
        Self { all, from, len }
    }

    fn values(&mut self) -> &mut [f32] {
        &mut self.all[self.from..][..self.len]
    }
}

fn multiply(weights: &Weights, a: Input<'_>, y: &mut [f32], m: usize) {
    let out = Output::F32(MatMut::new(y, m, weights.n()).expect("its shape"));
    weights.multiply(a, 0..weights.n(), Activation::None, None, out).expect("shapes that fit");
    std::hint::black_box(y);
}
