//! Least-cost integer circulations, by cost scaling (Goldberg and Tarjan).
//!
//! Used to prove that an instance is feasible. All arithmetic is on integers, so the result is the same on
//! every machine.

/// An arc with bounds on its flow and a cost per unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlowArc {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) lower: i64,
    pub(crate) upper: i64,
    pub(crate) cost: i64,
}

/// A residual arc. Arcs come in pairs of opposite directions, at the indices `i` and `i ^ 1`.
#[derive(Clone, Copy)]
struct Half {
    to: u32,
    residual: i64,
    cost: i64,
}

struct Scaling {
    halves: Vec<Half>,
    /// The indices, in `halves`, of the arcs that leave node `v` are `order[first[v]..first[v + 1]]`.
    first: Vec<usize>,
    order: Vec<u32>,
    price: Vec<i64>,
    excess: Vec<i64>,
}

/// The flow on each arc of a circulation of least cost; `None` if no circulation keeps the bounds.
pub(crate) fn least_cost(nodes: usize, arcs: &[FlowArc]) -> Option<Vec<i64>> {
    // An additional node takes what cannot circulate, at a cost that no path of real arcs has.
    let mut excess = vec![0; nodes];
    for arc in arcs {
        excess[arc.to] += arc.lower;
        excess[arc.from] -= arc.lower;
    }
    let dearest = arcs.iter().map(|arc| arc.cost.abs()).max().unwrap_or(0);
    let penalty = (dearest + 1) * (nodes as i64 + 1);
    let artificial = (0..nodes).filter(|&v| excess[v] != 0).map(|v| {
        let (from, to) = if excess[v] > 0 {
            (v, nodes)
        } else {
            (nodes, v)
        };
        FlowArc {
            from,
            to,
            lower: 0,
            upper: excess[v].abs(),
            cost: penalty,
        }
    });
    let all: Vec<FlowArc> = arcs.iter().copied().chain(artificial).collect();
    let mut scaling = Scaling::new(nodes + 1, &all)?;
    scaling.run();
    let flow = |index: usize| all[index].lower + scaling.halves[2 * index + 1].residual;
    let stuck = (arcs.len()..all.len()).any(|index| flow(index) > 0);
    (!stuck).then(|| (0..arcs.len()).map(flow).collect())
}

impl Scaling {
    fn new(nodes: usize, arcs: &[FlowArc]) -> Option<Self> {
        // With costs multiplied by n + 1, a flow is optimal once the tolerance is below 1.
        let scale = nodes as i64 + 1;
        let mut halves = Vec::with_capacity(2 * arcs.len());
        let mut excess = vec![0; nodes];
        let mut first = vec![0usize; nodes + 1];
        for arc in arcs {
            if arc.lower > arc.upper {
                return None;
            }
            excess[arc.to] += arc.lower;
            excess[arc.from] -= arc.lower;
            first[arc.from + 1] += 1;
            first[arc.to + 1] += 1;
            let cost = arc.cost * scale;
            let residual = arc.upper - arc.lower;
            halves.push(Half {
                to: arc.to as u32,
                residual,
                cost,
            });
            halves.push(Half {
                to: arc.from as u32,
                residual: 0,
                cost: -cost,
            });
        }
        for v in 0..nodes {
            first[v + 1] += first[v];
        }
        let mut next = first.clone();
        let mut order = vec![0u32; halves.len()];
        for half in 0..halves.len() {
            let tail = halves[half ^ 1].to as usize;
            order[next[tail]] = half as u32;
            next[tail] += 1;
        }
        Some(Self {
            halves,
            first,
            order,
            price: vec![0; nodes],
            excess,
        })
    }

    fn reduced(&self, half: usize) -> i64 {
        let Half { to, cost, .. } = self.halves[half];
        let tail = self.halves[half ^ 1].to as usize;
        cost + self.price[tail] - self.price[to as usize]
    }

    fn push(&mut self, half: usize, amount: i64) {
        let tail = self.halves[half ^ 1].to as usize;
        let head = self.halves[half].to as usize;
        self.halves[half].residual -= amount;
        self.halves[half ^ 1].residual += amount;
        self.excess[tail] -= amount;
        self.excess[head] += amount;
    }

    fn run(&mut self) {
        let dearest = self.halves.iter().map(|half| half.cost).max().unwrap_or(0);
        let mut epsilon = dearest.max(1);
        loop {
            epsilon = (epsilon / 8).max(1);
            self.refine(epsilon);
            if epsilon == 1 {
                return;
            }
        }
    }

    /// Turns the flow into a circulation again in which no residual arc has a reduced cost below −ε.
    fn refine(&mut self, epsilon: i64) {
        for half in 0..self.halves.len() {
            if self.halves[half].residual > 0 && self.reduced(half) < 0 {
                self.push(half, self.halves[half].residual);
            }
        }
        let nodes = self.price.len();
        let mut current: Vec<usize> = self.first[..nodes].to_vec();
        let mut queue: std::collections::VecDeque<usize> =
            (0..nodes).filter(|&v| self.excess[v] > 0).collect();
        let mut queued: Vec<bool> = (0..nodes).map(|v| self.excess[v] > 0).collect();
        while let Some(v) = queue.pop_front() {
            queued[v] = false;
            while self.excess[v] > 0 {
                if current[v] == self.first[v + 1] {
                    self.relabel(v, epsilon);
                    current[v] = self.first[v];
                    continue;
                }
                let half = self.order[current[v]] as usize;
                if self.halves[half].residual > 0 && self.reduced(half) < 0 {
                    let amount = self.excess[v].min(self.halves[half].residual);
                    self.push(half, amount);
                    let head = self.halves[half].to as usize;
                    if self.excess[head] > 0 && !queued[head] {
                        queued[head] = true;
                        queue.push_back(head);
                    }
                } else {
                    current[v] += 1;
                }
            }
        }
    }

    /// Lowers the price of `v` as far as every residual arc allows.
    fn relabel(&mut self, v: usize, epsilon: i64) {
        let highest = self.order[self.first[v]..self.first[v + 1]]
            .iter()
            .map(|&half| self.halves[half as usize])
            .filter(|half| half.residual > 0)
            .map(|half| self.price[half.to as usize] - half.cost)
            .max();
        if let Some(highest) = highest {
            self.price[v] = highest - epsilon;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arc(from: usize, to: usize, lower: i64, upper: i64, cost: i64) -> FlowArc {
        FlowArc {
            from,
            to,
            lower,
            upper,
            cost,
        }
    }

    #[test]
    fn takes_the_cheaper_way_and_splits_when_it_is_full() {
        let arcs = [
            arc(0, 1, 3, 3, 0),
            arc(1, 0, 0, 2, 1),
            arc(1, 2, 0, 9, 1),
            arc(2, 0, 0, 9, 1),
        ];
        assert_eq!(least_cost(3, &arcs), Some(vec![3, 2, 1, 1]));
    }

    #[test]
    fn says_when_there_is_no_circulation() {
        assert_eq!(least_cost(2, &[arc(0, 1, 1, 2, 0)]), None);
        assert_eq!(
            least_cost(2, &[arc(0, 1, 3, 4, 0), arc(1, 0, 0, 2, 0)]),
            None
        );
    }

    #[test]
    fn agrees_with_trying_every_flow() {
        let mut random = idpas_base::random::Random::new(5, "circulation", 0);
        for _ in 0..300 {
            let arcs: Vec<FlowArc> = (0..6)
                .map(|_| {
                    let lower = random.between(0, 1);
                    arc(
                        random.below(4),
                        random.below(4),
                        lower,
                        lower + random.between(0, 2),
                        random.between(0, 9),
                    )
                })
                .collect();
            let mut best: Option<i64> = None;
            let mut flow = [0i64; 6];
            try_all(&arcs, &mut flow, 0, &mut best);
            let cost = |flow: &[i64]| flow.iter().zip(&arcs).map(|(x, a)| x * a.cost).sum::<i64>();
            assert_eq!(least_cost(4, &arcs).map(|f| cost(&f)), best, "{arcs:?}");
        }
    }

    fn try_all(arcs: &[FlowArc], flow: &mut [i64; 6], at: usize, best: &mut Option<i64>) {
        if at == arcs.len() {
            let mut balance = [0i64; 4];
            for (a, x) in arcs.iter().zip(flow.iter()) {
                balance[a.from] -= x;
                balance[a.to] += x;
            }
            if balance == [0; 4] {
                let cost = arcs.iter().zip(flow.iter()).map(|(a, x)| a.cost * x).sum();
                *best = Some(best.map_or(cost, |b| b.min(cost)));
            }
            return;
        }
        for x in arcs[at].lower..=arcs[at].upper {
            flow[at] = x;
            try_all(arcs, flow, at + 1, best);
        }
    }
}
