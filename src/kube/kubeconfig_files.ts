import type { Cluster, Context, User as IssuedUser } from "@kubernetes/client-node";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { load, YAMLException } from "js-yaml";
import type { Loose } from "../base/loose.ts";
import { redact } from "../telemetry/redact.ts";
import { ConnectionConfigError } from "./connection_config.ts";

/** The user, as `@kubernetes/client-node` has it, and what it leaves out. */
export interface User extends Loose<IssuedUser> {
  /** Read again as it is rotated; goes before `token`. */
  readonly tokenFile?: string | undefined;
  readonly impersonateHeaders: Readonly<Record<string, string>>;
}

/** The entries of kubeconfig files for one context, paths made absolute. */
export interface Kubeconfig {
  readonly context: Context;
  readonly cluster: Loose<Cluster>;
  /** Absent: the context names none, or one that is in no file. */
  readonly user: User | undefined;
}

interface File {
  readonly clusters: readonly Loose<Cluster>[];
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
  { paths, context }: { readonly paths: readonly string[]; readonly context?: string | undefined },
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
      names === ""
        ? `Cannot use ${where}: it has no contexts; name another one with --kubeconfig or KUBECONFIG`
        : `Cannot use ${where}: it has no current context; name one of ${names} with --context`,
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
  const user = named(files.flatMap(({ users }) => users), chosen.user);
  if (!user && chosen.user) {
    throw new ConnectionConfigError(`Cannot use ${where}: the user of context ${current} is not in it`);
  }
  return { context: chosen, cluster, user };
}

/** Returns the names of all contexts; files that are not there count as empty. */
export async function readContextNames(paths: readonly string[]): Promise<string[]> {
  const files = await Promise.all(paths.map(async (path) => await exists(path) ? await readFile(path) : undefined));
  return [...new Set(files.flatMap((file) => file?.contexts.map(({ name }) => name) ?? []))];
}

function named<Item extends { name: string }>(items: readonly Item[], name: string): Item | undefined {
  return items.find((item) => item.name === name);
}

async function readFile(path: string): Promise<File> {
  try {
    const text = await Deno.readTextFile(path);
    if (text.trim() === "") throw new Error("it is empty; name another one with --kubeconfig or KUBECONFIG");
    const config = parse(text);
    const folder = dirname(resolve(path));
    return {
      clusters: listOf(config, "clusters").map((entry) => clusterOf(entry, folder)),
      users: listOf(config, "users").map((entry) => userOf(entry, folder)),
      contexts: listOf(config, "contexts").map(contextOf),
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

// deno-lint-ignore no-explicit-any
type Entry = any;

function listOf(config: Entry, field: string): Entry[] {
  const list = config[field] ?? [];
  if (!Array.isArray(list)) throw new Error(`'${field}' is not a list`);
  list.forEach((entry, index) => {
    if (!entry?.name) throw new Error(`'${field}[${index}].name' is missing`);
  });
  return list;
}

function clusterOf({ name, cluster = {} }: Entry, folder: string): Loose<Cluster> {
  if (!cluster?.server) throw new Error(`cluster ${name} has no 'server'`);
  return {
    name,
    server: String(cluster.server).replace(/\/$/, ""),
    caData: cluster["certificate-authority-data"],
    caFile: absolute(cluster["certificate-authority"], folder),
    skipTLSVerify: cluster["insecure-skip-tls-verify"] === true,
    tlsServerName: cluster["tls-server-name"],
    proxyUrl: cluster["proxy-url"],
  };
}

function userOf({ name, user }: Entry, folder: string): User {
  const { exec } = user ?? {};
  return {
    name,
    certData: user?.["client-certificate-data"],
    certFile: absolute(user?.["client-certificate"], folder),
    keyData: user?.["client-key-data"],
    keyFile: absolute(user?.["client-key"], folder),
    token: user?.token,
    // `token-file` is what client libraries once wrote.
    tokenFile: absolute(user?.tokenFile ?? user?.["token-file"], folder),
    username: user?.username,
    password: user?.password,
    authProvider: user?.["auth-provider"],
    // A command with a slash in it is looked for beside the file.
    exec: exec?.command?.includes("/") ? { ...exec, command: absolute(exec.command, folder) } : exec,
    impersonateUser: user?.as,
    impersonateHeaders: impersonationOf(name, user),
  };
}

/** @throws {Error} for what cannot be said in one header each */
function impersonationOf(name: string, user: Entry): Record<string, string> {
  const groups: string[] = user?.["as-groups"] ?? [];
  if (groups.length > 1 || user?.["as-user-extra"]) {
    throw new Error(`user ${name} impersonates with several 'as-groups' or 'as-user-extra', which is not supported`);
  }
  return {
    ...(user?.as && { "Impersonate-User": user.as }),
    ...(user?.["as-uid"] && { "Impersonate-Uid": user["as-uid"] }),
    ...(groups[0] && { "Impersonate-Group": groups[0] }),
  };
}

function contextOf({ name, context }: Entry): Context {
  return { name, cluster: context?.cluster, user: context?.user, namespace: context?.namespace || undefined };
}

function absolute(file: string | undefined, folder: string): string | undefined {
  return file && !isAbsolute(file) ? join(folder, file) : file;
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
  return await Deno.stat(path).then(() => true, () => false);
}
