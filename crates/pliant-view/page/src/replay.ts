// A page with a recording in it and no server.

import { IconButton } from "./button.ts";
import { Display } from "./display.ts";
import { find, make, say } from "./dom.ts";
import { help, listen, type Key } from "./keys.ts";
import { expose } from "./probe.ts";
import { decodeRecording, unpack, type Recording } from "./recording.ts";
import { Panel } from "./sheet.ts";
import { Timeline } from "./timeline.ts";
import { whole } from "./units.ts";
import { Viewing } from "./viewing.ts";

/** Frames that decide what is in view, at most and evenly taken. */
const LOOKED_AT = 40;
const SPEEDS = ["0.1", "0.25", "0.5", "1", "2", "4"];

export class Replay {
  private readonly recording: Recording;
  private readonly timeline: Timeline;
  private readonly display: Display;
  private readonly play: IconButton;
  private readonly loop: IconButton;
  private readonly slider: HTMLInputElement;
  private readonly clock = make("output", { class: "clock" });
  private readonly speed: HTMLSelectElement;
  private playing = true;
  private looping = true;
  /** s after the first frame. */
  private at = 0;
  private shown = -1;
  private last = 0;

  constructor(canvas: HTMLCanvasElement, base64: string) {
    this.recording = decodeRecording(unpack(base64));
    const { topology, frames } = this.recording;
    this.timeline = new Timeline(frames.map(({ info }) => info.time), topology.info.frame_rate);
    this.display = new Display(canvas, find("stage"), find("legend"));
    this.display.setTopology(topology);
    const every = Math.ceil(frames.length / LOOKED_AT);
    this.display.lookAtFrames(frames.filter((_, i) => i % every === 0 || i === frames.length - 1));
    const viewing = new Viewing({
      colour: (mode) => this.display.setMode(mode),
      wireframe: (on) => this.display.setWireframe(on),
      lookAtAll: () => this.display.lookAtAll(),
    }, ["body", "stretch", "speed", "class"]);

    this.play = new IconButton("pause", "Pause (space)", () => this.setPlaying(!this.playing));
    this.loop = new IconButton("loop", "Loop (L)", () => this.setLooping(!this.looping));
    this.loop.press(true);
    this.slider = make("input", { type: "range", id: "timeline", min: "0", max: String(frames.length - 1), step: "1", value: "0", "aria-label": "Time" });
    this.slider.addEventListener("input", () => {
      this.setPlaying(false);
      this.at = this.timeline.at(Number(this.slider.value));
    });
    this.speed = make("select", { id: "speed", "aria-label": "Speed" }, ...SPEEDS.map((speed) => make("option", { value: speed }, `× ${speed}`)));
    this.speed.value = "1";

    const keys = this.keys(viewing);
    const openHelp = help(keys, [["Drag", "Turn the view; with Shift or the right button move it"], ["Wheel, two fingers", "Come nearer, go away"]]);
    keys[keys.length - 1].act = openHelp;
    listen(keys);
    const helpButton = new IconButton("help", "Keys and gestures (?)", openHelp);
    const panel = new Panel();
    const { vertices, triangles, scene } = topology.info;
    const { recorded } = this.timeline;
    const thinned = recorded > frames.length;
    const counted = thinned ? `${whole(frames.length)} of ${whole(recorded)} frames` : `${whole(frames.length)} frames`;
    panel.name(scene, `${counted} · ${whole(vertices)} vertices · ${whole(triangles)} triangles`);
    if (thinned) panel.body.append(make("p", { class: "note" }, "Frames were left out, or the file would be too large. It plays as long as what was recorded."));
    panel.head.after(
      make("div", { class: "transport" }, make("div", { class: "buttons" }, this.play.element, this.loop.element), this.speed, this.clock, helpButton.element),
      make("div", { class: "timeline" }, this.slider));
    panel.body.append(viewing.element);
    expose(this.display, null, { state: () => null, connected: () => false });
    const tick = (now: number): void => {
      this.tick(now);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  private keys(viewing: Viewing): Key[] {
    return [
      { keys: [" "], shown: "Space", what: "Play or pause", act: () => this.setPlaying(!this.playing) },
      { keys: ["s", ".", "arrowright"], shown: "S  .  →", what: "One frame on", act: () => this.step(1) },
      { keys: [",", "arrowleft"], shown: ",  ←", what: "One frame back", act: () => this.step(-1) },
      { keys: ["r"], shown: "R", what: "From the beginning", act: () => (this.at = 0) },
      { keys: ["l"], shown: "L", what: "Loop", act: () => this.setLooping(!this.looping) },
      { keys: ["c"], shown: "C", what: "Next colours", act: () => viewing.cycle() },
      { keys: ["w"], shown: "W", what: "Wireframe", act: () => viewing.toggleWireframe() },
      { keys: ["f"], shown: "F", what: "Look at the whole scene", act: () => this.display.lookAtAll() },
      { keys: ["?"], shown: "?", what: "This help", act: () => {} },
    ];
  }

  private get length(): number {
    return this.recording.frames.length;
  }

  private get index(): number {
    return this.timeline.frameAt(this.at);
  }

  private setPlaying(on: boolean): void {
    this.playing = on;
    if (on && this.index === this.length - 1) this.at = 0;
    this.play.show(on ? "pause" : "play", on ? "Pause (space)" : "Play (space)");
  }

  private setLooping(on: boolean): void {
    this.looping = on;
    this.loop.press(on);
  }

  private step(by: number): void {
    this.setPlaying(false);
    this.at = this.timeline.at(Math.min(Math.max(this.index + by, 0), this.length - 1));
  }

  private tick(now: number): void {
    const seconds = Math.min((now - this.last) / 1000, 0.25);
    this.last = now;
    if (this.playing) {
      this.at += seconds * Number(this.speed.value);
      if (this.at >= this.timeline.length) {
        if (this.looping) this.at %= this.timeline.length;
        else {
          this.at = this.timeline.at(this.length - 1);
          this.setPlaying(false);
        }
      }
    }
    const { index } = this;
    if (index !== this.shown) this.show(index);
    this.display.draw();
  }

  private show(index: number): void {
    const { frames } = this.recording;
    if (index !== this.shown + 1 && index > 0) this.display.cameFrom(frames[index - 1]);
    this.shown = index;
    this.display.offer(frames[index]);
    if (document.activeElement !== this.slider || this.playing) this.slider.value = String(index);
    const { times } = this.timeline;
    say(this.clock, `${times[index].toFixed(2)} of ${times[times.length - 1].toFixed(2)} s`);
    this.slider.setAttribute("aria-valuetext", this.clock.textContent ?? "");
  }
}
