import type { CronJobSpec } from "../../../../src/cronjob/api/types.ts";
import type { World } from "./world.ts";
import { present } from "../../../support/present.ts";

const HOUR = 60 * 60_000;
const PREFIX = "cronjob-controller.dev";

/** Brings about what chance seldom does: an adopted CronJob with a typo, and an outage that all is made up for. */
export function inPlight(world: World): World {
  const { flavour, controllers, createdAt, asksAt, spec, annotations } = world;
  if (flavour.adoptable && controllers === "beside") {
    const at = createdAt + Math.floor((asksAt - createdAt) / 2_000) * 1_000;
    const typo = { at, do: "annotate", annotations: { [`${PREFIX}/managed`]: "True" } } as const;
    return { ...world, incidents: [{ at: at - 10_000, do: "adopt" }, typo] };
  }
  const outage = { at: asksAt - 3 * HOUR, do: "outage", who: "ours", seconds: 2 * 3_600, isGivenBack: true } as const;
  return {
    ...world,
    createdAt: Math.min(createdAt, asksAt - 4 * HOUR),
    spec: present<Partial<CronJobSpec>>({
      ...spec,
      schedule: "*/15 * * * *",
      concurrencyPolicy: "Allow",
      startingDeadlineSeconds: undefined,
      suspend: false,
      ...flavour.adoptable ? {} : { catchUp: { policy: "All" } },
    }),
    annotations: flavour.adoptable ? { ...annotations, [`${PREFIX}/catch-up`]: "All" } : annotations,
    durationSeconds: 1_000,
    incidents: controllers === "kubernetes" || controllers === "trial" ? world.incidents : [outage],
  };
}
