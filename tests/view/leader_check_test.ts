import { assertEquals } from "@std/assert";
import { leaderCheck } from "../../src/view/explain/leader_check.ts";
import { type LeaseFacts, readLease } from "../../src/view/lease_facts.ts";
import { lookAt } from "../../src/view/look.ts";
import type { Lease } from "../../src/kube/resource.ts";
import { at, TUTORIAL, world } from "../cronjob/support/world.ts";
import { table } from "../support/table.ts";
import { test } from "../support/test.ts";

function lease(since: string, renewed: string, holder = "replica-1"): LeaseFacts {
  const time = (clock: string) => new Date(at(clock)).toISOString().replace("Z", "000Z");
  return readLease({
    metadata: { name: "l", namespace: "n" },
    spec: {
      holderIdentity: holder,
      leaseDurationSeconds: 15,
      acquireTime: time(since),
      renewTime: time(renewed),
    },
  } as unknown as Lease);
}

/** It is 10:30. */
const ROWS: readonly (readonly [sentence: string, lease: LeaseFacts, asked: string, check: string])[] = [
  [
    "a leader that has led since before",
    lease("09:00", "10:29:58"),
    "10:00",
    "ok the controller led then (Lease held since Tue 2026-03-10 09:00 UTC)",
  ],
  [
    "a leader that took over later",
    lease("10:10", "10:29:58"),
    "10:00",
    "? who led then is not known: Lease n/l says nothing of the time before Tue 2026-03-10 10:10 UTC",
  ],
  [
    "a leader that died before",
    lease("09:00", "09:30"),
    "10:00",
    "FAIL no controller leads: Lease n/l was last renewed by replica-1 at Tue 2026-03-10 09:30 UTC",
  ],
  [
    "a leader that died after",
    lease("09:00", "10:05"),
    "10:00",
    "ok the controller led then (Lease held since Tue 2026-03-10 09:00 UTC)",
  ],
  [
    "a Lease that was given back before",
    lease("09:30", "09:30", ""),
    "10:00",
    "FAIL no controller leads: Lease n/l was given back at Tue 2026-03-10 09:30 UTC",
  ],
  [
    "a Lease that was given back after",
    lease("10:05", "10:05", ""),
    "10:00",
    "? who led then is not known: Lease n/l says nothing of the time before Tue 2026-03-10 10:05 UTC",
  ],
  [
    "a time to come",
    lease("09:00", "10:29:58"),
    "11:00",
    "ok a controller leads now (Lease held since Tue 2026-03-10 09:00 UTC)",
  ],
  [
    "a time to come, and no one leads",
    lease("09:00", "10:05"),
    "11:00",
    "FAIL no controller leads: Lease n/l was last renewed by replica-1 at Tue 2026-03-10 10:05 UTC",
  ],
  [
    "a Lease without times",
    readLease({ metadata: { name: "l", namespace: "n" }, spec: { holderIdentity: "x" } } as unknown as Lease),
    "10:00",
    "? whether a controller led then: Lease n/l says no times",
  ],
  [
    "a Lease that may not be read",
    { kind: "forbidden", key: "n/l" },
    "10:00",
    "? whether a controller led then: you may not read Lease n/l",
  ],
  ["no Lease", { kind: "missing", key: "n/l" }, "10:00", "- who leads is not known: there is no Lease n/l"],
];

table("whether a controller led is said as far as its Lease knows", ROWS, (facts, asked, expected) => {
  const { cronJob, jobs, now } = world(TUTORIAL, { now: "10:30" });
  const { result, message } = leaderCheck(lookAt({ cronJob, jobs, now }), at(asked), facts);
  assertEquals(`${result} ${message}`, expected);
});

test("a leader that started a later run first may have stood still", () => {
  const stretch = { after: "2026-03-10T09:00:00Z", before: "2026-03-10T10:00:00Z" };
  const { cronJob, jobs, now } = world(TUTORIAL, {
    now: "10:30",
    schedule: "*/30 * * * *",
    last: "10:00",
    status: { passedOver: [stretch] },
  });
  assertEquals(leaderCheck(lookAt({ cronJob, jobs, now }), at("09:30"), lease("09:00", "10:29:58")), {
    result: "?",
    message:
      "the leader may have stood still: it holds the Lease since Tue 2026-03-10 09:00 UTC, and started a later run first",
  });
});
