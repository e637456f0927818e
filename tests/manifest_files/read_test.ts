import { assertEquals, assertRejects } from "@std/assert";
import { ManifestFileError } from "../../src/manifest_files/manifest_file_error.ts";
import { type Manifests, noManifests, parseManifests } from "../../src/manifest_files/parse.ts";
import { readManifests } from "../../src/manifest_files/read.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";

const CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

function namesIn({ manifests }: Manifests): string[] {
  return manifests.map(({ object }) => object.metadata.name);
}

test("parseManifests() reads documents, lists and JSON, and passes over empty documents", () => {
  const names = (text: string) => {
    const read = noManifests();
    parseManifests(text, "f", read);
    assertEquals(read.faults, []);
    return namesIn(read);
  };
  assertEquals(names(`---\n${CONFIG_MAP}---\n# nothing\n---\n${CONFIG_MAP}`), ["a", "a"]);
  assertEquals(
    names(
      JSON.stringify({
        apiVersion: "v1",
        kind: "List",
        items: [{ apiVersion: "v1", kind: "Pod", metadata: { name: "p" } }],
      }),
    ),
    ["p"],
  );
  assertEquals(names(""), []);
});

async function folderOfManifests() {
  const folder = await temporaryFolder();
  const write = (name: string, text: string) => Deno.writeTextFile(`${folder.path}/${name}`, text);
  await write("b.yaml", CONFIG_MAP.replace("a}", "second}"));
  await write("a.yml", CONFIG_MAP.replace("a}", "first}"));
  await write("notes.txt", "not a manifest");
  for (const name of ["sub.yaml", "node_modules", ".git"]) {
    await Deno.mkdir(`${folder.path}/${name}`);
    await write(`${name}/c.json`, JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name } }));
  }
  return folder;
}

test("readManifests() reads the manifests of a folder by name, and nothing else in it", async () => {
  await using folder = await folderOfManifests();
  assertEquals(namesIn(await readManifests([folder.path], { recursive: false })), ["first", "second"]);
});

test("readManifests() reads the manifests below a folder that speak of what is wanted", async () => {
  await using folder = await folderOfManifests();
  assertEquals(namesIn(await readManifests([folder.path], { recursive: true })), ["first", "second", "sub.yaml"]);
  assertEquals(namesIn(await readManifests([folder.path], { recursive: true, mentions: "Pod" })), ["sub.yaml"]);
});

test("readManifests() says of which path nothing can be read", async () => {
  await assertRejects(
    () => readManifests(["/none.yaml"], { recursive: false }),
    ManifestFileError,
    "Cannot read manifest /none.yaml: no such file or folder",
  );
});

test("readManifests() reads UTF-16 as its first bytes say, as PowerShell writes it", async () => {
  await using folder = await temporaryFolder();
  const text = CONFIG_MAP.replaceAll("\n", "\r\n").replace("a}", "é}");
  for (const [name, isLittle] of [["le.yaml", true], ["be.yaml", false]] as const) {
    const view = new DataView(new ArrayBuffer(2 * text.length + 2));
    [..."\ufeff" + text].forEach((unit, i) => view.setUint16(2 * i, unit.charCodeAt(0), isLittle));
    await Deno.writeFile(`${folder.path}/${name}`, new Uint8Array(view.buffer));
    assertEquals(namesIn(await readManifests([`${folder.path}/${name}`], { recursive: false })), ["é"]);
  }
});
