//! A Rust backend behind the table gives what it gives without it; panics and refusals come back as failures.

#![allow(unsafe_code)] // its own entry function is called as a host would

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dyno_api::{Answer, Backend, Breakdown, Facts, Model, Result, Session, Settings, SettingsReader, Sink};
use dyno_plugin::Plugin;
use serde_json::json;

/// Answers with the lines reversed, twice; panics on `!`.
struct Reverse;

impl Backend for Reverse {
    fn name(&self) -> &str {
        "reverse"
    }

    fn about(&self) -> &str {
        "the letters from behind"
    }

    fn open(&self, models: &[PathBuf], settings: &Settings) -> Result<Arc<dyn Model>> {
        let mut reader = SettingsReader::new("reverse", settings);
        let loud = reader.take("loud", "true or false")?.unwrap_or(false);
        reader.finish()?;
        Ok(Arc::new(Mirror { loud, models: models.to_vec() }))
    }
}

struct Mirror {
    loud: bool,
    models: Vec<PathBuf>,
}

impl Model for Mirror {
    fn facts(&self) -> Facts {
        let files =
            self.models.iter().map(|path| dyno_api::OpenedFile { path: path.clone(), bytes: 7 }).collect();
        Facts {
            backend: "reverse".into(),
            version: "2".into(),
            parameters: Some(3),
            files,
            ..Facts::default()
        }
    }

    fn session(&self) -> Result<Box<dyn Session>> {
        Ok(Box::new(Backwards { loud: self.loud }))
    }

    fn breakdown(&self) -> Result<Option<Breakdown>> {
        Ok(self.loud.then(|| Breakdown { components: [("search".into(), 5)].into(), ..Breakdown::default() }))
    }
}

struct Backwards {
    loud: bool,
}

impl Session for Backwards {
    fn run(&mut self, lines: &[&[u8]], sink: &mut dyn Sink) -> Result<()> {
        for (line, bytes) in lines.iter().enumerate().rev() {
            assert!(*bytes != b"!", "not this one");
            let mut text: String = String::from_utf8_lossy(bytes).chars().rev().collect();
            if self.loud {
                text = text.to_uppercase();
            }
            for rank in [0, 1] {
                sink.answer(Answer { line, rank, text: &text, score: (rank == 1).then_some(-0.5) });
            }
        }
        Ok(())
    }
}

dyno_plugin::export!(Reverse);

unsafe extern "C" {
    // What the macro above has made.
    fn dyno_backend_entry(version: u32) -> *const dyno_plugin::abi::Backend;
}

fn plugin() -> Plugin {
    // SAFETY: the entry is the macro's own.
    unsafe { Plugin::of_entry(Path::new("reverse.so"), dyno_backend_entry) }.unwrap()
}

fn answers(backend: &dyn Backend, settings: serde_json::Value, lines: &[&[u8]]) -> Result<Vec<String>> {
    let model = backend.open(&["a/b".into(), "c".into()], settings.as_object().unwrap())?;
    let mut said = vec![format!("{:?} {:?}", model.facts(), model.breakdown()?)];
    let mut sink = |answer: Answer<'_>| said.push(format!("{answer:?}"));
    model.session()?.run(lines, &mut sink)?;
    Ok(said)
}

#[test]
fn a_backend_is_the_same_behind_the_table() {
    let plugin = plugin();
    assert_eq!((plugin.name(), plugin.about()), (Reverse.name(), Reverse.about()));
    assert_eq!(plugin.task(), Reverse.task());
    let lines: [&[u8]; 4] = [b"abc", b"", "für ß".as_bytes(), b"\xff\n"];
    for settings in [json!({}), json!({ "loud": true })] {
        let expected = answers(&Reverse, settings.clone(), &lines).unwrap();
        assert_eq!(answers(&plugin, settings, &lines).unwrap(), expected);
        assert_eq!(expected.len(), 1 + 2 * lines.len(), "{expected:?}");
    }
}

#[test]
fn a_backend_without_a_clock_is_not_asked_to_watch() {
    let watched = answers(&plugin(), json!({ "breakdown": true }), &[b"abc"]).unwrap();
    assert_eq!(watched, answers(&Reverse, json!({}), &[b"abc"]).unwrap());
    assert!(plugin().watches() && !Reverse.watches());
}

#[test]
fn sessions_of_one_model_work_at_the_same_time() {
    let model = plugin().open(&[], &Settings::new()).unwrap();
    let work = |number: usize| {
        let (line, mut said) = (format!("{number}0"), Vec::new());
        let mut session = model.session().unwrap();
        for _ in 0..100 {
            let mut sink = |answer: Answer<'_>| said.push(answer.text.to_owned());
            session.run(&[line.as_bytes()], &mut sink).unwrap();
        }
        assert_eq!(said, vec![format!("0{number}"); 200]);
    };
    std::thread::scope(|scope| (1..5).for_each(|number| drop(scope.spawn(move || work(number)))));
}

#[test]
fn a_refusal_arrives_in_the_backends_own_words() {
    let said = answers(&plugin(), json!({ "lout": true }), &[]).unwrap_err().to_string();
    let hint = "reverse has no setting `lout` (did you mean `loud`?); it knows: loud";
    assert_eq!(said, format!("reverse.so: {hint}"));
}

#[test]
fn a_panic_arrives_as_a_failure() {
    let said = answers(&plugin(), json!({}), &[b"a", b"!"]).unwrap_err().to_string();
    assert!(said.starts_with("reverse.so: it panicked: not this one"), "{said}");
}
