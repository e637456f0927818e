import { type Flavour, PRODUCTION } from "../../../src/cronjob/api/flavour.ts";
import type { CronJobObject } from "../../../src/cronjob/api/types.ts";
import { decideRecords } from "../../../src/cronjob/decide.ts";
import { type Given, world } from "./world.ts";

/** Returns a CronJob as the controller leaves it: with the status that it writes in this world. */
export function asLeft(given: Given, api: Flavour = PRODUCTION): CronJobObject {
  const input = world(api, given);
  const { object } = input.cronJob;
  return JSON.parse(JSON.stringify({ ...object, status: decideRecords(input).records.status ?? object.status }));
}
