//! Places of texts in the file.

use std::ops::Range;

use crate::Fault;
use crate::bytes::Cursor;
use crate::error::clip;

/// Where the bytes of a part lie in the file.
pub(super) type Span = Range<usize>;

/// The place of a string: its length and its bytes.
pub(super) fn string(cursor: &mut Cursor<'_>) -> Result<Span, Fault> {
    let length = cursor.u64("the length of a string")?;
    cursor.span(length, "a string")
}

/// Text from the file.
pub(super) fn text(bytes: &[u8]) -> Result<&str, Fault> {
    let shown = || clip(&String::from_utf8_lossy(bytes));
    std::str::from_utf8(bytes).map_err(|_| format!("`{}` isn't UTF-8", shown()).into())
}
