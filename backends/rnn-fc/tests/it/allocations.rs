//! Nothing is allocated while decoding: buffers grow to their working size once (the paper's section 3).

use dyno_formats::{ModelDir, Precision};
use dyno_nn::math::Kernels;
use dyno_nn::{Decoder, Params, Request, Row, Scratch, Sentence, Step, Wanted};
use dyno_rnn_fc::ENGINE;
use dyno_translator::Switches;

use crate::home;

fn decoder(name: &str) -> Box<dyn Decoder> {
    let model = ModelDir::open(home().join(name)).unwrap();
    let weights = model.load(Precision::F32).unwrap();
    let switches = Switches::defaults(ENGINE.customs.switches);
    let spec = model.spec().unwrap();
    let network = (ENGINE.load)(&spec, Params::new(&weights, Kernels::best()), &switches).unwrap();
    network.decoder()
}

/// Two sentences, of which each hypothesis has two children at first, and one ends. A third one joins them.
fn decode(
    decoder: &mut dyn Decoder,
    wanted: Wanted,
    candidates: &[u32],
    (scratch, step): (&mut Scratch, &mut Step),
) {
    let candidates = Some(candidates);
    let batch = [Sentence { ids: &[5, 9, 12, 140, 0], candidates }, Sentence { ids: &[7, 0], candidates }];
    let request = Request { wanted, suppressed: &[1], attention: true };
    let row = |sentence, previous| Row { previous, sentence, position: 0, barred: None }; // the network has no positions
    decoder.admit(&batch, &[0, 1], scratch);
    decoder.step(&[row(0, None), row(1, None)], &request, scratch, step);
    decoder.reorder(&[0, 0, 0, 1, 1]);
    decoder.admit(&batch[..1], &[2], scratch);
    let [a, b, c] = [Some(2), Some(3), Some(4)];
    let rows = [row(0, a), row(0, b), row(0, c), row(1, a), row(1, Some(90)), row(2, None)];
    for _ in 0..8 {
        decoder.step(&rows, &request, scratch, step);
        decoder.reorder(&[1, 0, 1, 4, 3, 5]);
    }
    decoder.step(&rows, &request, scratch, step);
    decoder.reorder(&[2, 1]);
    decoder.step(&rows[..2], &request, scratch, step);
    decoder.reorder(&[]);
}

#[test]
fn a_worker_that_is_warm_allocates_nothing() {
    let candidates: Vec<u32> = (0..64).collect();
    for name in ["s1", "s4", "s5", "s7"] {
        let (mut decoder, mut scratch, mut step) = (decoder(name), Scratch::default(), Step::default());
        for wanted in [Wanted::Best, Wanted::LogProbabilities] {
            let mut run = || decode(decoder.as_mut(), wanted, &candidates, (&mut scratch, &mut step));
            run(); // buffers that take turns grow in turn
            run();
            let counted = allocation_counter::measure(run);
            assert_eq!(counted.count_total, 0, "{name} {wanted:?}");
        }
    }
}
