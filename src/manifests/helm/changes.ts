import { FLAVOURS, TUTORIAL } from "../../cronjob/api/flavour.ts";
import type { JobMode } from "../../job/api/managed_by.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { type Install, installOf } from "../install.ts";
import { type Change, type Condition, conditional, type Part } from "./conditional.ts";
import { type Destination, OUTSIDE, type Receiver } from "../receivers.ts";
import { addressOf, TOKENS } from "./tokens.ts";

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

/** Returns a receiver's flags and key, and the way out to it, which depends on what its host is. */
function receiverChanges(kind: Receiver["kind"]): Change<Partial<Install>>[] {
  const { url, host } = addressOf(kind);
  const port = TOKENS[`${kind}Port`] as unknown as number;
  const isWebhook = kind === "webhook";
  const form = isWebhook ? TOKENS.webhookForm : undefined;
  const secret = TOKENS[`${kind}Secret`];
  const receiver = { kind, url: TOKENS[`${kind}Url`], form, secret: isWebhook ? undefined : secret };
  const to = (destination: Destination | undefined) => ({ apis: FLAVOURS, receivers: [{ ...receiver, destination }] });
  const v4 = `regexMatch "^[0-9.]+$" ${host}`;
  const v6 = `contains ":" ${host}`;
  const service = `regexMatch "^[^.]+[.][^.]+[.]svc([.].*)?$" ${host}`;
  // Neither is an address: a host whose last label is a number is one.
  const short = `regexMatch "^[^.:]*[^.:0-9][^.:]*$" ${host}`;
  const two = `regexMatch "^[^.:]+[.][^.:]*[^.:0-9][^.:]*$" ${host}`;
  const outside = `regexMatch "(?i)[.](${OUTSIDE.join("|")})$" ${host}`;
  const ofNamespace = `and (hasPrefix "http:" ${url}) (${two}) (not (${outside}))`;
  const namespace = TOKENS[`${kind}Namespace`];
  const destinations: readonly [when: string, destination: Destination][] = [
    [v4, { kind: "address", cidr: `${TOKENS[`${kind}Host`]}/32`, port }],
    [v6, { kind: "address", cidr: `${TOKENS[`${kind}Host`]}/128`, port }],
    [service, { kind: "namespace", namespace }],
    [short, { kind: "own-namespace" }],
    [ofNamespace, { kind: "namespace", namespace }],
    [`and ${url} (not (or (${v4}) (${v6}) (${service}) (${short}) (${ofNamespace})))`, { kind: "port", port }],
  ];
  return [
    { when: { if: url }, from: { apis: FLAVOURS }, to: to(undefined) },
    ...isWebhook
      ? [{
        when: { if: `and ${url} $.Values.notifications.${kind}.secret` },
        from: to(undefined),
        to: { apis: FLAVOURS, receivers: [{ ...receiver, secret, destination: undefined }] },
      }]
      : [],
    ...destinations.map(([when, destination]) => ({ when: { if: when }, from: to(undefined), to: to(destination) })),
  ];
}

/** What each value changes. */
const CHANGES: readonly Change<Partial<Install>>[] = [
  ...FLAVOURS.map((flavour, i) => ({ when: IS_API[i]!, from: {}, to: { apis: [flavour] } })),
  ...FLAVOURS.map((flavour): Change<Partial<Install>> => ({
    when: { if: `and (not $.Values.managedOnly) (has "${apiVersionOf(flavour.resource)}" $.Values.apis)` },
    from: { apis: [flavour] },
    to: { apis: [flavour], managedOnly: false },
  })),
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
    when: { if: 'or $.Values.neverTwice (hasKey $.Values.flags "default-never-twice")' },
    // An API that adds no right to patch Jobs by itself.
    from: { apis: [TUTORIAL] },
    to: { apis: [TUTORIAL], neverTwice: true },
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
  ...receiverChanges("webhook"),
  ...receiverChanges("pings"),
  { when: { range: "$.Values.namespaces" }, from: {}, to: { watched: [TOKENS.each] } },
  { when: { range: "$name, $value := $.Values.flags" }, from: {}, to: { flags: [TOKENS.flag] } },
  {
    when: { range: "$name, $value := $.Values.pod" },
    from: {},
    to: { pod: { [TOKENS.name]: TOKENS.value } as object },
  },
];

/**
 * Returns what `of` makes of an installation, each part under the values on which it is there.
 *
 * @param world what holds whatever the values are
 */
export function byValues(of: (install: Install) => unknown, world: Partial<Install> = {}): Part {
  return conditional((change) => of({ ...BASE, ...change, ...world }), {} as Partial<Install>, CHANGES);
}
