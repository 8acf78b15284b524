//! Finds the numbers of a model that vary, and varies them.

use idpas_base::random::Random;
use idpas_mip::{Model, Names};

use super::spec::{Change, Draw, Patterns, Rounding, Vary, What, glob};

/// The numbers of a model that one entry of the specification varies.
#[derive(Clone, Debug)]
pub(super) enum Targets {
    /// Sides of these rows, which have a finite one that may vary.
    Sides(Vec<usize>),
    /// Bounds of these columns, which have a finite one that may vary.
    Bounds(Vec<usize>),
    /// Objective coefficients of these columns.
    Costs(Vec<usize>),
    /// Matrix entries, as (position in the matrix, row, column).
    Entries(Vec<(usize, usize, usize)>),
}

impl Targets {
    pub(super) fn len(&self) -> usize {
        match self {
            Targets::Sides(all) | Targets::Bounds(all) | Targets::Costs(all) => all.len(),
            Targets::Entries(all) => all.len(),
        }
    }

    /// Finds the numbers that vary; the error says why there are none.
    pub(super) fn find(model: &Model, vary: &Vary) -> Result<Self, String> {
        let rows = matching("row", &model.rows.names, vary.rows.as_ref())?;
        let columns = matching("column", &model.columns.names, vary.columns.as_ref())?;
        let may_vary = |value: f64| value.is_finite() && !(vary.keep_zero && value == 0.0);
        let kept = |indices: Vec<usize>, keep: &dyn Fn(usize) -> bool| {
            indices.into_iter().filter(|&i| keep(i)).collect::<Vec<_>>()
        };
        let (r, c) = (&model.rows, &model.columns);
        let targets = match vary.what {
            What::Rhs => Targets::Sides(kept(rows, &|i| {
                may_vary(r.lower[i]) || may_vary(r.upper[i])
            })),
            What::Lower => Targets::Bounds(kept(columns, &|j| may_vary(c.lower[j]))),
            What::Upper => Targets::Bounds(kept(columns, &|j| may_vary(c.upper[j]))),
            What::Bounds => Targets::Bounds(kept(columns, &|j| {
                may_vary(c.lower[j]) || may_vary(c.upper[j])
            })),
            What::Objective => Targets::Costs(kept(columns, &|j| may_vary(c.cost[j]))),
            What::Coefficient => Targets::Entries(entries(model, &rows, &columns)),
        };
        if targets.len() > 0 {
            return Ok(targets);
        }
        let reason = match vary.what {
            What::Coefficient => "no matrix entry lies in both",
            _ if vary.keep_zero => "every such number is zero or infinite (see `keep_zero`)",
            _ => "every such number is infinite",
        };
        Err(format!("{vary}: nothing can vary, {reason}"))
    }

    /// Varies the numbers in `model`, and adds a line to `repairs` for everything that had to be clamped.
    pub(super) fn apply(
        &self,
        model: &mut Model,
        vary: &Vary,
        random: &mut Random,
        repairs: &mut Vec<String>,
    ) {
        let mut once = None;
        let mut draw = |random: &mut Random| match vary.draw {
            Draw::Once => *once.get_or_insert_with(|| vary.distribution.draw(random)),
            _ => vary.distribution.draw(random),
        };
        match self {
            Targets::Sides(rows) => {
                for &i in rows {
                    let mut sides = (model.rows.lower[i], model.rows.upper[i]);
                    if vary_interval(&mut sides, (true, true), vary, draw(random)) {
                        repairs.push(format!(
                            "row {}: sides crossed and were clamped",
                            model.rows.names.get(i)
                        ));
                    }
                    (model.rows.lower[i], model.rows.upper[i]) = sides;
                }
            }
            Targets::Bounds(columns) => {
                let which = (vary.what != What::Upper, vary.what != What::Lower);
                for &j in columns {
                    let mut bounds = (model.columns.lower[j], model.columns.upper[j]);
                    if vary_interval(&mut bounds, which, vary, draw(random)) {
                        let name = model.columns.names.get(j);
                        repairs.push(format!("column {name}: bounds crossed and were clamped"));
                    }
                    (model.columns.lower[j], model.columns.upper[j]) = bounds;
                }
            }
            Targets::Costs(columns) => {
                for &j in columns {
                    model.columns.cost[j] = varied(model.columns.cost[j], vary, draw(random));
                }
            }
            Targets::Entries(entries) => vary_entries(entries, model, vary, random, draw, repairs),
        }
    }
}

/// The rows or columns, by index, whose names match; all if there are no patterns. Every pattern must match a name.
fn matching(what: &str, names: &Names, patterns: Option<&Patterns>) -> Result<Vec<usize>, String> {
    let Some(patterns) = patterns else {
        return Ok((0..names.len()).collect());
    };
    if let Some(idle) = patterns
        .all()
        .iter()
        .find(|p| !names.iter().any(|name| glob(p, name)))
    {
        return Err(format!("the pattern `{idle}` matches no {what}"));
    }
    Ok(names
        .iter()
        .enumerate()
        .filter(|(_, name)| patterns.matches(name))
        .map(|(i, _)| i)
        .collect())
}

/// The entries that are in one of these rows and one of these columns, in the matrix's order.
fn entries(model: &Model, rows: &[usize], columns: &[usize]) -> Vec<(usize, usize, usize)> {
    let mut wanted = vec![false; model.num_rows()];
    for &i in rows {
        wanted[i] = true;
    }
    let mut found = Vec::new();
    for &j in columns {
        let start = model.matrix.starts()[j];
        for (offset, (i, _)) in model.matrix.entries(j).enumerate() {
            if wanted[i] {
                found.push((start + offset, i, j));
            }
        }
    }
    found
}

fn varied(value: f64, vary: &Vary, change: Change) -> f64 {
    if !value.is_finite() || (vary.keep_zero && value == 0.0) {
        return value;
    }
    let new = change.of(value);
    match vary.round {
        Rounding::None => new,
        Rounding::Integer => new.round(),
    }
}

/// Varies the lower end of an interval, the upper one, or both, as `which` says. Returns whether they crossed and were
/// clamped.
fn vary_interval(ends: &mut (f64, f64), which: (bool, bool), vary: &Vary, change: Change) -> bool {
    let old = *ends;
    if which.0 {
        ends.0 = varied(old.0, vary, change);
    }
    if which.1 {
        ends.1 = varied(old.1, vary, change);
    }
    let crossed = ends.0 > ends.1;
    if crossed {
        // If one end varied, it is set to the other one; if both did, the upper is set to the lower.
        match which {
            (true, false) => ends.0 = ends.1,
            _ => ends.1 = ends.0,
        }
    }
    crossed
}

fn vary_entries(
    entries: &[(usize, usize, usize)],
    model: &mut Model,
    vary: &Vary,
    random: &mut Random,
    mut draw: impl FnMut(&mut Random) -> Change,
    repairs: &mut Vec<String>,
) {
    let mut shared: std::collections::HashMap<usize, Change> = std::collections::HashMap::new();
    for &(at, row, column) in entries {
        let change = match vary.draw {
            Draw::Row => *shared.entry(row).or_insert_with(|| draw(random)),
            Draw::Column => *shared.entry(column).or_insert_with(|| draw(random)),
            Draw::Each | Draw::Once => draw(random),
        };
        let value = model.matrix.values()[at];
        let new = varied(value, vary, change);
        if new == 0.0 {
            let (row, column) = (model.rows.names.get(row), model.columns.names.get(column));
            repairs.push(format!(
                "coefficient of {column} in {row}: would become zero, kept {value}"
            ));
        } else {
            model.matrix.values_mut()[at] = new;
        }
    }
}
