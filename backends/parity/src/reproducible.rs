//! Reproducibility: a sentence has the same translation in any batch. In int8 and int16 it has the same one
//! on any instruction set, because sums of integers are exact and all other arithmetic has one order.

use std::path::Path;

use dyno_api::Isa;
use dyno_translator::Engine;
use serde_json::{Value, json};

use crate::Goldens;

impl Goldens {
    /// Checks each model in the folder `home`.
    ///
    /// # Panics
    /// When a line or a score differs.
    pub fn check_folder_everywhere(engine: &Engine, home: &Path) {
        let (goldens, models) = Self::folder(home);
        models.iter().for_each(|model| goldens.check_everywhere(engine, model));
    }

    /// Checks a model: greedy, with a shortlist, and with a beam and scores.
    ///
    /// # Panics
    /// When a line or a score differs.
    pub fn check_everywhere(&self, engine: &Engine, model: &Path) {
        for precision in ["f32", "int16", "int8"] {
            for settings in self.searches() {
                self.check_settings(engine, model, settings, precision);
            }
        }
    }

    /// Settings of one search of each kind.
    pub(crate) fn searches(&self) -> [Value; 3] {
        [
            json!({ "beam": 1, "shortlist": false }),
            json!({ "beam": 1, "shortlist": [self.shortlist, 50, 50, 0] }),
            json!({ "beam": 3, "n-best": true, "shortlist": [self.shortlist, 50, 50, 0] }),
        ]
    }

    fn check_settings(&self, engine: &Engine, model: &Path, mut settings: Value, precision: &str) {
        settings["precision"] = json!(precision);
        // long enough to show differences, short enough for plain code
        settings["max-length-factor"] = json!(1.5);
        let models = [model.to_path_buf()];
        let alone = self.translate(engine, &models, &settings, 1);
        for batch in [3, usize::MAX] {
            let found = self.translate(engine, &models, &settings, batch);
            assert_eq!(found, alone, "{} {settings} batch {batch}", model.display());
        }
        self.check_joining_by(engine, &models, &settings, 0);
        for isa in Isa::present().filter(|_| precision != "f32") {
            settings["isa"] = json!(isa.name());
            let found = self.translate(engine, &models, &settings, usize::MAX);
            assert_eq!(found, alone, "{} {settings}", model.display());
        }
    }
}
