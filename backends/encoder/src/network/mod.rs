//! The network: from ids of tokens to a vector for each line.

mod attention;
mod embedding;
mod layer;
mod linear;
mod names;
mod norm;
mod params;
mod pooling;
mod team;

use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;

use dyno_formats::Weights;
use dyno_kernels::Kernels;
use dyno_nn::watch::Component;

use self::embedding::Embedding;
use self::layer::{Buffers, Layer};
use self::linear::{Operand, normalise};
use self::names::Names;
use self::norm::Norm;
use self::params::Params;
use self::pooling::Pool;
use self::team::Team;
use crate::Result;
use crate::config::Config;
use crate::modules::Steps;
use crate::settings::Precision;

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

/// A worker's buffers and threads.
#[derive(Debug)]
pub(crate) struct Worker {
    team: Team,
    buffers: Buffers,
    /// Vectors of all tokens.
    tokens: Vec<f32>,
    /// Tokens of each line.
    lines: Vec<Range<usize>>,
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
        let layers = (0..config.layers).map(|layer| Layer::new(params, &names.layer(layer), config));
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
        let operand = Operand::new(self.kernels, self.precision.of_kernels());
        Ok(Worker {
            team: Team::new(threads)?,
            buffers: Buffers::new(self.kernels, operand, threads),
            tokens: Vec::new(),
            lines: Vec::new(),
        })
    }

    /// Computes the vectors of all tokens of some lines.
    pub(crate) fn encode<'a>(
        &self,
        worker: &mut Worker,
        lines: impl Iterator<Item = &'a [u32]>,
    ) -> Result<()> {
        let Worker { team, buffers, tokens, lines: ranges } = worker;
        tokens.clear();
        ranges.clear();
        let embed = Component::Embed.span();
        for ids in lines {
            let first = tokens.len() / self.width;
            self.embedding.extend(self.kernels, ids, tokens)?;
            ranges.push(first..first + ids.len());
        }
        drop(embed);
        self.layers.iter().for_each(|layer| layer.apply(team, buffers, ranges, tokens));
        normalise(team, self.kernels, self.last_norm.as_ref(), tokens, self.width);
        Ok(())
    }

    /// Replaces `vector` by the vector of line `line` of the last [`encode`](Self::encode).
    pub(crate) fn pool(&self, worker: &mut Worker, line: usize, vector: &mut Vec<f32>) {
        let Worker { team, buffers, tokens, lines } = worker;
        let range = &lines[line];
        let tokens = &tokens[range.start * self.width..range.end * self.width];
        self.pool.apply(team, &mut buffers.operand, tokens, vector);
    }
}
