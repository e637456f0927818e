import type { Severity } from "../../lint/finding.ts";
import { lint } from "../../lint/lint.ts";
import { readManifests } from "../../manifest_files/read.ts";
import type { EpochMs } from "../../schedule/epoch_ms.ts";
import { ConfigError } from "../errors.ts";
import { LINT_FORMATS, type LintFormat } from "./format.ts";

/** What the command line of `lint` says. */
export interface LintFlags {
  readonly output: LintFormat;
  readonly failOn: Severity;
}

/** Prints what is wrong in manifests; whether that makes a failure is in the exit code. */
export async function runLint(paths: readonly string[], { output, failOn }: LintFlags, now: EpochMs): Promise<void> {
  const report = lint(await readManifests(paths, { recursive: true, mentions: "CronJob" }), now);
  if (report.cronJobs === 0 && report.findings.length === 0) {
    throw new ConfigError(`There is no CronJob in ${paths.join(", ")}`);
  }
  const text = LINT_FORMATS[output](report);
  if (text !== "") console.log(text);
  if (report.findings.some(({ severity }) => severity === "error" || severity === failOn)) Deno.exitCode = 1;
}
