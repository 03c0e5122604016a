use crate::math::Vec3;

fn corners<const N: usize>(points: &[[f64; 3]], stencil: &[u32; N]) -> [Vec3<f64>; N] {
    stencil.map(|i| Vec3::of(points[i as usize]))
}

/// Twice the triangle's area along its normal, m².
fn doubled_area(points: &[[f64; 3]], triangle: &[u32; 3]) -> Vec3<f64> {
    let [a, b, c] = corners(points, triangle);
    (b - a).cross(c - a)
}

/// Volume of a tetrahedron, m³; negative if it is inverted.
pub fn signed_volume(points: &[[f64; 3]], tet: &[u32; 4]) -> f64 {
    let [a, b, c, d] = corners(points, tet);
    (b - a).dot((c - a).cross(d - a)) / 6.0
}

/// The area each vertex stands for, m²: a third of each of its triangles.
pub fn vertex_areas(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Vec<f64> {
    let mut areas = vec![0.0; points.len()];
    for triangle in triangles {
        let third = doubled_area(points, triangle).length() / 6.0;
        triangle.iter().for_each(|&v| areas[v as usize] += third);
    }
    areas
}

/// The volume each vertex stands for, m³: a quarter of each of its tets, inverted or not.
pub fn vertex_volumes(points: &[[f64; 3]], tets: &[[u32; 4]]) -> Vec<f64> {
    let mut volumes = vec![0.0; points.len()];
    for tet in tets {
        let quarter = signed_volume(points, tet).abs() / 4.0;
        tet.iter().for_each(|&v| volumes[v as usize] += quarter);
    }
    volumes
}

/// Unit normals at the vertices, averaged over their triangles by area; zero where a vertex has no triangle or its
/// triangles cancel out.
pub fn vertex_normals(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Vec<[f64; 3]> {
    let mut normals = vec![Vec3::ZERO; points.len()];
    for triangle in triangles {
        let normal = doubled_area(points, triangle);
        triangle.iter().for_each(|&v| normals[v as usize] += normal);
    }
    normals.into_iter().map(|n: Vec3<f64>| n.unit_or(Vec3::ZERO).f64()).collect()
}
