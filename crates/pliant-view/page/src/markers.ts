// Pins, what is in a hand, and the thread from the grabbed vertex to where it is to be.

import * as THREE from "three";
import type { Vec3 } from "./messages.ts";
import { pullForward } from "./bodies.ts";

const PIN = 0xd1495b;
const HELD = 0x2f9e6e;

/** Round points of a fixed size on the screen, as many as there are places for. */
class Dots {
  readonly points: THREE.Points<THREE.BufferGeometry, THREE.PointsMaterial>;
  private position = new THREE.BufferAttribute(new Float32Array(0), 3);

  constructor(colour: number, private readonly size: number) {
    const material = new THREE.PointsMaterial({ color: colour, size, sizeAttenuation: false });
    pullForward(material);
    const nearer = material.onBeforeCompile;
    material.onBeforeCompile = (shader, renderer) => {
      nearer(shader, renderer);
      shader.fragmentShader = shader.fragmentShader.replace(
        "#include <color_fragment>",
        `#include <color_fragment>
        float rim = length(gl_PointCoord - 0.5);
        if (rim > 0.5) discard;
        if (rim > 0.36) diffuseColor.rgb = vec3(1.0);`,
      );
    };
    this.points = new THREE.Points(new THREE.BufferGeometry(), material);
    this.points.frustumCulled = false;
    this.points.visible = false;
  }

  /** Where there are many they would hide what they are on. */
  private fit(count: number): void {
    this.points.material.size = this.size * (count <= 20 ? 1 : count <= 200 ? 0.65 : 0.4);
  }

  /** Copies the places of `vertices`; room is made only when there are more than ever. */
  place(vertices: readonly number[], x: Float32Array): void {
    this.points.visible = vertices.length > 0;
    this.fit(vertices.length);
    if (3 * vertices.length > this.position.array.length) {
      this.position = new THREE.BufferAttribute(new Float32Array(6 * vertices.length), 3);
      this.points.geometry.setAttribute("position", this.position);
    }
    const { array } = this.position;
    for (let i = 0; i < vertices.length; i++) {
      const v = 3 * vertices[i];
      array[3 * i] = x[v];
      array[3 * i + 1] = x[v + 1];
      array[3 * i + 2] = x[v + 2];
    }
    this.position.needsUpdate = true;
    this.points.geometry.setDrawRange(0, vertices.length);
  }
}

export class Markers {
  readonly group = new THREE.Group();
  pins: readonly number[] = [];
  private readonly pinDots = new Dots(PIN, 11);
  private readonly heldDots = new Dots(HELD, 11);
  private readonly target = new Dots(HELD, 15);
  private readonly thread: THREE.LineSegments;
  private readonly ends = new THREE.BufferAttribute(new Float32Array(6), 3);
  private readonly targetAt = new Float32Array(3);
  private grabbed = -1;

  constructor() {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", this.ends);
    const material = new THREE.LineBasicMaterial({ color: HELD, depthTest: false, transparent: true });
    this.thread = new THREE.LineSegments(geometry, material);
    this.thread.frustumCulled = false;
    this.thread.visible = false;
    this.target.points.material.depthTest = false;
    this.target.points.renderOrder = 2;
    this.thread.renderOrder = 1;
    this.group.add(this.pinDots.points, this.heldDots.points, this.thread, this.target.points);
  }

  /** The hand has `vertex` and wants it at `target`. */
  hand(vertex: number, target: Vec3): void {
    this.grabbed = vertex;
    this.targetAt.set(target);
  }

  letGo(): void {
    this.grabbed = -1;
  }

  /** Follows the positions of the view that is drawn next. */
  place(x: Float32Array, held: readonly number[]): void {
    this.pinDots.place(this.pins, x);
    this.heldDots.place(held, x);
    const pulling = this.grabbed >= 0 && 3 * this.grabbed < x.length;
    this.thread.visible = pulling;
    this.target.place(pulling ? [0] : [], this.targetAt);
    if (!pulling) return;
    for (let k = 0; k < 3; k++) {
      this.ends.array[k] = x[3 * this.grabbed + k];
      this.ends.array[3 + k] = this.targetAt[k];
    }
    this.ends.needsUpdate = true;
  }
}
