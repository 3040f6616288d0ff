//! The key `prompt`: what language models are asked, for all systems that take a prompt.
//!
//! The campaign's prompt is a default, and the settings of a system win, part by part. Each such system gets one
//! setting `prompt`, the message with all places but the line's filled. So engines and adapters ask alike, and the
//! run's identity holds the message itself, with the examples.

use std::path::{Path, PathBuf};

use dyno_api::{Prompt, PromptFault, Settings, files};
use dyno_host::registry;
use serde::Deserialize;
use serde_json::Value;
use toml::Spanned;

use super::source::Source;
use crate::campaign::entry::{Entry, Launch};
use crate::exit::Outcome;

/// A prompt: its text, or its parts.
#[derive(Clone, Deserialize)]
#[serde(
    untagged,
    expecting = "a prompt is a text with {line}, or { text, source-language, target-language, examples }"
)]
pub(super) enum WirePrompt {
    Text(String),
    Parts(WireParts),
}

#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct WireParts {
    text: Option<String>,
    source_language: Option<String>,
    target_language: Option<String>,
    /// File of lines with their translations, a tab between them.
    examples: Option<PathBuf>,
}

/// Settings of which a system's own prompt is made.
const OWN: [&str; 3] = ["prompt", "source-language", "target-language"];

/// English names of the languages that `languages` names by their codes (ISO 639-1): those of WMT's news and general
/// tasks, and of Multi30k.
const LANGUAGES: &str = "\
    ar Arabic, bn Bengali, cs Czech, de German, en English, es Spanish, et Estonian, fi Finnish, fr French, \
    gu Gujarati, ha Hausa, he Hebrew, hi Hindi, hr Croatian, hu Hungarian, is Icelandic, it Italian, \
    ja Japanese, kk Kazakh, km Khmer, ko Korean, lt Lithuanian, lv Latvian, nl Dutch, pl Polish, ps Pashto, \
    pt Portuguese, ro Romanian, ru Russian, ta Tamil, tr Turkish, uk Ukrainian, xh Xhosa, zh Chinese";

/// Gives each system that takes a prompt its message.
pub(super) fn prompts(
    source: &Source<'_>,
    wire: Option<Spanned<WirePrompt>>,
    languages: Option<&str>,
    systems: &mut [Entry],
) -> Outcome<()> {
    let common = common(source, wire, languages)?;
    for system in systems {
        let name = system.name.clone();
        let Some(settings) = asked(system) else { continue };
        let said = |fault: String| bad_input!("{}: system {name:?}: {fault}", source.path.display());
        if common == Prompt::default() && !OWN.iter().any(|part| settings.contains_key(*part)) {
            let remedy = "set `languages`, such as \"en-de\", or `prompt`";
            return Err(said(format!("nothing says what the language model is asked; {remedy}")));
        }
        let no_text = |part| said(format!("`{part}` must be a text; put it in quotes"));
        let prompt = own(&common, settings).map_err(no_text)?;
        let message = prompt.message().map_err(|fault| said(told(&fault)))?;
        settings.remove("source-language");
        settings.remove("target-language");
        settings.insert("prompt".into(), message.into());
    }
    Ok(())
}

/// The prompt of the campaign, with the languages of `languages` where it names none.
fn common(
    source: &Source<'_>,
    wire: Option<Spanned<WirePrompt>>,
    languages: Option<&str>,
) -> Outcome<Prompt> {
    let span = wire.as_ref().map_or(0..0, Spanned::span);
    let parts = match wire.map(Spanned::into_inner) {
        Some(WirePrompt::Text(text)) => WireParts { text: Some(text), ..WireParts::default() },
        Some(WirePrompt::Parts(parts)) => parts,
        None => WireParts::default(),
    };
    let fault = |fault: String| source.error_at(span.clone(), fault);
    let [from, to] = languages.map(names).unwrap_or_default();
    let wanted = |place, name: Option<&str>| name.filter(|_| place_of(&parts.text, place)).map(Into::into);
    let source_language = parts.source_language.or(wanted("source-language", from));
    let target_language = parts.target_language.or(wanted("target-language", to));
    let examples = parts.examples.map(|path| examples(source, &path)).transpose().map_err(&fault)?;
    let examples = examples.unwrap_or_default();
    let prompt = Prompt { text: parts.text, source_language, target_language, examples };
    if prompt.text.is_some() || !prompt.examples.is_empty() {
        prompt.message().map_err(|is| fault(told(&is)))?;
    }
    Ok(prompt)
}

/// A fault in the words of a campaign.
fn told(PromptFault { setting, fault }: &PromptFault) -> String {
    format!("`{setting}`: {fault}")
}

/// Settings of a system that takes a prompt.
fn asked(system: &mut Entry) -> Option<&mut Settings> {
    match &mut system.launch {
        Launch::BuiltIn { backend, settings, .. } => {
            registry::find(backend).is_ok_and(|backend| backend.takes_prompts()).then_some(settings)
        }
        Launch::Adapter(adapter) => adapter.has_setting("prompt").then_some(&mut adapter.launch.settings),
        _ => None,
    }
}

/// The prompt of a system: its own settings, and of the campaign's parts those that its text has a place for. The
/// error is the setting that is no text.
fn own(common: &Prompt, settings: &Settings) -> Result<Prompt, &'static str> {
    let set = |name: &'static str| match settings.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(name),
    };
    let [text, from, to] = OWN.map(set);
    let text = text?.or_else(|| common.text.clone());
    let wanted = |place: &str, part: &Option<String>| part.clone().filter(|_| place_of(&text, place));
    let source_language = from?.or_else(|| wanted("source-language", &common.source_language));
    let target_language = to?.or_else(|| wanted("target-language", &common.target_language));
    let examples = if place_of(&text, "examples") { common.examples.clone() } else { Vec::new() };
    Ok(Prompt { text, source_language, target_language, examples })
}

/// Whether a text has a place; the usual text has those that it needs.
fn place_of(text: &Option<String>, place: &str) -> bool {
    text.as_ref().is_none_or(|text| text.contains(&format!("{{{place}}}")))
}

/// Names of the two languages of a pair such as `en-de`; none where one is unknown.
fn names(pair: &str) -> [Option<&'static str>; 2] {
    let name =
        |code: &str| LANGUAGES.split(", ").find_map(|known| known.strip_prefix(code)?.strip_prefix(' '));
    let both = pair.split_once('-').map(|(from, to)| [name(from), name(to)]);
    both.filter(|both| both.iter().all(Option::is_some)).unwrap_or_default()
}

/// Lines of a file with their translations.
fn examples(source: &Source<'_>, path: &Path) -> Result<Vec<[String; 2]>, String> {
    let path = source.resolve(path);
    let fault = |fault: String| format!("`examples`: {}: {fault}", path.display());
    let unreadable = |error| fault(format!("can't be read: {error}; correct its path"));
    let text = files::read_to_string(&path).map_err(unreadable)?;
    let example = |(at, line): (usize, &str)| {
        let both = line.split_once('\t').filter(|(one, other)| !one.is_empty() && !other.is_empty());
        let rule = "no example; write a source, a tab and its translation";
        let [one, other] =
            both.map(|(one, other)| [one, other]).ok_or_else(|| fault(format!("line {}: {rule}", at + 1)))?;
        Ok([one.to_owned(), other.to_owned()])
    };
    let examples: Vec<_> = text.lines().enumerate().map(example).collect::<Result<_, String>>()?;
    let fault = || fault("has no example; add lines, or leave `examples` out".into());
    if examples.is_empty() { Err(fault()) } else { Ok(examples) }
}
