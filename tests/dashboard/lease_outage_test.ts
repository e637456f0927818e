import { assertEquals } from "@std/assert";
import { writeServes } from "../../src/cronjob/api/serves.ts";
import { Feeds } from "../../src/dashboard/rows/feeds.ts";
import { personOf } from "../../src/dashboard/visitors/visitors.ts";
import { readLease } from "../../src/view/lease_facts.ts";
import type { Controllers } from "../../src/view/runner.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { atLeast } from "../support/expected.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { applyCronJob } from "./support/dashboard.ts";

/** What a page asks about controllers each time, as long as the API server answers. */
function leaderAt(clock: FakeClock): Controllers {
  const renewTime = new Date(clock.now()).toISOString();
  const annotations = writeServes({ apis: ["batch/v1"], managedOnly: false, namespaces: [] }, "a");
  const metadata = { namespace: "n", name: "l", annotations };
  const spec = { holderIdentity: "a", leaseDurationSeconds: 15, renewTime };
  return { isEmbedded: false, leases: [readLease({ metadata, spec } as never)] };
}

test("a leader leads on for a page that cannot ask for its Lease, and no longer once it can", async () => {
  const clock = new FakeClock();
  await using api = await startTestApiServer({ ephemeral: true });
  await applyCronJob(api.client, { name: "report" });
  let answer: () => Promise<Controllers> = () => Promise.resolve(leaderAt(clock));
  const controllers = () => answer();
  await using feeds = new Feeds({ clock, program: { isBusy: false, headlines: [] }, controllers, history: undefined });
  const visitor = { ...personOf(api.client, clock, "ana"), isStillKnown: () => Promise.resolve(true) };
  using use = await feeds.use(visitor, []);
  await use.feed.ready();
  const [id] = atLeast(1, use.feed.ids);
  const runs = () => use.feed.inputOf(id)?.runner?.by;
  assertEquals(runs(), "cronjob-controller");

  const last = leaderAt(clock);
  answer = () => Promise.reject(new Error("Cannot reach the API server"));
  await clock.advance(30_000);
  assertEquals(runs(), "cronjob-controller");
  answer = () => Promise.resolve(last);
  await clock.advance(30_000);
  assertEquals(runs(), "kube-controller-manager");
});
