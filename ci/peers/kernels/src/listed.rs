//! Products that standard input lists, one a line: `BY PRECISION ROWS K N`. Each answer is a line of GMAC/s, one figure
//! for each turn. All products take turns, so that a disturbance hits all of them alike.

use std::io::{BufRead, stdin};
use std::path::Path;

use dyno_kernels_by_library::{Library, Switches, open_library};

use crate::gemmlowp::Gemmlowp;
use crate::library::{self, Layout};
use crate::onednn::{Kind, OneDnn};
use crate::{Result, TURNS, ours, per_second};

/// A product to time, and its work in 10⁹ multiply-accumulates.
type Entry<'a> = (Box<dyn FnMut() + 'a>, f64);

/// Libraries of the papers' figures.
struct Libraries {
    /// With weights in its own layout.
    onednn: OneDnn,
    /// With weights as they are.
    plain_onednn: Library,
    openblas: Library,
    mkl: Library,
    gemmlowp: Gemmlowp,
}

/// Races the listed products and prints their speeds.
pub fn race(onednn: OneDnn, folder: &Path) -> Result<()> {
    let kept = Switches { saves_dispatch: true, ..Switches::default() };
    let libraries = Libraries {
        onednn,
        plain_onednn: open_library("onednn", kept, folder)?,
        openblas: open_library("openblas", Switches::default(), folder)?,
        mkl: open_library("mkl", Switches::default(), folder)?,
        gemmlowp: Gemmlowp::load(folder)?,
    };
    let lines = stdin().lock().lines().collect::<std::io::Result<Vec<_>>>()?;
    let mut entries = lines.iter().map(|line| entry(&libraries, line)).collect::<Result<Vec<_>>>()?;
    let mut speeds = vec![Vec::new(); entries.len()];
    for _ in 0..TURNS {
        for ((product, work), speeds) in entries.iter_mut().zip(&mut speeds) {
            speeds.push((*work * per_second(product)).to_string());
        }
    }
    speeds.iter().for_each(|speeds| println!("{}", speeds.join(" ")));
    Ok(())
}

fn entry<'a>(libraries: &'a Libraries, line: &str) -> Result<Entry<'a>> {
    let unknown = || format!("{line:?} isn't BY PRECISION ROWS K N");
    let [by, precision, sizes @ ..] = &line.split(' ').collect::<Vec<_>>()[..] else {
        return Err(unknown().into());
    };
    let sizes = sizes.iter().map(|size| size.parse()).collect::<std::result::Result<Vec<usize>, _>>()?;
    let [m, k, n] = sizes[..] else { return Err(unknown().into()) };
    let Libraries { onednn, plain_onednn, openblas, mkl, gemmlowp } = libraries;
    let product: Box<dyn FnMut() + 'a> = match (*by, *precision) {
        ("ours", "int8") => ours::int8(m, k, n)?,
        ("ours", "int16") => ours::int16(m, k, n)?,
        ("ours", "f32") => ours::f32(m, k, n)?,
        ("gemm", "f32") => library::f32(&Library::Gemm, Layout::Normal, m, k, n),
        ("gemmlowp", "int8") => gemmlowp.product(m, k, n)?,
        ("onednn", "int8") => onednn.product(Kind::Int8, m, k, n)?,
        ("onednn", "f32") => onednn.product(Kind::F32, m, k, n)?,
        ("onednn-normal", "f32") => library::f32(plain_onednn, Layout::Normal, m, k, n),
        ("onednn-transposed", "f32") => library::f32(plain_onednn, Layout::Transposed, m, k, n),
        ("openblas-normal", "f32") => library::f32(openblas, Layout::Normal, m, k, n),
        ("openblas-transposed", "f32") => library::f32(openblas, Layout::Transposed, m, k, n),
        ("mkl-normal", "f32") => library::f32(mkl, Layout::Normal, m, k, n),
        ("mkl-transposed", "f32") => library::f32(mkl, Layout::Transposed, m, k, n),
        _ => return Err(unknown().into()),
    };
    Ok((product, (m * k * n) as f64 / 1e9))
}
