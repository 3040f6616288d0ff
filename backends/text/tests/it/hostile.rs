//! Files that lie: whatever their bytes, a parser answers with a vocabulary or an error, never with a panic.

use dyno_text::{Format, Vocabulary};

use crate::fixtures::golden;

#[test]
fn every_truncation_is_an_answer() {
    let bytes = std::fs::read(golden("char.spm")).unwrap();
    for len in 0..bytes.len() {
        let _ = Format::SentencePiece.check(&bytes[..len]);
    }
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
