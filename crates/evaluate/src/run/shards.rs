//! Which shards of a study have begun and are not done: `shards/2-of-8` in the folder of results.
//!
//! A shard that is killed leaves its file, so that the others, or whoever comes later, know that its part is theirs to
//! finish; the part of a shard that never began is left to it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use idpas_pools::collect::Shard;

use crate::EvaluateError;

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
                .and_then(|()| std::fs::write(&path, ""))
                .map_err(|e| EvaluateError::io(&path, e))?;
        }
        Ok(shards)
    }

    /// Which of `total` instances are this shard's own, in the order to take them.
    pub(super) fn own(&self, total: usize) -> Vec<usize> {
        self.own.indices(total)
    }

    /// Which of `total` instances belong to other shards that have begun and are not done, dead or alive.
    pub(super) fn others(&self, total: usize) -> BTreeSet<usize> {
        let own: BTreeSet<usize> = self.own(total).into_iter().collect();
        let begun = self.begun().into_iter();
        let theirs = begun.flat_map(|shard| shard.indices(total));
        theirs.filter(|at| !own.contains(at)).collect()
    }

    fn begun(&self) -> Vec<Shard> {
        let files = std::fs::read_dir(&self.folder).into_iter().flatten();
        let shard = |name: String| name.replacen("-of-", "/", 1).parse().ok();
        files
            .flatten()
            .filter_map(|file| shard(file.file_name().into_string().ok()?))
            .collect()
    }

    /// Notes that the part of this shard is done.
    pub(super) fn done(&self) {
        if let Some(count) = self.own.parts() {
            // Where another process finished the whole study, it is gone already.
            let _ = std::fs::remove_file(self.folder.join(name(self.own.index, count)));
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

fn name(index: usize, count: usize) -> String {
    format!("{}-of-{count}", index + 1)
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
        assert!(first.others(7).is_empty());
        let third = begin("3/3");
        assert_eq!(first.others(7), [2, 5].into());
        assert_eq!(third.others(7), [0, 3, 6].into());
        first.done();
        assert!(third.others(7).is_empty());
        assert_eq!(begin("1/3").others(7), [2, 5].into());
        third.all_done();
        assert!(!folder.path().join("shards").exists());
    }
}
