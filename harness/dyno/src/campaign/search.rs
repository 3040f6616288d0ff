//! The search of a system: what decides its translations beside the weights. The run's identity holds it, so that
//! systems on one model are compared with what differs between them in sight.

use dyno_formats::ModelDir;
use dyno_record::identity::{RunSystem, Search};

use super::entry::{Entry, Launch};

/// The search of `entry`: the campaign's settings, else the model's. `None` for a program whose settings dyno
/// doesn't know, and for models without a decoder's settings.
fn search_of(entry: &Entry) -> Option<Search> {
    let [path] = &entry.models[..] else { return None };
    let model = ModelDir::open(path).ok()?;
    let own = model.decoder()?;
    let set = |name: &str| entry.setting(name);
    let number = |name: &str| set(name).and_then(|value| value.parse().ok());
    let limit = own.count("most-words").ok().filter(|&most| most > 0).map(|most| most + 1);
    let beam = number("beam").or(own.count("beam-size").ok());
    let (beam, limit) = match &entry.launch {
        Launch::BuiltIn { .. } | Launch::Plugin { .. } => (beam, limit),
        // An adapter without this setting searches greedily.
        Launch::Adapter(adapter) if !adapter.has_setting("beam") => (Some(1), number("max-length").or(limit)),
        Launch::Adapter(_) => (beam, number("max-length").or(limit)),
        Launch::Foreign { .. } | Launch::Submission(_) => return None,
    };
    let precision = set("precision").filter(|named| named != "default");
    let precision = precision.map_or_else(|| model.default_precision().to_string(), |named| short(&named));
    Some(Search { precision, beam: beam?, limit })
}

/// The description of `entry`, with its search where that is known.
pub(super) fn described(entry: &Entry) -> RunSystem {
    RunSystem { search: search_of(entry), ..entry.described() }
}

/// A precision under dyno's name for it; engines spell them in their own ways.
fn short(precision: &str) -> String {
    match precision {
        "float32" => "f32".into(),
        "float16" => "f16".into(),
        "bfloat16" => "bf16".into(),
        "int8_float32" => "int8".into(),
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use dyno_provision::adapters::{self, AdaptedSystem};

    use super::*;

    /// A directory whose `generation_config.json` asks for a beam of 4 and at most 40 words.
    fn marian() -> std::path::PathBuf {
        let goldens = "../../backends/transformer-aan/tests/goldens/hugging-face/marian";
        Path::new(env!("CARGO_MANIFEST_DIR")).join(goldens)
    }

    fn searched(launch: Launch) -> Search {
        search_of(&Entry::new("it", launch, vec![marian()])).expect("the model has a decoder's settings")
    }

    fn adapter(name: &str, settings: &str) -> Launch {
        let settings = serde_json::from_str(settings).unwrap();
        let adapter = adapters::find(name).unwrap();
        Launch::Adapter(AdaptedSystem::new(adapter, settings, ".".into(), &[marian()]).unwrap())
    }

    #[test]
    fn engines_on_one_directory_search_alike_unless_the_campaign_says_otherwise() {
        let built_in = |settings: &str| Launch::BuiltIn {
            backend: "transformer-aan".into(),
            settings: serde_json::from_str(settings).unwrap(),
            batch: None,
        };
        let own = searched(built_in("{}"));
        assert_eq!(own, Search { precision: "f32".into(), beam: 4, limit: Some(40) });
        for name in ["ctranslate2", "transformers"] {
            assert_eq!(searched(adapter(name, "{}")), own, "{name}");
        }
        assert_eq!(searched(adapter("onnxruntime", "{}")).beam, 1, "its search is greedy");
        let set =
            searched(adapter("ctranslate2", r#"{"precision": "int8_float32", "beam": 2, "max-length": 30}"#));
        assert_eq!(set, Search { precision: "int8".into(), beam: 2, limit: Some(30) });
        assert_eq!(searched(built_in(r#"{"precision": "int8", "beam": 1}"#)).precision, "int8");
    }
}
