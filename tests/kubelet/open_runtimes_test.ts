import { assertEquals } from "@std/assert";
import { openRuntimes } from "../../src/kubelet/open_runtimes.ts";
import { PodDirectory } from "../../src/kubelet/files/pod_directory.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { testAlone } from "../support/test_alone.ts";
import { startFakeEngine } from "./engine/support/fake_engine.ts";
import { podOf } from "./support/test_kubelet.ts";
import type { Pod } from "../../src/kube/resource.ts";

testAlone(
  import.meta.url,
  "Containers from images get TZ where a zone is asked for, and never that of the shell",
  async () => {
    Deno.env.set("TZ", "Europe/Berlin");
    const clock = new FakeClock();
    await using engine = await startFakeEngine(clock, () => ({ Id: "i" }));
    const pod = { ...podOf("p", { image: "i" }), metadata: { name: "p", uid: "u" } } as unknown as Pod;
    const directory = new PodDirectory(engine.folder, "u");
    const variables = async (timeZone: string | undefined) => {
      const parts = { clock, dataDir: engine.folder, event: () => {}, timeZone };
      const engineArgs = [`--url=unix://${engine.socket}`];
      const runtimes = openRuntimes({ ...parts, allowed: ["podman"], engineArgs });
      const { runtime } = runtimes.choose(pod, directory);
      const run = { pod, container: pod.spec!.containers[0]!, files: directory.run("main", 0) };
      const { signal } = new AbortController();
      const prepared = await runtime.prepare(run, "/none", signal);
      await runtimes.close();
      return prepared.variables;
    };
    assertEquals(await variables(undefined), {});
    assertEquals(await variables("Asia/Tokyo"), { TZ: "Asia/Tokyo" });
  },
);
