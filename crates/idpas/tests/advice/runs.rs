//! One run: a method with advice, settings and limits, by the search itself or by the whole facade.

use idpas::{
    GivenSettings, Guide, History, KnownSolution, Method, SearchOutcome, Solve, SolveControl,
};
use idpas_base::random::Random;
use idpas_search::{
    Amount, Band, LateScores, Schedule, SearchControl, SearchProblem, SearchSettings,
    SelectionSettings, Source, StagedSettings, search,
};
use idpas_solver::Params;
use idpas_solver::highs::Highs;

use super::guides::Guides;
use super::lies::{Lie, advice, other_solutions};
use super::models::{Case, once_in, one_of};

/// A method, with all that completes it or as the paper has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    pub method: Method,
    pub is_paper: bool,
}

/// Every method, and the paper's without completion.
pub fn ways() -> Vec<Way> {
    let whole = Method::ALL.map(|method| Way {
        method,
        is_paper: false,
    });
    let paper = [Method::Pas, Method::PasPlus, Method::IdPasPlus].map(|method| Way {
        method,
        is_paper: true,
    });
    whole.into_iter().chain(paper).collect()
}

/// What a run gave: its outcome, or the message of its refusal.
pub type Ran = Result<SearchOutcome, String>;

/// Limits of a run: usually more than it needs, now and then hardly any.
fn params(threads: usize, random: &mut Random) -> Params {
    let seconds = match once_in(random, 12) {
        true => one_of(random, &[0.0, 1e-4, 0.004, 0.03]),
        false => 2.0,
    };
    Params {
        threads,
        relative_gap: 0.0,
        seed: random.below(1000) as u32,
        node_limit: once_in(random, 12).then(|| one_of(random, &[0, 1, 3])),
        ..Params::with_time_limit(seconds)
    }
}

fn settings(way: Way, random: &mut Random) -> SearchSettings {
    let amounts = [
        Amount::Percent(0.0),
        Amount::Percent(50.0),
        Amount::Percent(90.0),
        Amount::Percent(100.0),
        Amount::Count(2),
        Amount::Count(usize::MAX),
    ];
    let selection = SelectionSettings {
        k0_binaries: one_of(random, &amounts),
        k0_integers: one_of(random, &amounts),
        k1_binaries: one_of(random, &amounts),
        delta: one_of(random, &amounts),
        max_score: one_of(random, &[None, None, Some(0.1), Some(f32::NAN)]),
    };
    let band = |keep, delta| Band { keep, delta };
    let bands = match random.below(4) {
        0 => Schedule::default().bands,
        1 => vec![band(1.0, 1.0), band(0.5, 0.0)],
        2 => vec![band(0.8, 0.0), band(1.0, 2.0), band(0.0, 0.5)],
        _ => vec![band(1.0, 1e9), band(1.0, 1.0)],
    };
    SearchSettings {
        method: way.method,
        selection,
        completion: !way.is_paper,
        schedule: Schedule {
            bands,
            repair: once_in(random, 2),
            // A probe solves models as small as these; without it, the other stages have something to do.
            probe_share: one_of(random, &[0.0, 0.0, 0.0, 0.03, 1.0]),
            restricted_share: one_of(random, &[0.7, 0.7, 0.0, 1.0]),
            stall_share: one_of(random, &[0.1, 0.1, 0.0, 1.0]),
        },
        staged: staged(random),
    }
}

/// Settings under which every part of the staged search has something to do, now and then.
fn staged(random: &mut Random) -> StagedSettings {
    let defaults = StagedSettings::default();
    let sources = [
        Source::Whole,
        Source::Neighbourhoods,
        Source::Crossing,
        Source::First,
        Source::Past,
    ];
    let off = |random: &mut Random| once_in(random, 3);
    let without = sources.into_iter().filter(|_| off(random)).collect();
    let mut yes = || !once_in(random, 4);
    StagedSettings {
        without,
        adaptive: yes(),
        guided: yes(),
        remember: yes(),
        reduced_costs: yes(),
        bands: if yes() {
            defaults.bands
        } else {
            vec![0.9, 0.0]
        },
        window: random.below(3) as u32,
        whole_least: one_of(random, &[0.0, 0.3, 1.0]),
        sub_least: one_of(random, &[1.0, 0.0]),
        ..StagedSettings::default()
    }
}

/// The search itself, with scores and starts.
pub fn by_search(case: &Case, way: Way, lie: Lie, threads: usize, random: &mut Random) -> Ran {
    let advice = advice(lie, case, random);
    let (settings, params) = (settings(way, random), params(threads, random));
    let late = || LateScores {
        sets: advice.late.clone().unwrap_or_default(),
        ..LateScores::default()
    };
    let problem = SearchProblem {
        scores: advice.scores.as_deref(),
        sets: &advice.sets,
        starts: &advice.starts,
        late: advice
            .late
            .as_ref()
            .map(|_| &late as &dyn Fn() -> LateScores),
        ..SearchProblem::new(&Highs, &case.model)
    };
    let mut control = SearchControl::default();
    search(&problem, &settings, &params, &mut control).map_err(|error| error.to_string())
}

/// The guide of a family that a method can use, if it uses one.
fn guide<'a>(guides: &'a Guides, method: Method, random: &mut Random) -> Option<&'a Guide> {
    let all = [
        &guides.network,
        &guides.anonymous,
        &guides.prop,
        &guides.frequency,
        &guides.nearest,
    ];
    Some(match method {
        Method::Solver | Method::Oracle => return None,
        Method::Pas | Method::PasPlus => one_of(random, &all[..2]),
        Method::IdPasPlus => &guides.network,
        Method::Idpas => one_of(random, &all),
        Method::ZeroFrequency => &guides.frequency,
        Method::Prop => &guides.prop,
        Method::Nearest | Method::WarmStart => one_of(random, &[&guides.network, &guides.nearest]),
    })
}

/// The whole facade, with a model file that was trained on another family, past solutions of other models, or a solution
/// to predict from that is none, as far as the method uses them.
pub fn by_facade(
    case: &Case,
    way: Way,
    guides: &[Guides],
    threads: usize,
    random: &mut Random,
) -> Ran {
    let guides = &guides[random.below(guides.len())];
    let mut settings = settings(way, random);
    let guide = guide(guides, way.method, random);
    let is_default = once_in(random, 2);
    let params = params(threads, random);
    let mut solve = Solve {
        method: Some(way.method),
        time_limit: params.time_limit,
        gap: params.relative_gap,
        threads,
        seed: params.seed,
        node_limit: params.node_limit,
        ..Solve::default()
    };
    if is_default && !way.is_paper {
        settings = SearchSettings::of(way.method);
    }
    solve.settings = Some(GivenSettings {
        settings,
        decides_method: false,
    });
    let mut others = other_solutions(&case.model, random);
    match way.method {
        Method::Oracle => {
            let none = vec![1.0; case.model.num_columns()];
            solve.oracle = Some(KnownSolution::Values(others.pop().unwrap_or(none)));
        }
        Method::Idpas => {
            // One of another length, as well.
            if once_in(random, 4) {
                others.push(vec![1.0; case.model.num_columns() + 1]);
            }
            solve.history = once_in(random, 2).then_some(History::Values(others));
        }
        _ if once_in(random, 3) => solve.starts = others,
        _ => {}
    }
    let mut control = SolveControl::default();
    let solved = idpas::solve(&case.model, guide, &solve, &mut control);
    solved
        .map(|solved| solved.outcome)
        .map_err(|error| error.to_string())
}
