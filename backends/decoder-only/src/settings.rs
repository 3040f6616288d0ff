//! What a system may set on a language model.

use dyno_api::{Error, Prompt, PromptFault, SettingsReader, WATCH};
use dyno_nn::kernel_settings::KernelSettings;

/// Tokens of an answer for each token of the line, where nothing is set. German, Finnish and Chinese take up
/// to two and a half in vocabularies that were made for English.
const FACTOR: f32 = 3.0;

/// Settings as given.
#[derive(Debug)]
pub(crate) struct RequestedSettings {
    pub(crate) kernel_settings: KernelSettings,
    /// Text of the user's message, with `{line}`.
    pub(crate) message: String,
    /// Texts before and after an answer, within what the model says.
    pub(crate) marks: Option<[String; 2]>,
    pub(crate) max_length_factor: f32,
    pub(crate) max_length: usize,
    pub(crate) breakdown: bool,
}

impl RequestedSettings {
    /// Takes all settings of a language model.
    pub(crate) fn read(reader: &mut SettingsReader<'_>) -> Result<Self, Error> {
        let max_length = reader.take::<usize>("max-length", "a whole number from 1")?;
        if max_length == Some(0) {
            return Err(reader.refuse("max-length", "it must be a whole number from 1"));
        }
        let factor = reader.take::<f32>("max-length-factor", "a number above 0")?;
        if factor.is_some_and(|factor| !(factor > 0.0 && factor <= 1000.0)) {
            return Err(reader.refuse("max-length-factor", "it must be above 0, and 1000 at most"));
        }
        Ok(Self {
            kernel_settings: KernelSettings::read(reader)?,
            message: message(reader)?,
            marks: marks(reader)?,
            max_length_factor: factor.unwrap_or(FACTOR),
            max_length: max_length.unwrap_or(usize::MAX),
            breakdown: reader.take(WATCH, "true or false")?.unwrap_or(false),
        })
    }
}

/// The message with the languages' names in their places.
fn message(reader: &mut SettingsReader<'_>) -> Result<String, Error> {
    let mut language = |name| reader.take::<String>(name, "a language's name, as the prompt has it");
    let (source_language, target_language) = (language("source-language")?, language("target-language")?);
    let text = reader.take::<String>("prompt", "a text with {line}")?;
    let prompt = Prompt { text, source_language, target_language, examples: Vec::new() };
    prompt.message().map_err(|PromptFault { setting, fault }| reader.refuse(setting, fault))
}

/// Marks around an answer.
fn marks(reader: &mut SettingsReader<'_>) -> Result<Option<[String; 2]>, Error> {
    let two = "two texts, such as [\"<answer>\", \"</answer>\"]";
    let marks = reader.take::<[String; 2]>("answer-marks", two)?;
    match marks.iter().flatten().any(String::is_empty) {
        true => Err(reader.refuse("answer-marks", format!("it must be {two}"))),
        false => Ok(marks),
    }
}
