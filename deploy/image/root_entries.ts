/** Whom the image's program runs as; the number that distroless gives its user `nonroot`. */
export const NONROOT = 65532;

/** Where the program is in the image. */
export const PROGRAM_PATH = "/usr/local/bin/cronjob-controller";

/** One thing in a root file system. Paths are absolute inside it. */
export type RootEntry =
  & { readonly path: string; readonly owner: 0 | typeof NONROOT }
  & (
    | { readonly kind: "directory"; readonly mode: number }
    | { readonly kind: "link"; readonly target: string }
    | { readonly kind: "text"; readonly mode: number; readonly text: string }
    /** A copy of a file of this machine. */
    | { readonly kind: "file"; readonly mode: number; readonly source: string }
  );

const PASSWD = `root:x:0:0:root:/root:/sbin/nologin
nobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin
nonroot:x:${NONROOT}:${NONROOT}:nonroot:/home/nonroot:/sbin/nologin
`;

const GROUP = `root:x:0:
nobody:x:65534:
tty:x:5:
staff:x:50:
nonroot:x:${NONROOT}:
`;

const NSSWITCH = `passwd: files
group: files
shadow: files
hosts: files dns
networks: files
protocols: files
services: files
`;

/**
 * What lies beneath the program: the part of `gcr.io/distroless/cc` that it needs. No shell, no package manager, no time
 * zone files (the program brings its own).
 */
export function baseEntries({ libraries, certificates }: {
  /** Paths on this machine, which they keep. */
  libraries: readonly string[];
  /** PEM, one after the other. */
  certificates: string;
}): RootEntry[] {
  return withParents([
    directory("/dev"),
    directory("/etc"),
    text("/etc/group", GROUP),
    text("/etc/nsswitch.conf", NSSWITCH),
    text("/etc/passwd", PASSWD),
    text("/etc/ssl/certs/ca-certificates.crt", certificates),
    { ...directory("/home/nonroot", 0o700), owner: NONROOT },
    directory("/proc"),
    directory("/root", 0o700),
    directory("/run"),
    directory("/sys"),
    directory("/tmp", 0o1777),
    { kind: "link", path: "/var/run", target: "../run", owner: 0 },
    ...libraries.map((path): RootEntry => file(path, path, /\/ld[^/]*$/.test(path) ? 0o755 : 0o644)),
  ]);
}

/** The program, as the only thing in its layer. */
export function programEntries(binary: string): RootEntry[] {
  return withParents([file(PROGRAM_PATH, binary, 0o755)]);
}

/** Adds the directories that are needed but not named, and sorts: a parent comes before what is in it. */
export function withParents(entries: readonly RootEntry[]): RootEntry[] {
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  for (const { path } of entries) {
    for (let parent = parentOf(path); parent !== ""; parent = parentOf(parent)) {
      if (!byPath.has(parent)) byPath.set(parent, directory(parent));
    }
  }
  return [...byPath.values()].sort((a, b) => a.path < b.path ? -1 : 1);
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

function directory(path: string, mode = 0o755): RootEntry {
  return { kind: "directory", path, mode, owner: 0 };
}

/** A file with this text, which everyone may read. */
export function text(path: string, text: string): RootEntry {
  return { kind: "text", path, mode: 0o644, text, owner: 0 };
}

/** A copy of this machine's file `source`. */
export function file(path: string, source: string, mode = 0o644): RootEntry {
  return { kind: "file", path, mode, source, owner: 0 };
}
