//! Figures as part of an HTML page. Colours come from the page's style sheet, so that they follow light, dark and
//! print.

use std::fmt::Write;

use super::{Axis, escape};

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 68.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 44.0;

/// A figure under construction.
#[derive(Clone, Debug)]
pub struct Figure {
    x: Axis,
    y: Axis,
    body: String,
    title: String,
}

impl Figure {
    /// A figure with axes and nothing drawn yet.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Figure {
            x,
            y,
            body: String::new(),
            title: title.into(),
        }
    }

    fn across(&self, value: f64) -> f64 {
        LEFT + self.x.place(value) * (WIDTH - LEFT - RIGHT)
    }

    fn down(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - self.y.place(value) * (HEIGHT - TOP - BOTTOM)
    }

    fn add(&mut self, arguments: std::fmt::Arguments) {
        // Writing to a string cannot fail.
        let _ = self.body.write_fmt(arguments);
    }

    /// The SVG path of a staircase through the points: each value holds until the next x.
    fn steps(&self, points: impl IntoIterator<Item = (f64, f64)>) -> String {
        let mut path = String::new();
        for (x, y) in points {
            let (x, y) = (self.across(x), self.down(y));
            let _ = match path.is_empty() {
                true => write!(path, "M{x:.1} {y:.1}"),
                false => write!(path, "H{x:.1}V{y:.1}"),
            };
        }
        path
    }

    /// Draws a staircase: each value holds until the next x. `colour` is the number of a colour of the style sheet.
    pub fn step_line(&mut self, points: &[(f64, f64)], colour: usize, dashed: bool) {
        let path = self.steps(points.iter().copied());
        let dash = if dashed { " dash" } else { "" };
        self.add(format_args!(
            "<path class=\"l{dash}\" style=\"stroke:var(--c{colour})\" d=\"{path}\"/>"
        ));
    }

    /// Fills the area between two staircases; points are (x, low, high).
    pub fn band(&mut self, points: &[(f64, f64, f64)], colour: usize) {
        let mut path = self.steps(points.iter().map(|p| (p.0, p.2)));
        let back: Vec<(f64, f64)> = points.iter().map(|p| (p.0, p.1)).collect();
        for pair in back.windows(2).rev() {
            // The lower edge is drawn from right to left; each value still holds from its own x to the next one.
            let (y, x) = (self.down(pair[1].1), self.across(pair[1].0));
            let _ = write!(
                path,
                "L{x:.1} {y:.1}V{:.1}H{:.1}",
                self.down(pair[0].1),
                self.across(pair[0].0)
            );
        }
        self.add(format_args!(
            "<path class=\"band\" style=\"fill:var(--c{colour})\" d=\"{path}Z\"/>"
        ));
    }

    /// Draws straight lines between points, with a dot at each.
    pub fn line(&mut self, points: &[(f64, f64)], colour: usize) {
        let mut path = String::new();
        for &(x, y) in points {
            let verb = if path.is_empty() { 'M' } else { 'L' };
            let _ = write!(path, "{verb}{:.1} {:.1}", self.across(x), self.down(y));
        }
        self.add(format_args!(
            "<path class=\"l\" style=\"stroke:var(--c{colour})\" d=\"{path}\"/>"
        ));
        for &(x, y) in points {
            self.dot(x, y, colour, "");
        }
    }

    /// Draws a dot; `about`, unless empty, is shown when the mouse is over it.
    pub fn dot(&mut self, x: f64, y: f64, colour: usize, about: &str) {
        let (cx, cy) = (self.across(x), self.down(y));
        let title = match about {
            "" => String::new(),
            about => format!("<title>{}</title>", escape(about)),
        };
        self.add(format_args!(
            "<circle class=\"dot\" style=\"fill:var(--c{colour})\" cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"4\">{title}</circle>"
        ));
    }

    /// Draws the line on which x and y are equal.
    pub fn diagonal(&mut self) {
        let low = self.x.low.max(self.y.low);
        let high = self.x.high.min(self.y.high);
        let (x1, y1, x2, y2) = (
            self.across(low),
            self.down(low),
            self.across(high),
            self.down(high),
        );
        self.add(format_args!(
            "<line class=\"diagonal\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        ));
    }

    /// The figure as an SVG element, for a page whose style sheet defines the classes and colours used here.
    pub fn svg(self) -> String {
        let (floor, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
        let title = escape(&self.title);
        let mut svg =
            format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\">");
        for tick in self.x.ticks() {
            let at = self.across(tick);
            let _ = write!(
                svg,
                "<line class=\"g\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{floor}\"/>\
                 <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                floor + 16.0,
                self.x.number(tick)
            );
        }
        for tick in self.y.ticks() {
            let at = self.down(tick);
            let _ = write!(
                svg,
                "<line class=\"g\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 6.0,
                at + 4.0,
                self.y.number(tick)
            );
        }
        let _ = write!(
            svg,
            "{}<line class=\"axis\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{floor}\" y2=\"{floor}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
             <text x=\"12\" y=\"{:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 12 {:.1})\">{}</text></svg>",
            self.body,
            0.5 * (LEFT + right),
            HEIGHT - 8.0,
            escape(&self.x.label),
            0.5 * (TOP + floor),
            0.5 * (TOP + floor),
            escape(&self.y.label)
        );
        svg
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_and_lines_are_finite() {
        let mut figure = Figure::new(
            "a < b",
            Axis::linear(0.0, 10.0, "s"),
            Axis::log([0.1], 1e-4, "y"),
        );
        figure.band(&[(0.0, 0.0, 0.2), (5.0, 0.05, 0.1)], 3);
        figure.step_line(&[(0.0, 0.1), (5.0, 0.0)], 3, true);
        figure.dot(1.0, f64::INFINITY, 1, "x & y");
        let svg = figure.svg();
        assert!(svg.contains("a &lt; b") && svg.contains("x &amp; y"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
