import type { Container, EnvVar } from "kubernetes-types/core/v1";
import type { Flavour } from "../cronjob/api/flavour.ts";
import type { CronJobObject } from "../cronjob/api/types.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import { isTimeZone } from "../schedule/time_zone.ts";
import { clockChangePolicyOf, differences } from "./clock_changes.ts";
import { asContainerText, containerCommand, type CronCommand, readCommand } from "./container_command.ts";
import { readCronTimes } from "./cron_times.ts";
import { CrontabError } from "./crontab_error.ts";
import { type EarlierCronJob, type NamedEntry, nameFault, namesOf } from "./names.ts";
import { type CrontabEntry, readCrontab } from "./read_crontab.ts";
import { scheduleText } from "./schedule_text.ts";

/** A crontab as text. */
export interface CrontabSource {
  /** For messages: a path, or `stdin`. */
  readonly name: string;
  readonly text: string;
  /** Whether a user stands before each command. */
  readonly hasUsers: boolean;
}

/** Where the CronJobs are to run. */
export type Place =
  /** As processes of the user who starts `standalone`. */
  | { readonly kind: "workstation"; readonly user: string; homeOf(user: string): string | undefined }
  /** In containers of this image. */
  | { readonly kind: "cluster"; readonly image: string };

export interface ImportOptions {
  readonly api: Flavour;
  readonly namespace: string | undefined;
  /** The machine whose name each CronJob's name begins with; undefined where there is only one machine. */
  readonly host: string | undefined;
  /** The CronJobs of an earlier import, whose names stay. */
  readonly before?: readonly EarlierCronJob[];
  readonly place: Place;
  /** The time zone that the crontab goes by. */
  readonly timeZone: string;
  /** From when on the runs of cron and of the CronJobs are compared. */
  readonly now: EpochMs;
}

/** A line, and the file that it is from. */
interface SourceLine {
  readonly source: string;
  readonly line: number;
  readonly text: string;
}

/** The outcome of one line. */
export type ImportedLine =
  & SourceLine
  & (
    | { readonly kind: "imported"; readonly cronJob: CronJobManifest; readonly remarks: readonly string[] }
    | { readonly kind: "remark"; readonly remarks: readonly string[] }
    | { readonly kind: "notUnderstood"; readonly reason: string }
  );

/** A CronJob without the fields that an API server adds. */
export type CronJobManifest = Pick<CronJobObject, "spec"> & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
};

/** Kubernetes' own annotation for what people write about an object. */
const DESCRIPTION = "kubernetes.io/description";

/** cron starts a run in its minute or not at all, unless the clock jumps. */
const STARTING_DEADLINE_SECONDS = 60;

/** Settings of cron for its output, which Jobs keep in their logs. */
const MAIL_SETTINGS = ["MAILTO", "MAILFROM", "CONTENT_TYPE", "CONTENT_TRANSFER_ENCODING"];

/** Names that a shell knows. */
const VARIABLE = /^[A-Za-z_]\w*$/;

/** The settings that hold for the entries below a line of a crontab. */
interface Surroundings {
  readonly variables: Map<string, string>;
  timeZone: string;
}

/** Imports crontabs line by line: as CronJobs that do the same, or with the reason why a line was not understood. */
export function importCrontabs(sources: readonly CrontabSource[], options: ImportOptions): ImportedLine[] {
  const givenNames = new Set<string>();
  const read = sources.flatMap((source) => readSource(source, options, givenNames));
  const drafts = read.flatMap((line) => line.kind === "draft" ? [line] : []);
  const names = namesOf(drafts, options);
  return read.map((line) => {
    if (line.kind !== "draft") return line;
    const { source, line: number, text, remarks } = line;
    const cronJob = line.named(names[drafts.indexOf(line)]!);
    return { kind: "imported", source, line: number, text, cronJob, remarks };
  });
}

/** A CronJob that has no name yet. */
interface Draft extends SourceLine, NamedEntry {
  readonly kind: "draft";
  readonly remarks: readonly string[];
  named(name: string): CronJobManifest;
}

function readSource(source: CrontabSource, options: ImportOptions, givenNames: Set<string>): (ImportedLine | Draft)[] {
  const around: Surroundings = { variables: new Map(), timeZone: options.timeZone };
  const lines = readCrontab(source.text, source);
  const switchedOff = lines.filter(({ kind }) => kind === "switchedOff");
  return lines.flatMap((line): (ImportedLine | Draft)[] => {
    const from: SourceLine = { source: source.name, line: line.line, text: line.text };
    try {
      if (line.kind === "unreadable") throw new CrontabError(line.reason);
      if (line.kind === "switchedOff") {
        return line === switchedOff[0]
          ? [{ kind: "remark", ...from, remarks: [remarkOnSwitchedOff(switchedOff)] }]
          : [];
      }
      if (line.kind === "entry") {
        const read = { ...draft(line, around, options), ...from };
        return line.name === undefined ? [read] : withGivenName(read, line.name, givenNames);
      }
      const remarks = readSetting(line.name, line.value, around);
      return remarks.length > 0 ? [{ kind: "remark", ...from, remarks }] : [];
    } catch (error) {
      if (!(error instanceof CrontabError)) throw error;
      return [{ kind: "notUnderstood", ...from, reason: error.message }];
    }
  });
}

/** Returns the remark on the first of these lines, which names the others. */
function remarkOnSwitchedOff([, ...others]: readonly { readonly line: number }[]): string {
  const lines = others.map(({ line }) => line).join(", ");
  const more = others.length === 0 ? "" : `, as ${others.length === 1 ? "is line" : "are lines"} ${lines}`;
  return `behind a # and not run${more}`;
}

/** Gives an entry the name that its comment asks for, or remarks on a name that cannot be given: the entry runs all the same. */
function withGivenName(
  read: Draft,
  { text, line }: NonNullable<CrontabEntry["name"]>,
  givenNames: Set<string>,
): (ImportedLine | Draft)[] {
  const fault = nameFault(text) ?? (givenNames.has(text) ? "an entry above has it" : undefined);
  if (fault === undefined) {
    givenNames.add(text);
    return [{ ...read, givenName: text }];
  }
  const remarks = [`name ${JSON.stringify(text)}: ${fault}; without it, the entry is named after its program`];
  return [{ kind: "remark", source: read.source, line, text: `# name: ${text}`, remarks }, read];
}

/** Notes a setting, and returns the remarks on it. */
function readSetting(name: string, value: string, around: Surroundings): string[] {
  if (MAIL_SETTINGS.includes(name)) {
    const isWanted = name === "MAILTO" && value !== "";
    return isWanted ? [`cron mails output to ${value}; here it is in the logs of each run`] : [];
  }
  if (name === "CRON_TZ") {
    if (!isTimeZone(value)) {
      throw new CrontabError(`CRON_TZ "${value}": must be a name of the tz database such as Europe/Berlin`);
    }
    around.timeZone = value;
    return [`the entries below go by ${value}, as in cronie; Debian's cron ignores CRON_TZ`];
  }
  if (name === "RANDOM_DELAY") {
    throw new CrontabError("cronie's random delay: set spreadSeconds in the CronJobs, or its annotation");
  }
  if (!VARIABLE.test(name)) throw new CrontabError(`"${name}" is no name of a variable that a shell knows`);
  around.variables.set(name, value);
  return [];
}

function draft(
  { times: timesText, user, command: commandText, comment }: CrontabEntry,
  { variables, timeZone }: Surroundings,
  options: ImportOptions,
): Pick<Draft, "kind" | "script" | "remarks" | "named"> {
  const times = readCronTimes(timesText);
  const schedule = scheduleText(timesText, times);
  const clockChangePolicy = options.api.extrasIn === "spec" ? clockChangePolicyOf(times) : undefined;
  const changed = clockChangePolicy ? [] : differences(schedule, times, timeZone, options.now);
  const command = readCommand(commandText);
  const { container, remarks } = containerFor(command, user, variables, options.place);
  return {
    kind: "draft",
    script: command.script,
    remarks: [...changed, ...remarks],
    named: (name) => ({
      apiVersion: options.api.apiVersion,
      kind: options.api.resource.kind,
      metadata: {
        name,
        ...options.namespace !== undefined && { namespace: options.namespace },
        ...comment !== undefined && { annotations: { [DESCRIPTION]: comment } },
      },
      spec: {
        schedule,
        timeZone,
        ...clockChangePolicy && { clockChangePolicy },
        startingDeadlineSeconds: STARTING_DEADLINE_SECONDS,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
        jobTemplate: {
          // cron tries once.
          spec: {
            backoffLimit: 0,
            template: { spec: { restartPolicy: "Never", containers: [{ name, ...container }] } },
          },
        },
      },
    }),
  };
}

/** No image is pulled for a process. On a cluster the name would show that an image is missing. */
const LOCAL_IMAGE = "local-process";

function containerFor(
  command: CronCommand,
  user: string | undefined,
  variables: ReadonlyMap<string, string>,
  place: Place,
): { container: Omit<Container, "name">; remarks: string[] } {
  const shell = variables.get("SHELL") ?? "/bin/sh";
  const homeSetting = variables.get("HOME");
  const env = [...variables].map(([name, value]): EnvVar => ({ name, value: asContainerText(value) }));
  const workingDir = homeSetting ?? (place.kind === "workstation" ? place.homeOf(user ?? place.user) : undefined);
  return {
    container: {
      image: place.kind === "cluster" ? place.image : LOCAL_IMAGE,
      command: containerCommand(command, shell),
      ...workingDir !== undefined && { workingDir },
      ...env.length > 0 && { env },
    },
    remarks: user === undefined ? remarksOnNoUser(command, place) : remarksOnUser(user, place),
  };
}

/** Remarks on a first word that may be meant as a user, as in a line that was copied from `/etc/crontab`. */
function remarksOnNoUser({ script }: CronCommand, place: Place): string[] {
  const [word] = script.split(/\s/, 1);
  if (word !== "root" && (place.kind === "cluster" || word !== place.user)) return [];
  return [`${word} is the program that it runs, as to cron: only files in /etc have a user in each line`];
}

function remarksOnUser(user: string, place: Place): string[] {
  if (place.kind === "cluster") {
    return [`cron runs it as ${user}, a container as the user of its image: securityContext.runAsUser sets another`];
  }
  if (user === place.user) return [];
  throw new CrontabError(
    `runs as ${user}, while standalone runs all as the user who starts it: import it as ${user}, or for a cluster with --image`,
  );
}
