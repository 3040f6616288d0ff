//! All lines as JSON for the page's script, which searches, orders and draws them.
//!
//! ```text
//! {"names": [[system, …], …], "lines": [{"number", "source", "references", "texts", "given"}, …]}
//! ```
//! `names` has the systems of each output. `texts` of a line are its different texts; `given` has, for each
//! output, the index of its text.
//!
//! The JSON is plain, so that any program can read it. A published run, of 1,000 lines and 12 different
//! outputs of translators, holds 0.5 MB of it. Twenty systems that never agree would fill 8 MB with 3,003
//! lines, so lines beyond the budget are left out.

use dyno_api::printable;
use dyno_measure::TestSet;
use itertools::Itertools;
use serde_json::{Value, json};

use super::words::Texts;

/// The data of the first of `lines` that fit into `budget` bytes; and the number of these lines.
pub fn data(set: &TestSet, texts: &Texts<'_>, lines: &[usize], budget: usize) -> (String, usize) {
    let mut bytes = 0;
    let fits = |line: &String| {
        bytes += line.len() + 1;
        bytes <= budget
    };
    let lines = lines.iter().map(|&line| embedded(&line_data(set, texts, line)));
    let held: Vec<String> = lines.take_while(fits).collect();
    let names = embedded(&json!(texts.names));
    (format!("{{\"names\":{names},\"lines\":[{}]}}", held.join(",")), held.len())
}

fn line_data(set: &TestSet, texts: &Texts<'_>, index: usize) -> Value {
    let all = texts.texts.iter().map(|lines| lines[index].as_str());
    let different: Vec<&str> = all.clone().unique().collect();
    let given: Vec<_> = all.map(|text| different.iter().position(|other| *other == text)).collect();
    let references: Vec<&String> = set.references.iter().filter_map(|lines| lines.get(index)).collect();
    json!({
        "number": index + 1, "source": String::from_utf8_lossy(&set.source[index]), "references": references,
        "texts": different, "given": given,
    })
}

/// JSON that can stand inside a script element: nothing in it looks like markup. Texts are those that
/// [`escape`](crate::charts::escape) leaves.
fn embedded(value: &Value) -> String {
    printable(&value.to_string()).replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_held_once() {
        let lines = ["a", "b"].map(String::from);
        let set = TestSet { references: vec![lines.to_vec()], ..TestSet::from_lines("set", lines.clone()) };
        let outputs = [["x", "y"], ["z", "y"], ["x", "y"]].map(|lines| lines.map(String::from));
        let texts = Texts {
            names: vec![vec!["s", "t"], vec!["u"], vec!["v"]],
            texts: outputs.iter().map(|lines| &lines[..]).collect(),
        };
        let (all, held) = data(&set, &texts, &[0, 1], 1000);
        let all: Value = serde_json::from_str(&all).unwrap();
        assert_eq!(all["names"], json!([["s", "t"], ["u"], ["v"]]));
        let first =
            json!({"number": 1, "source": "a", "references": ["a"], "texts": ["x", "z"], "given": [0, 1, 0]});
        assert_eq!((&all["lines"][0], &all["lines"][1]["given"]), (&first, &json!([0, 0, 0])));
        assert_eq!(held, 2);
        let (some, held) = data(&set, &texts, &[0, 1], first.to_string().len() + 1);
        assert_eq!(held, 1, "the second line is beyond the budget");
        assert_eq!(serde_json::from_str::<Value>(&some).unwrap()["lines"], json!([first]));
    }

    #[test]
    fn data_hold_no_markup() {
        assert_eq!(embedded(&json!("</script><!--")), "\"\\u003c/script>\\u003c!--\"");
    }
}
