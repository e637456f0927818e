import type { Commands, ReadTime } from "../../dashboard/commands.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { SimulationReport } from "../../simulate/report.ts";
import { readPeopleTime } from "./people_time.ts";

/** Times on the page are written as on the command line. */
const readTime: ReadTime = (text, what, options) => readPeopleTime(text, what, options).at;

async function simulate(
  client: KubeClient,
  options: { namespaces: readonly string[]; now: number },
): Promise<SimulationReport> {
  // Loaded when it is wanted: most never look at it.
  const { simulateDay } = await import("../simulate/day.ts");
  return await simulateDay(client, options);
}

/** Of a program that does nothing else, or little. */
export const PAGE_COMMANDS: Commands = { readTime, simulate };

/** Of a program whose runs must not wait for a picture. */
export const BUSY_PAGE_COMMANDS: Commands = { readTime, simulate: undefined };
