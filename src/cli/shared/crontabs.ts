import type { Place } from "../../crontab/import_crontab.ts";

export const SYSTEM_CRONTAB = "/etc/crontab";
export const SYSTEM_FOLDER = "/etc/cron.d";

/** Returns whether a user stands before each command of a crontab there. */
export function isOfSystem(absolutePath: string): boolean {
  return absolutePath === SYSTEM_CRONTAB || absolutePath.startsWith(`${SYSTEM_FOLDER}/`);
}

/** The user who starts `standalone` here, and the homes of users. */
export async function workstation(): Promise<Place> {
  const people = (await passwords()).split("\n").map((line) => line.split(":"));
  const [user = ""] = people.find(([, , uid]) => uid === String(Deno.uid())) ?? [];
  const homes = new Map(people.map(([user, , , , , home]) => [user, home]));
  return { kind: "workstation", user, homeOf: (user) => homes.get(user) };
}

async function passwords(): Promise<string> {
  try {
    return await Deno.readTextFile("/etc/passwd");
  } catch {
    return "";
  }
}
