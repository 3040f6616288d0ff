//! Tables in LaTeX, for papers: plain `tabular` with the rules of `booktabs`.

use crate::tables::Table;

/// The table as a `tabular`. Columns of figures are aligned right.
pub fn latex(table: &Table) -> String {
    let columns: String = table.heads.iter().map(|head| if head.numeric { 'r' } else { 'l' }).collect();
    let line = |texts: Vec<String>| format!("{} \\\\\n", no_argument(texts.join(" & ")));
    let heads = line(table.heads.iter().map(|head| escaped(&head.text)).collect());
    let rows =
        table.rows.iter().map(|row| line(row.fields.iter().map(|field| escaped(&field.text)).collect()));
    let rows: String = rows.collect();
    format!(
        "\\begin{{tabular}}{{{columns}}}\n\\toprule\n{heads}\\midrule\n{rows}\\bottomrule\n\\end{{tabular}}\n"
    )
}

/// A row whose beginning is no argument of the `\\` or `\midrule` before it: they look for a star and for brackets.
fn no_argument(row: String) -> String {
    if row.trim_start().starts_with(['[', '*']) { format!("{{}}{row}") } else { row }
}

/// Text for LaTeX: its special characters escaped, without the blanks that align figures in other media.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.trim_end_matches(['\u{2007}', '\u{2008}']).chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', c]),
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '±' => out.push_str("$\\pm$"),
            '–' => out.push_str("--"),
            '\u{2007}' | '\u{2008}' => out.push('~'),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Field;

    #[test]
    fn a_row_that_begins_like_an_argument_is_none() {
        let mut table = Table::new("t", &["system"]);
        for name in ["[1ex] fast", "*star", "plain [x]"] {
            table.push("", vec![Field::text(name)]);
        }
        let text = latex(&table);
        for row in ["{}[1ex] fast \\\\\n", "{}*star \\\\\n", "\nplain [x] \\\\\n"] {
            assert!(text.contains(row), "{row:?} is not in {text}");
        }
    }

    #[test]
    fn names_cannot_break_out_of_their_cell() {
        let mut table = Table::new("t", &["system", "#BLEU"]);
        table.push("", vec![Field::text("a&b_c \\input{x} 100%"), Field::text("36.1 ±1.9\u{2007}")]);
        assert_eq!(
            latex(&table),
            "\\begin{tabular}{lr}\n\\toprule\nsystem & BLEU \\\\\n\\midrule\n\
             a\\&b\\_c \\textbackslash{}input\\{x\\} 100\\% & 36.1 $\\pm$1.9 \\\\\n\\bottomrule\n\\end{tabular}\n"
        );
    }
}
