//! Attention by a perceptron with one layer: e_j = u·tanh(H_j·Wc + s·Ws), α = softmax(e), c = Σ α_j·H_j.

use dyno_formats::Result;
use dyno_nn::math::Kernels;
use dyno_nn::watch::Operator;

use crate::names::Names;
use crate::options::{NormStyle, Options};
use crate::projection::{Dense, Projection};

/// Weights of the attention.
pub(crate) struct Attention {
    /// Projection of the encoder's rows, with the bias.
    pub(crate) context: Projection,
    /// Projection of the decoder's state.
    pub(crate) state: Projection,
    /// Direction of the energies, u [C].
    energy: Vec<f32>,
    kernels: Kernels,
}

/// Attention weights over the source for the last row.
#[derive(Default)]
pub(crate) struct Weights {
    pub(crate) alpha: Vec<f32>,
}

impl Attention {
    pub(crate) fn new(names: Names<'_>, options: &Options) -> Result<Self> {
        let (state, context) = (options.state, options.context());
        let dense = Dense {
            weights: "decoder_Wc_att",
            bias: "decoder_b_att",
            gamma: "decoder_att_gamma1",
            nematus: ["decoder_Wc_att_lns", "decoder_Wc_att_lnb"],
        };
        const STATE: &str = "decoder_W_comb_att";
        let product = Projection::new(names.pack(&names.product(STATE, state, context)?, &[], STATE)?);
        let norm = |part: &str| names.vector(&format!("decoder_{part}"), context);
        Ok(Self {
            context: Projection::dense(names, options.style, &dense, context, context)?,
            state: match options.style {
                NormStyle::None => product,
                NormStyle::Gamma => product.scaled(norm("att_gamma2")?, Vec::new()),
                NormStyle::Nematus => product.normalised(norm("W_comb_att_lns")?, norm("W_comb_att_lnb")?),
            },
            energy: names.matrix("decoder_U_att", context, 1)?,
            kernels: names.kernels(),
        })
    }

    /// Replaces `out` [C] by the context of a row. `query` [C] is the projection of its state; `keys` and
    /// `values` [words, C] belong to the words of its sentence.
    pub(crate) fn attend(
        &self,
        query: &[f32],
        keys: &[f32],
        values: &[f32],
        out: &mut [f32],
        weights: &mut Weights,
    ) {
        let _attention = Operator::Attention.span();
        let width = self.energy.len();
        weights.alpha.resize(keys.len() / width, 0.0);
        self.kernels.energies(keys, query, &self.energy, &mut weights.alpha).expect(WIDE);
        self.kernels.softmax(&mut weights.alpha);
        self.kernels.weighted_sum(&weights.alpha, values, out).expect(WIDE);
    }
}

/// Reason why calls of the kernels succeed.
const WIDE: &str = "all is as wide as the context";
