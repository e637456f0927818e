import type { CronJobManifest } from "../manifest_files/cron_job.ts";
import type { Manifests } from "../manifest_files/parse.ts";
import { finding, type PlacedFinding } from "./finding.ts";
import type { RuleId } from "./rules.ts";
import { documentSpans, type LineSpan, templateIn } from "./source_text.ts";
import { isSuppressed, isWithin, suppressionsIn } from "./suppressions.ts";

interface Template {
  readonly lines: LineSpan;
  readonly finding: PlacedFinding;
}

/** Leaves out what is disabled, by name or by a comment in the file, and what is said of templates that are not rendered. */
export function sift(
  findings: readonly PlacedFinding[],
  { texts, faults }: Manifests,
  cronJobs: readonly CronJobManifest[],
  disabled: ReadonlySet<RuleId>,
): PlacedFinding[] {
  const bySource = Map.groupBy(findings, ({ source }) => source);
  return [...texts].flatMap(([source, text]) => {
    const suppressions = suppressionsIn(text, source);
    const isWanted = (found: PlacedFinding) => !disabled.has(found.rule) && !isSuppressed(found, suppressions);
    const isHere = (each: { readonly source: string }) => each.source === source;
    const lines = () => [...faults.filter(isHere), ...cronJobs.filter(isHere).map(({ position }) => position(""))];
    const templates = templatesIn(text, source, lines).filter((template) => isWanted(template.finding));
    const own = (bySource.get(source) ?? []).filter((found) =>
      !templates.some((template) => isWithin(found.line, template.lines))
    );
    return [...own, ...templates.map((template) => template.finding), ...suppressions.findings].filter(isWanted);
  });
}

/**
 * Returns the documents with a fault or a CronJob that are templates. Where these stand is asked only of a text that may hold
 * one: it takes the time of a second reading.
 */
function templatesIn(text: string, source: string, linesOf: () => readonly { readonly line: number }[]): Template[] {
  if (!text.includes("{{")) return [];
  const looked = linesOf();
  return documentSpans(text).flatMap((lines) => {
    const at = looked.some(({ line }) => isWithin(line, lines)) ? templateIn(text, lines) : undefined;
    if (at === undefined) return [];
    const message = "a Helm template that is not rendered: helm template CHART | cronjob-controller lint -";
    return [{ lines, finding: { ...finding("unrendered-template", "", message), name: "", source, ...at } }];
  });
}
