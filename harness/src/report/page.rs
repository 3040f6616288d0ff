//! From a view to HTML: one file that asks nobody for anything. Its content-security policy forbids every request,
//! and allows only the style sheet and the script that it names by hash.

use anyhow::Context;
use serde::Serialize;
use sha2::{Digest, Sha256};
use tera::Tera;

use super::charts;
use super::view::View;

/// What pages are built from.
const PARTS: &str = include_str!("../../../templates/parts.html");
const TEMPLATE: &str = include_str!("../../../templates/report.html");
const STYLE: &str = include_str!("../../../templates/report.css");
const SCRIPT: &str = include_str!("../../../templates/report.js");

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
pub fn html(view: &View, beside_records: bool) -> anyhow::Result<String> {
    let page = Page { view, csv: base64(view.csv.as_bytes()), folder_links: beside_records };
    document("report.html", TEMPLATE, &page)
}

/// A page: `template`, filled with `page`.
pub fn document(name: &str, template: &str, page: &impl Serialize) -> anyhow::Result<String> {
    let style = charts::theme() + STYLE + &charts::style_sheet();
    let style_hash = hash(&style);
    let document = Document { page, style, style_hash, script: SCRIPT, script_hash: hash(SCRIPT) };
    let mut tera = Tera::new();
    // The name's ending is what turns escaping on.
    tera.add_raw_templates([("parts.html", PARTS), (name, template)]).context("the templates")?;
    let context = tera::Context::from_serialize(&document).context("the page's contents")?;
    tera.render(name, &context).context("the page")
}

/// As a content-security policy names an inline element.
fn hash(text: &str) -> String {
    format!("sha256-{}", base64(&Sha256::digest(text.as_bytes())))
}

/// RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits =
            three.iter().enumerate().fold(0u32, |bits, (i, &byte)| bits | u32::from(byte) << (16 - 8 * i));
        for i in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * i) & 63) as usize];
            text.push(if i <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_rfc() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn hashes_are_as_a_browser_computes_them() {
        // W3C Content Security Policy Level 2, section 7.17.
        assert_eq!(hash("alert('Hello, world.');"), "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=");
    }
}
