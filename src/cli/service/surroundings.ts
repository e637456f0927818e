import { basename } from "node:path";
import { ConfigError } from "../errors.ts";
import { outputOf } from "./calls.ts";
import type { Account } from "./supervisor.ts";

/**
 * Looks a user up in the machine's database; undefined means the caller.
 *
 * @throws {ConfigError} where there is none of that name
 */
export async function accountFor(name: string | undefined): Promise<Account> {
  const wanted = name ?? String(Deno.uid());
  const query = Deno.build.os === "darwin" ? ["id", "-P", wanted] : ["getent", "passwd", wanted];
  const account = parseAccount(await outputOf(query));
  if (!account) throw new ConfigError(`There is no user ${wanted} on this machine`);
  // The caller may have chosen another home.
  return name === undefined ? { ...account, home: Deno.env.get("HOME") ?? account.home } : account;
}

/** Reads a line of the user database, as `getent passwd` and macOS' `id -P` print it. */
export function parseAccount(line: string): Account | undefined {
  const fields = line.trim().split(":");
  const [name, , uid, gid] = fields;
  const [home, shell] = fields.slice(-2);
  if (fields.length < 7 || !name || !home || !/^\d+$/.test(uid ?? "") || !/^\d+$/.test(gid ?? "")) return undefined;
  return { name, uid: Number(uid), gid: Number(gid), home, shell: shell || "/bin/sh" };
}

/** The shell of an account without a login, which runs no command. */
const RUNS_NOTHING = /(?:^|\/)(?:nologin|false|true|sync)$/;

/** Taken over from the shell that installs the service, as far as they are set there. */
const FROM_SHELL = ["PATH", "LANG", "LC_ALL", "TZ"];

/**
 * Returns the environment of the service: what scripts expect, as a login would set it for the account, and what of the
 * shell counts for them.
 *
 * @param others variables of the shell that count for the program
 */
export function serviceEnvironment(
  account: Account,
  shell: { get(name: string): string | undefined },
  others: readonly string[],
): Record<string, string> {
  const taken = [...FROM_SHELL, ...others].flatMap((name) => {
    const value = shell.get(name);
    return value ? [[name, value]] : [];
  });
  return {
    USER: account.name,
    LOGNAME: account.name,
    HOME: account.home,
    // Hooks are run by it.
    SHELL: RUNS_NOTHING.test(account.shell) ? "/bin/sh" : account.shell,
    ...Object.fromEntries(taken),
  };
}

/** Returns the words by which this program is called, wherever one is. */
export async function programCommand(): Promise<string[]> {
  if (Deno.build.standalone) return [await lastingPath(Deno.execPath(), Deno.env.get("PATH") ?? "")];
  const main = new URL("../../../main.ts", import.meta.url).pathname;
  return [Deno.execPath(), "run", "-A", "--no-prompt", main];
}

/** Variables without which Deno would not find the program's libraries again. */
export function ofDeno(): string[] {
  return Deno.build.standalone ? [] : ["DENO_DIR", "DENO_TLS_CA_STORE"];
}

/**
 * Returns the link on PATH that leads to an executable, else the executable itself: an upgrade sets the link anew and may
 * remove the folder of the old version. Links in folders of other users don't count: they could lead elsewhere tomorrow.
 */
export async function lastingPath(executable: string, path: string): Promise<string> {
  const names = new Set(["cronjob-controller", basename(executable)]);
  for (const folder of path.split(":").filter((each) => each.startsWith("/"))) {
    for (const name of names) {
      if (await leadsTo(executable, folder, name)) return `${folder}/${name}`;
    }
  }
  return executable;
}

async function leadsTo(executable: string, folder: string, name: string): Promise<boolean> {
  try {
    const { uid } = await Deno.stat(folder);
    return (uid === 0 || uid === Deno.uid()) && await Deno.realPath(`${folder}/${name}`) === executable;
  } catch {
    // There is none.
    return false;
  }
}
