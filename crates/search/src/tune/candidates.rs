//! Settings to choose from.

use idpas_mip::Shape;

use crate::{Amount, Band, Method, Schedule, SearchSettings, SelectionSettings, StagedSettings};

fn percent(value: u32) -> Amount {
    Amount::Percent(f64::from(value))
}

/// The paper's grid: Δ of 1, 3 and 5 %, with six amounts each of zeros among binaries and integers, or, for PaS, of
/// zeros and ones among binaries. One region each, without completion.
pub fn grid_paper(method: Method) -> Vec<SearchSettings> {
    let amounts: [u32; 6] = match method {
        Method::Pas => [0, 10, 20, 30, 40, 50],
        _ => [0, 10, 30, 50, 70, 90],
    };
    let mut grid = Vec::new();
    for delta in [1, 3, 5] {
        for first in amounts {
            for second in amounts {
                let (integers, ones) = match method {
                    Method::Pas => (0, second),
                    _ => (second, 0),
                };
                grid.push(region(method, [first, integers, ones], delta));
            }
        }
    }
    grid
}

/// The points of the paper's grid that it found best on its benchmarks: zeros among integers alone or among binaries
/// alone, whichever there are, 70 or 90 % of them, at a Δ of 1 %. Nothing for PaS, of which it does not say.
pub fn grid_paper_best(method: Method, shape: &Shape) -> Vec<SearchSettings> {
    if method == Method::Pas {
        return Vec::new();
    }
    let mut grid = Vec::new();
    for amount in [70, 90] {
        if shape.integers > 0 {
            grid.push(region(method, [0, amount, 0], 1));
        }
        if shape.binaries > 0 {
            grid.push(region(method, [amount, 0, 0], 1));
        }
    }
    grid
}

/// A single region with these percentages of zeros among binaries, of zeros among integers, and of ones.
fn region(method: Method, [zeros, integers, ones]: [u32; 3], delta: u32) -> SearchSettings {
    let selection = SelectionSettings {
        k0_binaries: percent(zeros),
        k0_integers: percent(integers),
        k1_binaries: percent(ones),
        delta: percent(delta),
        max_score: None,
    };
    SearchSettings::faithful(method, selection)
}

/// What a race chooses from for the staged search: the defaults; mostly the plain solver; bands that hold less; shorter and
/// longer sub-models; little of the plain solver.
fn staged_candidates() -> Vec<SearchSettings> {
    let usual = StagedSettings::default;
    let sub = |factor: f64| StagedSettings {
        sub_share: factor * usual().sub_share,
        sub_least: factor * usual().sub_least,
        ..usual()
    };
    let staged = [
        usual(),
        StagedSettings {
            whole_share: StagedSettings::MOSTLY_WHOLE,
            whole_least: StagedSettings::MOSTLY_WHOLE,
            ..usual()
        },
        StagedSettings {
            bands: vec![0.1, 0.05, 0.02, 0.01],
            ..usual()
        },
        sub(0.4),
        sub(2.0),
        StagedSettings {
            whole_share: 0.1,
            whole_least: 0.05,
            whole_near: 0.0,
            ..usual()
        },
    ];
    let settings = |staged| SearchSettings {
        staged,
        ..SearchSettings::of(Method::Idpas)
    };
    staged.map(settings).into()
}

/// What a race chooses from by default, all with completion: several amounts, some of them with a limit on scores, each
/// with the default schedule at two values of Δ, and with a schedule that only fixes by bounds and releases step by step.
pub fn default_candidates(method: Method) -> Vec<SearchSettings> {
    // Zeros among binaries, zeros among integers, ones among binaries, the highest score of a zero.
    let amounts: &[(u32, u32, u32, Option<f32>)] = match method {
        Method::Solver | Method::WarmStart => return vec![SearchSettings::of(method)],
        Method::Idpas => return staged_candidates(),
        Method::Pas => &[
            (30, 0, 0, None),
            (50, 0, 0, None),
            (50, 0, 10, None),
            (95, 0, 0, Some(0.1)),
            (80, 0, 0, None),
            (90, 0, 0, None),
            (90, 0, 2, None),
        ],
        _ => &[
            (95, 95, 0, Some(0.1)),
            (50, 50, 0, None),
            (70, 70, 0, None),
            (80, 80, 0, None),
            (90, 90, 0, None),
            (95, 95, 0, None),
            (95, 95, 0, Some(0.05)),
            (90, 0, 0, None),
            (0, 90, 0, None),
            (95, 95, 0, Some(0.2)),
        ],
    };
    let bounds_only = Schedule {
        bands: [1.0, 0.85, 0.7]
            .map(|keep| Band { keep, delta: 0.0 })
            .into(),
        ..Schedule::default()
    };
    let schedules = [
        (percent(1), Schedule::default()),
        (percent(5), Schedule::default()),
        (percent(0), bounds_only),
    ];
    let mut candidates = Vec::new();
    for &(binaries, integers, ones, max_score) in amounts {
        for (delta, schedule) in &schedules {
            candidates.push(SearchSettings {
                method,
                selection: SelectionSettings {
                    k0_binaries: percent(binaries),
                    k0_integers: percent(integers),
                    k1_binaries: percent(ones),
                    delta: *delta,
                    max_score,
                },
                completion: true,
                schedule: schedule.clone(),
                ..SearchSettings::default()
            });
        }
    }
    candidates
}

/// The candidates that differ on models of this shape, in their order: without general integers, for example, the
/// amount of them makes no difference.
pub fn distinct_for(candidates: &[SearchSettings], shape: &Shape) -> Vec<SearchSettings> {
    let effective = |settings: &SearchSettings| {
        if settings.method == Method::Idpas {
            return settings.clone();
        }
        let mut selection = settings.method.selection(&settings.selection);
        if shape.binaries == 0 {
            selection.k0_binaries = Amount::NONE;
            selection.k1_binaries = Amount::NONE;
        }
        if shape.integers == 0 {
            selection.k0_integers = Amount::NONE;
        }
        for amount in [
            &mut selection.k0_binaries,
            &mut selection.k0_integers,
            &mut selection.k1_binaries,
        ] {
            if amount.is_none() {
                *amount = Amount::NONE;
            }
        }
        let nothing = [
            selection.k0_binaries,
            selection.k0_integers,
            selection.k1_binaries,
        ];
        if nothing == [Amount::NONE; 3] {
            // The whole model, whatever Δ and the schedule are.
            let delta = Amount::NONE;
            return SearchSettings {
                selection: SelectionSettings { delta, ..selection },
                ..SearchSettings::of(settings.method)
            };
        }
        SearchSettings {
            selection,
            ..settings.clone()
        }
    };
    let mut seen = Vec::new();
    let mut distinct = Vec::new();
    for candidate in candidates {
        let key = effective(candidate);
        if !seen.contains(&key) {
            seen.push(key);
            distinct.push(candidate.clone());
        }
    }
    distinct
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_is_the_papers() {
        for method in [Method::Pas, Method::PasPlus, Method::IdPasPlus] {
            let grid = grid_paper(method);
            assert_eq!(grid.len(), 108);
            assert!(grid.iter().all(|s| !s.completion && s.validate().is_ok()));
        }
    }

    fn shape(binaries: usize, integers: usize) -> Shape {
        Shape {
            rows: 1,
            columns: 10,
            binaries,
            integers,
            continuous: 10 - binaries - integers,
            nonzeros: 10,
        }
    }

    #[test]
    fn what_the_paper_found_best_is_on_its_grid() {
        let points = |binaries, integers| {
            let best = grid_paper_best(Method::IdPasPlus, &shape(binaries, integers));
            let whole = grid_paper(Method::IdPasPlus);
            assert!(best.iter().all(|point| whole.contains(point)));
            best.len()
        };
        assert_eq!([points(5, 5), points(10, 0), points(0, 10)], [4, 2, 2]);
        assert!(grid_paper_best(Method::Pas, &shape(10, 0)).is_empty());
    }

    #[test]
    fn amounts_of_what_is_not_there_make_no_difference() {
        let shape = shape(10, 0);
        // Five amounts of binaries at three values of Δ, and nothing at all.
        let distinct = distinct_for(&grid_paper(Method::IdPasPlus), &shape);
        assert_eq!(distinct.len(), 16);
        assert_eq!(distinct_for(&distinct, &shape), distinct);
    }
}
