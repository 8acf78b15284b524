//! Brings a pool, model, checkpoint or graph into the form that the fuzzer works on, to make a seed of it.
//! Usage: pack FILE KIND >SEED, where KIND is `pool`, `model`, `checkpoint` or `graph`.

use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(kind)) = (arguments.next(), arguments.next()) else {
        return Err("usage: pack FILE KIND".into());
    };
    let packed = idpas_hostile::pack(&std::fs::read(file)?, &kind)?;
    Ok(std::io::stdout().write_all(&packed)?)
}
