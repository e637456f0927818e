import { assertEquals, assertThrows } from "@std/assert";
import { Command } from "commander";
import { ConfigError } from "../../src/cli/errors.ts";
import { LEADERSHIP_OPTIONS, leaseTimingsOf } from "../../src/cli/controller/leadership_options.ts";
import { test } from "../support/test.ts";

function timings(...args: string[]) {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  for (const option of LEADERSHIP_OPTIONS) command.addOption(option);
  return leaseTimingsOf(command.parse(args, { from: "user" }).opts());
}

test("a lease's timings are client-go's unless they are given", () => {
  assertEquals(timings(), { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 });
  const given = ["--leader-elect-lease-duration", "1m", "--leader-elect-renew-deadline=40s"];
  assertEquals(timings(...given, "--leader-elect-retry-period", "500ms"), {
    leaseDurationMs: 60_000,
    renewDeadlineMs: 40_000,
    retryPeriodMs: 500,
  });
});

test("timings of a lease that leave no room for each other are refused, with both values", () => {
  assertThrows(
    () => timings("--leader-elect-lease-duration", "10"),
    ConfigError,
    "--leader-elect-renew-deadline 10s must be shorter than --leader-elect-lease-duration 10s",
  );
  assertThrows(
    () => timings("--leader-elect-retry-period", "9s"),
    ConfigError,
    "--leader-elect-retry-period 9s, times 1.2, must be shorter than --leader-elect-renew-deadline 10s",
  );
  for (const bad of ["0", "-5s", "soon"]) {
    assertThrows(() => timings("--leader-elect-lease-duration", bad), Error, "must be seconds or a duration");
  }
});
