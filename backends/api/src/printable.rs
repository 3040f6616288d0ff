//! Foreign text, made harmless for a terminal, a README or a page: names, facts, answers.

/// `text` with a replacement character for each control character, except line feeds and tabs, and for each
/// mark that turns the direction of the text around it. A terminal would obey the first; both can make one
/// text look like another.
pub fn printable(text: &str) -> String {
    text.replace(|c| acts(c) && !matches!(c, '\n' | '\t'), "\u{fffd}")
}

/// As [`printable`], for a text that must stay in its line: line feeds and tabs become spaces.
pub fn printable_line(text: &str) -> String {
    printable(text).replace(['\n', '\t'], " ")
}

/// JSON with escapes for the characters that [`printable`] replaces: a parser reads the same value.
pub fn printable_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '\n' => escaped.push(c), // between values: inside strings it is escaped already
            c if acts(c) => escaped.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Whether `c` is a control character or one of Unicode's bidirectional controls (UAX #9).
fn acts(c: char) -> bool {
    let turns = matches!(
        c,
        '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    c.is_control() || turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_turns_are_seen_instead_of_obeyed() {
        let text = "a\x1b[31mb\u{9b}2Jc\u{202e}d\u{2066}e\rf\x07g\u{7f}";
        assert_eq!(printable(text), "a\u{fffd}[31mb\u{fffd}2Jc\u{fffd}d\u{fffd}e\u{fffd}f\u{fffd}g\u{fffd}");
        let fine = "Füße 東京 \u{915}\u{94d}\u{200d}\u{937} 👩\u{200d}🔬 مرحبا\n\tnext";
        assert_eq!(printable(fine), fine);
        assert_eq!(printable_line("a\nb\tc"), "a b c");
    }

    #[test]
    fn json_keeps_its_value() {
        let value = serde_json::json!({"na\u{202e}me": ["\x1b[2J\u{9b}\n\t\u{7f}", "ü"]});
        let text = printable_json(&serde_json::to_string_pretty(&value).unwrap());
        assert!(!text.contains(|c| acts(c) && c != '\n') && text.contains("\\u202e"), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
