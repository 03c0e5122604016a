// Toasts, which go away, and banners, which stay as long as what they say holds.

import { find, make, say } from "./dom.ts";

const TOAST_MS = 6000;
const MOST_LINES = 14;

export function toast(message: string, kind: "notice" | "refused" = "notice"): void {
  const place = find("toasts");
  const lines = message.trimEnd().split("\n");
  if (lines.length > MOST_LINES) message = [...lines.slice(0, MOST_LINES), `… and ${lines.length - MOST_LINES} more lines`].join("\n");
  const last = place.lastElementChild;
  if (last?.textContent === message) last.remove();
  const element = make("div", { class: `toast ${kind}${lines.length > 1 ? " code" : ""}` }, message);
  place.append(element);
  while (place.childElementCount > 4) place.firstElementChild?.remove();
  setTimeout(() => element.remove(), lines.length > 1 ? 3 * TOAST_MS : TOAST_MS);
}

const banners = new Map<string, HTMLElement>();

/** Shows, changes or (with null) takes away the banner of that name. */
export function banner(name: string, message: string | null, action?: { label: string; act: () => void }): void {
  const shown = banners.get(name);
  if (message === null) {
    shown?.remove();
    banners.delete(name);
    return;
  }
  if (shown) {
    say(shown.firstElementChild!, message);
    return;
  }
  const element = make("div", { class: `banner ${name}` }, make("span", {}, message));
  if (action) element.append(make("button", { type: "button", click: action.act }, action.label));
  banners.set(name, element);
  find("banners").append(element);
}

export function busy(message: string | null): void {
  const place = find("busy");
  place.hidden = message === null;
  say(place, message ?? "");
}
