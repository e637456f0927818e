import { assertEquals } from "@std/assert";
import type { RunOfContainer } from "../../src/kubelet/runtime.ts";
import { openRuntimes } from "../../src/kubelet/open_runtimes.ts";
import { PodDirectory } from "../../src/kubelet/files/pod_directory.ts";
import { Pulse } from "../../src/kubelet/files/pulse.ts";
import type { Pod } from "../../src/kube/resource.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { testAlone } from "../support/test_alone.ts";

testAlone(
  import.meta.url,
  "Containers from images get TZ where a zone is asked for, and never that of the shell",
  async () => {
    Deno.env.set("TZ", "Europe/Berlin");
    const dataDir = await Deno.makeTempDir();
    const clock = new FakeClock();
    const presets = async (timeZone: string | undefined) => {
      const parts = { clock, pulse: new Pulse(clock), dataDir, event: () => {}, timeZone };
      const runtimes = openRuntimes({ ...parts, allowed: ["podman"] });
      const pod = { metadata: { name: "p" }, spec: { containers: [] } } as unknown as Pod;
      const { runtime } = await runtimes.choose(pod, new PodDirectory(dataDir, "uid"), () => Promise.resolve("podman"));
      const presets = runtime.presetVariables({} as RunOfContainer, "");
      await runtimes.close();
      return presets;
    };
    assertEquals(await presets(undefined), {});
    assertEquals(await presets("Asia/Tokyo"), { TZ: "Asia/Tokyo" });
    await Deno.remove(dataDir, { recursive: true });
  },
);
