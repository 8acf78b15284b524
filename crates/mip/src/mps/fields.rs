//! The fields of a data line, by blanks (free form) or by columns (fixed form).

/// How data lines are cut into fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Fields are separated by blanks.
    Free,
    /// Fields stand at the columns 2, 5, 15, 25, 40 and 50; names may hold blanks.
    Fixed,
}

/// At most six fields, and whether the line holds more.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    items: [&'a str; 6],
    len: usize,
    /// Whether the line has more than six fields.
    pub(super) overflow: bool,
}

impl<'a> Fields<'a> {
    pub(super) fn as_slice(&self) -> &[&'a str] {
        &self.items[..self.len]
    }

    fn push(&mut self, field: &'a str) {
        if self.len == self.items.len() {
            self.overflow = true;
        } else {
            self.items[self.len] = field;
            self.len += 1;
        }
    }

    /// Cuts a comment: the first field from `optional` on that starts with `$` or `*`.
    pub(super) fn without_comment(mut self, optional: usize) -> Self {
        let comment = |f: &&str| f.starts_with(['$', '*']);
        if let Some(at) = self.items[..self.len]
            .iter()
            .skip(optional)
            .position(comment)
        {
            self.len = optional + at;
            self.overflow = false;
        }
        self
    }
}

fn empty<'a>() -> Fields<'a> {
    Fields {
        items: [""; 6],
        len: 0,
        overflow: false,
    }
}

/// Fields separated by blanks.
pub(super) fn free(line: &str) -> Fields<'_> {
    let mut fields = empty();
    let bytes = line.as_bytes();
    let blank = |b: u8| b == b' ' || b == b'\t' || b == b'\r' || b == 0x0c;
    let mut at = 0;
    while at < bytes.len() {
        if blank(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && !blank(bytes[at]) {
            at += 1;
        }
        fields.push(&line[start..at]);
        if fields.overflow {
            break;
        }
    }
    fields
}

/// Fields of fixed form, or `None` if a gap between fields holds text, so that the line is not in fixed form.
/// In a section with types (ROWS, BOUNDS) the type is the first field; elsewhere that place must be blank.
pub(super) fn fixed(line: &str, typed: bool) -> Option<Fields<'_>> {
    // Cutting by bytes makes no sense with tabs or characters beyond ASCII.
    if !line.is_ascii() || line.contains('\t') {
        return None;
    }
    let part = |from: usize, to: usize| line.get(from..to.min(line.len())).unwrap_or("").trim();
    let gaps = [(0, 1), (3, 4), (12, 14), (22, 24), (47, 49)];
    if gaps.iter().any(|&(from, to)| !part(from, to).is_empty()) {
        return None;
    }
    let kind = part(1, 3);
    if !typed && !kind.is_empty() {
        return None;
    }
    let rest = [
        part(4, 12),
        part(14, 22),
        part(24, 39),
        part(39, 47),
        part(49, usize::MAX),
    ];
    let used = rest
        .iter()
        .rposition(|f| !f.is_empty())
        .map_or(0, |last| last + 1);
    let mut fields = empty();
    if typed && !(kind.is_empty() && used == 0) {
        fields.push(kind);
    }
    rest[..used].iter().for_each(|field| fields.push(field));
    Some(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_by_blanks_and_comments() {
        let line = "    C0  R0   1.0\tCOST -1.0 $note more";
        let fields = free(line).without_comment(3);
        assert_eq!(fields.as_slice(), ["C0", "R0", "1.0", "COST", "-1.0"]);
        assert!(!fields.overflow);
        assert!(free("1 2 3 4 5 6 7").overflow);
    }

    #[test]
    fn cuts_by_columns() {
        let line = "    MY COL    MY ROW             1.5   OTHER            -2";
        let fields = fixed(line, false).unwrap();
        assert_eq!(
            fields.as_slice(),
            ["MY COL", "MY ROW", "1.5", "OTHER", "-2"]
        );
        let fields = fixed(" UP BND       X Y            4", true).unwrap();
        assert_eq!(fields.as_slice(), ["UP", "BND", "X Y", "4"]);
        assert!(fixed("    a_long_name  R0  1.0", false).is_none());
    }
}
