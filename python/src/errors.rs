//! Exceptions, with the words of the command line.

use std::fmt::Display;

use idpas_base::words::visible_lines;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(
    idpas,
    IdpasError,
    PyException,
    "Whatever idpas cannot do; the message says why."
);
create_exception!(
    idpas,
    ModelError,
    IdpasError,
    "A model that is not one, or a file that holds none."
);
create_exception!(
    idpas,
    FamilyError,
    IdpasError,
    "A folder of pools that cannot be made, read or learned from."
);
create_exception!(
    idpas,
    SolveError,
    IdpasError,
    "A solve that cannot be done as asked."
);
create_exception!(
    idpas,
    StudyError,
    IdpasError,
    "A study, a tuning or a report that cannot be made."
);

/// Adds the exceptions to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("IdpasError", py.get_type::<IdpasError>())?;
    module.add("ModelError", py.get_type::<ModelError>())?;
    module.add("FamilyError", py.get_type::<FamilyError>())?;
    module.add("SolveError", py.get_type::<SolveError>())?;
    module.add("StudyError", py.get_type::<StudyError>())
}

/// Makes exceptions of one kind from errors. Messages end up on terminals, so characters that would act there are escaped.
macro_rules! makes {
    ($($name:ident: $kind:ident),*) => {
        $(
            pub(crate) fn $name(error: impl Display) -> PyErr {
                $kind::new_err(visible_lines(&error.to_string()))
            }
        )*
    };
}

makes!(
    model_error: ModelError,
    family_error: FamilyError,
    solve_error: SolveError,
    study_error: StudyError
);
