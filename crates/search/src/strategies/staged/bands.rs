//! Sub-models in which columns with low scores are held at zero.

use idpas_mip::propagate::Bounds;

use super::blame::blamed;
use super::{Known, is_decided};
use crate::driver::Search;
use crate::driver::stage::Stage;
use crate::{
    Amount, SearchError, Selection, SelectionSettings, StageEnd, StageKind, StageReport, repair,
};

/// How often a sub-model without a solution is opened where it is to blame before the next one has its turn.
const RELEASES: usize = 3;
/// Until there is a solution, a sub-model may take this many times the usual time.
const PATIENCE: f64 = 3.0;
/// In a hurry, bands end at this many times the time that the first solution took.
const HURRY: f64 = 2.0;

/// Bands to solve one after the other.
pub(super) struct Ladder<'a> {
    /// The kind of stage that a band, with its highest score, is.
    pub(super) kind: fn(f32) -> StageKind,
    pub(super) bands: &'a [f32],
    /// The share of the time that they may take together.
    pub(super) share: f64,
    /// Something better is waiting: they end soon after the first solution.
    pub(super) hurried: bool,
}

/// A band, and when its time is over.
struct Rung {
    kind: StageKind,
    until: f64,
}

impl Search<'_, '_> {
    /// Solves the bands in their order until one cannot be searched to its end, or the time is over. Says whether there
    /// is more to do.
    pub(super) fn climb(
        &mut self,
        known: &mut Known<'_>,
        ladder: &Ladder<'_>,
    ) -> Result<bool, SearchError> {
        let began = self.control.time();
        let mut until = began + self.clock.share(ladder.share);
        let Some(scores) = known.scores.clone() else {
            return Ok(!self.is_over());
        };
        let mut bands = ladder.bands.to_vec();
        bands.sort_by(|a, b| b.total_cmp(a));
        let mut last = None;
        for &band in &bands {
            if self.is_over() || self.beside_ended() || self.control.time() > until {
                break;
            }
            let chosen = SelectionSettings {
                k0_binaries: Amount::Percent(100.0),
                k0_integers: Amount::Percent(100.0),
                k1_binaries: Amount::NONE,
                delta: Amount::NONE,
                max_score: Some(band),
            };
            let mut selection = Selection::new(self.problem.model, &scores, &chosen);
            if selection.is_empty() || last == Some(selection.len()) {
                continue;
            }
            last = Some(selection.len());
            let rung = Rung {
                kind: (ladder.kind)(band),
                until,
            };
            let end = self.band(known, &scores, &rung, &mut selection)?;
            known.selection = selection;
            known.sure = band;
            if ladder.hurried && known.current.is_some() {
                until = until.min(began + HURRY * (self.control.time() - began));
            }
            known.hard |= !ladder.hurried && matches!(end, StageEnd::TimeLimit | StageEnd::Limit);
            match end {
                StageEnd::Exhausted | StageEnd::Infeasible => {}
                // So is the model, which only a solve of the whole of it may say.
                end if is_decided(end) => {
                    self.full()?;
                    return Ok(false);
                }
                // With a solution, neighbourhoods do better than a sub-model that is too large.
                _ if known.current.is_some() => break,
                _ => {}
            }
        }
        Ok(!self.is_over() && !self.beside_ended())
    }

    /// Solves one band, opened where it has no solution.
    fn band(
        &mut self,
        known: &mut Known<'_>,
        scores: &[f32],
        rung: &Rung,
        selection: &mut Selection,
    ) -> Result<StageEnd, SearchError> {
        let model = self.problem.model;
        let mut end = StageEnd::Infeasible;
        for round in 0..=RELEASES {
            if self.is_over() {
                break;
            }
            match &known.current {
                // The solution it begins with is to be in the sub-model.
                Some(current) => selection.retain(|j| current.values[j].round() == 0.0),
                None => {
                    let (propagator, bounds) = (known.propagator, &known.bounds);
                    known.released += repair(model, propagator, bounds, scores, selection);
                }
            }
            let bounds = match self.settings.staged.reduced_costs {
                true => held(&known.narrowed(model), selection),
                false => held(&known.bounds, selection),
            };
            let time = self.control.time();
            let mut report = band_report(self, rung.kind, selection, time);
            self.control.tell(crate::SearchEvent::StageStarted {
                time,
                stage: &report,
            });
            let usual = self.clock.sub(&self.settings.staged);
            let limit = match known.current {
                Some(_) => usual,
                None => PATIENCE * usual,
            };
            let limit = limit.min(rung.until - time).max(0.01);
            let from = known.current.clone();
            let kind = rung.kind;
            let found = match self.solve_sub(&mut report, kind, &bounds, from.as_ref(), limit) {
                Ok(end) => {
                    known.current = end.found.or(from);
                    end.outcome
                }
                // The next one, or the whole model, may fare better.
                Err(SearchError::Solver(error)) => {
                    report.trouble = Some(error.to_string());
                    StageEnd::Trouble
                }
                Err(error) => return Err(error),
            };
            report.outcome = found;
            self.end(report);
            end = found;
            if end == StageEnd::Exhausted {
                known.proven.add(bounds);
            }
            if end != StageEnd::Infeasible || round == RELEASES {
                break;
            }
            let left = (rung.until - self.control.time()).min(usual).max(0.01);
            let guilty = blamed(self, &known.bounds, scores, selection, left).unwrap_or_default();
            if guilty.is_empty() {
                break;
            }
            known.released += guilty.len();
            let mut is_guilty = vec![false; model.num_columns()];
            for j in guilty {
                is_guilty[j] = true;
            }
            selection.retain(|j| !is_guilty[j]);
        }
        Ok(end)
    }
}

/// The bounds with the selected columns at zero, as far as zero is possible.
fn held(bounds: &Bounds, selection: &Selection) -> Bounds {
    let mut held = bounds.clone();
    for j in selection.zeros() {
        if (bounds.lower[j]..=bounds.upper[j]).contains(&0.0) {
            (held.lower[j], held.upper[j]) = (0.0, 0.0);
        }
    }
    held
}

fn band_report(
    search: &Search<'_, '_>,
    kind: StageKind,
    selection: &Selection,
    began: f64,
) -> StageReport {
    let stage = Stage::part(kind, 0.0);
    StageReport {
        fixed_binaries: selection.zero_binaries.len(),
        fixed_integers: selection.zero_integers.len(),
        ..stage.report(search.problem.model, began)
    }
}
