//! Values of a pickle, and the names that it may have.

/// Place of a value in its pickle.
pub(crate) type Place = usize;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    None,
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(&'a str),
    /// A list, a tuple or a set.
    List(Vec<Place>),
    /// A dictionary, or the attributes of a namespace.
    Map(Vec<(Place, Place)>),
    /// A name of `NAMES`.
    Name(&'static str),
    /// What a call of this name with these arguments would give.
    Called(&'static str, Place),
    /// What the archive holds under this name.
    Stored(Place),
}

/// Makes dictionaries: filled as those, or by their state.
pub(super) const ORDERED: &str = "collections.OrderedDict";
pub(super) const NAMESPACE: &str = "argparse.Namespace";

/// Makes sets of their one argument.
pub(super) const SETS: [&str; 2] = ["__builtin__.set", "builtins.set"];

/// All names that a pickle may have.
pub(super) const NAMES: [&str; 15] = [
    ORDERED,
    NAMESPACE,
    SETS[0],
    SETS[1],
    "torch._utils._rebuild_tensor_v2",
    "torch._utils._rebuild_parameter",
    "torch.BFloat16Storage",
    "torch.BoolStorage",
    "torch.ByteStorage",
    "torch.DoubleStorage",
    "torch.FloatStorage",
    "torch.HalfStorage",
    "torch.IntStorage",
    "torch.LongStorage",
    "torch.Size",
];
