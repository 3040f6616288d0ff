//! Reading of settings: a setting that the backend has not read by the end is refused by name, never ignored.

use serde_json::Value;

use crate::error::{Error, Result};

/// Settings of a system by name, in the order of the campaign file. A backend reads them through a
/// [`SettingsReader`], which refuses each setting that the backend didn't read.
pub type Settings = serde_json::Map<String, Value>;

/// Gives settings one by one and remembers the names that the backend asked for.
///
/// A backend takes each setting that it knows and then calls [`finish`](Self::finish):
/// ```
/// # use dyno_api::{Settings, SettingsReader};
/// let settings: Settings = serde_json::from_str(r#"{"beam": 4, "baem": 2}"#).unwrap();
/// let mut reader = SettingsReader::new("gru", &settings);
/// assert_eq!(reader.take::<u32>("beam", "a whole number")?, Some(4));
/// let refusal = reader.finish().unwrap_err().to_string();
/// assert_eq!(refusal, "gru has no setting `baem` (did you mean `beam`?); it knows: beam");
/// # Ok::<(), dyno_api::Error>(())
/// ```
pub struct SettingsReader<'a> {
    backend: &'a str,
    settings: &'a Settings,
    asked: Vec<&'static str>,
}

impl<'a> SettingsReader<'a> {
    /// A reader for `backend`; refusals begin with the backend's name.
    pub fn new(backend: &'a str, settings: &'a Settings) -> Self {
        Self { backend, settings, asked: Vec::new() }
    }

    /// The value of the setting `name`, or `None` where it isn't set. `expected` describes valid values in a
    /// refusal.
    ///
    /// # Errors
    /// When the value is of another type than `T`.
    pub fn take<T: serde::de::DeserializeOwned>(
        &mut self,
        name: &'static str,
        expected: &str,
    ) -> Result<Option<T>> {
        self.asked.push(name);
        let Some(value) = self.settings.get(name) else { return Ok(None) };
        T::deserialize(value).map(Some).map_err(|_| self.refuse(name, format!("it must be {expected}")))
    }

    /// An error that refuses the value of the setting `name`.
    pub fn refuse(&self, name: &str, reason: impl Into<String>) -> Error {
        Error::RefusedSetting {
            backend: self.backend.into(),
            setting: name.into(),
            value: self.settings.get(name).map(Value::to_string).unwrap_or_default(),
            reason: reason.into(),
        }
    }

    /// Refuses the first setting that [`take`](Self::take) was never asked for.
    ///
    /// # Errors
    /// [`Error::UnknownSetting`] with the names of the settings that the backend knows.
    pub fn finish(self) -> Result<()> {
        match self.settings.keys().find(|name| !self.asked.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => Err(Error::UnknownSetting {
                backend: self.backend.into(),
                setting: name.clone(),
                known: self.asked,
            }),
        }
    }
}

/// Parses a setting of a command line, `name=value`. The value is JSON where it parses as JSON (`4`, `true`,
/// `[50, 50]`), otherwise plain text. `None` where no name stands before an equals sign.
pub fn parse_setting(text: &str) -> Option<(String, Value)> {
    let (name, value) = text.split_once('=').filter(|(name, _)| !name.is_empty())?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.into()));
    Some((name.into(), value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn settings(value: Value) -> Settings {
        value.as_object().expect("tests pass objects").clone()
    }

    #[test]
    fn a_value_of_the_wrong_type_is_refused_with_what_would_do() {
        let settings = settings(json!({"beam": "four"}));
        let refusal =
            SettingsReader::new("gru", &settings).take::<u32>("beam", "a whole number").unwrap_err();
        assert_eq!(refusal.to_string(), "gru can't take `beam = \"four\"`: it must be a whole number");
    }

    #[test]
    fn an_unknown_setting_is_refused_without_a_far_fetched_hint() {
        let settings = settings(json!({"temperature": 1}));
        let mut reader = SettingsReader::new("gru", &settings);
        assert_eq!(reader.take::<u32>("beam", "a whole number").unwrap(), None);
        let refusal = reader.finish().unwrap_err();
        assert_eq!(refusal.to_string(), "gru has no setting `temperature`; it knows: beam");
    }

    #[test]
    fn command_line_values_are_json_where_they_can_be() {
        assert_eq!(parse_setting("beam=4"), Some(("beam".into(), json!(4))));
        assert_eq!(parse_setting("precision=int8"), Some(("precision".into(), json!("int8"))));
        assert_eq!(parse_setting("shortlist=[50,50]"), Some(("shortlist".into(), json!([50, 50]))));
        assert_eq!(parse_setting("=4"), None);
        assert_eq!(parse_setting("beam"), None);
    }
}
