//! A reader of protobuf's wire format, as far as SentencePiece models need it.
//!
//! The reader borrows, allocates nothing, and follows no nesting by itself: a caller opens another [`Reader`]
//! for an embedded message. So the code decides the depth, never the file. Groups are refused for the same
//! reason; they are long deprecated and in no model.

use crate::{Error, Result};

/// Greatest number of bytes in a varint of 64 bits, with 7 bits in each byte.
const MAX_VARINT_BYTES: usize = 10;

/// One field of a message.
pub(crate) struct Field<'a> {
    /// Number of the field in the schema.
    pub number: u64,
    /// Value of the field.
    pub value: Value<'a>,
}

/// The wire types that models use.
#[derive(Clone, Copy)]
pub(crate) enum Value<'a> {
    Varint(u64),
    /// Eight bytes; no needed field has this type.
    Fixed64,
    /// A string, bytes or an embedded message.
    Bytes(Reader<'a>),
    Fixed32(u32),
}

/// A position in a message.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    /// Position of `rest` in the file, for messages.
    offset: usize,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, offset: 0 }
    }

    /// All bytes that are left.
    pub fn bytes(self) -> &'a [u8] {
        self.rest
    }

    /// The bytes that are left, as text: protobuf's `string` is UTF-8 by definition.
    pub fn text(self) -> Result<&'a str> {
        std::str::from_utf8(self.rest).map_err(|_| self.fault("a string is not UTF-8"))
    }

    /// The next field, or `None` at the end.
    pub fn field(&mut self) -> Result<Option<Field<'a>>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let key = self.varint()?;
        let number = key >> 3;
        if number == 0 || key > u64::from(u32::MAX) {
            return Err(self.fault("an impossible field number"));
        }
        let value = match key & 7 {
            0 => Value::Varint(self.varint()?),
            1 => self.take(8).map(|_| Value::Fixed64)?,
            2 => Value::Bytes(self.embedded()?),
            5 => Value::Fixed32(self.fixed32()?),
            _ => return Err(self.fault("an impossible wire type")),
        };
        Ok(Some(Field { number, value }))
    }

    fn embedded(&mut self) -> Result<Reader<'a>> {
        let length = self.varint()?;
        let length = usize::try_from(length).map_err(|_| self.fault("a length beyond the end"))?;
        let offset = self.offset;
        Ok(Reader { rest: self.take(length)?, offset })
    }

    fn fixed32(&mut self) -> Result<u32> {
        let mut value = [0; 4];
        value.copy_from_slice(self.take(4)?);
        Ok(u32::from_le_bytes(value))
    }

    fn varint(&mut self) -> Result<u64> {
        let mut value = 0;
        for (i, &byte) in self.rest.iter().take(MAX_VARINT_BYTES).enumerate() {
            value |= u64::from(byte & 0x7F) << (7 * i);
            if byte < 0x80 {
                self.take(i + 1)?;
                return Ok(value);
            }
        }
        Err(self.fault("a number without an end"))
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let Some((taken, rest)) = self.rest.split_at_checked(count) else {
            return Err(self.fault("a length beyond the end"));
        };
        (self.rest, self.offset) = (rest, self.offset + count);
        Ok(taken)
    }

    fn fault(&self, fault: &'static str) -> Error {
        Error::Wire { offset: self.offset, fault }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_in_order() {
        let mut reader = Reader::new(b"\x08\x96\x01\x12\x02hi\x1d\x00\x00\x80\x3f");
        let first = reader.field().unwrap().unwrap();
        assert!(first.number == 1 && matches!(first.value, Value::Varint(150)));
        let second = reader.field().unwrap().unwrap();
        assert!(second.number == 2 && matches!(second.value, Value::Bytes(r) if r.text().unwrap() == "hi"));
        let third = reader.field().unwrap().unwrap();
        assert!(third.number == 3 && matches!(third.value, Value::Fixed32(0x3f80_0000)));
        assert!(reader.field().unwrap().is_none());
    }

    #[test]
    fn lies_are_errors() {
        let lies: [&[u8]; 6] = [
            b"\x0a\x05hi",                                       // longer than the rest of the message
            b"\x08",                                             // no value
            b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", // a number without an end
            b"\x00\x00",                                         // field 0
            b"\x0b\x0c",                                         // a group
            b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",     // a length of 2^64 - 1
        ];
        for lie in lies {
            assert!(Reader::new(lie).field().is_err(), "{lie:x?}");
        }
    }
}
