//! Drawings as SVG, without scripts: a [`Chart`] is a file of its own, a [`Figure`] is part of an HTML page.

mod axis;
mod chart;
mod figure;

pub use axis::Axis;
pub use chart::{Chart, Series};
pub use figure::Figure;

use crate::words::is_deceptive;

/// A text with everything replaced that has a meaning in HTML.
pub fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if is_deceptive(c) && c != '\n' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
