//! Lets a device do a verb, and tells how far its answer is from the exact one.

use super::case::{Case, Fields, MOVED, ROUNDING};
use super::verb::Verb;
use pliant::contact::close::Side;
use pliant::device::{Blend, Device, DeviceError, Factor, Measures, Moment, Scale, Slot};
use pliant::material::Elements;

/// What a verb gave.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    pub points: Vec<[f64; 3]>,
    pub scalars: Vec<f64>,
}

/// The exact answer and the size of its terms: see [`super::verb::TABLE`].
pub(super) struct Expected {
    answer: Answer,
    point_sizes: Vec<f64>,
    scalar_sizes: Vec<f64>,
}

/// A case on a device, with fields to work on.
pub(super) struct Bench<'a, D: Device> {
    device: &'a mut D,
    problem: D::Problem,
    a: D::Points,
    b: D::Points,
    c: D::Points,
    /// Number of vertices.
    n: usize,
}

/// ω and γ of a sweep.
const PLAIN: Blend = Blend { omega: 1.0, under_relaxation: 1.0 };
const BLENDED: Blend = Blend { omega: 1.6, under_relaxation: 0.9 };
/// Of several sweeps in one go: more than fit into one dispatch.
const MANY: [Blend; 6] = {
    let mut blends = [Blend { omega: 1.0, under_relaxation: 0.9 }; 6];
    let mut k = 1;
    while k < blends.len() {
        blends[k].omega = 1.0 + 0.05 * k as f64;
        k += 1;
    }
    blends
};

/// Of iterations of descent, which are as short as solves begin with.
const SHORT: [Blend; 6] = {
    let mut blends = MANY;
    let mut k = 0;
    while k < blends.len() {
        blends[k].under_relaxation = 0.5;
        k += 1;
    }
    blends
};

impl<'a, D: Device> Bench<'a, D> {
    pub fn new(device: &'a mut D, case: &Case) -> Result<Self, DeviceError> {
        let problem = device.upload(&case.model, &case.system)?;
        let [a, b, c] = [(); 3].map(|()| device.points(&problem));
        Ok(Self { device, problem, a, b, c, n: case.model.vertices() })
    }

    pub fn device(&self) -> &D {
        self.device
    }

    /// The answer of the device; waits for it.
    pub fn answer(&mut self, verb: Verb, case: &Case, fields: &Fields) -> Result<Answer, DeviceError> {
        let mut out = Answer::default();
        match verb {
            Verb::WriteRead | Verb::Copy | Verb::Clear | Verb::Axpy | Verb::Xpay | Verb::Blend => {
                self.vector(verb, fields, &mut out)?;
            }
            Verb::Dot | Verb::DotOfReals => self.dot(verb, fields, &mut out)?,
            Verb::BeginStep | Verb::MeetColliders | Verb::Potential => self.step_begun(verb, case, fields, &mut out)?,
            Verb::MeasureStart | Verb::MeasureSolution | Verb::MeasureEnd => {
                self.measure(verb, case, fields, &mut out)?;
            }
            Verb::Gradient => self.gradient(case, fields, &mut out)?,
            Verb::Jacobi | Verb::JacobiBlended | Verb::JacobiMany | Verb::Relax => {
                self.jacobi(verb, case, fields, &mut out)?
            }
            Verb::DivideByDiagonal
            | Verb::Multiply
            | Verb::GaussSeidel
            | Verb::Cycle
            | Verb::SolveDirect
            | Verb::Descend => {
                self.matrix(verb, case, fields, &mut out)?;
            }
            Verb::ConstrainJacobi | Verb::ConstrainColours | Verb::ConstrainExtended => {
                self.constrain(verb, case, fields, &mut out)?;
            }
            Verb::BalanceBodies | Verb::TurnFreeParts => {
                self.begin(case, fields);
                let Self { device, problem, a, n, .. } = self;
                device.write(&fields.x, a);
                match verb {
                    Verb::BalanceBodies => device.balance_bodies(problem, a),
                    _ => device.turn_free_parts(problem, a),
                }
                read(*device, *n, a, &mut out)?;
            }
            Verb::Enforce | Verb::EndStep | Verb::EndStepPushed => self.finish(verb, case, fields, &mut out)?,
            Verb::Request | Verb::CopyUnlessLower => self.asked(verb, fields, &mut out)?,
            Verb::RequestScalars => self.asked_scalars(fields, &mut out)?,
            Verb::Sides => self.sides(case, fields, &mut out)?,
            Verb::LargestEigenvalue => {
                out.scalars.push(self.device.largest_jacobi_eigenvalue(&mut self.problem));
            }
            Verb::Hold | Verb::Objective => self.objective(verb, case, fields, &mut out)?,
            Verb::Convert | Verb::SetConversion => self.convert(verb, case, fields, &mut out)?,
            Verb::DivideByBlocks | Verb::DivideByLargest | Verb::DescendMany => {
                self.descent(verb, case, fields, &mut out)?;
            }
        }
        Ok(out)
    }

    fn begin(&mut self, case: &Case, fields: &Fields) {
        self.device.write(&fields.start, &mut self.a);
        self.device.write(&fields.velocity, &mut self.b);
        // What was asked before must not matter.
        self.device.set_sides(&Default::default());
        self.device.set_conversion(&[]);
        self.device.set_wound(0);
        self.device.begin_step(&mut self.problem, &case.input, &self.a, &self.b);
    }

    fn vector(&mut self, verb: Verb, fields: &Fields, out: &mut Answer) -> Result<(), DeviceError> {
        let Self { device, a, b, c, n, .. } = self;
        device.write(&fields.x, a);
        match verb {
            Verb::Copy => {
                device.write(&fields.r, b);
                device.copy(a, b);
                read(*device, *n, b, out)?;
            }
            Verb::Clear => device.clear(a),
            Verb::Axpy | Verb::Xpay => {
                // Slots 0 and 1: integers; slot 2: zero.
                device.write(&fields.whole[0], b);
                device.write(&fields.whole[1], c);
                device.dot(b, b, Slot(0));
                device.dot(b, c, Slot(1));
                device.clear(b);
                device.dot(b, c, Slot(2));
                let (none, part) = (Slot(2), Factor::Ratio(Slot(1), Slot(0)));
                let factors = [Factor::Value(-1.0 / 3.0), part, Factor::MinusRatio(Slot(1), Slot(0))];
                for factor in factors.into_iter().chain([Factor::Ratio(Slot(0), none)]) {
                    device.write(&fields.before, b);
                    if verb == Verb::Axpy {
                        device.axpy(factor, a, b)
                    } else {
                        device.xpay(a, factor, b)
                    }
                    read(*device, *n, b, out)?;
                }
            }
            Verb::Blend => {
                device.write(&fields.start, b);
                device.write(&fields.before, c);
                device.blend(b, a, c, BLENDED);
                read(*device, *n, c, out)?;
            }
            _ => {}
        }
        read(*device, *n, a, out)
    }

    fn dot(&mut self, verb: Verb, fields: &Fields, out: &mut Answer) -> Result<(), DeviceError> {
        let Self { device, a, b, .. } = self;
        let [first, second] = match verb {
            Verb::Dot => [&fields.whole[0], &fields.whole[1]],
            _ => [&fields.x, &fields.r],
        };
        device.write(first, a);
        device.write(second, b);
        device.dot(a, b, Slot(1));
        device.dot(b, b, Slot(7));
        device.copy_scalar(Slot(1), Slot(4));
        device.dot(a, a, Slot(1));
        for slot in [1, 4, 7] {
            out.scalars.push(device.scalar(Slot(slot))?);
        }
        Ok(())
    }

    fn step_begun(&mut self, verb: Verb, case: &Case, fields: &Fields, out: &mut Answer) -> Result<(), DeviceError> {
        self.begin(case, fields);
        let Self { device, problem, a, n, .. } = self;
        if matches!(verb, Verb::BeginStep | Verb::MeetColliders) {
            device.start(problem, a);
            if verb == Verb::MeetColliders {
                device.meet_colliders(problem, a);
            }
            return read(*device, *n, a, out);
        }
        let potential = device.potential(problem)?;
        let x: Vec<[f64; 4]> = fields.x.iter().map(|x| [x[0], x[1], x[2], 0.0]).collect();
        let mut gradient = Vec::new();
        potential.gradient(&x, &mut gradient);
        out.points.extend(gradient.iter().map(|g| [g[0], g[1], g[2]]));
        out.scalars.push(potential.value(&x));
        Ok(())
    }

    fn measure(&mut self, verb: Verb, case: &Case, fields: &Fields, out: &mut Answer) -> Result<(), DeviceError> {
        self.begin(case, fields);
        let Self { device, problem, a, .. } = self;
        device.write(&fields.x, a);
        let moment = match verb {
            Verb::MeasureStart => Moment::Start,
            Verb::MeasureSolution => Moment::Solution,
            _ => Moment::End,
        };
        if verb == Verb::MeasureStart {
            device.measure(problem, Moment::Still, a);
        }
        device.measure(problem, moment, a);
        let Measures {
            still_energy,
            motion_energy,
            start_energy,
            energy,
            gradient_norm,
            unbalanced,
            possible_decrease,
            rounding_energy,
            max_stretch,
            mean_stretch,
            min_gap,
            inverted,
        } = device.measures(problem)?;
        // What rounding makes depends on the precision; what it is multiplied with does not.
        let epsilon = 2.0 * rounding(*device);
        match verb {
            Verb::MeasureStart => out.scalars.extend([still_energy, motion_energy, start_energy]),
            Verb::MeasureSolution => {
                let weight = rounding_energy / (epsilon * epsilon);
                // Of the sum of all forces only so much is left that it is told beside them.
                let left = gradient_norm + unbalanced;
                out.scalars.extend([energy, gradient_norm, left, possible_decrease, weight]);
            }
            _ => out.scalars.extend([max_stretch, mean_stretch, min_gap, inverted as f64]),
        }
        Ok(())
    }

    fn gradient(&mut self, case: &Case, fields: &Fields, out: &mut Answer) -> Result<(), DeviceError> {
        self.begin(case, fields);
        let Self { device, problem, a, b, n, .. } = self;
        device.write(&fields.x, a);
        device.gradient(problem, a, b);
        read(*device, *n, b, out)
    }

    fn jacobi(&mut self, verb: Verb, case: &Case, fields: &Fields, out: &mut Answer) -> Result<(), DeviceError> {
        self.begin(case, fields);
        let Self { device, problem, a, b, n, .. } = self;
        device.write(&fields.x, a);
        device.write(&fields.before, b);
        match verb {
            Verb::Jacobi => device.jacobi(problem, a, b, &[PLAIN], None),
            Verb::JacobiBlended => {
                device.jacobi(problem, a, b, &[BLENDED], Some(Slot(3)));
                out.scalars.push(device.scalar(Slot(3))?);
            }
            Verb::Relax => {
                let colours = device.colours(problem);
                for colour in (0..colours).chain((0..colours).rev()) {
                    device.relax(problem, colour, 1.2, a, Some(Slot(3)));
                }
                out.scalars.push(if colours > 0 { device.scalar(Slot(3))? } else { 0.0 });
            }
            _ => device.jacobi(problem, a, b, &MANY, None),
        }
        read(*device, *n, a, out)?;
        read(*device, *n, b, out)
    }

    fn matrix(&mut self, verb: Verb, case: &Case, fields: &Fields, out: &mut Answer) -> Result<(), DeviceError> {
        self.begin(case, fields);
        let Self { device, problem, a, b, c, n } = self;
        device.write(&fields.x, a);
        // Which contacts are active.
        device.gradient(problem, a, b);
        device.write(&fields.before, b);
        match verb {
            Verb::DivideByDiagonal => {
                device.write(&fields.r, a);
                device.divide_by_diagonal(problem, a, c);
            }
            Verb::Multiply => device.multiply(problem, b, c),
            Verb::Descend => {
                device.copy(b, c);
                device.write(&fields.start, b);
                device.descend(problem, b, a, c, BLENDED);
            }
            Verb::Cycle => {
                device.write(&fields.r, a);
                device.cycle(problem, a, c);
            }
            Verb::SolveDirect => {
                device.write(&fields.r, a);
                device.solve_direct(problem, a, c)?;
            }
            _ => {
                device.write(&fields.r, a);
                device.copy(b, c);
                let colours = device.colours(problem);
                for colour in (0..colours).chain((0..colours).rev()) {
                    device.gauss_seidel(problem, colour, 1.2, a, c);
                }
            }
        }
        read(*device, *n, c, out)
    }

    fn constrain(&mut self, verb: Verb, case: &Case, fields: &Fields, out: &mut Answer) -> Result<(), DeviceError> {
        self.begin(case, fields);
        let Self { device, problem, a, b, n, .. } = self;
        device.write(&fields.x, a);
        if verb == Verb::ConstrainJacobi {
            device.constrain_jacobi(problem, 0.3, a, b);
            return read(*device, *n, b, out);
        }
        let extended = verb == Verb::ConstrainExtended;
        let colours = device.constraint_colours(problem);
        // A second sweep sees the multipliers of the first one; after a reset the first one is as it was.
        let sweeps = if extended { [2, 1] } else { [1, 0] };
        for count in sweeps.into_iter().filter(|count| *count > 0) {
            device.copy(a, b);
            device.reset_multipliers(problem);
            for colour in (0..count).flat_map(|_| 0..colours) {
                device.constrain_colour(problem, colour, extended, b);
            }
            read(*device, *n, b, out)?;
        }
        Ok(())
    }

    /// What is asked for is what was there then.
    fn asked(&mut self, verb: Verb, fields: &Fields, out: &mut Answer) -> Result<(), DeviceError> {
        let Self { device, a, b, c, n, .. } = self;
        device.write(&fields.x, a);
        if verb == Verb::Request {
            let reading = device.request(a)?;
            device.write(&fields.r, a);
            let mut there = vec![[f64::NAN; 3]; *n];
            device.receive(reading, &mut there)?;
            out.points.extend(there);
            return read(*device, *n, a, out);
        }
        // Slots 2 and 5: two numbers, the first of them less where there is a vertex; 3: none.
        device.write(&fields.whole[0], b);
        device.write(&fields.whole[1], c);
        device.dot(b, c, Slot(2));
        device.write(&vec![[6.0; 3]; *n], b);
        device.dot(b, b, Slot(5));
        device.write(&vec![[f64::NAN; 3]; *n], b);
        device.dot(b, c, Slot(3));
        device.copy_scalar(Slot(2), Slot(1));
        for lower in [[2, 5], [5, 2], [2, 1], [3, 5], [5, 3]] {
            device.write(&fields.x, a);
            device.write(&fields.r, b);
            device.copy_unless_lower(lower.map(Slot), b, a);
            read(*device, *n, a, out)?;
        }
        Ok(())
    }

    fn asked_scalars(&mut self, fields: &Fields, out: &mut Answer) -> Result<(), DeviceError> {
        let Self { device, a, b, .. } = self;
        device.write(&fields.whole[0], a);
        device.write(&fields.whole[1], b);
        device.dot(a, b, Slot(0));
        device.dot(b, b, Slot(6));
        let first = device.request_scalars()?;
        device.dot(a, a, Slot(0));
        let second = device.request_scalars()?;
        for asked in [first, second] {
            let numbers = device.receive_numbers(asked)?;
            out.scalars.extend([0, 6].map(|slot: usize| numbers.get(slot).copied().unwrap_or(f64::NAN)));
        }
        Ok(())
    }

    /// Whether there are any sides, and whether they come back as they were given. The list itself hangs on roundings: some
    /// pair is just about near enough.
    fn sides(&mut self, case: &Case, fields: &Fields, out: &mut Answer) -> Result<(), DeviceError> {
        self.begin(case, fields);
        let found = self.device.sides()?;
        let mut given = found.clone();
        given.iter_mut().flatten().for_each(|side| side.direction = side.direction.map(|c| -c));
        self.device.set_sides(&Default::default());
        let none = self.device.sides()?;
        self.device.set_sides(&given);
        let same = self.device.sides()? == given;
        let count = |sides: &[Vec<Side>; 2]| sides.iter().filter(|sides| !sides.is_empty()).count() as f64;
        out.scalars.extend([count(&found), count(&none), f64::from(u8::from(same))]);
        Ok(())
    }

    fn objective(&mut self, verb: Verb, case: &Case, fields: &Fields, out: &mut Answer) -> Result<(), DeviceError> {
        self.begin(case, fields);
        let Self { device, problem, a, b, n, .. } = self;
        device.write(&fields.x, a);
        if verb == Verb::Hold {
            device.hold(problem, a);
            return read(*device, *n, a, out);
        }
        device.write(&fields.start, b);
        device.objective_to(problem, a, Slot(2));
        device.objective_to(problem, b, Slot(5));
        out.scalars.extend([device.scalar(Slot(2))?, device.scalar(Slot(5))?, device.objective(problem, a)?]);
        Ok(())
    }

    fn convert(&mut self, verb: Verb, case: &Case, fields: &Fields, out: &mut Answer) -> Result<(), DeviceError> {
        self.begin(case, fields);
        let tell = |device: &mut D, out: &mut Answer| -> Result<(), DeviceError> {
            let asked = device.request_conversion()?;
            out.scalars.extend(device.receive_numbers(asked)?);
            Ok(())
        };
        if verb == Verb::SetConversion {
            // A step takes off a little of each, and is not to have been.
            let count =
                case.model.elements.iter().filter(|elements| elements.is_convertible()).map(Elements::len).sum();
            let shares: Vec<f64> = (0..count).map(|c: usize| (c % 17) as f64 / 16.0).collect();
            self.device.set_conversion(&shares);
            tell(self.device, out)?;
            self.device.begin_step(&mut self.problem, &case.input, &self.a, &self.b);
            tell(self.device, out)?;
            self.device.undo_conversion();
            return tell(self.device, out);
        }
        let Self { device, problem, a, .. } = self;
        device.write(&fields.x, a);
        device.convert(problem, a, Slot(6));
        let raised = device.scalar(Slot(6))?;
        // How many need it hangs on roundings where one is just about crushed; that there are any does not.
        out.scalars.push(f64::from(u8::from(raised > 0.0)));
        tell(device, out)
    }

    fn descent(&mut self, verb: Verb, case: &Case, fields: &Fields, out: &mut Answer) -> Result<(), DeviceError> {
        self.begin(case, fields);
        let Self { device, problem, a, b, c, n } = self;
        device.write(&fields.x, a);
        // As a solve does it: what is crushed has no blocks that bound it.
        device.convert(problem, a, Slot(6));
        let scale = if verb == Verb::DivideByLargest { Scale::Largest } else { Scale::Blocks };
        device.rescale(problem, scale, a);
        if verb == Verb::DescendMany {
            device.write(&fields.before, b);
            let mut scratch = device.points(problem);
            device.descend_many(problem, [a, b], &SHORT, Some(Slot(3)), [c, &mut scratch]);
            out.scalars.push(device.scalar(Slot(3))?);
            read(*device, *n, a, out)?;
            return read(*device, *n, b, out);
        }
        // Which contacts are active.
        device.gradient(problem, a, b);
        device.write(&fields.r, b);
        device.divide_by_scale(problem, b, c);
        read(*device, *n, c, out)
    }

    fn finish(&mut self, verb: Verb, case: &Case, fields: &Fields, out: &mut Answer) -> Result<(), DeviceError> {
        self.begin(case, fields);
        let Self { device, problem, a, b, c, n } = self;
        device.write(&fields.x, c);
        if verb != Verb::EndStep {
            device.write(&fields.noise, b);
            device.enforce(problem, c, [a, b]);
            if verb == Verb::Enforce {
                read(*device, *n, a, out)?;
                read(*device, *n, b, out)?;
            }
            device.write(&fields.start, a);
            // A vertex on a surface is pushed as far as rounding has put it inside, times a stiffness.
            device.write(&fields.noise, b);
            device.axpy(Factor::Value(1.0), b, c);
        }
        if verb != Verb::Enforce {
            device.end_step(problem, a, c, b);
            read(*device, *n, b, out)?;
        }
        read(*device, *n, c, out)
    }
}

/// Adds a field to the answer.
fn read<D: Device>(device: &mut D, n: usize, field: &D::Points, out: &mut Answer) -> Result<(), DeviceError> {
    let first = out.points.len();
    out.points.resize(first + n, [f64::NAN; 3]);
    device.read(field, &mut out.points[first..])
}

/// The relative error of one operation in the device's precision.
pub(super) fn rounding<D: Device>(device: &D) -> f64 {
    match device.precision() {
        "f64" => f64::EPSILON / 2.0,
        _ => ROUNDING,
    }
}

impl Expected {
    /// The answer to the fields of a case, with the size of its terms found from the answers to moved fields.
    pub fn new(answer: Answer, moved: &[Answer]) -> Self {
        let unit = MOVED * ROUNDING;
        let point = |i: usize| {
            let (at, zero) = (answer.points[i], [0.0; 3]);
            let spread = moved.iter().map(|moved| distance(moved.points[i], at)).fold(0.0, f64::max);
            distance(at, zero) + spread / unit
        };
        let scalar = |i: usize| {
            let at = answer.scalars[i];
            let spread = moved.iter().map(|moved| apart(moved.scalars[i], at)).fold(0.0, f64::max);
            at.abs() + spread / unit
        };
        let point_sizes = (0..answer.points.len()).map(point).collect();
        let scalar_sizes = (0..answer.scalars.len()).map(scalar).collect();
        Self { answer, point_sizes, scalar_sizes }
    }

    /// The largest error of an answer, relative to the size of its terms; infinite where there is no number.
    pub fn error(&self, found: &Answer) -> f64 {
        let Answer { points, scalars } = &self.answer;
        if [points.len(), scalars.len()] != [found.points.len(), found.scalars.len()] {
            return f64::INFINITY;
        }
        let of_points = points.iter().zip(&found.points).map(|(a, b)| distance(*a, *b)).zip(&self.point_sizes);
        let of_scalars = scalars.iter().zip(&found.scalars).map(|(a, b)| apart(*a, *b)).zip(&self.scalar_sizes);
        of_points.chain(of_scalars).map(|(error, size)| relative(error, *size)).fold(0.0, f64::max)
    }
}

fn relative(error: f64, size: f64) -> f64 {
    match error {
        0.0 => 0.0,
        _ if error.is_finite() => error / size,
        _ => f64::INFINITY,
    }
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| apart(a[k], b[k]).powi(2)).sum::<f64>().sqrt()
}

/// |a − b|, and 0 if both are the same infinity.
fn apart(a: f64, b: f64) -> f64 {
    if a == b { 0.0 } else { (a - b).abs() }
}
