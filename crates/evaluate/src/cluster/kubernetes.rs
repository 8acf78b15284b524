//! Jobs as a manifest of Kubernetes.
//!
//! Kubernetes knows no order between jobs, and needs none here: the pods of one indexed job per benchmark do all its stages
//! together, and wait for each other where a stage cannot be divided.

use std::path::Path;

use serde_json::{Value, json};

use super::submit::plan_left;
use super::{ClusterJob, ClusterSettings, JobStage};
use crate::EvaluateError;
use crate::results::Results;
use crate::run::{StudyRequest, Until, keep_study};
use crate::study::slug;

/// What a pod needs beyond what a plan says.
#[derive(Clone, Debug)]
pub struct KubernetesOptions<'a> {
    /// The image that has the program `idpas`.
    pub image: &'a str,
    /// The claim of the volume that all pods share.
    pub claim: &'a str,
    /// Where the volume is, for the pods and for whoever made the plan.
    pub mount: &'a Path,
}

/// A manifest for what is left of a study: indexed jobs, one for each benchmark, as a list for `kubectl apply`. JSON, which
/// is YAML too. Writes the study into the folder of its results, where the pods read it.
pub fn study_manifest(
    request: &StudyRequest<'_>,
    settings: &ClusterSettings,
    options: &KubernetesOptions<'_>,
) -> Result<Value, EvaluateError> {
    let planned = plan_left(request, settings, MOST_INDICES)?;
    keep_study(&planned.study, request, &Results::new(request.out))?;
    let threads = usize::from(planned.study.threads);
    kubernetes_manifest(&planned.jobs, &planned.out, threads, options)
}

/// Indices that a job of Kubernetes may have where some of them fail.
const MOST_INDICES: usize = 100_000;

/// The jobs of a plan; `threads` is the number of each solve's.
fn kubernetes_manifest(
    jobs: &[ClusterJob],
    out: &Path,
    threads: usize,
    options: &KubernetesOptions<'_>,
) -> Result<Value, EvaluateError> {
    if !out.starts_with(options.mount) {
        return Err(EvaluateError::Input(format!(
            "{}: is not on the volume, which is at {}",
            out.display(),
            options.mount.display()
        )));
    }
    let mut names: Vec<&String> = jobs
        .iter()
        .filter_map(|job| job.benchmark.as_ref())
        .collect();
    names.dedup();
    let items = names.iter().filter_map(|name| {
        let stages: Vec<&ClusterJob> = jobs
            .iter()
            .filter(|job| job.benchmark.as_ref() == Some(*name))
            .collect();
        indexed_job(name, &stages, out, threads, options)
    });
    Ok(json!({
        "apiVersion": "v1",
        "kind": "List",
        "items": items.collect::<Vec<_>>(),
    }))
}

/// The stages of a benchmark as one job.
fn indexed_job(
    benchmark: &str,
    stages: &[&ClusterJob],
    out: &Path,
    threads: usize,
    options: &KubernetesOptions<'_>,
) -> Option<Value> {
    let largest = stages.iter().max_by_key(|job| job.tasks)?;
    let cpus = stages.iter().map(|job| job.cpus).max()?;
    let at_a_time = largest
        .at_a_time
        .unwrap_or(largest.tasks)
        .min(largest.tasks);
    let mut resources =
        json!({ "requests": { "cpu": cpus.to_string() }, "limits": { "cpu": cpus.to_string() } });
    // A pod does all stages, and training needs the most.
    let trains = |job: &&&ClusterJob| job.stage == JobStage::Study(Until::Train);
    let memory = stages.iter().find(trains).unwrap_or(largest);
    if let Some(memory) = &memory.memory {
        // Slurm's `8G` is what Kubernetes calls `8Gi`.
        let memory = match memory.chars().last() {
            Some('K' | 'M' | 'G' | 'T') => format!("{memory}i"),
            _ => memory.clone(),
        };
        resources["requests"]["memory"] = json!(memory);
        resources["limits"]["memory"] = json!(memory);
    }
    let study = out.join(crate::results::STUDY);
    let command = [
        "idpas".to_owned(),
        "evaluate".to_owned(),
        study.display().to_string(),
        "--out".to_owned(),
        out.display().to_string(),
        "--only".to_owned(),
        benchmark.to_owned(),
        "--jobs".to_owned(),
        (cpus / threads.max(1)).max(1).to_string(),
    ];
    Some(json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": { "name": dns_name(benchmark) },
        "spec": {
            "completionMode": "Indexed",
            "completions": largest.tasks,
            "parallelism": at_a_time,
            "backoffLimitPerIndex": 3,
            "maxFailedIndexes": largest.tasks,
            "podReplacementPolicy": "Failed",
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "terminationGracePeriodSeconds": 60,
                    "containers": [{
                        "name": "idpas",
                        "image": options.image,
                        "command": command,
                        "env": [
                            { "name": "JOB_COMPLETIONS", "value": largest.tasks.to_string() },
                            { "name": "RAYON_NUM_THREADS", "value": cpus.to_string() },
                        ],
                        "resources": resources,
                        "volumeMounts": [{ "name": "shared", "mountPath": options.mount.display().to_string() }],
                    }],
                    "volumes": [{
                        "name": "shared",
                        "persistentVolumeClaim": { "claimName": options.claim },
                    }],
                },
            },
        },
    }))
}

/// A name that Kubernetes accepts: lower-case letters, digits and hyphens, 63 at most.
fn dns_name(benchmark: &str) -> String {
    let safe = |c: char| match c.to_ascii_lowercase() {
        c @ ('a'..='z' | '0'..='9') => c,
        _ => '-',
    };
    let name: String = slug(benchmark).chars().map(safe).collect();
    let name: String = format!("idpas-{name}").chars().take(52).collect();
    name.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(benchmark: Option<&str>, tasks: usize, at_a_time: Option<usize>) -> ClusterJob {
        ClusterJob {
            name: "n".into(),
            benchmark: benchmark.map(str::to_owned),
            stage: JobStage::Study(Until::Runs),
            tasks,
            at_a_time,
            cpus: 2,
            memory: Some("8G".into()),
            seconds: None,
            work: None,
            longest: 0.0,
            commands: Vec::new(),
            after: Vec::new(),
        }
    }

    #[test]
    fn a_benchmark_is_an_indexed_job() {
        let jobs = [
            job(Some("SLAP hard"), 3, Some(50)),
            job(Some("SLAP hard"), 40, Some(10)),
            job(None, 1, None),
        ];
        let options = KubernetesOptions {
            image: "registry/idpas:1",
            claim: "shared",
            mount: "/shared".as_ref(),
        };
        let manifest = kubernetes_manifest(&jobs, "/shared/r".as_ref(), 1, &options).unwrap();
        let items = manifest["items"].as_array().unwrap();
        assert_eq!(items.len(), 1);
        let spec = &items[0]["spec"];
        assert_eq!(items[0]["metadata"]["name"], "idpas-slap-hard");
        assert_eq!(
            (spec["completions"].as_u64(), spec["parallelism"].as_u64()),
            (Some(40), Some(10))
        );
        let container = &spec["template"]["spec"]["containers"][0];
        assert_eq!(container["resources"]["limits"]["memory"], "8Gi");
        assert_eq!(container["command"][2], "/shared/r/study.toml");
        assert_eq!(container["env"][0]["value"], "40");
        let error = kubernetes_manifest(&jobs, "/home/r".as_ref(), 1, &options).unwrap_err();
        assert_eq!(
            error.to_string(),
            "/home/r: is not on the volume, which is at /shared"
        );
    }
}
