//! Adapters: a folder makes a system. The folders here are invented; `ci/adapters` runs the real ones.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::support::{Bench, Ended, LATENCY, path, skip};

const ADAPTERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../backends/adapters");

/// Answers with the words of the model's file, and what the campaign set.
const PROGRAM: &str = r#"
import os, sys
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from protocol import options, serve
chosen = options()
print("a library's banner")
word = open(os.path.join(chosen.model, "word")).read().strip()
head = f"{word} {chosen.settings['beam']} {chosen.batch_lines}"
serve(chosen, lambda lines: [f"{head} {line}" for line in lines])
"#;

const DESCRIPTION: &str = "about = 'Echo'\n[example]\nmodel = 'folder'\nsettings = '{ beam = 2 }'\n\
                           [settings]\nbeam = { about = 'hypotheses', default = 1 }\n";

/// A bench whose data folder `data` has the adapter `echo`, beside what all adapters share.
fn bench(system: &str) -> Bench {
    let bench = Bench::new(&format!("probes = []\n{LATENCY}[[system]]\nname = \"it\"\n{system}"));
    put(&bench, "data/backends/adapters/echo/adapter.toml", DESCRIPTION);
    put(&bench, "data/backends/adapters/echo/adapter.py", PROGRAM);
    for shared in ["protocol.py", "arrivals.py"] {
        fs::copy(format!("{ADAPTERS}/{shared}"), bench.path(&format!("data/backends/adapters/{shared}")))
            .unwrap();
    }
    put(&bench, "data/backends/adapters/search.py", "");
    put(&bench, "model/word", "gesagt");
    bench
}

fn put(bench: &Bench, name: &str, text: &str) {
    fs::create_dir_all(bench.path(name).parent().unwrap()).unwrap();
    bench.write(name, text);
}

fn dyno(bench: &Bench, arguments: &[&str]) -> Ended {
    let mut command = bench.dyno(arguments);
    command.env("DYNO_DATA", bench.path("data")).env("XDG_CACHE_HOME", bench.path("cache"));
    if let Some(path) = bench.path("bin").is_dir().then(path) {
        command.env("PATH", format!("{}:{path}", bench.path("bin").display()));
    }
    Ended::of(command.output().unwrap())
}

fn measured(bench: &Bench) -> (Ended, Vec<String>) {
    let ended = dyno(bench, &["run", "campaign.toml", "--out", "out", "--no-tune"]);
    let outputs = fs::read_dir(bench.path("out/outputs")).unwrap_or_else(|_| panic!("{ended:?}"));
    let texts = outputs.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
    (ended, texts)
}

const ECHO: &str = "adapter = \"echo\"\nmodel = \"model\"\n";

#[test]
fn a_folder_makes_a_system_with_settings_batches_and_an_honest_size() {
    let bench = bench(&format!("{ECHO}settings = {{ beam = 3 }}\nbatch-lines = 7\n"));
    let (ended, texts) = measured(&bench);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let line = |text: &str| format!("gesagt 3 7 {text}\n");
    let expected = [line("A dog barks."), "\n".into(), line("Two men\ttalk"), line("no end\u{2028}here")];
    assert_eq!(texts, [expected.concat() + &line("last one")]);
    let record = &bench.records()[0];
    assert_eq!(record["model_bytes"], "gesagt".len(), "{record}");
    let identity: Value = serde_json::from_slice(&fs::read(bench.path("out/run.json")).unwrap()).unwrap();
    let text = identity.to_string();
    for file in ["echo/adapter.py", "adapters/protocol.py", "adapters/search.py", "model/word"] {
        assert!(text.contains(file), "{file} is not hashed: {text}");
    }
}

/// What the bench says of an adapter whose account has `ns` to 5 first tokens, and that claims a huge model.
fn accounted(ns: u64, reports: bool) -> (Value, Value) {
    let bench = bench(&format!("{ECHO}batch-lines = 7\n"));
    let folder = "data/backends/adapters/echo";
    put(&bench, &format!("{folder}/adapter.toml"), &format!("reports = {reports}\n{DESCRIPTION}"));
    let facts = serde_json::json!({
        "backend": "e", "version": "1", "files": [{ "path": "model/word", "bytes": 1_000_000 }],
        "counts": { "first tokens": 5, "nanoseconds to first tokens": ns },
    });
    let told = format!("{PROGRAM}if chosen.facts: open(chosen.facts, 'w').write('{facts}')\n");
    put(&bench, &format!("{folder}/adapter.py"), &told);
    let ended = dyno(&bench, &["run", "campaign.toml", "--out", "out", "--no-tune", "--json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let told: Value = serde_json::from_str(&ended.stdout).unwrap();
    (told["cells"][0].clone(), bench.records()[0].clone())
}

#[test]
fn an_adapters_account_of_its_first_tokens_is_shown_within_what_was_measured() {
    let (cell, record) = accounted(50, true);
    assert_eq!(cell["first_token_ms"], 1e-5, "{cell}");
    assert_eq!(record["model_bytes"], "gesagt".len(), "its own word for its size: {record}");
    let (cell, record) = accounted(u64::MAX / 2, true);
    assert_eq!(cell["first_token_ms"], Value::Null, "longer than its answers took: {cell}");
    assert_eq!(record["facts"]["counts"]["first tokens"], 5, "{record}");
    let (cell, record) = accounted(50, false);
    assert_eq!(cell["first_token_ms"], Value::Null, "not asked: {cell}");
    assert_eq!(record["facts"], Value::Null, "not asked: {record}");
}

#[test]
fn each_track_gets_the_lines_in_order() {
    let bench = bench(&format!("{ECHO}batch-lines = 2\n"));
    let campaign = fs::read_to_string(bench.path("campaign.toml")).unwrap();
    bench.write("campaign.toml", campaign.replace("[\"latency\"]", "[\"latency\", \"latency-all\"]"));
    let (ended, texts) = measured(&bench);
    assert_eq!((ended.code, texts.len()), (Some(0), 1), "both tracks give one text: {texts:?} {ended:?}");
    // Whole files as well, without rounds that last a second.
    let tracks = "[\"latency\", \"throughput-1\", \"throughput-all\"]";
    bench.write("campaign.toml", campaign.replace("[\"latency\"]", tracks));
    let ended = dyno(&bench, &["verify", "campaign.toml", "--probe", "sameness"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("lines have one text in all tracks"), "{ended:?}");
}

/// Output of an adapter under the track server, with three batches at a time, that translates by `how`.
fn served(how: &str, lines: &str) -> Output {
    let program = format!(
        "import sys, threading
sys.path.append('{ADAPTERS}')
from protocol import options, serve
met = threading.Barrier(3, timeout=60)
def translate(lines):
    {how}
    return [line.upper() for line in lines]
serve(options(), translate, beside=3, together=1)"
    );
    let options = ["--track", "server", "--cores", "1", "--model", "none"];
    let mut child = Command::new("python3")
        .env("PATH", path())
        .args(["-c", &program])
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn a_server_has_several_lines_in_translation_and_answers_in_order() {
    // No line is done before three of them meet.
    let output = served("met.wait()", "a\nb\nc\nd\ne\nf\n");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "A\nB\nC\nD\nE\nF\n", "{output:?}");
    assert!(output.status.success());
    // The first line is done last.
    let last = "met.wait() if lines == ['a'] else threading.Thread(target=met.wait, daemon=True).start()";
    assert_eq!(served(last, "a\nb\n\nc\n").stdout, b"A\nB\n\nC\n");
}

#[test]
fn a_translation_that_fails_ends_a_server_with_its_message() {
    let output = served("if lines == ['b']: sys.exit('no engine')", "a\nb\n");
    assert_eq!((output.stdout.as_slice(), output.status.code()), (&b"A\n"[..], Some(1)));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no engine"), "{output:?}");
}

#[test]
fn an_http_server_answers_under_its_adapter() {
    let server = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ci/server/sleeping_http.py");
    let settings = format!(
        "settings = {{ command = \"python3 '{server}' {{port}} 0\", request = '{{\"text\": \"{{line}}\"}}', \
         answer = \"answers.0.text\" }}\n"
    );
    let bench = bench(&format!("adapter = \"http\"\nmodel = \"model\"\n{settings}"));
    fs::create_dir_all(bench.path("data/backends/adapters/http")).unwrap();
    for file in ["adapter.py", "adapter.toml"] {
        let to = bench.path(&format!("data/backends/adapters/http/{file}"));
        fs::copy(format!("{ADAPTERS}/http/{file}"), to).unwrap();
    }
    let (ended, texts) = measured(&bench);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(texts, ["A dog barks.\n\nTwo men\ttalk\nno end\u{2028}here\nlast one\n"]);
}

#[test]
fn a_system_that_cannot_be_is_refused_with_a_remedy() {
    for (system, parts) in [
        (
            "adapter = \"ehco\"\nmodel = \"model\"\n",
            ["no adapter \"ehco\" (did you mean \"echo\"?)", "7:11:"],
        ),
        ("adapter = \"echo\"\n", ["adapter echo needs one `model`; `dyno adapters echo`", "7:11:"]),
        ("adapter = \"echo\"\nmodel = \"gone\"\n", ["no model at", "8:9:"]),
        (
            "adapter = \"echo\"\nmodel = \"model\"\nsettings = { baem = 1 }\n",
            ["did you mean \"beam\"?", "7:11:"],
        ),
        (
            "adapter = \"echo\"\nbackend = \"null\"\n",
            ["one of `backend`, `plugin`, `command`, `adapter`", "5:1:"],
        ),
        ("adapter = \"gone\"\nmodel = \"model\"\n", ["adapter gone can't be used: no wheel", "7:11:"]),
        ("adapter = \"echo\"\nmodel = \"model\"\ntask = \"encode\"\n", ["an adapter translates", "9:8:"]),
    ] {
        let bench = bench(system);
        put(&bench, "data/backends/adapters/gone/adapter.toml", "about = 'x'\nunavailable = 'no wheel'\n");
        dyno(&bench, &["run", "campaign.toml"]).assert_says(2, &parts);
    }
}

#[test]
fn adapters_are_listed_with_their_lines_and_these_lines_are_a_campaign() {
    let bench = bench(ECHO);
    put(&bench, "data/backends/adapters/gone/adapter.toml", "about = 'x'\nunavailable = 'no wheel'\n");
    let text = dyno(&bench, &["adapters"]).stdout;
    assert!(text.contains("gone · x\n  can't be used: no wheel"), "{text}");
    let told: Value = serde_json::from_str(&dyno(&bench, &["adapters", "echo", "--json"]).stdout).unwrap();
    let echo = &told["adapters"][0];
    assert_eq!(
        (echo["state"].as_str(), echo["settings"]["beam"]["default"].as_i64()),
        (Some("ready"), Some(1))
    );
    assert_eq!(crate::answers::misfits(&told, "adapters"), Vec::<String>::new());
    let lines = echo["lines"].as_str().unwrap();
    assert!(lines.lines().all(|line| text.contains(line)), "{text}");
    fs::rename(bench.path("model"), bench.path("folder")).unwrap();
    bench.write("campaign.toml", format!("probes = []\n{LATENCY}{lines}"));
    let (_, texts) = measured(&bench);
    assert!(texts[0].starts_with("gesagt 2 None A dog barks."), "{texts:?}");
    dyno(&bench, &["adapters", "ecco"]).assert_says(2, &["did you mean \"echo\"?"]);
}

/// Stands in for `python3 -m venv`: makes a folder whose interpreter is the real one, and notes what pip is
/// asked for.
const VENV: &str = r#"#!/bin/sh
real=$(PATH=${PATH#*:} command -v python3)
if [ "$1 $2" = "-m venv" ]; then
    mkdir -p "$3/bin"
    cat > "$3/bin/python3" <<END
#!/bin/sh
if [ "\$1 \$2" = "-m pip" ]; then echo "\$@" >> "NOTES/pip"; exit; fi
exec $real "\$@"
END
    exec chmod +x "$3/bin/python3"
fi
exec "$real" "$@"
"#;

/// The same with a package, which the interpreter finds beside itself.
const VENV_WITH_A_PACKAGE: &str = r#"#!/bin/sh
real=$(PATH=${PATH#*:} command -v python3)
if [ "$1 $2" = "-m venv" ]; then
    mkdir -p "$3/bin" "$3/lib"
    echo "WORD = 'paket'" > "$3/lib/of_the_package.py"
    echo "home = ${real%/*}" > "$3/pyvenv.cfg"
    cat > "$3/bin/python3" <<END
#!/bin/sh
if [ "\$1 \$2" = "-m pip" ]; then exit; fi
export PYTHONPATH="\${0%/*}/../lib"
exec $real "\$@"
END
    exec chmod +x "$3/bin/python3"
fi
exec "$real" "$@"
"#;

/// Writes the model in capital letters, and notes that it did.
const CONVERT: &str = r#"
import os, pathlib, sys
model, made = map(pathlib.Path, sys.argv[1:3])
if not (model / "word").is_file():
    sys.exit("there is no word")
made.mkdir()
(made / "word").write_text((model / "word").read_text().upper() + sys.argv[3])
print("converted", file=open(os.path.join(os.path.dirname(__file__), "notes"), "a"))
"#;

#[test]
fn environments_and_converted_models_are_made_once_and_by_content() {
    let bench = bench(ECHO);
    let notes = bench.path("").display().to_string();
    put(&bench, "bin/python3", &VENV.replace("NOTES", notes.trim_end_matches('/')));
    fs::set_permissions(bench.path("bin/python3"), fs::Permissions::from_mode(0o755)).unwrap();
    let echo = "data/backends/adapters/echo";
    put(&bench, &format!("{echo}/requirements.txt"), "some-package==1.0\n");
    put(&bench, &format!("{echo}/convert.py"), CONVERT);
    let prepare = format!("print('prepared', file=open({notes:?} + '/made', 'a'))");
    put(&bench, &format!("{echo}/prepare.py"), &prepare);
    let convert = "[convert]\nunless = 'done'\nsettings = ['beam']\n";
    bench.write(&format!("{echo}/adapter.toml"), format!("takes-mb = 1\n{DESCRIPTION}{convert}"));
    let dry = dyno(&bench, &["run", "campaign.toml", "--dry-run"]);
    assert!(dry.stdout.contains("installed first, once: echo 1 MB"), "{dry:?}");
    let listed = dyno(&bench, &["list", "campaign.toml"]);
    assert!(listed.code == Some(0) && !bench.path("cache").exists(), "only a run makes anything: {listed:?}");

    let (ended, texts) = measured(&bench);
    assert!(texts[0].starts_with("GESAGTbeam=1 1 None A dog"), "{texts:?}");
    let building = "building its private environment (once, about 1 MB)";
    let order = ["installed first, once: echo 1 MB", building, "converting"];
    let places = order.map(|said| ended.stderr.find(said).unwrap_or_else(|| panic!("{said}: {ended:?}")));
    assert!(places.is_sorted(), "the sizes come before the first package: {ended:?}");
    assert_eq!(bench.records()[0]["model_bytes"], "GESAGTbeam=1".len());
    let pip = fs::read_to_string(bench.path("pip")).unwrap();
    assert!(pip.contains("--no-deps") && pip.contains("requirements.txt"), "{pip}");

    let count = |name: &str| fs::read_to_string(bench.path(name)).unwrap().lines().count();
    let again = || {
        fs::remove_dir_all(bench.path("out")).unwrap();
        measured(&bench).1
    };
    let converted = format!("{echo}/notes");
    again();
    assert_eq!((count("pip"), count("made"), count(&converted)), (1, 1, 1), "all was there");
    bench.write("model/word", "anders");
    assert!(again()[0].starts_with("ANDERS"));
    assert_eq!((count("pip"), count(&converted)), (1, 2), "another content is another model");
    bench.write("model/done", "");
    assert!(again()[0].starts_with("anders"), "the engine reads this model as it is");

    fs::remove_file(bench.path("model/done")).unwrap();
    fs::remove_file(bench.path("model/word")).unwrap();
    let ended = dyno(&bench, &["run", "campaign.toml", "--out", "other"]);
    ended.assert_says(2, &["adapter echo: can't convert", "there is no word"]);
}

#[test]
fn an_adapter_runs_in_the_sandbox_wherever_its_environment_and_its_model_lie() {
    let tried = Command::new("bwrap").args(["--ro-bind", "/", "/", "--unshare-all", "true"]).status();
    if !tried.is_ok_and(|status| status.success()) {
        return skip("adapters in a sandbox: bubblewrap doesn't work here");
    }
    // The bench's folder, and so the cache in it, lies where a sandbox has an empty folder.
    let bench = bench(&format!("{ECHO}sandbox = \"bwrap\"\n"));
    put(&bench, "data/backends/adapters/words.py", "END = \"ende\"\n");
    let echo = "data/backends/adapters/echo";
    let program = PROGRAM.replace("import os, sys\n", "import os, sys, of_the_package\n");
    let program = program.replace("from protocol", "import words\nfrom protocol");
    let program = program.replace("{line}", "{line} {words.END} {of_the_package.WORD}");
    put(&bench, &format!("{echo}/adapter.py"), &program);
    put(&bench, &format!("{echo}/convert.py"), CONVERT);
    put(&bench, &format!("{echo}/requirements.txt"), "some-package==1.0\n");
    let convert = "[convert]\nunless = 'done'\nsettings = ['beam']\n";
    bench.write(&format!("{echo}/adapter.toml"), format!("takes-mb = 1\n{DESCRIPTION}{convert}"));
    put(&bench, "bin/python3", VENV_WITH_A_PACKAGE);
    fs::set_permissions(bench.path("bin/python3"), fs::Permissions::from_mode(0o755)).unwrap();
    let (ended, texts) = measured(&bench);
    assert_eq!(ended.code, Some(0), "{ended:?} {:?}", bench.records());
    assert!(texts[0].starts_with("GESAGTbeam=1 1 None A dog barks. ende paket\n"), "{texts:?}");
    assert_eq!(bench.records()[0]["sandbox"], "bwrap");
}

#[test]
fn every_shipped_adapter_is_whole() {
    let bench = Bench::new("");
    let told = Ended::of(bench.dyno(&["adapters", "--json"]).env_remove("DYNO_DATA").output().unwrap());
    let told: Value = serde_json::from_str(&told.stdout).unwrap_or_else(|_| panic!("{told:?}"));
    assert_eq!(crate::answers::misfits(&told, "adapters"), Vec::<String>::new());
    for adapter in told["adapters"].as_array().unwrap() {
        let folder = format!("{ADAPTERS}/{}", adapter["name"].as_str().unwrap());
        let read = |name: &str| fs::read_to_string(format!("{folder}/{name}")).unwrap_or_default();
        assert!(read("README.md").lines().count() >= 5, "{folder} has a README");
        if adapter["state"] == "unavailable" {
            assert!(!adapter["reason"].as_str().unwrap().is_empty());
            continue;
        }
        let code = read("requirements.txt");
        let packages = code.lines().filter(|line| !line.starts_with(['#', '-']) && !line.is_empty());
        assert!(packages.clone().all(|package| package.contains("==")), "{folder}: all are pinned");
        let of_cuda = |package: &&str| package.starts_with("nvidia-") && !package.contains("cuda-runtime");
        assert_eq!(
            packages.clone().filter(of_cuda).count(),
            0,
            "{folder}: gigabytes that no processor calls"
        );
        assert!(adapter["takes_mb"].as_u64().unwrap() <= 1500, "{folder}");
        assert!(read("adapter.py").contains("from protocol import"), "{folder} shares the protocol");
    }
}

#[test]
fn the_library_that_stands_in_for_cudas_has_its_symbols_for_the_dynamic_linker() {
    let bench = Bench::new("");
    let program = format!(
        "import ctypes, platform, sys
sys.path.append('{ADAPTERS}/transformers')
import prepare
machine = {{'x86_64': 62, 'aarch64': 183}}[platform.machine()]
names = [f'cublasCall{{number}}' for number in range(500)] + ['ncclInit']
open('libnothing.so', 'wb').write(prepare.library(machine, names))
found = ctypes.CDLL('./libnothing.so')
print(all(getattr(found, name) for name in names), hasattr(found, 'cublasCall500'))"
    );
    let asked = Command::new("python3")
        .env("PATH", path())
        .args(["-B", "-c", &program])
        .current_dir(bench.path(""))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&asked.stdout), "True False\n", "{asked:?}");
}

#[test]
fn engines_on_one_model_are_compared_with_what_differs_in_sight() {
    let model = format!("{ADAPTERS}/../transformer-aan/tests/goldens/hugging-face/marian");
    let own = "[[system]]\nname = \"own\"\nbackend = \"transformer-aan\"\n";
    let bench = bench(&format!("adapter = \"echo\"\nmodel = {model:?}\n{own}model = {model:?}\n"));
    let word = "word = open(os.path.join(chosen.model, \"word\")).read().strip()";
    put(&bench, "data/backends/adapters/echo/adapter.py", &PROGRAM.replace(word, "word = ''"));
    let (ended, texts) = measured(&bench);
    assert_eq!((ended.code, texts.len()), (Some(0), 2), "{ended:?}");
    // The model's `generation_config.json` asks for a beam of 4; the default of this adapter is 1.
    let told = "same weights: it, own; beam 1 / 4; 4 of 5 lines differ";
    assert!(ended.stdout.lines().any(|line| line == told), "{ended:?}");
    let page = fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert!(page.contains(&format!("<p class=\"box\">S{}.</p>", &told[1..])), "the page has it, too");
}
