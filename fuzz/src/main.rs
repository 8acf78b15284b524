//! libFuzzer over one of the checks of `idpas-hostile`. The variable `IDPAS_FUZZ_TARGET` names it; one program has all of
//! them, since linking the embedded solver into thirty would take longer than fuzzing.

#![no_main]

use std::sync::LazyLock;

use idpas_hostile::Target;
use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("IDPAS_FUZZ_TARGET").unwrap_or_default();
    idpas_hostile::target(&name).unwrap_or_else(|| panic!("IDPAS_FUZZ_TARGET: no target `{name}`"))
});

fuzz_target!(|bytes: &[u8]| TARGET.check(bytes));
