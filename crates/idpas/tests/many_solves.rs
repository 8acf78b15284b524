//! Many small solves in one process: memory, threads and open files stay what they were. 300 solves by default; `make load` has
//! ten thousand, by the variable `IDPAS_LOAD_SOLVES`, and prints what it sees on the way.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout)]

mod family;

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use idpas::{
    Collect, CollectSettings, Family, Guide, Method, Model, ModelBuilder, Recipe, SearchStatus,
    Sense, Solve, SolveControl, Train, TrainControl, VarKind, solve_shared,
};
use idpas_base::random::Random;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// How many solves there are.
const SOLVES: &str = "IDPAS_LOAD_SOLVES";
/// How many arenas the C library's allocator has. Each thread takes one, and what several threads leave free in theirs takes some
/// thousand solves to stop growing; with a single one, a few hundred solves show what is never given back.
const ARENAS: &str = "MALLOC_ARENA_MAX";
/// Megabytes that the process may grow by between the end of its warm-up and its last solve. A model in the solver takes more than
/// half a megabyte: forgetting one in forty of a few hundred solves would be noticed.
const GROWTH: f64 = 3.0;
/// The same of thousands of solves, in as many arenas as there are threads.
const GROWTH_OF_MANY: f64 = 5.0;
/// Threads that a solve has left behind end in this time.
const PATIENCE: Duration = Duration::from_secs(60);
/// Seconds that a solve may take; the models are proved in much less.
const LIMIT: f64 = 60.0;

/// What the process has of the system's.
#[derive(Clone, Copy, Debug)]
struct Footprint {
    megabytes: f64,
    threads: usize,
    files: usize,
}

impl Footprint {
    fn now() -> Outcome<Self> {
        let status = std::fs::read_to_string("/proc/self/status")?;
        let number = |name: &str| -> Option<f64> {
            let line = status.lines().find(|line| line.starts_with(name))?;
            line.split_whitespace().nth(1)?.parse().ok()
        };
        Ok(Footprint {
            megabytes: number("VmRSS:").ok_or("no VmRSS")? / 1024.0,
            threads: number("Threads:").ok_or("no Threads")? as usize,
            files: std::fs::read_dir("/proc/self/fd")?.count(),
        })
    }

    /// The footprint when there are no more threads than this, or after some patience.
    fn with_threads(most: usize) -> Outcome<Self> {
        let begin = Instant::now();
        loop {
            let now = Self::now()?;
            if now.threads <= most || begin.elapsed() > PATIENCE {
                return Ok(now);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// A way to solve, and a model to solve.
struct Case {
    model: Arc<Model>,
    guide: Option<Guide>,
    options: Solve,
}

#[test]
fn memory_stays_flat_over_many_solves() -> Outcome<()> {
    match std::env::var(SOLVES) {
        Ok(text) => stays_flat(text.parse()?, GROWTH_OF_MANY),
        Err(_) if std::env::var_os(ARENAS).is_some() => stays_flat(300, GROWTH),
        Err(_) => {
            // The allocator looks at its settings when the process begins.
            let mut again = Command::new(std::env::current_exe()?);
            again.args(["memory_stays_flat_over_many_solves", "--exact"]);
            let status = again.arg("--nocapture").env(ARENAS, "1").status()?;
            assert!(status.success(), "{status}");
            Ok(())
        }
    }
}

/// Solves so many times, and looks at the process every twentieth of them. A fifth is to warm up.
fn stays_flat(solves: usize, most: f64) -> Outcome<()> {
    let (warm, every) = (solves / 5, solves / 20);
    let folder = tempfile::tempdir()?;
    let cases = cases(folder.path())?;
    let began = Instant::now();
    let before = Footprint::with_threads(2)?;
    let mut base = before;
    println!("solves,seconds,resident_mb,threads,files");
    for number in 1..=solves {
        solve(number, &cases[number % cases.len()])?;
        if number % every == 0 {
            let now = Footprint::with_threads(before.threads)?;
            let (seconds, memory) = (began.elapsed().as_secs_f64(), now.megabytes);
            let (threads, files) = (now.threads, now.files);
            println!("{number},{seconds:.1},{memory:.1},{threads},{files}");
            assert!(threads <= before.threads, "{before:?}, then {now:?}");
            assert!(files <= before.files, "{before:?}, then {now:?}");
            if number <= warm {
                base = now;
            }
        }
    }
    let last = Footprint::with_threads(before.threads)?;
    let growth = last.megabytes - base.megabytes;
    println!("{solves} solves: {growth:.1} MB more than after the first {warm}");
    assert!(
        growth < most,
        "{growth:.1} MB more: {base:?}, then {last:?}"
    );
    Ok(())
}

fn solve(number: usize, case: &Case) -> Outcome<()> {
    let mut control = SolveControl::default();
    let solved = solve_shared(
        &case.model,
        case.guide.as_ref(),
        &case.options,
        &mut control,
    )?;
    let (status, method) = (solved.outcome.status, case.options.method);
    assert_eq!(status, SearchStatus::Optimal, "solve {number}: {method:?}");
    Ok(())
}

/// Every method on tiny models of a family, with guides and without, and the solver and the staged search on random models.
fn cases(folder: &std::path::Path) -> Outcome<Vec<Case>> {
    let instances = family::instances(folder, 6);
    let next = instances.join("inst_0006.mps.gz");
    let model = Arc::new(idpas::read_model(&next)?.model);
    std::fs::remove_file(&next)?;
    let collect = Collect {
        out: folder.join("pools"),
        settings: CollectSettings {
            time_limit: 60.0,
            nodes: Some(3),
            rounds: Some(2),
            ..CollectSettings::default()
        },
        ..Collect::default()
    };
    let family = Family::collect(&instances, &collect, &mut |_| {})?;
    let guide = |recipe: Recipe| -> Outcome<Guide> {
        let train = Train {
            recipe,
            ..Train::default()
        };
        Ok(Guide::train(&family, &train, &mut TrainControl::default())?)
    };
    let network = guide(Recipe::Gnn(idpas_learn::train::Settings {
        epochs: 1,
        embedding: 8,
        heads: 2,
        ..Default::default()
    }))?;
    let counts = guide(Recipe::ZeroFrequency(Default::default()))?;
    let options = |method: Option<Method>, threads: usize| Solve {
        method,
        threads,
        ..Solve::with_time_limit(LIMIT)
    };
    let case = |guide: Option<&Guide>, method: Option<Method>, threads: usize| Case {
        model: model.clone(),
        guide: guide.cloned(),
        options: options(method, threads),
    };
    let mut cases = vec![
        case(None, None, 1),
        case(None, Some(Method::Idpas), 1),
        case(Some(&network), None, 1),
        case(Some(&network), Some(Method::IdPasPlus), 1),
        case(Some(&network), Some(Method::WarmStart), 1),
        case(Some(&counts), Some(Method::ZeroFrequency), 1),
        case(Some(&counts), Some(Method::Idpas), 1),
        case(None, None, 2),
    ];
    for seed in 0..24 {
        let method = (seed % 2 == 0).then_some(Method::Idpas);
        cases.push(Case {
            model: Arc::new(random(seed)?),
            guide: None,
            options: options(method, 1),
        });
    }
    Ok(cases)
}

/// A knapsack in several dimensions, with general integers and continuous columns among the binaries.
fn random(seed: u64) -> Outcome<Model> {
    let mut draws = Random::new(seed, "many-solves", 0);
    let mut builder = ModelBuilder::new("random", Sense::Maximize);
    let columns = 8 + draws.below(12);
    for j in 0..columns {
        let value = 1.0 + draws.below(40) as f64;
        let (kind, upper) = match j % 5 {
            3 => (VarKind::Integer, 4.0),
            4 => (VarKind::Continuous, 2.5),
            _ => (VarKind::Integer, 1.0),
        };
        builder.column(&format!("x{j}"), kind, 0.0, upper, value)?;
    }
    for i in 0..3 {
        let weights: Vec<(usize, f64)> = (0..columns)
            .map(|j| (j, 1.0 + draws.below(30) as f64))
            .collect();
        let room = weights.iter().map(|(_, weight)| weight).sum::<f64>() / 3.0;
        builder.row(&format!("r{i}"), f64::NEG_INFINITY, room, weights)?;
    }
    Ok(builder.build()?)
}
