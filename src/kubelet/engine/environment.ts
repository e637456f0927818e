import { ContainerConfigError } from "../inputs/env.ts";

/** How a container's variables come to an engine. Their values never stand among its arguments, which all users can see. */
export interface HandedOver {
  /** The text of a file of variables. */
  readonly file: string;
  /** Variables of the engine's own command, which hands those on that its arguments name. */
  readonly inherited: Readonly<Record<string, string>>;
}

/** What every reader of such a file reads alike. */
const PLAIN_LINE = /^[A-Za-z_][A-Za-z0-9_.-]*=(?:[^\s'"`\\#$][^\n\r'"`\\]*)?$/;

/** A reader's line has an end, in bytes. */
const MAX_LINE = 32 * 1024;

/**
 * Names by which engines, the libraries that they are linked with, and the programs that they start are directed. A
 * manifest must not direct the engine, which may do more than the manifest's author.
 */
const DIRECTS_ENGINE = [
  /^(?:ENV|HOME|IFS|LANG|LANGUAGE|LOGNAME|MAINPID|PATH|PWD|SHELL|TEMP|TERM|TMP|TZ|USER)$/,
  /^(?:BASH|BUILDAH|CNI|COMPOSE|CONMON|CONTAINERS?|CRUN|DBUS|GLIBC|GPG|IPTABLES|JOURNAL|KRB5|LC|LD|LIBPOD|LISTEN)(?:_|$)/,
  /^(?:MALLOC|NETAVARK|NETNS|NOTIFY|NSS|OCI|OPENSSL|OTEL|PODMAN|REGISTRIES|REGISTRY|RES|RESOLV|ROOTLESSKIT|RUNC)(?:_|$)/,
  /^(?:SD|SELINUX|SSH|SSL|STORAGE|SUDO|SYSTEMD|WATCHDOG|XDG|XTABLES)(?:_|$)/,
  /^(?:DOCKER_(?!AUTH_CONFIG$)|GO[A-Z]+|GCONV|GETCONF|GNUPG|HOSTALIASES|INVOCATION|LOCALDOMAIN|LOCPATH|NLSPATH|TMPDIR|TZDIR)/,
  /^_|\*|(?:^|_)proxy$/i,
];

/**
 * Divides a container's variables by how they come to the engine.
 *
 * @throws {ContainerConfigError} for one that can come to it in no way
 */
export function handOver(env: Readonly<Record<string, string>>): HandedOver {
  const all = Object.entries(env);
  const others = all.filter((variable) => !isPlain(variable));
  const directing = others.find(([name]) => DIRECTS_ENGINE.some((pattern) => pattern.test(name)));
  if (directing) {
    throw new ContainerConfigError(
      `variable ${directing[0]} cannot be handed over: its value has quotes, line breaks or the like, and the ` +
        "container engine itself goes by a variable of that name",
    );
  }
  return {
    file: all.filter(isPlain).map((variable) => `${lineOf(variable)}\n`).join(""),
    inherited: Object.fromEntries(others),
  };
}

function lineOf([name, value]: [string, string]): string {
  return `${name}=${value}`;
}

function isPlain(variable: [string, string]): boolean {
  const line = lineOf(variable);
  return new TextEncoder().encode(line).length <= MAX_LINE && PLAIN_LINE.test(line) && line.trimEnd() === line;
}
