//! Pieces of markup: tags, placeholders, URLs and addresses.

use super::text::{Pattern, regex};

static MARKUP: Pattern = Pattern::new(|| {
    regex(concat!(
        r"</?[A-Za-z0-9][^<>]*>",                            // <b>, </a>, <br/>, <0>
        r"|\$?\{\{?[A-Za-z0-9_.:-]+\}\}?",                   // {name}, {0}, {{total}}, ${user}
        r"|%(?:\d+\$)?[-+#0-9.]*[sdifuxX@]\b",               // %s, %1$d, %.2f
        r"|%\([A-Za-z0-9_]+\)[sdif]",                        // %(name)s
        r"|&(?:[a-z]+|#\d+);",                               // &nbsp;
        r#"|(?:https?://|www\.)[^\s<>"»]*[^\s<>"».,;:!?)]"#, // a sentence's end is no part of a URL
        r"|[A-Za-z0-9._+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[a-z]{2,}",
    ))
});

/// Characters and words that some piece of markup has. Most texts have none of them.
static ANY: Pattern = Pattern::new(|| regex(r"[<{%&@]|://|www\."));

pub fn without(text: &str) -> String {
    if ANY.is_match(text) { MARKUP.replace_all(text, " ").into_owned() } else { text.into() }
}

pub fn pieces(text: &str) -> Vec<&str> {
    let pieces = || MARKUP.find_iter(text).map(|piece| piece.as_str()).collect();
    if ANY.is_match(text) { pieces() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_end_where_a_reader_ends_them() {
        for (text, expected) in [
            ("<p>Hi {name}, 5 < 6</p>", &["<p>", "{name}", "</p>"][..]),
            ("See https://a.org/b?c=1. Then www.d.org!", &["https://a.org/b?c=1", "www.d.org"]),
            ("100% sure, 50 %discount, %s and %1$d%", &["%s", "%1$d"]),
            ("{{total}} of ${user} by me@a-b.example.org.", &["{{total}}", "${user}", "me@a-b.example.org"]),
        ] {
            assert_eq!(pieces(text), expected);
        }
        assert_eq!(without("<b>Tom</b> has 5."), " Tom  has 5.");
    }
}
