//! What a repaired selection holds: nothing that propagation refutes, and everything that a solution has.
#![allow(clippy::unwrap_used)]

mod common;

use common::{INTEGER_BOUNDS, Random, solutions};
use idpas_mip::propagate::{Bounds, Propagator, Trail};
use idpas_search::{Amount, Selection, SelectionSettings, repair};

const SWEEPS: usize = 10;

#[test]
fn what_is_left_contradicts_no_row() {
    let (mut released, mut kept) = (0, 0);
    for seed in 0..400 {
        let mut random = Random(seed + 70_000);
        let model = common::model(&mut random, seed % 2 == 0, &INTEGER_BOUNDS);
        let propagator = Propagator::new(&model);
        let mut bounds = Bounds::of(&model);
        if propagator.tighten(&mut bounds, SWEEPS).is_err() {
            continue;
        }
        let scores: Vec<f32> = (0..model.num_columns())
            .map(|_| random.one_of(&[0.0, 0.1, 0.2, 0.4, 0.7, 1.0]))
            .collect();
        let settings = SelectionSettings {
            k0_binaries: Amount::Percent(60.0),
            k0_integers: Amount::Percent(100.0),
            k1_binaries: Amount::Percent(40.0),
            max_score: None,
            ..SelectionSettings::default()
        };
        let mut selection = Selection::new(&model, &scores, &settings);
        let before = selection.clone();
        let count = repair(&model, &propagator, &bounds, &scores, &mut selection);
        assert_eq!(count, before.len() - selection.len(), "seed {seed}");
        assert!(
            selection
                .targets()
                .all(|target| before.targets().any(|old| old == target)),
            "seed {seed}"
        );
        released += count;
        kept += selection.len();
        let (mut held, mut trail) = (bounds.clone(), Trail::default());
        let columns: Vec<usize> = selection.targets().map(|(j, _)| j).collect();
        for (j, value) in selection.targets() {
            assert!(
                (bounds.lower[j]..=bounds.upper[j]).contains(&value),
                "seed {seed}"
            );
            trail.fix(j, value, &mut held);
        }
        let consistent = propagator.tighten_after(&columns, &mut held, SWEEPS, &mut trail);
        assert_eq!(consistent, Ok(()), "seed {seed}");
    }
    assert!(released > 50 && kept > 300, "{released} {kept}");
}

#[test]
fn nothing_of_a_solution_is_released() {
    let mut compared = 0;
    for seed in 0..300 {
        let mut random = Random(seed + 90_000);
        let model = common::model(&mut random, false, &INTEGER_BOUNDS);
        let propagator = Propagator::new(&model);
        let mut bounds = Bounds::of(&model);
        let is_possible = propagator.tighten(&mut bounds, SWEEPS).is_ok();
        for x in solutions(&model, 3.0).iter().step_by(5) {
            assert!(is_possible, "seed {seed}");
            let scores: Vec<f32> = x.iter().map(|x| f32::from(u8::from(*x != 0.0))).collect();
            let all = Amount::Percent(100.0);
            let settings = SelectionSettings {
                k0_binaries: all,
                k0_integers: all,
                k1_binaries: all,
                max_score: Some(0.5),
                ..SelectionSettings::default()
            };
            let mut selection = Selection::new(&model, &scores, &settings);
            let released = repair(&model, &propagator, &bounds, &scores, &mut selection);
            assert_eq!(released, 0, "seed {seed}: {x:?}");
            compared += 1;
        }
    }
    assert!(compared > 500, "{compared}");
}
