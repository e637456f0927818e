import { proveThatHandOversAreHarmless, SHORT_LEASE } from "../chaos/hand_overs.ts";
import { test } from "../support/test.ts";

test("four hand-overs double no run, lose none that is to be caught up, and count what is passed over", async () => {
  await proveThatHandOversAreHarmless([
    { endings: ["released", "killed"], args: SHORT_LEASE },
    { endings: ["paused", "released"], args: SHORT_LEASE },
  ]);
});
