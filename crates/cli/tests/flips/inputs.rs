//! Instances and solutions.

use crate::common::{idpas, run};
use crate::subject::{Stage, Subject, printed};
use crate::{expect_none, random, so_many};

/// An instance, compressed and not, and a solution of it.
fn stage() -> Stage {
    Stage::new(|live| {
        let mut generate = idpas();
        generate.current_dir(live);
        generate.args("generate mmcnp --size tiny --seed 5 --count 1 -q --out .".split(' '));
        run(&mut generate, 0);
        let mut solve = idpas();
        solve.current_dir(live);
        solve.args("solve inst_0001.mps.gz --time-limit 20 -q --solution a.sol".split(' '));
        run(&mut solve, 0);
        let mut convert = idpas();
        convert.current_dir(live);
        run(
            convert.args(["convert", "inst_0001.mps.gz", "plain.mps"]),
            0,
        );
    })
}

#[test]
fn compressed_instances_are_whole_and_plain_text_is_what_it_says() {
    let stage = stage();
    let mut random = random("instances");
    let mut faults = Vec::new();
    let subject = |what, file: &str, words, is_plain| Subject {
        what,
        stage: &stage,
        files: vec![file.to_owned()],
        words,
        without: None,
        result: printed,
        is_plain,
    };
    let check = "check inst_0001.mps.gz a.sol --format json";
    faults.extend(
        subject("a compressed instance", "inst_0001.mps.gz", check, false)
            .survives(so_many(15, 300), &mut random),
    );
    let plain = "check plain.mps a.sol --format json";
    faults.extend(
        subject("an instance in MPS", "plain.mps", plain, true)
            .survives(so_many(5, 200), &mut random),
    );
    faults
        .extend(subject("a solution", "a.sol", check, true).survives(so_many(5, 200), &mut random));
    expect_none(&faults);
}
