//! SLAP: strategic locomotive assignment, on a cyclic weekly space-time network.
//!
//! Locomotives wait at stations (ground arcs), pull or ride on scheduled trains (train arcs), or travel
//! alone in light trains (light arcs). A reconstruction with the counts of the paper, whose data is private.
//!
//! ```text
//!   min  Σ own·hours_a·x_a + Σ_train deadhead·miles_a·(x_a − ℓ_a)
//!          + Σ_light (fuel·miles_a·x_a + crew·y_a) + Σ_w event·z_w
//!   s.t. flow in = flow out                      flow[v]       at each node
//!        x_a ≤ K·y_a,  y_a ≤ x_a                 cap[a] use[a] on each light arc
//!        x_a ≥ ℓ_a,  x_a ≤ u_a                   min[a] max[a] on each train arc
//!        ±(x_in − x_out) ≤ M·z_w                 event_up[w] event_down[w] at each work-event site
//!        Σ x over arcs across the week's end ≤ fleet           fleet
//! ```
//!
//! | name | meaning |
//! | --- | --- |
//! | `x[ground,S017@Mo08>S017@Mo14]` | locomotives that wait at station S017 |
//! | `x[M0042,S017@Mo08>S022@Mo14]` | locomotives on a leg of manifest train M0042 (`I` intermodal, `L` local) |
//! | `x[light,S017@Mo08>S022@Mo14]`, `y[light,…]` | locomotives that travel alone, and the light trains they form |
//! | `z[M0042@S017]` | train M0042 may set out or pick up locomotives at S017 |
//!
//! Between instances only the bounds of train arcs vary, and with ℓ the constant of the objective:
//! ℓ' = max(1, ℓ + U{−1,0,1}), u' = max(ℓ', u + U{−1,0,1}). All legs of a train share its two draws, since
//! what it pulls stays the same. With a draw per leg, neighbouring legs whose bounds do not overlap would
//! force locomotives to be left or fetched at stops in between.
//!
//! # Every instance is feasible
//! With z = 1 everywhere (no difference exceeds M) and y = ⌈x/K⌉, what remains is an integer
//! circulation with the fleet row. The generator finds one of least cost; the fleet is
//! set with a margin above the reference's. An instance whose circulation needs more than the fleet is
//! repaired: a growing part of its train arcs takes the reference bounds again, which are feasible.

mod clock;
mod instance;
mod network;
mod schedule;

use std::io::{self, Write};

pub use network::{Leg, Light, Node, Reference, Site, Station};

use crate::family::{Instance, InstanceFamily, Size};
use idpas_base::random::Random;

use crate::FamilyError;

/// The most locomotives in a light train.
pub const LIGHT_TRAIN: f64 = 8.0;
/// The most light trains on one arc.
pub const MOST_LIGHT_TRAINS: f64 = 5.0;
/// The most locomotives on a train in any instance: 8 in the reference, and one more.
pub const MOST_ON_TRAIN: f64 = 9.0;

/// Cost of owning a locomotive, in dollars per hour.
const OWN: f64 = 5.0;
/// Cost of a locomotive that a train carries without needing it, in dollars per mile.
const DEADHEAD: f64 = 0.5;
/// Cost of a locomotive that travels alone, in dollars per mile.
const FUEL: f64 = 2.0;
/// Cost of the crew of a light train, in dollars.
const CREW: f64 = 1_500.0;
/// Cost of a work event, in dollars.
const EVENT: f64 = 300.0;

/// Numbers of stations, nodes, arcs and sites of one size.
#[derive(Clone, Copy, Debug)]
struct Counts {
    stations: usize,
    terminals: usize,
    nodes: usize,
    legs: usize,
    light: usize,
    sites: usize,
    /// How strongly traffic prefers one direction; 0 means balanced.
    imbalance: f64,
}

impl Counts {
    fn of(size: Size) -> Self {
        let (stations, terminals, nodes, legs, light, sites, imbalance) = match size {
            Size::Tiny => (12, 3, 40, 40, 320, 2, 3.0),
            Size::Small => (20, 6, 150, 320, 2_400, 4, 2.5),
            Size::Large => (77, 16, 1_001, 3_019, 36_963, 8, 1.5),
            Size::Hard => (381, 14, 8_001, 5_923, 31_554, 20, 0.9),
        };
        Self {
            stations,
            terminals,
            nodes,
            legs,
            light,
            sites,
            imbalance,
        }
    }
}

/// Bounds on the number of locomotives on each train arc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Least number of locomotives on each train arc (ℓ).
    pub lower: Vec<i64>,
    /// Greatest number of locomotives on each train arc (u).
    pub upper: Vec<i64>,
}

/// The family SLAP at one size, from one seed.
#[derive(Clone, Debug)]
pub struct Slap {
    size: Size,
    seed: u64,
    reference: Reference,
}

/// An instance's bounds with a proof that they are feasible.
struct Proved {
    bounds: Bounds,
    /// A circulation within the bounds and the fleet: the flow on each arc.
    flows: Vec<i64>,
    /// What had to be changed, one line for each change.
    repairs: Vec<String>,
}

impl Slap {
    /// Draws the infrastructure of this size from the seed.
    pub fn new(size: Size, seed: u64) -> Result<Self, FamilyError> {
        let reference = Reference::draw(size, seed, Counts::of(size))?;
        Ok(Self {
            size,
            seed,
            reference,
        })
    }

    /// The network and the reference bounds.
    pub fn reference(&self) -> &Reference {
        &self.reference
    }

    /// Draws the bounds of an instance. While no circulation fits the fleet, more and more of the reference bounds
    /// replace them.
    fn proved(&self, number: u64) -> Result<Proved, FamilyError> {
        let mut random = Random::new(self.seed, &format!("slap {} bounds", self.size), number);
        let drawn = self.reference.drawn(&mut random);
        let mut order: Vec<usize> = (0..self.reference.trains()).collect();
        random.shuffle(&mut order);
        let mut place = vec![0; order.len()];
        for (at, &train) in order.iter().enumerate() {
            place[train] = at;
        }
        for quarters in 0..=4 {
            let mut bounds = drawn.clone();
            let restored = order.len() * quarters / 4;
            for (i, leg) in self.reference.legs.iter().enumerate() {
                if place[leg.train_index] < restored {
                    (bounds.lower[i], bounds.upper[i]) = (leg.lower, leg.upper);
                }
            }
            if let Some(flows) = self.reference.circulation(&bounds)
                && self.reference.fleet_of(&flows) <= self.reference.fleet
            {
                let repairs = match restored {
                    0 => Vec::new(),
                    _ => vec![format!(
                        "{restored} trains took the reference bounds, to fit the fleet"
                    )],
                };
                return Ok(Proved {
                    bounds,
                    flows,
                    repairs,
                });
            }
        }
        Err(FamilyError::Reference {
            family: "slap".into(),
            message: format!(
                "no circulation of the reference fits its fleet of {}",
                self.reference.fleet
            ),
        })
    }

    /// The bounds of the instance with this number.
    pub fn bounds(&self, number: u64) -> Result<Bounds, FamilyError> {
        Ok(self.proved(number)?.bounds)
    }
}

impl InstanceFamily for Slap {
    fn name(&self) -> &str {
        "slap"
    }

    fn size(&self) -> &str {
        self.size.as_str()
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn varies(&self) -> &str {
        "locomotives per train arc: the sides of min and max rows, and the objective's constant"
    }

    fn write_reference(&self, out: &mut dyn Write) -> io::Result<()> {
        Ok(serde_json::to_writer(out, &self.reference)?)
    }

    fn instance(&self, number: u64) -> Result<Instance, FamilyError> {
        let proved = self.proved(number)?;
        let model = instance::model(&self.reference, &proved.bounds);
        Ok(Instance {
            model: crate::family::placed(self.name(), number, model)?,
            repairs: proved.repairs,
        })
    }

    fn feasible_point(&self, number: u64) -> Result<Option<Vec<f64>>, FamilyError> {
        let proved = self.proved(number)?;
        Ok(Some(instance::point(&self.reference, &proved.flows)))
    }
}
