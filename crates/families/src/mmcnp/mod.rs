//! MMCNP: middle-mile consolidation network design.
//!
//! Vendors (VND) ship to last-mile centres (LMD), directly or through one or two fulfilment centres (FC).
//! Each commodity, a vendor and a centre, takes one path; trucks of 12,000 lb are bought per arc.
//!
//! ```text
//!   min  Σ cost[k,p]·x[k,p] + Σ_a (750 + 1.27·miles_a)·y[a]
//!   s.t. Σ_p x[k,p] = 1                                assign[k]
//!        Σ_{(k,p) using a} q_k·x[k,p] ≤ 12000·y[a]     capacity[a]
//! ```
//!
//! | name | meaning |
//! | --- | --- |
//! | `x[VND03>LMD11,direct]` | commodity VND03→LMD11 goes directly |
//! | `x[VND03>LMD11,FC2]`, `x[VND03>LMD11,FC2>FC5]` | it goes through one centre, or two |
//! | `y[VND03>FC2]` | trucks on an arc |
//!
//! Between instances only demand varies: q = clip(N(q̄, (0.2·q̄)²), 0.5·q̄, min(1.5·q̄, 12000)), in whole
//! pounds, and with it the cost of paths. The bounds of `y` come from the reference demand and stay.
//!
//! Every instance is feasible: all commodities may go directly, which needs no truck.

mod instance;
mod reference;

use std::io::{self, Write};

pub use reference::{Arc, Commodity, Facility, Path, Reference};

use crate::family::{Family, Instance, Size};
use crate::{FamilyError, random::Random};

/// Pounds a truck carries.
pub const TRUCK_POUNDS: f64 = 12_000.0;

/// Counts of one size.
#[derive(Clone, Copy, Debug)]
struct Counts {
    vendors: usize,
    centres: usize,
    last_mile: usize,
    commodities: usize,
    paths: usize,
}

impl Counts {
    fn of(size: Size) -> Self {
        let (vendors, centres, last_mile, commodities, paths) = match size {
            Size::Tiny => (8, 2, 5, 40, 40 * 3 + 6),
            Size::Small => (14, 4, 8, 100, 100 * 5 + 60),
            Size::Large => (30, 7, 15, 286, 286 * 8 + 252),
            Size::Hard => (149, 5, 74, 3_226, 3_226 * 6 + 4_628),
        };
        Self {
            vendors,
            centres,
            last_mile,
            commodities,
            paths,
        }
    }
}

/// The family at one size, from one seed.
#[derive(Clone, Debug)]
pub struct Mmcnp {
    size: Size,
    seed: u64,
    reference: Reference,
}

impl Mmcnp {
    /// Draws the infrastructure.
    pub fn new(size: Size, seed: u64) -> Result<Self, FamilyError> {
        let reference = Reference::draw(size, seed, Counts::of(size))?;
        Ok(Self {
            size,
            seed,
            reference,
        })
    }

    /// The infrastructure and the reference demand.
    pub fn reference(&self) -> &Reference {
        &self.reference
    }

    /// The demand of every commodity in one instance, in pounds.
    pub fn demand(&self, number: u64) -> Vec<f64> {
        let mut random = Random::new(self.seed, &format!("mmcnp {} demand", self.size), number);
        let mut draw = |commodity: &Commodity| {
            let mean = commodity.demand;
            let high = (1.5 * mean).min(TRUCK_POUNDS);
            (mean + 0.2 * mean * random.normal())
                .clamp(0.5 * mean, high)
                .round()
        };
        self.reference.commodities.iter().map(&mut draw).collect()
    }
}

impl Family for Mmcnp {
    fn name(&self) -> &str {
        "mmcnp"
    }

    fn size(&self) -> &str {
        self.size.as_str()
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn varies(&self) -> &str {
        "commodity demand: the coefficients of x in capacity rows, and the cost of x"
    }

    fn write_reference(&self, out: &mut dyn Write) -> io::Result<()> {
        Ok(serde_json::to_writer(out, &self.reference)?)
    }

    fn instance(&self, number: u64) -> Result<Instance, FamilyError> {
        let model = instance::model(&self.reference, &self.demand(number));
        crate::family::placed(self.name(), number, model).map(Instance::from)
    }

    fn feasible_point(&self, _number: u64) -> Result<Option<Vec<f64>>, FamilyError> {
        let paths = self
            .reference
            .paths
            .iter()
            .map(|path| f64::from(u8::from(path.through.is_empty())));
        let trucks = self.reference.arcs.iter().map(|_| 0.0);
        Ok(Some(paths.chain(trucks).collect()))
    }
}
