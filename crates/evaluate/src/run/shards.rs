//! Which shards of a study have begun and are not done: `shards/2-of-8` in the folder of results.
//!
//! A shard that is killed leaves its file, so that the others, or whoever comes later, know that its part is theirs to
//! finish; the part of a shard that never began is left to it. When all runs of its part of a benchmark are there, a shard
//! says so by a file `shards/2-of-8.settled.BENCHMARK`: then no other shard need look at them, which would be as many
//! looks as there are shards at every single run.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use idpas_base::system::refuse_links;
use idpas_pools::collect::Shard;

use crate::EvaluateError;
use crate::study::slug;

/// Between the name of a shard and the benchmark in which its part is settled.
const SETTLED: &str = ".settled.";

/// The shards that share a folder of results.
pub(super) struct Shards {
    folder: PathBuf,
    own: Shard,
}

impl Shards {
    /// Notes that `own` has begun.
    pub(super) fn begin(results: &Path, own: Shard) -> Result<Self, EvaluateError> {
        let folder = results.join("shards");
        let shards = Shards { folder, own };
        if let Some(count) = own.parts() {
            let path = shards.folder.join(name(own.index, count));
            std::fs::create_dir_all(&shards.folder)
                .and_then(|()| note(&path))
                .map_err(|e| EvaluateError::io(&path, e))?;
            // What was settled then may not be so now.
            shards.unsettle();
        }
        Ok(shards)
    }

    /// Which of `total` instances are this shard's own, in the order to take them.
    pub(super) fn own(&self, total: usize) -> Vec<usize> {
        self.own.indices(total)
    }

    /// Which of `total` instances of a benchmark belong to other shards that have begun and have runs left, dead or alive.
    pub(super) fn others(&self, total: usize, benchmark: &str) -> BTreeSet<usize> {
        let own: BTreeSet<usize> = self.own(total).into_iter().collect();
        let names = self.names();
        let shard = |name: &String| -> Option<Shard> {
            let is_settled = names.contains(&settled(name, benchmark));
            let shard = name.replacen("-of-", "/", 1).parse().ok();
            shard.filter(|_| !is_settled)
        };
        let theirs = names.iter().filter_map(shard);
        let theirs = theirs.flat_map(|shard| shard.indices(total));
        theirs.filter(|at| !own.contains(at)).collect()
    }

    /// How many shards there are; one if that is not known.
    pub(super) fn count(&self) -> usize {
        self.own.parts().unwrap_or(1)
    }

    /// Where among so many this shard begins, if all shards are to begin far from each other.
    pub(super) fn place(&self, total: usize) -> usize {
        let parts = self.own.parts();
        parts.map_or(0, |count| self.own.index * total / count)
    }

    /// The names of all files of shards.
    fn names(&self) -> BTreeSet<String> {
        let files = std::fs::read_dir(&self.folder).into_iter().flatten();
        files
            .flatten()
            .filter_map(|file| file.file_name().into_string().ok())
            .collect()
    }

    /// Whether no other shard that has begun is left, dead or alive.
    pub(super) fn is_last(&self) -> bool {
        self.names().is_empty()
    }

    /// Notes that all runs of this shard's part of a benchmark are there.
    pub(super) fn settle(&self, benchmark: &str) {
        if let Some(count) = self.own.parts() {
            let name = settled(&name(self.own.index, count), benchmark);
            // Without it the others look at each run.
            let _ = note(&self.folder.join(name));
        }
    }

    fn unsettle(&self) {
        let Some(count) = self.own.parts() else {
            return;
        };
        let begin = format!("{}{SETTLED}", name(self.own.index, count));
        for name in self.names().iter().filter(|name| name.starts_with(&begin)) {
            let _ = std::fs::remove_file(self.folder.join(name));
        }
    }

    /// Notes that the part of this shard is done.
    pub(super) fn done(&self) {
        if let Some(count) = self.own.parts() {
            // Where another process finished the whole study, it is gone already.
            let _ = std::fs::remove_file(self.folder.join(name(self.own.index, count)));
            self.unsettle();
        }
        // Fails where others have not finished, as it should.
        let _ = std::fs::remove_dir(&self.folder);
    }

    /// Notes that the parts of all shards are done, also of those that died.
    pub(super) fn all_done(&self) {
        // Nobody has anything left to be taken over.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Makes an empty file, unless it is there.
fn note(path: &Path) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    let file = refuse_links(options.create(true).append(true)).open(path);
    file.map(drop)
}

fn name(index: usize, count: usize) -> String {
    format!("{}-of-{count}", index + 1)
}

/// The name of the file that says that a shard's part of a benchmark is settled.
fn settled(name: &str, benchmark: &str) -> String {
    format!("{name}{SETTLED}{}", slug(benchmark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_those_that_have_begun_are_helped() {
        let folder = tempfile::tempdir().unwrap();
        let begin = |text: &str| Shards::begin(folder.path(), text.parse().unwrap()).unwrap();
        let first = begin("1/3");
        assert_eq!(first.own(7), [0, 3, 6]);
        let others = |shards: &Shards| shards.others(7, "A b");
        assert!(others(&first).is_empty());
        let third = begin("3/3");
        assert_eq!(others(&first), [2, 5].into());
        assert_eq!(others(&third), [0, 3, 6].into());
        first.done();
        assert!(others(&third).is_empty());
        let first = begin("1/3");
        assert_eq!(others(&first), [2, 5].into());
        third.settle("A b");
        assert!(others(&first).is_empty());
        assert_eq!(
            first.others(7, "c"),
            [2, 5].into(),
            "in another benchmark it has runs left"
        );
        let third = begin("3/3");
        assert_eq!(others(&first), [2, 5].into(), "it begins anew");
        third.settle("A b");
        first.done();
        assert!(!first.is_last());
        third.done();
        assert!(third.is_last());
        begin("2/3").all_done();
        assert!(!folder.path().join("shards").exists());
    }
}
