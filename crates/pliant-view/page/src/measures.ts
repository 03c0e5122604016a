// What the colours show, per vertex and from positions alone.

/** Rest lengths of edges, m. */
export function restLengths(rest: Float32Array, edges: Uint32Array): Float32Array {
  const lengths = new Float32Array(edges.length / 2);
  for (let e = 0; e < lengths.length; e++) {
    const a = 3 * edges[2 * e];
    const b = 3 * edges[2 * e + 1];
    lengths[e] = Math.hypot(rest[a] - rest[b], rest[a + 1] - rest[b + 1], rest[a + 2] - rest[b + 2]);
  }
  return lengths;
}

/** Of the edges at a vertex the stretch that is farthest from none: 0.01 is 1 % too long, negative is too short. */
export function stretches(x: Float32Array, edges: Uint32Array, lengths: Float32Array, into: Float32Array): void {
  into.fill(0);
  for (let e = 0; e < lengths.length; e++) {
    if (lengths[e] <= 0) continue;
    const i = edges[2 * e];
    const j = edges[2 * e + 1];
    const dx = x[3 * i] - x[3 * j];
    const dy = x[3 * i + 1] - x[3 * j + 1];
    const dz = x[3 * i + 2] - x[3 * j + 2];
    const stretch = Math.sqrt(dx * dx + dy * dy + dz * dz) / lengths[e] - 1;
    const size = Math.abs(stretch);
    if (size > Math.abs(into[i])) into[i] = stretch;
    if (size > Math.abs(into[j])) into[j] = stretch;
  }
}

/** Speeds, m/s, of vertices that were at `before` `seconds` ago. */
export function speeds(x: Float32Array, before: Float32Array, seconds: number, into: Float32Array): void {
  const per = 1 / seconds;
  for (let i = 0, v = 0; v < into.length; v++, i += 3) {
    const dx = x[i] - before[i];
    const dy = x[i + 1] - before[i + 1];
    const dz = x[i + 2] - before[i + 2];
    into[v] = Math.sqrt(dx * dx + dy * dy + dz * dz) * per;
  }
}

/** Vertex normals weighted by area, not of unit length: the vertex shader makes them so. */
export function normals(x: Float32Array, triangles: Uint32Array, into: Float32Array): void {
  into.fill(0);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t];
    const b = 3 * triangles[t + 1];
    const c = 3 * triangles[t + 2];
    const ux = x[b] - x[a], uy = x[b + 1] - x[a + 1], uz = x[b + 2] - x[a + 2];
    const vx = x[c] - x[a], vy = x[c + 1] - x[a + 1], vz = x[c + 2] - x[a + 2];
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    into[a] += nx; into[a + 1] += ny; into[a + 2] += nz;
    into[b] += nx; into[b + 1] += ny; into[b + 2] += nz;
    into[c] += nx; into[c + 1] += ny; into[c + 2] += nz;
  }
}

/** Each edge of triangles once. */
export function outlines(triangles: Uint32Array, vertices: number): Uint32Array {
  const seen = new Set<number>();
  const lines: number[] = [];
  for (let t = 0; t < triangles.length; t += 3) {
    for (let k = 0; k < 3; k++) {
      const i = triangles[t + k];
      const j = triangles[t + ((k + 1) % 3)];
      const key = Math.min(i, j) * vertices + Math.max(i, j);
      if (seen.has(key)) continue;
      seen.add(key);
      lines.push(i, j);
    }
  }
  return Uint32Array.from(lines);
}
