//! An installed dyno, away from its checkout: where it looks for campaigns, models and test sets. `ci/tests-elsewhere`
//! tries a program whose checkout is gone.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{Bench, Ended, copy_program};

/// A folder of data whose starter campaign has a system of that name.
fn data(folder: &Path, system: &str) {
    for part in ["campaigns", "testsets"] {
        fs::create_dir_all(folder.join(part)).unwrap();
    }
    fs::write(folder.join("testsets/lines.en"), "A dog barks.\n").unwrap();
    let set = "test-sets = [{ name = \"lines\", source = \"../testsets/lines.en\" }]\n";
    let system = format!("[[system]]\nname = {system:?}\nbackend = \"null\"\n");
    fs::write(folder.join("campaigns/starter.toml"), format!("{set}{system}")).unwrap();
}

#[test]
fn data_lie_where_the_user_says_in_share_beside_the_program_or_in_the_checkout_of_the_build() {
    let bench = Bench::new("");
    let program = bench.path("prefix/bin/dyno");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    copy_program(&program);
    let ask = |question: &str, data: Option<&str>| {
        let mut command = Command::new(&program);
        command.arg(question).current_dir(bench.path("")).env_remove("DYNO_DATA");
        data.map(|folder| command.env("DYNO_DATA", bench.path(folder)));
        Ended::of(command.output().unwrap())
    };
    let list = |data| ask("list", data);
    assert!(list(None).stdout.contains("nano"), "the checkout that it was built in: {:?}", list(None));
    data(&bench.path("prefix/share/dyno"), "installed");
    assert!(list(None).stdout.contains("installed"), "{:?}", list(None));
    let adapter = bench.path("prefix/share/dyno/backends/adapters/echo");
    fs::create_dir_all(&adapter).unwrap();
    fs::write(adapter.join("adapter.toml"), "about = 'of the package'\n").unwrap();
    assert!(ask("adapters", None).stdout.contains("echo · of the package"));
    data(&bench.path("own"), "of-the-user");
    assert!(list(Some("own")).stdout.contains("of-the-user"));
    assert!(list(Some("gone")).stdout.contains("installed"), "a wrong folder hides nothing");
}

#[test]
fn models_and_test_sets_that_ship_are_named_from_anywhere() {
    let bench = Bench::new(
        "languages = \"en-de\"\ntest-sets = [\"testsets/everyday-en-de\"]\n\
         [[system]]\nname = \"one\"\nbackend = \"ssru\"\nmodel = \"models/nano\"\n",
    );
    let ask = |arguments: &[&str]| Ended::of(bench.dyno(arguments).output().unwrap());
    let plan = ask(&["run", "campaign.toml", "--dry-run"]);
    assert!(plan.stdout.contains("everyday-en-de"), "{plan:?}");
    // The command line finds them as well, and names what is nowhere as it was named.
    let facts = ask(&["tokenize", "--model", "models/nano"]);
    assert_eq!(facts.code, Some(0), "{facts:?}");
    let gone = ask(&["tokenize", "--model", "models/gone"]);
    assert!(gone.stderr.contains("models/gone"), "{gone:?}");
    // What stands beside the campaign comes first.
    fs::create_dir_all(bench.path("testsets/everyday-en-de")).unwrap();
    let own = ask(&["run", "campaign.toml", "--dry-run"]);
    assert!(own.stderr.contains("testset.toml"), "the campaign's folder has an empty one: {own:?}");
}
