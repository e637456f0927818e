import { startKubelet } from "../../kubelet/support/test_kubelet.ts";
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

/** Runs the engine; fails if it does. */
export async function engine(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(ENGINE, { args: [...ENGINE_ARGS, ...args] }).output();
  const text = new TextDecoder().decode(stdout);
  if (code !== 0) throw new Error(`${ENGINE} ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  return text.trim();
}

const LINKS = [
  "sh",
  "cat",
  "echo",
  "env",
  "expr",
  "hostname",
  "id",
  "ls",
  "mkdir",
  "nc",
  "sleep",
  "tail",
  "touch",
  "true",
];

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
  const { code } = await new Deno.Command("tar", { args: ["-cf", tar, "-C", root, "."] }).output();
  if (code !== 0) throw new Error("Cannot make the image's tar");
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
