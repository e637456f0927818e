import { FLAVOURS } from "../../cronjob/api/flavour.ts";
import type { JobMode } from "../../job/api/managed_by.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { type Install, installOf } from "../install.ts";
import { type Change, type Condition, conditional, type Part } from "./conditional.ts";
import { TOKENS } from "./tokens.ts";

const BASE: Install = {
  ...installOf("base"),
  image: TOKENS.image,
  apis: [],
  resources: TOKENS.resources as Install["resources"],
};

/** Whether an API is among the chart's, one for each flavour. One of them holds always. */
export const IS_API: readonly Condition[] = FLAVOURS.map(({ resource }) => ({
  if: `has "${apiVersionOf(resource)}" $.Values.apis`,
}));

/** What each value changes. */
const CHANGES: readonly Change<Partial<Install>>[] = [
  ...FLAVOURS.map((flavour, i) => ({ when: IS_API[i], from: {}, to: { apis: [flavour] } })),
  { when: { if: "$.Values.managedOnly" }, from: {}, to: { managedOnly: true } },
  {
    when: { if: 'has (toString $.Values.jobs) (list "managed" "all")' },
    from: {},
    to: { jobs: TOKENS.jobs as JobMode },
  },
  {
    // The flag implies them.
    when: { if: 'or $.Values.pendingTimeouts (hasKey $.Values.flags "default-pending-timeout")' },
    from: { apis: FLAVOURS },
    to: { apis: FLAVOURS, pendingTimeouts: true },
  },
  {
    when: { if: 'eq $.Values.dashboard.kind "port-forward"' },
    from: {},
    to: { dashboard: { kind: "port-forward" } },
  },
  {
    when: { if: 'eq $.Values.dashboard.kind "tls"' },
    from: {},
    to: { dashboard: { kind: "tls", secret: TOKENS.dashboardSecret } },
  },
  { when: { range: "$.Values.namespaces" }, from: {}, to: { watched: [TOKENS.each] } },
  { when: { range: "$name, $value := $.Values.flags" }, from: {}, to: { flags: [TOKENS.flag] } },
  {
    when: { range: "$name, $value := $.Values.pod" },
    from: {},
    to: { pod: { [TOKENS.name]: TOKENS.value } as object },
  },
];

/**
 * What `of` makes of an installation, each part under the values on which it is there.
 *
 * @param world what holds whatever the values are
 */
export function byValues(of: (install: Install) => unknown, world: Partial<Install> = {}): Part {
  return conditional((change) => of({ ...BASE, ...change, ...world }), {} as Partial<Install>, CHANGES);
}
