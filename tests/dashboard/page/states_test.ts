import { assertEquals } from "@std/assert";
import { countsOf } from "../../../src/dashboard/page/model/states.ts";
import { NEEDS_ATTENTION, type State, STATES } from "../../../src/view/cron_job_view.ts";
import { test } from "../../support/test.ts";

test("each CronJob is counted once: as in need of attention, running, paused or fine", () => {
  const countsWhere = (needsAttention: (state: State) => boolean) =>
    countsOf(STATES.map((state) => ({ state, needsAttention: needsAttention(state) })));
  const counts = countsWhere((state) => NEEDS_ATTENTION.includes(state));
  assertEquals(counts, { needAttention: 12, running: 1, paused: 2, fine: 2 });
  // Held back or missed for a moment only.
  const calm = countsWhere((state) => NEEDS_ATTENTION.includes(state) && state !== "Blocked" && state !== "Missed");
  assertEquals(calm, { needAttention: 10, running: 2, paused: 2, fine: 3 });
});

test("each state has a shape and a colour of its own", async () => {
  const folder = new URL("../../../src/dashboard/page/", import.meta.url);
  const shapes = await Deno.readTextFile(new URL("parts/state_mark.tsx", folder));
  const colours = await Deno.readTextFile(new URL("style/tokens.css", folder));
  const drawn = STATES.map((state) => new RegExp(`^  ${state}: *\\n? *"([^"]+)"`, "m").exec(shapes)?.[1]);
  assertEquals(new Set(drawn).size, STATES.length);
  assertEquals(drawn.includes(undefined), false);
  const tones = STATES.map((state) => new RegExp(`\\.is-${state}[^{]*\\{\\s*--tone: ([^;]+);`).exec(colours)?.[1]);
  assertEquals(new Set(tones).size, STATES.length);
  assertEquals(tones.includes(undefined), false);
});
