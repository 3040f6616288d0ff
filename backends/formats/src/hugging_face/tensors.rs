//! Tensors: the names and shapes that a network must have.
//!
//! Tensors without a place here, such as tabulated positions and second copies of tied vectors, are left out.

use super::network::{Family, WireNetwork};
use crate::naming::{Named, Tensors};

/// Layers of MarianMT's and M2M-100's names, then of Marian's: the projections of an attention.
const PROJECTIONS: [(&str, &str); 4] = [("q_proj", "q"), ("k_proj", "k"), ("v_proj", "v"), ("out_proj", "o")];

/// The tensors of a network of this family.
pub(super) fn of(network: &WireNetwork, family: Family) -> Tensors {
    let mut list = List(Tensors::default());
    list.layers(network, family);
    list.words(network, family);
    list.0
}

/// Tensors that are being listed.
struct List(Tensors);

impl List {
    fn layers(&mut self, network: &WireNetwork, family: Family) {
        let suffix = if family.norms_first() { "_pre" } else { "" };
        let width = network.d_model;
        let stacks = [
            ("encoder", network.encoder_layers, network.encoder_ffn_dim),
            ("decoder", network.decoder_layers, network.decoder_ffn_dim),
        ];
        for (stack, layers, inner) in stacks {
            for layer in 0..layers {
                let (stored, name) =
                    (format!("model.{stack}.layers.{layer}"), format!("{stack}_l{}", layer + 1));
                self.attention(&format!("{stored}.self_attn"), &format!("{name}_self"), suffix, width);
                if stack == "decoder" {
                    let name = format!("{name}_context");
                    self.attention(&format!("{stored}.encoder_attn"), &name, suffix, width);
                }
                self.product(&format!("{stored}.fc1"), &format!("{name}_ffn"), "1", [inner, width]);
                self.product(&format!("{stored}.fc2"), &format!("{name}_ffn"), "2", [width, inner]);
                self.norm(&format!("{stored}.final_layer_norm"), &format!("{name}_ffn_ffn"), suffix, width);
            }
            if family.norms_first() {
                self.norm(&format!("model.{stack}.layer_norm"), &format!("{stack}_top"), "", width);
            }
        }
    }

    fn words(&mut self, network: &WireNetwork, family: Family) {
        let (width, [source, target]) = (network.d_model, network.words());
        let [shared, encoder, decoder] = ["shared", "encoder.embed_tokens", "decoder.embed_tokens"]
            .map(|table| format!("model.{table}.weight"));
        let output = || "lm_head.weight".to_owned();
        let tied = network.ties_output();
        let head = |names: &[&String]| -> Vec<String> {
            names.iter().map(|name| (*name).clone()).chain(tied.then(output)).collect()
        };
        if network.shares_words(family) {
            self.add(head(&[&shared, &encoder, &decoder]), "Wemb", [source, width], false);
        } else {
            let other = network.has_shared_words(family).then_some(&shared);
            let of_encoder = [&encoder].into_iter().chain(other).cloned().collect();
            let of_decoder: Vec<&String> = [&decoder].into_iter().chain(other).collect();
            self.add(of_encoder, "encoder_Wemb", [source, width], false);
            self.add(head(&of_decoder), "decoder_Wemb", [target, width], false);
        }
        if !tied {
            self.add(vec![output()], "decoder_ff_logit_out_Wt", [target, width], false);
        }
        if family == Family::Marian {
            self.add(vec!["final_logits_bias".into()], "decoder_ff_logit_out_b", [1, target], false);
        }
    }

    fn attention(&mut self, stored: &str, name: &str, suffix: &str, width: usize) {
        for (part, short) in PROJECTIONS {
            self.product(&format!("{stored}.{part}"), name, short, [width, width]);
        }
        self.norm(&format!("{stored}_layer_norm"), &format!("{name}_Wo"), suffix, width);
    }

    fn product(&mut self, stored: &str, name: &str, suffix: &str, shape: [usize; 2]) {
        self.add(vec![format!("{stored}.weight")], &format!("{name}_W{suffix}"), shape, true);
        self.add(vec![format!("{stored}.bias")], &format!("{name}_b{suffix}"), [1, shape[0]], false);
    }

    fn norm(&mut self, stored: &str, name: &str, suffix: &str, width: usize) {
        self.add(vec![format!("{stored}.weight")], &format!("{name}_ln_scale{suffix}"), [1, width], false);
        self.add(vec![format!("{stored}.bias")], &format!("{name}_ln_bias{suffix}"), [1, width], false);
    }

    fn add(&mut self, stored: Vec<String>, name: &str, shape: [usize; 2], product: bool) {
        self.0.add(Named { stored, name: name.into(), shape, product, part: None });
    }
}
