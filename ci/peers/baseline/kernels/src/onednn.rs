//! oneDNN's matmul as PyTorch calls it: unpacked weights, and each call describes its product anew, asks for a
//! primitive, which the library's own cache holds, and executes it. Two of Dice & Kogan's optimisations (2021) are
//! [`Switches`]: with saved dispatch (section 6.2) a thread keeps the primitive of each shape, and a call only names
//! its matrices; with smaller partitions (section 6.3) the inner dimension goes in blocks.
//!
//! The few functions are declared here and looked up in the library, so that building needs no headers and no C.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::fmt;
use std::path::Path;
use std::ptr::{self, null_mut};

use libloading::Library;

use crate::blas::open;
use crate::plain::Plain;

type Handle = *mut c_void;
type Status = i32;

/// dnnl_types.h and dnnl_common_types.h.
const F32: i32 = 3;
const CPU: i32 = 1;
const IN_ORDER: u32 = 1;
const ARG_SRC: i32 = 1;
const ARG_DST: i32 = 17;
const ARG_WEIGHTS: i32 = 33;

/// What a product does beyond oneDNN's own way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// Whether threads keep their primitives.
    pub saves_dispatch: bool,
    /// Rows of the weights that a primitive takes; the next one adds its products to the sums.
    ///
    /// The paper changes the library's constant for the outermost of its three loops. Blocks from outside are the same
    /// loops, with a call for each turn of the outermost.
    pub inner_block: Option<usize>,
}

#[repr(C)]
struct Arg {
    arg: i32,
    memory: Handle,
}

/// Functions of the library, by their names without “dnnl_”.
#[rustfmt::skip]
struct Calls {
    stream_create: unsafe extern "C" fn(*mut Handle, Handle, u32) -> Status,
    primitive_attr_create: unsafe extern "C" fn(*mut Handle) -> Status,
    primitive_attr_destroy: unsafe extern "C" fn(Handle) -> Status,
    primitive_attr_set_post_ops: unsafe extern "C" fn(Handle, Handle) -> Status,
    post_ops_create: unsafe extern "C" fn(*mut Handle) -> Status,
    post_ops_destroy: unsafe extern "C" fn(Handle) -> Status,
    post_ops_append_sum: unsafe extern "C" fn(Handle, f32, i32, i32) -> Status,
    memory_desc_create_with_strides: unsafe extern "C" fn(*mut Handle, i32, *const i64, i32, *const i64) -> Status,
    memory_desc_destroy: unsafe extern "C" fn(Handle) -> Status,
    memory_create: unsafe extern "C" fn(*mut Handle, Handle, Handle, *mut c_void) -> Status,
    memory_set_data_handle: unsafe extern "C" fn(Handle, *mut c_void) -> Status,
    memory_destroy: unsafe extern "C" fn(Handle) -> Status,
    matmul_primitive_desc_create:
        unsafe extern "C" fn(*mut Handle, Handle, Handle, Handle, Handle, Handle, Handle) -> Status,
    primitive_desc_destroy: unsafe extern "C" fn(Handle) -> Status,
    primitive_create: unsafe extern "C" fn(*mut Handle, Handle) -> Status,
    primitive_destroy: unsafe extern "C" fn(Handle) -> Status,
    primitive_execute: unsafe extern "C" fn(Handle, Handle, i32, *const Arg) -> Status,
    stream_wait: unsafe extern "C" fn(Handle) -> Status,
    /// Of the OpenMP that the library runs on: its number is a thread's own.
    omp_set_num_threads: unsafe extern "C" fn(i32),
}

/// The library with an engine; it lives as long as the process.
pub struct OneDnn {
    calls: Calls,
    engine: Handle,
    /// Sums that a product starts from, as an attribute of its primitive.
    adding: Owned,
    switches: Switches,
}

impl fmt::Debug for OneDnn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OneDnn")
    }
}

// SAFETY: an engine may be used by several threads at once; streams are a thread's own.
unsafe impl Send for OneDnn {}
// SAFETY: as above.
unsafe impl Sync for OneDnn {}

/// A handle of the library, which is destroyed in the end.
struct Owned {
    handle: Handle,
    destroy: unsafe extern "C" fn(Handle) -> Status,
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: the handle is live, and nothing else has it.
        unsafe { (self.destroy)(self.handle) };
    }
}

/// What a primitive is made for: rows of A that lie `row_of_a` values apart, and weights [k, n] with these distances.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Product {
    /// [m, k, n]
    shape: [usize; 3],
    row_of_a: usize,
    row_of_b: usize,
    column_of_b: usize,
    /// Whether it adds to what C holds.
    adds: bool,
}

/// A product that is ready for its matrices A, B and C.
struct Prepared {
    primitive: Owned,
    memories: [Owned; 3],
    _described: [Owned; 3],
}

/// A function of the library.
fn function<T: Copy>(library: &'static Library, name: &str) -> Result<T, String> {
    // SAFETY: the types of `Calls` are those of the library's headers.
    let found = unsafe { library.get::<T>(format!("{name}\0").as_bytes()) };
    found.map(|symbol| *symbol).map_err(|error| error.to_string())
}

/// Checks a status: the calls here fail only where the library lacks memory.
fn check(status: Status, call: &str) {
    assert_eq!(status, 0, "oneDNN refuses {call}");
}

/// The attribute by which a primitive adds to what its result holds.
fn adding(calls: &Calls) -> Owned {
    let [mut sums, mut attribute] = [null_mut(); 2];
    // SAFETY: the pointer is to a live value.
    check(unsafe { (calls.post_ops_create)(&mut sums) }, "a list");
    let sums = Owned { handle: sums, destroy: calls.post_ops_destroy };
    // SAFETY: the list is live.
    check(unsafe { (calls.post_ops_append_sum)(sums.handle, 1.0, 0, F32) }, "a sum");
    // SAFETY: the pointer is to a live value.
    check(unsafe { (calls.primitive_attr_create)(&mut attribute) }, "an attribute");
    let attribute = Owned { handle: attribute, destroy: calls.primitive_attr_destroy };
    // SAFETY: both are live; the attribute copies the list.
    check(
        unsafe { (calls.primitive_attr_set_post_ops)(attribute.handle, sums.handle) },
        "an attribute's sum",
    );
    attribute
}

impl OneDnn {
    /// The library of that path.
    pub fn load(path: &Path, switches: Switches) -> Result<Self, String> {
        let library = open(path)?;
        let named = |name: &str| format!("dnnl_{name}");
        macro_rules! calls {
            ($($name:ident),*) => {
                Calls {
                    $($name: function(library, &named(stringify!($name)))?,)*
                    omp_set_num_threads: function(library, "omp_set_num_threads")?,
                }
            };
        }
        let calls = calls!(
            stream_create,
            primitive_attr_create,
            primitive_attr_destroy,
            primitive_attr_set_post_ops,
            post_ops_create,
            post_ops_destroy,
            post_ops_append_sum,
            memory_desc_create_with_strides,
            memory_desc_destroy,
            memory_create,
            memory_set_data_handle,
            memory_destroy,
            matmul_primitive_desc_create,
            primitive_desc_destroy,
            primitive_create,
            primitive_destroy,
            primitive_execute,
            stream_wait
        );
        let create: unsafe extern "C" fn(*mut Handle, i32, usize) -> Status =
            function(library, "dnnl_engine_create")?;
        let mut engine = null_mut();
        // SAFETY: the pointer is to a live value.
        match unsafe { create(&mut engine, CPU, 0) } {
            0 => Ok(Self { adding: adding(&calls), calls, engine, switches }),
            status => Err(format!("dnnl_engine_create answers {status}")),
        }
    }

    /// C [m, n] = A [m, k] · B [k, n].
    pub fn multiply(&self, [m, k, n]: [usize; 3], a: &[f32], b: Plain<'_>, c: &mut [f32]) {
        let block = self.switches.inner_block.unwrap_or(k);
        for start in (0..k).step_by(block) {
            let product = Product {
                shape: [m, block.min(k - start), n],
                row_of_a: k,
                row_of_b: b.row,
                column_of_b: b.column,
                adds: start > 0,
            };
            let (a, b) = (a[start..].as_ptr(), b.values[start * b.row..].as_ptr());
            self.multiply_block(product, [a.cast_mut().cast(), b.cast_mut().cast(), c.as_mut_ptr().cast()]);
        }
    }

    fn multiply_block(&self, product: Product, data: [*mut c_void; 3]) {
        if !self.switches.saves_dispatch {
            return self.execute(&self.prepared(product), data);
        }
        thread_local!(static KEPT: RefCell<HashMap<(usize, Product), &'static Prepared>> = RefCell::default());
        let key = (ptr::from_ref(self).addr(), product);
        let new = || &*Box::leak(Box::new(self.prepared(product)));
        let prepared = KEPT.with_borrow_mut(|kept| *kept.entry(key).or_insert_with(new));
        self.execute(prepared, data);
    }

    fn prepared(&self, product: Product) -> Prepared {
        let [m, k, n] = product.shape;
        let described = [
            self.described([m, k], [product.row_of_a, 1]),
            self.described([k, n], [product.row_of_b, product.column_of_b]),
            self.described([m, n], [n, 1]),
        ];
        let primitive = self.primitive(&described, product.adds);
        let memories = described.each_ref().map(|described| self.memory(described));
        Prepared { primitive, memories, _described: described }
    }

    /// Executes a product of the matrices A, B and C.
    fn execute(&self, prepared: &Prepared, data: [*mut c_void; 3]) {
        let handles = prepared.memories.each_ref().map(|memory| memory.handle);
        for (memory, data) in handles.into_iter().zip(data) {
            // SAFETY: the memory is live, and the data hold what it describes, as the caller has asserted.
            check(unsafe { (self.calls.memory_set_data_handle)(memory, data) }, "a matrix");
        }
        let [src, weights, dst] = handles;
        let args =
            [(ARG_SRC, src), (ARG_WEIGHTS, weights), (ARG_DST, dst)].map(|(arg, memory)| Arg { arg, memory });
        let stream = self.stream();
        // SAFETY: all handles are live and belong together, and only C is written.
        let status = unsafe {
            (self.calls.primitive_execute)(
                prepared.primitive.handle,
                stream,
                args.len() as i32,
                args.as_ptr(),
            )
        };
        check(status, "a product");
        // SAFETY: the stream is live.
        check(unsafe { (self.calls.stream_wait)(stream) }, "to wait");
    }

    fn described(&self, shape: [usize; 2], strides: [usize; 2]) -> Owned {
        let [shape, strides] = [shape, strides].map(|sizes| sizes.map(|size| size as i64));
        let create = self.calls.memory_desc_create_with_strides;
        let mut handle = null_mut();
        // SAFETY: the pointers are to live values of two sizes each.
        check(unsafe { create(&mut handle, 2, shape.as_ptr(), F32, strides.as_ptr()) }, "a shape");
        Owned { handle, destroy: self.calls.memory_desc_destroy }
    }

    fn primitive(&self, [src, weights, dst]: &[Owned; 3], adds: bool) -> Owned {
        let (describe, none) = (self.calls.matmul_primitive_desc_create, null_mut());
        let attributes = if adds { self.adding.handle } else { none };
        let mut handle = null_mut();
        // SAFETY: the handles are live; null pointers are no bias and no attributes.
        let status = unsafe {
            describe(&mut handle, self.engine, src.handle, weights.handle, none, dst.handle, attributes)
        };
        check(status, "a product's shape");
        let described = Owned { handle, destroy: self.calls.primitive_desc_destroy };
        let mut handle = null_mut();
        // SAFETY: the description is live.
        check(unsafe { (self.calls.primitive_create)(&mut handle, described.handle) }, "a primitive");
        Owned { handle, destroy: self.calls.primitive_destroy }
    }

    /// A memory without data.
    fn memory(&self, described: &Owned) -> Owned {
        let mut handle = null_mut();
        // SAFETY: the handles are live; a null pointer is no data.
        let status =
            unsafe { (self.calls.memory_create)(&mut handle, described.handle, self.engine, null_mut()) };
        check(status, "a memory");
        Owned { handle, destroy: self.calls.memory_destroy }
    }

    /// This thread's stream of the engine. Its products stay on the thread: a crew has threads of its own.
    fn stream(&self) -> Handle {
        thread_local!(static STREAMS: RefCell<HashMap<Handle, Handle>> = RefCell::default());
        STREAMS.with_borrow_mut(|streams| *streams.entry(self.engine).or_insert_with(|| self.new_stream()))
    }

    fn new_stream(&self) -> Handle {
        // SAFETY: the number of threads is that of this thread's products alone.
        unsafe { (self.calls.omp_set_num_threads)(1) };
        let mut handle = null_mut();
        // SAFETY: the engine is live.
        check(unsafe { (self.calls.stream_create)(&mut handle, self.engine, IN_ORDER) }, "a stream");
        handle
    }
}
