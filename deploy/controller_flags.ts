import type { Option } from "commander";
import { createProgram } from "../src/cli/main.ts";
import type { Schema } from "../src/manifests/helm/values.ts";

/** What the chart says itself, its roles do not allow, or a Pod has no use for. */
const NOT_FOR_USERS = [
  "api",
  "context",
  "dashboard-bind-address",
  "dashboard-tls-cert-file",
  "dashboard-tls-key-file",
  "health-probe-bind-address",
  "jobs",
  "kubeconfig",
  "leader-elect",
  "leader-election-id",
  "leader-election-namespace",
  "managed-only",
  "metrics-bind-address",
  "namespace",
  "never-twice",
  "notify-form",
  "notify-secret-file",
  "notify-webhook",
  "pending-timeouts",
  "ping-key-file",
  "ping-url",
];

/** The flags of `controller` that are left to who installs the chart, by their names without dashes. */
export function controllerFlags(): Record<string, Schema> {
  const command = createProgram("linux").commands.find((command) => command.name() === "controller")!;
  const options = command.options.filter((option) =>
    option.long !== "--help" && !NOT_FOR_USERS.includes(option.name())
  );
  return Object.fromEntries(options.map((option) => [option.name(), schemaOf(option)]));
}

function schemaOf({ description, argChoices, defaultValue }: Option): Schema {
  if (argChoices) return { description, enum: argChoices };
  return { description, type: typeof defaultValue === "boolean" ? "boolean" : ["string", "number"] };
}
