//! Warnings with a limit, because a large file may cause more than anyone reads.

use crate::Warning;

/// Most warnings that are kept; further ones are only counted.
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

    /// The warnings kept; if there were more, a last one says how many.
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
