import { assert, assertEquals } from "@std/assert";
import { test } from "../support/test.ts";

const ROOT = new URL("../..", import.meta.url);

interface Module {
  specifier: string;
  dependencies?: { specifier: string; isDynamic?: boolean; code?: { specifier?: string } }[];
}

/** What is evaluated as the program starts, whatever it is to do: everything but what `import()` names. */
async function loadedAtStart(): Promise<string[]> {
  const args = ["info", "--json", "main.ts"];
  const { stdout } = await new Deno.Command(Deno.execPath(), { args, cwd: ROOT.pathname }).output();
  const { roots, modules } = JSON.parse(new TextDecoder().decode(stdout)) as { roots: string[]; modules: Module[] };
  const byName = new Map(modules.map((module) => [module.specifier, module]));
  const loaded = new Set<string>();
  const follow = (specifier: string) => {
    if (loaded.has(specifier)) return;
    loaded.add(specifier);
    for (const { isDynamic, code } of byName.get(specifier)?.dependencies ?? []) {
      if (!isDynamic && code?.specifier) follow(code.specifier);
    }
  };
  roots.forEach(follow);
  return [...loaded].map((specifier) => specifier.replace(ROOT.href, ""));
}

test("the program starts with its flags alone; what a command works with is loaded when it runs", async () => {
  const loaded = await loadedAtStart();
  const libraries = loaded.filter((specifier) => /^(npm|node|jsr|https?):/.test(specifier));
  assertEquals(libraries.map((library) => library.replace(/^npm:\/?(.+)@.*$/, "npm:$1")).sort(), [
    "node:path",
    "node:process",
    "npm:commander",
  ]);
  assert(loaded.includes("src/cli/standalone/command.ts"), "the test has stopped seeing the modules");
  const working =
    /^src\/(apiserver|kubelet|cli\/\w+\/run\.ts|lint|cronjob\/adoption)|^src\/(cronjob|job|runtime)\/(controller|reconcile|manager)\.ts$/;
  assertEquals(loaded.filter((specifier) => working.test(specifier)), []);
});
