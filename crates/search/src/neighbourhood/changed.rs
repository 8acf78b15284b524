//! Many re-solves of one loaded model, each with changes of its own.

use idpas_mip::Model;
use idpas_solver::{
    BoundChange, Control, LoadedModel, NewRow, Params, SolveResult, Solver, SolverError, Start,
};

/// What one re-solve changes in the model.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Columns with other bounds.
    pub bounds: Vec<BoundChange>,
    /// Rows that are added.
    pub rows: Vec<NewRow>,
    /// Columns with other costs: (column, cost).
    pub costs: Vec<(usize, f64)>,
}

/// A loaded model that is changed for a solve, and changed back after it. Solutions are those of the model itself, since
/// no column comes or goes.
pub struct ChangedModel<'a> {
    solver: &'a dyn Solver,
    model: &'a Model,
    /// Nothing after a failure: a model that could not be changed back, and one that a solve kept, is loaded again.
    loaded: Option<Box<dyn LoadedModel>>,
}

impl<'a> ChangedModel<'a> {
    /// A model that is still to be [loaded](Self::load).
    pub fn new(solver: &'a dyn Solver, model: &'a Model) -> Self {
        ChangedModel {
            solver,
            model,
            loaded: None,
        }
    }

    /// Loads the model, unless it is loaded.
    pub fn load(&mut self) -> Result<&mut dyn LoadedModel, SolverError> {
        let loaded = match self.loaded.take() {
            Some(loaded) => loaded,
            None => self.solver.load(self.model)?,
        };
        Ok(self.loaded.insert(loaded).as_mut())
    }

    /// Changes the model, solves it, and takes the changes back.
    pub fn solve(
        &mut self,
        change: &Change,
        start: Option<&Start>,
        params: &Params,
        control: &mut Control<'_>,
    ) -> Result<SolveResult, SolverError> {
        let loaded = self.load()?;
        let result = apply(loaded, change).and_then(|()| loaded.solve(params, start, control));
        let lost = result.is_err() || self.restore(change).is_err();
        if lost {
            self.loaded = None;
        }
        result
    }

    /// Takes the changes back.
    fn restore(&mut self, change: &Change) -> Result<(), SolverError> {
        let (model, columns) = (self.model, &self.model.columns);
        let loaded = self.load()?;
        let original = |changed: &BoundChange| BoundChange {
            index: changed.index,
            lower: columns.lower[changed.index],
            upper: columns.upper[changed.index],
        };
        let bounds: Vec<BoundChange> = change.bounds.iter().map(original).collect();
        let original = |&(j, _): &(usize, f64)| (j, columns.cost[j]);
        let costs: Vec<(usize, f64)> = change.costs.iter().map(original).collect();
        loaded.delete_rows(model.num_rows()..loaded.num_rows())?;
        loaded.set_costs(&costs)?;
        loaded.set_column_bounds(&bounds)
    }
}

fn apply(loaded: &mut dyn LoadedModel, change: &Change) -> Result<(), SolverError> {
    loaded.set_column_bounds(&change.bounds)?;
    loaded.set_costs(&change.costs)?;
    loaded.add_rows(&change.rows)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use idpas_mip::{ModelBuilder, Sense, VarKind};
    use idpas_solver::highs::Highs;

    use super::*;
    use crate::neighbourhood::hold;

    #[test]
    fn changes_hold_for_one_solve() -> Result<(), Box<dyn std::error::Error>> {
        let mut b = ModelBuilder::new("three", Sense::Maximize);
        for j in 0..3 {
            b.column(&format!("x{j}"), VarKind::Integer, 0.0, 1.0, 1.0)?;
        }
        let model = b.build()?;
        let mut changed = ChangedModel::new(&Highs, &model);
        let mut solve = |change: &Change| -> Result<Vec<f64>, Box<dyn std::error::Error>> {
            let (params, control) = (Params::default(), &mut Control::default());
            let result = changed.solve(change, None, &params, control)?;
            Ok(result.best.ok_or("no solution")?.values)
        };
        let change = Change {
            bounds: hold(&model, &[0.0; 3], |j| j > 0),
            rows: vec![NewRow {
                lower: f64::NEG_INFINITY,
                upper: 1.0,
                entries: vec![(1, 1.0), (2, 1.0)],
            }],
            costs: vec![(2, 5.0)],
        };
        assert_eq!(solve(&change)?, [0.0, 0.0, 1.0]);
        assert_eq!(solve(&Change::default())?, [1.0, 1.0, 1.0]);
        Ok(())
    }
}
