// What an edit does that reaches the server around the instant of a run.
import { MANAGED, RELEASING_VALUE, SUSPEND } from "../../src/cronjob/api/annotations.ts";
import type { CronJobSpec } from "../../src/cronjob/api/types.ts";
import { inEachFlavour, played, type Row } from "./support/played.ts";
import type { Edit } from "./support/simulated_server.ts";
import type { StartingGiven } from "./support/starting.ts";

/** The edit reaches the server before, or at, the instant of 10:01. */
const AROUND = ["10:00:59", "10:00:59.500", "10:00:59.999", "10:01"] as const;
const SUSPENSION: Edit = { spec: { suspend: true } };
const HOURLY: Edit = { spec: { schedule: "30 * * * *" } };

played(
  "A suspension holds from its arrival on",
  inEachFlavour(() => [
    ...AROUND.flatMap((time): Row[] => [
      [`made at ${time}, and known`, {}, [
        { at: time, edit: SUSPENSION, isDelivered: true },
        { fire: "10:01", starts: [] },
        { settle: "10:01:01", slots: [] },
      ]],
      [`made at ${time}, and not known yet`, {}, [
        { at: time, edit: SUSPENSION, isDelivered: false },
        { fire: "10:01", starts: ["10:01"] },
        { settle: "10:01:01", slots: ["10:01"] },
      ]],
    ]),
    ...["10:01:00.001", "10:01:01"].map((time): Row => [`made after the start, at ${time}`, {}, [
      { fire: "10:01", starts: ["10:01"] },
      { at: time, edit: SUSPENSION, isDelivered: true },
      { fire: "10:02", starts: [] },
      { settle: "10:02:01", slots: ["10:01"] },
    ]]),
    ["made after the instant, but before a late start", {}, [
      { at: "10:01:00.200", edit: SUSPENSION, isDelivered: true },
      { fire: "10:01:00.900", starts: [] },
      { settle: "10:01:01", slots: [] },
    ]],
    ["taken back before the instant", {}, [
      { at: "10:00:59", edit: SUSPENSION, isDelivered: true },
      { at: "10:00:59.500", edit: { spec: { suspend: false } }, isDelivered: true },
      { fire: "10:01", starts: ["10:01"] },
      { settle: "10:01:01", slots: ["10:01"] },
    ]],
  ]),
);

played(
  "Another schedule holds from its arrival on",
  inEachFlavour((flavour) => [
    ...AROUND.flatMap((time): Row[] => [
      [`written at ${time}, and known`, {}, [
        { at: time, edit: HOURLY, isDelivered: true },
        { fire: "10:01", starts: [] },
        { settle: "10:01:01", slots: [] },
        { fire: "10:30", starts: ["10:30"] },
      ]],
      [`written at ${time}, and not known yet`, {}, [
        { at: time, edit: HOURLY, isDelivered: false },
        { fire: "10:01", starts: ["10:01"] },
        { settle: "10:01:01", slots: ["10:01"] },
        { fire: "10:30", starts: ["10:30"] },
      ]],
    ]),
    ["written after the start", {}, [
      { fire: "10:01", starts: ["10:01"] },
      { at: "10:01:00.001", edit: HOURLY, isDelivered: true },
      { fire: "10:02", starts: [] },
      { settle: "10:02:01", slots: ["10:01"] },
      { fire: "10:30", starts: ["10:30"] },
    ]],
    ...(flavour.extrasIn === "spec"
      ? [
        ["moved by spec.startTime behind the instant", {}, [
          { at: "10:00:59", edit: { spec: { startTime: "2026-03-10T10:01:30Z" } }, isDelivered: true },
          { fire: "10:01", starts: [] },
          { fire: "10:02", starts: ["10:02"] },
        ]],
        ["ended by spec.endTime before the instant", {}, [
          { at: "10:00:59", edit: { spec: { endTime: "2026-03-10T10:00:59Z" } }, isDelivered: true },
          { fire: "10:01", starts: [] },
          { settle: "10:01:01", slots: [] },
        ]],
        ["paused until after the instant", {}, [
          {
            at: "10:00:59",
            edit: { spec: { pause: { until: "2026-03-10T10:01:30Z" } } as Partial<CronJobSpec> },
            isDelivered: true,
          },
          { fire: "10:01", starts: [] },
        ]],
      ] satisfies Row[]
      : []),
  ]),
);

const ADOPTED: StartingGiven = { spec: { suspend: true }, annotations: { [MANAGED]: "true" } };
const RELEASE: Edit = { metadata: { annotations: { [MANAGED]: RELEASING_VALUE } } };

played("Adoption, its end and our own pause hold from their arrival on", [
  ["adopted", ADOPTED, [{ fire: "10:01", starts: ["10:01"] }, { settle: "10:01", slots: ["10:01"] }]],
  ["being released, and known", ADOPTED, [
    { at: "10:00:59.999", edit: RELEASE, isDelivered: true },
    { fire: "10:01", starts: [] },
  ]],
  ["being released, and not known yet", ADOPTED, [
    { at: "10:00:59.999", edit: RELEASE, isDelivered: false },
    { fire: "10:01", starts: ["10:01"] },
  ]],
  ["run by another all the same", ADOPTED, [
    { at: "10:00:59.999", edit: { spec: { suspend: false } }, isDelivered: true },
    { fire: "10:01", starts: [] },
    { settle: "10:01:01", slots: [] },
  ]],
  ["paused by our annotation", ADOPTED, [
    { at: "10:00:59.999", edit: { metadata: { annotations: { [SUSPEND]: "true" } } }, isDelivered: true },
    { fire: "10:01", starts: [] },
    { settle: "10:01:01", slots: [] },
  ]],
  ["adopted, suspended all the time, and adopted only now", { spec: { suspend: true } }, [
    { at: "10:00:59.999", edit: { metadata: { annotations: { [MANAGED]: "true" } } }, isDelivered: true },
    { fire: "10:01", starts: ["10:01"] },
  ]],
  ["no longer ours to reconcile", {
    ...ADOPTED,
    isOurs: ({ metadata }) => metadata.annotations?.[MANAGED] !== undefined,
  }, [
    { at: "10:00:59.999", edit: { metadata: { annotations: { [MANAGED]: null } } }, isDelivered: true },
    { fire: "10:01", starts: [] },
  ]],
]);
