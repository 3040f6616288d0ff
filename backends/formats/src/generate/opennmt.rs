//! The tensors of OpenNMT's recurrent network, as docs/FORMAT.md lists them.

use super::shapes::Shapes;
use crate::{MarianConfig, Result, opennmt};

pub(super) fn shapes(config: &MarianConfig, words: usize, to: &mut Shapes) -> Result<()> {
    let model = opennmt::spec(config)?;
    for named in opennmt::tensors::of(model.opennmt()?, model.words, model.vectors).iter() {
        let (name, [rows, columns]) = (named.name.as_str(), named.shape);
        match name {
            "decoder_ff_logit_out_b" => to.word_bias(name, words),
            "decoder_att_Wk" => to.product(name, rows, columns), // as wide as it is high
            _ if name.ends_with("Wemb") || name.ends_with("_Wt") => to.words(name, rows, columns),
            _ if named.product => to.product(name, columns, rows),
            _ => to.bias(name, columns),
        }
    }
    Ok(())
}
