#[path = "gatv2/graphs.rs"]
mod graphs;
use idpas_nn::*;
fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    s.split_whitespace().next().unwrap().parse::<f64>().unwrap() * 1e-9
}
fn main() {
    for name in std::env::args().skip(1) {
        let case = graphs::case(graphs::size(&name).unwrap()).unwrap();
        let network = graphs::network().unwrap();
        let mut g = vec![0.0; network.parameters().len()];
        let mut w = Workspace::new(Threads::One);
        network.logits(&case.graph, &mut w).unwrap();
        case.step(&network, &mut g, &mut w).unwrap();
        let n = if name == "mmcnp" { 60 } else { 4 };
        let (mut f, mut s) = (f64::MAX, f64::MAX);
        for _ in 0..n {
            let a = cpu();
            network.logits(&case.graph, &mut w).unwrap();
            f = f.min(cpu() - a);
        }
        for _ in 0..n {
            let a = cpu();
            case.step(&network, &mut g, &mut w).unwrap();
            s = s.min(cpu() - a);
        }
        println!(
            "{name} cpu forward {:.2} ms step {:.2} ms",
            f * 1e3,
            s * 1e3
        );
    }
}
