//! A cluster that runs a study or a collection: the plan of its jobs, batch scripts of Slurm and a manifest of Kubernetes,
//! submitting what is missing, and how far it is.
//!
//! Jobs are planned from what is left ([`plan_study`], [`plan_collection`]), which is a matter of the folder alone. The
//! scripts, what their tasks say and the numbers of the jobs are kept in the folder `cluster` among the results.

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
