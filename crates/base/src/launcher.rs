//! Whether a launcher (`srun`, `mpirun`) has started this process as one of several ranks of one program.
//!
//! Only the environment is read, so that a program that is built without MPI can tell, too.

use std::process::Command;

/// What a launcher says of this process, one of at least two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launched {
    /// The launcher's name, for messages.
    pub by: &'static str,
    /// Number of this process, counted from 0.
    pub rank: usize,
    /// Number of processes.
    pub count: usize,
}

/// A launcher, and the variables by which it tells a process its number and how many there are.
struct Launcher {
    name: &'static str,
    count: &'static str,
    rank: &'static str,
}

/// `mpirun` comes before Slurm, since it also runs inside Slurm's jobs. Of Slurm, the number of tasks of the *step*
/// counts: `SLURM_NTASKS` is set in the batch script itself, too, which is one process.
const LAUNCHERS: [Launcher; 4] = [
    Launcher {
        name: "mpirun",
        count: "OMPI_COMM_WORLD_SIZE",
        rank: "OMPI_COMM_WORLD_RANK",
    },
    Launcher {
        name: "mpirun",
        count: "MV2_COMM_WORLD_SIZE",
        rank: "MV2_COMM_WORLD_RANK",
    },
    Launcher {
        name: "mpirun",
        count: "PMI_SIZE",
        rank: "PMI_RANK",
    },
    Launcher {
        name: "srun",
        count: STEP_TASKS,
        rank: "SLURM_PROCID",
    },
];

const STEP_TASKS: &str = "SLURM_STEP_NUM_TASKS";

/// Slurm's numbers of steps that are no `srun`: the batch script, an interactive shell and others have the highest ones.
const FIRST_SPECIAL_STEP: u64 = 0xffff_fff0;

/// What the launcher of this process says; `None` for a process by itself.
pub fn launched() -> Option<Launched> {
    launched_by(|name| std::env::var(name).ok())
}

/// As [`launched`], with the environment as a function from names of variables to their values.
pub fn launched_by(variable: impl Fn(&str) -> Option<String>) -> Option<Launched> {
    let number = |name: &str| variable(name)?.trim().parse::<usize>().ok();
    LAUNCHERS.iter().find_map(|launcher| {
        let (count, rank) = (number(launcher.count)?, number(launcher.rank)?);
        let in_step = launcher.count != STEP_TASKS || is_step(variable("SLURM_STEP_ID"));
        (count > 1 && rank < count && in_step).then_some(Launched {
            by: launcher.name,
            rank,
            count,
        })
    })
}

/// Whether a step of Slurm was made by `srun`.
fn is_step(id: Option<String>) -> bool {
    let id = id.and_then(|id| id.trim().parse::<u64>().ok());
    id.is_some_and(|id| id < FIRST_SPECIAL_STEP)
}

/// Has a command start as a process by itself, whatever this one is.
pub fn by_itself(command: &mut Command) {
    for launcher in &LAUNCHERS {
        command.env_remove(launcher.count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(variables: &[(&str, &str)]) -> Option<(&'static str, usize, usize)> {
        let lookup = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        launched_by(lookup).map(|launched| (launched.by, launched.rank, launched.count))
    }

    #[test]
    fn ranks_of_launchers_are_known() {
        let step = [
            ("SLURM_STEP_ID", "0"),
            ("SLURM_STEP_NUM_TASKS", "4"),
            ("SLURM_NTASKS", "4"),
            ("SLURM_PROCID", "3"),
        ];
        assert_eq!(told(&step), Some(("srun", 3, 4)));
        let open_mpi = [
            ("OMPI_COMM_WORLD_SIZE", "2"),
            ("OMPI_COMM_WORLD_RANK", "1"),
            ("SLURM_NTASKS", "8"),
            ("SLURM_PROCID", "0"),
        ];
        assert_eq!(told(&open_mpi), Some(("mpirun", 1, 2)));
        assert_eq!(
            told(&[("PMI_SIZE", "2"), ("PMI_RANK", "0")]),
            Some(("mpirun", 0, 2))
        );
        // `srun --mpi=pmi2` sets both; they agree.
        let both = [&step[..], &[("PMI_SIZE", "4"), ("PMI_RANK", "3")]].concat();
        assert_eq!(
            told(&both).map(|(_, rank, count)| (rank, count)),
            Some((3, 4))
        );
    }

    #[test]
    fn a_process_by_itself_is_none_of_several() {
        assert_eq!(told(&[]), None);
        // A batch script of a job with four tasks.
        let batch = [("SLURM_NTASKS", "4"), ("SLURM_PROCID", "0")];
        assert_eq!(told(&batch), None);
        for id in ["batch", "4294967291", "4294967290", "4294967294"] {
            let step = [("SLURM_STEP_ID", id), ("SLURM_STEP_NUM_TASKS", "4")];
            assert_eq!(told(&[&batch[..], &step].concat()), None, "{id}");
        }
        // One task of a step in a job of four.
        let one = [
            ("SLURM_STEP_ID", "2"),
            ("SLURM_STEP_NUM_TASKS", "1"),
            ("SLURM_NTASKS", "1"),
            ("SLURM_PROCID", "0"),
        ];
        assert_eq!(told(&one), None);
        assert_eq!(told(&[("PMI_SIZE", "1"), ("PMI_RANK", "0")]), None);
        assert_eq!(told(&[("PMI_SIZE", "two"), ("PMI_RANK", "0")]), None);
    }

    #[cfg(unix)]
    #[test]
    fn commands_can_be_started_by_themselves() {
        let mut command = Command::new("sh");
        command
            .args(["-c", "echo ${PMI_SIZE-none}"])
            .env("PMI_SIZE", "4");
        by_itself(&mut command);
        let output = command.output().expect("a shell");
        assert_eq!(output.stdout, b"none\n");
    }
}
