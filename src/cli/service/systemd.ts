import { SERVICE_USAGE } from "../help/exit_codes.ts";
import { noteOf, type Scope, type ServiceDefinition, type Supervisor } from "./supervisor.ts";

const UNIT = "cronjob-controller.service";

/** How systemd keeps the service. */
export const SYSTEMD: Supervisor = {
  file: (scope, env) => scope === "system" ? `/etc/systemd/system/${UNIT}` : `${configHome(env)}/systemd/user/${UNIT}`,
  systemDataDir: "/var/lib/cronjob-controller",
  render: systemdUnit,
  // The journal has a bound of its own.
  flags: () => [],
  as: ({ uid, gid }) => ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--init-groups"],
  reach: ({ scope }) => ({ probe: systemctl(scope, "show-environment"), remedy: REMEDIES[scope] }),
  install: ({ scope }) => [
    systemctl(scope, "daemon-reload"),
    systemctl(scope, "enable", UNIT),
    // As it is the unit's type, this waits until the program is ready.
    systemctl(scope, "restart", UNIT),
  ],
  stop: ({ scope }) => [systemctl(scope, "disable", "--now", UNIT)],
  forget: ({ scope }) => [systemctl(scope, "daemon-reload"), systemctl(scope, "reset-failed", UNIT)],
  status: ({ scope }) => systemctl(scope, "show", UNIT),
  statusLines: [
    ["State", "ActiveState"],
    ["Detail", "SubState"],
    ["Since", "ActiveEnterTimestamp"],
    ["Pid", "MainPID"],
    ["Restarts", "NRestarts"],
  ],
  running: "active",
  logs: ({ scope }, { follow, lines }) => [
    "journalctl",
    ...scope === "user" ? ["--user"] : [],
    "--unit",
    UNIT,
    "--lines",
    String(lines),
    ...follow ? ["--follow"] : [],
  ],
};

/** Remedies where systemd takes no calls. */
const REMEDIES: Readonly<Record<Scope, string>> = {
  user: "log in as this user, not by su or sudo; a service of the machine (--system) needs no login",
  system: "call it where systemd runs; elsewhere, have something else keep standalone running",
};

function systemctl(scope: Scope, ...args: string[]): string[] {
  return ["systemctl", ...scope === "user" ? ["--user"] : [], ...args];
}

function configHome(env: { get(name: string): string | undefined }): string {
  const config = env.get("XDG_CONFIG_HOME");
  return config?.startsWith("/") ? config : `${env.get("HOME")}/.config`;
}

/**
 * Returns the unit. systemd ends its main process alone, so that containers go on over a restart; the program itself ends
 * them where `--on-stop end` asks for it.
 */
function systemdUnit(definition: ServiceDefinition): string {
  const { scope, command, environment, workingDirectory, left: { dataDir }, account } = definition;
  const isInStateDirectory = scope === "system" && dataDir === SYSTEMD.systemDataDir;
  const lines = [
    "# Written by `cronjob-controller service install`, which replaces it when it is called again.",
    `# ${noteOf(definition)}`,
    "[Unit]",
    "Description=cronjob-controller: CronJobs on this machine",
    `RequiresMountsFor=${quoted(dataDir)}`,
    "# What keeps it from starting may pass: it is tried until it starts. Wrong flags alone stay wrong.",
    "StartLimitIntervalSec=0",
    "",
    "[Service]",
    "Type=notify",
    "NotifyAccess=main",
    `ExecStart=${command.map(quoted).map(withoutVariables).join(" ")}`,
    "# It may be gone later; only relative paths in flags need it.",
    `WorkingDirectory=-${workingDirectory.replaceAll("%", "%%")}`,
    ...Object.entries(environment).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    ...scope === "system" ? [`User=${account.name}`] : [],
    ...isInStateDirectory ? ["StateDirectory=cronjob-controller", "StateDirectoryMode=0700"] : [],
    "# Containers are no part of it: they go on while the program is restarted or upgraded, and one that takes too much",
    "# memory is ended alone.",
    "KillMode=process",
    "OOMPolicy=continue",
    "Restart=on-failure",
    "RestartSec=10",
    `RestartPreventExitStatus=${SERVICE_USAGE}`,
    "# The program feeds it three times in that time, as long as its API answers and no part of it hangs.",
    "WatchdogSec=120",
    "WatchdogSignal=SIGKILL",
    "TimeoutStartSec=120",
    "TimeoutStopSec=30",
    "",
    "[Install]",
    `WantedBy=${scope === "user" ? "default.target" : "multi-user.target"}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** In quotes, as systemd reads them; % would begin a specifier. */
function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%")}"`;
}

/** In a command line, though not in its program, systemd puts variables in. */
function withoutVariables(text: string, index: number): string {
  return index === 0 ? text : text.replaceAll("$", "$$$$");
}
