import { ConfigError } from "../errors.ts";
import { outputOf } from "./calls.ts";
import { type Account, parseAccount } from "./definition.ts";

/**
 * Looks a user up in the machine's database; undefined means who calls.
 *
 * @throws {ConfigError} where there is none of that name
 */
export async function accountFor(name: string | undefined): Promise<Account> {
  const wanted = name ?? String(Deno.uid());
  const line = Deno.build.os === "darwin"
    ? await outputOf(["id", "-P", wanted])
    : await outputOf(["getent", "passwd", wanted]);
  const account = parseAccount(line);
  if (!account) throw new ConfigError(`There is no user ${wanted} on this machine`);
  // Who calls may have chosen another home.
  return name === undefined ? { ...account, home: Deno.env.get("HOME") ?? account.home } : account;
}
