import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { NONROOT, PROGRAM_PATH } from "../../../deploy/image/root_entries.ts";
import { must } from "../../support/expected.ts";

/** What this machine's `/proc` says about a process, by the names of its fields. */
async function statusOf(pid: number): Promise<Record<string, string>> {
  const lines = (await Deno.readTextFile(`/proc/${pid}/status`)).trimEnd().split("\n");
  return Object.fromEntries(lines.map((line) => line.split(/:\s+/, 2)));
}

/** Mount points that a process sees and could write to. */
async function writableMounts(pid: number): Promise<string[]> {
  const lines = (await Deno.readTextFile(`/proc/${pid}/mountinfo`)).trimEnd().split("\n").map((line) =>
    line.split(" ")
  );
  return lines.filter(([, , , , , options = ""]) => !options.split(",").includes("ro")).map(([, , , , path = ""]) =>
    path
  );
}

async function* directoriesIn(path: string): AsyncGenerator<string> {
  yield path;
  for await (const entry of Deno.readDir(path)) {
    if (entry.isDirectory && !["proc", "pts"].includes(entry.name)) yield* directoriesIn(`${path}/${entry.name}`);
  }
}

/** Fails unless process 1 of a container has no rights, and nothing to write to. */
export async function assertLockedIn(pid: number): Promise<void> {
  const status = await statusOf(pid);
  assertStringIncludes(await Deno.readLink(`/proc/${pid}/exe`), PROGRAM_PATH);
  const inside = status.NSpid?.split("\t").at(-1);
  assertEquals(inside, "1", "it is process 1 of its container");
  if (Deno.uid() === 0) {
    assertEquals(status.Uid, Array(4).fill(NONROOT).join("\t"));
    assertEquals(status.Gid, Array(4).fill(NONROOT).join("\t"));
    assertEquals(status.Groups?.trim(), "");
  }
  assert(!must(status.Uid).split("\t").includes("0"), `it runs as ${status.Uid}`);
  for (const set of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"]) {
    assertEquals(status[set], "0000000000000000", set);
  }
  assertEquals(status.NoNewPrivs, "1");

  const writable = await writableMounts(pid);
  // Devices, and the kernel's own files, which check who writes.
  assertEquals(writable.filter((path) => !/^\/(proc|dev\/\w+)$/.test(path)), []);
  // Not even root outside, whom no mode keeps out, can write there.
  let tried = 0;
  for await (const directory of directoriesIn(`/proc/${pid}/root`)) {
    const error = await Deno.writeTextFile(`${directory}/written`, "").then(() => undefined, (error: Error) => error);
    assertMatch(`${error?.message}`, /Read-only file system/, directory);
    tried++;
  }
  assert(tried > 15, `only ${tried} directories were tried`);
}
