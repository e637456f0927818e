import { assertEquals, assertThrows } from "@std/assert";
import { Command } from "commander";
import { CLIENT_OPTIONS, rateLimitOf } from "../../src/cli/controller/client_options.ts";
import { ConfigError } from "../../src/cli/errors.ts";
import { createProgram } from "../../src/cli/main.ts";
import { test } from "../support/test.ts";

function rateLimit(...args: string[]) {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  for (const option of CLIENT_OPTIONS) command.addOption(option);
  return rateLimitOf(command.parse(args, { from: "user" }).opts());
}

test("--kube-api-qps and --kube-api-burst are off by default, and a burst alone is refused with the remedy", () => {
  assertEquals(rateLimit(), { qps: undefined, burst: undefined });
  assertEquals(rateLimit("--kube-api-qps", "0.5"), { qps: 0.5, burst: undefined });
  assertEquals(rateLimit("--kube-api-qps", "20", "--kube-api-burst", "30"), { qps: 20, burst: 30 });
  assertThrows(() => rateLimit("--kube-api-burst", "30"), ConfigError, "give that too, or leave both out");
  for (const bad of ["0", "-1", "many", "1e3", ""]) {
    assertThrows(() => rateLimit("--kube-api-qps", bad), Error, "must be a number above 0");
  }
  for (const bad of ["0", "1.5"]) {
    assertThrows(() => rateLimit("--kube-api-qps", "1", "--kube-api-burst", bad), Error, "must be a whole number");
  }
});

test("an environment variable that Kubernetes sets for a Service is none of the controller's options", () => {
  const command = createProgram().commands.find((command) => command.name() === "controller")!;
  const variables = command.options.map(({ envVar }) => envVar).filter((name) => name !== undefined);
  // The service links of a Service `cjc-x` are CJC_X_SERVICE_HOST, CJC_X_SERVICE_PORT[_NAME], CJC_X_PORT[_80_TCP[_ADDR…]].
  const links = /_SERVICE_(HOST|PORT)(_|$)|_PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?$/;
  assertEquals(variables.filter((name) => links.test(name)), []);
  assertEquals(variables.every((name) => name.startsWith("CJC_")) && variables.length > 15, true, `${variables}`);
});

test("the controller has the tutorial's flags, with the tutorial's defaults", () => {
  const command = createProgram().commands.find((command) => command.name() === "controller")!;
  const defaults = Object.fromEntries(command.options.map((option) => [option.long, option.defaultValue]));
  assertEquals(defaults["--metrics-bind-address"], { port: 8080 });
  assertEquals(defaults["--health-probe-bind-address"], { port: 8081 });
  assertEquals(defaults["--leader-elect"], false);
  assertEquals(defaults["--leader-election-id"], "cronjob-controller");
  assertEquals(defaults["--shutdown-grace"], 10_000);
});
