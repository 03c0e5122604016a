// Pulling at the cloth. The hand moves in the plane through the grabbed vertex that faces the camera, so that the vertex stays
// under the pointer.

import * as THREE from "three";
import type { Command, Vec3 } from "./messages.ts";
import type { Display } from "./display.ts";

/** How far beside a mesh a grab still takes it, CSS pixels. */
const REACH_MOUSE = 6;
const REACH_TOUCH = 18;

interface Grip {
  pointer: number;
  touch: boolean;
  view: number;
  vertex: number;
  /** Number of the command that took it. */
  n: number;
  plane: THREE.Plane;
  /** From where the pointer met the plane to the vertex: it must not jump when it is taken. */
  offset: THREE.Vector3;
  target: THREE.Vector3;
  down: PointerEvent;
  moved: boolean;
  sent: boolean;
}

export interface HandHost {
  send(command: Command): number | null;
  mayPull(): boolean;
  /** A drag left with this number. */
  pulled(n: number): void;
  /** A tap that pins instead of pulling, where that tool is chosen. */
  pinTap(clientX: number, clientY: number, touch: boolean): boolean;
}

export class Hand {
  /** Where the pointer was last, for keys that act on what is under it. */
  readonly pointer = { x: -1, y: -1 };
  private grip: Grip | null = null;
  private hovers = false;
  private readonly ray = new THREE.Ray();
  private readonly hit = new THREE.Vector3();

  constructor(private readonly display: Display, private readonly host: HandHost) {
    const { canvas, room } = display.stage;
    // On the surrounding element and while capturing: a grab must be known before the camera takes the gesture.
    room.addEventListener("pointerdown", (event) => event.target === canvas && this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", (event) => this.up(event));
    canvas.addEventListener("lostpointercapture", (event) => this.up(event));
    addEventListener("blur", () => this.release());
  }

  get pulling(): boolean {
    return this.grip !== null;
  }

  private down(event: PointerEvent): void {
    this.pointer.x = event.clientX;
    this.pointer.y = event.clientY;
    const touch = event.pointerType === "touch";
    if (this.grip) {
      if (touch && this.grip.touch) this.becomeZoom(this.grip);
      return;
    }
    if (event.button !== 0 || event.ctrlKey || event.shiftKey || event.metaKey || !event.isPrimary) return;
    if (this.host.pinTap(event.clientX, event.clientY, touch)) {
      const { orbit } = this.display.stage;
      orbit.enabled = false;
      for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => (orbit.enabled = true), { once: true });
      return;
    }
    if (!this.host.mayPull()) return;
    const picked = this.display.pick(event.clientX, event.clientY, touch ? REACH_TOUCH : REACH_MOUSE);
    if (!picked) return;
    const at = this.display.position(picked.vertex, picked.view)!;
    const vertex = new THREE.Vector3(...at);
    const facing = this.display.stage.camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, vertex);
    this.display.stage.rayIn(picked.view, this.display.views, event.clientX, event.clientY, this.ray);
    const met = this.ray.intersectPlane(plane, this.hit) ?? vertex;
    const n = this.host.send({ do: "grab", vertex: picked.vertex, target: at });
    if (n === null) return;
    this.grip = {
      pointer: event.pointerId, n, touch, view: picked.view, vertex: picked.vertex, plane,
      offset: vertex.clone().sub(met), target: vertex, down: event, moved: false, sent: true,
    };
    this.display.stage.orbit.enabled = false;
    this.display.stage.canvas.setPointerCapture(event.pointerId);
    this.display.stage.canvas.style.cursor = "grabbing";
    this.display.markers.hand(picked.vertex, at);
    this.display.stage.redraw();
  }

  private move(event: PointerEvent): void {
    if (event.isPrimary) {
      this.pointer.x = event.clientX;
      this.pointer.y = event.clientY;
      this.hovers = true;
    }
    const { grip } = this;
    if (!grip || event.pointerId !== grip.pointer) return;
    this.display.stage.rayIn(grip.view, this.display.views, event.clientX, event.clientY, this.ray);
    if (!this.ray.intersectPlane(grip.plane, this.hit)) return;
    grip.target.copy(this.hit).add(grip.offset);
    grip.sent = false;
    grip.moved = true;
  }

  private up(event: PointerEvent): void {
    if (this.grip && event.pointerId === this.grip.pointer) this.release();
  }

  /** A second finger: let go of the cloth and give both to the camera. */
  private becomeZoom(grip: Grip): void {
    this.release();
    const { pointerId, clientX, clientY } = grip.down;
    this.display.stage.canvas.dispatchEvent(new PointerEvent("pointerdown", {
      pointerId, clientX, clientY, pointerType: "touch", button: 0, buttons: 1, isPrimary: false, bubbles: false,
    }));
  }

  /** A frame that knows of the grab and has nothing in the hand: a reset, or another driver, has opened it. */
  see(frame: { applied: number; held: readonly number[] }): void {
    if (this.grip && frame.applied >= this.grip.n && frame.held.length === 0) this.release();
  }

  release(): void {
    if (!this.grip) return;
    this.flush();
    const { pointer } = this.grip;
    this.grip = null;
    this.host.send({ do: "release" });
    const { stage, markers } = this.display;
    if (stage.canvas.hasPointerCapture(pointer)) stage.canvas.releasePointerCapture(pointer);
    stage.orbit.enabled = true;
    stage.canvas.style.cursor = "";
    markers.letGo();
    stage.redraw();
  }

  /** Once per picture: the newest target, if it moved. */
  flush(): void {
    const { grip } = this;
    if (grip && !grip.sent) {
      grip.sent = true;
      const target: Vec3 = [grip.target.x, grip.target.y, grip.target.z];
      const n = this.host.send({ do: "drag", target });
      if (n !== null) this.host.pulled(n);
      this.display.markers.hand(grip.vertex, target);
      this.display.stage.redraw();
    }
    if (!grip && this.hovers) {
      this.hovers = false;
      const over = this.host.mayPull() && this.display.pick(this.pointer.x, this.pointer.y, 0, null, false) !== null;
      this.display.stage.canvas.style.cursor = over ? "grab" : "";
    }
  }
}
