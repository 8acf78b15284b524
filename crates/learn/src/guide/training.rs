//! Training a guide from a folder of pools in one call.

use std::path::PathBuf;

use idpas_mip::files::remove_left_behind_beside;

use super::Guide;
use crate::recipe::{Learned, Recipe, learn_with};
use crate::threads::on_threads;
use crate::train::ranks::{Alone, Ranks};
use crate::train::{Begin, Stopped, TrainControl, assist, finish};
use crate::{Examples, LearnError, PredictorKind};

/// How a guide is trained.
#[derive(Clone, Debug)]
pub struct Train {
    /// What is trained, with its settings. The graph network by default.
    pub recipe: Recipe,
    /// Where the model is written, with log, plot and checkpoint beside it. Without a path it stays in memory, and an
    /// interrupted training cannot be resumed.
    pub out: Option<PathBuf>,
    /// Whether to begin, to resume an interrupted training, or to throw one away.
    pub begin: Begin,
    /// Seconds of training, at most.
    pub time_limit: Option<f64>,
    /// Threads; one per processor if not given.
    pub threads: Option<usize>,
}

impl Default for Train {
    fn default() -> Self {
        Train {
            recipe: Recipe::Gnn(crate::train::Settings::default()),
            out: None,
            begin: Begin::New,
            time_limit: None,
            threads: None,
        }
    }
}

impl Train {
    /// Trains on a folder of pools, and writes the model if a path is given. The checkpoint of a training that came to
    /// its end is removed; one that was interrupted keeps it.
    pub fn run(
        &self,
        family: &Examples,
        control: &mut TrainControl<'_>,
    ) -> Result<Learned, LearnError> {
        self.lead(family, &Alone, control)
    }

    /// As [`run`](Self::run), as rank 0 of processes that train a graph network together. The others [`assist`](Self::assist)
    /// with the same value of this type. A training that was interrupted can be resumed with any number of ranks.
    pub fn lead(
        &self,
        family: &Examples,
        ranks: &dyn Ranks,
        control: &mut TrainControl<'_>,
    ) -> Result<Learned, LearnError> {
        let folder;
        let path = match &self.out {
            Some(path) => {
                remove_left_behind_beside(path);
                path.clone()
            }
            None => {
                folder = tempfile::tempdir()
                    .map_err(|error| LearnError::io(&std::env::temp_dir(), error))?;
                folder.path().join("model.safetensors")
            }
        };
        let learned = on_threads(self.threads, || {
            learn_with(
                family,
                &path,
                &self.recipe,
                self.begin,
                self.time_limit,
                ranks,
                control,
            )
        })??;
        if self.out.is_some() {
            learned.model.write(&path)?;
            let is_interrupted = learned.stopped == Some(Stopped::Interrupted);
            if !is_interrupted && self.recipe.kind() == PredictorKind::Gnn {
                finish(&path)?;
            }
        }
        Ok(learned)
    }

    /// Takes part in a training that rank 0 leads, as another rank. Needs [`out`](Self::out), beside which all ranks find
    /// the graphs. Returns why the training ended; `None` at once for kinds of predictors that rank 0 trains by itself.
    pub fn assist(
        &self,
        ranks: &dyn Ranks,
        control: &mut TrainControl<'_>,
    ) -> Result<Option<Stopped>, LearnError> {
        if self.recipe.kind() != PredictorKind::Gnn {
            return Ok(None);
        }
        let path = self.out.as_ref().ok_or_else(|| {
            LearnError::Ranks("training on several ranks needs a file for the model".into())
        })?;
        let stopped = on_threads(self.threads, || assist(path, ranks, control))??;
        Ok(Some(stopped))
    }
}

impl Guide {
    /// Trains a guide on a folder of pools.
    pub fn train(
        family: &Examples,
        train: &Train,
        control: &mut TrainControl<'_>,
    ) -> Result<Self, LearnError> {
        Guide::new(train.run(family, control)?.model)
    }
}
