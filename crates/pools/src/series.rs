//! The instances of a series, in the order in which they are to be solved, and what is said about them.
//!
//! A series is a folder, one model file, a list of paths, or a `.test` file of the MIP Workshop 2023 competition: a list
//! that begins with the time limit of an instance and with what varies in the series:
//!
//! ```text
//! [TIMEOUT] 600
//! [OBJ] x1 x2 x3
//! [LO] -
//! [UP] -
//! [LHS] *
//! [RHS] *
//! [MAT] -
//! datasets/series/first.mps.gz
//! datasets/series/second.mps.gz
//! ```
//!
//! Lists are read as in [`inputs`](crate::inputs), but for their order, which is kept, and for names: an instance may come
//! more than once, and two instances may have the same name.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use idpas_base::words::counted;

use crate::PoolError;
use crate::inputs::{InputFile, instance_name, instances_in, is_instance, locate};

/// The instances of a series and what its list says about them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeriesList {
    /// The instances in the order of the series.
    pub instances: Vec<InputFile>,
    /// Seconds for each instance, if the list says so.
    pub time_limit: Option<f64>,
    /// What varies from instance to instance.
    pub varies: Varies,
}

/// What varies from instance to instance of a series, part by part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Varies {
    /// Columns whose objective coefficients vary: `[OBJ]`.
    pub objective: Varying,
    /// Columns whose lower bounds vary: `[LO]`.
    pub lower: Varying,
    /// Columns whose upper bounds vary: `[UP]`.
    pub upper: Varying,
    /// Rows whose left-hand sides vary: `[LHS]`.
    pub left: Varying,
    /// Rows whose right-hand sides vary: `[RHS]`.
    pub right: Varying,
    /// Rows whose coefficients vary: `[MAT]`.
    pub matrix: Varying,
}

/// The columns or rows in which a part of the model varies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Varying {
    /// Nobody said what varies: it may be anything.
    #[default]
    Unknown,
    /// It is the same in all instances.
    Nothing,
    /// It may vary in all columns or rows.
    All,
    /// It may vary in the columns or rows of these names.
    Names(Vec<String>),
}

impl SeriesList {
    /// Reads a series: a folder, whose instances come by name (`i2` before `i10`), a model file, or a list.
    pub fn read(path: &Path) -> Result<Self, PoolError> {
        let list = if path.is_dir() {
            SeriesList::of(sorted(instances_in(path)?))
        } else if is_instance(path) {
            std::fs::metadata(path).map_err(|error| PoolError::io(path, error))?;
            SeriesList::of(vec![path.to_owned()])
        } else {
            let bytes = std::fs::read(path).map_err(|error| PoolError::io(path, error))?;
            SeriesList::from_bytes(&bytes, path)?
        };
        match list.instances.is_empty() {
            true => Err(PoolError::input(
                path,
                "there are no instances; expected .mps, .mps.gz, .lp or .lp.gz files",
            )),
            false => Ok(list),
        }
    }

    /// Instances of which nothing else is known.
    fn of(paths: Vec<PathBuf>) -> Self {
        let mut list = SeriesList::default();
        paths.into_iter().for_each(|path| list.add(path));
        list
    }

    fn add(&mut self, path: PathBuf) {
        self.instances.push(InputFile {
            name: instance_name(&path),
            path,
        });
    }
}

impl Varies {
    /// What varies, for people: `objective of 120 columns, right-hand sides of all rows`.
    pub fn in_words(&self) -> String {
        let parts = [
            (&self.objective, "objective", "column"),
            (&self.lower, "lower bounds", "column"),
            (&self.upper, "upper bounds", "column"),
            (&self.left, "left-hand sides", "row"),
            (&self.right, "right-hand sides", "row"),
            (&self.matrix, "coefficients", "row"),
        ];
        if parts.iter().all(|(part, _, _)| **part == Varying::Unknown) {
            return "anything: the list does not say what".into();
        }
        let words: Vec<String> = parts
            .iter()
            .filter_map(|(part, what, of)| match part {
                Varying::Nothing => None,
                Varying::Unknown => Some(format!("perhaps {what}")),
                Varying::All => Some(format!("{what} of all {of}s")),
                Varying::Names(names) => Some(format!("{what} of {}", counted(names.len(), of))),
            })
            .collect();
        match words.is_empty() {
            true => "nothing".into(),
            false => words.join(", "),
        }
    }

    /// The part that a line of the header is about, by the word in brackets.
    fn part(&mut self, key: &str) -> Option<&mut Varying> {
        match key {
            "OBJ" => Some(&mut self.objective),
            "LO" => Some(&mut self.lower),
            "UP" => Some(&mut self.upper),
            "LHS" => Some(&mut self.left),
            "RHS" => Some(&mut self.right),
            "MAT" => Some(&mut self.matrix),
            _ => None,
        }
    }
}

impl Varying {
    /// Whether it may vary anywhere.
    pub fn is_possible(&self) -> bool {
        *self != Varying::Nothing
    }

    /// Reads `-`, `*` or names apart from each other by spaces. No names at all means that nothing varies.
    fn read(text: &str) -> Self {
        match text.trim() {
            "" | "-" => Varying::Nothing,
            "*" => Varying::All,
            names => Varying::Names(names.split_whitespace().map(str::to_owned).collect()),
        }
    }
}

impl SeriesList {
    /// Reads a list from the content of its file. The paths in it are looked for around `path`.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self, PoolError> {
        let Ok(text) = std::str::from_utf8(bytes) else {
            let message = "this is neither an instance nor a list of paths: it is not UTF-8 text";
            return Err(PoolError::input(path, message));
        };
        let mut list = SeriesList::default();
        for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let read = list.read_line(line.trim(), path);
            read.map_err(|message| PoolError::Text {
                path: path.display().to_string(),
                line: number + 1,
                message,
            })?;
        }
        Ok(list)
    }

    fn read_line(&mut self, line: &str, list: &Path) -> Result<(), String> {
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        if let Some(header) = line.strip_prefix('[') {
            return self.read_header(header);
        }
        let found = locate(list, Path::new(line));
        self.add(found.ok_or_else(|| format!("there is no file `{line}`"))?);
        Ok(())
    }

    /// Reads a line of the header, without its first bracket.
    fn read_header(&mut self, line: &str) -> Result<(), String> {
        let Some((key, value)) = line.split_once(']') else {
            return Err(format!("expected `]` in `[{line}`"));
        };
        if key == "TIMEOUT" {
            let value = value.trim();
            let limit = value.parse().ok();
            let limit = limit.filter(|limit: &f64| limit.is_finite() && *limit > 0.0);
            let Some(limit) = limit else {
                return Err(format!(
                    "[TIMEOUT] is `{value}`; expected a number of seconds above 0"
                ));
            };
            return match self.time_limit.replace(limit) {
                Some(_) => Err(twice(key)),
                None => Ok(()),
            };
        }
        let Some(part) = self.varies.part(key) else {
            return Err(format!(
                "unknown line `[{key}]`; expected [TIMEOUT], [OBJ], [LO], [UP], [LHS], [RHS] or [MAT]"
            ));
        };
        match std::mem::replace(part, Varying::read(value)) {
            Varying::Unknown => Ok(()),
            _ => Err(twice(key)),
        }
    }
}

fn twice(key: &str) -> String {
    format!("a second line `[{key}]`; expected one")
}

/// Files by the names of their instances in natural order; by their paths where these are the same.
fn sorted(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.sort_by(|a, b| natural(&instance_name(a), &instance_name(b)).then_with(|| a.cmp(b)));
    paths
}

/// Compares names as people order them: numbers in them by their values, everything else by its characters. Names that
/// differ in leading zeros only come in the order of their characters.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    while let (Some(x), Some(y)) = (left.chars().next(), right.chars().next()) {
        if x.is_ascii_digit() && y.is_ascii_digit() {
            let (p, q);
            (p, left) = split_number(left);
            (q, right) = split_number(right);
            let by_value = p.len().cmp(&q.len()).then_with(|| p.cmp(q));
            if by_value != Ordering::Equal {
                return by_value;
            }
        } else if x != y {
            return x.cmp(&y);
        } else {
            (left, right) = (&left[x.len_utf8()..], &right[y.len_utf8()..]);
        }
    }
    left.len().cmp(&right.len()).then_with(|| a.cmp(b))
}

/// The number at the beginning of a text, without leading zeros, and what comes after it.
fn split_number(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    (number.trim_start_matches('0'), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &SeriesList) -> Vec<&str> {
        list.instances
            .iter()
            .map(|file| file.name.as_str())
            .collect()
    }

    /// A folder with empty model files `a.lp`, `i10.mps`, `i2.mps.gz` and `sub/a.lp`, and what a list in it comes to.
    fn read(list: &str) -> Result<SeriesList, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        for name in ["a.lp", "i10.mps", "i2.mps.gz", "sub/a.lp"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let path = folder.path().join("list.test");
        std::fs::write(&path, list).unwrap();
        let told = |error: PoolError| {
            error
                .to_string()
                .replace(&path.display().to_string(), "LIST")
        };
        SeriesList::read(&path).map_err(told)
    }

    #[test]
    fn a_folder_comes_in_natural_order() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "i10.mps",
            "i2.mps.gz",
            "i02.mps",
            "i2.lp",
            "I3.mps",
            "x.txt",
            "i.mps",
            "i2b.lp",
        ] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let list = SeriesList::read(folder.path()).unwrap();
        assert_eq!(names(&list), ["I3", "i", "i02", "i2", "i2", "i2b", "i10"]);
        assert_eq!((list.time_limit, list.varies), (None, Varies::default()));
        let one = SeriesList::read(&folder.path().join("i10.mps")).unwrap();
        assert_eq!(names(&one), ["i10"]);
        assert!(SeriesList::read(&folder.path().join("none.mps")).is_err());
        let empty = tempfile::tempdir().unwrap();
        let message = SeriesList::read(empty.path()).unwrap_err().to_string();
        assert!(message.contains("there are no instances"), "{message}");
    }

    #[test]
    fn a_list_keeps_its_order_and_what_comes_twice() {
        let list =
            read("\u{feff}# mine\ni10.mps\n\na.lp\r\ni2.mps.gz\nsub/a.lp\ni10.mps\n").unwrap();
        assert_eq!(names(&list), ["i10", "a", "i2", "a", "i10"]);
        assert_eq!(list.instances[0], list.instances[4]);
        assert_ne!(list.instances[1].path, list.instances[3].path);
        assert_eq!(
            list.varies.in_words(),
            "anything: the list does not say what"
        );
    }

    #[test]
    fn headers_say_limit_and_what_varies() {
        let head = "[TIMEOUT] 12.5\n[OBJ] x y\tz\n[LO] -\n[UP]\n[LHS] *\n[RHS] r\n[MAT] -\n";
        let list = read(&format!("{head}a.lp\n")).unwrap();
        assert_eq!(list.time_limit, Some(12.5));
        let varies = &list.varies;
        assert_eq!(
            varies.objective,
            Varying::Names(["x", "y", "z"].map(str::to_owned).into())
        );
        assert_eq!(
            (&varies.lower, &varies.upper),
            (&Varying::Nothing, &Varying::Nothing)
        );
        assert!(varies.left.is_possible() && !varies.matrix.is_possible());
        assert_eq!(
            varies.in_words(),
            "objective of 3 columns, left-hand sides of all rows, right-hand sides of 1 row"
        );
        let same = read("[OBJ] -\n[LO] -\n[UP] -\n[LHS] -\n[RHS] -\n[MAT] -\na.lp\n").unwrap();
        assert_eq!(same.varies.in_words(), "nothing");
        let partly = read("[OBJ] *\n[LO] -\n[UP] -\n[LHS] -\n[RHS] -\na.lp\n").unwrap();
        assert_eq!(
            partly.varies.in_words(),
            "objective of all columns, perhaps coefficients"
        );
    }

    #[test]
    fn errors_name_file_and_line() {
        for (list, expected) in [
            (
                "[TIMEOUT] soon\na.lp\n",
                "LIST:1: [TIMEOUT] is `soon`; expected a number of seconds above 0",
            ),
            (
                "[TIMEOUT] -3\na.lp\n",
                "LIST:1: [TIMEOUT] is `-3`; expected a number of seconds above 0",
            ),
            (
                "[TIMEOUT]\na.lp\n",
                "LIST:1: [TIMEOUT] is ``; expected a number of seconds above 0",
            ),
            (
                "[TIMEOUT] inf\na.lp\n",
                "LIST:1: [TIMEOUT] is `inf`; expected a number of seconds above 0",
            ),
            ("a.lp\n\nb.lp\n", "LIST:3: there is no file `b.lp`"),
            (
                "[OBJ] -\n[COST] -\na.lp\n",
                "LIST:2: unknown line `[COST]`; expected [TIMEOUT], [OBJ], [LO], [UP], [LHS], [RHS] or [MAT]",
            ),
            ("[OBJ x\na.lp\n", "LIST:1: expected `]` in `[OBJ x`"),
            (
                "[OBJ] -\n[OBJ] x\na.lp\n",
                "LIST:2: a second line `[OBJ]`; expected one",
            ),
            (
                "[TIMEOUT] 1\n[TIMEOUT] 1\na.lp\n",
                "LIST:2: a second line `[TIMEOUT]`; expected one",
            ),
            (
                "[TIMEOUT] 1\n",
                "LIST: there are no instances; expected .mps, .mps.gz, .lp or .lp.gz files",
            ),
        ] {
            assert_eq!(read(list).unwrap_err(), expected);
        }
    }

    #[test]
    fn the_committed_series() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/knapsacks.test");
        let list = SeriesList::read(&path).unwrap();
        assert_eq!(names(&list), ["knapsack_2", "knapsack_1", "knapsack_10"]);
        assert_eq!(list.time_limit, Some(5.0));
        assert_eq!(
            list.varies.in_words(),
            "objective of 2 columns, right-hand sides of all rows"
        );
        for file in &list.instances {
            idpas_mip::files::read_model(&file.path).unwrap();
        }
    }

    #[test]
    fn the_competitions_series() {
        for (name, limit, varies) in [
            ("bnd_series_1", 600.0, "upper bounds of "),
            ("bnd_series_2", 300.0, "lower bounds of "),
            ("obj_series_1", 400.0, "objective of "),
            (
                "rhs_obj_series_2",
                250.0,
                "objective of all columns, left-hand sides of all rows, right-hand sides of all rows",
            ),
        ] {
            let Some(path) = idpas_testing::shared_data(&format!("mipcc23/{name}.test")) else {
                return;
            };
            let list = SeriesList::read(&path).unwrap();
            assert_eq!(
                (list.instances.len(), list.time_limit),
                (50, Some(limit)),
                "{name}"
            );
            let words = list.varies.in_words();
            assert!(words.starts_with(varies), "{name}: {words}");
            // They are numbered in their order.
            let numbered = list.instances.windows(2);
            let rising = numbered.map(|pair| natural(&pair[0].name, &pair[1].name));
            assert!(rising.into_iter().all(Ordering::is_lt), "{name}");
        }
    }
}
