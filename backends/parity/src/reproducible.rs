//! One text everywhere: a sentence's translation is the same in any batch, and in int8 and int16 on any instruction
//! set, since sums of integers are exact and all else is taken in one order.

use std::path::Path;

use dyno_api::{Backend, Settings};
use dyno_translator::Engine;
use serde_json::{Value, json};

use crate::Goldens;

/// Every instruction set that kernels may have; those that this processor lacks refuse.
const ISAS: [&str; 5] = ["scalar", "avx2", "avx_vnni", "avx512bw", "avx512_vnni"];

impl Goldens {
    /// Holds each model in the folder `home` to it.
    ///
    /// # Panics
    /// Where a line or a score differs.
    pub fn check_folder_everywhere(engine: &Engine, home: &Path) {
        let (goldens, models) = Self::folder(home);
        models.iter().for_each(|model| goldens.check_everywhere(engine, model));
    }

    /// Holds a model to it: greedy, with a shortlist, and with a beam and scores.
    ///
    /// # Panics
    /// Where a line or a score differs.
    pub fn check_everywhere(&self, engine: &Engine, model: &Path) {
        for precision in ["f32", "int16", "int8"] {
            for settings in [
                json!({ "beam": 1, "shortlist": false }),
                json!({ "beam": 1, "shortlist": [self.shortlist, 50, 50, 0] }),
                json!({ "beam": 3, "n-best": true, "shortlist": [self.shortlist, 50, 50, 0] }),
            ] {
                self.check_settings(engine, model, settings, precision);
            }
        }
    }

    fn check_settings(&self, engine: &Engine, model: &Path, mut settings: Value, precision: &str) {
        settings["precision"] = json!(precision);
        settings["max-length-factor"] = json!(1.5); // long enough to differ in, short enough for the scalar form
        let models = [model.to_path_buf()];
        let alone = self.translate(engine, &models, &settings, 1);
        for batch in [3, usize::MAX] {
            let found = self.translate(engine, &models, &settings, batch);
            assert_eq!(found, alone, "{} {settings} batch {batch}", model.display());
        }
        for isa in ISAS.into_iter().filter(|isa| precision != "f32" && runs(engine, model, isa)) {
            settings["isa"] = json!(isa);
            let found = self.translate(engine, &models, &settings, usize::MAX);
            assert_eq!(found, alone, "{} {settings}", model.display());
        }
    }
}

/// Whether this processor has the instruction set: opening refuses it by name otherwise, before it reads the model.
fn runs(engine: &Engine, model: &Path, isa: &str) -> bool {
    let settings = Settings::from_iter([("isa".to_owned(), json!(isa))]);
    let refusal = engine.open(&[model.to_path_buf()], &settings).err().map(|error| error.to_string());
    !refusal.is_some_and(|refusal| refusal.contains("this processor has no"))
}
