//! The plugin's side: any Rust backend behind the table of `dyno_backend.h`.
//!
//! Each function catches panics and reports them as failures.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::slice;
use std::sync::Arc;

use dyno_api::{Answer, Model, Session, Settings, WATCH};
use serde_json::json;

use crate::abi;

pub use dyno_api::Backend; // for the macro: a plugin need not depend on the contract itself

/// The backend that a library exports; [`export!`](crate::export!) implements the trait.
pub trait Exported {
    /// The backend.
    const BACKEND: &'static dyn Backend;
}

/// Makes the library a plugin around `$backend`, a constant that is a [`Backend`].
#[macro_export]
macro_rules! export {
    ($backend:expr) => {
        const _: () = {
            struct Plugin;
            impl $crate::export::Exported for Plugin {
                const BACKEND: &'static dyn $crate::export::Backend = &$backend;
            }
            static TABLE: $crate::abi::Backend = $crate::export::table::<Plugin>();

            #[allow(unsafe_code)] // the interface reserves the name
            #[unsafe(no_mangle)]
            extern "C" fn dyno_backend_entry(version: u32) -> *const $crate::abi::Backend {
                if version == $crate::abi::VERSION { &raw const TABLE } else { ::std::ptr::null() }
            }
        };
    };
}

/// The table of the functions below.
pub const fn table<E: Exported>() -> abi::Backend {
    abi::Backend {
        version: abi::VERSION,
        size: abi::size_of::<abi::Backend>(),
        describe: Some(describe::<E>),
        open: Some(open::<E>),
        open_session: Some(open_session),
        run: Some(run),
        breakdown: Some(breakdown),
        close_session: Some(close_session),
        close: Some(close),
        last_error: Some(last_error),
    }
}

/// A model on this side of the interface.
type ModelHandle = Arc<dyn Model>;
/// A session on this side of the interface.
type SessionHandle = Box<dyn Session>;

thread_local! {
    static LAST_ERROR: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Does `work`; failures and panics become a status and this thread's last error.
fn guarded(work: impl FnOnce() -> Result<(), String>) -> abi::Status {
    // Unwinding is safe: after a panic, the host drops the session or model that may be half changed.
    let outcome = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(&*panic)));
    match outcome {
        Ok(()) => abi::OK,
        Err(reason) => {
            LAST_ERROR.set(reason);
            abi::FAILED
        }
    }
}

fn panicked(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    format!("it panicked: {text}; its author would like to know")
}

fn say(text: &str, take: abi::TakeText, data: *mut c_void) {
    // SAFETY: the host gave `take` and `data` as a pair, for the call that this happens in.
    unsafe { take(data, abi::Text::lend(text.as_bytes())) };
}

unsafe extern "C" fn describe<E: Exported>(
    model: *const abi::Model,
    take: abi::TakeText,
    data: *mut c_void,
) -> abi::Status {
    guarded(|| {
        // SAFETY: null, or a model that `open` made and that is open still.
        let text = match unsafe { model.cast::<ModelHandle>().as_ref() } {
            Some(model) => json!(model.facts()),
            None => {
                let backend = E::BACKEND;
                json!({"name": backend.name(), "about": backend.about(), "task": backend.task()})
            }
        };
        say(&text.to_string(), take, data);
        Ok(())
    })
}

unsafe extern "C" fn open<E: Exported>(
    opening: *const abi::Opening,
    model: *mut *mut abi::Model,
) -> abi::Status {
    guarded(|| {
        // SAFETY: the host lends an opening, which begins with its size.
        let size = unsafe { opening.cast::<u32>().read() };
        if size != abi::size_of::<abi::Opening>() {
            return Err(format!(
                "the host lends an opening of {size} bytes: build plugin and host of one source"
            ));
        }
        // SAFETY: it has this header's size, and is lent for this call…
        let opening = unsafe { &*opening };
        // SAFETY: …with all that it points to.
        let (paths, mut settings) = unsafe { read_opening(opening) }?;
        // The table has a breakdown for every backend, so that the host passes the setting to all.
        if !E::BACKEND.watches() {
            settings.remove(WATCH);
        }
        let opened = E::BACKEND.open(&paths, &settings).map_err(|error| error.to_string())?;
        let handle: *mut ModelHandle = Box::into_raw(Box::new(opened));
        // SAFETY: the host wants the result there.
        unsafe { model.write(handle.cast()) };
        Ok(())
    })
}

/// # Safety
/// All pointers in `opening` fulfil the header's contract.
unsafe fn read_opening(opening: &abi::Opening) -> Result<(Vec<PathBuf>, Settings), String> {
    // SAFETY: by this function's contract.
    let texts = unsafe { texts(opening.paths, opening.models as usize) };
    let path = |text: &abi::Text| {
        // SAFETY: the paths are lent with the opening.
        let bytes = unsafe { text.bytes() }.unwrap_or_default();
        PathBuf::from(OsStr::from_bytes(bytes))
    };
    // SAFETY: the settings are lent with the opening.
    let settings = unsafe { opening.settings.bytes() }.unwrap_or_default();
    let settings = serde_json::from_slice(settings).map_err(|error| format!("settings: {error}"))?;
    Ok((texts.iter().map(path).collect(), settings))
}

/// The texts from `first` on.
///
/// # Safety
/// There are `count` texts for `'a`, and none is null.
unsafe fn texts<'a>(first: *const abi::Text, count: usize) -> &'a [abi::Text] {
    if count == 0 {
        return &[];
    }
    // SAFETY: by this function's contract.
    unsafe { slice::from_raw_parts(first, count) }
}

unsafe extern "C" fn open_session(model: *const abi::Model, session: *mut *mut abi::Session) -> abi::Status {
    guarded(|| {
        // SAFETY: a model that `open` made and that is open still.
        let model = unsafe { &*model.cast::<ModelHandle>() };
        let opened = model.session().map_err(|error| error.to_string())?;
        let handle: *mut SessionHandle = Box::into_raw(Box::new(opened));
        // SAFETY: the host wants the result there.
        unsafe { session.write(handle.cast()) };
        Ok(())
    })
}

unsafe extern "C" fn run(
    session: *mut abi::Session,
    lines: *const abi::Text,
    count: usize,
    take: abi::TakeAnswer,
    data: *mut c_void,
) -> abi::Status {
    guarded(|| {
        // SAFETY: a session that `open_session` made and that is open still; one thread at a time uses it.
        let session = unsafe { &mut *session.cast::<SessionHandle>() };
        // SAFETY: the host lends so many lines for this call.
        let lines = unsafe { texts(lines, count) };
        // SAFETY: each is lent with them.
        let lines: Vec<&[u8]> =
            lines.iter().map(|line| unsafe { line.bytes() }.unwrap_or_default()).collect();
        let mut sink = |answer: Answer<'_>| {
            let answer = lend(&answer);
            // SAFETY: the host gave `take` and `data` as a pair; the answer lives until it returns.
            unsafe { take(data, &raw const answer) };
        };
        session.run(&lines, &mut sink).map_err(|error| error.to_string())
    })
}

fn lend(answer: &Answer<'_>) -> abi::Answer {
    abi::Answer {
        size: abi::size_of::<abi::Answer>(),
        rank: answer.rank as u32, // a beam is far smaller
        line: answer.line as u64,
        text: abi::Text::lend(answer.text.as_bytes()),
        score: answer.score.unwrap_or(f32::NAN),
    }
}

unsafe extern "C" fn breakdown(
    model: *const abi::Model,
    take: abi::TakeText,
    data: *mut c_void,
) -> abi::Status {
    guarded(|| {
        // SAFETY: a model that `open` made and that is open still.
        let model = unsafe { &*model.cast::<ModelHandle>() };
        let breakdown = model.breakdown().map_err(|error| error.to_string())?;
        say(&json!(breakdown).to_string(), take, data);
        Ok(())
    })
}

unsafe extern "C" fn close_session(session: *mut abi::Session) {
    guarded(|| {
        // SAFETY: the host gives back what `open_session` made, once.
        drop(unsafe { Box::from_raw(session.cast::<SessionHandle>()) });
        Ok(())
    });
}

unsafe extern "C" fn close(model: *mut abi::Model) {
    guarded(|| {
        // SAFETY: the host gives back what `open` made, once.
        drop(unsafe { Box::from_raw(model.cast::<ModelHandle>()) });
        Ok(())
    });
}

unsafe extern "C" fn last_error(take: abi::TakeText, data: *mut c_void) {
    guarded(|| {
        LAST_ERROR.with_borrow(|reason| say(reason, take, data));
        Ok(())
    });
}
