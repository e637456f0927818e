import { assertEquals } from "@std/assert";
import { SystemClock } from "../../src/base/clock.ts";
import { PODS } from "../../src/kube/resource.ts";
import { PodDirectory } from "../../src/kubelet/files/pod_directory.ts";
import { bootId } from "../../src/kubelet/process/identity.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { pathWithout } from "../support/path_without.ts";
import { temporaryFolder } from "../support/program.ts";
import { testAlone } from "../support/test_alone.ts";
import { podOf, TestKubelet, until } from "./support/test_kubelet.ts";

/** A clock that can be set. */
class SetClock extends SystemClock {
  wallAheadMs = 0;
  monotonicAheadMs = 0;

  override now(): number {
    return super.now() + this.wallAheadMs;
  }

  override monotonic(): number {
    return super.monotonic() + this.monotonicAheadMs;
  }
}

testAlone(
  import.meta.url,
  "A container whose engine is gone waits for it, until a minute after its Pod should have ended",
  async () => {
    await using folder = await temporaryFolder();
    const PATH = Deno.env.get("PATH")!;
    using _restored = { [Symbol.dispose]: () => Deno.env.set("PATH", PATH) };
    await using api = await startTestApiServer();
    const pod = await api.client.create(PODS, podOf("waits", {}));
    const directory = new PodDirectory(`${api.dataDir}/pods`, pod.metadata.uid);
    directory.create(pod);
    const run = directory.run("main", 0);
    Deno.mkdirSync(run.directory);
    run.writeIntent({ attempt: "a", bootId: bootId(), backOffMs: 0, startedAt: 0, runtime: "podman" });
    Deno.writeTextFileSync(run.launched, "");
    Deno.env.set("PATH", pathWithout(`${folder.path}/bin`, "podman", "docker"));
    const clock = new SetClock();
    await using kubelet = new TestKubelet(api, { clock });
    const message =
      "Cannot find out what became of container main: podman cannot be run: it is not installed, or not on PATH";
    await until(() => kubelet.events.some((event) => event.reason === "FailedSync" && event.message === message));
    assertEquals(kubelet.troubles.map(({ pod }) => pod.name), ["waits"]);
    assertEquals((await kubelet.get("waits")).status?.phase, "Pending");
    await kubelet.client.delete(PODS, { name: "waits", namespace: "default" }, { gracePeriodSeconds: 1 });
    await kubelet.until("waits", ({ metadata }) => metadata.deletionTimestamp);
    // As after a night in which the program was not there.
    clock.wallAheadMs = 3_600_000;
    const looks = () => kubelet.events.filter(({ reason }) => reason === "FailedSync").length;
    const before = looks();
    await until(() => looks() > before + 1);
    assertEquals((await kubelet.get("waits")).status?.phase, "Pending");
    clock.monotonicAheadMs = 65_000;
    await kubelet.deleted("waits");
    await until(() => !kubelet.hasFolderOf(pod.metadata.uid));
  },
);
