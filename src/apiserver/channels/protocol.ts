import { messageOf } from "../../telemetry/message_of.ts";
import { Refusal } from "../refusals.ts";

/** The first byte of each message says which stream it belongs to. */
export const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, status: 3, resize: 4, close: 255 } as const;

/** The protocols, the best first. In version 5 a client can say that its standard input has ended. */
const PROTOCOLS = ["v5.channel.k8s.io", "v4.channel.k8s.io"] as const;

/** Returns the first protocol that both know; undefined if there is none. */
export function chooseProtocol(offered: string): string | undefined {
  const names = offered.split(",").map((name) => name.trim());
  return PROTOCOLS.find((protocol) => names.includes(protocol));
}

/** A frame of a client. */
export type ClientMessage =
  | { readonly kind: "stdin"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "stdinEnd" }
  | { readonly kind: "resize"; readonly width: number; readonly height: number };

/** Reads a frame; returns undefined for one that means nothing to a server. */
export function readMessage(data: unknown): ClientMessage | undefined {
  if (!(data instanceof ArrayBuffer) || data.byteLength === 0) return undefined;
  const [channel] = new Uint8Array(data, 0, 1);
  const bytes = new Uint8Array(data, 1);
  switch (channel) {
    case CHANNEL.stdin:
      return { kind: "stdin", bytes };
    case CHANNEL.close:
      return bytes[0] === CHANNEL.stdin ? { kind: "stdinEnd" } : undefined;
    case CHANNEL.resize:
      return readSize(bytes);
    default:
      return undefined;
  }
}

function readSize(bytes: Uint8Array): ClientMessage | undefined {
  try {
    const { Width: width, Height: height } = JSON.parse(new TextDecoder().decode(bytes));
    return isSize(width) && isSize(height) ? { kind: "resize", width, height } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether a terminal's driver takes a value as its width or height. */
function isSize(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= 0xffff;
}

/** Returns a frame: the number of the channel, and its bytes. */
export function writeMessage(channel: number, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(bytes.length + 1);
  message[0] = channel;
  message.set(bytes, 1);
  return message;
}

/** Returns the last message: how the command has ended. */
export function exitStatus(code: number): object {
  if (code === 0) return { metadata: {}, status: "Success" };
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: exit status ${code}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(code) }] },
  };
}

/** Returns the last message where there is no exit code. */
export function failureStatus(error: unknown): object {
  return new Refusal(500, "InternalError", `Internal error occurred: ${messageOf(error)}`, {
    causes: [{ message: messageOf(error) }],
  }).toStatus();
}
