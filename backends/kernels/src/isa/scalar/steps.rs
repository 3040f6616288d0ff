//! The steps of all products in plain code: the specification of all other sets.

/// Writes the step of integers of one size.
macro_rules! integer {
    ($name:ident, $int:ty) => {
        pub(crate) mod $name {
            use crate::isa::scalar::lanes;
            use crate::lanes::Block;
            pub(crate) type Sum = [i32; 16];

            pub(crate) fn spread(a: i32) -> [u8; 4] {
                a.to_le_bytes()
            }

            pub(crate) fn step(sum: Sum, a: [u8; 4], b: &Block) -> Sum {
                std::array::from_fn(|lane| sum[lane].wrapping_add(dot(a, lanes::four(&b.0, lane))))
            }

            fn dot(a: [u8; 4], b: [u8; 4]) -> i32 {
                const SIZE: usize = size_of::<$int>();
                let value = |x: &[u8]| match *x {
                    [x] => i32::from(x as i8),
                    [low, high, ..] => i32::from(i16::from_le_bytes([low, high])),
                    [] => 0,
                };
                let pairs = a.chunks(SIZE).zip(b.chunks(SIZE));
                pairs.fold(0, |sum: i32, (a, b)| sum.wrapping_add(value(a) * value(b)))
            }

            pub(crate) fn start(from: &[i32; 16]) -> Sum {
                *from
            }

            pub(crate) fn to_f(sum: Sum) -> lanes::F {
                lanes::to_f(sum)
            }
        }
    };
}
integer!(int8, i8);
integer!(int16, i16);

pub(crate) mod bf16 {
    use crate::isa::scalar::lanes;
    use crate::lanes::Block;
    pub(crate) type Sum = lanes::F;

    pub(crate) fn spread(a: i32) -> [f32; 2] {
        pair(a.to_le_bytes())
    }

    pub(crate) fn step(sum: Sum, a: [f32; 2], b: &Block) -> Sum {
        std::array::from_fn(|lane| {
            let b = pair(lanes::four(&b.0, lane));
            a[1].mul_add(b[1], a[0].mul_add(b[0], sum[lane]))
        })
    }

    /// The upper value, then the lower one.
    fn pair(bytes: [u8; 4]) -> [f32; 2] {
        let bits = u32::from_le_bytes(bytes);
        [bits & 0xFFFF_0000, bits << 16].map(f32::from_bits)
    }

    pub(crate) fn start(from: &[i32; 16]) -> Sum {
        from.map(|bits| f32::from_bits(bits as u32))
    }

    pub(crate) fn to_f(sum: Sum) -> Sum {
        sum
    }
}

pub(crate) mod f32 {
    use crate::isa::scalar::lanes;
    use crate::lanes::Block;
    pub(crate) type Sum = lanes::F;

    pub(crate) fn spread(a: i32) -> lanes::F {
        lanes::splat(f32::from_bits(a as u32))
    }

    pub(crate) fn step(sum: Sum, a: lanes::F, b: &Block) -> Sum {
        lanes::fma(a, lanes::load_block(b), sum)
    }

    pub(crate) fn start(from: &[i32; 16]) -> Sum {
        from.map(|bits| f32::from_bits(bits as u32))
    }

    pub(crate) fn to_f(sum: Sum) -> lanes::F {
        sum
    }
}

/// The step of a product with scaled weights: to sixteen sums it adds the products of four quanta in each lane
/// with four int8 activations, which all lanes share.
pub(crate) mod scaled {
    use crate::isa::scalar::lanes::{F, I};
    use crate::lanes::{Block, LANES};

    pub(crate) type Quanta = [[u8; 4]; LANES];
    /// Number by which `whole` quanta are less than packed ones.
    pub(crate) const LESS: i32 = 0;

    /// The same number in all lanes.
    #[inline]
    pub(crate) fn start(x: i32) -> I {
        [x; LANES]
    }

    /// The sums of two vectors.
    #[inline]
    pub(crate) fn add(a: I, b: I) -> I {
        std::array::from_fn(|lane| a[lane] + b[lane])
    }

    /// Quanta in the lower half of each byte.
    #[inline]
    pub(crate) fn low(block: &Block) -> Quanta {
        whole(block).map(|four| four.map(|byte| byte & 15))
    }

    /// Quanta in the upper half of each byte.
    #[inline]
    pub(crate) fn high(block: &Block) -> Quanta {
        whole(block).map(|four| four.map(|byte| byte >> 4))
    }

    /// Quanta of 8 bits.
    #[inline]
    pub(crate) fn whole(block: &Block) -> Quanta {
        let mut all = [[0; 4]; LANES];
        all.as_flattened_mut().copy_from_slice(&block.0);
        all
    }

    /// Adds products of quanta of 4 bits.
    #[inline]
    pub(crate) fn step_4(sums: I, quanta: Quanta, four: i32) -> I {
        step_8(sums, quanta, four)
    }

    /// Adds products of quanta of 8 bits.
    #[inline]
    pub(crate) fn step_8(sums: I, quanta: Quanta, four: i32) -> I {
        let four = four.to_le_bytes().map(|byte| i32::from(byte as i8));
        let dot = |quanta: [u8; 4]| -> i32 { (0..4).map(|at| i32::from(quanta[at]) * four[at]).sum() };
        std::array::from_fn(|lane| sums[lane] + dot(quanta[lane]))
    }

    /// Finite numbers in half precision.
    #[inline]
    pub(crate) fn halves(halves: &[u16; LANES]) -> F {
        halves.map(crate::precision::from_f16)
    }
}
