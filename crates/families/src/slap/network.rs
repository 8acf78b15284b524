//! The space-time network of SLAP, which all instances share.

use idpas_base::random::Random;
use serde::Serialize;

use super::clock::Clock;
use super::schedule::{self, Map, Train, WEEK};
use super::{Bounds, CREW, Counts, DEADHEAD, FUEL, LIGHT_TRAIN, MOST_LIGHT_TRAINS, OWN};
use crate::FamilyError;
use crate::circulation::{FlowArc, least_cost};
use crate::family::Size;

/// Speed of light locomotives, in miles per hour.
const LIGHT_SPEED: f64 = 30.0;
/// The fleet, as a multiple of what circulations of least cost need in [`FLEET_DRAWS`] draws of the bounds.
const FLEET_MARGIN: f64 = 1.05;
/// Number of draws of the bounds by which the fleet is determined.
const FLEET_DRAWS: u64 = 3;
/// How often the infrastructure is drawn before giving up, if it does not give the counts of its size.
const ATTEMPTS: u64 = 100;

/// A station.
#[derive(Clone, Debug, Serialize)]
pub struct Station {
    /// Its name: `S017`.
    pub name: String,
    /// Miles east of the map's south-west corner.
    pub x: f64,
    /// Miles north of the map's south-west corner.
    pub y: f64,
    /// Whether long trains begin and end here.
    pub terminal: bool,
}

/// A station at an hour of the week; its ground arc leads to the station's next node.
#[derive(Clone, Debug, Serialize)]
pub struct Node {
    /// Its name: `S017@Mo08`.
    pub name: String,
    /// Index of the station.
    pub station: usize,
    /// Hour of the week, counted from Monday 0:00.
    pub hour: i64,
    /// Index of the station's next node, to which the ground arc leads.
    pub next: usize,
}

/// A train arc: a train between two stops.
#[derive(Clone, Debug, Serialize)]
pub struct Leg {
    /// Name of the train: `M0042`.
    pub train: String,
    /// Index of the train, the same for all its legs.
    pub train_index: usize,
    /// Index of the node of departure.
    pub from: usize,
    /// Index of the node of arrival.
    pub to: usize,
    /// Hours from the node of departure to the node of arrival, waiting until that node included.
    pub hours: i64,
    /// Its length in miles.
    pub miles: f64,
    /// Least number of locomotives in the reference (ℓ).
    pub lower: i64,
    /// Greatest number of locomotives in the reference (u).
    pub upper: i64,
}

/// A light arc: locomotives may travel alone between two nodes.
#[derive(Clone, Debug, Serialize)]
pub struct Light {
    /// Index of the node of departure.
    pub from: usize,
    /// Index of the node of arrival.
    pub to: usize,
    /// Hours from the node of departure to the node of arrival, waiting until that node included.
    pub hours: i64,
    /// Its length in miles.
    pub miles: f64,
}

/// A stop where a train may change its locomotives, if the work event is paid for.
#[derive(Clone, Debug, Serialize)]
pub struct Site {
    /// Its name: `M0042@S017`.
    pub name: String,
    /// Index of the leg that arrives here.
    pub leg_in: usize,
    /// Index of the leg that leaves here.
    pub leg_out: usize,
}

/// The infrastructure, which all instances share.
#[derive(Clone, Debug, Serialize)]
pub struct Reference {
    /// Name of the family: `slap`.
    pub family: &'static str,
    /// Name of the size.
    pub size: &'static str,
    /// The seed it was drawn from.
    pub seed: u64,
    /// Number of locomotives there are.
    pub fleet: i64,
    /// Stations.
    pub stations: Vec<Station>,
    /// Nodes, sorted by station and hour.
    pub nodes: Vec<Node>,
    /// Train arcs with reference bounds.
    pub legs: Vec<Leg>,
    /// Light arcs.
    pub light: Vec<Light>,
    /// Stops with an optional work event.
    pub sites: Vec<Site>,
}

fn refused(message: String) -> FamilyError {
    FamilyError::Reference {
        family: "slap".into(),
        message,
    }
}

impl Reference {
    /// Draws the infrastructure, again and again until the counts are right; the first draw gives them except for very
    /// small sizes.
    pub(super) fn draw(size: Size, seed: u64, counts: Counts) -> Result<Self, FamilyError> {
        let mut result = Self::attempt(size, seed, counts, 0);
        for attempt in 1..ATTEMPTS {
            if result.is_ok() {
                break;
            }
            result = Self::attempt(size, seed, counts, attempt);
        }
        result
    }

    fn attempt(size: Size, seed: u64, counts: Counts, attempt: u64) -> Result<Self, FamilyError> {
        let mut random = Random::new(seed, &format!("slap {size} reference"), attempt);
        let map = Map::draw(&mut random, counts);
        let trains = schedule::draw_trains(&mut random, &map, counts);
        let width = counts.stations.to_string().len();
        let stations: Vec<Station> = (0..counts.stations)
            .map(|s| Station {
                name: format!("S{:0width$}", s + 1),
                x: map.points[s].x,
                y: map.points[s].y,
                terminal: s < counts.terminals,
            })
            .collect();
        let clock = Clock::new(&map, &trains, counts.nodes);
        let nodes = clock.nodes(&stations);
        let (legs, stops) = run_trains(&map, &trains, &clock);
        let light = light_arcs(&map, &clock, &nodes, counts.light);
        let mut reference = Self {
            family: "slap",
            size: size.as_str(),
            seed,
            fleet: 0,
            stations,
            nodes,
            legs,
            light,
            sites: Vec::new(),
        };
        reference.sites = reference.choose_sites(&mut random, stops, counts.sites);
        reference.check_counts(counts)?;
        reference.fleet = reference.choose_fleet(&mut random)?;
        Ok(reference)
    }

    /// A fleet that suffices for the reference and, almost always, for instances.
    fn choose_fleet(&self, random: &mut Random) -> Result<i64, FamilyError> {
        let mut most = 0;
        for draw in 0..=FLEET_DRAWS {
            let bounds = if draw == 0 {
                self.bounds()
            } else {
                self.drawn(random)
            };
            let flows = self.circulation(&bounds);
            let flows = flows.ok_or_else(|| refused("the reference has no circulation".into()))?;
            most = most.max(self.fleet_of(&flows));
        }
        Ok((most as f64 * FLEET_MARGIN).ceil() as i64)
    }

    /// The reference bounds.
    pub(super) fn bounds(&self) -> Bounds {
        Bounds {
            lower: self.legs.iter().map(|leg| leg.lower).collect(),
            upper: self.legs.iter().map(|leg| leg.upper).collect(),
        }
    }

    /// Draws bounds around the reference's. All legs of a train share one draw, since what the train pulls stays the
    /// same.
    pub(super) fn drawn(&self, random: &mut Random) -> Bounds {
        let mut bounds = self.bounds();
        let mut draws = (0, 0);
        for (i, leg) in self.legs.iter().enumerate() {
            if i == 0 || self.legs[i - 1].train_index != leg.train_index {
                draws = (random.between(-1, 1), random.between(-1, 1));
            }
            bounds.lower[i] = (leg.lower + draws.0).max(1);
            bounds.upper[i] = (leg.upper + draws.1).max(bounds.lower[i]);
        }
        bounds
    }

    /// How many trains there are.
    pub(super) fn trains(&self) -> usize {
        self.legs.last().map_or(0, |leg| leg.train_index + 1)
    }

    fn choose_sites(
        &self,
        random: &mut Random,
        mut stops: Vec<(usize, usize)>,
        count: usize,
    ) -> Vec<Site> {
        random.shuffle(&mut stops);
        let mut sites: Vec<Site> = Vec::with_capacity(count);
        for (leg_in, leg_out) in stops {
            let station = self.nodes[self.legs[leg_in].to].station;
            let name = format!(
                "{}@{}",
                self.legs[leg_in].train, self.stations[station].name
            );
            // With two locomotives to spare a train can always go on unchanged, so that the event is optional in every
            // instance. A local train calls twice at a station; an event at one of the calls is enough.
            let optional = self.legs[leg_in].upper - self.legs[leg_in].lower >= 2;
            if sites.len() < count && optional && sites.iter().all(|site| site.name != name) {
                sites.push(Site {
                    name,
                    leg_in,
                    leg_out,
                });
            }
        }
        sites.sort_by_key(|site| site.leg_in);
        sites
    }

    fn check_counts(&self, counts: Counts) -> Result<(), FamilyError> {
        let found = [
            self.nodes.len(),
            self.legs.len(),
            self.light.len(),
            self.sites.len(),
        ];
        let asked = [counts.nodes, counts.legs, counts.light, counts.sites];
        if found == asked {
            return Ok(());
        }
        Err(refused(format!(
            "nodes, legs, light arcs and sites are {found:?}, not {asked:?}"
        )))
    }

    /// All arcs: ground arcs, then train arcs, then light arcs.
    pub(super) fn spans(&self) -> impl Iterator<Item = Span> {
        let ground = self.nodes.iter().enumerate().map(|(v, node)| {
            let hours = (self.nodes[node.next].hour - node.hour).rem_euclid(WEEK);
            (v, node.next, if hours == 0 { WEEK } else { hours })
        });
        let legs = self.legs.iter().map(|leg| (leg.from, leg.to, leg.hours));
        let light = self
            .light
            .iter()
            .map(|light| (light.from, light.to, light.hours));
        ground
            .chain(legs)
            .chain(light)
            .map(|(from, to, hours)| Span {
                from,
                to,
                hours,
                crossings: (self.nodes[from].hour + hours) / WEEK,
            })
    }

    /// The number of locomotives that flows over the [`spans`](Self::spans) need.
    pub(super) fn fleet_of(&self, flows: &[i64]) -> i64 {
        self.spans()
            .zip(flows)
            .map(|(span, flow)| span.crossings * flow)
            .sum()
    }

    /// The flow on each arc of a circulation of least cost, with the cost of crews divided evenly among locomotives;
    /// `None` if there is none.
    pub(super) fn circulation(&self, bounds: &Bounds) -> Option<Vec<i64>> {
        let ground = self.nodes.len();
        let mut arcs: Vec<FlowArc> = self
            .spans()
            .map(|span| FlowArc {
                from: span.from,
                to: span.to,
                lower: 0,
                upper: 1_000_000,
                cost: OWN as i64 * span.hours,
            })
            .collect();
        for (i, leg) in self.legs.iter().enumerate() {
            let arc = &mut arcs[ground + i];
            (arc.lower, arc.upper) = (bounds.lower[i], bounds.upper[i]);
            arc.cost += (DEADHEAD * leg.miles) as i64;
        }
        for (i, light) in self.light.iter().enumerate() {
            let arc = &mut arcs[ground + self.legs.len() + i];
            arc.upper = (LIGHT_TRAIN * MOST_LIGHT_TRAINS) as i64;
            arc.cost += (FUEL * light.miles + CREW / LIGHT_TRAIN) as i64;
        }
        least_cost(self.nodes.len(), &arcs)
    }
}

/// An arc of any kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) hours: i64,
    /// How often the arc crosses the end of the week: what a unit of flow on it adds to the fleet.
    pub(super) crossings: i64,
}

/// Places trains on nodes. Returns the legs, and for every intermediate stop its arriving and departing leg.
fn run_trains(map: &Map, trains: &[Train], clock: &Clock) -> (Vec<Leg>, Vec<(usize, usize)>) {
    let width = trains.len().to_string().len();
    let mut legs: Vec<Leg> = Vec::new();
    let mut stops = Vec::new();
    for (number, train) in trains.iter().enumerate() {
        let name = format!("{}{:0width$}", train.kind.letter(), number + 1);
        let (mut at, mut hour) = clock.arrival(train.stops[0], train.departure);
        for (i, pair) in train.stops.windows(2).enumerate() {
            let (from, to) = (pair[0], pair[1]);
            if i > 0 {
                stops.push((legs.len() - 1, legs.len()));
            }
            let (arrival, arrival_hour) =
                clock.arrival(to, hour + schedule::train_hours(map, from, to));
            legs.push(Leg {
                train: name.clone(),
                train_index: number,
                from: at,
                to: arrival,
                hours: arrival_hour - hour,
                miles: map.points[from].miles(map.points[to]),
                lower: train.lower,
                upper: train.upper,
            });
            (at, hour) = (arrival, arrival_hour);
        }
    }
    (legs, stops)
}

/// Light arcs from every node: to the neighbours of its station in the spanning tree, so that every station can be
/// reached, and then to the nearest stations, one more for each node in turn until there are `count`.
fn light_arcs(map: &Map, clock: &Clock, nodes: &[Node], count: usize) -> Vec<Light> {
    let targets: Vec<Vec<usize>> = (0..map.points.len())
        .map(|s| {
            let near = schedule::nearest(&map.points, s);
            let (tree, rest): (Vec<usize>, Vec<usize>) =
                near.into_iter().partition(|t| map.tree[s].contains(t));
            tree.into_iter().chain(rest).collect()
        })
        .collect();
    let mut degrees: Vec<usize> = nodes
        .iter()
        .map(|node| map.tree[node.station].len())
        .collect();
    let mut total: usize = degrees.iter().sum();
    'levels: for level in 1..map.points.len() {
        for degree in &mut degrees {
            if total >= count {
                break 'levels;
            }
            if *degree < level {
                *degree += 1;
                total += 1;
            }
        }
    }
    let mut light = Vec::with_capacity(total);
    for (v, (node, &degree)) in nodes.iter().zip(&degrees).enumerate() {
        for &target in &targets[node.station][..degree] {
            let miles = map.points[node.station].miles(map.points[target]);
            let (to, hour) = clock.arrival(target, node.hour + schedule::hours(miles, LIGHT_SPEED));
            light.push(Light {
                from: v,
                to,
                hours: hour - node.hour,
                miles,
            });
        }
    }
    light
}
