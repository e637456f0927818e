import { assert, assertEquals } from "@std/assert";
import { annotations } from "../../docs/generate/annotations.ts";
import { REFERENCE, referencePages } from "../../docs/generate/write.ts";
import * as names from "../../src/cronjob/api/annotations.ts";
import { SETTING_ANNOTATIONS } from "../../src/cronjob/api/annotation_settings.ts";
import { CONDITIONS, NORMAL_EVENTS, WARNING_EVENTS } from "../../src/cronjob/api/reasons.ts";
import { EXTRA_SPEC_FIELDS } from "../../src/cronjob/api/spec_fields.ts";
import { STATES } from "../../src/view/cron_job_view.ts";
import { filesBelow } from "../support/files_below.ts";
import { test } from "../support/test.ts";

const ROOT = new URL("../../", import.meta.url);

test("docs/reference holds what the code says, and nothing else", async () => {
  const found: Record<string, string> = {};
  for await (const { name } of Deno.readDir(REFERENCE)) found[name] = await Deno.readTextFile(new URL(name, REFERENCE));
  assertEquals(found, Object.fromEntries([...await referencePages()].sort()), "Run deno task manifests");
});

test("every annotation that the code knows is listed, and no other", () => {
  const known = [...Object.values(names).filter((name) => name.includes("/")), ...SETTING_ANNOTATIONS];
  const listed = Object.keys(annotations());
  assert(known.length > 20, `${known.length}`);
  assertEquals(known.filter((name) => !listed.includes(name)), []);
  assertEquals(listed.filter((name) => name.startsWith(`${names.PREFIX}/`) && !known.includes(name)), [
    // A flavour of its own names it.
    "cronjob-controller.dev/scheduled-at",
  ]);
});

test("every reason of Events and conditions that is listed is used", async () => {
  const reasons = [NORMAL_EVENTS, WARNING_EVENTS, ...Object.values(CONDITIONS).map(({ reasons }) => reasons)];
  const names = reasons.flatMap((table) => Object.keys(table));
  assertEquals(await unusedOf(names, { besides: "reasons.ts", written: (name) => `"${name}"` }), []);
});

test("every field of the CRDs' spec is read", async () => {
  const names = Object.keys(EXTRA_SPEC_FIELDS);
  assertEquals(await unusedOf(names, { besides: "spec_fields.ts", written: (name) => `.${name}` }), []);
});

/** Returns which names no file of the CronJob controller has, but that in which they are listed. */
async function unusedOf(
  names: readonly string[],
  { besides, written }: { readonly besides: string; readonly written: (name: string) => string },
): Promise<string[]> {
  const unused = new Set(names);
  for await (const path of filesBelow(new URL("src/cronjob", ROOT).pathname)) {
    if (path.endsWith(`/${besides}`)) continue;
    const text = await Deno.readTextFile(path);
    for (const name of unused) if (text.includes(written(name))) unused.delete(name);
  }
  return [...unused];
}

test("the states of CronJobs are explained, the worst first", async () => {
  const text = await Deno.readTextFile(new URL("docs/how-to/find-what-is-wrong.md", ROOT));
  const listed = [...text.matchAll(/^\| `([A-Z]\w+)` +\|/gm)].map(([, state]) => state);
  assertEquals(listed, [...STATES]);
});
