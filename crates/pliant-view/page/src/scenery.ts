// What bodies lie on and bump into. Shared by both views; what moves is put in place before each is drawn.

import * as THREE from "three";
import type { Topology } from "./protocol.ts";
import type { FrameInfo, SceneryInfo } from "./messages.ts";
import { linear } from "./palette.ts";
import { theme, whenThemeChanges } from "./theme.ts";
import { roundUp } from "./units.ts";

/** Shared by all grounds there will be, so that a change of theme reaches the one that is shown. */
const groundColour = new THREE.Color();
const lineColour = new THREE.Color();

function tint(): void {
  groundColour.set(theme().ground);
  lineColour.set(theme().line);
}
tint();
whenThemeChanges(tint);

/** A plane that fades out, with lines each `step` metres that tell the scale. */
function groundMaterial(step: number, reach: number): THREE.Material {
  const material = new THREE.MeshLambertMaterial({ transparent: true, side: THREE.DoubleSide });
  material.color = groundColour;
  material.onBeforeCompile = (shader) => {
    shader.uniforms.lineColour = { value: lineColour };
    shader.uniforms.lineStep = { value: step };
    shader.uniforms.reach = { value: reach };
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec2 onGround;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nonGround = position.xy;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec2 onGround; uniform vec3 lineColour; uniform float lineStep, reach;")
      .replace("#include <color_fragment>", `
        vec2 cell = onGround / lineStep;
        vec2 width = fwidth(cell);
        vec2 near = abs(fract(cell - 0.5) - 0.5) / width;
        float grid = (1.0 - min(min(near.x, near.y), 1.0)) * (1.0 - smoothstep(0.15, 0.5, max(width.x, width.y)));
        diffuseColor.rgb = mix(diffuseColor.rgb, lineColour, 0.45 * grid);
        diffuseColor.a *= 1.0 - smoothstep(0.25 * reach, reach, length(onGround));`);
  };
  return material;
}

/** An endless plane through the points of `mesh`, around the middle of what is seen. */
function ground(points: Float32Array, triangles: Uint32Array, info: Topology["info"]): THREE.Mesh | null {
  if (triangles.length < 3) return null;
  const [a, b, c] = [0, 1, 2].map((k) => new THREE.Vector3().fromArray(points, 3 * triangles[k]));
  const normal = b.clone().sub(a).cross(c.clone().sub(a)).normalize();
  if (normal.lengthSq() < 0.5) return null;
  const low = new THREE.Vector3(...info.low);
  const high = new THREE.Vector3(...info.high);
  const radius = Math.max(0.5 * low.distanceTo(high), 1e-3);
  const middle = low.add(high).multiplyScalar(0.5);
  const reach = 9 * radius;
  const step = roundUp(radius / 6);
  const mesh = new THREE.Mesh(new THREE.PlaneGeometry(2 * reach, 2 * reach), groundMaterial(step, reach));
  mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
  mesh.position.copy(new THREE.Plane().setFromNormalAndCoplanarPoint(normal, a).projectPoint(middle, new THREE.Vector3()));
  mesh.receiveShadow = true;
  mesh.renderOrder = -1;
  return mesh;
}

/** Triangles. */
const FINE = 50_000;

function solid(points: Float32Array, triangles: Uint32Array, colour: readonly number[]): THREE.Mesh {
  const shared = new THREE.BufferGeometry();
  shared.setAttribute("position", new THREE.BufferAttribute(points, 3));
  shared.setIndex(new THREE.BufferAttribute(triangles, 1));
  // A box keeps its edges while a sphere looks round: corners are smoothed only where they are blunt. A fine mesh has its
  // edges in the mesh.
  const fine = triangles.length > 3 * FINE;
  if (fine) shared.computeVertexNormals();
  const geometry = fine ? shared : creased(shared);
  const material = new THREE.MeshStandardMaterial({ roughness: 0.9, metalness: 0, side: THREE.DoubleSide });
  // A cloth that lies on it is nearer, whatever both meshes are like between their vertices.
  material.polygonOffset = true;
  material.polygonOffsetFactor = 2;
  material.polygonOffsetUnits = 8;
  material.color.setRGB(...linear(colour), THREE.LinearSRGBColorSpace);
  const mesh = new THREE.Mesh(geometry, material);
  mesh.castShadow = true;
  mesh.receiveShadow = true;
  return mesh;
}

/** Normals of corners, averaged over triangles at the same vertex that meet at less than 40°. */
function creased(shared: THREE.BufferGeometry): THREE.BufferGeometry {
  const blunt = Math.cos((40 * Math.PI) / 180);
  const index = shared.getIndex()!.array;
  const around = new Map<number, number[]>();
  const flat = shared.toNonIndexed();
  flat.computeVertexNormals();
  const faces = Float32Array.from(flat.getAttribute("normal").array);
  for (let corner = 0; corner < index.length; corner++) {
    const corners = around.get(index[corner]);
    if (corners) corners.push(corner);
    else around.set(index[corner], [corner]);
  }
  const normal = flat.getAttribute("normal") as THREE.BufferAttribute;
  const sum = new THREE.Vector3();
  for (let corner = 0; corner < index.length; corner++) {
    const x = faces[3 * corner], y = faces[3 * corner + 1], z = faces[3 * corner + 2];
    sum.set(0, 0, 0);
    for (const other of around.get(index[corner])!) {
      const ox = faces[3 * other], oy = faces[3 * other + 1], oz = faces[3 * other + 2];
      if (x * ox + y * oy + z * oz > blunt) sum.set(sum.x + ox, sum.y + oy, sum.z + oz);
    }
    sum.normalize();
    normal.setXYZ(corner, sum.x, sum.y, sum.z);
  }
  return flat;
}

export class Scenery {
  readonly group = new THREE.Group();
  private readonly things: (THREE.Group | null)[];

  private readonly infos: readonly SceneryInfo[];

  constructor(topology: Topology) {
    this.infos = topology.info.scenery;
    this.things = topology.scenery.map(({ points, triangles }, i) => {
      const info = topology.info.scenery[i];
      if (triangles.length === 0) return null;
      const mesh = info.endless ? ground(points, triangles, topology.info) : solid(points, triangles, info.colour);
      return mesh && new THREE.Group().add(mesh);
    });
    for (const thing of this.things) if (thing) this.group.add(thing);
  }

  place(frame: FrameInfo): void {
    for (let i = 0; i < this.things.length; i++) {
      const pose = frame.poses?.[i];
      const thing = this.things[i];
      if (!thing || !pose || pose.length !== 7) continue;
      thing.position.set(pose[0], pose[1], pose[2]);
      thing.quaternion.set(pose[3], pose[4], pose[5], pose[6]);
    }
  }

  /** Around all that ends somewhere; what moves is not in place before there is a frame. */
  box(placed: boolean): THREE.Box3 {
    const box = new THREE.Box3();
    this.things.forEach((thing, i) => {
      const { endless, moves } = this.infos[i];
      if (thing && !endless && (placed || !moves)) box.expandByObject(thing);
    });
    return box;
  }

  dispose(): void {
    this.group.removeFromParent();
    this.group.traverse((part) => {
      if (!(part instanceof THREE.Mesh)) return;
      part.geometry.dispose();
      (part.material as THREE.Material).dispose();
    });
  }
}
