//! Launches in turns: over one line, over a suspected file, over another file, in an order that is drawn for
//! each turn. Whatever other programs do to the host, they do to the three alike.

use dyno_record::Reason;
use dyno_stats::Random;

use super::timing::{LaunchTime, Turn};
use crate::error::Result;
use crate::process::whole_file::Pass;

/// A turn with its launches, or the reasons for which one of them failed.
pub type Done = std::result::Result<(Turn, [Pass; 3]), Vec<Reason>>;

/// One turn over these texts.
pub fn turn(
    texts: [&[Vec<u8>]; 3],
    random: &mut Random,
    mut launch: impl FnMut(&[Vec<u8>]) -> Result<Pass>,
) -> Result<Done> {
    let mut passes = [const { None }; 3];
    for kind in random.permutation(texts.len()) {
        let pass = launch(texts[kind])?;
        if !pass.reasons.is_empty() {
            return Ok(Err(pass.reasons));
        }
        passes[kind] = Some(pass);
    }
    let passes = passes.map(Option::unwrap_or_default);
    let [one_line, suspect, other] = passes.each_ref().map(LaunchTime::of);
    Ok(Ok((Turn { one_line, suspect, other }, passes)))
}
