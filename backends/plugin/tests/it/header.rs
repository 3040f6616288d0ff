//! The header compiles wherever it promises to, and means what `abi` says.

use std::fmt::Write;
use std::mem::{offset_of, size_of};
use std::process::Command;

use dyno_plugin::abi;

use crate::compiler::{compile, include};

#[test]
fn the_header_is_c99_and_cpp() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("it.c");
    std::fs::write(&source, "#include \"dyno_backend.h\"\n#include \"dyno_backend.h\"\nint nothing;\n")
        .unwrap();
    let (source, include) = (source.to_str().unwrap(), include());
    let strict = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", &include];
    for (language, standard, name) in [
        ("CC", "-std=c99", "c"),
        ("CC", "-std=c17", "c"),
        ("CXX", "-std=c++11", "c++"),
        ("CXX", "-std=c++20", "c++"),
    ] {
        let Some(()) = compile(language, &[&strict[..], &[standard, "-x", name, source]].concat()) else {
            return;
        };
    }
}

/// `name size` or `structure.field offset`, as C sees it.
macro_rules! layout {
    ($out:ident, $program:ident, $($c:literal = $rust:ty { $($field:ident),* })*) => {$(
        writeln!($out, "{} {}", $c, size_of::<$rust>()).unwrap();
        writeln!($program, "printf(\"{} %zu\\n\", sizeof({}));", $c, $c).unwrap();
        $(
            let field = stringify!($field);
            writeln!($out, "{}.{field} {}", $c, offset_of!($rust, $field)).unwrap();
            writeln!($program, "printf(\"{}.{field} %zu\\n\", offsetof({}, {field}));", $c, $c).unwrap();
        )*
    )*};
}

#[test]
fn structures_are_laid_out_as_in_c() {
    let (mut ours, mut program) =
        (String::new(), String::from("#include \"dyno_backend.h\"\n#include <stdio.h>\n"));
    program += "int main(void) {\n";
    layout!(ours, program,
        "dyno_text" = abi::Text { data, bytes }
        "dyno_opening" = abi::Opening { size, models, paths, settings }
        "dyno_answer" = abi::Answer { size, rank, line, text, score }
        "dyno_backend" = abi::Backend {
            version, size, describe, open, open_session, run, breakdown, close_session, close, last_error
        }
    );
    writeln!(ours, "version {}", abi::VERSION).unwrap();
    writeln!(program, "printf(\"version %u\\n\", DYNO_BACKEND_VERSION);\nreturn 0;\n}}").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (source, binary) = (folder.path().join("layout.c"), folder.path().join("layout"));
    std::fs::write(&source, program).unwrap();
    let (from, to) = (source.to_str().unwrap(), binary.to_str().unwrap());
    let Some(()) = compile("CC", &["-std=c99", &include(), from, "-o", to]) else { return };
    let output = Command::new(&binary).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), ours);
}
