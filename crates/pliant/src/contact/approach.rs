//! What a step knows of its contacts before it is solved: who is about to touch, on which side, and how hard.

use super::PosedCollider;
use crate::math::{Real, Vec3};

/// Cosine: normals that enclose less than 60° look to the same side.
pub const SAME_SIDE: f64 = 0.5;
/// What is above its thickness by no more than that and this, m, or inside by no more, lay on the surface: an unfinished solve
/// leaves a cloth at rest that far off.
const LYING: f64 = 1e-4;

/// A vertex that touches a collider in a step: it is about to go inside, or it was pressed on the surface at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approach<R> {
    /// The point of the surface below it, moved with the collider to the end of the step, m.
    pub anchor: Vec3<R>,
    /// Of the surface there.
    pub normal: Vec3<R>,
    /// It is about to go inside. If not, its weight and motion lead away from the surface, on which others may press it.
    pub comes: bool,
    /// It lay on the surface and leaves on that side: the plane there counts in this step, not the nearest face.
    pub face: bool,
    /// How far it is to be kept from going, m; 0 unless it comes.
    pub stopped: R,
    /// How deep it is inside at the start, m: 0 to its thickness. What is deeper did not get there by being pressed.
    pub depth: R,
}

impl<R: Real> PosedCollider<R> {
    /// How a vertex at `start` that would be at `target` after a step of h seconds touches this collider, if it does; the
    /// collider is that of the end of the step.
    ///
    /// Within one step a vertex may get so far inside, by weight alone, that another face is nearer: a hem at rest on the edge
    /// of a box would be pushed out sideways. So where the nearest face looks elsewhere than the one that it lay on, the plane
    /// there counts. Of convex shapes only: of those nothing inside is beyond that plane.
    ///
    /// What is above the surface and comes down on it needs no more than to stay there. But an unfinished solve leaves a cloth
    /// at rest hovering over the surface, here more and there less, and its whole weight must count: so does the way above the
    /// surface, up to ten times the way inside.
    #[inline]
    pub fn approach(&self, start: Vec3<R>, target: Vec3<R>, thickness: R, h: R) -> Option<Approach<R>> {
        let (d, nearest) = self.distance_and_normal(target);
        let carried = start + self.velocity_at(start) * h;
        // Neither of the two is near.
        if d >= thickness + (target - carried).length() {
            return None;
        }
        let (gap, normal) = self.distance_and_normal(carried);
        let lay = (gap - thickness * R::of(0.5)).abs() < thickness * R::of(1.5) + R::of(LYING);
        let face = self.is_convex() && lay && nearest.dot(normal) <= R::of(SAME_SIDE);
        let inside = thickness - if face { gap + normal.dot(target - carried) } else { d };
        let (anchor, depth) = (carried - normal * gap, (thickness - gap).max(R::ZERO).min(thickness));
        if d >= thickness || inside <= R::ZERO {
            let lies = Approach { anchor, normal, comes: false, face: false, stopped: R::ZERO, depth };
            return (depth > R::ZERO).then_some(lies);
        }
        let motion = (carried - target).dot(normal);
        let stopped = motion.min(inside * R::of(10.0)).max(inside);
        Some(Approach { anchor, normal, comes: true, face, stopped, depth })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Grip;
    use crate::contact::collider::tests::{collider, described, made, points, shapes};
    use crate::scene::{self, ColliderShape};

    const THICKNESS: f64 = 1e-3;
    const H: f64 = 1.0 / 60.0;

    /// A box of 0.6 m × 0.2 m × 0.6 m around the origin.
    fn table() -> PosedCollider<f64> {
        table_at([0.0; 3])
    }

    /// The same at a velocity, m/s.
    fn table_at(velocity: [f64; 3]) -> PosedCollider<f64> {
        let shape = ColliderShape::Box { size: [0.6, 0.2, 0.6] };
        let [rotation, position, angular_velocity] = [[0.0; 3]; 3];
        let described = described(shape);
        made(&scene::Collider { rotation, position, velocity, angular_velocity, ..described }).after(0.1, H)
    }

    fn approach_of(start: [f64; 3], target: [f64; 3]) -> Option<Approach<f64>> {
        table().approach(Vec3::of(start), Vec3::of(target), THICKNESS, H)
    }

    #[test]
    fn what_lay_on_a_face_leaves_on_its_side() {
        let up = Vec3::axis(1);
        let edge = [0.3, 0.101, 0.0];
        // Weight pulls a vertex at the edge past its top; beside the box and inside it is nearer to the side.
        for x in [[0.3, 0.098, 0.0], [0.2995, 0.097, 0.0], [0.3004, 0.097, 0.0]] {
            assert_eq!(table().distance(Vec3::of(x)).1, Vec3::axis(0));
            let found = approach_of(edge, x).unwrap();
            assert!(found.face && found.normal == up && (found.stopped - (0.101 - x[1])).abs() < 1e-15, "{found:?}");
            // Wherever it goes in this step, the top counts.
            let grip = Grip { anchor: found.anchor, normal: found.normal, face: Some(2), ..Grip::NONE };
            for to in [Vec3::of(x), Vec3::new(0.35, 0.05, 0.1)] {
                let (d, n) = grip.distance(2, &table(), to);
                assert!((d - (to.y - 0.1)).abs() < 1e-15 && n == up, "{d} {n:?}");
                assert_eq!(grip.distance(1, &table(), to), table().distance(to));
            }
        }
        // So it does at the back of a plate.
        assert!(approach_of([0.0, 0.1, 0.0], [0.0, -0.09, 0.0]).unwrap().face);
        let sides = [
            // Where it lay beside the box, that is its side.
            ([0.301, 0.06, 0.0], [0.3005, 0.05, 0.0]),
            // A hem that falls beside the box comes to its side, wherever it was before.
            ([0.304, 0.12, 0.0], [0.3005, 0.095, 0.0]),
            // What came from inside is not changed.
            ([0.0, 0.09, 0.0], [0.29, 0.0, 0.0]),
        ];
        for (start, target) in sides {
            assert!(!approach_of(start, target).unwrap().face, "{start:?}");
        }
        assert_eq!(approach_of(edge, [0.302, 0.05, 0.0]), None, "outside");
    }

    #[test]
    fn what_comes_down_needs_no_more_than_to_stay_and_what_hovers_its_whole_weight() {
        // 3 mm above, 0.1 mm inside: not all of the fall counts, but ten times the way inside does.
        let falling = approach_of([0.0, 0.104, 0.0], [0.0, 0.1009, 0.0]).unwrap();
        assert!((falling.stopped - 1e-3).abs() < 1e-12 && falling.depth == 0.0, "{falling:?}");
        // 0.2 mm above, and weight alone: all of it.
        let hovering = approach_of([0.0, 0.1012, 0.0], [0.0, 0.0985, 0.0]).unwrap();
        assert!((hovering.stopped - 2.7e-3).abs() < 1e-12 && !hovering.face, "{hovering:?}");
        // What the solve before left inside counts as depth.
        let pressed = approach_of([0.0, 0.1008, 0.0], [0.0, 0.0985, 0.0]).unwrap();
        assert!((pressed.depth - 2e-4).abs() < 1e-12 && pressed.anchor == Vec3::new(0.0, 0.1, 0.0), "{pressed:?}");
    }

    #[test]
    fn nothing_inside_is_beyond_the_plane_where_it_lay() {
        let mut faces = 0;
        for shape in shapes() {
            // It stands still by then.
            let posed: PosedCollider<f64> = collider(shape.clone()).at(5.0);
            let near = points().map(|x| x * 0.6 + posed.place(Vec3::ZERO));
            let (inside, outside): (Vec<_>, Vec<_>) = near.partition(|x| posed.distance(*x).0 < 0.0);
            let onto = |x: &Vec3<f64>| *x - posed.distance(*x).1 * posed.distance(*x).0;
            let outside: Vec<_> = outside.iter().map(onto).collect();
            assert!(inside.len() > 5 && outside.len() > 5, "{shape:?}");
            for x in &inside {
                for from in &outside {
                    let Approach { anchor, normal, face, stopped, .. } =
                        posed.approach(*from, *x, THICKNESS, H).unwrap();
                    let (d, inside) = (normal.dot(*x - anchor), posed.distance(*x).0);
                    assert!(!face || d <= inside + 1e-12, "{shape:?}: {d} {inside}");
                    assert!(
                        stopped >= THICKNESS - inside - 1e-12 && (normal.length() - 1.0).abs() < 1e-12,
                        "{shape:?}"
                    );
                    faces += usize::from(face);
                }
            }
        }
        assert!(faces > 1000, "{faces}");
    }

    #[test]
    fn the_anchor_moves_with_the_collider() {
        let belt = table_at([1.0, 0.0, 0.0]);
        let found = belt.approach(Vec3::new(0.0, 0.1005, 0.0), Vec3::new(0.0, 0.098, 0.0), THICKNESS, H).unwrap();
        assert!((found.anchor - Vec3::new(H, 0.1, 0.0)).length() < 1e-15);
    }
}
