//! `dyno completions`: what a shell may complete, read off the same definitions as the help.

use std::fmt::Write as _;

use clap::{Command, CommandFactory, builder::PossibleValue};

use super::print;
use crate::cli::{Cli, CompletionsArgs, Shell};
use crate::exit::{Exit, Outcome};

/// Prints the script.
pub fn completions(args: &CompletionsArgs) -> Outcome {
    let mut cli = Cli::command();
    cli.build();
    print(&match args.shell {
        Shell::Bash => bash(&cli),
        Shell::Fish => fish(&cli),
        Shell::Zsh => format!("autoload -U +X bashcompinit && bashcompinit\n{}", bash(&cli)),
    })?;
    Ok(Exit::Done)
}

fn commands(cli: &Command) -> impl Iterator<Item = &Command> {
    cli.get_subcommands().filter(|command| !command.is_hide_set())
}

fn options(command: &Command) -> Vec<String> {
    let long = command.get_arguments().filter_map(|option| option.get_long());
    long.map(|name| format!("--{name}")).collect()
}

/// Options of `command` whose values are a fixed list, as (spellings, values).
fn choices(command: &Command) -> Vec<(Vec<String>, Vec<String>)> {
    let of = |option: &clap::Arg| {
        let values = option.get_possible_values();
        let takes_value = option.get_action().takes_values() && !values.is_empty();
        let names = values.iter().map(PossibleValue::get_name).map(String::from).collect();
        let long = format!("--{}", option.get_long()?);
        let spellings = [long].into_iter().chain(option.get_short().map(|short| format!("-{short}")));
        takes_value.then(|| (spellings.collect(), names))
    };
    command.get_arguments().filter_map(of).collect()
}

/// Values of positional arguments of a fixed list.
fn words(command: &Command) -> Vec<String> {
    let positionals = command.get_positionals().flat_map(clap::Arg::get_possible_values);
    positionals.map(|value| value.get_name().to_owned()).collect()
}

/// Options are offered to whoever began one; else the words of a fixed list, and the shell's own file names. Bash
/// takes `--track=x` for three words.
fn bash(cli: &Command) -> String {
    let names = commands(cli).map(Command::get_name).collect::<Vec<_>>().join(" ");
    let mut cases = String::new();
    for command in commands(cli) {
        let name = command.get_name();
        for (spellings, values) in choices(command) {
            let patterns: Vec<_> = spellings.iter().map(|option| format!("{name}\\ {option}")).collect();
            let _ = writeln!(cases, "        {}) words='{}';;", patterns.join("|"), values.join(" "));
        }
        let words = if name == "help" { names.clone() } else { words(command).join(" ") };
        let _ =
            writeln!(cases, "        {name}\\ *) words='{words}' options='{}';;", options(command).join(" "));
    }
    format!(
        "_dyno() {{\n    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words options\n    \
         [ \"$before\" = = ] && before=${{COMP_WORDS[COMP_CWORD-2]}}\n    [ \"$word\" = = ] && word=\n    \
         case \"${{COMP_WORDS[1]}} $before\" in\n{cases}    esac\n    \
         [ \"$COMP_CWORD\" = 1 ] && words='{names}'\n    \
         case $word in -*) words=$options;; esac\n    \
         COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}}\n\
         complete -o default -F _dyno dyno\n"
    )
}

fn fish(cli: &Command) -> String {
    let mut script = String::new();
    for command in commands(cli) {
        let (name, about) = (command.get_name(), quote(command.get_about()));
        let _ = writeln!(script, "complete -c dyno -n __fish_use_subcommand -a {name} -d {about}");
        for option in command.get_arguments().filter(|option| option.get_long().is_some()) {
            let _ = writeln!(
                script,
                "complete -c dyno -n '__fish_seen_subcommand_from {name}'{} -d {}",
                fish_option(option),
                quote(option.get_help())
            );
        }
        for word in words(command) {
            let _ = writeln!(script, "complete -c dyno -n '__fish_seen_subcommand_from {name}' -a {word}");
        }
    }
    script
}

/// An option's spellings, and what may follow it: one of a list, or anything (then files are offered).
fn fish_option(option: &clap::Arg) -> String {
    let long = option.get_long().map(|long| format!(" -l {long}"));
    let short = option.get_short().map(|short| format!(" -s {short}"));
    let values: Vec<_> = option.get_possible_values().iter().map(|v| v.get_name().to_owned()).collect();
    let follows = match (option.get_action().takes_values(), values.is_empty()) {
        (false, _) => String::new(),
        (true, true) => " -r".into(),
        (true, false) => format!(" -x -a '{}'", values.join(" ")),
    };
    [long, short, Some(follows)].into_iter().flatten().collect()
}

/// In single quotes, as fish reads them.
fn quote(text: Option<&clap::builder::StyledStr>) -> String {
    let text = text.map(ToString::to_string).unwrap_or_default();
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
