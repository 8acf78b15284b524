//! Ways to solve an instance of a series, and which one is next.
//!
//! The choice is a function of the records alone: a series that was killed and goes on chooses as it would have.

use std::fmt;
use std::str::FromStr;

use idpas_evaluate::series::{Score, SeriesRecord};
use idpas_search::{Method, SearchSettings, Source, StagedSettings};

/// The shares of the whole model in a search: at the end, and at every moment once there is a solution. They are larger than
/// usual, since in a series bounds and proofs count as much as solutions.
const WHOLE_SHARE: f64 = 0.75;
const WHOLE_LEAST: f64 = 0.6;
/// Costs count this much less with every instance since: series change slowly.
const FADING: f64 = 0.95;
/// Costs of one way differ by at least this share of their mean from instance to instance, however few were seen.
const LEAST_SPREAD: f64 = 0.03;
/// Another way is tried on every so many instances.
const TRIAL_EVERY: usize = 3;
/// Times that a way is tried, unless it is clearly worse before.
const TRIALS: usize = 3;
/// By how many spreads a way is clearly worse after its first trial, and after more of them.
const HOPELESS: f64 = 1.5;
const POOR: f64 = 0.3;
/// By how many standard errors a way must lead to replace the usual one after two trials, and after more of them.
const EARLY_LEAD: f64 = 2.5;
const LEAD: f64 = 1.5;
/// Options of the solver are tried where the recent gaps between solution and bound are at most this in the mean: there the
/// solver's own work decides.
const CLOSE: f64 = 0.02;
/// Recent instances.
const RECENT: usize = 6;
/// The relative gap of a proof, for comparing gaps by their logarithms.
const PROOF: f64 = 1e-4;
/// An instance that the plain solver proves within this share of its time is easy.
const EASY: f64 = 0.5;

/// Options of a solver by its own names.
pub type SolverOptions = Vec<(String, String)>;

/// How much beside the plain solver works on an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mix {
    /// The plain solver, without anything learned.
    Solver,
    /// Past solutions are made to fit, and the plain solver goes on from the best of them.
    Start,
    /// The staged search with everything learned.
    Search,
}

/// A way to solve an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// What works on the instance.
    pub mix: Mix,
    /// Options of the solver that differ from its defaults.
    pub options: SolverOptions,
}

impl Mix {
    const ALL: [Mix; 3] = [Mix::Solver, Mix::Start, Mix::Search];

    fn as_str(self) -> &'static str {
        match self {
            Mix::Solver => "solver",
            Mix::Start => "start",
            Mix::Search => "search",
        }
    }

    /// The settings of the search; `learned` are those of the staged search that this series has taught.
    pub(super) fn settings(self, learned: StagedSettings) -> SearchSettings {
        let staged = match self {
            Mix::Solver => return SearchSettings::of(Method::Solver),
            Mix::Search => StagedSettings {
                whole_share: WHOLE_SHARE,
                whole_least: WHOLE_LEAST,
                ..learned
            },
            Mix::Start => StagedSettings {
                without: Source::all()
                    .into_iter()
                    .filter(|source| !matches!(source, Source::Past | Source::Whole))
                    .collect(),
                whole_share: 1.0,
                whole_least: 1.0,
                ..learned
            },
        };
        SearchSettings {
            staged,
            ..SearchSettings::of(Method::Idpas)
        }
    }
}

impl Way {
    /// A mix with the solver's default options.
    pub fn of(mix: Mix) -> Self {
        Way {
            mix,
            options: Vec::new(),
        }
    }
}

impl fmt::Display for Way {
    /// As in the records of a series: `start`, or `start: mip_allow_restart=false`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.mix.as_str().to_owned();
        for (at, (name, value)) in self.options.iter().enumerate() {
            text += if at == 0 { ": " } else { " " };
            text += &format!("{name}={value}");
        }
        f.pad(&text)
    }
}

/// A text that names no way.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no way to solve an instance; expected solver, start or search, with NAME=VALUE behind a colon"
)]
pub struct UnknownWay(pub String);

impl FromStr for Way {
    type Err = UnknownWay;

    fn from_str(text: &str) -> Result<Self, UnknownWay> {
        let unknown = || UnknownWay(text.to_owned());
        let (mix, options) = text.split_once(": ").unwrap_or((text, ""));
        let mix = Mix::ALL.into_iter().find(|known| known.as_str() == mix);
        let option = |pair: &str| {
            let (name, value) = pair.split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        };
        let options: Option<SolverOptions> = options.split_whitespace().map(option).collect();
        Ok(Way {
            mix: mix.ok_or_else(unknown)?,
            options: options.ok_or_else(unknown)?,
        })
    }
}

/// The options of a solver that a series tries one after the other, each against the defaults.
pub(super) fn portfolio(solver: &str) -> Vec<SolverOptions> {
    if solver != "highs" {
        return Vec::new();
    }
    // A good solution is there early, so that the solver need not look for one itself.
    let options = [
        &[
            ("mip_heuristic_effort", "0.001"),
            ("mip_allow_restart", "false"),
        ][..],
        &[("mip_heuristic_effort", "0.001")],
        &[("mip_allow_restart", "false")],
        &[("mip_allow_cut_separation_at_nodes", "false")],
        &[("mip_detect_symmetry", "false")],
        &[("mip_pscost_minreliable", "4")],
        &[("presolve", "off")],
    ];
    let owned = |option: &&[(&str, &str)]| {
        let pairs = option.iter();
        pairs.map(|(n, v)| ((*n).into(), (*v).into())).collect()
    };
    options.iter().map(owned).collect()
}

/// What a way has cost, the more recent the more it counts.
#[derive(Clone, Debug)]
struct Account {
    way: Way,
    /// Sums of weights, of weighted costs and of weighted squares.
    weight: f64,
    cost: f64,
    squares: f64,
    tries: usize,
}

impl Account {
    fn mean(&self) -> f64 {
        self.cost / self.weight
    }
}

/// The way for the next instance, by what each way has cost on those before.
///
/// The first instance is left to the plain solver, and so are those after it until one has a solution, but for every third,
/// which is searched. Then there is a usual way: the staged search, or, where the
/// plain solver has proved the first instance easily, that solver from past solutions. Every third instance goes to another
/// way, and one that leads clearly becomes the usual one; one that is clearly worse is not tried again. Instances differ, and
/// each is solved in one way only, so that a lead by chance must not count.
pub(super) fn next_way(records: &[SeriesRecord], portfolio: &[SolverOptions]) -> Way {
    let Some(first) = records.first() else {
        return Way::of(Mix::Solver);
    };
    let is_trial = (records.len() + 1).is_multiple_of(TRIAL_EVERY);
    // Without any solution there is nothing to start from and nothing learned: whoever finds one teaches the others.
    if records.iter().all(|record| record.run.objective.is_none()) {
        return Way::of(if is_trial { Mix::Search } else { Mix::Solver });
    }
    let is_easy = first.run.is_proved() && first.run.seconds <= EASY * first.time_limit;
    let usual = Way::of(if is_easy { Mix::Start } else { Mix::Search });
    let accounts = accounts(records);
    let usual = leader(&accounts, usual, portfolio);
    match is_trial {
        true => challenger(records, &accounts, &usual, portfolio).unwrap_or(usual),
        false => usual,
    }
}

/// The way that leads clearly over the usual one, or else the usual one. Options that are not of the portfolio were given for
/// instances of their own, and the folder of a series may be a stranger's, whose options could name files to write; so they do
/// not become the usual ones.
fn leader(accounts: &[Account], usual: Way, portfolio: &[SolverOptions]) -> Way {
    let Some(current) = accounts.iter().find(|account| account.way == usual) else {
        return usual;
    };
    let spread = spread(accounts);
    let leads = |other: &&Account| {
        let error = spread * (1.0 / current.weight + 1.0 / other.weight).sqrt();
        let lead = match other.tries {
            0 | 1 => return false,
            2 => EARLY_LEAD,
            _ => LEAD,
        };
        other.mean() < current.mean() - lead * error
    };
    let is_known = |account: &&Account| {
        let options = &account.way.options;
        options.is_empty() || portfolio.contains(options)
    };
    let best = accounts.iter().filter(is_known).filter(leads);
    let best = best.min_by(|a, b| a.mean().total_cmp(&b.mean()));
    best.map_or(usual, |account| account.way.clone())
}

/// Another way that is worth a trial: the one with the least cost so far, where one that was not tried is taken to cost what
/// the usual one does; of equals the first in the order of promise.
fn challenger(
    records: &[SeriesRecord],
    accounts: &[Account],
    usual: &Way,
    portfolio: &[SolverOptions],
) -> Option<Way> {
    let spread = spread(accounts);
    let account = |way: &Way| accounts.iter().find(|account| account.way == *way);
    let current = account(usual)?.mean();
    let recent = &records[records.len().saturating_sub(RECENT)..];
    let gap = recent.iter().map(|record| score(record).gap).sum::<f64>() / recent.len() as f64;
    let options = portfolio
        .iter()
        .filter(|_| gap <= CLOSE)
        .map(|options| Way {
            mix: usual.mix,
            options: options.clone(),
        });
    let mixes = [Mix::Search, Mix::Start, Mix::Solver].map(Way::of);
    let is_hopeful = |way: &Way| {
        let Some(account) = account(way) else {
            return true;
        };
        let worse = match account.tries {
            1 => HOPELESS,
            _ => POOR,
        };
        account.tries < TRIALS && account.mean() <= current + worse * spread
    };
    let others = mixes.into_iter().chain(options);
    let hopeful = others.filter(|way| way != usual && is_hopeful(way));
    let expected = |way: &Way| account(way).map_or(current, Account::mean);
    hopeful.min_by(|a, b| expected(a).total_cmp(&expected(b)))
}

fn score(record: &SeriesRecord) -> Score {
    Score::of(&record.run, record.learning, record.time_limit)
}

/// What an instance has cost: its score, but gaps count by their logarithms. From 1 % to 0.1 % is as far as from 10 % to 1 %,
/// and both are a way towards a proof.
fn cost(record: &SeriesRecord) -> f64 {
    let score = score(record);
    let gap = match record.run.is_proved() {
        true => 0.0,
        false => (score.gap.max(PROOF) / PROOF).ln() / (1.0 / PROOF).ln(),
    };
    score.time + gap + score.no_solution
}

/// The accounts of all ways that were taken; records whose way cannot be read count for nobody.
fn accounts(records: &[SeriesRecord]) -> Vec<Account> {
    let mut accounts: Vec<Account> = Vec::new();
    for (at, record) in records.iter().enumerate() {
        let Ok(way) = record.way.parse::<Way>() else {
            continue;
        };
        let cost = cost(record);
        let weight = FADING.powi((records.len() - 1 - at) as i32);
        let place = accounts.iter().position(|account| account.way == way);
        let place = place.unwrap_or_else(|| {
            accounts.push(Account {
                way,
                weight: 0.0,
                cost: 0.0,
                squares: 0.0,
                tries: 0,
            });
            accounts.len() - 1
        });
        let account = &mut accounts[place];
        account.weight += weight;
        account.cost += weight * cost;
        account.squares += weight * cost * cost;
        account.tries += 1;
    }
    accounts
}

/// By how much costs of the same way differ from instance to instance: a standard deviation.
fn spread(accounts: &[Account]) -> f64 {
    let sum = |of: fn(&Account) -> f64| accounts.iter().map(of).sum::<f64>();
    let (weight, cost) = (sum(|a| a.weight), sum(|a| a.cost));
    let within = sum(|a| (a.squares - a.cost * a.cost / a.weight).max(0.0));
    let deviation = (within / weight).sqrt();
    deviation.max(LEAST_SPREAD * cost / weight)
}

#[cfg(test)]
mod tests {
    use idpas_evaluate::series::SeriesRun;
    use idpas_search::SearchStatus;

    use super::*;

    /// A record of a way that was proved after so many of 10 seconds, or not at all.
    fn record(number: usize, way: &Way, seconds: Option<f64>) -> SeriesRecord {
        SeriesRecord {
            number,
            name: "i".into(),
            sha256: String::new(),
            time_limit: 10.0,
            way: way.to_string(),
            run: SeriesRun {
                started: 0.0,
                seconds: seconds.unwrap_or(10.0),
                status: match seconds {
                    Some(_) => SearchStatus::Optimal,
                    None => SearchStatus::TimeLimit,
                },
                objective: Some(100.0),
                bound: Some(if seconds.is_some() { 100.0 } else { 90.0 }),
                trajectory: Vec::new(),
            },
            solver: None,
            learning: 0.0,
            sources: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The ways of a series of `count` instances in which a way takes the seconds that `cost` says.
    fn series(count: usize, cost: impl Fn(&Way, usize) -> Option<f64>) -> Vec<Way> {
        let (mut records, mut ways) = (Vec::new(), Vec::new());
        for number in 1..=count {
            let way = next_way(&records, &portfolio("highs"));
            records.push(record(number, &way, cost(&way, number)));
            ways.push(way);
        }
        ways
    }

    fn count(ways: &[Way], wanted: impl Fn(&Way) -> bool) -> usize {
        ways.iter().filter(|way| wanted(way)).count()
    }

    #[test]
    fn names_of_ways_read_back() {
        let option = vec![("a".to_owned(), "1".to_owned()), ("b".into(), "x".into())];
        let way = Way {
            mix: Mix::Start,
            options: option,
        };
        assert_eq!(way.to_string(), "start: a=1 b=x");
        assert_eq!(way.to_string().parse(), Ok(way));
        assert_eq!("search".parse(), Ok(Way::of(Mix::Search)));
        for bad in ["", "other", "start: a"] {
            assert_eq!(bad.parse::<Way>(), Err(UnknownWay(bad.into())));
        }
    }

    #[test]
    fn the_first_instance_is_the_plain_solvers_and_the_best_way_wins() {
        let ways = series(40, |way, number| {
            let noise = 0.1 * (number * 7 % 5) as f64;
            Some(noise + if way.mix == Mix::Start { 2.0 } else { 4.0 })
        });
        assert_eq!(ways[0], Way::of(Mix::Solver));
        assert_eq!(ways[1].mix, Mix::Start, "it was proved: start first");
        // The plain solver and the search are clearly worse, and not tried again.
        let other = |way: &Way| way.mix != Mix::Start;
        assert_eq!(count(&ways, other), 2, "{ways:?}");
    }

    #[test]
    fn what_does_not_help_is_dropped_within_a_few_instances() {
        // Everything learned makes it slower.
        let ways = series(30, |way, _| {
            Some(if *way == Way::of(Mix::Solver) {
                2.0
            } else {
                4.0
            })
        });
        assert_eq!(ways[2], Way::of(Mix::Solver), "it was better on the first");
        let plain = count(&ways[3..], |way| *way == Way::of(Mix::Solver));
        assert!(plain >= 16, "{ways:?}");
    }

    #[test]
    fn options_that_help_are_found_and_kept() {
        let helps = |way: &Way| {
            way.options
                .iter()
                .any(|(name, _)| name == "mip_allow_restart")
        };
        let ways = series(50, |way, number| {
            let noise = 0.1 * (number % 5) as f64;
            let base = if way.mix == Mix::Start { 3.0 } else { 4.0 };
            Some(noise + if helps(way) { 0.4 * base } else { base })
        });
        assert!(count(&ways[30..], helps) >= 12, "{ways:?}");
    }

    #[test]
    fn options_of_strangers_are_not_taken_over() {
        let hostile: Way = "start: log_file=/home/user/.profile".parse().unwrap();
        let usual = Way::of(Mix::Start);
        let mut records = vec![record(1, &Way::of(Mix::Solver), Some(4.0))];
        for number in 2..=13 {
            let (way, seconds) = match number % 2 {
                0 => (&usual, 4.0),
                _ => (&hostile, 0.01),
            };
            records.push(record(number, way, Some(seconds)));
        }
        for left in 0..3 {
            let way = next_way(&records[left..], &portfolio("highs"));
            assert_ne!(way, hostile);
        }
    }

    #[test]
    fn with_wide_gaps_no_options_are_tried_and_without_solutions_no_start() {
        // A gap of 10 %.
        let ways = series(30, |_, _| None);
        assert_eq!(count(&ways, |way| !way.options.is_empty()), 0);
        assert_eq!(ways[1].mix, Mix::Search, "it was not proved: search first");
        // Until there is a solution, the plain solver looks for one, and the search now and then.
        let mut records = Vec::new();
        for number in 1..=10 {
            let way = next_way(&records, &[]);
            let expected = if number % 3 == 0 {
                Mix::Search
            } else {
                Mix::Solver
            };
            assert_eq!(way, Way::of(expected));
            let mut unsolved = record(number, &way, None);
            (unsolved.run.objective, unsolved.run.bound) = (None, None);
            records.push(unsolved);
        }
    }
}
