//! Metrics of the user's own: commands that read files and print a number, such as COMET's.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::str::FromStr;

use dyno_measure::{TestSet, as_text};

use crate::error::{Error, Result};

/// A metric that a shell command computes.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricCommand {
    /// Name of the metric in summaries.
    pub name: String,
    command: String,
}

impl FromStr for MetricCommand {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let form = "write it as NAME=COMMAND, where COMMAND holds {output}";
        let (name, command) = text.split_once('=').ok_or(form)?;
        let is_word = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
        if !is_word || !command.contains("{output}") {
            return Err(form.into());
        }
        Ok(Self { name: name.into(), command: command.into() })
    }
}

impl MetricCommand {
    /// Score of `answers`: the last number on the last line of the command's output.
    pub fn score(&self, set: &TestSet, answers: &[String]) -> Result<f64> {
        let folder = tempfile::tempdir().map_err(|error| self.fault(error))?;
        let write = |name: &str, lines: &[&[u8]]| -> Result<String> {
            let path = folder.path().join(name);
            let unwritable = |source| Error::Unwritable { path: path.clone(), source };
            fs::write(&path, as_text(lines)).map_err(unwritable)?;
            Ok(quoted(&path))
        };
        let texts =
            |lines: &[String]| -> Vec<Vec<u8>> { lines.iter().map(|line| line.clone().into()).collect() };
        let references = texts(set.references.first().map_or(&[], Vec::as_slice));
        let mut command = self.command.clone();
        for (name, lines) in
            [("source", &set.source), ("output", &texts(answers)), ("reference", &references)]
        {
            let views: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
            command = command.replace(&format!("{{{name}}}"), &write(name, &views)?);
        }
        self.run(&command)
    }

    fn run(&self, command: &str) -> Result<f64> {
        let output = Command::new("sh").args(["-c", command]).stdin(Stdio::null()).output();
        let output = output.map_err(|error| self.fault(error))?;
        let text = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said.trim_end().lines().last().unwrap_or("no message").to_owned();
            return Err(self.fault(format!("{} ({last}); try the command by hand: {command}", output.status)));
        }
        let number = last_number(&text);
        number
            .ok_or_else(|| self.fault(format!("no number on the last line of its output: {:?}", text.trim())))
    }

    fn fault(&self, fault: impl std::fmt::Display) -> Error {
        Error::Scorer(format!("metric {}: {fault}", self.name))
    }
}

fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    shlex::try_quote(&path).map_or(path.clone(), Into::into)
}

fn last_number(text: &str) -> Option<f64> {
    let line = text.trim_end().lines().last()?;
    let words = line.split(|c: char| c.is_whitespace() || c == ':' || c == '=');
    words.rev().find_map(|word| word.parse().ok()).filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set() -> TestSet {
        let lines = vec![b"a b".to_vec(), b"c".to_vec()];
        let references = vec![vec!["A B".to_owned(), "C".to_owned()]];
        TestSet { references, ..TestSet::from_lines("set", lines) }
    }

    #[test]
    fn the_command_gets_files_and_its_last_number_counts() {
        for (command, score) in [
            ("n=cat {source} {output} {reference} | wc -l", 6.0),
            ("n=wc -w < {output}; echo 'system score: 0.25'", 0.25),
            ("n=grep -c x {output}", 2.0),
        ] {
            let metric: MetricCommand = command.parse().unwrap();
            assert_eq!(metric.score(&set(), &["x y".into(), "x".into()]).unwrap(), score, "{command}");
        }
    }

    #[test]
    fn what_gives_no_number_is_told() {
        for (command, part) in [
            ("n=cat {output}", "no number"),
            ("n=cat {output} >&2; exit 3", "by hand"),
            ("n=echo {output} nan", "no number"),
        ] {
            let metric: MetricCommand = command.parse().unwrap();
            let error = metric.score(&set(), &["x".into(), "y".into()]).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        assert!("comet".parse::<MetricCommand>().is_err());
        assert!("comet=echo 1".parse::<MetricCommand>().is_err());
    }
}
