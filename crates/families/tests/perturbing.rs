//! Families out of any model.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use idpas_families::diff::Change;
use idpas_families::perturb::{Perturb, Spec};
use idpas_families::{FamilyError, InstanceFamily};
use idpas_mip::{Model, ModelBuilder, Sense, VarKind};
use idpas_testing::shared_data;

fn model() -> Model {
    let mut b = ModelBuilder::new("plan", Sense::Minimize);
    let x = b.column("x[1]", VarKind::Integer, 1.0, 4.0, 3.0).unwrap();
    let y = b
        .column("x[2]", VarKind::Integer, 0.0, f64::INFINITY, 0.0)
        .unwrap();
    b.row("demand[1]", 10.0, 10.0, [(x, 2.0), (y, 1.0)])
        .unwrap();
    b.row("demand[2]", 4.0, f64::INFINITY, [(x, 1.0), (y, 1.0)])
        .unwrap();
    b.row("free", f64::NEG_INFINITY, f64::INFINITY, [(x, 1.0)])
        .unwrap();
    b.build().unwrap()
}

fn family(spec: &str) -> Result<Perturb, FamilyError> {
    Perturb::new(model(), Spec::parse(spec, "spec.toml")?, "spec.toml", None)
}

fn refusal(spec: &str) -> String {
    family(spec).unwrap_err().to_string()
}

#[test]
fn right_hand_sides_follow_the_distribution() {
    let family = family(
        "[[vary]]\nwhat = 'rhs'\nrows = 'demand*'\nround = 'integer'\n\
         distribution = { kind = 'normal', relative_sd = 0.3, min_factor = 0.5, max_factor = 1.5 }",
    )
    .unwrap();
    assert_eq!(family.matched(), [2]);
    let mut seen = std::collections::BTreeSet::new();
    for number in 1..200 {
        let model = family.instance(number).unwrap().model;
        assert_eq!(model.rows.lower[0], model.rows.upper[0]);
        assert!((5.0..=15.0).contains(&model.rows.lower[0]));
        assert_eq!(model.rows.upper[1], f64::INFINITY);
        seen.insert(model.rows.lower[0] as i64);
        let changes = family.changes(number).unwrap();
        assert!(changes.iter().all(|c| matches!(c, Change::Sides { .. })));
    }
    assert!(seen.len() > 7, "{seen:?}");
    assert_eq!(
        family.instance(5).unwrap().model,
        family.instance(5).unwrap().model
    );
}

#[test]
fn crossed_bounds_are_clamped_and_told() {
    let spec = "[[vary]]\nwhat = 'upper'\ncolumns = 'x[1]'\ndistribution = { kind = 'choice', values = [-7.0] }";
    let instance = family(spec).unwrap().instance(1).unwrap();
    assert_eq!(
        (
            instance.model.columns.lower[0],
            instance.model.columns.upper[0]
        ),
        (1.0, 1.0)
    );
    assert_eq!(
        instance.repairs,
        ["column x[1]: bounds crossed and were clamped"]
    );
}

#[test]
fn entries_share_draws_by_row_and_never_vanish() {
    let spec = "[[vary]]\nwhat = 'coefficient'\nrows = 'demand*'\ndraw = 'row'\n\
                distribution = { kind = 'uniform', min_factor = 0.5, max_factor = 2.0 }";
    let model = family(spec).unwrap().instance(3).unwrap().model;
    let entry = |i, j: usize| model.matrix.entries(j).find(|e| e.0 == i).unwrap().1;
    assert_eq!(entry(0, 0), 2.0 * entry(0, 1));
    assert_ne!(entry(0, 1), entry(1, 1));
    let spec = "[[vary]]\nwhat = 'coefficient'\ncolumns = 'x[1]'\ndistribution = { kind = 'choice', factors = [0.0] }";
    let instance = family(spec).unwrap().instance(1).unwrap();
    assert_eq!(instance.repairs.len(), 3);
    assert_eq!(instance.model, self::model());
}

#[test]
fn zeros_stay_unless_asked_for() {
    let spec = |keep: &str| {
        format!(
            "[[vary]]\nwhat = 'objective'\n{keep}\ndistribution = {{ kind = 'uniform_integer', min = 5, max = 5 }}"
        )
    };
    let costs = |spec: &str| {
        family(spec)
            .unwrap()
            .instance(1)
            .unwrap()
            .model
            .columns
            .cost
    };
    assert_eq!(costs(&spec("")), [8.0, 0.0]);
    assert_eq!(costs(&spec("keep_zero = false")), [8.0, 5.0]);
}

#[test]
fn mistakes_are_named() {
    let uniform = "distribution = { kind = 'uniform', min_factor = 0.9, max_factor = 1.1 }";
    let cases = [
        ("", "missing field `vary`"),
        ("vary = []", "`vary` is empty"),
        ("[[vary]]\nwhat = 'rhs'", "missing field `distribution`"),
        (
            &format!("[[vary]]\nwhat = 'demand'\n{uniform}"),
            "unknown variant `demand`",
        ),
        (
            &format!("[[vary]]\nwhat = 'rhs'\nrow = 'x'\n{uniform}"),
            "unknown field `row`",
        ),
        (
            &format!("[[vary]]\nwhat = 'rhs'\nrows = ['demand*', 'supply*']\n{uniform}"),
            "entry 1 of `vary`: the pattern `supply*` matches no row",
        ),
        (
            &format!("[[vary]]\nwhat = 'rhs'\nrows = 'free'\n{uniform}"),
            "nothing can vary",
        ),
        (
            &format!("[[vary]]\nwhat = 'upper'\nrows = 'free'\n{uniform}"),
            "`upper` belongs to columns",
        ),
        (
            &format!("[[vary]]\nwhat = 'upper'\ncolumns = 'x[2]'\n{uniform}"),
            "nothing can vary",
        ),
        (
            "[[vary]]\nwhat = 'rhs'\ndistribution = { kind = 'uniform', min_factor = 2, max_factor = 1 }",
            "min_factor 2 is above max_factor 1",
        ),
        (
            "[[vary]]\nwhat = 'rhs'\ndistribution = { kind = 'normal', relative_sd = -1.0 }",
            "relative_sd is -1; expected zero or more",
        ),
        (
            "[[vary]]\nwhat = 'rhs'\ndistribution = { kind = 'uniform_integer', min = 0, max = 9007199254740993 }",
            "9007199254740993 is beyond ±2^53",
        ),
        (
            "[[vary]]\nwhat = 'rhs'\ndistribution = { kind = 'choice' }",
            "`choice` needs either `factors` or `values`",
        ),
        (
            "[[vary]]\nwhat = 'rhs'\ndistribution = { kind = 'normal', relative_sd = 0.1, sd = 3 }",
            "unknown field `sd`",
        ),
    ];
    for (spec, expected) in cases {
        let message = refusal(spec);
        assert!(
            message.starts_with("spec.toml: ") && message.contains(expected),
            "{spec}\n→ {message}"
        );
    }
}

/// Makes a family of a model file, whose right-hand sides and objective vary.
fn assert_becomes_a_family(file: &Path, rows: usize) {
    let folder = tempfile::tempdir().unwrap();
    let spec = folder.path().join("spec.toml");
    std::fs::write(
        &spec,
        "seed = 5\n[[vary]]\nwhat = 'rhs'\n\
         distribution = { kind = 'normal', relative_sd = 0.02, min_factor = 0.95, max_factor = 1.05 }\n\
         [[vary]]\nwhat = 'objective'\ndraw = 'once'\n\
         distribution = { kind = 'uniform', min_factor = 0.9, max_factor = 1.1 }",
    )
    .unwrap();
    let family = Perturb::read(file, &spec, None).unwrap();
    assert_eq!(family.seed(), 5);
    assert_eq!(family.model().shape().rows, rows);
    let instance = family.instance(1).unwrap();
    assert_eq!(instance.model.shape(), family.model().shape());
    let changes = family.changes(1).unwrap();
    assert!(changes.iter().any(|c| matches!(c, Change::Sides { .. })));
    assert!(changes.iter().any(|c| matches!(c, Change::Cost { .. })));
    assert!(
        changes
            .iter()
            .all(|c| matches!(c, Change::Sides { .. } | Change::Cost { .. }))
    );
    assert_eq!(family.inputs().len(), 2);
}

/// Models of other people, with continuous columns and without.
#[test]
fn any_model_becomes_a_family() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mip/tests/data/mips");
    assert_becomes_a_family(&data.join("lots.mps"), 6);
    assert_becomes_a_family(&data.join("crews.mps"), 3);
}

#[test]
fn gesa2_becomes_a_family() {
    let Some(file) = shared_data("mps/gesa2.mps") else {
        return;
    };
    assert_becomes_a_family(&file, 1_392);
}
