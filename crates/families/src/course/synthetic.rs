//! Co-enrolments drawn from a seed, with the density and mass of a real term.
//!
//! The numbers below are totals of Cornell's anonymised spring term: how many courses, pairs and triples
//! there are, and how many students in them. Which courses these are is drawn, popular courses more often.

use std::collections::{BTreeMap, BTreeSet};

use idpas_base::random::{Random, Weighted};

use super::data::{CourseData, Triple};

/// Number of courses with an exam.
const COURSES: usize = 523;
/// Number of courses in each of the 24 blocks: large exams come first, small ones share blocks.
const BLOCK_SIZES: [usize; 24] = [
    39, 38, 39, 29, 26, 24, 20, 18, 20, 20, 18, 20, 20, 20, 20, 19, 17, 17, 18, 18, 17, 16, 16, 14,
];
/// Number of pairs of courses with students in common, and the sum of these students.
const PAIRS: (usize, usize) = (13_916, 47_038);
/// Number of triples of courses with students in common, and the sum of these students.
const TRIPLES: (usize, usize) = (19_162, 27_154);

impl CourseData {
    /// A term drawn from a seed.
    pub fn synthetic(seed: u64) -> Self {
        let mut random = Random::new(seed, "course term", 0);
        let mut order: Vec<usize> = (0..COURSES).collect();
        random.shuffle(&mut order);
        let mut block = BTreeMap::new();
        let blocks = BLOCK_SIZES
            .iter()
            .enumerate()
            .flat_map(|(b, &size)| vec![b + 1; size]);
        for (course, block_number) in order.into_iter().zip(blocks) {
            block.insert(course, block_number);
        }
        // Ids go from the most popular course to the least.
        let popularity = Weighted::new((0..COURSES).map(|c| 1.0 / (c as f64 + 25.0)));
        let drawn = |random: &mut Random, size: usize, (count, mass): (usize, usize)| {
            let mut sets: BTreeSet<Vec<usize>> = BTreeSet::new();
            while sets.len() < count {
                let mut set: Vec<usize> = (0..size).map(|_| popularity.draw(random)).collect();
                set.sort_unstable();
                if set.is_sorted_by(|a, b| a < b) {
                    sets.insert(set);
                }
            }
            let sets: Vec<Vec<usize>> = sets.into_iter().collect();
            // The remaining students are distributed over these sets; sets of popular courses are preferred, and a few
            // get many.
            let weight = |set: &Vec<usize>| {
                set.iter()
                    .map(|&c| 1.0 / (c as f64 + 25.0))
                    .product::<f64>()
            };
            let crowds = Weighted::new(sets.iter().map(weight));
            let mut students = vec![1usize; sets.len()];
            for _ in count..mass {
                students[crowds.draw(random)] += 1;
            }
            sets.into_iter().zip(students).collect::<Vec<_>>()
        };
        let pairs = drawn(&mut random, 2, PAIRS)
            .into_iter()
            .flat_map(|(set, students)| {
                let students = students as f64;
                [(set[0], set[1], students), (set[1], set[0], students)]
            })
            .collect();
        let triples = drawn(&mut random, 3, TRIPLES)
            .into_iter()
            .map(|(set, students)| Triple {
                courses: [set[0], set[1], set[2]],
                students: students as f64,
            })
            .collect();
        Self {
            source: "synthetic".into(),
            block,
            pairs,
            triples,
            inputs: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn density_and_mass_are_those_of_a_real_term() {
        let data = CourseData::synthetic(1);
        assert_eq!(data.block.len(), COURSES);
        assert_eq!(data.pairs.len(), 2 * PAIRS.0);
        assert_eq!(
            data.pairs.iter().map(|p| p.2).sum::<f64>(),
            2.0 * PAIRS.1 as f64
        );
        assert_eq!(data.triples.len(), TRIPLES.0);
        assert_eq!(
            data.triples.iter().map(|t| t.students).sum::<f64>(),
            TRIPLES.1 as f64
        );
        // A real term has 42 % of its triples among the first 200 courses.
        let low = data.triples.iter().filter(|t| t.courses[2] < 200).count();
        assert!((6_500..10_500).contains(&low), "{low}");
    }
}
