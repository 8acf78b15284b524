//! Several processes that train one network: threads stand for them, so that no MPI is needed.
#![allow(clippy::unwrap_used)]

mod common;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

use common::{demands, model, write_pools};
use idpas_learn::train::ranks::Ranks;
use idpas_learn::train::{Begin, Settings, Stopped, TrainControl, TrainProgress};
use idpas_learn::{Examples, LearnError, Learned, Recipe, Train};
use idpas_mip::Model;

/// One of several threads that train together: a channel to and from each.
struct ThreadRank {
    rank: usize,
    to: Vec<Sender<Vec<u8>>>,
    from: Mutex<Vec<Receiver<Vec<u8>>>>,
}

fn thread_ranks(count: usize) -> Vec<ThreadRank> {
    let mut senders: Vec<Vec<_>> = (0..count).map(|_| Vec::new()).collect();
    let mut receivers: Vec<Vec<_>> = (0..count).map(|_| Vec::new()).collect();
    for senders in &mut senders {
        for receivers in &mut receivers {
            let (sender, receiver) = channel();
            senders.push(sender);
            receivers.push(receiver);
        }
    }
    let all = senders.into_iter().zip(receivers).enumerate();
    all.map(|(rank, (to, from))| ThreadRank {
        rank,
        to,
        from: Mutex::new(from),
    })
    .collect()
}

impl Ranks for ThreadRank {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.to.len()
    }

    fn gather(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, LearnError> {
        for to in &self.to {
            // The other end is gone with its thread; what comes from there says so.
            let _ = to.send(own.to_vec());
        }
        let from = self.from.lock().unwrap_or_else(PoisonError::into_inner);
        let received = from
            .iter()
            .enumerate()
            .map(|(rank, from)| from.recv().map_err(|_| LearnError::LostRank { rank }));
        received.collect()
    }

    fn sum(&self, values: &mut [f32]) -> Result<(), LearnError> {
        let own: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        let all = self.gather(&own)?;
        values.fill(0.0);
        for bytes in all {
            for (value, bytes) in values.iter_mut().zip(bytes.chunks_exact(4)) {
                *value += f32::from_le_bytes(bytes.try_into().unwrap());
            }
        }
        Ok(())
    }
}

/// A folder of pools of instances of different sizes: eleven to train with, three to validate.
fn pools(folder: &Path) -> PathBuf {
    let (instances, pools) = (folder.join("instances"), folder.join("pools"));
    std::fs::create_dir(&instances).unwrap();
    std::fs::create_dir(&pools).unwrap();
    let all: Vec<(Model, Vec<f64>)> = (0..14u64)
        .map(|number| {
            let variables = 4 + 3 * (number as usize % 5);
            let demands = demands(number, variables);
            let model = model(&demands, &(0..variables).collect::<Vec<_>>());
            let values = common::pool(&model, &demands).solutions.remove(0).values;
            (model, values)
        })
        .collect();
    write_pools(&instances, &pools, &all, "11/3/0");
    pools
}

fn training(folder: &Path, name: &str) -> Train {
    Train {
        recipe: Recipe::Gnn(Settings {
            epochs: 4,
            batch: 5,
            embedding: 8,
            heads: 2,
            ..Settings::default()
        }),
        out: Some(folder.join(name)),
        threads: Some(1),
        ..Train::default()
    }
}

type Ended = (
    Result<Learned, LearnError>,
    Vec<Result<Option<Stopped>, LearnError>>,
);

/// Trains on this many ranks. `watch` is called with every event of rank 0 and with the interrupts of all ranks.
fn trained(
    train: &Train,
    pools: &Path,
    count: usize,
    watch: &(dyn Fn(&TrainProgress, &[AtomicBool]) + Sync),
) -> Ended {
    let interrupts: Vec<AtomicBool> = (0..count).map(|_| AtomicBool::new(false)).collect();
    let mut ranks = thread_ranks(count).into_iter();
    let first = ranks.next().unwrap();
    std::thread::scope(|scope| {
        let interrupts = &interrupts;
        let assisting: Vec<_> = ranks
            .map(|rank| {
                scope.spawn(move || {
                    let mut control = TrainControl {
                        interrupt: Some(&interrupts[rank.rank]),
                        observer: None,
                    };
                    train.assist(&rank, &mut control)
                })
            })
            .collect();
        let mut show = |progress: &TrainProgress| watch(progress, interrupts);
        let mut control = TrainControl {
            interrupt: Some(&interrupts[0]),
            observer: Some(&mut show),
        };
        let led = train.lead(&Examples::open(pools).unwrap(), &first, &mut control);
        // As a process that ends: those that wait for it notice.
        drop(first);
        let assisted = assisting.into_iter().map(|thread| thread.join().unwrap());
        (led, assisted.collect())
    })
}

fn left_alone(train: &Train, pools: &Path, count: usize) -> Learned {
    let (led, assisted) = trained(train, pools, count, &|_, _| {});
    for stopped in assisted {
        assert_eq!(stopped.unwrap(), Some(Stopped::Epochs));
    }
    led.unwrap()
}

/// All numbers of a model's network.
fn weights(learned: &Learned) -> Vec<f32> {
    let tensors = learned.model.predictor.store().tensors;
    let numbers = tensors.iter().flat_map(|tensor| {
        let numbers = tensor.bytes.chunks_exact(4);
        numbers.map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()))
    });
    numbers.collect()
}

/// The largest difference of two networks' weights, which are of order one.
fn distance(a: &Learned, b: &Learned) -> f32 {
    let (a, b) = (weights(a), weights(b));
    assert_eq!(a.len(), b.len());
    let difference = a.iter().zip(&b).map(|(a, b)| (a - b).abs());
    difference.fold(0.0f32, f32::max)
}

fn file(train: &Train) -> Vec<u8> {
    std::fs::read(train.out.as_ref().unwrap()).unwrap()
}

fn log(train: &Train) -> Vec<serde_json::Value> {
    let path = train.out.as_ref().unwrap().with_extension("log.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

#[test]
fn any_number_of_ranks_gives_the_same_network_to_within_rounding() {
    let folder = tempfile::tempdir().unwrap();
    let pools = pools(folder.path());
    let train = |name: &str| training(folder.path(), name);
    let by_itself = train("one");
    let one = by_itself
        .run(
            &Examples::open(&pools).unwrap(),
            &mut TrainControl::default(),
        )
        .unwrap();
    let by_one_rank = train("one rank");
    left_alone(&by_one_rank, &pools, 1);
    assert!(file(&by_itself) == file(&by_one_rank));
    // More ranks than graphs in a batch, too.
    for count in [2, 3, 4, 7] {
        let [first, second] = [0, 1].map(|time| train(&format!("{count}-{time}")));
        let several = left_alone(&first, &pools, count);
        let far = distance(&one, &several);
        assert!(far < 1e-5, "{count} ranks: {far}");
        left_alone(&second, &pools, count);
        assert!(file(&first) == file(&second), "{count} ranks, twice");
        let (alone, together) = (log(&by_itself), log(&first));
        assert_eq!(alone.len(), together.len());
        for (a, b) in alone.iter().zip(&together) {
            for key in [
                "train_loss",
                "validation_loss",
                "validation_loss_without_identity",
            ] {
                let [a, b] = [a, b].map(|line| line[key].as_f64().unwrap());
                assert!((a - b).abs() < 1e-4 * a, "{key}: {a}, {b}");
            }
        }
        let left = folder.path().join(format!("{count}-0.training"));
        assert!(!left.exists(), "temporary files are removed");
    }
    // A different training is far away, so that the comparison can fail.
    let mut other = train("other");
    if let Recipe::Gnn(settings) = &mut other.recipe {
        settings.batch = 4;
    }
    let far = distance(&one, &left_alone(&other, &pools, 2));
    assert!(far > 1e-3, "{far}");
}

/// Interrupts a rank in the middle of the third epoch.
fn interrupt(rank: usize) -> impl Fn(&TrainProgress, &[AtomicBool]) {
    move |progress, interrupts| {
        if let TrainProgress::Batch { epoch: 3, .. } = progress {
            interrupts[rank].store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn an_interrupt_of_one_rank_ends_all_and_any_number_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let pools = pools(folder.path());
    let whole = left_alone(&training(folder.path(), "whole"), &pools, 1);
    for (number, (interrupted, count)) in [(1, 1), (0, 3), (1, 2)].into_iter().enumerate() {
        let mut train = training(folder.path(), &format!("resumed-{number}"));
        let watch = interrupt(interrupted);
        let (led, assisted) = trained(&train, &pools, 2, &watch);
        assert_eq!(led.unwrap().stopped, Some(Stopped::Interrupted));
        assert_eq!(assisted[0].as_ref().unwrap(), &Some(Stopped::Interrupted));
        assert_eq!(log(&train).len(), 2, "it ended in the third epoch");
        let (again, _) = trained(&train, &pools, 1, &|_, _| {});
        assert!(matches!(again, Err(LearnError::Unfinished { .. })));
        train.begin = Begin::Resume;
        let resumed = left_alone(&train, &pools, count);
        let far = distance(&whole, &resumed);
        assert!(far < 1e-5, "resumed on {count} ranks: {far}");
        assert_eq!(log(&train).len(), 4);
        if count == 2 {
            let same = training(folder.path(), "two");
            left_alone(&same, &pools, 2);
            assert!(
                file(&same) == file(&train),
                "the same number, the same bits"
            );
        }
    }
}

/// Removes the graphs at the beginning of the third epoch, so that whoever reads next fails.
fn remove_graphs(train: &Train) -> impl Fn(&TrainProgress, &[AtomicBool]) + Sync {
    let folder = train.out.as_ref().unwrap().with_extension("training");
    move |progress, _| {
        if let TrainProgress::Epoch(report) = progress
            && report.epoch == 2
        {
            std::fs::remove_dir_all(folder.join("graphs")).unwrap();
        }
    }
}

#[test]
fn an_error_of_one_rank_reaches_all() {
    let folder = tempfile::tempdir().unwrap();
    let pools = pools(folder.path());
    let train = training(folder.path(), "unreadable");
    let (led, assisted) = trained(&train, &pools, 3, &remove_graphs(&train));
    for error in [led.err(), assisted.into_iter().next().unwrap().err()] {
        let error = error.unwrap().to_string();
        assert!(error.contains(".graph: "), "{error}");
    }
    // Rank 0 alone finds that there is an unfinished training; the others hear of it.
    let (led, assisted) = trained(&train, &pools, 3, &|_, _| {});
    assert!(matches!(led, Err(LearnError::Unfinished { .. })));
    for error in assisted {
        let Err(LearnError::OtherRank { rank: 0, message }) = error else {
            panic!("{error:?}");
        };
        assert!(message.contains("interrupted after"), "{message}");
    }
    // Files that rank 0 alone writes: the log is a folder now.
    let train = training(folder.path(), "unwritable");
    let log = train.out.as_ref().unwrap().with_extension("log.jsonl");
    let watch = |progress: &TrainProgress, _: &[AtomicBool]| {
        if let TrainProgress::Batch { epoch: 2, .. } = progress {
            let _ = std::fs::remove_file(&log);
        }
    };
    let (led, assisted) = trained(&train, &pools, 2, &watch);
    assert!(matches!(led, Err(LearnError::Io { .. })));
    let told = assisted.into_iter().next().unwrap();
    assert!(
        matches!(told, Err(LearnError::OtherRank { rank: 0, .. })),
        "{told:?}"
    );
}

#[test]
fn a_rank_that_does_not_see_the_graphs_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let pools = pools(folder.path());
    let here = training(folder.path(), "here");
    let elsewhere = training(folder.path(), "elsewhere");
    let mut ranks = thread_ranks(2).into_iter();
    let [first, second] = [0, 1].map(|_| ranks.next().unwrap());
    let (led, assisted) = std::thread::scope(|scope| {
        let assisting = scope.spawn(|| {
            let ended = elsewhere.assist(&second, &mut TrainControl::default());
            drop(second);
            ended
        });
        let led = here.lead(
            &Examples::open(&pools).unwrap(),
            &first,
            &mut TrainControl::default(),
        );
        (led, assisting.join().unwrap())
    });
    let error = assisted.unwrap_err().to_string();
    assert!(
        error.contains("all nodes must share this folder"),
        "{error}"
    );
    let error = led.err().unwrap().to_string();
    assert!(error.starts_with("rank 1: "), "{error}");
}

#[test]
fn a_rank_that_dies_ends_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let pools = pools(folder.path());
    let train = training(folder.path(), "dead");
    let mut ranks = thread_ranks(2).into_iter();
    let [first, second] = [0, 1].map(|_| ranks.next().unwrap());
    // It takes part in the first exchanges and then is gone.
    let led = std::thread::scope(|scope| {
        scope.spawn(move || {
            for _ in 0..2 {
                let _ = second.gather(b"{\"Done\":null}");
            }
        });
        train.lead(
            &Examples::open(&pools).unwrap(),
            &first,
            &mut TrainControl::default(),
        )
    });
    assert!(matches!(led, Err(LearnError::LostRank { rank: 1 })));
}

#[test]
fn other_kinds_are_for_rank_0_alone() {
    let folder = tempfile::tempdir().unwrap();
    let pools = pools(folder.path());
    let mut train = training(folder.path(), "frequencies");
    train.recipe = Recipe::ZeroFrequency(Default::default());
    let (led, assisted) = trained(&train, &pools, 2, &|_, _| {});
    assert!(led.is_ok());
    assert_eq!(assisted[0].as_ref().unwrap(), &None);
}
