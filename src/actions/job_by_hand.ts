import type { Container, EnvVar, PodSpec } from "kubernetes-types/core/v1";
import { INSTANTIATE, TRIGGER } from "../cronjob/api/annotations.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";
import { jobFor } from "../cronjob/decision/job_template.ts";
import type { DeepReadonly, Unstored } from "../kube/object.ts";
import type { Job } from "../kube/resource.ts";
import { isBourneShell } from "../base/bourne_shell.ts";
import type { EpochMs } from "../base/epoch_ms.ts";

/** The differences of a run by hand from the template. */
export interface JobChanges {
  /** The arguments of the main container, in place of its own; empty: its own stay. */
  readonly args: readonly string[];
  /** Variables of all containers, in place of those under the same names. */
  readonly env: readonly Pick<Required<EnvVar>, "name" | "value">[];
}

/** kubectl's annotation that names the main container of a Pod. */
const DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container";

/** Returns what `kubectl create job --from` makes of a CronJob, with the changes. The API server completes its name. */
export function jobByHand(
  cronJob: CronJob,
  { id, now, changes }: { id: string; now: EpochMs; changes: JobChanges },
): Unstored<Job> {
  const job = jobFor(cronJob, { trigger: "Manual", id, at: now });
  const { name: _, annotations: { [TRIGGER]: _trigger, ...annotations } = {}, ownerReferences, ...metadata } =
    job.metadata;
  return {
    ...job,
    metadata: {
      ...metadata,
      generateName: `${cronJob.metadata.name}-manual-`,
      annotations: { ...annotations, [INSTANTIATE]: "manual" },
      // A user who may not update a CronJob's finalizers may not let it wait for the Job.
      ownerReferences: ownerReferences?.map(({ blockOwnerDeletion: _, ...reference }) => reference),
    },
    spec: changed(job.spec, changes),
  } as Unstored<Job>;
}

/** Returns whether arguments would be lost: the command is a shell's `-c` string that reads none. */
export function losesArguments({ object }: CronJob): boolean {
  const shell = shellCommandOf(mainContainerOf(object.spec.jobTemplate?.spec?.template)?.command);
  return shell !== undefined && !READS_ARGUMENTS.test(shell.script);
}

/** `$0` is missing, as it is the shell's own name. */
const READS_ARGUMENTS = /\$(?:[@*#1-9]|\{[!#]?[@*#1-9])|\b(?:getopts|shift)\b/;

/** A shell's `-c`, other options in front of it. */
const RUNS_STRING = /^-[a-z]*c$/;

/** Returns the string that a shell runs, and whether its name, `$0`, stands behind it; undefined for another command. */
function shellCommandOf(command: readonly string[] = []) {
  if (!isBourneShell(command[0] ?? "")) return undefined;
  let at = 1;
  // Behind a script file, `-c` is an option of the script. `-o` and `-O` have the name of an option behind them.
  while (/^[-+]/.test(command[at] ?? "") && !RUNS_STRING.test(command[at]!)) at += /[oO]$/.test(command[at]!) ? 2 : 1;
  const script = RUNS_STRING.test(command[at] ?? "") ? command[at + 1] : undefined;
  return script === undefined ? undefined : { script, isNamed: command.length > at + 2 };
}

type PodTemplate = NonNullable<Job["spec"]>["template"];

function mainContainerOf(template: DeepReadonly<PodTemplate> | undefined) {
  const containers = template?.spec?.containers ?? [];
  const named = template?.metadata?.annotations?.[DEFAULT_CONTAINER];
  return containers.find(({ name }) => name === named) ?? containers[0];
}

/** The first word behind a shell's `-c` string becomes `$0`, the shell's name, and is no argument. */
function argumentsFor(container: Container, args: readonly string[]): string[] {
  const shell = shellCommandOf(container.command);
  return shell === undefined || shell.isNamed ? [...args] : [container.args?.[0] ?? container.command![0]!, ...args];
}

function changed(spec: Job["spec"], { args, env }: JobChanges): Job["spec"] {
  const template = spec?.template;
  if (!template?.spec || (args.length === 0 && env.length === 0)) return spec;
  const { containers = [], initContainers } = template.spec;
  const main = mainContainerOf(template);
  const withArgs = (container: Container) =>
    container === main && args.length > 0 ? { ...container, args: argumentsFor(container, args) } : container;
  const pod: PodSpec = {
    ...template.spec,
    containers: containers.map((container) => withEnv(withArgs(container), env)),
    ...(initContainers && { initContainers: initContainers.map((container) => withEnv(container, env)) }),
  };
  return { ...spec, template: { ...template, spec: pod } };
}

/**
 * Returns a container with variables set. A changed variable keeps its place, since Kubernetes expands `$(NAME)` by the
 * variables above alone. Of two with the same name the last counts.
 */
function withEnv(container: Container, env: JobChanges["env"]): Container {
  if (env.length === 0) return container;
  const changed = new Map<string, EnvVar>(env.map((variable) => [variable.name, variable]));
  const before = container.env ?? [];
  const names = new Set(before.map(({ name }) => name));
  return {
    ...container,
    env: [
      ...before.map((variable) => changed.get(variable.name) ?? variable),
      ...changed.values().filter(({ name }) => !names.has(name)),
    ],
  };
}
