//! Lists of a solid's elasticity: parameters, directions, knots.

use super::super::elasticity::Knot;
use super::super::tree::{Entry, Node, Value};
use super::super::units::{PLAIN, PRESSURE};
use super::{Range, Section, all};

/// The most knots of a curve.
const MOST_KNOTS: usize = 8;
/// The most directions of fibres.
const MOST_FIBRES: usize = 3;
/// Of `parameters`, the one that has no unit.
const WITHOUT_UNIT: usize = 3;

const KNOTS: &str = "write for example [[0.5, \"-2 MPa\"], [1, 0], [2, \"1 MPa\"]]: stretch, then slope of the energy";

impl Section<'_> {
    /// s₀, s₁, ...
    pub fn parameters(&self, key: &str) -> Option<Vec<f64>> {
        let (entry, _) = self.entry(key)?;
        let Value::List(items) = &entry.node.value else {
            return self.wrong(entry, "a list of numbers", "write for example [\"20 kPa\", \"1 MPa\"]: s0, s1, ...");
        };
        let unit = |k: usize| if k == WITHOUT_UNIT { PLAIN } else { PRESSURE };
        all(items.iter().enumerate().map(|(k, item)| self.measure(key, item, &unit(k), &Range::ANY)))
    }

    /// One direction or up to three.
    pub fn directions(&self, key: &str) -> Option<Vec<[f64; 3]>> {
        let (entry, _) = self.entry(key)?;
        let found = match &entry.node.value {
            Value::List(items) if items.iter().any(is_list) => {
                all(items.iter().map(|node| self.tuple(key, node, &PLAIN, &Range::ANY)))?
            }
            _ => vec![self.tuple(key, &entry.node, &PLAIN, &Range::ANY)?],
        };
        if found.len() > MOST_FIBRES {
            return self.wrong(entry, &format!("at most {MOST_FIBRES} directions"), "");
        }
        if found.iter().any(|direction| direction.iter().all(|c| *c == 0.0)) {
            return self.wrong(entry, "directions that are not [0, 0, 0]", "write for example [1, 0, 0]");
        }
        Some(found)
    }

    /// The knots of one curve.
    pub fn knots(&self, key: &str) -> Option<Vec<Knot>> {
        let (entry, _) = self.entry(key)?;
        self.curve(entry, &entry.node)
    }

    /// The knots of one curve, or of several.
    pub fn curves(&self, key: &str) -> Option<Vec<Vec<Knot>>> {
        let (entry, _) = self.entry(key)?;
        let has_lists = |node: &Node| matches!(&node.value, Value::List(items) if items.iter().any(is_list));
        match &entry.node.value {
            Value::List(items) if items.iter().any(has_lists) => all(items.iter().map(|node| self.curve(entry, node))),
            _ => Some(vec![self.curve(entry, &entry.node)?]),
        }
    }

    fn curve(&self, entry: &Entry, node: &Node) -> Option<Vec<Knot>> {
        let key = entry.key.as_str();
        let items = match &node.value {
            Value::List(items) if (2..=MOST_KNOTS).contains(&items.len()) => items,
            _ => {
                let message = format!("`{key}` is {}; expected a list of 2 to {MOST_KNOTS} knots", node.described());
                self.log.add(node.place, message, KNOTS);
                return None;
            }
        };
        let knots = all(items.iter().map(|node| self.knot(key, node)))?;
        let rises = knots.windows(2).position(|pair| pair[0][0] >= pair[1][0]);
        let wrong = |node: &Node, message: String, help: &str| {
            self.log.add(node.place, message, help);
            None
        };
        if let Some(k) = rises {
            let message = format!("a knot of `{key}` is at {}, not after the one before", knots[k + 1][0]);
            return wrong(&items[k + 1], message, "write them in the order of their stretches");
        }
        if let Some(k) = knots.iter().position(|[x, slope]| slope * (x - 1.0) < 0.0) {
            let message = format!("a knot of `{key}` pushes away from rest: {} Pa at {}", knots[k][1], knots[k][0]);
            return wrong(&items[k], message, "slopes are at most 0 before 1, and at least 0 after it");
        }
        if !knots.contains(&[1.0, 0.0]) {
            return wrong(node, format!("`{key}` has no knot [1, 0], the rest state"), KNOTS);
        }
        Some(knots)
    }

    fn knot(&self, key: &str, node: &Node) -> Option<Knot> {
        match &node.value {
            Value::List(pair) if pair.len() == 2 => {
                let at = self.measure(key, &pair[0], &PLAIN, &Range::NOT_NEGATIVE);
                let slope = self.measure(key, &pair[1], &PRESSURE, &Range::ANY);
                Some([at?, slope?])
            }
            _ => {
                let message = format!("a knot of `{key}` is {}; expected [stretch, slope]", node.described());
                self.log.add(node.place, message, KNOTS);
                None
            }
        }
    }
}

fn is_list(node: &Node) -> bool {
    matches!(node.value, Value::List(_))
}
