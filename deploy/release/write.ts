// Writes what a release consists of into dist/release, around the executables of `deno task compile:all`.
//
//   REPOSITORY_URL=https://github.com/owner/name IMAGE_REPOSITORY=ghcr.io/owner/name IMAGE_DIGEST=sha256:abc… \
//     deno task release [v1.2.3]
//
// Without a tag it rehearses a release: of the platforms that are compiled, and without notes.
import { createHash } from "node:crypto";
import configuration from "../../deno.json" with { type: "json" };
import { parse } from "yaml";
import { installOf } from "../../src/manifests/install.ts";
import { objectsOf } from "../../src/manifests/objects.ts";
import { yamlOf } from "../../src/manifests/yaml.ts";
import { emptyFolder, outputOf, ROOT } from "../binary/support.ts";
import { addAddresses } from "../helm/written.ts";
import { file } from "../image/root_entries.ts";
import { alertsWith } from "../monitoring/written.ts";
import { type Addresses, addressesOf, pinnedImage, runbooksOf } from "./addresses.ts";
import { type Asset, assetsOf } from "./assets.ts";
import { writeChartLayout } from "./chart_layout.ts";
import { writeDeb } from "./deb.ts";
import { krewManifest } from "./krew.ts";
import { notesOf } from "./notes.ts";
import { npmPackages } from "./npm/packages.ts";
import { packEntries } from "./pack.ts";
import { type Component, type DenoInfo, packagesOf, spdxOf } from "./sbom.ts";

const RELEASE = "dist/release";
const { name, version } = configuration;

/** The platforms to release: with a tag all of them, else those that are compiled. */
async function releasedAssets(tag: string | undefined): Promise<Asset[]> {
  const isCompiled = await Promise.all(
    assetsOf(version).map(({ compiled }) => Deno.stat(compiled).then(() => true, () => false)),
  );
  const missing = assetsOf(version).filter((_, i) => !isCompiled[i]).map(({ compiled }) => compiled);
  if (tag !== undefined && missing.length > 0) throw new Error(`Cannot release ${tag}: there is no ${missing[0]}`);
  return assetsOf(version).filter((_, i) => isCompiled[i]);
}

async function writeArchives(assets: readonly Asset[], { repository }: Addresses): Promise<void> {
  for (const asset of assets) {
    const { archive, compiled, program, os, arch } = asset;
    await packEntries([file("/LICENSE", "LICENSE"), file(`/${program}`, compiled, 0o755)], `${RELEASE}/${archive}`);
    if (os !== "linux") continue;
    await writeDeb(`${RELEASE}/${name}_${version}_${arch}.deb`, { asset, version, repository });
  }
  for (const { archive, entries } of npmPackages(assets, { version, repository })) {
    await packEntries(entries, `${RELEASE}/${archive}`);
  }
}

async function components(): Promise<Component[]> {
  const lock = JSON.parse(await Deno.readTextFile("deno.lock"));
  const info: DenoInfo = JSON.parse(await outputOf(Deno.execPath(), ["info", "--json", "main.ts"]));
  return packagesOf(info).map((id) => {
    const { name, version, localPath } = info.npmPackages[id] as DenoInfo["npmPackages"][string] & {
      localPath: string;
    };
    const { license } = JSON.parse(Deno.readTextFileSync(`${localPath}/package.json`));
    const { integrity } = lock.npm[id];
    return { name, version, integrity, license };
  });
}

/** The chart as others get it, which knows where the image is; as a file, and as an OCI layout. */
async function packChart(addresses: Addresses): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await outputOf("cp", ["-r", `deploy/helm/${name}`, folder]);
    await addAddresses(`${folder}/${name}`, addresses, `v${version}`);
    await outputOf("helm", ["package", `${folder}/${name}`, "--destination", RELEASE]);
    await writeChartLayout(`${RELEASE}/${name}-${version}.oci.tar`, {
      packed: `${RELEASE}/${name}-${version}.tgz`,
      metadata: parse(await Deno.readTextFile(`${folder}/${name}/Chart.yaml`)),
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** What `kubectl apply` installs: the default installation, with the image by its digest. */
function installYaml(addresses: Addresses): string {
  return yamlOf(...objectsOf({ ...installOf("base"), image: pinnedImage(addresses, Deno.env) }));
}

async function checksums(): Promise<Map<string, string>> {
  const files = (await Array.fromAsync(Deno.readDir(RELEASE), ({ name }) => name)).sort();
  return new Map(files.map((file) => {
    const hash = createHash("sha256").update(Deno.readFileSync(`${RELEASE}/${file}`));
    return [file, hash.digest("hex")];
  }));
}

if (import.meta.main) {
  Deno.chdir(ROOT);
  const [tag] = Deno.args;
  if (tag !== undefined && tag !== `v${version}`) {
    throw new Error(`The tag must be v${version}, as deno.json says; it is ${tag}`);
  }
  const notes = tag === undefined ? undefined : notesOf(await Deno.readTextFile("CHANGELOG.md"), version);
  const addresses = addressesOf(Deno.env);
  const install = installYaml(addresses);
  await emptyFolder(RELEASE);
  const assets = await releasedAssets(tag);
  await writeArchives(assets, addresses);
  await packChart(addresses);
  await Deno.writeTextFile(`${RELEASE}/install.yaml`, install);
  await Deno.writeTextFile(`${RELEASE}/alerts.yaml`, await alertsWith(runbooksOf(addresses, `v${version}`)));
  const seconds = Number(await outputOf("git", ["log", "-1", "--format=%ct"]));
  const created = new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
  const bill = spdxOf({ version, repository: addresses.repository, created, components: await components() });
  await Deno.writeTextFile(`${RELEASE}/${name}_${version}.spdx.json`, JSON.stringify(bill, null, 2));
  const krew = krewManifest({ version, addresses, assets, checksums: await checksums() });
  await Deno.writeTextFile(`${RELEASE}/krew.yaml`, yamlOf(krew));
  const lines = [...await checksums()].map(([file, checksum]) => `${checksum}  ${file}\n`);
  await Deno.writeTextFile(`${RELEASE}/checksums.txt`, lines.join(""));
  // Beside the files that are downloaded.
  if (notes !== undefined) await Deno.writeTextFile("dist/notes.md", `${notes}\n`);
}
