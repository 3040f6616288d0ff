//! From a view to HTML: one file that asks nobody for anything. Its content-security policy forbids every request,
//! and allows only the style sheet and the script that it names by hash.

use anyhow::Context;
use serde::Serialize;
use sha2::{Digest, Sha256};
use tera::Tera;

use super::charts;
use super::view::View;

const TEMPLATE: &str = include_str!("../../../templates/report.html");
const STYLE: &str = include_str!("../../../templates/report.css");
const SCRIPT: &str = include_str!("../../../templates/report.js");

/// What the template is given.
#[derive(Serialize)]
struct Page<'a> {
    view: &'a View,
    style: String,
    style_hash: String,
    script: &'static str,
    script_hash: String,
    csv: String,
    folder_links: bool,
}

/// The page. `beside_records` says whether it will lie in the run's folder, so that it can link to the records.
pub fn html(view: &View, beside_records: bool) -> anyhow::Result<String> {
    let style = charts::theme() + STYLE + &charts::style_sheet();
    let page = Page {
        view,
        style_hash: hash(&style),
        style,
        script: SCRIPT,
        script_hash: hash(SCRIPT),
        csv: base64(view.csv.as_bytes()),
        folder_links: beside_records,
    };
    let mut tera = Tera::new();
    // The name's ending is what turns escaping on.
    tera.add_raw_template("report.html", TEMPLATE).context("the report's template")?;
    let context = tera::Context::from_serialize(&page).context("the report's view")?;
    tera.render("report.html", &context).context("the report")
}

/// Another page of the same looks and rules: `template`, whose parts are the report's, filled with `page`.
pub fn document(name: &str, template: &str, page: &serde_json::Value) -> anyhow::Result<String> {
    let style = charts::theme() + STYLE;
    let mut tera = Tera::new();
    // The first for its parts.
    tera.add_raw_templates([("report.html", TEMPLATE), (name, template)]).context("the templates")?;
    let context = serde_json::json!({
        "style_hash": hash(&style), "style": style, "script_hash": hash(SCRIPT), "script": SCRIPT, "page": page,
    });
    let context = tera::Context::from_serialize(&context).context("the page")?;
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
