//! A view as HTML: one file that makes no request.
//!
//! The page's content-security policy forbids every request. The policy allows one style sheet and one
//! script, by their hashes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sha2::{Digest, Sha256};
use tera::Tera;

use crate::charts;
use crate::error::{Error, Result};
use crate::view::Report;

/// Components that all pages share.
const PARTS: &str = include_str!("../../../templates/parts.html");
const TEMPLATE: &str = include_str!("../../../templates/report.html");
const STYLE: &str = include_str!("../../../templates/report.css");
const SCRIPT: &str = include_str!("../../../templates/report.js");

/// Data of a template: those of its page, and the style and script that all pages share.
#[derive(Serialize)]
struct Document<'a, P> {
    #[serde(flatten)]
    page: &'a P,
    style: String,
    style_hash: String,
    script: &'static str,
    script_hash: String,
}

/// Data of a report's page.
#[derive(Serialize)]
struct Page<'a> {
    view: &'a Report,
    csv: String,
    folder_links: bool,
}

impl Report {
    /// The report as one HTML file. `beside_records` adds links to the records in the same folder.
    pub fn html(&self, beside_records: bool) -> Result<String> {
        let page = Page { view: self, csv: STANDARD.encode(&self.csv), folder_links: beside_records };
        document("report.html", TEMPLATE, &page)
    }
}

/// A page: `template` filled with `page`.
pub fn document(name: &str, template: &str, page: &impl Serialize) -> Result<String> {
    let style = charts::theme() + STYLE + &charts::style_sheet();
    let style_hash = hash(&style);
    let document = Document { page, style, style_hash, script: SCRIPT, script_hash: hash(SCRIPT) };
    let mut tera = Tera::new();
    // Tera escapes templates whose names end in .html.
    tera.set_escape_fn(|text, out| out.write_all(charts::escape(text).as_bytes()));
    let fault = |source| Error::Page { what: name.into(), source };
    tera.add_raw_templates([("parts.html", PARTS), (name, template)]).map_err(fault)?;
    let context = tera::Context::from_serialize(&document).map_err(fault)?;
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
