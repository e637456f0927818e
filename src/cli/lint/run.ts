import { lint } from "../../lint/lint.ts";
import { isRule, type RuleId, SEVERITIES } from "../../lint/rules.ts";
import { noSuchRule } from "../../lint/suppressions.ts";
import { readManifests } from "../../manifest_files/read.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { ConfigError } from "../errors.ts";
import { LINT_FORMATS } from "./format.ts";
import type { LintFlags } from "./options.ts";

/** Prints what is wrong in manifests; whether that makes a failure is in the exit code. */
export async function runLint(paths: readonly string[], flags: LintFlags, now: EpochMs): Promise<void> {
  const { output, failOn } = flags;
  const options = { disabled: rulesIn(flags.disable), runtime: flags.containerRuntime };
  const report = lint(await readManifests(paths, { recursive: true, mentions: "CronJob" }), now, options);
  if (report.cronJobs === 0 && report.findings.length === 0) {
    throw new ConfigError(`There is no CronJob in ${paths.join(", ")}`);
  }
  const text = LINT_FORMATS[output](report);
  if (text !== "") console.log(text);
  const failing = SEVERITIES.slice(0, SEVERITIES.indexOf(failOn) + 1);
  if (report.findings.some(({ severity }) => failing.includes(severity))) Deno.exitCode = 1;
}

function rulesIn(ids: readonly string[]): ReadonlySet<RuleId> {
  for (const id of ids) if (!isRule(id)) throw new ConfigError(`Cannot disable ${id}: ${noSuchRule(id)}`);
  return new Set(ids.filter(isRule));
}
