//! The data of figures and tables as CSV, which can be downloaded from the page without a server.

/// A table as CSV text.
#[derive(Default)]
pub(crate) struct Csv(String);

impl Csv {
    /// A table with these names of its columns.
    pub(crate) fn new(header: &[&str]) -> Self {
        let mut csv = Csv::default();
        csv.row(header.iter().map(|name| (*name).to_owned()));
        csv
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells: Vec<String> = cells.into_iter().map(|cell| field(&cell)).collect();
        self.0.push_str(&cells.join(","));
        self.0.push('\n');
    }

    /// A link by which the browser saves the table as a file with this name.
    pub(crate) fn link(&self, name: &str) -> String {
        let name = idpas_base::svg::escape(&crate::study::slug(name));
        format!(
            "<a class=\"csv\" download=\"{name}.csv\" href=\"data:text/csv;charset=utf-8,{}\">data (CSV)</a>",
            encode(&self.0)
        )
    }
}

/// A number in full precision; an empty text if there is none.
pub(crate) fn number(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// A cell, quoted where that is needed. The page is for people, who open tables in spreadsheets: a name that these would take
/// for a formula gets an apostrophe, which makes it a text.
fn field(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if is_formula && text.parse::<f64>().is_err() {
        return field(&format!("'{text}"));
    }
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Percent-encodes a text, except for characters that are safe in a quoted address.
fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'0'..=b'9'
            | b'-'
            | b'_'
            | b'.'
            | b'~'
            | b','
            | b'('
            | b')'
            | b':' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_hold_the_table() {
        let mut csv = Csv::new(&["name", "value"]);
        csv.row(["a \"b\", c".to_owned(), number(Some(-0.5))]);
        let link = csv.link("a/b");
        assert!(link.contains("download=\"a_b.csv\""));
        assert!(
            link.contains("name,value%0A%22a%20%22%22b%22%22,%20c%22,-0.5%0A"),
            "{link}"
        );
    }

    #[test]
    fn names_are_no_formulas() {
        assert_eq!(
            field("=HYPERLINK(\"http://x\")"),
            "\"'=HYPERLINK(\"\"http://x\"\")\""
        );
        assert_eq!(field("@SUM(1)"), "'@SUM(1)");
        assert_eq!(field("-cmd|' /C calc'!A0"), "'-cmd|' /C calc'!A0");
        for plain in ["-1.5e-7", "+inf", "-inf", "id-pas+", "x=1"] {
            assert_eq!(field(plain), plain);
        }
    }
}
