import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { commitOf, escapeSources, mendTslib, nameCommit, nameImage, putPage } from "../../deploy/binary/bundle.ts";
import { outputFor, TARGETS } from "../../deploy/binary/compile.ts";
import { lastWords } from "../../deploy/binary/support.ts";
import { must } from "../support/expected.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";

const ROOT = new URL("../..", import.meta.url).pathname;

/** Stands for `deno`: writes down how it was called, and fails as `deno compile` does where its host is out of reach. */
const FAKE_DENO = `#!/bin/sh
echo "$* (DENORT_BIN=\${DENORT_BIN-unset})" >>"$CALLS"
case "$*" in *apple*)
  printf '\\033[31merror\\033[0m: Writing deno compile executable\\n\\nCaused by:\\n' >&2
  printf '    0: Setting up base binary.\\n    1: error sending request for url (https://host/denort.zip)\\n    2: dns\\n' >&2
  printf '\\nStack backtrace:\\n   0: <unknown>\\n' >&2
  exit 1
esac
`;

/** Runs the script that compiles, with another `deno` to start and a bundle of its own. */
async function compileWith(args: string[]): Promise<{ code: number; stdout: string; stderr: string; calls: string[] }> {
  await using folder = await temporaryFolder();
  const { path } = folder;
  await Deno.writeTextFile(`${path}/deno`, FAKE_DENO, { mode: 0o755 });
  await Deno.mkdir(`${path}/dist/bundle`, { recursive: true });
  const script = `Object.defineProperty(Deno, "execPath", { value: () => "${path}/deno" });
    const { compileAll } = await import("${ROOT}deploy/binary/compile.ts");
    Deno.chdir("${path}");
    Deno.exit(await compileAll(${JSON.stringify(args)}));`;
  await Deno.writeTextFile(`${path}/run.ts`, script);
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--no-config", `${path}/run.ts`],
    env: { CALLS: `${path}/calls`, DENORT_BIN: "/denort" },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  const calls = await Deno.readTextFile(`${path}/calls`).catch(() => "");
  return { code, stdout: text(stdout), stderr: text(stderr), calls: calls.trim().split("\n").filter((line) => line) };
}

test("compile:all asks for every target, and a failure is one line that hides no other", async () => {
  const { code, stdout, stderr, calls } = await compileWith(["--all"]);
  assertEquals(calls.length, TARGETS.length);
  for (const [index, target] of TARGETS.entries()) {
    assertMatch(
      must(calls[index]),
      new RegExp(`^compile --target ${target} .* --output ${outputFor(target)} dist/bundle/main`),
    );
    // It is a program of this machine, and of no other.
    const denort = target === Deno.build.target ? "/denort" : "unset";
    assertMatch(must(calls[index]), new RegExp(`DENORT_BIN=${denort}\\)$`));
  }
  const because = "Setting up base binary: error sending request for url (https://host/denort.zip)";
  assertEquals(stderr.trim().split("\n"), [
    `Cannot compile for x86_64-apple-darwin: ${because}`,
    `Cannot compile for aarch64-apple-darwin: ${because}`,
  ]);
  assertEquals(stdout.trim().split("\n").length, 3);
  assertMatch(stdout, /^dist\/cronjob-controller-x86_64-pc-windows-msvc\.exe$/m);
  assertEquals(code, 1);
});

test("compile makes dist/cronjob-controller for this machine, and knows no other words than targets", async () => {
  const { code, stdout, calls } = await compileWith([]);
  assertEquals([code, stdout.trim(), calls.length], [0, "dist/cronjob-controller", 1]);
  const wrong = await compileWith(["riscv"]);
  assertEquals([wrong.code, wrong.calls.length], [2, 0]);
  assertMatch(wrong.stderr, /^riscv is none of --all, x86_64-unknown-linux-gnu, [^\n]+\n$/);
});

test("the commit is named in exactly one place of the bundle", async () => {
  await using folder = await temporaryFolder();
  const { path } = folder;
  await Deno.writeTextFile(`${path}/main.js`, 'import "./chunk.js";');
  await Deno.writeTextFile(`${path}/chunk.js`, 'var COMMIT = "dev";\n');
  await nameCommit(path, "0123abcd-dirty");
  assertEquals(await Deno.readTextFile(`${path}/chunk.js`), 'var COMMIT = "0123abcd-dirty";\n');
  await Deno.writeTextFile(`${path}/chunk.js`, 'var o="dev";var i=["dev"],e=o==="dev"?1:2;');
  await nameCommit(path, "0123abcd");
  assertEquals(await Deno.readTextFile(`${path}/chunk.js`), 'var o="0123abcd";var i=["dev"],e=o==="dev"?1:2;');
  await assertRejects(() => nameCommit(path, "0123abcd"), Error, "the bundle has 0 places");
  await assertRejects(() => nameCommit(path, '"; evil()'), Error, "Cannot name the commit");
});

test("the image of a release takes its place in the bundle, where there is one", async () => {
  await using folder = await temporaryFolder();
  const chunk = `${folder.path}/install.js`;
  await Deno.writeTextFile(chunk, 'var RELEASED_IMAGE = "no release";');
  const release = new Map([["IMAGE_REPOSITORY", "registry.example/it"], ["IMAGE_DIGEST", "sha256:abc"]]);
  await nameImage(folder.path, new Map([["IMAGE_REPOSITORY", "registry.example/it"]]));
  assertEquals(await Deno.readTextFile(chunk), 'var RELEASED_IMAGE = "no release";');
  await nameImage(folder.path, release);
  assertEquals(await Deno.readTextFile(chunk), 'var RELEASED_IMAGE = "registry.example/it@sha256:abc";');
  await assertRejects(() => nameImage(folder.path, release), Error, "the bundle has 0 places");
});

test("the files of the page are put in place of the text that stands for them", async () => {
  await using folder = await temporaryFolder();
  const chunk = `${folder.path}/built_page.js`;
  await Deno.writeTextFile(chunk, 'var BUILT = "files of the page";');
  await putPage(folder.path, { "/": { type: "text/html", text: '$& "a"' } });
  assertEquals(await Deno.readTextFile(chunk), 'var BUILT = {"/":{"type":"text/html","text":"$& \\"a\\""}};');
});

test("the commit is git's, unless the environment names it or there is no git", async () => {
  await using folder = await temporaryFolder();
  const env = (value?: string) => ({ get: () => value });
  assertEquals(await commitOf(folder.path, env("0123abcd")), "0123abcd");
  assertEquals(await commitOf(folder.path, env()), "unknown");
  const git = async (...args: string[]) => {
    const command = ["-C", folder.path, "-c", "user.name=a", "-c", "user.email=a@b", ...args];
    const { success } = await new Deno.Command("git", { args: command, stdout: "null" }).output();
    assertEquals(success, true, args.join(" "));
  };
  await git("init", "--quiet");
  await Deno.writeTextFile(`${folder.path}/a`, "a");
  await git("add", "a");
  await git("commit", "--quiet", "--message", "a");
  assertMatch(await commitOf(folder.path, env()), /^[0-9a-f]{12}$/);
  await Deno.writeTextFile(`${folder.path}/a`, "b");
  assertMatch(await commitOf(folder.path, env()), /^[0-9a-f]{12}-dirty$/);
});

test("lastWords() finds the error in what Deno prints", () => {
  assertEquals(lastWords("\x1b[33mWarning\x1b[0m old\n\x1b[31merror\x1b[0m: no such\n  file\n"), "no such file");
  assertEquals(lastWords(""), "it said nothing");
});

test("the bundle is plain ASCII, and says the same", async () => {
  await using folder = await temporaryFolder();
  const file = `${folder.path}/a.js`;
  await Deno.writeTextFile(file, 'export const said = "… – \u{1F600} é";\nexport const found = /[–—]|…/u.test("…");\n');
  await escapeSources(folder.path);
  assertMatch(await Deno.readTextFile(file), /^[\x20-\x7e\n]*$/);
  assertEquals({ ...await import(`file://${file}`) }, { said: "… – \u{1F600} é", found: true });
  await Deno.writeTextFile(file, "export const odd = /\\–/;");
  await assertRejects(() => escapeSources(folder.path), Error, "Cannot escape a.js");
});

test("what is compiled can collect garbage when the program asks for it", async () => {
  const { calls } = await compileWith(["--all"]);
  assertEquals(calls.filter((call) => !/ --v8-flags=\S*--expose-gc(,| )/.test(call)), []);
});

test("what imports tslib finds it, with a default export and without", async () => {
  await using folder = await temporaryFolder();
  await Deno.writeTextFile(`${folder.path}/a.js`, "const { __extends } = import_tslib2.default, x = 'import_tslib';\n");
  await mendTslib(folder.path);
  const mended = "const { __extends } = (import_tslib2.default ?? import_tslib2), x = 'import_tslib';\n";
  assertEquals(await Deno.readTextFile(`${folder.path}/a.js`), mended);
});
