//! How hard the families are for the default solver: relaxation, root gap, gap over time, share of zeros.
//!
//! One instance of each family and size, one thread, a minute each, each in a process of its own so that a solver
//! that overruns its limit does not disturb the next. Prints a table for docs/benchmarks.md and writes the raw
//! trajectories beside it, so that anyone can draw them again.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use idpas_families::course::Course;
use idpas_families::mmcnp::Mmcnp;
use idpas_families::slap::Slap;
use idpas_families::{InstanceFamily, Size};
use idpas_mip::Model;
use idpas_mip::files::save_bytes;
use idpas_search::{
    Method, SearchControl, SearchEvent, SearchOutcome, SearchProblem, SearchSettings, search,
};
use idpas_solver::{Control, Params, Solver, relative_gap};
use serde::{Deserialize, Serialize};

type Outcome<T> = Result<T, Box<dyn Error>>;

const SEED: u64 = 1;
const INSTANCE: u64 = 1;

/// The options of the command line.
struct Request {
    seconds: f64,
    families: Vec<String>,
    sizes: Vec<Size>,
    out: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Measured {
    family: String,
    size: String,
    rows: usize,
    binaries: usize,
    integers: usize,
    lp_seconds: f64,
    lp_objective: Option<f64>,
    /// Gap between the relaxation and the best solution known at the end.
    root_gap: Option<f64>,
    gap_at_10: Option<f64>,
    gap_at_end: Option<f64>,
    status: String,
    seconds: f64,
    objective: Option<f64>,
    zero_binaries: Option<f64>,
    zero_integers: Option<f64>,
    /// Points (seconds, objective, bound); `None` where there is no objective or bound yet.
    trajectory: Vec<(f64, Option<f64>, Option<f64>)>,
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [one, family, size, seconds] = arguments.as_slice()
        && one == "--one"
    {
        let measured = measure(family, size.parse()?, seconds.parse()?)?;
        println!("{}", serde_json::to_string(&measured)?);
        return Ok(());
    }
    let request = parse()?;
    let mut all = Vec::new();
    println!(
        "| family | size | rows | binaries | integers | LP | root gap | gap at 10 s | gap at {} s | zero binaries | zero integers |",
        request.seconds
    );
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for name in ["mmcnp", "slap", "course"] {
        for size in Size::ALL {
            let wanted =
                request.families.iter().any(|f| f == name) && request.sizes.contains(&size);
            if !wanted {
                continue;
            }
            let measured = measure_apart(name, size, request.seconds)?;
            println!("{}", row(&measured));
            all.push(measured);
            // Saved after each measurement, so that an interrupted run keeps what it has.
            save_bytes(&request.out, serde_json::to_string_pretty(&all)?.as_bytes())?;
        }
    }
    eprintln!("raw results: {}", request.out.display());
    Ok(())
}

fn parse() -> Outcome<Request> {
    let mut request = Request {
        seconds: 60.0,
        families: vec!["mmcnp".into(), "slap".into(), "course".into()],
        sizes: Size::ALL.to_vec(),
        out: "hardness.json".into(),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(option) = arguments.next() {
        let value = arguments
            .next()
            .ok_or("usage: hardness [--seconds S] [--families a,b] [--sizes a,b] [--out FILE]")?;
        match option.as_str() {
            "--seconds" => request.seconds = value.parse()?,
            "--families" => request.families = value.split(',').map(str::to_owned).collect(),
            "--sizes" => {
                request.sizes = value.split(',').map(str::parse).collect::<Result<_, _>>()?
            }
            "--out" => request.out = value.into(),
            _ => return Err(format!("unknown option {option}").into()),
        }
    }
    Ok(request)
}

/// Measures in a child process, which is killed as soon as it has printed its result.
fn measure_apart(family: &str, size: Size, seconds: f64) -> Outcome<Measured> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(["--one", family, size.as_str(), &seconds.to_string()])
        .stdout(Stdio::piped())
        .spawn()?;
    let stdout = child.stdout.take().ok_or("no stdout")?;
    let mut answer = String::new();
    BufReader::new(stdout).read_line(&mut answer)?;
    let _ = child.kill();
    child.wait()?;
    Ok(serde_json::from_str(&answer)?)
}

fn measure(family: &str, size: Size, seconds: f64) -> Outcome<Measured> {
    let made: Box<dyn InstanceFamily> = match family {
        "mmcnp" => Box::new(Mmcnp::new(size, SEED)?),
        "slap" => Box::new(Slap::new(size, SEED)?),
        _ => Box::new(Course::new(size, SEED, None)?),
    };
    let model = made.instance(INSTANCE)?.model;
    let solver = idpas_solver::by_name("highs")?;
    let lp = solver
        .load(&model)?
        .solve_relaxation(&Params::default(), &mut Control::default())?;
    let (outcome, trajectory) = solve(&*solver, &model, seconds)?;
    let shape = model.shape();
    let best = outcome.solution.as_ref();
    let objective = best.map(|s| s.objective);
    let at = |time: f64| {
        let last = trajectory.iter().take_while(|p| p.0 <= time).last()?;
        relative_gap(last.1?, last.2?)
    };
    let relaxed = lp.solution.as_ref().map(|s| s.objective);
    let zeros = |binary: bool| {
        let values = &best?.values;
        let chosen: Vec<usize> = (0..values.len())
            .filter(|&j| model.is_integer(j) && model.is_binary(j) == binary)
            .collect();
        let zero = chosen.iter().filter(|&&j| values[j] == 0.0).count();
        (!chosen.is_empty()).then(|| zero as f64 / chosen.len() as f64)
    };
    Ok(Measured {
        family: family.into(),
        size: size.to_string(),
        rows: shape.rows,
        binaries: shape.binaries,
        integers: shape.integers,
        lp_seconds: lp.time,
        lp_objective: relaxed,
        root_gap: objective.zip(relaxed).and_then(|(o, b)| relative_gap(o, b)),
        gap_at_10: at(10.0),
        gap_at_end: outcome.gap,
        status: outcome.status.as_str().to_owned(),
        seconds: outcome.time,
        objective,
        zero_binaries: zeros(true),
        zero_integers: zeros(false),
        trajectory,
    })
}

type Trajectory = Vec<(f64, Option<f64>, Option<f64>)>;

fn solve(solver: &dyn Solver, model: &Model, seconds: f64) -> Outcome<(SearchOutcome, Trajectory)> {
    let mut trajectory: Trajectory = Vec::new();
    let mut observer = |event: SearchEvent<'_>| {
        let point = match event {
            SearchEvent::Incumbent {
                time,
                objective,
                bound,
                ..
            } => (time, Some(objective), bound),
            SearchEvent::Progress {
                time,
                objective,
                bound,
                ..
            } => (time, objective, bound),
            _ => return,
        };
        let changed = trajectory
            .last()
            .is_none_or(|last| (last.1, last.2) != (point.1, point.2));
        if changed {
            trajectory.push(point);
        }
    };
    let mut control = SearchControl {
        observer: Some(&mut observer),
        ..SearchControl::default()
    };
    let outcome = search(
        &SearchProblem::new(solver, model),
        &SearchSettings::of(Method::Solver),
        &Params::with_time_limit(seconds),
        &mut control,
    )?;
    drop(control);
    Ok((outcome, trajectory))
}

fn row(m: &Measured) -> String {
    let percent = |x: Option<f64>| x.map_or("–".into(), |x| format!("{:.2} %", 100.0 * x));
    let end = if m.status == "optimal" {
        format!("optimal in {:.1} s", m.seconds)
    } else {
        percent(m.gap_at_end)
    };
    format!(
        "| {} | {} | {} | {} | {} | {:.2} s | {} | {} | {end} | {} | {} |",
        m.family,
        m.size,
        m.rows,
        m.binaries,
        m.integers,
        m.lp_seconds,
        percent(m.root_gap),
        percent(m.gap_at_10),
        percent(m.zero_binaries),
        percent(m.zero_integers)
    )
}
