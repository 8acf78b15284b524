//! How the labels of a family grew from round to round.

use idpas_mip::Sense;
use serde::Serialize;

use crate::collect::Turn;
use crate::pool::beyond;

/// The family after every instance had a number of turns, or all that it got.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Growth {
    /// Which turn of each instance, from 1.
    pub round: usize,
    /// Instances that had so many turns.
    pub turns: usize,
    /// Seconds that these turns took, all together.
    pub seconds: f64,
    /// Instances with a solution by then.
    pub solved: usize,
    /// The mean of their best objectives; `None` without any.
    pub mean: Option<f64>,
    /// How far they are from the best objectives known now, relatively and on average; `None` without any.
    pub behind: Option<f64>,
}

/// How the labels grew, from the turns of each instance.
pub(crate) fn growth(all: &[(Sense, Vec<Turn>)]) -> Vec<Growth> {
    let rounds = all.iter().map(|(_, turns)| turns.len()).max().unwrap_or(0);
    (1..=rounds).map(|round| after(round, all)).collect()
}

fn after(round: usize, all: &[(Sense, Vec<Turn>)]) -> Growth {
    let (mut objectives, mut behind) = (Vec::new(), Vec::new());
    for (sense, turns) in all {
        let so_far = &turns[..round.min(turns.len())];
        let best = |turns: &[Turn]| sense.best(turns.iter().filter_map(|turn| turn.best));
        if let (Some(then), Some(now)) = (best(so_far), best(turns)) {
            objectives.push(then);
            behind.push(beyond(then, now).min(1.0));
        }
    }
    let these = all.iter().filter_map(|(_, turns)| turns.get(round - 1));
    Growth {
        round,
        turns: these.clone().count(),
        seconds: these.map(|turn| turn.seconds).sum(),
        solved: objectives.len(),
        mean: mean(&objectives),
        behind: mean(&behind),
    }
}

fn mean(numbers: &[f64]) -> Option<f64> {
    let sum: f64 = numbers.iter().sum();
    (!numbers.is_empty()).then(|| sum / numbers.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::TurnKind;

    #[test]
    fn rounds_are_compared_with_the_best_of_now() {
        let turn = |best: Option<f64>| Turn {
            kind: TurnKind::Again,
            lead: None,
            seconds: 2.0,
            siblings: 0,
            best,
            solutions: 1,
            compared: Vec::new(),
        };
        let all = [
            (Sense::Minimize, vec![turn(Some(110.0)), turn(Some(100.0))]),
            (Sense::Minimize, vec![turn(Some(200.0))]),
            (
                Sense::Minimize,
                vec![turn(None), turn(None), turn(Some(50.0))],
            ),
        ];
        let rounds = growth(&all);
        let seen: Vec<_> = rounds.iter().map(|g| (g.turns, g.solved)).collect();
        assert_eq!(seen, [(3, 2), (2, 2), (1, 3)]);
        assert_eq!(rounds[0].mean, Some(155.0));
        assert_eq!(rounds[0].behind, Some(0.05));
        assert_eq!(rounds[2].behind, Some(0.0));
        assert_eq!(rounds[0].seconds, 6.0);
        assert_eq!(growth(&[]), []);
    }
}
