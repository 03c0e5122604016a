// A page with a server behind it.

import { Labels } from "./compare.ts";
import { Connection } from "./connection.ts";
import { Controls } from "./controls.ts";
import { Display } from "./display.ts";
import { find, make } from "./dom.ts";
import { Hand } from "./hand.ts";
import { History } from "./history.ts";
import { help, listen, type Key } from "./keys.ts";
import { Latency } from "./latency.ts";
import type { Command, Curve, FrameInfo, State, Told } from "./messages.ts";
import { banner, busy, toast } from "./notices.ts";
import { Pace } from "./pace.ts";
import { Convergence, Trace } from "./plots.ts";
import { expose } from "./probe.ts";
import { decodeFrame, decodeTopology, readTold, VERSION } from "./protocol.ts";
import { Readings } from "./readings.ts";
import { lost, tellLost } from "./restarted.ts";
import { Panel } from "./sheet.ts";
import { limitOfStep } from "./units.ts";
import { Viewing } from "./viewing.ts";

/** Numbers and plots are read by people: more often than this they only flicker. */
const TELL_MS = 100;
/** A step that takes longer is told of. */
const LONG_MS = 2000;
/** What takes longer is said to be under way. */
const BUSY_MS = 250;
const PIN_REACH = 14;

export class Live {
  private readonly display: Display;
  private readonly connection: Connection;
  private readonly controls: Controls;
  private readonly viewing: Viewing;
  private readonly hand: Hand;
  private readonly labels: Labels;
  private readonly panel = new Panel();
  private readonly readings = new Readings();
  private readonly history = new History();
  private readonly latency = new Latency();
  private readonly pace = new Pace();
  private readonly traces = {
    ms: new Trace("Time per step", "ms", " ms"),
    stretch: new Trace("Largest stretch", "stretch", " %"),
    touching: new Trace("Vertices touching colliders", "touching", ""),
  };
  private readonly convergence = new Convergence();
  private readonly curveBox = make("input", { type: "checkbox", id: "curve" });
  private curves: (Curve | null)[] = [null, null];
  private frames: (FrameInfo | null)[] = [null, null];
  private state: State | null = null;
  private told = 0;
  /** When the last frame came, or nothing was to be waited for. */
  private heard = 0;
  /** A single step is asked for and has not come. */
  private stepping = false;
  /** When last nothing was under way besides frames. */
  private idle = 0;
  private untold = false;
  /** Frames that the server does not know to have come. */
  private unseen = 0;
  /** Why the server takes no connection, where it says so, and when the next attempt is. */
  private refusal: string | null = null;
  private again = "";
  private openHelp: () => void = () => {};

  constructor(canvas: HTMLCanvasElement) {
    this.display = new Display(canvas, find("stage"), find("legend"));
    this.labels = new Labels(this.display.stage);
    this.display.stage.resized = () => {
      this.labels.place(this.display.views);
      // Plots have another width.
      this.untold = true;
    };
    this.controls = new Controls({
      send: (command) => this.ask(command),
      help: () => this.openHelp(),
      stepMs: () => this.frames[0]?.ms ?? null,
      rate: () => this.display.topology?.info.frame_rate,
      pinTool: (on) => canvas.classList.toggle("pinning", on),
    });
    this.viewing = new Viewing({
      colour: (mode) => {
        this.display.setMode(mode);
        this.syncShow();
      },
      wireframe: (on) => this.display.setWireframe(on),
      lookAtAll: () => this.display.lookAtAll(),
    }, ["body", "stretch", "speed", "residual", "class"]);
    this.hand = new Hand(this.display, {
      send: (command) => this.connection.send(command),
      mayPull: () => this.drives,
      pulled: (n) => this.latency.sent(n),
      pinTap: (x, y, touch) => this.controls.pinning && this.drives && this.pinAt(x, y, touch ? 24 : PIN_REACH),
    });
    this.layOut();
    this.bindKeys();
    this.connection = new Connection({
      topology: (data) => this.guarded("topology", () => this.topology(data)),
      frame: (data) => this.guarded("frame", () => this.frame(data)),
      told: (text) => this.guarded("text", () => this.hear(readTold(text))),
      opened: () => {
        this.unseen = 0;
        this.refusal = null;
        banner("gone", null);
      },
      closed: (reason, seconds) => this.gone(reason, seconds),
      refused: (why) => {
        this.refusal = why;
        banner("gone", `${why} ${this.again}`);
      },
    });
    expose(this.display, this.latency, {
      state: () => this.state,
      connected: () => this.connection.connected,
    });
    const tick = (): void => {
      this.tick();
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  private get drives(): boolean {
    return this.connection.connected && (this.state?.you_drive ?? false);
  }

  private layOut(): void {
    this.curveBox.addEventListener("change", () => {
      this.convergence.element.hidden = !this.curveBox.checked;
      this.curves = [null, null];
      this.untold = true;
      this.syncShow();
    });
    this.convergence.element.hidden = true;
    const { panel, controls } = this;
    panel.head.after(controls.transport, controls.watching);
    panel.body.append(
      this.readings.element, controls.settings, this.viewing.element,
      make("section", { "aria-label": "Plots" }, make("h2", {}, "Plots"),
        this.traces.ms.element, this.traces.stretch.element, this.traces.touching.element,
        make("div", { class: "row" }, make("label", { class: "check" }, this.curveBox, "Convergence of the last step")),
        this.convergence.element),
      controls.exports,
    );
  }

  private bindKeys(): void {
    const ask = (command: Command) => () => this.ask(command);
    const keys: Key[] = [
      { keys: [" "], shown: "Space", what: "Play or pause", act: () => this.controls.togglePlay() },
      { keys: ["s", "."], shown: "S  .", what: "Single step", act: ask({ do: "step" }) },
      { keys: ["r"], shown: "R", what: "Reset", act: ask({ do: "reset" }) },
      { keys: ["p"], shown: "P", what: "Pin or unpin the vertex under the pointer", act: () => this.pinUnderPointer() },
      { keys: ["c"], shown: "C", what: "Next colours", act: () => this.viewing.cycle() },
      { keys: ["w"], shown: "W", what: "Wireframe", act: () => this.viewing.toggleWireframe() },
      { keys: ["f"], shown: "F", what: "Look at the whole scene", act: () => this.display.lookAtAll() },
      { keys: ["?"], shown: "?", what: "This help", act: () => this.openHelp() },
    ];
    this.openHelp = help(keys, [
      ["Drag on the cloth", "Pull it; it keeps its momentum when let go"],
      ["Drag beside it", "Turn the view; with Shift or the right button move it"],
      ["Wheel, two fingers", "Come nearer, go away"],
    ]);
    listen(keys);
  }

  /** What only the driver may ask. */
  private ask(command: Command): void {
    if (!this.connection.connected) return;
    if (command.do !== "drive" && !this.drives) {
      toast("You watch; somebody else drives. Whoever does nothing for 10 s can be replaced: press Drive.");
      return;
    }
    this.connection.send(command);
    if (command.do === "step") {
      // Not from when the last frame came, which may be long ago.
      if (!this.stepping) this.heard = performance.now();
      this.stepping = true;
    } else if (command.do === "pause" || command.do === "reset" || command.do === "scene") {
      this.stepping = false;
    }
  }

  /** What cannot be read is told until the next of its kind can. */
  private guarded(kind: string, read: () => void): void {
    try {
      read();
      banner(`broken-${kind}`, null);
    } catch (error) {
      banner(`broken-${kind}`, `A message of the server cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  private topology(data: ArrayBuffer): void {
    const topology = decodeTopology(data);
    this.hand.release();
    this.latency.lost();
    this.display.setTopology(topology);
    this.frames = [null, null];
    this.curves = [null, null];
    this.history.clear();
  }

  private frame(data: ArrayBuffer): void {
    this.unseen += 1;
    this.heard = performance.now();
    this.stepping = false;
    const { topology } = this.display;
    if (!topology) return;
    const frame = decodeFrame(data, topology.generation, topology.info.vertices);
    if (!frame) return;
    if (this.state?.you_drive) this.connection.seen(frame.info.applied);
    if (frame.view === 0) {
      if (this.state?.playing) this.pace.push(this.heard, frame.info.time);
      this.latency.received(frame.info.step);
      this.hand.see(frame.info);
    }
    const last = this.frames[frame.view];
    // After a reset the plots begin anew.
    if (last && frame.info.step < last.step && frame.view === 0) this.history.clear();
    if (!last || frame.info.step !== last.step) this.history.push(frame.view, frame.info);
    this.frames[frame.view] = frame.info;
    this.display.offer(frame);
    this.untold = true;
    this.showFailure();
  }

  private showFailure(): void {
    const why = this.frames.find((info) => info?.error)?.error ?? this.state?.error;
    banner("failed", why ? `The step failed: ${why}` : null);
  }

  private hear(message: Told): void {
    switch (message.is) {
      case "state":
        this.setState(message);
        break;
      case "curve":
        this.curves[message.view] = message;
        this.untold = true;
        break;
      case "refused":
        toast(message.message, "refused");
        if (this.state) this.controls.show(this.state, this.connection.connected);
        break;
      case "notice":
        toast(message.message);
        break;
    }
  }

  private setState(state: State): void {
    const drove = this.state?.you_drive ?? false;
    if (this.state) this.tellRestart(this.state, state);
    this.state = state;
    this.connection.watches = !state.you_drive;
    if (!state.playing || state.busy) this.pace.clear();
    if (state.version !== VERSION) banner("version", "The server is of another version than this page: load it again.", RELOAD);
    this.display.setViews(Math.max(1, Math.min(2, state.views.length)));
    this.display.markers.pins = state.pins;
    this.display.stage.redraw();
    this.showFailure();
    if (state.views.length < 2) {
      this.frames[1] = null;
      this.curves[1] = null;
      this.history.forget(1);
    }
    const others = state.clients > 1 ? ` · ${state.clients} pages` : "";
    this.panel.name(state.scene, `${state.device} · ${state.precision}${others}`);
    this.controls.show(state, true);
    this.untold = true;
    if (state.you_drive && !drove) this.syncShow();
    if (!state.you_drive) this.hand.release();
  }

  private tellRestart(before: State, now: State): void {
    const message = tellLost(lost(before, now));
    if (message) banner("restarted", message, { label: "Close", act: () => banner("restarted", null) });
  }

  /** Asks for what is shown, and no longer for what is not. */
  private syncShow(): void {
    if (!this.state) return;
    const residual = this.viewing.mode === "residual";
    const curve = this.curveBox.checked;
    const { show } = this.state;
    if (!this.drives) {
      const missing = [...(residual && !show.residual ? ["residuals"] : []), ...(curve && !show.curve ? ["convergence"] : [])];
      if (missing.length > 0) toast(`Only who drives can have ${missing.join(" and ")} measured; here they are shown once that is so.`);
      return;
    }
    if (show.residual !== residual || show.curve !== curve) this.connection.send({ do: "show", residual, curve });
  }

  private gone(reason: string, seconds: number): void {
    this.hand.release();
    this.latency.lost();
    this.pace.clear();
    busy(null);
    this.again = `Trying again in ${seconds} s.`;
    // Until it is known whether this is still so.
    const why = reason ? `The server closed the connection: ${reason}.` : (this.refusal ?? "The server does not answer.");
    banner("gone", `${why} ${this.again}`, {
      label: "Try now", act: () => this.connection.retryNow(),
    });
    if (this.state) {
      this.state = { ...this.state, you_drive: false };
      this.controls.show(this.state, false);
    }
  }

  private pinUnderPointer(): void {
    if (!this.drives) this.ask({ do: "pin", vertex: 0, on: true });
    else this.pinAt(this.hand.pointer.x, this.hand.pointer.y, PIN_REACH);
  }

  /** Whether there was something to pin or to unpin. */
  private pinAt(x: number, y: number, reach: number): boolean {
    if (!this.state) return false;
    const { pins } = this.state;
    const pinned = this.display.pick(x, y, reach, pins);
    const picked = pinned ?? this.display.pick(x, y, reach);
    if (!picked) return false;
    this.connection.send({ do: "pin", vertex: picked.vertex, on: !pins.includes(picked.vertex) });
    return true;
  }

  private tick(): void {
    this.hand.flush();
    const drawn = this.display.draw();
    if (drawn?.[0]) this.latency.drew(drawn[0].info.applied, drawn[0].info.step);
    // After drawing: who draws slowly, or is hidden, is sent less instead of something old.
    this.connection.saw(this.unseen);
    this.unseen = 0;
    const now = performance.now();
    if (this.untold && now - this.told > TELL_MS) {
      this.told = now;
      this.untold = false;
      this.tell();
    }
    this.tellWaiting(now);
  }

  /** Nothing of a step is seen until it ends. */
  private tellWaiting(now: number): void {
    const { state } = this;
    if (!(state?.playing || this.stepping) || !this.connection.connected || document.hidden) this.heard = now;
    const seconds = Math.floor((now - this.heard) / 1000);
    const long = now - this.heard > LONG_MS;
    if (!state?.busy) this.idle = now;
    // What is done at once is not worth a word.
    const doing = now - this.idle > BUSY_MS ? state?.busy ?? null : null;
    busy(doing ?? (long ? `A frame takes long: ${seconds} s so far. Pause, reset or another method end it.` : null));
  }

  private tell(): void {
    const { views } = this.display;
    this.readings.show(this.frames.slice(0, views), this.pace.slow);
    this.labels.show(views, this.frames, this.curves);
    const budget = this.state?.settings.budget_ms ?? this.state?.scene_says.budget_ms;
    const rate = this.display.topology?.info.frame_rate;
    this.traces.ms.draw(this.history, views, limitOfStep(budget, rate, this.state?.steps_per_frame));
    this.traces.stretch.draw(this.history, views, null);
    this.traces.touching.draw(this.history, views, null);
    if (this.curveBox.checked) this.convergence.draw(this.curves.slice(0, views));
  }
}

const RELOAD = { label: "Load again", act: () => location.reload() };
