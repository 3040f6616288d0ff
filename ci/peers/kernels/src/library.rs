//! f32 products as the papers' baselines call libraries: unpacked weights, one call a product, by the code of the
//! plugin in `../baseline`.

use dyno_kernels_by_library::{Library, Plain};

/// How weights [k, n] lie.
#[derive(Clone, Copy)]
pub enum Layout {
    /// Row by row.
    Normal,
    /// Column by column, as PyTorch keeps weights.
    Transposed,
}

pub fn f32(library: &Library, layout: Layout, m: usize, k: usize, n: usize) -> Box<dyn FnMut() + '_> {
    let (a, b, mut c) = (vec![1.0; m * k], vec![1.0; k * n], vec![0.0; m * n]);
    let [row, column] = match layout {
        Layout::Normal => [n, 1],
        Layout::Transposed => [1, k],
    };
    Box::new(move || {
        library.multiply([m, k, n], &a, Plain { values: &b, row, column }, &mut c);
        std::hint::black_box(&mut c);
    })
}
