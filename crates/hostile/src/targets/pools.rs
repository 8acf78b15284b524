//! What lies in a folder of pools.

use std::path::Path;

use idpas_base::container::{Kind, decode, header};
use idpas_pools::collect::{CollectFailure, WorkerJob, WorkerOutcome};
use idpas_pools::inputs::listed_instances;
use idpas_pools::manifest::Manifest;
use idpas_pools::pool::Pool;
use idpas_pools::series::SeriesList;
use serde_json::Value;

use super::json;
use crate::limits::{frugal, frugal_beside};
use crate::unpack;

/// Columns from which on the dense solutions of a pool would take most of the time of a check. That such pools are refused
/// where they must be is a test of the pools' own.
const MANY_COLUMNS: u64 = 20_000;

/// Files as they lie on disk: the format below the checksum.
pub(super) fn container(bytes: &[u8]) {
    let kinds = [("pool", "idpas-pool"), ("model", "idpas-model")];
    for (key, format) in kinds {
        let kind = Kind {
            key,
            format,
            version: 1,
        };
        let _ = frugal(bytes, || header::<Value>(kind, bytes).is_ok());
        let _ = frugal(bytes, || decode::<Value>(kind, bytes).is_ok());
    }
    let _ = frugal(bytes, || Pool::from_bytes(bytes, "a"));
}

pub(super) fn pool(bytes: &[u8]) {
    let Some(file) = unpack(bytes, "pool") else {
        return;
    };
    let first = bytes
        .split(|&byte| byte == b'\n')
        .next()
        .unwrap_or_default();
    let header: Value = serde_json::from_slice(first).unwrap_or_default();
    let columns = header["instance"]["columns"].as_u64().unwrap_or(0);
    if (MANY_COLUMNS..1 << 31).contains(&columns) {
        return;
    }
    // Solutions are stored by their differences and read into one number for each column.
    let solutions = (file.len() / 33).min(1 << 10);
    let dense = solutions * 8 * columns.min(MANY_COLUMNS) as usize;
    let Ok(pool) = frugal_beside(&file, dense, || Pool::from_bytes(&file, "a")) else {
        return;
    };
    let written = pool.to_bytes().expect("what was read can be written");
    let again = Pool::from_bytes(&written, "a").expect("what was written can be read");
    let values = |pool: &Pool| -> Vec<Vec<u64>> {
        let all = pool.solutions.iter();
        let bits = |values: &[f64]| values.iter().map(|value| (value + 0.0).to_bits()).collect();
        all.map(|solution| bits(&solution.values)).collect()
    };
    assert_eq!(again.info, pool.info);
    assert_eq!(values(&again), values(&pool));
    assert_eq!(again.to_bytes().ok(), Some(written), "other bytes");
    pool.gap(1);
    pool.content_hash();
}

pub(super) fn manifest(bytes: &[u8]) {
    let read = frugal(bytes, || Manifest::from_bytes(bytes, Path::new("a")));
    if let Ok(manifest) = read {
        json::stays(&manifest);
    }
}

/// Lists of paths, and lists with a header.
pub(super) fn lists(bytes: &[u8]) {
    let list = Path::new("/nowhere/a.test");
    let _ = frugal(bytes, || listed_instances(bytes, list));
    let _ = frugal(bytes, || SeriesList::from_bytes(bytes, list));
}

pub(super) fn state(bytes: &[u8]) {
    json::value::<CollectFailure>(bytes);
    let _ = frugal(bytes, || serde_json::from_slice::<WorkerJob>(bytes).is_ok());
    let _ = frugal(bytes, || {
        serde_json::from_slice::<WorkerOutcome>(bytes).is_ok()
    });
}
