//! Past solutions that no longer fit.

use idpas_mip::{Model, ModelBuilder, Sense, VarKind};
use idpas_search::{
    ScoreOrigin, SearchControl, SearchProblem, SearchSettings, Source, StagedSettings, search,
};
use idpas_solver::Params;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Groups of ten weights; in each, some must add up to `sum` exactly. All but one of a group are even.
fn weights(groups: usize, sum: f64) -> Result<Model, idpas_mip::ModelError> {
    let mut b = ModelBuilder::new("sums", Sense::Minimize);
    for group in 0..groups {
        let mut entries = Vec::new();
        for (j, weight) in [2.0, 4.0, 3.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0, 18.0]
            .into_iter()
            .enumerate()
        {
            let name = format!("x[{group},{j}]");
            let column = b.column(&name, VarKind::Integer, 0.0, 1.0, 1.0)?;
            entries.push((column, weight));
        }
        b.row(&format!("sum {group}"), sum, sum, entries)?;
    }
    b.build()
}

/// The first solution that past ones lead to, when nothing else may look for one.
fn from_the_past(model: &Model, past: Vec<f64>) -> Result<Vec<f64>, Box<dyn std::error::Error>> {
    let solver = idpas_solver::by_name("highs")?;
    let starts = [past];
    let problem = SearchProblem {
        starts: &starts,
        ..SearchProblem::new(solver.as_ref(), model)
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
    assert_eq!(first_stage, Some(idpas_search::StageKind::Start));
    Ok(solution.values)
}

#[test]
fn what_does_not_fit_is_set_free_until_it_does() -> Outcome {
    // 2 + 4 was right for six. Nine needs the three, which bounds alone do not show.
    let model = weights(1, 9.0)?;
    let mut past = vec![0.0; 10];
    (past[0], past[1]) = (1.0, 1.0);
    let found = from_the_past(&model, past)?;
    assert_eq!(found[2], 1.0);
    Ok(())
}

#[test]
fn what_is_wrong_everywhere_is_mended_row_by_row() -> Outcome {
    // Whatever share of all columns is set free, in some group the wrong ones are not.
    let groups = 60;
    let model = weights(groups, 9.0)?;
    let mut past = vec![0.0; 10 * groups];
    for group in past.chunks_mut(10) {
        (group[0], group[1]) = (1.0, 1.0);
    }
    let found = from_the_past(&model, past)?;
    assert!(found.chunks(10).all(|group| group[2] == 1.0));
    Ok(())
}
