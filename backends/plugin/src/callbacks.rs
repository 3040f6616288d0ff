//! Callbacks by which a plugin hands texts and answers to the host during a call; the host checks them as
//! they come.
//!
//! C code calls these functions, so that no panic may unwind out of them: `extern "C"` ends the process
//! instead.

use std::ffi::c_void;

use dyno_api::Sink;

use crate::abi;
use crate::error::Fault;

/// The texts of one call, concatenated.
#[derive(Default)]
pub(crate) struct Texts {
    pub(crate) bytes: Vec<u8>,
    /// Whether a text was null.
    pub(crate) nowhere: bool,
}

impl Texts {
    /// The argument `data` for [`take`](Self::take).
    pub(crate) fn data(&mut self) -> *mut c_void {
        (&raw mut *self).cast()
    }

    /// Appends `text`.
    ///
    /// # Safety
    /// `data` comes from [`data`](Self::data), and no other code uses its `Texts` meanwhile. `text` fulfils
    /// the header's contract.
    pub(crate) unsafe extern "C" fn take(data: *mut c_void, text: abi::Text) {
        // SAFETY: by this function's contract.
        let kept = unsafe { &mut *data.cast::<Self>() };
        // SAFETY: the header lends the text for the time of this call.
        match unsafe { text.bytes() } {
            Some(bytes) => kept.bytes.extend_from_slice(bytes),
            None => kept.nowhere = true,
        }
    }
}

/// The answers of one call on their way to `sink`, until the first faulty one.
pub(crate) struct Answers<'a> {
    sink: &'a mut dyn Sink,
    /// Whether each line has its answer of rank 0.
    answered: &'a mut Vec<bool>,
    fault: Option<Fault>,
}

impl<'a> Answers<'a> {
    /// The answers of a call with so many `lines`; `answered` is a reused buffer.
    pub(crate) fn new(sink: &'a mut dyn Sink, answered: &'a mut Vec<bool>, lines: usize) -> Self {
        answered.clear();
        answered.resize(lines, false);
        Self { sink, answered, fault: None }
    }

    /// The argument `data` for [`take`](Self::take).
    pub(crate) fn data(&mut self) -> *mut c_void {
        (&raw mut *self).cast()
    }

    /// Passes `answer` on, or notes its fault.
    ///
    /// # Safety
    /// `data` comes from [`data`](Self::data), and no other code uses its `Answers` meanwhile. `answer` is
    /// null or fulfils the header's contract.
    pub(crate) unsafe extern "C" fn take(data: *mut c_void, answer: *const abi::Answer) {
        // SAFETY: by this function's contract.
        let answers = unsafe { &mut *data.cast::<Answers<'_>>() };
        if answers.fault.is_none() {
            // SAFETY: by this function's contract.
            let checked = unsafe { size(answer) };
            answers.fault = checked.and_then(|answer| answers.pass(answer)).err();
        }
    }

    fn pass(&mut self, answer: &abi::Answer) -> Result<(), Fault> {
        let lines = self.answered.len();
        let index = usize::try_from(answer.line).ok().filter(|line| *line < lines);
        let line = index.ok_or(Fault::NoSuchLine { line: answer.line, lines })?;
        if answer.rank == 0 && std::mem::replace(&mut self.answered[line], true) {
            return Err(Fault::Twice { line: answer.line, lines });
        }
        // SAFETY: the header lends the text for the time of the call that `answer` is lent for.
        let bytes = unsafe { answer.text.bytes() };
        let text = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).ok_or(Fault::Text("run"))?;
        let score = Some(answer.score).filter(|score| !score.is_nan());
        self.sink.answer(dyno_api::Answer { line, rank: answer.rank as usize, text, score });
        Ok(())
    }

    /// Checks that the call answered each line.
    pub(crate) fn complete(self) -> Result<(), Fault> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let lines = self.answered.len();
        match self.answered.iter().position(|answered| !answered) {
            Some(line) => Err(Fault::Unanswered { line, lines }),
            None => Ok(()),
        }
    }
}

/// The answer, if its size is this header's.
///
/// # Safety
/// `answer` is null, or begins with its size and is that long for `'a`.
unsafe fn size<'a>(answer: *const abi::Answer) -> Result<&'a abi::Answer, Fault> {
    if answer.is_null() {
        return Err(Fault::NoAnswer);
    }
    // SAFETY: every version of the structure begins with its size.
    let found = unsafe { answer.cast::<u32>().read() };
    let host = abi::size_of::<abi::Answer>();
    if found != host {
        return Err(Fault::AnswerSize { found, host });
    }
    // SAFETY: it has the size of this header's.
    Ok(unsafe { &*answer })
}
