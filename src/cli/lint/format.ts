import type { LintReport, PlacedFinding } from "../../lint/finding.ts";
import type { Severity } from "../../lint/rules.ts";
import { many } from "../print/counted.ts";
import { jsonText } from "../flags/output.ts";
import type { LintFlags } from "./options.ts";

/** The ways in which `lint` prints. */
export const LINT_FORMATS: Readonly<Record<LintFlags["output"], (report: LintReport) => string>> = {
  text: (report) => [...textLines(report), summary(report)].join("\n"),
  json: (report) =>
    jsonText({
      cronJobs: report.cronJobs,
      errors: count(report, "error"),
      warnings: count(report, "warning"),
      hints: count(report, "hint"),
      findings: report.findings,
    }),
  github: ({ findings }) => findings.map(githubCommand).join("\n"),
};

/** Hints of a rule that are shown; fleets have hundreds of them. */
const SHOWN_HINTS = 3;

function textLines({ findings }: LintReport): string[] {
  const hints = Map.groupBy(findings.filter(({ severity }) => severity === "hint"), ({ rule }) => rule);
  const folded = new Set(hints.values().flatMap((ofRule) => ofRule.slice(SHOWN_HINTS)));
  const counts = hints.entries().filter(([, { length }]) => length > SHOWN_HINTS)
    .map(([rule, { length }]) => `${length - SHOWN_HINTS} more hints of ${rule}: -o json shows all`);
  return [...findings.filter((one) => !folded.has(one)).map(textLine), ...counts];
}

function textLine({ source, line, column, severity, name, field, message, rule }: PlacedFinding): string {
  const about = [name, field].filter((part) => part !== "").join(" ");
  return `${source}:${line}:${column}: ${severity}: ${about === "" ? "" : `${about}: `}${message} [${rule}]`;
}

function summary(report: LintReport): string {
  const counts = [many(count(report, "error"), "error"), many(count(report, "warning"), "warning")];
  const hints = count(report, "hint");
  return `${many(report.cronJobs, "CronJob")}: ${[...counts, ...hints > 0 ? [many(hints, "hint")] : []].join(", ")}`;
}

function count({ findings }: LintReport, wanted: Severity): number {
  return findings.filter(({ severity }) => severity === wanted).length;
}

const GITHUB_COMMANDS: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", hint: "notice" };

/** Returns a workflow command of GitHub Actions, which shows the finding at its line of the change. */
function githubCommand({ source, line, column, severity, name, field, message, rule }: PlacedFinding): string {
  const properties = Object.entries({
    file: source,
    line,
    col: column,
    title: [rule, name, field].filter((part) => part !== "").join(" "),
  });
  const escaped = properties.map(([key, value]) => `${key}=${escapeProperty(String(value))}`).join(",");
  return `::${GITHUB_COMMANDS[severity]} ${escaped}::${escapeData(message)}`;
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
