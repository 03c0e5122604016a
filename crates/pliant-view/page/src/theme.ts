// Colours of the scene for a light and a dark surrounding; those of the page are in style.css.

export interface Theme {
  background: number;
  ground: number;
  line: number;
  sky: number;
  below: number;
  key: number;
  fill: number;
}

const LIGHT: Theme = { background: 0xeef0f2, ground: 0xdde1e5, line: 0x9aa3ad, sky: 0.95, below: 0xc4beb6, key: 1.9, fill: 1.25 };
const DARK: Theme = { background: 0x15181c, ground: 0x262b31, line: 0x59636e, sky: 0.8, below: 0x6a645e, key: 1.8, fill: 1.1 };

const query = matchMedia("(prefers-color-scheme: dark)");

export function theme(): Theme {
  return query.matches ? DARK : LIGHT;
}

export function whenThemeChanges(then: () => void): void {
  query.addEventListener("change", then);
}
