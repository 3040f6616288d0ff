//! Answers of encoders: one vector a line, as base64 of little-endian f32.
//!
//! What the probes and rounds judge of a translation (its length, its likeness to another translation) says
//! nothing about a vector. Its rules are: it can be read, it is finite, and all lines have the same dimension.
//! Two vectors are the same answer if they point in the same direction, since sums in another order differ in
//! their last bits.

use dyno_record::rules::limits::SAME_COSINE;
use dyno_record::{Code, Reason};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

/// The vector of an answer; `None` if the answer is none, or has a value that isn't finite.
pub fn vector(answer: &[u8]) -> Option<Vec<f32>> {
    let bytes = BASE64_STANDARD.decode(answer.trim_ascii()).ok()?;
    let (values, rest) = bytes.as_chunks();
    let values: Vec<f32> = values.iter().map(|four| f32::from_le_bytes(*four)).collect();
    let sound = rest.is_empty() && !values.is_empty() && values.iter().all(|value| value.is_finite());
    sound.then_some(values)
}

/// Reason for the first answer that is no vector, or has another dimension than the answers before it.
pub fn fault(answers: &[Vec<u8>]) -> Option<Reason> {
    let mut dimension = None;
    for (line, answer) in answers.iter().enumerate() {
        let Some(found) = vector(answer) else {
            return Some(Code::NotAVector.reason(format!("answer to line {} is no vector", line + 1)));
        };
        let expected = *dimension.get_or_insert(found.len());
        if found.len() != expected {
            let (line, found) = (line + 1, found.len());
            let figure = format!("{found} values for line {line}, {expected} for the lines before");
            return Some(Code::NotAVector.reason(figure));
        }
    }
    None
}

/// `answers` in which each vector that is the same as the expected one is replaced by it, so that answers can
/// be compared as text.
pub fn settled(expected: &[Vec<u8>], answers: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let settle = |(expected, answer): (&Vec<u8>, &Vec<u8>)| {
        if same(expected, answer) { expected.clone() } else { answer.clone() }
    };
    expected.iter().zip(answers).map(settle).collect()
}

/// Whether two answers are the same vector.
pub fn same(one: &[u8], other: &[u8]) -> bool {
    if one == other {
        return true;
    }
    match (vector(one), vector(other)) {
        (Some(one), Some(other)) if one.len() == other.len() => cosine(&one, &other) >= SAME_COSINE,
        _ => false,
    }
}

/// Cosine of two vectors of one dimension; 0 where one of them has no direction.
pub fn cosine(one: &[f32], other: &[f32]) -> f64 {
    let dot =
        |a: &[f32], b: &[f32]| -> f64 { a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum() };
    let lengths = (dot(one, one) * dot(other, other)).sqrt();
    if lengths > 0.0 { dot(one, other) / lengths } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(values: &[f32]) -> Vec<u8> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        BASE64_STANDARD.encode(bytes).into_bytes()
    }

    #[test]
    fn answers_that_are_no_vectors_are_told_with_their_line() {
        assert_eq!(vector(&answer(&[1.0, -2.5])), Some(vec![1.0, -2.5]));
        assert_eq!(fault(&[answer(&[1.0, 2.0]), answer(&[3.0, 4.0])]), None);
        for (bad, said) in [
            (answer(&[1.0]), "1 values for line 2, 2 for the lines before"),
            (answer(&[1.0, f32::NAN]), "answer to line 2 is no vector"),
            (b"ein Satz".to_vec(), "answer to line 2 is no vector"),
            (b"AAAA".to_vec(), "answer to line 2 is no vector"),
            (Vec::new(), "answer to line 2 is no vector"),
        ] {
            let reason = fault(&[answer(&[1.0, 2.0]), bad]).unwrap();
            assert_eq!((reason.code, reason.figure.as_str()), (Code::NotAVector, said));
        }
    }

    #[test]
    fn vectors_of_one_direction_are_the_same_answer() {
        let (one, near, far) = (answer(&[1.0, 1.0]), answer(&[1.0, 1.001]), answer(&[1.0, 1.1]));
        let settled = settled(&[one.clone(), one.clone(), one.clone()], &[one.clone(), near, far.clone()]);
        assert_eq!(settled, [one.clone(), one, far]);
        assert!(!same(&answer(&[0.0, 0.0]), &answer(&[1.0, 0.0])), "a vector of zeros has no direction");
        assert!(!same(&answer(&[1.0]), &answer(&[1.0, 0.0])), "another dimension");
    }
}
