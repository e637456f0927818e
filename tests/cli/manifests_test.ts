import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ConfigError } from "../../src/cli/errors.ts";
import { parseManifests, readManifests } from "../../src/cli/manifests.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";

const CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

test("parseManifests() reads documents, lists and JSON, and passes over empty documents", () => {
  const names = (text: string) => parseManifests("f", text).map(({ object }) => object.metadata.name);
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

test("parseManifests() names the file and the fault", () => {
  const faults: [text: string, message: string][] = [
    ["a: [", "Cannot read manifest f: "],
    ["kind: Pod", "every document needs apiVersion and kind"],
    ["just text", "every document needs apiVersion and kind"],
    ["apiVersion: v1\nkind: Pod", "the Pod needs metadata.name"],
  ];
  for (const [text, message] of faults) {
    const error = assertThrows(() => parseManifests("f", text), ConfigError, message);
    assertEquals(error.message.includes("\n"), false);
  }
});

test("readManifests() reads the manifests of a folder by name, and nothing else in it", async () => {
  await using folder = await temporaryFolder();
  const write = (name: string, text: string) => Deno.writeTextFile(`${folder.path}/${name}`, text);
  await write("b.yaml", CONFIG_MAP.replace("a}", "second}"));
  await write("a.yml", CONFIG_MAP.replace("a}", "first}"));
  await write("notes.txt", "not a manifest");
  await Deno.mkdir(`${folder.path}/sub.yaml`);
  assertEquals((await readManifests([folder.path])).map(({ object }) => object.metadata.name), ["first", "second"]);
  await assertRejects(() => readManifests([`${folder.path}/none.yaml`]), ConfigError, "no such file or folder");
});
