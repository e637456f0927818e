import type { Cluster, Context, User } from "@kubernetes/client-node/dist/config_types.js";
import { newClusters, newContexts, newUsers } from "@kubernetes/client-node/dist/config_types.js";
import { dirname, isAbsolute, join } from "node:path";
import { load, YAMLException } from "js-yaml";
import { redact } from "../telemetry/redact.ts";
import { ConnectionConfigError } from "./connection_config.ts";

/** What kubeconfig files say of one context, paths made absolute. */
export interface Kubeconfig {
  readonly context: Context;
  readonly cluster: Cluster;
  /** Absent: the context names none, or one that is in no file. */
  readonly user: User | undefined;
}

interface File {
  readonly clusters: readonly Cluster[];
  readonly users: readonly User[];
  readonly contexts: readonly Context[];
  readonly currentContext: string | undefined;
}

/**
 * Reads kubeconfig files, merged in this order: as with kubectl, the first that defines a name wins.
 *
 * @param options.context the current one unless given
 * @throws {ConnectionConfigError}
 */
export async function readKubeconfig(
  { paths, context }: { readonly paths: readonly string[]; readonly context?: string },
): Promise<Kubeconfig> {
  const files: File[] = [];
  const found: string[] = [];
  for (const path of paths) {
    if (paths.length > 1 && !await exists(path)) continue;
    files.push(await readFile(path));
    found.push(path);
  }
  const where = `kubeconfig ${found.join(", ")}`;
  if (found.length === 0) {
    throw new ConnectionConfigError(`Cannot read kubeconfig: none of ${paths.join(", ")} is there`);
  }
  const contexts = files.flatMap((file) => file.contexts);
  const names = [...new Set(contexts.map(({ name }) => name))].join(", ");
  const current = context ?? files.find(({ currentContext }) => currentContext)?.currentContext;
  if (!current) {
    throw new ConnectionConfigError(
      `Cannot use ${where}: it has no current context; name one of ${names} with --context`,
    );
  }
  const chosen = named(contexts, current);
  if (!chosen) {
    throw new ConnectionConfigError(`Cannot use ${where}: it has no context ${current}; it has ${names || "none"}`);
  }
  const cluster = named(files.flatMap(({ clusters }) => clusters), chosen.cluster);
  if (!cluster) {
    throw new ConnectionConfigError(`Cannot use ${where}: the cluster of context ${current} is not in it`);
  }
  return { context: chosen, cluster, user: named(files.flatMap(({ users }) => users), chosen.user) };
}

function named<Item extends { name: string }>(items: readonly Item[], name: string): Item | undefined {
  return items.find((item) => item.name === name);
}

async function readFile(path: string): Promise<File> {
  try {
    const config = parse(await Deno.readTextFile(path));
    const absolute = (file: string | undefined) => file && !isAbsolute(file) ? join(dirname(path), file) : file;
    return {
      clusters: newClusters(config.clusters).map((each) => ({ ...each, caFile: absolute(each.caFile) })),
      users: newUsers(config.users).map((each) => ({
        ...each,
        certFile: absolute(each.certFile),
        keyFile: absolute(each.keyFile),
      })),
      contexts: newContexts(config.contexts),
      currentContext: config["current-context"],
    };
  } catch (cause) {
    const reason = cause instanceof Deno.errors.NotFound
      ? "there is no such file; name one with --kubeconfig or KUBECONFIG"
      : redact((cause as Error).message.trim());
    // Without its cause, which may show what was read.
    throw new ConnectionConfigError(`Cannot read kubeconfig ${path}: ${reason}`);
  }
}

/** Says where a fault is, and not what stands there: it may be of a credential. */
// deno-lint-ignore no-explicit-any
function parse(text: string): any {
  let config: unknown;
  try {
    config = load(text);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error;
    const what = reason.replaceAll(/"[^"]*"/g, '"…"').replaceAll(/!?<[^>]*>/g, "<…>");
    throw new Error(mark ? `line ${mark.line + 1}, column ${mark.column + 1}: ${what}` : what);
  }
  if (typeof config !== "object" || config === null) throw new Error("there is no kubeconfig in it");
  return config;
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch {
    return false;
  }
}
