//! Ids of lines are llama.cpp's, and their text is the line's.

use dyno_decoder_only::{Prompt, Words};
use dyno_text::Scratch;

use crate::goldens::{Golden, MODELS, open};

fn words(model: &str) -> Words {
    let file = open(model);
    Words::open(&file, file.network().unwrap().words).unwrap()
}

#[test]
fn ids_are_those_of_llama_cpp_and_give_the_line_again() {
    let mut wrong = Vec::new();
    for model in MODELS {
        let words = words(model);
        for (line, expected) in Golden::of(model).lines {
            let mut ids = Vec::new();
            words.encode(&line, &mut Scratch::default(), &mut ids).unwrap();
            if ids != expected {
                wrong.push(format!("{model}: {line:?}\n   {ids:?}\n   {expected:?}"));
            }
            let text = words.decode(&ids);
            if text != line && text != format!(" {line}") {
                wrong.push(format!("{model}: {line:?} became {text:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_prompt_is_the_chat_of_the_file_around_the_line() {
    let prompt = |model: &str, text: &str| Prompt::new(&open(model), &words(model), text).unwrap();
    let smollm = prompt("smollm", "Say: {line}!");
    assert_eq!((&*smollm.left, &*smollm.right), ("user\nSay: ", "!"));
    assert_eq!((smollm.before, smollm.after[0]), (vec![0], 1));
    let gemma = prompt("gemma3", "{line}");
    assert_eq!((&*gemma.left, &*gemma.right), ("user\n", ""));
    assert_eq!((gemma.before, &gemma.after[..1]), (vec![1, 3], &[4][..]), "one start of the text, not two");
    let base = prompt("llama", "{line} =");
    assert_eq!((&*base.left, &*base.right, base.before, base.after), ("", " =", vec![1], vec![]));
}
