//! Any model that can be written as MPS is read back the same, and no bytes make the reader panic.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

use idpas_mip::files::{Input, read_model_from};
use idpas_mip::{Model, ModelBuilder, Sense, VarKind, mps, read_model, write_model};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

fn written(model: &Model) -> Vec<u8> {
    let mut out = Vec::new();
    mps::write(model, "m.mps", &mut out).unwrap_or_else(|e| panic!("{e}\n{model:#?}"));
    out
}

fn read_back(model: &Model) -> Model {
    let text = written(model);
    let parsed = mps::read(&Input::bytes("m.mps", text.clone()))
        .unwrap_or_else(|e| panic!("{e}\n{}", String::from_utf8_lossy(&text)));
    assert!(
        parsed.warnings.is_empty(),
        "{:?}\n{}",
        parsed.warnings,
        String::from_utf8_lossy(&text)
    );
    parsed.model
}

/// A number that is finite as a bound.
fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => (-20i32..20).prop_map(f64::from),
        2 => -1e6..1e6,
        2 => (-30i32..30).prop_map(|tenths| f64::from(tenths) / 10.0),
        2 => proptest::num::f64::ANY.prop_map(|v| if v.abs() < 1e20 { v } else { 0.25 }),
        1 => prop::sample::select(vec![f64::MIN_POSITIVE, 5e-324, -5e-324, -0.0, 1e15, 9.999e19, -9.999e19, 0.1 + 0.2, 1.0 / 3.0]),
    ]
}

fn coefficient() -> impl Strategy<Value = f64> {
    prop_oneof![3 => finite(), 1 => proptest::num::f64::NORMAL, 1 => Just(f64::MAX), 1 => Just(0.0)]
}

fn interval() -> impl Strategy<Value = (f64, f64)> {
    let infinite = f64::INFINITY;
    prop_oneof![
        2 => Just((0.0, infinite)),
        2 => Just((0.0, 1.0)),
        1 => Just((-infinite, infinite)),
        1 => finite().prop_map(|v| (v, v)),
        1 => finite().prop_map(move |v| (v, infinite)),
        2 => finite().prop_map(move |v| (-infinite, v)),
        4 => (finite(), finite()).prop_map(|(a, b)| (a.min(b), a.max(b))),
    ]
}

/// Names as people and tools make them, and names made to be mistaken for something else.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z]{1,3}",
        2 => "[xyz]\\[[0-9]{1,2},[0-9]\\]",
        2 => "[!-~]{1,9}",
        1 => "[$*'-+.0-9][!-~]{0,3}",
        1 => "[äöüß变ж∞\u{1}\u{feff}]{1,4}",
        1 => "[a-z]{255,300}",
        2 => prop::sample::select(vec![
            "NAME", "ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS", "ENDATA", "OBJSENSE", "MAX", "SOS", "QUADOBJ", "FREE",
            "UP", "FR", "BV", "N", "L", "E", "BND", "RNG", "MARKER", "INTORG", "'INTORG'", "1", "-1e5", "inf", "nan", "*sides", "$", "*", "obj",
        ]).prop_map(str::to_owned),
    ]
}

fn title() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        name(),
        "[!-~]([ -~]{0,8}[!-~])?",
        "[a-c]? ?FREE"
    ]
    .prop_map(|t| t.trim().to_owned())
}

fn unique(names: &mut Vec<String>, mut name: String) -> String {
    while name == "'MARKER'" || names.contains(&name) {
        name.push('_');
    }
    names.push(name.clone());
    name
}

prop_compose! {
    fn model()(
        title in title(),
        maximise in any::<bool>(),
        objective in name(),
        constant in coefficient(),
        columns in vec((name(), any::<bool>(), interval(), prop_oneof![Just(0.0), coefficient()]), 0..10),
        rows in vec((name(), interval(), vec((any::<Index>(), coefficient()), 0..6)), 0..8),
    ) -> Model {
        let sense = if maximise { Sense::Maximize } else { Sense::Minimize };
        let mut b = ModelBuilder::new(title, sense);
        let (mut row_names, mut column_names) = (Vec::new(), Vec::new());
        b.objective(unique(&mut row_names, objective), constant);
        let width = columns.len();
        for (name, integer, (lower, upper), cost) in columns {
            let kind = if integer { VarKind::Integer } else { VarKind::Continuous };
            b.column(&unique(&mut column_names, name), kind, lower, upper, cost).unwrap();
        }
        for (name, (lower, upper), mut entries) in rows {
            entries.truncate(width);
            let first = entries.first().map_or(0, |(index, _)| index.index(width));
            let entries = entries.iter().enumerate().map(|(k, &(_, value))| ((first + k) % width, value));
            b.row(&unique(&mut row_names, name), lower, upper, entries).unwrap();
        }
        b.build().unwrap()
    }
}

/// A change to a file.
#[derive(Clone, Debug)]
enum Damage {
    Flip(Index, u8),
    Delete(Index),
    Duplicate(Index),
    Swap(Index, Index),
    Cut(Index),
    Insert(Index, &'static str),
}

fn damage() -> impl Strategy<Value = Damage> {
    let pieces = vec![
        " ",
        "\n",
        "\n ",
        "\t",
        "$",
        "*",
        "\n*sides x 1 2\n",
        "1e400",
        "nan",
        "-inf",
        "x",
        "\nROWS\n",
        "\nCOLUMNS\n",
        "\nRHS\n",
        "\nRANGES\n",
        "\nBOUNDS\n",
        "\nENDATA\n",
        "\nOBJNAME\n",
        " MARKER 'MARKER' 'INTORG'",
        "\u{e9}",
        "\0",
    ];
    prop_oneof![
        3 => (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Damage::Flip(at, byte)),
        2 => any::<Index>().prop_map(Damage::Delete),
        2 => any::<Index>().prop_map(Damage::Duplicate),
        2 => any::<(Index, Index)>().prop_map(|(a, b)| Damage::Swap(a, b)),
        1 => any::<Index>().prop_map(Damage::Cut),
        3 => (any::<Index>(), prop::sample::select(pieces)).prop_map(|(at, piece)| Damage::Insert(at, piece)),
    ]
}

fn damaged(text: Vec<u8>, damages: &[Damage]) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = text
        .split_inclusive(|&b| b == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    for damage in damages {
        let count = lines.len();
        match damage {
            _ if count == 0 => break,
            Damage::Delete(at) => drop(lines.remove(at.index(count))),
            Damage::Duplicate(at) => lines.insert(at.index(count), lines[at.index(count)].clone()),
            Damage::Swap(a, b) => lines.swap(a.index(count), b.index(count)),
            Damage::Cut(at) => lines.truncate(at.index(count)),
            Damage::Flip(at, byte) => {
                let line = &mut lines[at.index(count)];
                let place = at.index(line.len().max(1));
                if let Some(old) = line.get_mut(place) {
                    *old ^= byte;
                }
            }
            Damage::Insert(at, piece) => {
                let line = &mut lines[at.index(count)];
                let place = at.index(line.len() + 1);
                line.splice(place..place, piece.bytes());
            }
        }
    }
    lines.concat()
}

fn read_or_refused(bytes: Vec<u8>) {
    if let Ok(parsed) = mps::read(&Input::bytes("m.mps", bytes.clone())) {
        parsed.model.validate().unwrap();
    }
    let _ = read_model_from(&Input::bytes("m", bytes));
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config(2000))]

    #[test]
    fn what_is_written_is_read_back(model in model()) {
        let back = read_back(&model);
        prop_assert_eq!(&back, &model);
        // The file is its own fixed point.
        prop_assert_eq!(written(&back), written(&model));
    }

    #[test]
    fn damaged_files_are_read_or_refused(model in model(), damages in vec(damage(), 1..6)) {
        read_or_refused(damaged(written(&model), &damages));
    }

    #[test]
    fn arbitrary_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..200), lines in vec("[ -~\t]{0,40}", 0..8)) {
        read_or_refused(bytes);
        for section in ["ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS"] {
            let head = "ROWS\n N c\n L r\nCOLUMNS\n x r 1\n";
            read_or_refused(format!("{head}{section}\n{}\nENDATA\n", lines.join("\n")).into_bytes());
        }
    }
}

proptest! {
    #![proptest_config(config(30))]

    #[test]
    fn files_on_disk_are_read_back(model in model()) {
        let folder = tempfile::tempdir().unwrap();
        for name in ["m.mps", "m.mps.gz"] {
            let path = folder.path().join(name);
            write_model(&model, &path).unwrap();
            prop_assert_eq!(&read_model(&path).unwrap().model, &model);
        }
    }
}
