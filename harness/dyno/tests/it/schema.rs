//! Records keep the shape that docs/record.schema.json tells the world. The validator knows the keywords which that
//! file uses, and refuses others, so that none is passed over in silence.

use serde_json::{Value, json};
use sha2::Digest;

use crate::support::{Bench, LATENCY};

const SCHEMA: &str = include_str!("../../../../docs/record.schema.json");

/// What is wrong with `value`, or nothing.
pub fn faults(value: &Value, schema: &Value, root: &Value, at: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (keyword, rule) in schema.as_object().expect("a schema is an object") {
        let complaint = match keyword.as_str() {
            "$schema" | "title" | "description" | "$defs" | "properties" => None,
            "$ref" => {
                let name = rule.as_str().unwrap().strip_prefix("#").unwrap();
                found.extend(faults(value, root.pointer(name).expect("the definition is there"), root, at));
                None
            }
            "oneOf" => {
                let fits = |one: &&Value| faults(value, one, root, at).is_empty();
                let count = rule.as_array().unwrap().iter().filter(fits).count();
                (count != 1).then(|| format!("fits {count} of the alternatives"))
            }
            "type" => (!is_type(value, rule)).then(|| format!("is not of type {rule}")),
            "const" => (value != rule).then(|| format!("is not {rule}")),
            "enum" => (!rule.as_array().unwrap().contains(value)).then(|| format!("is none of {rule}")),
            "minimum" => {
                let below = value.as_f64().is_some_and(|number| number < rule.as_f64().unwrap());
                below.then(|| format!("is below {rule}"))
            }
            "minLength" => {
                let short = value.as_str().is_some_and(|text| text.len() < rule.as_u64().unwrap() as usize);
                short.then(|| "is too short".into())
            }
            "minItems" => {
                let few = value.as_array().is_some_and(|items| items.len() < rule.as_u64().unwrap() as usize);
                few.then(|| "has too few items".into())
            }
            "items" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    found.extend(faults(item, rule, root, &format!("{at}/{i}")));
                }
                None
            }
            "required" => {
                let lacks = |name: &&Value| value.get(name.as_str().unwrap()).is_none();
                rule.as_array().unwrap().iter().find(lacks).map(|name| format!("lacks {name}"))
            }
            "additionalProperties" => {
                assert_eq!(rule, &json!(false));
                let known = schema["properties"].as_object().unwrap();
                let mut names = value.as_object().into_iter().flatten().map(|(name, _)| name);
                names
                    .find(|name| !known.contains_key(*name))
                    .map(|name| format!("has {name:?}, which the schema doesn't know: describe it there"))
            }
            other => panic!("the schema uses {other:?}, which this validator doesn't know"),
        };
        found.extend(complaint.map(|complaint| format!("{at} {complaint}")));
    }
    for (name, schema) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        if let Some(value) = value.get(name) {
            found.extend(faults(value, schema, root, &format!("{at}/{name}")));
        }
    }
    found
}

fn is_type(value: &Value, rule: &Value) -> bool {
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("unknown type {other:?}"),
    };
    match rule {
        Value::Array(names) => names.iter().any(|name| is(name.as_str().unwrap())),
        name => is(name.as_str().unwrap()),
    }
}

fn schema() -> Value {
    serde_json::from_str(SCHEMA).expect("the schema is JSON")
}

/// Records of both kinds of track, of a built-in system, a foreign one, and one that fails.
fn records() -> Vec<Value> {
    let systems = "[[system]]\nname = \"null\"\nbackend = \"null\"\n\
                   [[system]]\nname = \"cat\"\ncommand = [\"cat\"]\n\
                   [[system]]\nname = \"bad\"\ncommand = [\"false\"]\n";
    let tracks = LATENCY.replace(
        "\"latency\"",
        "\"latency\", \"throughput-1\", { name = \"server\", limit-ms = 5, percentile = 50 }",
    );
    let bench = Bench::new(&format!("{tracks}{systems}"));
    assert_eq!(bench.run(&[]).code, Some(1), "one system is INVALID");
    bench.records()
}

#[test]
#[ignore = "takes many seconds"]
fn every_record_keeps_the_schema_and_broken_ones_are_noticed() {
    let (schema, records) = (schema(), records());
    assert_eq!(records.len(), 27);
    for record in &records {
        assert_eq!(faults(record, &schema, &schema, ""), Vec::<String>::new(), "{record}");
    }
    let break_it: [(&str, Value); 7] = [
        ("schema", json!(99)),
        ("track", json!("walking")),
        ("round", json!(-1)),
        ("system", json!("")),
        ("command", json!([])),
        ("latency_ns", json!([1.5])),
        ("surprise", json!(1)),
    ];
    for (field, value) in break_it {
        let mut record = records[0].clone();
        record[field] = value;
        assert_eq!(faults(&record, &schema, &schema, "").len(), 1, "{field}");
    }
    for field in ["usage", "verdict", "words"] {
        let mut record = records[0].clone();
        record.as_object_mut().unwrap().remove(field);
        assert_eq!(faults(&record, &schema, &schema, "").len(), 1, "{field}");
    }
}

#[test]
#[ignore = "takes many seconds"]
fn a_run_tunes_its_engines_once_and_records_which_tuning_they_had() {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/ssru");
    let system = format!("[[system]]\nname = \"ssru\"\nbackend = \"ssru\"\nmodel = {model:?}\n");
    let null = "[[system]]\nname = \"null\"\nbackend = \"null\"\n";
    let bench = Bench::new(&format!("{LATENCY}{system}{null}"));
    let ended = bench.run(&["--profile", "quick", "--explain"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let told: Vec<&str> = ended.stderr.lines().filter(|line| line.starts_with("tuned ")).collect();
    assert_eq!(told.len(), 1, "{ended:?}");
    let text = std::fs::read(bench.path("out/tuning/best.txt")).unwrap();
    let explained = ended.stderr.lines().filter(|line| line.ends_with("times as fast")).count();
    assert_eq!(
        explained + 1,
        text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count(),
        "{ended:?}"
    );
    assert!(text.starts_with(b"dyno-tuning 1 "), "{}", String::from_utf8_lossy(&text));
    let hash: String = sha2::Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
    let schema = schema();
    for record in bench.records() {
        assert_eq!(faults(&record, &schema, &schema, ""), Vec::<String>::new(), "{record}");
        let handed = record["command"]
            .as_array()
            .unwrap()
            .iter()
            .any(|part| part.as_str().unwrap().starts_with("tuning="));
        let expected = if record["system"] == "ssru" { json!(hash) } else { Value::Null };
        assert_eq!((&record["tuning"], handed), (&expected, record["system"] == "ssru"), "{record}");
    }

    let plain = Bench::new(&format!("{LATENCY}{system}"));
    assert_eq!(plain.run(&["--profile", "quick", "--no-tune"]).code, Some(0));
    assert!(!plain.path("out/tuning").exists());
    assert_eq!(plain.records()[0]["tuning"], Value::Null);
    assert_eq!(
        plain.records()[0]["output"],
        bench.records().into_iter().find(|record| record["system"] == "ssru").unwrap()["output"]
    );
}
