// Pictures on buttons, as paths in a square of 16.

const PATHS = {
  play: "M4 2.5v11l9-5.5z",
  pause: "M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z",
  step: "M3 2.5v11l7-5.5zM11 2.5h2.2v11H11z",
  reset: "M8 3V.8L4.2 4 8 7.2V5a4 4 0 1 1-4 4H2a6 6 0 1 0 6-6z",
  record: "M8 3.2a4.8 4.8 0 1 0 0 9.6 4.8 4.8 0 0 0 0-9.6z",
  stop: "M3.5 3.5h9v9h-9z",
  pin: "M5 1.5h6l-.8 5L12.5 9H8.8L8 15l-.8-6H3.5l2.3-2.5z",
  fit: "M2 6V2h4v1.8H3.8V6zM10 2h4v4h-1.8V3.8H10zM2 10h1.8v2.2H6V14H2zM12.2 10H14v4h-4v-1.8h2.2z",
  help: "M7 11.6h2v2H7zM8 2.2c-2.3 0-3.7 1.3-3.8 3.3h1.9C6.2 4.5 6.9 3.9 8 3.9s1.8.6 1.8 1.5c0 .8-.4 1.2-1.2 1.8C7.5 7.9 7 8.6 7 9.9v.4h2v-.3c0-.8.3-1.2 1.2-1.8 1-.7 1.6-1.5 1.6-2.8 0-1.9-1.5-3.2-3.8-3.2z",
  loop: "M4.5 4.5h6V2.3L14 5.5l-3.5 3.2V6.5h-6V9h-2V6.5a2 2 0 0 1 2-2zM11.5 11.5h-6v2.2L2 10.5l3.5-3.2v2.2h6V7h2v2.5a2 2 0 0 1-2 2z",
} as const;

export type Icon = keyof typeof PATHS;

export function icon(name: Icon): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}
