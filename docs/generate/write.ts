import { annotationsPage } from "./annotations.ts";
import { benchmarkFiles, BENCHMARKS, readMeasurements } from "./benchmarks.ts";
import { commandsPage, exitCodesPage } from "./commands.ts";
import { eventsPage } from "./events.ts";
import { fieldsPage } from "./fields.ts";
import { lintRulesPage } from "./lint_rules.ts";
import { logKeysPage } from "./log_keys.ts";
import { metricsPage } from "./metrics.ts";

export const REFERENCE = new URL("../reference/", import.meta.url);

/** The pages of `docs/reference`, by file name. */
export async function referencePages(): Promise<Map<string, string>> {
  return new Map([
    ["annotations.md", annotationsPage()],
    ["commands.md", commandsPage()],
    ["events.md", eventsPage()],
    ["exit-codes.md", exitCodesPage()],
    ["fields.md", fieldsPage()],
    ["lint-rules.md", lintRulesPage()],
    ["log-keys.md", logKeysPage()],
    ["metrics.md", await metricsPage()],
  ]);
}

/** Writes them. */
export async function writeReference(): Promise<void> {
  await Deno.remove(REFERENCE, { recursive: true }).catch(() => {});
  await Deno.mkdir(REFERENCE, { recursive: true });
  for (const [name, text] of await referencePages()) await Deno.writeTextFile(new URL(name, REFERENCE), text);
}

/** Writes the page of benchmarks and its drawings from what was measured, in place of those that are there. */
export async function writeBenchmarks(): Promise<void> {
  for await (const { name } of Deno.readDir(BENCHMARKS)) {
    if (name.endsWith(".svg")) await Deno.remove(new URL(name, BENCHMARKS));
  }
  const docs = new URL("../", BENCHMARKS);
  for (const [path, text] of benchmarkFiles(await readMeasurements())) {
    await Deno.writeTextFile(new URL(path, docs), text);
  }
}
