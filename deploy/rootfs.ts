// Builds, without a container engine, what `deploy/Dockerfile` builds with one: the image's root file system around a
// compiled program, and the image as a file that `docker load`, `podman load`, `skopeo` and `crane` take.
import { parseArgs } from "node:util";
import configuration from "../deno.json" with { type: "json" };
import { mozillaCertificates } from "./image/certificates.ts";
import { type BuiltImage, writeImage } from "./image/image_archive.ts";
import type { ImageFacts } from "./image/oci_image.ts";
import { baseEntries, programEntries } from "./image/root_entries.ts";
import { writeTree } from "./image/root_tree.ts";
import { addressesOf } from "./release/addresses.ts";
import { sharedLibraries } from "./image/shared_libraries.ts";

const USAGE = `Builds the image's root file system from a compiled program, and the image.

  deno task rootfs [--binary FILE] [--root DIR] [--image FILE] [--version V] [--revision COMMIT]

  --binary FILE      the program (default: dist/cronjob-controller)
  --root DIR         where the root file system goes; replaced if it is there (default: dist/rootfs)
  --image FILE       where the image goes, as a tar archive; '' for none (default: dist/image.tar)
  --version V        the image's version (default: deno.json's)
  --revision COMMIT  what it was built from (default: git's HEAD)

The image is dated by SOURCE_DATE_EPOCH (seconds; default: the time of git's HEAD). The same program on the same machine
gives the same bytes each time.`;

export interface RootfsOptions {
  /** The compiled program. */
  binary: string;
  /** Where the root file system goes. What is there is replaced. */
  root: string;
  /** The image to pack it into; absent: none. */
  image?: { archive: string; facts: ImageFacts } | undefined;
}

/** Builds the root file system, and the image if one is asked for. */
export async function buildRootfs({ binary, root, image }: RootfsOptions): Promise<BuiltImage | undefined> {
  const libraries = await sharedLibraries(binary);
  const layers = [
    baseEntries({ libraries, certificates: await mozillaCertificates() }),
    programEntries(binary),
  ];
  await Deno.remove(root, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  await Deno.mkdir(root, { recursive: true });
  await Deno.chmod(root, 0o755);
  for (const entries of layers) await writeTree(root, entries);
  return image && await writeImage(image.archive, { root, layers, facts: image.facts });
}

async function factsOf(version: string, revision: string | undefined): Promise<ImageFacts> {
  const architecture = Deno.build.arch === "aarch64" ? "arm64" : "amd64";
  const epochSeconds = Deno.env.get("SOURCE_DATE_EPOCH") ?? await git("log", "-1", "--format=%ct") ?? "0";
  if (!/^\d+$/.test(epochSeconds)) {
    throw new Error(`SOURCE_DATE_EPOCH must be seconds: current value is ${epochSeconds}`);
  }
  return {
    name: configuration.name,
    version,
    revision: revision ?? await git("rev-parse", "HEAD"),
    addresses: Deno.env.has("REPOSITORY_URL") ? addressesOf(Deno.env) : undefined,
    created: new Date(Number(epochSeconds) * 1000).toISOString().replace(".000Z", "Z"),
    architecture,
  };
}

/** What git says about this folder; undefined where it knows nothing, as in an unpacked archive. */
async function git(...args: string[]): Promise<string | undefined> {
  const command = new Deno.Command("git", { args, cwd: new URL("..", import.meta.url), stderr: "null" });
  const result = await command.output().catch(() => undefined);
  return result?.success ? new TextDecoder().decode(result.stdout).trim() : undefined;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      binary: { type: "string", default: "dist/cronjob-controller" },
      root: { type: "string", default: "dist/rootfs" },
      image: { type: "string", default: "dist/image.tar" },
      version: { type: "string", default: configuration.version },
      revision: { type: "string" },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    console.log(USAGE);
    Deno.exit(0);
  }
  const { binary, root, image: archive } = values;
  const image = archive === "" ? undefined : { archive, facts: await factsOf(values.version, values.revision) };
  const built = await buildRootfs({ binary, root, image });
  console.log(`root file system  ${root}`);
  if (built) {
    console.log(`image             ${archive}`);
    for (const { digest } of built.layers) console.log(`layer             ${digest}`);
    console.log(`digest            ${built.digest}`);
  }
}
