//! Divides instances into training, validation and test set.
//!
//! Instances are ordered by a hash of seed and name, so that the order of files does not matter, and divided so that
//! the counts match the proportions (by largest remainders). Instances with the same content are always in the same
//! set. An instance that is in a set stays there: when instances are added, only the new ones are distributed, to the
//! sets that lack most. So adding instances step by step gives the same counts as dividing all at once (give or take
//! one), but not the same sets.

use std::collections::{BTreeMap, HashMap};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::PoolError;

/// The set that an instance belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Training set: to learn from.
    Train,
    /// Validation set: to choose models and settings by.
    Validation,
    /// Test set: to measure on, once.
    Test,
}

impl Part {
    /// All sets.
    pub const ALL: [Part; 3] = [Part::Train, Part::Validation, Part::Test];
}

/// The proportions of the three sets, as whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proportions {
    /// Share of the training set.
    pub train: u32,
    /// Share of the validation set.
    pub validation: u32,
    /// Share of the test set.
    pub test: u32,
}

impl Default for Proportions {
    /// Those of the paper: 480, 120 and 100.
    fn default() -> Self {
        Proportions {
            train: 480,
            validation: 120,
            test: 100,
        }
    }
}

impl FromStr for Proportions {
    type Err = PoolError;

    fn from_str(text: &str) -> Result<Self, PoolError> {
        let numbers: Result<Vec<u32>, _> = text.split('/').map(str::parse).collect();
        match numbers.as_deref() {
            Ok(&[train, validation, test]) if train > 0 => Ok(Proportions {
                train,
                validation,
                test,
            }),
            _ => Err(PoolError::Setting {
                name: "split",
                message: format!(
                    "`{text}`; expected three numbers like 480/120/100, the first above 0"
                ),
            }),
        }
    }
}

impl std::fmt::Display for Proportions {
    /// As it is parsed: `480/120/100`.
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "{}/{}/{}", self.train, self.validation, self.test)
    }
}

impl Proportions {
    /// The number of instances in each set out of `total`, by largest remainders; of equal ones the earlier set comes
    /// first.
    pub fn counts(&self, total: usize) -> [usize; 3] {
        let shares = [self.train, self.validation, self.test].map(u128::from);
        let sum: u128 = shares.iter().sum::<u128>().max(1);
        let exact = shares.map(|share| share * total as u128);
        let mut counts = exact.map(|share| (share / sum) as usize);
        let mut order = [0, 1, 2];
        order.sort_by_key(|&part| std::cmp::Reverse(exact[part] % sum));
        let missing = total - counts.iter().sum::<usize>();
        for part in order.into_iter().take(missing) {
            counts[part] += 1;
        }
        counts
    }
}

/// Divides instances into sets. `instances` are names with content hashes; `before` has the sets of earlier instances.
pub fn split(
    instances: &[(String, String)],
    before: &HashMap<String, Part>,
    proportions: &Proportions,
    seed: u64,
) -> BTreeMap<String, Part> {
    // A group for each content, so that copies stay together.
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, content) in instances {
        groups.entry(content).or_default().push(name);
    }
    let mut parts = BTreeMap::new();
    let mut counts = [0usize; 3];
    let mut new: Vec<(String, Vec<&str>)> = Vec::new();
    for mut names in groups.into_values() {
        names.sort_unstable();
        let placed = names.iter().find_map(|name| before.get(*name));
        match placed {
            Some(&part) => {
                counts[part as usize] += names.len();
                parts.extend(names.into_iter().map(|name| (name.to_owned(), part)));
            }
            None => {
                let rank = idpas_base::hash::bytes_hash(format!("{seed} {}", names[0]).as_bytes());
                new.push((rank, names));
            }
        }
    }
    new.sort();
    let wanted = proportions.counts(instances.len());
    for (_, names) in new {
        // The set that lacks most instances; of two that lack the same, the earlier one.
        let lack = |part: &Part| wanted[*part as usize] as i64 - counts[*part as usize] as i64;
        let part = Part::ALL.into_iter().rev().max_by_key(lack);
        let part = part.unwrap_or(Part::Train);
        counts[part as usize] += names.len();
        parts.extend(names.into_iter().map(|name| (name.to_owned(), part)));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn instances(count: usize) -> Vec<(String, String)> {
        let name = |i: usize| (format!("inst_{i:04}"), format!("content {i}"));
        (0..count).map(name).collect()
    }

    fn counted(parts: &BTreeMap<String, Part>) -> [usize; 3] {
        Part::ALL.map(|part| parts.values().filter(|p| **p == part).count())
    }

    #[test]
    fn the_papers_numbers() {
        let parts = split(&instances(700), &HashMap::new(), &Proportions::default(), 0);
        assert_eq!(counted(&parts), [480, 120, 100]);
        assert_eq!(Proportions::default().counts(10), [7, 2, 1]);
        assert_eq!(
            "8/1/1".parse::<Proportions>().unwrap().counts(10),
            [8, 1, 1]
        );
        assert!("8/1".parse::<Proportions>().is_err());
    }

    #[test]
    fn copies_stay_together() {
        let mut all = instances(40);
        for i in 0..40 {
            all.push((format!("copy_{i:04}"), format!("content {i}")));
        }
        let parts = split(&all, &HashMap::new(), &Proportions::default(), 3);
        for i in 0..40 {
            let name = |kind: &str| format!("{kind}_{i:04}");
            assert_eq!(parts[&name("copy")], parts[&name("inst")]);
        }
    }

    proptest! {
        #[test]
        fn exact_whatever_the_order(count in 0usize..300, seed: u64, a in 1u32..500, b in 0u32..200, c in 0u32..200) {
            let proportions = Proportions { train: a, validation: b, test: c };
            let mut all = instances(count);
            let parts = split(&all, &HashMap::new(), &proportions, seed);
            prop_assert_eq!(counted(&parts), proportions.counts(count));
            all.reverse();
            prop_assert_eq!(&split(&all, &HashMap::new(), &proportions, seed), &parts);
        }

        #[test]
        fn nothing_moves_when_instances_are_added(first in 0usize..150, more in 0usize..150, seed: u64) {
            let proportions = Proportions::default();
            let early = split(&instances(first), &HashMap::new(), &proportions, seed);
            let before: HashMap<String, Part> = early.clone().into_iter().collect();
            let late = split(&instances(first + more), &before, &proportions, seed);
            for (name, part) in &early {
                prop_assert_eq!(late[name], *part);
            }
            let wanted = proportions.counts(first + more);
            for (found, wanted) in counted(&late).into_iter().zip(wanted) {
                prop_assert!(found.abs_diff(wanted) <= 1);
            }
            let again: HashMap<String, Part> = late.clone().into_iter().collect();
            prop_assert_eq!(&split(&instances(first + more), &again, &proportions, seed), &late);
        }
    }
}
