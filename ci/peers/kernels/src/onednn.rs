//! oneDNN's matmul through its C interface, with weights in the layout that it asks for (`any`).
//!
//! The few functions are declared here and looked up in the library, so that building needs no headers.

use libloading::{Library, Symbol};
use std::ffi::c_void;
use std::path::Path;
use std::ptr::null_mut;

use crate::Result;

type Handle = *mut c_void;

/// dnnl_types.h
const F32: i32 = 3;
const S32: i32 = 4;
const S8: i32 = 5;
const U8: i32 = 6;
const ANY: i32 = 1;
const VECTOR: i32 = 2;
const ROW_MAJOR: i32 = 3;
const CPU: i32 = 1;
const IN_ORDER: u32 = 1;
const WEIGHTS_DESCRIPTION: i32 = 131;
const ARG_SRC: i32 = 1;
const ARG_DST: i32 = 17;
const ARG_WEIGHTS: i32 = 33;
const ARG_BIAS: i32 = 41;
/// Together with an argument: its scales.
const ARG_SCALES: i32 = 4096;
/// Masks of scales: one for all, and one for each column.
const ALL: i32 = 0;
const EACH_COLUMN: i32 = 2;
const ALLOCATE: Handle = usize::MAX as Handle;

#[repr(C)]
#[derive(Clone, Copy)]
struct Arg {
    arg: i32,
    memory: Handle,
}

/// What is multiplied.
#[derive(Clone, Copy)]
pub enum Kind {
    /// u8 by s8 to s32: what it takes to make numbers of them is left to the caller.
    Sums,
    /// u8 by s8 to f32, with a scale of the rows, scales of the columns, and bias: as ours.
    Int8,
    /// f32 throughout.
    F32,
}

/// The library, an engine and a stream; they live as long as the process.
pub struct OneDnn {
    library: Library,
    engine: Handle,
    stream: Handle,
}

/// Calls a function of the library and makes its status an error.
macro_rules! call {
    ($self:ident.$name:ident($($arg:expr => $type:ty),*)) => {{
        // SAFETY: the name is oneDNN's, and the types are those of its header.
        let function: Symbol<'_, unsafe extern "C" fn($($type),*) -> i32> =
            unsafe { $self.library.get(concat!(stringify!($name), "\0").as_bytes())? };
        // SAFETY: handles come from the library itself, and pointers point to live values.
        match unsafe { function($($arg),*) } {
            0 => (),
            status => return Err(format!("{} answers {status}", stringify!($name)).into()),
        }
    }};
}

impl OneDnn {
    pub fn load(folder: &Path) -> Result<Self> {
        // SAFETY: its initialisers do nothing but start it.
        let library = unsafe { Library::new(folder.join("libdnnl.so.3"))? };
        let mut found = Self { library, engine: null_mut(), stream: null_mut() };
        let mut engine = null_mut();
        call!(found.dnnl_engine_create(&mut engine => *mut Handle, CPU => i32, 0 => usize));
        found.engine = engine;
        let mut stream = null_mut();
        call!(found.dnnl_stream_create(&mut stream => *mut Handle, engine => Handle, IN_ORDER => u32));
        found.stream = stream;
        Ok(found)
    }

    fn description<const N: usize>(&self, shape: [usize; N], of: i32, tag: i32) -> Result<Handle> {
        let mut description = null_mut();
        let shape = shape.map(|size| size as i64);
        call!(self.dnnl_memory_desc_create_with_tag(
            &mut description => *mut Handle, N as i32 => i32, shape.as_ptr() => *const i64, of => i32, tag => i32));
        Ok(description)
    }

    /// An argument of its own memory, whose first values are 1.
    fn argument(&self, arg: i32, description: Handle, values: usize, of: i32) -> Result<Arg> {
        let memory = self.memory(description)?;
        self.fill(memory, values, if of == F32 { &[0, 0, 128, 63] } else { &[1] })?;
        Ok(Arg { arg, memory })
    }

    fn memory(&self, description: Handle) -> Result<Handle> {
        let mut memory = null_mut();
        call!(self.dnnl_memory_create(
            &mut memory => *mut Handle, description => Handle, self.engine => Handle, ALLOCATE => Handle));
        Ok(memory)
    }

    /// Scales of the rows, of which this version takes one for all, and of the columns.
    fn scales(&self) -> Result<Handle> {
        let mut attributes = null_mut();
        call!(self.dnnl_primitive_attr_create(&mut attributes => *mut Handle));
        for (arg, mask) in [(ARG_SRC, ALL), (ARG_WEIGHTS, EACH_COLUMN)] {
            call!(self.dnnl_primitive_attr_set_scales_mask(attributes => Handle, arg => i32, mask => i32));
        }
        Ok(attributes)
    }

    /// A product of [m, k] by [k, n].
    pub fn product<'a>(&'a self, kind: Kind, m: usize, k: usize, n: usize) -> Result<Box<dyn FnMut() + 'a>> {
        let (a, b, c) = match kind {
            Kind::Sums => (U8, S8, S32),
            Kind::Int8 => (U8, S8, F32),
            Kind::F32 => (F32, F32, F32),
        };
        let [src, dst] = [self.description([m, k], a, ROW_MAJOR)?, self.description([m, n], c, ROW_MAJOR)?];
        let any = self.description([k, n], b, ANY)?;
        let bias = match kind {
            Kind::Sums => null_mut(),
            Kind::Int8 | Kind::F32 => self.description([1, n], F32, ROW_MAJOR)?,
        };
        let attributes = match kind {
            Kind::Int8 => self.scales()?,
            Kind::Sums | Kind::F32 => null_mut(),
        };
        let mut chosen = null_mut();
        call!(self.dnnl_matmul_primitive_desc_create(
            &mut chosen => *mut Handle, self.engine => Handle, src => Handle, any => Handle, bias => Handle,
            dst => Handle, attributes.cast_const() => *const c_void));
        let mut primitive = null_mut();
        call!(self.dnnl_primitive_create(&mut primitive => *mut Handle, chosen => Handle));
        // SAFETY: the name is oneDNN's, and the types are those of its header.
        let query: Symbol<'_, unsafe extern "C" fn(Handle, i32, i32) -> Handle> =
            unsafe { self.library.get(b"dnnl_primitive_desc_query_md\0")? };
        // SAFETY: the description is the library's own, and lives on.
        let weights = unsafe { query(chosen, WEIGHTS_DESCRIPTION, 0) };
        let mut args =
            vec![self.argument(ARG_SRC, src, m * k, a)?, self.argument(ARG_WEIGHTS, weights, k * n, b)?];
        args.push(self.argument(ARG_DST, dst, 0, c)?);
        if !bias.is_null() {
            args.push(self.argument(ARG_BIAS, bias, n, F32)?);
        }
        if !attributes.is_null() {
            for (arg, values) in [(ARG_SRC, 1), (ARG_WEIGHTS, n)] {
                let scales = self.description([values], F32, VECTOR)?;
                args.push(self.argument(ARG_SCALES | arg, scales, values, F32)?);
            }
        }
        // SAFETY: as above.
        let execute: Symbol<'a, unsafe extern "C" fn(Handle, Handle, i32, *const Arg) -> i32> =
            unsafe { self.library.get(b"dnnl_primitive_execute\0")? };
        // SAFETY: as above.
        let wait: Symbol<'a, unsafe extern "C" fn(Handle) -> i32> =
            unsafe { self.library.get(b"dnnl_stream_wait\0")? };
        let stream = self.stream;
        Ok(Box::new(move || {
            // SAFETY: primitive, stream and memories are live, and belong together.
            let status = unsafe { execute(primitive, stream, args.len() as i32, args.as_ptr()) };
            assert_eq!(status, 0, "oneDNN multiplies");
            // SAFETY: the stream is live.
            unsafe { wait(stream) };
        }))
    }

    /// Sets the first values of a memory, so that no page is the kernel's shared zero page.
    fn fill(&self, memory: Handle, values: usize, value: &[u8]) -> Result<()> {
        let mut data = null_mut();
        call!(self.dnnl_memory_get_data_handle(memory => Handle, &mut data => *mut Handle));
        for (at, byte) in value.iter().cycle().take(values * value.len()).enumerate() {
            // SAFETY: a memory holds at least its values, whatever their order.
            unsafe { data.cast::<u8>().add(at).write(*byte) };
        }
        Ok(())
    }
}
