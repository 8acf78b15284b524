//! What a user may say about a tuning.

use idpas_search::Method;
use idpas_search::tuned::Grid;

// The order of fields is that of keys in study files; `display_order` is that of the help.
idpas_base::overrides! {
    /// How settings of a search are chosen, where it differs from the defaults. Studies say the first four of these.
    #[cfg_attr(feature = "clap", derive(clap::Args))]
    pub struct TuneOverrides {
        /// How to choose.
        #[cfg_attr(feature = "clap", arg(long, value_enum, default_value = Grid::default().to_string(), display_order = 30))]
        pub grid: Grid,
        /// Seconds for each instance, as the search will have them.
        #[cfg_attr(feature = "clap", arg(long, value_name = "S", required = true, value_parser = idpas_base::overrides::seconds, display_order = 10))]
        pub time_limit: f64,
        /// Instances to use, at most.
        #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value = TuneOverrides::COUNT.to_string(), display_order = 50))]
        pub count: usize,
        /// Seconds of solving that a race may take, about; by default a twelfth of the paper's grid.
        #[cfg_attr(feature = "clap", arg(long, value_name = "SECONDS", value_parser = idpas_base::overrides::seconds, display_order = 40))]
        pub budget: f64,
        /// Method to choose settings for: `idpas`, or with the paper's grid what the model is for.
        #[serde(skip)]
        #[cfg_attr(feature = "clap", arg(long, value_name = "M", display_order = 20))]
        pub method: Method,
        /// Searches at a time; one per processor (and thread of the solver) by default.
        #[serde(skip)]
        #[cfg_attr(feature = "clap", arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), display_order = 60))]
        pub jobs: u16,
        /// Threads of each search.
        #[serde(skip)]
        #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value = TuneOverrides::THREADS.to_string(), value_parser = clap::value_parser!(u16).range(1..=1024), display_order = 70))]
        pub threads: u16,
        /// Seed of the solver's random choices.
        #[serde(skip)]
        #[cfg_attr(feature = "clap", arg(long, default_value = TuneOverrides::SEED.to_string(), value_parser = clap::value_parser!(u32).range(..=2147483647), display_order = 80))]
        pub seed: u32,
        /// Solver of each search.
        #[serde(skip)]
        #[cfg_attr(feature = "clap", arg(long, default_value = TuneOverrides::SOLVER, display_order = 90))]
        pub solver: String,
    }
}

impl TuneOverrides {
    /// Instances to use by default, at most.
    pub const COUNT: usize = 30;
    /// Threads of each search by default.
    pub const THREADS: u16 = 1;
    /// Seed of each search by default.
    pub const SEED: u32 = 0;
    /// Solver of each search by default.
    pub const SOLVER: &str = "highs";
}
