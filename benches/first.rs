//! How soon there is a first solution: fix and propagate with repair, and HiGHS alone.
//!
//! One thread, from the moment the model is in memory. The families at their large sizes, COURSE once more with a start
//! that gives its assignment only, and a model of a million binaries in which every choice is feasible. Three seeds each
//! for ours: of the instance where there is a family, of the search in any case. HiGHS is stopped at its first incumbent.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;
use std::time::Instant;

use idpas_families::course::Course;
use idpas_families::mmcnp::Mmcnp;
use idpas_families::slap::Slap;
use idpas_families::{InstanceFamily, Size};
use idpas_mip::{Model, ModelBuilder, Sense, VarKind};
use idpas_search::{FirstSolutionRequest, first_solution};
use idpas_solver::{Control, Event, Interrupt, Params, Solver};

type Outcome<T> = Result<T, Box<dyn Error>>;

const SEEDS: u64 = 3;
const USAGE: &str = "usage: first [--models a,b] [--limit SECONDS] [--highs SECONDS, 0 for none]";
const MODELS: [&str; 7] = [
    "course-large",
    "course-large-start",
    "course-hard",
    "slap-large",
    "slap-hard",
    "mmcnp-hard",
    "million",
];

struct Request {
    models: Vec<String>,
    limit: f64,
    highs: f64,
}

fn main() -> Outcome<()> {
    let request = parse()?;
    let solver = idpas_solver::by_name("highs")?;
    println!(
        "| model | seed | columns | nonzeros | ours, s | processor, s | attempts | objective | HiGHS, s | objective |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for name in &request.models {
        for seed in 1..=SEEDS {
            let (model, start) = make(name, seed)?;
            let ours = FirstSolutionRequest {
                start: start.as_deref(),
                limit: request.limit,
                seed,
                ..FirstSolutionRequest::default()
            };
            let before = processor_seconds();
            let ours = first_solution(&model, solver.as_ref(), &ours);
            let processor = processor_seconds().zip(before).map(|(a, b)| a - b);
            // Once is enough to compare with, and it takes long.
            let highs = match seed == 1 && request.highs > 0.0 && name != "million" {
                true => first_incumbent(solver.as_ref(), &model, request.highs)?,
                false => None,
            };
            let number = |value: Option<f64>, digits: usize| {
                value.map_or("–".to_owned(), |value| format!("{value:.digits$}"))
            };
            println!(
                "| {name} | {seed} | {} | {} | {} | {} | {} | {} | {} | {} |",
                model.num_columns(),
                model.matrix.nonzeros(),
                number(ours.as_ref().map(|f| f.seconds), 3),
                number(processor, 3),
                ours.as_ref().map_or(0, |f| f.attempts),
                number(ours.as_ref().map(|f| f.solution.objective), 1),
                number(highs.map(|h| h.0), 2),
                number(highs.map(|h| h.1), 1),
            );
        }
    }
    Ok(())
}

fn parse() -> Outcome<Request> {
    let mut request = Request {
        models: MODELS.map(str::to_owned).to_vec(),
        limit: 20.0,
        highs: 60.0,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(option) = arguments.next() {
        let value = arguments.next().ok_or(USAGE)?;
        match option.as_str() {
            "--models" => request.models = value.split(',').map(str::to_owned).collect(),
            "--limit" => request.limit = value.parse()?,
            "--highs" => request.highs = value.parse()?,
            _ => return Err(USAGE.into()),
        }
    }
    Ok(request)
}

/// A model, and the start that it is to be completed from.
fn make(name: &str, seed: u64) -> Outcome<(Model, Option<Vec<f64>>)> {
    if name == "million" {
        return Ok((million(seed)?, None));
    }
    let (family, size) = name.split_once('-').ok_or(USAGE)?;
    let (size, with_start) = match size.strip_suffix("-start") {
        Some(size) => (size, true),
        None => (size, false),
    };
    let size: Size = size.parse()?;
    let made: Box<dyn InstanceFamily> = match family {
        "mmcnp" => Box::new(Mmcnp::new(size, seed)?),
        "slap" => Box::new(Slap::new(size, seed)?),
        "course" => Box::new(Course::new(size, seed, None)?),
        _ => return Err(USAGE.into()),
    };
    let model = made.instance(seed)?.model;
    let start = with_start.then(|| assignment(&model, seed));
    Ok((model, start))
}

/// A random assignment of COURSE's blocks to slots; nothing else is known.
fn assignment(model: &Model, seed: u64) -> Vec<f64> {
    let mut start = vec![f64::NAN; model.num_columns()];
    let columns: Vec<usize> = (0..model.num_columns())
        .filter(|&j| model.columns.names.get(j).starts_with("b["))
        .collect();
    let n = columns.len().isqrt();
    let mut slots: Vec<usize> = (0..n).collect();
    fastrand::Rng::with_seed(seed).shuffle(&mut slots);
    for (k, j) in columns.into_iter().enumerate() {
        start[j] = f64::from(u8::from(slots[k / n] == k % n));
    }
    start
}

/// 200,000 commodities with five paths each over 20,000 arcs with ample trucks.
fn million(seed: u64) -> Outcome<Model> {
    const COMMODITIES: usize = 200_000;
    const PATHS: usize = 5;
    const ARCS: usize = 20_000;
    let mut random = fastrand::Rng::with_seed(seed);
    let mut builder = ModelBuilder::new("million", Sense::Minimize);
    let mut on_arc: Vec<Vec<(usize, f64)>> = vec![Vec::new(); ARCS];
    for k in 0..COMMODITIES {
        let demand = random.usize(1..=100) as f64;
        for p in 0..PATHS {
            let cost = random.usize(1..=50) as f64;
            let x = builder.column(&format!("x[{k},{p}]"), VarKind::Integer, 0.0, 1.0, cost)?;
            let mut arcs: Vec<usize> = (0..2).map(|_| random.usize(..ARCS)).collect();
            arcs.dedup();
            for arc in arcs {
                on_arc[arc].push((x, demand));
            }
        }
    }
    for k in 0..COMMODITIES {
        let paths = (0..PATHS).map(|p| (k * PATHS + p, 1.0));
        builder.row(&format!("one[{k}]"), 1.0, 1.0, paths)?;
    }
    for (a, mut entries) in on_arc.into_iter().enumerate() {
        let cost = random.usize(100..=1000) as f64;
        let trucks = builder.column(&format!("y[{a}]"), VarKind::Integer, 0.0, 1000.0, cost)?;
        entries.push((trucks, -500.0));
        builder.row(&format!("load[{a}]"), f64::NEG_INFINITY, 0.0, entries)?;
    }
    Ok(builder.build()?)
}

/// Seconds that this thread has had a processor, where the system says so: on a busy machine the clock says little.
fn processor_seconds() -> Option<f64> {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = statistics.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds * 1e-9)
}

/// When HiGHS has its first incumbent, and its objective.
fn first_incumbent(solver: &dyn Solver, model: &Model, limit: f64) -> Outcome<Option<(f64, f64)>> {
    let started = Instant::now();
    let interrupt = Interrupt::new();
    let (mut found, raised) = (None, interrupt.clone());
    let mut observer = |event: Event<'_>| {
        if let Event::Incumbent { objective, .. } = event
            && found.is_none()
        {
            found = Some((started.elapsed().as_secs_f64(), objective));
            raised.raise();
        }
    };
    let mut control = Control {
        interrupt,
        observer: Some(&mut observer),
        ..Control::default()
    };
    let mut loaded = solver.load(model)?;
    loaded.solve(&Params::with_time_limit(limit), None, &mut control)?;
    Ok(found)
}
