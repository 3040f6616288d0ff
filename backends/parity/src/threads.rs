//! Threads inside one line: translations and scores are the same bits with any number of threads, and sharing
//! allocates nothing.
//!
//! Products of the goldens' tiny models are too small to be shared, so that the models are those that ship. They
//! have no int16 weights; products in int16 are compared in the kernels' tests.

use std::path::{Path, PathBuf};

use dyno_api::{Answer, Backend};
use dyno_formats::{ModelDir, Precision};
use dyno_nn::Params;
use dyno_nn::math::{Kernels, Threads};
use dyno_translator::{Engine, Switches};
use serde_json::{Value, json};

use crate::allocations::count;

/// Lines of one word, of some, and of many.
const LINES: [&[u8]; 3] = [
    b"Yes.",
    b"Two men sit on a bench in the park.",
    b"The committee, which had met three times since the spring, decided on Tuesday that the bridge would stay \
      closed until engineers had looked at each of its cables, and told the people of both villages so by letter.",
];

/// Checks the model `name` among those that ship.
///
/// # Panics
/// When a translation or a score differs, or a step allocates.
pub fn check_threads(engine: &Engine, name: &str) {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    // int8, and f16 where it ships, with products in f32
    for precision in ModelDir::open(&model).unwrap().weights().keys().copied() {
        for mut settings in [json!({ "beam": 1 }), json!({ "beam": 3, "n-best": true, "shortlist": false })] {
            settings["precision"] = json!(precision.to_string());
            // Every layer of the encoder and some steps of the decoder: a longer answer has the same products.
            settings["max-length-factor"] = json!(0.3);
            let alone = answers(engine, &model, &settings, 1);
            // Shares are uneven by three; once is enough.
            let counts: &[usize] = if settings["beam"] == 1 { &[2, 3] } else { &[2] };
            for &threads in counts {
                let shared = answers(engine, &model, &settings, threads);
                assert_eq!(shared, alone, "{name} {settings} {threads} threads");
            }
        }
        check_allocations(engine, &model, precision);
    }
}

/// The answers to each line alone, with their scores.
fn answers(engine: &Engine, model: &Path, settings: &Value, threads: usize) -> Vec<(String, Option<f32>)> {
    let mut settings = settings.clone();
    settings["threads"] = json!(threads);
    let model = engine.open(&[PathBuf::from(model)], settings.as_object().unwrap()).unwrap();
    let mut session = model.session().unwrap();
    let mut all = Vec::new();
    for line in LINES {
        session
            .run(&[line], &mut |answer: Answer<'_>| all.push((answer.text.to_owned(), answer.score)))
            .unwrap();
    }
    all
}

fn check_allocations(engine: &Engine, model: &Path, precision: Precision) {
    let model = ModelDir::open(model).unwrap();
    let weights = model.load(precision).unwrap();
    let spec = model.spec().unwrap();
    let switches = Switches::defaults(engine.customs.switches);
    let network = (engine.load)(&spec, Params::new(&weights, Kernels::best()), &switches).unwrap();
    assert_eq!(count(&network, Threads::new(2).unwrap()), [0, 0], "{precision}");
}
