//! Past solutions that no longer fit.

use idpas_mip::{Model, ModelBuilder, Sense, VarKind};
use idpas_search::{
    ScoreOrigin, SearchControl, SearchProblem, SearchSettings, Source, StagedSettings, search,
};
use idpas_solver::Params;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Some of these weights must add up to `sum` exactly; all but one are even.
fn weights(sum: f64) -> Result<Model, idpas_mip::ModelError> {
    let mut b = ModelBuilder::new("sum", Sense::Minimize);
    let mut entries = Vec::new();
    for (j, weight) in [2.0, 4.0, 3.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0, 18.0]
        .into_iter()
        .enumerate()
    {
        entries.push((
            b.column(&format!("x{j}"), VarKind::Integer, 0.0, 1.0, 1.0)?,
            weight,
        ));
    }
    b.row("sum", sum, sum, entries)?;
    b.build()
}

#[test]
fn what_does_not_fit_is_set_free_until_it_does() -> Outcome {
    let solver = idpas_solver::by_name("highs")?;
    // 2 + 4 was right for six. Nine needs the three, which bounds alone do not show.
    let model = weights(9.0)?;
    let mut past = vec![0.0; 10];
    (past[0], past[1]) = (1.0, 1.0);
    let starts = [past];
    let problem = SearchProblem {
        starts: &starts,
        ..SearchProblem::new(solver.as_ref(), &model)
    };
    let without = vec![
        Source::First,
        Source::Bands(ScoreOrigin::Relaxation),
        Source::Prediction,
        Source::Crossing,
        Source::Neighbourhoods,
        Source::Whole,
    ];
    let settings = SearchSettings {
        staged: StagedSettings {
            without,
            ..StagedSettings::default()
        },
        ..SearchSettings::default()
    };
    let params = Params::with_time_limit(20.0);
    let mut first_stage = None;
    let mut observer = |event: idpas_search::SearchEvent<'_>| {
        if let idpas_search::SearchEvent::Incumbent { stage, .. } = event {
            first_stage.get_or_insert(stage);
        }
    };
    let mut control = SearchControl {
        observer: Some(&mut observer),
        ..SearchControl::default()
    };
    let outcome = search(&problem, &settings, &params, &mut control)?;
    let solution = outcome.solution.ok_or("no solution")?;
    assert_eq!(solution.values[2], 1.0);
    assert_eq!(first_stage, Some(idpas_search::StageKind::Start));
    Ok(())
}
