//! The report's tables in Markdown, for READMEs and pull requests.

pub use super::tables::inline;
use super::view::View;

/// The verdict, the choices and the full table of each test set.
pub fn markdown(view: &View) -> String {
    let head = format!(
        "{}, {} profile, {}\n",
        inline(&view.host),
        view.profile,
        view.date.as_deref().unwrap_or("undated")
    );
    let parts = view.parts.iter().map(|part| {
        let verdict: String = part.verdict.iter().map(|sentence| inline(sentence) + "\n").collect();
        let choices =
            if part.choices.rows.is_empty() { String::new() } else { part.choices.to_markdown() + "\n" };
        format!(
            "\n### {} ({})\n\n{verdict}\n{choices}{}",
            inline(&part.name),
            part.size,
            part.full.to_markdown()
        )
    });
    head + &parts.collect::<String>()
}
