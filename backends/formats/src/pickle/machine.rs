//! The machine that a pickle is a program for: a stack, marks on it, and values under numbers.

use std::collections::BTreeMap;

use super::value::{NAMES, NAMESPACE, ORDERED, Place, SETS, Value};
use crate::bytes::Cursor;
use crate::error::clip;
use crate::{Fault, Result};

/// Remedy for what no checkpoint needs.
const REMEDY: &str = "no code of a file is run; save weights, options and vocabulary alone";

/// Places of values that are the same wherever they stand.
const NONE: Place = 0;
const FALSE: Place = 1;
const TRUE: Place = 2;
const EMPTY: Place = 3;

/// The machine that a pickle is a program for.
pub(super) struct Machine<'a> {
    cursor: Cursor<'a>,
    values: Vec<Value<'a>>,
    stack: Vec<Place>,
    marks: Vec<usize>,
    memo: BTreeMap<u32, Place>,
    most: usize,
}

impl<'a> Machine<'a> {
    /// Runs a whole program: all values, and the place of the one that is left.
    pub(super) fn run(bytes: &'a [u8]) -> Result<(Vec<Value<'a>>, Place), Fault> {
        let mut machine = Self::new(bytes);
        while !machine.step()? {}
        let root = machine.pop()?;
        match (machine.stack.len(), machine.cursor.left()) {
            (0, 0) => Ok((machine.values, root)),
            _ => Err("has values or bytes beyond the end of its pickle".into()),
        }
    }

    fn new(bytes: &'a [u8]) -> Self {
        let values = vec![Value::None, Value::Bool(false), Value::Bool(true), Value::List(Vec::new())];
        // The shortest value that isn't one of those takes two bytes: a small number.
        let most = bytes.len() / 2 + 16;
        let (cursor, memo) = (Cursor::new(bytes, 0), BTreeMap::new());
        Self { cursor, values, stack: Vec::new(), marks: Vec::new(), memo, most }
    }

    /// Takes one step; whether it was the last.
    fn step(&mut self) -> Result<bool, Fault> {
        let opcode = self.u8()?;
        match opcode {
            0x80 => self.protocol()?,
            b'.' => return Ok(true),
            b'(' => self.marks.push(self.stack.len()),
            b'N' => self.stack.push(NONE),
            0x88 => self.stack.push(TRUE),
            0x89 => self.stack.push(FALSE),
            b')' => self.stack.push(EMPTY),
            b'J' | b'K' | b'M' | 0x8a | b'G' => self.number(opcode)?,
            b'X' => self.unicode()?,
            b'c' => self.name()?,
            b']' => self.push(Value::List(Vec::new()))?,
            b'}' => self.push(Value::Map(Vec::new()))?,
            b't' | 0x85..=0x87 => self.tuple(opcode)?,
            b'a' | b'e' | b's' | b'u' => self.fill(opcode)?,
            b'q' | b'r' | b'h' | b'j' => self.remember(opcode)?,
            b'Q' => {
                let name = self.pop()?;
                self.push(Value::Stored(name))?;
            }
            b'R' | 0x81 => self.call()?,
            b'b' => self.build()?,
            _ => {
                let what = format!("opcode {opcode:#04x} of pickles at byte {}", self.cursor.at() - 1);
                return Err(Fault::unsupported(what, REMEDY));
            }
        }
        Ok(false)
    }

    fn protocol(&mut self) -> Result<(), Fault> {
        match self.u8()? {
            2 => Ok(()),
            other => Err(Fault::unsupported(
                format!("protocol {other} of pickles"),
                "save it with torch.save, whose protocol is 2",
            )),
        }
    }

    fn u8(&mut self) -> Result<u8, Fault> {
        Ok(self.cursor.take(1, "an opcode of a pickle")?[0])
    }

    fn push(&mut self, value: Value<'a>) -> Result<(), Fault> {
        if self.values.len() >= self.most {
            return Err("has more values than its bytes can hold".into());
        }
        self.stack.push(self.values.len());
        self.values.push(value);
        Ok(())
    }

    /// Takes the last value, which must lie above the last mark.
    fn pop(&mut self) -> Result<Place, Fault> {
        let least = self.marks.last().copied().unwrap_or(0);
        let place = if self.stack.len() > least { self.stack.pop() } else { None };
        place.ok_or_else(|| self.empty())
    }

    fn empty(&self) -> Fault {
        format!("lacks a value before byte {}", self.cursor.at()).into()
    }

    /// Takes the values above the last mark, and the mark.
    fn marked(&mut self) -> Result<Vec<Place>, Fault> {
        let mark = self.marks.pop().ok_or_else(|| self.empty())?;
        Ok(self.stack.split_off(mark))
    }

    /// The number of an opcode.
    fn number(&mut self, opcode: u8) -> Result<(), Fault> {
        const WHAT: &str = "a number";
        let value = match opcode {
            b'J' => Value::Integer(i64::from(self.cursor.u32(WHAT)? as i32)),
            b'M' => Value::Integer(i64::from(self.cursor.u16(WHAT)?)),
            b'G' => Value::Float(f64::from_bits(self.cursor.u64(WHAT)?.swap_bytes())),
            b'K' => Value::Integer(i64::from(self.u8()?)),
            _ => Value::Integer(self.long()?),
        };
        self.push(value)
    }

    /// A whole number of up to eight bytes, the lowest first, with its sign in the last one.
    fn long(&mut self) -> Result<i64, Fault> {
        let length = self.u8()?;
        if length > 8 {
            return Err(Fault::unsupported("a whole number of more than 64 bits", REMEDY));
        }
        let bytes = self.cursor.take(length.into(), "a number")?;
        let negative = bytes.last().is_some_and(|last| *last >= 0x80);
        let mut whole = [if negative { 0xFF } else { 0 }; 8];
        whole[..bytes.len()].copy_from_slice(bytes);
        Ok(i64::from_le_bytes(whole))
    }

    fn unicode(&mut self) -> Result<(), Fault> {
        let length = self.cursor.u32("the length of a text")?;
        let bytes = self.cursor.take(length.into(), "a text")?;
        let text = std::str::from_utf8(bytes).map_err(|_| "has a text that isn't UTF-8")?;
        self.push(Value::Text(text))
    }

    /// A name in two lines: module, and name in the module.
    fn name(&mut self) -> Result<(), Fault> {
        let name = format!("{}.{}", self.line()?, self.line()?);
        match NAMES.into_iter().find(|known| *known == name) {
            Some(known) => self.push(Value::Name(known)),
            None => Err(Fault::unsupported(format!("the name `{}` in a pickle", clip(&name)), REMEDY)),
        }
    }

    fn line(&mut self) -> Result<&'a str, Fault> {
        let rest = self.cursor.clone().take(self.cursor.left() as u64, "a name")?;
        let end = rest.iter().position(|byte| *byte == b'\n').ok_or("has a name without an end")?;
        self.cursor.take(end as u64 + 1, "a name")?;
        std::str::from_utf8(&rest[..end]).map_err(|_| "has a name that isn't UTF-8".into())
    }

    /// A tuple of the values above the last mark, or of the last one to three.
    fn tuple(&mut self, opcode: u8) -> Result<(), Fault> {
        let places = if opcode == b't' {
            self.marked()?
        } else {
            let mut last = (0x84..opcode).map(|_| self.pop()).collect::<Result<Vec<_>, _>>()?;
            last.reverse();
            last
        };
        self.push(Value::List(places))
    }

    /// Puts values into the container that stands below them: one or two, or all above the last mark.
    fn fill(&mut self, opcode: u8) -> Result<(), Fault> {
        let places = match opcode {
            b'a' => vec![self.pop()?],
            b's' => {
                let (value, key) = (self.pop()?, self.pop()?);
                vec![key, value]
            }
            _ => self.marked()?,
        };
        let top = self.top()?;
        match (&mut self.values[top], opcode, places.as_chunks::<2>()) {
            (Value::List(list), b'a' | b'e', _) => list.extend_from_slice(&places),
            (Value::Map(map), b's' | b'u', (pairs, [])) => {
                map.extend(pairs.iter().map(|[key, value]| (*key, *value)));
            }
            _ => return Err("fills what is no such container, or a key without a value".into()),
        }
        Ok(())
    }

    /// Place of the container that stands on top.
    fn top(&self) -> Result<Place, Fault> {
        self.stack.last().copied().filter(|place| *place > EMPTY).ok_or_else(|| self.empty())
    }

    /// Stores the last value under a number, or fetches one.
    fn remember(&mut self, opcode: u8) -> Result<(), Fault> {
        let number = match opcode {
            b'q' | b'h' => u32::from(self.u8()?),
            _ => self.cursor.u32("the number of a value")?,
        };
        if matches!(opcode, b'q' | b'r') {
            let last = self.stack.last().copied().ok_or_else(|| self.empty())?;
            self.memo.insert(number, last);
        } else {
            let place =
                self.memo.get(&number).ok_or_else(|| format!("names value {number} before it is there"))?;
            self.stack.push(*place);
        }
        Ok(())
    }

    /// Replaces a name and its arguments by what the call stands for.
    fn call(&mut self) -> Result<(), Fault> {
        let (arguments, callee) = (self.pop()?, self.pop()?);
        let Value::Name(name) = self.values[callee] else { return Err("calls what is no name".into()) };
        let Value::List(places) = &self.values[arguments] else {
            return Err("calls a name without a list of arguments".into());
        };
        match (name, &places[..]) {
            (ORDERED | NAMESPACE, []) => self.push(Value::Map(Vec::new())),
            (set, [list]) if SETS.contains(&set) => {
                self.stack.push(*list);
                Ok(())
            }
            _ => self.push(Value::Called(name, arguments)),
        }
    }

    /// Gives a value its state. That of a namespace is its attributes; other states say nothing of a model.
    fn build(&mut self) -> Result<(), Fault> {
        let state = self.pop()?;
        let top = self.top()?;
        if self.values[top] == Value::Map(Vec::new())
            && let Value::Map(given) = &mut self.values[state]
        {
            self.values[top] = Value::Map(std::mem::take(given));
        }
        Ok(())
    }
}
