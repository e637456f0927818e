// Requests for runs of the past that are wrong, too large, changed or taken back.
import { assert, assertEquals } from "@std/assert";
import { BACKFILL } from "../../src/cronjob/api/annotations.ts";
import { FLAVOURS } from "../../src/cronjob/api/flavour.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { countsOf, progressOf, REQUEST, runOut, startingWith } from "./support/backfilling.ts";
import { Starting } from "./support/starting.ts";

const BAD: readonly (readonly [annotation: string, message: string])[] = [
  ["{", "must be JSON, such as {"],
  ["[]", "must be an object, such as {"],
  ["null", "must be an object, such as {"],
  ['{"id":"a","from":"2026-03-10T06:00:00Z"}', "to must be a time such as 2026-01-02T03:04:05Z"],
  [
    '{"id":"a","from":"yesterday","to":"2026-03-10T09:00:00Z"}',
    "from must be a time such as 2026-01-02T03:04:05Z",
  ],
  [JSON.stringify({ ...REQUEST, to: REQUEST.from }), "to must be after from, current values are"],
  [JSON.stringify({ ...REQUEST, id: "" }), "id must be a text of 1 to 63 characters"],
  [JSON.stringify({ ...REQUEST, id: 7 }), "id must be a text of 1 to 63 characters"],
  [JSON.stringify({ ...REQUEST, id: "a b" }), "id must have letters, digits, '-', '_' or '.'"],
  [JSON.stringify({ ...REQUEST, from: "1969-01-01T00:00:00Z" }), "from must be a time from 1970 on"],
  [JSON.stringify({ ...REQUEST, reprocess: "some" }), "reprocess must be one of missing, failed, all"],
  [JSON.stringify({ ...REQUEST, maxActive: 0 }), "maxActive must be a whole number, 1 to 100"],
  [JSON.stringify({ ...REQUEST, maxActive: 101 }), "maxActive must be a whole number, 1 to 100"],
  [JSON.stringify({ ...REQUEST, maxSlots: 1.5 }), "maxSlots must be a whole number, 1 to 100000"],
  [JSON.stringify({ ...REQUEST, reverse: "no" }), "reverse must be true or false"],
  [JSON.stringify({ ...REQUEST, until: 1 }), "unknown field until: id, from, to, reprocess,"],
];

for (const [text, expected] of BAD) {
  test(`A request that says ${text} is ignored, and why is said: ${expected}`, async () => {
    const s = new Starting({ spec: { schedule: "0 * * * *" }, annotations: { [BACKFILL]: text } });
    await s.comeToRest();
    assertEquals(s.slots(), [], text);
    assertEquals(s.events.length, 1, text);
    const start = `InvalidBackfill: annotation ${BACKFILL} is ignored: ${expected}`;
    assert(must(s.events[0]).startsWith(start), `${s.events[0]} does not start with ${start}`);
  });
}

for (const flavour of FLAVOURS) {
  const name = flavour.controllerName;

  test(`A back-fill of too many times is refused, and the refusal of a larger one asks to name them (${name})`, async () => {
    const s = startingWith(flavour, { from: "2026-01-10T00:00:00Z" });
    await s.comeToRest();
    assertEquals([progressOf(s)?.state, progressOf(s)?.message, s.slots()], [
      "Refused",
      "There are more scheduled times than maxSlots allows: 1000",
      [],
    ]);
    s.ask({ ...REQUEST, id: "b", from: "2026-01-10T00:00:00Z", maxSlots: 1_425 });
    await s.comeToRest();
    assertEquals([progressOf(s)?.state, s.slots()], ["Running", ["01-10 00:00"]]);
  });

  test(`A back-fill ends when its request is taken away, and its Jobs go on (${name})`, async () => {
    const s = startingWith(flavour);
    await s.comeToRest();
    if (flavour.extrasIn === "spec") s.edit({ spec: { backfill: null } });
    else s.edit({ metadata: { annotations: { [BACKFILL]: null } } });
    await s.comeToRest();
    assertEquals([progressOf(s)?.state, s.server.jobs.size], ["Cancelled", 1]);
    await runOut(s);
    assertEquals(s.slots(), ["06:00"]);
    assert(s.events.some((event) => event.startsWith("BackfillCancelled: Back-fill a was cancelled: 0 succeeded")));
  });

  test(`The range of a back-fill stays as it was when it began (${name})`, async () => {
    const s = startingWith(flavour, {}, { spec: { successfulJobsHistoryLimit: 0 } });
    await s.comeToRest();
    s.finish("06:00");
    await s.comeToRest();
    s.ask({ ...REQUEST, to: "2026-03-10T07:30:00Z", reverse: true });
    s.boot();
    await runOut(s);
    assertEquals(s.slots(), ["06:00", "07:00", "08:00"]);
    assertEquals(countsOf(s), { state: "Completed", slots: 3, succeeded: 3, failed: 0, gone: 0, skipped: 0 });
    assert(
      s.events.some((event) => event.startsWith("InvalidBackfill: from, to and reverse of a back-fill that has begun")),
    );
  });

  test(`A back-fill holds while its request can't be read (${name})`, async () => {
    const s = startingWith(flavour);
    await s.comeToRest();
    s.ask({ ...REQUEST, maxActive: 500 });
    s.finish("06:00");
    await s.comeToRest();
    assertEquals([progressOf(s)?.state, s.slots()], ["Running", ["06:00"]]);
    s.ask({ ...REQUEST, maxActive: 1 });
    await runOut(s);
    assertEquals([progressOf(s)?.state, s.slots().length], ["Completed", 3]);
  });
}
