//! Our MPS reader against HiGHS's, on one generated file, in one run: time and peak memory.
//!
//! Each reading is a process of its own, so that peak memory is that reader's alone; the two take turns.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use idpas_mip::{ModelBuilder, Sense, VarKind, read_model, write_model};

type Outcome<T> = Result<T, Box<dyn Error>>;

const ROUNDS: usize = 5;
const MEGABYTE: f64 = 1e6;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [reader, file] if reader != "--megabytes" => measure_here(reader, Path::new(file)),
        [] => compare(100.0),
        [option, megabytes] if option == "--megabytes" => compare(megabytes.parse()?),
        _ => Err("usage: read_mps [--megabytes N]".into()),
    }
}

/// Reads a file once and prints seconds and peak memory, for the parent to collect.
fn measure_here(reader: &str, file: &Path) -> Outcome<()> {
    let before = peak_memory()?;
    let clock = Instant::now();
    let size = match reader {
        "ours" => {
            let model = read_model(file)?.model;
            (model.num_rows(), model.num_columns())
        }
        "highs" => idpas_solver::highs::read_file(file, false)?.size,
        _ => return Err(format!("unknown reader {reader}").into()),
    };
    let seconds = clock.elapsed().as_secs_f64();
    println!(
        "{seconds} {} {} {}",
        peak_memory()? - before,
        size.0,
        size.1
    );
    Ok(())
}

/// The largest resident size of this process so far, in bytes.
fn peak_memory() -> Outcome<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find(|l| l.starts_with("VmHWM:"))
        .ok_or("no VmHWM")?;
    let kilobytes: f64 = line.split_whitespace().nth(1).ok_or("no value")?.parse()?;
    Ok(kilobytes * 1024.0)
}

fn compare(megabytes: f64) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("generated.mps");
    generate(&file, megabytes * MEGABYTE)?;
    let bytes = std::fs::metadata(&file)?.len() as f64;
    println!("file: {:.1} MB", bytes / MEGABYTE);
    let mut times = [Vec::new(), Vec::new()];
    let mut memory = [0.0f64; 2];
    let mut sizes = Vec::new();
    for _ in 0..ROUNDS {
        for (which, reader) in ["ours", "highs"].into_iter().enumerate() {
            let output = Command::new(std::env::current_exe()?)
                .arg(reader)
                .arg(&file)
                .output()?;
            if !output.status.success() {
                return Err(
                    format!("{reader}: {}", String::from_utf8_lossy(&output.stderr)).into(),
                );
            }
            let text = String::from_utf8(output.stdout)?;
            // HiGHS may print before us; our line is the last.
            let line = text.lines().last().ok_or("no output")?;
            let mut numbers = line.split_whitespace().map(str::parse::<f64>);
            times[which].push(numbers.next().ok_or("no time")??);
            memory[which] = memory[which].max(numbers.next().ok_or("no memory")??);
            sizes.push((
                numbers.next().ok_or("no rows")??,
                numbers.next().ok_or("no columns")??,
            ));
        }
    }
    if sizes.iter().any(|size| *size != sizes[0]) {
        return Err(format!("the readers disagree: {sizes:?}").into());
    }
    println!("model: {} rows, {} columns", sizes[0].0, sizes[0].1);
    println!(
        "{:<8} {:>10} {:>10} {:>12}",
        "reader", "median", "MB/s", "peak memory"
    );
    for (which, reader) in ["ours", "highs"].into_iter().enumerate() {
        let median = median(&mut times[which]);
        println!(
            "{reader:<8} {:>9.3}s {:>10.0} {:>9.2}x file",
            median,
            bytes / MEGABYTE / median,
            memory[which] / bytes
        );
    }
    println!(
        "speed ratio (HiGHS's time / ours): {:.1}",
        median(&mut times[1]) / median(&mut times[0])
    );
    Ok(())
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Writes a model like those of network design, of about `bytes` bytes and always the same.
fn generate(file: &Path, bytes: f64) -> Outcome<()> {
    const ENTRIES: usize = 5;
    // With its six lines of entries, its bound and a quarter of a row, a column takes about 283 bytes.
    let columns = (bytes / 283.0) as usize;
    let rows = columns / 4;
    let mut state = 1u64;
    let mut below = |n: usize| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize % n
    };
    let mut b = ModelBuilder::new("generated", Sense::Minimize);
    for i in 0..rows {
        b.row(
            &format!("cap[{i}]"),
            f64::NEG_INFINITY,
            (1 + below(1000)) as f64,
            [],
        )?;
    }
    for j in 0..columns {
        let cost = below(100_000) as f64 / 100.0;
        let (kind, upper) = match j % 3 {
            0 => (VarKind::Integer, 1.0),
            1 => (VarKind::Integer, 40.0),
            _ => (VarKind::Continuous, f64::INFINITY),
        };
        let column = b.column(&format!("flow[{j},{}]", j % 97), kind, 0.0, upper, cost)?;
        let first = below(rows - ENTRIES);
        for k in 0..ENTRIES {
            b.entry(first + k, column, below(1_000_000) as f64 / 1000.0 + 0.001)?;
        }
    }
    write_model(&b.build()?, file)?;
    Ok(())
}
