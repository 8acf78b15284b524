//! The training itself, from a folder of pools to a predictor.

use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use idpas_base::random::Random;
use idpas_graph::{FeatureSet, Registry, Standardisation, Widths};
use idpas_nn::{Adam, Config, Network, clip_norm};
use serde::{Deserialize, Serialize};

use super::Settings;
use super::batch::{Feed, side_by_side};
use super::beside::Beside;
use super::checkpoint::{self, State, work_folder};
use super::control::{Stage, TrainControl, TrainProgress};
use super::graphs::Graphs;
use super::history::{EpochReport, History};
use super::prepare::{ListedGraph, Prepared, prepare};
use super::ranks::{Alone, Ranks, deal, settle, share, share_of};
use crate::calibration::{Calibration, CalibrationFit};
use crate::metrics::{InstanceMetrics, Summary};
use crate::{Examples, Gnn, LearnError, LearnedSet, Nearest};

/// The file of an unfinished training in its folder.
const CHECKPOINT: &str = "checkpoint.safetensors";

/// The folder of graphs in the same folder.
const GRAPHS: &str = "graphs";

/// Longest time between checkpoints: no more work than this, and a batch, is lost when the program is killed.
const SAVE_EVERY: Duration = Duration::from_secs(10);

/// What to do with an unfinished training of the same model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Begin {
    /// Fail if there is one.
    #[default]
    New,
    /// Continue it; start from the beginning if there is none.
    Resume,
    /// Delete it and start from the beginning.
    Restart,
}

/// Why a training ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stopped {
    /// All epochs are done.
    Epochs,
    /// The validation loss stopped improving.
    Patience,
    /// The time limit was reached.
    TimeLimit,
    /// It was interrupted; it can be resumed.
    Interrupted,
}

/// The result of a training.
pub struct Outcome {
    /// The predictor with the best weights.
    pub predictor: Gnn,
    /// The names and identities that it knows.
    pub registry: Registry,
    /// Turns its scores into probabilities.
    pub calibration: Calibration,
    /// Why it ended.
    pub stopped: Stopped,
    /// Number of epochs done.
    pub epochs: usize,
    /// The epoch whose weights were kept, counted from 1.
    pub best_epoch: usize,
    /// Loss of that epoch on the validation set, or on the training set if there is no validation set.
    pub best_loss: f64,
    /// The past solutions of the training set; `None` for a network that does not go by identities.
    pub past: Option<Nearest>,
    /// The sets of scores that go without the network: past zeros and past solutions.
    pub other_sets: Vec<LearnedSet>,
    /// Measures of the calibrated scores on the validation set.
    pub validation: Option<Summary>,
    /// Measures on the validation set with all identities hidden.
    pub validation_without_identity: Option<Summary>,
    /// Number of instances in the training set and in the validation set.
    pub instances: [usize; 2],
    /// Number of instances without a relaxation, although the features need one.
    pub without_relaxation: usize,
    /// Seconds of training, including those before a resume.
    pub seconds: f64,
}

/// Trains a network on the pools of a folder. Checkpoints, the log and a plot of the losses are kept beside `model`,
/// the file to which the caller will write the model; [`finish`] removes what is no longer needed.
pub fn train(
    examples: &Examples,
    model: &Path,
    settings: &Settings,
    begin: Begin,
    time_limit: Option<f64>,
    control: &mut TrainControl,
) -> Result<Outcome, LearnError> {
    lead(
        examples, model, settings, begin, time_limit, &Alone, control,
    )
}

/// As [`train`], as rank 0 of processes that train together; the others [`assist`].
pub fn lead(
    examples: &Examples,
    model: &Path,
    settings: &Settings,
    begin: Begin,
    time_limit: Option<f64>,
    ranks: &dyn Ranks,
    control: &mut TrainControl,
) -> Result<Outcome, LearnError> {
    let made = plan(examples, model, settings, begin, control);
    let ((prepared, beside, plan), _) = share_of(ranks, made, |(_, _, plan)| Some(plan.clone()))?;
    let mut run = Run::new(&plan, model, &prepared.graphs, time_limit, ranks)?;
    let stopped = run.epochs(control)?;
    let outcome = run.finish(stopped, &prepared, beside, control);
    settle(ranks, outcome)
}

/// Takes part in a training as a rank other than 0. All it needs comes from the one that leads, and from the folder beside
/// `model`, which must be the same for all ranks. Returns why the training ended.
pub fn assist(
    model: &Path,
    ranks: &dyn Ranks,
    control: &mut TrainControl,
) -> Result<Stopped, LearnError> {
    let plan = share(ranks, Ok(None::<Plan>))?.swap_remove(0);
    let plan = plan.ok_or_else(|| LearnError::Ranks("rank 0 does not lead".into()))?;
    let graphs = Graphs::of_others(work_folder(model).join(GRAPHS));
    let mut run = Run::new(&plan, model, &graphs, None, ranks)?;
    let stopped = run.epochs(control)?;
    settle(ranks, Ok(stopped))
}

/// Everything about a training that all ranks must know.
#[derive(Clone, Serialize, Deserialize)]
struct Plan {
    settings: Settings,
    /// Hash of the pools.
    data: String,
    /// Whether there is a checkpoint to go on from.
    is_resumed: bool,
    identity_bits: Option<usize>,
    /// Number of instances behind the zero rates.
    history: usize,
    standardisation: Standardisation,
    /// Number of edges of the largest graph.
    most_edges: usize,
    train: Vec<ListedGraph>,
    validation: Vec<ListedGraph>,
}

/// Looks for an unfinished training and makes what a training needs.
fn plan(
    examples: &Examples,
    model: &Path,
    settings: &Settings,
    begin: Begin,
    control: &mut TrainControl,
) -> Result<(Prepared, Beside, Plan), LearnError> {
    settings.validate()?;
    let folder = work_folder(model);
    let saved = folder.join(CHECKPOINT);
    if begin == Begin::New
        && let Some(epochs) = checkpoint::epochs(&saved)
    {
        return Err(LearnError::Unfinished {
            path: saved.display().to_string(),
            epochs,
        });
    }
    if begin == Begin::Restart {
        let _ = std::fs::remove_file(&saved);
    }
    let prepared = prepare(examples, &folder.join(GRAPHS), settings, control)?;
    let beside = match settings.identity {
        true => Beside::learn(examples, &prepared.registry, settings.weighting, control)?,
        false => Beside::default(),
    };
    // From here on graphs are read from disk, and examples are no longer needed.
    examples.forget();
    let plan = Plan {
        settings: settings.clone(),
        data: examples.fingerprint()?,
        is_resumed: begin == Begin::Resume && saved.exists(),
        identity_bits: settings.identity.then(|| prepared.registry.bits()),
        history: prepared.registry.instances(),
        standardisation: prepared.standardisation.clone(),
        most_edges: prepared.most_edges,
        train: prepared.train.clone(),
        validation: prepared.validation.clone(),
    };
    Ok((prepared, beside, plan))
}

/// Whether the training of a model was begun and did not come to its end.
pub fn is_unfinished(model: &Path) -> bool {
    work_folder(model).join(CHECKPOINT).exists()
}

/// Removes the temporary files of a training.
pub fn finish(model: &Path) -> Result<(), LearnError> {
    let folder = work_folder(model);
    match std::fs::remove_dir_all(&folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(LearnError::io(&folder, e)),
        _ => Ok(()),
    }
}

fn fresh(plan: &Plan) -> Result<State, LearnError> {
    let settings = &plan.settings;
    let widths = Widths::new(settings.features, plan.identity_bits);
    let config = Config {
        variable_width: widths.variable,
        row_width: widths.row,
        edge_width: widths.edge,
        embedding: settings.embedding,
        heads: settings.heads,
        head_width: settings.embedding,
        rounds: settings.rounds,
        residual_norm: settings.residual_norm,
    };
    let mut network = Network::new(config, settings.seed)?;
    if settings.features != FeatureSet::Paper {
        // Logits start from those of past solutions, so the network begins by adding zero to them.
        let last = ["output.2.weight", "output.2.bias"].map(|name| network.layout().get(name));
        let ranges: Vec<_> = last
            .into_iter()
            .flatten()
            .map(|e| e.range.clone())
            .collect();
        for range in ranges {
            network.parameters_mut()[range].fill(0.0);
        }
    }
    let mut adam = Adam::new(network.parameters().len());
    adam.weight_decay = settings.weight_decay;
    Ok(State {
        place: Default::default(),
        adam,
        best: network.parameters().to_vec(),
        network,
    })
}

struct Clock {
    before: f64,
    since: Instant,
    limit: Option<f64>,
}

impl Clock {
    fn seconds(&self) -> f64 {
        self.before + self.since.elapsed().as_secs_f64()
    }

    fn is_over(&self) -> bool {
        self.limit.is_some_and(|limit| self.seconds() >= limit)
    }
}

struct Run<'a> {
    plan: &'a Plan,
    settings: &'a Settings,
    feed: Feed<'a>,
    ranks: &'a dyn Ranks,
    clock: Clock,
    state: State,
    /// The files of the training; `None` on ranks that write none.
    files: Option<Files>,
    /// An error of the files that the other ranks do not know of yet.
    trouble: Option<LearnError>,
}

/// The files that rank 0 keeps while a training is under way.
struct Files {
    history: History,
    checkpoint: PathBuf,
    saved: Instant,
}

impl<'a> Run<'a> {
    /// A training at its beginning, or where its checkpoint says.
    fn new(
        plan: &'a Plan,
        model: &Path,
        graphs: &'a Graphs,
        time_limit: Option<f64>,
        ranks: &'a dyn Ranks,
    ) -> Result<Self, LearnError> {
        let checkpoint = work_folder(model).join(CHECKPOINT);
        let begin = || -> Result<_, LearnError> {
            let mut state = fresh(plan)?;
            if plan.is_resumed {
                checkpoint::read(&checkpoint, &mut state, &plan.settings, &plan.data)?;
            }
            if let Some(graph) = plan.train.iter().find(|graph| !graphs.has(&graph.name)) {
                let why = format!("this rank does not see the graph of {}", graph.name);
                let folder = work_folder(model);
                let message = format!(
                    "{}: {why}: all nodes must share this folder",
                    folder.display()
                );
                return Err(LearnError::Ranks(message));
            }
            let files = match ranks.rank() {
                0 => Some(Files {
                    history: History::open(model, state.place.epoch)?,
                    checkpoint: checkpoint.clone(),
                    saved: Instant::now(),
                }),
                _ => None,
            };
            Ok((state, files))
        };
        let (state, files) = settle(ranks, begin())?;
        Ok(Run {
            plan,
            settings: &plan.settings,
            feed: Feed {
                graphs,
                standardisation: &plan.standardisation,
                identity_bits: plan.identity_bits,
                history: plan.history,
                dropout: plan.settings.identity_dropout,
                targets: plan.settings.targets,
                seed: plan.settings.seed,
                idle: Mutex::new(Vec::new()),
                small: side_by_side(plan.most_edges),
            },
            ranks,
            clock: Clock {
                before: state.place.seconds,
                since: Instant::now(),
                limit: time_limit,
            },
            state,
            files,
            trouble: None,
        })
    }

    fn epochs(&mut self, control: &mut TrainControl) -> Result<Stopped, LearnError> {
        let stopped = loop {
            let place = &self.state.place;
            if place.epoch >= self.settings.epochs {
                break Stopped::Epochs;
            }
            if place.best_epoch > 0 && place.epoch - place.best_epoch >= self.settings.patience {
                break Stopped::Patience;
            }
            if let Some(stopped) = self.epoch(control)? {
                break stopped;
            }
        };
        self.keep();
        if let Some(files) = &self.files {
            let drawn = files.history.draw();
            self.note(drawn);
        }
        let written = self.trouble.take().map_or(Ok(()), Err);
        settle(self.ranks, written)?;
        if self.state.place.best_epoch == 0 {
            return Err(LearnError::Interrupted);
        }
        Ok(stopped)
    }

    /// Why the training shall end now, if it shall. All ranks come to the same answer: they would wait for each other
    /// forever otherwise.
    fn stop(
        &mut self,
        epoch: usize,
        control: &TrainControl,
    ) -> Result<Option<Stopped>, LearnError> {
        // The first epoch is always finished, so that there are weights to keep.
        let is_over = self.clock.is_over() && epoch > 1;
        let own = match self.trouble.take() {
            Some(error) => Err(error),
            None => Ok((control.is_interrupted(), is_over)),
        };
        let all = share(self.ranks, own)?;
        if all.iter().any(|(is_interrupted, _)| *is_interrupted) {
            return Ok(Some(Stopped::Interrupted));
        }
        let is_over = all.iter().any(|(_, is_over)| *is_over);
        Ok(is_over.then_some(Stopped::TimeLimit))
    }

    /// Trains one epoch, or the rest of it; returns why it ended early, `None` if it did not.
    fn epoch(&mut self, control: &mut TrainControl) -> Result<Option<Stopped>, LearnError> {
        let epoch = self.state.place.epoch + 1;
        let mut order: Vec<&ListedGraph> = self.plan.train.iter().collect();
        Random::new(self.settings.seed, "order", epoch as u64).shuffle(&mut order);
        let batches: Vec<&[&ListedGraph]> = order.chunks(self.settings.batch).collect();
        let mut rate = 0.0;
        while self.state.place.batch < batches.len() {
            if let Some(stopped) = self.stop(epoch, control)? {
                return Ok(Some(stopped));
            }
            let at = self.state.place.batch;
            rate = self.step(batches[at], epoch, at, batches.len())?;
            let done = batches[..=at].iter().map(|batch| batch.len()).sum();
            control.tell(&TrainProgress::Batch {
                epoch,
                epochs: self.settings.epochs,
                done,
                total: order.len(),
                loss: self.state.place.loss / done as f64,
                rate,
            });
            if self.is_unsaved_for(SAVE_EVERY) && at + 1 < batches.len() {
                self.keep();
            }
        }
        self.close(epoch, rate, control)?;
        Ok(None)
    }

    fn step(
        &mut self,
        batch: &[&ListedGraph],
        epoch: usize,
        at: usize,
        batches: usize,
    ) -> Result<f64, LearnError> {
        let steps = self.settings.epochs * batches;
        let rate = self.settings.rate_at((epoch - 1) * batches + at, steps);
        let state = &mut self.state;
        let mut gradient = vec![0.0f32; state.network.parameters().len()];
        let sizes: Vec<usize> = batch.iter().map(|graph| graph.size).collect();
        let hands = deal(&sizes, self.ranks.count());
        let own = hands[self.ranks.rank()].iter();
        let own: Vec<&str> = own.map(|&k| batch[k].name.as_str()).collect();
        let share_of_each = 1.0 / batch.len() as f32;
        let losses = self
            .feed
            .learn(&state.network, &own, share_of_each, epoch, &mut gradient);
        let losses = losses.map(|losses| losses.into_iter().map(f64::to_bits).collect());
        let losses = in_order(&hands, share::<Vec<u64>>(self.ranks, losses)?);
        let loss = losses
            .into_iter()
            .map(f64::from_bits)
            .fold(0.0, |a, b| a + b);
        self.ranks.sum(&mut gradient)?;
        if self.settings.clip > 0.0 {
            clip_norm(&mut gradient, self.settings.clip);
        }
        let parameters = state.network.parameters_mut();
        state.adam.step(parameters, &gradient, rate);
        state.place.loss += loss;
        state.place.batch += 1;
        Ok(rate)
    }

    /// Measures the weights after an epoch, and keeps them if they are the best.
    fn close(
        &mut self,
        epoch: usize,
        rate: f64,
        control: &mut TrainControl,
    ) -> Result<(), LearnError> {
        self.compare_weights()?;
        let train_loss = self.state.place.loss / self.plan.train.len() as f64;
        let judged = self.validate(&self.state.network, true)?;
        let without = match self.settings.identity {
            true => self.validate(&self.state.network, false)?,
            false => None,
        };
        let loss = judged.as_ref().map_or(train_loss, |(loss, _)| *loss);
        let place = &mut self.state.place;
        place.epoch = epoch;
        place.batch = 0;
        place.loss = 0.0;
        place.seconds = self.clock.seconds();
        let best = loss < place.best_loss;
        if best {
            place.best_loss = loss;
            place.best_epoch = epoch;
            self.state
                .best
                .copy_from_slice(self.state.network.parameters());
        }
        let (validation_loss, validation) = judged.unzip();
        let (without_loss, without) = without.unzip();
        let report = EpochReport {
            epoch,
            train_loss,
            validation_loss,
            validation_loss_without_identity: without_loss,
            rate,
            best,
            seconds: self.state.place.seconds,
            validation,
            validation_without_identity: without,
        };
        control.tell(&TrainProgress::Epoch(&report));
        if let Some(files) = &mut self.files {
            let added = files.history.add(report);
            self.note(added);
        }
        // Very short epochs do not each write a checkpoint.
        if epoch == 1 || self.is_unsaved_for(SAVE_EVERY / 5) {
            self.keep();
        }
        Ok(())
    }

    /// Fails if ranks have different weights, which means that they are different programs.
    fn compare_weights(&self) -> Result<(), LearnError> {
        if self.ranks.count() == 1 {
            return Ok(());
        }
        let mut hasher = DefaultHasher::new();
        for parameter in self.state.network.parameters() {
            hasher.write_u32(parameter.to_bits());
        }
        let all = share(self.ranks, Ok(hasher.finish()))?;
        match all.iter().position(|hash| *hash != all[0]) {
            Some(rank) => Err(LearnError::Ranks(format!(
                "the weights of rank {rank} are not those of rank 0: are all nodes running the same program?"
            ))),
            None => Ok(()),
        }
    }

    /// Whether this rank writes checkpoints, and has written none for this long.
    fn is_unsaved_for(&self, time: Duration) -> bool {
        let files = self.files.as_ref();
        files.is_some_and(|files| files.saved.elapsed() >= time)
    }

    /// Writes a checkpoint, on the rank that does.
    fn keep(&mut self) {
        self.state.place.seconds = self.clock.seconds();
        let Some(files) = &mut self.files else {
            return;
        };
        let Plan { settings, data, .. } = self.plan;
        let kept = checkpoint::write(&files.checkpoint, &self.state, settings, data);
        files.saved = Instant::now();
        self.note(kept);
    }

    /// Remembers an error of this rank alone until all ranks meet.
    fn note(&mut self, done: Result<(), LearnError>) {
        if let Err(error) = done {
            self.trouble.get_or_insert(error);
        }
    }

    /// Mean loss and measures on the validation set; `None` if it is empty.
    fn validate(
        &self,
        network: &Network,
        with_identity: bool,
    ) -> Result<Option<(f64, Summary)>, LearnError> {
        let graphs = &self.plan.validation;
        if graphs.is_empty() {
            return Ok(None);
        }
        let sizes: Vec<usize> = graphs.iter().map(|graph| graph.size).collect();
        let hands = deal(&sizes, self.ranks.count());
        let own = hands[self.ranks.rank()].iter();
        let own: Vec<&str> = own.map(|&k| graphs[k].name.as_str()).collect();
        let mut results = Vec::new();
        let judged = self.feed.judge(network, &own, with_identity, |judged| {
            results.push((judged.loss.to_bits(), judged.measure()));
        });
        let all: Vec<Vec<(u64, InstanceMetrics)>> = share(self.ranks, judged.map(|()| results))?;
        let (losses, measured): (Vec<u64>, Vec<_>) = in_order(&hands, all).into_iter().unzip();
        let loss = losses
            .into_iter()
            .map(f64::from_bits)
            .fold(0.0, |a, b| a + b);
        let mean = loss / graphs.len() as f64;
        Ok(Some((mean, Summary::of(&measured))))
    }

    /// Calibrates and measures the best weights. Rank 0 does so by itself.
    fn finish(
        mut self,
        stopped: Stopped,
        prepared: &Prepared,
        beside: Beside,
        control: &mut TrainControl,
    ) -> Result<Outcome, LearnError> {
        control.tell(&TrainProgress::Step {
            stage: Stage::Judging,
            done: 0,
            total: 1,
        });
        let best = self.state.best.clone();
        self.state.network.parameters_mut().copy_from_slice(&best);
        let network = &self.state.network;
        let mut fit = CalibrationFit::default();
        let names: Vec<&str> = self
            .plan
            .validation
            .iter()
            .map(|graph| graph.name.as_str())
            .collect();
        self.feed.judge(network, &names, true, |judged| {
            let truth = &judged.truth;
            fit.add(&truth.classes, &judged.scores, &truth.targets);
        })?;
        let calibration = fit.fit();
        let judge = |with_identity| -> Result<Option<Summary>, LearnError> {
            if names.is_empty() {
                return Ok(None);
            }
            let mut measured = Vec::new();
            self.feed
                .judge(network, &names, with_identity, |mut judged| {
                    calibration.apply(&judged.truth.classes, &mut judged.scores);
                    measured.push(judged.measure());
                })?;
            Ok(Some(Summary::of(&measured)))
        };
        let validation = judge(true)?;
        let validation_without_identity = match self.settings.identity {
            true => judge(false)?,
            false => None,
        };
        let bits = self.feed.identity_bits;
        let place = self.state.place;
        let (standardisation, history) = (prepared.standardisation.clone(), self.feed.history);
        let profile = prepared.profile.clone();
        let predictor = Gnn::new(self.state.network, standardisation, profile, bits, history)
            .map_err(|why| LearnError::File {
                path: "the trained network".into(),
                what: "model",
                why,
            })?;
        Ok(Outcome {
            predictor,
            registry: prepared.registry.clone(),
            calibration,
            stopped,
            epochs: place.epoch,
            best_epoch: place.best_epoch,
            best_loss: place.best_loss,
            past: beside.past,
            other_sets: beside.sets,
            validation,
            validation_without_identity,
            instances: [prepared.train.len(), prepared.validation.len()],
            without_relaxation: prepared.without_relaxation,
            seconds: place.seconds,
        })
    }
}

/// What ranks have made of the pieces that were dealt out to them, in the order of the pieces.
fn in_order<T>(hands: &[Vec<usize>], made: Vec<Vec<T>>) -> Vec<T> {
    let hands = hands.iter().flatten();
    let mut all: Vec<(&usize, T)> = hands.zip(made.into_iter().flatten()).collect();
    all.sort_by_key(|(piece, _)| *piece);
    all.into_iter().map(|(_, made)| made).collect()
}
