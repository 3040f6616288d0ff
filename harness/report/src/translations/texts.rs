//! The texts that are compared: the different texts of the systems.

use std::collections::HashMap;

use crate::material::{Material, Set};

/// Outputs of the systems, equal outputs once.
pub struct Texts<'a> {
    /// Names of the systems that gave each output.
    pub names: Vec<Vec<&'a str>>,
    /// Outputs, a list of lines each.
    pub texts: Vec<&'a [String]>,
}

impl<'a> Texts<'a> {
    /// Outputs of `translators` on a test set.
    pub fn of(material: &'a Material<'_>, set: &Set<'a>, translators: &[usize]) -> Self {
        let mut texts = Self { names: Vec::new(), texts: Vec::new() };
        let mut place: HashMap<&String, usize> = HashMap::new();
        for &system in translators {
            let Some((output, lines)) = set.output(system).zip(set.answers(system)) else { continue };
            if lines.len() != set.texts.source.len() {
                continue;
            }
            let at = *place.entry(output).or_insert_with(|| {
                texts.names.push(Vec::new());
                texts.texts.push(lines);
                texts.texts.len() - 1
            });
            texts.names[at].push(&material.systems[system].name);
        }
        texts
    }
}
