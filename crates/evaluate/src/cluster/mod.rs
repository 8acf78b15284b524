//! A cluster that runs a study or a collection: the plan of its jobs, batch scripts of Slurm and a manifest of Kubernetes,
//! submitting what is missing, and how far it is.
//!
//! Jobs are planned from what is left ([`plan_study`], [`plan_collection`]), which is a matter of the folder alone. The
//! scripts, what their tasks say and the numbers of the jobs are kept in the folder `cluster` among the results.
//!
//! ```
//! use idpas_base::process::WorkerCommand;
//! use idpas_evaluate::Study;
//! use idpas_evaluate::cluster::{ClusterSettings, PlanRequest, plan_study, sbatch_script};
//! use idpas_evaluate::run::study_progress;
//!
//! let text = r#"
//! name = "two"
//! time_limit = 600
//! methods = ["solver", "nearest"]
//! [[benchmark]]
//! name = "MMCNP"
//! family = "mmcnp"
//! size = "large"
//! train = 100
//! validation = 20
//! test = 50
//! "#;
//! let study = Study::parse(text, "study.toml".as_ref())?;
//! let out = tempfile::tempdir()?;
//! let progress = study_progress(&study, out.path(), &[])?;
//! let request = PlanRequest {
//!     settings: &ClusterSettings::default(),
//!     program: &WorkerCommand::new("/usr/local/bin/idpas"),
//!     out: out.path().into(),
//!     jobs: 1,
//!     most_tasks: 1000,
//! };
//! let jobs = plan_study(&request, &study, &progress)?;
//! let stages: Vec<&str> = jobs.iter().map(|job| job.stage.as_str()).collect();
//! assert_eq!(stages, ["instances", "collect", "train", "tune", "runs", "report"]);
//! let script = sbatch_script(&jobs[4], request.settings, "logs".as_ref());
//! assert!(script.contains("#SBATCH --array=1-51\n"), "{script}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod kubernetes;
mod plan;
mod sbatch;
mod settings;
mod slurm;
mod status;
mod submit;

pub use kubernetes::{KubernetesOptions, study_manifest};
pub use plan::{ClusterJob, JobStage, PlanRequest, plan_collection, plan_study};
pub use sbatch::sbatch_script;
pub use settings::ClusterSettings;
pub use slurm::Slurm;
pub use status::{ClusterStatus, JobStatus, TaskFailure, cluster_status};
pub use submit::{PlannedJob, Submission, SubmittedJob, submit, submit_study};

/// The folder of scripts, logs and numbers of jobs among the results or pools.
pub const FOLDER: &str = "cluster";
