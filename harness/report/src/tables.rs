//! Tables as plain data. The page draws and sorts them; Markdown carries them elsewhere.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use dyno_api::printable_line;
use dyno_results::{CellSummary, Column};
use dyno_stats::Estimate;
use dyno_stats::numbers::lacking_decimals;

/// A table.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Table {
    /// Caption of the table.
    pub caption: String,
    /// Heads of the columns.
    pub heads: Vec<Head>,
    /// Rows of the table.
    pub rows: Vec<Row>,
}

/// Head of a column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Head {
    /// Text of the head.
    pub text: String,
    /// Whether the column holds figures, which are aligned on the decimal point.
    pub numeric: bool,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Fields of the row; the first one is its name.
    pub fields: Vec<Field>,
    /// CSS class of the row, such as that of INVALID cells.
    pub class: &'static str,
}

/// A field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Field {
    /// Text of the field.
    pub text: String,
    /// Value to sort by; `None` sorts by the text.
    pub value: Option<f64>,
    /// Target of the text's link, if it is one.
    pub link: Option<String>,
}

/// A field of a page: without the value where the script that sorts reads it from the text.
impl Serialize for Field {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut fields = to.serialize_struct("Field", 3)?;
        fields.serialize_field("text", &self.text)?;
        fields.serialize_field("value", &self.value.filter(|value| !begins_with(&self.text, *value)))?;
        fields.serialize_field("link", &self.link)?;
        fields.end()
    }
}

/// Whether a text begins with `value`, rounded.
fn begins_with(text: &str, value: f64) -> bool {
    let plain = text.replace(',', "");
    let end = plain.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(plain.len());
    plain[..end].parse::<f64>().is_ok_and(|read| (read - value).abs() <= 0.1 * value.abs())
}

impl Field {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A figure.
    pub fn figure(text: impl Into<String>, value: f64) -> Self {
        Self { value: Some(value), ..Self::text(text) }
    }

    /// A figure that may be missing.
    pub fn maybe(value: Option<f64>, text: impl Fn(f64) -> String) -> Self {
        value.map_or_else(Self::none, |value| Self::figure(text(value), value))
    }

    /// The figure of a row in a column, with the digits that its interval supports.
    pub fn of(column: Column, row: &CellSummary) -> Self {
        Self::shown(column, row, column.figure(row))
    }

    /// The same with three digits, where a table has no room for the doubt.
    pub fn rounded(column: Column, row: Option<&CellSummary>) -> Self {
        let figure = |row| Some(Estimate::exactly(column.figure(row)?.value));
        row.map_or_else(Self::none, |row| Self::shown(column, row, figure(row)))
    }

    /// A `figure` of `row`.
    pub fn shown(column: Column, row: &CellSummary, figure: Option<Estimate>) -> Self {
        figure.map_or_else(Self::none, |figure| Self::figure(column.text(row, &figure), figure.value))
    }

    /// A factor with its least and greatest round, where their printed values differ.
    pub fn factor(factor: Option<Estimate>) -> Self {
        let text = |of: Estimate| {
            let [value, low, high] = [of.value, of.low, of.high].map(|value| format!("{value:.2}"));
            if low == high { value } else { format!("{value} ({low}–{high})") }
        };
        factor.map_or_else(Self::none, |factor| Self::figure(text(factor), factor.value))
    }

    /// The field as a link, if there is a target.
    #[must_use]
    pub fn linked(self, link: Option<String>) -> Self {
        Self { link, ..self }
    }

    /// An empty field.
    pub fn none() -> Self {
        Self::text("–")
    }
}

impl Table {
    /// A table without rows. A head that begins with `#` marks a column of figures.
    pub fn new(caption: impl Into<String>, heads: &[impl AsRef<str>]) -> Self {
        let head = |text: &str| match text.strip_prefix('#') {
            Some(text) => Head { text: text.into(), numeric: true },
            None => Head { text: text.into(), numeric: false },
        };
        let heads = heads.iter().map(|text| head(text.as_ref())).collect();
        Self { caption: caption.into(), heads, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn push(&mut self, class: &'static str, fields: impl IntoIterator<Item = Field>) {
        let fields: Vec<Field> = fields.into_iter().collect();
        debug_assert_eq!(fields.len(), self.heads.len());
        self.rows.push(Row { fields, class });
    }

    /// The table without one column.
    #[must_use]
    pub fn without(mut self, column: usize) -> Self {
        self.heads.remove(column);
        self.rows.iter_mut().for_each(|row| drop(row.fields.remove(column)));
        self
    }

    /// The table without its empty columns.
    #[must_use]
    pub fn without_empty_columns(self) -> Self {
        self.without_empty_columns_but(0)
    }

    /// The table without its empty columns, except the last `kept` ones: their emptiness is a finding.
    #[must_use]
    pub fn without_empty_columns_but(self, kept: usize) -> Self {
        let says = |row: &Row, i: usize| !matches!(row.fields[i].text.as_str(), "–" | "");
        let stays = |i: usize| i == 0 || i + kept >= self.heads.len();
        let empty = |&i: &usize| !stays(i) && !self.rows.iter().any(|row| says(row, i));
        let empty: Vec<usize> = (0..self.heads.len()).filter(empty).collect();
        empty.into_iter().rev().fold(self, Self::without)
    }

    /// The table with spaces behind its figures, as wide as their missing digits, so that decimal points
    /// stand below each other. A "±" part does not count.
    #[must_use]
    pub fn aligned(mut self) -> Self {
        for column in (0..self.heads.len()).filter(|&i| self.heads[i].numeric).collect::<Vec<_>>() {
            let texts = self.rows.iter().map(|row| row.fields[column].text.as_str());
            let lacks = lacking_decimals(texts);
            for (row, lacks) in self.rows.iter_mut().zip(lacks) {
                let text = &mut row.fields[column].text;
                *text += &blank(text, lacks);
            }
        }
        self
    }

    /// The table with rows and columns exchanged. All columns but the first hold figures.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let names = self.rows.iter().map(|row| format!("#{}", row.fields[0].text));
        let heads: Vec<String> = [String::new()].into_iter().chain(names).collect();
        let mut table = Self::new(self.caption.clone(), &heads);
        for (i, head) in self.heads.iter().enumerate().skip(1) {
            let figures = self.rows.iter().map(|row| row.fields[i].clone());
            table.push("", [Field::text(&head.text)].into_iter().chain(figures));
        }
        table
    }

    /// The table in GitHub's Markdown.
    pub fn to_markdown(&self) -> String {
        let line = |fields: Vec<String>| format!("| {} |\n", fields.join(" | "));
        let heads = self.heads.iter().map(|head| inline(&head.text)).collect();
        let rules =
            self.heads.iter().map(|head| if head.numeric { "---:".into() } else { "---".into() }).collect();
        let rows =
            self.rows.iter().map(|row| line(row.fields.iter().map(|field| inline(&field.text)).collect()));
        line(heads) + &line(rules) + &rows.collect::<String>()
    }
}

/// Spaces for the last `lacks` places of a figure: a figure space for each digit, a punctuation space for the
/// point.
pub fn blank(figure: &str, lacks: usize) -> String {
    let point = usize::from(lacks > 0 && !figure.contains('.'));
    "\u{2008}".repeat(point) + &"\u{2007}".repeat(lacks - point)
}

/// Text inside a Markdown table: without cell marks, markup and line ends.
pub fn inline(text: &str) -> String {
    let mut out = String::new();
    for c in printable_line(text.trim_end_matches(['\u{2007}', '\u{2008}'])).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new("t", &["system", "#words/s", "#never"]);
        table.push("", vec![Field::text("a|b <i>"), Field::figure("9.25", 9.25), Field::none()]);
        table.push("", vec![Field::text("c"), Field::figure("12", 12.0), Field::none()]);
        table
    }

    #[test]
    fn points_stand_below_each_other() {
        let aligned = table().aligned();
        assert_eq!(aligned.rows[0].fields[1].text, "9.25");
        assert_eq!(aligned.rows[1].fields[1].text, "12\u{2008}\u{2007}\u{2007}");
    }

    #[test]
    fn only_a_value_that_its_text_does_not_say_is_written() {
        let keys = [
            ("0.28 (0.27–0.32)", 0.284, false),
            ("28,300\u{2008}", 28_312.0, false),
            ("0.00", 0.004, true),
            ("1:30", 90.0, true),
            ("1.2 GB", 1.2e9, true),
            ("−3.1", -3.1, true),
        ];
        for (text, value, is_written) in keys {
            let written = serde_json::to_value(Field::figure(text, value)).unwrap();
            assert_eq!(written["value"].as_f64(), is_written.then_some(value), "{text}");
        }
    }

    #[test]
    fn a_column_that_says_nothing_is_left_out() {
        let table = table().without_empty_columns();
        assert_eq!(table.heads.len(), 2);
        assert!(table.rows.iter().all(|row| row.fields.len() == 2));
    }

    #[test]
    fn rows_become_columns() {
        let table = table().transposed();
        assert_eq!(
            table.heads.iter().map(|head| head.text.as_str()).collect::<Vec<_>>(),
            ["", "a|b <i>", "c"]
        );
        assert!(table.heads[1].numeric && !table.heads[0].numeric);
        let row: Vec<&str> = table.rows[0].fields.iter().map(|field| field.text.as_str()).collect();
        assert_eq!(row, ["words/s", "9.25", "12"]);
    }

    #[test]
    fn markdown_keeps_hostile_names_in_their_cell() {
        let text = table().aligned().to_markdown();
        assert_eq!(
            text,
            "| system | words/s | never |\n| --- | ---: | ---: |\n| a\\|b &lt;i> | 9.25 | – |\n| c | 12 | – |\n"
        );
    }
}
