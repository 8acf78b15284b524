//! A family of one's own in one file: which warehouses to open, with demand that differs from day to day.
//!
//! Run it with a folder to write to: `cargo run -p idpas-families --example own_family -- warehouses`
#![allow(clippy::print_stdout)]

use std::io::{self, Write};
use std::ops::ControlFlow;

use idpas_base::random::Random;
use idpas_families::{FamilyError, GenerateOptions, Instance, InstanceFamily, generate};
use idpas_mip::{Model, ModelBuilder, ModelError, Sense, VarKind};

/// What all instances share: the costs, and the demand around which instances vary.
#[derive(serde::Serialize)]
struct Warehouses {
    seed: u64,
    /// Cost of opening each warehouse.
    opening: Vec<f64>,
    /// Cost per unit from a warehouse to a shop: `transport[warehouse][shop]`.
    transport: Vec<Vec<f64>>,
    /// Usual demand of each shop, in units.
    demand: Vec<f64>,
}

impl Warehouses {
    fn new(warehouses: usize, shops: usize, seed: u64) -> Self {
        let mut random = Random::new(seed, "warehouses reference", 0);
        let mut whole = |low, high| random.between(low, high) as f64;
        Self {
            seed,
            opening: (0..warehouses).map(|_| whole(400, 600)).collect(),
            transport: (0..warehouses)
                .map(|_| (0..shops).map(|_| whole(1, 20)).collect())
                .collect(),
            demand: (0..shops).map(|_| whole(5, 30)).collect(),
        }
    }

    fn model(&self, demand: &[f64]) -> Result<Model, ModelError> {
        let mut b = ModelBuilder::new("warehouses", Sense::Minimize);
        let mut served = vec![Vec::new(); demand.len()];
        for (w, &cost) in self.opening.iter().enumerate() {
            // A variable is recognised by its name, so names are the same in every instance and say what they stand
            // for.
            let open = b.column(&format!("open[W{w:02}]"), VarKind::Integer, 0.0, 1.0, cost)?;
            for (s, &units) in demand.iter().enumerate() {
                let cost = self.transport[w][s] * units;
                let x = b.column(
                    &format!("serve[W{w:02}>S{s:02}]"),
                    VarKind::Integer,
                    0.0,
                    1.0,
                    cost,
                )?;
                b.row(
                    &format!("only_open[W{w:02}>S{s:02}]"),
                    f64::NEG_INFINITY,
                    0.0,
                    [(x, 1.0), (open, -1.0)],
                )?;
                served[s].push((x, 1.0));
            }
        }
        for (s, entries) in served.into_iter().enumerate() {
            b.row(&format!("served[S{s:02}]"), 1.0, 1.0, entries)?;
        }
        b.build()
    }
}

impl InstanceFamily for Warehouses {
    fn name(&self) -> &str {
        "warehouses"
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn varies(&self) -> &str {
        "demand of shops: the cost of serve"
    }

    fn write_reference(&self, out: &mut dyn Write) -> io::Result<()> {
        Ok(serde_json::to_writer(out, self)?)
    }

    fn instance(&self, number: u64) -> Result<Instance, FamilyError> {
        // Random numbers depend on the seed, a purpose and the number, so that any instance can be made alone.
        let mut random = Random::new(self.seed, "warehouses demand", number);
        let demand: Vec<f64> = self
            .demand
            .iter()
            .map(|d| (d * random.uniform(0.7, 1.3)).round())
            .collect();
        self.model(&demand)
            .map(Instance::from)
            .map_err(|source| FamilyError::Model {
                family: self.name().into(),
                number,
                source,
            })
    }
}

fn main() -> Result<(), FamilyError> {
    let family = Warehouses::new(8, 20, 1);
    let folder = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "warehouses".into());
    let manifest = generate(&family, &GenerateOptions::new(folder, 5), &|_| {
        ControlFlow::Continue(())
    })?;
    let (count, name) = (manifest.instances.len(), manifest.family);
    println!("{count} instances of {name}");
    Ok(())
}
