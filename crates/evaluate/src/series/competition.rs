//! The output that the competition on re-optimisation of the MIP Workshop 2023 asks for: a log with times and bounds, and
//! a solution file for each instance.
//!
//! Both name an instance by its file, so instances of equal names share an entry and a solution file: the last one's.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use idpas_base::words::{date_of_day, one_line};
use idpas_mip::files::save_bytes;
use idpas_mip::solution::{self, Solution, SolutionFormat};
use idpas_mip::{Model, Sense};

use crate::EvaluateError;

/// Name of the log in the folder of the output.
pub const LOG: &str = "log.txt";

/// Name of the folder of solutions in the folder of the output.
pub const SOLUTIONS: &str = "solutions";

const INSTANCE: &str = "[INSTANCE]";
const START: &str = "[START]";
const END: &str = "[END]";
const DUAL_BOUND: &str = "[DUALBOUND]";

const SECONDS_A_DAY: i64 = 86_400;

/// What the log says of one instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The instance's file, without its folder.
    pub file_name: String,
    /// When the instance was begun, in seconds since 1970; the log has whole milliseconds.
    pub started: f64,
    /// When it was done, in seconds since 1970.
    pub ended: f64,
    /// The best bound that was proved; infinite if there is none.
    pub bound: f64,
}

/// Adds an instance to the log `OUT/log.txt`, at its end. `started` and `ended` are in seconds since 1970. A bound that
/// is missing or infinite is written as the one that holds always: `-inf` if the objective is minimized, `inf` if it is
/// maximized.
///
/// The log is written whole or not at all, so that it has whole entries only at any moment. An earlier entry of the
/// same instance, as a killed run may have left it, is replaced.
pub fn write_entry(
    out: &Path,
    file_name: &str,
    started: f64,
    ended: f64,
    bound: Option<f64>,
    sense: Sense,
) -> Result<(), EvaluateError> {
    std::fs::create_dir_all(out).map_err(|error| EvaluateError::io(out, error))?;
    let path = out.join(LOG);
    let before = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(EvaluateError::io(&path, error)),
    };
    let entry = Entry {
        file_name: one_line(file_name),
        started,
        ended,
        bound: bound
            .filter(|bound| bound.is_finite())
            .unwrap_or(no_bound(sense)),
    };
    let log = without_entry(&before, &entry.file_name) + &entry.text();
    Ok(save_bytes(&path, log.as_bytes())?)
}

/// The entries of a log in their order. Lines that belong to no entry are left out, and so are entries that lack
/// something.
pub fn read_log(text: &str) -> Vec<Entry> {
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let begins = (0..lines.len()).filter(|&at| lines[at].starts_with(INSTANCE));
    begins.filter_map(|at| Entry::read(&lines[at..])).collect()
}

/// Writes a solution to `OUT/solutions/STEM.sol`, whole or not at all, and returns the file's path. Each line has a
/// column's name and value; columns that are zero are left out, and comments begin with `#`.
pub fn write_solution(
    out: &Path,
    model: &Model,
    file_stem: &str,
    values: &[f64],
) -> Result<PathBuf, EvaluateError> {
    let folder = out.join(SOLUTIONS);
    std::fs::create_dir_all(&folder).map_err(|error| EvaluateError::io(&folder, error))?;
    let path = folder.join(format!("{file_stem}.sol"));
    // Gurobi's format has the lines that are asked for, but those of zeros, too.
    let mut listed = Vec::new();
    let solution = Solution::new(values.to_vec());
    let file = path.display().to_string();
    solution::write(model, &solution, SolutionFormat::Gurobi, &file, &mut listed)?;
    let is_zero = |line: &[u8]| !line.starts_with(b"#") && line.ends_with(b" 0\n");
    let lines = listed.split_inclusive(|byte| *byte == b'\n');
    let kept: Vec<u8> = lines
        .filter(|line| !is_zero(line))
        .flatten()
        .copied()
        .collect();
    save_bytes(&path, &kept)?;
    Ok(path)
}

/// The bound that holds for every model of this sense.
fn no_bound(sense: Sense) -> f64 {
    match sense {
        Sense::Minimize => f64::NEG_INFINITY,
        Sense::Maximize => f64::INFINITY,
    }
}

impl Entry {
    fn text(&self) -> String {
        format!(
            "{INSTANCE} {}\n{START} {}\n{END} {}\n{DUAL_BOUND} {:?}\n",
            self.file_name,
            time_text(self.started),
            time_text(self.ended),
            self.bound
        )
    }

    /// The entry that begins with the first of these lines; `None` if the lines of an entry do not follow.
    fn read(lines: &[&str]) -> Option<Entry> {
        let value = |at: usize, key: &str| Some(lines.get(at)?.strip_prefix(key)?.trim());
        Some(Entry {
            file_name: value(0, INSTANCE)?.to_owned(),
            started: read_time(value(1, START)?)?,
            ended: read_time(value(2, END)?)?,
            bound: value(3, DUAL_BOUND)?.parse().ok()?,
        })
    }
}

/// A log without the entries of an instance. Everything else stays as it is.
fn without_entry(log: &str, file_name: &str) -> String {
    let mut kept = String::new();
    let mut keeping = true;
    for line in log.lines() {
        if let Some(name) = line.trim().strip_prefix(INSTANCE) {
            keeping = name.trim() != file_name.trim();
        }
        if keeping {
            // Writing to a string cannot fail.
            let _ = writeln!(kept, "{line}");
        }
    }
    kept
}

/// A time in seconds since 1970 as UTC date and time with milliseconds: `2022-10-26T15:25:10.852`.
fn time_text(seconds: f64) -> String {
    let milliseconds = (1000.0 * seconds).round() as i64;
    let whole = milliseconds.div_euclid(1000);
    let (day, second) = (
        whole.div_euclid(SECONDS_A_DAY),
        whole.rem_euclid(SECONDS_A_DAY),
    );
    let (year, month, day) = date_of_day(day);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:03}",
        second / 3600,
        second / 60 % 60,
        second % 60,
        milliseconds.rem_euclid(1000)
    )
}

/// The inverse of [`time_text`]; `None` if the text is no such time.
fn read_time(text: &str) -> Option<f64> {
    let (date, time) = text.split_once('T')?;
    let date: Vec<i64> = date
        .split('-')
        .map(|part| part.parse().ok())
        .collect::<Option<_>>()?;
    let [year, month, day] = date[..] else {
        return None;
    };
    let mut clock = time.split(':');
    let hours: i64 = clock.next()?.parse().ok()?;
    let minutes: i64 = clock.next()?.parse().ok()?;
    let seconds: f64 = clock.next()?.parse().ok()?;
    let is_date =
        (0..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    // Numbers that are no time of a day could be too large to count with.
    let is_time = (0..24).contains(&hours) && (0..60).contains(&minutes);
    if clock.next().is_some() || !is_date || !is_time {
        return None;
    }
    let minutes = 60 * hours + minutes;
    Some((day_of_date(year, month, day) * SECONDS_A_DAY + 60 * minutes) as f64 + seconds)
}

// Years are counted from March on, as in `date_of_day`, so that the day of a leap year is the last one: month 0 is March, and
// five months from March or August on have 153 days. Days are counted from the first of March of the year 0, which is
// 719,468 days before 1970; 400 years have 146,097 days.

/// The number of days from 1970-01-01 to a date.
fn day_of_date(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    let day = 365 * year + year / 4 - year / 100 + (153 * month + 2) / 5 + day - 1;
    146_097 * era + day - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;
    use idpas_mip::files::Input;
    use idpas_mip::{ModelBuilder, VarKind};

    #[test]
    fn times_are_written_as_the_rules_have_them() {
        // date -u -d 2022-10-26T15:25:10.852 +%s.%N, and so on.
        for (seconds, text) in [
            (1_666_797_910.852, "2022-10-26T15:25:10.852"),
            (0.0, "1970-01-01T00:00:00.000"),
            (951_782_399.999_6, "2000-02-29T00:00:00.000"),
            (1_709_251_199.001, "2024-02-29T23:59:59.001"),
            (4_107_542_400.0, "2100-03-01T00:00:00.000"),
            (-0.5, "1969-12-31T23:59:59.500"),
        ] {
            assert_eq!(time_text(seconds), text);
            assert!((read_time(text).unwrap() - seconds).abs() < 1e-3, "{text}");
        }
        for day in (-200_000..200_000).step_by(7) {
            let (year, month, date) = date_of_day(day);
            assert_eq!(day_of_date(year, month, date), day);
        }
        for bad in [
            "",
            "2022-10-26",
            "2022-10T15:25:10",
            "2022-13-01T00:00:00",
            "2022-10-26T15:25:10:1",
            "yesterdayT1:2:3",
        ] {
            assert_eq!(read_time(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("new/out");
        let log = || std::fs::read_to_string(out.join(LOG)).unwrap();
        let (min, max) = (Sense::Minimize, Sense::Maximize);
        write_entry(
            &out,
            "s_1.mps.gz",
            1_666_797_910.852,
            1_666_797_977.171,
            Some(-17174.255797175505),
            min,
        )
        .unwrap();
        assert_eq!(
            log(),
            "[INSTANCE] s_1.mps.gz\n[START] 2022-10-26T15:25:10.852\n[END] 2022-10-26T15:26:17.171\n\
             [DUALBOUND] -17174.255797175505\n"
        );
        write_entry(&out, "s 2.mps", 10.0, 11.0, None, min).unwrap();
        write_entry(&out, "s_3.mps", 12.0, 13.5, Some(f64::NEG_INFINITY), max).unwrap();
        // Killed before the instance was recorded as done, it is run again.
        write_entry(&out, "s_3.mps", 20.0, 21.0, Some(1e300), max).unwrap();
        write_entry(&out, "s_4.mps", 22.0, 23.0, Some(f64::NAN), max).unwrap();
        let entry = |name: &str, started: f64, ended: f64, bound: f64| Entry {
            file_name: name.into(),
            started,
            ended,
            bound,
        };
        let read = read_log(&log());
        assert_eq!(
            read[1..],
            [
                entry("s 2.mps", 10.0, 11.0, f64::NEG_INFINITY),
                entry("s_3.mps", 20.0, 21.0, 1e300),
                entry("s_4.mps", 22.0, 23.0, f64::INFINITY)
            ]
        );
        assert_eq!(
            (read[0].file_name.as_str(), read[0].bound),
            ("s_1.mps.gz", -17174.255797175505)
        );
        assert!((read[0].ended - read[0].started - 66.319).abs() < 1e-6);
    }

    #[test]
    fn other_lines_of_a_log_stay() {
        let log = "hello\n[INSTANCE] a\n[START] x\n[INSTANCE] b\n[START] 1970-01-01T00:00:01\n\
                   [END] 1970-01-01T00:00:02\n[DUALBOUND] 3\nmore\n";
        let read = read_log(log);
        assert_eq!(read.len(), 1);
        assert_eq!((read[0].file_name.as_str(), read[0].started), ("b", 1.0));
        assert_eq!(without_entry(log, "c"), log);
        assert_eq!(without_entry(log, "b"), "hello\n[INSTANCE] a\n[START] x\n");
        assert_eq!(read_log(""), []);
    }

    #[test]
    fn solutions_list_what_is_not_zero() {
        let mut builder = ModelBuilder::new("m", Sense::Minimize);
        for (name, cost) in [("x", 1.0), ("y[1,2]", 2.0), ("zero 0", 3.0), ("minus", 4.0)] {
            builder
                .column(name, VarKind::Continuous, -10.0, 10.0, cost)
                .unwrap();
        }
        let model = builder.build().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let values = [0.0, 10.0, 0.5, -0.0];
        let path = write_solution(folder.path(), &model, "s_1", &values).unwrap();
        assert_eq!(path, folder.path().join("solutions/s_1.sol"));
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(
            text,
            "# Solution for model m\n# Objective value = 21.5\ny[1,2] 10\nzero 0 0.5\n"
        );
        let read = solution::read(&Input::path(&path), &model).unwrap();
        assert_eq!(read.solution.values, values);
        // The wrong number of values is refused, and what was there stays.
        assert!(write_solution(folder.path(), &model, "s_1", &[1.0]).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
}
