//! Numbers with units: `"200 g/m^2"` to SI, with its dimension.

use super::suggest;

/// Powers of kg, m, s and angle. An angle is counted in degrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dimension(pub [i8; 4]);

impl Dimension {
    pub const NONE: Dimension = Dimension([0, 0, 0, 0]);

    fn times(self, other: Dimension, power: i8) -> Option<Dimension> {
        let mut out = self.0;
        for (o, p) in out.iter_mut().zip(other.0) {
            *o = o.checked_add(p.checked_mul(power)?)?;
        }
        Some(Dimension(out))
    }

    /// `kg·m^-1·s^-2`, for messages about quantities that have no name here.
    pub fn in_base_units(self) -> String {
        let parts: Vec<String> = self
            .0
            .iter()
            .zip(["kg", "m", "s", "deg"])
            .filter(|(p, _)| **p != 0)
            .map(|(p, name)| if *p == 1 { name.to_string() } else { format!("{name}^{p}") })
            .collect();
        if parts.is_empty() { "no unit".to_string() } else { parts.join("·") }
    }
}

/// What a number measures: its dimension, the unit of a bare number, what is plausible, and an example for messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Quantity {
    pub name: &'static str,
    pub unit: &'static str,
    /// How many base units (kg, m, s, degree) one `unit` is.
    pub scale: f64,
    pub dimension: Dimension,
    /// Smallest plausible size besides 0, in `unit`.
    pub least: f64,
    /// Largest plausible size, in `unit`.
    pub most: f64,
    pub example: &'static str,
}

const fn quantity(name: &'static str, unit: &'static str, powers: [i8; 4], example: &'static str) -> Quantity {
    Quantity { name, unit, scale: 1.0, dimension: Dimension(powers), least: 0.0, most: f64::INFINITY, example }
}

impl Quantity {
    /// Sizes outside are typing errors, and would leave the range of single precision once squared.
    const fn plausible(self, [least, most]: [f64; 2]) -> Quantity {
        Quantity { least, most, ..self }
    }
}

/// Plausible sizes of bodies, and the farthest they may lie from the origin, m.
pub const PLAUSIBLE_LENGTHS: [f64; 2] = [1e-9, 1e6];

pub(super) const PLAIN: Quantity = quantity("plain number", "", [0, 0, 0, 0], "0.3").plausible([1e-9, 1e9]);
pub(super) const LENGTH: Quantity = quantity("length", "m", [0, 1, 0, 0], "5 mm").plausible(PLAUSIBLE_LENGTHS);
pub(super) const TIME: Quantity = quantity("time", "s", [0, 0, 1, 0], "16 ms");
pub(super) const MILLISECONDS: Quantity = Quantity { scale: 1e-3, ..quantity("time", "ms", [0, 0, 1, 0], "5 ms") };
pub(super) const ANGLE: Quantity = quantity("angle", "deg", [0, 0, 0, 1], "30 deg").plausible([0.0, 1e6]);
pub(super) const VELOCITY: Quantity = quantity("velocity", "m/s", [0, 1, -1, 0], "0.5 m/s").plausible([0.0, 1e6]);
pub(super) const ANGULAR_VELOCITY: Quantity =
    quantity("angular velocity", "deg/s", [0, 0, -1, 1], "90 deg/s").plausible([0.0, 1e9]);
pub(super) const ACCELERATION: Quantity =
    quantity("acceleration", "m/s^2", [0, 1, -2, 0], "9.81 m/s^2").plausible([0.0, 1e9]);
pub(super) const AREA_DENSITY: Quantity =
    quantity("mass per area", "kg/m^2", [1, -2, 0, 0], "200 g/m^2").plausible([1e-9, 1e6]);
pub(super) const DENSITY: Quantity =
    quantity("mass per volume", "kg/m^3", [1, -3, 0, 0], "1.1 g/cm^3").plausible([1e-6, 1e9]);
pub(super) const PRESSURE: Quantity = quantity("pressure", "Pa", [1, -1, -2, 0], "1 MPa").plausible([1e-6, 1e14]);
pub(super) const STIFFNESS: Quantity = quantity("stiffness", "N/m", [1, 0, -2, 0], "10 N/m").plausible([1e-9, 1e12]);
pub(super) const BENDING: Quantity =
    quantity("bending stiffness", "N·m", [1, 2, -2, 0], "0.1 gf*cm").plausible([0.0, 1e9]);
pub(super) const DRAG: Quantity = quantity("drag", "N·s/m^3", [1, -2, -1, 0], "2.5 N*s/m^3").plausible([0.0, 1e9]);
pub(super) const RATE: Quantity = quantity("rate", "1/s", [0, 0, -1, 0], "0.5 1/s").plausible([0.0, 1e9]);
pub(super) const FREQUENCY: Quantity = quantity("frequency", "Hz", [0, 0, -1, 0], "60 Hz").plausible([1e-4, 1e6]);

/// The quantities of the reference page; [`read`] names what was found by the first with its dimension.
pub(super) const NAMED: [Quantity; 15] = [
    LENGTH,
    TIME,
    ANGLE,
    VELOCITY,
    ANGULAR_VELOCITY,
    ACCELERATION,
    AREA_DENSITY,
    DENSITY,
    PRESSURE,
    STIFFNESS,
    BENDING,
    DRAG,
    FREQUENCY,
    RATE,
    PLAIN,
];

const KG: [i8; 4] = [1, 0, 0, 0];
const M: [i8; 4] = [0, 1, 0, 0];
const S: [i8; 4] = [0, 0, 1, 0];
const DEG: [i8; 4] = [0, 0, 0, 1];
const N: [i8; 4] = [1, 1, -2, 0];
const PA: [i8; 4] = [1, -1, -2, 0];
const J: [i8; 4] = [1, 2, -2, 0];
const HZ: [i8; 4] = [0, 0, -1, 0];

/// Standard gravity, m/s²: what makes a gram of force.
const G0: f64 = 9.80665;

/// Every unit: name, size in base units, dimension. Imperial sizes are the exact international definitions.
const UNITS: &[(&str, f64, [i8; 4])] = &[
    ("kg", 1.0, KG),
    ("g", 1e-3, KG),
    ("mg", 1e-6, KG),
    ("t", 1e3, KG),
    ("lb", 0.453_592_37, KG),
    ("oz", 0.028_349_523_125, KG),
    ("m", 1.0, M),
    ("km", 1e3, M),
    ("cm", 1e-2, M),
    ("mm", 1e-3, M),
    ("um", 1e-6, M),
    ("µm", 1e-6, M),
    ("μm", 1e-6, M),
    ("in", 0.0254, M),
    ("ft", 0.3048, M),
    ("yd", 0.9144, M),
    ("s", 1.0, S),
    ("ms", 1e-3, S),
    ("us", 1e-6, S),
    ("µs", 1e-6, S),
    ("μs", 1e-6, S),
    ("min", 60.0, S),
    ("h", 3600.0, S),
    ("deg", 1.0, DEG),
    ("°", 1.0, DEG),
    ("rad", 180.0 / std::f64::consts::PI, DEG),
    ("turn", 360.0, DEG),
    ("rpm", 6.0, [0, 0, -1, 1]),
    ("Hz", 1.0, HZ),
    ("fps", 1.0, HZ),
    ("N", 1.0, N),
    ("kN", 1e3, N),
    ("mN", 1e-3, N),
    ("uN", 1e-6, N),
    ("µN", 1e-6, N),
    ("μN", 1e-6, N),
    ("dyn", 1e-5, N),
    ("gf", 1e-3 * G0, N),
    ("kgf", G0, N),
    ("Pa", 1.0, PA),
    ("hPa", 1e2, PA),
    ("kPa", 1e3, PA),
    ("MPa", 1e6, PA),
    ("GPa", 1e9, PA),
    ("bar", 1e5, PA),
    ("psi", 6_894.757_293_168_36, PA),
    ("J", 1.0, J),
    ("mJ", 1e-3, J),
    ("%", 1e-2, [0, 0, 0, 0]),
    ("1", 1.0, [0, 0, 0, 0]),
];

/// Names of all units, for the reference page.
pub(super) fn unit_names() -> impl Iterator<Item = &'static str> {
    // The Greek letter mu and the micro sign look alike: one is shown.
    UNITS.iter().map(|u| u.0).filter(|n| *n != "1" && !n.starts_with('\u{3bc}'))
}

/// A number for a message: short, and never hundreds of digits.
pub(super) fn shown(x: f64) -> String {
    if x == 0.0 || !x.is_finite() || (1e-4..1e7).contains(&x.abs()) { format!("{x}") } else { format!("{x:e}") }
}

/// Why a text is no number with a unit, or not of the wanted kind.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct UnitError {
    pub message: String,
    pub help: String,
}

/// Reads `text` as a number of `quantity`; the answer is in `quantity.unit`.
pub(super) fn read(text: &str, quantity: &Quantity) -> Result<f64, UnitError> {
    let (value, dimension) = expression(text, quantity)?;
    if dimension != quantity.dimension {
        let is = if dimension == Dimension::NONE {
            "has no unit".to_string()
        } else {
            match NAMED.iter().find(|q| q.dimension == dimension) {
                Some(named) => format!("is {}", described(named)),
                None => format!("is in {}", dimension.in_base_units()),
            }
        };
        return Err(UnitError {
            message: format!("\"{text}\" {is}; expected {}", described(quantity)),
            help: for_example(quantity),
        });
    }
    let value = value / quantity.scale;
    if value.is_finite() {
        Ok(value)
    } else {
        Err(UnitError { message: format!("\"{text}\" is too large a number"), help: for_example(quantity) })
    }
}

/// A pressure as it is typed on a command line, Pa: a bare number in Pa, or one with a unit, such as `1 MPa`. The error says
/// what was expected and what to write.
pub fn typed_pressure(text: &str) -> Result<f64, String> {
    let bare = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let value = match bare {
        Some(value) => value,
        None => read(text, &PRESSURE).map_err(|error| format!("{}; {}", error.message, error.help))?,
    };
    let Quantity { least, most, .. } = PRESSURE;
    if value == 0.0 || (least..=most).contains(&value.abs()) {
        Ok(value)
    } else {
        Err(format!("{} Pa is not plausible; expected 0, or a size from {least:e} to {most:e} Pa", shown(value)))
    }
}

/// `a length (m)`, `an angle (deg)`, or `a plain number`
pub(super) fn described(quantity: &Quantity) -> String {
    let article = if quantity.name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    let unit = if quantity.unit.is_empty() { String::new() } else { format!(" ({})", quantity.unit) };
    format!("{article} {}{unit}", quantity.name)
}

/// `write for example "5 mm", or a bare number in m`
pub(super) fn for_example(quantity: &Quantity) -> String {
    if quantity.unit.is_empty() {
        format!("write for example {}", quantity.example)
    } else {
        format!("write for example \"{}\", or a bare number in {}", quantity.example, quantity.unit)
    }
}

fn expression(text: &str, quantity: &Quantity) -> Result<(f64, Dimension), UnitError> {
    let trimmed = text.trim();
    let digits = number_length(trimmed);
    let Ok(mut value) = trimmed[..digits].replace('_', "").parse::<f64>() else {
        return Err(UnitError {
            message: format!("\"{text}\" does not start with a number; expected {}", described(quantity)),
            help: for_example(quantity),
        });
    };
    let mut dimension = Dimension::NONE;
    let mut rest = trimmed[digits..].trim_start();
    while !rest.is_empty() {
        let sign = if let Some(after) = rest.strip_prefix('/') {
            rest = after.trim_start();
            -1
        } else {
            rest = rest.strip_prefix(['*', '·']).unwrap_or(rest).trim_start();
            1
        };
        let factor = factor(text, &mut rest)?;
        let power = sign * factor.power;
        value *= factor.size.powi(i32::from(power));
        dimension = dimension.times(Dimension(factor.powers), power).ok_or_else(|| UnitError {
            message: format!("\"{text}\" has too high a power"),
            help: for_example(quantity),
        })?;
        rest = rest.trim_start();
    }
    Ok((value, dimension))
}

struct Factor {
    size: f64,
    powers: [i8; 4],
    power: i8,
}

/// One unit and its power from the front of `rest`.
fn factor(text: &str, rest: &mut &str) -> Result<Factor, UnitError> {
    let is_name = |c: char| c.is_alphabetic() || c == '%' || c == '°';
    let length = if rest.starts_with('1') { 1 } else { rest.find(|c| !is_name(c)).unwrap_or(rest.len()) };
    let (name, after) = rest.split_at(length);
    let Some(&(_, size, powers)) = UNITS.iter().find(|u| u.0 == name) else {
        let names: Vec<&str> = unit_names().collect();
        let message = if name.is_empty() {
            format!("expected a unit at \"{rest}\" in \"{text}\"")
        } else {
            format!("unknown unit `{name}` in \"{text}\"")
        };
        let known = || format!("known units: {}", suggest::list(&names));
        let near = || if name.is_empty() { known() } else { suggest::help(name, "units", &names) };
        let help = meant_power(text, rest).unwrap_or_else(near);
        return Err(UnitError { message, help });
    };
    let (power, after) = power(after).ok_or_else(|| UnitError {
        message: format!("the power after `{name}` in \"{text}\" is not a small whole number"),
        help: "write for example \"m^2\" or \"s^-1\"".to_string(),
    })?;
    *rest = after;
    Ok(Factor { size, powers, power })
}

/// A question for who wrote `m2` for `m^2`; `rest` is what is left of `text` from the power on.
fn meant_power(text: &str, rest: &str) -> Option<String> {
    let before = text.trim().strip_suffix(rest)?;
    let power = rest.starts_with(|c: char| c.is_ascii_digit() || c == '-') && before.ends_with(char::is_alphabetic);
    power.then(|| format!("did you mean \"{before}^{rest}\"?"))
}

/// `^2`, `^-1`, `²`, `³`, or nothing (1), and what follows.
fn power(rest: &str) -> Option<(i8, &str)> {
    for (sign, value) in [("²", 2), ("³", 3), ("⁻¹", -1), ("⁻²", -2), ("⁻³", -3)] {
        if let Some(after) = rest.strip_prefix(sign) {
            return Some((value, after));
        }
    }
    let Some(after) = rest.strip_prefix('^') else { return Some((1, rest)) };
    let sign = after.starts_with(['-', '+']).into();
    let digits: usize = after.bytes().skip(sign).take_while(u8::is_ascii_digit).count();
    let power: i8 = after[..sign + digits].parse().ok()?;
    (-9..=9).contains(&power).then_some((power, &after[sign + digits..]))
}

/// Length of the number at the front: sign, digits, fraction, exponent.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit() || **b == b'_').count();
    let mut end = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    end += digits(end);
    if bytes.get(end) == Some(&b'.') {
        end += 1;
        end += digits(end);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = if end + 1 + sign <= bytes.len() { digits(end + 1 + sign) } else { 0 };
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(text: &str, quantity: &Quantity, expected: f64) {
        let found = read(text, quantity).unwrap_or_else(|e| panic!("{text}: {}", e.message));
        assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{text}: {found}, expected {expected}");
    }

    #[test]
    fn units_become_si() {
        near("1 MPa", &PRESSURE, 1e6);
        near("200 g/m^2", &AREA_DENSITY, 0.2);
        near("5 mm", &LENGTH, 0.005);
        near("5mm", &LENGTH, 0.005);
        near("16 ms", &TIME, 0.016);
        near("10 N/m", &STIFFNESS, 10.0);
        near("0.5 m/s", &VELOCITY, 0.5);
        near("-9.81 m/s²", &ACCELERATION, -9.81);
        near("-9.81 m s^-2", &ACCELERATION, -9.81);
        near("1.1 g/cm^3", &DENSITY, 1100.0);
        near("1e3 N·m", &BENDING, 1e3);
        near("2 J", &BENDING, 2.0);
        near("10 %", &PLAIN, 0.1);
        near("0.5 1/s", &RATE, 0.5);
        near("0.5/s", &RATE, 0.5);
        near("24 fps", &FREQUENCY, 24.0);
        near("1_000 kg/m^3", &DENSITY, 1000.0);
    }

    #[test]
    fn angles_are_degrees() {
        near("30 deg", &ANGLE, 30.0);
        near("30°", &ANGLE, 30.0);
        near("3.141592653589793 rad", &ANGLE, 180.0);
        near("2 rpm", &ANGULAR_VELOCITY, 12.0);
        near("0.5 turn/s", &ANGULAR_VELOCITY, 180.0);
    }

    #[test]
    fn a_bending_stiffness_may_be_given_as_the_instrument_prints_it() {
        near("1 gf*cm^2/cm", &BENDING, 9.80665e-5);
    }

    #[test]
    fn milliseconds_are_kept_where_the_key_says_so() {
        near("5 ms", &MILLISECONDS, 5.0);
        near("0.005 s", &MILLISECONDS, 5.0);
    }

    #[test]
    fn a_wrong_dimension_is_named_with_an_example() {
        let e = read("5 kg", &LENGTH).unwrap_err();
        assert_eq!(e.message, "\"5 kg\" is in kg; expected a length (m)");
        assert_eq!(e.help, "write for example \"5 mm\", or a bare number in m");
        assert_eq!(
            read("1 MPa", &STIFFNESS).unwrap_err().message,
            "\"1 MPa\" is a pressure (Pa); expected a stiffness (N/m)"
        );
        assert_eq!(read("1 m", &PLAIN).unwrap_err().message, "\"1 m\" is a length (m); expected a plain number");
    }

    #[test]
    fn a_text_without_a_unit_is_not_taken_for_si() {
        assert_eq!(read("5", &LENGTH).unwrap_err().message, "\"5\" has no unit; expected a length (m)");
    }

    #[test]
    fn typed_pressures_have_a_unit_or_are_in_pascal() {
        assert_eq!(typed_pressure("1.5 MPa"), Ok(1.5e6));
        assert_eq!((typed_pressure(" -3"), typed_pressure("0"), typed_pressure("1e5")), (Ok(-3.0), Ok(0.0), Ok(1e5)));
        assert!(typed_pressure("5 m").unwrap_err().contains("expected a pressure (Pa); write for example \"1 MPa\""));
        for text in ["", "inf", "nan", "1e300", "1e-9", "stiff"] {
            assert!(typed_pressure(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_unknown_unit_finds_the_nearest() {
        let e = read("1 Mpa", &PRESSURE).unwrap_err();
        assert_eq!((e.message.as_str(), e.help.as_str()), ("unknown unit `Mpa` in \"1 Mpa\"", "did you mean `MPa`?"));
    }

    #[test]
    fn a_power_without_its_sign_finds_it() {
        for (text, meant) in [("80 g/m2", "80 g/m^2"), ("9.81 m/s2 ", "9.81 m/s^2"), ("3 m s-2", "3 m s^-2")] {
            assert_eq!(read(text, &AREA_DENSITY).unwrap_err().help, format!("did you mean \"{meant}\"?"));
        }
        assert!(read("5 /2", &LENGTH).unwrap_err().help.starts_with("known units"));
    }

    #[test]
    fn articles_fit_their_words() {
        assert_eq!(read("1 m", &ANGLE).unwrap_err().message, "\"1 m\" is a length (m); expected an angle (deg)");
        assert_eq!(
            read("1 m/s^2", &LENGTH).unwrap_err().message,
            "\"1 m/s^2\" is an acceleration (m/s^2); expected a length (m)"
        );
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "m",
            "--5 m",
            "5 m^",
            "5 m^99",
            "5 m^9 m^9 m^9 m^9 m^9 m^9 m^9 m^9 m^9 m^9 m^9 m^9 m^9 m^9 m^9",
            "inf m",
            "1e999 m",
            "5 /",
            "5 m/",
            "5 µ",
            "5 ^2",
            ".",
            "+",
            "5 m 5",
            "1e",
            "e5 m",
        ] {
            assert!(read(text, &LENGTH).is_err(), "{text:?} was taken for a length");
        }
    }
}
