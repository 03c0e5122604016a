// The moving meshes of one view. Buffers are made with the topology and only written to afterwards.

import * as THREE from "three";
import { dequantise, type Frame, type Topology } from "./protocol.ts";
import { normals, outlines } from "./measures.ts";
import type { Painted } from "./colouring.ts";
import { CLASSES, linear, parse } from "./palette.ts";

const CLASS_COLOURS = CLASSES.map((hex) => new THREE.Vector3(...linear(parse(hex))));

/**
 * Neighbours have different classes, and a mixture of two colours would be that of a third: with BY_CLASS each point has the
 * colour of the corner that it is nearest to. Weights of classes are interpolated, and the largest one decides.
 */
const CLASS_VERTEX = `
#ifdef BY_CLASS
  vClassA = vec4(equal(vec4(colourClass), vec4(0.0, 1.0, 2.0, 3.0)));
  vClassB = vec4(equal(vec4(colourClass), vec4(4.0, 5.0, 6.0, 7.0)));
  vClassC = vec4(equal(vec4(colourClass), vec4(8.0, 9.0, 10.0, 11.0)));
#endif`;
const CLASS_FRAGMENT = `
#ifdef BY_CLASS
  float most = 0.0;
  for (int i = 0; i < 4; i++) {
    if (vClassA[i] > most) { most = vClassA[i]; diffuseColor.rgb = classColours[i]; }
    if (vClassB[i] > most) { most = vClassB[i]; diffuseColor.rgb = classColours[4 + i]; }
    if (vClassC[i] > most) { most = vClassC[i]; diffuseColor.rgb = classColours[8 + i]; }
  }
#endif`;

function paintClasses(shader: THREE.WebGLProgramParametersWithUniforms): void {
  const weights = "varying vec4 vClassA;\nvarying vec4 vClassB;\nvarying vec4 vClassC;\n";
  shader.uniforms.classColours = { value: CLASS_COLOURS };
  shader.vertexShader = `#ifdef BY_CLASS\nattribute float colourClass;\n${weights}#endif\n${shader.vertexShader}`
    .replace("#include <color_vertex>", `#include <color_vertex>${CLASS_VERTEX}`);
  shader.fragmentShader = `#ifdef BY_CLASS\nuniform vec3 classColours[${CLASSES.length}];\n${weights}#endif\n${shader.fragmentShader}`
    .replace("#include <color_fragment>", `#include <color_fragment>${CLASS_FRAGMENT}`);
}

/** The back of cloth is paler, so that a fold tells which side it shows. */
function clothMaterial(): THREE.Material {
  const material = new THREE.MeshStandardMaterial({
    vertexColors: true, roughness: 0.82, metalness: 0, side: THREE.DoubleSide, shadowSide: THREE.DoubleSide,
  });
  material.onBeforeCompile = (shader) => {
    paintClasses(shader);
    shader.fragmentShader = shader.fragmentShader.replace(
      "#include <roughnessmap_fragment>",
      "#include <roughnessmap_fragment>\n#ifndef BY_CLASS\nif (!gl_FrontFacing) diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.82), 0.38);\n#endif",
    );
  };
  return material;
}

function solidMaterial(): THREE.Material {
  const material = new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.7, metalness: 0 });
  material.onBeforeCompile = (shader) => paintClasses(shader);
  return material;
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
  private readonly colourClass: THREE.BufferAttribute;
  private readonly materials: THREE.Material[] = [];
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
    this.colourClass = new THREE.BufferAttribute(Float32Array.from(topology.colourClass, (one) => one % CLASSES.length), 1);
    for (const solid of [false, true]) {
      const parts = topology.info.bodies.filter((body) => body.solid === solid);
      if (parts.length === 0) continue;
      const corners = new Uint32Array(3 * parts.reduce((sum, body) => sum + body.triangles, 0));
      let at = 0;
      for (const body of parts) {
        corners.set(topology.triangles.subarray(3 * body.first_triangle, 3 * (body.first_triangle + body.triangles)), at);
        at += 3 * body.triangles;
      }
      const material = solid ? solidMaterial() : clothMaterial();
      this.materials.push(material);
      const mesh = new THREE.Mesh(this.geometry(corners), material);
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
    geometry.setAttribute("colourClass", this.colourClass);
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

  /** In colours of classes, not of vertices. */
  byClass(on: boolean): void {
    for (const material of this.materials) {
      if ("BY_CLASS" in material.defines! === on) continue;
      if (on) material.defines!.BY_CLASS = "";
      else delete material.defines!.BY_CLASS;
      material.needsUpdate = true;
    }
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
