import { assertEquals, assertRejects } from "@std/assert";
import { EngineCommand, EngineError } from "../../src/kubelet/engine/engine_command.ts";
import { ENGINES } from "../../src/kubelet/engine/engine_kind.ts";
import { openRuntimes } from "../../src/kubelet/open_runtimes.ts";
import { PodDirectory } from "../../src/kubelet/files/pod_directory.ts";
import { bootId } from "../../src/kubelet/process/identity.ts";
import { Pulse } from "../../src/kubelet/files/pulse.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import type { Pod } from "../../src/kube/resource.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { testAlone } from "../support/test_alone.ts";
import { podOf } from "./support/test_kubelet.ts";

/** Stands in for docker, whose context a file names. It has no containers. */
const DOCKER = `#!/bin/sh
here=\${0%/*}
case "$*" in
  *"context inspect"*) cat "$here/endpoint" ;;
  *"container inspect"*) echo "Error: No such container" >&2; exit 1 ;;
  *) echo "$*" ;;
esac`;

interface Docker {
  readonly path: string;
  use(endpoint: string): void;
}

async function withDocker(check: (docker: Docker) => Promise<void>): Promise<void> {
  await using folder = await temporaryFolder();
  const { path } = folder;
  Deno.writeTextFileSync(`${path}/docker`, DOCKER, { mode: 0o755 });
  await check({ path, use: (endpoint) => Deno.writeTextFileSync(`${path}/endpoint`, `${endpoint}\n`) });
}

test("Commands of docker all go to the daemon that the first went to", () =>
  withDocker(async ({ path, use }) => {
    const { daemon } = ENGINES.docker;
    const clock = new SystemClock();
    const commandWith = (...globalArgs: string[]) =>
      new EngineCommand(`${path}/docker`, { globalArgs, clock, daemon, workingDirectory: path });
    use("");
    const command = commandWith("--context", "mine");
    await assertRejects(() => command.output(["ps"]), EngineError, "does not say where its daemon is");
    use("unix:///a");
    assertEquals(await command.output(["ps"]), "--context mine --context= --host unix:///a ps\n");
    use("unix:///b");
    assertEquals(await command.output(["ps"]), "--context mine --context= --host unix:///a ps\n");
    assertEquals(await commandWith("-H", "unix:///c").output(["ps"]), "-H unix:///c ps\n");
  }));

testAlone(
  import.meta.url,
  "What became of a container cannot be found out from another daemon than that which has it",
  () =>
    withDocker(async ({ path, use }) => {
      const PATH = Deno.env.get("PATH")!;
      using _restored = { [Symbol.dispose]: () => Deno.env.set("PATH", PATH) };
      Deno.env.set("PATH", `${path}:${PATH}`);
      const pod = { ...podOf("p", {}), metadata: { name: "p", uid: "u" } } as unknown as Pod;
      const directory = new PodDirectory(`${path}/pods`, "u");
      directory.create(pod);
      const files = directory.run("main", 0);
      Deno.mkdirSync(files.directory);
      const about = { attempt: "a", bootId: bootId(), backOffMs: 0, startedAt: 0, runtime: "docker" } as const;
      files.writeIntent({ ...about, endpoint: "unix:///a" });
      Deno.writeTextFileSync(files.claim("a"), "1 (sh) S 0\n");
      const run = { pod, container: pod.spec!.containers[0]!, files };
      const clock = new SystemClock();
      const takeUp = async () => {
        const runtimes = openRuntimes({ clock, pulse: new Pulse(clock), dataDir: path, event: () => {} });
        try {
          return await runtimes.of(files).takeUp(run);
        } finally {
          await runtimes.close();
        }
      };
      use("unix:///b");
      const message = "docker has it at unix:///a, and is asked at unix:///b now";
      await assertRejects(takeUp, EngineError, message);
      use("unix:///a");
      assertEquals(await takeUp(), undefined);
    }),
);
