//! Draws a random walk as an SVG file: `cargo run --release --example draw_a_chart -- walk.svg`.

use idpas_base::random::Random;
use idpas_base::svg::{Chart, Series};

fn main() -> std::io::Result<()> {
    // The same on every machine: a stream is named by seed, purpose and number.
    let mut random = Random::new(1, "walk", 0);
    let mut height = 0.0;
    let mut points = Vec::new();
    for step in 0..200 {
        points.push((f64::from(step), height));
        height += random.normal();
    }
    let chart = Chart {
        title: "A random walk".into(),
        x_label: "step".into(),
        y_label: "height".into(),
        series: vec![Series {
            name: "walk".into(),
            points,
        }],
        ..Chart::default()
    };
    let path = std::env::args().nth(1);
    match path {
        Some(path) => std::fs::write(path, chart.to_svg()),
        None => std::fs::write(std::env::temp_dir().join("walk.svg"), chart.to_svg()),
    }
}
