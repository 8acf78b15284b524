//! COURSE: block sequencing of final exams (Ye et al., Cornell).
//!
//! n blocks of exams go into n slots, three a day, so that few students have exams close together.
//! `x[i,j,k,s]`: blocks i, j, k stand in slots s, s+1, s+2, cyclically.
//!
//! | name | meaning |
//! | --- | --- |
//! | `x[i,j,k,s]` | blocks i, j, k in slots s, s+1, s+2 |
//! | `y[i,j,k]`, `z[i,j,k,l]` | they follow each other before the week's end; four blocks do |
//! | `b[i,s]`, `block_assigned[i]`, `slot_assignment[s]` | block i is in slot s; its slot; the slot's block |
//! | `block_diff[i,j]`, `block_diff_large[i,j]` | slots between two blocks; at least 16 |
//! | `triple_in_day`, `triple_in_24hr`, `b2b_eveMorn`, `b2b_other`, `three_exams_four_slots` | students hit, by how |
//!
//! Rows and columns have the names of the authors' own model, `R4040` and the like included, which is what
//! their tool called rows without a name: with n = 10 and their data the model equals their file.
//!
//! Between instances only the triple co-enrolments t vary: the historical triples with all ids below the
//! number of courses, plus 100,000 uniform random ones. They are coefficients of `pen1`, `pen2`, `pen3`.
//! Pair co-enrolments do not vary. Quirks of the authors' data are kept: t is keyed by ascending course id,
//! so it is not symmetric; pair ids are looked up in the table of blocks as they are, although they count
//! from 1 and the table from 0.
//!
//! Every instance is feasible: block s in slot s is a solution.

mod data;
mod instance;
mod synthetic;

use std::io::{self, Write};
use std::path::Path;

pub use data::{CourseData, Triple};
use serde::Serialize;

use crate::family::{InputFile, Instance, InstanceFamily, Size};
use idpas_base::random::Random;

use crate::FamilyError;

/// Number of random triples that are added to the historical ones.
const RANDOM_TRIPLES: usize = 100_000;

/// Co-enrolments between blocks: the coefficients of an instance. Blocks are counted from 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Coefficients {
    /// Number of blocks, which is also the number of slots.
    pub n: usize,
    /// `triples[(i·n + j)·n + k]` is the number of students with courses in the blocks i, j and k.
    pub triples: Vec<f64>,
    /// `pairs[i·n + j]` is the number of students with courses in the blocks i and j.
    pub pairs: Vec<f64>,
}

/// The family COURSE at one size, from one seed and one term's data.
#[derive(Clone, Debug)]
pub struct Course {
    label: &'static str,
    slots: usize,
    courses: usize,
    seed: u64,
    data: CourseData,
}

/// The content of `reference.json`.
#[derive(Serialize)]
struct Reference<'a> {
    family: &'static str,
    size: &'static str,
    seed: u64,
    slots: usize,
    courses: usize,
    source: &'a str,
    /// Course id and block, counted from 0, of each course that has a block.
    blocks: Vec<(usize, usize)>,
    /// Pair co-enrolments between blocks, as in [`Coefficients::pairs`].
    pairs: &'a [f64],
    /// Historical triple co-enrolments between blocks, as in [`Coefficients::triples`].
    triples: &'a [f64],
}

impl Course {
    /// A family with data read from a folder (see [`CourseData::read`]), or drawn from the seed if there is no folder.
    pub fn new(size: Size, seed: u64, folder: Option<&Path>) -> Result<Self, FamilyError> {
        let data = match folder {
            Some(folder) => CourseData::read(folder)?,
            None => CourseData::synthetic(seed),
        };
        let (slots, courses) = match size {
            Size::Tiny => (4, 200),
            Size::Small => (8, 200),
            Size::Large => (12, 200),
            Size::Hard => (14, 400),
        };
        Ok(Self {
            label: size.as_str(),
            ..Self::custom(slots, courses, seed, data)
        })
    }

    /// A family with any number of slots (at least 3) and courses.
    pub fn custom(slots: usize, courses: usize, seed: u64, data: CourseData) -> Self {
        Self {
            label: "custom",
            slots: slots.max(3),
            courses: courses.max(3),
            seed,
            data,
        }
    }

    /// The coefficients of the instance with this number.
    pub fn coefficients(&self, number: u64) -> Coefficients {
        let purpose = format!("course {} {} triples", self.slots, self.courses);
        let mut random = Random::new(self.seed, &purpose, number);
        let historical = self
            .data
            .triples
            .iter()
            .filter(|t| t.courses[2] < self.courses)
            .copied();
        let drawn = (0..RANDOM_TRIPLES).map(|_| {
            let mut courses = [0; 3];
            loop {
                courses = courses.map(|_| random.below(self.courses));
                courses.sort_unstable();
                if courses[0] < courses[1] && courses[1] < courses[2] {
                    return Triple {
                        courses,
                        students: 1.0,
                    };
                }
            }
        });
        self.data.coefficients(self.slots, historical.chain(drawn))
    }

    /// The model that has these coefficients.
    pub fn model(coefficients: &Coefficients) -> Result<idpas_mip::Model, idpas_mip::ModelError> {
        instance::model(coefficients)
    }
}

impl InstanceFamily for Course {
    fn name(&self) -> &str {
        "course"
    }

    fn size(&self) -> &str {
        self.label
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn varies(&self) -> &str {
        "triple co-enrolment: coefficients of x in pen1 and pen2, and of z in pen3"
    }

    fn write_reference(&self, out: &mut dyn Write) -> io::Result<()> {
        let historical = self
            .data
            .triples
            .iter()
            .filter(|t| t.courses[2] < self.courses)
            .copied();
        let coefficients = self.data.coefficients(self.slots, historical);
        let blocks = self.data.blocks(self.slots);
        let reference = Reference {
            family: "course",
            size: self.label,
            seed: self.seed,
            slots: self.slots,
            courses: self.courses,
            source: &self.data.source,
            blocks: blocks
                .iter()
                .enumerate()
                .filter_map(|(c, b)| b.map(|b| (c, b + 1)))
                .collect(),
            pairs: &coefficients.pairs,
            triples: &coefficients.triples,
        };
        Ok(serde_json::to_writer(out, &reference)?)
    }

    fn instance(&self, number: u64) -> Result<Instance, FamilyError> {
        let model = instance::model(&self.coefficients(number));
        crate::family::placed(self.name(), number, model).map(Instance::from)
    }

    fn feasible_point(&self, number: u64) -> Result<Option<Vec<f64>>, FamilyError> {
        Ok(Some(instance::point(&self.coefficients(number))))
    }

    fn inputs(&self) -> Vec<InputFile> {
        self.data.inputs.clone()
    }
}
