// Whether what a release consists of can be installed: `deno task test:release`, which makes it first. It needs the compiled
// program, helm, npm, dpkg, and root.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { createHash } from "node:crypto";
import { BINARY } from "../image/support/binary.ts";
import { CLUSTER_KINDS } from "../manifests/support/cluster_kinds.ts";
import { helmOk } from "../manifests/support/real_helm.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { kubectlOk, RunningProgram, temporaryFolder } from "../support/program.ts";
import { runToEnd } from "../support/run_to_end.ts";
import { test } from "../support/test.ts";
import { serveLayout } from "./support/registry.ts";
import { ADDRESSES, IMAGE, RELEASE, VERSION } from "./support/rehearsal.ts";

const SAYS_VERSION = new RegExp(`^cronjob-controller ${VERSION} `);

async function runOk(...command: string[]): Promise<string> {
  const { code, stdout, stderr } = await runToEnd(command);
  assertEquals(code, 0, `${command.join(" ")}\n${stderr}${stdout}`);
  return stdout;
}

test("every file of a release has its checksum", async () => {
  const lines = (await Deno.readTextFile(`${RELEASE}/checksums.txt`)).trim().split("\n");
  const files = await Array.fromAsync(Deno.readDir(RELEASE), ({ name }) => name);
  assertEquals(lines.map((line) => line.split("  ")[1]), files.filter((file) => file !== "checksums.txt").sort());
  for (const line of lines) {
    const [checksum, file] = line.split("  ");
    const hash = createHash("sha256").update(await Deno.readFile(`${RELEASE}/${file}`)).digest("hex");
    assertEquals(hash, checksum, file);
  }
});

test("dpkg installs the program of a release, and removes it", async () => {
  await using folder = await temporaryFolder({ "var/lib/dpkg/info/format": "1\n", "var/lib/dpkg/updates/none": "" });
  await Deno.remove(`${folder.path}/var/lib/dpkg/updates/none`);
  // What is installed on this machine is there in the package's eyes.
  await Deno.copyFile("/var/lib/dpkg/status", `${folder.path}/var/lib/dpkg/status`);
  const deb = `${RELEASE}/cronjob-controller_${VERSION}_amd64.deb`;
  assertMatch(await runOk("dpkg", "--info", deb), /Depends: libc6 .*libgcc-s1/);
  const dpkg = ["dpkg", `--root=${folder.path}`, "--force-not-root", "--log=/dev/null"];
  await runOk(...dpkg, "--install", deb);
  const program = `${folder.path}/usr/bin/cronjob-controller`;
  assertMatch(await runOk(program, "version"), SAYS_VERSION);
  await runOk(...dpkg, "--remove", "cronjob-controller");
  assertEquals(await Deno.stat(program).catch(() => undefined), undefined);
});

test("npm installs the program of a release, which ends as it would without npm", async () => {
  await using folder = await temporaryFolder({ "package.json": "{}" });
  const packages = [`_npm_linux-x64.tgz`, "_npm.tgz"].map((end) => `${RELEASE}/cronjob-controller_${VERSION}${end}`);
  await runOk("npm", "install", "--offline", "--no-audit", "--prefix", folder.path, ...packages);
  const program = `${folder.path}/node_modules/.bin/cronjob-controller`;
  assertMatch(await runOk("npx", "--offline", "--prefix", folder.path, "cronjob-controller", "version"), SAYS_VERSION);
  assertEquals(
    (await runToEnd([program, "next", "nonsense"])).code,
    (await runToEnd([BINARY, "next", "nonsense"])).code,
  );
  const dataDir = `${folder.path}/data`;
  const args = ["--data-dir", dataDir, "--port", "0", "--dashboard-address", "0"];
  await using standalone = new RunningProgram([program, "standalone", ...args]);
  await standalone.waitFor(/Ready: kubectl works/);
  assertEquals((await standalone.end("SIGTERM")).code, 0);
});

test("npm's program says what to do where its platform's package is missing", async () => {
  await using folder = await temporaryFolder({ "package.json": "{}" });
  const whole = `${RELEASE}/cronjob-controller_${VERSION}_npm.tgz`;
  await runOk("npm", "install", "--offline", "--no-audit", "--omit=optional", "--prefix", folder.path, whole);
  const { code, stderr } = await runToEnd([`${folder.path}/node_modules/.bin/cronjob-controller`, "version"]);
  assertEquals(code, 1);
  assertStringIncludes(stderr, "install cronjob-controller with optional dependencies");
});

test("helm installs a release's chart out of a registry that got it as an OCI layout", async () => {
  await using api = await startTestApiServer({ kinds: CLUSTER_KINDS });
  await using folder = await temporaryFolder();
  await using registry = await serveLayout(`${RELEASE}/cronjob-controller-${VERSION}.oci.tar`, folder.path);
  const chart = `oci://${registry.address}/charts/cronjob-controller`;
  const { kubeconfigPath } = api.server;
  const env = { KUBECONFIG: kubeconfigPath, HOME: folder.path };
  const release = ["cron", chart, "--version", VERSION, "--plain-http", "--namespace", "cron", "--create-namespace"];
  await helmOk(["install", ...release], { env });
  const path = "jsonpath={.spec.template.spec.containers[0].image}";
  const image = await kubectlOk(kubeconfigPath, ["get", "deployment", "-n", "cron", "cronjob-controller", "-o", path]);
  assertEquals(image, `${ADDRESSES.image}:${VERSION}`);
});

test("kubectl installs a release's manifest, with the image by its digest", async () => {
  await using api = await startTestApiServer({ kinds: CLUSTER_KINDS });
  const { kubeconfigPath } = api.server;
  const applied = await kubectlOk(kubeconfigPath, ["apply", "-f", `${RELEASE}/install.yaml`]);
  assertMatch(applied, /^deployment.apps\/cronjob-controller created$/m);
  const path = "jsonpath={.items[*].spec.template.spec.containers[0].image}";
  const image = await kubectlOk(kubeconfigPath, ["get", "deployments", "-A", "-o", path]);
  const { manifests: [{ digest }] } = JSON.parse(
    await runOk("tar", "--extract", "--to-stdout", "--file", IMAGE, "index.json"),
  );
  assertEquals(image, `${ADDRESSES.image}@${digest}`);
  assert(!(await Deno.readTextFile(`${RELEASE}/install.yaml`)).includes(`cronjob-controller:${VERSION}`));
});
