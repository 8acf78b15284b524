//! Opening and saving files: compression and format by content, lines with numbers, writes that are whole or absent.

mod format;
mod gzip;
mod lines;
mod save;

pub use format::{Format, Parsed, read_model, read_model_from, read_model_watched, write_model};
pub use gzip::Unzipped;
pub use lines::{Input, Lines};
pub use save::{
    LEFT_BEHIND, folder_of, remove_left_behind, remove_left_behind_below,
    remove_left_behind_beside, save, save_bytes, temporary_in,
};
