import { assert, assertEquals } from "@std/assert";
import { DEPLOY, WRITTEN_FOLDERS, writtenFiles } from "../../deploy/write.ts";
import { DEFINED_FLAVOURS } from "../../src/cronjob/api/crd.ts";
import { FLAVOURS } from "../../src/cronjob/api/flavour.ts";
import { installOf, type OverlayName, OVERLAYS } from "../../src/manifests/install.ts";
import { objectsOf } from "../../src/manifests/objects.ts";
import { yamlOf } from "../../src/manifests/yaml.ts";
import { runMain } from "../cli/support/run_command.ts";
import { blocksOf, readPage } from "../docs/support/pages.ts";
import { atLeast } from "../support/expected.ts";
import { COMPILED, runProgram, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { byIdentity, kustomize, objectsIn } from "./support/kustomize.ts";

const NAMES = Object.keys(OVERLAYS) as OverlayName[];

function folderOf(overlay: OverlayName): string {
  return new URL(overlay === "base" ? "base" : `overlays/${overlay}`, DEPLOY).pathname;
}

/** What a page shows as a part of a kustomization. */
async function kustomizationsOf(page: string): Promise<string[]> {
  return blocksOf(await readPage(page)).filter(({ info }) => info === "yaml kustomization").map(({ text }) => text);
}

/** The executable prints them where it is under test; else this process does, in a tenth of the time. */
async function run(...args: string[]) {
  if (!COMPILED) return await runMain(["manifests", ...args]);
  const { code: exitCode, ...printed } = await runProgram(["manifests", ...args]);
  return { exitCode, ...printed };
}

async function printed(...args: string[]) {
  const { exitCode, stdout, stderr } = await run(...args);
  assertEquals(exitCode, 0, stderr);
  return objectsIn(stdout);
}

test("deploy/ holds what the code says, and nothing else", async () => {
  const found: Record<string, string> = {};
  const read = async (folder: string) => {
    for await (const { name, isDirectory } of Deno.readDir(new URL(folder, DEPLOY))) {
      const path = `${folder}/${name}`;
      if (isDirectory) await read(path);
      else found[path] = await Deno.readTextFile(new URL(path, DEPLOY));
    }
  };
  for (const folder of WRITTEN_FOLDERS) await read(folder);
  const written = Object.fromEntries([...await writtenFiles()].sort());
  const isAlone = (path: string) => !WRITTEN_FOLDERS.some((folder) => path.startsWith(`${folder}/`));
  for (const path of Object.keys(written).filter(isAlone)) {
    found[path] = await Deno.readTextFile(new URL(path, DEPLOY));
  }
  assertEquals(found, written, "Run deno task manifests");
});

for (const overlay of NAMES) {
  test(`kubectl kustomize renders ${overlay} to what the manifests command prints`, async () => {
    const rendered = await kustomize(folderOf(overlay));
    assertEquals(byIdentity(rendered), byIdentity(await printed("--overlay", overlay)));
    assertEquals(byIdentity(rendered), byIdentity(objectsOf(installOf(overlay))));
  });
}

test("one line of the overlay namespaced says which namespace it watches", async () => {
  await using folder = await temporaryFolder();
  await new Deno.Command("cp", {
    args: ["-r", ...["crd", "base", "overlays"].map((name) => new URL(name, DEPLOY).pathname), folder.path],
  })
    .output();
  const file = `${folder.path}/overlays/namespaced/kustomization.yaml`;
  const lines = (await Deno.readTextFile(file)).split("\n");
  assertEquals(lines.filter((line) => line.includes("namespace=default")).length, 1);
  await Deno.writeTextFile(file, lines.join("\n").replace("namespace=default", "namespace=team-a"));
  assertEquals(
    byIdentity(await kustomize(`${folder.path}/overlays/namespaced`)),
    byIdentity(await printed("--overlay", "namespaced", "--namespace", "team-a")),
  );
});

test("the kustomizations that the documentation shows are right", async () => {
  const shown = [
    ...await kustomizationsOf("docs/start/cluster.md"),
    ...await kustomizationsOf("docs/how-to/permissions.md"),
  ];
  assertEquals(shown.length, 2);
  await using folder = await temporaryFolder();
  const objects = objectsOf({ ...installOf("base"), image: "registry.example/released@sha256:abc" });
  await Deno.writeTextFile(`${folder.path}/install.yaml`, yamlOf(...objects));
  const text = shown.join("").replace(/REPOSITORY.*(?=install\.yaml)/, "").replace(
    "IMAGE",
    "registry.example/released",
  );
  await Deno.writeTextFile(`${folder.path}/kustomization.yaml`, text);
  const before = byIdentity(objects);
  const after = byIdentity(await kustomize(folder.path));
  assertEquals(Object.keys(after), Object.keys(before));
  const [deployment, policy] = atLeast(
    2,
    ["Deployment", "NetworkPolicy"].map((kind) =>
      JSON.stringify(after[`${kind}/cronjob-controller-system/cronjob-controller`])
    ),
  );
  assert(deployment.includes('"image":"registry.example.com/cronjob-controller:VERSION"'), deployment);
  assert(policy.includes('{"ports":[{"port":6443}],"to":[{"ipBlock":{"cidr":"10.0.0.10/32"}}]}'), policy);
  assert(!policy.includes("16443"), policy);
});

test("the manifests command prints each object after those that it needs", async () => {
  const kinds = (await printed()).map(({ kind }) => kind);
  assertEquals(kinds.slice(0, 3), ["Namespace", "CustomResourceDefinition", "ServiceAccount"]);
  assertEquals(kinds.at(-1), "Deployment");
  for (const kind of ["Role", "ClusterRole"]) assert(kinds.indexOf(kind) < kinds.indexOf(`${kind}Binding`));
});

test("the manifests command takes namespaces, an image and whose Jobs to run", async () => {
  const objects = byIdentity(
    await printed(
      "--namespace",
      "team-a",
      "--namespace",
      "team-b",
      "--image",
      "registry.example/cjc:1",
      "--jobs",
      "managed",
    ),
  );
  assertEquals(Object.keys(objects).filter((name) => /Role|Binding/.test(name)), [
    "ClusterRole/cronjob-controller-edit",
    "ClusterRole/cronjob-controller-view",
    "Role/cronjob-controller-system/cronjob-controller",
    "Role/team-a/cronjob-controller",
    "Role/team-b/cronjob-controller",
    "RoleBinding/cronjob-controller-system/cronjob-controller",
    "RoleBinding/team-a/cronjob-controller",
    "RoleBinding/team-b/cronjob-controller",
  ]);
  const deployment = JSON.stringify(objects["Deployment/cronjob-controller-system/cronjob-controller"]);
  for (
    const part of ["--namespace=team-a", "--namespace=team-b", "--jobs=managed", '"image":"registry.example/cjc:1"']
  ) {
    assert(deployment.includes(part), part);
  }
});

test("the manifests command takes the APIs whose CronJobs are to run", async () => {
  const objects = await printed(
    "--api",
    "cronjob-controller.dev/v1,batch.tutorial.kubebuilder.io/v1",
    "--api=batch/v1",
  );
  const all = objectsOf({ ...installOf("base"), apis: FLAVOURS });
  assertEquals(byIdentity(objects), byIdentity(all));
  const { rules } = byIdentity(objects)["ClusterRole/cronjob-controller-edit"] as unknown as { rules: unknown[] };
  assertEquals(rules.length, 2, "one for each API that Kubernetes' own role does not know");
});

test("what the manifests command cannot print is one line and exit code 2", async () => {
  for (
    const args of [["--overlay", "other"], ["--namespace", "Not_A_Namespace"], ["--jobs", "some"], ["--api", "apps/v1"]]
  ) {
    const { exitCode, stdout, stderr } = await run(...args);
    assertEquals([exitCode, stdout, stderr.trimEnd().split("\n").length], [2, "", 1], stderr);
  }
});

test("an overlay brings the CRDs of its APIs, and no others", () => {
  for (const overlay of NAMES) {
    const { apis } = installOf(overlay);
    const crds = objectsOf(installOf(overlay)).filter(({ kind }) => kind === "CustomResourceDefinition");
    const defined = DEFINED_FLAVOURS.filter((flavour) => apis.includes(flavour));
    assertEquals(
      crds.map(({ metadata }) => metadata.name),
      defined.map(({ resource }) => `cronjobs.${resource.group}`),
    );
  }
});
