// What a page knew of a server that was started again since.

import type { State } from "./messages.ts";

/** In words what was there and is not any more; empty if it is the same server, or nothing is lost. */
export function lost(before: State, now: State): string[] {
  if (before.begun === now.begun) return [];
  const settings = Object.values(before.settings).some((value) => value !== null);
  const pins = before.scene === now.scene && before.pins.toString() !== now.pins.toString();
  return [
    ...(before.scene === now.scene ? [] : [`the scene ${before.scene}`]),
    ...(settings ? ["settings"] : []),
    ...(pins ? ["pins"] : []),
    ...(before.recording.frames > 0 ? ["the recording"] : []),
  ];
}

export function tellLost(what: readonly string[]): string | null {
  if (what.length === 0) return null;
  const all = what.length === 1 ? what[0] : `${what.slice(0, -1).join(", ")} and ${what.at(-1)}`;
  return `The server was started again, without what was changed here: ${all}.`;
}
