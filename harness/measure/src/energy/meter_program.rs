//! A meter of the user's own, such as one for a socket's power meter: a program that stays alive, and answers each
//! empty line with the joules so far.

use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::error::{During, Error, Result};
use crate::os::{self, Interest};
use crate::program::check_command;

/// Time limit for an answer. Meters that sample a device answer within a second.
const PATIENCE: Duration = Duration::from_secs(5);

/// The running program. Its end comes with the end of its input.
#[derive(Debug)]
pub struct MeterProgram {
    name: String,
    talk: Mutex<Talk>,
    child: Mutex<Child>,
}

#[derive(Debug)]
struct Talk {
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl MeterProgram {
    /// Starts `command` in `folder`, and asks once, so that a program that is no meter is refused here.
    pub fn start(command: &[String], folder: &Path) -> Result<Self> {
        check_command(command, folder)?;
        let mut program = Command::new(&command[0]);
        program.args(&command[1..]).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = os::start_child(&mut program).during("starting the meter")?;
        let talk = Talk {
            to: child.stdin.take(),
            from: BufReader::new(child.stdout.take().expect("the meter's output is a pipe")),
        };
        let meter = Self { name: command.join(" "), talk: Mutex::new(talk), child: Mutex::new(child) };
        meter.joules()?;
        Ok(meter)
    }

    /// Joules so far.
    pub fn joules(&self) -> Result<f64> {
        let mut talk = self.talk.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = talk.ask().during("asking the meter")?;
        let joules = answer.trim().parse().ok().filter(|joules: &f64| joules.is_finite());
        joules.ok_or_else(|| {
            let said = if answer.is_empty() { "nothing".into() } else { format!("{:?}", answer.trim_end()) };
            Error::Program(format!(
                "the meter {:?} answered {said}; it must answer each line with the joules so far, a number",
                self.name
            ))
        })
    }
}

impl Talk {
    /// Answer to an empty line: one line, or nothing if none comes in time.
    fn ask(&mut self) -> std::io::Result<String> {
        let mut answer = String::new();
        let Some(to) = &mut self.to else { return Ok(answer) };
        to.write_all(b"\n").and_then(|()| to.flush()).or_else(ended)?;
        let [is_there] = os::wait_for([(self.from.get_ref().as_fd(), Interest::Read)], Some(PATIENCE))?;
        if is_there {
            self.from.read_line(&mut answer)?;
        }
        Ok(answer)
    }
}

/// A meter that has ended answers nothing, which is told as such.
fn ended(error: std::io::Error) -> std::io::Result<()> {
    if error.kind() == std::io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) }
}

impl Drop for MeterProgram {
    fn drop(&mut self) {
        self.talk.get_mut().unwrap_or_else(PoisonError::into_inner).to = None;
        let child = self.child.get_mut().unwrap_or_else(PoisonError::into_inner);
        // A program that doesn't heed the end of its input must not keep the bench waiting.
        let _ = child.kill();
        let _ = child.wait();
        os::forget_child(child.id());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(script: &str) -> Result<MeterProgram> {
        let command = ["sh", "-c", script].map(String::from);
        MeterProgram::start(&command, Path::new("."))
    }

    #[test]
    fn a_program_is_asked_for_each_reading() {
        let meter = start("n=0; while read line; do n=$((n + 5)); echo $n.5; done").unwrap();
        assert_eq!(meter.joules().unwrap(), 10.5, "the first answer was asked at the start");
        assert_eq!(meter.joules().unwrap(), 15.5);
    }

    #[test]
    fn what_is_no_meter_is_refused_by_its_answer() {
        for (script, said) in
            [("cat", "\"\""), ("exit 0", "nothing"), ("read line; echo 5 W; cat", "\"5 W\"")]
        {
            let told = start(script).expect_err(script).to_string();
            assert!(told.contains(said) && told.contains("joules so far"), "{script}: {told}");
        }
        assert!(MeterProgram::start(&["no-such-meter".into()], Path::new(".")).is_err());
    }
}
