// Elements in one expression.

type Attributes = Record<string, string | boolean | ((event: Event) => void)>;

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (typeof value === "string") element.setAttribute(name, value);
    else if (value) element.setAttribute(name, "");
  }
  element.append(...children);
  return element;
}

export function find(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}

/** Sets what is shown only where it differs: layout is not free. */
export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
