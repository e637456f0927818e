import { InvalidArgumentError, type Option } from "commander";
import { type Flavour, FLAVOURS } from "../../cronjob/api/flavour.ts";
import { repeatable } from "./options.ts";

const KNOWN = FLAVOURS.map(({ apiVersion }) => apiVersion);

/** `--api`; `otherwise` says in words whose CronJobs are meant where it is not given. */
export function apiOption({ otherwise }: { otherwise: string }): Option {
  return repeatable("--api <apiVersion>", `whose CronJobs: ${KNOWN.join(", ")}; none given: ${otherwise}`)
    .argParser<string[]>((value, previous) => [...previous ?? [], ...value.split(",").map(knownApi)]);
}

/** Returns what `--api` names. */
export function apisOf(names: readonly string[]): Flavour[] {
  return FLAVOURS.filter(({ apiVersion }) => names.includes(apiVersion));
}

function knownApi(apiVersion: string): string {
  if (KNOWN.includes(apiVersion)) return apiVersion;
  throw new InvalidArgumentError(`must be one of ${KNOWN.join(", ")}.`);
}
