//! Names that readers confuse.

/// Pairs of different names that look alike. Their letters have the same shapes, apart from case, spaces and
/// invisible characters.
pub fn look_alikes<'a>(names: &[&'a str]) -> Vec<(&'a str, &'a str)> {
    let shapes: Vec<String> = names.iter().map(|name| shape(name)).collect();
    let later = |i: usize| (i + 1..names.len()).map(move |j| (i, j));
    let pairs = (0..names.len()).flat_map(later);
    let alike = pairs.filter(|&(i, j)| shapes[i] == shapes[j] && names[i] != names[j]);
    alike.map(|(i, j)| (names[i], names[j])).collect()
}

/// Letters of other alphabets, by the Latin letter of the same shape. Cyrillic and Greek, capital letters
/// among them: a capital may look like a Latin letter where its small form doesn't. After Unicode's list of
/// confusable characters (UTS #39).
const SHAPES: [(char, &str); 26] = [
    ('a', "аАαΑ"),
    ('b', "ВвΒЬь"),
    ('c', "сСϲϹ"),
    ('d', "ԁ"),
    ('e', "еЕёЁΕ"),
    ('g', "ɡ"),
    ('h', "һҺНнΗ"),
    ('i', "іІıιΙӀӏΪї"),
    ('j', "јЈϳ"),
    ('k', "кКκΚ"),
    ('m', "мМΜ"),
    ('n', "Νղ"),
    ('o', "оОοΟσ"),
    ('p', "рРρΡ"),
    ('q', "ԛԚ"),
    ('r', "г"),
    ('s', "ѕЅ"),
    ('t', "тТτΤ"),
    ('u', "υ"),
    ('v', "ѵѴν"),
    ('w', "ԝԜω"),
    ('x', "хХχΧ"),
    ('y', "уУүҮγΥ"),
    ('z', "Ζ"),
    ('-', "‐‑‒–—−"),
    ('3', "зЗ"),
];

/// Visible characters of `name`, as small Latin letters where possible.
fn shape(name: &str) -> String {
    let seen = name.chars().filter(|&c| !c.is_whitespace() && !is_invisible(c));
    seen.map(narrow).map(latin).flat_map(char::to_lowercase).collect()
}

/// ASCII of a full-width form.
fn narrow(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        c => c,
    }
}

fn latin(c: char) -> char {
    SHAPES.iter().find(|(_, others)| others.contains(c)).map_or(c, |(latin, _)| *latin)
}

/// Controls, soft hyphens, zero-width and bidirectional marks, variation selectors, tags.
fn is_invisible(c: char) -> bool {
    let unseen = matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e01ef}'
    );
    c.is_control() || unseen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_look_are_found() {
        for (a, b) in [
            ("ssru", "SSRU"),
            ("ssru", "ѕѕru"),                // Cyrillic
            ("marian", "m\u{200b}arian"),    // zero width
            ("opus", "ορus"),                // Greek
            ("my engine", "my\u{a0}engine"), // a space that doesn't break
            ("a-b", "a\u{2011}b"),
            ("gru", "ｇｒｕ"),
            ("base", "base\u{fe0f}"),
        ] {
            assert_eq!(look_alikes(&["other", a, b]), [(a, b)]);
        }
    }

    #[test]
    fn names_that_differ_to_the_eye_and_equal_names_are_no_pair() {
        assert!(look_alikes(&["ssru", "ssru-6-1", "gru", "мир", "mup", "größe", "grosse"]).is_empty());
        assert!(look_alikes(&["same", "same"]).is_empty());
    }
}
