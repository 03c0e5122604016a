// The moving meshes of one view. Buffers are made with the topology and only written to afterwards.

import * as THREE from "three";
import { dequantise, type Frame, type Topology } from "./protocol.ts";
import { normals, outlines } from "./measures.ts";
import type { Painted } from "./colouring.ts";

/** The back of cloth is paler, so that a fold tells which side it shows. */
function clothMaterial(): THREE.Material {
  const material = new THREE.MeshStandardMaterial({
    vertexColors: true, roughness: 0.82, metalness: 0, side: THREE.DoubleSide, shadowSide: THREE.DoubleSide,
  });
  material.onBeforeCompile = (shader) => {
    shader.fragmentShader = shader.fragmentShader.replace(
      "#include <color_fragment>",
      "#include <color_fragment>\nif (!gl_FrontFacing) diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.82), 0.38);",
    );
  };
  return material;
}

function solidMaterial(): THREE.Material {
  return new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.7, metalness: 0 });
}

export class Bodies implements Painted {
  readonly group = new THREE.Group();
  readonly x: Float32Array;
  readonly before: Float32Array;
  readonly colours: Float32Array;
  seconds = 0;
  /** The one that is drawn. */
  frame!: Frame;
  private readonly normal: Float32Array;
  private readonly attributes: THREE.BufferAttribute[];
  private lines: THREE.LineSegments | null = null;
  private hasFrame = false;

  constructor(private readonly topology: Topology) {
    const size = 3 * topology.info.vertices;
    this.x = Float32Array.from(topology.rest);
    this.before = new Float32Array(size);
    this.normal = new Float32Array(size);
    this.colours = new Float32Array(size);
    this.attributes = [this.x, this.normal, this.colours].map((array) => {
      const attribute = new THREE.BufferAttribute(array, 3);
      attribute.setUsage(THREE.DynamicDrawUsage);
      return attribute;
    });
    for (const solid of [false, true]) {
      const parts = topology.info.bodies.filter((body) => body.solid === solid);
      if (parts.length === 0) continue;
      const corners = new Uint32Array(3 * parts.reduce((sum, body) => sum + body.triangles, 0));
      let at = 0;
      for (const body of parts) {
        corners.set(topology.triangles.subarray(3 * body.first_triangle, 3 * (body.first_triangle + body.triangles)), at);
        at += 3 * body.triangles;
      }
      const mesh = new THREE.Mesh(this.geometry(corners), solid ? solidMaterial() : clothMaterial());
      mesh.frustumCulled = false;
      mesh.castShadow = true;
      mesh.receiveShadow = true;
      this.group.add(mesh);
    }
  }

  private geometry(index: Uint32Array): THREE.BufferGeometry {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", this.attributes[0]);
    geometry.setAttribute("normal", this.attributes[1]);
    geometry.setAttribute("color", this.attributes[2]);
    geometry.setIndex(new THREE.BufferAttribute(index, 1));
    return geometry;
  }

  get ready(): boolean {
    return this.hasFrame;
  }

  show(frame: Frame): void {
    const seconds = this.hasFrame ? Math.abs(frame.info.time - this.frame.info.time) : 0;
    // The same moment again, as after a change of settings: keep the speeds there were.
    if (seconds > 0 || !this.hasFrame) {
      this.before.set(this.x);
      this.seconds = seconds < 0.5 ? seconds : 0;
    }
    this.frame = frame;
    this.hasFrame = true;
    dequantise(frame, this.x);
    normals(this.x, this.topology.triangles, this.normal);
    this.attributes[0].needsUpdate = true;
    this.attributes[1].needsUpdate = true;
  }

  /** Where things were a frame ago, for whoever jumps in time. */
  cameFrom(frame: Frame): void {
    this.hasFrame = false;
    this.show(frame);
  }

  coloursChanged(): void {
    this.attributes[2].needsUpdate = true;
  }

  wireframe(on: boolean): void {
    if (on && !this.lines) {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", this.attributes[0]);
      geometry.setIndex(new THREE.BufferAttribute(outlines(this.topology.triangles, this.topology.info.vertices), 1));
      const material = new THREE.LineBasicMaterial({ color: 0x101418, transparent: true, opacity: 0.55 });
      pullForward(material);
      this.lines = new THREE.LineSegments(geometry, material);
      this.lines.frustumCulled = false;
      this.group.add(this.lines);
    }
    if (this.lines) this.lines.visible = on;
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const part of this.group.children) {
      const drawn = part as THREE.Mesh;
      drawn.geometry.dispose();
      (drawn.material as THREE.Material).dispose();
    }
  }
}

/** Draws a little nearer than it is, so that lines and points on a surface are not half inside it. */
export function pullForward(material: THREE.Material): void {
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader.replace(
      "#include <project_vertex>",
      "#include <project_vertex>\ngl_Position = projectionMatrix * vec4(0.9985 * mvPosition.xyz, 1.0);",
    );
  };
}
