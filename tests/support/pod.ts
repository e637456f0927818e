/** Where a Pod finds its service account. */
const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The files of a Pod's service account volume. */
export interface ServiceAccountFiles {
  readonly token: string;
  readonly caCertificate: string;
  /** @default {"default"} */
  readonly namespace?: string;
}

/**
 * A service account as the kubelet projects it into a Pod: every file is a link through `..data`, itself a link to a folder
 * that holds one version of them all, and a new version is one rename away.
 */
export class ServiceAccount {
  readonly #owner: number | undefined;
  #version = 0;

  /** @param owner who alone may read the token; absent: the user that runs the test */
  constructor(readonly path: string, owner?: number) {
    this.#owner = owner;
  }

  /** Writes the files, or exchanges them all at once. */
  async write({ token, caCertificate, namespace = "default" }: ServiceAccountFiles): Promise<void> {
    const before = `..${this.#version}`, data = `..${++this.#version}`;
    await Deno.mkdir(`${this.path}/${data}`, { recursive: true, mode: 0o755 });
    for (const [name, text] of Object.entries({ token, "ca.crt": caCertificate, namespace })) {
      const file = `${this.path}/${data}/${name}`;
      await Deno.writeTextFile(file, text);
      await Deno.chmod(file, name === "token" ? 0o600 : 0o644);
      if (this.#owner !== undefined) await Deno.chown(file, this.#owner, this.#owner);
      if (this.#version === 1) await Deno.symlink(`..data/${name}`, `${this.path}/${name}`);
    }
    await Deno.symlink(data, `${this.path}/..data_tmp`);
    await Deno.rename(`${this.path}/..data_tmp`, `${this.path}/..data`);
    if (this.#version > 1) await Deno.remove(`${this.path}/${before}`, { recursive: true });
  }

  /**
   * What to run so that `command` finds this service account where a Pod has it, and the API server at `url` in the
   * variables that a Pod has. Signals reach the command itself.
   */
  inPod(command: readonly string[], url: string): { command: string[]; env: Record<string, string> } {
    const mount = `mount -t tmpfs tmpfs "$(readlink -f /var/run)" && mkdir -p ${SERVICE_ACCOUNT} && ` +
      `mount --bind "$0" ${SERVICE_ACCOUNT} && exec "$@"`;
    const { hostname, port } = new URL(url);
    // Root may mount also where no other user may become root of a namespace.
    const unshare = ["unshare", ...Deno.uid() === 0 ? [] : ["--user", "--map-root-user"], "--mount"];
    return {
      command: [...unshare, "sh", "-c", mount, this.path, ...command],
      env: { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, KUBECONFIG: "" },
    };
  }
}
