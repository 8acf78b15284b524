//! How many: a share of something or a number.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Makes up for binary fractions: 29 % of 100 is 29, not 28.999….
const ROUNDING: f64 = 1e-9;

/// A share or a number. Written `30%` or just `30` for per cent, as in the paper, and `n120` for the number 120.
///
/// ```
/// use idpas_search::Amount;
/// assert_eq!("30".parse(), Ok(Amount::Percent(30.0)));
/// assert_eq!("2.5%".parse::<Amount>()?.of(100), 2);
/// assert_eq!("n120".parse::<Amount>()?.of(100), 100);
/// # Ok::<(), idpas_search::AmountError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Amount {
    /// Per cent of what there is, 0 to 100.
    Percent(f64),
    /// This many, or all if there are fewer.
    Count(usize),
}

impl Amount {
    /// Nothing.
    pub const NONE: Amount = Amount::Count(0);

    /// How many of `total` this is, rounded down, at most `total`.
    pub fn of(self, total: usize) -> usize {
        match self {
            Amount::Percent(percent) => {
                let share = percent / 100.0 * total as f64;
                ((share + ROUNDING).floor().max(0.0) as usize).min(total)
            }
            Amount::Count(count) => count.min(total),
        }
    }

    /// Whether it is nothing of anything.
    pub fn is_none(self) -> bool {
        matches!(self, Amount::Count(0)) || matches!(self, Amount::Percent(p) if p <= 0.0)
    }
}

/// A text that is no [`Amount`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not an amount; expected per cent between 0 and 100 such as `30%`, or a number such as `n120`"
)]
pub struct AmountError(String);

impl FromStr for Amount {
    type Err = AmountError;

    fn from_str(text: &str) -> Result<Self, AmountError> {
        let wrong = || AmountError(text.to_owned());
        let trimmed = text.trim();
        if let Some(count) = trimmed.strip_prefix('n') {
            return count.parse().map(Amount::Count).map_err(|_| wrong());
        }
        let number = trimmed.strip_suffix('%').unwrap_or(trimmed).trim_end();
        let percent: f64 = number.parse().map_err(|_| wrong())?;
        if (0.0..=100.0).contains(&percent) {
            Ok(Amount::Percent(percent))
        } else {
            Err(wrong())
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Amount::Percent(percent) => write!(f, "{percent}%"),
            Amount::Count(count) => write!(f, "n{count}"),
        }
    }
}

impl TryFrom<String> for Amount {
    type Error = AmountError;

    fn try_from(text: String) -> Result<Self, AmountError> {
        text.parse()
    }
}

impl From<Amount> for String {
    fn from(amount: Amount) -> String {
        amount.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_goes_both_ways() {
        for text in ["30%", "0%", "100%", "2.5%", "n0", "n120"] {
            let amount: Amount = text.parse().expect("an amount");
            assert_eq!(amount.to_string(), text);
        }
        for text in ["", "%", "-1", "101", "NaN", "inf", "n-1", "n1.5", "n", "#3"] {
            assert!(text.parse::<Amount>().is_err(), "{text}");
        }
    }

    #[test]
    fn shares_are_rounded_down_but_not_by_rounding_errors() {
        assert_eq!(Amount::Percent(29.0).of(100), 29);
        assert_eq!(Amount::Percent(70.0).of(10), 7);
        assert_eq!(Amount::Percent(1.0).of(99), 0);
        assert_eq!(Amount::Percent(100.0).of(7), 7);
        assert_eq!(Amount::Count(9).of(7), 7);
    }
}
