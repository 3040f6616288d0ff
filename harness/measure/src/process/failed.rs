//! Why a system gave no answers: it broke a rule, or the bench itself failed.
//!
//! A launch has its broken rules beside its answers. Where only sound answers are of use, `?` passes the rules on
//! to the judgement of the track.

use dyno_record::Reason;

use super::lockstep::Lockstep;
use super::whole_file::Pass;
use crate::error::{Error, Result};

/// Why there are no answers.
#[derive(Debug)]
pub enum Failed {
    /// The system broke these rules.
    System(Vec<Reason>),
    /// The bench couldn't ask.
    Bench(Error),
}

/// Answers, or why there are none.
pub type Asked<T> = std::result::Result<T, Failed>;

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Bench(error)
    }
}

/// What was done, if it broke no rule.
pub fn sound<T>(done: T, broken: impl IntoIterator<Item = Reason>) -> Asked<T> {
    let reasons: Vec<Reason> = broken.into_iter().collect();
    if reasons.is_empty() { Ok(done) } else { Err(Failed::System(reasons)) }
}

/// What the system's failure leaves, and the rules that it broke. A failure of the bench stays an error.
pub fn broken<T: Default>(asked: Asked<T>) -> Result<(T, Vec<Reason>)> {
    match asked {
        Ok(done) => Ok((done, Vec::new())),
        Err(Failed::System(reasons)) => Ok((T::default(), reasons)),
        Err(Failed::Bench(error)) => Err(error),
    }
}

impl Pass {
    /// The launch, if it broke no rule.
    pub fn sound(self) -> Asked<Self> {
        if self.reasons.is_empty() { Ok(self) } else { Err(Failed::System(self.reasons)) }
    }
}

impl Lockstep {
    /// The exchange, if it broke no rule.
    pub fn sound(self) -> Asked<Self> {
        if self.reasons.is_empty() { Ok(self) } else { Err(Failed::System(self.reasons)) }
    }
}
