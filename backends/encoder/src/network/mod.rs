//! The network: from ids of tokens to a vector for each line.

mod embedding;
mod layer;
mod names;
mod params;
mod pooling;

use std::cell::Cell;
use std::sync::Arc;

use dyno_formats::Weights;
use dyno_kernels::{Kernels, Precision};
use dyno_nn::Scratch;
use dyno_nn::math::Threads;
use dyno_nn::transformer::{Encoded, Encoder, Process};
use dyno_nn::watch::Component;

use self::embedding::{Embedding, Place};
use self::names::Names;
use self::params::Params;
use self::pooling::Pool;
use crate::Result;
use crate::config::Config;
use crate::modules::Steps;

/// A network whose weights are packed.
pub(crate) struct Network {
    width: usize,
    parameters: u64,
    embedding: Embedding,
    encoder: Encoder,
    pool: Pool,
}

/// A worker's threads and buffers.
#[derive(Debug)]
pub(crate) struct Worker {
    /// All tokens.
    places: Vec<Place>,
    encoded: Encoded,
    scratch: Scratch,
    /// A vector for each line.
    vectors: Vec<f32>,
}

impl Worker {
    /// A worker with so many threads.
    pub(crate) fn new(threads: usize) -> Result<Self> {
        Ok(Self {
            places: Vec::new(),
            encoded: Encoded::default(),
            scratch: Scratch::new(Threads::new(threads)?),
            vectors: Vec::new(),
        })
    }
}

impl Network {
    /// Packs the network of `config`, with the steps after it.
    pub(crate) fn new(
        weights: &Arc<Weights>,
        kernels: Kernels,
        precision: Precision,
        config: &Config,
        steps: Steps<'_>,
    ) -> Result<Self> {
        let read = Cell::new(0);
        let params = Params { weights, kernels, precision, read: &read };
        let names = Names::new(config.family, weights);
        let layers = (0..config.layers).map(|layer| layer::read(params, names.layer(layer), config));
        let layers = layers.collect::<Result<Vec<_>>>()?;
        let top = config
            .family
            .norms_first()
            .then(|| params.norm(&names.of("LayerNorm"), config.width, config.epsilon));
        let top = Process::of(kernels, false, top.transpose()?);
        let mut network = Self {
            width: config.width,
            parameters: 0,
            embedding: Embedding::new(params, weights, &names, config)?,
            encoder: Encoder::new(layers, top, config.width, [Component::Attention, Component::Feedforward]),
            pool: Pool::new(params, &names, config.width, steps)?,
        };
        network.parameters = read.get();
        weights.release();
        Ok(network)
    }

    /// Number of parameters that the vectors of lines depend on, or might depend on with other text.
    pub(crate) fn parameters(&self) -> u64 {
        self.parameters
    }

    /// Computes the vectors of all tokens of some lines.
    pub(crate) fn encode<'a>(
        &self,
        worker: &mut Worker,
        lines: impl Iterator<Item = &'a [u32]> + Clone,
    ) -> Result<()> {
        let words = self.embedding.words()?;
        let Worker { places, encoded, scratch, .. } = worker;
        places.clear();
        lines.clone().for_each(|ids| self.embedding.place(ids, places));
        encoded.begin(lines.map(<[u32]>::len));
        self.encoder.encode(encoded, scratch, &|first, vectors, _, threads| {
            self.embedding.fill(words, &places[first..], vectors, threads);
        });
        Ok(())
    }

    /// Pools the vectors of each line of the last [`encode`](Self::encode).
    pub(crate) fn pool(&self, worker: &mut Worker) {
        let Worker { encoded, scratch, vectors, .. } = worker;
        if !self.pool.keeps_tokens() {
            self.pool.apply(&mut scratch.operands, encoded.rows(), encoded.lines(), vectors);
        }
    }

    /// The vector of line `line`, or those of its tokens, after [`pool`](Self::pool).
    pub(crate) fn vector<'a>(&self, worker: &'a Worker, line: usize) -> &'a [f32] {
        if self.pool.keeps_tokens() {
            let range = &worker.encoded.lines()[line];
            return &worker.encoded.rows()[range.start * self.width..range.end * self.width];
        }
        let length = worker.vectors.len() / worker.encoded.lines().len();
        &worker.vectors[line * length..][..length]
    }
}
