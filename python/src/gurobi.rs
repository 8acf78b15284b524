//! Gurobi through gurobipy, whose own licence is for small models and serves nobody else.
//!
//! Here is how gurobipy is called; what is made of it is in `idpas_solver::gurobi`. Gurobi runs on the engine's thread, which
//! takes the interpreter's lock only where it talks to Python: gurobipy gives it back while Gurobi works, and the callback
//! while it waits for an answer, which at a shut gate can take long.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use idpas_mip::Model;
use idpas_solver::backend::{Handler, Loaded, Message, Recorded, Status};
use idpas_solver::gurobi::{
    Gurobi, GurobiCall, GurobiEngine, GurobiError, GurobiForm, GurobiModel, INSTALL, NAME,
    ParameterKind, ParameterValue, VARIABLE, answer, is_important, takes_solutions,
};
use idpas_solver::{Abilities, Control, LoadedModel, Params, Solver, SolverError};
use numpy::PyArray1;
use pyo3::exceptions::PyModuleNotFoundError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction, PyDict, PyList};

use crate::errors::solve_error;

/// Least time between two calls that only ask whether to stop: Gurobi asks thousands of times a second.
const QUESTION_INTERVAL: Duration = Duration::from_millis(5);
/// Longest time that the end of the program waits for models that still run.
const FAREWELL: Duration = Duration::from_secs(5);
/// What Gurobi's calls are asked for: the text of a message.
const MESSAGE_TEXT: i32 = 6001;

/// Makes `gurobi` the name of this backend.
pub(crate) fn register() {
    idpas_solver::register(NAME, open);
}

/// Opens gurobipy, or the C library where there is no gurobipy or the user has named a library.
fn open() -> Result<Box<dyn Solver>, SolverError> {
    let is_named = std::env::var_os(VARIABLE).is_some_and(|path| !path.is_empty());
    if !is_named && let Some(gurobipy) = Gurobipy::find()? {
        return Ok(Box::new(gurobipy));
    }
    Ok(Box::new(Gurobi::new()?))
}

/// The package gurobipy with a licence.
struct Gurobipy {
    version: String,
    folder: PathBuf,
}

impl Gurobipy {
    /// Imports gurobipy and makes sure that there is a licence; `None` if it is not installed.
    fn find() -> Result<Option<Self>, SolverError> {
        let imported = python(|py| match py.import("gurobipy") {
            Ok(module) => {
                let version = module.getattr("gurobi")?.call_method0("version")?;
                let version: (i32, i32, i32) = version.extract()?;
                let file: PathBuf = module.getattr("__file__")?.extract()?;
                let is_known = module.hasattr("loadModel")?;
                wait_at_exit(py)?;
                Ok(Some((version, file, is_known)))
            }
            Err(error) if error.is_instance_of::<PyModuleNotFoundError>(py) => Ok(None),
            Err(error) => Err(error),
        });
        let unusable = |path: String, message: String| SolverError::Library {
            solver: NAME,
            path,
            message,
            install: INSTALL,
        };
        let imported = imported.map_err(|error| unusable("gurobipy".into(), error.message))?;
        let Some(((major, minor, technical), file, is_known)) = imported else {
            return Ok(None);
        };
        let version = format!("{major}.{minor}.{technical}");
        if !is_known {
            let why = "it has no function loadModel; gurobipy 13 has".into();
            return Err(unusable(format!("gurobipy {version}"), why));
        }
        environment()?;
        let folder = file.parent().unwrap_or(&file).to_owned();
        Ok(Some(Gurobipy { version, folder }))
    }
}

impl Solver for Gurobipy {
    fn name(&self) -> &'static str {
        NAME
    }

    fn version(&self) -> String {
        self.version.clone()
    }

    fn library(&self) -> Option<&Path> {
        Some(&self.folder)
    }

    fn abilities(&self) -> Abilities {
        Abilities::of_engine::<GurobiEngine<PythonModel>>(true)
    }

    fn load(&self, model: &Model) -> Result<Box<dyn LoadedModel>, SolverError> {
        let environment = environment()?;
        let build = |model: &Model| {
            let recorded = Recorded::of(model);
            Ok(GurobiEngine::<PythonModel>::new(environment, recorded))
        };
        Ok(Box::new(Loaded::new(model, build)?))
    }
}

/// Does something with Python, unless that is ending.
fn python<T>(work: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T, GurobiError> {
    let is_ending = || GurobiError {
        code: 0,
        message: "Python is ending".into(),
    };
    if ENDING.load(Ordering::Relaxed) {
        return Err(is_ending());
    }
    Python::try_attach(|py| work(py).map_err(|error| failure(py, &error)))
        .unwrap_or_else(|| Err(is_ending()))
}

/// An exception of gurobipy, or any other.
fn failure(py: Python<'_>, error: &PyErr) -> GurobiError {
    let value = error.value(py);
    let code = value.getattr("errno").and_then(|code| code.extract());
    GurobiError {
        message: match code.is_ok() {
            true => value.to_string(),
            false => error.to_string(),
        },
        code: code.unwrap_or(0),
    }
}

/// Environments that nobody uses. To start one can take a second, where the licence is on a server.
static FREE: Mutex<Vec<Py<PyAny>>> = Mutex::new(Vec::new());

/// An environment for one user, given back in the end.
struct Lease(Option<Py<PyAny>>);

impl Drop for Lease {
    fn drop(&mut self) {
        let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        free.extend(self.0.take());
    }
}

/// Takes an environment that is free, or makes one.
fn environment() -> Result<Lease, SolverError> {
    let free = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop();
    if free.is_some() {
        return Ok(Lease(free));
    }
    let made = python(|py| {
        let arguments = PyDict::new(py);
        arguments.set_item("empty", true)?;
        let class = py.import("gurobipy")?.getattr("Env")?;
        let environment = class.call((), Some(&arguments))?;
        // Silent before it starts, which prints the licence.
        environment.call_method1("setParam", ("OutputFlag", 0))?;
        environment.call_method0("start")?;
        Ok(environment.unbind())
    });
    match made {
        Ok(environment) => Ok(Lease(Some(environment))),
        Err(error) => Err(SolverError::Backend {
            solver: NAME,
            action: "start",
            message: format!(
                "{error}. gurobipy uses the licence in the file that GRB_LICENSE_FILE names, or its own"
            ),
        }),
    }
}

/// A model of gurobipy's.
struct PythonModel {
    model: Py<PyAny>,
    /// The variables of the model's own columns.
    columns: Py<PyList>,
    /// How many columns Gurobi sees.
    all_columns: usize,
}

impl Drop for PythonModel {
    fn drop(&mut self) {
        // Where Python is ending, it frees everything itself.
        Python::try_attach(|py| {
            let _ = self.model.bind(py).call_method0("dispose");
        });
    }
}

impl PythonModel {
    /// An attribute, if it is known.
    fn attribute<T>(&self, name: &str) -> Option<T>
    where
        T: for<'a, 'py> FromPyObject<'a, 'py>,
    {
        Python::try_attach(|py| {
            let value = self.model.bind(py).call_method1("getAttr", (name,)).ok()?;
            value.extract().ok()
        })
        .flatten()
    }
}

/// Adds the indicators of a form to a model, whose variables are `columns`.
fn add_indicators(
    form: &GurobiForm,
    model: &Bound<'_, PyAny>,
    columns: &Bound<'_, PyList>,
) -> PyResult<()> {
    let py = model.py();
    let expression = py.import("gurobipy")?.getattr("LinExpr")?;
    for indicator in &form.indicators {
        let variables = PyList::empty(py);
        for &column in &indicator.columns {
            variables.append(columns.get_item(column as usize)?)?;
        }
        let row = expression.call1((indicator.values.clone(), variables))?;
        let binary = columns.get_item(indicator.column as usize)?;
        let relation = char::from(indicator.relation).to_string();
        let words = (binary, indicator.at_one, row, relation, indicator.side);
        model.call_method1("addGenConstrIndicator", words)?;
    }
    model.call_method0("update").map(drop)
}

impl GurobiModel for PythonModel {
    type Environment = Lease;

    fn build(environment: &Lease, form: &GurobiForm) -> Result<Self, GurobiError> {
        python(|py| {
            let array = |values: &[f64]| PyArray1::from_slice(py, values);
            let starts = PyArray1::from_iter(py, form.starts.iter().map(|&start| start as u64));
            let rows = PyArray1::from_slice(py, &form.rows);
            let arguments = PyDict::new(py);
            arguments.set_item("env", environment.0.as_ref())?;
            arguments.set_item("numvars", form.all_columns())?;
            arguments.set_item("numconstrs", form.num_rows())?;
            arguments.set_item("modelsense", form.sense)?;
            arguments.set_item("objcon", form.constant)?;
            arguments.set_item("obj", array(&form.cost))?;
            arguments.set_item("lb", array(&form.lower))?;
            arguments.set_item("ub", array(&form.upper))?;
            arguments.set_item("vtype", PyBytes::new(py, &form.kind))?;
            arguments.set_item("constr_csc", (array(&form.values), rows, starts))?;
            arguments.set_item("sense", PyBytes::new(py, &form.relation))?;
            arguments.set_item("rhs", array(&form.side))?;
            let load = py.import("gurobipy")?.getattr("loadModel")?;
            let model = load.call((), Some(&arguments))?;
            let variables = model.call_method0("getVars")?.cast_into::<PyList>()?;
            let columns = variables.get_slice(0, form.columns);
            if !form.indicators.is_empty() {
                add_indicators(form, &model, &columns)?;
            }
            Ok(PythonModel {
                model: model.unbind(),
                columns: columns.unbind(),
                all_columns: form.all_columns(),
            })
        })
    }

    fn parameter_kind(&self, name: &str) -> Option<ParameterKind> {
        let kind = python(|py| {
            let model = self.model.bind(py);
            let info = model.call_method1("getParamInfo", (name,))?;
            info.get_item(1)?.getattr("__name__")?.extract::<String>()
        });
        // For an unknown name there is no information to get an item of.
        match kind.ok()?.as_str() {
            "int" => Some(ParameterKind::Integer),
            "float" => Some(ParameterKind::Real),
            "str" => Some(ParameterKind::Text),
            _ => None,
        }
    }

    fn set_parameter(&mut self, name: &str, value: ParameterValue<'_>) -> Result<(), GurobiError> {
        python(|py| {
            let model = self.model.bind(py);
            match value {
                ParameterValue::Integer(value) => model.call_method1("setParam", (name, value)),
                ParameterValue::Real(value) => model.call_method1("setParam", (name, value)),
                ParameterValue::Text(value) => model.call_method1("setParam", (name, value)),
            }
            .map(drop)
        })
    }

    fn set_start(&mut self, values: &[f64]) -> Result<(), GurobiError> {
        python(|py| {
            let words = ("Start", self.columns.bind(py), values);
            self.model.bind(py).call_method1("setAttr", words).map(drop)
        })
    }

    fn clear_objective(&mut self) -> Result<(), GurobiError> {
        python(|py| {
            let model = self.model.bind(py);
            let variables = model.call_method0("getVars")?;
            let words = ("Obj", variables, vec![0.0; self.all_columns]);
            model.call_method1("setAttr", words).map(drop)
        })
    }

    fn optimize(&mut self, handler: &mut Handler<'_>) -> Result<(), GurobiError> {
        let _running = Running::new();
        let (ask, questions) = channel();
        let (reply, replies) = channel();
        let line = Arc::new(Line(Mutex::new(Some((ask, replies)))));
        std::thread::scope(|scope| {
            // Python wants a callback that lives as long as it likes, which the handler does not.
            let serving = scope.spawn(move || serve(handler, &questions, &reply));
            let ran = python(|py| {
                let callback = Callback {
                    line: line.clone(),
                    columns: self.columns.clone_ref(py),
                    last: Mutex::default(),
                };
                let callback = Bound::new(py, callback)?;
                let model = self.model.bind(py);
                model.call_method1("optimize", (callback,)).map(drop)
            });
            line.hang_up();
            match serving.join() {
                Ok(()) => ran,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }

    fn integer(&self, attribute: &str) -> Option<i32> {
        self.attribute(attribute)
    }

    fn real(&self, attribute: &str) -> Option<f64> {
        self.attribute(attribute)
    }

    fn integers(&self, attribute: &str, count: usize) -> Option<Vec<i32>> {
        self.attribute(attribute)
            .filter(|values: &Vec<i32>| values.len() == count)
    }

    fn reals(&self, attribute: &str, count: usize) -> Option<Vec<f64>> {
        self.attribute(attribute)
            .filter(|values: &Vec<f64>| values.len() == count)
    }
}

/// A message that owns its data.
enum Question {
    Log(String),
    Solution(Vec<f64>, f64),
    Wanted,
    Check(Option<Status>),
}

/// The answer to a message.
struct Reply {
    stop: bool,
    offer: Option<Vec<f64>>,
}

/// Passes messages to the handler until nobody asks any more.
fn serve(handler: &mut Handler<'_>, questions: &Receiver<Question>, reply: &Sender<Reply>) {
    for question in questions {
        let mut offer = None;
        let stop = match question {
            Question::Log(text) => handler(Message::Log(&text)),
            Question::Solution(values, bound) => {
                let values = &values;
                handler(Message::Solution { values, bound })
            }
            Question::Wanted => handler(Message::Wanted { answer: &mut offer }),
            Question::Check(mip) => handler(Message::Check { mip }),
        };
        if reply.send(Reply { stop, offer }).is_err() {
            return;
        }
    }
}

/// The callback's line to the thread that has the handler.
struct Line(Mutex<Option<(Sender<Question>, Receiver<Reply>)>>);

impl Line {
    /// Passes a message on, waits for the answer, and says whether to stop: also where nobody answers, since the handler has
    /// panicked or the run is over.
    fn tell(&self, message: Message<'_>) -> bool {
        let (question, wanted) = match message {
            Message::Log(text) => (Question::Log(text.to_owned()), None),
            Message::Solution { values, bound } => {
                (Question::Solution(values.to_vec(), bound), None)
            }
            Message::Wanted { answer } => (Question::Wanted, Some(answer)),
            Message::Check { mip } => (Question::Check(mip), None),
        };
        let line = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let reply = line.as_ref().and_then(|(ask, replies)| {
            ask.send(question).ok()?;
            replies.recv().ok()
        });
        let Some(reply) = reply else {
            return true;
        };
        if let Some(wanted) = wanted {
            *wanted = reply.offer;
        }
        reply.stop
    }

    /// Ends the conversation.
    fn hang_up(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// What gurobipy calls while Gurobi runs.
#[pyclass(frozen)]
struct Callback {
    line: Arc<Line>,
    columns: Py<PyList>,
    /// When the last question came, for those that can hand over solutions and for the others.
    last: Mutex<[Option<Instant>; 2]>,
}

#[pymethods]
impl Callback {
    /// Answers a call. It raises no exception: gurobipy would print it and go on.
    fn __call__(&self, py: Python<'_>, model: &Bound<'_, PyAny>, place: i32) {
        if ENDING.load(Ordering::Relaxed) {
            let _ = model.call_method0("terminate");
            return;
        }
        if !self.is_due(place) {
            return;
        }
        let columns = self.columns.bind(py);
        let mut call = PythonCall { model, columns };
        let line = &*self.line;
        // At a shut gate the answer can take long, and other threads want to go on.
        let stop = answer(place, &mut call, &mut |message| {
            py.detach(|| line.tell(message))
        });
        if stop {
            let _ = model.call_method0("terminate");
        }
    }
}

impl Callback {
    /// Whether a call is to be answered.
    fn is_due(&self, place: i32) -> bool {
        if is_important(place) {
            return true;
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let last = &mut last[usize::from(takes_solutions(place))];
        let is_due = last.is_none_or(|at| at.elapsed() >= QUESTION_INTERVAL);
        if is_due {
            *last = Some(Instant::now());
        }
        is_due
    }
}

/// A call of Gurobi's while it runs.
struct PythonCall<'c, 'py> {
    model: &'c Bound<'py, PyAny>,
    columns: &'c Bound<'py, PyList>,
}

impl PythonCall<'_, '_> {
    fn get<T>(&self, what: i32) -> Option<T>
    where
        T: for<'a, 'py> FromPyObject<'a, 'py>,
    {
        let value = self.model.call_method1("cbGet", (what,)).ok()?;
        value.extract().ok()
    }
}

impl GurobiCall for PythonCall<'_, '_> {
    fn text(&mut self) -> Option<String> {
        self.get(MESSAGE_TEXT)
    }

    fn number(&mut self, what: i32) -> Option<f64> {
        self.get(what)
    }

    fn solution(&mut self) -> Option<Vec<f64>> {
        let values = self.model.call_method1("cbGetSolution", (self.columns,));
        values.ok()?.extract().ok()
    }

    fn offer(&mut self, values: &[f64]) {
        if values.len() == self.columns.len() {
            // What Gurobi makes of it does not matter: the caller has the solution.
            let _ = self
                .model
                .call_method1("cbSetSolution", (self.columns, values));
        }
    }
}

/// How many models run.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// Whether the program is ending: models that run are to stop, and others are not to begin.
static ENDING: AtomicBool = AtomicBool::new(false);

/// A model that runs, as long as this lives.
struct Running;

impl Running {
    fn new() -> Self {
        RUNNING.fetch_add(1, Ordering::Relaxed);
        Running
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Makes the end of the program stop models that run, and wait a while for them: one that was left behind, or runs on a thread
/// that nobody waits for, would call back into a Python that is gone.
fn wait_at_exit(py: Python<'_>) -> PyResult<()> {
    static ONCE: OnceLock<()> = OnceLock::new();
    if ONCE.set(()).is_err() {
        return Ok(());
    }
    let wait = PyCFunction::new_closure(py, None, None, |arguments, _| {
        ENDING.store(true, Ordering::Relaxed);
        arguments.py().detach(|| {
            let until = Instant::now() + FAREWELL;
            while RUNNING.load(Ordering::Relaxed) > 0 && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(5));
            }
        });
    })?;
    py.import("atexit")?.call_method1("register", (wait,))?;
    Ok(())
}

/// Runs the cases that every solver must pass, and says of each why it failed, if it did. For tests.
#[pyfunction]
#[pyo3(name = "_conformance")]
pub(crate) fn conformance(py: Python<'_>, solver: &str) -> PyResult<Vec<(String, Option<String>)>> {
    let outcomes = py.detach(|| {
        let solver = idpas_solver::by_name(solver)?;
        Ok(idpas_solver::conformance::run(&*solver))
    });
    let outcomes = outcomes.map_err(|error: SolverError| solve_error(error))?;
    let outcomes = outcomes.into_iter();
    Ok(outcomes
        .map(|outcome| (outcome.name.to_owned(), outcome.failure))
        .collect())
}

/// All distinct solutions of one solve, best first. For tests.
#[pyfunction]
#[pyo3(name = "_solutions", signature = (model, *, solver, options))]
pub(crate) fn solutions<'py>(
    py: Python<'py>,
    model: &Bound<'py, crate::model::Model>,
    solver: &str,
    options: Vec<(String, String)>,
) -> PyResult<Vec<Bound<'py, PyArray1<f64>>>> {
    let model = model.get().model.clone();
    let params = Params {
        raw: options,
        ..Params::default()
    };
    let result = py.detach(|| {
        let mut loaded = idpas_solver::by_name(solver)?.load(&model)?;
        loaded.solve(&params, None, &mut Control::default())
    });
    let found = result.map_err(|error: SolverError| solve_error(error))?;
    let values = found.solutions.into_iter().map(|solution| solution.values);
    Ok(values
        .map(|values| PyArray1::from_vec(py, values))
        .collect())
}
