import { createHash, timingSafeEqual } from "node:crypto";
import { attempt, ServerError } from "../errors.ts";
import { Refusal } from "../refusals.ts";

/** The user behind a request. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
}

/** May do everything. */
export const MASTERS_GROUP = "system:masters";

export const ANONYMOUS: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** Every user who is known belongs to it. */
export const AUTHENTICATED_GROUP = "system:authenticated";

/** Knows users by their bearer tokens. Of tokens only digests are kept, which are compared in constant time. */
export class Authenticator {
  readonly #users: { readonly digest: Uint8Array; readonly user: User }[] = [];

  add(token: string, user: User): void {
    this.#users.push({ digest: digest(token), user: { ...user, groups: [...user.groups, AUTHENTICATED_GROUP] } });
  }

  /**
   * @param authorization the header's text, or undefined
   * @throws {Refusal} 401 for an unknown token, and for any other kind of credential
   */
  authenticate(authorization: string | undefined): User {
    if (authorization === undefined) return ANONYMOUS;
    const token = /^Bearer +(\S+)\s*$/i.exec(authorization)?.[1];
    let found: User | undefined;
    if (token !== undefined) {
      const wanted = digest(token);
      // No early end: the time reveals nothing about which user, if any, it is.
      for (const { digest, user } of this.#users) {
        if (timingSafeEqual(digest, wanted)) found = user;
      }
    }
    if (!found) throw new Refusal(401, "Unauthorized", "Unauthorized");
    return found;
  }
}

function digest(token: string): Uint8Array {
  return createHash("sha256").update(token).digest();
}

/**
 * Reads users from a file as kube-apiserver's `--token-auth-file` takes it: CSV lines of token, name, UID and, where
 * there are any, groups in quotes: `abc,nobody,u1,"one,two"`.
 *
 * @throws {ServerError}
 */
export function readTokenFile(path: string): { token: string; user: User }[] {
  const text = attempt(`Cannot read token file ${path}`, () => Deno.readTextFileSync(path));
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (!line.trim() || line.startsWith("#")) return [];
    const [token, name, uid, groups = ""] = splitCsv(line);
    if (!token || !name || uid === undefined) {
      throw new ServerError(
        `Cannot read token file ${path}: line ${index + 1} must be token,user,uid[,"group1,group2"]`,
      );
    }
    return [{ token, user: { name, uid, groups: groups.split(",").map((group) => group.trim()).filter(Boolean) } }];
  });
}

function splitCsv(line: string): string[] {
  return Array.from(line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g), ([, quoted, plain = ""]) => {
    return quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"');
  });
}
