import { assertEquals } from "@std/assert";
import { killMarked } from "../../../src/kubelet/process/marked_processes.ts";
import { test } from "../../support/test.ts";

test("What bears a mark is killed", async () => {
  const mark = crypto.randomUUID();
  const process = new Deno.Command("sleep", { args: ["1000"], env: { MARK: mark }, stdin: "null" }).spawn();
  try {
    killMarked(`MARK=${mark}`);
    assertEquals((await process.status).signal, "SIGKILL");
  } finally {
    await process.status;
  }
});
