//! Crews: each part is done once, whatever the number of threads, and a panic is no deadlock.

use dyno_kernels::{Crew, Kernels, Precision};

use crate::oracle::Seeded;

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
