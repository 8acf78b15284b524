//! Folders of instances: files, reference, manifest.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use idpas_families::{
    FamilyError, FileFormat, GenerateOptions, InstanceFamily, Manifest, Size, course::Course,
    generate, lp_name, mmcnp::Mmcnp, name_of_lp, slap::Slap, write_instance,
};
use idpas_mip::read_model;

fn write(family: &dyn InstanceFamily, options: &GenerateOptions) -> Result<Manifest, FamilyError> {
    generate(family, options, &|_| ControlFlow::Continue(()))
}

fn options(folder: &Path, first: u64, count: u64) -> GenerateOptions {
    GenerateOptions {
        first,
        ..GenerateOptions::new(folder, count)
    }
}

#[test]
fn an_instance_made_alone_has_the_same_bytes() {
    let (many, alone) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let families: [Box<dyn InstanceFamily>; 3] = [
        Box::new(Mmcnp::new(Size::Small, 3).unwrap()),
        Box::new(Slap::new(Size::Tiny, 3).unwrap()),
        Box::new(Course::new(Size::Tiny, 3, None).unwrap()),
    ];
    for family in &families {
        let many = many.path().join(family.name());
        let manifest = write(family.as_ref(), &options(&many, 1, 4)).unwrap();
        assert_eq!(manifest.count, 4);
        let file = write_instance(family.as_ref(), 3, alone.path(), FileFormat::MpsGz).unwrap();
        assert_eq!(file, manifest.instances[2]);
        let bytes = |folder: &Path| fs::read(folder.join("inst_0003.mps.gz")).unwrap();
        assert_eq!(bytes(&many), bytes(alone.path()));
        let reference: serde_json::Value =
            serde_json::from_slice(&fs::read(many.join("reference.json")).unwrap()).unwrap();
        assert_eq!(reference["family"], family.name());
        assert_eq!(reference["seed"], 3);
    }
}

#[test]
fn bytes_never_change() {
    // If this fails, instances of earlier versions cannot be made again: say so in the change log.
    let folder = tempfile::tempdir().unwrap();
    let families: [(Box<dyn InstanceFamily>, &str); 3] = [
        (
            Box::new(Mmcnp::new(Size::Tiny, 1).unwrap()),
            "2ec3fa5498de89de",
        ),
        (
            Box::new(Slap::new(Size::Tiny, 1).unwrap()),
            "62d864bcb2759861",
        ),
        (
            Box::new(Course::new(Size::Tiny, 1, None).unwrap()),
            "160a79b1b11ba2e3",
        ),
    ];
    for (family, expected) in families {
        let file = write_instance(family.as_ref(), 1, folder.path(), FileFormat::Mps).unwrap();
        assert_eq!(&file.sha256[..16], expected, "{}", family.name());
    }
}

#[test]
fn both_formats_hold_the_same_model() {
    let folder = tempfile::tempdir().unwrap();
    let families: [Box<dyn InstanceFamily>; 3] = [
        Box::new(Mmcnp::new(Size::Small, 1).unwrap()),
        Box::new(Slap::new(Size::Small, 1).unwrap()),
        Box::new(Course::new(Size::Tiny, 1, None).unwrap()),
    ];
    for family in families {
        let model = family.instance(1).unwrap().model;
        for format in ["mps.gz", "mps", "lp", "lp.gz"] {
            let file =
                write_instance(family.as_ref(), 1, folder.path(), format.parse().unwrap()).unwrap();
            let read = read_model(folder.path().join(&file.name)).unwrap().model;
            let is_lp = format.starts_with("lp");
            for name in model.columns.names.iter() {
                let written = if is_lp {
                    lp_name(name)
                } else {
                    name.to_owned()
                };
                assert!(read.columns.names.find(&written).is_some(), "{name}");
                assert_eq!(if is_lp { name_of_lp(&written) } else { written }, name);
            }
            assert_eq!(read.shape(), model.shape(), "{} {format}", family.name());
            assert_eq!(read.objective_constant, model.objective_constant);
        }
    }
}

#[test]
fn a_folder_grows_but_holds_one_family() {
    let folder = tempfile::tempdir().unwrap();
    let family = Mmcnp::new(Size::Tiny, 1).unwrap();
    write(&family, &options(folder.path(), 1, 2)).unwrap();
    let manifest = write(&family, &options(folder.path(), 2, 2)).unwrap();
    let names: Vec<&str> = manifest
        .instances
        .iter()
        .map(|file| file.name.as_str())
        .collect();
    assert_eq!(
        names,
        ["inst_0001.mps.gz", "inst_0002.mps.gz", "inst_0003.mps.gz"]
    );
    let other = Mmcnp::new(Size::Tiny, 2).unwrap();
    let message = write(&other, &options(folder.path(), 1, 1))
        .unwrap_err()
        .to_string();
    assert!(message.contains("mmcnp tiny with seed 1"), "{message}");
}

#[test]
fn stopping_keeps_what_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let family = Mmcnp::new(Size::Tiny, 1).unwrap();
    let mut options = options(folder.path(), 1, 50);
    options.jobs = 1;
    let stopped = generate(&family, &options, &|progress| match progress.done {
        3 => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    assert!(matches!(
        stopped,
        Err(FamilyError::Interrupted { done: 3, total: 50 })
    ));
    let text = fs::read(folder.path().join("manifest.json")).unwrap();
    let manifest: Manifest = serde_json::from_slice(&text).unwrap();
    assert_eq!(manifest.count, 3);
    for file in &manifest.instances {
        assert!(read_model(folder.path().join(&file.name)).is_ok());
    }
}

#[test]
fn unknown_sizes_and_formats_are_named() {
    let message = "huge".parse::<Size>().unwrap_err().to_string();
    assert_eq!(
        message,
        "unknown size `huge`; expected tiny, small, large or hard"
    );
    let message = "xlsx".parse::<FileFormat>().unwrap_err().to_string();
    assert_eq!(
        message,
        "unknown format `xlsx`; expected mps.gz, mps, lp or lp.gz"
    );
}

#[test]
fn a_manifest_of_other_hands_is_refused_in_good_order() {
    let folder = tempfile::tempdir().unwrap();
    let family = Mmcnp::new(Size::Tiny, 1).unwrap();
    write(&family, &options(folder.path(), 1, 1)).unwrap();
    let path = folder.path().join("manifest.json");
    let mut manifest: Manifest = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    // Eight bytes of it end within a letter.
    manifest.reference_sha256 = "0000000é".into();
    fs::write(&path, serde_json::to_vec(&manifest).unwrap()).unwrap();
    let refused = write(&family, &options(folder.path(), 1, 1)).map(drop);
    assert!(matches!(refused, Err(FamilyError::OtherFamily { .. })));
}
