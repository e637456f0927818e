import { assertEquals } from "@std/assert";
import { Share } from "../../../src/kube/lanes/fair_queue.ts";
import type { Linked } from "../../../src/kube/lanes/linked_list.ts";
import { type LimitedLane, Places, STARVING_MS } from "../../../src/kube/lanes/places.ts";
import { test } from "../../support/test.ts";

interface Waiter extends Linked<Waiter> {
  readonly lane: LimitedLane;
}

/** What leaves at `now`, while nothing ends. */
function leaving(places: Places<Waiter>, limit: number, now: number): Record<string, number> {
  const left: Record<string, number> = {};
  for (let lane = places.nextLane(limit, now); lane; lane = places.nextLane(limit, now)) {
    places.start(lane);
    left[lane] = (left[lane] ?? 0) + 1;
  }
  return left;
}

function placesWith(waiting: Partial<Record<LimitedLane, number>>): Places<Waiter> {
  const places = new Places<Waiter>();
  for (const [lane, count] of Object.entries(waiting) as [LimitedLane, number][]) {
    const share = new Share<Waiter>();
    for (let i = 0; i < count; i++) places.wait(lane, share, { lane }, 0);
  }
  return places;
}

const ROWS: { what: string; waiting: Partial<Record<LimitedLane, number>>; now: number; leave: object }[] = [
  { what: "run alone takes all places", waiting: { run: 100 }, now: 0, leave: { run: 40 } },
  { what: "a lower lane leaves room for runs", waiting: { status: 100 }, now: 0, leave: { status: 30 } },
  { what: "events take the least", waiting: { event: 100 }, now: 0, leave: { event: 10 } },
  {
    what: "a burst goes before all else",
    waiting: { run: 100, status: 100 },
    now: STARVING_MS - 1,
    leave: { run: 40 },
  },
  {
    what: "a starving lane gets a tenth, and no more",
    waiting: { run: 100, status: 100 },
    now: STARVING_MS,
    leave: { run: 36, status: 4 },
  },
  {
    what: "all starving lanes together get a tenth",
    waiting: { run: 100, status: 100, read: 100, housekeeping: 100, event: 100 },
    now: STARVING_MS,
    leave: { status: 1, read: 1, housekeeping: 1, event: 1, run: 36 },
  },
  { what: "the whole limit is used", waiting: { run: 10, status: 100 }, now: 0, leave: { run: 10, status: 20 } },
];

for (const { what, waiting, now, leave } of ROWS) {
  test(`Places: ${what}`, () => assertEquals(leaving(placesWith(waiting), 40, now), leave));
}

test("Places gives a lane that starved its tenth for as long as anything waits there", () => {
  const places = placesWith({ run: 100, status: 5 });
  leaving(places, 10, 0);
  const next = (now: number) => {
    places.remove("run");
    return leaving(places, 10, now);
  };
  assertEquals(next(STARVING_MS), { status: 1 });
  assertEquals(next(STARVING_MS), { run: 1 });
  places.remove("status");
  assertEquals(leaving(places, 10, STARVING_MS), { status: 1 });
});
