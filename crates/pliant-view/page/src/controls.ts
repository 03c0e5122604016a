// The controls of a live page, and what they show of the server's state.

import { address } from "./connection.ts";
import { IconButton } from "./button.ts";
import { make, say } from "./dom.ts";
import { methodField, numberField, sceneField, stiffnessField, vectorField, type Field } from "./fields.ts";
import type { Command, State } from "./messages.ts";
import { toast } from "./notices.ts";
import { digits } from "./units.ts";

export interface ControlsHost {
  send(command: Command): void;
  help(): void;
  pinTool(on: boolean): void;
  /** How long the first view's last step took, ms. */
  stepMs(): number | null;
}

/** A time as a budget that may be set, ms. */
export function budgetLike(ms: number | null): number | null {
  return ms === null || !(ms > 0) ? null : Math.min(Math.max(+ms.toPrecision(2), 0.01), 10_000);
}

export class Controls {
  /** Always in view: play, step, reset, record. */
  readonly transport: HTMLElement;
  readonly settings: HTMLElement;
  readonly exports: HTMLElement;
  /** Says that somebody else drives. */
  readonly watching: HTMLElement;
  private readonly play: IconButton;
  private readonly record: IconButton;
  private readonly pin: IconButton;
  private readonly recorded = make("span", { class: "recorded" });
  private readonly sets: HTMLFieldSetElement[];
  private readonly fields: Field[];
  private readonly asScene: HTMLButtonElement;
  /** Two methods are compared, each with iterations of its own. */
  private readonly unequal: HTMLElement;
  private readonly changes = make("span", { class: "changes" });
  private readonly note = make("p", { class: "note" });
  private readonly links: { element: HTMLAnchorElement; path: string; needs: "nothing" | "recording" | "compare"; more: Record<string, string> }[] = [];
  private state: State | null = null;
  /** The recording was saved, or it was said that it is not. */
  private kept = false;

  constructor(private readonly host: ControlsHost) {
    const send = (command: Command) => () => host.send(command);
    this.play = new IconButton("play", "Play (space)", () => this.togglePlay());
    const step = new IconButton("step", "Single step (S)", send({ do: "step" }));
    const reset = new IconButton("reset", "Reset (R)", send({ do: "reset" }));
    this.record = new IconButton("record", "Record", () => this.toggleRecording());
    this.record.element.classList.add("record");
    this.pin = new IconButton("pin", "Pin with a tap or click (key P pins under the pointer)", () => this.choosePin(!this.pinning));
    this.pin.press(false);
    const help = new IconButton("help", "Keys and gestures (?)", () => host.help());
    const buttons = [this.play, step, reset, this.pin, this.record].map((button) => button.element);
    const moves = make("fieldset", { class: "buttons", "aria-label": "Simulation", disabled: true }, ...buttons);
    this.transport = make("div", { class: "transport" }, moves, this.recorded, help.element);

    const set = (change: object): void => host.send({ do: "set", ...change });
    this.fields = [
      sceneField((name) => host.send({ do: "scene", name })),
      methodField("method", "Method", (state) => `scene: ${state.scene_says.method ?? "auto"}`, set),
      methodField("compare", "Compare", () => "off", set),
      numberField("iterations", "Iterations", "", { min: "1", max: "100000", step: "1" },
        (state) => state.scene_says.iterations ?? state.views[0]?.iterations, set),
      numberField("rho", "ρ", "", { min: "0", max: "0.999999", step: "any" }, (state) => state.scene_says.rho ?? state.views[0]?.rho, set),
      numberField("budget_ms", "Budget", "ms", { min: "0.01", max: "10000", step: "any" }, (state) => state.scene_says.budget_ms, set),
      stiffnessField(set),
      vectorField("gravity", "Gravity", "m/s²", "1000", set),
      vectorField("wind", "Wind", "m/s", "100", set),
    ];
    this.asScene = make("button", {
      type: "button", class: "plain", title: "Take back all changes to the scene", click: () => {
        for (const field of this.fields) field.forget?.();
        set({ method: null, iterations: null, rho: null, budget_ms: null, stiffness: null, gravity: null, wind: null, compare: null });
      },
    }, "As the scene says");
    this.unequal = make("div", { class: "row unequal", hidden: true },
      make("span", {}, "Compared without a budget: each takes its own time."),
      make("button", {
        type: "button", class: "plain", id: "same-budget", title: "Give every step of both as long as the first one's last step took",
        click: () => {
          const budget = budgetLike(host.stepMs());
          if (budget !== null) set({ budget_ms: budget, iterations: null });
        },
      }, "Same budget"));
    const [scene, method, compare, ...others] = this.fields.map((field) => field.element);
    const all = make("fieldset", { "aria-label": "Settings", disabled: true }, scene, method, compare, this.unequal, ...others,
      make("div", { class: "row end" }, this.changes, this.asScene));
    this.settings = make("section", { "aria-label": "Simulation" }, make("h2", {}, "Simulation"), all);
    this.sets = [moves, all];

    this.watching = make("div", { class: "watching", hidden: true },
      make("span", { title: "Whoever does nothing for 10 s can be replaced" }, "You watch; somebody else drives."),
      make("button", { type: "button", id: "drive", click: send({ do: "drive" }) }, "Drive"));

    this.exports = make("section", { "aria-label": "Export" }, make("h2", {}, "Export"), make("div", { class: "links" },
      this.link("Frame .obj", "/frame.obj"), this.link("Frame .ply", "/frame.ply"),
      this.link("Second .obj", "/frame.obj", "compare", { view: "1" }), this.link("Second .ply", "/frame.ply", "compare", { view: "1" }),
      this.link("Recording .glb", "/recording.glb", "recording"), this.link("Recording .html", "/recording.html", "recording")), this.note);
  }

  private link(label: string, path: string, needs: "nothing" | "recording" | "compare" = "nothing", more: Record<string, string> = {}): HTMLElement {
    const element = make("a", {
      download: "",
      click: () => {
        if (needs === "recording" && element.href) this.kept = true;
      },
    }, label);
    this.links.push({ element, path, needs, more });
    return element;
  }

  get pinning(): boolean {
    return this.pin.element.getAttribute("aria-pressed") === "true";
  }

  choosePin(on: boolean): void {
    this.pin.press(on);
    this.host.pinTool(on);
  }

  togglePlay(): void {
    this.host.send({ do: this.state?.playing ? "pause" : "play" });
  }

  toggleRecording(): void {
    const recording = this.state?.recording;
    if (recording && !recording.on) {
      if (recording.frames > 0 && !this.kept && this.state?.you_drive) {
        toast("The last recording is not saved. Press again to record over it.");
        this.kept = true;
        return;
      }
      this.kept = false;
    }
    this.host.send({ do: "record", on: !recording?.on });
  }

  show(state: State, connected: boolean): void {
    this.state = state;
    const may = connected && state.you_drive;
    for (const set of this.sets) set.disabled = !may;
    this.watching.hidden = !connected || state.you_drive;
    this.play.show(state.playing ? "pause" : "play", state.playing ? "Pause (space)" : "Play (space)");
    this.unequal.hidden = state.views.length < 2 || Boolean(state.settings.budget_ms ?? state.scene_says.budget_ms);
    this.showFields(state);
    this.showRecording(state.recording);
    this.showLinks(state, connected);
  }

  /** What was changed stays when a page is closed, so whoever comes next has to see it. */
  private showFields(state: State): void {
    let changes = 0;
    for (const field of this.fields) {
      field.show(state);
      const changed = field.changed?.(state) ?? false;
      field.element.classList.toggle("changed", changed);
      if (changed) changes += 1;
    }
    say(this.changes, changes > 0 ? `${changes} changed` : "");
  }

  private showLinks(state: State, connected: boolean): void {
    const { on, frames } = state.recording;
    // A recording that goes on would be another one before it is saved.
    const why = !connected ? "Not connected." : on ? "Stop the recording to save it." : frames === 0 ? "Nothing is recorded yet: press Record." : "";
    say(this.note, why);
    for (const { element, path, needs, more } of this.links) {
      element.hidden = needs === "compare" && state.views.length < 2;
      const reason = needs === "recording" || !connected ? why : "";
      if (reason) element.removeAttribute("href");
      // The server knows what it is called: scene, method and frame.
      else element.href = address(path, location.protocol, more);
      element.setAttribute("aria-disabled", String(reason !== ""));
      element.title = reason;
    }
  }

  private showRecording(recording: State["recording"]): void {
    this.record.show(recording.on ? "stop" : "record", recording.on ? "Stop recording" : "Record");
    this.record.press(recording.on);
    const length = recording.frames > 0 || recording.on ? `${digits(recording.seconds)} s` : "";
    say(this.recorded, recording.full ? `${length}, full` : length);
    this.recorded.classList.toggle("on", recording.on);
    this.recorded.title = recording.frames > 0 ? `${recording.frames} frames recorded` : "";
  }
}
