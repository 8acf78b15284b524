//! Pools, models and checkpoints in a form that a fuzzer can change usefully.
//!
//! As a file, each of them is safetensors: a text of JSON with another one inside, offsets that must fit the data, and a
//! checksum over everything. Nearly any change breaks one of these, and the reader says no more than that. The packed form
//! leaves to be changed what the reader looks at behind them:
//!
//! ```text
//! {"format":"idpas-pool","version":1,"sha256":"000…",…}
//! integral.start I64 3
//! solution.objective F64 2
//!
//! the bytes of all arrays, one after the other
//! ```
//!
//! The first line is the header, then follows a line for each array with its type and dimensions, and after a blank line
//! the data. Data that are missing are zeros.

use std::fmt::Write;

use idpas_base::hash::bytes_hash;
use safetensors::{Dtype, SafeTensors};
use serde_json::{Map, Value, json};

/// Stands in a header in the place of the checksum.
const BLANK: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Most bytes of arrays in an unpacked file.
const MOST_DATA: usize = 1 << 20;

/// The packed form of a file of the kind whose header has this key: `pool`, `model`, …
pub fn pack(file: &[u8], key: &str) -> Result<Vec<u8>, String> {
    let (_, metadata) = SafeTensors::read_metadata(file).map_err(|e| e.to_string())?;
    let tensors = SafeTensors::deserialize(file).map_err(|e| e.to_string())?;
    let map = metadata.metadata().as_ref().ok_or("no metadata")?;
    let header = map.get(key).ok_or("no header of this kind")?;
    let value: Value = serde_json::from_str(header).map_err(|e| e.to_string())?;
    let sum = value["sha256"].as_str().ok_or("no checksum")?;
    let mut text = header.replacen(sum, BLANK, 1) + "\n";
    let mut data = Vec::new();
    for (name, tensor) in tensors.tensors() {
        let _ = write!(text, "{name} {}", tensor.dtype());
        for size in tensor.shape() {
            let _ = write!(text, " {size}");
        }
        text.push('\n');
        data.extend(tensor.data());
    }
    text.push('\n');
    Ok([text.into_bytes(), data].concat())
}

/// The file of a packed form, with its checksum. `None` if the form cannot be that of a file: a line without a type and
/// dimensions, or more data than fit into a megabyte.
pub fn unpack(packed: &[u8], key: &str) -> Option<Vec<u8>> {
    let end = packed.windows(2).position(|two| two == b"\n\n")?;
    let mut lines = std::str::from_utf8(&packed[..end]).ok()?.lines();
    let mut data = packed[end + 2..].to_vec();
    let header = lines.next()?;
    let mut entries = Map::from_iter([("__metadata__".to_owned(), json!({ key: header }))]);
    let mut at = 0usize;
    for line in lines {
        let (name, dtype, shape) = tensor(line)?;
        let bits = shape
            .iter()
            .try_fold(dtype.bitsize(), |bits, size| bits.checked_mul(*size))?;
        let to = at.checked_add(bits / 8).filter(|to| *to <= MOST_DATA)?;
        let entry = json!({ "dtype": dtype.to_string(), "shape": shape, "data_offsets": [at, to] });
        entries.insert(name, entry);
        at = to;
    }
    data.resize(at, 0);
    let text = serde_json::to_string(&entries).ok()?;
    let mut file = (text.len() as u64).to_le_bytes().to_vec();
    file.extend(text.as_bytes());
    file.extend(data);
    seal(&mut file);
    Some(file)
}

/// A line of the packed form: name, type and dimensions.
fn tensor(line: &str) -> Option<(String, Dtype, Vec<usize>)> {
    let mut words = line.split(' ');
    let name = words.next()?.to_owned();
    let dtype = serde_json::from_value(Value::String(words.next()?.to_owned())).ok()?;
    let shape: Option<Vec<usize>> = words.map(|word| word.parse().ok()).collect();
    Some((name, dtype, shape?))
}

/// Writes the checksum of a file into the place that is kept for it, if there is one.
fn seal(file: &mut [u8]) {
    let blank = BLANK.as_bytes();
    let place = file.windows(blank.len()).position(|w| w == blank);
    if let Some(at) = place {
        let sum = bytes_hash(file);
        file[at..at + sum.len()].copy_from_slice(sum.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use idpas_base::container::{Kind, decode, encode, tensor};

    use super::*;

    #[test]
    fn a_packed_file_comes_back() {
        let kind = Kind {
            key: "pool",
            format: "test",
            version: 3,
        };
        let tensors = [
            tensor::f64s("a.b", &[0.5, -1.0]),
            tensor::u8s("c", &[1, 2, 3]).shaped(&[3, 1]),
        ];
        let file = encode(kind, &json!({ "x": [1, 2] }), &tensors).unwrap();
        let packed = pack(&file, "pool").unwrap();
        let again = unpack(&packed, "pool").unwrap();
        let (header, arrays) = decode::<Value>(kind, &again).unwrap();
        assert_eq!(header["x"], json!([1, 2]));
        assert_eq!(tensor::take_f64s(&arrays, "a.b").unwrap(), [0.5, -1.0]);
        assert_eq!(arrays.tensor("c").unwrap().shape(), [3, 1]);
        let text = String::from_utf8_lossy(&packed);
        let changed = text.replace("c U8 3 1", "c U8 5");
        let again = unpack(changed.as_bytes(), "pool").unwrap();
        assert!(decode::<Value>(kind, &again).is_ok(), "{text}");
    }
}
