import { assertEquals, assertRejects } from "@std/assert";
import { formatMicroTime } from "../../src/base/epoch_ms.ts";
import { addReleaseCommand } from "../../src/cli/release/command.ts";
import { endOfLeaders } from "../../src/cli/release/free_names.ts";
import { LEASES } from "../../src/kube/resource.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { eventually } from "../support/program.ts";
import { test } from "../support/test.ts";
import { runCommand } from "./support/run_command.ts";
import { People } from "./support/user.ts";

const LEASE = { name: "cronjob-controller", namespace: "default" };

/** A wait of 20 s at most, on a cluster whose Lease a test gives to a holder; to none by the empty text. */
async function startWait(holder: string) {
  const stack = new AsyncDisposableStack();
  const { client } = stack.use(await startTestApiServer());
  const clock = new FakeClock();
  const give = async (holderIdentity: string) => {
    const spec = { holderIdentity, renewTime: formatMicroTime(clock.now()), leaseDurationSeconds: 15 };
    await client.patch(LEASES, LEASE, { type: "merge", body: { spec } });
  };
  await client.create(LEASES, { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: LEASE });
  await give(holder);
  let outcome = "waits";
  const waiting = endOfLeaders(client, LEASE, { clock, deadline: clock.monotonic() + 20_000 })
    .then(() => outcome = "ended", (error) => outcome = error.message);
  const look = () =>
    eventually("a look", async () => await Promise.resolve(clock.pending === 1 || outcome !== "waits"));
  return {
    give,
    /** Returns the outcome after so many more seconds. */
    async after(seconds: number): Promise<string> {
      for (let ms = 0; ms < seconds * 1_000 && outcome === "waits"; ms += 500) {
        await look();
        await clock.advance(500);
      }
      await look();
      return outcome;
    },
    async [Symbol.asyncDispose]() {
      await waiting;
      await stack.disposeAsync();
    },
  };
}

test("A Lease that was given back has ended once no replica has taken it for 5 s", async () => {
  await using wait = await startWait("a_1");
  assertEquals(await wait.after(3), "waits");
  await wait.give("");
  assertEquals(await wait.after(4), "waits");
  await wait.give("b_1");
  assertEquals(await wait.after(2), "waits");
  await wait.give("");
  assertEquals(await wait.after(4), "waits");
  assertEquals(await wait.after(2), "ended");
});

test("A controller that holds its Lease after the time it was given is named", async () => {
  await using wait = await startWait("a_1");
  assertEquals(await wait.after(19), "waits");
  assertEquals(await wait.after(2), "a_1 still holds Lease default/cronjob-controller: end it first");
});

test("release refuses a Lease that is no name, may not be read, or has no use", async () => {
  const release = (...args: string[]) => runCommand(addReleaseCommand, "release", "--all", ...args);
  await assertRejects(() => release("--finalizers", "--after-lease", "a/b/c"), Error, "must be NAMESPACE/NAME.");
  await assertRejects(() => release("--after-lease", "a/b"), Error, "Give --after-lease with --finalizers only");
  await using people = await People.start("2026-03-10T10:00:00Z", [], { ben: () => false });
  const args = ["--finalizers", "--all", "--after-lease", "a/b"];
  await assertRejects(
    () => people.run("ben", addReleaseCommand, "release", ...args),
    Error,
    "You may not read Lease a/b",
  );
});
