//! What isn't a plugin, and what misbehaves as one, is told by a typed error that ends in a remedy.

use std::path::{Path, PathBuf};

use dyno_api::{Answer, Backend, Settings};
use dyno_plugin::{Error, Plugin};
use serde_json::json;
use tempfile::TempDir;

use crate::compiler::{compile, here, include};

/// The misbehaving plugin, compiled with these macros instead of the honest ones.
fn build(folder: &TempDir, macros: &[&str]) -> Option<PathBuf> {
    let library = folder.path().join("misbehaving.so");
    let honest = [
        ("VERSION", "DYNO_BACKEND_VERSION"),
        ("SIZE", "sizeof(dyno_backend)"),
        ("RUN", "run"),
        ("REFUSE", "0"),
        ("DESCRIPTION", "\"{\\\"name\\\": \\\"misbehaving\\\"}\""),
    ];
    let kept = honest.iter().filter(|(name, _)| !macros.iter().any(|given| given.starts_with(name)));
    let mut arguments: Vec<String> = kept.map(|(name, value)| format!("-D{name}={value}")).collect();
    arguments.extend(macros.iter().map(|given| format!("-D{given}")));
    arguments.extend(["-shared", "-fPIC", "-o"].map(String::from));
    arguments.extend([library.display().to_string(), include()]);
    arguments.push(here("tests/it/misbehaving.c").display().to_string());
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    compile("CC", &arguments).map(|()| library)
}

fn refusal(path: &Path) -> Error {
    Plugin::load(path).err().unwrap_or_else(|| panic!("{} was taken for a plugin", path.display()))
}

#[test]
fn what_is_no_plugin_is_refused_by_kind() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(refusal(&folder.path().join("gone.so")), Error::Missing { .. }));
    assert!(matches!(refusal(folder.path()), Error::Missing { .. }), "a folder is no library");
    let text = folder.path().join("text.so");
    std::fs::write(&text, "not a library").unwrap();
    let error = refusal(&text);
    assert!(matches!(error, Error::NotALibrary { .. }));
    let said = error.to_string();
    assert_eq!(said.matches("text.so").count(), 1, "the path once: {said}");
}

#[test]
fn a_table_that_does_not_fit_is_refused_by_what_does_not_fit() {
    for (macros, fits) in [
        (&["ENTRY=other_name"][..], (|e| matches!(e, Error::NoEntry { .. })) as fn(&Error) -> bool),
        (&["REFUSE=1"], |e| matches!(e, Error::Refuses { host: 2, .. })),
        (&["VERSION=1"], |e| matches!(e, Error::Version { found: 1, host: 2, .. })),
        (&["SIZE=16"], |e| matches!(e, Error::Size { found: 16, .. })),
        (&["RUN=0"], |e| matches!(e, Error::MissingFunction { function: "run", .. })),
        (&["DESCRIPTION=\"{}\""], |e| matches!(e, Error::Description { .. })),
        (&["DESCRIPTION=\"\\xff\""], |e| matches!(e, Error::Description { .. })),
    ] {
        // A folder each: a library of one path is loaded once.
        let folder = tempfile::tempdir().unwrap();
        let Some(library) = build(&folder, macros) else { return };
        let error = refusal(&library);
        assert!(fits(&error), "{macros:?}: {error}");
        assert!(error.to_string().contains("misbehaving.so"), "{error}");
    }
}

type Answers = Vec<(usize, usize, String, Option<f32>)>;

/// Opens with this mode, answers three lines, and asks for the breakdown.
fn work(plugin: &Plugin, mode: &str) -> dyno_api::Result<(Answers, String)> {
    let settings: Settings = json!({ "mode": mode }).as_object().unwrap().clone();
    let model = plugin.open(&[], &settings)?;
    let mut answers = Vec::new();
    let mut sink = |a: Answer<'_>| answers.push((a.line, a.rank, a.text.to_owned(), a.score));
    model.session()?.run(&[b"one", b"", "drei ü".as_bytes()], &mut sink)?;
    Ok((answers, json!(model.breakdown()?).to_string()))
}

#[test]
fn a_plugin_that_misbehaves_at_work_is_told_by_what_it_did() {
    let folder = tempfile::tempdir().unwrap();
    let Some(library) = build(&folder, &[]) else { return };
    let plugin = Plugin::load(&library).unwrap();
    for (mode, part) in [
        ("open-fail", "the cat sat on it"),
        ("open-nothing", "`open` reported success but gave nothing"),
        ("describe-odd", "`describe` gave JSON that can't be used"),
        ("session-fail", "the cat sat on it"),
        ("session-nothing", "`open_session` reported success but gave nothing"),
        ("run-fail", "the cat sat on it"),
        ("too-few", "left line 1 of 3 unanswered"),
        ("twice", "answered line 0 of 3 twice"),
        ("beyond", "answered line 3 of a call with 3"),
        ("huge", "answered line 18446744073709551615"),
        ("ranks", "left line 0 of 3 unanswered"),
        ("answer-size", "bytes where this dyno has"),
        ("no-answer", "no address"),
        ("nowhere", "`run` gave text"),
        ("latin", "isn't UTF-8"),
        ("breakdown-fail", "the cat sat on it"),
        ("breakdown-odd", "`breakdown` gave JSON that can't be used: invalid value: integer `-7`"),
        ("breakdown-names", "has the part \"<b>\"; it may have tokenise"),
        ("open-silent", "`open` failed without a reason"), // last: it never gives a reason again
    ] {
        let said = work(&plugin, mode).unwrap_err().to_string();
        assert!(said.starts_with("misbehaving.so: ") && said.contains(part), "{mode}: {said}");
    }
}

#[test]
fn an_honest_plugin_gives_answers_ranks_scores_and_breakdown() {
    let folder = tempfile::tempdir().unwrap();
    let Some(library) = build(&folder, &[]) else { return };
    let plugin = Plugin::load(&library).unwrap();
    assert_eq!((plugin.name(), plugin.about()), ("misbehaving", ""));
    let lines = ["one", "", "drei ü"];
    let plain = |rank: usize| move |(at, line): (usize, &&str)| (at, rank, line.to_string(), None);
    let (answers, breakdown) = work(&plugin, "honest").unwrap();
    assert_eq!(answers, lines.iter().enumerate().map(plain(0)).collect::<Answers>());
    assert_eq!(breakdown, r#"{"components":{"search":7},"operators":{"other":7}}"#);
    let (answers, breakdown) = work(&plugin, "n-best scores breakdown-none").unwrap();
    assert_eq!(
        answers.iter().map(|a| (a.0, a.1)).collect::<Vec<_>>(),
        [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]
    );
    assert_eq!(answers.iter().map(|a| a.3).collect::<Vec<_>>(), [0.0, 0.0, 0.5, 0.5, 1.0, 1.0].map(Some));
    assert_eq!(breakdown, "null");
}
