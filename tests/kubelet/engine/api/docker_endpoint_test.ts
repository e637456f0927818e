import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { createHash } from "node:crypto";
import { dockerEndpoint } from "../../../../src/kubelet/engine/api/docker_endpoint.ts";
import { EngineError } from "../../../../src/kubelet/engine/api/engine_error.ts";
import { openApi } from "../../../../src/kubelet/engine/api/open_api.ts";
import { PodDirectory } from "../../../../src/kubelet/files/pod_directory.ts";
import { openRuntimes } from "../../../../src/kubelet/open_runtimes.ts";
import { bootId } from "../../../../src/kubelet/process/identity.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import type { Pod } from "../../../../src/kube/resource.ts";
import { temporaryFolder } from "../../../support/program.ts";
import { test } from "../../../support/test.ts";
import { testAlone } from "../../../support/test_alone.ts";
import { podOf } from "../../support/test_kubelet.ts";
import { startFakeEngine } from "../support/fake_engine.ts";

test("docker's socket is found as its client finds it", async () => {
  await using folder = await temporaryFolder();
  const { path: DOCKER_CONFIG } = folder;
  const meta = `${DOCKER_CONFIG}/contexts/meta/${createHash("sha256").update("mine").digest("hex")}`;
  Deno.mkdirSync(meta, { recursive: true });
  Deno.writeTextFileSync(`${meta}/meta.json`, '{"Endpoints":{"docker":{"Host":"unix:///mine"}}}');
  const found = (args: string[], env: Record<string, string> = {}) => dockerEndpoint(args, { DOCKER_CONFIG, ...env });
  const byDefault = "unix:///var/run/docker.sock";
  assertEquals(found([]), byDefault);
  assertEquals(found([], { DOCKER_CONTEXT: "mine" }), "unix:///mine");
  assertEquals(found([], { DOCKER_CONTEXT: "mine", DOCKER_HOST: "unix:///host" }), "unix:///host");
  Deno.writeTextFileSync(`${DOCKER_CONFIG}/config.json`, '{"currentContext":"mine"}');
  assertEquals(found([]), "unix:///mine");
  Deno.symlinkSync(".", `${DOCKER_CONFIG}/.docker`);
  assertEquals(found([], { DOCKER_CONFIG: "", HOME: DOCKER_CONFIG }), "unix:///mine");
  assertEquals(found(["--context=default"], { DOCKER_HOST: "unix:///host" }), byDefault);
  assertEquals(found(["-c", "mine"], { DOCKER_HOST: "unix:///host" }), "unix:///mine");
  assertEquals(found(["--context", "mine", "-H", "unix:///a=b"]), "unix:///a=b");
  assertThrows(() => found(["--context", "none"]), EngineError, 'docker has no context "none"');
  assertThrows(
    () => found(["--debug"]),
    EngineError,
    "only --host and --context can be given: Unknown option '--debug'",
  );
  assertThrows(() => found(["--host"]), EngineError, "--host");
});

test("An engine that is not on this machine is refused with what to name in its place", async () => {
  const clock = new FakeClock();
  for (const [engine, args] of [["docker", ["--host=tcp://h:1"]], ["podman", ["--url", "ssh://h"]]] as const) {
    const api = openApi(engine, { args, dataDir: "/none", clock });
    const refused = `${engine} works on another machine or in a virtual one, at `;
    await assertRejects(() => api.get("/info"), EngineError, refused);
    await api.close();
  }
});

test("Arguments of a service of podman that is at work already are refused", async () => {
  const found = async (args: readonly string[]) => {
    const api = openApi("podman", { args, dataDir: "/none", clock: new FakeClock() });
    return await api.socketPath().finally(() => api.close());
  };
  assertEquals([await found(["--url=unix:///a=b"]), await found(["--url", "unix:///a"])], ["/a=b", "/a"]);
  for (const args of [["--url=unix:///a", "--log-level=debug"], ["--storage-driver", "vfs", "--url", "unix:///a"]]) {
    await assertRejects(
      () => found(args),
      EngineError,
      "podman is asked by its socket: of its arguments only --url can",
    );
  }
  await assertRejects(() => found(["--url"]), EngineError, "argument missing");
});

test("What became of a container cannot be found out from another daemon than that which has it", async () => {
  const clock = new FakeClock();
  await using a = await startFakeEngine(clock, () => undefined, { engine: "docker" });
  await using b = await startFakeEngine(clock, () => undefined, { engine: "docker" });
  const pod = { ...podOf("p", {}), metadata: { name: "p", uid: "u" } } as unknown as Pod;
  const directory = new PodDirectory(`${a.folder}/pods`, "u");
  directory.create(pod);
  const files = directory.run("main", 0);
  Deno.mkdirSync(files.directory);
  const about = { attempt: "a", bootId: bootId(), backOffMs: 0, startedAt: 0, runtime: "docker" } as const;
  files.writeIntent({ ...about, endpoint: a.socket });
  const resume = async (socket: string) => {
    const engineArgs = [`--host=unix://${socket}`];
    const parts = { clock, dataDir: a.folder, event: () => {} };
    const runtimes = openRuntimes({ ...parts, allowed: ["docker"], engineArgs });
    try {
      return await runtimes.of(files).resume({ pod, container: pod.spec!.containers[0]!, files });
    } finally {
      await runtimes.close();
    }
  };
  const message = `docker has it at ${a.socket}, and is asked at ${b.socket} now`;
  await assertRejects(() => resume(b.socket), EngineError, message);
  assertEquals([await resume(a.socket), b.asked], [undefined, []]);
});

testAlone(import.meta.url, "Containers stay with their daemon when another context of docker is chosen", async () => {
  await using folder = await temporaryFolder();
  Deno.env.set("DOCKER_CONFIG", folder.path);
  Deno.env.set("DOCKER_HOST", "unix:///first");
  const api = openApi("docker", { args: [], dataDir: folder.path, clock: new FakeClock() });
  assertEquals(await api.socketPath(), "/first");
  Deno.env.set("DOCKER_HOST", "unix:///second");
  assertEquals(await api.socketPath(), "/first");
  await api.close();
});
