//! Gathered columns: the same results as those columns of the whole product, and no allocation once there is
//! room.

use crate::oracle::{Seeded, bits, packed_int8, packed_int16, present};
use dyno_kernels::{
    Activation, Candidates, Error, Kernels, Layout, MatMut, Output, Precision, SharedBytes, Weights,
};
use std::sync::Arc;

const K: usize = 150; // more than two blocks of sixteen groups, in every precision
const N: usize = 200;
const M: usize = 3;

fn weights(kernels: Kernels) -> Weights {
    let mut seeded = Seeded(21);
    let b: Vec<i8> = (0..K * N).map(|_| seeded.whole(127) as i8).collect();
    let packed = kernels.pack_int8(&b, K, N, Layout::Nk).unwrap();
    packed.with_scales(&seeded.f32s(N, 0.1)).unwrap().with_bias(&seeded.f32s(N, 1.0)).unwrap()
}

fn product(kernels: Kernels, weights: &Weights) -> Vec<f32> {
    let mut rows = kernels.rows(Precision::Int8, M, K);
    rows.quantise(&Seeded(22).f32s(M * K, 2.0), M).unwrap();
    let mut y = vec![f32::NAN; M * weights.n()];
    let out = Output::F32(MatMut::new(&mut y, M, weights.n()).unwrap());
    weights.multiply(rows.view(), 0..weights.n(), Activation::None, None, out).unwrap();
    y
}

#[test]
fn gathered_columns_give_what_they_gave_in_the_whole() {
    for kernels in present() {
        let whole = product(kernels, &weights(kernels));
        let candidates = Candidates::new(weights(kernels));
        let mut gathered = candidates.room(N);
        let mut seeded = Seeded(23);
        // Shrinking and growing, so that nothing of an earlier choice may be left.
        for n in [150, 1, 16, 0, 63, 64, 65, 129, 17] {
            let columns: Vec<u32> = (0..n).map(|_| seeded.next() % N as u32).collect();
            candidates.gather(&columns, &mut gathered).unwrap();
            let expected: Vec<f32> = (0..M)
                .flat_map(|row| columns.iter().map(move |&c| row * N + c as usize))
                .map(|at| whole[at])
                .collect();
            assert_eq!(bits(&product(kernels, &gathered)), bits(&expected), "{} {n}", kernels.isa());
        }
    }
}

#[test]
fn a_column_that_is_not_there_is_refused() {
    let candidates = Candidates::new(weights(Kernels::best()));
    let error = candidates.gather(&[3, N as u32], &mut candidates.room(2)).unwrap_err();
    assert_eq!(error, Error::Columns { start: N, end: N + 1, n: N });
}

#[test]
fn columns_packed_again_are_the_weight_that_they_came_from() {
    for kernels in present() {
        let whole = product(kernels, &weights(kernels));
        let again = product(kernels, &Candidates::new(weights(kernels)).packed().unwrap());
        assert_eq!(bits(&again), bits(&whole), "{}", kernels.isa());
    }
}

#[test]
fn columns_packed_in_parts_are_those_of_the_whole() {
    let b: Vec<i8> = (0..K * N).map(|at| (at * 31 % 255) as i8).map(|b| b.max(-127)).collect();
    let pack = |columns: std::ops::Range<usize>| {
        let part = &b[columns.start * K..columns.end * K];
        Kernels::best().pack_int8(part, K, columns.len(), Layout::Nk).unwrap()
    };
    let mut parts = Candidates::new(pack(0..64));
    parts.reserve(N - 64);
    parts.append(&pack(64..160)).unwrap();
    parts.append(&pack(160..N)).unwrap();
    let expected = product(Kernels::best(), &pack(0..N));
    assert_eq!(bits(&product(Kernels::best(), &parts.packed().unwrap())), bits(&expected));
    assert!(parts.append(&pack(0..16)).is_err(), "{N} columns end within a vector");
}

/// A whole number of at most eleven bits in half precision.
fn half_of(value: i16) -> u16 {
    let (sign, magnitude) = (u16::from(value < 0) << 15, value.unsigned_abs());
    let Some(power) = magnitude.checked_ilog2() else { return sign };
    sign | (power as u16 + 15) << 10 | magnitude << (10 - power) & 1023
}

#[test]
fn a_column_is_read_as_it_was_packed() {
    let mut seeded = Seeded(24);
    let whole: Vec<i16> = (0..K * N).map(|_| seeded.whole(127) as i16).collect();
    let kernels = Kernels::best();
    let bytes: Vec<i8> = whole.iter().map(|&value| value as i8).collect();
    let floats: Vec<f32> = whole.iter().map(|&value| f32::from(value)).collect();
    let halves: Vec<u16> = whole.iter().map(|&value| half_of(value)).collect();
    for packed in [
        kernels.pack_int8(&bytes, K, N, Layout::Kn),
        kernels.pack_int16(&whole, K, N, Layout::Kn, 32767),
        kernels.pack_bf16(&floats, K, N, Layout::Kn),
        kernels.pack_f16(&halves, K, N, Layout::Kn),
        kernels.pack_f32(&floats, K, N, Layout::Kn),
    ] {
        let candidates = Candidates::new(packed.unwrap().with_scales(&[0.5]).unwrap());
        assert_eq!((candidates.k(), candidates.n()), (K, N));
        let mut column = [0.0; K];
        for n in [0, 1, 63, 64, 191, N - 1] {
            candidates.column(n, &mut column).unwrap();
            let expected: Vec<f32> = (0..K).map(|k| floats[k * N + n] / 2.0).collect();
            assert_eq!(column[..], expected[..]);
        }
        assert!(candidates.column(N, &mut column).is_err());
    }
}

#[test]
fn a_column_is_added_in_its_scale() {
    let mut seeded = Seeded(25);
    let (x, position) = (seeded.f32s(K * N, 1.0), seeded.f32s(K, 1.0));
    for kernels in present() {
        let all = [
            packed_int8(kernels, &x, (K, N), Layout::Nk),
            packed_int16(kernels, &x, (K, N), Layout::Nk),
            kernels.pack_f32(&x, K, N, Layout::Nk).unwrap(),
        ];
        for (weights, step) in all.into_iter().zip([1.0 / 127.0, 1.0 / 128.0, 0.0]) {
            let table = Candidates::new(weights);
            for column in [0, 17, N - 1] {
                let mut y = position.clone();
                table.add_column(column, 16.0, &mut y).unwrap();
                for k in 0..K {
                    let exact = x[column * K + k] * 16.0 + position[k];
                    assert!((y[k] - exact).abs() <= 16.0 * step / 2.0 + 1e-5, "{} {column}", kernels.isa());
                }
            }
            assert!(table.add_column(N, 1.0, &mut position.clone()).is_err());
        }
    }
}

#[test]
fn columns_quantised_on_line_are_those_quantised_off_line() {
    let mut seeded = Seeded(26);
    let (x, bias) = (seeded.f32s(K * N, 1.0), seeded.f32s(N, 1.0));
    for kernels in present() {
        let plain = kernels.pack_f32(&x, K, N, Layout::Nk).unwrap().with_bias(&bias).unwrap();
        let packed = packed_int8(kernels, &x, (K, N), Layout::Nk);
        let (on, off) = (Candidates::new(plain), Candidates::new(packed.with_bias(&bias).unwrap()));
        let (mut quantised, mut copied) = (on.room_int8(N), off.room(N));
        for n in [N, 3, 64, 65, 0] {
            let columns: Vec<u32> = (0..n).map(|_| seeded.next() % N as u32).collect();
            on.gather(&columns, &mut quantised).unwrap();
            off.gather(&columns, &mut copied).unwrap();
            let expected = product(kernels, &copied);
            assert_eq!(bits(&product(kernels, &quantised)), bits(&expected), "{} {n}", kernels.isa());
        }
    }
}

#[test]
fn parts_that_lie_near_are_blocked_as_the_large_weight_that_they_make() {
    let (k, n, parts) = (1024, 256, 4);
    let pack = |n| Kernels::best().pack_int8(&vec![1; k * n], k, n, Layout::Nk).unwrap();
    let mut candidates = Candidates::new(pack(n));
    (1..parts).for_each(|_| candidates.append(&pack(n)).unwrap());
    let (whole, large) = (candidates.packed().unwrap(), pack(n * parts));
    for rows in [1, 4, 16, 64, 100] {
        assert_eq!(whole.blocking(rows), large.blocking(rows), "{rows} rows");
    }
    assert_ne!(pack(n).blocking(4), large.blocking(4), "a part is near");
}

/// So many bytes at the address of a cache line, as a mapped file has them.
#[repr(align(64))]
struct Aligned([u8; 128 * 37 + 64], usize);

impl AsRef<[u8]> for Aligned {
    fn as_ref(&self) -> &[u8] {
        &self.0[..self.1]
    }
}

/// The same bytes, off the address by one.
struct Shifted(Aligned);

impl AsRef<[u8]> for Shifted {
    fn as_ref(&self) -> &[u8] {
        &self.0.0[1..1 + self.0.1]
    }
}

fn aligned(values: &[i8]) -> Aligned {
    let mut bytes = Aligned([0; 128 * 37 + 64], values.len());
    bytes.0.iter_mut().zip(values).for_each(|(byte, value)| *byte = *value as u8);
    bytes
}

#[test]
fn columns_in_shared_memory_are_those_that_were_packed() {
    const WIDTH: usize = 128;
    const WORDS: usize = 37;
    let mut seeded = Seeded(31);
    let values: Vec<i8> = (0..WIDTH * WORDS).map(|_| seeded.whole(127) as i8).collect();
    let (scales, bias) = (seeded.f32s(WORDS, 0.1), seeded.f32s(WORDS, 1.0));
    let rows = SharedBytes::new(Arc::new(aligned(&values)));
    for kernels in present() {
        let packed = kernels.pack_int8(&values, WIDTH, WORDS, Layout::Nk).unwrap();
        let own = Candidates::new(packed.with_scales(&scales).unwrap().with_bias(&bias).unwrap());
        let first = kernels.pack_int8(&values[..16 * WIDTH], WIDTH, 16, Layout::Nk).unwrap();
        let mut shared = Candidates::new(first);
        assert!(shared.share(&rows, &scales, &bias).unwrap());
        assert_eq!(shared.n(), WORDS);
        let product = |candidates: &Candidates| {
            let mut gathered = candidates.room(WORDS);
            candidates.gather(&[36, 3, 0, 17, 16, 3], &mut gathered).unwrap();
            let mut input = kernels.rows(Precision::Int8, 1, WIDTH);
            input.quantise(&Seeded(32).f32s(WIDTH, 2.0), 1).unwrap();
            let (mut y, mut vector) = (vec![f32::NAN; 6], vec![0.0; WIDTH]);
            let out = Output::F32(MatMut::new(&mut y, 1, 6).unwrap());
            gathered.multiply(input.view(), 0..6, Activation::None, None, out).unwrap();
            candidates.column(35, &mut vector).unwrap();
            (bits(&y), bits(&vector))
        };
        assert_eq!(product(&shared), product(&own), "{}", kernels.isa());
    }
}

#[test]
fn columns_behind_shared_ones_leave_both_as_they_are() {
    const WIDTH: usize = 64;
    let mut seeded = Seeded(33);
    let values: Vec<i8> = (0..WIDTH * 21).map(|_| seeded.whole(127) as i8).collect();
    let (below, above) = values.split_at(WIDTH * 16);
    for kernels in present() {
        let pack =
            |values: &[i8]| kernels.pack_int8(values, WIDTH, values.len() / WIDTH, Layout::Nk).unwrap();
        let mut both = Candidates::new(pack(below));
        assert!(both.share(&SharedBytes::new(Arc::new(aligned(below))), &[1.0; 16], &[]).unwrap());
        both.append(&pack(above)).unwrap();
        assert_eq!(both.n(), 21);
        for (at, expected) in values.chunks_exact(WIDTH).enumerate() {
            let mut found = [f32::NAN; WIDTH];
            both.column(at, &mut found).unwrap();
            assert!(
                found.iter().zip(expected).all(|(a, b)| *a == f32::from(*b)),
                "column {at}, {}",
                kernels.isa()
            );
        }
    }
}

#[test]
fn shared_memory_that_no_product_can_read_is_refused_or_left_alone() {
    let kernels = Kernels::best();
    let fresh = || Candidates::new(kernels.pack_int8(&[1; 128 * 16], 128, 16, Layout::Nk).unwrap());
    let share = |owner: SharedBytes, words: usize, bias: &[f32]| {
        let mut candidates = fresh();
        let shared = candidates.share(&owner, &vec![1.0; words], bias);
        (shared, candidates.n())
    };
    let whole = || SharedBytes::new(Arc::new(aligned(&[1; 128 * 37])));
    assert_eq!(share(whole(), 37, &[]), (Ok(true), 37));
    assert_eq!(share(SharedBytes::new(Arc::new(Shifted(aligned(&[1; 128 * 37])))), 37, &[]), (Ok(false), 16));
    assert!(matches!(share(whole(), 36, &[]), (Err(Error::Shape { .. }), 16)));
    assert!(matches!(share(whole(), 37, &[1.0]), (Err(Error::Shape { .. }), 16)));
    let mut odd = [1; 128 * 37];
    odd[128 * 5 + 9] = -128;
    let odd = SharedBytes::new(Arc::new(aligned(&odd)));
    assert_eq!(share(odd, 37, &[]), (Err(Error::OutOfRange { column: 5 }), 16));
}
