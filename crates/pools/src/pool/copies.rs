//! Solutions that are nearly the same.

use idpas_mip::VarKind;

use super::PoolSolution;

/// Two solutions are close if they differ in less than this share of the discrete columns that are not zero in either.
const CLOSE: f64 = 0.01;

/// How many of the solutions, given best first, are close copies of better ones: they differ from one of them in less than
/// 1 % of the discrete columns that are not zero in either.
pub fn close_copies(solutions: &[PoolSolution], kinds: &[VarKind]) -> usize {
    let discrete: Vec<usize> = (0..kinds.len())
        .filter(|&j| kinds[j] == VarKind::Integer)
        .collect();
    let is_copy = |k: usize| {
        let better = solutions[..k].iter();
        let mut better = better.map(|other| &other.values);
        better.any(|other| is_close(&discrete, other, &solutions[k].values))
    };
    (0..solutions.len()).filter(|&k| is_copy(k)).count()
}

fn is_close(discrete: &[usize], a: &[f64], b: &[f64]) -> bool {
    let (mut different, mut used) = (0usize, 0usize);
    for &j in discrete {
        different += usize::from(a[j] != b[j]);
        used += usize::from(a[j] != 0.0 || b[j] != 0.0);
    }
    (different as f64) < CLOSE * used as f64
}

#[cfg(test)]
mod tests {
    use super::super::Source;
    use super::*;

    #[test]
    fn copies_differ_in_a_few_columns_only() {
        let solution = |ones: std::ops::Range<usize>, y: f64| PoolSolution {
            values: (0..400)
                .map(|j| f64::from(u8::from(ones.contains(&j))))
                .chain([y])
                .collect(),
            objective: 0.0,
            time: None,
            source: Source::Solve,
        };
        let mut kinds = vec![VarKind::Integer; 400];
        kinds.push(VarKind::Continuous);
        // The second differs in one of 301 columns, the third in twenty of 301, the fourth in one from the third.
        let all = [
            solution(0..300, 0.0),
            solution(0..301, 7.5),
            solution(20..300, 0.0),
            solution(20..299, 0.0),
        ];
        assert_eq!(close_copies(&all, &kinds), 2);
        assert_eq!(close_copies(&all[..1], &kinds), 0);
    }
}
