//! Crews: each part is done once, whatever the number of threads, and a panic is no deadlock.

use dyno_kernels::{Activation, Crew, Input, Kernels, Layout, Mat, MatMut, Precision, Task};

use crate::oracle::{Seeded, bits, packed_int8, packed_int16};

#[test]
fn each_part_is_done_once_by_crews_of_any_size() {
    for threads in 1..=4 {
        let mut crew = Crew::new(threads).unwrap();
        assert_eq!(crew.threads(), threads);
        for parts in [0, 1, 2, 3, 7, 100] {
            for _ in 0..50 {
                let mut counts = vec![0; parts];
                crew.each(&mut counts, |count| *count += 1);
                assert_eq!(counts, vec![1; parts], "{threads} threads");
            }
        }
    }
}

#[test]
fn chunks_are_done_once_with_their_numbers() {
    for threads in 1..=3 {
        let mut crew = Crew::new(threads).unwrap();
        for (len, count) in [(1, 0), (3, 2), (3, 7), (4, 12)] {
            let mut numbers = vec![usize::MAX; count];
            let mut lens = vec![0; threads];
            crew.each_chunk(&mut lens, &mut numbers, len, |seen, at, part| {
                *seen += part.len();
                part.iter_mut().for_each(|number| *number = number.wrapping_add(at + 1));
            });
            assert_eq!(numbers, (0..count).map(|at| at / len).collect::<Vec<_>>(), "{threads} threads");
            assert_eq!(lens.iter().sum::<usize>(), count);
        }
    }
}

#[test]
fn products_that_threads_share_have_the_bits_of_one_thread() {
    let (rows, k, columns) = (3, 37, [150, 64, 1, 700]);
    let mut seeded = Seeded(43);
    let (x, w) = (seeded.f32s(rows * k, 2.0), seeded.f32s(k * 700, 1.0));
    let residual = seeded.f32s(rows * 700, 1.0);
    let kernels = Kernels::best();
    for precision in [Precision::F32, Precision::Bf16, Precision::Int16, Precision::Int8] {
        let weights = columns.map(|n| match precision {
            Precision::Bf16 => kernels.pack_bf16(&w[..k * n], k, n, Layout::Kn).unwrap(),
            Precision::Int16 => packed_int16(kernels, &w[..k * n], (k, n), Layout::Kn),
            Precision::Int8 => packed_int8(kernels, &w[..k * n], (k, n), Layout::Kn),
            _ => kernels.pack_f32(&w[..k * n], k, n, Layout::Kn).unwrap(),
        });
        let mut quantised = kernels.rows(precision, rows, k);
        let input = match precision {
            Precision::F32 => Input::f32(&x, rows, k).unwrap(),
            _ => {
                quantised.quantise(&x, rows).unwrap();
                quantised.view()
            }
        };
        let products = |crew: Option<&mut Crew>| {
            let mut results = columns.map(|n| vec![f32::NAN; rows * n]);
            let mut tasks = Vec::new();
            for (weights, result) in weights.iter().zip(&mut results) {
                let n = weights.n();
                let residual = Some(Mat::new(&residual[..rows * n], rows, n).unwrap());
                let out = MatMut::new(result, rows, n).unwrap();
                tasks.push(Task { weights, activation: Activation::Relu, residual, out });
            }
            match crew {
                Some(crew) => crew.multiply(input, &mut tasks).unwrap(),
                None => tasks.iter_mut().for_each(|task| task.multiply(input).unwrap()),
            }
            drop(tasks);
            results.map(|result| bits(&result))
        };
        let alone = products(None);
        for threads in 1..=4 {
            assert_eq!(products(Some(&mut Crew::new(threads).unwrap())), alone, "{precision} {threads}");
        }
    }
}

#[test]
fn products_of_other_shapes_are_refused_before_threads_begin() {
    let (kernels, mut crew) = (Kernels::best(), Crew::new(2).unwrap());
    let weights = kernels.pack_f32(&[1.0; 6], 2, 3, Layout::Kn).unwrap();
    let mut out = [0.0; 4];
    let out = MatMut::new(&mut out, 2, 2).unwrap();
    let task = Task { weights: &weights, activation: Activation::None, residual: None, out };
    assert!(crew.multiply(Input::f32(&[1.0; 4], 2, 2).unwrap(), &mut [task]).is_err());
}

#[test]
fn a_crew_that_slept_still_works() {
    let mut crew = Crew::new(3).unwrap();
    for _ in 0..3 {
        std::thread::sleep(std::time::Duration::from_millis(20));
        let mut numbers: Vec<u32> = (0..10).collect();
        crew.each(&mut numbers, |number| *number *= 2);
        assert_eq!(numbers.iter().sum::<u32>(), 90);
    }
}

#[test]
fn a_panic_reaches_the_caller_and_the_crew_survives() {
    let mut crew = Crew::new(2).unwrap();
    for bad in [0, 1] {
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            crew.each(&mut [0, 1], |part| assert_ne!(*part, bad, "on purpose"));
        }));
        assert!(panicked.is_err());
    }
    let mut parts = [1, 2, 3];
    crew.each(&mut parts, |part| *part += 1);
    assert_eq!(parts, [2, 3, 4]);
}

/// A payload of a panic whose drop panics as well.
struct PanicsAgain;

impl Drop for PanicsAgain {
    fn drop(&mut self) {
        panic!("on purpose, again");
    }
}

/// A thread that ended by the second panic would leave the caller waiting for it for ever.
#[test]
fn a_panic_whose_payload_panics_is_no_deadlock() {
    let mut crew = Crew::new(2).unwrap();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        crew.each(&mut [false, true], |bad| {
            if *bad {
                std::panic::panic_any(PanicsAgain);
            }
        });
    }));
    assert!(panicked.is_err());
    let mut parts = [1, 2, 3];
    crew.each(&mut parts, |part| *part += 1);
    assert_eq!(parts, [2, 3, 4]);
}

#[test]
fn rows_quantised_in_parts_are_those_quantised_at_once() {
    let (rows, k) = (11, 37);
    let x = Seeded(41).f32s(rows * k, 3.0);
    let kernels = Kernels::best();
    for precision in [Precision::Int8, Precision::Int16] {
        let mut whole = kernels.rows(precision, rows, k);
        whole.quantise(&x, rows).unwrap();
        for threads in [1, 2, 5, 16] {
            let mut crew = Crew::new(threads.min(3)).unwrap();
            let mut divided = kernels.rows(precision, rows, k);
            let mut parts: Vec<_> = divided.whole(rows).unwrap().chunks(rows.div_ceil(threads)).collect();
            crew.each(&mut parts, |part| {
                let range = part.range();
                part.quantise(&x[range.start * k..range.end * k]).unwrap();
            });
            assert_eq!(format!("{:?}", divided.view()), format!("{:?}", whole.view()), "{threads}");
        }
    }
    assert!(kernels.rows(Precision::F32, 1, 1).whole(1).unwrap().quantise(&[1.0]).is_err());
}
