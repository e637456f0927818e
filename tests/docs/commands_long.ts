// Every block of the documentation that says `sh run`, as it stands, by bash against a `standalone` of its page.
import { assertEquals } from "@std/assert";
import { programOnPath } from "../cli/support/program_on_path.ts";
import { runProgram, Standalone, temporaryFolder } from "../support/program.ts";
import { runToEnd } from "../support/run_to_end.ts";
import { test } from "../support/test.ts";
import { blocksOf, pages, readPage } from "./support/pages.ts";

const WORLD = new URL("support/world.yaml", import.meta.url).pathname;
/** What a page has the reader apply first. */
const APPLIED: Readonly<Record<string, string>> = {
  "docs/start/workstation.md": new URL("../../deploy/samples", import.meta.url).pathname,
};

for (const page of await pages()) {
  const blocks = blocksOf(await readPage(page)).filter(({ info }) => info === "sh run");
  if (blocks.length === 0) continue;
  test(`the commands in ${page} do what they are for`, async () => {
    await using home = await temporaryFolder();
    await using onPath = await programOnPath();
    const dataDir = `${home.path}/data`;
    await using standalone = await Standalone.start(dataDir, ["--apply", APPLIED[page] ?? WORLD]);
    const env = {
      PATH: onPath.PATH,
      HOME: home.path,
      // The home of Deno's packages stays where it is.
      DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
      KUBECONFIG: standalone.kubeconfig,
      DATA_DIR: dataDir,
      NO_COLOR: "1",
    };
    await Deno.mkdir(`${home.path}/manifests`);
    await Deno.copyFile(WORLD, `${home.path}/manifests/world.yaml`);
    const speaksOfRuns = blocks.some(({ text }) => text.includes("broken"));
    for (const [name, code] of speaksOfRuns ? [["report", 0], ["broken", 1]] as const : []) {
      const ended = await runProgram(["trigger", name, "--follow"], { env });
      assertEquals(ended.code, code, ended.stderr);
    }
    for (const { text, line } of blocks) {
      const { code, stdout, stderr } = await runToEnd(["bash", "-euo", "pipefail", "-c", text], {
        env,
        cwd: home.path,
      });
      assertEquals(code, 0, `${page}:${line}\n${stderr}\n${stdout}`);
    }
  });
}
