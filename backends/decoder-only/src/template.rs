//! The file's chat template, rendered within bounds.
//!
//! A template is a program of others. Its steps are counted by the renderer; the sizes of its texts are not,
//! and four steps double a text. So the compiled steps that join values become calls of functions here, which
//! count the bytes that they make and refuse too many. What else may lengthen a text is counted as well, or
//! isn't there: filters and methods that pad, and that a chat has no use for.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use minijinja::machinery::{
    CompiledTemplate, Instruction, Instructions, TemplateConfig, Vm, WhitespaceConfig, make_string_output,
};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, State, Value, context};

/// Steps of a template: those of the supported families take some hundreds. An endless template ends.
const STEPS: u64 = 10_000;

/// Bytes that a template may make by joining texts, and elements of lists: a chat with one message takes some
/// kilobytes.
const LARGEST: usize = 1 << 20;

/// Bytes of a template times its steps: text between the tags is copied by a step, whatever its length.
const LARGEST_COPIES: u64 = 1 << 26;

/// Filters that lengthen a text or a list by a number, of which chats have no use.
const PADDING: [&str; 4] = ["batch", "format", "indent", "slice"];

type Result<T> = std::result::Result<T, Error>;

/// The chat with one message, up to where the answer begins; `ends` are the texts of the words that begin and end a
/// text.
pub(crate) fn render(template: &str, message: &str, ends: [&str; 2]) -> Result<String> {
    let template = &without_marks_of_training(template);
    let config = TemplateConfig {
        syntax_config: Default::default(),
        // As `transformers` renders templates.
        ws_config: WhitespaceConfig { trim_blocks: true, lstrip_blocks: true, ..Default::default() },
        default_auto_escape: Arc::new(|_| AutoEscape::None),
    };
    let mut compiled = CompiledTemplate::new("chat", template, &config)?;
    count_joins(&mut compiled.instructions);
    compiled.blocks.values_mut().for_each(count_joins);
    let mut environment = bounded();
    environment.set_fuel(Some(STEPS.min(LARGEST_COPIES / template.len().max(1) as u64)));
    let values = context! {
        messages => [context! { role => "user", content => message }],
        add_generation_prompt => true,
        enable_thinking => false,
        bos_token => ends[0],
        eos_token => ends[1],
    };
    let mut text = String::new();
    let mut output = make_string_output(&mut text);
    let vm = Vm::new(&environment);
    vm.eval(&compiled.instructions, values, &compiled.blocks, &mut output, AutoEscape::None)?;
    Ok(text)
}

/// The template with blocks that do nothing in place of `generation`, by which `transformers` marks the answers to be
/// learnt.
fn without_marks_of_training(template: &str) -> String {
    let mut parts = template.split("{%");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let tag = part.split("%}").next().unwrap_or_default();
        let name = tag.trim_matches(|c: char| c.is_whitespace() || c == '-' || c == '+');
        text.push_str("{%");
        match name {
            "generation" => text.push_str(&part.replacen(name, "if true", 1)),
            "endgeneration" => text.push_str(&part.replacen(name, "endif", 1)),
            _ => text.push_str(part),
        }
    }
    text
}

/// Lets functions do what joins two values. No template can give their names another meaning.
fn count_joins(steps: &mut Instructions<'_>) {
    for at in 0..steps.len() as u32 {
        if let Some(step) = steps.get_mut(at) {
            *step = match step {
                Instruction::StringConcat => Instruction::CallFunction("~", Some(2)),
                Instruction::Add => Instruction::CallFunction("+", Some(2)),
                Instruction::Mul => Instruction::CallFunction("*", Some(2)),
                _ => continue,
            }
        }
    }
}

/// Bytes made so far.
#[derive(Clone, Default)]
struct Made(Arc<AtomicUsize>);

impl Made {
    fn add(&self, bytes: usize) -> Result<()> {
        let before = self.0.fetch_add(bytes.min(LARGEST + 1), Ordering::Relaxed);
        if before + bytes.min(LARGEST + 1) <= LARGEST {
            return Ok(());
        }
        let fault = format!("makes more than {LARGEST} bytes of text from one message");
        Err(Error::new(ErrorKind::InvalidOperation, fault))
    }
}

/// What templates may call, with their joins counted.
fn bounded() -> Environment<'static> {
    let mut environment = Environment::new();
    let made = Made::default();
    PADDING.iter().for_each(|name| environment.remove_filter(name));
    environment.add_function("raise_exception", |fault: String| -> Result<Value> {
        Err(Error::new(ErrorKind::InvalidOperation, fault))
    });
    // Today, as in the originals: a template that asks for it has another prompt on another day.
    environment.add_function("strftime_now", |format: String| -> Result<String> {
        let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC);
        let text = jiff::fmt::strtime::format(&format, &today);
        text.map_err(|fault| Error::new(ErrorKind::InvalidOperation, fault.to_string()))
    });
    let count = made.clone();
    environment.add_function("~", move |a: Value, b: Value| -> Result<String> {
        count.add(size(&a) + size(&b))?;
        Ok(format!("{a}{b}"))
    });
    for (name, expression) in [("+", "a + b"), ("*", "a * b")] {
        let count = made.clone();
        environment.add_function(name, move |state: &State<'_, '_>, a: Value, b: Value| -> Result<Value> {
            let numbers = a.is_number() && b.is_number();
            let times = |value: &Value| value.as_usize().filter(|_| name == "*").unwrap_or(1);
            let joined = (size(&a) + size(&b)).saturating_mul(times(&a)).saturating_mul(times(&b));
            count.add(if numbers { 0 } else { joined })?;
            state.env().compile_expression(expression)?.eval(context! { a, b })
        });
    }
    let count = made.clone();
    environment.add_filter("replace", move |text: String, from: String, to: String| -> Result<String> {
        count.add(replaced(text.len(), to.len()))?;
        Ok(text.replace(&from, &to))
    });
    let count = made.clone();
    environment.add_filter("join", move |values: Value, by: Option<String>| -> Result<String> {
        let by = by.unwrap_or_default();
        count.add(joined(&values, by.len()))?;
        Ok(values.try_iter()?.map(|value| value.to_string()).collect::<Vec<_>>().join(&by))
    });
    let count = made.clone();
    environment.set_unknown_method_callback(move |state, value, method, arguments| {
        match (method, arguments) {
            ("format", _) => return Err(Error::from(ErrorKind::UnknownMethod)),
            ("replace", [_, to, ..]) => count.add(replaced(size(value), size(to)))?,
            ("join", [values, ..]) => count.add(joined(values, size(value)))?,
            _ => {}
        }
        minijinja_contrib::pycompat::unknown_method_callback(state, value, method, arguments)
    });
    environment.set_formatter(move |output, state, value| {
        made.add(size(value))?;
        minijinja::escape_formatter(output, state, value)
    });
    environment
}

/// Bytes of a text, or elements of a list with the bytes of those that are texts.
fn size(value: &Value) -> usize {
    match value.as_str() {
        Some(text) => text.len(),
        None => joined(value, 1),
    }
}

/// Bytes of a list's texts with so many between them; those of a list in a list are counted as well.
fn joined(values: &Value, between: usize) -> usize {
    let elements = if values.len().is_some() { values.try_iter().ok() } else { None };
    let elements = elements.into_iter().flatten().take(LARGEST);
    elements.fold(0, |sum: usize, value| sum.saturating_add(between).saturating_add(size(&value)))
}

/// Greatest number of bytes of a text of so many after replacements.
fn replaced(text: usize, to: usize) -> usize {
    text.saturating_add((text + 1).saturating_mul(to))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(template: &str) -> Result<String> {
        render(template, "hi", ["<s>", "</s>"])
    }

    #[test]
    fn templates_know_both_ends_of_a_text() {
        let text = rendered("{{ bos_token }}{{ messages[0].content + eos_token }}").unwrap();
        assert_eq!(text, "<s>hi</s>");
    }

    #[test]
    fn what_marks_answers_for_training_does_nothing() {
        let text = "{%- for m in messages %}{% generation %} {{ m.content }} {%- endgeneration %}{% break %}{% endfor %}";
        assert_eq!(rendered(text).unwrap(), " hi");
        assert_eq!(rendered("{% if add_generation_prompt %}generation{% endif %}").unwrap(), "generation");
    }

    #[test]
    fn a_template_may_ask_for_the_day() {
        let day = rendered("{{ strftime_now('%d %B %Y') }}").unwrap();
        let words: Vec<&str> = day.split(' ').collect();
        assert!(words.len() == 3 && words[0].len() == 2 && words[2].parse::<u32>().is_ok(), "{day}");
        assert!(rendered("{{ strftime_now('%!') }}").is_err());
    }
}
