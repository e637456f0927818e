import { resolve } from "node:path";
import type { CrontabSource } from "../../crontab/import_crontab.ts";
import { ConfigError } from "../errors.ts";
import { isOfSystem, SYSTEM_CRONTAB, SYSTEM_FOLDER } from "../shared/crontabs.ts";
import { exists } from "../shared/files.ts";

/** cron passes over files of other names, such as backups. */
const CRON_D_NAME = /^[A-Za-z0-9_-]+$/;

/** Returns the crontabs that are meant: those that are named, else those of this machine. */
export async function readSources(files: readonly string[], hasUsers: boolean): Promise<CrontabSource[]> {
  if (files.length > 0) return await Promise.all(files.map((file) => readSource(file, hasUsers)));
  return hasUsers ? await systemSources() : [await ownCrontab()];
}

async function readSource(file: string, hasUsers: boolean): Promise<CrontabSource> {
  if (file === "-") return { name: "stdin", text: await new Response(Deno.stdin.readable).text(), hasUsers };
  if (!hasUsers && isOfSystem(resolve(file))) {
    throw new ConfigError(`Cannot read crontab ${file}: a user stands before each command there: give --system`);
  }
  try {
    return { name: file, text: await Deno.readTextFile(file), hasUsers };
  } catch (cause) {
    const reason = cause instanceof Deno.errors.NotFound ? "no such file" : (cause as Error).message;
    throw new ConfigError(`Cannot read crontab ${file}: ${reason}`, { cause });
  }
}

async function systemSources(): Promise<CrontabSource[]> {
  const files = await exists(SYSTEM_CRONTAB) ? [SYSTEM_CRONTAB] : [];
  if (await exists(SYSTEM_FOLDER)) {
    const entries = await Array.fromAsync(Deno.readDir(SYSTEM_FOLDER));
    const tables = entries.filter(({ isDirectory, name }) => !isDirectory && CRON_D_NAME.test(name));
    files.push(...tables.map(({ name }) => `${SYSTEM_FOLDER}/${name}`).sort());
  }
  if (files.length === 0) throw new ConfigError(`There is neither ${SYSTEM_CRONTAB} nor ${SYSTEM_FOLDER}: name a file`);
  return await Promise.all(files.map((file) => readSource(file, true)));
}

async function ownCrontab(): Promise<CrontabSource> {
  try {
    const { success, stdout, stderr } = await new Deno.Command("crontab", { args: ["-l"] }).output();
    if (success) return { name: "crontab", text: new TextDecoder().decode(stdout), hasUsers: false };
    throw new ConfigError(
      `crontab -l: ${new TextDecoder().decode(stderr).trim()}; name a file, or - for standard input`,
    );
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    throw new ConfigError("There is no crontab command: name a file, or - for standard input", { cause });
  }
}
