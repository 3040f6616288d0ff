//! A view as HTML: one file that makes no request.
//!
//! The page's content-security policy forbids every request. The policy allows one style sheet and one
//! script, by their hashes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use tera::Tera;

use crate::charts;
use crate::view::Report;

/// Frame of all pages, and their components.
const BASE: &str = include_str!("../../../templates/base.html");
const PARTS: &str = include_str!("../../../templates/parts.html");
const TEMPLATE: &str = include_str!("../../../templates/report.html");
const STYLE: &str = include_str!("../../../templates/report.css");
const SCRIPT: &str = include_str!("../../../templates/report.js");

/// Failure to fill a page's template: a fault of dyno itself, since templates ship with dyno.
#[derive(Debug, thiserror::Error)]
#[error("{what} can't be made")]
pub struct Error {
    what: String,
    source: tera::Error,
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl Report {
    /// The report as one HTML file. `beside_records` adds links to the records in the same folder.
    pub fn html(&self, beside_records: bool) -> Result<String> {
        let csv = STANDARD.encode(&self.csv);
        document("report.html", TEMPLATE, &json!({"view": self, "csv": csv, "folder_links": beside_records}))
    }
}

/// A page: `template` filled with `page`, and with the style and the script that all pages share.
pub fn document(name: &str, template: &str, page: &impl Serialize) -> Result<String> {
    let style = charts::theme() + STYLE + &charts::style_sheet();
    let mut tera = Tera::new();
    // Tera escapes templates whose names end in .html.
    tera.set_escape_fn(|text, out| out.write_all(charts::escape(text).as_bytes()));
    let fault = |source| Error { what: name.into(), source };
    tera.add_raw_templates([("base.html", BASE), ("parts.html", PARTS), (name, template)]).map_err(fault)?;
    let mut context = tera::Context::from_serialize(page).map_err(fault)?;
    context.insert("style_hash", &hash(&style));
    context.insert("style", &style);
    context.insert("script_hash", &hash(SCRIPT));
    context.insert("script", SCRIPT);
    tera.render(name, &context).map_err(fault)
}

/// Name of an inline element in a content-security policy.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_as_a_browser_computes_them() {
        // W3C Content Security Policy Level 2, section 7.17.
        assert_eq!(hash("alert('Hello, world.');"), "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=");
    }
}
