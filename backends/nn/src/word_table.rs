//! Vectors of words: read as embeddings, and multiplied as output weights. Tied vectors have one copy in
//! memory.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use dyno_formats::{ModelSpec, Result};
use dyno_kernels::{Candidates, Kernels, Weights};

use crate::math::{Form, Matrix};
use crate::params::{OUTPUT_MULTIPLIER, Params, ShortlistColumns};

/// Number of words that are packed at a time, before their columns become candidates. A part is small enough to
/// stay in a core's cache, and for the allocator to reuse its pages instead of returning them to the system.
const PART: usize = 256;

impl Params<'_> {
    /// The vectors [words, width] of a vocabulary. Vectors that are output weights as well have a `bias`
    /// `[words]`, which may be empty.
    ///
    /// # Errors
    /// When the tensor is missing or has another shape.
    pub fn words(
        self,
        name: &str,
        words: usize,
        width: usize,
        bias: Option<&[f32]>,
    ) -> Result<Arc<WordTable>> {
        let mut matrix = Matrix::transposed(self.tensor(name, words, width)?)?;
        if bias.is_some() {
            matrix = matrix.with_scale(self.scale(name, Some(OUTPUT_MULTIPLIER))?);
        }
        let floats = self.on_line().filter(|_| bias.is_some());
        let floats = floats.map(|floats| Matrix::transposed(floats.get(name)?.expect(words, width)?));
        self.table(name, &matrix, floats.transpose()?.as_ref(), bias.unwrap_or_default())
    }

    /// The word table of `matrix` [width, words], which comes from the tensor `name`; `floats` is the matrix
    /// before quantisation.
    fn table(
        self,
        name: &str,
        matrix: &Matrix<'_>,
        floats: Option<&Matrix<'_>>,
        bias: &[f32],
    ) -> Result<Arc<WordTable>> {
        let table = WordTable::new(self.kernels(), matrix, bias);
        let table = table.map(|table| table.with_columns(self.shortlist_columns()));
        let table = table.and_then(|table| match floats {
            Some(floats) => table.with_floats(floats, bias),
            None => Ok(table),
        });
        self.weights().release(); // as `Params::pack` does
        if let Some(tensor) = self.weights().find(name) {
            tensor.release(); // few words occur, and their rows are read again
        }
        table.map(Arc::new).map_err(|error| self.fault(name, &error))
    }
}

/// The vectors of a vocabulary.
pub struct WordTable {
    /// A column for each word, with its bias as an output.
    columns: Candidates,
    /// All columns packed, on the first product without a shortlist.
    packed: OnceLock<Weights>,
    form: Form,
    kernels: Kernels,
    shortlist: ShortlistColumns,
    /// The columns before quantisation, if a shortlist's columns are quantised on line.
    floats: Option<Candidates>,
}

/// Time to gather a column, as a multiple of the time to multiply it. On Zen 5, a thousand of 25,000 int8
/// columns with 512 values take 28 to 73 µs to gather and 9 µs to multiply. Near the break-even point both
/// ways take the same time, and they always give the same bits.
const GATHERING: usize = 5;

impl WordTable {
    /// The table of `matrix` [width, words]. `bias` `[words]` counts where the vectors are output weights; an
    /// empty bias is none.
    ///
    /// # Errors
    /// When weights or bias can't be packed.
    pub fn new(kernels: Kernels, matrix: &Matrix<'_>, bias: &[f32]) -> dyno_kernels::Result<Self> {
        let form = matrix.form()?;
        let columns = columns(kernels, matrix, form, bias)?;
        let (packed, shortlist) = (OnceLock::new(), ShortlistColumns::Auto);
        Ok(Self { columns, packed, form, kernels, shortlist, floats: None })
    }

    /// The same table with this source of a shortlist's columns.
    pub(crate) fn with_columns(self, shortlist: ShortlistColumns) -> Self {
        Self { shortlist, ..self }
    }

    /// The same table with the matrix before quantisation.
    pub(crate) fn with_floats(self, matrix: &Matrix<'_>, bias: &[f32]) -> dyno_kernels::Result<Self> {
        let matrix = matrix.clone().in_f32(); // which is quantised on line
        let floats = columns(self.kernels, &matrix, matrix.form()?, bias)?;
        Ok(Self { floats: Some(floats), ..self })
    }

    /// Number of words.
    pub fn words(&self) -> usize {
        self.columns.n()
    }

    /// Width of a vector.
    pub fn width(&self) -> usize {
        self.columns.k()
    }

    /// Appends the vector of `word` to `rows`.
    ///
    /// # Panics
    /// When there is no such word.
    pub fn push(&self, word: u32, rows: &mut Vec<f32>) {
        let start = rows.len();
        rows.resize(start + self.width(), 0.0);
        self.columns.column(word as usize, &mut rows[start..]).expect("words are of the vocabulary");
    }

    /// Adds the vector of `word`, times `factor`, to `row` `[width]`.
    ///
    /// # Panics
    /// When there is no such word, or the row has another width.
    pub fn add(&self, word: u32, factor: f32, row: &mut [f32]) {
        self.columns.add_column(word as usize, factor, row).expect("words are of the vocabulary");
    }

    /// Whether so many candidates are gathered for a translation of about so many steps. Gathering costs once
    /// for each candidate; without gathering, each step multiplies all words.
    pub(crate) fn gathers(&self, candidates: usize, steps: usize) -> bool {
        match self.shortlist {
            ShortlistColumns::Auto => candidates * (GATHERING + steps) < self.words() * steps,
            ShortlistColumns::OffLine | ShortlistColumns::OnLine => true,
            ShortlistColumns::Whole => false,
        }
    }

    /// Replaces `into` by the output weights of `words`, in their order.
    ///
    /// # Panics
    /// When an id is no word of the vocabulary.
    pub(crate) fn gather(&self, words: &[u32], into: &mut Option<Weights>) {
        let from = self.floats.as_ref().unwrap_or(&self.columns);
        let room =
            || if self.floats.is_some() { from.room_int8(words.len()) } else { from.room(words.len()) };
        from.gather(words, into.get_or_insert_with(room)).expect("candidates are words of the vocabulary");
    }

    pub(crate) fn packed(&self) -> &Weights {
        self.packed.get_or_init(|| self.columns.packed().expect("its own columns"))
    }

    pub(crate) fn form(&self) -> Form {
        self.form
    }

    pub(crate) fn kernels(&self) -> Kernels {
        self.kernels
    }
}

/// The columns of `matrix` [width, words], with their bias.
fn columns(
    kernels: Kernels,
    matrix: &Matrix<'_>,
    form: Form,
    bias: &[f32],
) -> dyno_kernels::Result<Candidates> {
    let part = |words: Range<usize>| {
        let bias = if bias.is_empty() { bias } else { &bias[words.clone()] };
        matrix.pack_outputs(kernels, form, words, bias)
    };
    let (expected, found) = (matrix.outputs(), bias.len());
    if found != 0 && found != expected {
        return Err(dyno_kernels::Error::Shape { what: "bias", expected, found });
    }
    let mut parts = matrix.parts(PART);
    let mut columns = Candidates::new(part(parts.next().unwrap_or(0..0))?);
    if let Some((rows, scales)) = matrix.rows()
        && columns.share(rows, scales, bias)?
    {
        return Ok(columns);
    }
    columns.reserve(matrix.outputs() - columns.n());
    parts.try_for_each(|words| columns.append(&part(words)?))?;
    Ok(columns)
}

/// The word tables of a translator; tied tables are one and the same.
pub struct WordTables {
    /// Embeddings of the source.
    pub source: Arc<WordTable>,
    /// Embeddings of the target.
    pub target: Arc<WordTable>,
    /// Output weights.
    pub output: Arc<WordTable>,
}

/// Names and widths of the tensors of word tables.
#[derive(Clone, Copy)]
pub struct WordTensors<'a> {
    /// Widths of the vectors of source and target, and of the output weights. Tied tables have one width.
    pub widths: [usize; 3],
    /// Beginning of the names of output weights and bias.
    pub output: &'a str,
}

impl WordTables {
    /// Reads the tables, shared and tied as `model` says; `stored` gives the name of a tensor in the file.
    ///
    /// # Errors
    /// When a tensor is missing or has another shape.
    pub fn read(
        model: &ModelSpec,
        params: Params<'_>,
        tensors: WordTensors<'_>,
        stored: impl Fn(&str) -> String,
    ) -> Result<Self> {
        let ([source, target], spec) = (model.words, model.vectors);
        let bias = match spec.bias {
            true => params.vector(&stored(&format!("{}_b", tensors.output)), target)?,
            false => Vec::new(),
        };
        let table = |name: &str, (words, width): (usize, usize), bias: Option<&[f32]>| {
            params.words(&stored(name), words, width, bias)
        };
        let target_bias = spec.tied.then_some(&bias[..]);
        let [from, to, _] = tensors.widths;
        let tables = if spec.shared {
            let shared = table("Wemb", (source, from), target_bias)?;
            [Arc::clone(&shared), shared]
        } else {
            let own = table("encoder_Wemb", (source, from), None)?;
            [own, table("decoder_Wemb", (target, to), target_bias)?]
        };
        let [source, target_table] = tables;
        let output = match spec.tied {
            true => Arc::clone(&target_table),
            false => untied(params, tensors, target, stored, &bias)?,
        };
        Ok(Self { source, target: target_table, output })
    }
}

/// Output weights that aren't tied: `{prefix}_Wt` [words, width], or the old `{prefix}_W` [width, words].
fn untied(
    params: Params<'_>,
    tensors: WordTensors<'_>,
    words: usize,
    stored: impl Fn(&str) -> String,
    bias: &[f32],
) -> Result<Arc<WordTable>> {
    let [.., width] = tensors.widths;
    let [transposed, plain] = ["Wt", "W"].map(|part| stored(&format!("{}_{part}", tensors.output)));
    if params.has(&transposed) || !params.has(&plain) {
        return params.words(&transposed, words, width, Some(bias));
    }
    let matrix = params.product(&plain, width, words)?;
    let floats = params.on_line().map(|floats| Matrix::of(floats.get(&plain)?.expect(width, words)?));
    params.table(&plain, &matrix, floats.transpose()?.as_ref(), bias)
}
