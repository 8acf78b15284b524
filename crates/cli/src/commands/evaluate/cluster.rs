//! Handing a study over to a cluster.

use std::path::Path;

use idpas_evaluate::StudyRequest;
use idpas_evaluate::cluster::{KubernetesOptions, Slurm, study_manifest, submit_study};

use super::EvaluateArgs;
use crate::cluster::show;
use crate::failure::{Done, Failure};
use crate::output::json;

pub(super) fn run(args: &EvaluateArgs, request: &StudyRequest<'_>) -> Result<Done, Failure> {
    let settings = &args.cluster.settings;
    let Some(image) = &args.kubernetes else {
        let dry_run = args.cluster.dry_run;
        let submission = submit_study(request, settings, &Slurm, dry_run)?;
        return show(&submission, &args.out, dry_run, args.format);
    };
    let volume = args.volume.as_deref().unwrap_or_default();
    let Some((claim, mount)) = volume
        .split_once(':')
        .filter(|(claim, _)| !claim.is_empty())
    else {
        let why = format!("--volume {volume}: expected CLAIM:PATH");
        return Err(Failure::Usage(why));
    };
    let options = KubernetesOptions {
        image,
        claim,
        mount: Path::new(mount),
    };
    json(&study_manifest(request, settings, &options)?)
}
