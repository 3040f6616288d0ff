//! The report's tables in Markdown, for READMEs and pull requests.

pub use super::tables::inline;
use super::view::{Part, View};

/// The verdict, the choices and the full table of each test set.
pub fn markdown(view: &View) -> String {
    let head = format!(
        "{}, {} profile, {}\n",
        inline(&view.host),
        view.profile,
        view.date.as_deref().unwrap_or("undated")
    );
    let parts = view.parts.iter().map(|part| {
        let (name, full) = (inline(&part.name), part.full.to_markdown());
        format!("\n### {name} ({})\n\n{}{full}", part.size, choices(part))
    });
    head + &parts.collect::<String>()
}

/// The verdict and the choices of a test set.
pub fn choices(part: &Part) -> String {
    let verdict: String = part.verdict.iter().map(|sentence| inline(sentence) + "\n").collect();
    let table = if part.choices.rows.is_empty() { String::new() } else { part.choices.to_markdown() + "\n" };
    format!("{verdict}\n{table}")
}
