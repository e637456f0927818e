import type { ImportedLine } from "../../crontab/import_crontab.ts";
import { yamlOf } from "../../manifests/yaml.ts";
import { printable } from "../../telemetry/printable.ts";
import { jsonText } from "../flags/output.ts";
import type { ImportFlags } from "./options.ts";

/** The ways in which imported CronJobs are printed. */
export const IMPORT_FORMATS: Readonly<Record<ImportFlags["output"], (lines: readonly ImportedLine[]) => string>> = {
  yaml: (lines) => lines.map(yamlOfLine).join("").trimEnd(),
  json: (lines) => jsonText({ apiVersion: "v1", kind: "List", items: lines.flatMap(cronJobOf) }),
};

/** Returns the line as it was, what is to be said of it, and what has become of it. */
function yamlOfLine(line: ImportedLine): string {
  const comments = [`${line.source}:${line.line}: ${line.text}`, ...notesOn(line)];
  const separator = line.kind === "imported" ? "---\n" : "";
  return separator + comments.map((comment) => `# ${printable(comment)}\n`).join("") + yamlOf(...cronJobOf(line));
}

function cronJobOf(line: ImportedLine) {
  return line.kind === "imported" ? [line.cronJob] : [];
}

function notesOn(line: ImportedLine): string[] {
  return line.kind === "notUnderstood" ? [`not imported: ${line.reason}`] : [...line.remarks];
}

/** Returns what people should know, a line each. */
export function messagesOf(lines: readonly ImportedLine[]): string[] {
  return lines.flatMap((line) => notesOn(line).map((note) => printable(`${line.source}:${line.line}: ${note}`)));
}
