//! The training itself, from a folder of pools to a predictor.

use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use idpas_base::random::Random;
use idpas_graph::{FeatureSet, Registry, Widths};
use idpas_nn::{Adam, Config, Network, clip_norm};

use super::Settings;
use super::batch::{Feed, side_by_side};
use super::beside::Beside;
use super::checkpoint::{self, State, work_folder};
use super::control::{Stage, TrainControl, TrainProgress};
use super::history::{EpochReport, History};
use super::prepare::{Prepared, prepare};
use crate::calibration::{Calibration, CalibrationFit};
use crate::metrics::Summary;
use crate::{Examples, Gnn, LearnError, LearnedSet, Nearest};

/// The file of an unfinished training in its folder.
const CHECKPOINT: &str = "checkpoint.safetensors";

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
    let prepared = prepare(examples, &folder, settings, control)?;
    let beside = match settings.identity {
        true => Beside::learn(examples, &prepared.registry, settings.weighting, control)?,
        false => Beside::default(),
    };
    // From here on graphs are read from disk, and examples are no longer needed.
    examples.forget();
    let data = examples.fingerprint()?;
    let mut state = fresh(settings, &prepared)?;
    if begin == Begin::Resume && saved.exists() {
        checkpoint::read(&saved, &mut state, settings, &data)?;
    }
    let mut run = Run {
        feed: Feed {
            graphs: &prepared.graphs,
            standardisation: &prepared.standardisation,
            identity_bits: settings.identity.then(|| prepared.registry.bits()),
            history: prepared.registry.instances(),
            dropout: settings.identity_dropout,
            targets: settings.targets,
            seed: settings.seed,
            idle: Mutex::new(Vec::new()),
            small: side_by_side(prepared.most_edges),
        },
        train: prepared.train.iter().map(String::as_str).collect(),
        validation: prepared.validation.iter().map(String::as_str).collect(),
        history: History::open(model, state.place.epoch)?,
        settings,
        clock: Clock {
            before: state.place.seconds,
            since: Instant::now(),
            limit: time_limit,
        },
        state,
        save: Box::new(|state: &State| checkpoint::write(&saved, state, settings, &data)),
        saved: Instant::now(),
    };
    let stopped = run.epochs(control)?;
    if run.state.place.best_epoch == 0 {
        return Err(LearnError::Interrupted);
    }
    run.finish(stopped, &prepared, beside, control)
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

fn fresh(settings: &Settings, prepared: &Prepared) -> Result<State, LearnError> {
    let bits = settings.identity.then(|| prepared.registry.bits());
    let widths = Widths::new(settings.features, bits);
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

type Save<'a> = Box<dyn Fn(&State) -> Result<(), LearnError> + 'a>;

struct Run<'a> {
    feed: Feed<'a>,
    train: Vec<&'a str>,
    validation: Vec<&'a str>,
    history: History,
    settings: &'a Settings,
    clock: Clock,
    state: State,
    save: Save<'a>,
    saved: Instant,
}

impl Run<'_> {
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
        self.keep()?;
        self.history.draw()?;
        Ok(stopped)
    }

    /// Trains one epoch, or the rest of it; returns why it ended early, `None` if it did not.
    fn epoch(&mut self, control: &mut TrainControl) -> Result<Option<Stopped>, LearnError> {
        let epoch = self.state.place.epoch + 1;
        let mut order = self.train.clone();
        Random::new(self.settings.seed, "order", epoch as u64).shuffle(&mut order);
        let batches: Vec<&[&str]> = order.chunks(self.settings.batch).collect();
        let mut rate = 0.0;
        while self.state.place.batch < batches.len() {
            if control.is_interrupted() {
                return Ok(Some(Stopped::Interrupted));
            }
            // The first epoch is always finished, so that there are weights to keep.
            if self.clock.is_over() && epoch > 1 {
                return Ok(Some(Stopped::TimeLimit));
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
            if self.saved.elapsed() >= SAVE_EVERY && at + 1 < batches.len() {
                self.keep()?;
            }
        }
        self.close(epoch, rate, control)?;
        Ok(None)
    }

    fn step(
        &mut self,
        batch: &[&str],
        epoch: usize,
        at: usize,
        batches: usize,
    ) -> Result<f64, LearnError> {
        let steps = self.settings.epochs * batches;
        let rate = self.settings.rate_at((epoch - 1) * batches + at, steps);
        let state = &mut self.state;
        let mut gradient = vec![0.0f32; state.network.parameters().len()];
        let loss = self
            .feed
            .learn(&state.network, batch, epoch, &mut gradient)?;
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
        let train_loss = self.state.place.loss / self.train.len() as f64;
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
        self.history.add(report)?;
        // Very short epochs do not each write a checkpoint.
        if epoch == 1 || self.saved.elapsed() >= SAVE_EVERY / 5 {
            self.keep()?;
        }
        Ok(())
    }

    fn keep(&mut self) -> Result<(), LearnError> {
        self.state.place.seconds = self.clock.seconds();
        (self.save)(&self.state)?;
        self.saved = Instant::now();
        Ok(())
    }

    /// Mean loss and measures on the validation set; `None` if it is empty.
    fn validate(
        &self,
        network: &Network,
        with_identity: bool,
    ) -> Result<Option<(f64, Summary)>, LearnError> {
        if self.validation.is_empty() {
            return Ok(None);
        }
        let mut loss = 0.0;
        let mut measured = Vec::new();
        self.feed
            .judge(network, &self.validation, with_identity, |judged| {
                loss += judged.loss;
                measured.push(judged.measure());
            })?;
        let mean = loss / self.validation.len() as f64;
        Ok(Some((mean, Summary::of(&measured))))
    }

    /// Calibrates and measures the best weights.
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
        self.feed.judge(network, &self.validation, true, |judged| {
            let truth = &judged.truth;
            fit.add(&truth.classes, &judged.scores, &truth.targets);
        })?;
        let calibration = fit.fit();
        let judge = |with_identity| -> Result<Option<Summary>, LearnError> {
            if self.validation.is_empty() {
                return Ok(None);
            }
            let mut measured = Vec::new();
            self.feed
                .judge(network, &self.validation, with_identity, |mut judged| {
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
