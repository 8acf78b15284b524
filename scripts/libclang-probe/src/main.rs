//! Makes bindings for a header that includes what the header of HiGHS includes. Ends with 0 if libclang could be loaded
//! and found the system's headers, and prints one line that says so.

const HEADER: &str = "#include <stdint.h>\n#include <inttypes.h>\nint64_t probe(double value);\n";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bindings = bindgen::Builder::default()
        .header_contents("probe.h", HEADER)
        .generate()?;
    let text = bindings.to_string();
    if !text.contains("fn probe(value: f64)") {
        return Err("bindgen made no binding of the function".into());
    }
    println!("libclang works: {}", bindgen::clang_version().full);
    Ok(())
}
