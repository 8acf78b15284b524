//! Arrays with names, types and shapes, as they are stored in a file.

use std::borrow::Cow;

use safetensors::{Dtype, SafeTensors, View};

/// An array to be written to a file.
#[derive(Clone, Debug)]
pub struct Tensor {
    /// Its name, unique in the file.
    pub name: String,
    /// The type of its numbers.
    pub dtype: Dtype,
    /// Its dimensions.
    pub shape: Vec<usize>,
    /// Its numbers, little endian.
    pub bytes: Vec<u8>,
}

impl View for &Tensor {
    fn dtype(&self) -> Dtype {
        self.dtype
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(&self.bytes)
    }

    fn data_len(&self) -> usize {
        self.bytes.len()
    }
}

macro_rules! numbers {
    ($make:ident, $take:ident, $type:ty, $dtype:ident) => {
        #[doc = concat!("A tensor of one dimension from numbers of type `", stringify!($type), "`.")]
        pub fn $make(name: impl Into<String>, values: &[$type]) -> Tensor {
            Tensor {
                name: name.into(),
                dtype: Dtype::$dtype,
                shape: vec![values.len()],
                bytes: values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            }
        }

        #[doc = concat!("The numbers of a tensor of type `", stringify!($type), "`; the shape is not looked at.")]
        pub fn $take(file: &SafeTensors, name: &str) -> Result<Vec<$type>, String> {
            let data = array(file, name, &[Dtype::$dtype])?.1;
            // Safetensors has checked that the length is a multiple of the size of this type.
            let (numbers, _) = data.as_chunks();
            Ok(numbers.iter().map(|b| <$type>::from_le_bytes(*b)).collect())
        }
    };
}

numbers!(f64s, take_f64s, f64, F64);
numbers!(f32s, take_f32s, f32, F32);
numbers!(i64s, take_i64s, i64, I64);
numbers!(i32s, take_i32s, i32, I32);
numbers!(u32s, take_u32s, u32, U32);
numbers!(u8s, take_u8s, u8, U8);

/// The type and the bytes of the tensor `name`; an error if it is missing or its type is not one of `types`.
pub fn array<'a>(
    file: &SafeTensors<'a>,
    name: &str,
    types: &[Dtype],
) -> Result<(Dtype, &'a [u8]), String> {
    let tensor = file
        .tensor(name)
        .map_err(|_| format!("there is no tensor `{name}`"))?;
    if !types.contains(&tensor.dtype()) {
        let dtype = tensor.dtype();
        return Err(format!(
            "tensor `{name}` has numbers of type {dtype:?}; expected {types:?}"
        ));
    }
    Ok((tensor.dtype(), tensor.data()))
}

impl Tensor {
    /// The same numbers with another shape, whose dimensions must multiply to the same count.
    pub fn shaped(mut self, shape: &[usize]) -> Self {
        self.shape = shape.to_vec();
        self
    }
}
