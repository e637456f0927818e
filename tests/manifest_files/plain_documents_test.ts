import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { stringify } from "yaml";
import { plainDocuments } from "../../src/manifest_files/plain_documents.ts";
import { type YamlDocument, yamlDocuments } from "../../src/manifest_files/yaml_documents.ts";
import { must } from "../support/expected.ts";
import { anyText } from "../support/any_text.ts";
import { test } from "../support/test.ts";

function valuesOf(documents: readonly YamlDocument[]): unknown[] {
  return documents.map((document) => document.kind === "value" ? document.value : document.reason);
}

const SCALARS =
  "~ null Null NULL nil true True yes Yes YES y n on off No 0 -0 +1 0644 0o644 08 0x1F -0b11 1_000 1:30 12:30:45 1:30.5 " +
  "2026-03-01 2026-03-01T00:00:00Z 1. .5 -1.5e3 1e3 1.e+3 .inf -.INF .nan 1.2.3 100m 128Mi 1e 12345678901234567890 << = -- a#b";

const TEXTS: Readonly<Record<string, string>> = {
  "blocks and multi-line texts":
    "a: |\n  x\n   y\n\n  z\nb: >-\n  one\n  two\n\n   three\nc: \"1\\n\\u00e9\n  d\"\nd: 'it''s'\ne: one\n  two\nf: |+\n  x\n\n",
  "flow collections": '{a: [1, {b: c}, \'d\', "e"], f: {}, g: [], "h":i}',
  "comments and several documents":
    "# one\na: 1 # two\n---\n# nothing\n---\n- 1\n-\n- - 2\n  - b: 3\n...\n---\nplain\n",
  "carriage returns": "a: 1\r\nb:\r\n  - c\r\n  - |\r\n    d\r\n",
  "indentless lists": "a:\n- b: 1\n  c: 2\n- d\ne: 3\n",
  "JSON": JSON.stringify({ a: [1, -2.5, true, null, "x: y # z", { "b c": '\u2028\n\t"' }] }, null, 2),
  "nothing": "",
};

test("a plain text without quotes stands for what it does to kubectl", () => {
  for (const scalar of SCALARS.split(" ")) {
    const text = `key: ${scalar}\n`;
    assertEquals([scalar, valuesOf(plainDocuments(text)!)], [scalar, valuesOf(yamlDocuments(text))]);
  }
});

test("plain documents are read as by the reader of all YAML, and their fields found where they stand", () => {
  for (const [name, text] of Object.entries(TEXTS)) {
    const plain = plainDocuments(text);
    const thorough = yamlDocuments(text);
    assert(plain, name);
    assertEquals(valuesOf(plain), valuesOf(thorough), name);
    plain.forEach((document, i) => {
      const other = must(thorough[i]);
      assert(document.kind === "value" && other.kind === "value");
      for (const path of [[], ["a"], ["a", 0, "b"], ["e"], ["none"]]) {
        assertEquals(document.position(path), other.position(path), name);
      }
    });
  }
});

test("what is more than plain, or at fault, is left to the reader of all YAML", () => {
  const texts = [
    "a: &x 1\nb: *x\n",
    "a: !!str 1\n",
    "%YAML 1.2\n---\na: yes\n",
    "a: 1\na: 2\n",
    "a: [1\n",
    "a: b: c\n",
    ": no key\n",
    "a: 1\r  b: 2\n",
    "1: number\n",
    "<<: {a: 1}\n",
    "a: 1\n---\nb: {\n",
  ];
  for (const text of texts) assertEquals(plainDocuments(text), undefined, text);
});

test("random manifests are read alike, however they are written", () => {
  const text = fc.oneof(
    fc.string(),
    anyText(),
    fc.constantFrom(...SCALARS.split(" "), "* * * * *"),
  );
  const { map } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, text, fc.integer(), fc.boolean(), tie("list"), tie("map")),
    list: fc.array(tie("value"), { maxLength: 4 }),
    map: fc.dictionary(text, tie("value"), { maxKeys: 4 }),
  }));
  const style = fc.record({
    indentSeq: fc.boolean(),
    collectionStyle: fc.constantFrom("any" as const, "flow" as const),
    lineWidth: fc.constantFrom(0, 20, 80),
    defaultStringType: fc.constantFrom("PLAIN" as const, "QUOTE_SINGLE" as const, "BLOCK_FOLDED" as const),
  });
  fc.assert(
    fc.property(map, style, (value, style) => {
      const text = stringify(value, { version: "1.1", ...style });
      const plain = plainDocuments(text);
      if (plain) assertEquals(valuesOf(plain), valuesOf(yamlDocuments(text)));
    }),
    { numRuns: 100 },
  );
});
