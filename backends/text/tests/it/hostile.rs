//! Files that lie: whatever their bytes, a parser answers with a vocabulary or an error, never with a panic.

use dyno_text::{Format, Side, Vocabulary};

use crate::fixtures::golden;

#[test]
fn every_truncation_is_an_answer() {
    let bytes = std::fs::read(golden("char.spm")).unwrap();
    for len in 0..bytes.len() {
        let _ = Format::SentencePiece.check(&bytes[..len]);
    }
}

/// Ids without a word take room: many gaps of the greatest size would take gigabytes.
#[test]
fn ids_far_beyond_the_words_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (pieces, added) = (folder.path().join("char.spm"), folder.path().join("added_tokens.json"));
    std::fs::copy(golden("char.spm"), &pieces).unwrap();
    let open = |ids: &[u32]| {
        let words: Vec<String> = ids.iter().map(|id| format!("\"<{id}>\": {id}")).collect();
        std::fs::write(&added, format!("{{{}}}", words.join(", "))).unwrap();
        Vocabulary::open(&pieces, std::slice::from_ref(&added), Side::Target)
            .map(|vocabulary| vocabulary.len())
    };
    assert_eq!(open(&[60_000]).unwrap(), 60_001);
    let fault = open(&[60_000, 120_000, 180_000]).map(|_| ()).unwrap_err().to_string();
    assert!(fault.contains("has the far id"), "{fault}");
    let tokenizer = r#"{"model": {"type": "WordLevel", "unk_token": "<unk>", "vocab": {"</s>": 0, "<unk>": 4000000000}}}"#;
    let fault = Format::Tokenizer.check(tokenizer.as_bytes()).unwrap_err().to_string();
    assert!(fault.contains("id 4000000000 is beyond all reason"), "{fault}");
}

#[test]
fn faults_are_told_in_one_line_with_the_file() {
    let path = std::env::temp_dir().join(format!("dyno-text-{}.spm", std::process::id()));
    std::fs::write(&path, b"\x0a\x7fshort").unwrap();
    let fault = Vocabulary::from_path(&path).map(|_| ()).unwrap_err().to_string();
    std::fs::remove_file(&path).unwrap();
    assert!(fault.starts_with(&path.display().to_string()), "{fault}");
    assert!(fault.ends_with("byte 2: a length beyond the end; is this a SentencePiece model?"), "{fault}");
    let fault = Vocabulary::from_path("vocabulary.bin".as_ref()).map(|_| ()).unwrap_err();
    assert!(fault.to_string().contains("`vocabulary.bin` names no vocabulary format"), "{fault}");
}
