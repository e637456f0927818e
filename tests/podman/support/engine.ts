import { outputOf } from "../../../deploy/binary/support.ts";
import type { ContainerStateTerminated } from "kubernetes-types/core/v1";
import { startKubelet, type TestKubelet } from "../../kubelet/support/test_kubelet.ts";
import { shellTemplate } from "../../support/cron_job.ts";
import { must } from "../../support/expected.ts";
import { PodLogFiles } from "../../../src/kubelet/files/pod_log_files.ts";
import type { EngineName } from "../../../src/kubelet/engine/api/engine_error.ts";
import type { RuntimeOptions } from "../../../src/kubelet/open_runtimes.ts";
import type { KubeletOptions } from "../../../src/kubelet/kubelet.ts";

/** An image of Debian's busybox, made by {@linkcode importImage}: another number for another content. */
export const IMAGE = "localhost/cjc-test-busybox:3";

const FOLDER = await Deno.makeTempDir({ prefix: "engine-test-" });
globalThis.addEventListener("unload", () => Deno.removeSync(FOLDER, { recursive: true }));

/** What makes podman work as root on cgroup v1, in a machine that lets no limit of processes be raised. */
const CONTAINERS_CONF = `[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
`;

Deno.writeTextFileSync(`${FOLDER}/containers.conf`, CONTAINERS_CONF);
Deno.env.set("CONTAINERS_CONF", `${FOLDER}/containers.conf`);

/** What the tests run containers by: podman, unless the environment says otherwise. */
export const ENGINE: EngineName = Deno.env.get("CJC_TEST_ENGINE") === "docker" ? "docker" : "podman";

/** The operator's own arguments for the engine. */
export const ENGINE_ARGS = ENGINE === "podman" ? ["--storage-driver", "vfs"] : [];

/** How `standalone` runs containers by the engine, without a network. */
export const ENGINE_FLAGS = [
  ...["--container-runtime", ENGINE, `--container-runtime-args=${ENGINE_ARGS.join(" ")}`],
  ...["--container-network", "none"],
];

/** Runs the engine. @throws where it fails */
export function engine(...args: string[]): Promise<string> {
  return outputOf(ENGINE, [...ENGINE_ARGS, ...args]);
}

const LINKS = "sh cat echo env expr hostname id ls mkdir nc sleep tail touch true".split(" ");

/** Makes the image that the tests run, or one of the same content that runs something else, unless it is there. */
export async function importImage(
  image = IMAGE,
  { entry = [], words = [] }: { entry?: string[]; words?: string[] } = {
    entry: ["/bin/echo", "entry"],
    words: ["word"],
  },
) {
  if (await engine("images", "--quiet", image) !== "") return;
  const root = Deno.makeTempDirSync({ dir: FOLDER });
  // The image's own root is of this mode, and its users are others.
  Deno.chmodSync(root, 0o755);
  for (const directory of ["bin", "etc", "tmp"]) Deno.mkdirSync(`${root}/${directory}`, { recursive: true });
  Deno.copyFileSync("/bin/busybox", `${root}/bin/busybox`);
  for (const name of LINKS) Deno.symlinkSync("busybox", `${root}/bin/${name}`);
  Deno.writeTextFileSync(`${root}/etc/passwd`, "root:x:0:0::/:/bin/sh\nweb:x:1234:1234::/:/bin/sh\n");
  const tar = `${FOLDER}/image.tar`;
  await outputOf("tar", ["-cf", tar, "-C", root, "."]);
  const changes = [`ENTRYPOINT ${JSON.stringify(entry)}`, `CMD ${JSON.stringify(words)}`];
  await engine("import", ...changes.flatMap((change) => ["--change", change]), tar, image);
}

/** A kubelet that runs all containers by the engine, without a network. */
export function startEngineKubelet(
  options: Partial<KubeletOptions> = {},
  ofRuntimes: Partial<RuntimeOptions> = {},
): ReturnType<typeof startKubelet> {
  const runtimes: RuntimeOptions = { allowed: [ENGINE], engineArgs: ENGINE_ARGS, network: "none", ...ofRuntimes };
  return startKubelet({ stopGraceMs: 1_000, ...options, runtimes });
}

/** Returns the log of a container, as `kubectl logs` shows it. */
export async function logOf(kubelet: TestKubelet, name: string): Promise<string> {
  const { metadata: { uid } } = await kubelet.get(name);
  const source = new PodLogFiles({ dataDir: kubelet.dataDir });
  return await new Response(await source.open({ namespace: "default", name, uid }, { container: "main" })).text();
}

/** Returns how the first container of a Pod ended. */
export async function endOf(kubelet: TestKubelet, name: string): Promise<ContainerStateTerminated> {
  const { status } = await kubelet.finished(name);
  return must(status?.containerStatuses?.[0]?.state?.terminated);
}

/** Returns the template of a Job whose Pods run a shell script in the tests' image, and may write to a folder as `/out`. */
export function writingTo(folder: string, script: string) {
  const volumeMounts = [{ name: "out", mountPath: "/out" }];
  const template = shellTemplate(script, { image: IMAGE, volumeMounts });
  const volumes = [{ name: "out", hostPath: { path: folder } }];
  return { spec: { ...template.spec, template: { spec: { ...template.spec.template.spec, volumes } } } };
}

/** Names of containers that the engine has of a data directory. */
export async function containersIn(dataDir: string): Promise<string[]> {
  const filter = `label=cronjob-controller.dev/data-dir=${dataDir}`;
  const names = await engine("ps", "--all", "--filter", filter, "--format", "{{.Names}}");
  return names.split("\n").filter((name) => name !== "");
}

/** Returns the pids of podman's services that work for a data directory. */
export function servicesIn(dataDir: string): number[] {
  const pids = [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter((pid) => pid > 0);
  return pids.filter((pid) => {
    try {
      const words = Deno.readTextFileSync(`/proc/${pid}/cmdline`).split("\0");
      return words[0] === "podman" && words.includes("service") && Deno.readLinkSync(`/proc/${pid}/cwd`) === dataDir;
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
}
