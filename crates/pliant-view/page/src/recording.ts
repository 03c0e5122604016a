// A recording: messages one after the other, each after its length.

import { decodeFrame, decodeTopology, ProtocolError, type Frame, type Topology } from "./protocol.ts";

export interface Recording {
  topology: Topology;
  /** In order. */
  frames: Frame[];
}

export function unpack(base64: string): ArrayBuffer {
  const binary = atob(base64.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

export function decodeRecording(data: ArrayBuffer): Recording {
  const view = new DataView(data);
  const messages: ArrayBuffer[] = [];
  for (let at = 0; at < data.byteLength;) {
    if (at + 4 > data.byteLength) throw new ProtocolError("the recording ends within a length");
    const length = view.getUint32(at, true);
    at += 4;
    if (at + length > data.byteLength) throw new ProtocolError(`message ${messages.length} of the recording has ${length} bytes, but ${data.byteLength - at} are left`);
    messages.push(data.slice(at, at + length));
    at += length;
  }
  if (messages.length === 0) throw new ProtocolError("the recording is empty");
  const topology = decodeTopology(messages[0]);
  const frames = messages.slice(1)
    .map((message) => decodeFrame(message, topology.generation, topology.info.vertices))
    .filter((frame) => frame !== null);
  if (frames.length === 0) throw new ProtocolError("the recording has no frames");
  return { topology, frames };
}
