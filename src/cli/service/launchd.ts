import { LAUNCHD_LABEL } from "../help/exit_codes.ts";
import { noteOf, type Place, type Scope, type ServiceDefinition, type Supervisor } from "./supervisor.ts";

/** How macOS' launchd keeps the service. */
export const LAUNCHD: Supervisor = {
  file: (scope, env) =>
    `${
      scope === "system" ? "/Library/LaunchDaemons" : `${env.get("HOME")}/Library/LaunchAgents`
    }/${LAUNCHD_LABEL}.plist`,
  systemDataDir: "/var/db/cronjob-controller",
  render: launchdPlist,
  flags: ({ scope, home }) => ["--log-file", logFile(scope, home)],
  as: ({ name }) => ["sudo", "-n", "-E", "-u", name, "--"],
  install: (place) => [
    ["launchctl", "enable", target(place)],
    ["launchctl", "bootstrap", domain(place), place.file],
  ],
  stop: (place) => [["launchctl", "bootout", target(place)]],
  isLoaded: (place) => ["launchctl", "print", target(place)],
  forget: () => [],
  status: (place) => ["launchctl", "print", target(place)],
  statusLines: [["State", "state"], ["Pid", "pid"], ["Last exit code", "last exit code"]],
  running: "running",
  logs: ({ scope, home }, { follow, lines }) => [
    "tail",
    "-n",
    String(lines),
    // It is another file from time to time.
    ...follow ? ["-F"] : [],
    logFile(scope, home),
  ],
};

function domain({ scope, uid }: Pick<Place, "scope" | "uid">): string {
  return scope === "system" ? "system" : `gui/${uid}`;
}

function target(place: Pick<Place, "scope" | "uid">): string {
  return `${domain(place)}/${LAUNCHD_LABEL}`;
}

function logFile(scope: Scope, home: string): string {
  return `${scope === "system" ? "/Library" : `${home}/Library`}/Logs/cronjob-controller.log`;
}

/** Returns the property list. launchd leaves the process group of containers alone, as they have one of their own each. */
function launchdPlist(definition: ServiceDefinition): string {
  const { scope, command, environment, workingDirectory, account } = definition;
  // The service's file has messages that the program, which ended early, could not write itself.
  const log = logFile(scope, account.home);
  const body = element({
    Label: LAUNCHD_LABEL,
    ProgramArguments: [...command],
    EnvironmentVariables: environment,
    WorkingDirectory: workingDirectory,
    ...scope === "system" ? { UserName: account.name } : {},
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    AbandonProcessGroup: true,
    ThrottleInterval: 10,
    ExitTimeOut: 30,
    StandardOutPath: log,
    StandardErrorPath: log,
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Written by cronjob-controller service install, which replaces it when it is called again. -->
<!-- ${noteOf(definition)} -->
<plist version="1.0">
${body}
</plist>
`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

type Value = string | number | boolean | string[] | { readonly [key: string]: Value };

function element(value: Value): string {
  if (typeof value === "boolean") return `<${value}/>`;
  if (typeof value === "number") return `<integer>${value}</integer>`;
  if (typeof value === "string") return `<string>${escapeXml(value)}</string>`;
  const lines = Array.isArray(value) ? ["<array>", ...value.map(element), "</array>"] : [
    "<dict>",
    ...Object.entries(value).flatMap(([key, each]) => [`<key>${escapeXml(key)}</key>`, element(each)]),
    "</dict>",
  ];
  return lines.join("\n");
}
