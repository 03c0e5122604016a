//! Young's modulus and Poisson's ratio to Lamé's parameters: the only place where they are converted.
//!
//! Solid: μ = E/(2(1+ν)), λ = Eν/((1+ν)(1−2ν)). Membrane (plane stress: free to get thinner): the same μ and
//! λ = Eν/(1−ν²), with E times thickness in N/m. Timoshenko and Goodier, "Theory of elasticity", sections 6 and 11.

use super::MaterialError;
use super::error::not_negative;

/// Lamé's parameters: Pa for a solid, N/m for a membrane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LameParameters {
    /// μ, the shear modulus.
    pub mu: f64,
    /// λ.
    pub lambda: f64,
}

impl LameParameters {
    /// K = λ + 2/3 μ of a solid, Pa.
    pub fn bulk_modulus(&self) -> f64 {
        self.lambda + 2.0 / 3.0 * self.mu
    }

    /// Of a solid with Young's modulus in Pa; Poisson's ratio in (−1, 1/2).
    pub fn solid(youngs_modulus: f64, poisson_ratio: f64) -> Result<Self, MaterialError> {
        let E = not_negative("solid", "Young's modulus", youngs_modulus, "a finite number >= 0 Pa")?;
        let nu = between("solid", poisson_ratio, 0.5, "more than -1 and less than 0.5")?;
        Ok(Self { mu: E / (2.0 * (1.0 + nu)), lambda: E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)) })
    }

    /// Of a membrane in plane stress with Young's modulus times thickness in N/m; Poisson's ratio in (−1, 1).
    pub fn membrane(youngs_modulus_times_thickness: f64, poisson_ratio: f64) -> Result<Self, MaterialError> {
        let E = not_negative(
            "membrane",
            "Young's modulus times thickness",
            youngs_modulus_times_thickness,
            "a finite number >= 0 N/m",
        )?;
        let nu = between("membrane", poisson_ratio, 1.0, "more than -1 and less than 1")?;
        Ok(Self { mu: E / (2.0 * (1.0 + nu)), lambda: E * nu / (1.0 - nu * nu) })
    }
}

/// Stiffness along warp, along weft and in shear, N/m, of Baraff and Witkin's cloth with the same response to pulling
/// one thread direction (E) and to shear (μ) as an isotropic membrane. Its directions are not coupled: ν enters μ only.
pub fn warp_weft_shear(youngs_modulus_times_thickness: f64, poisson_ratio: f64) -> Result<[f64; 3], MaterialError> {
    let lame = LameParameters::membrane(youngs_modulus_times_thickness, poisson_ratio)?;
    Ok([youngs_modulus_times_thickness, youngs_modulus_times_thickness, lame.mu])
}

fn between(element: &'static str, nu: f64, high: f64, expected: &'static str) -> Result<f64, MaterialError> {
    if nu > -1.0 && nu < high {
        Ok(nu)
    } else {
        Err(MaterialError::BadParameter { element, parameter: "Poisson's ratio", found: nu, expected })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pulling_a_bar_takes_youngs_modulus_and_thins_it_by_poissons_ratio() {
        let (E, nu) = (3.0e6, 0.37);
        let LameParameters { mu, lambda } = LameParameters::solid(E, nu).unwrap();
        let strain = [1.0, -nu, -nu];
        let trace: f64 = strain.iter().sum();
        let stress = strain.map(|e| 2.0 * mu * e + lambda * trace);
        assert!((stress[0] - E).abs() < 1e-9 * E && stress[1].abs() < 1e-9 * E);
    }

    #[test]
    fn pulling_a_sheet_takes_youngs_modulus_and_thins_it_by_poissons_ratio() {
        let (E, nu) = (500.0, 0.3);
        let LameParameters { mu, lambda } = LameParameters::membrane(E, nu).unwrap();
        let strain = [1.0, -nu];
        let stress = strain.map(|e| 2.0 * mu * e + lambda * (1.0 - nu));
        assert!((stress[0] - E).abs() < 1e-9 * E && stress[1].abs() < 1e-9 * E);
        assert_eq!(warp_weft_shear(E, nu).unwrap(), [E, E, mu]);
    }

    #[test]
    fn impossible_constants_are_refused_with_their_range() {
        let error = LameParameters::solid(1e6, 0.5).unwrap_err().to_string();
        assert!(error.contains("Poisson's ratio is 0.5") && error.contains("less than 0.5"), "{error}");
        assert!(LameParameters::solid(-1.0, 0.3).is_err());
        assert!(LameParameters::solid(f64::NAN, 0.3).is_err());
        assert!(LameParameters::membrane(1.0, f64::NAN).is_err());
        assert!(LameParameters::membrane(1.0, 0.5).is_ok());
    }
}
