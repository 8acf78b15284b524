//! The model of one SLAP instance, and the point that proves it feasible.

use idpas_mip::{Model, ModelBuilder, ModelError, Sense, VarKind};

use super::network::{Reference, Span};
use super::{
    Bounds, CREW, DEADHEAD, EVENT, FUEL, LIGHT_TRAIN, MOST_LIGHT_TRAINS, MOST_ON_TRAIN, OWN,
};

/// Largest difference between the locomotives of two legs, each of which has between 1 and [`MOST_ON_TRAIN`].
const BIG_M: f64 = MOST_ON_TRAIN - 1.0;

/// The model with these bounds. Columns: locomotives on ground, train and light arcs, then light trains, then work
/// events.
pub(super) fn model(reference: &Reference, bounds: &Bounds) -> Result<Model, ModelError> {
    let mut builder = ModelBuilder::new("slap", Sense::Minimize);
    let carried = reference.legs.iter().zip(&bounds.lower);
    let constant = carried
        .map(|(leg, &lower)| DEADHEAD * leg.miles * lower as f64)
        .sum::<f64>();
    builder.objective("cost", -constant);
    let spans: Vec<Span> = reference.spans().collect();
    add_columns(&mut builder, reference, &spans)?;
    add_rows(&mut builder, reference, &spans, bounds)?;
    builder.build()
}

/// The arc between two nodes as it stands in names: `S017@Mo08>S022@Mo14`.
fn arc(reference: &Reference, from: usize, to: usize) -> String {
    let node = |v: usize| reference.nodes[v].name.as_str();
    format!("{}>{}", node(from), node(to))
}

fn add_columns(
    builder: &mut ModelBuilder,
    reference: &Reference,
    spans: &[Span],
) -> Result<(), ModelError> {
    let arc = |from: usize, to: usize| arc(reference, from, to);
    let own = |x: usize| OWN * spans[x].hours as f64;
    let fleet = reference.fleet as f64;
    let integer = VarKind::Integer;
    let grounds = reference.nodes.len();
    let first_light = grounds + reference.legs.len();
    for (v, at) in reference.nodes.iter().enumerate() {
        let name = format!("x[ground,{}]", arc(v, at.next));
        builder.column(&name, integer, 0.0, fleet, own(v))?;
    }
    for (i, leg) in reference.legs.iter().enumerate() {
        let name = format!("x[{},{}]", leg.train, arc(leg.from, leg.to));
        let cost = own(grounds + i) + DEADHEAD * leg.miles;
        builder.column(&name, integer, 0.0, MOST_ON_TRAIN, cost)?;
    }
    for (i, light) in reference.light.iter().enumerate() {
        let name = format!("x[light,{}]", arc(light.from, light.to));
        let cost = own(first_light + i) + FUEL * light.miles;
        builder.column(&name, integer, 0.0, LIGHT_TRAIN * MOST_LIGHT_TRAINS, cost)?;
    }
    for light in &reference.light {
        let name = format!("y[light,{}]", arc(light.from, light.to));
        builder.column(&name, integer, 0.0, MOST_LIGHT_TRAINS, CREW)?;
    }
    for site in &reference.sites {
        builder.column(&format!("z[{}]", site.name), integer, 0.0, 1.0, EVENT)?;
    }
    Ok(())
}

fn add_rows(
    builder: &mut ModelBuilder,
    reference: &Reference,
    spans: &[Span],
    bounds: &Bounds,
) -> Result<(), ModelError> {
    let arc = |from: usize, to: usize| arc(reference, from, to);
    let grounds = reference.nodes.len();
    let first_light = grounds + reference.legs.len();
    let first_train = first_light + reference.light.len();
    let first_site = first_train + reference.light.len();
    let minus = f64::NEG_INFINITY;
    for at in &reference.nodes {
        builder.row(&format!("flow[{}]", at.name), 0.0, 0.0, [])?;
    }
    for (x, span) in spans.iter().enumerate() {
        builder.entry(span.from, x, -1.0)?;
        builder.entry(span.to, x, 1.0)?;
    }
    for (i, light) in reference.light.iter().enumerate() {
        let (x, y) = (first_light + i, first_train + i);
        let arc = arc(light.from, light.to);
        builder.row(
            &format!("cap[{arc}]"),
            minus,
            0.0,
            [(x, 1.0), (y, -LIGHT_TRAIN)],
        )?;
        builder.row(&format!("use[{arc}]"), minus, 0.0, [(x, -1.0), (y, 1.0)])?;
    }
    for (i, leg) in reference.legs.iter().enumerate() {
        let x = grounds + i;
        let name = format!("{},{}", leg.train, arc(leg.from, leg.to));
        let (lower, upper) = (bounds.lower[i] as f64, bounds.upper[i] as f64);
        builder.row(&format!("min[{name}]"), lower, f64::INFINITY, [(x, 1.0)])?;
        builder.row(&format!("max[{name}]"), minus, upper, [(x, 1.0)])?;
    }
    for (w, site) in reference.sites.iter().enumerate() {
        let (into, out, z) = (
            grounds + site.leg_in,
            grounds + site.leg_out,
            first_site + w,
        );
        let up = [(into, 1.0), (out, -1.0), (z, -BIG_M)];
        let down = [(into, -1.0), (out, 1.0), (z, -BIG_M)];
        builder.row(&format!("event_up[{}]", site.name), minus, 0.0, up)?;
        builder.row(&format!("event_down[{}]", site.name), minus, 0.0, down)?;
    }
    let across = spans
        .iter()
        .enumerate()
        .map(|(x, span)| (x, span.crossings as f64));
    builder.row("fleet", minus, reference.fleet as f64, across)?;
    Ok(())
}

/// The values of all columns for a circulation, with as few light trains as carry it and work events where needed.
pub(super) fn point(reference: &Reference, flows: &[i64]) -> Vec<f64> {
    let grounds = reference.nodes.len();
    let light = &flows[grounds + reference.legs.len()..];
    let trains = light.iter().map(|&x| (x as f64 / LIGHT_TRAIN).ceil());
    let events = reference.sites.iter().map(|site| {
        let differs = flows[grounds + site.leg_in] != flows[grounds + site.leg_out];
        f64::from(u8::from(differs))
    });
    flows
        .iter()
        .map(|&x| x as f64)
        .chain(trains)
        .chain(events)
        .collect()
}
