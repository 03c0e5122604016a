//! Bodies of tetrahedra.

use super::{LIMIT_STIFFNESS, ModelBuilder, Placed, load};
use crate::material::hyperelastic::HyperelasticTet;
use crate::material::{ArapTet, CorotatedTet, SolidLaw, SplineTet, StrainLimitTet, VolumeLimitTet};
use crate::mesh::{topology, turned_over};
use crate::model::ModelError;
use crate::scene::{Elasticity, Solid};
use std::path::Path;

impl ModelBuilder {
    pub(super) fn add_solid(&mut self, solid: &Solid, folder: &Path, seed: u64) -> Result<(), ModelError> {
        let mut mesh = load(&solid.name, &solid.mesh, solid.placement.scale, folder)?;
        if mesh.tets.is_empty() {
            let hint =
                "a solid needs a tetrahedron mesh (.msh, .vtk, .vtu or .node/.ele); a surface belongs to a [[cloth]]";
            return Err(ModelError::Empty { body: solid.name.clone(), expected: "tetrahedra", hint });
        }
        let turned = turned_over(mesh.orient_tets());
        self.model.warnings.extend(turned.map(|told| format!("body '{}': {told}", solid.name)));
        mesh.triangles = topology::boundary_triangles(mesh.points.len(), &mesh.tets);
        if mesh.triangles.is_empty() {
            let reason = "it has no surface, because each face belongs to two tetrahedra, so nobody could see it; a \
                          tetrahedron is probably there twice: `pliant mesh check FILE` shows which";
            return Err(ModelError::Shape { body: solid.name.clone(), reason: reason.to_string() });
        }
        let volumes = topology::vertex_volumes(&mesh.points, &mesh.tets);
        let scale = solid.placement.scale.powi(3) * solid.density;
        let mass: Vec<f64> = volumes.iter().map(|volume| volume * scale).collect();
        let placed = self.place(&solid.name, mesh, &solid.placement, &mass, solid.thickness, seed);
        let edges = topology::edges(&placed.mesh);
        self.model.edges.extend(edges.iter().map(|e| e.map(|i| i + placed.first)));
        let tets = &placed.mesh.tets;
        let wrong = |source| ModelError::Law { body: solid.name.clone(), source };
        let law = SolidLaw::of(solid).map_err(wrong)?;
        self.add_tets(&law, solid.conversion, &placed)?;
        // Of Young's modulus as it was given: as-rigid-as-possible tetrahedra know the shear modulus alone.
        let stiffness = LIMIT_STIFFNESS
            * match solid.elasticity {
                Elasticity::Moduli { youngs_modulus, .. } => youngs_modulus,
                _ => law.youngs_modulus(),
            };
        if let Some(range) = solid.strain_limit {
            placed.fill("tet", tets, &mut self.tet_strain_limits, |r| StrainLimitTet::new(r, stiffness, range))?;
        }
        if let Some(range) = solid.volume_limit {
            placed.fill("tet", tets, &mut self.volume_limits, |r| VolumeLimitTet::new(r, stiffness, range))?;
        }
        Ok(())
    }

    /// A tetrahedron of the law for each of the mesh.
    fn add_tets(&mut self, law: &SolidLaw, conversion: bool, placed: &Placed) -> Result<(), ModelError> {
        let tets = &placed.mesh.tets;
        match law {
            SolidLaw::Arap { kappa } => {
                placed.fill("tet", tets, &mut self.arap_tets, |rest| ArapTet::new(rest, *kappa))
            }
            SolidLaw::Corotated(lame) => {
                placed.fill("tet", tets, &mut self.corotated_tets, |rest| CorotatedTet::new(rest, *lame))
            }
            SolidLaw::StVenantKirchhoff(density) => placed.fill("tet", tets, &mut self.stvk_tets, |rest| {
                let tet = HyperelasticTet::new(rest, *density)?;
                Ok(if conversion { tet } else { tet.never_converted() })
            }),
            SolidLaw::NeoHookean(density) => {
                placed.fill("tet", tets, &mut self.neo_hookean_tets, |rest| HyperelasticTet::new(rest, *density))
            }
            SolidLaw::MooneyRivlin(density) => {
                placed.fill("tet", tets, &mut self.mooney_rivlin_tets, |rest| HyperelasticTet::new(rest, *density))
            }
            SolidLaw::Fung(density) => {
                placed.fill("tet", tets, &mut self.fung_tets, |rest| HyperelasticTet::new(rest, *density))
            }
            SolidLaw::StableNeoHookean(density) => {
                placed.fill("tet", tets, &mut self.stable_neo_hookean_tets, |rest| HyperelasticTet::new(rest, *density))
            }
            SolidLaw::Spline(material) => {
                placed.fill("tet", tets, &mut self.spline_tets, |rest| SplineTet::new(rest, **material))
            }
        }
    }
}
