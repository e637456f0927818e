import { assert, assertThrows } from "@std/assert";
import { ContainerConfigError } from "../../../src/kubelet/inputs/config_error.ts";
import { hostSource } from "../../../src/kubelet/engine/host_paths.ts";
import { temporaryFolder } from "../../support/program.ts";
import { test } from "../../support/test.ts";

function check(path: string, allowed: string): void {
  hostSource({ name: "h", hostPath: { path, type: "DirectoryOrCreate" } }, [allowed]);
}

test("A directory that a hostPath makes is made under what is allowed, which need not be there either", async () => {
  await using folder = await temporaryFolder();
  const { path } = folder;
  check(`${path}/jobs/a/b`, `${path}/jobs`);
  assert(Deno.statSync(`${path}/jobs/a/b`).isDirectory);
  Deno.mkdirSync(`${path}/elsewhere`);
  Deno.symlinkSync(`${path}/elsewhere`, `${path}/jobs/out`);
  Deno.symlinkSync(`${path}/nowhere`, `${path}/jobs/broken`);
  Deno.symlinkSync(`${path}/jobs`, `${path}/in`);
  check(`${path}/in/c`, `${path}/in`);
  assert(Deno.statSync(`${path}/jobs/c`).isDirectory);
  assertThrows(() => check(`${path}/jobs/out/c`, `${path}/jobs`), ContainerConfigError, "does not exist");
  assertThrows(() => check(`${path}/jobs/../elsewhere/c`, `${path}/jobs`), ContainerConfigError, "does not exist");
  assertThrows(() => check(`${path}/jobs/broken/c`, `${path}/jobs`), Error);
  assert([...Deno.readDirSync(`${path}/elsewhere`)].length === 0);
  assertThrows(() => Deno.statSync(`${path}/nowhere`), Deno.errors.NotFound);
});
