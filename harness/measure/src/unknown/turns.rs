//! Launches in turns: over one line, over a suspected file, over another file, in an order that is drawn for
//! each turn. Whatever other programs do to the host, they do to the three alike.

use dyno_stats::Random;

use crate::judge::Sample;
use crate::judge::launches::Turn;
use crate::process::failed::Asked;
use crate::process::whole_file::Pass;

/// How a system is launched over lines.
pub type Launch<'a> = dyn FnMut(&[Vec<u8>]) -> Asked<Pass> + 'a;

/// One turn over these texts, with its launches.
pub fn turn(
    texts: [&[Vec<u8>]; 3],
    random: &mut Random,
    launch: &mut Launch<'_>,
) -> Asked<(Turn, [Pass; 3])> {
    let mut passes = [const { None }; 3];
    for kind in random.permutation(texts.len()) {
        passes[kind] = Some(launch(texts[kind])?);
    }
    let passes = passes.map(Option::unwrap_or_default);
    Ok((passes.each_ref().map(Sample::of_launch), passes))
}
