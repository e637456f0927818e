import { assertEquals } from "@std/assert";
import { test } from "../support/test.ts";
import { BATCH, Running, TUTORIAL } from "./support/running.ts";

const at = (time: string) => `2026-03-10T${time}Z`;

test("When the clock is set back, what waited or had stopped by the wrong time is looked at again", async () => {
  await using running = await Running.start(at("10:00:30"));
  await running.create(TUTORIAL, { schedule: "@every 10s" });
  await running.create(BATCH, { schedule: "* * * * *" });
  const slots = async () =>
    (await running.jobs()).map(({ metadata }) => metadata.annotations?.[BATCH.scheduledTimeAnnotation])
      .filter((time) => time !== undefined);
  const isReady = async () =>
    (await running.get(TUTORIAL)).status?.conditions?.find(({ type }) => type === "Ready")?.reason;
  await running.until("the first look", async () => await isReady() === "Scheduled");
  running.clock.set(at("11:00:30"));
  await running.until("the stop", async () => await isReady() === "TooManyMissedTimes");
  await running.until("the run ahead", async () => (await slots()).length === 1);
  running.clock.set(at("10:00:58"));
  await running.until("the schedule to be followed again", async () => await isReady() === "Scheduled");
  await running.until("the run of its minute", async () => (await slots()).length === 2);
  assertEquals((await slots()).toSorted(), [at("10:01:00"), at("11:00:00")]);
});
