//! The specification of what varies, and its checks.

use std::fmt;

use idpas_base::random::Random;
use serde::{Deserialize, Serialize};

use crate::FamilyError;

/// A specification of what varies in a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// The seed, used unless the caller gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Each kind of number that varies; applied in this order.
    pub vary: Vec<Vary>,
}

/// A rule for one kind of number that varies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vary {
    /// The kind of numbers.
    pub what: What,
    /// Names of the rows concerned (for `rhs` and `coefficient`); all if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<Patterns>,
    /// Names of the columns concerned (for `lower`, `upper`, `bounds`, `objective` and `coefficient`); all if not
    /// given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Patterns>,
    /// The distribution of the new values.
    pub distribution: Distribution,
    /// Which numbers share one random draw.
    #[serde(default)]
    pub draw: Draw,
    /// Whether new values are rounded.
    #[serde(default)]
    pub round: Rounding,
    /// Whether zeros stay zero (default true).
    #[serde(default = "yes")]
    pub keep_zero: bool,
}

fn yes() -> bool {
    true
}

/// The kinds of numbers that can vary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// Finite sides of rows; both sides of a row use one draw.
    Rhs,
    /// Lower bounds.
    Lower,
    /// Upper bounds.
    Upper,
    /// Lower and upper bounds; both bounds of a column use one draw.
    Bounds,
    /// Objective coefficients.
    Objective,
    /// Matrix entries.
    Coefficient,
}

/// Which numbers share one random draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Draw {
    /// None: every number has a draw of its own.
    #[default]
    Each,
    /// All matrix entries of a row.
    Row,
    /// All matrix entries of a column.
    Column,
    /// All numbers of this rule.
    Once,
}

/// How new values are rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rounding {
    /// Not at all.
    #[default]
    None,
    /// To the nearest whole number.
    Integer,
}

/// Patterns of names: `*` matches any characters, `?` one; everything else matches itself, brackets included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Patterns {
    /// One pattern.
    One(String),
    /// Several patterns, any of which may match.
    Many(Vec<String>),
}

impl Patterns {
    /// The patterns.
    pub fn all(&self) -> &[String] {
        match self {
            Patterns::One(one) => std::slice::from_ref(one),
            Patterns::Many(many) => many,
        }
    }

    /// Whether a name matches any of the patterns.
    pub fn matches(&self, name: &str) -> bool {
        self.all().iter().any(|pattern| glob(pattern, name))
    }
}

impl fmt::Display for Patterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.all().join("`, `"))
    }
}

/// Whether a name matches a pattern. Tries the shortest text for the latest `*`, and more of it after each failure.
pub(super) fn glob(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&c) if c == '?' || c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    p = at + 1;
                    n = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

/// The distribution of a new value, which depends on the old one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Distribution {
    /// The old value times a normally distributed factor around 1, clipped.
    Normal {
        /// Standard deviation of the factor.
        relative_sd: f64,
        /// The least factor (default 0).
        #[serde(default)]
        min_factor: f64,
        /// The greatest factor (default 2).
        #[serde(default = "two")]
        max_factor: f64,
    },
    /// The old value times a uniformly distributed factor.
    Uniform {
        /// The least factor.
        min_factor: f64,
        /// The greatest factor.
        max_factor: f64,
    },
    /// The old value plus a uniformly distributed whole number.
    UniformInteger {
        /// The least number that is added.
        min: i64,
        /// The greatest number that is added.
        max: i64,
    },
    /// The old value times one of `factors`, or one of `values` instead of it, all with the same probability.
    Choice {
        /// Factors to choose from; empty if `values` is used.
        #[serde(default)]
        factors: Vec<f64>,
        /// Values to choose from; empty if `factors` is used.
        #[serde(default)]
        values: Vec<f64>,
    },
}

fn two() -> f64 {
    2.0
}

/// The result of one random draw, which can be applied to several numbers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    Times(f64),
    Plus(f64),
    Becomes(f64),
}

impl Change {
    pub(super) fn of(self, value: f64) -> f64 {
        match self {
            Change::Times(factor) => value * factor,
            Change::Plus(step) => value + step,
            Change::Becomes(new) => new,
        }
    }
}

impl Distribution {
    pub(super) fn draw(&self, random: &mut Random) -> Change {
        match self {
            Distribution::Normal {
                relative_sd,
                min_factor,
                max_factor,
            } => {
                Change::Times((1.0 + relative_sd * random.normal()).clamp(*min_factor, *max_factor))
            }
            Distribution::Uniform {
                min_factor,
                max_factor,
            } => Change::Times(random.uniform(*min_factor, *max_factor)),
            Distribution::UniformInteger { min, max } => {
                Change::Plus(random.between(*min, *max) as f64)
            }
            Distribution::Choice { factors, values } => match values.is_empty() {
                true => Change::Times(factors[random.below(factors.len())]),
                false => Change::Becomes(values[random.below(values.len())]),
            },
        }
    }

    fn check(&self) -> Result<(), String> {
        let finite = |what: &str, numbers: &[f64]| match numbers.iter().find(|x| !x.is_finite()) {
            Some(bad) => Err(format!("{what} is {bad}, not a finite number")),
            None => Ok(()),
        };
        let ordered = |what: &str, low: f64, high: f64| match low <= high {
            true => Ok(()),
            false => Err(format!("min{what} {low} is above max{what} {high}")),
        };
        match self {
            Distribution::Normal {
                relative_sd,
                min_factor,
                max_factor,
            } => {
                finite(
                    "a setting of `normal`",
                    &[*relative_sd, *min_factor, *max_factor],
                )?;
                if *relative_sd < 0.0 {
                    return Err(format!(
                        "relative_sd is {relative_sd}; expected zero or more"
                    ));
                }
                ordered("_factor", *min_factor, *max_factor)
            }
            Distribution::Uniform {
                min_factor,
                max_factor,
            } => {
                finite("a setting of `uniform`", &[*min_factor, *max_factor])?;
                ordered("_factor", *min_factor, *max_factor)
            }
            Distribution::UniformInteger { min, max } => {
                // Beyond, doubles do not hold every whole number.
                let exact = -(1i64 << 53)..=1 << 53;
                match [min, max].into_iter().find(|x| !exact.contains(x)) {
                    Some(far) => Err(format!("{far} is beyond ±2^53")),
                    None => ordered("", *min as f64, *max as f64),
                }
            }
            Distribution::Choice { factors, values } => {
                finite("a factor", factors)?;
                finite("a value", values)?;
                match factors.is_empty() != values.is_empty() {
                    true => Ok(()),
                    false => Err("`choice` needs either `factors` or `values`".into()),
                }
            }
        }
    }
}

impl What {
    fn as_str(self) -> &'static str {
        match self {
            What::Rhs => "rhs",
            What::Lower => "lower",
            What::Upper => "upper",
            What::Bounds => "bounds",
            What::Objective => "objective",
            What::Coefficient => "coefficient",
        }
    }
}

impl fmt::Display for Vary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what.as_str())?;
        if let Some(rows) = &self.rows {
            write!(f, " of rows {rows}")?;
        }
        if let Some(columns) = &self.columns {
            write!(f, " of columns {columns}")?;
        }
        Ok(())
    }
}

impl Vary {
    fn check(&self) -> Result<(), String> {
        let what = self.what.as_str();
        let (rows, columns) = match self.what {
            What::Rhs => (true, false),
            What::Coefficient => (true, true),
            _ => (false, true),
        };
        if !rows && self.rows.is_some() {
            return Err(format!("`{what}` belongs to columns; remove `rows`"));
        }
        if !columns && self.columns.is_some() {
            return Err(format!("`{what}` belongs to rows; remove `columns`"));
        }
        if self.what != What::Coefficient && matches!(self.draw, Draw::Row | Draw::Column) {
            return Err(format!(
                "`draw` by row or column is for `coefficient`, not for `{what}`"
            ));
        }
        self.distribution.check()
    }
}

impl Spec {
    /// Parses and checks a specification; `file` is its name in errors.
    pub fn parse(text: &str, file: &str) -> Result<Self, FamilyError> {
        let error = |message: String| FamilyError::Spec {
            file: file.into(),
            message,
        };
        let spec: Spec =
            toml::from_str(text).map_err(|e| error(e.to_string().trim_end().to_owned()))?;
        if spec.vary.is_empty() {
            return Err(error("`vary` is empty: nothing would vary".into()));
        }
        for (i, vary) in spec.vary.iter().enumerate() {
            vary.check()
                .map_err(|message| error(format!("entry {} of `vary`: {message}", i + 1)))?;
        }
        Ok(spec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_know_stars_and_question_marks_only() {
        for (pattern, name) in [
            ("*", ""),
            ("*", "x"),
            ("x[*]", "x[1,2]"),
            ("x[?]", "x[1]"),
            ("*a*b", "xaayb"),
            ("a.b", "a.b"),
        ] {
            assert!(glob(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("x[?]", "x[12]"),
            ("a.b", "axb"),
            ("", "x"),
            ("*a", "ab"),
            ("[ab]", "a"),
        ] {
            assert!(!glob(pattern, name), "{pattern} {name}");
        }
    }
}
