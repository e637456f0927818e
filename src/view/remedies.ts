import { MANAGED, PAUSE, PREFIX, SUSPEND } from "../cronjob/api/annotations.ts";
import { FLAVOURS } from "../cronjob/api/flavour.ts";
import type { CronJobName } from "../cronjob/observer.ts";
import type { Action } from "./cron_job_view.ts";

interface About extends CronJobName {
  /** Whether another API has a CronJob of this name, so that a command has to say which is meant. @default {false} */
  readonly isNamesake?: boolean;
}

/** Returns what a user types, or writes, to do what a view proposes. */
export function remedyOf(action: Action, { apiVersion, namespace, name, isNamesake }: About): string {
  const { resource, shortName, extrasIn } = FLAVOURS.find((flavour) => flavour.apiVersion === apiVersion)!;
  const isBatch = extrasIn === "annotations";
  const cronJob = `${shortName ?? `${resource.plural}.${resource.group}`}/${name} -n ${namespace}`;
  const patch = (spec: string) => `kubectl patch ${cronJob} --type merge -p '{"spec":${spec}}'`;
  const annotate = (annotation: string) => `kubectl annotate ${cronJob} --overwrite ${annotation}`;
  const own = (command: string) => `cronjob-controller ${command} ${name} -n ${namespace}`;
  const ofApi = isNamesake ? ` --api ${apiVersion}` : "";
  switch (action.do) {
    case "DeleteJob":
      return `kubectl delete job ${action.job} -n ${namespace}`;
    case "UnsuspendJob":
      return `kubectl patch job ${action.job} -n ${namespace} --type merge -p '{"spec":{"suspend":false}}'`;
    case "ReadLogs":
      return `kubectl logs job/${action.job} -n ${namespace}`;
    case "Wait":
      return `wait for the end of ${action.job}`;
    case "RunNow":
      return `${own("trigger")}${ofApi}`;
    case "Resume":
      // The command ends no pause that does not say whose it is.
      return action.by === undefined ? annotate(`${PAUSE}-`) : `${own("resume")}${ofApi} --by ${asWord(action.by)}`;
    case "ResumeHalted":
      return `${own("resume")}${ofApi}`;
    case "EndPauseInSpec":
      return patch('{"pause":null}');
    case "CorrectPause":
      return annotate(`${PAUSE}-`);
    case "CorrectManaged":
      return annotate(`${MANAGED}=true`);
    case "Unsuspend":
      return action.in === "spec" ? patch('{"suspend":false}') : annotate(`${SUSPEND}-`);
    case "SuspendInSpec":
      return patch('{"suspend":true}');
    case "Release":
      return own("release");
    case "CorrectSpec":
      return `kubectl edit ${cronJob}`;
    case "CorrectImage":
      return `correct the image in the template: kubectl edit ${cronJob}`;
    case "LetJobBeCreated":
      return "raise the quota, or allow what the message refuses: the controller tries again by itself";
    case "CreateMissing":
      return "create what is missing: the run then starts by itself; or correct its name in the spec, and delete the Job";
    case "SetPendingTimeout":
      return isBatch ? annotate(`${PREFIX}/pending-timeout-seconds=900`) : patch('{"pendingTimeoutSeconds":900}');
    case "SetStartingDeadline":
      return patch('{"startingDeadlineSeconds":600}');
    case "LookAtController":
      return "check that exactly one controller runs, and read its log";
  }
}

/** Returns a text as a shell takes it for one word. An annotation's may be any. */
function asWord(text: string): string {
  return /^[\w.@:/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
