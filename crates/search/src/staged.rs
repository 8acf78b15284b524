//! Settings of the staged search: the method `idpas`.

use serde::{Deserialize, Serialize};

use crate::SearchError;

/// How the staged search goes about it. Shares are of the time limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Staged {
    /// Where there are early scores, the share of the time for first solutions by these, before better ones are asked for.
    pub early_share: f64,
    /// Where nothing was learned, the share of the time that the solver may take at first to find one solution of its own.
    pub probe_share: f64,
    /// Scores up to which columns are held at zero, one sub-model after the other, the smallest sub-model first. As
    /// soon as one cannot be searched to its end, the neighbourhoods begin.
    pub bands: Vec<f32>,
    /// The share of the time that the first sub-models may take together.
    pub bands_share: f64,
    /// The share of the time that one sub-model may take,
    pub sub_share: f64,
    /// and seconds, whichever is less,
    pub sub_seconds: f64,
    /// but at least so many seconds as long as they are at most a fifth of the time: a solver needs a moment to begin.
    pub sub_least: f64,
    /// The share of the time for the paper's region around the last band, in which at most Δ of what it held may be
    /// other than zero.
    pub region_share: f64,
    /// The share of the time that goes to the whole model at once, in case it is easy.
    pub try_share: f64,
    /// Neighbourhoods end when nothing has improved for this share of the time.
    pub stall_share: f64,
    /// The share of the time at the end that goes to the whole model, to prove what can be proved.
    pub proof_share: f64,
    /// How far a general integer that is freed may be from its value in the best solution.
    pub window: u32,
    /// How the columns of a neighbourhood are chosen.
    pub neighbourhoods: Vec<Ranking>,
    /// Prefer what was successful lately.
    pub adaptive: bool,
    /// Leave columns that the scores are sure about out of neighbourhoods, most of the time.
    pub guided: bool,
    /// Never search again what was searched to its end.
    pub remember: bool,
    /// Hold columns at bounds that their reduced costs prove.
    pub reduced_costs: bool,
    /// With two threads or more, solve the whole model beside everything else.
    pub beside: bool,
}

impl Default for Staged {
    fn default() -> Self {
        Staged {
            early_share: 0.05,
            probe_share: 0.05,
            bands: vec![0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01],
            bands_share: 0.25,
            sub_share: 0.04,
            sub_seconds: 5.0,
            sub_least: 1.0,
            region_share: 0.0,
            try_share: 0.05,
            stall_share: 0.25,
            proof_share: 0.1,
            window: 2,
            neighbourhoods: Ranking::ALL.to_vec(),
            adaptive: true,
            guided: true,
            remember: true,
            reduced_costs: true,
            beside: true,
        }
    }
}

impl Staged {
    /// Refuses values that mean nothing.
    pub(crate) fn validate(&self) -> Result<(), SearchError> {
        let shares = [
            ("early_share", self.early_share),
            ("probe_share", self.probe_share),
            ("bands_share", self.bands_share),
            ("sub_share", self.sub_share),
            ("region_share", self.region_share),
            ("try_share", self.try_share),
            ("stall_share", self.stall_share),
            ("proof_share", self.proof_share),
        ];
        let bands = self.bands.iter().map(|&band| ("bands", f64::from(band)));
        for (name, value) in shares.into_iter().chain(bands) {
            if !(0.0..=1.0).contains(&value) {
                let expected = "between 0 and 1";
                return Err(SearchError::Setting {
                    name,
                    value,
                    expected,
                });
            }
        }
        let seconds = [
            (
                ("sub_seconds", self.sub_seconds, "more than 0 seconds"),
                self.sub_seconds > 0.0,
            ),
            (
                ("sub_least", self.sub_least, "0 seconds or more"),
                self.sub_least >= 0.0,
            ),
        ];
        if let Some(&((name, value, expected), _)) = seconds.iter().find(|(_, fits)| !fits) {
            return Err(SearchError::Setting {
                name,
                value,
                expected,
            });
        }
        Ok(())
    }
}

/// Which columns a neighbourhood frees first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ranking {
    /// Columns linked by rows, around one that is drawn.
    Linked,
    /// Those that the scores are unsure about.
    Unsure,
    /// Those whose value is not what the scores say.
    Disagreement,
    /// Those that the linear relaxation sees otherwise, or would change at little cost.
    Relaxation,
    /// Those that changed when solutions were improved.
    Recent,
    /// Any.
    Random,
}

impl Ranking {
    /// All of them.
    pub const ALL: [Ranking; 6] = [
        Ranking::Linked,
        Ranking::Unsure,
        Ranking::Disagreement,
        Ranking::Relaxation,
        Ranking::Recent,
        Ranking::Random,
    ];

    /// Its name in settings and results.
    pub fn as_str(self) -> &'static str {
        match self {
            Ranking::Linked => "linked",
            Ranking::Unsure => "unsure",
            Ranking::Disagreement => "disagreement",
            Ranking::Relaxation => "relaxation",
            Ranking::Recent => "recent",
            Ranking::Random => "random",
        }
    }
}
