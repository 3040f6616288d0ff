//! Tensors: CTranslate2's names for them, and the rows of products that it joined.
//!
//! Self-attention has one product for queries, keys and values, `linear_0`; the decoder's attention to the source
//! has `linear_0` for queries and `linear_1` for keys and values. The last product is the output.

use std::ops::Range;

use crate::naming::{Named, Part, Tensors};
use crate::spec::VectorsSpec;

/// What of a network decides the names and shapes of its tensors.
pub(super) struct Shape {
    pub(super) width: usize,
    /// Layers of encoder and decoder.
    pub(super) layers: [usize; 2],
    pub(super) feeds: [usize; 2],
    pub(super) words: [usize; 2],
    pub(super) vectors: VectorsSpec,
    /// Name of the table of the source's words.
    pub(super) source_table: String,
    pub(super) norms_first: bool,
    pub(super) norms_top: bool,
    /// Rows of the table of positions; 0 where there is none.
    pub(super) positions: usize,
}

/// The tensors of a network of this shape.
pub(super) fn of(shape: &Shape) -> Tensors {
    let mut list = List { tensors: Tensors::default(), shape };
    for (stack, at) in [("encoder", 0), ("decoder", 1)] {
        for layer in 0..shape.layers[at] {
            list.layer(stack, layer, shape.feeds[at]);
        }
        list.around(stack);
    }
    list.words();
    list.tensors
}

/// Tensors that are being listed.
struct List<'a> {
    tensors: Tensors,
    shape: &'a Shape,
}

impl List<'_> {
    fn layer(&mut self, stack: &str, layer: usize, inner: usize) {
        let (stored, name, width) =
            (format!("{stack}/layer_{layer}"), format!("{stack}_l{}", layer + 1), self.shape.width);
        self.attention(
            &format!("{stored}/self_attention"),
            &format!("{name}_self"),
            [(0, 0), (0, 1), (0, 2), (1, 0)],
        );
        if stack == "decoder" {
            self.attention(
                &format!("{stored}/attention"),
                &format!("{name}_context"),
                [(0, 0), (1, 0), (1, 1), (2, 0)],
            );
        }
        self.product(&format!("{stored}/ffn/linear_0"), &format!("{name}_ffn"), "1", [inner, width], None);
        self.product(&format!("{stored}/ffn/linear_1"), &format!("{name}_ffn"), "2", [width, inner], None);
        self.norm(&format!("{stored}/ffn/layer_norm"), &format!("{name}_ffn_ffn"), self.suffix());
    }

    /// An attention; `places` are the product and the part of it with queries, keys, values and the output.
    fn attention(&mut self, stored: &str, name: &str, places: [(usize, usize); 4]) {
        let width = self.shape.width;
        for ((linear, at), short) in places.into_iter().zip(["q", "k", "v", "o"]) {
            let joined = places.iter().filter(|(other, _)| *other == linear).count() > 1;
            let part = joined.then(|| at * width..(at + 1) * width);
            self.product(&format!("{stored}/linear_{linear}"), name, short, [width, width], part);
        }
        self.norm(&format!("{stored}/layer_norm"), &format!("{name}_Wo"), self.suffix());
    }

    /// The norm behind the last layer, and positions.
    fn around(&mut self, stack: &str) {
        if self.shape.norms_top {
            self.norm(&format!("{stack}/layer_norm"), &format!("{stack}_top"), "");
        }
        if self.shape.positions > 0 {
            let shape = [self.shape.positions, self.shape.width];
            self.add(format!("{stack}/position_encodings/encodings"), "Wpos", shape, false, None);
        }
    }

    fn words(&mut self) {
        let Shape { width, words: [source, target], vectors, .. } = *self.shape;
        let [encoder, decoder] = [&self.shape.source_table, "decoder/embeddings/weight"].map(str::to_owned);
        if vectors.shared {
            self.add(encoder, "Wemb", [source, width], false, None);
        } else {
            self.add(encoder, "encoder_Wemb", [source, width], false, None);
            self.add(decoder, "decoder_Wemb", [target, width], false, None);
        }
        if !vectors.tied {
            self.add(
                "decoder/projection/weight".into(),
                "decoder_ff_logit_out_Wt",
                [target, width],
                false,
                None,
            );
        }
        if vectors.bias {
            self.add("decoder/projection/bias".into(), "decoder_ff_logit_out_b", [1, target], false, None);
        }
    }

    fn suffix(&self) -> &'static str {
        if self.shape.norms_first { "_pre" } else { "" }
    }

    fn product(
        &mut self,
        stored: &str,
        name: &str,
        suffix: &str,
        shape: [usize; 2],
        part: Option<Range<usize>>,
    ) {
        self.add(format!("{stored}/weight"), &format!("{name}_W{suffix}"), shape, true, part.clone());
        self.add(format!("{stored}/bias"), &format!("{name}_b{suffix}"), [1, shape[0]], false, part);
    }

    fn norm(&mut self, stored: &str, name: &str, suffix: &str) {
        let shape = [1, self.shape.width];
        self.add(format!("{stored}/gamma"), &format!("{name}_ln_scale{suffix}"), shape, false, None);
        self.add(format!("{stored}/beta"), &format!("{name}_ln_bias{suffix}"), shape, false, None);
    }

    fn add(
        &mut self,
        stored: String,
        name: &str,
        shape: [usize; 2],
        product: bool,
        part: Option<Range<usize>>,
    ) {
        let part = part.map(Part::Rows);
        self.tensors.add(Named { stored: vec![stored], name: name.into(), shape, product, part });
    }
}
