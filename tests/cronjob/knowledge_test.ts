import { assertEquals } from "@std/assert";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { KnowledgeBase } from "../../src/cronjob/knowledge/knowledge.ts";
import { ObjectStore } from "../../src/runtime/store.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { at, world } from "./support/world.ts";

test("a decision in which the clock is found to have been ahead rests on no fact of the future", async () => {
  const clock = new FakeClock(at("11:00"));
  const base = new KnowledgeBase({ clock, cronJobs: new ObjectStore() });
  const { cronJob } = world(TUTORIAL, { now: "11:00" });
  const knowledge = base.of(cronJob);
  knowledge.witness.noteDecidedUntil(at("11:00"));
  await clock.jump(-3_600_000);
  assertEquals(base.inputFor(cronJob, knowledge, []).facts?.decidedUntil, at("10:00") - 1_000);
});
