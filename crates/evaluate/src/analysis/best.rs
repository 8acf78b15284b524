//! The best objective value known of each instance, and which run found it.

use crate::EvaluateError;
use crate::results::{Outline, REFERENCE, Results};

use super::Runs;

/// The best objective value known of an instance.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Known {
    pub(super) value: f64,
    /// Which run found it, in words.
    pub(super) by: String,
}

/// The best value of each instance over all runs, those of the reference included, and the files that earlier runs
/// left; `None` where no run found a solution.
pub(super) fn best_known(
    results: &Results,
    outline: &Outline,
    runs: &[Runs<'_>],
) -> Result<Vec<Option<Known>>, EvaluateError> {
    let mut all = Vec::new();
    for (at, instance) in outline.instances.iter().enumerate() {
        let mut best: Option<Known> = None;
        let mut offer = |value: f64, by: &dyn Fn() -> String| {
            let better = best
                .as_ref()
                .is_none_or(|old| instance.sense.is_better(value, old.value));
            if better {
                best = Some(Known { value, by: by() });
            }
        };
        for runs in runs {
            for record in runs.records[at].iter().flatten() {
                if let Some(&(_, value)) = record.trajectory.last() {
                    let by = || match record.seed {
                        0 => record.label.clone(),
                        seed => format!("{}, seed {seed}", record.label),
                    };
                    offer(value, &by);
                }
            }
        }
        let kept = results.best(&outline.name, &instance.name)?;
        if let Some(kept) = kept.filter(|kept| kept.instance_sha256 == instance.sha256) {
            let by = || match kept.label.as_str() {
                REFERENCE => "the longer run for reference".to_owned(),
                label => format!("an earlier run of {label}"),
            };
            offer(kept.objective, &by);
        }
        all.push(best);
    }
    Ok(all)
}
