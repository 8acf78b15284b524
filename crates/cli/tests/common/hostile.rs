//! Names that would do harm if they were shown, run or opened as they are, and models that have them.

use std::path::{Path, PathBuf};

/// What a name may hold in a model file: it sets the title of the terminal, colours it, turns the text around, is HTML that
/// runs a script, and is a command to a shell.
pub(crate) const NAME: &str = "\u{1b}]0;owned\u{7}\u{1b}[31m\u{202e}<img/src=x/onerror=document.title='owned'>$(touch${IFS}owned)";

/// The same for names of which solutions are written, without control characters.
pub(crate) const TEXT: &str = "\u{202e}\u{2066}<img/src=x/onerror=document.title='owned'>$(touch${IFS}owned)`touch${IFS}owned`";

/// What a name of a file may hold beyond that: blanks, ends of lines, quotes, and the beginning of a formula.
pub(crate) const FILE: &str = "=1+2\u{1b}]0;owned\u{7}\r\nerror: owned\u{202e}\"'<img src=x onerror=document.title='owned'>\
     $(touch owned)`touch owned`;touch owned;";

/// A model of two integer columns and a row whose names end like this; its best objective is −9.
pub(crate) fn model(names: &str) -> String {
    format!(
        "NAME m{names}\nROWS\n N cost\n L r{names}\nCOLUMNS\n \
         MARKER 'MARKER' 'INTORG'\n a{names} cost -1 r{names} 1\n b{names} cost -2 r{names} 1\n \
         MARKER 'MARKER' 'INTEND'\nRHS\n RHS r{names} 5\nBOUNDS\n UP BND a{names} 3\n UP BND b{names} 4\nENDATA\n"
    )
}

/// Writes such models, each a little different, under hostile names of files into a folder, which is made.
pub(crate) fn instances(folder: &Path, names: &str, count: usize) -> Vec<PathBuf> {
    std::fs::create_dir_all(folder).expect("a folder");
    let write = |number: usize| {
        let path = folder.join(format!("{FILE}{number}.mps"));
        let model = model(names).replace(" 5\n", &format!(" {}\n", 5 + number));
        std::fs::write(&path, model).expect("a model");
        path
    };
    (0..count).map(write).collect()
}

/// Whether a character acts on a terminal or hides what is there; the end of a line is none.
fn acts(c: char) -> bool {
    let directions = ['\u{61c}', '\u{200e}', '\u{200f}'];
    let turns = directions.contains(&c)
        || ('\u{2028}'..='\u{202e}').contains(&c)
        || ('\u{2066}'..='\u{2069}').contains(&c);
    c.is_control() && c != '\n' || turns
}

/// Fails if a text would act on a terminal, or if a name made a line of its own.
pub(crate) fn assert_harmless(text: &str, what: &str) {
    assert!(!text.contains(acts), "{what}: {text:?}");
    let forged = text.lines().any(|line| line.starts_with("error: owned"));
    assert!(!forged, "{what}: {text:?}");
}
