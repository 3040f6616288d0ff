//! The message that asks a language model for a translation: a text with places, and what stands in them.
//!
//! Campaigns, engines and adapters ask alike: one text, filled in one way. The line's own place stays in the
//! message, and all that stands before it is the same for each line.

/// Place of the line.
pub const LINE: &str = "{line}";

/// Messages where no text is given: with both languages, with the target's alone, and with examples.
const FROM_TO: &str =
    "Translate this from {source-language} to {target-language}. Give only the translation.\n\n{line}";
const TO: &str = "Translate this to {target-language}. Give only the translation.\n\n{line}";
const BY_EXAMPLES: &str = "Translate from {source-language} to {target-language}. Give only the translation.\n\n\
     {examples}{source-language}: {line}\n{target-language}:";

/// Parts of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    /// Text with places; the usual one if absent.
    pub text: Option<String>,
    /// Name of the source's language.
    pub source_language: Option<String>,
    /// Name of the target's language.
    pub target_language: Option<String>,
    /// Lines with their translations.
    pub examples: Vec<[String; 2]>,
}

/// Fault of a prompt, with a remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptFault {
    /// Name of the setting at fault.
    pub setting: &'static str,
    /// Fault, in words that follow the setting's name.
    pub fault: String,
}

impl Prompt {
    /// The message, with [`LINE`] once and no other place. Without any part it is the line alone.
    ///
    /// # Errors
    /// When a place has nothing to stand in it, a part has no place, or a place is unknown.
    pub fn message(&self) -> Result<String, PromptFault> {
        let text = self.text.as_deref().unwrap_or_else(|| self.usual());
        let examples = self.examples();
        let parts = [
            ("source-language", self.source_language.as_deref()),
            ("target-language", self.target_language.as_deref()),
            ("examples", examples.as_deref()),
        ];
        for (name, _) in parts.iter().filter(|(_, part)| part.is_some()) {
            if !text.contains(&format!("{{{name}}}")) {
                return Err(fault(name, format!("the prompt has no place {{{name}}} for it")));
            }
        }
        let message = filled(text, &parts)?;
        match message.matches(LINE).count() {
            1 => Ok(message),
            _ => Err(fault("prompt", "it must have {line} once, in the line's place".into())),
        }
    }

    fn usual(&self) -> &'static str {
        match (&self.source_language, &self.target_language) {
            (Some(_), Some(_)) if !self.examples.is_empty() => BY_EXAMPLES,
            (Some(_), Some(_)) => FROM_TO,
            (None, Some(_)) => TO,
            _ => LINE,
        }
    }

    /// Each example as two lines that begin with the languages' names, and an empty line.
    fn examples(&self) -> Option<String> {
        let name = |language: &Option<String>, usual: &str| language.clone().unwrap_or_else(|| usual.into());
        let (from, to) = (name(&self.source_language, "Source"), name(&self.target_language, "Target"));
        let example = |[line, translation]: &[String; 2]| format!("{from}: {line}\n{to}: {translation}\n\n");
        (!self.examples.is_empty()).then(|| self.examples.iter().map(example).collect())
    }
}

/// `text` with the parts in their places, in one pass: what stands in a place is no text with places.
fn filled(text: &str, parts: &[(&'static str, Option<&str>)]) -> Result<String, PromptFault> {
    let (mut message, mut rest) = (String::new(), text);
    while let Some((before, name, after)) = next_place(rest) {
        message += before;
        match parts.iter().find(|(known, _)| *known == name) {
            Some((_, Some(part))) => message += part,
            Some((name, None)) => {
                return Err(fault("prompt", format!("it has the place {{{name}}}; set `{name}` too")));
            }
            None if name == "line" => message += LINE,
            None => {
                let places = "{line}, {source-language}, {target-language}, {examples}";
                return Err(fault(
                    "prompt",
                    format!("it has {{{name}}}, which is no place; there are {places}"),
                ));
            }
        }
        rest = after;
    }
    Ok(message + rest)
}

/// Text before the next place, its name, and the text after it. A place is a word of letters, `-` and `_` in
/// braces: other braces, as those of JSON, are text.
fn next_place(text: &str) -> Option<(&str, &str, &str)> {
    text.match_indices('{').find_map(|(at, _)| {
        let (name, after) = text[at + 1..].split_once('}')?;
        let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphabetic() || b"-_".contains(&b));
        is_name.then_some((&text[..at], name, after))
    })
}

fn fault(setting: &'static str, fault: String) -> PromptFault {
    PromptFault { setting, fault }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(text: Option<&str>, from: Option<&str>, to: Option<&str>) -> Prompt {
        let own = |text: Option<&str>| text.map(String::from);
        Prompt { text: own(text), source_language: own(from), target_language: own(to), examples: Vec::new() }
    }

    #[test]
    fn the_usual_text_goes_by_what_is_known() {
        let message = |from, to| prompt(None, from, to).message().unwrap();
        assert_eq!(message(None, None), "{line}");
        assert_eq!(
            message(Some("English"), Some("German")),
            "Translate this from English to German. Give only the translation.\n\n{line}"
        );
        assert_eq!(
            message(None, Some("German")),
            "Translate this to German. Give only the translation.\n\n{line}"
        );
        let mut shown = prompt(None, Some("English"), Some("German"));
        shown.examples = vec![["A dog.".into(), "Ein Hund.".into()]];
        assert_eq!(
            shown.message().unwrap(),
            "Translate from English to German. Give only the translation.\n\n\
             English: A dog.\nGerman: Ein Hund.\n\nEnglish: {line}\nGerman:"
        );
    }

    #[test]
    fn braces_that_are_no_place_are_text() {
        let text = "{\"to\": \"{target-language}\", \"text\": \"{line}\"} {}";
        let message = prompt(Some(text), None, Some("German")).message().unwrap();
        assert_eq!(message, "{\"to\": \"German\", \"text\": \"{line}\"} {}");
    }

    #[test]
    fn faults_name_their_setting_and_a_remedy() {
        let with_line =
            Prompt { examples: vec![["{line}".into(), "x".into()]], ..prompt(None, Some("a"), Some("b")) };
        for (prompt, setting, said) in [
            (prompt(Some("no place"), None, None), "prompt", "it must have {line} once"),
            (prompt(Some("{line} {line}"), None, None), "prompt", "it must have {line} once"),
            (prompt(Some("{target-language}: {line}"), None, None), "prompt", "set `target-language` too"),
            (prompt(Some("{line}"), None, Some("German")), "target-language", "the prompt has no place"),
            (prompt(None, Some("German"), None), "source-language", "the prompt has no place"),
            (prompt(Some("{target_language}: {line}"), None, Some("x")), "target-language", "no place"),
            (prompt(Some("{lines}"), None, None), "prompt", "{lines}, which is no place; there are {line}"),
            (with_line, "prompt", "it must have {line} once"),
        ] {
            let told = prompt.message().unwrap_err();
            assert_eq!(told.setting, setting, "{told:?}");
            assert!(told.fault.contains(said), "{told:?}");
        }
    }
}
