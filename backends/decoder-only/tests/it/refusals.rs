//! Damaged files: one line that says what is wrong, and no panic.

use dyno_api::{Backend, Settings};
use dyno_decoder_only::ENGINE;

use crate::goldens::{path, replaced};

/// Refusal of a model's bytes; `None` where it opens.
fn refusal(bytes: &[u8]) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.gguf");
    std::fs::write(&path, bytes).unwrap();
    ENGINE.open(&[path], &Settings::new()).err().map(|error| error.to_string())
}

/// The bytes of a model with another chat template. Spaces at its end keep the alignment of what follows.
fn with_template(model: &str, template: &str) -> Vec<u8> {
    let bytes = std::fs::read(path(model)).unwrap();
    let key = b"tokenizer.chat_template";
    // Behind the key: the code of texts in 32 bits, the length in 64, the text.
    let at = bytes.windows(key.len()).position(|part| part == key).unwrap() + key.len() + 4;
    let length = u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let mut template = template.to_owned();
    while template.len() % 32 != length % 32 {
        template.push(' ');
    }
    let new = (template.len() as u64).to_le_bytes();
    [&bytes[..at], &new, template.as_bytes(), &bytes[at + 8 + length..]].concat()
}

#[test]
fn what_is_missing_or_of_another_kind_is_told_by_its_name() {
    for (model, from, to, said) in [
        ("qwen2", "general.architecture", "general.architectura", "`general.architecture`: is missing"),
        ("qwen2", "qwen2", "phi-2", "the architecture `phi-2` is not supported"),
        ("qwen2", "blk.1.attn_q.bias", "blk.1.attn_q.bios", "`blk.1.attn_q.bias`: is missing"),
        (
            "llama",
            "rope_freqs.weight",
            "rope_frets.weight",
            "`rope_frets.weight`: this tensor is not supported",
        ),
        ("gemma3", "linear", "yarned", "`gemma3.rope.scaling.type`: the scaling `yarned` is not supported"),
        ("qwen2", "tokenizer.ggml.pre", "tokenizer.ggml.pro", "\"default\" isn't supported"),
        ("qwen2", "tokenizer.ggml.tokens", "tokenizer.ggml.tokons", "has 0 words"),
        ("llama", "tokenizer.ggml.scores", "tokenizer.ggml.scares", "0 scores for"),
        ("qwen2", "{% endfor %}", "{% andfor %}", "`tokenizer.chat_template`: "),
        ("qwen2", "message['content']", "message['role'   ]", "has no place for a line"),
    ] {
        let refusal = refusal(&replaced(model, from, to)).unwrap_or_default();
        assert!(refusal.contains(said) && !refusal.contains('\n'), "{model}, {to}: {refusal}");
    }
}

#[test]
fn no_changed_byte_of_the_header_makes_the_engine_panic() {
    let whole = std::fs::read(path("qwen3")).unwrap();
    // The tensors' bytes may be anything; the metadata are before them.
    let header = 24_000.min(whole.len());
    for at in (0..header).step_by(if cfg!(debug_assertions) { 997 } else { 61 }) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << (at % 8);
        if let Some(refusal) = refusal(&damaged) {
            assert!(!refusal.contains('\n'), "byte {at}: {refusal}");
        }
        let cut = refusal(&whole[..at]).unwrap();
        assert!(!cut.contains('\n'), "cut at {at}: {cut}");
    }
}

/// Templates that would take as much memory as they can get, each by another way of joining.
#[test]
fn a_template_that_makes_long_texts_is_refused_in_one_line() {
    let doubled = |join: &str| format!("{{% set x = 'abcdefgh' %}}{}", join.repeat(40));
    for template in [
        doubled("{% set x = x ~ x %}"),
        doubled("{% set x = x + x %}"),
        doubled("{% set x = x * 2 %}"),
        doubled("{% set x = [x, x]|join %}"),
        doubled("{% set x = x|replace('a', 'aa')|replace('b', x) %}"),
        doubled("{% set x = x.replace('a', x) %}"),
        doubled("{% set x = ''.join([x, x]) %}"),
        doubled("{% set x %}{{ x }}{{ x }}{% endset %}"),
        format!(
            "{{% macro two(x) %}}{{{{ x }}}}{{{{ x }}}}{{% endmacro %}}{}",
            doubled("{% set x = two(x) %}")
        ),
        "{% set l = ['abcdefgh'] * 1000000000 %}{{ l|join }}".into(),
        "{{ 'x'.join(range(90000)|list * 100) }}".into(),
        "{{ '%999999999d'|format(1) }}".into(),
        "{{ '{:999999999}'.format(1) }}".into(),
        "{{ [1]|slice(1000000000) }}".into(),
    ] {
        let refusal = refusal(&with_template("qwen2", &template)).unwrap_or_default();
        assert!(
            refusal.contains("`tokenizer.chat_template`: ") && !refusal.contains('\n'),
            "{template}: {refusal}"
        );
    }
}
