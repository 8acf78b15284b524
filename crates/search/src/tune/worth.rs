//! What the sources of a staged search are worth, measured on validation instances.

use std::collections::BTreeMap;

use crate::{Source, SourceReport};

/// Seconds of each search for which a source is taken to bring what all do on average: with less, nothing is clear.
const DOUBT: f64 = 10.0;
/// Experience is corrected by at most this factor, and at least its inverse.
const MOST: f64 = 2.0;

/// What sources are worth after some searches: what experience says, times what each brought per second, compared with all of
/// them together. So a source that was not tried is on the same scale, by experience alone. A search with
/// [`worth`](crate::StagedSettings::worth) set to this begins with what served these instances.
pub fn measured_worth(searches: &[Vec<SourceReport>]) -> BTreeMap<Source, f64> {
    let mut sums: BTreeMap<Source, (f64, f64)> = BTreeMap::new();
    for report in searches.iter().flatten() {
        let (gain, seconds) = sums.entry(report.source).or_default();
        *gain += report.gain;
        *seconds += report.seconds;
    }
    // It brings scores, which others live on.
    sums.remove(&Source::Prediction);
    let (gain, seconds) = sums
        .values()
        .fold((0.0, 0.0), |all, one| (all.0 + one.0, all.1 + one.1));
    if gain <= 0.0 || seconds <= 0.0 {
        return BTreeMap::new();
    }
    let (mean, doubt) = (gain / seconds, DOUBT * searches.len() as f64);
    let worth = |(gain, seconds): (f64, f64)| {
        let rate = (gain + mean * doubt) / (seconds + doubt);
        (rate / mean).clamp(1.0 / MOST, MOST)
    };
    sums.into_iter()
        .map(|(source, sum)| (source, source.usual_worth() * worth(sum)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_brought_more_is_worth_more() {
        let report = |source, gain, seconds| SourceReport {
            gain,
            seconds,
            ..SourceReport::new(source)
        };
        let search = vec![
            report(Source::Neighbourhoods, 0.9, 5.0),
            report(Source::Whole, 0.1, 5.0),
            report(Source::Prediction, 0.0, 3.0),
        ];
        let worth = measured_worth(&[search.clone(), search]);
        assert_eq!(worth.len(), 2);
        let corrected = |source: Source| worth[&source] / source.usual_worth();
        assert!(corrected(Source::Neighbourhoods) > 1.2 && corrected(Source::Whole) < 0.8);
        // However much it brings, it is a correction.
        let all = vec![
            report(Source::Past, 1.0, 0.001),
            report(Source::Whole, 0.0, 999.0),
        ];
        let worth = measured_worth(&[all]);
        assert_eq!(worth[&Source::Past], MOST * Source::Past.usual_worth());
        assert_eq!(worth[&Source::Whole], Source::Whole.usual_worth() / MOST);
        assert!(measured_worth(&[vec![report(Source::Whole, 0.0, 9.0)]]).is_empty());
    }
}
