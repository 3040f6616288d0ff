//! What was watched, in the words of the contract.

use dyno_api::Breakdown;
use dyno_nn::watch::{Component, Operator, Times};

/// All components and operators, also those that took no time.
pub(crate) fn of(times: &Times) -> Breakdown {
    let components = Component::ALL.map(|part| (name(part), times.of_component(part)));
    let operators = Operator::ALL.map(|part| (name(part), times.of_operator(part)));
    Breakdown { components: components.into(), operators: operators.into() }
}

/// A part is named as in the code.
fn name(part: impl std::fmt::Debug) -> String {
    format!("{part:?}").to_lowercase()
}
