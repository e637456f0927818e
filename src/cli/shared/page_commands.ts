import type { Commands } from "../../dashboard/commands.ts";
import { controllersOf, leaseFor } from "../cluster/lease_holder.ts";
import { keptLogOf, keptRuns, keptSince } from "../cluster/kept_history.ts";
import { lastLinesOfRun } from "../cluster/last_lines.ts";
import { readPeopleTime } from "./people_time.ts";

/** Of a program that does nothing else, or little. */
export const PAGE_COMMANDS: Commands = {
  // Times on the page are written as on the command line.
  readTime: (text, what, options) => readPeopleTime(text, what, options).at,
  controllers: (client, clock) => controllersOf(client, clock, false),
  leaseFor,
  // Loaded when it is wanted: most never look at it.
  simulate: async (...asked) => (await import("../simulate/simulation.ts")).simulateDay(...asked),
  lastLines: lastLinesOfRun,
  history: undefined,
};

/** The same for the page of a `standalone`, which remembers runs. */
export const HISTORY_PAGE_COMMANDS: Commands = {
  ...PAGE_COMMANDS,
  controllers: (client, clock) => controllersOf(client, clock, true),
  history: {
    runs: (client, asked) => keptRuns({ client }, asked),
    watched: keptSince,
    linesOf: keptLogOf,
  },
};

/** Of a program whose runs must not wait for a picture. */
export const BUSY_PAGE_COMMANDS: Commands = { ...PAGE_COMMANDS, simulate: undefined };
