//! Calibration: finds a known distortion, keeps the order, never makes things worse.
#![allow(clippy::unwrap_used)]

use idpas_base::random::Random;
use idpas_learn::{Calibration, CalibrationFit, Class, Platt};
use proptest::prelude::*;

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn loss(scores: &[f32], targets: &[f32]) -> f64 {
    let one = |(&p, &t): (&f32, &f32)| {
        let (p, t) = (f64::from(p).clamp(1e-7, 1.0 - 1e-7), f64::from(t));
        -t * p.ln() - (1.0 - t) * (1.0 - p).ln()
    };
    scores.iter().zip(targets).map(one).sum()
}

#[test]
fn a_known_distortion_is_found() {
    let mut random = Random::new(1, "calibration", 0);
    let mut fit = CalibrationFit::new();
    let classes: Vec<Class> = [Class::Binary, Class::Integer].repeat(10_000);
    let (mut scores, mut targets) = (Vec::new(), Vec::new());
    for class in &classes {
        let logit = 2.0 * random.normal();
        scores.push(sigmoid(logit) as f32);
        let truth = match class {
            Class::Binary => 0.5 * logit - 1.0,
            _ => 2.0 * logit + 0.5,
        };
        targets.push(sigmoid(truth) as f32);
    }
    fit.add(&classes, &scores, &targets);
    let Calibration { binaries, integers } = fit.fit();
    for (found, slope, offset) in [(binaries, 0.5, -1.0), (integers, 2.0, 0.5)] {
        assert!((found.slope - slope).abs() < 0.01, "{found:?}");
        assert!((found.offset - offset).abs() < 0.01, "{found:?}");
    }
}

#[test]
fn nothing_to_learn_from_changes_nothing() {
    let mut fit = CalibrationFit::new();
    let classes = [Class::Binary, Class::Settled, Class::Continuous];
    fit.add(&classes, &[f32::NAN, 0.5, 0.5], &[1.0, 1.0, 1.0]);
    assert_eq!(fit.fit(), Calibration::default());
    assert!(Platt::default().apply(f32::NAN).is_nan());
    let steep = Platt {
        slope: 3.0,
        offset: 1.0,
    };
    assert!(steep.apply(f32::NAN).is_nan());
    assert_eq!((steep.apply(0.0), steep.apply(1.0)), (0.0, 1.0));
    assert!(Calibration::default().validate().is_ok());
    let flat = Platt {
        slope: 0.0,
        offset: 0.0,
    };
    let bad = Calibration {
        integers: flat,
        ..Calibration::default()
    };
    assert!(bad.validate().is_err());
}

#[test]
fn scores_that_say_the_opposite_keep_their_order() {
    let classes = vec![Class::Binary; 1000];
    let scores: Vec<f32> = (0..1000).map(|k| (k as f32 + 0.5) / 1000.0).collect();
    let targets: Vec<f32> = scores.iter().map(|s| 1.0 - s).collect();
    let mut fit = CalibrationFit::new();
    fit.add(&classes, &scores, &targets);
    let calibration = fit.fit();
    calibration.validate().unwrap();
    let mut after = scores.clone();
    calibration.apply(&classes, &mut after);
    assert!(after.is_sorted());
    assert!(loss(&after, &targets) < loss(&scores, &targets));
}

proptest! {
    #[test]
    fn the_loss_on_the_data_never_rises(
        data in prop::collection::vec((0.0f32..=1.0, 0.0f32..=1.0), 1..200),
    ) {
        let (scores, targets): (Vec<f32>, Vec<f32>) = data.into_iter().unzip();
        let classes = vec![Class::Binary; scores.len()];
        let mut fit = CalibrationFit::new();
        fit.add(&classes, &scores, &targets);
        let calibration = fit.fit();
        let mut after = scores.clone();
        calibration.apply(&classes, &mut after);
        // Bins are a 128th wide in logits, so this is not exact.
        prop_assert!(loss(&after, &targets) <= loss(&scores, &targets) * (1.0 + 1e-4) + 1e-6);
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
        prop_assert!(order.is_sorted_by_key(|&j| after[j]));
    }
}
