// Which vertex is under the pointer.

import type * as THREE from "three";

export interface Hit {
  /** Along the ray, m. */
  distance: number;
  vertex: number;
}

/** The nearest triangle that a ray meets from either side, and of its corners the nearest to where (Möller and Trumbore 1997). */
export function meet(ray: THREE.Ray, x: Float32Array, triangles: Uint32Array): Hit | null {
  const { x: ox, y: oy, z: oz } = ray.origin;
  const { x: dx, y: dy, z: dz } = ray.direction;
  let nearest = Infinity;
  let triangle = -1;
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    const e1x = x[b] - x[a], e1y = x[b + 1] - x[a + 1], e1z = x[b + 2] - x[a + 2];
    const e2x = x[c] - x[a], e2y = x[c + 1] - x[a + 1], e2z = x[c + 2] - x[a + 2];
    const px = dy * e2z - dz * e2y, py = dz * e2x - dx * e2z, pz = dx * e2y - dy * e2x;
    const determinant = e1x * px + e1y * py + e1z * pz;
    if (determinant === 0) continue;
    const inverse = 1 / determinant;
    const sx = ox - x[a], sy = oy - x[a + 1], sz = oz - x[a + 2];
    const u = (sx * px + sy * py + sz * pz) * inverse;
    if (u < 0 || u > 1) continue;
    const qx = sy * e1z - sz * e1y, qy = sz * e1x - sx * e1z, qz = sx * e1y - sy * e1x;
    const v = (dx * qx + dy * qy + dz * qz) * inverse;
    if (v < 0 || u + v > 1) continue;
    const distance = (e2x * qx + e2y * qy + e2z * qz) * inverse;
    if (distance > 0 && distance < nearest) {
      nearest = distance;
      triangle = t;
    }
  }
  if (triangle < 0) return null;
  const hit = [ox + nearest * dx, oy + nearest * dy, oz + nearest * dz];
  let vertex = -1;
  let closest = Infinity;
  for (let k = 0; k < 3; k++) {
    const v = triangles[triangle + k];
    const far = Math.hypot(x[3 * v] - hit[0], x[3 * v + 1] - hit[1], x[3 * v + 2] - hit[2]);
    if (far < closest) {
      closest = far;
      vertex = v;
    }
  }
  return { distance: nearest, vertex };
}

/** Of `candidates` (all vertices if null) the one nearest to the ray, as an angle below `angle`. */
export function beside(ray: THREE.Ray, x: Float32Array, angle: number, candidates: readonly number[] | null): Hit | null {
  const { x: ox, y: oy, z: oz } = ray.origin;
  const { x: dx, y: dy, z: dz } = ray.direction;
  const count = candidates ? candidates.length : x.length / 3;
  let best: Hit | null = null;
  let least = Math.sin(angle) ** 2;
  for (let i = 0; i < count; i++) {
    const v = candidates ? candidates[i] : i;
    const px = x[3 * v] - ox, py = x[3 * v + 1] - oy, pz = x[3 * v + 2] - oz;
    const along = px * dx + py * dy + pz * dz;
    if (along <= 0) continue;
    const whole = px * px + py * py + pz * pz;
    const sine = (whole - along * along) / whole;
    if (sine < least) {
      least = sine;
      best = { distance: along, vertex: v };
    }
  }
  return best;
}
