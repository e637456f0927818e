import { option, type OptionsOf, switchOption } from "./options.ts";
import type { Flavour } from "../../cronjob/api/flavour.ts";
import { ConfigError } from "../errors.ts";
import { apiOption } from "./api_option.ts";
import { CONNECTION_OPTIONS } from "./connection_options.ts";
import { outputOption } from "./output.ts";

/** Flags of a command about one CronJob, which its argument names. */
export const ONE_CRON_JOB = [
  option("-n, --namespace <name>", "the namespace to look in (default: the context's)").conflicts("allNamespaces"),
  ...CONNECTION_OPTIONS,
];

/** Flags of a command about CronJobs that its arguments name; without any, about all that these flags leave. */
export const CHOICE = [
  ...ONE_CRON_JOB,
  switchOption("-A, --all-namespaces", "those of every namespace"),
  option("-l, --selector <labels>", "only those with these labels, as kubectl has it"),
];

/** Flags of a command that changes CronJobs. */
export const TARGETS = [
  ...CHOICE,
  switchOption("--all", "all CronJobs of the namespace, or with --all-namespaces of every one"),
  switchOption("--dry-run", "print what would be done, and change nothing"),
];

/** Flags of a command that acts on CronJobs of several APIs. */
export const ACT = [...TARGETS, apiOption({ otherwise: "of every API" }), outputOption(["text", "json"])];

/** The CronJobs that a command is about: without names, all that the flags leave. */
export type Choice = OptionsOf<typeof CHOICE> & {
  readonly names: readonly string[];
  /** Empty, or without such a flag: of every API. */
  readonly api?: readonly Flavour[];
};

/** The CronJobs that a command changes, and whether it only prints the changes. */
export type Targets = Choice & OptionsOf<typeof TARGETS>;

/** The targets of a command that acts on CronJobs of several APIs, and may follow the run or back-fill that it begins. */
export type ActOptions = Targets & OptionsOf<typeof ACT> & { readonly follow?: boolean };

/**
 * Returns the choice with its names.
 *
 * @throws {ConfigError} where it isn't clear which CronJobs are meant
 */
export function choiceOf<T extends Omit<Choice, "names">>(names: readonly string[], options: T): T & Choice {
  const { allNamespaces, selector } = options;
  if (allNamespaces && names.length > 0) throw new ConfigError("Names need one namespace: leave --all-namespaces out");
  if (selector !== undefined && names.length > 0) throw new ConfigError("Give either names or --selector, not both");
  return { ...options, names };
}

/** Returns the targets with their names. A command that changes CronJobs takes all only if it is asked to. */
export function targetsOf<T extends Omit<Targets & Partial<ActOptions>, "names">>(
  names: readonly string[],
  options: T,
): T & Targets {
  const { all, selector, follow, output } = options;
  if (names.length > 0 && all) throw new ConfigError("Give either names or --all, not both");
  if (names.length === 0 && !all && selector === undefined) {
    throw new ConfigError("Give names of CronJobs, --selector or --all");
  }
  if (follow && output === "json") throw new ConfigError("Give either --follow or --output json, not both");
  return choiceOf(names, options);
}
