//! Parameters by the names of `s2s`, whatever their names in the file.
//!
//! Some models have the names of the program Nematus. Marian renames those that
//! it knows (`src/models/amun.h`, `nematus.h`) and keeps the others. So a Nematus name is tried first, and
//! the plain name second.

use dyno_formats::Result;
use dyno_nn::Params;
use dyno_nn::math::{Kernels, Linear, Matrix};

/// Parts of cells that have names of their own in Nematus.
const PARTS: [&str; 8] = ["U", "Ux", "W", "Wx", "b", "bx", "gamma1", "gamma2"];

/// Inputs of the deep output, in the order of their numbers in `s2s`.
const INPUTS: [&str; 3] = ["prev", "lstm", "ctx"];

/// Weights of a model by the names of `s2s`.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a> {
    params: Params<'a>,
    renamed: bool,
}

impl<'a> Names<'a> {
    /// The weights of a model; `renamed` says whether its tensors have the names of Nematus.
    pub(crate) fn new(params: Params<'a>, renamed: bool) -> Self {
        Self { params, renamed }
    }

    /// Kernels that compute products and cells.
    pub(crate) fn kernels(&self) -> Kernels {
        self.params.kernels()
    }

    /// Name of `name` in the file.
    pub(crate) fn stored(&self, name: &str) -> String {
        let old = if self.renamed { nematus(name) } else { None };
        old.filter(|old| self.params.has(old)).unwrap_or_else(|| name.to_owned())
    }

    /// A matrix [rows, columns], row-major.
    pub(crate) fn matrix(&self, name: &str, rows: usize, columns: usize) -> Result<Vec<f32>> {
        self.params.matrix(&self.stored(name), rows, columns)
    }

    /// The weights [inputs, outputs] of a product, as they lie in the file.
    pub(crate) fn product(&self, name: &str, inputs: usize, outputs: usize) -> Result<Matrix<'a>> {
        self.params.product(&self.stored(name), inputs, outputs)
    }

    /// Packs x·W + b with weights that were read under `name`; an empty bias is none.
    pub(crate) fn pack(&self, matrix: &Matrix<'_>, bias: &[f32], name: &str) -> Result<Linear> {
        self.params.pack(matrix, bias, &self.stored(name))
    }

    /// A vector [1, len].
    pub(crate) fn vector(&self, name: &str, len: usize) -> Result<Vec<f32>> {
        self.matrix(name, 1, len)
    }
}

/// Nematus' name for `name`, if there is one.
fn nematus(name: &str) -> Option<String> {
    for norm in ["_lns", "_lnb"] {
        if let Some(base) = name.strip_suffix(norm) {
            return nematus(base).map(|base| base + norm);
        }
    }
    match name {
        "encoder_Wemb" => return Some("Wemb".into()),
        "decoder_Wemb" => return Some("Wemb_dec".into()),
        _ => {}
    }
    if let Some(part) = name.strip_prefix("decoder_ff_logit_l1_") {
        return deep_output(part);
    }
    if let Some(part) = name.strip_prefix("decoder_ff_logit_l2_") {
        return Some(format!("ff_logit_{part}"));
    }
    if let Some(part) = name.strip_prefix("decoder_ff_state_") {
        return Some(format!("ff_state_{part}"));
    }
    if let Some(cell) = name.strip_prefix("encoder_bi_r_") {
        return encoder_cell(cell, "encoder_r");
    }
    if let Some(cell) = name.strip_prefix("encoder_bi_") {
        return encoder_cell(cell, "encoder");
    }
    decoder_cell(name.strip_prefix("decoder_cell")?)
}

/// `W0` is `ff_logit_prev_W`, and so on. Only scales without biases keep their number.
fn deep_output(part: &str) -> Option<String> {
    let (kind, number) = part.split_at_checked(part.len().checked_sub(1)?)?;
    if kind == "gamma" {
        return Some(format!("ff_logit_l1_{part}"));
    }
    let input = INPUTS.get(number.parse::<usize>().ok()?)?;
    Some(format!("ff_logit_{input}_{kind}"))
}

/// `U` of the first cell, or `cell3_U` of a transition.
fn encoder_cell(cell: &str, prefix: &str) -> Option<String> {
    if PARTS.contains(&cell) {
        return Some(format!("{prefix}_{cell}"));
    }
    let (number, part) = numbered(cell.strip_prefix("cell")?)?;
    Some(format!("{prefix}_{part}_drt_{}", number.checked_sub(1)?))
}

/// `1_U`, `2_U`, or `3_U` of a transition.
fn decoder_cell(cell: &str) -> Option<String> {
    Some(match numbered(cell)? {
        (1, part) => format!("decoder_{part}"),
        (2, "W") => "decoder_Wc".into(),
        (2, "Wx") => "decoder_Wcx".into(),
        (2, part) => format!("decoder_{part}_nl"),
        (number, part) => format!("decoder_{part}_nl_drt_{}", number.checked_sub(2)?),
    })
}

fn numbered(cell: &str) -> Option<(usize, &str)> {
    let (number, part) = cell.split_once('_')?;
    PARTS.contains(&part).then_some((number.parse().ok()?, part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_nematus() {
        for (name, expected) in [
            ("encoder_bi_Ux", "encoder_Ux"),
            ("encoder_bi_r_W_lns", "encoder_r_W_lns"),
            ("encoder_bi_r_cell3_bx", "encoder_r_bx_drt_2"),
            ("decoder_cell1_W", "decoder_W"),
            ("decoder_cell2_Wx_lnb", "decoder_Wcx_lnb"),
            ("decoder_cell2_b", "decoder_b_nl"),
            ("decoder_cell4_U_lns", "decoder_U_nl_drt_2_lns"),
            ("decoder_ff_logit_l1_b1", "ff_logit_lstm_b"),
            ("decoder_ff_logit_l1_ln_s2", "ff_logit_ctx_ln_s"),
            ("decoder_ff_logit_l1_gamma0", "ff_logit_l1_gamma0"),
            ("decoder_ff_logit_l2_b", "ff_logit_b"),
            ("decoder_ff_state_W", "ff_state_W"),
        ] {
            assert_eq!(nematus(name).as_deref(), Some(expected));
        }
        for name in
            ["encoder_bi_l2_cell1_U", "encoder_l2_cell1_U", "decoder_l2_cell1_U", "decoder_U_att", "Wemb"]
        {
            assert_eq!(nematus(name), None, "{name}");
        }
    }
}
