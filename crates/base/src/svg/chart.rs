//! Line charts as SVG documents without scripts, readable on light and dark backgrounds.

use std::fmt::Write;

use super::{Axis, escape};

/// A line through points.
#[derive(Clone, Debug)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// Points (x, y) from left to right; those that are not finite are left out.
    pub points: Vec<(f64, f64)>,
}

/// A line chart.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// Text above the chart.
    pub title: String,
    /// Text below the horizontal axis.
    pub x_label: String,
    /// Text above the vertical axis.
    pub y_label: String,
    /// Whether the horizontal axis is logarithmic.
    pub log_x: bool,
    /// Whether the vertical axis is logarithmic.
    pub log_y: bool,
    /// The lines, in the order of the legend.
    pub series: Vec<Series>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 64.0;
const BOTTOM: f64 = 50.0;
/// Where the horizontal axis ends.
const END: f64 = WIDTH - RIGHT;
/// The height of the horizontal axis, counted from the top.
const FLOOR: f64 = HEIGHT - BOTTOM;

/// Colours of the lines: distinguishable with red-green blindness, on light and on dark backgrounds.
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
        let plot = Plot {
            x: Axis::spanning(self.values(|p| p.0), self.log_x, ""),
            y: Axis::spanning(self.values(|p| p.1), self.log_y, ""),
        };
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\
             <title>{0}</title>{STYLE}<rect class=\"back\" width=\"100%\" height=\"100%\"/>\
             <text class=\"title\" x=\"{LEFT}\" y=\"22\">{0}</text>",
            escape(&self.title)
        );
        plot.add_grid(&mut svg);
        self.add_labels(&mut svg);
        self.add_legend(&mut svg);
        for (series, colour) in self.series.iter().zip(COLOURS.iter().cycle()) {
            let path = plot.path(&series.points);
            add(
                &mut svg,
                format_args!("<path class=\"line\" stroke=\"{colour}\" d=\"{path}\"/>"),
            );
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// Adds the horizontal axis and the texts beside both axes.
    fn add_labels(&self, svg: &mut String) {
        add(
            svg,
            format_args!(
                "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{END}\" y1=\"{FLOOR}\" y2=\"{FLOOR}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
                 <text x=\"8\" y=\"{:.1}\">{}</text>",
                0.5 * (LEFT + END),
                HEIGHT - 10.0,
                escape(&self.x_label),
                TOP - 10.0,
                escape(&self.y_label)
            ),
        );
    }

    /// Adds the names of the series with their colours, from right to left.
    fn add_legend(&self, svg: &mut String) {
        let mut left = END;
        for (k, series) in self.series.iter().enumerate().rev() {
            let colour = COLOURS[k % COLOURS.len()];
            // An estimate of the text's width: seven units a letter is a little more than the font takes.
            left -= 7.0 * series.name.chars().count() as f64 + 34.0;
            add(
                svg,
                format_args!(
                    "<line x1=\"{left:.1}\" x2=\"{:.1}\" y1=\"44\" y2=\"44\" stroke=\"{colour}\" stroke-width=\"3\"/>\
                     <text x=\"{:.1}\" y=\"48\">{}</text>",
                    left + 18.0,
                    left + 24.0,
                    escape(&series.name)
                ),
            );
        }
    }

    fn values(&self, of: impl Fn(&(f64, f64)) -> f64) -> Vec<f64> {
        let points = self.series.iter().flat_map(|series| &series.points);
        points.map(of).collect()
    }
}

/// The area between the axes.
struct Plot {
    x: Axis,
    y: Axis,
}

impl Plot {
    /// Distance of a value on the horizontal axis from the left edge of the drawing.
    fn across(&self, value: f64) -> f64 {
        LEFT + self.x.place(value) * (WIDTH - LEFT - RIGHT)
    }

    /// Distance of a value on the vertical axis from the top edge of the drawing.
    fn down(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - self.y.place(value) * (HEIGHT - TOP - BOTTOM)
    }

    /// Adds the numbers beside both axes, with a line across the plot at each.
    fn add_grid(&self, svg: &mut String) {
        for tick in self.x.ticks() {
            let at = self.across(tick);
            add(
                svg,
                format_args!(
                    "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{FLOOR}\"/>\
                     <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                    FLOOR + 18.0,
                    self.x.number(tick)
                ),
            );
        }
        for tick in self.y.ticks() {
            let at = self.down(tick);
            add(
                svg,
                format_args!(
                    "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{END}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
                     <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                    LEFT - 8.0,
                    at + 4.0,
                    self.y.number(tick)
                ),
            );
        }
    }

    /// The SVG path of straight lines between those points that have a place on both axes.
    fn path(&self, points: &[(f64, f64)]) -> String {
        let mut path = String::new();
        for &(x, y) in points {
            if self.x.takes(x) && self.y.takes(y) {
                let verb = if path.is_empty() { 'M' } else { 'L' };
                add(
                    &mut path,
                    format_args!("{verb}{:.1} {:.1}", self.across(x), self.down(y)),
                );
            }
        }
        path
    }
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
