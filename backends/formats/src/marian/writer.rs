//! From the description of a network to Marian's keys: a converted model has its configuration under them,
//! whatever the format that it comes from.

use super::transformer;
use crate::Result;
use crate::spec::{AutoregressionSpec, ModelSpec, Positions, TransformerSpec};
use crate::yaml::{Entries, Value};

/// The keys of `spec`. They describe a Transformer with self-attention, two feed-forward layers and positions
/// by sines or in a table, as all translators of other formats are.
///
/// # Errors
/// When the network is of another kind.
pub(crate) fn entries_of(spec: &ModelSpec) -> Result<Entries> {
    let network = spec.transformer()?;
    let half = (network.width / 2) as f32;
    let (divisor, first) = match network.positions {
        Positions::Sinusoid { divisor, first } => (divisor, first),
        Positions::Tabulated => (half, 0), // without effect
        Positions::Trained | Positions::None => return Err(spec.misfit()),
    };
    if ![1.0, (network.width as f32).sqrt()].contains(&network.embedding_scale) {
        return Err(spec.misfit());
    }
    if network.autoregression != AutoregressionSpec::SelfAttention {
        return Err(spec.misfit());
    }
    let vectors = spec.vectors;
    let divisor = [(half, "d/2"), (half - 1.0, "d/2-1")].into_iter().find(|(known, _)| *known == divisor);
    let (_, divisor) = divisor.ok_or_else(|| spec.misfit())?;
    let flags = [
        ("tied-embeddings-all", vectors.shared && vectors.tied),
        ("tied-embeddings-src", vectors.shared),
        ("tied-embeddings", vectors.tied),
        ("output-omit-bias", !vectors.bias),
        ("transformer-embedding-scale", network.embedding_scale != 1.0),
        ("transformer-normalised-keys", network.normalised_keys),
        ("transformer-position-table", network.positions == Positions::Tabulated),
    ];
    let texts = [
        ("type", "transformer".to_owned()),
        ("transformer-decoder-autoreg", "self-attention".to_owned()),
        ("transformer-ffn-activation", activation(network).ok_or_else(|| spec.misfit())?.to_owned()),
        ("transformer-preprocess", transformer::codes_of(&network.before)),
        ("transformer-postprocess", transformer::codes_of(&network.after)),
        ("transformer-postprocess-top", transformer::codes_of(&network.after_top)),
        ("transformer-postprocess-emb", transformer::codes_of(&network.after_embedding)),
        ("transformer-position-divisor", divisor.to_owned()),
        ("transformer-norm-epsilon", network.after.epsilon.to_string()),
    ];
    let entry = |(key, value): (&str, String)| (key.to_owned(), Value::Text(value));
    let mut entries: Entries = texts.into_iter().map(entry).collect();
    entries.extend(flags.map(|(key, flag)| entry((key, flag.to_string()))));
    entries.extend(counts(network, first).map(|(key, count)| entry((key, count.to_string()))));
    entries.extend(network.start_word.map(|word| entry(("transformer-start-word", word.to_string()))));
    let sizes = spec.words.map(|size| Value::Text(size.to_string()));
    entries.push(("dim-vocabs".into(), Value::List(sizes.into())));
    Ok(entries)
}

fn counts(network: &TransformerSpec, first_position: usize) -> [(&'static str, usize); 8] {
    [
        ("dim-emb", network.width),
        ("enc-depth", network.encoder_depth),
        ("dec-depth", network.decoder_layers.len()),
        ("transformer-heads", network.heads[0]),
        ("transformer-decoder-heads", network.heads[1]),
        ("transformer-dim-ffn", network.feeds[0].width),
        ("transformer-decoder-dim-ffn", network.feeds[1].width),
        ("transformer-first-position", first_position),
    ]
}

fn activation(network: &TransformerSpec) -> Option<&'static str> {
    let named = transformer::ACTIVATIONS.iter().find(|(_, activation)| *activation == network.activation);
    named.map(|(name, _)| *name)
}
