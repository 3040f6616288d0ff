//! Description of an adapter, `adapter.toml`: the engine, its settings, and an example of its use.

use std::collections::BTreeMap;
use std::path::Path;

use dyno_api::Settings;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::did_you_mean;
use crate::error::{Result, refused};

/// Description of an adapter.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Description {
    /// The engine and the models that it reads, in one line.
    pub about: String,
    /// Reason why the engine can't be installed.
    pub unavailable: Option<String>,
    /// Room on the disk that the private environment takes, in megabytes.
    #[serde(default)]
    pub takes_mb: u64,
    /// Whether the program writes facts about itself, such as counts of tokens.
    #[serde(default)]
    pub reports: bool,
    /// Lines of a campaign.
    #[serde(default)]
    pub example: Example,
    /// Settings by name.
    #[serde(default)]
    pub settings: BTreeMap<String, Setting>,
    /// Conversion of models into the engine's own form.
    pub convert: Option<Convert>,
}

/// Example of a system.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// Path of a model.
    pub model: String,
    /// Settings, as the campaign writes them.
    pub settings: Option<String>,
}

/// Setting of an adapter.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// Meaning and values.
    pub about: String,
    /// Value where the campaign has none; the program decides if absent.
    pub default: Option<Value>,
}

/// Conversion of models, by the program `convert.py` of the adapter.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Convert {
    /// File of a model that needs no conversion.
    pub unless: String,
    /// Settings that decide the result.
    #[serde(default)]
    pub settings: Vec<String>,
}

impl Description {
    /// Reads `adapter.toml` in `folder`.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("adapter.toml");
        let fault = |fault: String| refused!("{}: {fault}", path.display());
        let text = dyno_api::files::read_to_string(&path)
            .map_err(|error| fault(format!("can't be read: {error}")))?;
        toml::from_str(&text).map_err(|error| fault(error.message().to_owned()))
    }

    /// Checks the settings of a system of the adapter `name`.
    pub fn check(&self, name: &str, wanted: &Settings) -> Result<()> {
        let Some(odd) = wanted.keys().find(|setting| !self.settings.contains_key(*setting)) else {
            return Ok(());
        };
        let known: Vec<&str> = self.settings.keys().map(String::as_str).collect();
        let (near, known) = (did_you_mean(odd, known.iter().copied()), known.join(", "));
        Err(refused!("adapter {name} has no setting {odd:?}{near}; there are: {known}"))
    }

    /// Value of each setting as text: of `wanted`, else the default.
    pub fn values(&self, wanted: &Settings) -> Vec<(&str, String)> {
        let value = |(name, setting): (&'_ String, &'_ Setting)| {
            wanted.get(name).or(setting.default.as_ref()).map(as_text)
        };
        self.settings.iter().filter_map(|both| Some((both.0.as_str(), value(both)?))).collect()
    }
}

fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_campaigns_value_wins_over_the_default_and_strings_lose_their_quotes() {
        let text = "about = 'x'\n[settings]\nbeam = { about = '', default = 1 }\n\
                    name = { about = '', default = 'a b' }\nfile = { about = '' }\n";
        let described: Description = toml::from_str(text).unwrap();
        let wanted: Settings = serde_json::from_str(r#"{"beam": 4}"#).unwrap();
        assert_eq!(described.values(&wanted), [("beam", "4".into()), ("name", "a b".into())]);
        assert!(described.check("it", &wanted).is_ok());
        let odd: Settings = serde_json::from_str(r#"{"baem": 4}"#).unwrap();
        let told = described.check("it", &odd).unwrap_err();
        assert_eq!(
            told.to_string(),
            "adapter it has no setting \"baem\" (did you mean \"beam\"?); there are: beam, file, name"
        );
    }
}
