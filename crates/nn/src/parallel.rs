//! Divides work into fixed groups of nodes. The groups depend on the graph alone, so that sums are the same for any
//! number of threads.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use idpas_graph::Adjacency;

/// Which threads work on a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// The calling thread alone: for callers that work on several graphs at once.
    One,
    /// The current `rayon` pool.
    Pool,
}

/// Number of nodes worked on together, small enough for the cache.
pub(crate) const BLOCK: usize = 96;
/// Most groups of nodes. Each group has partial sums of its own.
const GROUPS: usize = 32;
/// Cost of a node in addition to its edges, as a number of edges.
const NODE_COST: usize = 24;

/// Consecutive nodes with all their edges, worked on by one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) nodes: Range<usize>,
    pub(crate) edges: Range<usize>,
}

impl Group {
    /// The nodes in pieces of at most [`BLOCK`].
    pub(crate) fn blocks(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let end = self.nodes.end;
        (self.nodes.start..end)
            .step_by(BLOCK)
            .map(move |begin| begin..end.min(begin + BLOCK))
    }
}

/// Divides nodes into groups of about equal cost.
pub(crate) fn groups(adjacency: &Adjacency) -> Vec<Group> {
    let nodes = adjacency.nodes();
    let count = nodes.div_ceil(BLOCK).min(GROUPS);
    let cost = |node: usize| adjacency.starts[node] as usize + NODE_COST * node;
    let mut begin = 0;
    (1..=count)
        .map(|group| {
            let mut end = begin;
            while end < nodes && cost(end) * count < cost(nodes) * group {
                end += 1;
            }
            let edges = adjacency.starts[begin] as usize..adjacency.starts[end] as usize;
            let nodes = begin..end;
            begin = end;
            Group { nodes, edges }
        })
        .collect()
}

/// Number of workers, each of which has a [`Lane`](crate::workspace::Lane) of its own.
pub(crate) fn lanes(threads: Threads) -> usize {
    match threads {
        Threads::One => 1,
        Threads::Pool => rayon::current_num_threads(),
    }
}

/// Runs `work` inside the pool if [`Threads::Pool`] is wanted, so that the other workers stay awake between sweeps.
pub(crate) fn inside<R: Send>(threads: Threads, work: impl FnOnce() -> R + Send) -> R {
    match threads {
        Threads::One => work(),
        Threads::Pool => rayon::scope(|_| work()),
    }
}

/// Does all tasks. Workers take them in order, so that neighbouring tasks, which read the same memory, are done at
/// about the same time.
pub(crate) fn run<I: Send, L: Send>(
    threads: Threads,
    tasks: Vec<I>,
    lanes: &mut [L],
    work: impl Fn(I, &mut L) + Sync,
) {
    let Some((first, others)) = lanes.split_first_mut() else {
        return;
    };
    if threads == Threads::One || others.is_empty() {
        for task in tasks {
            work(task, first);
        }
        return;
    }
    let count = tasks.len();
    let queue = Mutex::new(tasks.into_iter());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let drain = |lane: &mut L| {
        while let Some(task) = next() {
            work(task, lane);
        }
    };
    rayon::scope(|scope| {
        for lane in others.iter_mut().take(count.saturating_sub(1)) {
            scope.spawn(|_| drain(lane));
        }
        drain(first);
    });
}

/// Divides a slice with `width` numbers per node by the groups.
pub(crate) fn by_nodes<'a, U>(
    slice: &'a mut [U],
    groups: &[Group],
    width: usize,
) -> Vec<&'a mut [U]> {
    cut(slice, groups.iter().map(|group| group.nodes.len() * width))
}

/// Divides a slice with `width` numbers per edge by the groups.
pub(crate) fn by_edges<'a, U>(
    slice: &'a mut [U],
    groups: &[Group],
    width: usize,
) -> Vec<&'a mut [U]> {
    cut(slice, groups.iter().map(|group| group.edges.len() * width))
}

fn cut<U>(mut slice: &mut [U], lengths: impl Iterator<Item = usize>) -> Vec<&mut [U]> {
    lengths
        .map(|length| {
            let (piece, rest) = std::mem::take(&mut slice).split_at_mut(length);
            slice = rest;
            piece
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_cover_every_node_and_edge_once() {
        for nodes in [0, 1, 95, 97, 1000, 5000] {
            let mut starts = vec![0u32];
            for node in 0..nodes {
                let degree = if node == 0 { 20_000 } else { node % 4 };
                starts.push(starts[node as usize] + degree);
            }
            let edges = starts[nodes as usize] as usize;
            let adjacency = Adjacency {
                starts,
                neighbours: vec![0; edges],
            };
            let (mut node, mut edge) = (0, 0);
            for group in groups(&adjacency) {
                assert_eq!((group.nodes.start, group.edges.start), (node, edge));
                (node, edge) = (group.nodes.end, group.edges.end);
                assert_eq!(
                    group.blocks().map(|b| b.len()).sum::<usize>(),
                    group.nodes.len()
                );
            }
            assert_eq!((node, edge), (nodes as usize, edges));
        }
    }
}
