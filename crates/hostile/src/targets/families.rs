//! What generators read.

use std::sync::LazyLock;

use idpas_families::course::{Course, CourseData};
use idpas_families::perturb::{Perturb, Spec};
use idpas_families::{InstanceFamily, Manifest};
use idpas_mip::Model;
use idpas_mip::files::{Input, read_model_from};

use super::json;
use crate::limits::frugal;

/// The model that specifications are applied to.
static MODEL: LazyLock<Model> = LazyLock::new(|| {
    let text = include_bytes!("../../data/instance.mps");
    let input = Input::bytes("instance.mps", &text[..]);
    read_model_from(&input).expect("a model").model
});

pub(super) fn perturbation(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let Ok(spec) = frugal(bytes, || Spec::parse(text, "a.toml")) else {
        return;
    };
    let Ok(family) = Perturb::new(MODEL.clone(), spec, "a.toml", None) else {
        return;
    };
    for number in [0, 1, u64::MAX] {
        if let Ok(instance) = family.instance(number) {
            let again = family.instance(number).expect("the same instance");
            assert!(
                again.model == instance.model,
                "not a function of its number"
            );
        }
    }
}

/// Three tables, one after the other, with a line `---` between them.
pub(super) fn course(bytes: &[u8]) {
    let text = bytes.split(|&byte| byte == b'\n').collect::<Vec<_>>();
    let mut tables = text
        .split(|line| *line == b"---")
        .map(|table| table.join(&b'\n'));
    let mut next = || tables.next().unwrap_or_default();
    let files = [next(), next(), next()];
    let Ok(data) = frugal(bytes, || CourseData::from_bytes(files)) else {
        return;
    };
    let family = Course::custom(3, 4, 1, data);
    let _ = family.instance(1);
}

pub(super) fn manifest(bytes: &[u8]) {
    json::value::<Manifest>(bytes);
}
