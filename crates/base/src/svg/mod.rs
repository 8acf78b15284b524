//! Drawings as SVG, without scripts: a [`Chart`] is a file of its own, a [`Figure`] is part of an HTML page.

mod axis;
mod chart;
mod figure;

pub use axis::Axis;
pub use chart::{Chart, Series};
pub use figure::Figure;

/// A text with everything replaced that has a meaning in HTML.
pub fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() && c != '\n' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
