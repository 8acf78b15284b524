//! Wrong advice: scores, starts and past solutions that mislead.

use idpas::Model;
use idpas_base::random::Random;
use idpas_search::{ScoreOrigin, ScoreSet};

use super::models::{Case, case, once_in, one_of};
use super::truth::Truth;

/// A kind of wrong advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// Scores of the optimum, so that what follows right advice is tried, too.
    TrueScores,
    /// Scores of 1 where the optimum has zeros, and of 0 elsewhere.
    OppositeScores,
    RandomScores,
    ConstantScores,
    /// NaN, infinities, and numbers that are no probabilities.
    OddScores,
    /// All columns are surely zero, also those whose bounds exclude it.
    AllZero,
    /// Several sets that contradict each other, with odd weights, some of them late.
    ManySets,
    InfeasibleStart,
    PartialStart,
    StartOutOfBounds,
    FractionalStart,
    StartOfOtherLength,
    /// NaN, infinities and numbers near the largest double.
    OddStart,
    /// Solutions of other models, as starts and as scores.
    OtherSolutions,
}

impl Lie {
    pub const ALL: [Lie; 14] = [
        Lie::TrueScores,
        Lie::OppositeScores,
        Lie::RandomScores,
        Lie::ConstantScores,
        Lie::OddScores,
        Lie::AllZero,
        Lie::ManySets,
        Lie::InfeasibleStart,
        Lie::PartialStart,
        Lie::StartOutOfBounds,
        Lie::FractionalStart,
        Lie::StartOfOtherLength,
        Lie::OddStart,
        Lie::OtherSolutions,
    ];
}

/// What a search is told.
#[derive(Clone, Debug, Default)]
pub struct Advice {
    pub scores: Option<Vec<f32>>,
    pub sets: Vec<ScoreSet>,
    /// Sets that come when the search has begun.
    pub late: Option<Vec<ScoreSet>>,
    pub starts: Vec<Vec<f64>>,
}

/// Advice of this kind. Starts come with random scores or with none, and scores with a start now and then.
pub fn advice(lie: Lie, case: &Case, random: &mut Random) -> Advice {
    let mut advice = Advice::default();
    match lie {
        Lie::ManySets => many_sets(case, random, &mut advice),
        Lie::OtherSolutions => {
            advice.starts = other_solutions(&case.model, random);
            let scores = random_scores(case, random);
            advice.sets = vec![ScoreSet::new(ScoreOrigin::History, scores.clone())];
            advice.scores = Some(scores);
        }
        _ => match start(lie, case, random) {
            Some(starts) => {
                advice.starts = starts;
                advice.scores = once_in(random, 2).then(|| random_scores(case, random));
            }
            None => {
                advice.scores = Some(scores(lie, case, random));
                if once_in(random, 3) {
                    advice.starts = vec![near_optimum(case, random)];
                }
            }
        },
    }
    advice
}

fn scores(lie: Lie, case: &Case, random: &mut Random) -> Vec<f32> {
    let n = case.model.num_columns();
    let optimum = |j: usize| match &case.truth {
        Truth::Optimal(best) if best.point[j].abs() < 0.5 => 0.0,
        Truth::Optimal(_) => 1.0,
        _ => 0.5,
    };
    let odd = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        -3.0,
        -0.0,
        7.5,
        f32::MAX,
        1e-40,
        0.2,
    ];
    match lie {
        Lie::TrueScores => (0..n).map(optimum).collect(),
        Lie::OppositeScores => (0..n).map(|j| 1.0 - optimum(j)).collect(),
        Lie::ConstantScores => vec![one_of(random, &[0.5, 0.01, 1.0]); n],
        Lie::OddScores => (0..n).map(|_| one_of(random, &odd)).collect(),
        Lie::AllZero => vec![0.0; n],
        _ => random_scores(case, random),
    }
}

fn random_scores(case: &Case, random: &mut Random) -> Vec<f32> {
    let n = case.model.num_columns();
    (0..n).map(|_| random.unit() as f32).collect()
}

fn many_sets(case: &Case, random: &mut Random, advice: &mut Advice) {
    let origins = [
        ScoreOrigin::ZeroFrequency,
        ScoreOrigin::Nearest,
        ScoreOrigin::History,
        ScoreOrigin::Network,
    ];
    let lies = [
        Lie::OppositeScores,
        Lie::RandomScores,
        Lie::OddScores,
        Lie::AllZero,
    ];
    let mut set = |origin| ScoreSet {
        weight: one_of(random, &[1.0, 1.0, 0.0, 1e9, f64::NAN, f64::INFINITY, -1.0]),
        ..ScoreSet::new(origin, scores(one_of(random, &lies), case, random))
    };
    advice.sets = origins[..3].iter().map(|&origin| set(origin)).collect();
    let mut late = vec![set(origins[3])];
    if once_in(random, 3) {
        // Of another model.
        late[0].scores.push(0.5);
    }
    advice.late = Some(late);
    advice.scores = once_in(random, 2).then(|| random_scores(case, random));
}

/// Starts of this kind; none if it is no kind of starts.
fn start(lie: Lie, case: &Case, random: &mut Random) -> Option<Vec<Vec<f64>>> {
    let n = case.model.num_columns();
    let near = near_optimum(case, random);
    let odd = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        1e300,
        -1e18,
        0.0,
    ];
    Some(vec![match lie {
        Lie::InfeasibleStart => (0..n).map(|_| random.between(-4, 4) as f64).collect(),
        Lie::PartialStart => (near.into_iter())
            .map(|x| if once_in(random, 2) { f64::NAN } else { x })
            .collect(),
        Lie::StartOutOfBounds => (near.into_iter())
            .map(|x| x + one_of(random, &[0.0, 0.0, 5.0, -5.0, 1e6, -1e9]))
            .collect(),
        Lie::FractionalStart => near.into_iter().map(|x| x + random.unit()).collect(),
        Lie::StartOfOtherLength => {
            let length = one_of(random, &[0, n - 1, n + 1, 3 * n]);
            near.into_iter().cycle().take(length).collect()
        }
        Lie::OddStart => (near.into_iter())
            .map(|x| {
                if once_in(random, 2) {
                    one_of(random, &odd)
                } else {
                    x
                }
            })
            .collect(),
        _ => return None,
    }])
}

/// The optimum, if there is one, with a few values changed now and then; else small integers.
fn near_optimum(case: &Case, random: &mut Random) -> Vec<f64> {
    let mut values = match &case.truth {
        Truth::Optimal(best) => best.point.clone(),
        _ => (0..case.model.num_columns())
            .map(|_| random.between(0, 2) as f64)
            .collect(),
    };
    for _ in 0..random.below(3) {
        let j = random.below(values.len());
        values[j] += one_of(random, &[1.0, -1.0, 2.0]);
    }
    values
}

/// Solutions of other models, cut or repeated to the number of columns.
pub fn other_solutions(model: &Model, random: &mut Random) -> Vec<Vec<f64>> {
    let mut all = Vec::new();
    for _ in 0..random.between(1, 4) {
        let other = case(7, random.below(200) as u64);
        if let Truth::Optimal(best) = other.truth {
            let mut values: Vec<f64> = best
                .point
                .into_iter()
                .cycle()
                .take(model.num_columns())
                .collect();
            if once_in(random, 2) {
                random.shuffle(&mut values);
            }
            all.push(values);
        }
    }
    all
}
