//! Text of the campaign file: messages with line and column, and checks of single values.

use std::fmt::Display;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use dyno_provision::data;
use toml::Spanned;

use crate::exit::{Failure, Outcome};

/// Text of the file, which turns byte positions into lines and columns.
pub(super) struct Source<'a> {
    pub(super) path: &'a Path,
    pub(super) text: String,
}

impl Source<'_> {
    /// Error at `span`, with line and column.
    pub(super) fn error_at(&self, span: Range<usize>, message: impl Display) -> Failure {
        let before = &self.text[..span.start.min(self.text.len())];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        bad_input!("{}:{line}:{column}: {message}", self.path.display())
    }

    /// Absolute path of the file's folder.
    pub(super) fn folder(&self) -> io::Result<PathBuf> {
        std::path::absolute(self.resolve(Path::new(".")))
    }

    /// Resolves a path of the file, which starts in the file's folder; `models/small` that isn't there is
    /// dyno's own.
    pub(super) fn resolve(&self, path: &Path) -> PathBuf {
        data::or_shipped(self.path.parent().unwrap_or(Path::new("")).join(path), path)
    }

    /// Absolute path of an existing file or folder, which the file names at `span`; `what` names it in the error.
    pub(super) fn existing(&self, span: Range<usize>, path: &Path, what: &str) -> Outcome<PathBuf> {
        let resolved = self.resolve(path);
        let found = std::path::absolute(&resolved).ok().filter(|path| path.exists());
        let rule = "relative paths start in the campaign's folder";
        let missing = || format!("no {what} at {}; {rule}", resolved.display());
        found.ok_or_else(|| self.error_at(span, missing()))
    }

    /// What `checked` makes of a value of the file. A fault is told with the value's line and column.
    pub(super) fn check<T, U, E: Display>(
        &self,
        value: Spanned<T>,
        checked: impl FnOnce(T) -> Result<U, E>,
    ) -> Outcome<U> {
        let span = value.span();
        checked(value.into_inner()).map_err(|fault| self.error_at(span, fault))
    }

    /// Checks an amount, such as the seconds of a time limit: at most about eleven days, which any clock can
    /// hold.
    pub(super) fn amount(&self, value: Option<Spanned<f64>>, name: &str, default: f64) -> Outcome<f64> {
        let fault = || format!("`{name}` must be above 0 and at most 1,000,000");
        let checked = |value: f64| if value > 0.0 && value <= 1e6 { Ok(value) } else { Err(fault()) };
        value.map_or(Ok(default), |value| self.check(value, checked))
    }
}

/// `name`, if it is fine. Names become parts of folder names and of table rows.
pub(super) fn fine_name(name: String) -> Result<String, String> {
    let odd = |c: char| c.is_control() || c == '/' || c == '\\';
    let fine =
        !name.is_empty() && !name.starts_with('.') && name.chars().count() <= 60 && !name.contains(odd);
    let rule = "a name has 1 to 60 characters, no slash, no control character, and no dot at its start";
    if fine { Ok(name) } else { Err(format!("invalid name {name:?}: {rule}")) }
}
