//! The restricted model has exactly the solutions that the definition of the trust region gives it.
#![allow(clippy::unwrap_used)]

mod common;

use std::ops::Range;

use common::{INTEGER_BOUNDS, Random, solutions};
use idpas_mip::propagate::{Bounds, Propagator};
use idpas_mip::{Model, Sense};
use idpas_search::{Amount, Region, Selection, SelectionSettings};
use idpas_solver::{
    BoundChange, Control, Indicator, LoadedModel, LpResult, NewColumn, NewRow, Params, SolveResult,
    SolverError, Start,
};

/// Records what a region does to a model.
#[derive(Default)]
struct Recorder {
    columns: usize,
    bounds: Vec<BoundChange>,
    new_columns: Vec<NewColumn>,
    new_rows: Vec<NewRow>,
    native: Vec<Indicator>,
}

impl Recorder {
    /// Whether `x`, a solution of the model, has values for the new columns with which it is one of the restricted.
    fn admits(&self, x: &[f64]) -> bool {
        let inside = |c: &BoundChange| (c.lower..=c.upper).contains(&x[c.index]);
        if !self.bounds.iter().all(inside) {
            return false;
        }
        (0..1u32 << self.new_columns.len()).any(|bits| {
            let new = (0..self.new_columns.len()).map(|k| f64::from(bits >> k & 1));
            let values: Vec<f64> = x.iter().copied().chain(new).collect();
            self.holds(&values)
        })
    }

    fn holds(&self, values: &[f64]) -> bool {
        let row_holds = |row: &NewRow| {
            let activity: f64 = row.entries.iter().map(|&(j, a)| a * values[j]).sum();
            (row.lower..=row.upper).contains(&activity)
        };
        let indicator_holds = |indicator: &Indicator| {
            let is_one = values[indicator.column] == 1.0;
            is_one != indicator.at_one || row_holds(&indicator.row)
        };
        self.new_rows.iter().all(row_holds) && self.native.iter().all(indicator_holds)
    }
}

impl LoadedModel for Recorder {
    fn num_columns(&self) -> usize {
        self.columns + self.new_columns.len()
    }
    fn num_rows(&self) -> usize {
        self.new_rows.len()
    }
    fn set_column_bounds(&mut self, changes: &[BoundChange]) -> Result<(), SolverError> {
        self.bounds.extend_from_slice(changes);
        Ok(())
    }
    fn set_row_bounds(&mut self, _: &[BoundChange]) -> Result<(), SolverError> {
        unreachable!()
    }
    fn set_costs(&mut self, _: &[(usize, f64)]) -> Result<(), SolverError> {
        unreachable!()
    }
    fn set_objective(&mut self, _: Sense, _: f64) -> Result<(), SolverError> {
        unreachable!()
    }
    fn add_columns(&mut self, columns: &[NewColumn]) -> Result<Range<usize>, SolverError> {
        let first = self.num_columns();
        self.new_columns.extend_from_slice(columns);
        Ok(first..self.num_columns())
    }
    fn add_rows(&mut self, rows: &[NewRow]) -> Result<Range<usize>, SolverError> {
        let first = self.num_rows();
        self.new_rows.extend_from_slice(rows);
        Ok(first..self.num_rows())
    }
    fn delete_rows(&mut self, _: Range<usize>) -> Result<(), SolverError> {
        unreachable!()
    }
    fn add_indicators(&mut self, indicators: &[Indicator]) -> Result<bool, SolverError> {
        self.native.extend_from_slice(indicators);
        Ok(true)
    }
    fn solve(
        &mut self,
        _: &Params,
        _: Option<&Start>,
        _: &mut Control<'_>,
    ) -> Result<SolveResult, SolverError> {
        unreachable!()
    }
    fn solve_relaxation(
        &mut self,
        _: &Params,
        _: &mut Control<'_>,
    ) -> Result<LpResult, SolverError> {
        unreachable!()
    }
}

/// What the region makes of `solutions`, against counting. Says how many indicators it left to the solver.
fn compare(model: &Model, region: &Region, solutions: &[Vec<f64>], seed: u64) -> usize {
    let mut recorder = Recorder {
        columns: model.num_columns(),
        ..Recorder::default()
    };
    let applied = region.apply(&mut recorder).unwrap();
    assert_eq!(applied.new_columns, recorder.new_columns.len());
    assert_eq!(applied.new_rows, recorder.new_rows.len());
    if region.delta == 0 {
        assert!(recorder.new_rows.is_empty() && recorder.new_columns.is_empty());
    }
    for x in solutions {
        let zeros = region.selection.zeros().filter(|&j| x[j] != 0.0).count();
        let ones = &region.selection.one_binaries;
        let count = zeros + ones.iter().filter(|&&j| x[j] != 1.0).count();
        assert_eq!(
            recorder.admits(x),
            count <= region.delta,
            "seed {seed}, x = {x:?}, {region:?}"
        );
        assert_eq!(region.contains(x), count <= region.delta);
        if count <= region.delta {
            let extended = region.extend(x);
            assert_eq!(extended.len(), recorder.num_columns());
            assert!(recorder.holds(&extended), "seed {seed}, start of {x:?}");
        }
    }
    recorder.native.len()
}

#[test]
fn the_restricted_model_is_the_definition() {
    let (mut compared, mut left_out, mut indicators, mut native) = (0, 0, 0, 0);
    for seed in 0..400 {
        let mut random = Random(seed);
        let model = common::model(&mut random, false, &INTEGER_BOUNDS);
        let solutions = solutions(&model, 4.0);
        let scores: Vec<f32> = (0..model.num_columns())
            .map(|_| random.unit() as f32)
            .collect();
        let mut bounds = Bounds::of(&model);
        if Propagator::new(&model).tighten(&mut bounds, 5).is_err() {
            assert!(
                solutions.is_empty(),
                "seed {seed}: propagation lost solutions"
            );
            continue;
        }
        for delta in [0, 1, 2, 3] {
            let percent =
                |random: &mut Random| Amount::Percent(random.between(0, 10) as f64 * 10.0);
            let settings = SelectionSettings {
                k0_binaries: percent(&mut random),
                k0_integers: percent(&mut random),
                k1_binaries: percent(&mut random),
                ..SelectionSettings::default()
            };
            let selection = Selection::new(&model, &scores, &settings);
            for has_indicators in [false, true] {
                let region = Region::new(selection.clone(), |_| delta, &bounds, has_indicators);
                if region.left_out == 0 {
                    assert_eq!(region.selection, selection);
                }
                assert!(!has_indicators || region.left_out == 0);
                left_out += region.left_out;
                indicators += usize::from(!region.selection.zero_integers.is_empty());
                compared += solutions.len();
                native += compare(&model, &region, &solutions, seed);
            }
        }
    }
    assert!(
        compared > 20_000 && left_out > 0 && indicators > 200 && native > 0,
        "{compared} {left_out} {indicators} {native}"
    );
}

/// With a share of the selection as Δ, columns that are left out can make it zero.
#[test]
fn a_share_of_what_is_left_is_the_definition_too() {
    let mut became_zero = 0;
    for seed in 0..400 {
        let mut random = Random(seed + 40_000);
        let model = common::model(&mut random, false, &INTEGER_BOUNDS);
        let solutions = solutions(&model, 4.0);
        let scores: Vec<f32> = (0..model.num_columns())
            .map(|_| random.unit() as f32)
            .collect();
        let mut bounds = Bounds::of(&model);
        if Propagator::new(&model).tighten(&mut bounds, 5).is_err() {
            continue;
        }
        let settings = SelectionSettings {
            k0_binaries: Amount::Percent(100.0),
            k0_integers: Amount::Percent(100.0),
            max_score: None,
            ..SelectionSettings::default()
        };
        let selection = Selection::new(&model, &scores, &settings);
        for percent in [20.0, 25.0, 34.0, 50.0] {
            let delta = |n: usize| Amount::Percent(percent).of(n);
            let region = Region::new(selection.clone(), delta, &bounds, false);
            became_zero += usize::from(region.delta == 0 && delta(selection.len()) > 0);
            compare(&model, &region, &solutions, seed);
        }
    }
    assert!(became_zero > 10, "{became_zero}");
}

#[test]
fn propagation_loses_no_solution() {
    for seed in 1000..1400 {
        let model = common::model(&mut Random(seed), false, &INTEGER_BOUNDS);
        let mut bounds = Bounds::of(&model);
        let tightened = Propagator::new(&model).tighten(&mut bounds, 5);
        for x in solutions(&model, 4.0) {
            assert_eq!(tightened, Ok(()), "seed {seed}: {x:?}");
            for (j, &value) in x.iter().enumerate() {
                assert!(
                    bounds.lower[j] <= value && value <= bounds.upper[j],
                    "seed {seed}: {x:?}"
                );
            }
        }
    }
}

#[test]
fn selections_respect_bounds_counts_and_order() {
    for seed in 0..300 {
        let mut random = Random(seed);
        let model = common::model(&mut random, true, &INTEGER_BOUNDS);
        let scores: Vec<f32> = (0..model.num_columns())
            .map(|_| random.one_of(&[0.1, 0.1, 0.5, 0.9, f32::NAN, f32::INFINITY]))
            .collect();
        let settings = SelectionSettings {
            k0_binaries: Amount::Percent(50.0),
            k0_integers: Amount::Count(2),
            k1_binaries: Amount::Percent(50.0),
            ..SelectionSettings::default()
        };
        let selection = Selection::new(&model, &scores, &settings);
        let shape = model.shape();
        assert!(
            selection.zero_binaries.len() <= shape.binaries / 2,
            "seed {seed}"
        );
        assert!(selection.zero_integers.len() <= 2, "seed {seed}");
        assert!(
            selection.one_binaries.len() <= shape.binaries / 2,
            "seed {seed}"
        );
        let mut seen = Vec::new();
        for (j, target) in selection.targets() {
            let (lower, upper) = (model.columns.lower[j], model.columns.upper[j]);
            assert!(
                lower <= target && target <= upper && lower < upper,
                "seed {seed}"
            );
            assert!(scores[j].is_finite() && model.is_integer(j), "seed {seed}");
            assert!(!seen.contains(&j), "seed {seed}");
            seen.push(j);
        }
        let ascending = |list: &[usize]| list.is_sorted_by_key(|&j| (scores[j].to_bits(), j));
        assert!(
            ascending(&selection.zero_binaries) && ascending(&selection.zero_integers),
            "seed {seed}"
        );
        assert!(
            selection
                .one_binaries
                .is_sorted_by_key(|&j| (!scores[j].to_bits(), j)),
            "seed {seed}"
        );
    }
}
