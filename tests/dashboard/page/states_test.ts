import { assertEquals } from "@std/assert";
import { MEANINGS, needsSomebody, STATES } from "../../../src/dashboard/page/model/states.js";
import { NEEDS_ATTENTION, STATES as ALL } from "../../../src/view/cron_job_view.ts";
import { test } from "../../support/test.ts";

test("the page knows the states of a view, the worst first, and which need attention", () => {
  assertEquals(STATES, [...ALL]);
  assertEquals(STATES.filter(needsSomebody), [...NEEDS_ATTENTION]);
  assertEquals(Object.keys(MEANINGS), [...ALL]);
});

test("each state has a shape and a colour of its own", async () => {
  const folder = new URL("../../../src/dashboard/page/", import.meta.url);
  const shapes = await Deno.readTextFile(new URL("parts/state_mark.js", folder));
  const colours = await Deno.readTextFile(new URL("style/tokens.css", folder));
  const drawn = STATES.map((state) => new RegExp(`^  ${state}: *\\n? *"([^"]+)"`, "m").exec(shapes)?.[1]);
  assertEquals(new Set(drawn).size, ALL.length);
  assertEquals(drawn.includes(undefined), false);
  const tones = STATES.map((state) => new RegExp(`\\.is-${state}[^{]*\\{\\s*--tone: ([^;]+);`).exec(colours)?.[1]);
  assertEquals(new Set(tones).size, ALL.length);
  assertEquals(tones.includes(undefined), false);
});
