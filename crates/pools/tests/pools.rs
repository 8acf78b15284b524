//! Pool files: exact round trips, damage of any kind, and size.

use idpas_base::container::ContainerError;
use idpas_families::mmcnp::Mmcnp;
use idpas_families::{InstanceFamily, Size};
use idpas_mip::check::{Tolerances, check};
use idpas_mip::{BasisStatus, Model, ModelBuilder, Relaxation, RowSides, Sense, VarKind};
use idpas_pools::collect::{CollectSettings, fill_pool};
use idpas_pools::pool::{InstanceInfo, Pool, PoolSolution, Source, Weighting};
use idpas_pools::{NoPool, PoolError};
use idpas_solver::Interrupt;

/// Limits that no machine reaches by time.
fn settings() -> CollectSettings {
    CollectSettings {
        time_limit: 100.0,
        pool: 12,
        nodes: Some(5),
        rounds: Some(8),
        keep_gap: 0.2,
        ..CollectSettings::default()
    }
}

fn tiny() -> Model {
    let family = Mmcnp::new(Size::Tiny, 1).expect("a family");
    family.instance(1).expect("an instance").model
}

fn filled() -> Pool {
    let model = tiny();
    let solver = idpas_solver::by_name("highs").expect("a solver");
    let instance = InstanceInfo::new("tiny", "00", &model);
    let interrupt = Interrupt::new();
    fill_pool(
        &model,
        instance,
        Vec::new(),
        &settings(),
        &*solver,
        &interrupt,
    )
    .expect("a pool")
}

#[test]
fn a_pool_is_checked_distinct_sorted_and_reproducible() {
    let model = tiny();
    let pool = filled();
    assert!(pool.solutions.len() > 3, "{}", pool.solutions.len());
    for (k, solution) in pool.solutions.iter().enumerate() {
        let report = check(&model, &solution.values, &Tolerances::default()).unwrap();
        assert!(report.feasible);
        assert_eq!(report.objective, solution.objective);
        assert!(solution.values.iter().all(|v| *v == v.round()));
        assert!(pool.gap(k) <= 0.2);
        assert!(
            pool.solutions[..k]
                .iter()
                .all(|s| s.values != solution.values)
        );
    }
    let relaxation = pool.relaxation.as_ref().unwrap();
    assert!(relaxation.objective <= pool.best().unwrap());
    assert!(pool.info.bound.unwrap() >= relaxation.objective - 1e-6);
    assert_eq!(relaxation.duals.len(), model.num_rows());

    let again = filled();
    assert_eq!(again.content_hash(), pool.content_hash());
    let targets = pool.targets(Weighting::Energy);
    assert!(targets.iter().all(|t| (0.0..=1.0).contains(t)));
    assert!(targets.iter().any(|t| *t > 0.0));
}

#[test]
fn files_come_back_exactly_and_any_flipped_bit_is_found() {
    let pool = filled();
    let bytes = pool.to_bytes().unwrap();
    assert_eq!(Pool::from_bytes(&bytes, "a").unwrap(), pool);
    assert_eq!(pool.to_bytes().unwrap(), bytes);
    // Every bit of the header, and every seventh of the rest.
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let bits = (0..8 * header).chain((8 * header..8 * bytes.len()).step_by(7));
    for bit in bits {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let error = Pool::from_bytes(&flipped, "a").expect_err("a flipped bit");
        assert!(
            matches!(error, PoolError::File(ContainerError::Damaged { .. })),
            "{bit}: {error}"
        );
    }
    for length in (0..bytes.len()).step_by(11) {
        let cut = Pool::from_bytes(&bytes[..length], "a");
        assert!(
            matches!(cut, Err(PoolError::File(ContainerError::Damaged { .. }))),
            "{length}"
        );
    }
    let long = [bytes.as_slice(), b"x"].concat();
    assert!(Pool::from_bytes(&long, "a").is_err());
}

#[test]
fn a_hard_slap_pool_of_fifty_is_small() {
    // As many rows and columns as SLAP hard; as many non-zeros as its ground and train arcs can have, and
    // solutions that differ in more columns than those of real pools do.
    let (rows, columns) = (82_996, 77_052);
    let used = 16_000;
    let value = |j: usize, k: usize| {
        let changed = (j * 31 + k * 17).is_multiple_of(2) && k > 0;
        ((j * 7919 + if changed { k } else { 0 }) % 9) as f64
    };
    let solution = |k: usize| PoolSolution {
        values: (0..columns)
            .map(|j| if j < used { value(j, k) } else { 0.0 })
            .collect(),
        objective: k as f64,
        time: Some(k as f64),
        source: Source::Neighbourhood,
    };
    let mut pool = filled();
    pool.info.instance.rows = rows;
    pool.info.instance.columns = columns;
    pool.solutions = (0..50).map(solution).collect();
    pool.relaxation = Some(Relaxation {
        objective: pool.relaxation.unwrap().objective,
        values: (0..columns)
            .map(|j| if j < used { j as f64 / 3.0 } else { 0.0 })
            .collect(),
        reduced_costs: vec![1.5; columns],
        column_basis: vec![BasisStatus::Basic; columns],
        duals: vec![0.25; rows],
        activities: vec![3.0; rows],
        row_basis: vec![BasisStatus::Upper; rows],
        row_sides: vec![RowSides::of(3.0, 0.0, 3.0); rows],
    });
    let bytes = pool.to_bytes().unwrap();
    assert!(bytes.len() < 5_000_000, "{} bytes", bytes.len());
    assert_eq!(Pool::from_bytes(&bytes, "slap").unwrap(), pool);
}

#[test]
fn imports_merge_and_maximisation_works() {
    let mut b = ModelBuilder::new("knapsack", Sense::Maximize);
    let columns: Vec<usize> = (0..6)
        .map(|j| b.column(&format!("x{j}"), VarKind::Integer, 0.0, 3.0, 2.0 + j as f64))
        .collect::<Result<_, _>>()
        .unwrap();
    let y = b.column("y", VarKind::Continuous, 0.0, 0.75, 1.0).unwrap();
    let weights = columns.iter().map(|&j| (j, 3.0 + j as f64));
    b.row("w", f64::NEG_INFINITY, 20.5, weights.chain([(y, 1.0)]))
        .unwrap();
    let model = b.build().unwrap();
    let solver = idpas_solver::by_name("highs").unwrap();
    let known = PoolSolution {
        values: vec![1.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.5],
        objective: 0.0,
        time: None,
        source: Source::Import,
    };
    let settings = CollectSettings {
        keep_gap: 0.5,
        ..settings()
    };
    let instance = InstanceInfo::new("k", "00", &model);
    let interrupt = Interrupt::new();
    let pool = fill_pool(
        &model,
        instance,
        vec![known],
        &settings,
        &*solver,
        &interrupt,
    )
    .unwrap();
    assert!(pool.solutions.len() > 3);
    let objectives: Vec<f64> = pool.solutions.iter().map(|s| s.objective).collect();
    assert!(objectives.is_sorted_by(|a, b| a >= b));
    assert!(pool.info.bound.unwrap() >= objectives[0] - 1e-6);
    assert_eq!(
        Pool::from_bytes(&pool.to_bytes().unwrap(), "k").unwrap(),
        pool
    );
}

#[test]
fn an_infeasible_instance_has_no_pool() {
    let mut b = ModelBuilder::new("", Sense::Minimize);
    let x = b.column("x", VarKind::Integer, 0.0, 1.0, 1.0).unwrap();
    b.row("r", 0.25, 0.75, [(x, 1.0)]).unwrap();
    let model = b.build().unwrap();
    let solver = idpas_solver::by_name("highs").unwrap();
    let instance = InstanceInfo::new("none", "00", &model);
    let interrupt = Interrupt::new();
    let result = fill_pool(
        &model,
        instance,
        Vec::new(),
        &settings(),
        &*solver,
        &interrupt,
    );
    assert!(matches!(result, Err(PoolError::NoPool(NoPool::Infeasible))));
}
