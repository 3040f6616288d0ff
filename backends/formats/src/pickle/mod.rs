//! Python's pickles as plain values, as far as checkpoints of PyTorch have them.
//!
//! A pickle is a program that may call anything. Here no name is ever looked up or called: the few that
//! checkpoints need become values, and any other name is refused. Opcodes are those of protocol 2, which
//! `torch.save` writes (Python's `Lib/pickletools.py` lists them). Containers are filled after others may
//! refer to them, so that values lie in one list and name each other by their places.

mod machine;
mod value;

use crate::{Fault, Result};

use machine::Machine;
pub(crate) use value::{Place, Value};

/// Checks whether `bytes` are a pickle that the reader accepts.
///
/// # Errors
/// The first fault.
pub fn check(bytes: &[u8]) -> Result<(), Fault> {
    Pickle::parse(bytes).map(drop)
}

/// A pickle's values.
pub(crate) struct Pickle<'a> {
    values: Vec<Value<'a>>,
    root: Place,
}

impl<'a> Pickle<'a> {
    /// Reads a whole pickle.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, Fault> {
        let (values, root) = Machine::run(bytes)?;
        Ok(Self { values, root })
    }

    /// Place of the value that the pickle stands for.
    pub(crate) fn root(&self) -> Place {
        self.root
    }

    /// The value at a place.
    pub(crate) fn get(&self, place: Place) -> &Value<'a> {
        &self.values[place] // the machine gives no other places
    }

    /// Keys that are texts, with the places of their values; none where the value is no dictionary.
    pub(crate) fn entries(&self, map: Place) -> impl Iterator<Item = (&'a str, Place)> {
        let entries: &[(Place, Place)] = if let Value::Map(entries) = self.get(map) { entries } else { &[] };
        entries.iter().filter_map(|(key, value)| Some((self.text(*key)?, *value)))
    }

    /// Place of the value of `key`; of several, the last counts, as in Python.
    pub(crate) fn find(&self, map: Place, key: &str) -> Option<Place> {
        self.entries(map).filter(|(name, _)| *name == key).last().map(|(_, value)| value)
    }

    pub(crate) fn text(&self, place: Place) -> Option<&'a str> {
        if let Value::Text(text) = self.get(place) { Some(text) } else { None }
    }

    pub(crate) fn integer(&self, place: Place) -> Option<i64> {
        if let Value::Integer(number) = self.get(place) { Some(*number) } else { None }
    }

    /// Places of a list's values.
    pub(crate) fn list(&self, place: Place) -> Option<&[Place]> {
        if let Value::List(places) = self.get(place) { Some(places) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Python's `pickle.dumps(value, 2)` gives for {"a": [1, -2, 2**40, None, True], "b": (0.5, "é")}.
    const DUMPED: &[u8] = b"\x80\x02}q\x00(X\x01\x00\x00\x00aq\x01]q\x02(K\x01J\xfe\xff\xff\xff\x8a\x06\x00\x00\x00\x00\x00\x01N\x88e\
        X\x01\x00\x00\x00bq\x03G?\xe0\x00\x00\x00\x00\x00\x00X\x02\x00\x00\x00\xc3\xa9q\x04\x86q\x05u.";

    fn fault(bytes: &[u8]) -> String {
        Pickle::parse(bytes).map(drop).unwrap_err().to_string()
    }

    #[test]
    fn values_are_those_that_python_dumped() {
        let pickle = Pickle::parse(DUMPED).unwrap();
        let at = |key: &str| pickle.find(pickle.root(), key).unwrap();
        let values = |key: &str| -> Vec<Value<'_>> {
            pickle.list(at(key)).unwrap().iter().map(|place| pickle.get(*place).clone()).collect()
        };
        let numbers = [1, -2, 1 << 40].map(Value::Integer);
        assert_eq!(values("a"), [&numbers[..], &[Value::None, Value::Bool(true)]].concat());
        assert_eq!(values("b"), [Value::Float(0.5), Value::Text("é")]);
    }

    #[test]
    fn a_name_that_no_checkpoint_needs_is_refused_and_never_called() {
        let told = fault(b"\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R.");
        assert!(told.contains("the name `os.system` in a pickle is not supported"), "{told}");
    }

    #[test]
    fn programs_that_make_no_value_are_refused() {
        for (bytes, told) in [
            (&b"\x80\x04N."[..], "protocol 4 of pickles"),
            (b"\x80\x02.", "lacks a value before byte 3"),
            (b"\x80\x02NN.", "values or bytes beyond the end"),
            (b"\x80\x02NR.", "lacks a value"),
            (b"\x80\x02K\x01K\x02a.", "fills what is no such container"),
            (b"\x80\x02}K\x01\x85(K\x02u.", "fills what is no such container"),
            (b"\x80\x02h\x07.", "names value 7 before it is there"),
            (b"\x80\x02X\x09\x00\x00\x00ab", "cut short: a text"),
            (b"\x80\x02i", "opcode 0x69 of pickles at byte 2"),
            (b"\x80\x02(]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]t.", "more values than its bytes"),
        ] {
            assert!(fault(bytes).contains(told), "{told}: {}", fault(bytes));
        }
    }
}
