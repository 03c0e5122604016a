// Camera, light and the renderer. Draws only when something changed.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { theme, whenThemeChanges } from "./theme.ts";
import type { Vec3 } from "./messages.ts";

/** A part of the canvas, CSS pixels from its top left. */
export interface Region {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Degrees. */
const FIELD = 38;
const HALF_FIELD = Math.tan(THREE.MathUtils.degToRad(FIELD / 2));
/** Part of the picture that a scene fills when it is looked at as a whole. */
const FILLED = 0.86;
/** A picture that is so many times as wide for its height, or as high for its width, is another one. */
const REFORMED = 1.25;

/** Whether pixels are computed without a graphics card, where smooth edges and shadows cost more than they show. */
function onProcessor(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  const known = gl?.getExtension("WEBGL_debug_renderer_info");
  if (!gl || !known) return false;
  const name = String(gl.getParameter(known.UNMASKED_RENDERER_WEBGL));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

function rendererOn(canvas: HTMLCanvasElement, antialias: boolean): THREE.WebGLRenderer {
  try {
    return new THREE.WebGLRenderer({ canvas, antialias, preserveDrawingBuffer: true });
  } catch {
    throw new Error("This browser gives no WebGL, without which nothing can be drawn. Switch on hardware acceleration in its settings, or take another browser.");
  }
}

export class Stage {
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(FIELD, 1, 0.01, 100);
  readonly orbit: OrbitControls;
  readonly size = new THREE.Vector2(1, 1);
  /** Called for each view before it is drawn. */
  beforeView: (view: number) => void = () => {};
  /** Called when there is more or less room. */
  resized: () => void = () => {};
  /** Somebody has turned or moved the picture, or come nearer, since a box was looked at. */
  turned = false;
  /** From how far, m, the last box was looked at, and how wide the picture was for its height. */
  private framed: { distance: number; aspect: number } | null = null;
  /** The camera is moved by nobody's hand. */
  private aiming = false;
  private views = 1;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly sky = new THREE.HemisphereLight();
  private readonly key = new THREE.DirectionalLight();
  /** From where one looks: what the key does not reach is dim and not black. */
  private readonly fill = new THREE.DirectionalLight();
  private readonly low = new THREE.Vector3(-1, 0, -1);
  private readonly high = new THREE.Vector3(1, 1, 1);
  private dirty = true;
  private slow = 0;
  private ratio = Math.min(devicePixelRatio, 2);

  constructor(readonly canvas: HTMLCanvasElement, readonly room: HTMLElement) {
    // preserveDrawingBuffer: tests and people who copy the picture read what was drawn.
    const plain = onProcessor();
    this.renderer = rendererOn(canvas, !plain);
    this.renderer.autoClear = false;
    this.renderer.shadowMap.enabled = !plain;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(2048, 2048);
    this.key.shadow.bias = -0.0004;
    this.key.shadow.radius = 3;
    this.key.shadow.intensity = 0.72;
    this.camera.add(this.fill, this.fill.target);
    this.fill.target.position.set(0, 0, -1);
    this.scene.add(this.sky, this.key, this.key.target, this.camera);
    this.orbit = new OrbitControls(this.camera, canvas);
    this.orbit.enableDamping = false;
    this.orbit.maxPolarAngle = Math.PI * 0.95;
    this.orbit.addEventListener("change", () => {
      if (!this.aiming) this.turned = true;
      this.redraw();
    });
    this.paint();
    whenThemeChanges(() => this.paint());
    new ResizeObserver(() => this.resize()).observe(room);
    this.resize();
  }

  redraw(): void {
    this.dirty = true;
  }

  private paint(): void {
    const now = theme();
    this.scene.background = new THREE.Color(now.background);
    this.sky.color.set(0xffffff);
    this.sky.groundColor.set(now.below);
    this.sky.intensity = now.sky;
    this.key.color.set(0xfff6ea);
    this.key.intensity = now.key;
    this.fill.intensity = now.fill;
    this.redraw();
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.room;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.size.set(clientWidth, clientHeight);
    this.renderer.setPixelRatio(this.ratio);
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.redraw();
    this.resized();
    this.refit(this.views);
  }

  /** Where view `view` of `views` is drawn: side by side, or one above the other where that leaves more room. */
  region(view: number, views: number): Region {
    const { x: width, y: height } = this.size;
    if (views === 1) return { x: 0, y: 0, width, height };
    if (width > height) return { x: view * Math.ceil(width / 2), y: 0, width: Math.floor(width / 2), height };
    return { x: 0, y: view * Math.ceil(height / 2), width, height: Math.floor(height / 2) };
  }

  /** The camera as a view there has it. The narrower side always sees the same angle, so that half a window shows what the whole did. */
  aim(region: Region): void {
    const aspect = region.width / region.height;
    if (Math.abs(aspect - this.camera.aspect) > 1e-6) {
      this.camera.aspect = aspect;
      this.camera.fov = THREE.MathUtils.radToDeg(2 * Math.atan(HALF_FIELD / Math.min(1, aspect)));
      this.camera.updateProjectionMatrix();
    }
    this.camera.updateMatrixWorld();
  }

  /** Looks at a box from the front, a little from above and from the right, and from so many times as far as needed. */
  frame(low: Vec3, high: Vec3, views: number, farther = 1): void {
    this.low.fromArray(low);
    this.high.fromArray(high);
    const middle = this.low.clone().add(this.high).multiplyScalar(0.5);
    const radius = Math.max(0.5 * this.low.distanceTo(this.high), 1e-3);
    const direction = new THREE.Vector3(0.42, 0.38, 1).normalize();
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((k) => [
      k & 1 ? this.low.x : this.high.x, k & 2 ? this.low.y : this.high.y, k & 4 ? this.low.z : this.high.z,
    ]);
    const region = this.region(0, views);
    const distance = this.distanceToSee(corners, middle, direction, region);
    this.camera.position.copy(middle).addScaledVector(direction, farther * distance);
    this.framed = { distance, aspect: region.width / region.height };
    this.turned = false;
    this.views = views;
    this.camera.near = 0.01 * radius;
    this.camera.far = 60 * radius;
    this.camera.updateProjectionMatrix();
    this.orbit.target.copy(middle);
    this.orbit.minDistance = 0.05 * radius;
    this.orbit.maxDistance = 20 * radius;
    this.light(middle, radius);
    this.settle();
  }

  /** The same box again where the picture has another form now, unless somebody has turned it. */
  refit(views: number): void {
    this.views = views;
    if (!this.framed || this.turned) return;
    const { width, height } = this.region(0, views);
    const change = width / height / this.framed.aspect;
    if (Math.max(change, 1 / change) < REFORMED) return;
    this.frame(this.low.toArray(), this.high.toArray(), views, this.distance / this.framed.distance);
  }

  private settle(): void {
    this.aiming = true;
    this.orbit.update();
    this.aiming = false;
    this.redraw();
  }

  /** How far from the middle all points are in the picture. */
  private distanceToSee(points: ArrayLike<number>, middle: THREE.Vector3, direction: THREE.Vector3, region: Region): number {
    this.aim(region);
    const up = FILLED * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2));
    const side = up * this.camera.aspect;
    const right = new THREE.Vector3(0, 1, 0).cross(direction).normalize();
    const above = direction.clone().cross(right);
    const point = new THREE.Vector3();
    let distance = 1e-3;
    for (let i = 0; i < points.length; i += 3) {
      point.set(points[i], points[i + 1], points[i + 2]).sub(middle);
      const needed = Math.max(Math.abs(point.dot(right)) / side, Math.abs(point.dot(above)) / up);
      distance = Math.max(distance, point.dot(direction) + needed);
    }
    return distance;
  }

  /** Steps back until all points are in the picture, but no more than `most` times as far as the box was looked at from. */
  stepBack(points: ArrayLike<number>, views: number, most: number): void {
    const { target } = this.orbit;
    const farthest = most * (this.framed?.distance ?? 0);
    const direction = this.camera.position.clone().sub(target);
    const distance = direction.length();
    direction.normalize();
    const needed = Math.min(farthest, this.distanceToSee(points, target, direction, this.region(0, views)));
    if (needed <= distance) return;
    this.camera.position.copy(target).addScaledVector(direction, needed);
    this.settle();
  }

  private get distance(): number {
    return this.camera.position.distanceTo(this.orbit.target);
  }

  private light(middle: THREE.Vector3, radius: number): void {
    this.key.target.position.copy(middle);
    this.key.position.copy(middle).add(new THREE.Vector3(-1.2, 1.9, 1.6).normalize().multiplyScalar(4 * radius));
    const shadow = this.key.shadow.camera;
    const reach = 1.5 * radius;
    shadow.left = shadow.bottom = -reach;
    shadow.right = shadow.top = reach;
    shadow.near = radius;
    shadow.far = 8 * radius;
    shadow.updateProjectionMatrix();
    this.key.shadow.normalBias = 0.004 * radius;
  }

  /** Draws what changed; whether it did. */
  draw(views: number): boolean {
    if (!this.dirty) return false;
    this.dirty = false;
    const began = performance.now();
    this.renderer.setScissorTest(views > 1);
    this.renderer.clear();
    for (let view = 0; view < views; view++) {
      const region = this.region(view, views);
      const bottom = this.size.y - region.y - region.height;
      this.renderer.setViewport(region.x, bottom, region.width, region.height);
      this.renderer.setScissor(region.x, bottom, region.width, region.height);
      this.aim(region);
      this.beforeView(view);
      this.renderer.render(this.scene, this.camera);
    }
    this.spare(performance.now() - began);
    return true;
  }

  /** Gives up shadows, then resolution, where drawing takes longer than a frame may. */
  private spare(took: number): void {
    this.slow = took > 14 ? this.slow + 1 : 0;
    if (this.slow < 40) return;
    this.slow = 0;
    if (this.renderer.shadowMap.enabled) {
      this.renderer.shadowMap.enabled = false;
      this.key.castShadow = false;
    } else if (this.ratio > 1) {
      this.ratio = 1;
      this.resize();
    }
    this.redraw();
  }

  /** The ray under a point of the page, or null outside of all views. */
  ray(clientX: number, clientY: number, views: number, into: THREE.Ray): number | null {
    const box = this.canvas.getBoundingClientRect();
    const x = clientX - box.left;
    const y = clientY - box.top;
    for (let view = 0; view < views; view++) {
      const region = this.region(view, views);
      if (x < region.x || y < region.y || x > region.x + region.width || y > region.y + region.height) continue;
      this.rayIn(view, views, clientX, clientY, into);
      return view;
    }
    return null;
  }

  /** The same, as view `view` goes on beyond its edges. */
  rayIn(view: number, views: number, clientX: number, clientY: number, into: THREE.Ray): void {
    const box = this.canvas.getBoundingClientRect();
    const region = this.region(view, views);
    this.aim(region);
    const right = (2 * (clientX - box.left - region.x)) / region.width - 1;
    const up = 1 - (2 * (clientY - box.top - region.y)) / region.height;
    into.origin.setFromMatrixPosition(this.camera.matrixWorld);
    into.direction.set(right, up, 0.5).unproject(this.camera).sub(into.origin).normalize();
  }

  /** Where a point is on the page, CSS pixels; null behind the camera. */
  project(point: THREE.Vector3, view: number, views: number): [number, number] | null {
    const box = this.canvas.getBoundingClientRect();
    const region = this.region(view, views);
    this.aim(region);
    point.project(this.camera);
    if (point.z > 1) return null;
    return [
      box.left + region.x + 0.5 * (1 + point.x) * region.width,
      box.top + region.y + 0.5 * (1 - point.y) * region.height,
    ];
  }
}
