//! The model of one MMCNP instance.

use idpas_mip::{Model, ModelBuilder, ModelError, Sense, VarKind};

use super::TRUCK_POUNDS;
use super::lead_time::{self, Need};
use super::reference::{Path, Reference, truckload};
use crate::geography::rounded;

/// Cost of one transfer at a fulfilment centre, in dollars per pound.
const HANDLING: f64 = 0.02;

/// The cost in dollars of sending `pounds` directly over `miles`, by the cheapest service.
fn direct_cost(miles: f64, pounds: f64) -> f64 {
    let load = truckload(miles);
    // Services: most pounds of a shipment, fixed part of the cost, part per pound.
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

/// Commodity and path as they stand in names: `VND03>LMD11,FC2`.
pub(super) fn path_name(reference: &Reference, path: &Path) -> String {
    let commodity = &reference.commodities[path.commodity].name;
    let vendors = reference
        .facilities
        .iter()
        .take_while(|f| f.name.starts_with("VND"))
        .count();
    let centre = |c: usize| reference.facilities[vendors + c].name.as_str();
    match path.through[..] {
        [] => format!("{commodity},direct"),
        [c] => format!("{commodity},{}", centre(c)),
        [c, d, ..] => format!("{commodity},{}>{}", centre(c), centre(d)),
    }
}

/// The model for this demand, in pounds per commodity; `with_lead_time` adds the rows of lead times.
pub(super) fn model(
    reference: &Reference,
    demand: &[f64],
    with_lead_time: bool,
) -> Result<Model, ModelError> {
    let mut builder = ModelBuilder::new(reference.family, Sense::Minimize);
    builder.objective("cost", 0.0);
    let need = |path| match with_lead_time {
        true => Need::of(reference, path),
        false => Need::Nothing,
    };
    let needs: Vec<Need> = reference.paths.iter().map(need).collect();
    let mut on_path = vec![Vec::new(); reference.commodities.len()];
    let mut on_arc = vec![Vec::new(); reference.arcs.len()];
    for (path, need) in reference.paths.iter().zip(&needs) {
        let pounds = demand[path.commodity];
        let cost = match path.through.len() {
            0 => direct_cost(reference.commodities[path.commodity].miles, pounds),
            transfers => HANDLING * pounds * transfers as f64,
        };
        let name = format!("x[{}]", path_name(reference, path));
        let most = f64::from(u8::from(*need != Need::TooMuch));
        let x = builder.column(&name, VarKind::Integer, 0.0, most, rounded(cost, 2))?;
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
    if with_lead_time {
        lead_time::extend(&mut builder, reference, &needs)?;
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
