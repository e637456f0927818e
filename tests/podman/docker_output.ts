// What only docker needs: its output is copied, and must be whole whatever becomes of the program meanwhile.
import { assert, assertEquals } from "@std/assert";
import { SystemClock } from "../../src/base/clock.ts";
import { podOf, shell, startKubelet, TestKubelet, until } from "../kubelet/support/test_kubelet.ts";
import { test } from "../support/test.ts";
import { containersIn, ENGINE, engine, IMAGE, importImage } from "./support/engine.ts";

await importImage();

const LINES = 3_000;

/** A program's that ends: what sleeps from then on never wakes. */
class EndingClock extends SystemClock {
  #pending = 0;
  #hasEnded = false;

  override async sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    if (this.#hasEnded) return await new Promise(() => {});
    this.#pending++;
    try {
      await super.sleep(delayMs, signal);
    } finally {
      this.#pending--;
    }
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
    await until(() => this.#pending === 0);
  }
}

test("The log of a container is whole though nothing was there to read it for a while", async () => {
  const options = { onStop: "leave", runtimes: { allowed: [ENGINE], network: "none" } } as const;
  const clock = new EndingClock();
  await using first = await startKubelet({ ...options, clock });
  const script = `i=0; while [ $i -lt ${LINES} ]; do i=$((i+1)); echo "line $i"; ` +
    "[ $((i%100)) = 0 ] && { echo err $i >&2; sleep 0.02; }; " +
    `[ $i = ${LINES / 2} ] && while [ ! -e /tmp/go ]; do sleep 0.02; done; done; echo -n end`;
  await first.create(podOf("writes", { image: IMAGE, ...shell(script) }));
  const running = await first.running("writes");
  await until(() => first.log(running).includes("line 100\n"));
  await first.stop();
  // It is still in this process, and must not see the container's end as well.
  await clock.end();
  const [container = ""] = await containersIn(first.dataDir);
  await engine("exec", container, "touch", "/tmp/go");
  await until(async () => (await engine("logs", "--tail", "1", container)) !== `line ${LINES / 2}`);
  await using second = new TestKubelet(first.api, options);
  const pod = await second.finished("writes");
  const [out, err] = [/^line/, /^err/].map((what) => second.log(pod).split("\n").filter((line) => what.test(line)));
  assertEquals(out, Array.from({ length: LINES }, (_, index) => `line ${index + 1}`));
  assertEquals(err, Array.from({ length: LINES / 100 }, (_, index) => `err ${100 * (index + 1)}`));
  assert(second.log(pod).endsWith("\nend"));
});

test("A container that writes as fast as it can is followed to its last line", async () => {
  await using kubelet = await startKubelet({ runtimes: { allowed: [ENGINE], network: "none" } });
  await kubelet.create(podOf("fast", { image: IMAGE, ...shell("busybox seq 1 100000") }));
  const log = kubelet.log(await kubelet.finished("fast"));
  assertEquals(log, Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join(""));
});
