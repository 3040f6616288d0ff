//! Tables as plain data. The page draws and sorts them; Markdown carries them elsewhere.

use serde::Serialize;

use dyno_api::printable_line;
use dyno_results::scores::Scale;
use dyno_results::{CellSummary, Column};
use dyno_stats::Estimate;
use dyno_stats::numbers::{lacking_decimals, supported};

/// A table.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[allow(missing_docs)] // the names say it
pub struct Table {
    pub caption: String,
    pub heads: Vec<Head>,
    pub rows: Vec<Row>,
}

/// Head of a column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Head {
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

/// A field. The page sorts by its text, which begins with the figure in columns of figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Field {
    /// Text of the field.
    pub text: String,
    /// Target of the text's link, if it is one.
    pub link: Option<String>,
}

impl Field {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// The text of a figure that may be missing.
    pub fn maybe<T>(value: Option<T>, text: impl Fn(T) -> String) -> Self {
        value.map_or_else(Self::none, |value| Self::text(text(value)))
    }

    /// A figure with the digits that its interval supports.
    pub fn estimate(estimate: Option<Estimate>) -> Self {
        Self::maybe(estimate, |estimate| supported(&estimate))
    }

    /// A score with half of its interval.
    pub fn quality(scale: &Scale, quality: Option<Estimate>) -> Self {
        Self::maybe(quality, |quality| scale.text(quality.value, Some((quality.high - quality.low) / 2.0)))
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
        Self::maybe(figure, |figure| column.text(row, &figure))
    }

    /// A factor with its least and greatest round, where their printed values differ.
    pub fn factor(factor: Option<Estimate>) -> Self {
        let text = |of: Estimate| {
            let [value, low, high] = [of.value, of.low, of.high].map(|value| format!("{value:.2}"));
            if low == high { value } else { format!("{value} ({low}–{high})") }
        };
        Self::maybe(factor, text)
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

impl Head {
    /// A head; `#` at its start marks a column of figures.
    fn of(text: &str) -> Self {
        let figures = text.strip_prefix('#');
        Self { text: figures.unwrap_or(text).into(), numeric: figures.is_some() }
    }
}

/// Rows of a table that gets its columns one by one, each with a field of every item.
pub struct Rows<T> {
    items: Vec<T>,
    table: Table,
}

impl<T> Rows<T> {
    /// Adds a column. A head that begins with `#` marks a column of figures.
    #[must_use]
    pub fn column(mut self, head: impl AsRef<str>, field: impl Fn(&T) -> Field) -> Self {
        self.table.heads.push(Head::of(head.as_ref()));
        self.table.rows.iter_mut().zip(&self.items).for_each(|(row, item)| row.fields.push(field(item)));
        self
    }

    /// Adds a column for each of `all`.
    #[must_use]
    pub fn columns<C, H: AsRef<str>>(
        self,
        all: impl IntoIterator<Item = C>,
        head: impl Fn(&C) -> H,
        field: impl Fn(&C, &T) -> Field,
    ) -> Self {
        all.into_iter().fold(self, |rows, one| rows.column(head(&one), |item| field(&one, item)))
    }

    /// Gives each row a CSS class.
    #[must_use]
    pub fn classed(mut self, class: impl Fn(&T) -> &'static str) -> Self {
        self.table.rows.iter_mut().zip(&self.items).for_each(|(row, item)| row.class = class(item));
        self
    }

    /// The table with these columns.
    pub fn table(self) -> Table {
        self.table
    }

    /// The same, aligned.
    pub fn aligned(self) -> Table {
        self.table.aligned()
    }

    /// The same without empty columns, aligned.
    pub fn compact(self) -> Table {
        self.table.without_empty_columns().aligned()
    }
}

impl Table {
    /// A table with a row for each of `items`, so far without columns.
    pub fn of<T>(caption: impl Into<String>, items: impl IntoIterator<Item = T>) -> Rows<T> {
        let items: Vec<T> = items.into_iter().collect();
        let rows = items.iter().map(|_| Row { fields: Vec::new(), class: "" }).collect();
        Rows { items, table: Self { caption: caption.into(), heads: Vec::new(), rows } }
    }

    /// A table without rows. A head that begins with `#` marks a column of figures.
    pub fn new(caption: impl Into<String>, heads: &[impl AsRef<str>]) -> Self {
        let heads = heads.iter().map(|text| Head::of(text.as_ref())).collect();
        Self { caption: caption.into(), heads, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn push(&mut self, class: &'static str, fields: impl IntoIterator<Item = Field>) {
        let fields: Vec<Field> = fields.into_iter().collect();
        debug_assert_eq!(fields.len(), self.heads.len());
        self.rows.push(Row { fields, class });
    }

    /// The table without its empty columns.
    #[must_use]
    pub fn without_empty_columns(self) -> Self {
        self.without_empty_columns_but(0)
    }

    /// The table without its empty columns, except the last `kept` ones: their emptiness is a finding.
    #[must_use]
    pub fn without_empty_columns_but(mut self, kept: usize) -> Self {
        let is_empty = |row: &Row, column: usize| matches!(row.fields[column].text.as_str(), "–" | "");
        for column in (1..self.heads.len().saturating_sub(kept)).rev() {
            if self.rows.iter().all(|row| is_empty(row, column)) {
                self.heads.remove(column);
                self.rows.iter_mut().for_each(|row| drop(row.fields.remove(column)));
            }
        }
        self
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
fn blank(figure: &str, lacks: usize) -> String {
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
        table.push("", vec![Field::text("a|b <i>"), Field::text("9.25"), Field::none()]);
        table.push("", vec![Field::text("c"), Field::text("12"), Field::none()]);
        table
    }

    #[test]
    fn points_stand_below_each_other() {
        let aligned = table().aligned();
        assert_eq!(aligned.rows[0].fields[1].text, "9.25");
        assert_eq!(aligned.rows[1].fields[1].text, "12\u{2008}\u{2007}\u{2007}");
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
