import { type Flavour, FLAVOURS } from "../../cronjob/api/flavour.ts";
import { servedFlavours } from "../../cronjob/served_flavours.ts";
import { EVENTS, JOBS, PODS, type Resource } from "../../kube/resource.ts";
import { RequestError } from "../http/answers.ts";
import type { Visitor } from "./visitors.ts";

/** The kinds that one person may list and watch in the namespaces that the page is about. */
export interface Grants {
  readonly flavours: readonly Flavour[];
  readonly jobs: boolean;
  readonly pods: boolean;
  readonly events: boolean;
}

/** Asks what may be followed. @throws {ApiError} where the API server does not say */
export async function grantsOf({ rights }: Visitor, namespaces: readonly string[]): Promise<Grants> {
  const mayFollow = async (resource: Resource) =>
    await rights.mayEverywhere({ verb: "list", resource }, namespaces) &&
    await rights.mayEverywhere({ verb: "watch", resource }, namespaces);
  const [jobs, pods, events, may] = await Promise.all([
    mayFollow(JOBS),
    mayFollow(PODS),
    mayFollow(EVENTS),
    Promise.all(FLAVOURS.map(({ resource }) => mayFollow(resource))),
  ]);
  return { flavours: FLAVOURS.filter((_, index) => may[index]), jobs, pods, events };
}

/** Returns the same text for the same grants. */
export function textOfGrants({ flavours, jobs, pods, events }: Grants): string {
  return JSON.stringify([flavours.map(({ resource: { group } }) => group), jobs, pods, events]);
}

/**
 * Returns the flavours that there are and may be followed: rows do without Pods and Events.
 *
 * @throws {RequestError} where there can be no row
 */
export async function flavoursToFollow(
  { client }: Visitor,
  { flavours, jobs }: Grants,
  namespaces: readonly string[],
): Promise<readonly Flavour[]> {
  const served = (await servedFlavours(client)).filter((flavour) => flavours.includes(flavour));
  if (served.length > 0 && jobs) return served;
  const where = namespaces.length === 0 ? "all namespaces" : namespaces.join(", ");
  const what = served.length === 0 ? "CronJobs" : "Jobs";
  throw new RequestError(403, "Forbidden", `You may not list and watch ${what} in ${where}`);
}
