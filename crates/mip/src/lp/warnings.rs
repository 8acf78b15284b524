//! Warnings, of which a large file may have more than anyone reads.

use crate::Warning;

/// Warnings beyond this many are only counted.
const MOST: usize = 100;

/// The first warnings, and how many more there were.
#[derive(Default)]
pub(super) struct Warnings {
    first: Vec<Warning>,
    more: usize,
}

impl Warnings {
    /// Adds a warning, whose text is made only if it is kept.
    pub(super) fn add(&mut self, line: usize, message: impl FnOnce() -> String) {
        if self.first.len() < MOST {
            let message = message();
            self.first.push(Warning {
                line: Some(line),
                message,
            });
        } else {
            self.more += 1;
        }
    }

    /// The warnings, the last of which says how many are missing.
    pub(super) fn finish(mut self) -> Vec<Warning> {
        if self.more > 0 {
            let message = format!("{} more warnings are not shown", self.more);
            self.first.push(Warning {
                line: None,
                message,
            });
        }
        self.first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_beyond_many_are_counted() {
        let mut warnings = Warnings::default();
        for line in 1..=MOST + 5 {
            warnings.add(line, || "odd".into());
        }
        let warnings = warnings.finish();
        assert_eq!(warnings.len(), MOST + 1);
        assert_eq!(warnings[MOST].message, "5 more warnings are not shown");
    }
}
