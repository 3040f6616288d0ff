//! Requests for an instruction set.

use dyno_kernels::{Error, Isa, Kernels};

#[test]
fn a_cap_is_kept_and_the_scalar_form_is_always_there() {
    for cap in Isa::ALL {
        assert!(Kernels::up_to(cap).isa() <= cap);
    }
    assert_eq!(Kernels::forced(Isa::Scalar).unwrap().isa(), Isa::Scalar);
}

#[test]
fn forcing_what_is_missing_is_an_error() {
    for isa in Isa::ALL {
        match Kernels::forced(isa) {
            Ok(kernels) => assert_eq!((kernels.isa(), isa.is_present()), (isa, true)),
            Err(error) => assert_eq!(error, Error::MissingIsa { isa, best: Kernels::best().isa() }),
        }
    }
}
