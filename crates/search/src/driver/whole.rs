//! The whole model, solved on a thread of its own: beside the rest of a search, or in turn with it.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use idpas_solver::judge::Verdict;
use idpas_solver::{
    Control, Event, Gate, HardStop, Interrupt, LoadedModel, Offers, Params, SolveResult,
    SolverError, Termination,
};

use crate::board::Board;
use crate::{SearchControl, SearchError, SearchEvent, StageReport};

/// How long after the hard stop the other thread's last words are waited for.
const LAST_WORDS: Duration = Duration::from_millis(20);

/// How often the other thread is looked after.
const LOOK: Duration = Duration::from_millis(10);

/// What the other thread tells. Times are seconds since its solve began.
enum News {
    Incumbent {
        time: f64,
        values: Vec<f64>,
        bound: f64,
    },
    Bound {
        time: f64,
        bound: f64,
        nodes: u64,
    },
    Ended {
        time: f64,
        result: Box<Result<SolveResult, SolverError>>,
    },
}

/// A solve of the whole model on another thread. It takes the best solutions of the search, and hands over its own and
/// its bounds; these are heard by whoever calls [`hear`](Self::hear), on that thread.
pub(crate) struct Whole {
    news: Receiver<News>,
    stop: Interrupt,
    thread: Option<JoinHandle<()>>,
    /// When its solve began.
    began: Instant,
    /// Where it pauses, if it shares its time with the rest of the search.
    gate: Option<Gate>,
    /// What it did so far.
    pub(crate) report: StageReport,
    /// Why it ended, once it has.
    pub(crate) ended: Option<Termination>,
}

impl Whole {
    /// Begins to solve the model that the search is about, and takes solutions from `offers`.
    pub(crate) fn begin(
        mut loaded: Box<dyn LoadedModel>,
        params: Params,
        offers: &Offers,
        gate: Option<Gate>,
        hard: HardStop,
        report: StageReport,
    ) -> Result<Self, SearchError> {
        loaded.accept(offers);
        let stop = Interrupt::new();
        let interrupt = stop.clone();
        let (tell, news) = channel();
        let began = Instant::now();
        let work = move || {
            // Sending fails only if the search has gone on without it.
            let mut observer = |event: Event<'_>| {
                let _ = match event {
                    Event::Incumbent {
                        time,
                        values,
                        bound,
                        ..
                    } => tell.send(News::Incumbent {
                        time,
                        values: values.to_vec(),
                        bound,
                    }),
                    Event::Progress {
                        time, bound, nodes, ..
                    } => tell.send(News::Bound { time, bound, nodes }),
                    _ => Ok(()),
                };
            };
            let at = hard.at;
            let mut control = Control {
                interrupt,
                stop: hard,
                observer: Some(&mut observer),
            };
            let result = Box::new(loaded.solve(&params, None, &mut control));
            // A result holds only what was found in time.
            let ended = Instant::now();
            let ended = at.map_or(ended, |at| at.min(ended));
            let time = ended.saturating_duration_since(began).as_secs_f64();
            let _ = tell.send(News::Ended { time, result });
        };
        let thread = thread::Builder::new().name("full".into()).spawn(work)?;
        Ok(Whole {
            news,
            stop,
            thread: Some(thread),
            began,
            gate,
            report,
            ended: None,
        })
    }

    /// Lets it work for so many seconds, and waits until it has paused again.
    pub(crate) fn work(
        &mut self,
        seconds: f64,
        board: &mut Board<'_>,
        control: &mut SearchControl<'_>,
        is_over: impl Fn(&Board<'_>) -> bool,
    ) {
        let Some(gate) = self.gate.clone() else {
            return;
        };
        let began = control.time();
        let until = began + seconds;
        gate.open();
        while control.time() < until && self.ended.is_none() && !is_over(board) {
            self.wait(board, control);
        }
        gate.shut();
        // It comes to the gate between its steps, of which one can take long. Its time is what it takes.
        while self.ended.is_none() && !is_over(board) && !gate.wait_for_pause(LOOK) {
            self.hear(board, control);
        }
        self.hear(board, control);
        self.report.seconds += control.time() - began;
    }

    /// Whether it works at any time, on threads of its own.
    pub(crate) fn is_beside(&self) -> bool {
        self.gate.is_none()
    }

    /// Takes what has been told since the last time.
    pub(crate) fn hear(&mut self, board: &mut Board<'_>, control: &mut SearchControl<'_>) {
        while let Ok(news) = self.news.try_recv() {
            self.take(news, board, control);
        }
    }

    /// Waits for a moment for something to be told.
    pub(crate) fn wait(&mut self, board: &mut Board<'_>, control: &mut SearchControl<'_>) {
        match self.news.recv_timeout(LOOK) {
            Ok(news) => self.take(news, board, control),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => self.lost(),
        }
        self.hear(board, control);
    }

    /// Stops it and takes what is left to be told, until a moment after the hard stop is due.
    pub(crate) fn end(
        &mut self,
        board: &mut Board<'_>,
        hard: &HardStop,
        control: &mut SearchControl<'_>,
    ) {
        self.stop.raise();
        if let Some(gate) = &self.gate {
            gate.open();
        }
        let mut due: Option<Instant> = None;
        while self.ended.is_none() {
            self.wait(board, control);
            if hard.is_due() && due.get_or_insert_with(Instant::now).elapsed() > LAST_WORDS {
                return;
            }
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }

    /// Whether it has ended and leaves nothing to do. After trouble it can do no more, but the rest of the search can.
    pub(crate) fn is_decided(&self) -> bool {
        !matches!(self.ended, None | Some(Termination::Trouble(_)))
    }

    /// The thread is gone without a word.
    fn lost(&mut self) {
        if self.ended.is_none() {
            let words = "its thread ended without a result";
            self.ended = Some(Termination::Trouble(words.into()));
        }
    }

    fn take(&mut self, news: News, board: &mut Board<'_>, control: &mut SearchControl<'_>) {
        // Its times, by the clock of the search.
        let began = self.began.saturating_duration_since(control.started);
        let began = began.as_secs_f64();
        match news {
            News::Incumbent {
                time,
                values,
                bound,
            } => {
                board.improve_bound(bound, began + time, control);
                self.offer(&values, began + time, board, control);
            }
            News::Bound { time, bound, nodes } => {
                board.improve_bound(bound, began + time, control);
                self.report.nodes = nodes;
                control.tell(SearchEvent::Progress {
                    time: control.time(),
                    objective: board.best().map(|best| best.objective),
                    bound: board.bound,
                    stage: self.report.kind,
                    nodes,
                });
            }
            News::Ended { time, result } => match *result {
                Ok(result) => {
                    board.improve_bound(result.bound, began + time, control);
                    if let Some(best) = &result.best {
                        self.offer(&best.values, began + best.time, board, control);
                    }
                    self.report.bound = Some(result.bound).filter(|bound| bound.is_finite());
                    self.report.nodes = result.nodes;
                    self.report.abandoned = result.abandoned;
                    self.ended = Some(result.termination);
                }
                Err(error) => self.ended = Some(Termination::Trouble(error.to_string())),
            },
        }
    }

    fn offer(
        &mut self,
        values: &[f64],
        found: f64,
        board: &mut Board<'_>,
        control: &mut SearchControl<'_>,
    ) {
        match board.offer(values, found, self.report.kind, control) {
            Verdict::Better => self.report.incumbents += 1,
            Verdict::Rejected => self.report.rejected += 1,
            Verdict::NoBetter => {}
        }
    }
}

impl Drop for Whole {
    /// Without waiting: nobody listens any more.
    fn drop(&mut self) {
        self.stop.raise();
        if let Some(gate) = &self.gate {
            gate.open();
        }
    }
}
