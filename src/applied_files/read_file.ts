import { messageOf } from "../telemetry/message_of.ts";
import type { FileText } from "./source.ts";

/** Reads a file, or says why it cannot be read. */
export async function readFile(path: string): Promise<FileText> {
  try {
    return { kind: "text", text: await Deno.readTextFile(path) };
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound ? "no such file" : messageOf(error);
    return { kind: "unreadable", reason };
  }
}
