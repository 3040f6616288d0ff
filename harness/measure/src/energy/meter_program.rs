//! A meter of the user's own, such as one for a socket's power meter: a program that stays alive, and answers each
//! empty line with the joules so far.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::companion::{Bounds, Companion};
use crate::error::{During, Error, Result};
use crate::program::check_command;

/// Bounds of a reading. Meters that sample a device answer within a second. A round that is finished after Ctrl-C
/// keeps its energy.
const READING: Bounds = Bounds { bytes: 4096, time: Duration::from_secs(5), is_interruptible: false };

/// The running program. A program that doesn't heed the end of its input must not keep the bench waiting.
#[derive(Debug)]
pub struct MeterProgram {
    name: String,
    program: Companion,
    /// Last reading.
    last: f64,
}

impl MeterProgram {
    /// Starts `command` in `folder`, and asks once, so that a program that is no meter is refused here.
    pub fn start(command: &[String], folder: &Path) -> Result<Self> {
        check_command(command, folder)?;
        let mut program = Command::new(&command[0]);
        program.args(&command[1..]).current_dir(folder);
        let program = Companion::start(&mut program, Duration::ZERO).during("starting the meter")?;
        let mut meter = Self { name: command.join(" "), program, last: f64::NEG_INFINITY };
        meter.joules()?;
        Ok(meter)
    }

    /// Joules so far. They never become fewer.
    pub fn joules(&mut self) -> Result<f64> {
        let answer = self.program.ask(b"\n", READING).map_err(|silence| self.fault(&silence.to_string()))?;
        let answer = String::from_utf8_lossy(&answer);
        let joules = answer.trim().parse().ok().filter(|joules: &f64| joules.is_finite());
        let joules = joules.ok_or_else(|| {
            let said = dyno_api::printable_line(answer.trim()).chars().take(80).collect::<String>();
            self.fault(&format!(
                "it answered {said:?}; it must answer each line with the joules so far, a number"
            ))
        })?;
        let last = std::mem::replace(&mut self.last, joules);
        if joules < last {
            let counted =
                format!("it counted down from {last} to {joules} joules; it must count up from its start");
            return Err(self.fault(&counted));
        }
        Ok(joules)
    }

    fn fault(&self, fault: &str) -> Error {
        Error::Program(format!("the meter {:?}: {fault}", self.name))
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
        let mut meter = start("n=0; while read line; do n=$((n + 5)); echo $n.5; done").unwrap();
        assert_eq!(meter.joules().unwrap(), 10.5, "the first answer was asked at the start");
        assert_eq!(meter.joules().unwrap(), 15.5);
    }

    #[test]
    fn what_is_no_meter_is_refused_by_its_answer() {
        for (script, said) in [
            ("cat", "\"\"; it must answer each line with the joules so far"),
            ("echo 'no device' >&2; exit 0", "it ended without an answer (no device)"),
            ("read line; echo 5 W; cat", "\"5 W\"; it must answer each line with the joules so far"),
            ("exec cat /dev/zero", "more than 4096 bytes"),
        ] {
            let told = start(script).expect_err(script).to_string();
            assert!(told.contains("the meter \"sh -c") && told.contains(said), "{script}: {told}");
        }
        assert!(MeterProgram::start(&["no-such-meter".into()], Path::new(".")).is_err());
    }

    #[test]
    fn a_meter_that_counts_down_is_refused() {
        let mut meter = start("n=9; while read line; do n=$((n - 5)); echo $n; done").unwrap();
        let told = meter.joules().unwrap_err().to_string();
        assert!(told.contains("counted down from 4 to -1 joules; it must count up"), "{told}");
    }
}
