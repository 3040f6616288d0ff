//! The hardware's limits: multiplications in registers, and reading of weights from their cache or memory.

use dyno_kernels::{Isa, Precision};
use std::hint::black_box;
use std::time::Instant;

/// Number of sums in flight: more than enough for four cycles of latency at two instructions per cycle.
const CHAINS: usize = 12;
/// Number of rounds through all chains: about 50 µs.
const ROUNDS: usize = 10_000;

/// Multiply-accumulates per second of the best instruction, in registers only.
pub fn compute(isa: Isa, precision: Precision) -> f64 {
    let (run, work) = loop_of(isa, precision);
    let start = Instant::now();
    // SAFETY: `isa` is that of kernels, which exist only where it was found.
    unsafe { run() };
    (ROUNDS * CHAINS * work) as f64 / start.elapsed().as_secs_f64()
}

/// The loop, and the multiplications of one of its instructions. Without dot products, the limit is the same
/// loop with multiply-add pairs.
#[cfg(target_arch = "x86_64")]
fn loop_of(isa: Isa, precision: Precision) -> (unsafe fn(), usize) {
    match (isa, precision) {
        (Isa::Scalar, _) => (x86::scalar, 1),
        (Isa::AmxInt8, Precision::Int8) => (x86::squares, 1024),
        (Isa::Avx512Bf16 | Isa::Avx512Vnni, Precision::Int8) => (x86::int8_512, 64),
        (Isa::AmxInt8 | Isa::Avx512Bf16 | Isa::Avx512Vnni, Precision::Int16) => (x86::int16_512, 32),
        (Isa::AmxInt8 | Isa::Avx512Bf16, Precision::Bf16) => (x86::bf16_512, 32),
        (Isa::Avx512bw, Precision::Int8 | Precision::Int16) => (x86::pairs_512, 32),
        (Isa::AmxInt8 | Isa::Avx512Bf16 | Isa::Avx512Vnni | Isa::Avx512bw, _) => (x86::f32_512, 16),
        (Isa::AvxVnni, Precision::Int8) => (x86::int8_256, 32),
        (Isa::AvxVnni, Precision::Int16) => (x86::int16_256, 16),
        (_, Precision::F32 | Precision::F16 | Precision::Bf16) => (x86::f32_256, 8),
        _ => (x86::pairs_256, 16),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn loop_of(_: Isa, _: Precision) -> (unsafe fn(), usize) {
    (scalar, 1)
}

/// Reads all data once, in the registers of the instruction set.
pub fn stream(isa: Isa, data: &[f32]) {
    #[cfg(target_arch = "x86_64")]
    if isa >= Isa::Avx512bw {
        // SAFETY: `isa` is that of kernels, which exist only where it was found.
        return unsafe { x86::stream_512(data) };
    }
    #[cfg(target_arch = "x86_64")]
    if isa >= Isa::Avx2 {
        // SAFETY: as above.
        return unsafe { x86::stream_256(data) };
    }
    let _ = isa;
    black_box(data.iter().fold(0, |sum: u32, x| sum.wrapping_add(x.to_bits())));
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{CHAINS, ROUNDS};
    use std::arch::x86_64::*;
    use std::hint::black_box;

    macro_rules! peak {
        ($name:ident, $features:literal, $zero:expr, |$sum:ident, $x:ident| $step:expr) => {
            #[target_feature(enable = $features)]
            pub fn $name() {
                let $x = black_box($zero);
                let mut sums = [$zero; CHAINS];
                for _ in 0..ROUNDS {
                    for sum in &mut sums {
                        let $sum = *sum;
                        *sum = $step;
                    }
                }
                black_box(sums);
            }
        };
    }

    peak!(int8_512, "avx512f,avx512vnni", _mm512_setzero_si512(), |sum, x| _mm512_dpbusd_epi32(sum, x, x));
    peak!(int16_512, "avx512f,avx512vnni", _mm512_setzero_si512(), |sum, x| _mm512_dpwssd_epi32(sum, x, x));
    peak!(pairs_512, "avx512bw", _mm512_setzero_si512(), |sum, x| _mm512_add_epi32(
        sum,
        _mm512_madd_epi16(sum, x)
    ));
    peak!(bf16_512, "avx512f,avx512bf16", _mm512_setzero_ps(), |sum, x| _mm512_dpbf16_ps(
        sum,
        pairs(x),
        pairs(x)
    ));
    peak!(f32_512, "avx512f", _mm512_setzero_ps(), |sum, x| _mm512_fmadd_ps(x, x, sum));
    peak!(int8_256, "avxvnni,avx2", _mm256_setzero_si256(), |sum, x| _mm256_dpbusd_avx_epi32(sum, x, x));
    peak!(int16_256, "avxvnni,avx2", _mm256_setzero_si256(), |sum, x| _mm256_dpwssd_avx_epi32(sum, x, x));
    peak!(pairs_256, "avx2", _mm256_setzero_si256(), |sum, x| _mm256_add_epi32(
        sum,
        _mm256_madd_epi16(sum, x)
    ));
    peak!(f32_256, "avx2,fma", _mm256_setzero_ps(), |sum, x| _mm256_fmadd_ps(x, x, sum));

    fn pairs(x: __m512) -> __m512bh {
        // SAFETY: both types are 64 bytes, and each pattern of bits is a value.
        unsafe { std::mem::transmute::<__m512, __m512bh>(x) }
    }

    /// Four squares of sums on the matrix unit. An instruction, which multiplies 16 × 16 × 64 values in sixteen cycles,
    /// counts as sixteen.
    pub fn squares() {
        #[repr(C, align(64))]
        struct Shapes([u8; 64]); // as LDTILECFG reads them: all registers have 16 × 64 bytes
        let mut shapes = Shapes([0; 64]);
        shapes.0[0] = 1; // palette
        for register in 0..8 {
            (shapes.0[16 + 2 * register], shapes.0[48 + register]) = (64, 16);
        }
        // SAFETY: `AmxInt8` is of kernels, for which the operating system granted the registers; they are freed at the
        // end.
        unsafe {
            std::arch::asm!(
                "ldtilecfg [{shapes}]",
                "2:",
                "tdpbusd tmm0, tmm4, tmm6",
                "tdpbusd tmm1, tmm4, tmm7",
                "tdpbusd tmm2, tmm5, tmm6",
                "tdpbusd tmm3, tmm5, tmm7",
                "dec {turns}",
                "jnz 2b",
                "tilerelease",
                shapes = in(reg) &raw const shapes,
                turns = inout(reg) ROUNDS * CHAINS / (4 * 16) => _,
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                options(nostack),
            );
        }
    }

    pub fn scalar() {
        let x = black_box(1.0f32);
        let mut sums = [0.0f32; CHAINS];
        for _ in 0..ROUNDS {
            for sum in &mut sums {
                *sum += black_box(x) * x;
            }
        }
        black_box(sums);
    }

    /// Exclusive or of all data, in eight chains.
    #[target_feature(enable = "avx512f")]
    pub fn stream_512(data: &[f32]) {
        let mut sums = [_mm512_setzero_si512(); 8];
        for lines in data.as_chunks::<128>().0 {
            for (sum, line) in sums.iter_mut().zip(lines.as_chunks::<16>().0) {
                // SAFETY: a line is sixteen values; the load needs no alignment.
                *sum = _mm512_xor_si512(*sum, unsafe { _mm512_loadu_si512(line.as_ptr().cast()) });
            }
        }
        black_box(sums);
    }

    /// Exclusive or of all data, in eight chains.
    #[target_feature(enable = "avx2")]
    pub fn stream_256(data: &[f32]) {
        let mut sums = [_mm256_setzero_si256(); 8];
        for lines in data.as_chunks::<64>().0 {
            for (sum, line) in sums.iter_mut().zip(lines.as_chunks::<8>().0) {
                // SAFETY: a line is eight values; the load needs no alignment.
                *sum = _mm256_xor_si256(*sum, unsafe { _mm256_loadu_si256(line.as_ptr().cast()) });
            }
        }
        black_box(sums);
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn scalar() {
    black_box(0);
}
