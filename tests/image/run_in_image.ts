// The compiled program in the image's root file system, as a Pod runs it. `deno task test:image` runs these; they need the
// compiled program (`CJC_TEST_BINARY`, else `dist/cronjob-controller`), bubblewrap and kubectl.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { buildRootfs } from "../../deploy/rootfs.ts";
import { NONROOT, PROGRAM_PATH } from "../../deploy/image/root_entries.ts";
import { eventually, kubectlOk, Standalone, temporaryFolder } from "../support/program.ts";
import { ServiceAccountVolume } from "../support/service_account_volume.ts";
import { test } from "../support/test.ts";
import { BINARY } from "./binary.ts";
import { Container, runContainer } from "./container.ts";
import { deployedController } from "./deployment.ts";

const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";
/** The network is this machine's, where the default ports may be taken. */
const ANY_PORTS = ["--metrics-bind-address=127.0.0.1:0", "--health-probe-bind-address=127.0.0.1:0"];
const TOKEN = "the-token-of-the-service-account";
const CRD = new URL("../../deploy/crd/batch.tutorial.kubebuilder.io_cronjobs.yaml", import.meta.url).pathname;
const EVERY_SECOND = JSON.stringify({
  apiVersion: "batch.tutorial.kubebuilder.io/v1",
  kind: "CronJob",
  metadata: { name: "often", namespace: "default" },
  spec: {
    schedule: "@every 1s",
    concurrencyPolicy: "Allow",
    jobTemplate: {
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } } },
    },
  },
});

/** A folder that any user may enter, and the image's root file system in it. */
async function imageFolder() {
  const folder = await temporaryFolder();
  await Deno.chmod(folder.path, 0o755);
  const root = `${folder.path}/root`;
  await buildRootfs({ binary: BINARY, root });
  return { path: folder.path, root, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

/** What this machine's `/proc` says about a process, by the names of its fields. */
async function statusOf(pid: number): Promise<Record<string, string>> {
  const lines = (await Deno.readTextFile(`/proc/${pid}/status`)).trimEnd().split("\n");
  return Object.fromEntries(lines.map((line) => line.split(/:\s+/, 2)));
}

/** Mount points that a process sees and could write to. */
async function writableMounts(pid: number): Promise<string[]> {
  const lines = (await Deno.readTextFile(`/proc/${pid}/mountinfo`)).trimEnd().split("\n").map((line) =>
    line.split(" ")
  );
  return lines.filter(([, , , , , options]) => !options.split(",").includes("ro")).map(([, , , , path]) => path);
}

async function* directoriesIn(path: string): AsyncGenerator<string> {
  yield path;
  for await (const entry of Deno.readDir(path)) {
    if (entry.isDirectory && !["proc", "pts"].includes(entry.name)) yield* directoriesIn(`${path}/${entry.name}`);
  }
}

async function assertLockedIn(pid: number): Promise<void> {
  const status = await statusOf(pid);
  assertStringIncludes(await Deno.readLink(`/proc/${pid}/exe`), PROGRAM_PATH);
  const inside = status.NSpid.split("\t").at(-1);
  assertEquals(inside, "1", "it is process 1 of its container");
  if (Deno.uid() === 0) {
    assertEquals(status.Uid, Array(4).fill(NONROOT).join("\t"));
    assertEquals(status.Gid, Array(4).fill(NONROOT).join("\t"));
    assertEquals(status.Groups.trim(), "");
  }
  assert(!status.Uid.split("\t").includes("0"), `it runs as ${status.Uid}`);
  for (const set of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"]) {
    assertEquals(status[set], "0000000000000000", set);
  }
  assertEquals(status.NoNewPrivs, "1");

  const writable = await writableMounts(pid);
  // Devices, and the kernel's own files, which check who writes.
  assertEquals(writable.filter((path) => !/^\/(proc|dev\/\w+)$/.test(path)), []);
  // Not even root outside, whom no mode keeps out, can write there.
  let tried = 0;
  for await (const directory of directoriesIn(`/proc/${pid}/root`)) {
    const error = await Deno.writeTextFile(`${directory}/written`, "").then(() => undefined, (error: Error) => error);
    assertMatch(`${error?.message}`, /Read-only file system/, directory);
    tried++;
  }
  assert(tried > 15, `only ${tried} directories were tried`);
}

test("the image's program starts, and knows time zones with no file about them", async () => {
  await using image = await imageFolder();
  const run = (...args: string[]) => runContainer({ root: image.root, command: [PROGRAM_PATH, ...args] });
  const version = await run("version");
  assertMatch(version.output, /^cronjob-controller \d+\.\d+\.\d+ /);
  assertEquals(version.code, 0);

  const zone = ["--time-zone", "America/St_Johns", "--from", "2026-10-31T12:00:00Z", "-n", "2", "-o", "json"];
  const { output } = await run("next", "30 1 * * *", ...zone);
  const { next } = JSON.parse(output) as { next: { local: string }[] };
  assertEquals(next.map(({ local }) => local), ["2026-11-01T01:30:00-02:30", "2026-11-01T01:30:00-03:30"]);
});

test("the image's program finds nowhere to write, and says so", async () => {
  await using image = await imageFolder();
  for (const folder of ["/tmp", "/home/nonroot", "/run", "/etc"]) {
    const command = [PROGRAM_PATH, "standalone", "--controllers", "", "--port", "0", "--data-dir", `${folder}/data`];
    const { code, output } = await runContainer({ root: image.root, command });
    assertMatch(output, /^cronjob-controller: Cannot use the data dir .*(Read-only file system|EROFS).*\n$/);
    assertEquals(code, 1);
  }
});

test("the controller does its work in the image as the Deployment runs it, and can change nothing there", async () => {
  await using image = await imageFolder();
  const { namespace, args, env } = await deployedController();
  const tokens = `${image.path}/tokens`;
  await Deno.writeTextFile(
    tokens,
    `${TOKEN},system:serviceaccount:${namespace}:cronjob-controller,1,"system:masters"\n`,
  );
  const serverArgs = ["--controllers", "", "--token-file", tokens, "--apply", CRD];
  await using cluster = await Standalone.start(`${image.path}/data`, serverArgs);
  const kubectl = (args: string[], stdin?: string) => kubectlOk(cluster.kubeconfig, args, stdin);
  await kubectl(["create", "namespace", namespace]);
  await kubectl(["apply", "-f", "-"], EVERY_SECOND);

  const [{ cluster: { server, "certificate-authority-data": ca } }] = JSON.parse(
    await kubectl(["config", "view", "--raw", "--output", "json"]),
  ).clusters;
  const files = { token: TOKEN, "ca.crt": atob(ca), namespace };
  const owner = Deno.uid() === 0 ? NONROOT : undefined;
  const volume = await ServiceAccountVolume.create(`${image.path}/serviceaccount`, files, owner);
  const { hostname, port } = new URL(server);

  await using container = await Container.start({
    root: image.root,
    command: [PROGRAM_PATH, ...args, ...ANY_PORTS],
    env: { ...env, HOME: "/home/nonroot", KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
    mounts: { [SERVICE_ACCOUNT]: volume.path },
    hostname: "cronjob-controller-0",
  });
  const { program } = container;
  const [, metricsPort] = await program.waitFor(/Serving \\?"?metrics\\?"? on \\?"?[^ ]*:(\d+)/);
  const [, healthPort] = await program.waitFor(/Serving \\?"?health\\?"? on \\?"?[^ ]*:(\d+)/);
  const get = async (port: string, path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: response.status, text: await response.text() };
  };

  await eventually("it is ready", async () => (await get(healthPort, "/readyz")).status === 200);
  const jobs = () => kubectl(["get", "jobs", "--output", "name"]).then((names) => names.trim().split("\n"));
  await eventually("it has started Jobs", async () => (await jobs()).filter((name) => name !== "").length >= 2);
  const { text } = await get(metricsPort, "/metrics");
  assertMatch(text, /^leader_election_master_status\{[^}]*\} 1$/m);
  assertMatch(text, /^cronjob_controller_job_creation_skew_duration_seconds_count [1-9]/m);
  const holder = () =>
    kubectl(["get", "leases", "--namespace", namespace, "--output", "jsonpath={.items[*].spec.holderIdentity}"]);
  assertStringIncludes(await holder(), "cronjob-controller-0_");

  await assertLockedIn(await container.pid());

  assertEquals(await container.end("SIGTERM"), 0, program.output);
  assertEquals(await holder(), "", "the lease is given back");
  assert(!program.output.includes(TOKEN), "the token is in the log");
});
