//! The header `dyno_backend.h` in Rust, type for type; the header documents the meaning. A test compares the
//! layouts.

use std::ffi::{CStr, c_char, c_void};
use std::slice;

/// Version of the interface: `DYNO_BACKEND_VERSION`.
pub const VERSION: u32 = 2;

/// Name of the only function that a plugin exports.
pub const ENTRY: &CStr = c"dyno_backend_entry";

/// Result of a function: `OK`, or another value where it failed.
pub type Status = i32;
/// The function succeeded.
pub const OK: Status = 0;
/// The function failed; `last_error` gives the reason.
pub const FAILED: Status = 1;

/// A plugin's model, opaque to the host.
#[repr(C)]
pub struct Model {
    _private: [u8; 0],
}

/// A plugin's session, opaque to the host.
#[repr(C)]
pub struct Session {
    _private: [u8; 0],
}

/// Bytes with their number, borrowed for one call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Text {
    /// First byte; may be null where there are no bytes.
    pub data: *const c_char,
    /// Number of bytes.
    pub bytes: usize,
}

impl Text {
    /// Borrows `bytes`.
    pub fn lend(bytes: &[u8]) -> Self {
        Self { data: bytes.as_ptr().cast(), bytes: bytes.len() }
    }

    /// The bytes; `None` for a null pointer with a length.
    ///
    /// # Safety
    /// Unless `data` is null, that many bytes must be readable there, and stay so and unchanged for `'a`.
    pub unsafe fn bytes<'a>(self) -> Option<&'a [u8]> {
        match self {
            Self { bytes: 0, .. } => Some(&[]),
            Self { data, .. } if data.is_null() => None,
            // SAFETY: by this function's own contract.
            Self { data, bytes } => Some(unsafe { slice::from_raw_parts(data.cast(), bytes) }),
        }
    }
}

/// Request to open models.
#[repr(C)]
pub struct Opening {
    /// Size of this structure.
    pub size: u32,
    /// Number of models.
    pub models: u32,
    /// Paths of the models.
    pub paths: *const Text,
    /// Settings as a JSON object.
    pub settings: Text,
}

/// One answer to one line.
#[repr(C)]
pub struct Answer {
    /// Size of this structure.
    pub size: u32,
    /// Rank; the best answer has 0.
    pub rank: u32,
    /// Index into the lines of the call.
    pub line: u64,
    /// Text in UTF-8, without a line end.
    pub text: Text,
    /// Score; NaN where there is none.
    pub score: f32,
}

/// `dyno_take_text`.
pub type TakeText = unsafe extern "C" fn(data: *mut c_void, text: Text);
/// `dyno_take_answer`.
pub type TakeAnswer = unsafe extern "C" fn(data: *mut c_void, answer: *const Answer);

/// `dyno_backend.describe`, and `breakdown`.
pub type Describe = unsafe extern "C" fn(*const Model, TakeText, *mut c_void) -> Status;
/// `dyno_backend.open`.
pub type Open = unsafe extern "C" fn(*const Opening, *mut *mut Model) -> Status;
/// `dyno_backend.open_session`.
pub type OpenSession = unsafe extern "C" fn(*const Model, *mut *mut Session) -> Status;
/// `dyno_backend.run`.
pub type Run = unsafe extern "C" fn(*mut Session, *const Text, usize, TakeAnswer, *mut c_void) -> Status;
/// `dyno_backend.close_session`.
pub type CloseSession = unsafe extern "C" fn(*mut Session);
/// `dyno_backend.close`.
pub type Close = unsafe extern "C" fn(*mut Model);
/// `dyno_backend.last_error`.
pub type LastError = unsafe extern "C" fn(TakeText, *mut c_void);
/// `dyno_backend_entry`.
pub type Entry = unsafe extern "C" fn(version: u32) -> *const Backend;

/// The plugin's table before it is checked: any function may be missing.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_docs)] // the fields' types name the functions, the header describes them
pub struct Backend {
    pub version: u32,
    pub size: u32,
    pub describe: Option<Describe>,
    pub open: Option<Open>,
    pub open_session: Option<OpenSession>,
    pub run: Option<Run>,
    pub breakdown: Option<Describe>,
    pub close_session: Option<CloseSession>,
    pub close: Option<Close>,
    pub last_error: Option<LastError>,
}

/// Size of a structure, as in its first field.
pub const fn size_of<T>() -> u32 {
    std::mem::size_of::<T>() as u32 // a few dozen bytes
}
