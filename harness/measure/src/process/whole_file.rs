//! The whole file in, the whole file out, from launch to the system's end. Standard input and output are
//! files, so that the bench only waits, and looks twice a second.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use dyno_record::{Code, Reason};

use super::ending::Ending;
use super::subject::{Subject, most_output};
use super::supervised::Supervised;
use crate::error::{Error, Result};
use crate::files::make_way;
use crate::text::split_lines;

/// Result of one launch over a file.
#[derive(Debug, Default)]
pub struct Pass {
    /// Whole output; empty after a fault.
    pub text: Vec<u8>,
    /// Broken rules.
    pub reasons: Vec<Reason>,
    /// Ending of the process.
    pub ending: Ending,
}

impl Pass {
    /// Lines of the output.
    pub fn answers(&self) -> Vec<Vec<u8>> {
        split_lines(&self.text).map(<[u8]>::to_vec).collect()
    }
}

/// Runs a fresh process of `subject` over `text`, which has `lines` lines. Both files lie in its scratch
/// folder. Their names are the same for rounds and probes, because a system can see them (`/proc/self/fd`).
pub fn whole_file(subject: &Subject<'_>, text: &[u8], lines: usize) -> Result<Pass> {
    let scratch = &subject.scratch;
    std::fs::create_dir_all(scratch)?;
    let (input, output) = (scratch.join("input.txt"), scratch.join("output.txt"));
    let no_room = |source| Error::NoRoom { folder: scratch.into(), source };
    fresh(&input).and_then(|mut file| file.write_all(text)).map_err(no_room)?;
    let stdin = File::open(&input)?;
    let vectors = if subject.system.translates { 0 } else { lines };
    let most = most_output(stdin.metadata()?.len(), vectors);
    let mut written = fresh(&output)?;
    let stdout = File::options().write(true).open(&output)?;
    let system = match Supervised::launch(subject, Stdio::from(stdin), Stdio::from(stdout))? {
        Ok(system) => system,
        Err(reason) => return Ok(Pass { reasons: vec![reason], ..Pass::default() }),
    };
    let limit = Duration::from_secs_f64(subject.limits.launch_seconds);
    let flood = || {
        let bytes = written.metadata().map_or(0, |data| data.len());
        (bytes > most).then(|| Code::Flood.reason(format!("{bytes} bytes")))
    };
    let (ending, reason) = system.finish(limit, flood)?;
    // A short flood is over before the first look.
    let reason = reason.filter(|_| !ending.usage.flooded).or_else(flood).or_else(|| ending.abnormal());
    if let Some(reason) = reason {
        return Ok(Pass { reasons: vec![reason], ending, text: Vec::new() });
    }
    // The open file, not its path: a file there may be prepared by the system, or be a pipe without end.
    let mut text = Vec::new();
    written.read_to_end(&mut text)?;
    let mut reasons = ending.faults(subject.cores);
    reasons.extend(line_count(&text, lines));
    Ok(Pass { text, reasons, ending })
}

fn fresh(path: &Path) -> io::Result<File> {
    make_way(path)?;
    File::options().read(true).write(true).create_new(true).open(path)
}

/// Counts the lines before they are cut: a flood of line ends would take far more memory than its bytes.
fn line_count(text: &[u8], expected: usize) -> Option<Reason> {
    let ended = text.iter().filter(|&&byte| byte == b'\n').count();
    let out = ended + usize::from(text.last().is_some_and(|&byte| byte != b'\n'));
    (out != expected).then(|| Code::LineCount.reason(format!("{out} lines out for {expected} lines in")))
}
