// The keyboard, and the page of help that lists it.

import { find, make } from "./dom.ts";

export interface Key {
  /** As `KeyboardEvent.key`, lower case. */
  keys: string[];
  shown: string;
  what: string;
  act: () => void;
}

export function listen(keys: readonly Key[]): void {
  giveBack();
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const target = event.target as HTMLElement;
    if (target.closest("input:not([type=checkbox]):not([type=range]), select, textarea, dialog[open]")) return;
    // On a button or a check box the space bar is theirs.
    if (event.key === " " && target.closest("button, input, a, summary")) return;
    const key = keys.find((one) => one.keys.includes(event.key.toLowerCase()));
    if (!key) return;
    event.preventDefault();
    key.act();
  });
}

/**
 * A choice made with the pointer gives the keyboard back to the scene, and so does Enter in a field; whoever chooses with keys
 * stays where they are.
 */
function giveBack(): void {
  let byPointer = false;
  addEventListener("pointerdown", () => (byPointer = true), { capture: true });
  addEventListener("keydown", (event) => {
    byPointer = false;
    if (event.key === "Enter" && (event.target as HTMLElement).matches("input")) (event.target as HTMLElement).blur();
  });
  // A button that was clicked keeps the focus, and the space bar would press it again instead of playing. Before it acts: a
  // dialog that it opens gives the focus back to where it was.
  addEventListener("click", (event) => {
    if (event.detail > 0) (event.target as HTMLElement).closest<HTMLElement>("button, a")?.blur();
  }, { capture: true });
  addEventListener("change", (event) => {
    const target = event.target as HTMLElement;
    if (byPointer && !target.matches("input[type=number]")) target.blur();
  });
}

/** Builds the help and gives what opens it. */
export function help(keys: readonly Key[], gestures: readonly [string, string][]): () => void {
  const dialog = find("help") as HTMLDialogElement;
  const line = (left: Node, what: string): HTMLElement => make("div", {}, make("dt", {}, left), make("dd", {}, what));
  const list = make("dl", {},
    ...keys.map(({ shown, what }) => line(make("kbd", {}, shown), what)),
    ...gestures.map(([gesture, what]) => line(make("i", {}, gesture), what)));
  const close = make("button", { type: "button", click: () => dialog.close() }, "Close");
  dialog.append(make("h2", {}, "Keys and gestures"), list, close);
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  return () => (dialog.open ? dialog.close() : dialog.showModal());
}
