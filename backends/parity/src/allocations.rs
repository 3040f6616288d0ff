//! The check that decoding allocates nothing: when a batch is translated again, all buffers are large enough.

use std::path::Path;

use dyno_formats::{ModelSpec, Precision, Weights};
use dyno_nn::math::{Kernels, Threads};
use dyno_nn::{Decoder, Network, Params, Request, Row, Scratch, Sentence, Step, Wanted};

/// Makes the network of a model, as engines do.
type Load<'a> = &'a dyn Fn(&ModelSpec, Params<'_>) -> dyno_formats::Result<Network>;

/// Checks an engine's function `load` with the weights `model` (such as `model.npz`) in f32, int16 and int8.
///
/// # Panics
/// When a step allocates.
pub fn check_no_allocations(load: Load<'_>, model: &Path) {
    for precision in [Precision::F32, Precision::Int16, Precision::Int8] {
        let weights = Weights::open(model).unwrap().at(precision).unwrap();
        let spec = weights.marian().unwrap().spec().unwrap();
        let network = load(&spec, Params::new(&weights, Kernels::best())).unwrap();
        assert_eq!(count(&network, Threads::default()), [0, 0], "{} {precision}", model.display());
    }
}

/// Allocations of steps that want the best words, and of steps that want scores, once all buffers have grown.
pub(crate) fn count(network: &Network, threads: Threads) -> [u64; 2] {
    let (mut decoder, mut scratch) = (network.decoder(), Scratch::new(threads));
    [Wanted::Best, Wanted::LogProbabilities].map(|wanted| {
        let mut step = Step::default();
        let mut run = || translate(decoder.as_mut(), wanted, &mut scratch, &mut step);
        (0..2).for_each(|_| _ = run()); // buffers that take turns grow in turn
        run()
    })
}

/// Translates two sentences, of which one is continued twice and the other ends early, and a third one that
/// joins them; counts the allocations of the steps.
fn translate(decoder: &mut dyn Decoder, wanted: Wanted, scratch: &mut Scratch, step: &mut Step) -> u64 {
    const STEPS: usize = 20;
    const JOINS: usize = 3;
    let candidates: Vec<u32> = (0..100).map(|word| 2 * word).collect();
    let sentence = |ids| Sentence { ids, candidates: Some(&candidates[..]) };
    let row = |sentence, position| Row { previous: Some(3), sentence, position, barred: None };
    let request = Request { wanted, suppressed: &[3], attention: true };
    let mut counted = 0;
    let mut step = |decoder: &mut dyn Decoder, scratch: &mut Scratch, rows: &[Row], kept: &[usize]| {
        let measured = allocation_counter::measure(|| {
            decoder.step(rows, &request, scratch, step);
            decoder.reorder(kept);
        });
        counted += measured.count_total;
    };
    decoder.admit(&[sentence(&[7, 8, 9, 10, 0]), sentence(&[11, 12, 0])], &[0, 1], scratch);
    step(decoder, scratch, &[row(0, 0), row(1, 0)], &[0, 0, 1]);
    (1..JOINS).for_each(|at| step(decoder, scratch, &[row(0, at), row(0, at), row(1, at)], &[0, 1, 2]));
    decoder.admit(&[sentence(&[13, 14, 15, 0])], &[2], scratch);
    let all = |at: usize| [row(0, at), row(0, at), row(1, at), row(2, at - JOINS)];
    (JOINS..STEPS / 2).for_each(|at| step(decoder, scratch, &all(at), &[0, 1, 2, 3]));
    step(decoder, scratch, &all(STEPS / 2), &[1]);
    (STEPS / 2 + 1..STEPS).for_each(|at| step(decoder, scratch, &[row(0, at)], &[0]));
    decoder.reorder(&[]);
    counted
}
