// The controls of a live page, and what they show of the server's state.

import { address } from "./connection.ts";
import { IconButton } from "./button.ts";
import { make, say } from "./dom.ts";
import { methodField, numberField, sceneField, stiffnessField, usual, vectorField, type Field } from "./fields.ts";
import type { Command, Settings, State } from "./messages.ts";
import { toast } from "./notices.ts";
import { fetched, keep } from "./save.ts";
import { digits, ms } from "./units.ts";

export interface ControlsHost {
  send(command: Command): void;
  help(): void;
  pinTool(on: boolean): void;
  /** How long the first view's last step took, ms. */
  stepMs(): number | null;
  /** Frames a second. */
  rate(): number | undefined;
}

/** A time as a budget that may be set, ms. */
export function budgetLike(ms: number | null): number | null {
  return ms === null || !(ms > 0) ? null : Math.min(Math.max(+ms.toPrecision(2), 0.01), 10_000);
}

/** How long a step may take, ms, by whoever says it. */
function budgetOf(state: State): number | null {
  return state.settings.budget_ms ?? state.scene_says.budget_ms ?? null;
}

const RECORD = "Record";
const FIRST_ONLY = "Recordings are of the first view.";

/**
 * A budget for the steps of two views, ms: with it both keep up with the clock, if the first one did alone. What its last step
 * took is no measure where it took next to nothing.
 */
export function sharedBudget(stepMs: number | null, rate: number | undefined, steps: number): number | null {
  const inTime = rate ? (SHARE * 1000) / rate / steps : 0;
  return stepMs === null ? null : budgetLike(Math.max(stepMs, inTime));
}

/** Of a frame for each of two views; the rest is for drawing and sending. */
const SHARE = 0.4;

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
  /** Says of two methods that are compared whether both have the same time. */
  private readonly shared = make("div", { class: "row shared", hidden: true });
  private readonly sharing = make("span");
  private readonly share: HTMLButtonElement;
  private readonly changes = make("span", { class: "changes" });
  private readonly note = make("p", { class: "note" });
  private readonly links: { element: HTMLAnchorElement; path: string; needs: "nothing" | "recording" | "compare"; more: Record<string, string> }[] = [];
  private state: State | null = null;
  private saved = false;
  /** Changes when what was saved would be another recording. */
  private take = 0;
  /** What would lose a recording that is not saved, and was warned of: asked for again, it is done. */
  private warned: string | null = null;
  /** What was set before two methods were given the same budget, and that. */
  private before: { iterations: number | null; budget: number } | null = null;

  constructor(private readonly host: ControlsHost) {
    const send = (command: Command) => () => host.send(command);
    this.play = new IconButton("play", "Play (space)", () => this.togglePlay());
    const step = new IconButton("step", "Single step (S)", send({ do: "step" }));
    const reset = new IconButton("reset", "Reset (R)", send({ do: "reset" }));
    this.record = new IconButton("record", RECORD, () => this.toggleRecording());
    this.record.element.classList.add("record");
    this.pin = new IconButton("pin", "Pin with a tap or click (key P pins under the pointer)", () => this.choosePin(!this.pinning));
    this.pin.press(false);
    const help = new IconButton("help", "Keys and gestures (?)", () => host.help());
    const buttons = [this.play, step, reset, this.pin, this.record].map((button) => button.element);
    const moves = make("fieldset", { class: "buttons", "aria-label": "Simulation", disabled: true }, ...buttons);
    this.transport = make("div", { class: "transport" }, moves, this.recorded, help.element);

    const set = (change: object): void => host.send({ do: "set", ...change });
    this.fields = [
      sceneField((name) => this.chooseScene(name)),
      methodField("method", "Method", (state) => `scene: ${state.scene_says.method ?? "auto"}`, set),
      methodField("compare", "Compare", () => "off", (change) => this.compare(change)),
      numberField("iterations", "Iterations", "", { min: "1", max: "100000", step: "1" },
        (state) => usual(state, "iterations", "as the budget allows"), set),
      numberField("rho", "ρ", "", { min: "0", max: "0.999999", step: "any" }, (state) => usual(state, "rho", "none"), set),
      numberField("budget_ms", "Budget", "ms", { min: "0.01", max: "10000", step: "any" }, (state) => String(state.scene_says.budget_ms ?? "none"), set),
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
    this.share = make("button", {
      type: "button", class: "plain", id: "same-budget",
      click: () => host.send({ do: "set", ...(this.state?.settings.budget_ms == null ? this.sameBudget() : this.ownTimes()) }),
    });
    this.shared.append(this.sharing, this.share);
    const [scene, method, compare, ...others] = this.fields.map((field) => field.element);
    const all = make("fieldset", { "aria-label": "Settings", disabled: true }, scene, method, compare, this.shared, ...others,
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
    const element = make("a", { download: "", click: (event) => void this.save(event as MouseEvent, element, needs === "recording") }, label);
    this.links.push({ element, path, needs, more });
    return element;
  }

  /** A browser does not tell the page what became of a link: only what the page has fetched is known to be whole. */
  private async save(event: MouseEvent, link: HTMLAnchorElement, isRecording: boolean): Promise<void> {
    if (!link.href || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (link.getAttribute("aria-busy") === "true") return;
    const { take } = this;
    link.setAttribute("aria-busy", "true");
    const file = await fetched(link.href);
    link.removeAttribute("aria-busy");
    if (typeof file === "string") {
      toast(`${link.textContent} is not saved: ${file}.`, "refused");
      return;
    }
    keep(file);
    if (isRecording && take === this.take) this.saved = true;
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
    const on = this.state?.recording.on ?? false;
    if (!on && !this.mayLose("record", "The last recording is not saved. Press again to record over it.")) return;
    this.host.send({ do: "record", on: !on });
  }

  private chooseScene(name: string): boolean {
    const may = this.mayLose(name, `The recording of ${this.state?.scene} is not saved. Choose ${name} again to go on without it.`);
    if (may) this.host.send({ do: "scene", name });
    return may;
  }

  /** Whether there is no recording that `what` would lose, or whoever asks was warned. */
  private mayLose(what: string, warning: string): boolean {
    const { state, warned } = this;
    const unsaved = state?.you_drive && state.recording.frames > 0 && !this.saved;
    this.warned = unsaved && warned !== what ? what : null;
    if (this.warned === null) return true;
    toast(warning);
    return false;
  }

  /** Two methods begin with the same time for their steps, where nothing says how much. */
  private compare(change: Partial<Settings>): void {
    const { state } = this;
    const begins = change.compare && state && state.views.length < 2 && !budgetOf(state);
    const more = begins ? this.sameBudget() : !change.compare && this.before?.budget === state?.settings.budget_ms ? this.ownTimes() : {};
    this.host.send({ do: "set", ...change, ...more });
    if (begins && more.budget_ms) {
      toast(`Both have ${ms(more.budget_ms)} for a step now. “Own times” takes that back.`);
    }
  }

  /** The same for each step of both. */
  private sameBudget(): Partial<Settings> {
    if (!this.state) return {};
    const budget = sharedBudget(this.host.stepMs(), this.host.rate(), this.state.steps_per_frame);
    if (budget === null) return {};
    this.before = { iterations: this.state.settings.iterations, budget };
    return { budget_ms: budget, iterations: null };
  }

  /** As it was before. */
  private ownTimes(): Partial<Settings> {
    const iterations = this.before?.iterations;
    this.before = null;
    return { budget_ms: null, ...(iterations == null ? {} : { iterations }) };
  }

  show(state: State, connected: boolean): void {
    this.state = state;
    const may = connected && state.you_drive;
    for (const set of this.sets) set.disabled = !may;
    this.watching.hidden = !connected || state.you_drive;
    this.play.show(state.playing ? "pause" : "play", state.playing ? "Pause (space)" : "Play (space)");
    this.showShared(state);
    this.showFields(state);
    this.showRecording(state);
    this.showLinks(state, connected);
  }

  private showShared(state: State): void {
    const budget = budgetOf(state);
    // What the scene says is not taken back here.
    this.shared.hidden = state.views.length < 2 || (budget !== null && state.settings.budget_ms === null);
    say(this.sharing, budget === null ? "Compared without a budget: each takes its own time." : `Both have ${ms(budget)} for a step.`);
    say(this.share, budget === null ? "Same budget" : "Own times");
    this.share.title = budget === null ? "Give every step of both the same time: their share of a frame, or as long as the first one's last step took" : "Let each take its own time";
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
    say(this.note, [why, state.views.length < 2 ? "" : FIRST_ONLY].filter(Boolean).join(" "));
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

  private showRecording({ recording, views }: State): void {
    // It grows: what was saved was less, or another.
    if (recording.on) {
      this.saved = false;
      this.take += 1;
    }
    this.record.show(recording.on ? "stop" : "record", recording.on ? "Stop recording" : views.length < 2 ? RECORD : `${RECORD} the first view`);
    this.record.press(recording.on);
    const length = recording.frames > 0 || recording.on ? `${digits(recording.seconds)} s` : "";
    say(this.recorded, recording.full ? `${length}, full` : length);
    this.recorded.classList.toggle("on", recording.on);
    this.recorded.title = recording.frames > 0 ? `${recording.frames} frames recorded` : "";
  }
}
