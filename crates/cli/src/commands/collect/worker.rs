//! `idpas collect-worker`: one instance of a collection, in a process of its own. Not for people.

use std::io::BufRead;

use idpas_pools::collect::WorkerJob;
use idpas_solver::Interrupt;

use crate::failure::{Done, Failure};
use crate::processes::end_with_parent;

pub(crate) fn run() -> Result<Done, Failure> {
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    read.map_err(|e| Failure::Usage(format!("cannot read the job: {e}")))?;
    let job: WorkerJob =
        serde_json::from_str(&line).map_err(|e| Failure::Usage(format!("this is no job: {e}")))?;
    std::thread::spawn(end_with_parent);
    let outcome = job.run(&Interrupt::new());
    let text = serde_json::to_string(&outcome).map_err(|e| Failure::Internal(e.to_string()))?;
    Ok(Done::data(format!("{text}\n")))
}
