//! The three calls and what can be said to them, as a user of the library has them.

mod family;

use std::path::Path;

use idpas::{
    Collect, CollectProgress, CollectSettings, Family, FamilyFolderError, Guide, History,
    KnownSolution, Method, Model, PlanError, PredictorKind, Recipe, SearchStatus, Solve,
    SolveControl, SolveError, SolveEvent, Train, TrainControl, Unfit, solve,
};
use idpas_learn::UnfitModel;
use idpas_search::SettingsOrigin;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn collect(folder: &Path) -> Collect {
    Collect {
        out: folder.join("pools"),
        settings: CollectSettings {
            time_limit: 60.0,
            nodes: Some(3),
            rounds: Some(2),
            ..CollectSettings::default()
        },
        ..Collect::default()
    }
}

/// A family of five instances with pools, and a sixth instance.
fn prepared(folder: &Path) -> Result<(Family, Model), Box<dyn std::error::Error>> {
    let instances = family::instances(folder, 6);
    let next = idpas::read_model(instances.join("inst_0006.mps.gz"))?.model;
    std::fs::remove_file(instances.join("inst_0006.mps.gz"))?;
    let family = Family::collect(&instances, &collect(folder), &mut |_| {})?;
    Ok((family, next))
}

fn solved(
    model: &Model,
    guide: Option<&Guide>,
    options: &Solve,
) -> Result<idpas::Solved, SolveError> {
    solve(model, guide, options, &mut SolveControl::default())
}

#[test]
fn collecting_goes_on_where_it_was() -> Outcome {
    let folder = tempfile::tempdir()?;
    let instances = family::instances(folder.path(), 2);
    let options = collect(folder.path());
    let mut made = 0;
    let mut count = |event| made += usize::from(matches!(event, CollectProgress::Made { .. }));
    Family::collect(&instances, &options, &mut count)?;
    assert_eq!(made, 2);
    let mut count = |event| made += usize::from(matches!(event, CollectProgress::Made { .. }));
    let family = Family::collect(&instances, &options, &mut count)?;
    assert_eq!(made, 2, "pools that are there are not made again");
    assert_eq!(family.missing(), 0);

    let nothing = folder.path().join("nothing");
    std::fs::create_dir(&nothing)?;
    std::fs::write(nothing.join("a.mps"), "no model")?;
    let options = Collect {
        out: folder.path().join("none"),
        ..options
    };
    let error = Family::collect(&nothing, &options, &mut |_| {});
    assert!(matches!(error, Err(FamilyFolderError::NoPools(_))));
    Ok(())
}

#[test]
fn a_guide_leads_the_search_and_survives_a_file() -> Outcome {
    let folder = tempfile::tempdir()?;
    let (family, next) = prepared(folder.path())?;
    let path = folder.path().join("guide.safetensors");
    let train = Train {
        recipe: Recipe::Gnn(idpas_learn::train::Settings {
            epochs: 2,
            embedding: 8,
            heads: 2,
            ..Default::default()
        }),
        out: Some(path.clone()),
        ..Train::default()
    };
    let guide = Guide::train(&family, &train, &mut TrainControl::default())?;
    let read = Guide::read(&path)?;
    assert_eq!(read.sha256(), guide.sha256());

    let options = Solve::with_time_limit(60.0);
    let plain = solved(&next, None, &options)?;
    assert!(plain.is_plain && plain.settings.method == Method::Solver);
    assert_eq!(plain.outcome.status, SearchStatus::Optimal);
    let best = plain.outcome.solution.ok_or("no solution")?;
    for guide in [&guide, &read] {
        let guided = solved(&next, Some(guide), &options)?;
        assert_eq!(guided.settings.method, Method::Idpas);
        assert_eq!(guided.origin, SettingsOrigin::Defaults);
        assert_eq!(guided.outcome.status, SearchStatus::Optimal);
        let found = guided.outcome.solution.ok_or("no solution")?;
        let difference = (found.objective - best.objective).abs();
        assert!(difference <= 1e-4 * best.objective.abs());
    }

    let warm = Solve {
        method: Some(Method::WarmStart),
        ..options.clone()
    };
    let warm = solved(&next, Some(&guide), &warm)?;
    assert_eq!(warm.outcome.status, SearchStatus::Optimal);
    assert!(warm.outcome.start.is_some() && !warm.has_scores);
    assert_eq!(warm.outcome.stages.len(), 1);

    let oracle = Solve {
        oracle: Some(KnownSolution::Values(best.values.clone())),
        ..options.clone()
    };
    let by_region = solved(&next, None, &oracle)?;
    assert_eq!(by_region.settings.method, Method::Oracle);
    assert!(by_region.outcome.solution.is_some());
    // The staged search takes a perfect prediction as well.
    let staged = Solve {
        method: Some(Method::Idpas),
        ..oracle
    };
    let staged = solved(&next, None, &staged)?;
    assert!(staged.has_scores);
    let found = staged.outcome.solution.ok_or("no solution")?;
    assert_eq!(found.objective, best.objective);
    let history = Solve {
        history: Some(History::Values(vec![best.values])),
        ..options
    };
    let history = solved(&next, None, &history)?;
    assert_eq!(history.settings.method, Method::Idpas);
    let first = history.outcome.trajectory.first().ok_or("no solution")?;
    assert_eq!(first.objective, best.objective, "it starts from the past");
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused() -> Outcome {
    let folder = tempfile::tempdir()?;
    let (family, next) = prepared(folder.path())?;
    let train = Train {
        recipe: Recipe::ZeroFrequency(Default::default()),
        ..Train::default()
    };
    let guide = Guide::train(&family, &train, &mut TrainControl::default())?;
    let unfit = |guide: Option<&Guide>, options: &Solve| match solved(&next, guide, options) {
        Err(SolveError::Plan(PlanError::Method(unfit))) => Some(unfit.why),
        _ => None,
    };
    let method = |method| Solve {
        method: Some(method),
        ..Solve::with_time_limit(10.0)
    };
    let why = unfit(Some(&guide), &method(Method::IdPasPlus));
    assert!(matches!(why, Some(Unfit::Model(_))), "{why:?}");
    let why = unfit(Some(&guide), &method(Method::WarmStart));
    let expected = UnfitModel::NoPastSolutions {
        found: PredictorKind::ZeroFrequency,
    };
    assert_eq!(why, Some(Unfit::Model(expected)));
    let why = unfit(None, &method(Method::WarmStart));
    assert_eq!(why, Some(Unfit::NoGuide));
    let why = unfit(None, &method(Method::Nearest));
    assert_eq!(why, Some(Unfit::NoGuide));
    let why = unfit(None, &method(Method::Oracle));
    assert_eq!(why, Some(Unfit::NoSolution));
    Ok(())
}

#[test]
fn a_solve_can_be_watched_and_stopped() -> Outcome {
    let folder = tempfile::tempdir()?;
    let instances = family::instances(folder.path(), 1);
    let model = idpas::read_model(instances.join("inst_0001.mps.gz"))?.model;
    let mut control = SolveControl::default();
    control.interrupt.raise();
    let stopped = solve(&model, None, &Solve::default(), &mut control)?;
    assert_eq!(stopped.outcome.status, SearchStatus::Interrupted);

    let mut seen = Vec::new();
    let mut observer = |event: SolveEvent<'_>| {
        if let SolveEvent::Incumbent { objective, .. } = event {
            seen.push(objective);
        }
    };
    let mut control = SolveControl {
        observer: Some(&mut observer),
        ..SolveControl::default()
    };
    let watched = solve(&model, None, &Solve::default(), &mut control)?;
    assert_eq!(seen.len(), watched.outcome.trajectory.len());
    Ok(())
}
