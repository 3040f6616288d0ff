//! The header `dyno_backend.h` in Rust, type for type; the meaning of everything is told there. A test compares the
//! layouts.

use std::ffi::{CStr, c_char, c_void};
use std::slice;

/// The meaning of everything here: `DYNO_BACKEND_VERSION`.
pub const VERSION: u32 = 2;

/// The one function that a plugin exports.
pub const ENTRY: &CStr = c"dyno_backend_entry";

/// What a function returns: `OK`, or anything else where it failed.
pub type Status = i32;
/// Done as asked.
pub const OK: Status = 0;
/// Not done; `last_error` says why.
pub const FAILED: Status = 1;

/// A plugin's model: the host never looks inside.
#[repr(C)]
pub struct Model {
    _private: [u8; 0],
}

/// A plugin's session: the host never looks inside.
#[repr(C)]
pub struct Session {
    _private: [u8; 0],
}

/// Bytes with their number, lent for the time of a call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Text {
    /// Where they begin; may be null where there are none.
    pub data: *const c_char,
    /// How many.
    pub bytes: usize,
}

impl Text {
    /// Lends `bytes`.
    pub fn lend(bytes: &[u8]) -> Self {
        Self { data: bytes.as_ptr().cast(), bytes: bytes.len() }
    }

    /// The bytes; `None` where they begin nowhere.
    ///
    /// # Safety
    /// Unless `data` is null, that many bytes are readable there, and stay so and unchanged for `'a`.
    pub unsafe fn bytes<'a>(self) -> Option<&'a [u8]> {
        match self {
            Self { bytes: 0, .. } => Some(&[]),
            Self { data, .. } if data.is_null() => None,
            // SAFETY: by this function's own contract.
            Self { data, bytes } => Some(unsafe { slice::from_raw_parts(data.cast(), bytes) }),
        }
    }
}

/// What to open.
#[repr(C)]
pub struct Opening {
    /// Of this structure.
    pub size: u32,
    /// How many models.
    pub models: u32,
    /// Their paths.
    pub paths: *const Text,
    /// A JSON object.
    pub settings: Text,
}

/// One answer to one line.
#[repr(C)]
pub struct Answer {
    /// Of this structure.
    pub size: u32,
    /// 0 for the best.
    pub rank: u32,
    /// Index into the lines of the call.
    pub line: u64,
    /// UTF-8 without a line end.
    pub text: Text,
    /// NaN where there is none.
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

/// The table as it comes: any function may be missing.
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

/// The size of a structure, as its first field says it.
pub const fn size_of<T>() -> u32 {
    std::mem::size_of::<T>() as u32 // a few dozen bytes
}
