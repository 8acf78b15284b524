//! The live line on the terminal.

use std::io;

use console::Term;
use idpas_base::words::visible;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};

use crate::args::Verbosity;

/// Most redraws of the live line per second.
const REFRESH: u8 = 20;

/// Where live lines are drawn: stderr if that is a terminal, else nowhere.
pub(crate) fn live() -> ProgressDrawTarget {
    if ProgressDrawTarget::stderr().is_hidden() {
        return ProgressDrawTarget::hidden();
    }
    let term = Term::buffered_stderr();
    ProgressDrawTarget::term_like_with_hz(Box::new(Terminal(term)), REFRESH)
}

/// A bar with this template, drawn on a terminal unless `--quiet`.
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

/// A terminal whose cursor stays right behind the text of the live line. Usually the line is filled with spaces up to
/// the right edge; then the `^C` that the terminal shows would begin a new line and leave the live one standing above
/// it.
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
        self.0.write_line(&visible(text))
    }

    /// What is drawn has no colours, so that everything that would act on the terminal is from a name.
    fn write_str(&self, text: &str) -> io::Result<()> {
        let filler = !text.is_empty() && text.bytes().all(|b| b == b' ');
        match filler {
            true => self.0.write_str("\x1b[K"),
            false => self.0.write_str(&visible(text)),
        }
    }

    fn clear_line(&self) -> io::Result<()> {
        self.0.clear_line()
    }

    fn flush(&self) -> io::Result<()> {
        self.0.flush()
    }
}
