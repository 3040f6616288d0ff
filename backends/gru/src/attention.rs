//! Attention by a perceptron with one layer: e_j = u·tanh(H_j·Wc + s·Ws), α = softmax(e), c = Σ α_j·H_j.
//!
//! Only products read the context c, and c·W = Σ α_j·(H_j·W), with bias too, because Σ α_j = 1. So the products
//! of a sentence's words are computed once, all words at a time, and no step multiplies its context. For a
//! state of 512 one row would read 1.8 MB of int8 weights from a far cache at each step. Devlin (2017)
//! computes attention in advance for the same reason.

use dyno_formats::Result;
use dyno_formats::spec::{NormStyle, RecurrentSpec};
use dyno_nn::math::Kernels;
use dyno_nn::watch::Operator;

use crate::names::Names;
use crate::projection::{Dense, Projection};

/// Weights of the attention.
pub(crate) struct Attention {
    /// Projection of the encoder's rows, with the bias.
    pub(crate) context: Projection,
    /// Projection of the decoder's state.
    pub(crate) state: Projection,
    /// Direction of the energies, u `[C]`.
    energy: Vec<f32>,
    kernels: Kernels,
}

/// What attention reads of a sentence.
#[derive(Default)]
pub(crate) struct Source {
    /// Projections of the encoder's rows, [words, C].
    pub(crate) keys: Vec<f32>,
    /// Products of the encoder's rows for the cell that reads the context, [words, G], and for the deep
    /// output, [words, E].
    pub(crate) products: [Vec<f32>; 2],
}

/// Attention weights over the source for the last row.
#[derive(Default)]
pub(crate) struct Weights {
    pub(crate) alpha: Vec<f32>,
}

impl Attention {
    pub(crate) fn new(names: Names<'_>, spec: &RecurrentSpec) -> Result<Self> {
        let (state, context) = (spec.state, spec.context());
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
            context: Projection::dense(names, spec.style, &dense, context, context)?,
            state: match spec.style {
                NormStyle::None => product,
                NormStyle::Gamma => product.scaled(norm("att_gamma2")?, Vec::new()),
                NormStyle::Nematus => product.normalised(norm("W_comb_att_lns")?, norm("W_comb_att_lnb")?),
            },
            energy: names.matrix("decoder_U_att", context, 1)?,
            kernels: names.kernels(),
        })
    }

    /// Computes a row's weights over the words of `source`, and replaces each row of `products` by the
    /// product with the row's context. `query` `[C]` is the projection of the row's state.
    pub(crate) fn attend(
        &self,
        query: &[f32],
        source: &Source,
        products: [&mut [f32]; 2],
        Weights { alpha }: &mut Weights,
    ) {
        let _attention = Operator::Attention.span();
        alpha.resize(source.keys.len() / self.energy.len(), 0.0);
        let near = self.state.reads_int8();
        self.kernels.energies(&source.keys, query, &self.energy, near, alpha).expect(WIDE);
        self.kernels.softmax(alpha);
        for (of_words, of_context) in source.products.iter().zip(products) {
            self.kernels.weighted_sum(alpha, of_words, of_context).expect(WIDE);
        }
    }
}

/// Reason why calls of the kernels succeed.
const WIDE: &str = "a query as wide as the context, and a product for each word";
