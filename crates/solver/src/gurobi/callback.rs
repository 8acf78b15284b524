//! What Gurobi's calls while it runs mean, whichever way they come.

use crate::backend::{Message, Status};

use super::form::INFINITE;

/// Places from which Gurobi calls.
const MIP: i32 = 3;
const MIP_SOLUTION: i32 = 4;
const MIP_NODE: i32 = 5;
const MESSAGE: i32 = 6;
/// What can be asked there.
const MIP_BOUND: i32 = 3001;
const MIP_NODES: i32 = 3002;
const MIP_ITERATIONS: i32 = 3006;
const SOLUTION_BOUND: i32 = 4004;

/// What can be asked of Gurobi during a call.
pub trait GurobiCall {
    /// The text of a message.
    fn text(&mut self) -> Option<String>;

    /// A number, by Gurobi's code for it.
    fn number(&mut self, what: i32) -> Option<f64>;

    /// The solution that was found, by columns of the model.
    fn solution(&mut self) -> Option<Vec<f64>>;

    /// Hands over a solution, by columns of the model. Gurobi checks it, and refuses one of another length.
    fn offer(&mut self, values: &[f64]);
}

/// Whether a call from this place must be answered. The others come thousands of times a second, and some may be left out.
pub fn is_important(place: i32) -> bool {
    matches!(place, MESSAGE | MIP_SOLUTION)
}

/// Whether solutions can be handed over in a call from this place.
pub fn takes_solutions(place: i32) -> bool {
    matches!(place, MIP | MIP_NODE)
}

/// Turns a call into messages, and says whether Gurobi is to stop.
pub fn answer(
    place: i32,
    call: &mut dyn GurobiCall,
    tell: &mut dyn FnMut(Message<'_>) -> bool,
) -> bool {
    let mut stop = false;
    if takes_solutions(place) {
        let mut offer = None;
        stop |= tell(Message::Wanted { answer: &mut offer });
        if let Some(values) = offer {
            call.offer(&values);
        }
    }
    stop | match place {
        MESSAGE => call.text().is_some_and(|text| tell(Message::Log(&text))),
        MIP_SOLUTION => call.solution().is_some_and(|values| {
            let bound = bound(call.number(SOLUTION_BOUND)).unwrap_or(f64::NAN);
            let values = &values;
            tell(Message::Solution { values, bound })
        }),
        MIP => {
            let count = |number: Option<f64>| number.map_or(0, |number| number as u64);
            tell(Message::Check {
                mip: bound(call.number(MIP_BOUND)).map(|bound| Status {
                    bound,
                    nodes: count(call.number(MIP_NODES)),
                    lp_iterations: count(call.number(MIP_ITERATIONS)),
                }),
            })
        }
        _ => tell(Message::Check { mip: None }),
    }
}

/// A bound, if it is one: Gurobi begins with one that excludes nothing.
pub(super) fn bound(value: Option<f64>) -> Option<f64> {
    value.filter(|bound| bound.abs() < INFINITE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A call that remembers what it was handed.
    #[derive(Default)]
    struct Call {
        bound: f64,
        offered: Vec<f64>,
    }

    impl GurobiCall for Call {
        fn text(&mut self) -> Option<String> {
            Some("a line\n".into())
        }

        fn number(&mut self, what: i32) -> Option<f64> {
            match what {
                MIP_BOUND | SOLUTION_BOUND => Some(self.bound),
                MIP_NODES => Some(7.0),
                MIP_ITERATIONS => Some(8.0),
                _ => None,
            }
        }

        fn solution(&mut self) -> Option<Vec<f64>> {
            Some(vec![1.0, 2.0])
        }

        fn offer(&mut self, values: &[f64]) {
            self.offered = values.to_vec();
        }
    }

    /// The messages of a call, in words.
    fn messages(place: i32, call: &mut Call) -> Vec<String> {
        let mut seen = Vec::new();
        let stop = answer(place, call, &mut |message| {
            if let Message::Wanted { answer } = message {
                *answer = Some(vec![3.0]);
                seen.push("wanted".into());
                return false;
            }
            seen.push(format!("{message:?}"));
            true
        });
        assert!(stop, "{seen:?}");
        seen
    }

    #[test]
    fn each_place_has_its_messages() {
        let mut call = Call {
            bound: 5.0,
            ..Call::default()
        };
        assert_eq!(messages(MESSAGE, &mut call), ["Log(\"a line\\n\")"]);
        assert_eq!(
            messages(MIP_SOLUTION, &mut call),
            ["Solution { values: [1.0, 2.0], bound: 5.0 }"]
        );
        assert!(call.offered.is_empty());
        let mip = messages(MIP, &mut call);
        let status = "Check { mip: Some(Status { bound: 5.0, nodes: 7, lp_iterations: 8 }) }";
        assert_eq!(mip, ["wanted", status]);
        assert_eq!(call.offered, [3.0]);
        call.bound = -INFINITE;
        assert_eq!(messages(MIP, &mut call)[1], "Check { mip: None }");
        assert_eq!(messages(0, &mut call), ["Check { mip: None }"]);
        assert!(is_important(MESSAGE) && !is_important(MIP));
    }
}
