//! The report's tables in Markdown, for READMEs and pull requests.

pub use super::tables::inline;
use super::view::{Part, Report};

impl Report {
    /// The report's tables in Markdown: the verdict, the choices and the full table of each test set.
    pub fn markdown(&self) -> String {
        let date = self.date.as_deref().unwrap_or("undated");
        let head = format!("{}, {} profile, {date}\n", inline(&self.host), self.profile);
        let parts = self.parts.iter().map(|part| {
            let (name, full) = (inline(&part.name), part.full.to_markdown());
            format!("\n### {name} ({})\n\n{}{full}", part.size, choices(part))
        });
        head + &parts.collect::<String>()
    }
}

/// The verdict and the choices of a test set.
pub fn choices(part: &Part) -> String {
    let verdict: String = part.verdict.iter().map(|sentence| inline(sentence) + "\n").collect();
    let table = if part.choices.rows.is_empty() { String::new() } else { part.choices.to_markdown() + "\n" };
    format!("{verdict}\n{table}")
}
