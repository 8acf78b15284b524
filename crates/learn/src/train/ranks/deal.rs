//! Deals pieces of work out to ranks by size.

/// The numbers of the pieces that each rank gets, in ascending order. The largest piece comes first and goes to the rank
/// that has least so far, so ranks are done at about the same time. Depends on nothing but its arguments, so that all
/// ranks come to the same result without talking to each other.
pub(in crate::train) fn deal(sizes: &[usize], ranks: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    // Stable: of equal pieces the first comes first.
    order.sort_by_key(|&piece| std::cmp::Reverse(sizes[piece]));
    let mut hands = vec![Vec::new(); ranks];
    let mut loads = vec![(0usize, 0usize); ranks];
    for piece in order {
        let least = (0..ranks).min_by_key(|&rank| loads[rank]).unwrap_or(0);
        // By number of pieces where sizes tie, which matters if they are zero.
        loads[least].0 += sizes[piece];
        loads[least].1 += 1;
        hands[least].push(piece);
    }
    for hand in &mut hands {
        hand.sort_unstable();
    }
    hands
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn large_pieces_are_dealt_first() {
        assert_eq!(
            deal(&[1, 8, 3, 4, 2], 2),
            [vec![1, 0], vec![2, 3, 4]].map(sorted)
        );
        assert_eq!(deal(&[5, 5, 5, 5], 2), [vec![0, 2], vec![1, 3]]);
        assert_eq!(deal(&[0, 0], 3), [vec![0], vec![1], vec![]]);
        assert_eq!(deal(&[7, 9, 1], 1), [vec![0, 1, 2]]);
    }

    fn sorted(mut hand: Vec<usize>) -> Vec<usize> {
        hand.sort_unstable();
        hand
    }

    proptest! {
        #[test]
        fn every_piece_is_dealt_once_and_loads_are_even(
            sizes in proptest::collection::vec(0usize..1000, 0..40),
            ranks in 1usize..9,
        ) {
            let hands = deal(&sizes, ranks);
            prop_assert_eq!(hands.len(), ranks);
            let mut all: Vec<usize> = hands.concat();
            all.sort_unstable();
            prop_assert_eq!(all, (0..sizes.len()).collect::<Vec<_>>());
            let load = |hand: &Vec<usize>| hand.iter().map(|&piece| sizes[piece]).sum::<usize>();
            let loads: Vec<usize> = hands.iter().map(load).collect();
            let most = loads.iter().max().copied().unwrap_or(0);
            let least = loads.iter().min().copied().unwrap_or(0);
            // The rank with the most had the least before its last piece.
            let largest = sizes.iter().max().copied().unwrap_or(0);
            prop_assert!(most <= least + largest, "{loads:?}");
        }
    }
}
