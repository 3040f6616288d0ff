//! What follows the network: pooling, dense layers and normalisation, from the files of
//! sentence-transformers.
//!
//! `modules.json` lists the modules of a sentence encoder in their order. A directory without it gets what
//! sentence-transformers gives it: the mean of the words' vectors.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use dyno_kernels::Activation;
use dyno_text::encoders::read_json;
use serde::Deserialize;

use crate::{Error, Result};

/// Names of the file with the greatest number of tokens, by which sentence-transformers looks for it.
const LENGTHS: [&str; 6] = [
    "sentence_bert_config.json",
    "sentence_roberta_config.json",
    "sentence_distilbert_config.json",
    "sentence_camembert_config.json",
    "sentence_albert_config.json",
    "sentence_xlm-roberta_config.json",
];

/// Names of prompts that sentence-transformers knows without a file; they are empty.
const EMPTY_PROMPTS: [&str; 2] = ["query", "document"];

/// Way to make one vector of the vectors of all tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pooling {
    /// Vector of the first token.
    Cls,
    /// Greatest value in each place.
    Max,
    /// Mean of all vectors.
    Mean,
    /// Sum of all vectors, divided by the root of their number.
    MeanSqrt,
    /// BERT's pooler: tanh of a product with the first token's vector.
    Pooler,
    /// Vectors of all tokens side by side, for comparison with other programs. Nothing follows this way.
    Tokens,
}

/// Ways of pooling by the names that files have for them, in the order in which several of them stand side by
/// side.
pub(crate) const POOLINGS: [(&str, Pooling); 4] = [
    ("cls", Pooling::Cls),
    ("max", Pooling::Max),
    ("mean", Pooling::Mean),
    ("mean_sqrt_len_tokens", Pooling::MeanSqrt),
];

/// Keys of older files for the same ways, in the same order.
const OLDER: [&str; 4] = [
    "pooling_mode_cls_token",
    "pooling_mode_max_tokens",
    "pooling_mode_mean_tokens",
    "pooling_mode_mean_sqrt_len_tokens",
];

/// Modules that read the vector of a line.
const AFTER_POOLING: [&str; 2] = ["Dense", "Normalize"];

/// Step after pooling.
#[derive(Debug)]
pub(crate) enum After {
    /// A dense layer, whose weights lie in this folder.
    Dense(PathBuf, Activation),
    /// Division by the vector's length.
    Normalise,
}

/// Steps from the vectors of tokens to the vector of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps<'a> {
    /// Ways of pooling, whose vectors stand side by side.
    pub(crate) ways: &'a [Pooling],
    /// Tokens at the beginning of a line that aren't pooled: those of a prompt.
    pub(crate) skipped: usize,
    pub(crate) after: &'a [After],
}

/// The modules of a sentence encoder.
#[derive(Debug)]
pub(crate) struct Modules {
    /// Folder of the network within the directory.
    pub(crate) network: PathBuf,
    pub(crate) pooling: Vec<Pooling>,
    pub(crate) after: Vec<After>,
    /// Greatest number of tokens, if a file names it.
    pub(crate) most_tokens: Option<usize>,
    /// Whether the text is put into lower case before the tokeniser.
    pub(crate) lower_case: bool,
    /// Text that is put before each line.
    pub(crate) prompt: String,
    /// Whether the prompt's tokens are pooled with those of the line.
    pub(crate) pools_prompt: bool,
    pub(crate) files: Vec<PathBuf>,
}

#[derive(Deserialize)]
struct WireModule {
    #[serde(default)]
    path: PathBuf,
    r#type: String,
}

impl WireModule {
    /// Name of its class in Python.
    fn class(&self) -> &str {
        self.r#type.rsplit('.').next().unwrap_or_default()
    }
}

#[derive(Deserialize)]
struct WireLength {
    max_seq_length: Option<usize>,
    #[serde(default)]
    do_lower_case: bool,
}

#[derive(Default, Deserialize)]
struct WirePrompts {
    #[serde(default)]
    prompts: BTreeMap<String, Option<String>>,
    default_prompt_name: Option<String>,
}

#[derive(Deserialize)]
struct WireDense {
    #[serde(default)]
    activation_function: Option<String>,
    #[serde(default)]
    use_residual: bool,
    /// What the layer reads, and what it writes, which is the same unless it has a name of its own.
    #[serde(default = "line_vector")]
    module_input_name: String,
    module_output_name: Option<String>,
}

/// Name of the vector of a line, which pooling makes.
fn line_vector() -> String {
    "sentence_embedding".into()
}

impl Modules {
    /// Reads the modules in the directory `path`.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = path.join("modules.json");
        let mut modules = Self {
            network: PathBuf::new(),
            pooling: vec![Pooling::Mean],
            after: Vec::new(),
            most_tokens: None,
            lower_case: false,
            prompt: String::new(),
            pools_prompt: true,
            files: Vec::new(),
        };
        if !file.exists() {
            return Ok(modules);
        }
        let listed: Vec<WireModule> = read_json(&file)?;
        modules.files.push(file.clone());
        let mut before_pooling = listed.iter().map(WireModule::class).take_while(|class| *class != "Pooling");
        if let Some(early) = before_pooling.find(|class| AFTER_POOLING.contains(class)) {
            let fault = format!("{early} before Pooling is not supported: it changes the vectors of tokens");
            return Err(Error::content(&file, fault));
        }
        for module in listed {
            modules.add(path, &file, &module)?;
        }
        modules.read_lengths(path)?;
        modules.read_prompt(path)?;
        Ok(modules)
    }

    fn add(&mut self, path: &Path, file: &Path, module: &WireModule) -> Result<()> {
        let folder = path.join(&module.path);
        let config = folder.join("config.json");
        match module.class() {
            "Transformer" => self.network.clone_from(&module.path),
            "Pooling" => {
                let wire = read_json(&config)?;
                self.pooling = poolings(&config, &wire)?;
                self.pools_prompt = wire["include_prompt"] != false;
                self.files.push(config);
            }
            "Dense" => {
                self.after.push(After::Dense(folder, activation(&config, &read_json(&config)?)?));
                self.files.push(config);
            }
            "Normalize" => self.after.push(After::Normalise),
            "Dropout" => {} // does nothing outside of training
            other => {
                let fault = format!(
                    "the module {other:?} is not supported; there are Transformer, Pooling, Dense, Normalize"
                );
                return Err(Error::content(file, fault));
            }
        }
        Ok(())
    }

    fn read_lengths(&mut self, path: &Path) -> Result<()> {
        let folder = path.join(&self.network);
        let Some(file) = LENGTHS.iter().map(|name| folder.join(name)).find(|file| file.exists()) else {
            return Ok(());
        };
        let wire: WireLength = read_json(&file)?;
        (self.most_tokens, self.lower_case) = (wire.max_seq_length, wire.do_lower_case);
        self.files.push(file);
        Ok(())
    }

    fn read_prompt(&mut self, path: &Path) -> Result<()> {
        let file = path.join("config_sentence_transformers.json");
        if !file.exists() {
            return Ok(());
        }
        let WirePrompts { mut prompts, default_prompt_name } = read_json(&file)?;
        if let Some(name) = default_prompt_name {
            let named = prompts.remove(&name);
            if named.is_none() && !EMPTY_PROMPTS.contains(&&*name) {
                let fault = format!("the default prompt {name:?} isn't among the `prompts`; add it there");
                return Err(Error::content(&file, fault));
            }
            self.prompt = named.flatten().unwrap_or_default();
        }
        self.files.push(file);
        Ok(())
    }
}

/// The ways of pooling in a module's configuration.
fn poolings(file: &Path, wire: &serde_json::Value) -> Result<Vec<Pooling>> {
    let unknown = |name: &str| {
        let known: Vec<_> = POOLINGS.iter().map(|(name, _)| *name).collect();
        Error::content(file, format!("pooling {name:?} is not supported; there are {}", known.join(", ")))
    };
    let by_name = |name: &str| {
        let found = POOLINGS.iter().find(|(known, _)| *known == name);
        found.map(|(_, pooling)| *pooling).ok_or_else(|| unknown(name))
    };
    let names: Vec<&str> = match &wire["pooling_mode"] {
        serde_json::Value::String(one) => vec![one],
        serde_json::Value::Array(several) => several.iter().filter_map(|name| name.as_str()).collect(),
        _ => {
            let on = |key: &str| wire[key] == true;
            let other = ["pooling_mode_weightedmean_tokens", "pooling_mode_lasttoken"];
            if let Some(other) = other.into_iter().find(|key| on(key)) {
                return Err(unknown(other));
            }
            OLDER.iter().zip(POOLINGS).filter(|(key, _)| on(key)).map(|(_, (name, _))| name).collect()
        }
    };
    let poolings = names.into_iter().map(by_name).collect::<Result<Vec<_>>>()?;
    if poolings.is_empty() {
        return Err(Error::content(
            file,
            "names no way of pooling; set one, such as `pooling_mode`: \"mean\"",
        ));
    }
    Ok(poolings)
}

/// The activation of a dense layer.
fn activation(file: &Path, wire: &WireDense) -> Result<Activation> {
    if wire.use_residual {
        return Err(Error::content(file, "a dense layer with a residual is not supported; take one without"));
    }
    let names = [Some(&wire.module_input_name), wire.module_output_name.as_ref()];
    if let Some(name) = names.into_iter().flatten().find(|name| **name != line_vector()) {
        let fault = format!("a dense layer of {name:?} is not supported; take one of {:?}", line_vector());
        return Err(Error::content(file, fault));
    }
    match wire.activation_function.as_deref().and_then(|name| name.rsplit('.').next()) {
        None | Some("Tanh") => Ok(Activation::Tanh),
        Some("Identity") => Ok(Activation::None),
        Some("ReLU") => Ok(Activation::Relu),
        Some("GELU") => Ok(Activation::Gelu),
        Some("Sigmoid") => Ok(Activation::Sigmoid),
        Some(other) => {
            let fault = format!("the activation {other:?} is none of Tanh, Identity, ReLU, GELU, Sigmoid");
            Err(Error::content(file, fault))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(value: Value) -> std::result::Result<Vec<Pooling>, String> {
        poolings(Path::new("1_Pooling"), &value).map_err(|error| error.to_string())
    }

    #[test]
    fn older_and_newer_files_name_the_same_ways() {
        let older = json!({ "pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true });
        assert_eq!(read(older).unwrap(), [Pooling::Cls, Pooling::Mean]);
        assert_eq!(read(json!({ "pooling_mode": ["mean", "max"] })).unwrap(), [Pooling::Mean, Pooling::Max]);
        assert_eq!(read(json!({ "pooling_mode": "cls" })).unwrap(), [Pooling::Cls]);
    }

    #[test]
    fn other_ways_are_refused_by_name() {
        for (value, said) in [
            (json!({ "pooling_mode": "lasttoken" }), "\"lasttoken\" is not supported"),
            (json!({ "pooling_mode_weightedmean_tokens": true }), "weightedmean"),
            (json!({ "pooling_mode": ["mean", "tokens"] }), "\"tokens\" is not supported"),
            (json!({ "pooling_mode": "pooler" }), "\"pooler\" is not supported"),
            (json!({}), "names no way of pooling"),
        ] {
            let fault = read(value).unwrap_err();
            assert!(fault.contains(said), "{fault}");
        }
    }
}
