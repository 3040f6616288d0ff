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

/// Options of `command` whose values are a fixed list, as (option, values).
fn choices(command: &Command) -> Vec<(String, Vec<String>)> {
    let of = |option: &clap::Arg| {
        let values = option.get_possible_values();
        let takes_value = option.get_action().takes_values() && !values.is_empty();
        let names = values.iter().map(PossibleValue::get_name).map(String::from).collect();
        takes_value.then(|| Some((format!("--{}", option.get_long()?), names)))?
    };
    command.get_arguments().filter_map(of).collect()
}

/// Values of positional arguments of a fixed list.
fn words(command: &Command) -> Vec<String> {
    let positionals = command.get_positionals().flat_map(clap::Arg::get_possible_values);
    positionals.map(|value| value.get_name().to_owned()).collect()
}

fn bash(cli: &Command) -> String {
    let names: Vec<_> = commands(cli).map(Command::get_name).collect();
    let mut cases = String::new();
    for command in commands(cli) {
        for (option, values) in choices(command) {
            let _ =
                writeln!(cases, "        {}\\ {option}) words='{}';;", command.get_name(), values.join(" "));
        }
        let words = [options(command), words(command)].concat().join(" ");
        let _ = writeln!(cases, "        {}\\ *) words='{words}';;", command.get_name());
    }
    format!(
        "_dyno() {{\n    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words\n    \
         case \"${{COMP_WORDS[1]}} $before\" in\n{cases}    esac\n    \
         [ \"$COMP_CWORD\" = 1 ] && words='{}'\n    \
         COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}}\n\
         complete -o default -F _dyno dyno\n",
        names.join(" ")
    )
}

fn fish(cli: &Command) -> String {
    let mut script = String::new();
    for command in commands(cli) {
        let (name, about) = (command.get_name(), quote(command.get_about()));
        let _ = writeln!(script, "complete -c dyno -n __fish_use_subcommand -a {name} -d {about}");
        for option in command.get_arguments().filter(|option| option.get_long().is_some()) {
            let values = option.get_possible_values();
            let takes = option.get_action().takes_values();
            let values: Vec<_> = values.iter().filter(|_| takes).map(PossibleValue::get_name).collect();
            let list =
                if values.is_empty() { String::new() } else { format!(" -x -a '{}'", values.join(" ")) };
            let long = option.get_long().unwrap_or_default();
            let about = quote(option.get_help());
            let _ = writeln!(
                script,
                "complete -c dyno -n '__fish_seen_subcommand_from {name}' -l {long}{list} -d {about}"
            );
        }
        for word in words(command) {
            let _ = writeln!(script, "complete -c dyno -n '__fish_seen_subcommand_from {name}' -a {word}");
        }
    }
    script
}

/// In single quotes, as fish reads them.
fn quote(text: Option<&clap::builder::StyledStr>) -> String {
    let text = text.map(ToString::to_string).unwrap_or_default();
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
