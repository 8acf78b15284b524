//! What a user may say about a collection.

use super::{CollectSettings, Siblings};

idpas_base::overrides! {
    /// How pools are made, where it differs from the defaults of [`CollectSettings`].
    #[cfg_attr(feature = "clap", derive(clap::Args))]
    pub struct CollectOverrides {
        /// Seconds for each instance on average; instances whose solutions can be improved get more, others less. Said
        /// again with more, a collection goes on with the pools it has.
        #[cfg_attr(feature = "clap", arg(long, value_name = "S", required_unless_present = "budget", conflicts_with = "budget", display_order = 10))]
        pub time_limit: f64,
        /// Time for the whole collection by the clock on the wall, such as `90s`, `45m` or `2h`, instead of --time-limit.
        #[serde(skip)]
        #[cfg_attr(feature = "clap", arg(long, value_name = "TIME", value_parser = idpas_base::words::parse_duration, display_order = 11))]
        pub budget: f64,
        /// Solutions to keep of each instance, at most.
        #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value = CollectSettings::default().pool.to_string(), display_order = 20))]
        pub pool: usize,
        /// With --nodes or --siblings ignore: share of the time for the first solve; the rest goes to re-solves around what it found.
        #[cfg_attr(feature = "clap", arg(long, value_name = "SHARE", default_value = CollectSettings::default().first_share.to_string(), display_order = 30))]
        pub first_share: f64,
        /// Drop solutions further from the best than this, relative to the best.
        #[cfg_attr(feature = "clap", arg(long, value_name = "GAP", default_value = CollectSettings::default().keep_gap.to_string(), display_order = 40))]
        pub keep_gap: f64,
        /// Stop any solve after this many nodes. Every instance has one turn then, and learns only from those before it; with
        /// --jobs 1 and ample time, pools do not depend on the machine's speed.
        #[cfg_attr(feature = "clap", arg(long, value_name = "N", display_order = 80))]
        pub nodes: u64,
        /// Re-solves per turn of an instance, at most.
        #[cfg_attr(feature = "clap", arg(long, value_name = "N", display_order = 90))]
        pub rounds: usize,
        /// Memory each worker may use, in GB (10⁹ bytes).
        #[cfg_attr(feature = "clap", arg(long, value_name = "GB", display_order = 50))]
        pub memory_limit: f64,
        /// Seed of the re-solves and of the split.
        #[serde(skip)]
        #[cfg_attr(feature = "clap", arg(long, default_value = CollectSettings::default().seed.to_string(), display_order = 60))]
        pub seed: u64,
        /// Threads of each solve.
        #[serde(skip)]
        #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value = CollectSettings::default().threads.to_string(), display_order = 70))]
        pub threads: usize,
        /// Whether instances learn from each other.
        #[cfg_attr(feature = "clap", arg(long, value_enum, default_value = CollectSettings::default().siblings.to_string(), display_order = 95))]
        pub siblings: Siblings,
        /// Solver to use; `idpas solvers` lists them.
        #[cfg_attr(feature = "clap", arg(long, default_value = CollectSettings::default().solver, display_order = 100))]
        pub solver: String,
    }
}

impl CollectOverrides {
    /// Settings that are as these say, and otherwise as by default.
    pub fn settings(&self) -> CollectSettings {
        let default = CollectSettings::default();
        CollectSettings {
            time_limit: self.time_limit.unwrap_or(default.time_limit),
            pool: self.pool.unwrap_or(default.pool),
            first_share: self.first_share.unwrap_or(default.first_share),
            keep_gap: self.keep_gap.unwrap_or(default.keep_gap),
            seed: self.seed.unwrap_or(default.seed),
            threads: self.threads.unwrap_or(default.threads),
            solver: self.solver.clone().unwrap_or(default.solver),
            nodes: self.nodes.or(default.nodes),
            rounds: self.rounds.or(default.rounds),
            patience: default.patience,
            siblings: self.siblings.unwrap_or(default.siblings),
        }
    }
}
