import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { cronJobOf } from "./cron_job.ts";

/** A CronJob of the tutorial's kind that is due each second. */
export const EVERY_SECOND = cronJobOf(TUTORIAL, { name: "often", spec: { schedule: "@every 1s" } });
