import { assertEquals } from "@std/assert";
import { killMarked } from "../../../src/kubelet/process/marked_processes.ts";
import { test } from "../../support/test.ts";

const MODULE = import.meta.resolve("../../../src/kubelet/process/marked_processes.ts");

test("What bears a mark is killed", async () => {
  const mark = crypto.randomUUID();
  const process = new Deno.Command("sleep", { args: ["1000"], env: { MARK: mark }, stdin: "null" }).spawn();
  try {
    assertEquals(killMarked(`MARK=${mark}`), { wasFound: true, problem: undefined });
    assertEquals((await process.status).signal, "SIGKILL");
    assertEquals(killMarked(`MARK=${mark}`).wasFound, false);
  } finally {
    await process.status;
  }
});

test("What may be there and cannot be seen is not taken for ended", async () => {
  const script = `import { killMarked } from "${MODULE}"; console.log(JSON.stringify(killMarked("MARK=none")));`;
  const args = ["run", "--no-check", "--allow-all", "--deny-read=/proc", "-"];
  const process = new Deno.Command(Deno.execPath(), { args, stdin: "piped", stdout: "piped" }).spawn();
  const writer = process.stdin.getWriter();
  await writer.write(new TextEncoder().encode(script));
  await writer.close();
  const said = new TextDecoder().decode((await process.output()).stdout);
  assertEquals(JSON.parse(said), {
    wasFound: false,
    problem: "its processes, if any are left, cannot be seen from here",
  });
});
