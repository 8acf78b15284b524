//! The first pass over the data: identities, zero rates, statistics, and graphs on disk.

use std::path::Path;

use idpas_graph::{FeatureSet, Profile, RawGraph, Registry, Standardisation, Standardiser, build};
use idpas_pools::pool::Weighting;
use idpas_pools::split::Part;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::graphs::{Graphs, StoredGraph};
use super::{Settings, Stage, TrainControl};
use crate::truth::Truth;
use crate::{Example, Examples, LearnError};

/// Everything that training needs to know of its data.
pub(super) struct Prepared {
    pub(super) registry: Registry,
    pub(super) profile: Profile,
    pub(super) standardisation: Standardisation,
    pub(super) graphs: Graphs,
    pub(super) train: Vec<ListedGraph>,
    pub(super) validation: Vec<ListedGraph>,
    /// Number of edges of the largest graph.
    pub(super) most_edges: usize,
    /// Number of instances whose pool has no relaxation although the features need one.
    pub(super) without_relaxation: usize,
}

/// A graph on disk, and how much work it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ListedGraph {
    /// Name of the instance.
    pub(super) name: String,
    /// Number of its nodes and edges.
    pub(super) size: usize,
}

/// Number of folds of the training set, by which the zero rates that its instances see are computed.
const FOLDS: usize = 5;

/// The names that training knows, and how often each variable was zero: the basis of every predictor.
pub fn register(
    examples: &Examples,
    weighting: Weighting,
    control: &mut TrainControl,
) -> Result<Registry, LearnError> {
    Ok(register_folds(examples, weighting, 0, control)?.0)
}

/// As [`register`], and also once for each fold, without the rates of the instances in it; the k-th instance is in
/// fold k modulo their number. Leaving out only the instance itself would reveal its label to a network that knows the
/// variable: the rate would be a little lower exactly where the label is higher.
fn register_folds(
    examples: &Examples,
    weighting: Weighting,
    folds: usize,
    control: &mut TrainControl,
) -> Result<(Registry, Vec<Registry>), LearnError> {
    let train = examples.names(Part::Train);
    if train.is_empty() {
        return Err(LearnError::pools(
            examples.folder(),
            "no instance of the training set has a pool",
        ));
    }
    let mut registry = Registry::new();
    // Two passes, because the kind of identities is only known after the last instance.
    let total = 2 * train.len();
    let mut done = 0;
    in_order(examples, &train, |example| {
        registry.add_instance(&example.model);
        done += 1;
        control.report(Stage::Reading, done, total)
    })?;
    let mut without: Vec<Registry> = (0..folds).map(|_| registry.clone()).collect();
    let mut number = 0;
    in_order(examples, &train, |example| {
        let truth = Truth::new(&example.model, &example.pool, weighting);
        let identities = registry.identify(&example.model);
        let targets = truth.discrete_targets();
        registry.add_targets(&identities.index, &targets)?;
        for (fold, other) in without.iter_mut().enumerate() {
            if number % folds != fold {
                other.add_targets(&identities.index, &targets)?;
            }
        }
        number += 1;
        done += 1;
        control.report(Stage::Reading, done, total)
    })?;
    Ok((registry, without))
}

/// Makes everything that training needs, with graphs in `folder`.
pub(super) fn prepare(
    examples: &Examples,
    folder: &Path,
    settings: &Settings,
    control: &mut TrainControl,
) -> Result<Prepared, LearnError> {
    let (registry, folds) = register_folds(examples, settings.weighting, FOLDS, control)?;
    let profile = profile(examples, &registry, settings, control)?;
    let graphs = Graphs::open(folder.to_owned())?;
    let mut standardiser = Standardiser::new(settings.features);
    let (mut without_relaxation, mut most_edges) = (0, 0);
    let names = [Part::Train, Part::Validation].map(|part| examples.names(part));
    let total = names[0].len() + names[1].len();
    let mut done = 0;
    let mut listed = [Vec::new(), Vec::new()];
    let parts = [Part::Train, Part::Validation].into_iter().zip(&names);
    for ((part, names), listed) in parts.zip(&mut listed) {
        let numbered: Vec<(usize, &str)> = names.iter().copied().enumerate().collect();
        for chunk in numbered.chunks(2 * rayon::current_num_threads()) {
            let made: Vec<_> = chunk
                .par_iter()
                .map(|(number, name)| {
                    let example = examples.load(name)?;
                    // A training instance must not find its own label in the zero rates.
                    let history = match part {
                        Part::Train => &folds[number % FOLDS],
                        _ => &registry,
                    };
                    graph(&example, &registry, history, &profile, settings)
                })
                .collect();
            for ((_, name), graph) in chunk.iter().zip(made) {
                let (graph, relaxed) = graph?;
                if part == Part::Train {
                    standardiser.observe(&graph.raw)?;
                }
                without_relaxation += usize::from(!relaxed && settings.features.needs_relaxation());
                most_edges = most_edges.max(graph.raw.edges.rows());
                graphs.write(name, &graph)?;
                let RawGraph {
                    variables,
                    rows,
                    edges,
                    ..
                } = &graph.raw;
                listed.push(ListedGraph {
                    name: (*name).to_owned(),
                    size: variables.rows() + rows.rows() + edges.rows(),
                });
                done += 1;
                control.report(Stage::Graphs, done, total)?;
            }
        }
    }
    let [train, validation] = listed;
    Ok(Prepared {
        registry,
        profile,
        standardisation: standardiser.finish(),
        graphs,
        train,
        validation,
        most_edges,
        without_relaxation,
    })
}

/// The usual values in the family, if the network has features for them.
fn profile(
    examples: &Examples,
    registry: &Registry,
    settings: &Settings,
    control: &mut TrainControl,
) -> Result<Profile, LearnError> {
    let mut profile = Profile::default();
    if !settings.identity || settings.features == FeatureSet::Paper {
        return Ok(profile);
    }
    let train = examples.names(Part::Train);
    let mut done = 0;
    in_order(examples, &train, |example| {
        let relaxation = example.pool.relaxation.as_ref();
        let identities = registry.identify(&example.model);
        profile.observe(registry, &identities, &example.model, relaxation)?;
        done += 1;
        control.report(Stage::Reading, done, train.len())
    })?;
    profile.settle();
    Ok(profile)
}

fn graph(
    example: &Example,
    registry: &Registry,
    history: &Registry,
    profile: &Profile,
    settings: &Settings,
) -> Result<(StoredGraph, bool), LearnError> {
    let truth = Truth::new(&example.model, &example.pool, settings.weighting);
    let identities = registry.identify(&example.model);
    let history = history.history(&identities);
    let relaxation = example.pool.relaxation.as_ref();
    let mut raw = build(
        &example.model,
        relaxation,
        settings.features,
        Some(&history),
    )?;
    if settings.identity {
        let model = &example.model;
        let deviations = profile.deviations(registry, &identities, model, relaxation)?;
        raw.set_deviations(&deviations)?;
    }
    let graph = StoredGraph {
        raw,
        identity: identities.index,
        truth,
    };
    Ok((graph, relaxation.is_some()))
}

/// Loads examples, a few at a time and in parallel, and passes them to `each` in order.
fn in_order(
    examples: &Examples,
    names: &[&str],
    mut each: impl FnMut(&Example) -> Result<(), LearnError>,
) -> Result<(), LearnError> {
    for chunk in names.chunks(2 * rayon::current_num_threads()) {
        let loaded: Vec<_> = chunk.par_iter().map(|name| examples.load(name)).collect();
        for example in loaded {
            each(&*example?)?;
        }
    }
    Ok(())
}
