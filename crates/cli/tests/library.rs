//! The program's features through the libraries, as a user of the crates has them.

mod common;

use common::{data, file, folder, split};
use idpas_mip::check::{Tolerances, check};
use idpas_mip::files::Input;
use idpas_mip::solution::{self, Solution, SolutionFormat};
use idpas_mip::{Sense, read_model, write_model};
use idpas_solver::checked::solve_checked;
use idpas_solver::{Control, Event, Params, Start, StartOutcome, Termination};

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[test]
fn read_inspect_and_convert() -> Outcome {
    let model = read_model(data("constant.lp"))?.model;
    assert_eq!(model.sense, Sense::Maximize);
    assert_eq!(model.objective_constant, 100.0);
    assert_eq!(model.shape().integers, 2);
    let folder = folder();
    let path = folder.path().join("constant.mps.gz");
    write_model(&model, &path)?;
    let again = read_model(&path)?.model;
    assert_eq!(again.shape(), model.shape());
    assert_eq!(again.objective_constant, 100.0);
    Ok(())
}

#[test]
fn solve_write_read_and_check() -> Outcome {
    let model = read_model(data("routes.lp"))?.model;
    let solver = idpas_solver::by_name("highs")?;
    let mut seen = Vec::new();
    let mut observer = |event: Event<'_>| {
        if let Event::Incumbent { objective, .. } = event {
            seen.push(objective);
        }
    };
    let mut control = Control {
        observer: Some(&mut observer),
        ..Control::default()
    };
    let params = Params::with_time_limit(60.0);
    let checked = solve_checked(&*solver, &model, &params, None, &mut control)?;
    assert_eq!(checked.result.termination, Termination::Optimal);
    let best = checked.solution.ok_or("no solution")?;
    assert_eq!(best.objective, 11.0);
    assert_eq!(seen.last(), Some(&11.0));
    assert_eq!(checked.trajectory.len(), seen.len());

    let folder = folder();
    for format in SolutionFormat::ALL {
        let path = folder.path().join(format!("{}.sol", format.as_str()));
        let written = Solution::new(best.values.clone());
        solution::write_file(&model, &written, format, &path)?;
        let read = solution::read(&Input::path(&path), &model)?;
        let report = check(&model, &read.solution.values, &Tolerances::default())?;
        assert!(report.feasible);
        assert_eq!(report.objective, 11.0);
    }
    Ok(())
}

#[test]
fn a_partial_start_from_a_file() -> Outcome {
    let model = read_model(data("knapsack.mps"))?.model;
    let folder = folder();
    let path = file(&folder, "start.sol", "=obj= 7\ntent 1\nstove 1\n");
    let values = solution::read_partial(&Input::path(&path), &model)?;
    assert_eq!(values, [(0, 1.0), (1, 1.0)]);

    let model = split::model(3, 30);
    let start = Start::Partial((0..30).map(|j| (j, 0.0)).collect());
    let params = Params {
        node_limit: Some(0),
        ..Params::with_time_limit(60.0)
    };
    let solver = idpas_solver::by_name("highs")?;
    let control = &mut Control::default();
    let checked = solve_checked(&*solver, &model, &params, Some(&start), control)?;
    assert_eq!(checked.result.start, Some(StartOutcome::Accepted));
    assert!(checked.solution.is_some());
    Ok(())
}

#[test]
fn the_relaxation_with_duals() -> Outcome {
    let model = read_model(data("mixed.mps"))?.model;
    let solver = idpas_solver::by_name("highs")?;
    let lp = solver
        .load(&model)?
        .solve_relaxation(&Params::default(), &mut Control::default())?
        .solution
        .ok_or("no solution")?;
    assert_eq!(lp.objective, 26.0);
    assert_eq!(lp.duals.len(), model.num_rows());
    assert_eq!(lp.reduced_costs.len(), model.num_columns());
    Ok(())
}

#[test]
fn errors_say_where() {
    let folder = folder();
    let path = file(&folder, "bad.mps", "NAME\nROWS\n X  c1\nENDATA\n");
    let error = read_model(&path).unwrap_err();
    assert_eq!(error.line, Some(3));
    assert!(error.to_string().contains("bad.mps:3: "));
    assert!(idpas_solver::by_name("none").is_err());
}
