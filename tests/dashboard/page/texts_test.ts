import { assertEquals } from "@std/assert";
import { TEXTS } from "../../../src/dashboard/page/actions/texts.ts";
import { test } from "../../support/test.ts";
import { row } from "../browser/support/sample_fleet.ts";

test("a run by hand is said to be held back by active runs only where this program's controller starts it", () => {
  const ours = row({
    name: "a",
    state: "Waiting",
    runner: { by: "cronjob-controller", leads: "yes", why: "it leads" },
  });
  const theirs = row({ name: "b", state: "Waiting", runner: { by: "kube-controller-manager", why: "not adopted" } });
  const isHeld = (...rows: (typeof ours)[]) => TEXTS.run.means(rows).includes("Active runs may hold it back");
  assertEquals([isHeld(ours), isHeld(theirs), isHeld(ours, theirs)], [true, false, true]);
});

test("the next run is said to start after the deletion of a Job only where it waits", () => {
  const means = (state: "Blocked" | "Pending") => TEXTS["delete-job"].means([row({ name: "a", state })]);
  assertEquals([means("Blocked"), means("Pending")].map((text) => text.includes("the next run can start")), [
    true,
    false,
  ]);
});

test("a resumption promises of runs that came due meanwhile what settings allow", () => {
  assertEquals(
    TEXTS.resume.means([]),
    "The schedule is followed again. Runs that came due meanwhile start as far as catchUp, onResume and the deadline allow.",
  );
});
