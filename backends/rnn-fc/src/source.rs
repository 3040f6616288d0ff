//! The source's recurrent layers over the words of a batch, in both directions.

use dyno_formats::Result;
use dyno_formats::spec::FullyConnectedSpec;
use dyno_nn::math::{Linear, add};
use dyno_nn::recurrent::{Functions, Spans, WalkBuffers, Ways};
use dyno_nn::watch::Component;
use dyno_nn::{Params, Scratch, Sentence};

use crate::embedded::{Embedded, Rest};
use crate::recurrent::{inputs, layer as layer_of};

/// Layers of the source.
pub(crate) struct Source {
    words: Embedded,
    layers: Vec<Layer>,
    skip: bool,
}

/// A layer in one direction or two.
struct Layer {
    /// Product of the outputs below; the first layer reads the product of the embeddings instead.
    input: Option<Linear>,
    ways: Ways,
}

/// An encoded batch, and buffers.
pub(crate) struct Encoded {
    /// Vectors that attention reads, [words, C].
    pub(crate) rows: Vec<f32>,
    pub(crate) spans: Spans,
    below: Vec<f32>,
    fed: Vec<f32>,
    walk: WalkBuffers,
    rest: Rest,
}

impl Encoded {
    /// Buffers for layers of this width in one direction.
    pub(crate) fn new(width: usize) -> Self {
        let (rows, below, fed) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            rows,
            spans: Spans::default(),
            below,
            fed,
            walk: WalkBuffers::new(width),
            rest: Rest::default(),
        }
    }
}

/// Prefixes of the names of a layer's directions.
fn prefixes(spec: &FullyConnectedSpec, layer: usize) -> Vec<String> {
    let ways = &["forward", "backward"][..spec.source.ways(layer)];
    ways.iter().map(|way| format!("source_l{layer}_{way}")).collect()
}

/// The product of the first layer's input words.
pub(crate) fn first_input(params: Params<'_>, spec: &FullyConnectedSpec) -> Result<Linear> {
    let source = &spec.source;
    inputs(params, source.cell, &prefixes(spec, 1), spec.embedding, source.width)
}

impl Source {
    pub(crate) fn new(
        params: Params<'_>,
        spec: &FullyConnectedSpec,
        words: Embedded,
        functions: Functions,
    ) -> Result<Self> {
        let layers = (1..=spec.source.depth).map(|layer| Layer::new(params, spec, layer, functions));
        Ok(Self { words, layers: layers.collect::<Result<_>>()?, skip: spec.skip })
    }

    /// Number of words of a batch, and of those whose product was computed in advance.
    pub(crate) fn frequent(&self, batch: &[Sentence<'_>]) -> (usize, usize) {
        let words = || batch.iter().flat_map(|sentence| sentence.ids);
        (words().count(), words().filter(|word| self.words.is_known(**word)).count())
    }

    /// Encodes a batch.
    pub(crate) fn encode(&self, batch: &[Sentence<'_>], encoded: &mut Encoded, scratch: &mut Scratch) {
        let _encoder = Component::Encoder.span();
        encoded.spans.set(batch);
        let words = batch.iter().flat_map(|sentence| sentence.ids).map(|id| Some(*id));
        self.words.apply(words, &mut scratch.operands, &mut encoded.rest, &mut encoded.fed);
        for (at, layer) in self.layers.iter().enumerate() {
            std::mem::swap(&mut encoded.rows, &mut encoded.below);
            if let Some(input) = &layer.input {
                input.apply(&encoded.below, &mut scratch.operands, &mut encoded.fed);
            }
            let Encoded { rows, spans, fed, walk, .. } = encoded;
            layer.ways.run(spans, (fed, walk), scratch, rows, |_, _| ());
            if self.skip && at >= 2 {
                add(&mut encoded.rows, &encoded.below);
            }
        }
    }
}

impl Layer {
    fn new(
        params: Params<'_>,
        spec: &FullyConnectedSpec,
        layer: usize,
        functions: Functions,
    ) -> Result<Self> {
        let (source, prefixes) = (&spec.source, prefixes(spec, layer));
        let below = (layer > 1).then(|| source.ways(layer - 1) * source.width);
        let input = |below| inputs(params, source.cell, &prefixes, below, source.width);
        let way = |prefix: &String| layer_of(params, (source.cell, functions), prefix, source.width);
        let ways = prefixes.iter().map(way);
        Ok(Self { input: below.map(input).transpose()?, ways: Ways::new(ways.collect::<Result<_>>()?) })
    }
}
