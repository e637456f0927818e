import { assertEquals, assertRejects } from "@std/assert";
import type { PodSpec } from "kubernetes-types/core/v1";
import type { Pod } from "../../../src/kube/resource.ts";
import { PodDirectory } from "../../../src/kubelet/files/pod_directory.ts";
import { PodLogError, PodLogFiles, type PodLogRequest } from "../../../src/kubelet/files/pod_log_files.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { SystemClock } from "../../../src/base/clock.ts";
import { test } from "../../support/test.ts";

const POD = { namespace: "default", name: "web", uid: "u-1" };

class Files implements Disposable {
  readonly dataDir = Deno.makeTempDirSync({ prefix: "pod-logs-" });
  readonly source = new PodLogFiles({ dataDir: this.dataDir, clock: new SystemClock() });
  readonly directory = new PodDirectory(`${this.dataDir}/pods`, POD.uid);

  constructor(spec: Partial<PodSpec> = {}) {
    this.directory.create({
      metadata: POD,
      spec: { restartPolicy: "Never", containers: [{ name: "main" }], ...spec },
    } as unknown as Pod);
  }

  /** A run with this output; at work unless it has an exit code. */
  run(container: string, restartCount: number, text: string, exitCode?: number) {
    const run = this.directory.run(container, restartCount);
    Deno.mkdirSync(run.directory, { recursive: true });
    run.writeIntent({ attempt: "a", bootId: "", backOffMs: 0, startedAt: 0 });
    Deno.writeTextFileSync(run.claim("a"), "1 \n");
    Deno.writeTextFileSync(run.log, text);
    if (exitCode !== undefined) Deno.writeTextFileSync(run.exit, `${exitCode}\n`);
    return run;
  }

  async read(request: Partial<PodLogRequest> = {}): Promise<string> {
    return await new Response(await this.source.open(POD, { container: "main", ...request })).text();
  }

  async refusal(request: Partial<PodLogRequest>): Promise<[number, string]> {
    const error = await assertRejects(() => this.read(request), PodLogError);
    return [error.code, error.message];
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.dataDir, { recursive: true });
  }
}

test("PodLogFiles gives out the last run, or the one before", async () => {
  using files = new Files();
  files.run("main", 0, "first\n", 1);
  files.run("main", 1, "second\n", 0);
  assertEquals(await files.read(), "second\n");
  assertEquals(await files.read({ previous: true }), "first\n");
});

test("PodLogFiles takes the last run for the previous one while its container waits for the next", async () => {
  using files = new Files({ restartPolicy: "OnFailure" });
  files.run("main", 0, "first\n", 1);
  files.run("main", 1, "second\n", 1);
  assertEquals(await files.read({ previous: true }), "second\n");
});

test("PodLogFiles says what is wrong in Kubernetes' words", async () => {
  using files = new Files({
    containers: [{ name: "a" }, { name: "b" }],
    initContainers: [{ name: "i" }],
  });
  assertEquals(await files.refusal({ container: "a" }), [
    400,
    'container "a" in pod "web" is waiting to start: ContainerCreating',
  ]);
  assertEquals(await files.refusal({ container: "a", previous: true }), [
    400,
    'previous terminated container "a" in pod "web" not found',
  ]);
  files.run("b", 0, "", 0);
  assertEquals(await files.refusal({ container: "b", previous: true }), [
    400,
    'previous terminated container "b" in pod "web" not found',
  ]);
  const unstarted = files.directory.run("a", 0);
  Deno.mkdirSync(unstarted.directory, { recursive: true });
  unstarted.writeOutcome({ exitCode: 128, reason: "StartError", finishedAt: 0 });
  assertEquals(await files.refusal({ container: "a" }), [400, 'container "a" in pod "web" is terminated']);
});

test("PodLogFiles cuts as asked", async () => {
  using files = new Files();
  files.run("main", 0, "one\ntwo\nthree\n", 0);
  assertEquals(await files.read({ tailLines: 2 }), "two\nthree\n");
  assertEquals(await files.read({ tailLines: 0 }), "");
  assertEquals(await files.read({ limitBytes: 5 }), "one\nt");
  assertEquals(await files.read({ tailLines: 1, limitBytes: 2 }), "th");
});

test("PodLogFiles puts times before lines and finds lines by time", async () => {
  using files = new Files();
  const run = files.run("main", 0, "one\ntwo\nthree\n", 0);
  Deno.writeTextFileSync(
    run.times,
    `${Date.parse("2026-01-02T03:04:05.678Z")} 4\n${Date.parse("2026-01-02T03:05:00Z")} 14\n`,
  );
  const text =
    "2026-01-02T03:04:05.678000000Z one\n2026-01-02T03:05:00.000000000Z two\n2026-01-02T03:05:00.000000000Z three\n";
  assertEquals(await files.read({ timestamps: true }), text);
  assertEquals(await files.read({ timestamps: true, limitBytes: 33 }), text.slice(0, 33));
  assertEquals(await files.read({ sinceTime: Date.parse("2026-01-02T03:04:30Z") }), "two\nthree\n");
  assertEquals(await files.read({ sinceTime: Date.parse("2026-01-02T03:04:30Z"), tailLines: 1 }), "three\n");
});

test("PodLogFiles without follow doesn't wait for a container at work", async () => {
  using files = new Files();
  files.run("main", 0, "so far\n");
  assertEquals(await files.read(), "so far\n");
});

test("PodLogFiles follows until the run has ended and all is read", async () => {
  using files = new Files();
  const run = files.run("main", 0, "one\n");
  const reader = (await files.source.open(POD, { container: "main", follow: true, tailLines: 0 })).getReader();
  const text = async () => new TextDecoder().decode((await reader.read()).value);
  Deno.writeTextFileSync(run.log, "two\n", { append: true });
  assertEquals(await text(), "two\n");
  Deno.writeTextFileSync(run.log, "three\n", { append: true });
  Deno.writeTextFileSync(run.exit, "0\n");
  assertEquals(await text(), "three\n");
  assertEquals((await reader.read()).done, true);
});

test("PodLogFiles follows a log from its beginning that was truncated", async () => {
  using files = new Files();
  const run = files.run("main", 0, "one\n");
  const reader = (await files.source.open(POD, { container: "main", follow: true })).getReader();
  const text = async () => new TextDecoder().decode((await reader.read()).value);
  assertEquals(await text(), "one\n");
  Deno.writeTextFileSync(run.log, "2\n");
  assertEquals(await text(), "2\n");
  await reader.cancel();
});

test("PodLogFiles stops following when its reader leaves", async () => {
  using files = new Files();
  files.run("main", 0, "one\n");
  const reader = (await files.source.open(POD, { container: "main", follow: true, tailLines: 0 })).getReader();
  const pending = reader.read();
  await reader.cancel();
  assertEquals((await pending).done, true);
});

test("PodLogFiles stops following when the Pod is gone, its files with it", async () => {
  using files = new Files();
  files.run("main", 0, "one\n");
  const reading = (await files.source.open(POD, { container: "main", follow: true, tailLines: 0 })).getReader().read();
  files.directory.remove();
  assertEquals((await reading).done, true);
});

test("PodLogFiles gives a line that is followed the time that it has when it is read again", async () => {
  using files = new Files();
  const clock = new FakeClock();
  const source = new PodLogFiles({ dataDir: files.dataDir, clock });
  const run = files.run("main", 0, "");
  const reader = (await source.open(POD, { container: "main", follow: true, timestamps: true })).getReader();
  const write = async (passMs: number, text: string, time = "") => {
    Deno.writeTextFileSync(run.log, text, { append: true });
    const read = reader.read();
    await clock.advance(passMs);
    Deno.writeTextFileSync(run.times, time, { append: true });
    await clock.advance(1_000);
    return new TextDecoder().decode((await read).value);
  };
  const lines = [await write(1_000, "one\n", "1767323045678 4\n"), await write(1_000, "two\n", "1767323045878 8\n")];
  assertEquals(lines.join(""), await files.read({ timestamps: true }));
  // As on a full disk, where none is noted.
  Deno.writeTextFileSync(run.exit, "0\n");
  assertEquals(await write(10_000, "three\n"), "2026-01-01T00:00:09.000000000Z three\n");
  assertEquals((await reader.read()).done, true);
});
