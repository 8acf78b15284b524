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
//! # Geography
//! Vendors and last-mile centres lie on two coasts, four fifths of them on the eastern one; fulfilment centres lie
//! inland. Two fifths of the commodities join any two ends, the others mostly near ones. So most commodities
//! go directly in good solutions, a minority fills trucks, and most arcs carry none.
//!
//! # With lead times
//! [`Mmcnp::with_lead_time`] also decides how often trucks leave, as in the lead-time-constrained design of Greening et al.
//! An arc has f = 1 … 7 dispatches a week, each with its own truck, or none, and a commodity on it waits
//! up to 7/f days. A path may be taken if its arcs are operated and its driving and waiting keep the commodity's
//! lead time: Σ_{a∈p} 7/f_a ≤ lead_k − miles_p/550. To the model above, with the same infrastructure and demand, come
//!
//! ```text
//!   Σ_f w[a,f] ≤ 1                                                   frequency[a]
//!   Σ_f f·w[a,f] ≤ y[a]                                              dispatch[a]
//!   Σ_{p∋a, g_p≥g} x[k,p] ≤ Σ_{f≥g} w[a,f]                           operate[k,a,g]
//!   Σ_{a∈p} Σ_f min(t(f), t(g_p))·w[a,f] + M_p·x[k,p] ≤ |p|·t(g_p)   wait[k,p]
//!   x[k,p] ≤ 0                                                       if daily trucks are not enough
//! ```
//!
//! where t(f) = 420/f is the wait in sixtieths of a day, B_p the largest sum of |p| waits that the lead time
//! leaves, g_p the least frequency with t(g_p) ≤ B_p − 60·(|p| − 1), which every leg needs even if the others leave
//! daily, and M_p = |p|·t(g_p) − B_p. All these numbers are whole. Where M_p = 0 there is no `wait` row.
//!
//! | name | meaning |
//! | --- | --- |
//! | `w[VND03>FC2,3]` | the arc has three dispatches a week |
//! | `operate[VND03>LMD11,VND03>FC2,3]` | the commodity's paths that need three dispatches or more of the arc get them |
//! | `wait[VND03>LMD11,FC2]` | the waits on this path keep the lead time |
//!
//! Trucks that leave often are expensive in comparison with the demand of one week: in the sizes up to large the best
//! plan as a rule sends all commodities directly, and solvers prove it sooner than they solve the plain model.
//!
//! Every instance is feasible, with lead times or without: all commodities may go directly, which needs no truck.

mod instance;
mod lead_time;
mod paths;
mod reference;
mod sites;

use std::io::{self, Write};

pub use lead_time::MAX_FREQUENCY;
pub use reference::{Arc, Commodity, Facility, Path, Reference};

use crate::family::{Instance, InstanceFamily, Size};
use idpas_base::random::Random;

use crate::FamilyError;

/// Pounds a truck carries.
pub const TRUCK_POUNDS: f64 = 12_000.0;

/// Numbers of facilities, commodities and paths of one size.
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
            Size::Tiny => (6, 5, 7, 42, 42 * 6 + 6),
            Size::Small => (14, 6, 8, 100, 100 * 7 + 60),
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

/// The family MMCNP at one size, from one seed.
#[derive(Clone, Debug)]
pub struct Mmcnp {
    size: Size,
    seed: u64,
    lead_time: bool,
    reference: Reference,
}

impl Mmcnp {
    /// Draws the infrastructure of this size from the seed.
    pub fn new(size: Size, seed: u64) -> Result<Self, FamilyError> {
        let reference = Reference::draw(size, seed, Counts::of(size))?;
        Ok(Self {
            size,
            seed,
            lead_time: false,
            reference,
        })
    }

    /// The [variant with lead times](self#with-lead-times), on the infrastructure and demand of
    /// [`new`](Self::new).
    pub fn with_lead_time(size: Size, seed: u64) -> Result<Self, FamilyError> {
        let mut family = Self::new(size, seed)?;
        family.lead_time = true;
        family.reference.family = "mmcnp-lead-time";
        Ok(family)
    }

    /// The infrastructure and the reference demand.
    pub fn reference(&self) -> &Reference {
        &self.reference
    }

    /// The demand of every commodity in the instance with this number, in pounds.
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

impl InstanceFamily for Mmcnp {
    fn name(&self) -> &str {
        self.reference.family
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
        let model = instance::model(&self.reference, &self.demand(number), self.lead_time);
        crate::family::placed(self.name(), number, model).map(Instance::from)
    }

    fn feasible_point(&self, _number: u64) -> Result<Option<Vec<f64>>, FamilyError> {
        let paths = self
            .reference
            .paths
            .iter()
            .map(|path| f64::from(u8::from(path.through.is_empty())));
        let per_arc = 1 + if self.lead_time { MAX_FREQUENCY } else { 0 };
        let none = vec![0.0; per_arc * self.reference.arcs.len()];
        Ok(Some(paths.chain(none).collect()))
    }
}
