//! The model of one MMCNP instance.

use idpas_mip::{Model, ModelBuilder, ModelError, Sense, VarKind};

use super::TRUCK_POUNDS;
use super::reference::{Path, Reference, truckload};
use crate::geography::rounded;

/// Dollars per pound and transfer at a fulfilment centre.
const HANDLING: f64 = 0.02;

/// What sending `pounds` directly over `miles` costs, by the cheapest service.
fn direct_cost(miles: f64, pounds: f64) -> f64 {
    let load = truckload(miles);
    // (most pounds of a shipment, fixed part, part per pound)
    let services = [
        (TRUCK_POUNDS, load, 0.0),
        (2_000.0, 0.05 * load, load / 3_200.0),
        (2_700.0, 0.675 * load, 0.0),
        (4_000.0, 0.0, load / 4_000.0),
    ];
    services
        .iter()
        .map(|(most, fixed, per_pound)| (pounds / most).ceil() * fixed + pounds * per_pound)
        .fold(f64::INFINITY, f64::min)
}

fn column_name(reference: &Reference, path: &Path) -> String {
    let commodity = &reference.commodities[path.commodity].name;
    let vendors = reference
        .facilities
        .iter()
        .take_while(|f| f.name.starts_with("VND"))
        .count();
    let centre = |c: usize| reference.facilities[vendors + c].name.as_str();
    match path.through[..] {
        [] => format!("x[{commodity},direct]"),
        [c] => format!("x[{commodity},{}]", centre(c)),
        [c, d, ..] => format!("x[{commodity},{}>{}]", centre(c), centre(d)),
    }
}

/// The model for this demand, in pounds per commodity.
pub(super) fn model(reference: &Reference, demand: &[f64]) -> Result<Model, ModelError> {
    let mut builder = ModelBuilder::new("mmcnp", Sense::Minimize);
    builder.objective("cost", 0.0);
    let mut on_path = vec![Vec::new(); reference.commodities.len()];
    let mut on_arc = vec![Vec::new(); reference.arcs.len()];
    for path in &reference.paths {
        let pounds = demand[path.commodity];
        let cost = match path.through.len() {
            0 => direct_cost(reference.commodities[path.commodity].miles, pounds),
            transfers => HANDLING * pounds * transfers as f64,
        };
        let name = column_name(reference, path);
        let x = builder.column(&name, VarKind::Integer, 0.0, 1.0, rounded(cost, 2))?;
        on_path[path.commodity].push((x, 1.0));
        for &arc in &path.arcs {
            on_arc[arc].push((x, pounds));
        }
    }
    for (arc, entries) in reference.arcs.iter().zip(&mut on_arc) {
        let name = format!("y[{}]", arc.name);
        let y = builder.column(&name, VarKind::Integer, 0.0, arc.max_trucks, arc.cost)?;
        entries.push((y, -TRUCK_POUNDS));
    }
    for (commodity, entries) in reference.commodities.iter().zip(on_path) {
        builder.row(&format!("assign[{}]", commodity.name), 1.0, 1.0, entries)?;
    }
    for (arc, entries) in reference.arcs.iter().zip(on_arc) {
        builder.row(
            &format!("capacity[{}]", arc.name),
            f64::NEG_INFINITY,
            0.0,
            entries,
        )?;
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cheapest_direct_service_is_taken() {
        // 1,000 miles: a truckload costs 2,020.
        assert_eq!(direct_cost(1_000.0, 40.0), 40.0 * 2_020.0 / 4_000.0);
        assert_eq!(direct_cost(1_000.0, 2_700.0), 0.675 * 2_020.0);
        assert_eq!(direct_cost(1_000.0, 3_800.0), 0.95 * 2_020.0);
        assert_eq!(direct_cost(1_000.0, 9_000.0), 2_020.0);
    }
}
