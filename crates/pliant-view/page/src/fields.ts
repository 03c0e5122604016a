// Settings of the simulation, one field each. An empty field leaves to the scene what it says, which is shown in grey.

import { make, say } from "./dom.ts";
import type { Settings, State, Vec3 } from "./messages.ts";
import { digits } from "./units.ts";

export type Send = (change: Partial<Settings>) => void;

export interface Field {
  element: HTMLElement;
  show(state: State): void;
}

function row(label: string, unit: string, forId: string | null, ...controls: Node[]): HTMLElement {
  const title = forId ? make("label", { for: forId }, label) : make("span", { class: "label" }, label);
  return make("div", { class: "field" }, title, make("div", { class: "control" }, ...controls), make("span", { class: "unit" }, unit));
}

/** Fields in which something is typed and not yet sent. */
const typing = new WeakSet<HTMLInputElement>();

function watch(input: HTMLInputElement): void {
  input.addEventListener("input", () => typing.add(input));
  // First of what listens to a change: then the answer of the server may fill the field again.
  input.addEventListener("change", () => typing.delete(input));
  // Who types what was there before changes nothing.
  input.addEventListener("blur", () => typing.delete(input));
}

/** What is being typed is not replaced by what the server says. */
function fill(input: HTMLInputElement, text: string): void {
  if (!typing.has(input) && input.value !== text) input.value = text;
}

export type NumberKey = "iterations" | "rho" | "budget_ms";

export function numberField(
  key: NumberKey, label: string, unit: string, range: { min: string; max?: string; step: string },
  otherwise: (state: State) => number | null | undefined, send: Send,
): Field {
  const id = `set-${key}`;
  const input = make("input", { id, type: "number", inputmode: "decimal", ...range });
  watch(input);
  input.addEventListener("change", () => {
    if (!input.validity.valid) {
      input.reportValidity();
      return;
    }
    send({ [key]: input.value === "" ? null : Number(input.value) });
  });
  return {
    element: row(label, unit, id, input),
    show(state) {
      const { [key]: value } = state.settings;
      fill(input, value === null || value === undefined ? "" : String(value));
      const usual = otherwise(state);
      input.placeholder = usual === null || usual === undefined ? "none" : String(+usual.toPrecision(6));
    },
  };
}

/** Three numbers; they are set together, and all empty resets. */
export function vectorField(key: "gravity" | "wind", label: string, unit: string, send: Send): Field {
  const inputs = ["x", "y", "z"].map((axis) => {
    return make("input", { type: "number", step: "any", "aria-label": `${label} ${axis}, ${unit}`, title: axis });
  });
  inputs.forEach(watch);
  let usual: Vec3 = [0, 0, 0];
  const change = (): void => {
    const empty = inputs.every((input) => input.value === "");
    send({ [key]: empty ? null : (inputs.map((input, i) => (input.value === "" ? usual[i] : Number(input.value))) as Vec3) });
  };
  for (const input of inputs) input.addEventListener("change", change);
  const element = row(label, unit, null, ...inputs);
  element.classList.add("vector");
  return {
    element,
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
    show(state) {
      const value = state.settings.stiffness ?? 1;
      if (document.activeElement !== input) input.value = String(Math.log10(value));
      input.setAttribute("aria-valuetext", `times ${digits(value)}`);
      if (document.activeElement !== input) say(reading, `× ${digits(value)}`);
    },
  };
}

/** The methods there are; the first entry stands for none chosen. */
export function methodField(key: "method" | "compare", label: string, none: (state: State) => string, send: Send): Field {
  const id = `set-${key}`;
  const select = make("select", { id });
  select.addEventListener("change", () => send({ [key]: select.value || null }));
  let listed = "";
  return {
    element: row(label, "", id, select),
    show(state) {
      const list = JSON.stringify([none(state), state.methods]);
      if (list !== listed) {
        listed = list;
        const methods = state.methods.map((method) => {
          const why = method.why ?? "It cannot solve this scene, or not on this device.";
          return make("option", { value: method.name, title: method.fits ? (method.summary ?? "") : why, disabled: !method.fits }, method.name);
        });
        select.replaceChildren(make("option", { value: "" }, none(state)), ...methods);
      }
      select.value = state.settings[key] ?? "";
      const chosen = state.methods.find((method) => method.name === select.value);
      select.title = chosen?.summary ?? "";
    },
  };
}

export function sceneField(choose: (name: string) => void): Field {
  const select = make("select", { id: "set-scene" });
  select.addEventListener("change", () => choose(select.value));
  let listed = "";
  return {
    element: row("Scene", "", "set-scene", select),
    show(state) {
      const names = state.scenes.includes(state.scene) ? state.scenes : [state.scene, ...state.scenes];
      if (listed !== names.join("\n")) {
        listed = names.join("\n");
        select.replaceChildren(...names.map((name) => make("option", { value: name }, name)));
      }
      select.value = state.scene;
    },
  };
}
