import { assertEquals } from "@std/assert";
import { aborted } from "../../src/base/abort.ts";
import { JOBS, LEASES } from "../../src/kube/resource.ts";
import { leadershipOf } from "../../src/runtime/leadership.ts";
import { Manager } from "../../src/runtime/manager.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { jobOf } from "../support/job.ts";
import { test } from "../support/test.ts";
import { TIMINGS } from "./support/candidates.ts";

test("parts that stand by write until they have ended, and only then the leadership is released", async () => {
  await using api = await startTestApiServer();
  const { client } = api;
  const clock = new FakeClock();
  const lease = { namespace: "default", name: "lock" };
  const { leading, parts, start, client: leader } = leadershipOf({ ...TIMINGS, ...lease }, {
    client,
    clock,
    recorder: { record: () => {} },
    onChange: () => {},
  });
  const stop = new AbortController();
  start({
    name: "worker",
    async run(signal) {
      await leading!.ready();
      stop.abort();
      await aborted(signal);
      await leader.create(JOBS, jobOf({ name: "last" }));
    },
  });
  const manager = new Manager({ clock });
  for (const part of parts) manager.add(part);
  await manager.run(stop.signal);
  assertEquals((await client.get(LEASES, lease)).spec?.holderIdentity, "");
});
