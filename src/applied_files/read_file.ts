import { readText } from "../manifest_files/read.ts";
import { messageOf } from "../telemetry/message_of.ts";
import type { FileText } from "./source.ts";

/** Reads a file, or says why it cannot be read. */
export async function readFile(path: string): Promise<FileText> {
  try {
    return { kind: "text", text: await readText(path) };
  } catch (error) {
    return { kind: "unreadable", reason: whyUnreadable(error, "file") };
  }
}

/** Returns why a file or folder cannot be read. */
export function whyUnreadable(error: unknown, wanted: "file" | "folder"): string {
  if (error instanceof Deno.errors.NotFound) return `no such ${wanted}`;
  if (error instanceof Deno.errors.NotADirectory) return "it is a file";
  return error instanceof Deno.errors.IsADirectory ? "it is a folder" : messageOf(error);
}
