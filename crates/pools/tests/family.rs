//! A family whose instances learn from each other, in this process.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use idpas_families::mmcnp::Mmcnp;
use idpas_families::{GenerateOptions, Size, generate};
use idpas_mip::check::{Tolerances, check};
use idpas_pools::collect::{
    CollectOptions, CollectProgress, CollectSettings, CollectStop, CollectSummary, TurnKind,
    collect,
};
use idpas_pools::manifest::{Manifest, pool_path};
use idpas_pools::pool::Pool;
use idpas_pools::status;

const INSTANCES: u64 = 10;

fn instances(folder: &Path) -> PathBuf {
    let out = folder.join("instances");
    let family = Mmcnp::new(Size::Tiny, 3).expect("a family");
    let options = GenerateOptions::new(&out, INSTANCES);
    generate(&family, &options, &|_| ControlFlow::Continue(())).expect("instances");
    out
}

fn options(folder: &Path, seconds: f64) -> CollectOptions {
    CollectOptions {
        out: folder.join("pools"),
        settings: CollectSettings {
            time_limit: seconds,
            ..CollectSettings::default()
        },
        jobs: 2,
        ..CollectOptions::default()
    }
}

fn run(input: &Path, options: &CollectOptions) -> (CollectSummary, Vec<CollectProgress>) {
    let mut events = Vec::new();
    let stop = CollectStop::default();
    let summary = collect(input, options, &stop, &mut |event| events.push(event));
    (summary.expect("a collection"), events)
}

fn pools(folder: &Path) -> Vec<Pool> {
    let name = |k: u64| format!("inst_{k:04}");
    let pools = (1..=INSTANCES).map(|k| Pool::read(pool_path(&folder.join("pools"), &name(k))));
    pools.collect::<Result<_, _>>().expect("pools")
}

#[test]
fn a_family_learns_from_itself_and_goes_on_with_more_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = instances(folder.path());
    let first = options(folder.path(), 0.8);
    let (summary, _) = run(&input, &first);
    assert_eq!((summary.made, summary.failed.len()), (10, 0));
    assert!(
        summary.lead.is_some(),
        "ten instances are enough to compare"
    );
    let manifest = Manifest::read(&first.out)
        .expect("a manifest")
        .expect("a manifest");
    assert!(!manifest.reproducible, "two workers");
    let early = pools(folder.path());
    let drew = early.iter().filter(|p| p.info.turns[0].siblings > 0);
    assert!(drew.count() >= 7, "all but the first draw on siblings");
    for (k, pool) in early.iter().enumerate() {
        let path = input.join(format!("inst_{:04}.mps.gz", k + 1));
        let model = idpas_mip::read_model(path).expect("a model").model;
        for solution in &pool.solutions {
            let report = check(&model, &solution.values, &Tolerances::default());
            assert!(report.expect("a report").feasible);
        }
        let last = pool.info.turns.last().expect("turns");
        assert_eq!(last.best, pool.best());
        let closings = pool
            .info
            .turns
            .iter()
            .filter(|t| t.kind == TurnKind::Closing);
        assert_eq!(closings.count(), 1);
    }
    let seen = status(&first.out).expect("a status");
    assert_eq!(seen.done, 10);
    assert_eq!(
        seen.solutions,
        early.iter().map(|p| p.solutions.len()).sum::<usize>()
    );
    assert!(seen.growth.len() >= 2 && seen.growth[0].solved == 10);
    let behind: Vec<f64> = seen.growth.iter().filter_map(|g| g.behind).collect();
    assert!(behind.is_sorted_by(|a, b| a >= b), "{behind:?}");
    assert_eq!(behind.last(), Some(&0.0));

    // Nothing is left to do.
    let (summary, _) = run(&input, &first);
    assert_eq!((summary.made, summary.already), (0, 10));
    assert_eq!(pools(folder.path()), early);

    // More time goes on where better solutions are expected, and takes nothing away.
    run(&input, &options(folder.path(), 1.6));
    for (before, after) in early.iter().zip(pools(folder.path())) {
        assert!(after.best() <= before.best());
        assert!(after.info.turns.starts_with(&before.info.turns));
    }
}

#[test]
fn a_budget_is_divided_among_instances_and_workers() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = instances(folder.path());
    let options = CollectOptions {
        budget: Some(1.0),
        ..options(folder.path(), 3600.0)
    };
    run(&input, &options);
    let manifest = Manifest::read(&options.out)
        .expect("a manifest")
        .expect("a manifest");
    assert_eq!(manifest.settings.time_limit, 0.2);
    let bad = CollectOptions {
        budget: Some(0.0),
        ..options
    };
    let refused = collect(&input, &bad, &CollectStop::default(), &mut |_| ());
    assert_eq!(
        refused.expect_err("no time").to_string(),
        "budget: 0; expected seconds above 0"
    );
}

#[test]
fn two_processes_share_a_family_and_its_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = instances(folder.path());
    let options = CollectOptions {
        take_over: true,
        jobs: 1,
        ..options(folder.path(), 0.8)
    };
    let (first, second) = std::thread::scope(|scope| {
        let first = scope.spawn(|| run(&input, &options).0);
        let second = scope.spawn(|| run(&input, &options).0);
        (
            first.join().expect("an end"),
            second.join().expect("an end"),
        )
    });
    for summary in [&first, &second] {
        assert_eq!(summary.failed.len(), 0);
        assert_eq!(summary.made + summary.elsewhere + summary.already, 10);
    }
    assert!(first.made > 0 && second.made > 0, "{first:?} {second:?}");
    let seen = status(&options.out).expect("a status");
    assert_eq!((seen.done, seen.running), (10, 0));
    // Each of them knows what the other has used; what was under way at the end may come on top.
    assert!(seen.seconds_used < 1.5 * seen.seconds_planned, "{seen:?}");
    for pool in pools(folder.path()) {
        let openings = pool
            .info
            .turns
            .iter()
            .filter(|t| t.kind == TurnKind::Opening);
        assert_eq!(openings.count(), 1);
    }
}
