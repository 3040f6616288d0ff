//! Files of sentence pairs with gold scores (semantic textual similarity), for encoders.
//!
//! A row has two sentences and a score: comma-separated with quotes, or tab-separated in files that end in
//! `.tsv`. There is no head row.

use std::path::Path;

use dyno_api::files;
use dyno_measure::{TestSet, words};

pub fn read_pairs(name: &str, path: &Path) -> Result<TestSet, String> {
    let fault = |what: String| format!("{}: {what}", path.display());
    let bytes = files::read(path).map_err(|error| fault(format!("{error}; correct its path")))?;
    let tabs = path.extension().is_some_and(|extension| extension == "tsv");
    let mut builder = csv::ReaderBuilder::new();
    builder.has_headers(false).delimiter(if tabs { b'\t' } else { b',' }).quoting(!tabs);
    let mut pairs = Vec::new();
    for (row, read) in builder.from_reader(&bytes[..]).deserialize().enumerate() {
        let (row, rule) = (row + 1, "a row has two sentences and a score");
        let pair: (String, String, f64) =
            read.map_err(|error| fault(format!("row {row}: {error}; {rule}")))?;
        if !pair.2.is_finite() || words(pair.0.as_bytes()).min(words(pair.1.as_bytes())) == 0 {
            let remedy = "complete or remove it";
            return Err(fault(format!("row {row} lacks a sentence or a finite score; {remedy}")));
        }
        pairs.push(pair);
    }
    if pairs.len() < 2 {
        return Err(fault("has fewer than two pairs, which have no correlation; add pairs".into()));
    }
    Ok(TestSet::from_pairs(name, &pairs))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: &str, text: &str) -> Result<TestSet, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(file);
        std::fs::write(&path, text).unwrap();
        read_pairs("set", &path)
    }

    #[test]
    fn rows_are_read_with_quotes_or_with_tabs() {
        let set = read("p.csv", "\"A, b\",\"say \"\"c\"\"\",4.25\nd,e,0\n").unwrap();
        assert_eq!(set.source, [b"A, b".to_vec(), b"say \"c\"".into(), b"d".into(), b"e".into()]);
        assert_eq!(set.gold, [4.25, 0.0]);
        assert_eq!(read("p.tsv", "\"a\tb\t1\nc\td\t2\n").unwrap().source[0], b"\"a");
    }

    #[test]
    fn faulty_rows_are_told_with_their_number() {
        for (text, said) in [
            ("a,b,1\nc,d,high\n", "row 2: "),
            ("a,b\n", "two sentences and a score"),
            ("a,b,1\n ,d,2\n", "row 2 lacks a sentence"),
            ("a,b,NaN\nc,d,1\n", "row 1 lacks"),
            ("a,b,1\n", "fewer than two pairs"),
        ] {
            let told = read("p.csv", text).unwrap_err();
            assert!(told.contains(said), "{text:?}: {told}");
        }
    }
}
