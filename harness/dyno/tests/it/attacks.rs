//! Attacks from inside the sandbox: by a system, by the setup of a submission, and by an image.
//!
//! `attack.py` tries some thirty ways out. None may succeed: not as root, not as a user without rights.

use std::fs;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::process::Command;

use crate::submissions::{script, verified};
use crate::support::{Bench, Ended, can_sandbox, path, skip};
use crate::tampering::run_as_nobody;

const ATTACK: &str = include_str!("attack.py");

/// A host with secrets: services that listen, and a home.
struct Victim {
    home: tempfile::TempDir,
    service: TcpListener,
    _bus: UnixListener,
    bus: String,
}

impl Victim {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("secret"), "precious").unwrap();
        fs::set_permissions(home.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let bus = format!("dyno-victim-{}", home.path().display());
        let address = SocketAddr::from_abstract_name(&bus).unwrap();
        let service = TcpListener::bind("127.0.0.1:0").unwrap();
        Self { home, service, _bus: UnixListener::bind_addr(&address).unwrap(), bus }
    }

    /// Arguments of `attack.py` for the folder of `bench`.
    fn arguments(&self, bench: &Bench) -> Vec<String> {
        let port = self.service.local_addr().unwrap().port().to_string();
        let text = |path: &Path| format!("@{}", path.display());
        let pid = std::process::id().to_string();
        vec![text(&bench.path("")), text(self.home.path()), port, self.bus.clone(), pid]
    }
}

/// A campaign in a repository, of the attacker `it` with these `keys`, and of a rival.
fn campaign(victim: &Victim, keys: &str) -> Bench {
    let bench = Bench::new("");
    let mut command = vec!["python3".to_owned(), "attack.py".into()];
    command.extend(victim.arguments(&bench));
    bench.write(
        "campaign.toml",
        format!(
            "probes = []\nnoisy-repeats = 0\ntracks = [\"latency\"]\n\
             test-sets = [{{ name = \"tiny\", source = \"tiny.en\", references = [\"tiny.de\"] }}]\n\
             [[system]]\nname = \"it\"\nsandbox = \"bwrap\"\ncommand = {command:?}\n{keys}\n\
             [[system]]\nname = \"rival\"\nmodel = \"rival\"\ncommand = [\"cat\"]\n"
        ),
    );
    bench.write("attack.py", ATTACK);
    bench.write("tiny.de", "Ein Hund bellt.\n\nZwei\nkein Ende\nletzte\n");
    for (folder, file) in
        [("rival", "weights"), (".git/objects/ab", "cdef"), (".git/objects/pack", "pack-1.pack")]
    {
        fs::create_dir_all(bench.path(folder)).unwrap();
        bench.write(&format!("{folder}/{file}"), "precious");
    }
    fs::set_permissions(bench.path(""), fs::Permissions::from_mode(0o777)).unwrap();
    bench
}

/// What the attacker answers in each round: one text for all lines.
fn answers(bench: &Bench, ended: &Ended) -> Vec<String> {
    let records = bench.records();
    let text = |output: &str| fs::read_to_string(bench.path(&format!("out/outputs/{output}.txt"))).unwrap();
    let own = records.iter().filter(|record| record["system"] == "it");
    let outputs = own.map(|record| record["output"].as_str().map(text));
    let first = |text: Option<String>| text.unwrap_or_else(|| panic!("{ended:?} {records:?}"));
    outputs.map(|text| first(text).lines().next().unwrap_or_default().to_owned()).collect()
}

fn run(bench: &Bench, victim: &Victim) -> Ended {
    let mut command = bench.dyno(&["run", "campaign.toml", "--out", "out", "-s", "it", "-s", "rival"]);
    command.env("HOME", victim.home.path()).env("HOST_SECRET", "precious");
    Ended::of(command.output().unwrap())
}

#[test]
#[ignore = "takes many seconds"]
fn no_attack_gets_out_of_the_sandbox() {
    if !can_sandbox("attacks") {
        return;
    }
    let victim = Victim::new();
    for (keys, found) in [("", "nothing"), ("sandbox-paths = [\".\"]", "reads_campaign")] {
        let bench = campaign(&victim, keys);
        let ended = run(&bench, &victim);
        let told = answers(&bench, &ended);
        assert!(told.len() > 1 && told.iter().all(|text| text == found), "{keys}: {told:?}");
        assert!(!bench.path("written").exists() && !victim.home.path().join("written").exists(), "{keys}");
    }
    let bench = campaign(&victim, "");
    if let Some(ended) = run_as_nobody(&bench) {
        let told = answers(&bench, &ended);
        assert!(told.iter().all(|text| text == "nothing"), "without rights: {told:?}");
    }
}

#[test]
fn variables_of_a_system_load_no_code_outside_of_the_sandbox() {
    let compiled = Command::new("cc").arg("--version").output();
    if !can_sandbox("code that variables load") || compiled.is_err() {
        return skip("code that variables load: no compiler");
    }
    let library = "#include <stdio.h>\n__attribute__((constructor)) static void load(void) \
                   { FILE *f = fopen(MARK, \"w\"); if (f) { fputs(\"loaded\", f); fclose(f); } }\n";
    let bench = Bench::new("");
    let mark = bench.path("mark");
    bench.write("evil.c", library.replace("MARK", &format!("{:?}", mark.display().to_string())));
    let mut build = Command::new("cc");
    build.args(["-shared", "-fPIC", "-o", "evil.so", "evil.c"]).current_dir(bench.path(""));
    assert!(build.status().unwrap().success());
    let evil = bench.path("evil.so");
    bench.write(
        "campaign.toml",
        format!(
            "probes = []\ntracks = [\"latency\"]\ntest-sets = [{{ name = \"tiny\", source = \"tiny.en\" }}]\n\
             [[system]]\nname = \"it\"\nsandbox = \"bwrap\"\ncommand = [\"cat\"]\nsandbox-paths = [\"evil.so\"]\n\
             environment = {{ LD_PRELOAD = {evil:?} }}\n"
        ),
    );
    let ended = bench.run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(!mark.exists(), "it ran with the user's rights");
}

/// A submission of `wmt26` with this setup.
fn submission(setup: &str) -> Bench {
    let bench = Bench::new("");
    script(&bench, "sub/setup.sh", &format!("#!/bin/sh\n{setup}\n"));
    let copy = "#!/bin/sh\nwhile [ $# -gt 0 ]; do\n  case $1 in --input) i=$2 ;; --output) o=$2 ;; esac\n  shift\ndone\n";
    script(
        &bench,
        "sub/run.sh",
        &format!("{copy}cat model/secret >&2\n[ -s model/secret ] && exit 7\ncp \"$i\" \"$o\"\n"),
    );
    bench
}

const WMT26: [&str; 4] = ["--dialect", "wmt26", "--pair", "ces-deu"];

#[test]
fn a_setup_has_no_rights_no_home_and_no_variables_of_the_user() {
    if !can_sandbox("setups") {
        return;
    }
    if !Path::new("/usr/bin/python3").exists() {
        return skip("a setup's attacks: no /usr/bin/python3");
    }
    let victim = Victim::new();
    let bench = submission("");
    // The network is the host's, and so are its abstract sockets. Its own output is a file of its folder.
    let allowed =
        ["reaches_the_host", "reaches_an_abstract_socket", "finds_a_host_descriptor"].map(String::from);
    let words = [victim.arguments(&bench), allowed.into()].concat();
    let words = words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
    script(
        &bench,
        "sub/setup.sh",
        &format!(
            "#!/bin/sh\nls -A ~ >home\nenv >variables\necho | /usr/bin/python3 attack.py {words} >found 2>tried\n\
             grep Cap /proc/self/status >capabilities\nprintf 'a\\033[2Jb\\n'\n"
        ),
    );
    bench.write("sub/attack.py", ATTACK);
    bench.write("tiny.de", "Ein Hund bellt.\n");
    let mut command =
        bench.dyno(&[&["verify", "--submission", "sub", "--probe", "conformance"], &WMT26[..]].concat());
    command.env("HOME", victim.home.path()).env("HOST_SECRET", "precious");
    let ended = Ended::of(command.output().unwrap());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let made = |name: &str| fs::read_to_string(bench.path(&format!("sub/{name}"))).unwrap();
    assert_eq!(made("found"), "nothing\n", "{}", made("tried"));
    // The home is an empty /tmp; the folder of the submission may lie there.
    assert!(
        made("home").lines().all(|name| bench.path("").iter().any(|part| part == name)),
        "{}",
        made("home")
    );
    for held in ["CapPrm", "CapEff"] {
        assert!(
            made("capabilities").contains(&format!("{held}:\t0000000000000000")),
            "{}",
            made("capabilities")
        );
    }
    assert!(
        !made("variables").contains("SECRET") && !made("variables").contains("CARGO"),
        "{}",
        made("variables")
    );
    assert!(ended.stderr.contains("setup.sh: a") && !ended.stderr.contains('\u{1b}'), "{ended:?}");
}

#[test]
fn a_setup_can_put_nothing_of_the_host_into_its_submission() {
    if !can_sandbox("setups") {
        return;
    }
    let bench = submission("");
    bench.write("victim", "precious");
    fs::create_dir(bench.path("secrets")).unwrap();
    bench.write("secrets/secret", "precious");
    let path = |name: &str| bench.path(name).display().to_string();
    let links = format!("ln -s {} .dyno-setup\nln -s {} model\n", path("victim"), path("secrets"));
    script(&bench, "sub/setup.sh", &format!("#!/bin/sh\n{links}"));
    let ended = verified(&bench, "sub", &WMT26);
    assert_eq!(fs::read_to_string(bench.path("victim")).unwrap(), "precious", "{ended:?}");
    assert!(!ended.stdout.contains("exit code 7"), "the model's link leads out of the sandbox: {ended:?}");
    assert!(bench.path("sub/.dyno-setup").symlink_metadata().unwrap().is_file());
}

#[test]
fn a_submissions_links_mount_nothing_of_the_host() {
    let bench = Bench::new("");
    script(&bench, "sub/run.sh", "#!/bin/sh\ncat\n");
    fs::create_dir(bench.path("sub/model")).unwrap();
    symlink("..", bench.path("sub/data")).unwrap();
    verified(&bench, "sub", &["--dialect", "wmt22"])
        .assert_says(2, &["sub/data leads out of the submission"]);
}

/// An engine of containers whose image is the archive `evil.tar`.
const ENGINE: &str = "#!/bin/sh\ncase $1 in\n    image) echo '[{\"Id\": \"sha256:abc\", \"Config\": {}}]' ;;\n    \
                      create) echo container-1 ;;\n    export) cat evil.tar ;;\nesac\n";

/// Writes `evil.tar`, whose members lead out of the folder in each way that a name and a link can.
const EVIL: &str = "
import io, sys, tarfile
out = tarfile.open('evil.tar', 'w')
def add(name, **fields):
    member = tarfile.TarInfo(name)
    data = fields.pop('data', b'')
    for key, value in fields.items(): setattr(member, key, value)
    member.size = len(data)
    out.addfile(member, io.BytesIO(data))
place = sys.argv[1]
add('run.sh', data=b'#!/bin/sh\\nexec cat\\n', mode=0o4755)
add('model/weights', data=b'none')
for name in ['../evil-1', '../../evil-2', place + '/evil-3', 'model/../../../evil-4']: add(name, data=b'evil')
add('out', type=tarfile.SYMTYPE, linkname=place)
add('out/evil-5', data=b'evil')
add('up', type=tarfile.SYMTYPE, linkname='../..')
add('up/evil-6', data=b'evil')
add('hard', type=tarfile.LNKTYPE, linkname=place + '/victim')
add('hard', data=b'evil')
out.close()
";

#[test]
fn an_images_members_stay_in_its_folder_and_other_users_reach_none() {
    if !can_sandbox("images") {
        return;
    }
    let bench = Bench::new("");
    bench.write("victim", "precious");
    bench.write("evil.py", EVIL);
    let made =
        Command::new("python3").arg("evil.py").arg(bench.path("")).current_dir(bench.path("")).status();
    assert!(made.unwrap().success());
    script(&bench, "bin/podman", ENGINE);
    let path = format!("{}:{}", bench.path("bin").display(), path());
    let mut command = bench.dyno(&["verify", "--submission", "podman:evil", "--dialect", "wmt22"]);
    command.args(["--probe", "conformance"]).env("PATH", &path).env("XDG_CACHE_HOME", bench.path("cache"));
    let ended = Ended::of(command.output().unwrap());
    let found = Command::new("find").arg(bench.path("")).args(["-name", "evil-*"]).output().unwrap();
    let images = bench.path("cache/dyno/images");
    let found = String::from_utf8(found.stdout).unwrap();
    assert!(found.lines().all(|file| Path::new(file).starts_with(images.join("abc"))), "{found} {ended:?}");
    assert_eq!(fs::read_to_string(bench.path("victim")).unwrap(), "precious");
    assert_eq!(fs::metadata(images).unwrap().permissions().mode() & 0o777, 0o700, "a program may be setuid");
}
