// One or two views of a simulation as they are drawn; a live page and a replay feed it with topology and frames.

import * as THREE from "three";
import { Bodies } from "./bodies.ts";
import { Colouring, type Mode } from "./colouring.ts";
import { Legend } from "./legend.ts";
import { Markers } from "./markers.ts";
import type { Vec3 } from "./messages.ts";
import { beside, meet, type Hit } from "./pick.ts";
import type { Frame, Topology } from "./protocol.ts";
import { Scenery } from "./scenery.ts";
import { Stage } from "./stage.ts";

/** The picture follows for so long, simulated s, and from no farther than so many times as far. */
const FOLLOWED = 3;
const GROWN = 1.6;
/** From what is so many times as far as it is large one looks away from where it was. */
const FAR = 4;

const sizeOf = (box: THREE.Box3): number => box.min.distanceTo(box.max);

export class Display {
  readonly stage: Stage;
  readonly markers = new Markers();
  topology: Topology | null = null;
  /** Views shown: 2 when comparing. */
  views = 1;
  /** Frames of the first view that were drawn. */
  drawn = 0;
  private bodies: Bodies[] = [];
  private scenery: Scenery | null = null;
  private colouring: Colouring | null = null;
  private readonly legend: Legend;
  private mode: Mode = "body";
  private wires = false;
  /** The first frame decides what is in view, if it has moved: who comes late finds the bodies elsewhere. */
  private unlooked = false;
  /** Until when, s, the picture steps back from what moves out of it, while nobody has turned it. */
  private followed: { until: number | null } | null = null;
  private fresh = [false, false];
  private next: (Frame | null)[] = [null, null];
  private readonly ray = new THREE.Ray();
  private readonly caster = new THREE.Raycaster();
  private readonly point = new THREE.Vector3();

  constructor(canvas: HTMLCanvasElement, room: HTMLElement, legend: HTMLElement) {
    this.stage = new Stage(canvas, room);
    this.legend = new Legend(legend);
    this.stage.scene.add(this.markers.group);
    this.stage.beforeView = (view) => this.turnTo(view);
  }

  setTopology(topology: Topology): void {
    const before = this.topology?.info;
    for (const view of this.bodies) view.dispose();
    this.scenery?.dispose();
    this.topology = topology;
    this.bodies = [new Bodies(topology), new Bodies(topology)];
    this.scenery = new Scenery(topology);
    for (const view of this.bodies) {
      view.wireframe(this.wires);
      view.byClass(this.mode === "class");
      this.stage.scene.add(view.group);
    }
    this.stage.scene.add(this.scenery.group);
    if (this.colouring) this.colouring.setTopology(topology);
    else this.colouring = new Colouring(topology);
    this.colouring.setMode(this.mode);
    this.legend.show(this.colouring.legend());
    this.next = [null, null];
    this.fresh = [true, true];
    if (!before || before.scene !== topology.info.scene) {
      this.lookFirst();
      this.unlooked = true;
    }
    this.stage.redraw();
  }

  /** All that is there now; before anything moved, what the server says. At first both: what moves may come back. */
  lookAtAll(first = false): void {
    this.followed = null;
    if (!this.topology) return;
    const { low, high } = this.topology.info;
    const moved = this.bodies.filter((bodies) => bodies.ready);
    let box = this.scenery?.box(moved.length > 0) ?? new THREE.Box3();
    for (const { x } of moved) for (let i = 0; i < x.length; i += 3) box.expandByPoint(this.point.fromArray(x, i));
    if (first || moved.length === 0) {
      const now = box.clone();
      box.expandByPoint(this.point.fromArray(low)).expandByPoint(this.point.fromArray(high));
      // What nothing lies below will hang or fall.
      const wide = Math.max(high[0] - low[0], high[2] - low[2]);
      if (!this.topology.info.scenery.some((thing) => thing.endless)) box.min.y = Math.min(box.min.y, high[1] - 0.8 * wide);
      // What has gone far does not come back.
      if (moved.length > 0 && sizeOf(box) > FAR * sizeOf(now)) box = now;
    }
    this.stage.frame(box.min.toArray(), box.max.toArray(), this.views);
  }

  /** Whoever looks at the whole scene for the first time sees what swings or falls out of the picture, too. */
  private lookFirst(): void {
    this.lookAtAll(true);
    this.followed = { until: null };
  }

  /** Steps back from what moves out of the picture in the first seconds. */
  private follow(frame: Frame, x: Float32Array): void {
    const { followed } = this;
    if (!followed) return;
    followed.until ??= frame.info.time + FOLLOWED;
    // From then on the picture is whoever's hand is on it.
    if (this.stage.turned || frame.info.time > followed.until) this.followed = null;
    else this.stage.stepBack(x, this.views, GROWN);
  }

  /** The box around many frames. */
  lookAtFrames(frames: readonly Frame[]): void {
    this.followed = null;
    const box = this.scenery?.box(true) ?? new THREE.Box3();
    for (const { positions, origin, unit } of frames) {
      for (let i = 0; i < positions.length; i += 3) {
        this.point.fromArray(positions, i).multiplyScalar(unit);
        box.expandByPoint(this.point.set(this.point.x + origin[0], this.point.y + origin[1], this.point.z + origin[2]));
      }
    }
    if (!box.isEmpty()) this.stage.frame(box.min.toArray(), box.max.toArray(), this.views);
  }

  setViews(views: number): void {
    if (views === this.views) return;
    this.views = views;
    this.stage.refit(views);
    this.stage.redraw();
  }

  /** The newest frame of its view; drawn with the next picture. */
  offer(frame: Frame): void {
    this.next[frame.view] = frame;
  }

  /** Puts the views where they were a frame before the one that is offered next. */
  cameFrom(frame: Frame): void {
    this.bodies[frame.view]?.cameFrom(frame);
  }

  setMode(mode: Mode): void {
    this.mode = mode;
    this.colouring?.setMode(mode);
    for (const view of this.bodies) view.byClass(mode === "class");
    this.fresh = [true, true];
    if (this.colouring) this.legend.show(this.colouring.legend());
    this.stage.redraw();
  }

  setWireframe(on: boolean): void {
    this.wires = on;
    for (const view of this.bodies) view.wireframe(on);
    this.stage.redraw();
  }

  /** Draws what is new; gives the frames that were drawn for the first time. */
  draw(): (Frame | null)[] | null {
    if (!this.topology || !this.colouring) return this.stage.draw(1) ? [null, null] : null;
    const shown = this.next;
    let any = false;
    let ranges = false;
    for (let view = 0; view < this.views; view++) {
      const frame = shown[view];
      const bodies = this.bodies[view];
      if (frame) {
        bodies.show(frame);
        any = true;
        if (this.unlooked && frame.info.step > 0) this.lookFirst();
        this.unlooked = false;
        this.follow(frame, bodies.x);
      }
      if (this.fresh[view] || (frame && !this.colouring.still)) {
        if (!bodies.ready && !this.colouring.still) continue;
        ranges = this.colouring.paint(bodies, bodies.colours) || ranges;
        bodies.coloursChanged();
        this.fresh[view] = false;
      }
    }
    if (ranges) {
      this.legend.show(this.colouring.legend());
      // The other view was painted with the range that was.
      this.fresh = [true, true];
    }
    if (any) this.stage.redraw();
    if (shown[0]) this.drawn++;
    this.next = [null, null];
    return this.stage.draw(this.views) ? shown : null;
  }

  private turnTo(view: number): void {
    this.bodies.forEach((bodies, i) => (bodies.group.visible = i === view && bodies.ready));
    const bodies = this.bodies[view];
    if (!bodies) return;
    if (bodies.ready) this.scenery?.place(bodies.frame.info);
    this.markers.place(bodies.x, bodies.ready ? bodies.frame.info.held : []);
  }

  /**
   * The vertex under a point of the page, within `reach` CSS pixels, and the view it is in. Scenery may hide it, which takes
   * long to find out where its mesh is fine.
   */
  pick(clientX: number, clientY: number, reach: number, only: readonly number[] | null = null, walls = true): (Hit & { view: number }) | null {
    const view = this.stage.ray(clientX, clientY, this.views, this.ray);
    if (view === null || !this.topology) return null;
    const { x } = this.bodies[view];
    const angle = this.angleOf(reach, view);
    const hit = only
      ? beside(this.ray, x, angle, only)
      : (meet(this.ray, x, this.topology.triangles) ?? (reach > 0 ? beside(this.ray, x, angle, null) : null));
    if (!hit) return null;
    if (only || !walls) return { ...hit, view };
    this.caster.ray.copy(this.ray);
    const wall = this.scenery ? this.caster.intersectObject(this.scenery.group, true)[0] : undefined;
    // A cloth lies closer to what it lies on than both their meshes are exact.
    if (wall && wall.distance < 0.97 * hit.distance) return null;
    return { ...hit, view };
  }

  private angleOf(pixels: number, view: number): number {
    const region = this.stage.region(view, this.views);
    this.stage.aim(region);
    return (pixels / region.height) * ((this.stage.camera.fov * Math.PI) / 180);
  }

  position(vertex: number, view = 0): Vec3 | null {
    const x = this.bodies[view]?.x;
    if (!x || !(vertex >= 0) || 3 * vertex + 2 >= x.length) return null;
    return [x[3 * vertex], x[3 * vertex + 1], x[3 * vertex + 2]];
  }

  project(vertex: number, view = 0): [number, number] | null {
    const at = this.position(vertex, view);
    return at && this.stage.project(this.point.fromArray(at), view, this.views);
  }

  lastFrame(view = 0): Frame | null {
    const bodies = this.bodies[view];
    return bodies?.ready ? bodies.frame : null;
  }
}
