//! A term's exams: which block each course is in, and how many students take two or three courses together.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::path::Path;

use idpas_base::hash::bytes_hash;
use idpas_mip::files::Unzipped;

use super::Coefficients;
use crate::FamilyError;
use crate::family::InputFile;

/// Number of blocks in the data; fewer are made by joining neighbouring ones.
const BLOCKS: usize = 24;

/// Three courses that some students take together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triple {
    /// Ids of the three courses, ascending.
    pub courses: [usize; 3],
    /// Number of students who take all three.
    pub students: f64,
}

/// The enrolment data of one term.
#[derive(Clone, Debug, PartialEq)]
pub struct CourseData {
    /// Where the data comes from, in words.
    pub source: String,
    /// The block, from 1 to 24, of each course that has one, by course id.
    pub block: BTreeMap<usize, usize>,
    /// Pairs of courses and how many students take both, as (course, course, students), each pair in both orders. Ids
    /// are those of the files.
    pub pairs: Vec<(usize, usize, f64)>,
    /// Triples of courses that students take together, each set of courses once.
    pub triples: Vec<Triple>,
    /// The files from which the data was read; empty if it was drawn.
    pub inputs: Vec<InputFile>,
}

impl CourseData {
    /// Reads Cornell's anonymised data: `anon24.csv` (course, block), `anon_coenrol.csv` (a matrix of pairs)
    /// and `anon_t_co.csv` (triples, in every order), each also as `.csv.gz`.
    pub fn read(folder: &Path) -> Result<Self, FamilyError> {
        let mut inputs = Vec::new();
        let tables = ["anon24.csv", "anon_coenrol.csv", "anon_t_co.csv"];
        let [blocks, pairs, triples] = tables.map(|name| Table::open(folder, name, &mut inputs));
        let mut data = Self::of_tables([blocks?, pairs?, triples?])?;
        data.inputs = inputs;
        Ok(data)
    }

    /// Reads the content of the three files, each plain or compressed; in messages they are numbered.
    pub fn from_bytes(files: [Vec<u8>; 3]) -> Result<Self, FamilyError> {
        let mut number = 0;
        Self::of_tables(files.map(|content| {
            number += 1;
            Table::new(format!("table {number}"), content)
        }))
    }

    fn of_tables([mut blocks, mut pairs, mut triples]: [Table; 3]) -> Result<Self, FamilyError> {
        Ok(Self {
            source: "files".into(),
            block: read_blocks(&mut blocks)?,
            pairs: read_pairs(&mut pairs)?,
            triples: read_triples(&mut triples)?,
            inputs: Vec::new(),
        })
    }

    /// Reads triples that already include the random ones: columns course1, course2, course3 and a count.
    pub fn read_simulated(file: &Path) -> Result<Vec<Triple>, FamilyError> {
        let folder = file.parent().unwrap_or(Path::new("."));
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        read_triples(&mut Table::open(folder, name, &mut Vec::new())?)
    }

    /// The block of each course when there are `n` blocks, counted from 0.
    pub(super) fn blocks(&self, n: usize) -> Vec<Option<usize>> {
        let courses = self.block.keys().last().map_or(0, |last| last + 1);
        let mut blocks = vec![None; courses];
        for (&course, &old) in &self.block {
            let joined = (old as f64 - 1.0) / (BLOCKS as f64 / n as f64);
            blocks[course] = Some((joined.floor() as usize).min(n - 1));
        }
        blocks
    }

    /// Co-enrolments between `n` blocks, summed over the courses of each block. Courses without a block do not count.
    pub fn coefficients(
        &self,
        n: usize,
        triples: impl IntoIterator<Item = Triple>,
    ) -> Coefficients {
        let blocks = self.blocks(n);
        let block = |course: usize| blocks.get(course).copied().flatten();
        let mut sums = Coefficients {
            n,
            triples: vec![0.0; n * n * n],
            pairs: vec![0.0; n * n],
        };
        for &(a, b, students) in &self.pairs {
            if let (Some(i), Some(j)) = (block(a), block(b)) {
                sums.pairs[i * n + j] += students;
            }
        }
        for Triple { courses, students } in triples {
            if let [Some(i), Some(j), Some(k)] = courses.map(block) {
                sums.triples[(i * n + j) * n + k] += students;
            }
        }
        sums
    }
}

/// A CSV file that is being read, with its name for errors.
struct Table {
    file: String,
    reader: csv::Reader<Box<dyn Read>>,
}

impl Table {
    /// Opens `name` in `folder`, or `name.gz`.
    fn open(folder: &Path, name: &str, inputs: &mut Vec<InputFile>) -> Result<Self, FamilyError> {
        let plain = folder.join(name);
        let packed = folder.join(format!("{name}.gz"));
        let path = if plain.exists() || !packed.exists() {
            plain
        } else {
            packed
        };
        let content = std::fs::read(&path).map_err(|e| FamilyError::io(&path, e))?;
        inputs.push(InputFile {
            name: path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            sha256: bytes_hash(&content),
        });
        Ok(Self::new(path.display().to_string(), content))
    }

    /// A table with this content, decompressed if it begins as gzip does.
    fn new(file: String, content: Vec<u8>) -> Self {
        let gzipped = content.starts_with(&[0x1f, 0x8b]);
        let content = Cursor::new(content);
        let bytes: Box<dyn Read> = if gzipped {
            Box::new(Unzipped::new(content))
        } else {
            Box::new(content)
        };
        Self {
            file,
            reader: csv::Reader::from_reader(bytes),
        }
    }

    fn error(&self, line: Option<u64>, message: impl Into<String>) -> FamilyError {
        FamilyError::Input {
            file: self.file.clone(),
            line,
            message: message.into(),
        }
    }

    fn header(&mut self) -> Result<csv::StringRecord, FamilyError> {
        let header = self.reader.headers().cloned();
        header.map_err(|e| self.error(Some(1), format!("not a CSV table: {e}")))
    }

    /// Calls `each` with every record and its line number.
    fn for_each(
        &mut self,
        mut each: impl FnMut(&Self, u64, &csv::StringRecord) -> Result<(), FamilyError>,
    ) -> Result<(), FamilyError> {
        let mut record = csv::StringRecord::new();
        loop {
            let line = self.reader.position().line();
            match self.reader.read_record(&mut record) {
                Ok(false) => return Ok(()),
                Ok(true) => each(self, record.position().map_or(line, |p| p.line()), &record)?,
                Err(e) => return Err(self.error(Some(line), format!("not a CSV table: {e}"))),
            }
        }
    }

    fn number(&self, line: u64, field: Option<&str>, what: &str) -> Result<f64, FamilyError> {
        let text = field.unwrap_or("");
        let value = text
            .parse::<f64>()
            .ok()
            .filter(|v| v.is_finite() && *v >= 0.0);
        value.ok_or_else(|| {
            self.error(
                Some(line),
                format!("`{text}` is not a number that is zero or more ({what})"),
            )
        })
    }

    /// A whole number within `range`; spellings such as `12.0` are accepted.
    fn id(
        &self,
        line: u64,
        field: Option<&str>,
        what: &str,
        range: (usize, usize),
    ) -> Result<usize, FamilyError> {
        let value = self.number(line, field, what)?;
        if value.fract() != 0.0 || value < range.0 as f64 || value > range.1 as f64 {
            let message = format!(
                "{what} is {value}; expected a whole number from {} to {}",
                range.0, range.1
            );
            return Err(self.error(Some(line), message));
        }
        Ok(value as usize)
    }
}

/// Smallest and largest course id. The limit keeps a damaged file from filling the memory.
const COURSES: (usize, usize) = (0, 100_000);

fn read_blocks(table: &mut Table) -> Result<BTreeMap<usize, usize>, FamilyError> {
    let mut block = BTreeMap::new();
    table.for_each(|table, line, record| {
        // Exams without a course id do not occur among the co-enrolments either.
        if record.get(0).is_none_or(str::is_empty) {
            return Ok(());
        }
        let course = table.id(line, record.get(0), "a course", COURSES)?;
        block.insert(
            course,
            table.id(line, record.get(1), "a block", (1, BLOCKS))?,
        );
        Ok(())
    })?;
    if block.is_empty() {
        return Err(table.error(None, "no course has a block"));
    }
    Ok(block)
}

fn read_pairs(table: &mut Table) -> Result<Vec<(usize, usize, f64)>, FamilyError> {
    let header = table.header()?;
    let mut columns = Vec::new();
    for field in header.iter().skip(1) {
        columns.push(table.id(1, Some(field), "a course", COURSES)?);
    }
    let mut pairs = Vec::new();
    table.for_each(|table, line, record| {
        let row = table.id(line, record.get(0), "a course", COURSES)?;
        for (&column, field) in columns.iter().zip(record.iter().skip(1)) {
            if field != "0" {
                pairs.push((row, column, table.number(line, Some(field), "students")?));
            }
        }
        Ok(())
    })?;
    Ok(pairs)
}

/// Reads triples: three courses and, in the last column, a count. Only records with ascending ids are used.
fn read_triples(table: &mut Table) -> Result<Vec<Triple>, FamilyError> {
    let mut triples = Vec::new();
    table.for_each(|table, line, record| {
        let mut courses = [0; 3];
        for (i, course) in courses.iter_mut().enumerate() {
            *course = table.id(line, record.get(i), "a course", COURSES)?;
        }
        let last = record.len().checked_sub(1).filter(|&last| last >= 3);
        let students = table.number(line, last.and_then(|last| record.get(last)), "students")?;
        if courses[0] < courses[1] && courses[1] < courses[2] {
            triples.push(Triple { courses, students });
        }
        Ok(())
    })?;
    Ok(triples)
}
