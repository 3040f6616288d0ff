//! rten-gemm, with weights packed beforehand.

use rten_gemm::{GemmExecutor, GemmInT, GemmInputA, GemmInputB, GemmOptions, GemmOutT};
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;

pub fn int8(m: usize, k: usize, n: usize) -> Box<dyn FnMut()> {
    product::<u8, i8, i32>(129, 1, m, k, n)
}

pub fn f32(m: usize, k: usize, n: usize) -> Box<dyn FnMut()> {
    product::<f32, f32, f32>(0.5, 1.0, m, k, n)
}

fn product<A, B, C>(a: A, b: B, m: usize, k: usize, n: usize) -> Box<dyn FnMut()>
where
    A: GemmInT + 'static,
    B: GemmInT + 'static,
    C: GemmOutT + 'static,
    GemmExecutor<A, B, C>: Default,
{
    let executor = GemmExecutor::<A, B, C>::default();
    let a = NdTensor::<A, 2>::full([m, k], a);
    let b = executor.prepack_b(NdTensor::<B, 2>::full([k, n], b).view());
    let mut c = vec![C::default(); m * n];
    Box::new(move || {
        let (a, b) = (GemmInputA::Unpacked(a.view()), GemmInputB::Packed(&b));
        executor.gemm(&mut c, a, b, GemmOptions::default()).expect("shapes that fit");
        std::hint::black_box(&mut c);
    })
}
