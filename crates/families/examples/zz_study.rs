//! Study tool.
use idpas_families::{course::Course, mmcnp::Mmcnp, slap::Slap, *};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let size: Size = a[2].parse().unwrap();
    let seed: u64 = a[3].parse().unwrap();
    let t = std::time::Instant::now();
    let f: Box<dyn Family> = match a[1].as_str() {
        "mmcnp" => Box::new(Mmcnp::new(size, seed).unwrap()),
        "slap" => Box::new(Slap::new(size, seed).unwrap()),
        "course" => Box::new(Course::new(size, seed, a.get(5).map(std::path::Path::new)).unwrap()),
        _ => panic!(),
    };
    println!("reference {:?}", t.elapsed());
    let t = std::time::Instant::now();
    let mut o = GenerateOptions::new(&a[4], 2);
    o.jobs = 1;
    o.format = FileFormat::Mps;
    let m = generate(f.as_ref(), &o, &|p| {
        println!("{} {:?}", p.file.name, p.file.repairs);
        std::ops::ControlFlow::Continue(())
    })
    .unwrap();
    println!("two instances {:?} {}", t.elapsed(), m.count);
}
