//! Measures how time grows with the size of the graph.

use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use idpas_nn::{Threads, Workspace};

use crate::graphs::{case, network};
use crate::measure::best;

/// Measures graphs from ten thousand edges to `most`, with five edges per variable and eight per row. Prints CSV, and
/// writes a plot to `plot`.
pub(crate) fn linear(most: usize, plot: &Path) -> Result<(), Box<dyn Error>> {
    let network = network()?;
    let mut gradient = vec![0.0; network.parameters().len()];
    let mut points = Vec::new();
    let mut out = io::stdout();
    writeln!(out, "edges,variables,rows,forward,step")?;
    let mut edges = 10_000;
    while edges <= most {
        let case = case((edges / 5, edges / 8, edges))?;
        let mut workspace = Workspace::new(Threads::Pool);
        network.logits(&case.graph, &mut workspace)?;
        let forward = best(0.5, || {
            network.logits(&case.graph, &mut workspace).map(drop)
        })?
        .best;
        case.step(&network, &mut gradient, &mut workspace)?;
        let step = best(0.5, || {
            case.step(&network, &mut gradient, &mut workspace).map(drop)
        })?
        .best;
        let (variables, rows) = (edges / 5, edges / 8);
        writeln!(out, "{edges},{variables},{rows},{forward},{step}")?;
        points.push((edges as f64, [forward, step]));
        // Sizes are 1, 3, 10, 30, … times ten thousand.
        let ten = edges.to_string().starts_with('1');
        edges = if ten { edges * 3 } else { edges / 3 * 10 };
    }
    std::fs::write(plot, draw(&points))?;
    Ok(())
}

/// The slope of the least-squares line through the logarithms.
fn slope(points: &[(f64, [f64; 2])], which: usize) -> f64 {
    let logs: Vec<(f64, f64)> = points
        .iter()
        .map(|(edges, times)| (edges.log10(), times[which].log10()))
        .collect();
    let count = logs.len() as f64;
    let x = logs.iter().map(|p| p.0).sum::<f64>() / count;
    let y = logs.iter().map(|p| p.1).sum::<f64>() / count;
    let up: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    up / logs.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}

/// A plot with two logarithmic axes and a line of dots each for the forward pass and the training step.
fn draw(points: &[(f64, [f64; 2])]) -> String {
    let x = |edges: f64| 70.0 + (edges.log10() - 4.0) * 150.0;
    let y = |time: f64| 330.0 - (time.log10() + 3.0) * 60.0;
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 400\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"640\" height=\"400\" fill=\"white\"/>\n",
    );
    for (power, label) in [(4, "10⁴"), (5, "10⁵"), (6, "10⁶"), (7, "10⁷")] {
        let at = x(10f64.powi(power));
        let _ = writeln!(
            svg,
            "<path d=\"M{at} 30V360\" stroke=\"#ddd\"/>\
             <text x=\"{at}\" y=\"378\" text-anchor=\"middle\">{label}</text>"
        );
    }
    for (power, label) in [
        (-3, "1 ms"),
        (-2, "10 ms"),
        (-1, "0.1 s"),
        (0, "1 s"),
        (1, "10 s"),
    ] {
        let at = y(10f64.powi(power));
        let _ = writeln!(
            svg,
            "<path d=\"M70 {at}H550\" stroke=\"#ddd\"/>\
             <text x=\"62\" y=\"{at}\" text-anchor=\"end\" dominant-baseline=\"middle\">{label}</text>"
        );
    }
    for (which, name, colour) in [(0, "forward", "#1f77b4"), (1, "step", "#d62728")] {
        let mut line = String::new();
        for (k, (edges, times)) in points.iter().enumerate() {
            let (x, y) = (x(*edges), y(times[which]));
            let _ = write!(line, "{}{x:.1} {y:.1}", if k == 0 { 'M' } else { 'L' });
            let _ = writeln!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>"
            );
        }
        let slope = slope(points, which);
        let at = 50 + 20 * which;
        let _ = writeln!(
            svg,
            "<path d=\"{line}\" fill=\"none\" stroke=\"{colour}\"/>\
             <text x=\"90\" y=\"{at}\" fill=\"{colour}\">{name}: slope {slope:.2}</text>"
        );
    }
    svg.push_str("<text x=\"310\" y=\"396\" text-anchor=\"middle\">edges</text>\n</svg>\n");
    svg
}
