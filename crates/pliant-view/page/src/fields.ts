// Settings of the simulation, one field each. An empty field leaves to the scene what it says, which is shown in grey.

import { make, say } from "./dom.ts";
import type { Settings, State, Vec3 } from "./messages.ts";
import { toast } from "./notices.ts";
import { digits } from "./units.ts";

export type Send = (change: Partial<Settings>) => void;

export interface Field {
  element: HTMLElement;
  show(state: State): void;
  /** Whether the driver has changed it. */
  changed?(state: State): boolean;
  /** What was typed and could not be sent is not wanted any more. */
  forget?(): void;
}

function row(label: string, unit: string, forId: string | null, ...controls: Node[]): HTMLElement {
  const title = forId ? make("label", { for: forId }, label) : make("span", { class: "label" }, label);
  return make("div", { class: "field" }, title, make("div", { class: "control" }, ...controls), make("span", { class: "unit" }, unit));
}

/** Fields in which something is typed and not yet sent. */
const typing = new WeakSet<HTMLInputElement>();

/** What a number may be. */
export interface Range {
  min: string;
  max: string;
  step: string;
}

/** A field for a number; `sent` hears when it has another value that may be sent. What may not is red, and is told. */
function numberInput(name: string, unit: string, range: Range, sent: () => void, more: Record<string, string> = {}): HTMLInputElement {
  const input = make("input", { type: "number", inputmode: "decimal", ...range, ...more });
  input.addEventListener("input", () => {
    typing.add(input);
    forgive(input);
  });
  input.addEventListener("change", () => {
    typing.delete(input);
    const why = complaint(name, unit, range, input.validity);
    if (!why) return sent();
    input.setAttribute("aria-invalid", "true");
    input.title = why;
    toast(why, "refused");
  });
  // Who types what was there before changes nothing.
  input.addEventListener("blur", () => typing.delete(input));
  return input;
}

/** Why a number is not sent; null where it is. */
export function complaint(name: string, unit: string, range: Range, validity: Pick<ValidityState, "valid" | "badInput" | "stepMismatch">): string | null {
  if (validity.valid) return null;
  if (validity.badInput) return `${name} must be a number.`;
  const kind = validity.stepMismatch ? "a whole number " : "";
  const [low, high] = [range.min, range.max].map((limit) => Number(limit).toLocaleString("en", { maximumFractionDigits: 6 }).replace("-", "−"));
  return `${name} must be ${kind}from ${low} to ${high}${unit && ` ${unit}`}.`;
}

function isBad(input: HTMLInputElement): boolean {
  return input.hasAttribute("aria-invalid");
}

function forgive(input: HTMLInputElement): void {
  if (!isBad(input)) return;
  input.removeAttribute("aria-invalid");
  input.title = input.dataset.title ?? "";
}

/** What is being typed, or was and is to be mended, is not replaced by what the server says. */
function fill(input: HTMLInputElement, text: string): void {
  if (!typing.has(input) && !isBad(input) && input.value !== text) input.value = text;
}

export type NumberKey = "iterations" | "rho" | "budget_ms";

export function numberField(
  key: NumberKey, label: string, unit: string, range: Range,
  otherwise: (state: State) => string, send: Send,
): Field {
  const id = `set-${key}`;
  const changed = (): void => send({ [key]: input.value === "" ? null : Number(input.value) });
  const input = numberInput(label, unit, range, changed, { id });
  return {
    element: row(label, unit, id, input),
    changed: (state) => state.settings[key] !== null,
    forget: () => forgive(input),
    show(state) {
      const { [key]: value } = state.settings;
      fill(input, value === null || value === undefined ? "" : String(value));
      input.placeholder = otherwise(state);
    },
  };
}

/** What the views have where the driver sets nothing: once if it is the same of both. */
export function usual(state: State, key: "iterations" | "rho", none: string): string {
  const texts = state.views.map(({ [key]: value }) => (value === null ? none : String(+value.toPrecision(6))));
  return [...new Set(texts)].join(" · ");
}

/** Three numbers; they are set together, and all empty resets. */
export function vectorField(key: "gravity" | "wind", label: string, unit: string, most: string, send: Send): Field {
  let usual: Vec3 = [0, 0, 0];
  const change = (): void => {
    // All three are sent, or none.
    if (inputs.some(isBad)) return;
    const empty = inputs.every((input) => input.value === "");
    send({ [key]: empty ? null : (inputs.map((input, i) => (input.value === "" ? usual[i] : Number(input.value))) as Vec3) });
  };
  const inputs = ["x", "y", "z"].map((axis) => numberInput(
    `${label} ${axis}`, unit, { min: `-${most}`, max: most, step: "any" }, change,
    { "aria-label": `${label} ${axis}, ${unit}`, title: axis, "data-title": axis },
  ));
  const element = row(label, unit, null, ...inputs);
  element.classList.add("vector");
  return {
    element,
    changed: (state) => state.settings[key] !== null,
    forget: () => inputs.forEach(forgive),
    show(state) {
      usual = state.scene_says[key] ?? [0, 0, 0];
      const value = state.settings[key];
      inputs.forEach((input, i) => {
        fill(input, value ? String(+value[i].toPrecision(6)) : "");
        input.placeholder = String(+usual[i].toPrecision(6));
      });
    },
  };
}

/** A factor on a logarithmic slider. */
export function stiffnessField(send: Send): Field {
  const id = "set-stiffness";
  const input = make("input", { id, type: "range", min: "-2", max: "2", step: "0.05", value: "0" });
  const reading = make("output", { for: id }, "× 1");
  const factor = (): number => +(10 ** Number(input.value)).toPrecision(3);
  let asked = 0;
  input.addEventListener("input", () => {
    say(reading, `× ${digits(factor())}`);
    // A slider moves more often than a scene can be changed.
    clearTimeout(asked);
    asked = window.setTimeout(() => send({ stiffness: factor() === 1 ? null : factor() }), 150);
  });
  input.addEventListener("dblclick", () => {
    input.value = "0";
    input.dispatchEvent(new Event("input"));
  });
  const element = row("Stiffness", "", id, input);
  element.title = "A factor on all materials; a double click sets 1";
  element.lastElementChild!.replaceWith(reading);
  return {
    element,
    changed: (state) => state.settings.stiffness !== null,
    show(state) {
      const value = state.settings.stiffness ?? 1;
      if (document.activeElement !== input) input.value = String(Math.log10(value));
      input.setAttribute("aria-valuetext", `times ${digits(value)}`);
      if (document.activeElement !== input) say(reading, `× ${digits(value)}`);
    },
  };
}

/** As much of a reason as a list has room for. */
export function shortened(text: string, most = 64): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`;
}

/** The methods there are; the first entry stands for none chosen. */
export function methodField(key: "method" | "compare", label: string, none: (state: State) => string, send: Send): Field {
  const id = `set-${key}`;
  const select = make("select", { id });
  select.addEventListener("change", () => send({ [key]: select.value || null }));
  let listed = "";
  return {
    element: row(label, "", id, select),
    changed: (state) => state.settings[key] !== null,
    show(state) {
      const list = JSON.stringify([none(state), state.methods]);
      if (list !== listed) {
        listed = list;
        const methods = state.methods.map((method) => {
          const why = method.why ?? "It cannot solve this scene, or not on this device.";
          return make("option", { value: method.name, title: method.fits ? (method.summary ?? "") : why, disabled: !method.fits }, method.fits ? method.name : `${method.name}: ${shortened(why)}`);
        });
        select.replaceChildren(make("option", { value: "" }, none(state)), ...methods);
      }
      select.value = state.settings[key] ?? "";
      const chosen = state.methods.find((method) => method.name === select.value);
      select.title = chosen?.summary ?? "";
    },
  };
}

/** `choose` says whether it does. */
export function sceneField(choose: (name: string) => boolean): Field {
  const select = make("select", { id: "set-scene" });
  let shown = "";
  select.addEventListener("change", () => {
    if (!choose(select.value)) select.value = shown;
  });
  let listed = "";
  return {
    element: row("Scene", "", "set-scene", select),
    show(state) {
      const names = state.scenes.includes(state.scene) ? state.scenes : [state.scene, ...state.scenes];
      if (listed !== names.join("\n")) {
        listed = names.join("\n");
        select.replaceChildren(...names.map((name) => make("option", { value: name }, name)));
      }
      select.value = shown = state.scene;
    },
  };
}
