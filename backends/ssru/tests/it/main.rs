//! The engine against Marian's own outputs.

use std::path::Path;

use dyno_parity::Goldens;
use dyno_ssru::ENGINE;

#[test]
fn fixtures_translate_as_by_marian() {
    let Some((goldens, home)) = Goldens::fixtures("parity of ssru") else { return };
    for model in ["ssru/model.npz", "ssru/model.f32.bin"] {
        goldens.check(&ENGINE, &home.join(model));
    }
}

#[test]
fn the_option_space_translates_as_by_marian() {
    Goldens::check_folder(&ENGINE, &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/marian"));
}
