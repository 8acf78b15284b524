//! Line charts as SVG: one file, no script, readable in light and dark.

use std::fmt::Write;

use super::{Axis, escape};

/// A line of points.
#[derive(Clone, Debug)]
pub struct Series {
    /// What the legend says.
    pub name: String,
    /// Points from left to right; those that are not finite are left out.
    pub points: Vec<(f64, f64)>,
}

/// A chart of lines over two axes.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// Above everything.
    pub title: String,
    /// Under the horizontal axis.
    pub x_label: String,
    /// Above the vertical axis.
    pub y_label: String,
    /// Whether the horizontal axis is logarithmic.
    pub log_x: bool,
    /// Whether the vertical axis is logarithmic.
    pub log_y: bool,
    /// The lines.
    pub series: Vec<Series>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 64.0;
const BOTTOM: f64 = 50.0;

/// Told apart by people who cannot tell red from green, and in both light and dark.
const COLOURS: [&str; 6] = [
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00",
];

const STYLE: &str = "<style>\
text{font:13px system-ui,sans-serif;fill:#222}\
.title{font-size:16px;font-weight:600}\
.grid{stroke:#ddd}.axis{stroke:#888}\
.line{fill:none;stroke-width:2;stroke-linejoin:round}\
.back{fill:#fff}\
@media (prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#333}.back{fill:#16181c}}\
</style>";

impl Chart {
    /// The chart as an SVG document.
    pub fn to_svg(&self) -> String {
        let x = Axis::spanning(self.values(|p| p.0), self.log_x, "");
        let y = Axis::spanning(self.values(|p| p.1), self.log_y, "");
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\
             <title>{0}</title>{STYLE}<rect class=\"back\" width=\"100%\" height=\"100%\"/>\
             <text class=\"title\" x=\"{LEFT}\" y=\"22\">{0}</text>",
            escape(&self.title)
        );
        self.add_axes(&mut svg, &x, &y);
        self.add_legend(&mut svg);
        self.add_lines(&mut svg, &x, &y);
        svg.push_str("</svg>\n");
        svg
    }

    fn add_axes(&self, svg: &mut String, x: &Axis, y: &Axis) {
        let (floor, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
        for tick in x.ticks() {
            let at = across(x, tick);
            add(
                svg,
                format_args!(
                    "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{floor}\"/>\
                     <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                    floor + 18.0,
                    x.number(tick)
                ),
            );
        }
        for tick in y.ticks() {
            let at = down(y, tick);
            add(
                svg,
                format_args!(
                    "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
                     <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                    LEFT - 8.0,
                    at + 4.0,
                    y.number(tick)
                ),
            );
        }
        add(
            svg,
            format_args!(
                "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{floor}\" y2=\"{floor}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
                 <text x=\"8\" y=\"{:.1}\">{}</text>",
                0.5 * (LEFT + right),
                HEIGHT - 10.0,
                escape(&self.x_label),
                TOP - 10.0,
                escape(&self.y_label)
            ),
        );
    }

    fn add_legend(&self, svg: &mut String) {
        let mut legend = WIDTH - RIGHT;
        for (k, series) in self.series.iter().enumerate().rev() {
            let colour = COLOURS[k % COLOURS.len()];
            // Seven units a letter is a little more than the font takes.
            legend -= 7.0 * series.name.chars().count() as f64 + 34.0;
            add(
                svg,
                format_args!(
                    "<line x1=\"{legend:.1}\" x2=\"{:.1}\" y1=\"44\" y2=\"44\" stroke=\"{colour}\" stroke-width=\"3\"/>\
                     <text x=\"{:.1}\" y=\"48\">{}</text>",
                    legend + 18.0,
                    legend + 24.0,
                    escape(&series.name)
                ),
            );
        }
    }

    fn add_lines(&self, svg: &mut String, x: &Axis, y: &Axis) {
        for (series, colour) in self.series.iter().zip(COLOURS.iter().cycle()) {
            let mut path = String::new();
            for &(a, b) in series
                .points
                .iter()
                .filter(|p| x.takes(p.0) && y.takes(p.1))
            {
                let verb = if path.is_empty() { 'M' } else { 'L' };
                let (a, b) = (across(x, a), down(y, b));
                add(&mut path, format_args!("{verb}{a:.1} {b:.1}"));
            }
            add(
                svg,
                format_args!("<path class=\"line\" stroke=\"{colour}\" d=\"{path}\"/>"),
            );
        }
    }

    fn values(&self, of: impl Fn(&(f64, f64)) -> f64) -> Vec<f64> {
        let points = self.series.iter().flat_map(|series| &series.points);
        points.map(of).collect()
    }
}

/// Where a value of the horizontal axis lies, from the left edge on.
fn across(x: &Axis, value: f64) -> f64 {
    LEFT + x.place(value) * (WIDTH - LEFT - RIGHT)
}

/// Where a value of the vertical axis lies, from the upper edge on.
fn down(y: &Axis, value: f64) -> f64 {
    HEIGHT - BOTTOM - y.place(value) * (HEIGHT - TOP - BOTTOM)
}

/// Appends formatted text; writing to a string cannot fail.
fn add(text: &mut String, arguments: std::fmt::Arguments) {
    let _ = text.write_fmt(arguments);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_survive_odd_values() {
        let chart = Chart {
            title: "a < b".into(),
            series: vec![
                Series {
                    name: "loss".into(),
                    points: vec![(0.0, 1.0), (1.0, f64::NAN), (2.0, 0.5)],
                },
                Series {
                    name: "empty".into(),
                    points: Vec::new(),
                },
            ],
            ..Chart::default()
        };
        let svg = chart.to_svg();
        assert!(svg.contains("a &lt; b") && !svg.contains("NaN"), "{svg}");
        assert_eq!(svg.matches("class=\"line\"").count(), 2);
        assert!(!Chart::default().to_svg().contains("inf"));
    }
}
