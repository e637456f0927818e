// Writes what a release consists of into dist/release, around the executables of `deno task compile:all`.
//
//   REPOSITORY_URL=https://github.com/owner/name IMAGE_REPOSITORY=ghcr.io/owner/name deno task release v1.2.3
import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";
import configuration from "../../deno.json" with { type: "json" };
import { yamlOf } from "../../src/manifests/yaml.ts";
import { emptyFolder, outputOf, ROOT } from "../binary/support.ts";
import { chart, writeFiles } from "../write.ts";
import { addressesOf } from "./addresses.ts";
import { type Asset, assetsOf } from "./assets.ts";
import { krewManifest } from "./krew.ts";
import { notesOf } from "./notes.ts";
import { type Component, type DenoInfo, packagesOf, spdxOf } from "./sbom.ts";

const RELEASE = "dist/release";
const { name, version } = configuration;

/** With dates and owners that are the same each time. */
const TAR = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0", "--create", "--gzip"];

async function writeArchive({ compiled, program, archive }: Asset): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.copyFile(compiled, `${folder}/${program}`);
    await Deno.chmod(`${folder}/${program}`, 0o755);
    await Deno.copyFile("LICENSE", `${folder}/LICENSE`);
    await outputOf("tar", [...TAR, "--file", `${RELEASE}/${archive}`, "--directory", folder, program, "LICENSE"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
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

/** The chart as others get it: it knows where the image is. */
async function packChart(addresses: ReturnType<typeof addressesOf>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await writeFiles(pathToFileURL(`${folder}/${name}/`), await chart(addresses));
    await outputOf("helm", ["package", `${folder}/${name}`, "--destination", RELEASE]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
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
  if (tag !== `v${version}`) throw new Error(`The tag must be v${version}, as deno.json says; it is ${tag}`);
  const addresses = addressesOf(Deno.env);
  const notes = notesOf(await Deno.readTextFile("CHANGELOG.md"), version);
  await emptyFolder(RELEASE);
  const assets = assetsOf(version);
  for (const asset of assets) await writeArchive(asset);
  await packChart(addresses);
  const seconds = Number(await outputOf("git", ["log", "-1", "--format=%ct"]));
  const created = new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
  const bill = spdxOf({ version, repository: addresses.repository, created, components: await components() });
  await Deno.writeTextFile(`${RELEASE}/${name}_${version}.spdx.json`, JSON.stringify(bill, null, 2));
  const krew = krewManifest({ version, addresses, assets, checksums: await checksums() });
  await Deno.writeTextFile(`${RELEASE}/krew.yaml`, yamlOf(krew));
  const lines = [...await checksums()].map(([file, checksum]) => `${checksum}  ${file}\n`);
  await Deno.writeTextFile(`${RELEASE}/checksums.txt`, lines.join(""));
  // Beside the files that are downloaded.
  await Deno.writeTextFile("dist/notes.md", `${notes}\n`);
}
