import { fail } from "@std/assert";
import { stringify } from "yaml";
import { runToEnd } from "../../support/run_to_end.ts";
import type { AlertRule } from "./rules.ts";

export interface Output {
  readonly code: number;
  readonly text: string;
}

/** Runs Debian's `promtool` (of the package `prometheus`) on files that are written for it. */
export async function promtool(
  args: readonly string[],
  { files = {}, stdin }: { files?: Record<string, unknown>; stdin?: string } = {},
): Promise<Output> {
  const cwd = await Deno.makeTempDir({ prefix: "cjc-promtool-" });
  try {
    for (const [name, content] of Object.entries(files)) await Deno.writeTextFile(`${cwd}/${name}`, stringify(content));
    const { code, stdout, stderr } = await runToEnd(["promtool", ...args], { cwd, stdin });
    return { code, text: stdout + stderr };
  } finally {
    await Deno.remove(cwd, { recursive: true });
  }
}

/** Series by name with labels; values a minute apart, in promtool's notation (`0x10 1 2+1x5`). */
export type Input = Record<string, string>;

export interface Expectation {
  /** After the first values: `15m`. */
  readonly at: string;
  readonly alert: string;
  /** Of each alert that fires then, `severity` aside; none: it doesn't fire. */
  readonly fires: readonly Record<string, string>[];
}

/** Lets Prometheus evaluate `rules` over `input`, and fails with its own words if other alerts fire than are expected. */
export async function expectAlerts(
  rules: readonly AlertRule[],
  input: Input,
  expectations: readonly Expectation[],
): Promise<void> {
  const { code, text } = await evaluate(rules.map(({ annotations: _, ...rule }) => rule), input, expectations);
  if (code !== 0) fail(text);
}

/** Like {@linkcode expectAlerts}, with what promtool says. */
export async function evaluate(
  rules: readonly Partial<AlertRule>[],
  input: Input,
  expectations: readonly Expectation[],
): Promise<Output> {
  const tests = [{
    interval: "1m",
    input_series: Object.entries(input).map(([series, values]) => ({ series, values })),
    alert_rule_test: expectations.map(({ at, alert, fires }) => ({
      eval_time: at,
      alertname: alert,
      exp_alerts: fires.map((labels) => ({
        exp_labels: { severity: rules.find((rule) => rule.alert === alert)?.labels?.severity, ...labels },
      })),
    })),
  }];
  return await promtool(["test", "rules", "tests.yaml"], {
    files: {
      "tests.yaml": { rule_files: ["rules.yaml"], evaluation_interval: "1m", tests },
      "rules.yaml": { groups: [{ name: "rules", rules }] },
    },
  });
}
