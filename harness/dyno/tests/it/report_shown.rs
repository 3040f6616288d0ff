//! The report as a browser shows it: whole, legible, silent, and its controls at work.

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::report::Synthetic;
use crate::support::skip;

/// What a browser complained of, and whom it asked.
fn complaints(browser: &Browser) -> Vec<String> {
    let of = |event: &Value| match event["method"].as_str() {
        Some("Network.requestWillBeSent") => {
            let url = event["params"]["request"]["url"].as_str().unwrap_or_default();
            (!url.starts_with("file://")).then(|| format!("a request for {url}"))
        }
        Some("Runtime.exceptionThrown" | "Log.entryAdded") => Some(event["params"].to_string()),
        Some("Runtime.consoleAPICalled") => Some(event["params"].to_string()),
        _ => None,
    };
    browser.events.iter().filter_map(of).collect()
}

/// Every text that can be seen against what is behind it, by WCAG 2.2: 4.5, or 3 where it is large.
const FAINT: &str = r#"(() => {
  const parse = text => (text.match(/[\d.]+/g) || []).map(Number);
  const light = rgb => { const [r, g, b] = rgb.map(v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const page = parse(getComputedStyle(document.body).backgroundColor);
  const faint = [];
  for (const e of document.querySelectorAll("body *")) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !e.getClientRects().length) continue;
    if (e.closest("title,desc,script,style,.on")) continue;
    const style = getComputedStyle(e);
    const colour = parse(e.closest("svg") ? style.fill : style.color);
    let behind = page;
    for (let p = e; p; p = p.parentElement) { const b = parse(getComputedStyle(p).backgroundColor); if (b.length === 3) { behind = b; break; } }
    const [x, y] = [light(colour.slice(0, 3)), light(behind)];
    const ratio = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) faint.push([e.outerHTML.slice(0, 80), ratio]);
  }
  return faint;
})()"#;

/// Labels that run into each other, and texts that leave their drawing, in the drawings that are shown.
const CROWDED: &str = r#"(() => {
  const bad = [];
  for (const svg of document.querySelectorAll("svg.chart")) {
    if (!svg.getClientRects().length || svg.classList.contains("mark-alone")) continue;
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].filter(t => !t.closest(".tip"));
    const boxes = texts.map(t => [t.textContent, t.getBoundingClientRect()]);
    for (const [text, b] of boxes) if (b.left < frame.left - 1 || b.right > frame.right + 1) bad.push(["cut", text, svg.parentElement.id]);
    boxes.forEach(([s, a], i) => boxes.slice(0, i).forEach(([t, b]) => {
      const width = Math.min(a.right, b.right) - Math.max(a.left, b.left), height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (width > 1 && height > 3) bad.push(["overlap", s, t, svg.parentElement.id]);
    }));
  }
  return bad;
})()"#;

#[test]
fn a_browser_shows_it_whole_and_asks_nobody() {
    let Some(mut browser) = Browser::open() else {
        return skip("the report in a browser: no Chromium is installed");
    };
    let plain = Synthetic::new(&["--systems", "20", "--lines", "140"]);
    let hostile = Synthetic::new(&["--systems", "9", "--lines", "60", "--hostile"]);
    for page in [plain.page(), hostile.page()] {
        for (width, height) in [(1280, 900), (390, 844)] {
            browser.show(&page, width, height);
            let fits = browser.value("document.documentElement.scrollWidth <= innerWidth");
            assert_eq!(fits, json!(true), "nothing but tables scrolls sideways at {width}");
            assert_eq!(browser.value(CROWDED), json!([]), "{width}");
            // Colours are the same at any width.
            for scheme in ["light", "dark"].into_iter().filter(|_| width == 1280) {
                browser.prefer(scheme);
                assert_eq!(browser.value(FAINT), json!([]), "{scheme}");
            }
        }
    }
    assert_eq!(complaints(&browser), Vec::<String>::new());
}

#[test]
fn sorting_searching_and_pointing_work() {
    let Some(mut browser) = Browser::open() else {
        return skip("the report in a browser: no Chromium is installed");
    };
    let synthetic = Synthetic::new(&["--systems", "6", "--lines", "140"]);
    browser.show(&synthetic.page(), 1280, 900);
    let speeds = "(() => { const t = [...document.querySelectorAll('table.sortable')].pop(); \
        const c = [...t.tHead.rows[0].cells].findIndex(h => h.textContent === 'words/s'); \
        t.tHead.rows[0].cells[c].querySelector('button').click(); \
        return [...t.tBodies[0].rows].map(r => parseFloat(r.cells[c].textContent.replaceAll(',', ''))); })()";
    for descending in [true, false] {
        let values: Vec<f64> = serde_json::from_value(browser.value(speeds)).unwrap();
        assert!(values.len() > 10);
        let in_order = |pair: &[f64]| if descending { pair[0] >= pair[1] } else { pair[0] <= pair[1] };
        assert!(values.windows(2).all(in_order), "{values:?}");
    }
    // The keyboard sorts as well.
    browser.value("document.querySelector('.choices thead button').focus()");
    browser.press_enter();
    let order = "document.querySelector('.choices thead th').getAttribute('aria-sort')";
    assert_eq!(browser.value(order), json!("ascending"));
    // The first line's source is found again, as the only one with all of its words.
    let source = browser.value("document.querySelector('.lines .source').lastChild.data.trim()");
    let search = format!(
        "new Promise(done => {{ const f = document.querySelector('.find'); f.value = {source}; f.dispatchEvent(new Event('input')); \
         setTimeout(() => done([...document.querySelectorAll('.lines .source')].map(p => p.textContent)), 400); }})"
    );
    let found: Vec<String> = serde_json::from_value(browser.value(&search)).unwrap();
    assert!(
        !found.is_empty() && found.iter().all(|line| line.contains(source.as_str().unwrap())),
        "{found:?}"
    );
    let redrawn = "new Promise(done => { const f = document.querySelector('.find'); f.value = ''; f.dispatchEvent(new Event('input')); \
        setTimeout(() => done(document.querySelectorAll('.lines li').length), 400); })";
    assert_eq!(browser.value(redrawn), json!(50));
    let visible = "[...document.querySelectorAll('.wide .tip')].filter(t => getComputedStyle(t).visibility === 'visible').length";
    assert_eq!(browser.value(visible), json!(0));
    browser.point_at(".wide .hit");
    assert_eq!(browser.value(visible), json!(1), "the pointer shows a tip");
    browser.call("Input.dispatchMouseEvent", json!({"type": "mouseMoved", "x": 1, "y": 1}));
    browser.value("document.querySelector('.wide .spot').focus()");
    assert_eq!(browser.value(visible), json!(1), "the keyboard shows a tip");
    assert_eq!(complaints(&browser), Vec::<String>::new());
}

#[test]
fn the_script_draws_lines_as_the_page_holds_them() {
    let Some(mut browser) = Browser::open() else {
        return skip("the report in a browser: no Chromium is installed");
    };
    let synthetic = Synthetic::new(&["--systems", "5", "--lines", "120", "--hostile"]);
    browser.show(&synthetic.page(), 1280, 900);
    let text =
        "[...document.querySelectorAll('.lines li')].map(li => [...li.children].map(p => p.innerHTML))";
    let held = browser.value(text);
    let redraw = "new Promise(done => { document.querySelector('.find').dispatchEvent(new Event('input')); setTimeout(() => done(0), 400); })";
    browser.value(redraw);
    let drawn = browser.value(text);
    let (held, drawn) = (held.as_array().unwrap(), drawn.as_array().unwrap());
    assert!(held.len() > 5 && drawn.len() > 5);
    for (a, b) in held.iter().zip(drawn) {
        assert_eq!(a, b);
    }
}
