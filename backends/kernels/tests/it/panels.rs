//! Weights that lie in panels already: the same products as weights that are packed, wherever the panels lie.

use crate::oracle::{Seeded, bits, present};
use dyno_kernels::{Activation, Error, Kernels, Layout, MatMut, Output, Precision, SharedBytes, Weights};
use std::sync::Arc;

const M: usize = 3;

/// Bytes at a distance from the start of a cache line.
struct Placed {
    memory: Vec<u8>,
    from: usize,
}

impl Placed {
    fn of(bytes: &[u8], past_line: usize) -> Self {
        let mut memory: Vec<u8> = Vec::with_capacity(bytes.len() + 128);
        let address = memory.as_ptr().addr();
        let from = address.next_multiple_of(64) - address + past_line;
        memory.resize(from, 0);
        memory.extend_from_slice(bytes);
        Self { memory, from }
    }
}

impl AsRef<[u8]> for Placed {
    fn as_ref(&self) -> &[u8] {
        &self.memory[self.from..]
    }
}

/// The panels of a matrix [k, n], from the documented order.
fn panels(b: &[i8], k: usize, n: usize) -> Vec<u8> {
    let mut packed = Vec::with_capacity(k * n);
    for panel in (0..n).step_by(64) {
        for group in (0..k).step_by(4) {
            for column in panel..n.min(panel + 64) {
                packed.extend((group..group + 4).map(|row| b[row * n + column] as u8));
            }
        }
    }
    packed
}

fn shared(bytes: &[u8], past_line: usize) -> SharedBytes {
    SharedBytes::new(Arc::new(Placed::of(bytes, past_line)))
}

fn product(kernels: Kernels, weights: &Weights) -> Vec<f32> {
    let (k, n) = (weights.k(), weights.n());
    let mut rows = kernels.rows(Precision::Int8, M, k);
    rows.quantise(&Seeded(32).f32s(M * k, 2.0), M).unwrap();
    let mut y = vec![f32::NAN; M * n];
    let out = Output::F32(MatMut::new(&mut y, M, n).unwrap());
    weights.multiply(rows.view(), 0..n, Activation::None, None, out).unwrap();
    y
}

/// One vector, a whole panel, panels with a narrow last one, and weights that fill a huge page; aligned and not.
#[test]
fn panels_multiply_as_packed_weights_do() {
    for (k, n) in [(4, 16), (64, 64), (36, 144), (2048, 1040)] {
        let mut seeded = Seeded(31);
        let b: Vec<i8> = (0..k * n).map(|_| seeded.whole(127) as i8).collect();
        let panels = panels(&b, k, n);
        for kernels in present() {
            let expected = product(kernels, &kernels.pack_int8(&b, k, n, Layout::Kn).unwrap());
            for past_line in [0, 16] {
                let weights = kernels.share_int8(&shared(&panels, past_line), k, n).unwrap();
                let found = [product(kernels, &weights), product(kernels, &weights.clone())];
                for found in found {
                    assert_eq!(bits(&found), bits(&expected), "{} {k} {n} {past_line}", kernels.isa());
                }
            }
        }
    }
}

#[test]
fn panels_that_products_cannot_read_are_refused() {
    let share = |bytes: &[u8], k, n| Kernels::best().share_int8(&shared(bytes, 0), k, n).unwrap_err();
    assert!(matches!(share(&[1; 96], 6, 16), Error::Shape { what: "inputs of panels", .. }));
    assert!(matches!(share(&[1; 80], 4, 20), Error::Shape { what: "outputs of panels", .. }));
    assert!(matches!(share(&[1; 64], 8, 16), Error::Shape { what: "panels", .. }));
    let mut odd = panels(&[1; 8 * 80], 8, 80);
    odd[512 + 64 + 4 * 3] = 128; // column 3 of the second panel, row 4
    assert_eq!(share(&odd, 8, 80), Error::OutOfRange { column: 67 });
    let k = 4 * 40_000; // 127² · k leaves 32 bits
    assert!(matches!(share(&vec![127; k * 16], k, 16), Error::Wraps { column: 0, bound: 127, .. }));
    assert!(Kernels::best().share_int8(&shared(&vec![1; k * 16], 0), k, 16).is_ok());
}
