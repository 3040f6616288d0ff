//! Conversion of measured times into the breakdown of the contract.

use dyno_api::Breakdown;
use dyno_nn::watch::{Component, Operator, Times};

/// The times of all components and operators, including those without time.
pub(crate) fn of(times: &Times) -> Breakdown {
    let components = Component::ALL.map(|part| (name(part), times.of_component(part)));
    let operators = Operator::ALL.map(|part| (name(part), times.of_operator(part)));
    Breakdown { components: components.into(), operators: operators.into() }
}

/// Name of a component or operator in the contract: its name in the code, in lower case.
fn name(part: impl std::fmt::Debug) -> String {
    format!("{part:?}").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_as_in_the_contract() {
        let told = of(&Times::default());
        let read: Breakdown = serde_json::from_value(serde_json::json!(told)).unwrap();
        assert_eq!(read, told);
        assert_eq!((told.components.len(), told.operators.len()), (9, 7));
        assert!(Breakdown::COMPONENTS.iter().all(|part| told.components.contains_key(*part)));
        assert!(Breakdown::OPERATORS.iter().all(|part| told.operators.contains_key(*part)));
    }
}
