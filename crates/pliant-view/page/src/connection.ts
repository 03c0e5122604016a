// The WebSocket: opened again whenever it closes, at growing intervals.

import { isTopology } from "./protocol.ts";
import type { Command } from "./messages.ts";

export interface Listener {
  topology(data: ArrayBuffer): void;
  frame(data: ArrayBuffer): void;
  told(text: string): void;
  opened(): void;
  /** `seconds` until the next attempt; `reason` is the server's, empty if it just went away. */
  closed(reason: string, seconds: number): void;
  /** What the server says where it takes no WebSocket, with what to do about it. */
  refused(why: string): void;
}

/** Why a server that answers with this status takes no WebSocket of the page; null where that is not known. */
export function refusal(status: number): string | null {
  switch (status) {
    case 401: return "The server has another token now: it was started again. Open the address that it printed.";
    case 403: return "The server does not know this page. Open the address that it printed.";
    case 503: return "The server is there, but as many pages are connected as it takes. Close one.";
    default: return null;
  }
}

const SEEN = JSON.stringify({ do: "seen" });
const WAITS = [0.5, 1, 1, 2, 2, 4, 5];
/** Whoever watched lets the driver go first, s: the first one that a server hears drives. */
const COURTESY = 0.3;

/** How long to wait before the next attempt after so many that failed, s. */
export function wait(attempts: number, watched: boolean): number {
  const seconds = WAITS[Math.min(attempts, WAITS.length - 1)];
  // Once: those that follow are as much later then.
  return attempts === 0 && watched ? seconds + COURTESY : seconds;
}

export class Connection {
  private socket: WebSocket | null = null;
  /** Another page drives. */
  watches = false;
  private attempts = 0;
  private timer = 0;
  private n = 0;

  constructor(private readonly listener: Listener) {
    this.open();
    // Somebody who comes back to the page should not wait for the rest of an interval.
    addEventListener("online", () => this.retryNow());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.retryNow();
    });
  }

  get connected(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  retryNow(): void {
    if (this.timer === 0) return;
    clearTimeout(this.timer);
    this.open();
  }

  /** Sends a command and gives its number, or null where there is no server. */
  send(command: Command): number | null {
    if (!this.socket || !this.connected) return null;
    this.n += 1;
    this.socket.send(JSON.stringify({ ...command, n: this.n }));
    return this.n;
  }

  /** Tells the server that it may send more. */
  saw(frames: number): void {
    for (let i = 0; i < frames && this.connected; i++) this.socket!.send(SEEN);
  }

  /** Numbers go on after those that the server has seen, whoever sent them. */
  seen(n: number): void {
    if (Number.isSafeInteger(n)) this.n = Math.max(this.n, n);
  }

  /** A browser does not say why a WebSocket was refused; the same address without one does. */
  private async ask(socket: WebSocket): Promise<void> {
    const answer = await fetch(address("/ws"), { cache: "no-store" }).catch(() => null);
    const why = refusal(answer?.status ?? 0);
    if (why && socket === this.socket && socket.readyState === WebSocket.CLOSED) this.listener.refused(why);
  }

  private open(): void {
    this.timer = 0;
    const socket = new WebSocket(address("/ws", location.protocol === "https:" ? "wss:" : "ws:"));
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    let opened = false;
    socket.onopen = () => {
      opened = true;
      this.attempts = 0;
      this.listener.opened();
    };
    socket.onmessage = ({ data }: MessageEvent<ArrayBuffer | string>) => {
      if (typeof data === "string") this.listener.told(data);
      else if (isTopology(data)) this.listener.topology(data);
      else this.listener.frame(data);
    };
    socket.onclose = ({ reason }) => {
      if (socket !== this.socket) return;
      const seconds = wait(this.attempts, this.watches);
      this.attempts += 1;
      this.listener.closed(reason, seconds);
      this.timer = window.setTimeout(() => this.open(), 1000 * seconds);
      if (!opened) void this.ask(socket);
    };
  }
}

/** An address of the server, with the token that this page was opened with. */
export function address(path: string, protocol = location.protocol, more: Record<string, string> = {}): string {
  const url = new URL(path, location.href);
  url.protocol = protocol;
  const token = new URLSearchParams(location.search).get("token");
  if (token !== null) url.searchParams.set("token", token);
  for (const [name, value] of Object.entries(more)) url.searchParams.set(name, value);
  return url.href;
}
