//! Compares the methods of a benchmark with each other.

use idpas_search::Method;

use super::{MethodAnalysis, Runs, SAME_GAP, Setting, speed};
use crate::statistics::{reduction, share_reached, wilcoxon, wins};

/// Fills in those numbers of each method that depend on the other methods.
pub(super) fn compare(
    methods: &mut [MethodAnalysis],
    runs: &[Runs<'_>],
    setting: &Setting<'_>,
    subject: Option<&str>,
) {
    let same_integral = SAME_GAP * setting.outline.time_limit;
    let competing: Vec<usize> = (0..methods.len())
        .filter(|&at| !methods[at].ceiling)
        .collect();
    let rows = |of: fn(&MethodAnalysis) -> &Vec<f64>| -> Vec<Vec<f64>> {
        competing
            .iter()
            .map(|&at| of(&methods[at]).clone())
            .collect()
    };
    let gap_wins = wins(&rows(|m| &m.gaps), SAME_GAP);
    let integral_wins = wins(&rows(|m| &m.integrals), same_integral);
    for (k, &at) in competing.iter().enumerate() {
        methods[at].gap_wins = Some(gap_wins[k]);
        methods[at].integral_wins = Some(integral_wins[k]);
    }

    let of_method = |wanted: Method| runs.iter().position(|runs| runs.outlined.method == wanted);
    let means = |at: usize| Some((methods[at].gap?.mean, methods[at].integral?.mean));
    let solver = of_method(Method::Solver);
    let base = solver.and_then(means);
    let ceiling = of_method(Method::Oracle).and_then(means);
    let subject = subject.and_then(|label| methods.iter().position(|m| m.label == label));
    let subject = subject.map(|at| (at, methods[at].gaps.clone(), methods[at].integrals.clone()));
    for (at, method) in methods.iter_mut().enumerate() {
        let (Some(gap), Some(integral)) = (method.gap, method.integral) else {
            continue;
        };
        if let Some((base_gap, base_integral)) = base.filter(|_| Some(at) != solver) {
            method.gap_reduction = reduction(base_gap, gap.mean);
            method.integral_reduction = reduction(base_integral, integral.mean);
            if let Some((best_gap, best_integral)) = ceiling {
                method.gap_oracle_share = share_reached(base_gap, best_gap, gap.mean);
                method.integral_oracle_share =
                    share_reached(base_integral, best_integral, integral.mean);
            }
        }
        if let Some((_, gaps, integrals)) = subject.as_ref().filter(|(one, ..)| *one != at) {
            method.gap_test = wilcoxon(gaps, &method.gaps, SAME_GAP);
            method.integral_test = wilcoxon(integrals, &method.integrals, same_integral);
        }
        if let Some(solver) = solver {
            method.speed_up = speed::speed_up(setting, &runs[solver], &runs[at]);
        }
    }
}
