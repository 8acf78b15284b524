//! Where the live line is drawn.

use std::io;

use console::Term;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};

use crate::args::Verbosity;

/// Redraws of the live line per second, at most.
const REFRESH: u8 = 20;

/// Draws on stderr where that is a terminal, else nowhere.
pub(crate) fn live() -> ProgressDrawTarget {
    if ProgressDrawTarget::stderr().is_hidden() {
        return ProgressDrawTarget::hidden();
    }
    let term = Term::buffered_stderr();
    ProgressDrawTarget::term_like_with_hz(Box::new(Terminal(term)), REFRESH)
}

/// A bar of this look, drawn on a terminal unless nothing is to be said.
pub(crate) fn bar(verbosity: Verbosity, template: &str) -> ProgressBar {
    let bar = match verbosity {
        Verbosity::Quiet => ProgressBar::hidden(),
        _ => ProgressBar::with_draw_target(None, live()),
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// A terminal whose cursor stays behind the live line's text. Filled with spaces to the right edge, as is
/// usual, the `^C` that the terminal shows would begin a new line and leave the live one above it for good.
#[derive(Debug)]
struct Terminal(Term);

impl TermLike for Terminal {
    fn width(&self) -> u16 {
        self.0.size().1
    }

    fn height(&self) -> u16 {
        self.0.size().0
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_up(n)
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_down(n)
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_right(n)
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_left(n)
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.0.write_line(text)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        let filler = !text.is_empty() && text.bytes().all(|b| b == b' ');
        self.0.write_str(if filler { "\x1b[K" } else { text })
    }

    fn clear_line(&self) -> io::Result<()> {
        self.0.clear_line()
    }

    fn flush(&self) -> io::Result<()> {
        self.0.flush()
    }
}
