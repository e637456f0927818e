import { dirname } from "node:path";
import { readIfThere, writePrivateFile } from "../../apiserver/storage/data_dir.ts";
import { SystemClock } from "../../base/clock.ts";
import { isStandardInput } from "../../manifest_files/parse.ts";
import { ConfigError } from "../errors.ts";
import { defaultDataDir } from "../shared/data_dir.ts";
import { readManifestsToApply } from "../standalone/apply.ts";
import { assertThere, sourcesOf } from "../standalone/files.ts";
import type { StandaloneOptions } from "../standalone/standalone_options.ts";
import { assertReached, callShown, callToInstall, outputOf, stopService, succeeds } from "./calls.ts";
import { ignoreMissing } from "../shared/files.ts";
import { makeFolderFor } from "./files.ts";
import { LAUNCHD } from "./launchd.ts";
import { endContainers, endingCommand, leftBy } from "./left_containers.ts";
import { readStandaloneFlags } from "./standalone_flags.ts";
import { type Account, type Installed, type Place, readNote, readStatus, type Supervisor } from "./supervisor.ts";
import { accountFor, ofDeno, programCommand, serviceEnvironment } from "./surroundings.ts";
import { SYSTEMD } from "./systemd.ts";

/** Writes the service and starts it; or says what it would do. `flags` are those of `standalone`. */
export async function install(
  { system, runAs, dryRun }: {
    readonly system: boolean;
    readonly runAs?: string | undefined;
    readonly dryRun: boolean;
  },
  flags: readonly string[],
): Promise<void> {
  const standalone = readStandaloneFlags(flags);
  if (runAs !== undefined && !system) throw new ConfigError("--run-as is of --system alone: your own service is yours");
  if (standalone.options.ephemeral) throw new ConfigError("A service keeps what it has: it cannot be --ephemeral");
  const supervisor = supervisorHere();
  const account = await accountFor(system ? runAs ?? Deno.env.get("SUDO_USER") ?? "root" : undefined);
  const place = placeOf(supervisor, system, account);
  const dataDir = standalone.options.dataDir ?? (system ? supervisor.systemDataDir : defaultDataDir());
  const definition = {
    scope: place.scope,
    // The data dir is the last flag, so that it counts as it was resolved.
    command: [
      ...await programCommand(),
      ...["standalone", "--on-stop", "leave", ...supervisor.flags(place), ...flags, "--data-dir", dataDir],
    ],
    environment: serviceEnvironment(account, Deno.env, [...standalone.variables, ...ofDeno()]),
    workingDirectory: Deno.cwd(),
    left: leftBy(standalone.options, dataDir),
    account,
  };
  const { command, environment, workingDirectory } = definition;
  assertOneLine([...command, ...Object.values(environment), workingDirectory]);
  await assertReadable(standalone.options);
  const text = supervisor.render(definition);
  const calls = supervisor.install(place);
  if (dryRun) {
    return console.log(`# ${place.file}\n${text}\n# Then:\n${calls.map((call) => call.join(" ")).join("\n")}`);
  }
  assertMayWrite(system);
  await assertReached(supervisor, place);
  if (system) await makeFolderFor(account, dataDir);
  const isNew = readIfThere(place.file) === undefined;
  await Deno.mkdir(dirname(place.file), { recursive: true });
  // Variables may hold what others need not know.
  writePrivateFile(place.file, text);
  // A service that is loaded already does not read its file again.
  if (supervisor === LAUNCHD && !isNew) await stopService(supervisor, place, new SystemClock());
  await callToInstall(calls, `cronjob-controller service logs${system ? " --system" : ""}`);
  console.log(`${isNew ? "Installed" : "Installed anew"}: ${place.file}
Everything is kept in ${dataDir}; kubectl works with ${dataDir}/kubeconfig
Programs are found by the PATH of this shell: ${environment.PATH ?? "(none)"}
See it with: cronjob-controller service status, and service logs -f`);
  if (place.scope === "user" && supervisor === SYSTEMD) await sayLingering(account.name);
}

/** Prints how it is; the exit code is 1 unless it runs. */
export async function status({ system }: { readonly system: boolean }): Promise<void> {
  const { supervisor, place, text } = await installed(system);
  if (text === undefined) {
    Deno.exitCode = 1;
    return console.log(notInstalled(place));
  }
  const { isRunning, lines } = readStatus(supervisor, await outputOf(supervisor.status(place)));
  const dataDir = readNote(text)?.left.dataDir ?? "unknown";
  const all = [["Service", place.file], ...lines, ["Data", dataDir], ["Kubeconfig", `${dataDir}/kubeconfig`]];
  for (const [name, value] of all) console.log(`${`${name}:`.padEnd(16)}${value}`);
  if (place.scope === "user" && supervisor === SYSTEMD) await sayLingering((await accountFor(undefined)).name);
  if (!isRunning) Deno.exitCode = 1;
}

/** Shows its log. */
export async function logs(
  { system, ...options }: { readonly system: boolean; readonly follow: boolean; readonly lines: number },
): Promise<void> {
  const { supervisor, place, text } = await installed(system);
  await callShown(supervisor.logs(place, options));
  if (text !== undefined) return;
  // The log of a former service may still exist.
  console.error(notInstalled(place));
  Deno.exitCode = 1;
}

/** Stops it, ends what runs, and removes what was installed. */
export async function uninstall(
  { system, deleteData }: { readonly system: boolean; readonly deleteData: boolean },
): Promise<void> {
  const { supervisor, place, text } = await installed(system);
  if (text === undefined) return console.log(notInstalled(place));
  assertMayWrite(system);
  await assertReached(supervisor, place);
  const installation = readNote(text);
  if (installation === undefined) throw new Error(`Cannot uninstall: ${place.file} does not say where the data dir is`);
  const { dataDir } = installation.left;
  await stopService(supervisor, place, new SystemClock());
  await endLeft(supervisor, installation);
  await Deno.remove(place.file);
  for (const call of supervisor.forget(place)) await succeeds(call);
  if (deleteData) await Deno.remove(dataDir, { recursive: true }).catch(ignoreMissing);
  console.log(`Uninstalled: ${place.file} is gone`);
  console.log(
    deleteData ? `Deleted ${dataDir}` : `CronJobs and logs are still in ${dataDir}: delete it to be rid of them too`,
  );
}

/**
 * Ends containers as the user of the service, in the service's surroundings: an engine knows them there alone, and root must
 * not work in a folder in which another user can put links.
 */
async function endLeft(supervisor: Supervisor, { user, environment, left }: Installed): Promise<void> {
  if (user === undefined) return await endContainers(left);
  const command = [...supervisor.as(await accountFor(user)), ...await programCommand(), ...endingCommand(left)];
  await callShown(command, { cwd: "/", clearEnv: true, env: environment });
}

async function installed(system: boolean) {
  const supervisor = supervisorHere();
  const place = placeOf(supervisor, system, await accountFor(undefined));
  return { supervisor, place, text: readIfThere(place.file) };
}

function supervisorHere(): Supervisor {
  return Deno.build.os === "darwin" ? LAUNCHD : SYSTEMD;
}

function placeOf(supervisor: Supervisor, system: boolean, { uid, home }: Account): Place {
  const scope = system ? "system" : "user";
  const env = { get: (name: string) => Deno.env.get(name) ?? (name === "HOME" ? home : undefined) };
  return { scope, file: supervisor.file(scope, env), uid, home };
}

function notInstalled({ file, scope }: Place): string {
  const other = scope === "user" ? "; --system is for one of the machine" : "; without --system it is your own";
  return `The service is not installed: there is no ${file}${other}`;
}

function assertMayWrite(system: boolean): void {
  if (system && Deno.uid() !== 0) throw new ConfigError("--system is for root: call it with sudo");
}

/** A line break in a unit would begin another setting. */
function assertOneLine(texts: readonly string[]): void {
  // deno-lint-ignore no-control-regex
  const bad = texts.find((text) => /[\x00-\x1f\x7f]|\\$/.test(text));
  if (bad !== undefined) {
    throw new ConfigError(
      `A service takes no line breaks, nor a backslash at the end, in flags, folders and variables, one is ${
        JSON.stringify(bad)
      }`,
    );
  }
}

/** A service that cannot start would take the place of one that works. */
async function assertReadable(options: StandaloneOptions): Promise<void> {
  const manifests = [...options.apply, ...options.applyOnce];
  if (manifests.some(isStandardInput)) throw new ConfigError("A service has no standard input to apply: name a file");
  await readManifestsToApply(manifests);
  await assertThere(await sourcesOf(options, { clock: new SystemClock() }));
}

async function sayLingering(user: string): Promise<void> {
  const linger = (await outputOf(["loginctl", "show-user", user, "--property=Linger", "--value"])).trim();
  if (linger === "yes") return console.log(`${"Lingering:".padEnd(16)}yes: it runs from boot on, logged in or not`);
  console.log(
    `${"Lingering:".padEnd(16)}${linger || "unknown"}: it starts when you log in and ends when you log out; to have ` +
      `it run from boot on: loginctl enable-linger ${user}`,
  );
}
