//! What the crate `tokenizers` takes for granted of a tokeniser's template, and panics without: a file may be damaged.

use serde_json::Value;
use tokenizers::Tokenizer;

/// Fault of the template that puts special words around a line; `None` where there is none.
pub(crate) fn fault(tokenizer: &Tokenizer) -> Option<String> {
    let processor = serde_json::to_value(tokenizer.get_post_processor()?).ok()?;
    fault_of(&processor)
}

fn fault_of(processor: &Value) -> Option<String> {
    match processor["type"].as_str()? {
        "Sequence" => processor["processors"].as_array()?.iter().find_map(fault_of),
        "TemplateProcessing" => {
            let words = &processor["special_tokens"];
            processor["single"].as_array()?.iter().find_map(|piece| fault_of_piece(piece, words))
        }
        _ => None,
    }
}

/// A word of the template must have ids, and a single line no second part.
fn fault_of_piece(piece: &Value, words: &Value) -> Option<String> {
    let word = piece["SpecialToken"]["id"].as_str().filter(|word| words.get(word).is_none());
    let word = word.map(|word| format!("its template names {word:?}, which has no ids there"));
    let second = piece["Sequence"]["id"].as_str().filter(|part| *part != "A");
    word.or_else(|| second.map(|_| "its template for one line asks for a second one".into()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn templates_that_the_crate_would_panic_of_have_a_fault() {
        let template = |word: &str, part: &str| {
            json!({
                "type": "TemplateProcessing",
                "single": [{ "SpecialToken": { "id": word, "type_id": 0 } }, { "Sequence": { "id": part, "type_id": 0 } }],
                "pair": [],
                "special_tokens": { "[CLS]": { "id": "[CLS]", "ids": [2], "tokens": ["[CLS]"] } },
            })
        };
        assert_eq!(fault_of(&template("[CLS]", "A")), None);
        assert!(fault_of(&template("[SEP]", "A")).unwrap().contains("\"[SEP]\", which has no ids"));
        assert!(fault_of(&template("[CLS]", "B")).unwrap().contains("a second one"));
        let within = json!({ "type": "Sequence", "processors": [template("[SEP]", "A")] });
        assert!(fault_of(&within).is_some());
        assert_eq!(fault_of(&json!({ "type": "ByteLevel" })), None);
    }
}
