//! The frontier, and the papers' headline factors, in a README.
//!
//! dyno writes all text between two markers, together with the commands that write the text again; no figure
//! there is typed by hand.

use dyno_api::printable_line;

use super::charts::escape;
use super::tables::inline;
use super::view::Report;

/// Marker before the part that dyno writes.
pub const BEGIN: &str = "<!-- dyno report: begin -->";
/// Marker after the part that dyno writes.
pub const END: &str = "<!-- dyno report: end -->";

/// Markers around the link to the page on the papers.
pub const PAPERS: [&str; 2] = ["<!-- dyno papers: begin -->", "<!-- dyno papers: end -->"];

impl Report {
    /// The README `text` with the first test set's frontier between its markers: picture, table and commands, by which
    /// the report was made. `figures` is the path of the pictures for readers of the README. `None` unless both markers
    /// occur once and in order.
    pub fn readme(&self, text: &str, figures: &str, commands: &[String]) -> Option<String> {
        between(text, [BEGIN, END], &frontier(self, figures, commands))
    }
}

/// `text` with `new` between its markers. `None` unless both occur once and in order.
pub fn between(text: &str, markers: [&str; 2], new: &str) -> Option<String> {
    let [begin, end] = markers;
    let (before, rest) = text.split_once(begin)?;
    let (_, after) = rest.split_once(end)?;
    let again = markers.iter().any(|marker| before.contains(marker) || after.contains(marker));
    (!again).then(|| format!("{before}{begin}\n{new}{end}{after}"))
}

fn frontier(view: &Report, figures: &str, commands: &[String]) -> String {
    let Some(part) = view.parts.first() else { return String::new() };
    let date = view.date.as_deref().unwrap_or("undated");
    let about = format!("{}, {} profile, {}, {date}", inline(&view.host), view.profile, inline(&part.name));
    let commands: String =
        commands.iter().map(|command| printable_line(command).replace("```", "") + "\n").collect();
    let choices = part.choices_in_markdown();
    format!("{}{choices}{about}; written by\n\n```sh\n{commands}```\n", picture(view, figures))
}

/// The lead figure, light or dark as the reader's browser prefers.
fn picture(view: &Report, figures: &str) -> String {
    let Some(figure) = view.parts.first().and_then(|part| part.lead.as_ref()) else { return String::new() };
    let (file, title) =
        (escape(&format!("{}/{}", figures.trim_end_matches('/'), figure.id)), escape(&figure.title));
    format!(
        "<picture>\n<source media=\"(prefers-color-scheme: dark)\" srcset=\"{file}-dark.svg\">\n\
         <img alt=\"{title}\" src=\"{file}.svg\">\n</picture>\n\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_the_markers_changes() {
        let report = Report::default();
        let text = format!("# a\n{BEGIN}\nold\n{END}\nb\n");
        let new = report.readme(&text, "figures", &[]).unwrap();
        assert_eq!(new, format!("# a\n{BEGIN}\n{END}\nb\n"));
        assert_eq!(report.readme(&new, "figures", &[]).unwrap(), new);
        for text in [
            "",
            BEGIN,
            &format!("{END}{BEGIN}"),
            &format!("{BEGIN}{END}{BEGIN}{END}"),
            &format!("{END}{BEGIN}{END}"),
        ] {
            assert_eq!(report.readme(text, "figures", &[]), None, "{text}");
        }
    }
}
