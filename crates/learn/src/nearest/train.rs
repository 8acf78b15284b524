//! Stores the training instances, and chooses the number of neighbours.

use idpas_graph::Registry;
use idpas_pools::pool::Weighting;
use idpas_pools::split::Part;

use super::{ABSENT, CANDIDATES, DEFAULT_NEIGHBOURS, Nearest, NearestSettings, SparseRows, point};
use crate::metrics::measure;
use crate::{LearnError, ParameterSpace, Source, Truth, Watch, ZeroFrequency};

impl Nearest {
    /// Learns from the training set, and chooses the number of neighbours by the validation set.
    pub fn train(
        source: &dyn Source,
        registry: &Registry,
        settings: &NearestSettings,
        weighting: Weighting,
        watch: Watch,
    ) -> Result<Self, LearnError> {
        if settings.neighbours == Some(0) {
            return Err(LearnError::Setting {
                name: "neighbours",
                message: "0; expected at least 1".into(),
            });
        }
        let space = ParameterSpace::learn(source, registry, &settings.parameters, watch)?;
        let mut nearest = Nearest {
            settings: *settings,
            neighbours: settings.neighbours.unwrap_or(DEFAULT_NEIGHBOURS),
            space,
            points: Vec::new(),
            targets: SparseRows::default(),
            solutions: SparseRows::default(),
            frequency: ZeroFrequency::new(),
        };
        for name in source.names(Part::Train) {
            watch.check()?;
            nearest.remember(name, source, registry, weighting)?;
        }
        if settings.neighbours.is_none() {
            nearest.choose(source, registry, weighting, watch)?;
        }
        Ok(nearest)
    }

    fn remember(
        &mut self,
        name: &str,
        source: &dyn Source,
        registry: &Registry,
        weighting: Weighting,
    ) -> Result<(), LearnError> {
        let example = source.load(name)?;
        let (model, pool) = (&example.model, &example.pool);
        let identities = registry.identify(model);
        let targets = Truth::new(model, pool, weighting).discrete_targets();
        self.points
            .extend(point(&self.space, model, &identities, registry));
        self.frequency.add(&identities.index, &targets);
        let known = || identities.index.iter().zip(0..);
        let mut row = Vec::new();
        let mut there = vec![false; registry.len()];
        for (identity, j) in known() {
            let Some(identity) = *identity else { continue };
            there[identity as usize] = true;
            if !targets[j].is_nan() {
                row.push((identity, f64::from(targets[j])));
            }
        }
        let absent = there.iter().zip(0..).filter(|(there, _)| !**there);
        row.extend(absent.map(|(_, identity)| (identity, ABSENT)));
        self.targets.push(row);
        let best = pool.solutions.first().map(|best| best.values.as_slice());
        let values = known().filter_map(|(identity, j)| Some(((*identity)?, best?[j])));
        self.solutions.push(values.collect());
        Ok(())
    }

    /// Chooses the number of neighbours with the least Brier score on the validation set. Unlike the log loss, it is
    /// not dominated by a few scores near 0 and 1 that are wrong.
    fn choose(
        &mut self,
        source: &dyn Source,
        registry: &Registry,
        weighting: Weighting,
        watch: Watch,
    ) -> Result<(), LearnError> {
        let mut sums = [0.0; CANDIDATES.len()];
        for name in source.names(Part::Validation) {
            watch.check()?;
            let example = source.load(name)?;
            let truth = Truth::new(&example.model, &example.pool, weighting);
            let identities = registry.identify(&example.model);
            let all = self.nearest(&example.model, &identities, registry);
            for (sum, k) in sums.iter_mut().zip(CANDIDATES) {
                let scores = self.scores_of(&identities, &all[..k.min(all.len())]);
                *sum += measure(&truth, &scores).all.brier.unwrap_or(0.0);
            }
        }
        let mut best = CANDIDATES.iter().position(|&k| k == DEFAULT_NEIGHBOURS);
        for (at, &k) in CANDIDATES.iter().enumerate() {
            let better = best.is_none_or(|best| sums[at] < sums[best]);
            if better && k <= self.targets.len() {
                best = Some(at);
            }
        }
        self.neighbours = best.map_or(DEFAULT_NEIGHBOURS, |at| CANDIDATES[at]);
        Ok(())
    }
}
