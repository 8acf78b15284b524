//! Series: instances solved in the order in which they come. What became of each, how it scores, and the page about it.
//!
//! The score is that of the MIP Workshop 2023 competition on re-optimisation. How a series is solved is not known here.
//!
//! | to | call |
//! | --- | --- |
//! | keep what became of an instance, and read it again | [`SeriesRecord`] |
//! | score a run | [`Score::of`] |
//! | compute means, by batches of ten, against the default solver | [`SeriesSummary::new`] |
//! | make the page, or the table for a terminal | [`write`], [`html`], [`text`] |
//! | write log and solutions as the competition asks for | [`competition`] |

pub mod competition;
mod record;
mod report;
mod score;
mod summary;

pub use record::{RECORDS, SeriesRecord, SeriesRun};
pub use report::{html, is_series, text, write};
pub use score::Score;
pub use summary::{
    BATCH, InstanceScore, MeanScore, ProofTimes, ScoreComparison, ScoredRun, SeriesPart,
    SeriesSummary, TIE, WayCount,
};
