//! From a view to HTML: one file that makes no request. Its content-security policy forbids every request,
//! and allows only the style sheet and the script that it names by hash.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sha2::{Digest, Sha256};
use tera::Tera;

use crate::charts;
use crate::error::{Error, Result};
use crate::view::View;

/// What pages are built from.
const PARTS: &str = include_str!("../templates/parts.html");
const TEMPLATE: &str = include_str!("../templates/report.html");
const STYLE: &str = include_str!("../templates/report.css");
const SCRIPT: &str = include_str!("../templates/report.js");

/// What a template is given: its page, and the looks and manners that all pages share.
#[derive(Serialize)]
struct Document<'a, P> {
    #[serde(flatten)]
    page: &'a P,
    style: String,
    style_hash: String,
    script: &'static str,
    script_hash: String,
}

/// A report's page.
#[derive(Serialize)]
struct Page<'a> {
    view: &'a View,
    csv: String,
    folder_links: bool,
}

/// The report. `beside_records` says whether it will lie in the run's folder, so that it can link to the records.
pub fn html(view: &View, beside_records: bool) -> Result<String> {
    let page = Page { view, csv: STANDARD.encode(&view.csv), folder_links: beside_records };
    document("report.html", TEMPLATE, &page)
}

/// A page: `template`, filled with `page`.
pub fn document(name: &str, template: &str, page: &impl Serialize) -> Result<String> {
    let style = charts::theme() + STYLE + &charts::style_sheet();
    let style_hash = hash(&style);
    let document = Document { page, style, style_hash, script: SCRIPT, script_hash: hash(SCRIPT) };
    let mut tera = Tera::new();
    // The name's ending is what turns escaping on.
    let fault = |source| Error::Page { what: name.into(), source };
    tera.add_raw_templates([("parts.html", PARTS), (name, template)]).map_err(fault)?;
    let context = tera::Context::from_serialize(&document).map_err(fault)?;
    tera.render(name, &context).map_err(fault)
}

/// As a content-security policy names an inline element.
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
