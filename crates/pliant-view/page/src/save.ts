// Files of the server, fetched and given to the browser to keep.

import { make } from "./dom.ts";

export interface Saved {
  name: string;
  data: Blob;
}

/** So long a browser may take to begin with a file that it was given, ms. */
const KEPT = 60_000;

/** The file, when all of it has come, or why there is none. */
export async function fetched(url: string): Promise<Saved | string> {
  try {
    const answer = await fetch(url, { cache: "no-store" });
    if (!answer.ok) return (await answer.text()).trim() || `the server answers ${answer.status}`;
    return { name: nameIn(answer.headers.get("content-disposition")), data: await answer.blob() };
  } catch {
    return "the connection was lost";
  }
}

/** How the server calls a file (RFC 6266). */
export function nameIn(disposition: string | null): string {
  const escaped = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? "")?.[1];
  const plain = /filename="([^"]*)"/i.exec(disposition ?? "")?.[1];
  try {
    return escaped ? decodeURIComponent(escaped) : (plain ?? "");
  } catch {
    return plain ?? "";
  }
}

export function keep({ name, data }: Saved): void {
  const url = URL.createObjectURL(data);
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT);
}
