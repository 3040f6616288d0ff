//! The encoder of translators and of sentence encoders: a stack of layers, each with attention and a
//! feed-forward sublayer.
//!
//! The sentences of a batch lie one after the other, without padding, and each attends to itself alone.
//! Attention is all that looks at other rows. What stands between two attentions is done for a block of rows
//! at a time: from the end of a layer to the rows that the next attention reads. So a block's values stay in
//! a core's cache.

use dyno_formats::Result;
use dyno_formats::spec::TransformerSpec;

use super::Process;
use super::attention::Attention;
use super::encoded::{Block, Encoded};
use super::feed_forward::FeedForward;
use crate::Scratch;
use crate::math::Threads;
use crate::params::Params;
use crate::watch::Component;

/// The layers of an encoder.
pub struct Encoder {
    layers: Vec<EncoderLayer>,
    top: Process,
    width: usize,
    /// What the time of each sublayer is charged to.
    components: [Component; 2],
}

/// A layer of an encoder.
pub struct EncoderLayer {
    pub(super) attention: Attention,
    feed: FeedForward,
}

impl EncoderLayer {
    /// A layer of these sublayers.
    pub fn new(attention: Attention, feed: FeedForward) -> Self {
        Self { attention, feed }
    }

    /// Replaces the vectors of a block by those after the layer; the results of attention stand in its
    /// `context`.
    fn finish(&self, scratch: &mut Scratch, block: &mut Block<'_>, [attention, feed]: [Component; 2]) {
        let mut out = std::mem::take(&mut scratch.out);
        let span = attention.span();
        self.attention.end(block.context, block.rows, scratch, &mut out);
        drop(span);
        let _feed = feed.span();
        self.feed.apply_to_block(&out, scratch, block.rows);
        scratch.out = out;
    }

    /// Gives a block the form in which attention reads its rows.
    fn prepare(&self, block: &mut Block<'_>, threads: &mut Threads, [attention, _]: [Component; 2]) {
        let _attention = attention.span();
        let before = &self.attention.before;
        if !before.is_empty() {
            block.prepared.copy_from_slice(block.rows);
            before.norms(block.prepared, threads);
        }
        if let Some((part, form)) = block.quantised.take().zip(self.attention.form()) {
            let read = if before.is_empty() { &*block.rows } else { &*block.prepared };
            form.quantise(part, read, threads).expect("a block has the rows of its part");
        }
    }
}

impl Encoder {
    /// A stack of `layers` on rows of `width`, with the operations `top` after it. The time of sublayers is
    /// charged to `components`.
    pub fn new(layers: Vec<EncoderLayer>, top: Process, width: usize, components: [Component; 2]) -> Self {
        Self { layers, top, width, components }
    }

    /// The encoder of a translator.
    pub(super) fn read(params: Params<'_>, spec: &TransformerSpec) -> Result<Self> {
        let layer = |number: usize| {
            let attention = Attention::new(params, spec, spec.heads[0], &format!("encoder_l{number}_self"))?;
            let prefix = format!("encoder_l{number}_ffn");
            Ok(EncoderLayer::new(attention, FeedForward::new(params, spec, spec.feeds[0], &prefix)?))
        };
        let layers = (1..=spec.encoder_depth).map(layer).collect::<Result<_>>()?;
        let top = Process::after(params, &spec.after_top, "encoder_top", spec.width)?;
        Ok(Self::new(layers, top, spec.width, [Component::Encoder; 2]))
    }

    /// Replaces the vectors of the words that have [begun](Encoded::begin) by those after the last layer.
    ///
    /// `embed` fills vectors from a word on. Its arguments are the word's number, the vectors [some words,
    /// D], room for a copy of the embeddings before any operation, and threads for these vectors. The room is
    /// empty if no copy is wanted.
    pub fn encode(
        &self,
        encoded: &mut Encoded,
        scratch: &mut Scratch,
        embed: &(impl Fn(usize, &mut [f32], &mut [f32], &mut Threads) + Sync),
    ) {
        encoded.make_room(self.width, self.top.reads_input(), scratch.operands.threads.count());
        let mut before: Option<&EncoderLayer> = None;
        for layer in &self.layers {
            let attention = &layer.attention;
            encoded.each_block(Some(attention), scratch, |scratch, block| {
                self.enter(before, scratch, block, embed);
                layer.prepare(block, &mut scratch.operands.threads, self.components);
            });
            let _attention = self.components[0].span();
            encoded.attend(attention, &mut scratch.operands);
            before = Some(layer);
        }
        encoded.each_block(None, scratch, |scratch, block| {
            self.enter(before, scratch, block, embed);
            self.top.apply(block.rows, block.embedded, scratch);
        });
    }

    /// All that stands behind the attention of the layer `before`, or the embeddings.
    fn enter(
        &self,
        before: Option<&EncoderLayer>,
        scratch: &mut Scratch,
        block: &mut Block<'_>,
        embed: &impl Fn(usize, &mut [f32], &mut [f32], &mut Threads),
    ) {
        match before {
            Some(layer) => layer.finish(scratch, block, self.components),
            None => embed(block.first, block.rows, block.embedded, &mut scratch.operands.threads),
        }
    }
}
