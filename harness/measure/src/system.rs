//! A system: a command line, the folder to start it in, and its environment. The bench knows commands, not
//! engines: every engine arrives as a command.

use std::path::{Path, PathBuf};

use dyno_record::Track;

use crate::os::core_list;
use crate::places::Places;

/// A program that is measured, under one name.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// Name in records and tables.
    pub name: String,
    /// Program and arguments.
    pub command: Vec<Argument>,
    /// Whether the program is this very one, which reports on itself. A hosted system is started from its
    /// open image, whatever lies at its path by now. `--breakdown FILE` names the file of its breakdown.
    pub hosted: bool,
    /// Whether the program writes facts about itself to the file that `--facts FILE` names.
    pub reports: bool,
    /// Folder to start the program in; the bench's own if absent.
    pub folder: Option<PathBuf>,
    /// Variables of the environment, beside those that all systems get.
    pub environment: Vec<(String, String)>,
    /// Model files and folders, whose size is recorded.
    pub models: Vec<PathBuf>,
    /// Further files and folders that the program needs, such as its libraries, which no other option names.
    pub parts: Vec<PathBuf>,
    /// Tuning file of the program, whose hash is recorded.
    pub tuning: Option<PathBuf>,
    /// Whether the answers are text; the length of other answers is not judged.
    pub translates: bool,
    /// Whether the system declares that it draws its answers at random.
    pub sampling: bool,
    /// Whether the system runs in the bench's sandbox.
    pub sandboxed: bool,
    /// Fixed paths at which the system expects its files; they need the sandbox.
    pub places: Option<Places>,
    /// Whether the size of the model is that of the files which the system was seen to open. The models then
    /// are the folders in which such files may lie.
    pub sized_by_sight: bool,
    /// Tracks that the system takes part in; all of the campaign if absent.
    pub tracks: Option<Vec<Track>>,
    /// Number of cores in the tracks of several cores, where it is less than the campaign's.
    pub cores: Option<usize>,
    /// Name of the system whose second entry this is. The pair shows how far apart equal systems come out.
    pub twin_of: Option<String>,
}

/// One word of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A word that stays as it is.
    Fixed(String),
    /// A word whose [`PLACEHOLDERS`] are filled in.
    Template(String),
}

impl Argument {
    /// The word as it is written.
    pub fn word(&self) -> &str {
        match self {
            Self::Fixed(word) | Self::Template(word) => word,
        }
    }
}

/// Placeholders of a command line, with their meaning.
pub const PLACEHOLDERS: [(&str, &str); 6] = [
    ("cores", "number of cores that the system may use"),
    ("core-list", "numbers of these cores, such as 2,3"),
    ("track", "name of the track, such as throughput-1"),
    ("model", "path of the system's model, from the key `model`"),
    ("task", "CPU-1 or CPU-ALL: whether the system may use one core or several"),
    ("mode", "latency or throughput: line by line, or the whole file"),
];

impl System {
    /// A program that translates, with placeholders in its arguments.
    pub fn of_command(name: &str, command: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            name: name.into(),
            command: command.into_iter().map(|word| Argument::Template(word.into())).collect(),
            translates: true,
            ..Self::default()
        }
    }

    /// Whether the system takes part in `track`.
    pub fn takes_part(&self, track: Track) -> bool {
        self.tracks.as_ref().is_none_or(|tracks| tracks.contains(&track))
    }

    /// Name of the system, or of the system whose second entry it is.
    pub fn original(&self) -> &str {
        self.twin_of.as_ref().unwrap_or(&self.name)
    }

    /// Program and arguments under `track` on `cores`. A system that reports writes its facts to `facts`.
    pub fn command(&self, track: Track, cores: &[usize], facts: &Path) -> Vec<String> {
        let value = |name: &str| self.placeholder(name, track, cores);
        let filled = self.command.iter().map(|argument| match argument {
            Argument::Fixed(word) => word.clone(),
            Argument::Template(word) => fill(word, &value),
        });
        let mut command: Vec<String> = filled.collect();
        if self.reports {
            command.extend(["--facts".into(), facts.display().to_string()]);
        }
        command
    }

    fn placeholder(&self, name: &str, track: Track, cores: &[usize]) -> Option<String> {
        match name {
            "cores" => Some(cores.len().to_string()),
            "core-list" => Some(core_list(cores)),
            "track" => Some(track.name().into()),
            "task" => Some(if track.has_several_cores() { "CPU-ALL" } else { "CPU-1" }.into()),
            "mode" => Some(if track.answers_lines() { "latency" } else { "throughput" }.into()),
            "model" => self.models.first().map(|model| model.display().to_string()),
            _ => None,
        }
    }
}

/// Replaces `{name}` if `value` knows the name. Other braces stay, since they may be JSON or shell.
fn fill(argument: &str, value: &impl Fn(&str) -> Option<String>) -> String {
    let mut parts = argument.split('{');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let known = part.split_once('}').and_then(|(name, rest)| Some(value(name)? + rest));
        filled += &known.unwrap_or_else(|| format!("{{{part}"));
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_and_foreign_braces_stay() {
        let value = |name: &str| (name == "cores").then(|| "2".into());
        for (argument, expected) in [
            ("--cores={cores}", "--cores=2"),
            ("{cores}{cores}", "22"),
            ("${HOME} {cores} {", "${HOME} 2 {"),
            (r#"{"n":{cores}}"#, r#"{"n":2}"#),
        ] {
            assert_eq!(fill(argument, &value), expected);
        }
    }

    #[test]
    fn a_track_has_the_words_of_the_efficiency_task() {
        let system = System::of_command("s", ["/run.sh", "{task}", "{mode}"]);
        for (track, words) in [
            (Track::Latency, ["CPU-1", "latency"]),
            (Track::LatencyAll, ["CPU-ALL", "latency"]),
            (Track::Throughput1, ["CPU-1", "throughput"]),
            (Track::ThroughputAll, ["CPU-ALL", "throughput"]),
        ] {
            assert_eq!(system.command(track, &[0], Path::new("f"))[1..], words);
        }
    }

    #[test]
    fn fixed_words_stay_and_systems_that_report_are_told_where() {
        let mut system = System::of_command("s", ["run", "{core-list}", "{model}"]);
        system.models = vec!["m".into()];
        system.command.push(Argument::Fixed("{track}".into()));
        let command = |system: &System| system.command(Track::ThroughputAll, &[2, 3], Path::new("f"));
        assert_eq!(command(&system), ["run", "2,3", "m", "{track}"]);
        system.reports = true;
        assert_eq!(command(&system), ["run", "2,3", "m", "{track}", "--facts", "f"]);
    }
}
