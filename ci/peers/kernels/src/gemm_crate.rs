//! The `gemm` crate, which packs on each call.

pub fn f32(m: usize, k: usize, n: usize) -> Box<dyn FnMut()> {
    let (a, b, mut c) = (vec![0.5f32; m * k], vec![1.0f32; k * n], vec![0.0f32; m * n]);
    Box::new(move || {
        // SAFETY: three row-major matrices of just these shapes.
        unsafe {
            gemm::gemm(
                m,
                n,
                k,
                c.as_mut_ptr(),
                1,
                n as isize,
                false,
                a.as_ptr(),
                1,
                k as isize,
                b.as_ptr(),
                1,
                n as isize,
                0.0,
                1.0,
                false,
                false,
                false,
                gemm::Parallelism::None,
            );
        }
        std::hint::black_box(&mut c);
    })
}
