//! Any model that can be written as LP is read back the same, and no text makes the reader panic.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

use idpas_mip::files::Input;
use idpas_mip::{Model, ModelBuilder, Sense, VarKind, lp};
use proptest::collection::vec;
use proptest::prelude::*;

fn written(model: &Model) -> Vec<u8> {
    let mut out = Vec::new();
    lp::write(model, "m.lp", &mut out).unwrap_or_else(|e| panic!("{e}\n{model:#?}"));
    out
}

fn read_back(model: &Model) -> Model {
    let text = written(model);
    lp::read(&Input::bytes("m.lp", text.clone()))
        .unwrap_or_else(|e| panic!("{e}\n{}", String::from_utf8_lossy(&text)))
        .model
}

/// Bounds and sides, down to their bits.
fn bits(model: &Model) -> Vec<u64> {
    let (columns, rows) = (&model.columns, &model.rows);
    let all = [&columns.lower, &columns.upper, &rows.lower, &rows.upper];
    all.into_iter()
        .flatten()
        .map(|value| value.to_bits())
        .collect()
}

fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => (-20i32..20).prop_map(f64::from),
        2 => -1e6..1e6,
        1 => proptest::num::f64::NORMAL.prop_map(|v| if v.abs() < 1e20 { v } else { 1.0 / v }),
        1 => prop_oneof![Just(f64::MIN_POSITIVE), Just(5e-324), Just(-0.0), Just(1e15), Just(9.999e19), Just(0.1 + 0.2)],
    ]
}

fn coefficient() -> impl Strategy<Value = f64> {
    prop_oneof![3 => finite(), 1 => proptest::num::f64::NORMAL]
}

fn interval() -> impl Strategy<Value = (f64, f64)> {
    let infinite = f64::INFINITY;
    prop_oneof![
        3 => Just((0.0, infinite)),
        2 => Just((0.0, 1.0)),
        1 => Just((-infinite, infinite)),
        1 => finite().prop_map(|v| (v, v)),
        1 => finite().prop_map(move |v| (v, infinite)),
        1 => finite().prop_map(move |v| (-infinite, v)),
        2 => (finite(), finite()).prop_map(|(a, b)| (a.min(b), a.max(b))),
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-DF-Z_][a-zA-Z0-9_]{0,6}",
        "x\\[[0-9]{1,3},[0-9]{1,3}\\]",
        "[a-d!\"#$%&(),;?@_`'{}~|][a-zA-Z0-9!\"#$%&(),.;?@_`'{}~|\\[\\]]{0,8}",
        "[äöü变ж][a-zäöü0-9]{0,40}",
        "(info|nano|ends|stst|e|eels|E_1|maxi|x){1}[a-z]{0,1}",
    ]
}

/// A name that is legal whatever it is made of, and differs for each index.
fn unique(name: &str, index: usize) -> String {
    match name.as_bytes() {
        [b'e' | b'E', b'0'..=b'9', ..] => format!("_{name}_{index}"),
        _ => format!("{name}_{index}"),
    }
}

prop_compose! {
    fn model()(
        title in prop_oneof![Just(String::new()), "[a-z]([a-z :]{0,8}[a-z])?"],
        maximise in any::<bool>(),
        objective in name(),
        constant in finite(),
        columns in vec((name(), any::<bool>(), interval(), prop_oneof![2 => Just(0.0), 1 => coefficient()]), 0..12),
        rows in vec((name(), interval(), vec((any::<prop::sample::Index>(), coefficient()), 0..8)), 0..10),
    ) -> Model {
        let sense = if maximise { Sense::Maximize } else { Sense::Minimize };
        let mut b = ModelBuilder::new(title, sense);
        b.objective(unique(&objective, 0), constant);
        for (j, (name, integer, (lower, upper), cost)) in columns.iter().enumerate() {
            let kind = if *integer { VarKind::Integer } else { VarKind::Continuous };
            b.column(&unique(name, j), kind, *lower, *upper, *cost).unwrap();
        }
        for (i, (name, (lower, upper), entries)) in rows.iter().enumerate() {
            let mut taken = Vec::new();
            for (index, value) in entries {
                if columns.is_empty() {
                    break;
                }
                let column = index.index(columns.len());
                if taken.iter().all(|&(other, _)| other != column) {
                    taken.push((column, *value));
                }
            }
            b.row(&unique(name, i), *lower, *upper, taken).unwrap();
        }
        b.build().unwrap()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(model in model()) {
        let back = read_back(&model);
        prop_assert_eq!(&back, &model);
        prop_assert_eq!(bits(&back), bits(&model));
        prop_assert!(back.validate().is_ok());
        let text = written(&model);
        prop_assert!(text.split(|&b| b == b'\n').all(|line| line.len() < 255));
        // The file is its own fixed point.
        prop_assert_eq!(written(&back), text);
    }

    #[test]
    fn damaged_files_are_read_or_refused(
        model in model(),
        edits in vec((any::<prop::sample::Index>(), 0usize..4, any::<prop::sample::Index>()), 1..6),
    ) {
        const PIECES: [&str; 24] = [
            " ", "\n", "<=", "=", ">", "+", "-", "*", ":", "[", "]", "\\", "3", "1e", "x", "inf", "nan", "end\n", "st\n",
            "\nbounds\n", "\nbin\n", "free", "\u{e9}", "\u{0}",
        ];
        let mut text = written(&model);
        for (place, edit, piece) in edits {
            let at = place.index(text.len() + 1);
            match edit {
                0 => text.truncate(at.max(1)),
                1 if at < text.len() => { text.remove(at); }
                2 if at < text.len() => text[at] = piece.index(256) as u8,
                _ => { text.splice(at..at, PIECES[piece.index(PIECES.len())].bytes()); }
            }
            if text.is_empty() {
                text.push(b'\n');
            }
        }
        if let Ok(parsed) = lp::read(&Input::bytes("m.lp", text)) {
            prop_assert!(parsed.model.validate().is_ok());
        }
    }

    #[test]
    fn arbitrary_tokens_are_read_or_refused(
        words in vec(prop::sample::select(&[
            "x", "y", "z[1,2]", "c1:", "c2:", "3", "-", "+", "*", "<=", ">=", "=", "1e30", "inf", "nan", "free", "\n", "\n",
            "st", "bounds", "gen", "bin", "semi", "\\ note\n", "0", "2.5", "[", "->", "^2", "max",
        ][..]), 0..40),
    ) {
        let text = format!("min {} \nend\n", words.join(" "));
        if let Ok(parsed) = lp::read(&Input::bytes("m.lp", text.into_bytes())) {
            prop_assert!(parsed.model.validate().is_ok());
        }
    }

    #[test]
    fn arbitrary_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..200)) {
        let _ = lp::read(&Input::bytes("m.lp", bytes.clone()));
        let mut text = b"min\nst\n".to_vec();
        text.extend(bytes.into_iter().map(|b| b % 0x7f));
        text.extend(b"\nend\n");
        let _ = lp::read(&Input::bytes("m.lp", text));
    }
}

#[test]
fn a_model_of_nothing_is_read_back() {
    let empty = ModelBuilder::new("", Sense::Minimize).build().unwrap();
    assert_eq!(read_back(&empty), empty);

    let mut b = ModelBuilder::new("", Sense::Maximize);
    b.row("any", f64::NEG_INFINITY, f64::INFINITY, []).unwrap();
    b.row("range", -1.0, 2.0, []).unwrap();
    let no_columns = b.build().unwrap();
    assert_eq!(read_back(&no_columns), no_columns);

    let mut b = ModelBuilder::new("", Sense::Minimize);
    b.column("x", VarKind::Continuous, 0.0, f64::INFINITY, 0.0)
        .unwrap();
    let no_rows = b.build().unwrap();
    assert_eq!(read_back(&no_rows), no_rows);
}

#[test]
fn an_objective_without_a_name_is_called_obj() {
    let mut b = ModelBuilder::new("", Sense::Minimize);
    b.objective("", 0.0);
    b.column("x", VarKind::Continuous, 0.0, f64::INFINITY, 1.0)
        .unwrap();
    assert_eq!(read_back(&b.build().unwrap()).objective_name, "obj");
}

#[test]
fn deep_input_needs_no_stack() {
    let signs = "- ".repeat(100_000);
    let labels: String = (0..50_000).map(|i| format!("r{i}: x >= {i}\n")).collect();
    let text = format!("min {signs} x\nst\n{labels}end\n");
    let model = lp::read(&Input::bytes("m.lp", text.into_bytes()))
        .unwrap()
        .model;
    assert_eq!((model.num_rows(), model.columns.cost[0]), (50_000, 1.0));
}
