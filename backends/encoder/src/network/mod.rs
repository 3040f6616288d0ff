//! The network: from ids of tokens to a vector for each line.

mod attention;
mod embedding;
mod layer;
mod names;
mod params;
mod pooling;
mod worker;

use std::cell::Cell;
use std::sync::Arc;

use dyno_formats::Weights;
use dyno_kernels::{Kernels, Precision};
use dyno_nn::math::Norm;

use self::embedding::Embedding;
use self::layer::{Buffers, Layer, Part};
use self::names::Names;
use self::params::Params;
use self::pooling::Pool;
pub(crate) use self::worker::Worker;
use crate::Result;
use crate::config::Config;
use crate::modules::Steps;

/// A network whose weights are packed.
#[derive(Debug)]
pub(crate) struct Network {
    kernels: Kernels,
    precision: Precision,
    width: usize,
    parameters: u64,
    embedding: Embedding,
    layers: Vec<Layer>,
    /// Norm after the last layer, where norms stand before sublayers.
    last_norm: Option<Norm>,
    pool: Pool,
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
        let layers = (0..config.layers).map(|layer| Layer::new(params, names.layer(layer), config));
        let layers = layers.collect::<Result<Vec<_>>>()?;
        let last_norm = config
            .family
            .norms_first()
            .then(|| params.norm(&names.of("LayerNorm"), config.width, config.epsilon));
        let mut network = Self {
            kernels,
            precision,
            width: config.width,
            parameters: 0,
            embedding: Embedding::new(params, weights, &names, config)?,
            layers,
            last_norm: last_norm.transpose()?,
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

    /// A worker with `threads` threads.
    pub(crate) fn worker(&self, threads: usize) -> Result<Worker> {
        Worker::new(self.kernels, self.precision, threads)
    }

    /// Computes the vectors of all tokens of some lines.
    pub(crate) fn encode<'a>(
        &self,
        worker: &mut Worker,
        lines: impl Iterator<Item = &'a [u32]>,
    ) -> Result<()> {
        let words = self.embedding.words()?;
        self.place(worker, lines);
        worker.share(|worker| self.run(worker, words));
        Ok(())
    }

    /// Replaces the vectors of a worker's tokens by those after the last layer.
    fn run(&self, worker: &mut Worker, words: &[f32]) {
        for (at, layer) in self.layers.iter().enumerate() {
            worker.each_part(self.width, layer.norms_first(), |buffers, part| {
                self.finish(at, words, buffers, part);
                layer.prepare(part);
            });
            worker.attend(layer);
        }
        worker.each_part(self.width, false, |buffers, part| {
            self.finish(self.layers.len(), words, buffers, part);
            self.last_norm.iter().for_each(|norm| norm.apply(part.x));
        });
    }

    /// Replaces a worker's tokens by those of `lines`.
    fn place<'a>(&self, worker: &mut Worker, lines: impl Iterator<Item = &'a [u32]>) {
        let Worker { places, lines: ranges, .. } = worker;
        places.clear();
        ranges.clear();
        for ids in lines {
            let first = places.len();
            self.embedding.place(ids, places);
            ranges.push(first..places.len());
        }
    }

    /// All that stands before layer `at`, since the attention before it or from the words on.
    fn finish(&self, at: usize, words: &[f32], buffers: &mut Buffers, part: &mut Part<'_>) {
        match at.checked_sub(1) {
            Some(before) => self.layers[before].finish(buffers, part),
            None => self.embedding.fill(words, part.places, part.x),
        }
    }

    /// Pools the vectors of each line of the last [`encode`](Self::encode).
    pub(crate) fn pool(&self, worker: &mut Worker) {
        if !self.pool.keeps_tokens() {
            worker.share(|Worker { hands, tokens, lines, vectors, .. }| {
                self.pool.apply(&mut hands[0].buffers.operands, tokens, lines, vectors);
            });
        }
    }

    /// The vector of line `line`, or those of its tokens, after [`pool`](Self::pool).
    pub(crate) fn vector<'a>(&self, worker: &'a Worker, line: usize) -> &'a [f32] {
        if self.pool.keeps_tokens() {
            let range = &worker.lines[line];
            return &worker.tokens[range.start * self.width..range.end * self.width];
        }
        let length = worker.vectors.len() / worker.lines.len();
        &worker.vectors[line * length..][..length]
    }
}
