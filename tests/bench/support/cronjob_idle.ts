import { type AuditEvent, isOfController, readAuditLog } from "../../support/audit.ts";
import { temporaryFolder } from "../../support/program.ts";
import { createCronJobs, startMeasuredController, usageOf } from "./measured_controller.ts";

/** Left over after the last CronJob was made, so that the controller has come to rest. */
const REST_MS = 15_000;
const WINDOW_MS = 60_000;

export interface Idleness {
  readonly cpuSeconds: number;
  readonly residentMiB: number;
  /** What was asked of the API server, such as `watch jobs`: how often. */
  readonly requests: Readonly<Record<string, number>>;
}

/** What a minute costs in which no CronJob is due, and nothing changes. */
export async function measureIdleMinute(count: number, controllerFlags: readonly string[]): Promise<Idleness> {
  await using folder = await temporaryFolder();
  const auditLog = `${folder.path}/audit.jsonl`;
  const serverFlags = ["--audit-log-path", auditLog];
  await using measured = await startMeasuredController({ controllerFlags, serverFlags });
  await createCronJobs(measured.client, { count, schedule: "0 0 1 1 *" });
  await sleep(REST_MS);
  const asked = async () => (await readAuditLog(auditLog)).filter(isOfController).filter(isBegun);
  const [earlier, before] = [await asked(), usageOf(measured.controllerPid)];
  await sleep(WINDOW_MS);
  const [later, after] = [await asked(), usageOf(measured.controllerPid)];
  const requests = Object.groupBy(later.slice(earlier.length), nameOf);
  return {
    cpuSeconds: after.cpuSeconds - before.cpuSeconds,
    residentMiB: after.residentMiB,
    requests: Object.fromEntries(Object.entries(requests).map(([name, events]) => [name, events!.length])),
  };
}

/** A watch stands in the log twice. */
function isBegun({ verb, stage }: AuditEvent): boolean {
  return verb !== "watch" || stage === "ResponseStarted";
}

function nameOf({ verb, objectRef, requestURI }: AuditEvent): string {
  if (!objectRef) return `${verb} ${requestURI}`;
  const { resource, subresource } = objectRef;
  return `${verb} ${resource}${subresource ? `/${subresource}` : ""}`;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
