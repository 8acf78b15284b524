//! `idpas pool`: shows pools, and exports and imports solutions.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use idpas_base::words::{counted, visible};
use idpas_mip::Model;
use idpas_mip::solution::{self, Solution, SolutionFormat};
use idpas_pools::manifest::Manifest;
use idpas_pools::pool::{Pool, PoolInfo};
use idpas_pools::{InstanceFiles, import, instance_hash, read_instance};
use serde::Serialize;

use crate::args::{OutputFormat, SolutionStyle, Verbosity};
use crate::failure::{Done, Failure, NOTHING};
use crate::output::{Lines, json, one_line, percent, tell, value, warn};

/// What to do with a pool.
#[derive(Debug, Subcommand)]
pub(crate) enum PoolCommand {
    /// Show a pool: its instance, how it was made, its solutions
    Show {
        /// Pool file
        pool: PathBuf,
        /// How to print the result
        #[arg(long, value_enum, default_value_t)]
        format: OutputFormat,
    },
    /// Write a pool's solutions as .sol files
    Export {
        /// Pool file
        pool: PathBuf,
        /// Folder to write to
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        /// The instance; by default where the manifest beside the pool says it is
        #[arg(long, value_name = "FILE")]
        instance: Option<PathBuf>,
        /// Write only the best so many
        #[arg(long, value_name = "N")]
        most: Option<usize>,
        /// Whose solution files to write
        #[arg(long, value_enum, default_value_t)]
        solution_format: SolutionStyle,
    },
    /// Add solutions you already have to an instance's pool; each is checked first
    Import {
        /// Model file: MPS or LP, plain or gzipped
        instance: PathBuf,
        /// Solution files of HiGHS, SCIP, MIPLIB, Gurobi or CPLEX
        #[arg(required = true)]
        solutions: Vec<PathBuf>,
        /// Folder of pools
        #[arg(long, value_name = "POOLS", default_value = ".")]
        out: PathBuf,
        /// Solutions to keep, at most
        #[arg(long, value_name = "N", default_value_t = 50)]
        pool: usize,
        /// Drop solutions further from the best than this, relative to the best
        #[arg(long, value_name = "GAP", default_value_t = 0.05)]
        keep_gap: f64,
    },
}

pub(crate) fn run(command: &PoolCommand, verbosity: Verbosity) -> Result<Done, Failure> {
    match command {
        PoolCommand::Show { pool, format } => show(pool, *format),
        PoolCommand::Export {
            pool,
            out,
            instance,
            most,
            solution_format,
        } => {
            let format = SolutionFormat::from(*solution_format);
            let exported = Exported {
                path: pool,
                pool: Pool::read(pool)?,
            };
            let model = exported.model(instance.as_deref(), verbosity)?;
            exported.write(&model, out, most.unwrap_or(usize::MAX), format)
        }
        PoolCommand::Import {
            instance,
            solutions,
            out,
            pool,
            keep_gap,
        } => {
            let imported = import(out, instance, solutions, *pool, *keep_gap)?;
            for (file, warnings) in &imported.warnings {
                warn(file, warnings, verbosity);
            }
            for (_, why) in &imported.refused {
                tell(&one_line(&format!("failed: {why}")));
            }
            let mut lines = Lines::default();
            lines
                .add("imported", imported.kept)
                .add("refused", imported.refused.len())
                .add("solutions", imported.solutions)
                .add("pool", imported.path.display());
            let code = if imported.refused.is_empty() {
                0
            } else {
                NOTHING
            };
            Ok(lines.done().with_code(code))
        }
    }
}

#[derive(Serialize)]
struct PoolJson<'a> {
    #[serde(flatten)]
    info: &'a PoolInfo,
    content_sha256: String,
    best: Option<f64>,
    gap: Option<f64>,
    solutions: Vec<SolutionJson>,
}

#[derive(Serialize)]
struct SolutionJson {
    objective: f64,
    gap: f64,
    time: Option<f64>,
    source: &'static str,
    nonzeros: usize,
    distance: usize,
}

fn show(path: &Path, format: OutputFormat) -> Result<Done, Failure> {
    let pool = Pool::read(path)?;
    let solutions: Vec<SolutionJson> = (0..pool.solutions.len())
        .map(|k| {
            let (best, this) = (&pool.solutions[0].values, &pool.solutions[k]);
            let differs = best.iter().zip(&this.values).filter(|(a, b)| a != b);
            SolutionJson {
                objective: this.objective,
                gap: pool.gap(k),
                time: this.time,
                source: this.source.as_str(),
                nonzeros: this.values.iter().filter(|v| **v != 0.0).count(),
                distance: differs.count(),
            }
        })
        .collect();
    let info = &pool.info;
    let shown = PoolJson {
        info,
        content_sha256: pool.content_hash(),
        best: pool.best(),
        gap: pool.best().and_then(|best| info.gap(best)),
        solutions,
    };
    match format {
        OutputFormat::Json => json(&shown),
        OutputFormat::Text => Ok(text(&shown)),
    }
}

fn text(shown: &PoolJson<'_>) -> Done {
    let info = shown.info;
    let instance = &info.instance;
    let (rows, columns) = (
        counted(instance.rows, "row"),
        counted(instance.columns, "column"),
    );
    let number = |x: Option<f64>| x.map_or("-".into(), value);
    let mut lines = Lines::default();
    lines
        .add("instance", format!("{} ({rows}, {columns})", instance.name))
        .add("sha256", &instance.sha256)
        .add(
            "objective",
            format!("{} ({})", number(shown.best), info.sense),
        )
        .add("bound", number(info.bound))
        .add("gap", percent(shown.gap))
        .add(
            "relaxation",
            number(info.lp.as_ref().and_then(|lp| lp.objective)),
        )
        .add("status", info.status.replace('_', " "))
        .add(
            "made by",
            format!(
                "{} with {} {}",
                info.program, info.solver.name, info.solver.version
            ),
        )
        .add(
            "time",
            format!("{:.1}s, {}", info.seconds, counted(info.rounds, "re-solve")),
        )
        .add("solutions", shown.solutions.len());
    let row = |n: &str, objective: &str, gap: &str, time: &str, source: &str, distance: &str| {
        format!("{n:>4} {objective:>18} {gap:>9} {time:>9}  {source:<13} {distance:>9}\n")
    };
    let mut table = row("", "objective", "gap", "time", "source", "distance");
    for (k, s) in shown.solutions.iter().enumerate() {
        let time = s.time.map_or("-".into(), |t| format!("{t:.1}s"));
        let gap = percent(Some(s.gap));
        let (n, distance) = ((k + 1).to_string(), s.distance.to_string());
        table += &row(&n, &value(s.objective), &gap, &time, s.source, &distance);
    }
    let mut done = lines.done();
    done.text += &table;
    done
}

/// A pool whose solutions are written to files.
struct Exported<'a> {
    path: &'a Path,
    pool: Pool,
}

impl Exported<'_> {
    /// The model of the pool's instance; an error unless it is the one from which the pool was made.
    fn model(&self, given: Option<&Path>, verbosity: Verbosity) -> Result<Model, Failure> {
        let info = &self.pool.info.instance;
        let folder = match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let path = match given {
            Some(path) => path.to_owned(),
            None => match Manifest::read(folder)? {
                Some(manifest) if manifest.instances.contains_key(&info.name) => {
                    InstanceFiles::new(folder, None).find(&manifest, &info.name)?
                }
                _ => {
                    let message = "no manifest says where the instance is; give it with --instance";
                    let path = self.path.display();
                    return Err(Failure::Usage(format!("{path}: {message}")));
                }
            },
        };
        let read = read_instance(&path);
        let sha256 = match &read {
            Ok(file) => file.sha256.clone(),
            // Even a file that cannot be read as a model may be the one that was meant: its hash decides.
            Err(_) => instance_hash(&path)?,
        };
        if sha256 != info.sha256 {
            let (path, name) = (path.display(), &info.name);
            let message =
                format!("{path}: this is not the file that the pool of `{name}` was made from");
            return Err(Failure::Usage(message));
        }
        let parsed = read?.parsed;
        warn(&path, &parsed.warnings, verbosity);
        Ok(parsed.model)
    }

    fn write(
        &self,
        model: &Model,
        out: &Path,
        most: usize,
        format: SolutionFormat,
    ) -> Result<Done, Failure> {
        std::fs::create_dir_all(out)
            .map_err(|e| Failure::Usage(format!("{}: {e}", out.display())))?;
        let name = &self.pool.info.instance.name;
        let mut text = String::new();
        for (k, solution) in self.pool.solutions.iter().take(most).enumerate() {
            let path = out.join(format!("{name}_{:03}.sol", k + 1));
            let solution = Solution::new(solution.values.clone());
            solution::write_file(model, &solution, format, &path)?;
            text += &format!("{}\n", visible(&path.display().to_string()));
        }
        Ok(Done::text(text))
    }
}
