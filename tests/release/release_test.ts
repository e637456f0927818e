import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { parse } from "yaml";
import configuration from "../../deno.json" with { type: "json" };
import { labelsOf } from "../../deploy/image/oci_image.ts";
import { addAddresses } from "../../deploy/helm/written.ts";
import { alertsWith } from "../../deploy/monitoring/written.ts";
import { addressesOf, pinnedImage, runbooksOf } from "../../deploy/release/addresses.ts";
import { assetsOf } from "../../deploy/release/assets.ts";
import { krewManifest } from "../../deploy/release/krew.ts";
import { npmPackages } from "../../deploy/release/npm/packages.ts";
import { notesOf, versionsIn } from "../../deploy/release/notes.ts";
import { packagesOf, spdxOf } from "../../deploy/release/sbom.ts";
import { writtenFiles } from "../../deploy/write.ts";
import type { RuleGroup } from "../monitoring/support/rules.ts";
import { must } from "../support/expected.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";

const ROOT = new URL("../..", import.meta.url);
const { version } = configuration;
const changelog = await Deno.readTextFile(new URL("CHANGELOG.md", ROOT));
const ADDRESSES = { repository: "https://forge.example/owner/name", image: "registry.example/owner/name" };

test("the version stands in deno.json alone, but for the changelog, measurements and what is written from it", async () => {
  const git = new Deno.Command("git", { args: ["grep", "-nF", version], cwd: ROOT }).outputSync();
  const lines = new TextDecoder().decode(git.stdout).trim().split("\n");
  const files = lines.filter((line) => !line.includes("imageLayoutVersion")).map((line) => line.split(":")[0]!);
  assert(files.includes("deno.json"));
  const written = [...(await writtenFiles()).keys()].map((path) => `deploy/${path}`);
  // In the lock file it is a package's. A measurement names the version that it measured, whatever the next one is.
  const expected = ["deno.json", "deno.lock", "CHANGELOG.md", ...written];
  assertEquals(files.filter((file) => !expected.includes(file) && !file.startsWith("docs/benchmarks")), []);
});

test("the changelog lists what is not released first, then versions up to this one with dates, the newest first", () => {
  assertMatch(changelog, /^[^#]*# Changelog\n[^#]*## \[(Unreleased|\d+\.\d+\.\d+)\]/);
  const versions = versionsIn(changelog);
  for (const { date } of versions) assertMatch(date!, /^\d{4}-\d\d-\d\d$/);
  const dates = versions.map(({ date }) => date);
  assertEquals(dates, dates.toSorted().reverse());
});

test("a release links the runbooks of its alerts where its repository has them", async () => {
  const runbooks = "https://forge.example/owner/name/blob/v1.2.3/docs/how-to/alerts.md";
  assertEquals(runbooksOf(ADDRESSES, "v1.2.3"), runbooks);
  const { groups } = parse(await alertsWith(runbooks)).spec as { groups: RuleGroup[] };
  const links = groups.flatMap(({ rules }) => rules.map(({ annotations }) => annotations.runbook_url));
  assert(links.length > 15);
  assertEquals(links.filter((link) => !link?.startsWith(`${runbooks}#`)), []);
  await using folder = await temporaryFolder();
  await Deno.copyFile(new URL("deploy/helm/cronjob-controller/Chart.yaml", ROOT), `${folder.path}/Chart.yaml`);
  await Deno.copyFile(new URL("deploy/helm/cronjob-controller/values.yaml", ROOT), `${folder.path}/values.yaml`);
  await addAddresses(folder.path, ADDRESSES, "v1.2.3");
  const values = parse(await Deno.readTextFile(`${folder.path}/values.yaml`));
  assertEquals([values.monitoring.runbookUrl, values.image.repository], [runbooks, ADDRESSES.image]);
});

test("the notes of a release are its section of the changelog, and there is no release without", () => {
  const text = "# Changelog\n\n## [0.3.0] - 2027-01-01\n\n### Added\n\n- One.\n\n## [0.2.9] - 2026-12-01\n\n- Other.\n";
  assertEquals(notesOf(text, "0.3.0"), "### Added\n\n- One.");
  assertEquals(notesOf(text, "0.2.9"), "- Other.");
  assertThrows(() => notesOf(text, "0.3.1"), Error, "no section");
});

test("a release needs the addresses of its repository and its image", () => {
  const env = (repository?: string, image?: string) => ({
    get: (name: string) => name === "REPOSITORY_URL" ? repository : image,
  });
  assertEquals(addressesOf(env(ADDRESSES.repository, ADDRESSES.image)), ADDRESSES);
  assertThrows(() => addressesOf(env(undefined, ADDRESSES.image)), Error, "REPOSITORY_URL");
  assertThrows(() => addressesOf(env("", ADDRESSES.image)), Error, 'current value is ""');
  assertThrows(() => addressesOf(env(ADDRESSES.repository)), Error, "IMAGE_REPOSITORY");
  assertThrows(() => addressesOf(env(ADDRESSES.repository, "ghcr.io/owner/name:1")), Error, "ghcr.io/owner/name");
});

test("a release's manifest names its image by digest, and there is none without", () => {
  const digest = `sha256:${"a1".repeat(32)}`;
  assertEquals(pinnedImage(ADDRESSES, { get: () => digest }), `${ADDRESSES.image}@${digest}`);
  assertThrows(() => pinnedImage(ADDRESSES, { get: () => "latest" }), Error, "IMAGE_DIGEST");
});

test("npm gets a package for each platform as Node names it, and one that asks for them in the same version", () => {
  const packages = npmPackages(assetsOf("1.2.3"), { version: "1.2.3", repository: ADDRESSES.repository });
  const described = packages.map(({ entries }) => {
    const description = must(entries.find(({ path }) => path === "/package/package.json"));
    return JSON.parse(description.kind === "text" ? description.text : "");
  });
  assertEquals(described.slice(0, -1).map(({ name, os, cpu }) => [name, os, cpu]), [
    ["@cronjob-controller/linux-x64", ["linux"], ["x64"]],
    ["@cronjob-controller/linux-arm64", ["linux"], ["arm64"]],
    ["@cronjob-controller/darwin-x64", ["darwin"], ["x64"]],
    ["@cronjob-controller/darwin-arm64", ["darwin"], ["arm64"]],
    ["@cronjob-controller/win32-x64", ["win32"], ["x64"]],
  ]);
  const whole = described.at(-1);
  assertEquals(Object.keys(whole.optionalDependencies), described.slice(0, -1).map(({ name }) => name));
  assertEquals(new Set(Object.values(whole.optionalDependencies)), new Set(["1.2.3"]));
  assertEquals(new Set(described.map(({ version }) => version)), new Set(["1.2.3"]));
});

test("an image says where it comes from, if it is a release's", () => {
  const facts = { name: "c", version, created: "c", architecture: "amd64" } as const;
  const labels = labelsOf({ ...facts, addresses: ADDRESSES });
  assertEquals(labels["org.opencontainers.image.source"], ADDRESSES.repository);
  assertEquals(Object.keys(labelsOf(facts)).filter((label) => label.endsWith("source")), []);
});

test("krew finds an archive for each platform, with the executable and its checksum", () => {
  const assets = assetsOf("1.2.3");
  const checksums = new Map(assets.map(({ archive }, i) => [archive, `${i}`.repeat(64)]));
  const manifest = krewManifest({ version: "1.2.3", addresses: ADDRESSES, assets, checksums }) as {
    metadata: { name: string };
    spec: { platforms: { selector: unknown; uri: string; sha256: string; bin: string; files: { from: string }[] }[] };
  };
  const { metadata: { name }, spec: { platforms } } = manifest;
  // Krew's rules for names.
  assertMatch(name, /^[a-z][a-z0-9-]*$/);
  assertEquals(platforms.map(({ selector }) => selector), [
    { matchLabels: { os: "linux", arch: "amd64" } },
    { matchLabels: { os: "linux", arch: "arm64" } },
    { matchLabels: { os: "darwin", arch: "amd64" } },
    { matchLabels: { os: "darwin", arch: "arm64" } },
    { matchLabels: { os: "windows", arch: "amd64" } },
  ]);
  assertEquals(
    platforms[3],
    {
      selector: { matchLabels: { os: "darwin", arch: "arm64" } },
      uri: `${ADDRESSES.repository}/releases/download/v1.2.3/cronjob-controller_1.2.3_darwin_arm64.tar.gz`,
      sha256: "3".repeat(64),
      bin: "cronjob-controller",
      files: [{ from: "cronjob-controller", to: "." }, { from: "LICENSE", to: "." }],
    } as unknown as typeof platforms[number],
  );
  assertEquals(must(platforms[4]).bin, "cronjob-controller.exe");
  assertThrows(
    () => krewManifest({ version, addresses: ADDRESSES, assets, checksums: new Map() }),
    Error,
    "there is no",
  );
});

test("the bill of materials names what the program imports and what that depends on, once each", () => {
  const npmPackages = {
    "a@1.1.0": { name: "a", version: "1.1.0", dependencies: ["@s/b@2.0.0"] },
    "@s/b@2.0.0": { name: "@s/b", version: "2.0.0", dependencies: ["a@1.1.0"] },
    "test-only@3.0.0": { name: "test-only", version: "3.0.0", dependencies: [] },
  };
  const packages = packagesOf({ modules: [{}, { npmPackage: "a@1.1.0" }, { npmPackage: "a@1.1.0" }], npmPackages });
  assertEquals(packages, ["@s/b@2.0.0", "a@1.1.0"]);
  const bill = spdxOf({
    version,
    repository: ADDRESSES.repository,
    created: "2026-11-22T00:00:00Z",
    components: [{ name: "@s/b", version: "2.0.0", integrity: "sha512-AAEC", license: "MIT" }],
  }) as { packages: Record<string, unknown>[]; relationships: { relatedSpdxElement: string }[] };
  assertEquals(must(bill.packages[1]).checksums, [{ algorithm: "SHA512", checksumValue: "000102" }]);
  assertEquals(must(bill.packages[1]).licenseDeclared, "MIT");
  assertMatch(JSON.stringify(must(bill.packages[1]).externalRefs), /pkg:npm\/%40s\/b@2\.0\.0/);
  assertEquals(
    bill.relationships.map(({ relatedSpdxElement }) => relatedSpdxElement),
    bill.packages.map(({ SPDXID }) => SPDXID),
  );
});
