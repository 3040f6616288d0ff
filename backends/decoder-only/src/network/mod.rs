//! The network: rows of words in, keys and values kept, logits out.
//!
//! A row is one word of one line at its position. Rows of several lines, and of prompts and answers alike, go
//! through the layers together: products treat all rows at once, attention each row with its own line's keys.

mod attention;
mod layer;
mod linear;
mod rotation;
mod row;
mod worker;

use dyno_formats::Gguf;
use dyno_formats::spec::DecoderOnlySpec;
use dyno_kernels::Kernels;
use dyno_nn::math::Norm;

use self::layer::Layer;
use self::linear::Linear;
pub use self::row::Row;
pub use self::worker::Worker;
use crate::Result;

/// A network whose weights are packed.
pub struct Network {
    pub(crate) spec: DecoderOnlySpec,
    kernels: Kernels,
    layers: Vec<Layer>,
    last_norm: Norm,
    output: Linear,
    /// The file, of which words' vectors are read where they lie.
    file: Gguf,
}

impl Network {
    /// Packs the network of `file`.
    ///
    /// # Errors
    /// When the file lacks a tensor, or asks for what the engine lacks.
    pub fn new(file: Gguf, kernels: Kernels) -> Result<Self> {
        let spec = file.network()?;
        let layers = (0..spec.layers).map(|layer| Layer::new(&file, kernels, &spec, layer));
        let output = if spec.tied { "token_embd.weight" } else { "output.weight" };
        let last_norm = file.expect("output_norm.weight", 1, spec.width)?.to_f32();
        Ok(Self {
            layers: layers.collect::<Result<_>>()?,
            last_norm: Norm::root_mean_square(kernels, last_norm, spec.epsilon),
            output: Linear::new(&file, kernels, output, (spec.words, spec.width))?,
            spec,
            kernels,
            file,
        })
    }

    /// The file of the weights.
    pub fn file(&self) -> &Gguf {
        &self.file
    }

    /// Number of words.
    pub fn words(&self) -> usize {
        self.spec.words
    }

    /// Bytes of packed weights, which each step reads once.
    pub(crate) fn bytes(&self) -> usize {
        self.layers.iter().map(Layer::bytes).sum::<usize>() + self.output.bytes()
    }

    /// Number of parameters.
    pub(crate) fn parameters(&self) -> u64 {
        self.spec.tensors().into_iter().map(|(_, rows, columns)| (rows * columns) as u64).sum()
    }

    /// A worker with `threads` threads.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn worker(&self, threads: usize) -> Result<Worker> {
        Worker::new(&self.spec, self.kernels, threads)
    }

    /// Takes `rows` through the network, and replaces `logits` by those of the `wanted` rows, [wanted,
    /// words].
    pub fn forward(&self, worker: &mut Worker, rows: &[Row], wanted: &[usize], logits: &mut Vec<f32>) {
        worker.place(&self.spec, rows);
        self.embed(worker, rows);
        for layer in &self.layers {
            layer.apply(&self.spec, worker, rows);
        }
        worker.last_rows(wanted, self.spec.width);
        logits.resize(wanted.len() * self.spec.words, 0.0);
        if !wanted.is_empty() {
            worker.finish(&self.last_norm, self.spec.width, &self.output, logits);
        }
    }

    fn embed(&self, worker: &mut Worker, rows: &[Row]) {
        let table = self.file.tensor("token_embd.weight").expect("the network has words");
        for (row, x) in rows.iter().zip(worker.x.chunks_exact_mut(self.spec.width)) {
            table.read_row(row.id as usize, x);
            if self.spec.embedding_scale != 1.0 {
                x.iter_mut().for_each(|x| *x *= self.spec.embedding_scale);
            }
        }
    }
}
