//! Collections whose workers crash, hang, lie and run out of memory: shell scripts stand in for them.
#![cfg(unix)]
#![allow(clippy::unwrap_used)] // tests

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use idpas_base::process::WorkerCommand;
use idpas_pools::collect::{
    CollectOptions, CollectProgress, CollectSettings, CollectStop, CollectSummary, Shard, collect,
    fill_pool,
};
use idpas_pools::manifest::{Manifest, SplitRule};
use idpas_pools::pool::InstanceInfo;
use idpas_pools::split::Proportions;
use idpas_pools::status;
use tempfile::TempDir;

/// The folder of instances that belongs to these options.
fn instances(options: &CollectOptions) -> std::path::PathBuf {
    options.out.with_file_name("instances")
}

/// A folder of instances that no real worker ever sees, and options with a script as the worker.
fn prepared(folder: &TempDir, instances: usize, script: &str) -> CollectOptions {
    let input = folder.path().join("instances");
    std::fs::create_dir_all(&input).expect("no failure here");
    for i in 0..instances {
        std::fs::write(input.join(format!("i{i}.mps")), format!("content {i}"))
            .expect("no failure here");
    }
    CollectOptions {
        out: folder.path().join("pools"),
        settings: CollectSettings {
            time_limit: 0.2,
            ..CollectSettings::default()
        },
        budget: None,
        split: SplitRule {
            proportions: Proportions::default(),
            seed: 0,
        },
        jobs: 3,
        shard: Shard::default(),
        take_over: false,
        memory_limit: None,
        worker: Some(WorkerCommand {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), script.into()],
        }),
        grace: Duration::from_millis(500),
        attempts: 2,
        ..CollectOptions::default()
    }
}

fn run(options: &CollectOptions) -> (CollectSummary, Vec<CollectProgress>) {
    let mut events = Vec::new();
    let summary = collect(
        &instances(options),
        options,
        &CollectStop::default(),
        &mut |event| events.push(event),
    )
    .expect("no failure here");
    (summary, events)
}

/// A worker that appends its job to a file and then does what `then` says.
fn logging(folder: &TempDir, then: &str) -> (String, PathBuf) {
    let log = folder.path().join("jobs.log");
    let script = format!("read -r job; echo \"$job\" >> '{}'; {then}", log.display());
    (script, log)
}

fn lines(path: &Path) -> usize {
    std::fs::read_to_string(path).map_or(0, |text| text.lines().count())
}

#[test]
fn a_crash_costs_its_instance_only_and_is_tried_once_more() {
    let folder = tempfile::tempdir().unwrap();
    let (script, log) = logging(&folder, "echo 'the last words' >&2; kill -SEGV $$");
    let options = prepared(&folder, 3, &script);
    let (summary, events) = run(&options);
    assert_eq!(
        (summary.total, summary.made, summary.failed.len()),
        (3, 0, 3)
    );
    assert_eq!(lines(&log), 6, "each twice");
    let failure = &summary.failed[0];
    assert_eq!(failure.name, "i0");
    assert_eq!(failure.attempts, 2);
    assert_eq!(
        failure.reason,
        "the worker crashed (signal 11, SIGSEGV): the last words"
    );
    let retried = events
        .iter()
        .filter(|e| matches!(e, CollectProgress::Retried { .. }));
    assert_eq!(retried.count(), 3);
    let seen = status(&options.out).unwrap();
    assert_eq!(
        (seen.done, seen.running, seen.failed, seen.total),
        (0, 0, 3, 3)
    );
    assert!(options.out.join("failed/i2.json").exists());
}

#[test]
fn what_cannot_get_better_is_not_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let said = r#"{"outcome":"failed","reason":"the instance is infeasible","retry":false}"#;
    let (script, log) = logging(&folder, &format!("echo '{said}'"));
    let (summary, _) = run(&prepared(&folder, 1, &script));
    assert_eq!(summary.failed[0].reason, "the instance is infeasible");
    assert_eq!(lines(&log), 1);
}

#[test]
fn a_hanging_worker_is_killed_with_all_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let pids = folder.path().join("pids");
    let script = format!("sleep 300 & echo $! >> '{}'; wait", pids.display());
    let options = prepared(&folder, 1, &script);
    let clock = Instant::now();
    let (summary, _) = run(&options);
    assert!(clock.elapsed() < Duration::from_secs(20));
    assert!(summary.failed[0].reason.contains("the worker was killed"));
    std::thread::sleep(Duration::from_millis(200));
    for pid in std::fs::read_to_string(&pids).unwrap().lines() {
        // A zombie is dead, only nobody has asked after it yet.
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        assert!(!stat.contains("(sleep)") || stat.contains(") Z"), "{stat}");
    }
}

#[test]
fn lack_of_memory_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let script = "echo 'memory allocation of 9000000000 bytes failed' >&2; kill -ABRT $$";
    let options = CollectOptions {
        memory_limit: Some(4_000_000_000),
        ..prepared(&folder, 1, script)
    };
    let reason = run(&options).0.failed.remove(0).reason;
    assert!(
        reason.starts_with("out of memory (the limit is 4 GB): the worker aborted"),
        "{reason}"
    );
}

#[test]
fn a_worker_that_lies_or_is_missing_is_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let lie = r#"echo '{"outcome":"done","solutions":50,"best":1.0}'"#;
    let mut options = prepared(&folder, 1, lie);
    let reason = run(&options).0.failed.remove(0).reason;
    assert_eq!(reason, "the worker wrote no pool that can be used");
    options.worker = Some(WorkerCommand::new("/no/such/program"));
    let reason = run(&options).0.failed.remove(0).reason;
    assert!(reason.starts_with("cannot start the worker"), "{reason}");
}

#[test]
fn shards_take_every_instance_once() {
    let folder = tempfile::tempdir().unwrap();
    let (script, log) = logging(&folder, "exit 7");
    let mut names = Vec::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let options = CollectOptions {
            shard: shard.parse().unwrap(),
            attempts: 1,
            ..prepared(&folder, 10, &script)
        };
        let (summary, _) = run(&options);
        names.extend(summary.failed.into_iter().map(|failure| failure.name));
    }
    names.sort();
    let expected: Vec<String> = (0..10).map(|i| format!("i{i}")).collect();
    assert_eq!(names, expected);
    assert_eq!(lines(&log), 10);
}

#[test]
fn two_runs_of_the_same_shard_do_not_take_the_same_instance() {
    let folder = tempfile::tempdir().unwrap();
    let (script, log) = logging(&folder, "sleep 0.3; exit 7");
    let options = CollectOptions {
        attempts: 1,
        ..prepared(&folder, 9, &script)
    };
    let (first, second) = std::thread::scope(|scope| {
        let first = scope.spawn(|| run(&options).0);
        let second = scope.spawn(|| run(&options).0);
        (first.join().unwrap(), second.join().unwrap())
    });
    // A failed instance may be tried by the other run later, but never by both at a time.
    assert!(first.elsewhere + second.elsewhere > 0);
    assert!(lines(&log) < 18);
    assert_eq!(first.failed.len() + first.elsewhere, 9);
    assert_eq!(second.failed.len() + second.elsewhere, 9);
}

/// A shell script that makes a pool by copying one from `whole`, after a pause; it says which one to `log`.
fn copying(whole: &Path, log: &Path) -> String {
    format!(
        r#"read -r job; name=${{job#*'"name":"'}}; name=${{name%%'"'*}}; sleep 0.2
cp '{}'/$name.safetensors '{}'/../pools/; echo $name >> '{}'
echo '{{"outcome":"done","solutions":1,"best":1.0}}'"#,
        whole.display(),
        whole.display(),
        log.display(),
    )
}

/// Pools as a worker would write them.
fn ready_pools(options: &CollectOptions, folder: &Path) {
    std::fs::create_dir_all(folder).expect("no failure here");
    let mut b = idpas_mip::ModelBuilder::new("m", idpas_mip::Sense::Minimize);
    b.column("x", idpas_mip::VarKind::Integer, 1.0, 3.0, 1.0)
        .expect("no failure here");
    let model = b.build().expect("no failure here");
    for file in idpas_pools::inputs::find_instances(&instances(options)).expect("no failure here") {
        let sha256 = idpas_pools::instance_hash(&file.path).expect("no failure here");
        let pool = fill_pool(
            &model,
            InstanceInfo::new(&file.name, sha256, &model),
            Vec::new(),
            &options.settings,
            &*idpas_solver::by_name("highs").expect("no failure here"),
            &Default::default(),
        );
        let path = idpas_pools::manifest::pool_path(folder, &file.name);
        pool.expect("no failure here")
            .write(&path)
            .expect("no failure here");
    }
}

#[test]
fn shards_that_take_over_do_the_other_parts_too() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, log) = (folder.path().join("whole"), folder.path().join("made.log"));
    let options = CollectOptions {
        take_over: true,
        ..prepared(&folder, 8, &copying(&whole, &log))
    };
    ready_pools(&options, &whole);
    std::fs::create_dir_all(&options.out).unwrap();
    let shard = |text: &str| CollectOptions {
        shard: text.parse().unwrap(),
        jobs: 1,
        ..options.clone()
    };
    // Somebody else is at one of them, and gives it up without having made anything.
    let claim = idpas_pools::collect::claims(&options.out).take("i3");
    let claim = claim.unwrap().unwrap();
    let (first, second) = std::thread::scope(|scope| {
        let first = scope.spawn(|| run(&shard("1/2")).0);
        let second = scope.spawn(|| run(&shard("2/2")).0);
        while lines(&log) < 7 {
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_millis(100));
        drop(claim);
        (first.join().unwrap(), second.join().unwrap())
    });
    for summary in [&first, &second] {
        assert_eq!(summary.total, 8);
        assert_eq!(summary.made + summary.elsewhere + summary.already, 8);
        assert!(summary.made >= 3, "{first:?} {second:?}");
    }
    assert_eq!(first.made + second.made, 8);
    assert_eq!(lines(&log), 8, "each once");
    assert_eq!(status(&options.out).unwrap().done, 8);
}

#[test]
fn what_failed_elsewhere_meanwhile_is_not_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let (script, log) = logging(&folder, "sleep 0.2; exit 7");
    let options = CollectOptions {
        attempts: 1,
        take_over: true,
        ..prepared(&folder, 6, &script)
    };
    let (first, second) = std::thread::scope(|scope| {
        let first = scope.spawn(|| run(&options).0);
        let second = scope.spawn(|| run(&options).0);
        (first.join().unwrap(), second.join().unwrap())
    });
    assert_eq!((first.failed.len(), second.failed.len()), (6, 6));
    assert_eq!(lines(&log), 6);
    // A later run tries them again.
    run(&options);
    assert_eq!(lines(&log), 12);
}

#[test]
fn abandoning_ends_at_once_and_leaves_no_claim() {
    let folder = tempfile::tempdir().unwrap();
    let options = CollectOptions {
        settings: CollectSettings {
            time_limit: 1000.0,
            ..CollectSettings::default()
        },
        ..prepared(&folder, 4, "sleep 300")
    };
    let stop = CollectStop::default();
    let clock = Instant::now();
    let summary = std::thread::scope(|scope| {
        let collecting =
            scope.spawn(|| collect(&instances(&options), &options, &stop, &mut |_| {}).unwrap());
        while status(&options.out).map_or(0, |s| s.running) < 3 {
            assert!(clock.elapsed() < Duration::from_secs(20));
            std::thread::sleep(Duration::from_millis(10));
        }
        let seen = status(&options.out).unwrap();
        assert_eq!((seen.running, seen.failed), (3, 0));
        assert!(seen.seconds_left.unwrap() > 0.0);
        stop.abandon();
        collecting.join().unwrap()
    });
    assert!(clock.elapsed() < Duration::from_secs(20));
    assert!(summary.interrupted);
    assert_eq!(summary.failed.len(), 0);
    assert_eq!(status(&options.out).unwrap().running, 0);
    assert_eq!(
        std::fs::read_dir(options.out.join("claims"))
            .unwrap()
            .count(),
        0
    );
}

#[test]
fn the_manifest_keeps_splits_when_instances_are_added() {
    let folder = tempfile::tempdir().unwrap();
    let options = prepared(&folder, 20, "exit 7");
    run(&options);
    let early = Manifest::read(&options.out).unwrap().unwrap();
    assert_eq!(early.instances.len(), 20);
    let options = prepared(&folder, 35, "exit 7");
    run(&options);
    let late = Manifest::read(&options.out).unwrap().unwrap();
    assert_eq!(late.instances.len(), 35);
    for (name, entry) in &early.instances {
        assert_eq!(late.instances[name].part, entry.part);
    }
    assert_eq!(early.instances["i3"].file, Path::new("../instances/i3.mps"));
}
