//! One instance of a series: solved, learned from, recorded.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use idpas_base::words::counted;
use idpas_evaluate::series::{SeriesRecord, SeriesRun};
use idpas_learn::{Guide, History, PredictionRequest};
use idpas_mip::Model;
use idpas_mip::solution::read_partial;
use idpas_pools::collect::imported_solution;
use idpas_pools::inputs::InputFile;
use idpas_pools::pool::{PoolSelection, PoolSolution, Source as PoolSource};
use idpas_search::tune::measured_worth;
use idpas_search::{Method, Preparation, SearchControl, SearchEvent, SearchStatus, StagedSettings};
use idpas_solver::{HardStop, Interrupt};

use super::folder::{KEEP_GAP, KEPT};
use super::way::{Mix, Way, next_way, portfolio};
use super::{Series, SeriesControl, SeriesError, SeriesEvent, SeriesSolved};
use crate::{GivenSettings, Solve, SolveError, Solved, solve_shared};

/// Searches whose sources are remembered.
const SEARCHES: usize = 12;
/// An instance that was begun so often without coming to its end, for example since the solver crashed, is left to the plain
/// solver.
const ATTEMPTS: usize = 2;
/// The share of the time of solving that learning may take, once so many instances were learned from.
const LEARNING: f64 = 0.02;
const FEW: usize = 4;
/// Past solutions that the plain solver may start from: each costs a moment to be made to fit.
const STARTS: usize = 2;
/// Past solutions that are handed to the search beside a network, which does not know the latest ones.
const LATEST: usize = 8;

/// An instance to be solved.
struct Task<'a> {
    name: &'a str,
    model: Arc<Model>,
    sha256: String,
    /// Seconds that reading it took, which count as its own.
    reading: f64,
}

/// A solve with its solutions.
struct Ran {
    run: SeriesRun,
    solved: Solved,
    solutions: Vec<PoolSolution>,
}

impl Series {
    /// Reads the next instance from its file, solves it and learns from it.
    pub fn solve_file(
        &mut self,
        file: &InputFile,
        control: &mut SeriesControl<'_>,
    ) -> Result<SeriesSolved, SeriesError> {
        let opened = Instant::now();
        let read = idpas_pools::read_instance(&file.path)?;
        if let Some(first) = read.parsed.warnings.first() {
            let more = match read.parsed.warnings.len() - 1 {
                0 => String::new(),
                count => format!("; {}", counted(count, "more warning")),
            };
            let words = format!("{}: {}{more}", file.path.display(), first.message);
            control.tell(SeriesEvent::Note(&words));
        }
        let task = Task {
            name: &file.name,
            model: Arc::new(read.parsed.model),
            sha256: read.sha256,
            reading: opened.elapsed().as_secs_f64(),
        };
        self.take(task, control)
    }

    /// Solves the next instance, a model in memory, and learns from it.
    pub fn solve(
        &mut self,
        name: &str,
        model: &Arc<Model>,
        control: &mut SeriesControl<'_>,
    ) -> Result<SeriesSolved, SeriesError> {
        // A name becomes a part of file names.
        let plain = |c: char| {
            if c.is_control() || c == '/' || c == '\\' {
                '_'
            } else {
                c
            }
        };
        let name: String = name.chars().map(plain).collect();
        let task = Task {
            name: &name,
            model: model.clone(),
            sha256: String::new(),
            reading: 0.0,
        };
        self.take(task, control)
    }

    /// Solves an instance, learns from it and records it.
    fn take(
        &mut self,
        task: Task<'_>,
        control: &mut SeriesControl<'_>,
    ) -> Result<SeriesSolved, SeriesError> {
        let number = self.records.len() + 1;
        let attempts = self.folder.begin(number)?;
        let mut notes = self.notes(&task.model);
        let solved_before = self.records.iter().filter(|r| r.run.objective.is_some());
        notes.extend(self.network.attend(solved_before.count()));
        let way = self.way(attempts, &mut notes);
        for note in &notes {
            control.tell(SeriesEvent::Note(note));
        }
        control.tell(SeriesEvent::Begins {
            number,
            name: task.name,
            way: &way,
        });
        let (ran, solver) = self.run_in_turn(&task, &way, control)?;
        let best = ran.solved.outcome.solution.as_ref();
        let solution = best.map(|best| {
            let folder = &self.folder;
            folder.write_solution(number, task.name, &task.model, &best.values)
        });
        let solution = solution.transpose()?;
        let mut record = SeriesRecord {
            number,
            name: task.name.to_owned(),
            sha256: task.sha256,
            time_limit: self.options.time_limit,
            way: way.to_string(),
            run: ran.run,
            solver,
            learning: 0.0,
            sources: ran.solved.outcome.sources.clone(),
            notes,
        };
        let is_recorded = !control.interrupt.is_raised();
        if is_recorded {
            self.learn_from(&mut record, &task.model, ran.solutions)?;
            record.write(self.folder.path())?;
            self.records.push(record.clone());
            control.tell(SeriesEvent::Done(&record));
        } else {
            self.folder.leave();
        }
        Ok(SeriesSolved {
            record,
            solved: ran.solved,
            model: task.model,
            solution,
            is_recorded,
        })
    }

    /// How the next instance is solved, which was begun so often before without coming to its end.
    fn way(&self, attempts: usize, notes: &mut Vec<String>) -> Way {
        if attempts >= ATTEMPTS {
            notes.push(format!(
                "this instance was begun {attempts} times and did not come to its end; it is left to the plain solver"
            ));
            return Way::of(Mix::Solver);
        }
        let given = self.given.clone();
        given.unwrap_or_else(|| next_way(&self.records, &portfolio(&self.options.solver)))
    }

    /// Solves an instance in a way and, if that was asked for, by the default solver. Who comes first finds a cooler machine
    /// and an empty cache; so the two take turns.
    fn run_in_turn(
        &self,
        task: &Task<'_>,
        way: &Way,
        control: &mut SeriesControl<'_>,
    ) -> Result<(Ran, Option<SeriesRun>), SeriesError> {
        if !self.options.compare {
            return Ok((self.run(task, way, control)?, None));
        }
        if self.records.len().is_multiple_of(2) {
            let ran = self.run(task, way, control)?;
            let solver = match control.interrupt.is_raised() {
                true => None,
                false => Some(self.compare(task, control)?),
            };
            return Ok((ran, solver));
        }
        let solver = self.compare(task, control)?;
        Ok((self.run(task, way, control)?, Some(solver)))
    }

    /// Learns from an instance, if it has solutions and is worth it.
    fn learn_from(
        &mut self,
        record: &mut SeriesRecord,
        model: &Model,
        solutions: Vec<PoolSolution>,
    ) -> Result<(), SeriesError> {
        if solutions.is_empty() || !self.is_worth_learning(record.run.seconds) {
            return Ok(());
        }
        let clock = Instant::now();
        let (number, bound) = (record.number, record.run.bound);
        self.folder
            .remember(number, &record.name, model, solutions, bound)?;
        self.examples = self.folder.examples(self.examples.as_ref())?;
        if let Some(examples) = &self.examples {
            self.guide = Some(self.folder.learned(examples, self.options.threads)?);
        }
        record.learning = clock.elapsed().as_secs_f64();
        Ok(())
    }

    /// Whether an instance that took so many seconds is learned from. Not if learning takes more than a small share of the time
    /// of the solves since the last one: where instances are solved in a moment, only some of them are learned from.
    fn is_worth_learning(&self, solving: f64) -> bool {
        let was_learned = |record: &SeriesRecord| record.learning > 0.0;
        let learned = self.records.iter().filter(|record| was_learned(record));
        if learned.count() < FEW {
            return true;
        }
        let latest = self.records.iter().rposition(was_learned).unwrap_or(0);
        let since = self.records[latest + 1..].iter();
        let since: f64 = since.map(|record| record.run.seconds).sum();
        self.records[latest].learning <= LEARNING * (since + solving)
    }

    /// Whether a network is being trained beside.
    pub fn is_training(&self) -> bool {
        self.network.is_running()
    }

    /// Waits for a network that is being trained beside, so that it is there the next time; a training that nobody waits for
    /// is lost when the series is closed. An interrupt ends the waiting.
    pub fn finish_training(&mut self, interrupt: &Interrupt) {
        self.network.finish(interrupt);
    }

    /// What is to be said about the instance before it is solved: whether its structure is the one of those before.
    fn notes(&self, model: &Model) -> Vec<String> {
        let Some(guide) = &self.guide else {
            return Vec::new();
        };
        let fit = guide.trained().registry.fit(model);
        let new = |known: f64| format!("{:.1} %", 100.0 * (1.0 - known));
        match (fit.columns < 1.0, fit.rows < 1.0) {
            (false, false) => Vec::new(),
            _ if !fit.is_known(idpas_graph::Fit::KNOWN) => vec![format!(
                "the structure has changed: {} of the discrete columns are new, so that nothing learned is used",
                new(fit.columns)
            )],
            _ => vec![format!(
                "the structure has changed: {} of the discrete columns and {} of the rows are new",
                new(fit.columns),
                new(fit.rows)
            )],
        }
    }

    /// The default solver, to compare.
    fn compare(
        &self,
        task: &Task<'_>,
        control: &mut SeriesControl<'_>,
    ) -> Result<SeriesRun, SeriesError> {
        control.tell(SeriesEvent::Compares);
        let mut silent = SeriesControl {
            interrupt: control.interrupt.clone(),
            observer: None,
        };
        let options = self.solve_options(&Way::of(Mix::Solver), task);
        Ok(self.run_with(task, None, &options, &mut silent)?.run)
    }

    /// Solves an instance in a way; where that fails, the plain solver has the rest of the time.
    fn run(
        &self,
        task: &Task<'_>,
        way: &Way,
        control: &mut SeriesControl<'_>,
    ) -> Result<Ran, SeriesError> {
        let guide = match way.mix {
            Mix::Solver => None,
            // A network does not know the latest solutions.
            Mix::Start => self.guide.as_ref(),
            Mix::Search => self.network.guide().or(self.guide.as_ref()),
        };
        let mut options = self.solve_options(way, task);
        let guide = match (way.mix, guide) {
            (Mix::Start, Some(guide)) => {
                options.starts = self.starts(guide, &task.model);
                None
            }
            (_, guide) => guide,
        };
        if way.mix == Mix::Search && self.network.guide().is_some() {
            options.history = self.latest(&task.model);
        }
        match self.run_with(task, guide, &options, control) {
            Err(SeriesError::Solve(SolveError::Solver(error))) if *way != Way::of(Mix::Solver) => {
                let words = format!("{error}; the plain solver goes on");
                control.tell(SeriesEvent::Note(&words));
                let options = self.solve_options(&Way::of(Mix::Solver), task);
                self.run_with(task, None, &options, control)
            }
            ran => ran,
        }
    }

    /// The solutions of the most similar instances, by the names of this one's columns.
    fn starts(&self, guide: &Guide, model: &Model) -> Vec<Vec<f64>> {
        let request = PredictionRequest {
            method: Method::Idpas,
            solver: self.options.solver.clone(),
            threads: self.options.threads,
            stop: HardStop::default(),
        };
        let guidance = guide.initial_guidance(model, &request);
        let mut starts = guidance.map_or_else(|_| Vec::new(), |guidance| guidance.starts);
        starts.truncate(STARTS);
        starts
    }

    fn solve_options(&self, way: &Way, task: &Task<'_>) -> Solve {
        let searches = self.records.iter().rev().filter(|r| !r.sources.is_empty());
        let searches: Vec<_> = searches.take(SEARCHES).map(|r| r.sources.clone()).collect();
        let staged = StagedSettings {
            worth: measured_worth(&searches),
            whole_options: way.options.clone(),
            ..StagedSettings::default()
        };
        Solve {
            method: (way.mix == Mix::Solver).then_some(Method::Solver),
            settings: (way.mix != Mix::Solver).then(|| GivenSettings {
                settings: way.mix.settings(staged),
                decides_method: true,
            }),
            time_limit: Some(self.options.time_limit),
            gap: self.options.gap,
            threads: self.options.threads,
            seed: self.options.seed,
            solver: self.options.solver.clone(),
            solver_options: match way.mix {
                Mix::Solver => way.options.clone(),
                _ => Vec::new(),
            },
            read: Preparation {
                model_read: task.reading,
                ..Preparation::default()
            },
            ..Solve::default()
        }
    }

    /// The best solutions of the latest instances, by the names of this one's columns.
    fn latest(&self, model: &Model) -> Option<History> {
        let solved = self
            .records
            .iter()
            .rev()
            .filter(|r| r.run.objective.is_some());
        let read = |record: &SeriesRecord| {
            let path = self.folder.solution(record.number, &record.name);
            let listed = read_partial(&idpas_mip::files::Input::path(path), model).ok()?;
            let mut values = vec![f64::NAN; model.num_columns()];
            for (j, value) in listed {
                values[j] = value;
            }
            Some(values)
        };
        let values: Vec<Vec<f64>> = solved.take(LATEST).filter_map(read).collect();
        (!values.is_empty()).then_some(History::Values(values))
    }

    /// Solves an instance and keeps what is found on the way.
    fn run_with(
        &self,
        task: &Task<'_>,
        guide: Option<&Guide>,
        options: &Solve,
        control: &mut SeriesControl<'_>,
    ) -> Result<Ran, SeriesError> {
        let reading = Duration::from_secs_f64(task.reading);
        // Its clock has been running since its file was opened.
        let now = Instant::now();
        let clock = now.checked_sub(reading).unwrap_or(now);
        let started = SystemTime::now().duration_since(UNIX_EPOCH);
        let started = started.map_or(0.0, |since| since.as_secs_f64()) - task.reading;
        let model = &task.model;
        let interrupt = control.interrupt.clone();
        let mut found = Found::new(model);
        let mut observer = |event: SearchEvent<'_>| {
            found.see(&event);
            control.tell(SeriesEvent::Solve(event));
        };
        let mut watched = SearchControl {
            started: clock,
            interrupt,
            observer: Some(&mut observer),
            wants_candidates: true,
        };
        let solved = solve_shared(model, guide, options, &mut watched)?;
        let seconds = clock.elapsed().as_secs_f64();
        let outcome = &solved.outcome;
        let best = outcome.solution.as_ref();
        let run = SeriesRun {
            started,
            seconds,
            status: outcome.status,
            objective: best.map(|best| best.objective),
            bound: match outcome.status {
                // No value is a bound of what has no solution.
                SearchStatus::Infeasible => None,
                _ => outcome.bound.filter(|bound| bound.is_finite()),
            },
            trajectory: (outcome.trajectory.iter())
                .map(|point| (point.time, point.objective))
                .collect(),
        };
        let solutions = match best {
            Some(best) => found.solutions(model, &best.values),
            None => Vec::new(),
        };
        Ok(Ran {
            run,
            solved,
            solutions,
        })
    }
}

/// The solutions that a solve comes across, as the solver gave them.
struct Found {
    selection: PoolSelection,
}

impl Found {
    fn new(model: &Model) -> Self {
        let kinds = &model.columns.kind;
        Found {
            selection: PoolSelection::new(model.sense, kinds, KEPT, KEEP_GAP),
        }
    }

    fn see(&mut self, event: &SearchEvent<'_>) {
        let (time, objective, values) = match event {
            SearchEvent::Incumbent {
                time,
                objective,
                values,
                ..
            }
            | SearchEvent::Candidate {
                time,
                objective,
                values,
            } => (*time, *objective, *values),
            _ => return,
        };
        if self.selection.admits(objective) {
            self.selection.add(PoolSolution {
                values: values.to_vec(),
                objective,
                time: Some(time),
                source: PoolSource::Solve,
            });
        }
    }

    /// Those that pass the check, with the best one among them.
    fn solutions(self, model: &Model, best: &[f64]) -> Vec<PoolSolution> {
        let others = self.selection.into_solutions();
        let values = others.iter().map(|solution| solution.values.as_slice());
        let checked = [best].into_iter().chain(values);
        checked
            .filter_map(|values| imported_solution(model, values).ok())
            .collect()
    }
}
