// Building the image's root file system and the image without a container engine. Part of `deno task test:image`.
import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { blobPath } from "../../deploy/image/oci_image.ts";
import { NONROOT, PROGRAM_PATH } from "../../deploy/image/root_entries.ts";
import { librariesNamed } from "../../deploy/image/shared_libraries.ts";
import { outputOf } from "../../deploy/binary/support.ts";
import { buildRootfs } from "../../deploy/rootfs.ts";
import { must } from "../support/expected.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { BINARY, FACTS } from "./support/binary.ts";

test("librariesNamed() takes paths out of what ldd prints", () => {
  const printed = `\tlinux-vdso.so.1 (0x00007ffd3b1f2000)
\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f7b0c4c2000)
\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f7b0c2e1000)
\t/lib64/ld-linux-x86-64.so.2 (0x00007f7b0c5b3000)
`;
  assertEquals(librariesNamed(printed, "p"), [
    "/lib/x86_64-linux-gnu/libc.so.6",
    "/lib/x86_64-linux-gnu/libm.so.6",
    "/lib64/ld-linux-x86-64.so.2",
  ]);
  assertEquals(librariesNamed("\tstatically linked\n", "p"), []);
  assertEquals(
    assertThrows(() => librariesNamed("\tlibz.so.9 => not found\n", "/bin/p")).message,
    "Cannot find the libraries of /bin/p: libz.so.9 is missing on this machine",
  );
});

test("a root file system for what is no program of this machine is refused", async () => {
  await using folder = await temporaryFolder();
  const binary = `${folder.path}/text`;
  await Deno.writeTextFile(binary, "no program");
  const error = await assertRejects(() => buildRootfs({ binary, root: `${folder.path}/root` }));
  assertMatch(error.message, /^Cannot find the libraries of .*\/text: not a dynamic executable$/);
});

test("the root file system holds the program, what it is linked with, and no other program", async () => {
  await using folder = await temporaryFolder();
  const root = `${folder.path}/root`;
  await Deno.mkdir(`${root}/bin`, { recursive: true });
  await Deno.writeTextFile(`${root}/bin/sh`, "of an earlier build");
  await buildRootfs({ binary: BINARY, root });
  const executable: string[] = [];
  for await (const path of filesIn(root)) {
    const { mode } = await Deno.stat(root + path);
    if (mode! & 0o111) executable.push(path);
    assertEquals(mode! & 0o6022, 0, `${path} has mode ${mode!.toString(8)}`);
  }
  assertEquals(executable.filter((path) => !/^\/lib.*\/ld-[^/]*$/.test(path)), [PROGRAM_PATH]);
  assertMatch(await Deno.readTextFile(`${root}/etc/passwd`), new RegExp(`^nonroot:x:${NONROOT}:${NONROOT}:`, "m"));
});

test("two builds of one image are equal, byte by byte", async () => {
  await using folder = await temporaryFolder();
  const build = async (name: string) => {
    const archive = `${folder.path}/${name}.tar`;
    const built = await buildRootfs({
      binary: BINARY,
      root: `${folder.path}/${name}`,
      image: { archive, facts: FACTS },
    });
    return { built: built!, archive };
  };
  const first = await build("first");
  const mask = Deno.umask(0o077);
  const second = await build("second").finally(() => Deno.umask(mask));
  assertEquals(second.built, first.built);
  await outputOf("cmp", [first.archive, second.archive]);
  assertEquals(await Array.fromAsync(Deno.readDir(folder.path), ({ name }) => name).then((names) => names.sort()), [
    "first",
    "first.tar",
    "second",
    "second.tar",
  ]);
});

test("the image's archive is an OCI layout, and what docker load takes, with the right digests", async () => {
  await using folder = await temporaryFolder();
  const archive = `${folder.path}/image.tar`;
  const root = `${folder.path}/root`;
  const { digest, layers } = (await buildRootfs({ binary: BINARY, root, image: { archive, facts: FACTS } }))!;
  const layout = `${folder.path}/layout`;
  await Deno.mkdir(layout);
  await outputOf("tar", ["--extract", "--file", archive, "--directory", layout]);
  const json = async (path: string) => JSON.parse(await Deno.readTextFile(`${layout}/${path}`));

  for await (const { name } of Deno.readDir(`${layout}/blobs/sha256`)) {
    assertEquals((await outputOf("sha256sum", [`${layout}/blobs/sha256/${name}`])).split(" ")[0], name);
  }
  assertEquals(await json("oci-layout"), { imageLayoutVersion: "1.0.0" });
  const index = await json("index.json");
  assertEquals(index.manifests.map(({ digest }: { digest: string }) => digest), [digest]);
  const manifest = await json(blobPath(index.manifests[0]));
  assertEquals(manifest.layers, layers);
  for (const blob of [index.manifests[0], manifest.config, ...manifest.layers]) {
    assertEquals((await Deno.stat(`${layout}/${blobPath(blob)}`)).size, blob.size);
  }
  const config = await json(blobPath(manifest.config));
  assertEquals(config.rootfs.diff_ids, layers.map(({ digest }) => digest));
  assertEquals([config.created, config.architecture, config.os], [FACTS.created, "amd64", "linux"]);
  assertEquals(await json("manifest.json"), [{
    Config: blobPath(manifest.config),
    RepoTags: ["cronjob-controller:1.2.3"],
    Layers: layers.map(blobPath),
  }]);

  const listed = await Promise.all(
    layers.map((layer) =>
      outputOf("tar", ["--list", "--verbose", "--numeric-owner", "--utc", "--file", `${layout}/${blobPath(layer)}`])
    ),
  );
  const lines = listed.flatMap((layer) => layer.split("\n"));
  assert(lines.every((line) => line.includes(" 1970-01-01 00:00 ")), listed.join("\n"));
  const owned = lines.filter((line) => !/^\S+ 0\/0 /.test(line));
  assertEquals(owned.map((line) => line.replaceAll(/\s+/g, " ")), [
    `drwx------ ${NONROOT}/${NONROOT} 0 1970-01-01 00:00 home/nonroot/`,
  ]);
  // An upgrade has to fetch nothing but the program.
  assertEquals(must(listed[1]).split("\n").filter((line) => line.startsWith("-")).length, 1);
});

async function* filesIn(root: string, folder = ""): AsyncGenerator<string> {
  for await (const { name, isDirectory, isFile } of Deno.readDir(root + folder)) {
    if (isDirectory) yield* filesIn(root, `${folder}/${name}`);
    if (isFile) yield `${folder}/${name}`;
  }
}
