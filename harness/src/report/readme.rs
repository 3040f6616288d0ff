//! Figures in a README: what stands between two markers is written by the tool, never by hand, together with the
//! command that writes it again.

use super::markdown;
use super::view::View;

/// What opens the part that is ours.
pub const BEGIN: &str = "<!-- dyno report: begin -->";
/// What closes it.
pub const END: &str = "<!-- dyno report: end -->";

/// `text` with the first test set's frontier between its markers: the picture (from `figures`, a path as the README's
/// reader has it), the table, and the command. `None` if the markers aren't there, once each and in order.
pub fn updated(text: &str, view: &View, figures: &str, command: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    if after.contains(BEGIN) || after.contains(END) {
        return None;
    }
    Some(format!("{before}{BEGIN}\n{}{END}{after}", frontier(view, figures, command)))
}

fn frontier(view: &View, figures: &str, command: &str) -> String {
    let Some(part) = view.parts.first() else { return String::new() };
    let picture = part.lead.as_ref().map(|figure| {
        let title = markdown::inline(&figure.title);
        format!("![{title}]({}/{}.svg)\n\n", figures.trim_end_matches('/'), figure.id)
    });
    let said: String = part.verdict.iter().map(|sentence| markdown::inline(sentence) + "\n").collect();
    let table = if part.choices.rows.is_empty() { String::new() } else { part.choices.to_markdown() + "\n" };
    let about = format!("{}, {} profile, {}", markdown::inline(&view.host), view.profile, part.name);
    format!(
        "{}{said}\n{table}{about}; written by `{}`\n",
        picture.unwrap_or_default(),
        command.replace('`', "")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::view::View;

    #[test]
    fn only_what_stands_between_the_markers_changes() {
        let view = View::of_nothing();
        let text = format!("# a\n{BEGIN}\nold\n{END}\nb\n");
        let new = updated(&text, &view, "figures", "dyno report").unwrap();
        assert_eq!(new, format!("# a\n{BEGIN}\n{END}\nb\n"));
        assert_eq!(updated(&new, &view, "figures", "dyno report").unwrap(), new);
        for text in ["", BEGIN, &format!("{END}{BEGIN}"), &format!("{BEGIN}{END}{BEGIN}{END}")] {
            assert_eq!(updated(text, &view, "figures", ""), None, "{text}");
        }
    }
}
