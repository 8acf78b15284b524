//! Which part of the work this process does.

use std::str::FromStr;

use crate::PoolError;

/// One of several processes, possibly on several machines, that share the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which one, from 0.
    pub index: usize,
    /// How many there are. If that is unknown, everyone goes through all instances, beginning at another one,
    /// and claims keep two from taking the same.
    pub count: Option<usize>,
}

impl Default for Shard {
    /// All the work.
    fn default() -> Self {
        Shard {
            index: 0,
            count: Some(1),
        }
    }
}

impl FromStr for Shard {
    type Err = PoolError;

    /// `2/8`: the second of eight.
    fn from_str(text: &str) -> Result<Self, PoolError> {
        let parsed = text.split_once('/').and_then(|(index, count)| {
            let (index, count) = (index.parse().ok()?, count.parse().ok()?);
            (1..=count).contains(&index).then_some((index, count))
        });
        match parsed {
            Some((index, count)) => Ok(Shard {
                index: index - 1,
                count: Some(count),
            }),
            None => Err(PoolError::Setting {
                name: "shard",
                message: format!("`{text}`; expected i/n with i from 1 to n"),
            }),
        }
    }
}

impl Shard {
    /// How many share the work, if it is known to be more than one.
    pub fn parts(&self) -> Option<usize> {
        self.count.filter(|count| *count > 1)
    }

    /// The shard that a scheduler's variables name: a Slurm array task, or a Kubernetes indexed job.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let number = |name: &str| -> Option<usize> { variable(name)?.trim().parse().ok() };
        if let Some(task) = number("SLURM_ARRAY_TASK_ID") {
            let count = number("SLURM_ARRAY_TASK_COUNT");
            let Some(first) = number("SLURM_ARRAY_TASK_MIN") else {
                // Whether numbers begin at 0 or 1, the remainders are all different.
                let index = count.map_or(task, |count| task % count.max(1));
                return Some(Shard { index, count });
            };
            let step = number("SLURM_ARRAY_TASK_STEP").unwrap_or(1).max(1);
            let index = task.saturating_sub(first) / step;
            // An array with holes, as when only some tasks are sent again, has no even split.
            let count = count.filter(|count| index < *count);
            return Some(Shard { index, count });
        }
        let index = number("JOB_COMPLETION_INDEX")?;
        let count = number("JOB_COMPLETIONS").filter(|count| index < *count);
        Some(Shard { index, count })
    }

    /// All of `total` instances, in the order to take them: ours, then those of the shards after ours, and round.
    pub fn all(&self, total: usize) -> Vec<usize> {
        let Some(count) = self.parts() else {
            return self.indices(total);
        };
        let parts = (0..count).map(|k| Shard {
            index: (self.index + k) % count,
            count: Some(count),
        });
        parts.flat_map(|part| part.indices(total)).collect()
    }

    /// Which of `total` instances are ours, in the order to take them.
    pub fn indices(&self, total: usize) -> Vec<usize> {
        match self.count {
            Some(count) => (self.index..total).step_by(count.max(1)).collect(),
            None => {
                // A large odd step spreads the beginnings whatever the number of processes is.
                let begin = if total == 0 {
                    0
                } else {
                    self.index.wrapping_mul(2_654_435_761) % total
                };
                (begin..total).chain(0..begin).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn environment(pairs: &[(&str, &str)]) -> Option<Shard> {
        let find = |name: &str| pairs.iter().find(|p| p.0 == name).map(|p| p.1.to_owned());
        Shard::from_environment(find)
    }

    #[test]
    fn schedulers_are_understood() {
        let shard = |index, count| Some(Shard { index, count });
        let slurm = |id, min, count| {
            environment(&[
                ("SLURM_ARRAY_TASK_ID", id),
                ("SLURM_ARRAY_TASK_MIN", min),
                ("SLURM_ARRAY_TASK_COUNT", count),
            ])
        };
        assert_eq!(slurm("3", "1", "8"), shard(2, Some(8)));
        assert_eq!(slurm("0", "0", "8"), shard(0, Some(8)));
        assert_eq!(slurm("7", "3", "2"), shard(4, None), "tasks 3 and 7 again");
        let bare =
            |id| environment(&[("SLURM_ARRAY_TASK_ID", id), ("SLURM_ARRAY_TASK_COUNT", "4")]);
        assert_eq!(bare("4"), shard(0, Some(4)));
        assert_eq!(bare("1"), shard(1, Some(4)));
        assert_eq!(
            environment(&[("JOB_COMPLETION_INDEX", "4")]),
            shard(4, None)
        );
        assert_eq!(environment(&[]), None);
        assert_eq!("2/8".parse::<Shard>().ok(), shard(1, Some(8)));
        for bad in ["0/8", "9/8", "8", "a/b", "1/0"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn shards_are_disjoint_and_complete(total in 0usize..500, count in 1usize..40) {
            let all = (0..count).flat_map(|index| Shard { index, count: Some(count) }.indices(total));
            let mut all: Vec<usize> = all.collect();
            all.sort_unstable();
            prop_assert_eq!(all, (0..total).collect::<Vec<_>>());
            let mut free = Shard { index: count, count: None }.indices(total);
            free.sort_unstable();
            prop_assert_eq!(free, (0..total).collect::<Vec<_>>());
            let last = Shard { index: count - 1, count: Some(count) };
            let mut every = last.all(total);
            prop_assert!(every.starts_with(&last.indices(total)));
            every.sort_unstable();
            prop_assert_eq!(every, (0..total).collect::<Vec<_>>());
        }
    }
}
