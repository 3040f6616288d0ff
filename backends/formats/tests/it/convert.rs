//! Conversion: faithful, deterministic, all or nothing.

use std::fs;
use std::path::Path;

use dyno_formats::{
    ConvertOptions, ConvertReport, Cut, ElementOrder, ModelDir, Precision, Scales, Shortlist, Vocabularies,
    convert,
};

use crate::goldens::{Words, bytes, path};

fn all_precisions() -> ConvertOptions<'static> {
    let languages = Some(["en".into(), "de".into()]);
    ConvertOptions { precisions: Precision::ALL.to_vec(), languages, ..ConvertOptions::default() }
}

fn converted(to: &Path) -> ConvertReport {
    convert(&ModelDir::open(path("decoder.yml")).unwrap(), to, &all_precisions()).unwrap()
}

/// Converts the goldens' model and gives the text of its description.
pub fn convert_tiny(to: &Path, decoder: &str) -> String {
    convert(&ModelDir::open(path(decoder)).unwrap(), to, &all_precisions()).unwrap();
    fs::read_to_string(to.join("model.toml")).unwrap()
}

#[test]
fn a_converted_model_is_the_original_at_each_precision() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("model");
    converted(&to);
    let (source, model) = (ModelDir::open(path("decoder.yml")).unwrap(), ModelDir::open(&to).unwrap());
    model.verify().unwrap();
    assert_eq!(model.languages().unwrap(), &["en", "de"]);
    assert!(model.shares_vocabulary());
    assert_eq!(model.shortlist().unwrap().1, Cut { first: 4, best: 3, threshold: 0.0 });
    for precision in Precision::ALL {
        let (derived, stored) = (source.load(precision).unwrap(), model.load(precision).unwrap());
        assert!(stored.origin().ends_with(format!("weights.{precision}.safetensors")));
        for tensor in stored.iter() {
            let twin = derived.get(tensor.name()).unwrap();
            assert_eq!(
                (tensor.dtype(), tensor.shape(), tensor.scales()),
                (twin.dtype(), twin.shape(), twin.scales())
            );
            assert_eq!(tensor.to_f32().unwrap(), twin.to_f32().unwrap(), "{tensor:?}");
        }
    }
}

#[test]
fn a_description_names_the_default_precision() {
    let folder = tempfile::tempdir().unwrap();
    let source = ModelDir::open(path("decoder.yml")).unwrap();
    assert_eq!((source.named_precision(), source.default_precision()), (None, Precision::F32));
    for default in [None, Some(Precision::Int8)] {
        let to = folder.path().join(format!("{default:?}"));
        let options = ConvertOptions { default_precision: default, ..all_precisions() };
        convert(&source, &to, &options).unwrap();
        let model = ModelDir::open(&to).unwrap();
        let taken = default.unwrap_or(Precision::F32);
        assert_eq!((model.named_precision(), model.default_precision()), (default, taken));
    }
    let description = folder.path().join("Some(Int8)/model.toml");
    let text = fs::read_to_string(&description).unwrap().replace("\"int8\"\nvoc", "\"int4\"\nvoc");
    fs::write(&description, text).unwrap();
    let refusal = ModelDir::open(folder.path().join("Some(Int8)")).unwrap_err().to_string();
    assert!(refusal.contains("precision") && refusal.contains("`int4` is no precision"), "{refusal}");
}

#[test]
fn configurations_travel_verbatim() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("model");
    let text = convert_tiny(&to, "decoder.yml");
    assert!(text.contains("\n[marian]\ndec-cell = \"ssru\"\ndec-depth = 1\n"), "{text}");
    let (source, model) = (ModelDir::open(path("decoder.yml")).unwrap(), ModelDir::open(&to).unwrap());
    for (key, value) in source.marian().unwrap().entries() {
        assert_eq!(model.marian().unwrap().find(key), Some(value), "{key}");
    }
    assert_eq!(model.decoder().unwrap().text("normalize").unwrap(), "0.6");
    assert!(!model.decoder().unwrap().has("vocabs"));
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    let (first, second) = (converted(&one), converted(&two));
    assert_eq!(first.files, second.files);
    assert_eq!(first.tensors, second.tensors);
    assert_eq!(fs::read(one.join("model.toml")).unwrap(), fs::read(two.join("model.toml")).unwrap());
}

#[test]
fn the_report_knows_files_and_errors() {
    let folder = tempfile::tempdir().unwrap();
    let report = converted(&folder.path().join("model"));
    let names: Vec<&str> = report.files.keys().map(String::as_str).collect();
    let weights = ["f16", "f32", "int16", "int8"].map(|name| format!("weights.{name}.safetensors"));
    assert_eq!(names[..2], ["shortlist.txt", "vocab.yml"]);
    assert_eq!(names[2..], weights);
    assert_eq!(report.tensors.len(), 9, "three matrices at three precisions");
    for tensor in report.tensors {
        let half_a_step = match tensor.precision {
            Precision::F16 => tensor.max_value * 2f32.powi(-11),
            Precision::Int16 => 0.5 / 1024.0,
            _ => tensor.max_value / 127.0 * 0.5001,
        };
        assert!(tensor.max_error > 0.0 && tensor.max_error <= half_a_step, "{tensor:?}");
    }
}

#[test]
fn tensors_are_aligned_and_the_header_is_sorted() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("model");
    converted(&to);
    let file = fs::read(to.join("weights.int8.safetensors")).unwrap();
    let length = u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
    assert_eq!((8 + length) % 64, 0);
    let header: serde_json::Value = serde_json::from_slice(&file[8..8 + length]).unwrap();
    let names: Vec<&String> = header.as_object().unwrap().keys().collect();
    assert!(names[0] == "__metadata__" && names[1..].is_sorted(), "{names:?}");
    for (name, tensor) in header.as_object().unwrap().iter().filter(|(name, _)| *name != "__metadata__") {
        let offsets = crate::goldens::counts(&tensor["data_offsets"]);
        let ragged = !(offsets[1] - offsets[0]).is_multiple_of(64);
        assert_eq!(offsets[0] % if ragged { 4 } else { 64 }, 0, "{name}");
    }
}

#[test]
fn quantised_weights_keep_their_integers() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("model");
    let vocabulary = path("vocab.yml");
    let source = ModelDir::open_weights(&path("foreign.int8.bin"), [&vocabulary, &vocabulary], None).unwrap();
    let options = ConvertOptions { precisions: vec![Precision::Int8], ..ConvertOptions::default() };
    convert(&source, &to, &options).unwrap();
    let (before, after) =
        (source.load(Precision::Int8).unwrap(), ModelDir::open(&to).unwrap().load(Precision::Int8).unwrap());
    for tensor in after.iter() {
        let twin = before.get(tensor.name()).unwrap();
        for (value, original) in tensor.to_f32().unwrap().iter().zip(twin.to_f32().unwrap().iter()) {
            assert!((value - original).abs() <= original.abs() * 1e-6, "{tensor:?}");
        }
    }
    let weight = after.get("encoder_l1_ffn_W1").unwrap();
    assert!(matches!(weight.scales(), Some(Scales::Columns(scales)) if scales.len() == 16));
}

#[test]
fn a_given_shortlist_is_written_in_binary() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("model");
    let (source, words) = (ModelDir::open(path("decoder.yml")).unwrap(), Words::of_goldens());
    let vocabularies = Vocabularies { source: &words, target: &words, shared: source.shares_vocabulary() };
    let (file, cut) = source.shortlist().unwrap();
    let shortlist = Shortlist::open(file, cut, vocabularies).unwrap();
    let options = ConvertOptions { shortlist: Some((file, &shortlist)), ..all_precisions() };
    convert(&source, &to, &options).unwrap();
    assert_eq!(fs::read(to.join("shortlist.bin")).unwrap(), bytes("lex.bin"));
    let model = ModelDir::open(&to).unwrap();
    let (file, cut) = model.shortlist().unwrap();
    assert_eq!(Shortlist::open(file, cut, vocabularies).unwrap(), shortlist);
}

#[test]
fn a_vocabulary_map_is_taken_along_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let (to, file) = (folder.path().join("model"), folder.path().join("map.tsv"));
    fs::write(&file, "\ta b\nc\td\nc d\te\n").unwrap();
    let (source, words) = (ModelDir::open(path("decoder.yml")).unwrap(), Words::of_goldens());
    let vocabularies = Vocabularies { source: &words, target: &words, shared: true };
    let map = Shortlist::open(&file, Cut::default(), vocabularies).unwrap();
    let options = ConvertOptions { shortlist: Some((&file, &map)), ..all_precisions() };
    convert(&source, &to, &options).unwrap();
    let (written, cut) =
        ModelDir::open(&to).unwrap().shortlist().map(|(path, cut)| (path.to_owned(), cut)).unwrap();
    assert_eq!(written, to.join("shortlist.txt"));
    assert_eq!(fs::read(&written).unwrap(), fs::read(&file).unwrap());
    assert_eq!(Shortlist::open(&written, cut, vocabularies).unwrap(), map);
}

#[test]
fn what_is_there_is_replaced_only_when_asked_and_only_if_it_is_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("model");
    let source = ModelDir::open(path("decoder.yml")).unwrap();
    converted(&to);
    let refusal = convert(&source, &to, &all_precisions()).unwrap_err().to_string();
    assert!(refusal.ends_with("is there already; name another place, or --overwrite it"), "{refusal}");
    let options =
        ConvertOptions { precisions: vec![Precision::F16], overwrite: true, ..ConvertOptions::default() };
    convert(&source, &to, &options).unwrap();
    assert_eq!(ModelDir::open(&to).unwrap().weights().len(), 1);
    let precious = folder.path().join("precious");
    fs::create_dir(&precious).unwrap();
    let refusal = convert(&source, &precious, &all_precisions()).unwrap_err().to_string();
    assert!(refusal.ends_with("is there already; name another place"), "{refusal}");
    let refusal = convert(&source, &precious, &options).unwrap_err().to_string();
    assert!(refusal.ends_with("it is no model directory, so it won't be replaced"), "{refusal}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left beside them");
}

#[test]
fn a_failure_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("model");
    let vocabulary = path("vocab.yml");
    let source = ModelDir::open_weights(&path("tiny.int8.bin"), [&vocabulary, &vocabulary], None).unwrap();
    let options =
        ConvertOptions { precisions: vec![Precision::Int8, Precision::F32], ..ConvertOptions::default() };
    let refusal = convert(&source, &to, &options).unwrap_err().to_string();
    assert!(refusal.contains("has no weights from which f32 can be made"), "{refusal}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_changed_file_fails_verification() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("model");
    converted(&to);
    fs::write(to.join("vocab.yml"), "</s>: 0\n").unwrap();
    let refusal = ModelDir::open(&to).unwrap().verify().unwrap_err().to_string();
    assert!(
        refusal.ends_with("vocab.yml: isn't the file that model.toml lists: its hash differs"),
        "{refusal}"
    );
}

/// The options of a packed int8 model.
fn packed() -> ConvertOptions<'static> {
    ConvertOptions { precisions: vec![Precision::Int8], packed: true, ..ConvertOptions::default() }
}

#[test]
fn packed_weights_are_the_same_in_another_order() {
    let folder = tempfile::tempdir().unwrap();
    let [plain, to, back] = ["plain", "packed", "back"].map(|name| folder.path().join(name));
    let source = ModelDir::open(path("decoder.yml")).unwrap();
    convert(&source, &plain, &ConvertOptions { packed: false, ..packed() }).unwrap();
    convert(&source, &to, &packed()).unwrap();
    let int8 = |model: &Path| ModelDir::open(model).unwrap().load(Precision::Int8).unwrap();
    let (before, after) = (int8(&plain), int8(&to));
    assert!(before.names().eq(after.names()));
    for tensor in after.iter() {
        let twin = before.get(tensor.name()).unwrap();
        assert_eq!((tensor.shape(), tensor.scales()), (twin.shape(), twin.scales()));
        assert_eq!(tensor.to_f32().unwrap(), twin.to_f32().unwrap(), "{tensor:?}");
        let product = matches!(tensor.scales(), Some(Scales::Columns(_)));
        assert_eq!(tensor.layout() == ElementOrder::Panels, product, "{tensor:?}");
        assert_eq!(tensor.panels().is_some(), product);
    }
    // Back in rows, the file is the one that was never packed.
    convert(&ModelDir::open(&to).unwrap(), &back, &ConvertOptions { packed: false, ..packed() }).unwrap();
    let file = |model: &Path| fs::read(model.join("weights.int8.safetensors")).unwrap();
    assert_eq!(file(&back), file(&plain));
}

/// Element (row, column) of [8, 80] lies in a panel of 64 columns or in one of 16.
#[test]
fn panels_hold_four_rows_of_sixteen_columns_at_a_time() {
    let at = |row, column| ElementOrder::Panels.offset(row, column, 8, 80);
    assert_eq!([at(0, 0), at(1, 0), at(3, 0), at(0, 1), at(0, 15)], [0, 1, 3, 4, 60]);
    assert_eq!([at(0, 16), at(0, 63), at(4, 0), at(7, 63)], [64, 252, 256, 511]);
    assert_eq!([at(0, 64), at(4, 64), at(7, 79)], [512, 576, 639]);
}

#[test]
fn packed_weights_that_panels_do_not_hold_are_refused() {
    let file = |order: &str, dtype: &str, shape: [usize; 2], scale: &str| {
        let size = shape[0] * shape[1] * if dtype == "I8" { 1 } else { 4 };
        let header = format!(
            r#"{{"__metadata__":{{"packed":"{order}"}},
            "W.packed":{{"dtype":"{dtype}","shape":{shape:?},"data_offsets":[0,{size}]}},
            "{scale}":{{"dtype":"F32","shape":[1,{}],"data_offsets":[{size},{}]}}}}"#,
            shape[1],
            size + 4 * shape[1]
        );
        let ones = std::iter::repeat_n(1f32.to_le_bytes(), shape[1]).flatten();
        let integers = vec![1u8; size];
        (header.len() as u64)
            .to_le_bytes()
            .into_iter()
            .chain(header.bytes())
            .chain(integers)
            .chain(ones)
            .collect()
    };
    let opened = |bytes: Vec<u8>| dyno_formats::Weights::from_bytes("m", bytes);
    let panels = "panels-64x4x16";
    assert!(opened(file(panels, "I8", [4, 16], "W.scale")).unwrap().get("W").unwrap().panels().is_some());
    for (bytes, fault) in [
        (file("panels-32", "I8", [4, 16], "W.scale"), "m: is packed in the order `panels-32`"),
        (file(panels, "I8", [6, 16], "W.scale"), "m: `W.packed`: is I8 [6, 16], which panels don't hold"),
        (file(panels, "I8", [4, 20], "W.scale"), "m: `W.packed`: is I8 [4, 20], which panels don't hold"),
        (file(panels, "F32", [4, 16], "W.scale"), "m: `W.packed`: is F32 [4, 16], which panels don't hold"),
        (file(panels, "I8", [4, 16], "V.scale"), "m: `W`: is packed, but has no scale for each column"),
    ] {
        let refusal = opened(bytes).unwrap_err().to_string();
        assert!(refusal.starts_with(fault) && refusal.lines().count() == 1, "{refusal}");
    }
}
