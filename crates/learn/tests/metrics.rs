//! Measures against values computed by hand and against a naive count of pairs.
#![allow(clippy::unwrap_used)]

use idpas_learn::metrics::{InstanceMetrics, Reliability, Summary, auc, measure};
use idpas_learn::{Class, Truth};
use proptest::prelude::*;

/// All pairs of a variable that is not zero and one that is.
fn naive_auc(scores: &[f32], zero: &[bool]) -> Option<f64> {
    let (mut won, mut pairs) = (0.0, 0.0);
    for (a, _) in scores.iter().zip(zero).filter(|(_, zero)| !**zero) {
        for (b, _) in scores.iter().zip(zero).filter(|(_, zero)| **zero) {
            let (a, b) = (
                if a.is_nan() { 1.0 } else { *a },
                if b.is_nan() { 1.0 } else { *b },
            );
            pairs += 1.0;
            won += if a > b {
                1.0
            } else if a == b {
                0.5
            } else {
                0.0
            };
        }
    }
    (pairs > 0.0).then(|| won / pairs)
}

proptest! {
    #[test]
    fn auc_is_the_share_of_pairs_in_order(
        cases in prop::collection::vec((0u8..12, any::<bool>()), 0..60),
    ) {
        // Few different scores, so that there are many ties; the last one stands for no score.
        let score = |code: u8| if code == 11 { f32::NAN } else { f32::from(code) / 10.0 };
        let scores: Vec<f32> = cases.iter().map(|(code, _)| score(*code)).collect();
        let zero: Vec<bool> = cases.iter().map(|(_, zero)| *zero).collect();
        let (fast, slow) = (auc(&scores, &zero), naive_auc(&scores, &zero));
        prop_assert_eq!(fast.is_some(), slow.is_some());
        prop_assert!((fast.unwrap_or(0.0) - slow.unwrap_or(0.0)).abs() < 1e-12);
    }
}

fn truth(classes: &[Class], best: &[bool], targets: &[f32]) -> Truth {
    Truth {
        classes: classes.to_vec(),
        best: best.to_vec(),
        targets: targets.to_vec(),
    }
}

use Class::{Binary, Continuous, Integer, Settled};

#[test]
fn a_small_instance_by_hand() {
    let classes = [
        Binary, Binary, Integer, Binary, Continuous, Binary, Settled, Integer,
    ];
    let best = [false, true, false, false, true, true, true, true];
    let targets = [0.0, 1.0, 0.25, 0.5, 1.0, 1.0, 1.0, 1.0];
    let scores = [0.1, 0.8, 0.2, 0.8, 0.0, f32::NAN, 0.0, 0.1];
    let m = measure(&truth(&classes, &best, &targets), &scores);
    // Binaries: scores .1 .8 .8 1(none), zero yes no yes no. Pairs: .8 beats .1, ties with .8; 1 beats both.
    assert_eq!(
        (m.binaries.count, m.binaries.zeros, m.binaries.unknown),
        (4, 2, 1)
    );
    assert_eq!(m.binaries.auc, Some(3.5 / 4.0));
    // Half of four: .1 and the first .8. Seven tenths: three. Nine tenths: all four.
    assert_eq!(
        m.binaries.precision,
        [Some(0.5), Some(2.0 / 3.0), Some(0.5)]
    );
    let log_loss = (-(0.9f64.ln()) - 0.8f64.ln() - 0.5 * 0.8f64.ln() - 0.5 * 0.2f64.ln()) / 3.0;
    assert!((m.binaries.log_loss.unwrap() - log_loss).abs() < 1e-6);
    let brier = (0.01 + 0.04 + 0.09) / 3.0;
    assert!((m.binaries.brier.unwrap() - brier).abs() < 1e-6);
    // Integers: .2 is zero, .1 is not: the wrong way round. One of two is selected at half, then 1, then 2.
    assert_eq!((m.integers.count, m.integers.auc), (2, Some(0.0)));
    assert_eq!(m.integers.precision, [Some(0.0), Some(0.0), Some(0.5)]);
    // Both: the selections of both kinds together.
    assert_eq!(m.all.count, 6);
    assert_eq!(m.all.precision, [Some(1.0 / 3.0), Some(0.5), Some(0.5)]);
}

#[test]
fn calibration_error_by_hand() {
    let mut reliability = Reliability::default();
    // One bin with mean score .02 and target .5, one with score 1 and target 1.
    for (score, target) in [(0.01, 0.0), (0.03, 1.0), (1.0, 1.0), (1.0, 1.0)] {
        reliability.add(score, target);
    }
    assert_eq!(
        (reliability.bins[0].count, reliability.bins[14].count),
        (2, 2)
    );
    assert!((reliability.error().unwrap() - 0.96 / 4.0).abs() < 1e-6);
    assert_eq!(Reliability::default().error(), None);
}

#[test]
fn a_summary_is_the_mean_over_instances_that_have_the_measure() {
    let one = |scores: &[f32], best: &[bool]| {
        let targets: Vec<f32> = best.iter().map(|b| f32::from(u8::from(*b))).collect();
        measure(&truth(&vec![Binary; best.len()], best, &targets), scores)
    };
    let all: [InstanceMetrics; 3] = [
        one(&[0.1, 0.9], &[false, true]),
        one(&[0.9, 0.1], &[false, true]),
        one(&[0.5, 0.5], &[true, true]),
    ];
    let summary = Summary::of(&all);
    let auc = summary.binaries.auc.unwrap();
    assert_eq!((summary.instances, auc.count, auc.mean), (3, 2, 0.5));
    assert!((auc.deviation - 0.5f64.sqrt()).abs() < 1e-12);
    assert_eq!(summary.integers.auc, None);
    let bins = &summary.all.reliability.bins;
    assert_eq!(bins.iter().map(|bin| bin.count).sum::<u64>(), 6);
    let text = serde_json::to_string(&summary).unwrap();
    assert_eq!(serde_json::from_str::<Summary>(&text).unwrap(), summary);
}
